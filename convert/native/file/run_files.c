/* run_files.c: makes and opens files in the directory of a run, by its descriptor and without following links. */
#include "convert/native/file/run_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyze/base/base.h"

int run_directory(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int run_file_new(int directory, const char *name, mode_t mode)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(directory, name, flags, mode);

	if (fd >= 0 || errno != EEXIST || unlinkat(directory, name, 0) < 0)
		return fd;
	return openat(directory, name, flags, mode);
}

int run_file_open(int directory, const char *name, int flags)
{
	return openat(directory, name, flags | O_NOFOLLOW | O_CLOEXEC);
}

int run_file_write(int fd, const void *p, size_t n, uint64_t offset)
{
	const char *from = p;

	for (size_t done = 0; done < n;) {
		ssize_t now = pwrite(fd, from + done, n - done, (off_t)(offset + done));

		if (now < 0 && errno == EINTR)
			continue;
		if (now == 0)
			errno = ENOSPC;
		if (now <= 0)
			return -1;
		done += (size_t)now;
	}
	return 0;
}

char *run_file_host(const char *host)
{
	char *files = mem_printf("%.64s", host);

	for (char *c = files; *c; c++)
		if (*c == '/' || *c <= ' ' || *c == 127)
			*c = '_';
	return files;
}

mode_t run_file_mode(int directory)
{
	struct stat st;

	if (fstatat(directory, RUN_JOB_FILE, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0600;
	return st.st_mode & (S_IRGRP | S_IROTH) ? 0666 : 0600;
}

int run_file_lock(int fd, unsigned limit_ms)
{
	enum { PAUSE_MOST_US = 20000 };
	useconds_t pause = 500;
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -1;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 >=
		    (long)limit_ms) {
			errno = EWOULDBLOCK;
			return -1;
		}
		usleep(pause);
		pause = pause < PAUSE_MOST_US ? pause + pause / 2 : PAUSE_MOST_US;
	}
	return 0;
}
