/* profile_convert.h: profiles into other formats: all that convert/profile_format.h writes, and JSON, CSV and text. */
#ifndef PROFILE_CONVERT_H
#define PROFILE_CONVERT_H

#include "../analyze/only.h"
#include "../convert/profile_format.h"
#include "option.h"

/* The row of that name; of name NULL: the one that the end of out asks for. NULL: there is none. */
const struct profile_format *profile_target(const char *name, const char *out);

/*
 * Writes n profiles of one run to `to` (NULL: standard output, which a directory cannot be). Where the format holds one window
 * and there are several, `to` is a directory of them (windows_save.h).
 */
int profiles_write(const char *to, const struct profile_format *f, struct profile *const *p, size_t n, struct error *e);
/* What that loses, to be freed, or NULL. */
char *profiles_lost(const struct profile_format *f, struct profile *const *p, size_t n);

/*
 * Writes what in holds, a profile or a trace, to out, and says on standard error what the format cannot hold. A trace becomes
 * call paths of any depth.
 */
int profile_convert(const struct program *program, const char *in, const char *window, const struct only *only, const char *out,
		    const struct profile_format *f, struct error *e);

#endif
