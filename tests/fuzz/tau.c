/*
 * tau.c: fuzzes the reader of TAU's profile directories: the files of up to three threads, separated by lines "%".
 */
#include <string.h>

#include "tests/inputs.h"
#include "convert/tau/tau_profile.h"
#include "place.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	static const char *const name[] = { "profile.0.0.0", "profile.0.0.1", "profile.1.0.0" };
	struct profile *got = NULL;
	struct error e = { 0 };

	place_open();
	for (int i = 0; i < 3; i++) {
		const unsigned char *end = i < 2 ? memmem(p, n, "\n%\n", 3) : NULL;
		size_t length = end ? (size_t)(end - p) + 1 : n;

		place_put(name[i], p, length);
		if (!end)
			break;
		p += length + 2;
		n -= length + 2;
	}
	if (!path_tau_profile_read(PLACE, &got, &e))
		profile_free(got);
	else if (strncmp(e.text, PLACE, strlen(PLACE)))
		abort();
	place_close();
	return 0;
}
