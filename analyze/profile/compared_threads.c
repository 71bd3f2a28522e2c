/* compared_threads.c: sorts the threads of a profile by their number within their process. */
#include "analyze/profile/compared_threads.h"

#include <string.h>

#include "analyze/base/map.h"
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

void compared_threads_make(struct compared_threads *c, const struct profile *p,
			   const struct waiting *waiting)
{
	struct map numbers = {0};

	*c = (struct compared_threads){
		.counts = mem_alloc(p->thread_n + 1),
		.number = mem_alloc((p->thread_n + 1) * sizeof(*c->number)),
		.per_number = mem_alloc((p->thread_n + 1) * sizeof(*c->per_number))};
	for (size_t i = 0; i < p->thread_n; i++) {
		const struct profile_thread *t = &p->thread[i];

		c->number[i] = map_get(&numbers, (uint32_t)t->thread);
		if (c->number[i] == MAP_NONE) {
			c->number[i] = (uint32_t)numbers.n;
			map_set(&numbers, (uint32_t)t->thread, c->number[i]);
		}
		c->counts[i] = t->node >= 0 && t->thread >= 0 && !waiting_is(waiting, t);
		c->per_number[c->number[i]] += c->counts[i];
		c->firsts |= c->counts[i] && !t->thread && t->row_n;
	}
	c->order = order_make(c->number, p->thread_n, numbers.n);
	map_release(&numbers);
}

void compared_threads_release(struct compared_threads *c)
{
	free(c->counts);
	free(c->number);
	free(c->per_number);
	free(c->order);
	memset(c, 0, sizeof(*c));
}

int compared_threads_has(const struct compared_threads *c, const struct profile *p, uint32_t thread,
			 const char *region)
{
	return c->counts[thread] &&
	       !(p->thread[thread].thread && c->firsts && !strcmp(region, REGION_ROOT));
}
