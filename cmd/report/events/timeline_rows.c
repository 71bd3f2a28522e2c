/* timeline_rows.c: which groups or regions have the most time, and which threads have a row. */
#include "cmd/report/events/timeline_rows.h"

#include <ctype.h>
#include <string.h>

#include "analyze/messages/time_cells.h"
#include "analyze/messages/messages.h"
#include "analyze/messages/selection.h"

/* Time of each region, by the first one of its name. */
struct region_sums {
	const struct messages *m;
	int64_t *ns;
};

static void on_busy(void *to, uint32_t stream, uint32_t path, int64_t from, int64_t until)
{
	struct region_sums *s = to;

	path = selection_path(s->m->selection, path);
	if (path && path != TRACE_NONE && selection_stream(s->m->selection, stream))
		s->ns[s->m->paths.v[path].region] += until - from;
}

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

void timeline_choose(struct timeline_rows *x, const struct trace *t, const int64_t *ns, int regions)
{
	struct names names = {0};
	struct timeline_category *all = mem_alloc((t->region_n + 1) * sizeof(*all));
	uint32_t *id = mem_alloc((t->region_n + 1) * sizeof(*id)), *rank;
	size_t n = 0, shown;

	x->of = mem_alloc((t->region_n + 1) * sizeof(*x->of));
	for (size_t i = 0; i < t->region_n; i++) {
		char *name = category_name(&t->region[i], regions);

		id[i] = names_add(&names, name, strlen(name));
		if (id[i] == n)
			all[n++].name = names.name[id[i]];
		all[id[i]].ns += ns[i];
		free(name);
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
	for (size_t i = 0; i < t->region_n; i++)
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

int timeline_categories(struct timeline_rows *x, struct report_trace *r, int regions,
			struct timeline_kept *kept, struct error *e)
{
	struct messages *m = &r->messages;
	struct region_sums s = {.m = m,
				.ns = mem_alloc((r->trace->region_n + 1) * sizeof(*s.ns))};
	struct messages_use use[2] = {{.busy = on_busy, .to = &s, .window_only = 1}};
	struct time_cells cells = {0};
	int code;

	m->use = use;
	m->use_n = 1;
	if (kept) {
		timeline_kept_sum(kept, r, s.ns);
		m->skip = kept->skip;
	}
	/* All events are read: the next picture need not. */
	if (!m->span && !m->selection) {
		use[1] = time_cells_use(&cells, m, CELLS_RUN);
		m->use_n += cells.kept > 0;
	}
	code = messages_read(m, e);
	time_cells_end(&cells, !code);
	if (!code)
		timeline_choose(x, r->trace, s.ns, regions);
	report_trace_again(r);
	free(s.ns);
	return code;
}

/* ---- rows ---- */

static void row_add(struct timeline_row *to, const struct activity_row *from,
		    const struct activity *a)
{
	for (size_t i = 0; i < a->cell_n * a->category_n; i++)
		to->ns[i] += from->ns[i];
	for (size_t i = 0; i < a->cell_n; i++)
		to->events[i] += from->events[i];
}

static void row_name(struct timeline_row *r, int several, int threads)
{
	if (several && r->first != r->last)
		r->name = mem_printf("%d..%d", (int)r->first, (int)r->last);
	else if (threads)
		r->name = mem_printf("%d.%u", (int)r->first, r->thread);
	else
		r->name = mem_printf("%d", (int)r->first);
}

void timeline_rows_make(struct timeline_rows *x, const struct report_trace *r,
			const struct activity *a, size_t most)
{
	struct trace *t = r->trace;
	uint32_t *order = mem_alloc((t->stream_n + 1) * sizeof(*order));
	size_t n = 0;
	int threads = 0;

	x->row_of = mem_alloc((t->stream_n + 1) * sizeof(*x->row_of));
	for (uint32_t s = 0; s < t->stream_n; s++) {
		x->row_of[s] = TRACE_NONE;
		if (!a->row[s].ns)
			continue;
		order[n++] = s;
		threads |= t->stream[s].thread > 0;
	}
	report_trace_order(r, order, n);
	x->streams = n;
	x->per = n > most ? (n + most - 1) / most : 1;
	for (size_t i = 0; i < n; i++) {
		const struct trace_stream *s = &t->stream[order[i]];
		struct timeline_row *row;

		if (i % x->per == 0) {
			row = array_add(x, row);
			row->first = t->process[s->process].node;
			row->thread = s->thread;
			row->queue = s->device && x->per == 1 ? s->label : NULL;
			row->ns = mem_alloc(a->cell_n * a->category_n * sizeof(*row->ns));
			row->events = mem_alloc(a->cell_n * sizeof(*row->events));
		}
		x->queues |= s->device;
		row = &x->row[x->row_n - 1];
		row->last = t->process[s->process].node;
		row_add(row, &a->row[order[i]], a);
		x->row_of[order[i]] = (uint32_t)x->row_n - 1;
	}
	for (size_t i = 0; i < x->row_n; i++)
		row_name(&x->row[i], x->per > 1, threads);
	free(order);
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
	free(x->of);
}
