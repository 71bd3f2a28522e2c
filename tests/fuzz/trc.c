/* trc.c: fuzzes the reader of TAU's own traces: the length of the definitions (16 bits), definitions, records. */
#include "events.h"
#include "place.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	struct input *in;
	struct trace *t;
	struct error e = { 0 };
	size_t edf;

	if (n < 2)
		return 0;
	edf = p[0] | (size_t)p[1] << 8;
	if (edf > n - 2)
		edf = n - 2;
	place_open();
	place_put("tau.edf", p + 2, edf);
	in = input_new(place_put("tau.trc", p + 2 + edf, n - 2 - edf));
	if (!tau_trace_open(in, NULL, &t, &e))
		fuzz_trace(t, n % 4 == 0);
	input_free(in);
	place_close();
	return 0;
}
