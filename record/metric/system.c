/*
 * system.c: metrics of the operating system: clocks, the numbers of getrusage() for a thread, and numbers from
 * /proc. Each call fills the fields of its source, or returns that it cannot.
 */
#include "record/metric/system.h"
#include "record/base/clock.h"
#include "record/base/files.h"
#include "record/base/thread.h"
#include "record/own/own.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

bool system_cpu(struct stream_metrics *s __attribute__((unused)), int64_t *out)
{
	out[0] = (int64_t)clock_ns(CLOCK_THREAD_CPUTIME_ID);
	return true;
}

bool system_wall(struct stream_metrics *s __attribute__((unused)), int64_t *out)
{
	out[0] = (int64_t)clock_ns(CLOCK_MONOTONIC);
	return true;
}

bool system_usage(struct stream_metrics *s __attribute__((unused)), int64_t *out)
{
	struct rusage u;

	if (getrusage(RUSAGE_THREAD, &u) < 0)
		return false;
	out[0] = u.ru_utime.tv_sec * 1000000000 + u.ru_utime.tv_usec * 1000;
	out[1] = u.ru_stime.tv_sec * 1000000000 + u.ru_stime.tv_usec * 1000;
	out[2] = u.ru_minflt;
	out[3] = u.ru_majflt;
	out[4] = u.ru_minflt + u.ru_majflt;
	out[5] = u.ru_nvcsw;
	out[6] = u.ru_nivcsw;
	out[7] = u.ru_nvcsw + u.ru_nivcsw;
	return true;
}

bool system_text(const char *path, char *out, size_t size)
{
	long fd = system_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), n;

	if (fd < 0)
		return false;
	n = file_read(fd, out, size - 1);
	system_call(SYS_close, fd);
	out[n > 0 ? n : 0] = 0;
	return n > 0;
}

bool system_statm(struct stream_metrics *s __attribute__((unused)), int64_t *out)
{
	char text[128], *at;

	if (!system_text("/proc/self/statm", text, sizeof(text)) || !(at = strchr(text, ' ')))
		return false;
	out[0] = (int64_t)strtoull(at, NULL, 10) * sysconf(_SC_PAGESIZE);
	return true;
}

/* What the recorder itself read and wrote in this thread up to now is taken off. */
bool system_io(struct stream_metrics *s __attribute__((unused)), int64_t *out)
{
	static const char *const keys[] = {"rchar: ", "wchar: "};
	const int64_t own[] = {self.own_read, self.own_written};
	char text[512], *at;

	if (!system_text("/proc/thread-self/io", text, sizeof(text)))
		return false;
	for (int i = 0; i < 2; i++) {
		at = strstr(text, keys[i]);
		if (!at)
			return false;
		out[i] = (int64_t)strtoull(at + strlen(keys[i]), NULL, 10) - own[i];
	}
	return true;
}
