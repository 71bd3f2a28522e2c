/*
 * live.c: the live mapping of a stream (a file of fixed size, in which its chunk is rewritten), where it and other
 * files of a run stand, and the calls by which files are written.
 *
 * Space is reserved before it is mapped, so that a full disk is an error here and not a SIGBUS in the program.
 * No descriptor stays open: a program may close or run out of them. System calls go through syscall(), which is
 * no cancellation point and is wrapped by nobody.
 */
#include "core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIVE_HEADER 4096
#define POPULATE_WRITE 23	/* MADV_POPULATE_WRITE, of Linux 5.14; before, nothing happens */

int file_open(const char *path, int flags)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0666);
}

void file_close(int fd)
{
	syscall(SYS_close, fd);
}

long file_read(int fd, void *to, size_t n)
{
	long got = syscall(SYS_read, fd, to, n);

	if (got > 0)
		self.own_read += got;
	return got;
}

bool file_write(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n) {
		long w = syscall(SYS_write, fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0) {
			errno = w ? errno : ENOSPC;
			return false;
		}
		self.own_written += w;
		p += w;
		n -= (size_t)w;
	}
	return true;
}

/* Reserves the bytes: with fallocate, or by writing zeros where the file system has none. */
static bool file_reserve(int fd, size_t bytes)
{
	static const char zeros[4096];

	if (syscall(SYS_fallocate, fd, 0, 0L, (long)bytes) == 0)
		return true;
	if (errno != EOPNOTSUPP && errno != ENOSYS)
		return false;
	for (size_t n = 0; n < bytes; n += sizeof(zeros))
		if (!file_write(fd, zeros, sizeof(zeros)))
			return false;
	return true;
}

void stream_path(const struct stream *s, const char *suffix, char out[4096])
{
	snprintf(out, 4096, "%s/%s.%u%s", process.directory, process.prefix, s->number, suffix);
}

/* In a directory of their own, which processes of other runs, hosts and containers may use as well,
 * names are like no others. */
void live_path(const struct stream *s, const char *suffix, char out[4096])
{
	if (process.live_directory[0])
		snprintf(out, 4096, "%s/%s.%u.%016llx%s", process.live_directory, process.prefix,
			 s->number, (unsigned long long)process.id, suffix);
	else
		stream_path(s, suffix, out);
}

bool live_link(const struct stream *s, const char *suffix)
{
	char path[4096], link[4096];

	if (!process.live_directory[0])
		return true;
	live_path(s, suffix, path);
	stream_path(s, suffix, link);
	return syscall(SYS_symlink, path, link) == 0;
}

void live_remove(const struct stream *s, const char *suffix)
{
	char path[4096];

	live_path(s, suffix, path);
	syscall(SYS_unlink, path);
	if (process.live_directory[0]) {
		stream_path(s, suffix, path);
		syscall(SYS_unlink, path);
	}
}

void xfsz_swallow(void)
{
	static const struct timespec now;
	sigset_t xfsz;

	sigemptyset(&xfsz);
	sigaddset(&xfsz, SIGXFSZ);
	sigtimedwait(&xfsz, NULL, &now);
}

static void column_place(struct tau_live_header *live)
{
	uint64_t at = (uint64_t)live + live->header_size;

	for (int c = 0; c < TAU_COLUMNS; c++) {
		live->base[c] = live->cur[c] = at;
		at += live->cap[c];
	}
}

void *file_map(const char *path, size_t size, bool with_pages)
{
	void *p = MAP_FAILED;
	int fd = file_open(path, O_RDWR | O_CREAT | O_TRUNC), error;

	if (fd < 0)
		return NULL;
	if (file_reserve(fd, size))
		p = (void *)syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				    0L);
	error = errno;
	if (p != MAP_FAILED && with_pages)
		syscall(SYS_madvise, p, size, POPULATE_WRITE);
	file_close(fd);
	if (p != MAP_FAILED)
		return p;
	syscall(SYS_unlink, path);
	if (error == EFBIG)
		xfsz_swallow();
	errno = error;
	return NULL;
}

/*
 * A new live mapping under `path`, with everything set but the chunk. NULL and errno on failure. Pages that come one by one
 * disturb the first chunk (2 us each, where all at once take 15); but a thousand threads need not have what they never fill.
 */
static struct tau_live_header *live_new(const struct stream *s, const char *path,
					const uint32_t cap[TAU_COLUMNS])
{
	size_t size = LIVE_HEADER;
	struct tau_live_header *live;

	for (int c = 0; c < TAU_COLUMNS; c++)
		size += cap[c];
	live = file_map(path, size, s->number == 0);
	if (!live)
		return NULL;
	live->header_size = LIVE_HEADER;
	live->map_size = size;
	memcpy(live->cap, cap, sizeof(live->cap));
	column_place(live);
	live->metrics = process.metrics;
	live->major = TAU_VERSION_MAJOR;
	live->minor = TAU_VERSION_MINOR;
	return live;
}

/* The first live mapping of a stream, under `path`. */
struct tau_live_header *live_create(const struct stream *s, const char *path,
				    const uint32_t cap[TAU_COLUMNS])
{
	struct tau_live_header *live = live_new(s, path, cap);
	int error;

	if (!live || live_link(s, TAU_LIVE_SUFFIX))
		return live;
	error = errno;
	munmap(live, live->map_size);
	syscall(SYS_unlink, path);
	errno = error;
	return NULL;
}

/* Replaces the live mapping of a stream by a larger one; only before chunk_begin(). */
bool live_resize(struct stream *s, enum tau_column column, size_t want)
{
	uint32_t cap[TAU_COLUMNS];
	char path[4096], fresh[4104];
	struct tau_live_header *live, *old = s->live;

	memcpy(cap, old->cap, sizeof(cap));
	while (cap[column] < want) {
		if (cap[column] > UINT32_MAX / 4) {
			errno = EFBIG;
			return false;
		}
		cap[column] *= 2;
	}
	live_path(s, TAU_LIVE_SUFFIX, path);
	snprintf(fresh, sizeof(fresh), "%s.new", path);
	live = live_new(s, fresh, cap);
	if (!live)
		return false;
	memcpy(live->magic, old->magic, sizeof(live->magic));
	live->process_id = old->process_id;
	live->thread = old->thread;
	live->seq = old->seq;
	live->lost = old->lost;
	live->first_tick = old->first_tick;
	live->last_tick = old->last_tick;
	if (syscall(SYS_rename, fresh, path) < 0) {
		munmap(live, live->map_size);
		return false;
	}
	s->live = live;
	munmap(old, old->map_size);
	return true;
}
