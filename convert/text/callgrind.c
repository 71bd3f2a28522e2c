/*
 * callgrind.c: writes a profile for callgrind_annotate and KCachegrind. All threads are added up;
 * times are whole nanoseconds, other metrics whole numbers. The cost of a function is the exclusive
 * value of its timer, less that of its samples, which are callees here; the cost of a call is that
 * of the call paths that end in caller and callee.
 *
 *	events: TIME_ns
 *	fl=(1) main.c
 *	fn=(1) main
 *	12 1500			line, exclusive
 *	cfl=(2) f.c
 *	cfn=(2) f
 *	calls=3 40		calls, line of f
 *	12 900			inclusive
 *
 *	fl=(2)
 *	fn=(2)
 *	40 900
 *
 *	totals: 2400		sum of all exclusive costs
 *
 * A name is written with its number the first time only: readers reject a second definition.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "convert/profile_format.h"

struct callgrind_edge {
	uint32_t caller, callee;
	double calls;
	size_t first; /* its costs */
};

struct callgrind_graph {
	struct profile *p;
	double *own; /* per timer and metric */
	struct callgrind_edge *edge;
	size_t edge_n, edge_cap;
	double *cost;
	size_t cost_n, cost_cap;
	struct names edges, files;
	char *named;   /* per timer: the file contains its name */
	double *total; /* per metric, of what is printed */
};

static void add_row(struct callgrind_graph *g, struct profile_thread *t,
		    const struct profile_row *r)
{
	const struct profile *p = g->p;
	const struct profile_path *path = &p->path[r->path];
	enum profile_timer_kind kind = profile_timer_kind(&p->timer[path->timer]);
	uint32_t within = profile_path_measured(p, r->path);
	uint32_t key[2] = {0, path->timer}, id;
	struct callgrind_edge *e;

	if (path->parent == PROFILE_FLAT) {
		for (size_t m = 0; m < p->metric_n && kind != TIMER_STACK; m++)
			g->own[path->timer * p->metric_n + m] += profile_excl(p, t, r)[m];
		return;
	}
	if (kind == TIMER_SAMPLE && within != PROFILE_FLAT)
		for (size_t m = 0; m < p->metric_n; m++)
			g->own[p->path[within].timer * p->metric_n + m] -= profile_excl(p, t, r)[m];
	key[0] = p->path[path->parent].timer;
	id = names_add(&g->edges, (const char *)key, sizeof(key));
	if (id == g->edge_n) {
		*array_add(g, edge) = (struct callgrind_edge){key[0], key[1], 0, g->cost_n};
		for (size_t m = 0; m < p->metric_n; m++)
			array_add(g, cost);
	}
	e = &g->edge[id];
	e->calls += r->calls;
	for (size_t m = 0; m < p->metric_n; m++)
		g->cost[e->first + m] += profile_incl(t, r)[m];
}

static int edge_order(const void *va, const void *vb)
{
	const struct callgrind_edge *a = va, *b = vb;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return (a->callee > b->callee) - (a->callee < b->callee);
}

/* total: what is printed is added to it; NULL: to nothing. */
static void put_costs(FILE *f, const struct profile *p, uint32_t timer, const double *v,
		      double *total)
{
	fprintf(f, "%u", p->timer[timer].line);
	for (size_t m = 0; m < p->metric_n; m++) {
		double whole = rint(v[m] * (profile_is_time(p, m) ? 1000 : 1));

		whole = whole > 0 && isfinite(whole) ? whole : 0;
		fprintf(f, " %.0f", whole);
		if (total)
			total[m] += whole;
	}
	putc('\n', f);
}

static void put_line(FILE *f, const char *s)
{
	for (; *s; s++)
		putc(*s == '\n' || *s == '\r' ? ' ' : *s, f);
	putc('\n', f);
}

/* Writes a number and, the first time, its name. */
static void put_name(FILE *f, const char *prefix, const char *key, uint32_t id, const char *name)
{
	fprintf(f, "%s%s=(%u)", prefix, key, id);
	if (name)
		putc(' ', f);
	put_line(f, name ? name : "");
}

static void put_place(FILE *f, struct callgrind_graph *g, const char *prefix, uint32_t timer)
{
	const char *file = g->p->timer[timer].file ? g->p->timer[timer].file : "???";
	size_t before = g->files.name_n;
	uint32_t id = names_add(&g->files, file, strlen(file));

	put_name(f, prefix, "fl", id + 1, g->files.name_n > before ? file : NULL);
	put_name(f, prefix, "fn", timer + 1, g->named[timer] ? NULL : g->p->timer[timer].name);
	g->named[timer] = 1;
}

/* The name of an event is a word; names that only differ in signs get different numbers. */
static char *event_name(struct names *taken, const struct profile *p, size_t m)
{
	char *s = mem_printf("%s%s", p->metric[m].name, profile_is_time(p, m) ? "_ns" : ""), *tried;

	for (char *c = s; *c; c++)
		if (!isascii(*c) || !isalnum(*c))
			*c = '_';
	tried = mem_string(s);
	for (unsigned i = 2; !*tried || names_find(taken, tried, strlen(tried)) >= 0; i++) {
		free(tried);
		tried = mem_printf("%s_%u", s, i);
	}
	names_add(taken, tried, strlen(tried));
	free(s);
	return tried;
}

static void put_events(FILE *f, const struct profile *p)
{
	struct names taken = {0};

	fputs("# callgrind format\nversion: 1\ncreator: tau\npositions: line\nevents:", f);
	for (size_t m = 0; m < p->metric_n; m++) {
		char *name = event_name(&taken, p, m);

		fprintf(f, " %s", name);
		free(name);
	}
	fputs("\n\n", f);
	names_release(&taken);
}

void callgrind_print(FILE *f, struct profile *p, size_t nth, size_t n)
{
	struct callgrind_graph g = {.p = p};
	size_t at = 0;

	(void)nth;
	(void)n;
	array_add(&g, cost); /* so that there are costs without metrics, too */
	g.named = mem_alloc(p->timer_n + 1);
	g.total = mem_alloc((p->metric_n + 1) * sizeof(*g.total));
	g.own = mem_alloc((p->timer_n * p->metric_n + 1) * sizeof(*g.own));
	for (size_t t = 0; t < p->thread_n; t++)
		for (size_t i = 0; i < p->thread[t].row_n && p->thread[t].node >= 0; i++)
			add_row(&g, &p->thread[t], &p->thread[t].row[i]);
	if (g.edge_n)
		qsort(g.edge, g.edge_n, sizeof(*g.edge), edge_order);
	put_events(f, p);
	for (uint32_t i = 0; i < p->timer_n; i++) {
		put_place(f, &g, "", i);
		put_costs(f, p, i, g.own + i * p->metric_n, g.total);
		for (; at < g.edge_n && g.edge[at].caller == i; at++) {
			const struct callgrind_edge *e = &g.edge[at];

			put_place(f, &g, "c", e->callee);
			fprintf(f, "calls=%.0f %u\n", e->calls, p->timer[e->callee].line);
			put_costs(f, p, i, g.cost + e->first, NULL);
		}
		putc('\n', f);
	}
	fputs("totals:", f);
	for (size_t m = 0; m < p->metric_n; m++)
		fprintf(f, " %.0f", g.total[m]);
	putc('\n', f);
	free(g.named);
	free(g.total);
	free(g.own);
	free(g.edge);
	free(g.cost);
	names_release(&g.edges);
	names_release(&g.files);
}
