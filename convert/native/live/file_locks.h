/* file_locks.h: which process has the lock of a file for which another one waits now, by the kernel of this machine. */
#ifndef FILE_LOCKS_H
#define FILE_LOCKS_H

#include <stddef.h>
#include <sys/types.h>

/* A process that waits, and the one that has the lock; has <= 0: the kernel does not know it, as of locks of open files. */
struct file_lock_wait {
	pid_t waits, has;
};
struct file_locks {
	struct file_lock_wait *v;
	size_t v_n, v_cap;
};

/* Reads a table as /proc/locks is, proc(5), or one that cannot be read, which is empty. Release x. */
void file_locks_read(struct file_locks *x, const char *path);
void file_locks_release(struct file_locks *x);
/* The process for which this one waits; 0: none, it is not known, or threads of it wait for several. */
pid_t file_locks_holder(const struct file_locks *x, pid_t waits);

#endif
