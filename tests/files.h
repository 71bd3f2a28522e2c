/* files.h: for tests that write files and read them back whole. */
#ifndef TESTS_FILES_H
#define TESTS_FILES_H

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/base/base.h"

/* A path below a folder; four are kept at a time. */
__attribute__((unused)) static const char *file_below(const char *folder, const char *name)
{
	static char path[4][4200];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
	return path[turn];
}

/* The caller frees what it is; NULL: there is no such file. */
__attribute__((unused)) static unsigned char *file_get(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	unsigned char *p;

	*n = 0;
	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	*n = (size_t)ftell(f);
	rewind(f);
	p = mem_alloc(*n + 1);
	if (fread(p, 1, *n, f) != *n)
		exit(1);
	fclose(f);
	return p;
}

__attribute__((unused)) static void file_put(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(p, 1, n, f) != n || fclose(f))
		exit(1);
}

__attribute__((unused)) static int file_remove(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

/* A folder of the test's, with all that is in it, if there is one. */
__attribute__((unused)) static void folder_remove(const char *folder)
{
	if (nftw(folder, file_remove, 16, FTW_DEPTH | FTW_PHYS) && errno != ENOENT)
		exit(1);
}

#endif
