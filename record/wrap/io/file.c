/* file.c: the table of descriptors, and the events of their files. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file.h"
#include "own/own.h"
#include "tau.h"

#define PAGE 4096	/* the smallest page of a processor */
#define FDS 65536 /* higher descriptors are looked up at every use */

static struct file all, unknown = {.name = "unknown"};
/* The file of a descriptor, and in the lowest bits of its address enum file_is; 0: not looked up
 * yet. */
static uintptr_t fds[FDS];
static struct file *opened[FDS]; /* by the name with which it was opened; NULL: none */
static pid_t owner; /* the process whose descriptors are in fds[] */

static uintptr_t with_what_is(int fd, struct file *f)
{
	uintptr_t is = 0;
	struct stat st;

	if (system_call(SYS_fstat, fd, &st) == 0 && S_ISREG(st.st_mode)) {
		is = FILE_IS_REGULAR;
		if (system_call(SYS_fcntl, fd, F_GETFL) & O_APPEND)
			is |= FILE_IS_APPENDED;
	}
	return (uintptr_t)f | is;
}

static struct file *file_name_request(int fd)
{
	char link[40], path[4200];
	long n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = system_call(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path) - 1);
	if (n <= 0)
		return &file_other;
	path[n] = 0;
	return file_of(file_tidy(path));
}

/*
 * A child of vfork has descriptors of its own but writes to its parent's memory: files that it
 * looks up are not stored, and files that it makes the parent forget are looked up again.
 */
static uintptr_t fd_find(int fd)
{
	struct file *f;
	uintptr_t found;
	int saved = errno;

	if (fd < 0)
		return 0;
	found = fd < FDS ? __atomic_load_n(&fds[fd], __ATOMIC_RELAXED) : 0;
	if (found)
		return found;
	f = file_name_request(fd);
	found = with_what_is(fd, f);
	if (fd < FDS && f != &file_other && system_call(SYS_getpid) == owner)
		__atomic_store_n(&fds[fd], found, __ATOMIC_RELAXED);
	errno = saved;
	return found;
}

static struct file *fd_file(int fd)
{
	return (struct file *)(fd_find(fd) & ~(uintptr_t)FILE_IS);
}

/*
 * A child of vfork may remove what its parent can look up again, but not "stdout" and the other
 * names that no lookup finds.
 */
void file_forget(int fd)
{
	if (fd < 0 || fd >= FDS || (!fds[fd] && !opened[fd]))
		return;
	if (fd < 3 && system_call(SYS_getpid) != owner)
		return;
	__atomic_store_n(&fds[fd], 0, __ATOMIC_RELAXED);
	__atomic_store_n(&opened[fd], NULL, __ATOMIC_RELAXED);
}

void file_opened(int fd, struct file *f)
{
	if (fd >= 0 && fd < FDS && system_call(SYS_getpid) == owner)
		__atomic_store_n(&opened[fd], f, __ATOMIC_RELAXED);
}

struct file *file_known(int fd)
{
	uintptr_t found;

	if (fd < 0 || fd >= FDS)
		return NULL;
	found = __atomic_load_n(&fds[fd], __ATOMIC_RELAXED) & ~(uintptr_t)FILE_IS;
	return found ? (struct file *)found : __atomic_load_n(&opened[fd], __ATOMIC_RELAXED);
}

void file_forget_range(unsigned first, unsigned last)
{
	for (unsigned fd = first; fd <= last && fd < FDS; fd++)
		file_forget((int)fd);
}

/* ---- events ---- */

static void both(struct file *f, enum file_event kind, double value)
{
	tau_trigger(file_event(&all, kind), value);
	if (f)
		tau_trigger(file_event(f, kind), value);
}

uint32_t file_name_is(int fd, unsigned *is)
{
	uintptr_t found = fd_find(fd);
	struct file *f = (struct file *)(found & ~(uintptr_t)FILE_IS);

	*is = (unsigned)found & FILE_IS;
	return file_event(f ? f : &unknown, FILE_NAME);
}

