/* process_use.c: reads /proc/PID/stat, status and io (proc(5)). */
#include "cmd/shared/process_use.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The begin of a file of a process, as a string. 0, or -1: it cannot be read. */
static int proc_read(uint32_t pid, const char *name, char *to, size_t size)
{
	char path[64];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, to, size - 1);
		close(fd);
	}
	if (n < 0)
		return -1;
	to[n] = 0;
	return 0;
}

/* The number after a key at the begin of a line. */
static double number_of(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *s = text; s; s = strchr(s, '\n')) {
		s += *s == '\n';
		if (!strncmp(s, key, n))
			return strtod(s + n, NULL);
	}
	return NAN;
}

/* The clock of the process, to the nanosecond; ticks of 10 ms are too coarse for short intervals. */
static double clock_of(uint32_t pid)
{
	clockid_t id;
	struct timespec t;

	if (clock_getcpuclockid((pid_t)pid, &id) || clock_gettime(id, &t))
		return NAN;
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* utime and stime are the 14th and 15th values; the name in parentheses may have blanks. */
static double cpu_of(const char *stat)
{
	const char *s = strrchr(stat, ')');
	unsigned long long user, system;

	if (!s || sscanf(s + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user,
			 &system) != 2)
		return NAN;
	return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* The state is the third value. */
static double stopped_of(const char *stat)
{
	const char *s = strrchr(stat, ')');

	return s && s[1] ? s[2] == 'T' || s[2] == 't' : NAN;
}

struct process_use process_use(uint32_t pid)
{
	struct process_use u = PROCESS_USE_UNKNOWN;
	char text[4096];

	if (!proc_read(pid, "stat", text, sizeof(text))) {
		u.cpu = clock_of(pid);
		if (isnan(u.cpu))
			u.cpu = cpu_of(text);
		u.stopped = stopped_of(text);
	}
	if (!proc_read(pid, "status", text, sizeof(text))) {
		u.resident = 1024 * number_of(text, "VmRSS:");
		u.peak = 1024 * number_of(text, "VmHWM:");
	}
	if (!proc_read(pid, "io", text, sizeof(text))) {
		u.read = number_of(text, "rchar:");
		u.written = number_of(text, "wchar:");
	}
	return u;
}

const char *process_state(int running, const struct process_use *u, enum trace_end ended,
			  int end_value, char buf[32])
{
	if (running)
		return u->stopped > 0 ? "stopped" : "running";
	if (ended == TRACE_END_EXITED)
		snprintf(buf, 32, "exit %d", end_value);
	else if (ended == TRACE_END_KILLED && end_value)
		snprintf(buf, 32, "signal %d", end_value);
	else
		return ended == TRACE_END_KILLED ? "killed" : "ended";
	return buf;
}
