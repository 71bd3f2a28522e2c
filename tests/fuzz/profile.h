/*
 * profile.h: what the fuzz targets of profile formats share. Bytes go to one reader; what it makes of them is written in every
 * format, and the texts among them that can be read are read again.
 *
 *	clang -fsanitize=fuzzer,address,undefined ... tests/fuzz/NAME.c	fuzzes; with tests/fuzz/replay.c any compiler makes a program
 *	that feeds files.
 */
#ifndef FUZZ_PROFILE_H
#define FUZZ_PROFILE_H

#include <string.h>

#include "convert/profile_format.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

static void fuzz_written(struct profile *p)
{
	for (const struct profile_format *f = profile_formats; f->name; f++) {
		struct profile *again = NULL;
		struct error e;
		char *text;
		size_t n;
		FILE *m;

		if (!f->print)
			continue;
		m = open_memstream(&text, &n);
		f->print(m, &p, 1);
		fclose(m);
		if (f->read && strcmp(f->name, "ppk") && f->is((unsigned char *)text, n) &&
		    !f->read("again", (unsigned char *)text, n, &again, &e))
			profile_free(again);
		free(text);
		free(profile_format_lost(f, &p, 1));
	}
}

static int fuzz_profile(const char *format, const unsigned char *p, size_t n)
{
	const struct profile_format *f = profile_format_named(format);
	unsigned char *copy = mem_alloc(n + 1);
	struct profile *got = NULL;
	struct error e = { 0 };

	if (n)
		memcpy(copy, p, n);
	if (f->is(copy, n)) {
		if (!f->read("file", copy, n, &got, &e))
			fuzz_written(got);
		else if (strncmp(e.text, "file: ", 6))
			abort();
		profile_free(got);
	}
	free(copy);
	return 0;
}

#endif