uint32_t file_name(int fd)
{
	unsigned is;

	return file_name_is(fd, &is);
}

void file_moved(int fd, enum file_event kind, uint64_t bytes)
{
	both(fd_file(fd), kind, (double)bytes);
}

void file_error(int fd, int error)
{
	both(error == EBADF ? NULL : fd_file(fd), FILE_ERRORS, error);
}

/* A path that could not be opened is named as the program wrote it. */
void file_error_of(const char *path, int error)
{
	char copy[4200];

	if (!path || strlen(path) >= sizeof(copy)) {
		both(NULL, FILE_ERRORS, error);
		return;
	}
	both(file_of(file_tidy(strcpy(copy, path))), FILE_ERRORS, error);
}

/* The directory of a path that is not absolute, into a buffer; its length, 0: unknown. */
static size_t directory_of(int dir, char *to, size_t size)
{
	struct file *f = dir == AT_FDCWD ? NULL : fd_file(dir);
	long n;

	if (dir == AT_FDCWD) {
		n = system_call(SYS_getcwd, to, size);
		return n > 1 ? (size_t)n - 1 : 0;
	}
	if (!f || !f->name || strlen(f->name) >= size)
		return 0;
	strcpy(to, f->name);
	return strlen(to);
}

/* An empty path is the descriptor itself, as of fstatat() with AT_EMPTY_PATH. */
static struct file *file_at(int dir, const char *path)
{
	char full[4200];
	size_t n = strlen(path), before;

	if (!n)
		return dir == AT_FDCWD ? &unknown : file_known(dir);
	if (n >= sizeof(full))
		return &unknown;
	if (*path == '/')
		return file_of(file_tidy(strcpy(full, path)));
	before = directory_of(dir, full, sizeof(full));
	if (!before || before + n + 2 > sizeof(full))
		return &unknown;
	while (!strncmp(path, "./", 2))
		path += 2;
	if (full[before - 1] != '/')
		full[before++] = '/';
	strcpy(full + before, path);
	return file_of(file_tidy(full));
}

void file_called(uint32_t region, unsigned op, struct file *f)
{
	int saved = errno;

	tau_io(region, op, file_event(f ? f : &unknown, FILE_NAME), 0);
	errno = saved;
}

struct file *file_call(uint32_t region, unsigned op, int dir, const char *path)
{
	int saved = errno;
	struct file *f = path ? file_at(dir, path) : &unknown;

	file_called(region, op, f);
	errno = saved;
	return f;
}

/*
 * Can the program's text be read? For each of its pages a set of signals is to be changed in a way that there is not: the kernel
 * copies the set first, and refuses the address, or the way. That takes less time than to have memory copied by the kernel.
 */
static int is_readable(const char *text)
{
	const char *end;

	for (size_t most = PATH_MAX, n; most; most -= n, text += n) {
		n = PAGE - (uintptr_t)text % PAGE;
		n = n < most ? n : most;
		if (system_call(SYS_rt_sigprocmask, -1L, (uintptr_t)text & ~(uintptr_t)7, NULL,
				8L) != -1 ||
		    errno != EINVAL)
			return 0;
		end = memchr(text, 0, n);
		if (end)
			return 1;
	}
	return 0;
}

void file_wait(struct file **known, int dir, const char *path)
{
	int saved = errno;
	struct file *f;

	if (is_readable(path)) {
		f = file_at(dir, path);
		*known = f ? f : &unknown;
		tau_waits_for_file(file_event(*known, FILE_NAME));
	}
	errno = saved;
}

static void forked(void)
{
	owner = getpid();
}

void file_start(void)
{
	static const char *const standard[] = {"stdin", "stdout", "stderr"};

	owner = getpid();
	pthread_atfork(NULL, NULL, forked);
	for (int fd = 0; fd < 3; fd++)
		if (system_call(SYS_fcntl, fd, F_GETFD) >= 0)
			fds[fd] = with_what_is(fd, file_of(standard[fd]));
}
