/* selection.h: gives the recorder the contents of a selective instrumentation file (see
 * convert/code/select.h). */
#ifndef SELECTION_H
#define SELECTION_H

#include "cmd/record/launch.h"

struct select;

/*
 * Reads `file` (NULL: none) and adds the regions that start and stop recording (NULL: none). Prints on stderr what was ignored.
 */
int selection_read(const char *file, const char *start, const char *stop, struct select **out,
		   struct error *e);
/* Writes the table for the program and what it links into a hidden file of the run, names it in the environment, and frees s. */
int selection_write(const char *directory, struct select *s, const struct target *t,
		    struct error *e);

/*
 * A command during a run, which excludes the regions of a name or selects them again: writes a table of the functions of that name,
 * in all programs of the run and in what the processes `pid` have mapped. *number: which table.
 */
int selection_change(const char *directory, int include, const char *name, const uint32_t *pid,
		     size_t pid_n, uint64_t *number, struct error *e);

#endif
