/*
 * profile_places.c: orders the paths of a profile by their names without making the names.
 *
 * The names "a => b" are compared by their parts, "a => " before "b": two names differ first in the
 * first part that differs. So parts are ranked once, as the last of a path ("a") and as one inside
 * of it ("a => "), and the tree of paths is walked in that order. This is correct as long as no
 * part contains " => "; if one does, the names are made and sorted.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/profile.h"

#define ARROW " => "

/* A timer as part of a path. */
struct rank {
	char *text;
	uint32_t part; /* 2 * timer, + 1: inside of a path */
};

static int rank_order(const void *va, const void *vb)
{
	const struct rank *a = va, *b = vb;

	return strcmp(a->text, b->text);
}

/* 2 * timer_n parts in their order; NULL: a name contains an arrow. */
static struct rank *ranks_make(const struct profile *p)
{
	struct rank *r = mem_alloc((2 * p->timer_n + 1) * sizeof(*r));
	int plain = 1;

	for (size_t i = 0; i < p->timer_n; i++) {
		plain &= !strstr(p->timer[i].name, ARROW);
		r[2 * i] = (struct rank){mem_string(p->timer[i].name), (uint32_t)(2 * i)};
		r[2 * i + 1] = (struct rank){mem_printf("%s" ARROW, p->timer[i].name),
					     (uint32_t)(2 * i + 1)};
	}
	if (p->timer_n)
		qsort(r, 2 * p->timer_n, sizeof(*r), rank_order);
	for (size_t i = 0; i < 2 * p->timer_n; i++)
		free(r[i].text);
	if (plain)
		return r;
	free(r);
	return NULL;
}

/* A list of numbers for each of n owners. */
struct number_lists {
	uint32_t *at, *v;
};

static void lists_release(struct number_lists *l)
{
	free(l->at);
	free(l->v);
}

static void lists_sum(struct number_lists *l, size_t n)
{
	for (size_t i = 0; i < n; i++)
		l->at[i + 1] += l->at[i];
	l->v = mem_resize(NULL, l->at[n] + 1, sizeof(*l->v));
}

/* The paths that end in each timer i: v[at[i]] to v[at[i + 1] - 1]. */
static struct number_lists lists_by_timer(const struct profile *p)
{
	struct number_lists l = {.at = mem_alloc((p->timer_n + 2) * sizeof(*l.at))};
	uint32_t *next;

	for (size_t i = 0; i < p->path_n; i++)
		l.at[p->path[i].timer + 1]++;
	lists_sum(&l, p->timer_n);
	next = mem_alloc((p->timer_n + 1) * sizeof(*next));
	for (size_t i = 0; i < p->path_n; i++) {
		uint32_t timer = p->path[i].timer;

		l.v[l.at[timer] + next[timer]++] = (uint32_t)i;
	}
	free(next);
	return l;
}

static size_t owner_of(const struct profile *p, size_t path)
{
	return p->path[path].parent == PROFILE_FLAT ? p->path_n : p->path[path].parent;
}

/*
 * The parts below each path (below none: owner path_n) in order: 2 * path for the path that ends
 * there, + 1 for the paths below it, if there are any. Those of owner i begin at v[at[i + 1]], and
 * end before v[at[i + 2]]. above: by path, 0 before; afterwards 1 if it has paths below.
 */
static struct number_lists lists_by_parent(const struct profile *p, const struct rank *rank,
				    uint32_t *above)
{
	struct number_lists timer = lists_by_timer(p);
	struct number_lists l = {.at = mem_alloc((p->path_n + 3) * sizeof(*l.at))};
	uint32_t *count = l.at + 1;

	for (size_t i = 0; i < p->path_n; i++) {
		uint32_t parent = p->path[i].parent;

		count[owner_of(p, i)]++;
		if (parent != PROFILE_FLAT && !above[parent]) {
			above[parent] = 1;
			count[owner_of(p, parent)]++;
		}
	}
	lists_sum(&l, p->path_n + 1);
	l.at[p->path_n + 2] = l.at[p->path_n + 1];
	for (size_t r = 2 * p->timer_n; r-- > 0;) {
		uint32_t part = rank[r].part;

		for (uint32_t k = timer.at[part / 2 + 1]; k-- > timer.at[part / 2];) {
			uint32_t path = timer.v[k];

			if (part % 2 == 0 || above[path])
				l.v[--l.at[owner_of(p, path) + 1]] = 2 * path + part % 2;
		}
	}
	lists_release(&timer);
	return l;
}

/* Walks the tree from the root; the current position is kept beside the lists. */
static void walk(const struct profile *p, const struct number_lists *l, uint32_t *place)
{
	uint32_t *next = mem_resize(NULL, p->path_n + 1, sizeof(*next)), n = 0;
	size_t owner = p->path_n;

	memcpy(next, l->at + 1, (p->path_n + 1) * sizeof(*next));
	for (;;) {
		uint32_t item;

		if (next[owner] == l->at[owner + 2]) {
			if (owner == p->path_n)
				break;
			owner = owner_of(p, owner);
			continue;
		}
		item = l->v[next[owner]++];
		if (item % 2)
			owner = item / 2;
		else
			place[item / 2] = n++;
	}
	free(next);
}

static void places_of_names(const struct profile *p, uint32_t *place)
{
	struct rank *r = mem_alloc((p->path_n + 1) * sizeof(*r));

	for (size_t i = 0; i < p->path_n; i++) {
		size_t n = profile_path_name(p, (uint32_t)i, NULL, 0) + 1;

		r[i] = (struct rank){mem_alloc(n), (uint32_t)i};
		profile_path_name(p, (uint32_t)i, r[i].text, n);
	}
	if (p->path_n)
		qsort(r, p->path_n, sizeof(*r), rank_order);
	for (size_t i = 0; i < p->path_n; i++) {
		place[r[i].part] = (uint32_t)i;
		free(r[i].text);
	}
	free(r);
}

uint32_t *profile_path_places(const struct profile *p)
{
	uint32_t *place = mem_alloc((p->path_n + 1) * sizeof(*place));
	struct rank *rank = p->path_n < UINT32_MAX / 2 ? ranks_make(p) : NULL;
	struct number_lists l;

	if (!rank) {
		places_of_names(p, place);
		return place;
	}
	l = lists_by_parent(p, rank, place);
	walk(p, &l, place);
	lists_release(&l);
	free(rank);
	return place;
}
