/*
 * whole_file.h: writes results that appear complete: a file or folder is written under a temporary
 * name and renamed at the end.
 */
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

#include <stdio.h>
#include <sys/types.h>

#include "analyze/base/base.h"

/*
 * A file under a temporary name beside `to`; "-" is standard output, which is written directly,
 * like devices and pipes. whole_open() returns 0, or ERROR_SYSTEM with its message in e.
 */
struct whole {
	FILE *file;
	char *name;	/* temporary; NULL: none */
};
int whole_open(struct whole *w, const char *to, struct error *e);
/*
 * Closes the file. bad: remove it. Otherwise rename it to `to`. Returns 0, or ERROR_SYSTEM if it
 * could not be written; it is then removed.
 */
int whole_close(struct whole *w, const char *to, int bad, struct error *e);

/*
 * The same for a folder: its temporary name, which whole_folder_close() frees; NULL: the system
 * refuses, `to` exists already (ERROR_SYSTEM), or it is "-" (ERROR_USAGE).
 */
char *whole_folder(const char *to, struct error *e);
int whole_folder_close(char *name, const char *to, int bad, struct error *e);

/* Removes a folder with all that it contains. */
void whole_folder_remove(const char *name);

/* Removes the temporary files of a result from a process that was killed. */
void whole_sweep(const char *to, pid_t pid);

#endif
