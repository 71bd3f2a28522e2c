/* place.c: the files of place.h, and the calls that find them. Everything else goes on to the C library. */
#include "place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES 16
#define OPEN 64			/* files that may be open at a time */
#define FIRST_FD (1 << 20)	/* above any of the system's */

static struct {
	char path[64];
	unsigned char *p;
	size_t n;
} file[FILES];
static size_t files;
static unsigned temporary;	/* names given out */

static struct {
	int used;
	size_t file;
	off_t at;
} handle[OPEN];

/* The one folder, being listed. */
static struct listing {
	int used;
	size_t at;
	struct dirent entry;
} listing;

static int inside;	/* a place is open */

int __real_open(const char *path, int flags, ...);
int __real_close(int fd);
ssize_t __real_read(int fd, void *to, size_t n);
ssize_t __real_pread(int fd, void *to, size_t n, off_t at);
int __real_stat(const char *path, struct stat *out);
int __real_lstat(const char *path, struct stat *out);
int __real_fstat(int fd, struct stat *out);
FILE *__real_fopen(const char *path, const char *mode);
DIR *__real_opendir(const char *path);
struct dirent *__real_readdir(DIR *d);
int __real_closedir(DIR *d);
int __real_dirfd(DIR *d);
int __real_access(const char *path, int mode);
char *__real_realpath(const char *path, char *to);
int __real_mkostemp(char *path, int flags);
int __real_fchmod(int fd, mode_t mode);
FILE *__real_fdopen(int fd, const char *mode);
int __real_rename(const char *from, const char *to);
int __real_unlink(const char *path);
void __real__exit(int code) __attribute__((noreturn));

int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int fd);
ssize_t __wrap_read(int fd, void *to, size_t n);
ssize_t __wrap_pread(int fd, void *to, size_t n, off_t at);
int __wrap_stat(const char *path, struct stat *out);
int __wrap_lstat(const char *path, struct stat *out);
int __wrap_fstat(int fd, struct stat *out);
FILE *__wrap_fopen(const char *path, const char *mode);
DIR *__wrap_opendir(const char *path);
struct dirent *__wrap_readdir(DIR *d);
int __wrap_closedir(DIR *d);
int __wrap_dirfd(DIR *d);
int __wrap_access(const char *path, int mode);
char *__wrap_realpath(const char *path, char *to);
int __wrap_mkostemp(char *path, int flags);
int __wrap_fchmod(int fd, mode_t mode);
FILE *__wrap_fdopen(int fd, const char *mode);
int __wrap_rename(const char *from, const char *to);
int __wrap_unlink(const char *path);
void __wrap__exit(int code) __attribute__((noreturn));

/* ---- what is there ---- */

static void must(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "place: %s\n", what);
	abort();
}

void place_open(void)
{
	for (size_t i = 0; i < OPEN; i++)
		must(!handle[i].used, "a file was left open");
	must(!listing.used, "a folder was left open");
	place_close();
	inside = 1;
}

void place_close(void)
{
	while (files)
		free(file[--files].p);
	inside = 0;
}

/* Its number, or -1 with errno. */
static int find(const char *path)
{
	for (size_t i = 0; i < files; i++)
		if (!strcmp(file[i].path, path))
			return (int)i;
	errno = ENOENT;
	return -1;
}

const char *place_put(const char *name, const void *p, size_t n)
{
	char path[sizeof(file->path)];
	int i;

	must(snprintf(path, sizeof(path), PLACE "/%s", name) < (int)sizeof(path), "a name is too long");
	i = find(path);
	if (i < 0) {
		must(files < FILES, "there are too many files");
		i = (int)files++;
		memcpy(file[i].path, path, sizeof(path));
	} else {
		free(file[i].p);
	}
	file[i].p = malloc(n + !n);
	must(file[i].p != NULL, "no memory");
	if (n)
		memcpy(file[i].p, p, n);
	file[i].n = n;
	return file[i].path;
}

const void *place_get(const char *name, size_t *n)
{
	char path[sizeof(file->path)];
	int i;

	snprintf(path, sizeof(path), PLACE "/%s", name);
	i = find(path);
	if (i < 0)
		return NULL;
	*n = file[i].n;
	return file[i].p;
}

