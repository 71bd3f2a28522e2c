/*
 * stream_time.c: CPU time and lives of the threads that used a stream.
 */
#include "record/base/stream_time.h"
#include "record/base/clock.h"
#include "record/base/stream.h"

#include <time.h>

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
	number_set(&s->life_begin, clock_ns(CLOCK_MONOTONIC));
	number_set(&s->cpu_begin, thread_cpu(s->tid));
}

void stream_time_end(struct stream *s)
{
	uint64_t cpu, life;

	stream_cpu(s, &cpu, &life);
	number_set(&s->cpu_ns, cpu);
	number_set(&s->life_ns, life);
}
