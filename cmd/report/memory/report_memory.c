/* report_memory.c: tau-report memory: what holds the memory of one run: by type, owner, site, PE or
 * region, and over time. */
#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/memory/memory.h"
#include "cmd/picture/bars.h"
#include "cmd/picture/flame.h"
#include "cmd/report/memory/memory_time.h"
#include "cmd/picture/short_names.h"
#include "cmd/report/memory/report_memory_scaling.h"
#include "cmd/report/report.h"
#include "cmd/shared/choice.h"
#include "cmd/table/table.h"
#include "cmd/table/table_text.h"
#include "convert/io/input.h"

#define TEXT_TOP  30
#define BARS_TOP  16
#define AREAS_TOP 10
#define SPARK     24 /* slices of time in text */
#define BAR_WIDTH 12

enum { COARSE, FINE, TIMES };

/* One run seen by each measure; rows of the chosen one, and those of the same name of the others.
 */
struct holding {
	const struct memory *memory;
	struct memory_query q;
	struct memory_series by[MEMORY_MEASURES];
	struct names names[MEMORY_MEASURES];
	struct memory_time time[TIMES]; /* n 0: not needed, or unknown */
	int ascii; /* bars for a terminal that has no others */
};

static void holding_init(struct holding *h, const struct memory *const *run,
			 const struct memory_query *q)
{
	h->memory = *run;
	h->q = *q;
	for (enum memory_measure k = 0; k < MEMORY_MEASURES; k++) {
		struct memory_query one = *q;

		one.measure = k;
		memory_series_init(&h->by[k], run, 1, &one);
		for (size_t i = 0; i < h->by[k].row_n; i++)
			names_add(&h->names[k], h->by[k].row[i].name, strlen(h->by[k].row[i].name));
	}
}

static void holding_release(struct holding *h)
{
	for (enum memory_measure k = 0; k < MEMORY_MEASURES; k++) {
		memory_series_release(&h->by[k]);
		names_release(&h->names[k]);
	}
	for (size_t i = 0; i < TIMES; i++)
		memory_time_release(&h->time[i]);
}

/* The row of that name by another measure: its first run's value; unknown where it has none. */
static struct memory_value value_of(const struct holding *h, enum memory_measure k,
				    const char *name)
{
	int64_t id = names_find(&h->names[k], name, strlen(name));

	return id < 0 ? (struct memory_value){0} : h->by[k].row[id].value[0];
}

static double known(double v, const struct memory_value *of)
{
	return of->known ? v : NAN;
}

/* "██████▌": a share of a hundred in eighths of BAR_WIDTH characters, or "######-" in halves. The
 * caller frees it. */
static char *bar(double pct, int ascii)
{
	static const char *const part[] = {"", "▏", "▎", "▍", "▌",
					   "▋", "▊", "▉", "█"};
	int eighths = pct > 0 ? (int)ceil(pct / 100 * BAR_WIDTH * 8 - 1e-9) : 0;
	char *s = mem_alloc(BAR_WIDTH * 3 + 4);

	if (ascii) {
		int halves = (eighths + 3) / 4;

		for (halves = halves > BAR_WIDTH * 2 ? BAR_WIDTH * 2 : halves; halves > 0;
		     halves -= 2)
			strcat(s, halves > 1 ? "#" : "-");
		return s;
	}
	for (eighths = eighths > BAR_WIDTH * 8 ? BAR_WIDTH * 8 : eighths; eighths > 0; eighths -= 8)
		strcat(s, part[eighths > 8 ? 8 : eighths]);
	return s;
}

static double per(const struct holding *h, double job)
{
	return h->q.per == MEMORY_PER_JOB ? job : job / (double)h->memory->pes_counted;
}

/* ---- the table ---- */

static const char *const measure_names[] = {"live", "peak", "cumulative"};

struct columns {
	size_t kind, bytes, share, bar, time, blocks, largest, other[2]; /* 0: not there */
	enum memory_measure what[2];                                     /* of the other two */
};

