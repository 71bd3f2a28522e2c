/* region_growth.c: tau-report memory-scaling --by region: in which regions more memory is allocated
 * with more PEs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/memory/memory_regions.h"
#include "analyze/profile/profile.h"
#include "analyze/scaling/scaling.h"
#include "cmd/report/memory/report_memory_scaling.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "cmd/table/table_text.h"

#define TEXT_TOP 20

enum { EACH_COUNT = 1, EACHES };

struct region_growth_cells {
	const char *region;
	const double *bytes;
	double growth, share;
	const char *model, *order;
};

/* clang-format off: one column, one paragraph */
const struct table_field memory_region_growth_fields[] = {
	{FIELD(struct region_growth_cells, region), TABLE_TEXT, "region", NULL,
	 .meaning = "innermost region that was open"},
	{FIELD(struct region_growth_cells, bytes), TABLE_BYTES, "bytes_*", "*", .each = EACH_COUNT,
	 .meaning = "bytes allocated less bytes freed in the region on this number of PEs, mean "
		    "per PE; with --per job the sum; "
		    "with --view cumulative the bytes allocated"},
	{FIELD(struct region_growth_cells, growth), TABLE_BYTES, "growth", NULL,
	 .meaning = "bytes on the largest number of PEs less those on the smallest"},
	{FIELD(struct region_growth_cells, share), TABLE_NUMBER, "share", NULL, "%", .precision = 1,
	 .spare = 1, .meaning = "share of the growth of all regions"},
	{FIELD(struct region_growth_cells, model), TABLE_TEXT, "model", NULL,
	 .meaning = "c0 + c1 x P^i x log2(P)^j: the curve of Extra-P's search space "
		    "with the least leave-one-out error, unless a constant is as good",
	 .source = "Calotoiu et al. 2013"},
	{FIELD(struct region_growth_cells, order), TABLE_TEXT, "order", NULL,
	 .meaning = "how the model grows with many PEs, in O notation"},
	{0},
};
/* clang-format on */

/* A region: its bytes in each run, and their mean on each number of PEs. */
struct grown {
	const char *name; /* NULL: all */
	double *run, *bytes;
	double growth;
};

struct growths {
	const struct report_runs *runs;
	struct memory_regions *of; /* by run */
	size_t *pes;               /* by run */
	size_t *count, count_n;    /* distinct numbers of PEs, ascending */
	struct names names;
	struct grown *row; /* the last is that of all */
	size_t row_n;
};

