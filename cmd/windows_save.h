/* windows_save.h: several profiles of one run, one for each window, as entries of a directory that appears whole or not at all. */
#ifndef WINDOWS_SAVE_H
#define WINDOWS_SAVE_H

#include "../convert/profile_format.h"

/*
 * One directory of TAU profiles, or one file in another format, for each window, below `to`, named by its window: a slash becomes an
 * underscore, a name that is too long for a file is cut, and one that would stand there twice gets a number. ERROR_SYSTEM:
 * nothing was left behind.
 */
int windows_save(const char *to, const struct profile_format *f, struct profile *const *p, size_t n, struct error *e);

#endif