static int is_folder(const char *path)
{
	return !strcmp(path, PLACE) || !strcmp(path, PLACE "/");
}

/* ---- files ---- */

static int handle_of(int fd)
{
	int i = fd - FIRST_FD;

	must(i < OPEN && handle[i].used, "a file is used that is not open");
	return i;
}

static int handle_new(int of)
{
	for (int h = 0; h < OPEN; h++) {
		if (handle[h].used)
			continue;
		handle[h].used = 1;
		handle[h].file = (size_t)of;
		handle[h].at = 0;
		return FIRST_FD + h;
	}
	must(0, "too many files are open");
	return -1;
}

int __wrap_open(const char *path, int flags, ...)
{
	va_list a;
	mode_t mode;
	int i;

	va_start(a, flags);
	mode = flags & O_CREAT ? va_arg(a, mode_t) : 0;
	va_end(a);
	if (!inside)
		return __real_open(path, flags, mode);
	i = find(path);
	return i < 0 ? -1 : handle_new(i);
}

/* A file that has no name any more lasts until its last handle is closed. */
static void unnamed_drop(size_t i)
{
	for (int h = 0; h < OPEN; h++)
		if (handle[h].used && handle[h].file == i)
			return;
	free(file[i].p);
	file[i] = file[--files];
	for (int h = 0; h < OPEN; h++)
		if (handle[h].used && handle[h].file == files)
			handle[h].file = i;
}

int __wrap_close(int fd)
{
	int h;

	if (fd < FIRST_FD)
		return __real_close(fd);
	h = handle_of(fd);
	handle[h].used = 0;
	if (!file[handle[h].file].path[0])
		unnamed_drop(handle[h].file);
	return 0;
}

ssize_t __wrap_pread(int fd, void *to, size_t n, off_t at)
{
	size_t i;

	if (fd < FIRST_FD)
		return __real_pread(fd, to, n, at);
	if (at < 0) {
		errno = EINVAL;
		return -1;
	}
	i = handle[handle_of(fd)].file;
	if ((size_t)at >= file[i].n)
		return 0;
	if (n > file[i].n - (size_t)at)
		n = file[i].n - (size_t)at;
	memcpy(to, file[i].p + at, n);
	return (ssize_t)n;
}

ssize_t __wrap_read(int fd, void *to, size_t n)
{
	ssize_t got;
	int h;

	if (fd < FIRST_FD)
		return __real_read(fd, to, n);
	h = handle_of(fd);
	got = __wrap_pread(fd, to, n, handle[h].at);
	handle[h].at += got;
	return got;
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	int i;

	/* Readers write by other calls: this is the fuzzer, which keeps an input that has just failed. */
	if (!inside || *mode == 'w')
		return __real_fopen(path, mode);
	i = find(path);
	return i < 0 ? NULL : fmemopen(file[i].p, file[i].n, "r");
}

/* ---- files that are written ---- */

int __wrap_mkostemp(char *path, int flags)
{
	size_t n = strlen(path);

	if (!inside)
		return __real_mkostemp(path, flags);
	must(n > 6 && !strncmp(path, PLACE "/", sizeof(PLACE)), "a file is made elsewhere");
	snprintf(path + n - 6, 7, "%06u", temporary++ % 1000000);
	return handle_new(find(place_put(path + sizeof(PLACE), NULL, 0)));
}

int __wrap_fchmod(int fd, mode_t mode)
{
	return fd < FIRST_FD ? __real_fchmod(fd, mode) : 0;
}

/* The cookie is the handle's place in the table. */
static ssize_t stream_write(void *cookie, const char *p, size_t n)
{
	int h = handle_of((int)(intptr_t)cookie);
	size_t i = handle[h].file, end = (size_t)handle[h].at + n;

	if (end > file[i].n) {
		file[i].p = realloc(file[i].p, end);
		must(file[i].p != NULL, "no memory");
		memset(file[i].p + file[i].n, 0, end - file[i].n);
		file[i].n = end;
	}
	memcpy(file[i].p + handle[h].at, p, n);
	handle[h].at += (off_t)n;
	return (ssize_t)n;
}

static int stream_seek(void *cookie, off64_t *at, int whence)
{
	must(whence == SEEK_SET, "a stream only goes to a place");
	handle[handle_of((int)(intptr_t)cookie)].at = *at;
	return 0;
}