static void columns_add(struct table *t, const struct holding *h, const struct report_options *o,
			struct columns *c)
{
	enum memory_measure m = h->q.measure, k = 0;
	int text = o->format == REPORT_TEXT;

	memset(c, 0, sizeof(*c));
	if (!text)
		c->kind = table_column(t, TABLE_TEXT, "kind", NULL, NULL, 0);
	c->bytes = table_column(t, TABLE_BYTES, "bytes", measure_names[m], NULL, 0);
	c->share = table_column(t, TABLE_NUMBER, "share", NULL, "%", 1);
	if (text)
		c->bar = table_column(t, TABLE_TEXT, "bar", "", NULL, 0);
	if (text && h->time[COARSE].n)
		c->time = table_column(t, TABLE_TEXT, "time", "live over time", NULL, 0);
	c->blocks = table_column(t, TABLE_NUMBER, "blocks", NULL, NULL, 0);
	c->largest = table_column(t, TABLE_BYTES, "largest_pe", "largest PE", NULL, 0);
	for (size_t i = 0; i < 2; i++, k++) {
		char key[32];

		k += k == m;
		c->what[i] = k;
		snprintf(key, sizeof(key), "%s_bytes", measure_names[k]);
		c->other[i] = table_column(t, TABLE_BYTES, key, measure_names[k], NULL, 0);
		table_column_spare(t, c->other[i], 4 + (int)i);
	}
	table_column_spare(t, c->blocks, 2);
	table_column_spare(t, c->largest, 3);
	if (c->time)
		table_column_spare(t, c->time, 6);
	if (c->bar)
		table_column_spare(t, c->bar, 1);
}

static void cells_put(struct table *t, const struct holding *h, const struct columns *c,
		      const struct memory_growth *g, const char *kind,
		      const struct memory_value others[2])
{
	const struct memory_value *v = &g->value[0], *all = &h->by[h->q.measure].all.value[0];
	double share = memory_pct(v->bytes, all->bytes);
	char *text;

	if (c->kind)
		table_put_text(t, c->kind, kind);
	table_put_number(t, c->bytes, per(h, known(v->bytes, v)));
	table_put_number(t, c->share, known(share, v));
	if (c->bar) {
		text = bar(share, h->ascii);
		table_put_text(t, c->bar, text);
		free(text);
	}
	if (c->time) {
		text = memory_time_spark(&h->time[COARSE],
					 g == &h->by[h->q.measure].all
						 ? &h->time[COARSE].live.all
						 : memory_time_row(&h->time[COARSE], g->name),
					 h->ascii);
		table_put_text(t, c->time, text);
		free(text);
	}
	table_put_number(t, c->blocks, per(h, known(v->objects, v)));
	table_put_number(t, c->largest, known(v->bytes_max, v));
	for (size_t i = 0; i < 2; i++)
		table_put_number(t, c->other[i], per(h, known(others[i].bytes, &others[i])));
}

static void others_of(const struct holding *h, const struct columns *c, const char *name,
		      struct memory_value out[2])
{
	for (size_t i = 0; i < 2; i++)
		out[i] = value_of(h, c->what[i], name);
}

/* What the rows from `shown` on come to. */
static void rest_print(struct table *t, const struct holding *h, const struct columns *c,
		       size_t shown)
{
	const struct memory_series *s = &h->by[h->q.measure];
	struct memory_value others[2] = {{0}}, v[2];
	size_t *rest = mem_alloc(s->row_n * sizeof(*rest)), n = s->row_n - shown;
	char *name = mem_printf("others (%zu)", n);
	struct memory_growth sum;

	for (size_t i = 0; i < n; i++) {
		rest[i] = shown + i;
		others_of(h, c, s->row[shown + i].name, v);
		for (size_t k = 0; k < 2; k++) {
			others[k].known |= v[k].known;
			others[k].bytes += v[k].bytes;
		}
	}
	memory_series_sum(s, rest, n, name, &sum);
	table_row(t);
	memory_name_cells(t, &sum, h->q.by);
	cells_put(t, h, c, &sum, "sum", others);
	memory_growth_release(&sum);
	free(name);
	free(rest);
}

