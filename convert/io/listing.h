/* listing.h: the names in a directory, read once. */
#ifndef LISTING_H
#define LISTING_H

#include <stddef.h>

struct listing_entry {
	char *name;
	unsigned char type;	/* DT_REG, DT_DIR ... of readdir(3), DT_UNKNOWN where the file system does not have it */
};

/* In alphabetical order, without "." and "..". */
struct listing {
	struct listing_entry *entry;
	size_t entry_n, entry_cap;
};

/* out: empty. 0; or -1 with errno: the directory cannot be read, and *out holds nothing. Release it in any case. */
int listing_read(const char *path, struct listing *out);
void listing_release(struct listing *l);

/* The place of a name; entry_n: it is not there. */
size_t listing_find(const struct listing *l, const char *name);

/* Is the entry of directory `path` a directory, or a link to one? */
int listing_is_directory(const char *path, const struct listing_entry *x);

#endif
