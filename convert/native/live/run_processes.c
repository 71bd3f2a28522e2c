/*
 * run_processes.c: reads and writes the table of a run that records how its programs ended. Several
 * tau-records write it at once, each its own row, under a lock of the whole file.
 */
#include "convert/native/live/run_processes.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "convert/native/file/run_files.h"

#define ROWS_MOST (1u << 24)

_Static_assert(sizeof(struct tau_processes_header) == 64, "as tau-trace(5) says");
_Static_assert(sizeof(struct tau_process_row) == 128, "as tau-trace(5) says");

int run_processes_make(int directory, uint64_t size, mode_t mode)
{
	struct tau_processes_header head = {.magic = TAU_PROCESSES_MAGIC,
					    .major = TAU_VERSION_MAJOR,
					    .minor = TAU_VERSION_MINOR,
					    .header_size = sizeof(head),
					    .row_size = sizeof(struct tau_process_row),
					    .size = size};
	int fd = run_file_new(directory, TAU_PROCESSES_FILE, mode), code;

	if (fd < 0)
		return -1;
	code = write(fd, &head, sizeof(head)) == (ssize_t)sizeof(head) ? 0 : -1;
	return close(fd) < 0 ? -1 : code;
}

/* Reads head and rows. A last row that is cut short does not count. */
static int table_read(struct run_processes *p)
{
	struct stat st;
	size_t n;

	if (fstat(p->fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    pread(p->fd, &p->head, sizeof(p->head), 0) != (ssize_t)sizeof(p->head) ||
	    memcmp(p->head.magic, TAU_PROCESSES_MAGIC, sizeof(p->head.magic)) ||
	    p->head.major != TAU_VERSION_MAJOR || p->head.header_size != sizeof(p->head) ||
	    p->head.row_size != sizeof(*p->row))
		return -1;
	n = ((size_t)st.st_size - sizeof(p->head)) / sizeof(*p->row);
	if (n > ROWS_MOST)
		return -1;
	p->row = mem_alloc((n + 1) * sizeof(*p->row));
	if (pread(p->fd, p->row, n * sizeof(*p->row), sizeof(p->head)) !=
	    (ssize_t)(n * sizeof(*p->row)))
		return -1;
	p->row_n = n;
	for (size_t i = 0; i < n; i++)
		p->row[i].host[sizeof(p->row[i].host) - 1] = 0;
	return 0;
}

int run_processes_open(int directory, int write, struct run_processes *out)
{
	memset(out, 0, sizeof(*out));
	out->fd = run_file_open(directory, TAU_PROCESSES_FILE,
				(write ? O_RDWR : O_RDONLY) | O_NONBLOCK);
	if (out->fd < 0)
		return -1;
	if (!table_read(out))
		return 0;
	run_processes_close(out);
	return -1;
}

int run_processes_again(int fd, struct run_processes *out)
{
	memset(out, 0, sizeof(*out));
	out->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (out->fd < 0)
		return -1;
	if (!table_read(out))
		return 0;
	run_processes_close(out);
	return -1;
}

int run_processes_lock(int directory, unsigned limit_ms, struct run_processes *out)
{
	int fd = run_file_open(directory, TAU_PROCESSES_FILE, O_RDWR | O_NONBLOCK);

	memset(out, 0, sizeof(*out));
	out->fd = fd;
	if (fd < 0)
		return -1;
	if (run_file_lock(fd, limit_ms) < 0) {
		int locked = errno == EWOULDBLOCK;

		run_processes_close(out);
		return locked ? RUN_PROCESSES_LOCKED : -1;
	}
	if (!table_read(out))
		return 0;
	run_processes_close(out);
	return -1;
}

int run_is_alone(const char *directory)
{
	struct run_processes table;
	int at = run_directory(directory), alone = 0;

	if (at < 0)
		return 0;
	if (!run_processes_open(at, 0, &table)) {
		alone = table.head.overhead == TAU_OVERHEAD_NONE;
		run_processes_close(&table);
	}
	close(at);
	return alone;
}

void run_processes_close(struct run_processes *p)
{
	if (p->fd >= 0)
		close(p->fd);
	free(p->row);
	*p = (struct run_processes){.fd = -1};
}

uint64_t run_seen_due(const struct tau_process_row *row)
{
	uint64_t last = row->end_real_ns > row->begin_real_ns ? row->end_real_ns
							      : row->begin_real_ns;
	uint64_t part = (last - row->begin_real_ns) / RUN_SEEN_PART;

	return last + (part > RUN_SEEN_NS ? part : RUN_SEEN_NS);
}

int run_processes_unlocked(const struct run_processes *p)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", p->fd);
	return open(path, O_WRONLY | O_CLOEXEC);
}

