/*
 * file.h: the file of a descriptor, and the events of each file.
 *
 * The kernel gives a descriptor's file (/proc/self/fd) at its first use; it is stored until the
 * number is used for another file. So dup, fork and exec need not be followed: at worst a file is
 * looked up twice. The descriptors 0, 1 and 2 that the program was started with are "stdin",
 * "stdout" and "stderr".
 *
 * Events are counted for all files together and for each file by its path (names.h).
 *
 * All functions may be called in any thread and signal handler, keep errno, and allocate nothing.
 */
#ifndef IO_FILE_H
#define IO_FILE_H

#include <stdint.h>

#include "names.h"

void file_start(void);
void file_forget(int fd); /* fd is, or is about to be, something else */
void file_forget_range(unsigned first, unsigned last);
uint32_t file_name(int fd); /* for tau_io */

/*
 * A call about the name of a file, with its region open: the path is below the directory of the descriptor dir (AT_FDCWD: of the
 * process); NULL: it is not known. Returns its file. file_called(): the same with its file; NULL: unknown.
 */
struct file *file_call(uint32_t region, unsigned op, int dir, const char *path);
void file_called(uint32_t region, unsigned op, struct file *f);
/*
 * Before a call that may wait for the file of this path. *known: that file; it stays as it is if the name cannot be read, because the
 * program may give any address; then file_call() finds it after the call.
 */
void file_wait(struct file **known, int dir, const char *path);
/* A descriptor was opened by a name; what is known of one, without a look at the kernel. NULL: nothing. */
void file_opened(int fd, struct file *f);
struct file *file_known(int fd);

/* What a descriptor was when it was looked up: of a regular file, and of one to whose end every write goes. */
enum file_is { FILE_IS_REGULAR = 1, FILE_IS_APPENDED = 2, FILE_IS = 3 };
uint32_t file_name_is(int fd, unsigned *is); /* and file_name() */
void file_moved(int fd, enum file_event kind, uint64_t bytes);
void file_error(int fd, int error);              /* a call on fd failed; -1: no file is known */
void file_error_of(const char *path, int error); /* a call on a path (NULL: none) failed */

#endif
