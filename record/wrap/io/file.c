/* file.c: the table of descriptors, the table of files, and the events of both. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file.h"
#include "own/own.h"
#include "tau.h"

#define FDS       65536 /* higher descriptors are looked up at every use */
#define FILES     4096
#define FULL      (FILES / 4 * 3)
#define NAME_ROOM (FILES * 128)
#define PATH_ROOM 960 /* an event's name has 1024 bytes */
#define CONTEXT   2   /* flag of an event: keep the call path */

struct file {
	const char *name;
	uint32_t id[FILE_EVENTS]; /* 0: not defined yet */
};

static const char *const event_names[FILE_EVENTS] = {
	[FILE_BYTES_MAPPED] = "Bytes Mapped",
	[FILE_BYTES_READ] = "Bytes Read",
	[FILE_BYTES_WRITTEN] = "Bytes Written",
	[FILE_ERRORS] = "I/O Errors",
};

static struct file all, unknown = {.name = "unknown"}, other = {.name = "(other files)"};
static struct file files[FILES]; /* open addressing by name; a name is set once and stays */
/* The file of a descriptor, and in the lowest bits of its address enum file_is; 0: not looked up yet. */
static uintptr_t fds[FDS];
static uint32_t file_n;
static char names[NAME_ROOM];
static uint32_t names_used;
static pid_t owner; /* the process whose descriptors are in fds[] */

static uint32_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325u;

	while (*s)
		h = (h ^ (uint8_t)*s++) * 0x100000001b3u;
	return (uint32_t)(h ^ h >> 32);
}

static const char *name_copy(const char *name)
{
	uint32_t n = (uint32_t)strlen(name) + 1,
		 at = __atomic_fetch_add(&names_used, n, __ATOMIC_RELAXED);

	if (at > NAME_ROOM - n) {
		__atomic_fetch_sub(&names_used, n, __ATOMIC_RELAXED);
		return NULL;
	}
	return memcpy(names + at, name, n);
}

/* The file of a name, which may be a path or a word such as "pipe". */
static struct file *file_of(const char *name)
{
	const char *copy = NULL, *there;
	uint32_t i = hash(name) % FILES;

	for (;; i = (i + 1) % FILES) {
		there = __atomic_load_n(&files[i].name, __ATOMIC_ACQUIRE);
		if (!there) {
			if (__atomic_load_n(&file_n, __ATOMIC_RELAXED) >= FULL ||
			    (!copy && !(copy = name_copy(name))))
				return &other;
			if (__atomic_compare_exchange_n(&files[i].name, &there, copy, 0,
							__ATOMIC_RELEASE, __ATOMIC_ACQUIRE)) {
				__atomic_fetch_add(&file_n, 1, __ATOMIC_RELAXED);
				return &files[i];
			}
		}
		if (!strcmp(there, name))
			return &files[i];
	}
}

/*
 * Returns the name for events, within path: every "pipe:[123]" is "pipe"; a deleted file keeps its
 * name. Of a very long path the end is kept, which identifies the file better.
 */
static char *tidy(char *path)
{
	static const char deleted[] = " (deleted)";
	size_t n = strlen(path), d = sizeof(deleted) - 1;

	if (!strncmp(path, "pipe:", 5))
		return strcpy(path, "pipe");
	if (!strncmp(path, "socket:", 7))
		return strcpy(path, "socket");
	if (n > d && !strcmp(path + n - d, deleted))
		path[n -= d] = 0;
	if (n < PATH_ROOM)
		return path;
	path += n - PATH_ROOM + 1;
	memcpy(path, "...", 3);
	return path;
}

static uintptr_t with_what_is(int fd, struct file *f)
{
	uintptr_t is = 0;
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
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
		return &other;
	path[n] = 0;
	return file_of(tidy(path));
}

/*
 * A child of vfork has descriptors of its own but writes to its parent's memory: files that it
 * looks up are not stored, and files that it makes the parent forget are looked up again.
 */
static uintptr_t fd_look(int fd)
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
	if (fd < FDS && f != &other && system_call(SYS_getpid) == owner)
		__atomic_store_n(&fds[fd], found, __ATOMIC_RELAXED);
	errno = saved;
	return found;
}

static struct file *fd_file(int fd)
{
	return (struct file *)(fd_look(fd) & ~(uintptr_t)FILE_IS);
}

/*
 * A child of vfork may remove what its parent can look up again, but not "stdout" and the other
 * names that no lookup finds.
 */
void file_forget(int fd)
{
	if (fd < 0 || fd >= FDS || !fds[fd])
		return;
	if (fd < 3 && system_call(SYS_getpid) != owner)
		return;
	__atomic_store_n(&fds[fd], 0, __ATOMIC_RELAXED);
}

void file_forget_range(unsigned first, unsigned last)
{
	for (unsigned fd = first; fd <= last && fd < FDS; fd++)
		file_forget((int)fd);
}

/* ---- events ---- */

static __attribute__((noinline)) uint32_t event_define(struct file *f, enum file_event kind)
{
	char name[1024];
	uint32_t id;

	if (kind == FILE_NAME)
		snprintf(name, sizeof(name), "%s", f->name);
	else if (f->name)
		snprintf(name, sizeof(name), "%s <file=\"%s\">", event_names[kind], f->name);
	else
		snprintf(name, sizeof(name), "%s", event_names[kind]);
	id = tau_event(name, kind == FILE_NAME ? 0 : CONTEXT);
	__atomic_store_n(&f->id[kind], id, __ATOMIC_RELAXED);
	return id;
}

static inline uint32_t event_id(struct file *f, enum file_event kind)
{
	uint32_t id = __atomic_load_n(&f->id[kind], __ATOMIC_RELAXED);

	return id ? id : event_define(f, kind);
}

static void both(struct file *f, enum file_event kind, double value)
{
	tau_trigger(event_id(&all, kind), value);
	if (f)
		tau_trigger(event_id(f, kind), value);
}

unsigned file_is(int fd)
{
	return (unsigned)fd_look(fd) & FILE_IS;
}

uint32_t file_name(int fd)
{
	struct file *f = fd_file(fd);

	return event_id(f ? f : &unknown, FILE_NAME);
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
	both(file_of(tidy(strcpy(copy, path))), FILE_ERRORS, error);
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