static void totals_note(struct table *t, const struct holding *h)
{
	char size[MEMORY_MEASURES][QUANTITY_TEXT], blocks[48] = "";
	const struct memory_value *v[MEMORY_MEASURES];

	for (enum memory_measure k = 0; k < MEMORY_MEASURES; k++) {
		v[k] = &h->by[k].all.value[0];
		if (v[k]->known)
			quantity_size_text(v[k]->bytes, size[k]);
		else
			strcpy(size[k], "unknown");
		table_fact_number(t, measure_names[k], known(v[k]->bytes, v[k]));
	}
	if (isfinite(v[MEMORY_LIVE]->objects))
		snprintf(blocks, sizeof(blocks), " in %.0f block%s", v[MEMORY_LIVE]->objects,
			 plural((size_t)v[MEMORY_LIVE]->objects));
	table_note(t, "The job: live %s%s, peak %s, allocated %s.", size[MEMORY_LIVE], blocks,
		   size[MEMORY_PEAK], size[MEMORY_CUMULATIVE]);
	table_fact_number(t, "blocks", v[h->q.measure]->objects);
	if (h->memory->lost > 0)
		table_note(t, "Lost events: %.0f: the numbers are incomplete.", h->memory->lost);
	if (h->memory->unseen)
		table_note(t, "CPython: %s.", h->memory->unseen);
	table_fact_number(t, "lost_events", h->memory->lost);
}

static void rows_report(const struct holding *h, const struct report_options *o,
			const struct report_runs *r, FILE *f, size_t width)
{
	const struct memory_series *s = &h->by[h->q.measure];
	size_t shown = report_rows_shown(o, s->row_n, TEXT_TOP);
	char *title = mem_printf("Memory by %s: %s, %s",
				 o->paths ? "type and call path"
					  : memory_by_titles[h->q.by],
				 memory_view_titles[h->q.measure], memory_per_titles[h->q.per]);
	struct table *t = table_new(title);
	struct memory_value others[2];
	struct columns c;
	int lines = o->paths && o->format == REPORT_TEXT, any = 0;

	memory_name_columns(t, h->q.by, o->paths);
	columns_add(t, h, o, &c);
	report_notes(t, r);
	totals_note(t, h);
	if (h->q.measure == MEMORY_LIVE)
		memory_peak_note(t, s, &h->by[MEMORY_PEAK]);
	for (size_t i = 0; i < s->row_n; i++)
		any |= report_is_path(s->row[i].site);
	if (o->paths)
		report_paths_note(t, any);
	for (size_t i = 0; i < shown; i++) {
		struct memory_growth row = s->row[i];

		if (lines)
			row.site = (char *)report_path_inner(row.site);
		table_row(t);
		memory_name_cells(t, &row, h->q.by);
		others_of(h, &c, row.name, others);
		cells_put(t, h, &c, &row, memory_kind_words[row.kind], others);
		if (lines)
			report_path_rows(t, 1, s->row[i].site);
	}
	table_rule(t);
	if (shown < s->row_n)
		rest_print(t, h, &c, shown);
	table_row(t);
	memory_name_cells(t, &s->all, h->q.by);
	for (size_t i = 0; i < 2; i++)
		others[i] = h->by[c.what[i]].all.value[0];
	cells_put(t, h, &c, &s->all, "all", others);
	if (h->q.measure == MEMORY_PEAK)
		table_remark(t, "Peaks are at different times, so the rows add up to more than the "
				"total.");
	report_table(t, o, f, width);
	free(title);
}

/* Memory without a stack is shown by its type alone. */
static void rows_fold(const struct holding *h, FILE *f)
{
	const struct memory_series *s = &h->by[h->q.measure];

	for (size_t i = 0; i < s->row_n; i++) {
		const struct memory_growth *g = &s->row[i];

		report_path_folded(f, NULL, g->site, g->type ? g->type : g->name,
				   memory_bytes(h->memory, &g->value[0], h->q.per));
	}
}

