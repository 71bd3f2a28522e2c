/* tau.c: fuzzes the reader of TAU's profile directories: one file of one thread. */
#include "convert/tau_profile.h"
#include "place.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	struct profile *got = NULL;
	struct error e = { 0 };

	place_put(0, "profile.0.0.0", p, n);
	if (!tau_profile_read(place(), &got, &e))
		profile_free(got);
	return 0;
}
