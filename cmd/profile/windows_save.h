/* windows_save.h: several profiles of one run, one for each window, as entries of a directory that appears whole or not at all. */
#ifndef WINDOWS_SAVE_H
#define WINDOWS_SAVE_H

#include "convert/profile_format.h"

/*
 * One directory of TAU profiles, or one file in another format, for each window, below `to`, named by its window: a slash becomes an
 * underscore, a name that is too long for a file is cut, and one that would be there twice gets a number.
 */
struct windows_save {
	const char *to;
	const struct profile_format *format;
	char *temporary;	/* NULL: it has not begun */
	struct names taken;
};

/* n: how many there will be. ERROR_SYSTEM, ERROR_USAGE: nothing was made. */
int windows_save_begin(struct windows_save *s, const char *to, const struct profile_format *f, size_t n, struct error *e);
int windows_save_one(struct windows_save *s, struct profile *p, struct error *e);
/* code: how the rest went; if that is an error, or this fails, no file remains. Returns 0 or the first error. */
int windows_save_end(struct windows_save *s, int code, struct error *e);

#endif
