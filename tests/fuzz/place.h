/*
 * place.h: files that only exist in memory, for fuzz targets whose readers want paths. The linker sends the calls of
 * the libraries under test to place.c (--wrap, see the Makefile), so a file costs no system call. While a place is open nothing
 * else exists: a path that damaged bytes name leads nowhere.
 */
#ifndef FUZZ_PLACE_H
#define FUZZ_PLACE_H

#include <stddef.h>

#define PLACE "/fuzz"		/* its only folder */
#define PLACE_MTIME 1700000000	/* s since 1970, of every file */

/* Opens an empty place. Whatever was opened before must have been closed: a reader that leaks a file fails here. */
void place_open(void);
/* File `name` of the folder, with a copy of these bytes; the same name again replaces it. Returns its path. */
const char *place_put(const char *name, const void *p, size_t n);
/* The bytes of a file of the folder, until it changes; NULL: there is none. */
const void *place_get(const char *name, size_t *n);
/* Removes all files, and lets the real ones be seen again. */
void place_close(void);

#endif
