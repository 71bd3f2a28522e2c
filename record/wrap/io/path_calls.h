/*
 * path_calls.h: the hooks of calls about names of files, which move no bytes: each has a record of its operation (enum tau_io) and the
 * file. For io.c, after its functions.
 */
#ifndef IO_PATH_CALLS_H
#define IO_PATH_CALLS_H

/* A call about the name of a file, below the directory of a descriptor. */
struct path_call {
	const struct wrap_function *function;
	enum tau_io op;
	int dir;
	const char *path;
	struct file *known; /* NULL: not before the call */
};

/* It may wait, as for a writer of a pipe. */
static inline void path_waits(struct path_call *c)
{
	if (c->path)
		file_wait(&c->known, c->dir, c->path);
}

static inline struct file *path_done(const struct path_call *c, int failed)
{
	const char *path = failed && errno == EFAULT ? NULL : c->path;

	if (c->known) {
		file_called(c->function->id, c->op, c->known);
		return c->known;
	}
	return file_call(c->function->id, c->op, c->dir, path);
}

struct opens_call {
	struct path_call path;
};

static inline void opens_before(struct opens_call *c, const struct wrap_function *f, int dir,
				const char *path)
{
	c->path = (struct path_call){f, TAU_IO_OPEN, dir, path, NULL};
	path_waits(&c->path);
}

static inline void opens_after(struct opens_call *c, int fd)
{
	struct file *f = path_done(&c->path, fd < 0);

	if (fd >= 0) {
		file_forget(fd);
		file_opened(fd, f);
	} else {
		file_error_of(errno == EFAULT ? NULL : c->path.path, errno);
	}
}

/* The path is known after the call, which writes it. */
struct makes_call {
	struct opens_call opens;
};

static inline void makes_before(struct makes_call *c, const struct wrap_function *f, int dir,
				const char *path)
{
	c->opens.path = (struct path_call){f, TAU_IO_OPEN, dir, path, NULL};
}

static inline void makes_after(struct makes_call *c, int fd)
{
	opens_after(&c->opens, fd);
}

/* A search for a file that is not there is no error. */
struct about_call {
	struct path_call path;
};

static inline void about_before(struct about_call *c, const struct wrap_function *f, enum tau_io op,
				int dir, const char *path)
{
	c->path = (struct path_call){f, op, dir, path, NULL};
}

static inline void about_after(struct about_call *c, int ret)
{
	path_done(&c->path, ret < 0);
}

struct about_fd_call {
	const struct wrap_function *function;
	enum tau_io op;
	int fd;
};

static inline void about_fd_before(struct about_fd_call *c, const struct wrap_function *f,
				   enum tau_io op, int fd)
{
	*c = (struct about_fd_call){f, op, fd};
}

static inline void about_fd_after(struct about_fd_call *c, int ret)
{
	(void)ret;
	file_called(c->function->id, c->op, file_known(c->fd));
}

struct changed_call {
	struct path_call path;
};

static inline void changed_before(struct changed_call *c, const struct wrap_function *f,
				  enum tau_io op, int dir, const char *path)
{
	c->path = (struct path_call){f, op, dir, path, NULL};
}

static inline void changed_after(struct changed_call *c, int ret)
{
	path_done(&c->path, ret < 0);
	if (ret < 0)
		file_error_of(errno == EFAULT ? NULL : c->path.path, errno);
}

struct listed_call {
	struct path_call path;
};

static inline void listed_before(struct listed_call *c, const struct wrap_function *f,
				 const char *path)
{
	c->path = (struct path_call){f, TAU_IO_LIST, AT_FDCWD, path, NULL};
}

static inline void listed_after(struct listed_call *c, const DIR *ret)
{
	path_done(&c->path, !ret);
	if (!ret)
		file_error_of(errno == EFAULT ? NULL : c->path.path, errno);
}

/* Forgotten before the call, as of the next class. */
struct closed_call {
	const struct wrap_function *function;
	struct file *file;
};

static inline void closed_before(struct closed_call *c, const struct wrap_function *f, int fd)
{
	*c = (struct closed_call){f, file_known(fd)};
	file_forget(fd);
}

static inline void closed_after(struct closed_call *c, int ret)
{
	file_called(c->function->id, TAU_IO_CLOSE, c->file);
	if (ret < 0)
		file_error_of(NULL, errno);
}

/* fd: a descriptor that the program gave, which keeps its meaning, or -1. */
struct opened_call {
	struct path_call path;
	int fd;
};

static inline void opened_before(struct opened_call *c, const struct wrap_function *f,
				 const char *path, int fd)
{
	c->path = (struct path_call){f, TAU_IO_OPEN, AT_FDCWD, path, NULL};
	path_waits(&c->path);
	c->fd = fd;
}

static inline void opened_after(struct opened_call *c, FILE *stream)
{
	struct file *f = c->path.path ? path_done(&c->path, !stream) : NULL;

	if (!stream) {
		file_error_of(errno == EFAULT ? NULL : c->path.path, errno);
	} else if (c->fd < 0) {
		file_forget(stream_fd(stream));
		file_opened(stream_fd(stream), f);
	}
}

#endif
