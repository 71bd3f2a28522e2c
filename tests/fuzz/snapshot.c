/* snapshot.c: fuzzes the reader of TAU's snapshots and merged profiles. */
#include "profile.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	return fuzz_profile("snapshot", p, n);
}
