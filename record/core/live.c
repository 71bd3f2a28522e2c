/*
 * live.c: the live mapping of a stream: a file of fixed size, in which its chunk is rewritten.
 *
 * Space is reserved before it is mapped, so that a full disk is an error here and not a SIGBUS in the program.
 */
#include "record/core/live.h"
#include "record/event/api.h"
#include "record/core/define.h"
#include "record/core/files.h"
#include "record/core/process.h"
#include "record/core/stream.h"
#include "record/format.h"
#include "record/own/own.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIVE_HEADER 4096
#define FRESH_SUFFIX TAU_LIVE_SUFFIX ".new"
#define POPULATE_WRITE 23	/* MADV_POPULATE_WRITE, of Linux 5.14; before, nothing happens */

/* Reserves the bytes: with fallocate, or by writing zeros where the file system has none. */
static bool file_reserve(int fd, size_t bytes)
{
	static const char zeros[4096];

	if (system_call(SYS_fallocate, fd, 0, 0L, (long)bytes) == 0)
		return true;
	if (errno != EOPNOTSUPP && errno != ENOSYS)
		return false;
	for (size_t n = 0; n < bytes; n += sizeof(zeros))
		if (!file_write(fd, zeros, sizeof(zeros)))
			return false;
	return true;
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

void *file_map(const struct stream *s, const char *suffix, size_t size, bool with_pages)
{
	void *p = MAP_FAILED;
	int fd = stream_replace(s, PLACE_LIVE, suffix, O_RDWR), error;

	if (fd < 0)
		return NULL;
	if (file_reserve(fd, size))
		p = (void *)system_call(SYS_mmap, tau_map_at(size), size, PROT_READ | PROT_WRITE,
				    MAP_SHARED, fd, 0L);
	error = errno;
	if (p != MAP_FAILED && with_pages)
		system_call(SYS_madvise, p, size, POPULATE_WRITE);
	file_close(fd);
	if (p != MAP_FAILED)
		return p;
	stream_unlink(s, PLACE_LIVE, suffix);
	if (error == EFBIG)
		xfsz_swallow();
	errno = error;
	return NULL;
}

/*
 * A new live mapping in the file of this suffix, with all fields set except the chunk. NULL and errno on failure. Allocating pages
 * one by one disturbs the first chunk (2 us each; all at once take 15 us); but a thousand threads should not allocate pages that
 * they never fill.
 */
static struct tau_live_header *live_new(const struct stream *s, const char *suffix,
					const uint32_t cap[TAU_COLUMNS])
{
	size_t size = LIVE_HEADER;
	struct tau_live_header *live;

	for (int c = 0; c < TAU_COLUMNS; c++)
		size += cap[c];
	live = file_map(s, suffix, size, s->number == 0);
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

/* The first live mapping of a stream. */
struct tau_live_header *live_create(const struct stream *s, const uint32_t cap[TAU_COLUMNS])
{
	struct tau_live_header *live = live_new(s, TAU_LIVE_SUFFIX, cap);
	int error;

	if (!live || live_link(s, TAU_LIVE_SUFFIX))
		return live;
	error = errno;
	munmap(live, live->map_size);
	stream_unlink(s, PLACE_LIVE, TAU_LIVE_SUFFIX);
	errno = error;
	return NULL;
}

/* Replaces the live mapping of a stream by a larger one; only before chunk_begin(). */
bool live_resize(struct stream *s, enum tau_column column, size_t want)
{
	uint32_t cap[TAU_COLUMNS];
	struct tau_live_header *live, *old = s->live;

	memcpy(cap, old->cap, sizeof(cap));
	while (cap[column] < want) {
		if (cap[column] > UINT32_MAX / 4) {
			errno = EFBIG;
			return false;
		}
		cap[column] *= 2;
	}
	live = live_new(s, FRESH_SUFFIX, cap);
	if (!live)
		return false;
	memcpy(live->magic, old->magic, sizeof(live->magic));
	live->process_id = old->process_id;
	live->thread = old->thread;
	live->seq = old->seq;
	live->lost = old->lost;
	live->first_tick = old->first_tick;
	live->last_tick = old->last_tick;
	if (!stream_rename(s, PLACE_LIVE, FRESH_SUFFIX, TAU_LIVE_SUFFIX)) {
		munmap(live, live->map_size);
		return false;
	}
	s->live = live;
	munmap(old, old->map_size);
	return true;
}
