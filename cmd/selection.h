/* selection.h: gives the recorder what a selective instrumentation file says (see
 * convert/select.h). */
#ifndef SELECTION_H
#define SELECTION_H

#include "launch.h"

/*
 * Reads `file` (NULL: none), adds the regions that start and stop recording (NULL: none), writes the table for the program and what it links into a hidden file of the run
 * and names it in the environment. Says on stderr what was ignored.
 */
int selection_write(const char *directory, const char *file, const char *start, const char *stop,
		    const struct target *t, struct error *e);

#endif
