/* calltree.c: trees of calls as rows of a profile. */
#include "convert/calltree.h"

#include <string.h>

void calltree_paths(struct profile *p, struct calltree_node *node, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t up = node[i].parent;

		profile_add_path(p, node[i].timer, PROFILE_FLAT);
		node[i].path = profile_add_path(p, node[i].timer,
						up == PROFILE_FLAT ? PROFILE_FLAT : node[up].path);
		while (up != PROFILE_FLAT && node[up].timer != node[i].timer)
			up = node[up].parent;
		node[i].outermost = up == PROFILE_FLAT;
	}
}

/*
 * In a tree each value occurs once; in a profile the values of samples are also part of the timer
 * around them.
 */
static void counter_stats_sum(const struct profile *p, const struct calltree_node *node, size_t n,
			       double *excl)
{
	for (size_t i = 0; i < n; i++) {
		size_t up = i;

		if (profile_timer_kind(&p->timer[node[i].timer]) != TIMER_SAMPLE)
			continue;
		while (up != PROFILE_FLAT &&
		       profile_timer_kind(&p->timer[node[up].timer]) != TIMER_MEASURED)
			up = node[up].parent;
		for (size_t m = 0; up != PROFILE_FLAT && m < p->metric_n; m++)
			excl[up * p->metric_n + m] += excl[i * p->metric_n + m];
	}
}

/* The other half of the values. out: n times metric_n inclusive, then as many exclusive. */
static double *both_values(const struct profile *p, const struct calltree_node *node, size_t n,
			   const double *value, const char *inclusive)
{
	size_t metrics = p->metric_n, half = n * metrics;
	double *out = mem_resize(NULL, 2 * half + 1, sizeof(*out));

	for (size_t i = 0; i < half; i++)
		out[i] = out[half + i] = value[i];
	for (size_t i = n; i-- > 0;) {
		if (node[i].parent == PROFILE_FLAT)
			continue;
		for (size_t m = 0; m < metrics; m++) {
			size_t up = node[i].parent * metrics + m;

			if (inclusive[m])
				out[half + up] -= out[i * metrics + m];
			else
				out[up] += out[i * metrics + m];
		}
	}
	counter_stats_sum(p, node, n, out + half);
	return out;
}

struct calltree_rows {
	struct profile *p;
	uint32_t thread;
	size_t *mark; /* per path: 1 + its row */
	const double *incl, *excl;
};

static void add(struct calltree_rows *r, uint32_t path, size_t node, double calls, double subrs,
		int incl)
{
	struct profile_thread *t = &r->p->thread[r->thread];
	size_t metrics = r->p->metric_n;
	struct profile_row *row;

	if (!r->mark[path]) {
		profile_add_row(r->p, r->thread, path);
		r->mark[path] = t->row_n;
	}
	row = &t->row[r->mark[path] - 1];
	row->calls += calls;
	row->subrs += subrs;
	for (size_t m = 0; m < metrics; m++) {
		profile_excl(r->p, t, row)[m] += r->excl[node * metrics + m];
		profile_incl(t, row)[m] += incl ? r->incl[node * metrics + m] : 0;
	}
}

static int is_there(const struct calltree_rows *r, size_t node, double calls)
{
	size_t metrics = r->p->metric_n;
	int there = calls != 0;

	for (size_t m = 0; m < metrics && !there; m++)
		there = r->excl[node * metrics + m] != 0 || r->incl[node * metrics + m] != 0;
	return there;
}

void calltree_rows(struct profile *p, uint32_t thread, const struct calltree_node *node, size_t n,
		   const double *calls, const double *value, const char *inclusive)
{
	double *both = both_values(p, node, n, value, inclusive);
	double *subrs = mem_alloc((n + 1) * sizeof(*subrs));
	struct calltree_rows r = {p, thread, mem_alloc((p->path_n + 1) * sizeof(*r.mark)), both,
			 both + n * p->metric_n};

	for (size_t i = 0; i < n; i++)
		if (node[i].parent != PROFILE_FLAT)
			subrs[node[i].parent] += calls[i];
	for (size_t i = 0; i < n; i++) {
		const struct profile_path *path = &p->path[node[i].path];

		if (!is_there(&r, i, calls[i]))
			continue;
		add(&r, profile_add_path(p, node[i].timer, PROFILE_FLAT), i, calls[i], subrs[i],
		    node[i].outermost);
		if (path->parent != PROFILE_FLAT)
			add(&r, node[i].path, i, calls[i], subrs[i], 1);
	}
	free(r.mark);
	free(subrs);
	free(both);
}
