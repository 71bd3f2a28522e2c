/* native.c: fuzzes the reader of our own traces. The bytes are those of native.h. */
#include "convert/native/native.h"
#include "native.h"

#include "events.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	struct trace *t;
	struct error e = { 0 };

	place_open();
	if (!native_open(pack_run(p, n, 0), &t, &e))
		fuzz_trace(t, n % 4 == 0);
	place_close();
	return 0;
}
