/* cubex.c: fuzzes the reader of Cube files. */
#include "profile.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	return fuzz_profile("cube", p, n);
}
