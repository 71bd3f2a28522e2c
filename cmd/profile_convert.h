/* profile_convert.h: profiles into other formats: all that convert/profile_format.h writes, and JSON, CSV and text. */
#ifndef PROFILE_CONVERT_H
#define PROFILE_CONVERT_H

#include "../convert/profile_format.h"
#include "option.h"

/* The row of that name; of name NULL: the one that the end of out asks for. NULL: there is none. */
const struct profile_format *profile_target(const char *name, const char *out);

/*
 * Writes what in holds, a profile or a trace, to out, and says on standard error what the format cannot hold. A trace becomes
 * call paths of any depth.
 */
int profile_convert(const struct program *program, const char *in, const char *window, const char *out,
		    const struct profile_format *f, struct error *e);

#endif
