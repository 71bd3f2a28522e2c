/*
 * profile_order.c: numbers the parts of a profile by their names, so that equal profiles are equal
 * in every format.
 */
#include "analyze/base/tree_ids.h"
#include "analyze/profile/profile.h"

#include <string.h>

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* A part that is sorted by its name; `from` is its old number. */
struct order_key {
	const char *name;
	uint32_t from;
};

static int name_order(const void *x, const void *y)
{
	const struct order_key *a = x, *b = y;
	int order = strcmp(a->name, b->name);

	return order ? order : ORDER(a->from, b->from);
}

/* Sorts n keys; number[old] becomes the new number, starting at `first`. */
static void sort(struct order_key *k, size_t n, int (*order)(const void *, const void *),
		 size_t first, uint32_t *number)
{
	if (n)
		qsort(k, n, sizeof(*k), order);
	for (size_t i = 0; i < n; i++)
		number[k[i].from] = (uint32_t)(first + i);
}

static uint32_t *order_timers(struct profile *p)
{
	struct order_key *k = mem_alloc((p->timer_n + 1) * sizeof(*k));
	uint32_t *number = mem_alloc((p->timer_n + 1) * sizeof(*number));
	struct profile_timer *old = p->timer;

	for (size_t i = 0; i < p->timer_n; i++)
		k[i] = (struct order_key){.name = old[i].name, .from = (uint32_t)i};
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

void profile_rename_timers(struct profile *p, char *(*name_of)(const char *name))
{
	struct names all = {0};
	size_t renamed = 0;

	for (size_t i = 0; i < p->timer_n; i++)
		names_add(&all, p->timer[i].name, strlen(p->timer[i].name));
	for (size_t i = 0; i < p->timer_n; i++) {
		char *name = name_of(p->timer[i].name);

		if (!name || !*name || names_find(&all, name, strlen(name)) >= 0) {
			free(name);
			continue;
		}
		names_add(&all, name, strlen(name));
		free(p->timer[i].name);
		p->timer[i].name = name;
		renamed++;
	}
	names_release(&all);
	if (!renamed)
		return;
	names_release(&p->timer_names);
	for (size_t i = 0; i < p->timer_n; i++)
		names_add(&p->timer_names, p->timer[i].name, strlen(p->timer[i].name));
}

static uint32_t *order_counters(struct profile *p)
{
	struct order_key *k = mem_alloc((p->counter_n + 1) * sizeof(*k));
	uint32_t *number = mem_alloc((p->counter_n + 1) * sizeof(*number));
	struct profile_counter *old = p->counter;

	for (size_t i = 0; i < p->counter_n; i++)
		k[i] = (struct order_key){.name = old[i].name, .from = (uint32_t)i};
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

/*
 * The children of all paths: those of path i begin at child[at[i + 1]] and end before
 * child[at[i + 2]]; paths without a parent are those of path path_n. Children are sorted by
 * their timers' new numbers. O(paths).
 */
static void children_make(const struct profile *p, const uint32_t *timer, uint32_t *at,
			  uint32_t *child)
{
	uint32_t *next = mem_alloc((p->timer_n + 1) * sizeof(*next));
	uint32_t *by_timer = mem_resize(NULL, p->path_n + 1, sizeof(*by_timer));

	for (size_t i = 0; i < p->path_n; i++)
		next[timer[p->path[i].timer] + 1]++;
	for (size_t i = 0; i < p->timer_n; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; i < p->path_n; i++) {
		uint32_t parent = p->path[i].parent;

		by_timer[next[timer[p->path[i].timer]]++] = (uint32_t)i;
		at[(parent == PROFILE_FLAT ? p->path_n : parent) + 1]++;
	}
	for (size_t i = 0; i <= p->path_n; i++)
		at[i + 1] += at[i];
	for (size_t i = p->path_n; i-- > 0;) {
		uint32_t parent = p->path[by_timer[i]].parent;

		child[--at[(parent == PROFILE_FLAT ? p->path_n : parent) + 1]] = by_timer[i];
	}
	at[p->path_n + 2] = (uint32_t)p->path_n;
	free(by_timer);
	free(next);
}

/* The new numbers of paths: shorter paths first, then by parent, then by timer. */
static uint32_t *order_paths(struct profile *p, const uint32_t *timer)
{
	size_t n = p->path_n, end = 0;
	uint32_t *at = mem_alloc((n + 3) * sizeof(*at)),
		 *child = mem_resize(NULL, n + 1, sizeof(*child)),
		 *number = mem_resize(NULL, n + 1, sizeof(*number)),
		 *from = mem_resize(NULL, n + 1, sizeof(*from)); /* old numbers */
	struct profile_path *new = mem_resize(NULL, n + 1, sizeof(*new));

	children_make(p, timer, at, child);
	for (size_t i = n, next = 0; end < n; i = from[next++])
		for (uint32_t k = at[i + 1]; k < at[i + 2]; k++) {
			uint32_t parent = i == n ? PROFILE_FLAT : (uint32_t)next - 1;

			new[end] = (struct profile_path){timer[p->path[child[k]].timer], parent};
			from[end] = child[k];
			number[child[k]] = (uint32_t)end++;
		}
	free(p->path);
	p->path = new;
	p->path_cap = n + 1;
	tree_ids_release(&p->path_ids);
	free(at);
	free(child);
	free(from);
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
