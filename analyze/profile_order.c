/* profile_order.c: numbers the parts of a profile by what they are called, so that equal profiles
 * are equal in every format. */
#include "profile.h"

#include <string.h>

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* What is sorted: a part by its name, or a path by numbers; `from` is its number so far. */
struct key {
	const char *name;
	uint32_t length, parent, timer; /* of a path; parent and timer as they will be */
	uint32_t from;
};

static int name_order(const void *x, const void *y)
{
	const struct key *a = x, *b = y;
	int order = strcmp(a->name, b->name);

	return order ? order : ORDER(a->from, b->from);
}

static int path_order(const void *x, const void *y)
{
	const struct key *a = x, *b = y;

	return a->parent != b->parent ? ORDER(a->parent, b->parent) : ORDER(a->timer, b->timer);
}

/* Sorts n keys; number[old] becomes the new number, starting at `first`. */
static void sort(struct key *k, size_t n, int (*order)(const void *, const void *), size_t first,
		 uint32_t *number)
{
	if (n)
		qsort(k, n, sizeof(*k), order);
	for (size_t i = 0; i < n; i++)
		number[k[i].from] = (uint32_t)(first + i);
}

static uint32_t *order_timers(struct profile *p)
{
	struct key *k = mem_alloc((p->timer_n + 1) * sizeof(*k));
	uint32_t *number = mem_alloc((p->timer_n + 1) * sizeof(*number));
	struct profile_timer *old = p->timer;

	for (size_t i = 0; i < p->timer_n; i++)
		k[i] = (struct key){.name = old[i].name, .from = (uint32_t)i};
	sort(k, p->timer_n, name_order, 0, number);
	p->timer = mem_alloc((p->timer_n + 1) * sizeof(*p->timer));
	p->timer_cap = p->timer_n + 1;
	names_release(&p->timer_names);
	for (size_t i = 0; i < p->timer_n; i++) {
		p->timer[i] = old[k[i].from];
		names_add(&p->timer_names, p->timer[i].name, strlen(p->timer[i].name));
	}
	free(old);
	free(k);
	return number;
}

static uint32_t *order_counters(struct profile *p)
{
	struct key *k = mem_alloc((p->counter_n + 1) * sizeof(*k));
	uint32_t *number = mem_alloc((p->counter_n + 1) * sizeof(*number));
	struct profile_counter *old = p->counter;

	for (size_t i = 0; i < p->counter_n; i++)
		k[i] = (struct key){.name = old[i].name, .from = (uint32_t)i};
	sort(k, p->counter_n, name_order, 0, number);
	p->counter = mem_alloc((p->counter_n + 1) * sizeof(*p->counter));
	p->counter_cap = p->counter_n + 1;
	names_release(&p->counter_names);
	for (size_t i = 0; i < p->counter_n; i++) {
		p->counter[i] = old[k[i].from];
		names_add(&p->counter_names, p->counter[i].name, strlen(p->counter[i].name));
	}
	free(old);
	free(k);
	return number;
}

static int length_order(const void *x, const void *y)
{
	const struct key *a = x, *b = y;

	return a->length != b->length ? ORDER(a->length, b->length) : ORDER(a->from, b->from);
}

/* Shorter paths first, then by the path that they are under, then by timer. */
static uint32_t *order_paths(struct profile *p, const uint32_t *timer)
{
	struct key *k = mem_alloc((p->path_n + 1) * sizeof(*k));
	uint32_t *number = mem_alloc((p->path_n + 1) * sizeof(*number));
	struct profile_path *old = p->path;

	for (size_t i = 0; i < p->path_n; i++) {
		uint32_t parent = old[i].parent;

		/* Where it is sorted no more, k[i] is about path i. */
		k[i] = (struct key){.from = (uint32_t)i,
				    .timer = timer[old[i].timer],
				    .length = parent == PROFILE_FLAT ? 1 : k[parent].length + 1};
	}
	if (p->path_n)
		qsort(k, p->path_n, sizeof(*k), length_order);
	for (size_t i = 0, n; i < p->path_n; i += n) {
		for (n = 0; i + n < p->path_n && k[i + n].length == k[i].length; n++) {
			uint32_t parent = old[k[i + n].from].parent;

			k[i + n].parent = parent == PROFILE_FLAT ? parent : number[parent];
		}
		sort(k + i, n, path_order, i, number);
	}
	p->path = mem_alloc((p->path_n + 1) * sizeof(*p->path));
	p->path_cap = p->path_n + 1;
	names_release(&p->path_names);
	for (size_t i = 0; i < p->path_n; i++) {
		uint32_t both[2] = {k[i].timer, k[i].parent};

		p->path[i] = (struct profile_path){k[i].timer, k[i].parent};
		names_add(&p->path_names, (const char *)both, sizeof(both));
	}
	free(old);
	free(k);
	return number;
}

void profile_order(struct profile *p)
{
	uint32_t *timer = order_timers(p), *counter = order_counters(p),
		 *path = order_paths(p, timer);

	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i];

		for (size_t k = 0; k < t->row_n; k++)
			t->row[k].path = path[t->row[k].path];
		for (size_t k = 0; k < t->sample_n; k++) {
			struct profile_sample *s = &t->sample[k];

			s->counter = counter[s->counter];
			s->path = s->path == PROFILE_FLAT ? s->path : path[s->path];
		}
	}
	free(timer);
	free(counter);
	free(path);
	profile_sort(p);
}
