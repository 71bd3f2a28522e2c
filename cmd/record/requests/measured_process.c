/* measured_process.c: reads the numbers of another process. */
#include "cmd/record/requests/measured_process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "analyze/base/base.h"

#define PARTS 256 /* numbers that are read at a time */

/* Context switches of a thread when it was read last. */
struct measured_switches {
	int tid;
	uint64_t voluntary, involuntary;
};

static int text_read(int folder, const char *name, char *text, size_t size)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	ssize_t got, n = 0;

	if (fd < 0)
		return -1;
	while ((size_t)n < size - 1 && (got = read(fd, text + n, size - 1 - (size_t)n)) > 0)
		n += got;
	close(fd);
	text[n] = 0;
	return n > 0 ? 0 : -1;
}

static uint64_t number_after(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? strtoull(at + strlen(word), NULL, 10) : 0;
}

/* ---- its memory ---- */

static int memory_read(pid_t pid, uint64_t at, void *to, size_t n)
{
	struct iovec here = {to, n}, there = {(void *)(uintptr_t)at, n};

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)n ? 0 : -1;
}

/* 1: this is the process and program of the message; 0: it is not; -1: its memory cannot be read. */
static int is_sender(pid_t pid, const struct tau_measure *m)
{
	uint64_t id;

	if (memory_read(pid, m->id_at, &id, sizeof(id)) == 0)
		return id == m->process_id;
	return errno == EPERM || errno == ENOSYS ? -1 : 0;
}

/* Its number in its own PID namespace, the last one of the line; 0: unknown. *levels: in how many namespaces it has one. */
static uint32_t inner_pid(int folder, int *levels)
{
	char text[4096], *at, *end;
	uint32_t pid = 0;

	*levels = 0;
	if (text_read(folder, "status", text, sizeof(text)) < 0 || !(at = strstr(text, "\nNSpid:")))
		return 0;
	for (at += 7;; at = end, ++*levels) {
		while (*at == '\t' || *at == ' ')
			at++;
		if (*at < '0' || *at > '9')
			return pid;
		pid = (uint32_t)strtoul(at, &end, 10);
	}
}

/* ---- which process it is ---- */

static int try(struct measured_process *p, pid_t pid, const struct tau_measure *m)
{
	char path[32];
	int levels, is;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	p->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->folder < 0)
		return -1;
	is = is_sender(pid, m);
	/* A number from another namespace may be that of another process here. */
	if (inner_pid(p->folder, &levels) == m->pid && (is > 0 || (is < 0 && levels == 1))) {
		p->pid = pid;
		p->sealed = is < 0;
		return 0;
	}
	close(p->folder);
	p->folder = -1;
	return -1;
}

int measured_process_open(struct measured_process *p, const struct tau_measure *m)
{
	struct dirent *e;
	int found = -1;
	DIR *d;

	*p = (struct measured_process){.folder = -1};
	if (m->outer_pid && try(p, (pid_t)m->outer_pid, m) == 0)
		return 0;
	if (try(p, (pid_t)m->pid, m) == 0)
		return 0;
	/* In a PID namespace of its own with a /proc of its own. */
	d = opendir("/proc");
	while (d && found < 0 && (e = readdir(d)))
		if (*e->d_name >= '1' && *e->d_name <= '9')
			found = try(p, (pid_t)atoi(e->d_name), m);
	if (d)
		closedir(d);
	return found;
}

void measured_process_close(struct measured_process *p)
{
	if (p->folder >= 0)
		close(p->folder);
	p->folder = -1;
	free(p->thread);
	p->thread = NULL;
	p->thread_n = p->thread_cap = 0;
}

int measured_process_lives(struct measured_process *p, const struct tau_measure *m)
{
	char text[1024], *state;

	if (text_read(p->folder, "stat", text, sizeof(text)) < 0)
		return 0;
	state = strrchr(text, ')');
	if (!state || strlen(state) < 3 || state[2] == 'Z' || state[2] == 'X')
		return 0;
	return p->sealed || is_sender(p->pid, m) != 0;
}

int measured_process_records(const struct measured_process *p, const struct tau_measure *m)
{
	int gate;

	return p->sealed || memory_read(p->pid, m->gate_at, &gate, sizeof(gate)) < 0 ||
	       (gate >= 1 && gate <= 3);
}

/* ---- numbers ---- */

