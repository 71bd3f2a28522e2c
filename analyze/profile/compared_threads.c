/* compared_threads.c: sorts the threads of a profile by their program and their number within their process. */
#include "analyze/profile/compared_threads.h"

#include <string.h>

#include "analyze/base/map.h"
#include "analyze/profile/programs.h"
#include "analyze/trace/region_work.h"
#include "analyze/trace/trace.h"

/* The threads in order of their number's index; numbers: of those. */
static uint32_t *order_make(const uint32_t *number, size_t threads, size_t numbers)
{
	uint32_t *order = mem_alloc((threads + 1) * sizeof(*order)),
		 *next = mem_alloc((numbers + 2) * sizeof(*next));

	for (size_t i = 0; i < threads; i++)
		next[number[i] + 1]++;
	for (size_t k = 1; k <= numbers; k++)
		next[k] += next[k - 1];
	for (uint32_t i = 0; i < threads; i++)
		order[next[number[i]]++] = i;
	free(next);
	return order;
}

/* Of one program, by timer, and the timers that it has. */
struct program_sums {
	double *time;
	char *has;
	uint32_t *timer;
	size_t timer_n;
};

static void add_program_rows(struct program_sums *s, const struct profile *p,
			     const struct profile_thread *t)
{
	for (size_t k = 0; k < t->row_n; k++) {
		const struct profile_row *r = &t->row[k];
		uint32_t timer = p->path[r->path].timer;

		if (p->path[r->path].parent != PROFILE_FLAT)
			continue;
		if (!s->has[timer])
			s->timer[s->timer_n++] = timer;
		s->has[timer] = 1;
		s->time[timer] += p->metric_n ? t->values[r->first + p->metric_n] : 0;
	}
}

/* Where a program has more than those before; empties its sums. */
static void program_add(struct program_sums *s, uint32_t program, uint32_t *only, double *most)
{
	for (size_t i = 0; i < s->timer_n; i++) {
		uint32_t timer = s->timer[i];

		if (only[timer] == UINT32_MAX || s->time[timer] > most[timer]) {
			only[timer] = program;
			most[timer] = s->time[timer];
		}
		s->has[timer] = 0;
		s->time[timer] = 0;
	}
	s->timer_n = 0;
}

/* By timer: the program that spends most time in it; programs: their number. */
static uint32_t *only_make(const struct compared_threads *c, const struct profile *p,
			   size_t programs)
{
	size_t n = p->timer_n + 1;
	struct program_sums s = {mem_alloc(n * sizeof(*s.time)), mem_alloc(n),
				 mem_alloc(n * sizeof(*s.timer)), 0};
	uint32_t *only = mem_alloc(n * sizeof(*only)),
		 *order = order_make(c->program, p->thread_n, programs);
	double *most = mem_alloc(n * sizeof(*most));

	memset(only, 0xff, n * sizeof(*only));
	for (size_t i = 0; i < p->thread_n; i++) {
		uint32_t at = order[i], program = c->program[at];

		if (c->counts[at])
			add_program_rows(&s, p, &p->thread[at]);
		if (i + 1 == p->thread_n || c->program[order[i + 1]] != program)
			program_add(&s, program, only, most);
	}
	for (size_t t = 0; t < p->timer_n; t++)
		if (region_work_of(p->timer[t].name, p->timer[t].groups) == WORK_MESSAGES)
			only[t] = UINT32_MAX;
	free(s.time);
	free(s.has);
	free(s.timer);
	free(order);
	free(most);
	return only;
}

void compared_threads_make(struct compared_threads *c, const struct profile *p,
			   const struct waiting *waiting)
{
	struct map numbers = {0};
	size_t programs;

	*c = (struct compared_threads){
		.counts = mem_alloc(p->thread_n + 1),
		.program = mem_alloc((p->thread_n + 1) * sizeof(*c->program)),
		.number = mem_alloc((p->thread_n + 1) * sizeof(*c->number)),
		.per_number = mem_alloc((p->thread_n + 1) * sizeof(*c->per_number))};
	programs = programs_make(c->program, p);
	for (size_t i = 0; i < p->thread_n; i++) {
		const struct profile_thread *t = &p->thread[i];
		uint64_t key = (uint64_t)c->program[i] << 32 | (uint32_t)t->thread;

		c->number[i] = map_get(&numbers, key);
		if (c->number[i] == MAP_NONE) {
			c->number[i] = (uint32_t)numbers.n;
			map_set(&numbers, key, c->number[i]);
		}
		c->counts[i] = t->node >= 0 && t->thread >= 0 && !waiting_is(waiting, t);
		c->per_number[c->number[i]] += c->counts[i];
		c->firsts |= c->counts[i] && !t->thread && t->row_n;
	}
	c->order = order_make(c->number, p->thread_n, numbers.n);
	c->only = only_make(c, p, programs);
	map_release(&numbers);
}

void compared_threads_release(struct compared_threads *c)
{
	free(c->counts);
	free(c->program);
	free(c->only);
	free(c->number);
	free(c->per_number);
	free(c->order);
	memset(c, 0, sizeof(*c));
}

int compared_threads_has(const struct compared_threads *c, const struct profile *p, uint32_t thread,
			 uint32_t timer)
{
	if (!c->counts[thread] ||
	    (c->only[timer] != UINT32_MAX && c->only[timer] != c->program[thread]))
		return 0;
	return !(p->thread[thread].thread && c->firsts &&
		 !strcmp(p->timer[timer].name, REGION_ROOT));
}
