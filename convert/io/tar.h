/* tar.h: finds the files of a tar archive in memory, without their folders. */
#ifndef TAR_H
#define TAR_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/base/base.h"

struct tar_member {
	char name[101];		/* last part of its path */
	const unsigned char *p;	/* inside the archive */
	size_t n;
};

struct tar {
	struct tar_member *member;
	size_t member_n, member_cap;
	struct names names;	/* look-up; private */
	uint32_t *last;		/* by number of names: the last member of that name; private */
};

/*
 * Finds all files; of a longer name only the first 100 bytes are read. Checksums are not verified,
 * because some writers get them wrong. The caller releases it in any case. ERROR_INPUT: "PATH:
 * offset N: what".
 */
int tar_read(const char *path, const unsigned char *p, size_t n, struct tar *out, struct error *e);
void tar_release(struct tar *t);

/*
 * The block of the first file, after folders and descriptions (as in pax archives); NULL: there is
 * none.
 */
const unsigned char *tar_first(const unsigned char *p, size_t n);

/* The last file of that name, borrowed, or NULL. O(1) on average. */
const struct tar_member *tar_get(const struct tar *t, const char *name);

#endif
