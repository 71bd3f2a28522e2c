/*
 * io.c: the wrapper of POSIX and stdio input and output: the hooks of the rows of io.list, and the
 * functions that gen.awk cannot generate (with variable arguments, or recorded only for files).
 *
 * Each call is a region of group TAU_IO and gives, under the names that TAU uses,
 *
 *   Bytes Read, Bytes Written                                bytes that the call moved
 *   Read Bandwidth (MB/s), Write Bandwidth (MB/s)            bytes / microseconds of the real call
 *   Bytes Mapped                                             by mmap of a file
 *   I/O Errors                                               errno of a call that failed
 *
 * and a record of the operation for calls that open, close, look up, rename, remove or list files
 * and directories (io/path_calls.h). The counters are each for all files together and, with
 * <file="PATH"> after the name, for the file. io/file.c finds the file of a descriptor. The bytes of
 * a stream count when the program reads or writes them, not when libc calls the system; libc's own
 * calls do not pass through this wrapper, so every byte counts once.
 */
#undef _FORTIFY_SOURCE /* the functions as they are, not what macros and inlines make of them */
#define __NO_INLINE__ 1
#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "format.h"
#include "io/file.h"
#include "next.h"
#include "tau.h"

#include "io.gen.c"

void *wrap_find(const char *symbol)
{
	return wrap_next(symbol);
}

/* Length of the name that a program's author wrote for it: open64 and __open_2 were open,
 * __read_chk was read. */
static int plain_name(const char *symbol, const char **from)
{
	static const char *const ends[] = {"_chk", "64", "_2"};
	int n = (int)strlen(*from = symbol);

	if (!strncmp(symbol, "__", 2)) {
		*from += 2;
		n -= 2;
	}
	for (int i = 0; i < 3; i++) {
		int e = (int)strlen(ends[i]);

		if (n > e && !strncmp(*from + n - e, ends[i], (size_t)e))
			n -= e;
	}
	return n;
}

/* Functions that are one to the program's author are one region. */
static void name_region(struct wrap_function *f)
{
	const char *plain;
	int n = plain_name(f->symbol, &plain);

	for (int i = 0; i < WRAP_FUNCTIONS; i++)
		if (!strncmp(wrap_table[i].symbol, plain, (size_t)n) && !wrap_table[i].symbol[n])
			f->region = wrap_table[i].region;
}

/* Functions are looked up before the program runs: it may call them where dlsym is not allowed, in
 * signal handlers. */
static __attribute__((constructor)) void begin(void)
{
	for (int i = 0; i < WRAP_FUNCTIONS; i++) {
		name_region(&wrap_table[i]);
		wrap_real(&wrap_table[i]);
	}
	if (tau_permitted())
		file_start();
}

/* The descriptor of a stream, -1 if there is none. */
static inline int stream_fd(FILE *stream)
{
	int saved = errno, fd = stream ? fileno(stream) : -1;

	errno = saved;
	return fd;
}

#include "io/path_calls.h"

/* ---- classes ---- */

/* A direction comes with the function of the row that names it. */
#define READ  wrap_f, TAU_IO_READ
#define WRITE wrap_f, TAU_IO_WRITE

struct moved_call {
	const struct wrap_function *function;
	enum tau_io direction;
	int fd;
	uint32_t file;
	unsigned is; /* enum file_is */
};

static inline void moved_before(struct moved_call *c, const struct wrap_function *f,
				enum tau_io direction, int fd)
{
	c->function = f;
	c->direction = direction;
	c->fd = fd;
	c->file = file_name_is(fd, &c->is);
	tau_waits_for_file(c->file);
}

static inline void moved_after(struct moved_call *c, ssize_t bytes)
{
	if (bytes >= 0)
		tau_io(c->function->id, c->direction, c->file, (uint64_t)bytes);
	else
		file_error(c->fd, errno);
}

/*
 * The same, where the offset in the file is known: `at`, or POSITION, that of the descriptor. The system call that returns the
 * position costs 0.2 us, as much as a fifth of a short read(), so only calls that move much are followed by it.
 */
enum { POSITION = -1, NOWHERE = -2, POSITION_LEAST = 65536 /* bytes */ };

struct placed_call {
	struct moved_call moved;
	off64_t at;
};

