/* folded.c: fuzzes the reader of folded stacks. */
#include "profile.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	return fuzz_profile("folded", p, n);
}
