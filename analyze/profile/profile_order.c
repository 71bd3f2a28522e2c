/*
 * profile_order.c: numbers the parts of a profile by their names, so that equal profiles are equal
 * in every format.
 */
#include "analyze/profile/profile.h"

#include <string.h>

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* A part that is sorted by its name; `from` is its old number. */
struct key {
	const char *name;
	uint32_t from;
};

static int name_order(const void *x, const void *y)
{
	const struct key *a = x, *b = y;
	int order = strcmp(a->name, b->name);

	return order ? order : ORDER(a->from, b->from);
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

/* Sorts paths by a small number of each path: stable, O(paths). */
static void sort_small(uint32_t *path, size_t n, const uint32_t *number, uint32_t least,
		       size_t most)
{
	uint32_t *next = mem_alloc((most + 2) * sizeof(*next));
	uint32_t *to = mem_resize(NULL, n + 1, sizeof(*to));

	for (size_t i = 0; i < n; i++)
		next[number[path[i]] - least + 1]++;
	for (size_t i = 0; i < most; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; i < n; i++)
		to[next[number[path[i]] - least]++] = path[i];
	memcpy(path, to, n * sizeof(*to));
	free(next);
	free(to);
}

/* The new numbers of paths: shorter paths first, then by parent, then by timer. */
static uint32_t *order_paths(struct profile *p, const uint32_t *timer)
{
	size_t n = p->path_n, longest = 0, before = 0;
	uint32_t *path = mem_resize(NULL, n + 1, sizeof(*path)); /* in the order so far */
	uint32_t *key = mem_resize(NULL, n + 1, sizeof(*key)),
		 *length = mem_resize(NULL, n + 1, sizeof(*length)),
		 *number = mem_alloc((n + 1) * sizeof(*number));
	struct profile_path *old = p->path;

	for (size_t i = 0; i < n; i++) {
		path[i] = (uint32_t)i;
		key[i] = timer[old[i].timer];
		length[i] = old[i].parent == PROFILE_FLAT ? 1 : length[old[i].parent] + 1;
		longest = length[i] > longest ? length[i] : longest;
	}
	sort_small(path, n, key, 0, p->timer_n);
	sort_small(path, n, length, 0, longest + 1);
	for (size_t i = 0, m; i < n; before = i, i += m) {
		for (m = 0; i + m < n && length[path[i + m]] == length[path[i]]; m++)
			if (i)
				key[path[i + m]] = number[old[path[i + m]].parent];
		if (i)
			sort_small(path + i, m, key, (uint32_t)before, i - before);
		for (size_t k = 0; k < m; k++)
			number[path[i + k]] = (uint32_t)(i + k);
	}
	p->path = mem_alloc((n + 1) * sizeof(*p->path));
	p->path_cap = n + 1;
	map_release(&p->path_ids);
	for (size_t i = 0; i < n; i++) {
		uint32_t parent = old[path[i]].parent;

		parent = parent == PROFILE_FLAT ? parent : number[parent];
		p->path[i] = (struct profile_path){timer[old[path[i]].timer], parent};
	}
	free(old);
	free(path);
	free(key);
	free(length);
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