static inline void placed_before(struct placed_call *c, const struct wrap_function *f,
				 enum tau_io direction, int fd, off64_t at)
{
	moved_before(&c->moved, f, direction, fd);
	c->at = at;
}

/* Where pwritev2() writes: a flag may send it to the end of the file, wherever that is. */
static inline off64_t place(off64_t at, int flags)
{
	return at != POSITION && flags & RWF_APPEND ? NOWHERE : at;
}

/* Linux writes to the end where the descriptor was opened so, whatever the offset. */
static inline void placed_after(struct placed_call *c, ssize_t bytes)
{
	const struct moved_call *m = &c->moved;
	unsigned is = m->is;
	off64_t at = c->at;
	int fd = -1;

	if (bytes <= 0) {
		moved_after(&c->moved, bytes);
		return;
	}
	if (at == POSITION && bytes >= POSITION_LEAST && is & FILE_IS_REGULAR)
		fd = m->fd;
	if (at < 0 || (m->direction == TAU_IO_WRITE && is & FILE_IS_APPENDED))
		at = -1;
	tau_io_at(m->function->id, m->direction, m->file, (uint64_t)bytes, at, fd);
}

/* Bytes of asynchronous transfers; their speed is unknown. glibc keeps the request in the program's block, and marks there
 * the calls of long files. */
struct finished_call {
	int opcode, fd, error;
};

static inline void finished_before(struct finished_call *c, int opcode, int fd, int error)
{
	c->opcode = opcode & 127;
	c->fd = fd;
	c->error = error;
}

static inline void finished_after(struct finished_call *c, ssize_t bytes)
{
	if (bytes < 0)
		file_error(c->fd, c->error);
	else if (c->opcode == LIO_READ || c->opcode == LIO_WRITE)
		file_moved(c->fd, c->opcode == LIO_READ ? FILE_BYTES_READ : FILE_BYTES_WRITTEN,
			   (uint64_t)bytes);
}

/* From one descriptor to another without passing through the program. */
struct copied_call {
	const struct wrap_function *function;
	int from, to;
};

static inline void copied_before(struct copied_call *c, const struct wrap_function *f, int from,
				 int to)
{
	c->function = f;
	c->from = from;
	c->to = to;
	tau_waits_for_file(file_name(to));
}

static inline void copied_after(struct copied_call *c, ssize_t bytes)
{
	if (bytes < 0) {
		file_error(c->from, errno);
		return;
	}
	tau_io(c->function->id, TAU_IO_READ, file_name(c->from), (uint64_t)bytes);
	tau_io(c->function->id, TAU_IO_WRITE, file_name(c->to), (uint64_t)bytes);
}

struct made_call {
	char unused;
};

static inline void made_before(struct made_call *c)
{
	(void)c;
}

static inline void made_after(struct made_call *c, int fd)
{
	(void)c;
	if (fd >= 0)
		file_forget(fd);
	else
		file_error_of(NULL, errno);
}

struct pair_call {
	int *fds;
};

static inline void pair_before(struct pair_call *c, int *fds)
{
	c->fds = fds;
}

static inline void pair_after(struct pair_call *c, int ret)
{
	if (ret < 0) {
		file_error_of(NULL, errno);
		return;
	}
	file_forget(c->fds[0]);
	file_forget(c->fds[1]);
}

/* Forgotten before the call: afterwards the number may be another thread's new file. */
struct gone_call {
	char unused;
};

static inline void gone_before(struct gone_call *c, int fd)
{
	(void)c;
	file_forget(fd);
}

static inline void gone_after(struct gone_call *c, int ret)
{
	(void)c;
	if (ret < 0)
		file_error_of(NULL, errno);
}

struct used_call {
	int fd;
};

static inline void used_before(struct used_call *c, int fd)
{
	c->fd = fd;
}

static inline void used_after(struct used_call *c, off64_t ret)
{
	if (ret < 0)
		file_error(c->fd, errno);
}

/* The same, of calls that may wait for the file. */
struct waited_call {
	int fd;
};

static inline void waited_before(struct waited_call *c, int fd)
{
	c->fd = fd;
	tau_waits_for_file(file_name(fd));
}

static inline void waited_after(struct waited_call *c, int ret)
{
	if (ret < 0)
		file_error(c->fd, errno);
}

struct named_call {
	const char *path;
};