/* The same as boxes. */
static void rows_flame(const struct holding *h, const struct report_runs *r, FILE *f)
{
	const struct memory_series *s = &h->by[h->q.measure];
	struct flame flame = {0};
	char size[QUANTITY_TEXT],
		*subtitle = mem_printf("%s, %zu PE%s: %s, %s.", r->run[0].title, h->memory->pes,
				       plural(h->memory->pes),
				       quantity_size_text(per(h, s->all.value[0].bytes), size),
				       memory_view_titles[h->q.measure]);

	for (size_t i = 0; i < s->row_n; i++) {
		const struct memory_growth *g = &s->row[i];

		flame_add(&flame, g->site, g->type ? g->type : g->name,
			  memory_bytes(h->memory, &g->value[0], h->q.per),
			  g->kind == MEMORY_TYPED || g->kind == MEMORY_SLAB);
	}
	flame_print(&flame, "Call paths that allocate the memory", subtitle,
		    "Blue: of a known type. Yellow: untyped.", f);
	flame_release(&flame);
	free(subtitle);
}

/* ---- by PE, by region, by time ---- */

struct ranked {
	double key;
	size_t at;
};

static int compare_ranked(const void *va, const void *vb)
{
	const struct ranked *a = va, *b = vb;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

/* PEs with the most bytes of the queried measure first; the caller frees it. */
static struct ranked *pes_ranked(const struct holding *h)
{
	const struct memory *m = h->memory;
	struct ranked *v = mem_alloc(m->pe_n * sizeof(*v));

	for (size_t i = 0; i < m->pe_n; i++)
		v[i] = (struct ranked){m->pe[i].bytes[h->q.measure], i};
	if (m->pe_n)
		qsort(v, m->pe_n, sizeof(*v), compare_ranked);
	return v;
}

/* One PE, or (NULL) the sum of some. */
static void pe_row(struct table *t, const struct holding *h, const char *name,
		   const struct memory_pe *pe, const struct memory_pe *sum)
{
	enum memory_measure m = h->q.measure, k = 0;
	const struct memory_pe *v = pe ? pe : sum;
	size_t c = 0;

	table_row(t);
	table_put_text(t, c++, name);
	table_put_number(t, c++, v->bytes[m]);
	table_put_number(t, c++, memory_pct(v->bytes[m], h->by[m].all.value[0].bytes));
	table_put_number(t, c++, v->objects[m]);
	for (; k < MEMORY_MEASURES; k++)
		if (k != m)
			table_put_number(t, c++, v->bytes[k]);
}

static void pe_add(struct memory_pe *sum, const struct memory_pe *pe)
{
	for (enum memory_measure k = 0; k < MEMORY_MEASURES; k++) {
		sum->bytes[k] += pe->bytes[k];
		sum->objects[k] += pe->objects[k];
	}
}

static void pes_report(const struct holding *h, const struct report_options *o,
		       const struct report_runs *r, FILE *f, size_t width)
{
	const struct memory *m = h->memory;
	struct ranked *v = pes_ranked(h);
	size_t shown = report_rows_shown(o, m->pe_n, TEXT_TOP);
	struct memory_pe rest = {0}, all = {0};
	struct table *t = table_new("Memory by PE");
	char name[64];

	table_column(t, TABLE_TEXT, "pe", "PE", NULL, 0);
	table_column(t, TABLE_BYTES, "bytes", measure_names[h->q.measure], NULL, 0);
	table_column(t, TABLE_NUMBER, "share", NULL, "%", 1);
	table_column(t, TABLE_NUMBER, "blocks", NULL, NULL, 0);
	for (enum memory_measure k = 0; k < MEMORY_MEASURES; k++)
		if (k != h->q.measure)
			table_column(t, TABLE_BYTES, measure_names[k], NULL, NULL, 0);
	report_notes(t, r);
	totals_note(t, h);
	for (size_t i = 0; i < m->pe_n; i++) {
		const struct memory_pe *pe = &m->pe[v[i].at];

		pe_add(&all, pe);
		snprintf(name, sizeof(name), "%d", pe->node);
		if (i < shown)
			pe_row(t, h, name, pe, NULL);
		else
			pe_add(&rest, pe);
	}
	table_rule(t);
	snprintf(name, sizeof(name), "others (%zu)", m->pe_n - shown);
	if (shown < m->pe_n)
		pe_row(t, h, name, NULL, &rest);
	pe_row(t, h, "all", NULL, &all);
	report_table(t, o, f, width);
	free(v);
}

/* ---- pictures ---- */

static void rows_draw(const struct holding *h, const struct report_options *o,
		      const struct report_runs *r, int by_pe, FILE *f)
{
	const struct memory_series *s = &h->by[h->q.measure];
	size_t most = o->top > 0 ? (size_t)o->top : BARS_TOP,
	       n = by_pe ? h->memory->pe_n : s->row_n;
	double all = s->all.value[0].bytes, rest = all;
	struct ranked *v = pes_ranked(h);
	struct bars b = {.title = by_pe ? "Which PE holds the memory" : "What holds the memory"};
	char size[QUANTITY_TEXT];

	for (size_t i = 0; i < n && i < most; i++) {
		const struct memory_growth *g = by_pe ? NULL : &s->row[i];
		double bytes = by_pe ? v[i].key : g->value[0].bytes;
		char *name = by_pe ? mem_printf("PE %d", h->memory->pe[v[i].at].node)
				   : mem_string(g->type);
		char *detail = by_pe ? mem_string("") : place_words(g->owner, g->site, 0);

		bars_add(&b, name, detail, bytes,
			 quantity_with_percent(quantity_size_text(bytes, size),
					       memory_pct(bytes, all)),
			 by_pe || g->kind == MEMORY_TYPED || g->kind == MEMORY_SLAB);
		if (!by_pe)
			bars_more(&b, NULL, place_words(g->owner, g->site, 1));
		rest -= bytes;
		free(name);
	}
	if (n > most && h->q.measure != MEMORY_PEAK)
		bars_add(&b, "everything else",
			 mem_printf("%zu %s%s", n - most, by_pe ? "PE" : "row", plural(n - most)),
			 rest,
			 quantity_with_percent(quantity_size_text(rest, size),
					       memory_pct(rest, all)),
			 -1);
	b.subtitle = mem_printf("%s, %zu PE%s: %s, %s.", r->run[0].title, h->memory->pes,
				plural(h->memory->pes), quantity_size_text(all, size),
				memory_view_titles[h->q.measure]);
	b.foot = by_pe ? NULL
		 : h->q.measure == MEMORY_PEAK
			 ? "Blue: of a known type. Yellow: untyped. Peaks are at different times: "
			   "they add up to more than the total."
			 : "Blue: of a known type. Yellow: untyped. Grey: the sum of what is not "
			   "shown.";
	bars_print(&b, f);
	free((char *)b.subtitle);
	bars_release(&b);
	free(v);
}

/* ---- the report ---- */

enum by { BY_ROWS, BY_PE, BY_REGION, BY_TIME };

/* Those of memory_bys, and more; stacks are rows of sites. */
static const struct report_by bys[] = {
	MEMORY_BY_ROWS,
	[MEMORY_BYS - 1 + BY_PE] = {"pe", "PE"},
	[MEMORY_BYS - 1 + BY_REGION] = {"region", "region that allocates"},
	[MEMORY_BYS - 1 + BY_TIME] = {"time", "slice of the run"},
	[MEMORY_BYS - 1 + BY_TIME + 1] = {"stack", "type and call stack, if stacks were recorded"},
	{0},
};

/* --by has more words here than elsewhere; those are taken away. */
static int by_read(struct report_options *o, enum by *by, struct error *e)
{
	size_t word;

	if (report_by(o, &word, e))
		return e->code;
	*by = word < MEMORY_BYS ? BY_ROWS : (enum by)(BY_PE + (word - MEMORY_BYS));
	if (*by != BY_ROWS)
		o->by = NULL;
	return 0;
}

/* The run in slices of time, for everything that is printed and drawn. */
static void holding_times(struct holding *h, enum by by, const struct report_options *o,
			  const struct report_runs *r)
{
	if (o->db || o->paths || by == BY_PE)
		return;
	if (by == BY_TIME || o->format == REPORT_SVG || o->picture)
		h->time[FINE].n = MEMORY_SLICES;
	if (by != BY_TIME && o->format == REPORT_TEXT)
		h->time[COARSE].n = SPARK;
	if (h->time[FINE].n || h->time[COARSE].n)
		memory_time_load(inputs_get(o->known, r->run[0].name), o->kept, h->q.by, h->time,
				 TIMES);
}

static int report_holding(const struct holding *h, enum by by, const struct report_options *o,
			  const struct report_runs *r, FILE *f, size_t width, struct error *e)
{
	const int picture = o->format == REPORT_SVG;

	if (by == BY_PE && !h->memory->pe_n)
		return error_set(e, ERROR_INPUT, "%s: this trial is a summary without single PEs",
				 r->run[0].name);
	if (by == BY_TIME && !h->time[FINE].n)
		return error_set(e, ERROR_INPUT, "%s: only a recorded run has times",
				 r->run[0].name);
	if (o->format == REPORT_FOLDED)
		rows_fold(h, f);
	else if (by == BY_TIME && !picture)
		memory_time_report(&h->time[FINE], o, r, f, width);
	else if (by == BY_PE && !picture)
		pes_report(h, o, r, f, width);
	else if (picture && o->paths)
		rows_flame(h, r, f);
	else if (picture && h->time[FINE].n && by != BY_PE && h->q.measure == MEMORY_LIVE)
		memory_time_draw(&h->time[FINE], &h->by[MEMORY_LIVE], &r->run[0], h->memory->pes,
				 o->top > 0 ? (size_t)o->top : AREAS_TOP, f);
	else if (picture)
		rows_draw(h, o, r, by == BY_PE, f);
	else
		rows_report(h, o, r, f, width);
	return 0;
}

static int report_memory(const struct report_options *given, const struct report_runs *r,
			 struct output *out, size_t width, struct error *e)
{
	struct report_options o = *given;
	struct holding h = {0};
	struct memory_query q;
	const struct memory *m;
	enum by by;
	int rc = report_one_run(r, "memory", e);

	if (!rc)
		rc = by_read(&o, &by, e);
	if (!rc)
		rc = memory_query_read(&o, &q, e);
	if (rc)
		return rc;
	if (!o.per)
		q.per = MEMORY_PER_JOB;
	if (q.per == MEMORY_PER_MAX)
		return error_set(e, ERROR_USAGE,
				 "--per: memory shows the largest PE always; use pe or job");
	if (by == BY_REGION)
		return report_regions(&o, r, out->file, width, e);
	m = memory_new(r->run[0].profile);
	holding_init(&h, &m, &q);
	h.ascii = table_ascii(width);
	if (!m->pes_counted || !h.by[q.measure].row_n)
		rc = report_no_memory(&r->run[0], e);
	else {
		holding_times(&h, by, &o, r);
		do
			rc = report_holding(&h, by, &o, r, out->file, width, e);
		while (!rc && report_draws(&o, &out));
	}
	holding_release(&h);
	memory_free((struct memory *)m);
	return rc;
}

const struct report_kind kind_memory = {
	.name = "memory",
	.about = "what holds the memory of one run",
	.question = QUESTION_MEMORY,
	.example = "--by owner --top 10 run",
	.print = report_memory,
	.options = "view per by where at",
	.by = bys,
	.paths = 1,
	.title = "Memory",
	.page = REPORT_PAGE_BOTH,
	.page_by = "type",
};