int run_process_seen_write(int fd, size_t at, uint64_t real_ns)
{
	off_t row = (off_t)(sizeof(struct tau_processes_header) +
			    at * sizeof(struct tau_process_row));
	off_t offset = row + (off_t)offsetof(struct tau_process_row, end_real_ns);

	return pwrite(fd, &real_ns, sizeof(real_ns), offset) == (ssize_t)sizeof(real_ns) ? 0 : -1;
}

int run_process_write(struct run_processes *p, size_t at, const struct tau_process_row *row)
{
	off_t offset = (off_t)(sizeof(p->head) + at * sizeof(*row));

	return pwrite(p->fd, row, sizeof(*row), offset) == (ssize_t)sizeof(*row) ? 0 : -1;
}

/* In 2^-32 of what both fields are. */
static uint32_t part_of(uint64_t ns, const struct run_overhead *o)
{
	double part = ldexp((double)ns / ((double)o->added_ns + (double)o->alone_ns), 32);

	return part > 0 ? (uint32_t)fmin(part, UINT32_MAX) : 0;
}

uint64_t run_added(const struct tau_processes_header *h, uint32_t part)
{
	double ns = ldexp((double)part, -32) * ((double)h->added_ns + (double)h->alone_ns);

	return ns < 0x1p63 ? (uint64_t)ns : INT64_MAX;
}

int run_processes_closed(struct run_processes *p, int closed, const struct run_overhead *o)
{
	p->head.closed = closed != 0;
	p->head.added_ns = o ? o->added_ns : 0;
	p->head.alone_ns = o ? o->alone_ns : 0;
	p->head.least = o ? part_of(o->least_ns, o) : 0;
	p->head.most = o ? part_of(o->most_ns, o) : 0;
	p->head.overhead = o ? o->how : TAU_OVERHEAD_ESTIMATED;
	return pwrite(p->fd, &p->head, sizeof(p->head), 0) == (ssize_t)sizeof(p->head) ? 0 : -1;
}

uint64_t run_processes_cpu(const struct run_processes *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->row_n; i++) {
		if (!p->row[i].cpu_ns)
			return 0;
		sum += p->row[i].cpu_ns;
	}
	return sum;
}

/* ---- does a process still run? ---- */

/* The end of the name, field 2 of /proc/PID/stat, a blank and the state; NULL: there is no such process. */
static const char *state_read(uint32_t pid, char text[1024])
{
	const char *field;
	char path[64];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	f = fopen(path, "re");
	n = f ? fread(text, 1, 1023, f) : 0;
	if (f)
		fclose(f);
	text[n] = 0;
	field = strrchr(text, ')');
	return field && field[1] == ' ' ? field : NULL;
}

int run_process_stopped(uint32_t pid)
{
	char text[1024];
	const char *state = state_read(pid, text);

	return state && (state[2] == 'T' || state[2] == 't');
}

unsigned long long run_process_start(uint32_t pid)
{
	unsigned long long ticks = 0;
	char text[1024];
	const char *field = state_read(pid, text);

	if (!field || field[2] == 'Z' || field[2] == 'X')
		return 0;
	/* The name is field 2, the time of the start field 22. */
	for (int i = 2; i < 22 && field; i++)
		field = strchr(field + 1, ' ');
	return field && sscanf(field, "%llu", &ticks) == 1 ? ticks : 0;
}

void run_process_here(struct tau_process_row *row)
{
	struct utsname here;

	row->recorder_pid = (uint32_t)getpid();
	row->recorder_start = run_process_start(row->recorder_pid);
	if (!uname(&here))
		snprintf(row->host, sizeof(row->host), "%s", here.nodename);
}

int run_process_spawned(const struct tau_process_row *row)
{
	return row->pid == row->recorder_pid;
}

enum run_process_life run_process_life(const struct tau_process_row *row)
{
	struct utsname here;

	if (row->state != TAU_PROCESS_STARTED)
		return RUN_PROCESS_ENDED;
	if (uname(&here) < 0 || strcmp(row->host, here.nodename))
		return RUN_PROCESS_UNKNOWN;
	return run_process_start(row->recorder_pid) == row->recorder_start && row->recorder_start
		       ? RUN_PROCESS_RUNS
		       : RUN_PROCESS_ENDED;
}
