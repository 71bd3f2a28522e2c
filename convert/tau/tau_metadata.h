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
void tau_metadata_set(struct profile *p, const struct profile_attribute *a);

/*
 * The attributes that the file of one thread has, by name, as TAU sorts them: its own, and those of the trial unless the
 * trial's first thread repeats them (profile.h). Adds to *out, whose array the caller frees; the strings stay the caller's.
 * first may be own.
 */
struct tau_metadata_list {
	const struct profile_attribute *v;
	size_t n;
};
struct tau_metadata_of_file {
	const struct profile_attribute **v;
	size_t v_n, v_cap;
};
void tau_metadata_of_file(struct tau_metadata_list trial, struct tau_metadata_list first, struct tau_metadata_list own,
			  struct tau_metadata_of_file *out);

/* The value of the last attribute of this name; NULL: there is none. */
const char *tau_metadata_find(struct tau_metadata_list in, const char *name);

/* Writes one "<attribute>", escaped as TAU does it. */
void tau_metadata_write(FILE *f, const char *name, const char *value);

#endif
