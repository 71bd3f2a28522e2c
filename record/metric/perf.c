/*
 * perf.c: counts what the kernel itself counts for a thread (page faults, context switches, time on
 * a processor), which needs no hardware and no library.
 *
 * A program may close descriptors that are not its own and open files under their numbers. So ours
 * get numbers far above those that open() gives, and what is read must carry the kernel's own
 * number of the counter; the first surprise ends the counting.
 *
 * A wrapper may intercept close() and fcntl(); system calls are made directly.
 */
#include "record/metric/perf.h"
#include "record/base/files.h"
#include "record/metric/counters.h"
#include "record/own/own.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CGROUP_SWITCHES 11 /* newer than some kernels' headers */

static const struct {
	const char *name;
	int code;
} events[] = {
	{"CPU-CLOCK", PERF_COUNT_SW_CPU_CLOCK},
	{"TASK-CLOCK", PERF_COUNT_SW_TASK_CLOCK},
	{"PAGE-FAULTS", PERF_COUNT_SW_PAGE_FAULTS},
	{"FAULTS", PERF_COUNT_SW_PAGE_FAULTS},
	{"CONTEXT-SWITCHES", PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"CS", PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"CGROUP-SWITCHES", CGROUP_SWITCHES},
	{"CPU-MIGRATIONS", PERF_COUNT_SW_CPU_MIGRATIONS},
	{"MIGRATIONS", PERF_COUNT_SW_CPU_MIGRATIONS},
	{"MINOR-FAULTS", PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{"MAJOR-FAULTS", PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{"ALIGNMENT-FAULTS", PERF_COUNT_SW_ALIGNMENT_FAULTS},
	{"EMULATION-FAULTS", PERF_COUNT_SW_EMULATION_FAULTS},
};

int perf_find(const char *name)
{
	const char *plain = strstr(name, "::");
	char canonical[64];

	if (!plain || strncmp(name, "perf::", 6) != 0)
		return -1;
	plain += strncmp(plain + 2, "PERF_COUNT_SW_", 14) ? 2 : 16;
	snprintf(canonical, sizeof(canonical), "%s", plain);
	for (char *c = canonical; *c; c++)
		*c = *c == '_' ? '-' : *c;
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (!strcmp(events[i].name, canonical))
			return events[i].code;
	return -1;
}

bool perf_in_kernel(int code)
{
	return code == PERF_COUNT_SW_CONTEXT_SWITCHES || code == PERF_COUNT_SW_CPU_MIGRATIONS ||
	       code == CGROUP_SWITCHES;
}

int file_move_high(int fd)
{
	struct rlimit limit;
	int high = -1;

	if (fd < 0)
		return fd;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		high = (int)system_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC,
				    limit.rlim_cur > 16384 ? 8192L : (long)limit.rlim_cur / 2);
	if (high < 0)
		return fd;
	system_call(SYS_close, fd);
	return high;
}

/*
 * Without the permission to count in the kernel, user mode is counted. Events that never happen
 * in user mode would be 0 forever.
 */
static int event_open(int code, int leader)
{
	struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
				    .size = sizeof(a),
				    .config = (uint64_t)code,
				    .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID};
	long fd = system_call(SYS_perf_event_open, &a, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == EACCES && !perf_in_kernel(code)) {
		a.exclude_kernel = 1;
		fd = system_call(SYS_perf_event_open, &a, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
	}
	return (int)fd;
}

/* The kernel did not open a counter, with this errno. */
static void refused(struct metric_refusal *r, const char *what, int error)
{
	r->cause = error == EACCES || error == EPERM ? TAU_REFUSED_PERMISSION : TAU_REFUSED_OTHER;
	snprintf(r->why, sizeof(r->why), "the kernel refuses %s: %s", what, strerrordesc_np(error));
}

bool perf_try(int code, struct metric_refusal *r)
{
	int fd = event_open(code, -1);

	if (fd < 0)
		refused(r, "it", errno);
	else
		system_call(SYS_close, fd);
	return fd >= 0;
}

bool perf_hardware(struct metric_refusal *r)
{
	struct perf_event_attr a = {.type = PERF_TYPE_HARDWARE,
				    .size = sizeof(a),
				    .config = PERF_COUNT_HW_CPU_CYCLES,
				    .exclude_kernel = 1,
				    .exclude_hv = 1};
	long fd = system_call(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		system_call(SYS_close, fd);
	else if (errno == ENOENT || errno == ENODEV || errno == EOPNOTSUPP)
		*r = (struct metric_refusal){TAU_REFUSED_NO_COUNTERS,
					     "this machine shows no hardware counters"};
	else
		refused(r, "counters", errno);
	return fd >= 0;
}

bool perf_open(struct perf_group *g, const int *code, uint32_t n)
{
	for (g->n = 0; g->n < n; g->n++) {
		int fd = file_move_high(event_open(code[g->n], g->n ? g->fd[0] : -1));

		if (fd < 0)
			break;
		g->fd[g->n] = fd;
		if (ioctl(fd, PERF_EVENT_IOC_ID, &g->id[g->n]) < 0)
			g->id[g->n] = 0;
	}
	if (g->n == n)
		return true;
	perf_close(g);
	return false;
}

bool perf_read(struct perf_group *g, int64_t *value)
{
	uint64_t got[1 + 2 * COUNTERS];
	size_t want = (1 + 2 * (size_t)g->n) * sizeof(*got);

	if (!g->n || file_read(g->fd[0], got, want) != (long)want || got[0] != g->n)
		return false;
	for (uint32_t i = 0; i < g->n; i++) {
		if (got[2 + 2 * i] != g->id[i])
			return false;
		value[i] = (int64_t)got[1 + 2 * i];
	}
	return true;
}

/* Only what is still ours is closed. */
void perf_close(struct perf_group *g)
{
	uint64_t id;

	for (uint32_t i = g->n; i-- > 0;)
		if (ioctl(g->fd[i], PERF_EVENT_IOC_ID, &id) == 0 && id == g->id[i])
			system_call(SYS_close, g->fd[i]);
	g->n = 0;
}
