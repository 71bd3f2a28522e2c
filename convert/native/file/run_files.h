/*
 * run_files.h: makes and opens files in the directory of a run. Others may have put links there: none is followed, and what
 * is made is new.
 */
#ifndef RUN_FILES_H
#define RUN_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RUN_JOB_FILE "job"	/* identifies the job that a run belongs to */

int run_directory(const char *path);	/* its descriptor, which the caller closes; -1 and errno */
/* A new file for writing, which takes the place of one of that name. Its descriptor, or -1 and errno. */
int run_file_new(int directory, const char *name, mode_t mode);
/* A file that is there, with the flags of open(2); a link is none. Its descriptor, or -1 and errno. */
int run_file_open(int directory, const char *name, int flags);
/* Writes all n bytes at an offset. 0, or -1: they could not be written. */
int run_file_write(int fd, const void *p, size_t n, uint64_t offset);
/*
 * Locks a file for this descriptor (flock(2)). Others who may open the file can keep it locked, so this waits at most limit_ms. 0, or
 * -1 and errno: EWOULDBLOCK after that time.
 */
int run_file_lock(int fd, unsigned limit_ms);
/* A host's name (uname(2)) as the recorder begins the names of its files with it: HOST.PID.N.THREAD. The caller frees it. */
char *run_file_host(const char *host);
/* The mode of new files of this run: 0600, or, if others may read its job file, 0666, which the umask reduces. */
mode_t run_file_mode(int directory);

#endif
