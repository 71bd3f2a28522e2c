/*
 * select_request.c: asks tau-record for a table through a pipe of the run.
 *
 * The answer is a file of the run, which several processes may use. Its name is a number made from the module and from the table
 * that tau-record made first, because programs of one job may be started with different selections.
 */
#include "record/define/select_request.h"
#include "record/base/failure.h"
#include "record/base/files.h"
#include "record/base/process.h"
#include "record/format.h"
#include "record/own/own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 1000	/* a hook waits meanwhile */
#define WAIT_AGAIN_MS 50	/* after it once did not answer */

static char pipe_path[4096];
static uint64_t first;	/* made from the name of tau-record's table */

static uint64_t hash(uint64_t h, const void *bytes, uint64_t n)
{
	const uint8_t *p = bytes;

	for (uint64_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3u;
	return (h ^ n) * 0x100000001b3u;
}

char *select_path(uint64_t number, char path[SELECT_PATH])
{
	static const char name[] = "/" TAU_SELECT_FILE;
	size_t n = strlen(process.directory);

	memcpy(path, process.directory, n);
	memcpy(path + n, name, sizeof(name));
	n += sizeof(name) - 1;
	for (int i = 60; i >= 0; i -= 4)
		path[n++] = "0123456789abcdef"[number >> i & 15];
	path[n] = 0;
	return path;
}

void select_request_start(const char *table)
{
	const char *path = getenv("TAU_RECORD_SELECT_ASK");

	first = hash(0xcbf29ce484222325u, table, strlen(table));
	if (path && *path == '/' && strlen(path) < sizeof(pipe_path))
		strcpy(pipe_path, path);
}

uint64_t select_request_number(const char *path, const uint8_t *id, uint64_t id_n)
{
	return hash(hash(first, path, strlen(path)), id, id_n) | 1;
}

/* Opens the pipe for writing only: without a reader, tau-record has ended. */
static int pipe_open(void)
{
	int fd = file_open(pipe_path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) && st.st_uid == geteuid())
		return fd;
	file_close(fd);
	return -1;
}

static bool answered(uint64_t number)
{
	char path[SELECT_PATH];
	uint64_t size;
	int fd = file_own(select_path(number, path), O_RDONLY, &size);

	if (fd >= 0)
		file_close(fd);
	return fd >= 0;
}

static void pause_ms(int ms)
{
	const struct timespec t = {0, ms * 1000000L};

	system_call(SYS_nanosleep, &t, NULL);
}

static int64_t now_ms(void)
{
	struct timespec t = {0};

	system_call(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/*
 * The pipe stays open meanwhile: a write of nothing fails when the reader has gone. The clock ends
 * the wait, because pauses may be longer than intended.
 */
static bool wait_for(int fd, uint64_t number)
{
	static bool gave_up;
	int64_t end = now_ms() + (__atomic_load_n(&gave_up, __ATOMIC_RELAXED) ? WAIT_AGAIN_MS
									      : WAIT_MS);
	int waited = 0;

	while (!answered(number)) {
		int alive = waited % 128 ? fd : pipe_open();

		if (alive < 0)
			return false;
		if (now_ms() >= end) {
			__atomic_store_n(&gave_up, true, __ATOMIC_RELAXED);
			if (alive != fd)
				file_close(alive);
			return false;
		}
		if (alive != fd)
			file_close(alive);
		pause_ms(waited < 16 ? 1 : 16);
		waited += waited < 16 ? 1 : 16;
	}
	return true;
}

bool select_request(uint64_t number, const char *path)
{
	static bool said;
	struct {
		struct tau_select_request head;
		char path[TAU_SELECT_PATH_MOST];
	} m = {.head.number = number};
	size_t n = strlen(path);
	bool good = false;
	int fd;

	if (!*pipe_path)
		return false;
	if (answered(number))
		return true;
	fd = n < sizeof(m.path) ? pipe_open() : -1;
	if (fd >= 0) {
		m.head.size = (uint32_t)(sizeof(m.head) + n);
		memcpy(m.path, path, n);
		good = file_write(fd, &m, m.head.size) && wait_for(fd, number);
		file_close(fd);
	}
	if (!good && !__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
		message_print("%s: tau-record does not answer which functions are selected; those "
			      "with hooks "
			      "are treated as not listed",
			      path);
	return good;
}
