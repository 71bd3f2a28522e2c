/*
 * stream_time.c: CPU time, lives and waiting for a processor of the threads that used a stream.
 */
#include "record/base/stream_time.h"
#include "record/base/clock.h"
#include "record/base/files.h"
#include "record/base/stream.h"
#include "record/own/own.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A thread that was off the processor for less waited for one for less; its schedstat, 10 us to read, is not read. */
#define WORTH_NS 1000000u

/* The time of a thread's CPU clock, whose number the kernel defines. 0: the thread does not exist any more. */
static uint64_t thread_cpu(uint32_t tid)
{
	struct timespec t;

	if (clock_gettime((clockid_t)(~(uint32_t)tid << 3 | 6), &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* At the end of the process a thread may read what another one is writing. */
static uint64_t number_get(const uint64_t *of)
{
	return __atomic_load_n(of, __ATOMIC_RELAXED);
}

static void number_set(uint64_t *to, uint64_t value)
{
	__atomic_store_n(to, value, __ATOMIC_RELAXED);
}

/* The second number of a thread's schedstat, in ns. False: unknown, or the thread has ended. */
static bool thread_to_run(uint32_t tid, uint64_t *ns)
{
	char path[64], text[128], *end;
	long fd, n;

	snprintf(path, sizeof(path), "/proc/self/task/%u/schedstat", tid);
	fd = system_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	n = file_read((int)fd, text, sizeof(text) - 1);
	system_call(SYS_close, fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	strtoull(text, &end, 10);
	*ns = strtoull(end, &end, 10);
	return *end == ' ';
}

bool stream_to_run(const struct stream *s, uint64_t *ns)
{
	uint32_t tid = __atomic_load_n(&s->tid, __ATOMIC_RELAXED);
	uint64_t now = 0, begin = number_get(&s->to_run_begin);

	*ns = number_get(&s->to_run_ns);
	if (tid && (!thread_to_run(tid, &now) || now < begin))
		return false;
	*ns += tid ? now - begin : 0;
	return !s->to_run_unknown;
}

void stream_cpu(const struct stream *s, uint64_t *cpu, uint64_t *life)
{
	uint32_t tid = __atomic_load_n(&s->tid, __ATOMIC_RELAXED);
	uint64_t now = tid ? thread_cpu(tid) : 0, begin = number_get(&s->cpu_begin);

	*cpu = number_get(&s->cpu_ns);
	*life = number_get(&s->life_ns);
	if (now < begin || !now)
		return;
	*cpu += now - begin;
	*life += clock_ns(CLOCK_MONOTONIC) - number_get(&s->life_begin);
}

void stream_time_begin(struct stream *s)
{
	uint64_t cpu = thread_cpu(s->tid), to_run = 0;

	/* The first thread lived before, and one that is sampled may have lived for long. */
	if (!s->number || cpu > WORTH_NS)
		thread_to_run(s->tid, &to_run);
	number_set(&s->life_begin, clock_ns(CLOCK_MONOTONIC));
	number_set(&s->cpu_begin, cpu);
	number_set(&s->to_run_begin, to_run);
}

void stream_to_run_end(struct stream *s)
{
	uint64_t cpu, life, to_run;

	s->ending_to_run = number_get(&s->to_run_ns);
	stream_cpu(s, &cpu, &life);
	if (life - s->life_ns < cpu - s->cpu_ns + WORTH_NS)
		return;
	if (stream_to_run(s, &to_run))
		s->ending_to_run = to_run;
	else
		s->to_run_unknown = true;
}

void stream_time_end(struct stream *s)
{
	uint64_t cpu, life;

	stream_cpu(s, &cpu, &life);
	number_set(&s->cpu_ns, cpu);
	number_set(&s->life_ns, life);
	number_set(&s->to_run_ns, s->ending_to_run);
}