static int ascending(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

static int largest_first(const void *va, const void *vb)
{
	const struct grown *a = va, *b = vb;

	if (a->growth != b->growth)
		return a->growth > b->growth ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void counts_find(struct growths *g)
{
	size_t n = 0;

	g->count = mem_alloc(g->runs->run_n * sizeof(*g->count));
	memcpy(g->count, g->pes, g->runs->run_n * sizeof(*g->count));
	qsort(g->count, g->runs->run_n, sizeof(*g->count), ascending);
	for (size_t k = 0; k < g->runs->run_n; k++)
		if (!n || g->count[k] != g->count[n - 1])
			g->count[n++] = g->count[k];
	g->count_n = n;
}

static double bytes_of(const struct memory_region *r, const struct memory_query *q, size_t pes)
{
	double bytes = r->allocated - (q->measure == MEMORY_CUMULATIVE ? 0 : r->freed);

	return q->per == MEMORY_PER_JOB ? bytes : bytes / (double)pes;
}

static void means_find(const struct growths *g, struct grown *row)
{
	row->bytes = mem_alloc(g->count_n * sizeof(*row->bytes));
	for (size_t i = 0; i < g->count_n; i++) {
		size_t n = 0;

		for (size_t k = 0; k < g->runs->run_n; k++)
			if (g->pes[k] == g->count[i]) {
				row->bytes[i] += row->run[k];
				n++;
			}
		row->bytes[i] /= (double)n;
	}
	row->growth = row->bytes[g->count_n - 1] - row->bytes[0];
}

static void rows_find(struct growths *g, const struct memory_query *q)
{
	for (size_t k = 0; k < g->runs->run_n; k++)
		for (size_t i = 0; i < g->of[k].row_n; i++)
			names_add(&g->names, g->of[k].row[i].name, strlen(g->of[k].row[i].name));
	g->row_n = g->names.name_n + 1;
	g->row = mem_alloc(g->row_n * sizeof(*g->row));
	for (size_t i = 0; i < g->row_n; i++) {
		g->row[i].name = i < g->names.name_n ? g->names.name[i] : NULL;
		g->row[i].run = mem_alloc(g->runs->run_n * sizeof(double));
	}
	for (size_t k = 0; k < g->runs->run_n; k++) {
		const struct memory_regions *of = &g->of[k];

		for (size_t i = 0; i < of->row_n; i++) {
			const char *name = of->row[i].name;
			int64_t at = names_find(&g->names, name, strlen(name));

			g->row[at].run[k] = bytes_of(&of->row[i], q, g->pes[k]);
		}
		g->row[g->row_n - 1].run[k] = bytes_of(&of->all, q, g->pes[k]);
	}
	for (size_t i = 0; i < g->row_n; i++)
		means_find(g, &g->row[i]);
	qsort(g->row, g->row_n - 1, sizeof(*g->row), largest_first);
}

static void release(struct growths *g)
{
	for (size_t i = 0; i < g->row_n; i++) {
		free(g->row[i].run);
		free(g->row[i].bytes);
	}
	for (size_t k = 0; k < g->runs->run_n; k++)
		memory_regions_release(&g->of[k]);
	names_release(&g->names);
	free(g->row);
	free(g->of);
	free(g->pes);
	free(g->count);
}

static char *coefficient(double value, char *buf, size_t size)
{
	char text[QUANTITY_TEXT];

	snprintf(buf, size, "%s", quantity_size_text(value, text));
	return buf;
}

static void row_put(struct table *t, const struct growths *g, const struct grown *row)
{
	const struct grown *all = &g->row[g->row_n - 1];
	struct scaling_point *point = mem_alloc(g->runs->run_n * sizeof(*point));
	struct scaling_model model;
	char law[160] = "not credible", order[80] = "";
	struct region_growth_cells c = {
		.region = row->name ? row->name : "all",
		.bytes = row->bytes,
		.growth = row->growth,
		.share = all->growth > 0 ? memory_pct(row->growth, all->growth) : NAN,
		.model = law,
		.order = order};

	for (size_t k = 0; k < g->runs->run_n; k++)
		point[k] = (struct scaling_point){(double)g->pes[k], row->run[k]};
	scaling_fit(point, g->runs->run_n, scaling_options(point, g->runs->run_n), &model);
	if (scaling_credible(&model)) {
		scaling_model_text(&model, coefficient, law, sizeof(law));
		scaling_orders_text(&model, order, sizeof(order));
	}
	table_row(t);
	table_put_fields(t, &c);
	free(point);
}

static void print(const struct growths *g, const struct report_options *o,
		  const struct memory_query *q, FILE *f, size_t width)
{
	struct table *t = table_new("Memory by region that allocates");
	size_t shown = report_rows_shown(o, g->row_n - 1, TEXT_TOP);
	struct field_each each[EACHES] = {0};

	for (size_t i = 0; i < g->count_n; i++)
		field_each_add(&each[EACH_COUNT],
			       mem_printf("%zu", g->count[i]),
			       mem_printf("%zu PE%s", g->count[i], plural(g->count[i])));
	table_fields_each(t, memory_region_growth_fields, 0, NULL, each);
	table_order(t, "most growth first");
	report_notes(t, g->runs);
	table_note(t, "%s%s.",
		   q->measure == MEMORY_CUMULATIVE
			   ? "Bytes allocated in each region"
			   : "Bytes allocated less bytes freed in each region",
		   q->per == MEMORY_PER_JOB ? ", in the job" : ", mean per PE");
	for (size_t i = 0; i < shown; i++)
		row_put(t, g, &g->row[i]);
	table_rule(t);
	row_put(t, g, &g->row[g->row_n - 1]);
	if (shown < g->row_n - 1)
		table_remark(t, "%zu of %zu regions; --top 0 lists all.", shown, g->row_n - 1);
	table_remark(t, "Memory freed in a region may have been allocated in another.");
	report_table(t, o, f, width);
	for (size_t i = 0; i < EACHES; i++)
		field_each_release(&each[i]);
}

int report_region_growth(const struct report_options *o, const struct report_runs *r,
			 const struct memory_query *q, FILE *f, size_t width, struct error *e)
{
	struct growths g = {.runs = r};
	int code = 0;

	if (o->format == REPORT_SVG)
		return error_set(e, ERROR_USAGE, "memory-scaling: --by region has no picture");
	if (q->measure == MEMORY_PEAK || q->per == MEMORY_PER_MAX)
		return error_set(
			e, ERROR_USAGE,
			"memory-scaling: --by region has the views live and cumulative, per "
			"pe or job");
	g.of = mem_alloc(r->run_n * sizeof(*g.of));
	g.pes = mem_alloc(r->run_n * sizeof(*g.pes));
	for (size_t k = 0; k < r->run_n; k++) {
		memory_regions_init(&g.of[k], r->run[k].profile);
		g.pes[k] = profile_pes(r->run[k].profile);
	}
	for (size_t k = 0; !code && k < r->run_n; k++)
		if (!g.of[k].row_n || !g.pes[k])
			code = error_set(e, ERROR_INPUT,
					 "%s: it does not contain in which regions memory was "
					 "allocated",
					 r->run[k].name);
	if (!code) {
		counts_find(&g);
		rows_find(&g, q);
		print(&g, o, q, f, width);
	}
	release(&g);
	return code;
}
