/* ppk.c: fuzzes the reader of packed profiles. */
#include "profile.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	return fuzz_profile("ppk", p, n);
}