static int stream_close(void *cookie)
{
	return __wrap_close((int)(intptr_t)cookie);
}

FILE *__wrap_fdopen(int fd, const char *mode)
{
	cookie_io_functions_t calls = { .write = stream_write, .seek = stream_seek, .close = stream_close };

	if (fd >= FIRST_FD && *mode == 'r') {
		size_t i = handle[handle_of(fd)].file;

		handle[handle_of(fd)].used = 0;
		return fmemopen(file[i].p, file[i].n, "r");
	}
	return fd < FIRST_FD ? __real_fdopen(fd, mode) : fopencookie((void *)(intptr_t)fd, mode, calls);
}

int __wrap_unlink(const char *path)
{
	int i;

	if (!inside)
		return __real_unlink(path);
	i = find(path);
	if (i < 0)
		return -1;
	file[i].path[0] = 0;
	unnamed_drop((size_t)i);
	return 0;
}

int __wrap_rename(const char *from, const char *to)
{
	int i;

	if (!inside)
		return __real_rename(from, to);
	if (find(to) >= 0)
		__wrap_unlink(to);
	i = find(from);
	if (i < 0)
		return -1;
	must(strlen(to) < sizeof(file[i].path), "a name is too long");
	strcpy(file[i].path, to);
	return 0;
}

/* ---- what they are ---- */

static int describe(mode_t mode, size_t size, struct stat *out)
{
	memset(out, 0, sizeof(*out));
	out->st_mode = mode;
	out->st_size = (off_t)size;
	out->st_mtim.tv_sec = PLACE_MTIME;
	return 0;
}

int __wrap_stat(const char *path, struct stat *out)
{
	int i;

	if (!inside)
		return __real_stat(path, out);
	if (is_folder(path))
		return describe(S_IFDIR | 0700, 0, out);
	i = find(path);
	return i < 0 ? -1 : describe(S_IFREG | 0600, file[i].n, out);
}

int __wrap_lstat(const char *path, struct stat *out)
{
	return inside ? __wrap_stat(path, out) : __real_lstat(path, out);
}

int __wrap_fstat(int fd, struct stat *out)
{
	if (fd < FIRST_FD)
		return __real_fstat(fd, out);
	return describe(S_IFREG | 0600, file[handle[handle_of(fd)].file].n, out);
}

int __wrap_access(const char *path, int mode)
{
	if (!inside)
		return __real_access(path, mode);
	return is_folder(path) || find(path) >= 0 ? 0 : -1;
}

char *__wrap_realpath(const char *path, char *to)
{
	if (!inside)
		return __real_realpath(path, to);
	if (!is_folder(path) && find(path) < 0)
		return NULL;
	must(!to, "realpath() into a buffer is not here");
	return strdup(path);
}

/* ---- the folder ---- */

DIR *__wrap_opendir(const char *path)
{
	if (!inside)
		return __real_opendir(path);
	if (!is_folder(path)) {
		errno = find(path) < 0 ? ENOENT : ENOTDIR;
		return NULL;
	}
	must(!listing.used, "a folder was left open");
	listing.used = 1;
	listing.at = 0;
	return (DIR *)(void *)&listing;
}

struct dirent *__wrap_readdir(DIR *d)
{
	const char *path;

	if ((void *)d != &listing)
		return __real_readdir(d);
	while (listing.at < files && !file[listing.at].path[0])
		listing.at++;
	if (listing.at == files)
		return NULL;
	path = file[listing.at++].path;
	memset(&listing.entry, 0, sizeof(listing.entry));
	listing.entry.d_type = DT_REG;
	strcpy(listing.entry.d_name, path + sizeof(PLACE));
	return &listing.entry;
}

int __wrap_closedir(DIR *d)
{
	if ((void *)d != &listing)
		return __real_closedir(d);
	listing.used = 0;
	return 0;
}

int __wrap_dirfd(DIR *d)
{
	return (void *)d == &listing ? -1 : __real_dirfd(d);
}

/* Out of memory ends a program quietly; here it is a mistake. */
void __wrap__exit(int code)
{
	must(!inside, "the program ends, as without memory");
	__real__exit(code);
}