static inline void named_before(struct named_call *c, const char *path)
{
	c->path = path;
}

static inline void named_after(struct named_call *c, int ret)
{
	if (ret < 0)
		file_error_of(c->path, errno);
}

/* freopen: the old descriptor goes; the new one need not be the same. */
static inline int stream_gone(FILE *stream)
{
	file_forget(stream_fd(stream));
	return -1;
}

/* ---- bytes that streams and messages moved ---- */

static inline ssize_t messages_bytes(int n, const struct mmsghdr *messages)
{
	ssize_t sum = n < 0 ? -1 : 0;

	for (int i = 0; i < n; i++)
		sum += (ssize_t)messages[i].msg_len;
	return sum;
}

static inline ssize_t items(size_t got, size_t wanted, size_t size, FILE *stream)
{
	return got || got == wanted || !ferror_unlocked(stream) ? (ssize_t)(got * size) : -1;
}

static inline ssize_t line(const char *text, FILE *stream)
{
	if (text)
		return (ssize_t)strlen(text);
	return ferror_unlocked(stream) ? -1 : 0;
}

static inline ssize_t delimited(ssize_t n, FILE *stream)
{
	return n >= 0 || ferror_unlocked(stream) ? n : 0;
}

#include "io/lock.h"

#define WRAP_ENTRIES
#include "io.gen.c"

/* ---- with arguments that vary ---- */

