/*
 * cubex.c: fuzzes the readers of Cube files. What begins with < is of version 3. Otherwise the bytes are the parts of an archive: two lengths of 16 bits, then the
 * description, the index and the data of metric 0; a whole archive is read, too.
 */
#include <stdio.h>

#include "profile.h"

/* Appends a part of the archive. */
static size_t member(unsigned char *to, const char *name, const unsigned char *p, size_t n)
{
	memset(to, 0, 512 + (n + 511) / 512 * 512);
	memcpy(to, name, strlen(name));
	snprintf((char *)to + 124, 12, "%011zo", n);
	to[156] = '0';
	memcpy(to + 512, p, n);
	return 512 + (n + 511) / 512 * 512;
}

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	size_t anchor, index, at = 0;
	unsigned char *tar;

	if (n && *p == '<')
		return fuzz_profile("cube3", p, n);
	if (n < 4 || (n > 512 && !memcmp(p + 257, "ustar", 5)))
		return fuzz_profile("cube", p, n);
	anchor = p[0] | (size_t)p[1] << 8;
	index = p[2] | (size_t)p[3] << 8;
	if (anchor > n - 4 || index > n - 4 - anchor)
		return 0;
	tar = mem_alloc(n + 5 * 1024);
	at += member(tar + at, "anchor.xml", p + 4, anchor);
	at += member(tar + at, "0.index", p + 4 + anchor, index);
	at += member(tar + at, "0.data", p + 4 + anchor + index, n - 4 - anchor - index);
	memset(tar + at, 0, 1024);
	fuzz_profile("cube", tar, at + 1024);
	free(tar);
	return 0;
}
