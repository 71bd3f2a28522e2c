/*
 * files.c: opens, makes, renames and removes the files of a run, and reads and writes files.
 *
 * A directory that other users may write to can contain links to other places. So a file is opened relative to the descriptor of
 * its directory, which must be the one that the process began with; no link is followed; and created files must be new. No
 * descriptor stays open: a program may close or run out of them. System calls go through syscall(), which is not a cancellation
 * point, and which no wrapper wraps.
 */
#include "record/base/files.h"
#include "record/api.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/format.h"
#include "record/metadata.h"
#include "record/own/own.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NAME_SIZE 512

int file_open(const char *path, int flags)
{
	return (int)system_call(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0);
}

int file_own(const char *path, int flags, uint64_t *size)
{
	int fd = file_open(path, flags | O_NOFOLLOW);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    !(st.st_mode & (S_IWGRP | S_IWOTH))) {
		*size = (uint64_t)st.st_size;
		return fd;
	}
	file_close(fd);
	return -1;
}

void file_close(int fd)
{
	system_call(SYS_close, fd);
}

long file_read(int fd, void *to, size_t n)
{
	long got = system_call(SYS_read, fd, to, n);

	if (got > 0)
		self.own_read += got;
	return got;
}

bool file_write(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n) {
		long w = system_call(SYS_write, fd, p, n);

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

bool file_reserve(int fd, uint64_t from, uint64_t bytes)
{
	static const char zeros[4096];

	if (system_call(SYS_fallocate, fd, 0, (long)from, (long)bytes) == 0)
		return true;
	if ((errno != EOPNOTSUPP && errno != ENOSYS) ||
	    system_call(SYS_lseek, fd, (long)from, SEEK_SET) < 0)
		return false;
	for (uint64_t n = 0; n < bytes; n += sizeof(zeros))
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

/* ---- directories and names ---- */

/* The name of a file. In the directory of live files, which processes of other runs, hosts and containers
 * may use as well, the name is unique. */
static void name_make(const struct stream *s, enum run_place place, const char *suffix, char *out)
{
	char which[16] = TAU_LIVES_STREAM;

	if (s)
		snprintf(which, sizeof(which), "%u", s->number);
	if (place == PLACE_LIVE && process.live_directory[0])
		snprintf(out, NAME_SIZE, "%s.%s.%016llx%s", process.prefix, which,
			 (unsigned long long)process.id, suffix);
	else
		snprintf(out, NAME_SIZE, "%s.%s%s", process.prefix, which, suffix);
}

void stream_path(const struct stream *s, enum run_place place, const char *suffix, char out[4096])
{
	char name[NAME_SIZE];

	name_make(s, place, suffix, name);
	snprintf(out, 4096, "%s/%s",
		 place == PLACE_LIVE && process.live_directory[0] ? process.live_directory
								  : process.directory,
		 name);
}

/* Is this the directory that the process found when it began, and not one that has replaced it? */
static bool is_same(int fd, struct place_identity *known)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return false;
	if (!known->inode) {
		known->device = st.st_dev;
		known->inode = st.st_ino;
	}
	if (known->device == st.st_dev && known->inode == st.st_ino)
		return true;
	errno = ESTALE;
	return false;
}

#define KEPT_LEAST 500	/* far from what programs use */

static int kept[2];	/* descriptors by enum run_place, + 1; 0: none */

/* A copy of the kept descriptor; -1: there is none, or the program has closed it. */
static int kept_open(enum run_place place)
{
	int fd = !kept[place] ? -1
			      : (int)system_call(SYS_fcntl, kept[place] - 1, F_DUPFD_CLOEXEC, 0L);

	if (fd < 0 || is_same(fd, &process.place[place]))
		return fd;
	file_close(fd);
	return -1;
}

/* Opens a directory of the run; the caller closes it. -1 and errno on failure. */
static int place_open(enum run_place place)
{
	const char *path = process.directory;
	int fd, error;

	if (place == PLACE_LIVE && process.live_directory[0])
		path = process.live_directory;
	else
		place = PLACE_RUN;
	fd = kept_open(place);
	if (fd >= 0)
		return fd;
	fd = file_open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
	if (fd < 0 || is_same(fd, &process.place[place]))
		return fd;
	error = errno;
	file_close(fd);
	errno = error;
	return -1;
}

void places_keep(void)
{
	for (enum run_place place = PLACE_RUN; place <= PLACE_LIVE; place++) {
		int fd = kept[place] || (place == PLACE_LIVE && !process.live_directory[0])
				 ? -1
				 : place_open(place);
		int high = fd < 0 ? -1
				  : (int)system_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC,
						     (long)KEPT_LEAST);

		kept[place] = high >= 0 ? high + 1 : kept[place];
		if (high >= 0)
			file_close(fd);
		else if (fd >= 0)
			kept[place] = fd + 1;
	}
}

static void place_close(int fd)
{
	int error = errno;

	file_close(fd);
	errno = error;
}

/* ---- the files of a stream ---- */

