/* report_memory.c: tau-report memory: what holds the memory of one run: by type, owner, site, PE or
 * region, and over time. */
#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/memory/memory.h"
#include "cmd/picture/bars.h"
#include "cmd/picture/flame.h"
#include "cmd/report/memory/memory_tables.h"
#include "cmd/report/memory/memory_time.h"
#include "cmd/picture/short_names.h"
#include "cmd/report/memory/report_memory_scaling.h"
#include "cmd/report/report.h"
#include "cmd/shared/choice.h"
#include "cmd/table/table.h"
#include "cmd/table/table_text.h"
#include "convert/io/input.h"

#define BARS_TOP  16
#define AREAS_TOP 10
#define SPARK     24 /* slices of time in text */

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
	double all = memory_held_per(h, s->all.value[0].bytes);
	char size[QUANTITY_TEXT],
		*subtitle = mem_printf("%s, %zu PE%s: %s, %s.", r->run[0].title, h->memory->pes,
				       plural(h->memory->pes), quantity_size_text(all, size),
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

/* ---- pictures ---- */

static void rows_draw(const struct holding *h, const struct report_options *o,
		      const struct report_runs *r, int by_pe, FILE *f)
{
	const struct memory_series *s = &h->by[h->q.measure];
	size_t most = o->top > 0 ? (size_t)o->top : BARS_TOP,
	       n = by_pe ? h->memory->pe_n : s->row_n;
	double all = s->all.value[0].bytes, rest = all;
	struct memory_ranked *v = memory_pes_ranked(h);
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
		memory_pes_report(h, o, r, f, width);
	else if (picture && o->paths)
		rows_flame(h, r, f);
	else if (picture && h->time[FINE].n && by != BY_PE && h->q.measure == MEMORY_LIVE)
		memory_time_draw(&h->time[FINE], &h->by[MEMORY_LIVE], &r->run[0], h->memory->pes,
				 o->top > 0 ? (size_t)o->top : AREAS_TOP, f);
	else if (picture)
		rows_draw(h, o, r, by == BY_PE, f);
	else
		memory_rows_report(h, o, r, f, width);
	return 0;
}

static int report_memory(const struct report_options *given, const struct report_runs *r,
			 struct output *out, size_t width, struct error *e)
{
	struct report_options o = *given;
	struct holding h = {0};
	struct memory_query q;
	const struct memory *m;
	enum by by = BY_ROWS;
	int rc = report_one_run(r, "memory", e);

	if (!rc)
		rc = by_read(&o, &by, e);
	if (!rc)
		rc = memory_query_read(&o, &q, e);
	if (rc)
		return rc;
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
	.columns = (const struct table_field *const[]){memory_row_fields, memory_pe_fields,
						       memory_region_fields, memory_time_fields,
						       NULL},
	.about = "what holds the memory of one run",
	.question = QUESTION_MEMORY,
	.example = "--by owner --top 10 run",
	.print = report_memory,
	.options = "view per by where at",
	.by = bys,
	.values = (const struct report_values[]){
		{"view", memory_views, NULL},
		{"per", memory_pers, "job"},
		{0},
	},
	.paths = 1,
	.title = "Memory",
	.page = REPORT_PAGE_BOTH,
	.page_by = "type",
};