#define OPEN(name, parameters, arguments, dir)                                                     \
	WRAP_EXPORT int name parameters                                                            \
	{                                                                                          \
		struct wrap_function *wrap_f = &wrap_table[WRAP_##name];                           \
		struct opens_call c;                                                               \
		mode_t mode = 0;                                                                   \
		int ret, saved;                                                                    \
		va_list args;                                                                      \
\
		if (flags & (O_CREAT | __O_TMPFILE)) {                                             \
			va_start(args, flags);                                                     \
			mode = va_arg(args, mode_t);                                               \
			va_end(args);                                                              \
		}                                                                                  \
		if (!wrap_begin(wrap_f))                                                           \
			return ((int(*) parameters)wrap_real(wrap_f))arguments;                    \
		opens_before(&c, wrap_f, dir, path);                                               \
		ret = ((int(*) parameters)wrap_real(wrap_f))arguments;                             \
		saved = errno;                                                                     \
		opens_after(&c, ret);                                                              \
		wrap_end(wrap_f, saved);                                                           \
		return ret;                                                                        \
	}
OPEN(open, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPEN(openat, (int dir, const char *path, int flags, ...), (dir, path, flags, mode), dir)
OPEN(openat64, (int dir, const char *path, int flags, ...), (dir, path, flags, mode), dir)

/* Other commands are passed on: none of them waits. */
#define FCNTL(name)                                                                                \
	WRAP_EXPORT int name(int fd, int how, ...)                                                 \
	{                                                                                          \
		struct wrap_function *wrap_f = &wrap_table[WRAP_##name];                           \
		struct locked_call c;                                                              \
		int ret, saved;                                                                    \
		void *argument;                                                                    \
		va_list args;                                                                      \
\
		va_start(args, how);                                                               \
		argument = va_arg(args, void *);                                                   \
		va_end(args);                                                                      \
		if (!lock_command(how) || !wrap_begin(wrap_f))                                     \
			return ((int (*)(int, int, ...))wrap_real(wrap_f))(fd, how, argument);     \
		locked_before(&c, wrap_f, fd, lock_of_fcntl(fd, how, argument));                   \
		ret = ((int (*)(int, int, ...))wrap_real(wrap_f))(fd, how, argument);              \
		saved = errno;                                                                     \
		locked_after(&c, ret);                                                             \
		wrap_end(wrap_f, saved);                                                           \
		return ret;                                                                        \
	}
FCNTL(fcntl)
FCNTL(fcntl64)

#define PRINT(name, parameters, fd, call)                                                          \
	WRAP_EXPORT int name parameters                                                            \
	{                                                                                          \
		struct wrap_function *wrap_f = &wrap_table[WRAP_##name];                           \
		struct moved_call c;                                                               \
		int ret, saved, on = wrap_begin(wrap_f);                                           \
		va_list args;                                                                      \
\
		if (on)                                                                            \
			moved_before(&c, WRITE, fd);                                               \
		va_start(args, format);                                                            \
		ret = call;                                                                        \
		va_end(args);                                                                      \
		saved = errno;                                                                     \
		if (on) {                                                                          \
			moved_after(&c, ret);                                                      \
			wrap_end(wrap_f, saved);                                                   \
		}                                                                                  \
		return ret;                                                                        \
	}
WRAP_EXPORT int __printf_chk(int flag, const char *format, ...);
WRAP_EXPORT int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
WRAP_EXPORT int __dprintf_chk(int fd, int flag, const char *format, ...);
PRINT(printf, (const char *format, ...), stream_fd(stdout), real_vprintf(format, args))
PRINT(fprintf, (FILE * stream, const char *format, ...), stream_fd(stream),
      real_vfprintf(stream, format, args))
PRINT(dprintf, (int fd, const char *format, ...), fd, real_vdprintf(fd, format, args))
PRINT(__printf_chk, (int flag, const char *format, ...), stream_fd(stdout),
      real___vprintf_chk(flag, format, args))
PRINT(__fprintf_chk, (FILE * stream, int flag, const char *format, ...), stream_fd(stream),
      real___vfprintf_chk(stream, flag, format, args))
PRINT(__dprintf_chk, (int fd, int flag, const char *format, ...), fd,
      real___vdprintf_chk(fd, flag, format, args))

/* ---- mappings of files; those of plain memory are none of ours ---- */

#define MAPS 1024
static void *maps[MAPS]; /* addresses of mapped files; a full table loses munmap() calls, no more */

static unsigned map_slot(const void *at)
{
	return (unsigned)(((uintptr_t)at >> 12) * 0x9e3779b97f4a7c15u >> 54);
}

/* Replaces `old` by `new` near the slot where `at` belongs; 1 if it was there. */
static int map_swap(const void *at, void *old, void *new)
{
	for (unsigned n = 0, i = map_slot(at); n < 16; n++, i = (i + 1) % MAPS) {
		void *expected = old;

		if (__atomic_compare_exchange_n(&maps[i], &expected, new, 0, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return 1;
	}
	return 0;
}

static inline void *map_file(struct wrap_function *f, void *at, size_t length, int protection,
			     int flags, int fd, off64_t offset)
{
	void *(*real)(void *, size_t, int, int, int, off64_t) = wrap_real(f);
	int saved, on = fd >= 0 && !(flags & MAP_ANONYMOUS) && wrap_begin(f);
	void *ret = real(at, length, protection, flags, fd, offset);

	if (!on)
		return ret;
	saved = errno;
	if (ret == MAP_FAILED) {
		file_error(fd, saved);
	} else {
		file_moved(fd, FILE_BYTES_MAPPED, length);
		map_swap(ret, NULL, ret);
	}
	wrap_end(f, saved);
	return ret;
}

WRAP_EXPORT void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
	return map_file(&wrap_table[WRAP_mmap], at, length, protection, flags, fd, offset);
}

WRAP_EXPORT void *mmap64(void *at, size_t length, int protection, int flags, int fd, off64_t offset)
{
	return map_file(&wrap_table[WRAP_mmap64], at, length, protection, flags, fd, offset);
}

WRAP_EXPORT int munmap(void *at, size_t length)
{
	struct wrap_function *f = &wrap_table[WRAP_munmap];
	int ret, saved;

	if (!at || !map_swap(at, at, NULL) || !wrap_begin(f))
		return real_munmap(at, length);
	ret = real_munmap(at, length);
	saved = errno;
	wrap_end(f, saved);
	return ret;
}

/* ---- descriptors that go without a region of their own ---- */

WRAP_EXPORT int pclose(FILE *stream)
{
	static int (*real)(FILE *);

	if (!real)
		*(void **)&real = wrap_find("pclose");
	file_forget(stream_fd(stream));
	return real(stream);
}

WRAP_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	static int (*real)(unsigned, unsigned, int);

	if (!real)
		*(void **)&real = wrap_find("close_range");
	file_forget_range(first, last);
	return real(first, last, flags);
}

WRAP_EXPORT void closefrom(int first)
{
	static void (*real)(int);

	if (!real)
		*(void **)&real = wrap_find("closefrom");
	file_forget_range(first < 0 ? 0 : (unsigned)first, ~0u);
	real(first);
}
