/* whole_file.h: results that appear whole: a file or folder is written under a temporary name and renamed when it is complete. */
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

#include <stdio.h>
#include <sys/types.h>

#include "analyze/base/base.h"

/*
 * A file under a temporary name beside `to`; "-" is standard output, which is written as it comes, as
 * are devices and pipes. NULL: the system refused, see e.
 */
struct whole {
	FILE *file;
	char *name;	/* temporary; NULL: none */
};
int whole_open(struct whole *w, const char *to, struct error *e);
/* bad: throw it away. Otherwise it gets its name. Returns 0, or an error when it could not be written. */
int whole_close(struct whole *w, const char *to, int bad, struct error *e);

/* The same for a folder: its temporary name, NULL when the system refuses or `to` is there already. */
char *whole_folder(const char *to, struct error *e);
int whole_folder_close(char *name, const char *to, int bad, struct error *e);

/* Removes what a process that was killed has left of a result. */
void whole_sweep(const char *to, pid_t pid);

#endif
