/* timeline_rows.c: which groups or regions have the most time, and which threads have a row. */
#include "cmd/report/events/timeline_rows.h"

#include <ctype.h>
#include <string.h>


static int most_first(const void *va, const void *vb)
{
	const struct timeline_category *a = va, *b = vb;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* The first group of a region, or its own name. */
static char *category_name(const struct trace_region *r, int regions)
{
	size_t n = r->groups ? strcspn(r->groups, "|") : 0;

	if (regions)
		return mem_string(r->name);
	return n ? mem_printf("%.*s", (int)n, r->groups) : mem_string("TAU_DEFAULT");
}

/* The first letter of its name that no other has, or any that is free. */
static void letters(struct timeline_rows *x)
{
	char used[128] = {0};

	for (size_t i = 0; i < x->category_n; i++) {
		const char *s = x->category[i].name;
		int c = 0;

		if (!strncmp(s, "TAU_", 4))
			s += 4;
		for (; *s && !c; s++)
			if (isalpha((unsigned char)*s) && (unsigned char)*s < 128 &&
			    !used[toupper((unsigned char)*s)])
				c = toupper((unsigned char)*s);
		for (int k = 'A'; k <= 'Z' && !c; k++)
			c = used[k] ? 0 : k;
		used[c] = 1;
		x->category[i].letter = (char)c;
	}
}

void timeline_choose_names(struct timeline_rows *x, const char *const *name, size_t name_n,
			   const int64_t *ns)
{
	struct names names = {0};
	struct timeline_category *all = mem_alloc((name_n + 1) * sizeof(*all));
	uint32_t *id = mem_alloc((name_n + 1) * sizeof(*id)), *rank;
	size_t n = 0, shown;

	x->of = mem_alloc((name_n + 1) * sizeof(*x->of));
	for (size_t i = 0; i < name_n; i++) {
		id[i] = names_add(&names, name[i], strlen(name[i]));
		if (id[i] == n)
			all[n++].name = names.name[id[i]];
		all[id[i]].ns += ns[i];
	}
	/* Names move when the table grows, so they are set again. */
	for (size_t i = 0; i < n; i++)
		all[i].name = names.name[i];
	if (n)
		qsort(all, n, sizeof(*all), most_first);
	for (shown = 0; shown < n && shown < SVG_COLOURS && all[shown].ns > 0;)
		shown++;
	rank = mem_alloc((n + 1) * sizeof(*rank));
	for (size_t i = 0; i < n; i++)
		rank[names_find(&names, all[i].name, strlen(all[i].name))] =
			(uint32_t)(i < shown ? i : shown);
	for (size_t i = 0; i < name_n; i++)
		x->of[i] = rank[id[i]];
	for (size_t i = 0; i < n; i++) {
		size_t to = i < shown ? i : shown;

		if (i == to)
			x->category[to].name = mem_string(i < shown ? all[i].name : "others");
		x->category[to].ns += all[i].ns;
	}
	x->category_n = shown + (n > shown && x->category[shown].ns > 0);
	letters(x);
	free(rank);
	free(id);
	free(all);
	names_release(&names);
}

void timeline_choose(struct timeline_rows *x, const struct trace *t, const int64_t *ns, int regions)
{
	char **name = mem_alloc((t->region_n + 1) * sizeof(*name));

	for (size_t i = 0; i < t->region_n; i++)
		name[i] = category_name(&t->region[i], regions);
	timeline_choose_names(x, (const char *const *)name, t->region_n, ns);
	for (size_t i = 0; i < t->region_n; i++)
		free(name[i]);
	free(name);
}

/* ---- rows ---- */

/* Has the stream time in a category? */
static int is_named(const struct timeline_rows *x, const struct activity_row *r)
{
	size_t i = 0;

	while (i < r->part_n && x->of[r->part[i].region] >= x->category_n)
		i++;
	return r->shown || i < r->part_n;
}

static void row_add(const struct timeline_rows *x, struct timeline_row *to,
		    const struct activity_row *from)
{
	for (size_t i = 0; i < from->part_n; i++) {
		const struct activity_part *p = &from->part[i];
		const uint32_t category = x->shared ? p->region : x->of[p->region];

		if (category >= x->category_n)
			continue;
		to->ns[p->cell * x->category_n + category] += p->ns;
		to->events[p->cell] += p->visits;
	}
}

/* Orders the streams that have a row, and finds how many share one. */
static void rows_order(struct timeline_rows *x, const struct report_trace *r, const char *named,
		       size_t most)
{
	const size_t n = r->trace->stream_n;

	x->order = mem_alloc((n + 1) * sizeof(*x->order));
	for (uint32_t s = 0; s < n; s++)
		if (named[s])
			x->order[x->streams++] = s;
	timeline_groups_make(x, r, most);
}

void timeline_rows_share(struct timeline_rows *x, const struct report_trace *r, struct activity *a,
			 const char *named, size_t most)
{
	const size_t n = r->trace->stream_n;

	free(x->order);
	free(x->begins);
	free(x->shared);
	x->streams = 0;
	rows_order(x, r, named, most);
	x->shared = mem_alloc((n + 1) * sizeof(*x->shared));
	for (uint32_t s = 0; s < n; s++)
		x->shared[s] = s;
	for (size_t i = 0, first = 0; i < x->streams; i++) {
		first = x->begins[i] ? i : first;
		x->shared[x->order[i]] = x->order[first];
	}
	a->shared = x->shared;
	a->category = x->of;
	a->category_n = x->category_n;
}

static void row_begin(struct timeline_rows *x, const struct trace_process *p,
		      const struct trace_stream *s, size_t cells)
{
	struct timeline_row *row = array_add(x, row);

	row->first = p->node;
	row->host = p->host ? p->host : "";
	row->level = x->wanted ? rows_level(x->wanted, p) : ROW_QUEUE;
	row->thread = s->thread;
	row->queue = s->device && x->per == 1 ? s->label : NULL;
	row->ns = mem_alloc(cells * x->category_n * sizeof(*row->ns));
	row->events = mem_alloc(cells * sizeof(*row->events));
}

static void row_extend(struct timeline_rows *x, const struct trace_process *p)
{
	struct timeline_row *row = &x->row[x->row_n - 1];

	row->last = p->node;
	row->last_host = p->host ? p->host : "";
	row->last_level = x->wanted ? rows_level(x->wanted, p) : ROW_QUEUE;
	row->streams++;
}

void timeline_rows_make(struct timeline_rows *x, const struct report_trace *r,
			const struct activity *a, size_t most)
{
	struct trace *t = r->trace;
	char *named = mem_alloc(t->stream_n + 1);
	int threads = 0;

	x->row_of = mem_alloc((t->stream_n + 1) * sizeof(*x->row_of));
	for (uint32_t s = 0; s < t->stream_n; s++) {
		x->row_of[s] = TRACE_NONE;
		named[s] = (char)(!x->shared && is_named(x, &a->row[s]));
	}
	if (!x->shared)
		rows_order(x, r, named, most);
	free(named);
	for (size_t i = 0; i < x->streams; i++) {
		const struct trace_stream *s = &t->stream[x->order[i]];
		const struct trace_process *p = &t->process[s->process];

		if (x->begins[i])
			row_begin(x, p, s, a->cell_n);
		threads |= s->thread > 0;
		x->queues |= s->device;
		row_extend(x, p);
		row_add(x, &x->row[x->row_n - 1], &a->row[x->order[i]]);
		x->row_of[x->order[i]] = (uint32_t)x->row_n - 1;
	}
	for (size_t i = 0; i < x->row_n; i++)
		x->row[i].name = timeline_row_name(x, &x->row[i], threads);
}

void timeline_rows_release(struct timeline_rows *x)
{
	for (size_t i = 0; i < CATEGORIES; i++)
		free(x->category[i].name);
	for (size_t i = 0; i < x->row_n; i++) {
		free(x->row[i].name);
		free(x->row[i].ns);
		free(x->row[i].events);
	}
	free(x->row);
	free(x->row_of);
	free(x->order);
	free(x->begins);
	free(x->shared);
	free(x->of);
}