/* A umask that takes rights from the owner would make files that this process itself cannot open again. */
static void accessible(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && (st.st_mode & 0600) != 0600)
		system_call(SYS_fchmod, fd, (long)((st.st_mode & 0777) | 0600));
}

int stream_open(const struct stream *s, enum run_place place, const char *suffix, int flags)
{
	char name[NAME_SIZE];
	int directory = place_open(place), fd;

	if (directory < 0)
		return -1;
	name_make(s, place, suffix, name);
	if (flags & O_CREAT)
		flags |= O_EXCL;
	fd = (int)system_call(SYS_openat, directory, name, flags | O_CLOEXEC | O_NOFOLLOW,
			  process.file_mode);
	place_close(directory);
	if (fd >= 0 && flags & O_CREAT)
		accessible(fd);
	return fd;
}

int stream_replace(const struct stream *s, enum run_place place, const char *suffix, int flags)
{
	int fd = stream_open(s, place, suffix, flags | O_CREAT);

	if (fd >= 0 || errno != EEXIST)
		return fd;
	stream_unlink(s, place, suffix);
	return stream_open(s, place, suffix, flags | O_CREAT);
}

/* If no descriptor is available, the path is used: unlink() removes a link itself, not its target. */
void stream_unlink(const struct stream *s, enum run_place place, const char *suffix)
{
	char path[4096];
	int saved = errno, directory = place_open(place);

	if (directory >= 0) {
		name_make(s, place, suffix, path);
		system_call(SYS_unlinkat, directory, path, 0);
		file_close(directory);
	} else if (errno == EMFILE || errno == ENFILE) {
		stream_path(s, place, suffix, path);
		system_call(SYS_unlinkat, AT_FDCWD, path, 0);
	}
	errno = saved;
}

bool stream_rename(const struct stream *s, enum run_place place, const char *from, const char *to)
{
	char old[NAME_SIZE], name[NAME_SIZE];
	int directory = place_open(place);
	bool good;

	if (directory < 0)
		return false;
	name_make(s, place, from, old);
	name_make(s, place, to, name);
	good = system_call(SYS_renameat2, directory, old, directory, name, 0) == 0;
	place_close(directory);
	return good;
}

bool live_link(const struct stream *s, const char *suffix)
{
	char path[4096], name[NAME_SIZE];
	int directory;
	bool good;

	if (!process.live_directory[0])
		return true;
	directory = place_open(PLACE_RUN);
	if (directory < 0)
		return false;
	stream_path(s, PLACE_LIVE, suffix, path);
	name_make(s, PLACE_RUN, suffix, name);
	good = system_call(SYS_symlinkat, path, directory, name) == 0;
	place_close(directory);
	return good;
}

void live_remove(const struct stream *s, const char *suffix)
{
	stream_unlink(s, PLACE_LIVE, suffix);
	if (process.live_directory[0])
		stream_unlink(s, PLACE_RUN, suffix);
}

/* Its name begins with a dot, and ends with the host: what is read there may be of use on that host only. */
static void shared_name(const char *name, char out[NAME_SIZE])
{
	size_t n = strlen(process.prefix);

	/* The prefix is HOST.PID.N. */
	for (int dots = 0; n && dots < 2;)
		dots += process.prefix[--n] == '.';
	snprintf(out, NAME_SIZE, ".%s.%.*s", name, (int)n, process.prefix);
}

int tau_share(const char *name, int flags)
{
	int directory = process.directory[0] ? place_open(PLACE_RUN) : -1, fd;
	char path[NAME_SIZE];

	if (directory < 0)
		return -1;
	shared_name(name, path);
	if (flags & O_CREAT)
		flags |= O_EXCL;
	fd = (int)system_call(SYS_openat, directory, path, flags | O_CLOEXEC | O_NOFOLLOW,
			      process.file_mode);
	place_close(directory);
	return fd;
}

int64_t tau_share_size(const char *name)
{
	char path[sizeof(process.directory) + NAME_SIZE], shared[NAME_SIZE];
	int error = errno;
	struct stat st;
	long failed;

	shared_name(name, shared);
	snprintf(path, sizeof(path), "%s/%s", process.directory, shared);
	failed = system_call(SYS_newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW);
	errno = error;
	return failed ? -1 : (int64_t)st.st_size;
}

void tau_share_remove(const char *name)
{
	int directory = process.directory[0] ? place_open(PLACE_RUN) : -1;
	char path[NAME_SIZE];

	if (directory < 0)
		return;
	shared_name(name, path);
	system_call(SYS_unlinkat, directory, path, 0);
	place_close(directory);
}

void message_keep(const char *line, size_t n)
{
	int directory = process.directory[0] ? place_open(PLACE_RUN) : -1, fd;

	if (directory < 0)
		return;
	fd = (int)system_call(SYS_openat, directory, TAU_MESSAGES,
			      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
			      process.file_mode);
	file_close(directory);
	if (fd < 0)
		return;
	file_write(fd, line, n);
	file_close(fd);
}