/* By the clock that the kernel has for each process. */
static uint64_t cpu_ns(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* "pid (NAME) state ppid ...": page faults are the 10th and the 12th field. */
static int faults_read(const struct measured_process *p, struct tau_measured *out)
{
	char text[1024], *at;

	if (text_read(p->folder, "stat", text, sizeof(text)) < 0 || !(at = strrchr(text, ')')))
		return -1;
	if (strlen(at) < 3 || at[2] == 'Z' || at[2] == 'X')
		return -1;
	for (int i = 2; at && i < 10; i++)
		at = strchr(at + 1, ' ');
	if (!at)
		return -1;
	out->minor = strtoull(at, &at, 10);
	strtoull(at, &at, 10);
	out->major = strtoull(at, &at, 10);
	return 0;
}

static struct measured_switches *thread_of(struct measured_process *p, int tid)
{
	struct measured_switches *t;

	for (size_t i = 0; i < p->thread_n; i++)
		if (p->thread[i].tid == tid)
			return &p->thread[i];
	t = array_add(p, thread);
	*t = (struct measured_switches){.tid = tid};
	return t;
}

static void thread_read(struct measured_process *p, int tid, const char *text)
{
	struct measured_switches *t = thread_of(p, tid);

	t->voluntary = number_after(text, "\nvoluntary_ctxt_switches:");
	t->involuntary = number_after(text, "\nnonvoluntary_ctxt_switches:");
}

/* The kernel shows switches by thread. Those of a thread that has ended are as they were when it was read last. */
static void switches_read(struct measured_process *p, const char *status, struct tau_measured *out)
{
	char text[4096], name[64];
	struct dirent *e;
	int fd;
	DIR *d;

	if (out->threads <= 1 && p->thread_n <= 1) {
		thread_read(p, p->pid, status);
	} else {
		fd = openat(p->folder, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		d = fd < 0 ? NULL : fdopendir(fd);
		while (d && (e = readdir(d))) {
			if (*e->d_name == '.')
				continue;
			snprintf(name, sizeof(name), "task/%.20s/status", e->d_name);
			if (text_read(p->folder, name, text, sizeof(text)) == 0)
				thread_read(p, atoi(e->d_name), text);
		}
		if (d)
			closedir(d);
	}
	for (size_t i = 0; i < p->thread_n; i++) {
		out->voluntary += p->thread[i].voluntary;
		out->involuntary += p->thread[i].involuntary;
	}
}

int measured_process_read(struct measured_process *p, struct tau_measured *out)
{
	char text[4096];

	*out = (struct tau_measured){.cpu_ns = cpu_ns(p->pid)};
	if (faults_read(p, out) < 0 || text_read(p->folder, "status", text, sizeof(text)) < 0)
		return -1;
	out->resident = number_after(text, "\nVmRSS:") * 1024;
	out->threads = number_after(text, "\nThreads:");
	switches_read(p, text, out);
	out->io = text_read(p->folder, "io", text, sizeof(text)) == 0;
	if (out->io) {
		out->read = number_after(text, "rchar: ");
		out->written = number_after(text, "wchar: ");
		out->disk_read = number_after(text, "\nread_bytes: ");
		out->disk_written = number_after(text, "\nwrite_bytes: ");
	}
	return 0;
}

uint64_t measured_process_kb(const struct measured_process *p, const char *word)
{
	char text[4096];

	return text_read(p->folder, "status", text, sizeof(text)) < 0 ? 0
								      : number_after(text, word);
}

int measured_process_heap(const struct measured_process *p, const struct tau_measure *m,
			  uint64_t *bytes)
{
	struct iovec there[PARTS], here;
	int64_t part[PARTS], sum;
	unsigned n, some;

	if (!m->heap_at || p->sealed || memory_read(p->pid, m->heap_at, &sum, sizeof(sum)) < 0 ||
	    memory_read(p->pid, m->heap_parts_n_at, &n, sizeof(n)) < 0)
		return -1;
	for (unsigned i = 0; i < n; i += some) {
		some = n - i < PARTS ? n - i : PARTS;
		for (unsigned k = 0; k < some; k++)
			there[k] = (struct iovec){
				(void *)(uintptr_t)(m->heap_parts_at + (i + k) * m->heap_part_size),
				sizeof(*part)};
		here = (struct iovec){part, some * sizeof(*part)};
		if (process_vm_readv(p->pid, &here, 1, there, some, 0) != (ssize_t)here.iov_len)
			return -1;
		for (unsigned k = 0; k < some; k++)
			sum += part[k];
	}
	*bytes = sum > 0 ? (uint64_t)sum : 0;
	return 0;
}
