/* selection.h: gives the recorder the contents of a selective instrumentation file (see
 * convert/code/select.h). */
#ifndef SELECTION_H
#define SELECTION_H

#include "cmd/record/launch/launch.h"

struct select;

/* NULL: not given. */
struct record_selection {
	const char *file;		/* of TAU */
	const char *start, *stop;	/* regions that start and stop recording */
	const char *patch;		/* functions to patch */
};
/* Reads the file and adds the others. Prints on stderr what was ignored. */
int selection_read(const struct record_selection *given, struct select **out, struct error *e);
/* Writes the table for the program and what it links into a hidden file of the run, and names it in the environment. */
int selection_write(const char *directory, struct select *s, const struct target *t,
		    struct error *e);
/* Writes the table of one more module under a number. */
int selection_add(const char *directory, struct select *s, const char *path, uint64_t number,
		  struct error *e);

/*
 * A command during a run, which excludes the regions of a name or selects them again: writes a table of the functions of that name,
 * in all programs of the run and in what the processes `pid` have mapped. *number: which table.
 */
int selection_change(const char *directory, int include, const char *name, const uint32_t *pid,
		     size_t pid_n, uint64_t *number, struct error *e);

#endif
