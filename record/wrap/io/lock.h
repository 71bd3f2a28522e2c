/*
 * lock.h: locks of files: what the arguments of flock(), lockf() and fcntl() lock, and the hooks of these calls. For io.c, after its
 * functions.
 */
#ifndef IO_LOCK_H
#define IO_LOCK_H

/* A call that gets or gives back a lock. kind: TAU_FILE_CALL: it does neither. */
struct file_lock {
	enum tau_file_wait kind;
	int gives;	/* it gives the lock back */
	int waits;	/* it waits until it has the lock */
	int look;	/* command of fcntl() that finds a lock that is in the way; 0: there is none */
	int64_t first, bytes;	/* 0 bytes: all that follow */
};

static inline struct file_lock lock_of_flock(int how)
{
	int what = how & ~LOCK_NB;

	return (struct file_lock){
		.kind = what == LOCK_SH ? TAU_FILE_SHARED_LOCK : TAU_FILE_EXCLUSIVE_LOCK,
		.gives = what == LOCK_UN,
		.waits = !(how & LOCK_NB) && what != LOCK_UN,
	};
}

/* These are before the program's call, which may leave its errno as it is. */
static inline int64_t lock_position(int fd)
{
	int saved = errno;
	int64_t at = system_call(SYS_lseek, fd, 0L, SEEK_CUR);

	errno = saved;
	return at > 0 ? at : 0;
}

static inline int64_t lock_size(int fd)
{
	int saved = errno;
	struct stat st;
	int64_t size = system_call(SYS_fstat, fd, &st) == 0 ? st.st_size : 0;

	errno = saved;
	return size;
}

/* A negative number of bytes is of those before. */
static inline void lock_range(struct file_lock *l, int64_t from, int64_t bytes)
{
	l->first = bytes < 0 ? from + bytes : from;
	l->bytes = bytes < 0 ? -bytes : bytes;
	if (l->first < 0)
		l->first = 0;
}

static inline struct file_lock lock_of_lockf(int fd, int how, off64_t bytes)
{
	struct file_lock l = {
		.kind = how == F_TEST ? TAU_FILE_CALL : TAU_FILE_WRITE_LOCK,
		.gives = how == F_ULOCK,
		.waits = how == F_LOCK,
		.look = F_GETLK,
	};

	if (l.waits)
		lock_range(&l, lock_position(fd), bytes);
	return l;
}

/* Is it a command that gets or gives back a lock? */
static inline int lock_command(int how)
{
	return how == F_SETLK || how == F_SETLKW || how == F_OFD_SETLK || how == F_OFD_SETLKW;
}

/* The argument may be an address that cannot be read: then the call fails. */
static inline struct file_lock lock_of_fcntl(int fd, int how, const void *argument)
{
	int open = how == F_OFD_SETLK || how == F_OFD_SETLKW;
	struct file_lock l = {
		.waits = how == F_SETLKW || how == F_OFD_SETLKW,
		.look = open ? F_OFD_GETLK : F_GETLK,
	};
	struct flock a;
	int64_t from = 0;
	int saved = errno, copied = tau_copy(&a, (uintptr_t)argument, sizeof(a));

	errno = saved;
	if (!copied)
		return l;
	l.gives = a.l_type == F_UNLCK;
	l.waits &= !l.gives;
	if (a.l_type == F_RDLCK)
		l.kind = open ? TAU_FILE_READ_LOCK_OPEN : TAU_FILE_READ_LOCK;
	else
		l.kind = open ? TAU_FILE_WRITE_LOCK_OPEN : TAU_FILE_WRITE_LOCK;
	if (!l.waits)
		return l;
	if (a.l_whence == SEEK_CUR)
		from = lock_position(fd);
	else if (a.l_whence == SEEK_END)
		from = lock_size(fd);
	lock_range(&l, from + a.l_start, a.l_len);
	return l;
}

/* The process whose lock is in the way of this one; 0: there is none, or its number is unknown. */
static inline int lock_holder(int fd, const struct file_lock *l)
{
	struct flock a = {
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = l->first,
		.l_len = l->bytes,
	};
	int saved = errno, found;

	if (l->kind == TAU_FILE_READ_LOCK || l->kind == TAU_FILE_READ_LOCK_OPEN)
		a.l_type = F_RDLCK;
	found = l->look && !system_call(SYS_fcntl, fd, l->look, &a) && a.l_type != F_UNLCK;
	errno = saved;
	return found && a.l_pid > 0 ? a.l_pid : 0;
}

struct locked_call {
	const struct wrap_function *function;
	struct file_lock lock;
	int fd;
	uint32_t file;
};

static inline void locked_before(struct locked_call *c, const struct wrap_function *f, int fd,
				 struct file_lock l)
{
	*c = (struct locked_call){f, l, fd, file_name(fd)};
	if (l.waits)
		tau_waits_for_lock(c->file, l.kind, lock_holder(fd, &l), (uint64_t)l.first,
				   (uint64_t)l.bytes);
}

/* That another process has the lock is no error of a call that does not wait. */
static inline void locked_after(struct locked_call *c, int ret)
{
	if (ret < 0) {
		if (c->lock.waits || (errno != EAGAIN && errno != EACCES))
			file_error(c->fd, errno);
	} else if (c->lock.kind != TAU_FILE_CALL) {
		tau_io(c->function->id, c->lock.gives ? TAU_IO_UNLOCK : TAU_IO_LOCK, c->file, 0);
	}
}

#endif
