/*
 * profile.h: what the fuzz targets of profile formats share: bytes go to one reader, in memory of exactly their size.
 *
 *	clang -fsanitize=fuzzer,address,undefined ... tests/fuzz/NAME.c	fuzzes (make fuzz); with tests/fuzz/replay.c any
 *	compiler makes a program that feeds files.
 */
#ifndef FUZZ_PROFILE_H
#define FUZZ_PROFILE_H

#include <string.h>

#include "convert/profile_format.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

/* What the reader of a format makes of the bytes; NULL: not that format, or an error, which names the file. */
static inline struct profile *fuzz_read(const char *format, const unsigned char *p, size_t n)
{
	const struct profile_format *f = profile_format_named(format);
	unsigned char *copy = mem_alloc(n + 1);
	struct profile *got = NULL;
	struct error e = { 0 };

	if (n)
		memcpy(copy, p, n);
	if (f->is(copy, n) && f->read("file", copy, n, &got, &e) && strncmp(e.text, "file: ", 6))
		abort();
	free(copy);
	return got;
}

static inline int fuzz_profile(const char *format, const unsigned char *p, size_t n)
{
	profile_free(fuzz_read(format, p, n));
	return 0;
}

#endif
