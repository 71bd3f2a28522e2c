/* tau_metadata.h: TAU's "<metadata>" text, read and written; used by profile files. */
#ifndef TAU_METADATA_H
#define TAU_METADATA_H

#include <stdio.h>

#include "analyze/profile/profile.h"

struct tau_metadata {
	struct profile_attribute *v;	/* strings are owned */
	size_t v_n, v_cap;
};

/*
 * Reads "<metadata>...</metadata>" at *cursor, which ends before end (where there is a NUL), and
 * moves *cursor after it. Returns 0, or -1 with *what set to a phrase such as "<value> has no end";
 * *cursor is then at the error. What was read is added to *out in either case.
 */
int tau_metadata_read(const char **cursor, const char *end, struct tau_metadata *out, const char **what);
void tau_metadata_release(struct tau_metadata *m);

/* Adds an attribute to the profile, or sets its window, which our profiles have as attributes. */
void tau_metadata_take(struct profile *p, const struct profile_attribute *a);

/* Writes one "<attribute>", escaped as TAU does it. */
void tau_metadata_write(FILE *f, const char *name, const char *value);

#endif
