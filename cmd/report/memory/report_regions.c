/* report_regions.c: tau-report memory --by region: in which regions memory was allocated and freed. */
#include <math.h>

#include "analyze/base/quantity.h"
#include "analyze/profile/profile.h"
#include "cmd/picture/bars.h"
#include "analyze/memory/memory_regions.h"
#include "cmd/report/memory/memory_tables.h"
#include "cmd/report/memory/report_memory_scaling.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "cmd/table/table_text.h"

#define TEXT_TOP 30
#define BARS_TOP 16

/* Tables that have a column. */
enum { WITH_HEAP = 1, WITHOUT_HEAP = 2 };

/* One row, a member for each column. */
struct regions_cells {
	const char *region;
	double allocated, share, blocks, freed, blocks_freed, kept, heap_grown,
		heap_shrunk, heap_most;
};

/* clang-format off: one column, one paragraph */
const struct table_field memory_region_fields[] = {
	{FIELD(struct regions_cells, region), TABLE_TEXT, "region", NULL,
	 .meaning = "innermost region that was open"},
	{FIELD(struct regions_cells, allocated), TABLE_BYTES, "allocated", NULL,
	 .meaning = "bytes allocated in the region"},
	{FIELD(struct regions_cells, share), TABLE_NUMBER, "share", NULL, "%", .precision = 1,
	 .spare = 2, .meaning = "share of all bytes"},
	{FIELD(struct regions_cells, blocks), TABLE_NUMBER, "blocks", NULL,
	 .meaning = "number of blocks with these bytes"},
	{FIELD(struct regions_cells, freed), TABLE_BYTES, "freed", NULL,
	 .meaning = "bytes freed in the region"},
	{FIELD(struct regions_cells, blocks_freed), TABLE_NUMBER, "blocks_freed", "blocks freed",
	 .spare = 3, .meaning = "number of blocks freed in the region"},
	{FIELD(struct regions_cells, kept), TABLE_BYTES, "kept", "allocated - freed",
	 .meaning = "allocated minus freed bytes", .formula = "allocated - freed"},
	{FIELD(struct regions_cells, heap_grown), TABLE_BYTES, "heap_grown", "heap grown",
	 .only = WITH_HEAP,
	 .meaning = "change or maximum of the process's heap while the region was "
		    "open"},
	{FIELD(struct regions_cells, heap_shrunk), TABLE_BYTES, "heap_shrunk", "heap shrunk",
	 .only = WITH_HEAP,
	 .meaning = "change or maximum of the process's heap while the region was "
		    "open"},
	{FIELD(struct regions_cells, heap_most), TABLE_BYTES, "heap_most", "most in use",
	 .only = WITH_HEAP,
	 .meaning = "change or maximum of the process's heap while the region was "
		    "open"},
	{0},
};
/* clang-format on */

static void row_put(struct table *t, const struct memory_regions *g, const struct memory_region *v,
		    const char *name)
{
	struct regions_cells c = {.region = name,
				  .allocated = v->allocated,
				  .share = memory_pct(v->allocated, g->all.allocated),
				  .blocks = v->blocks,
				  .freed = v->freed,
				  .blocks_freed = v->blocks_freed,
				  .kept = v->allocated - v->freed,
				  .heap_grown = v == &g->all ? NAN : v->grown,
				  .heap_shrunk = v == &g->all ? NAN : v->shrunk,
				  .heap_most = v->most};

	if (!g->blocks)
		c.allocated = c.share = c.blocks = c.freed = c.blocks_freed = c.kept = NAN;
	table_row(t);
	table_put_fields(t, &c);
}

static void regions_print(const struct memory_regions *g, const struct report_options *o,
			   const struct report_runs *r, FILE *f, size_t width)
{
	size_t shown = report_rows_shown(o, g->row_n, TEXT_TOP);
	struct memory_region rest = {0};
	struct table *t = table_new("Memory by region: allocated and freed in it, in the job");
	char name[64];

	table_fields(t, memory_region_fields, g->heap ? WITH_HEAP : WITHOUT_HEAP, NULL);
	report_notes(t, r);
	snprintf(name, sizeof(name), "others (%zu)", g->row_n - shown);
	for (size_t i = shown; i < g->row_n; i++)
		memory_region_add(&rest, &g->row[i]);
	for (size_t i = 0; i <= g->row_n; i++) {
		const struct memory_region *v = i < shown       ? &g->row[i]
						: i == g->row_n ? &g->all
								: &rest;

		if (i == shown)
			table_rule(t);
		row_put(t, g, v, i < shown ? v->name : i == g->row_n ? "all" : name);
		if (i >= shown && i < g->row_n)
			i = g->row_n - 1;
	}
	table_remark(t, "Memory freed in a region may have been allocated in another.");
	if (g->heap)
		table_remark(t, "heap grown, shrunk: change of the heap of the process over each "
				"call, including callees: rows do not add up.");
	report_table(t, o, f, width);
}

/* What is freed in it, and what it keeps. */
static char *region_detail(const struct memory_region *v)
{
	char freed[QUANTITY_TEXT], kept[QUANTITY_TEXT];

	return mem_printf("%.0f block%s; %s freed in it, difference %s", v->blocks,
			  plural((size_t)v->blocks), quantity_size_text(v->freed, freed),
			  quantity_size_text(v->allocated - v->freed, kept));
}

/* Allocated bytes are not known by region: as of a census, at its end. */
static int filter_outside(const struct memory_regions *g)
{
	for (size_t i = 1; i < g->row_n; i++)
		if (g->row[i].allocated > 0)
			return 0;
	return !g->row_n || g->row[0].name[0] == '(';
}

/* Where the heap was recorded and no single blocks. */
static void heap_draw(const struct memory_regions *g, const struct report_options *o,
		      struct bars *b)
{
	size_t most = o->top > 0 ? (size_t)o->top : BARS_TOP;
	char size[3][QUANTITY_TEXT];

	b->title = "Where the heap grows";
	for (size_t i = 0; i < g->row_n && b->row_n < most; i++) {
		const struct memory_region *v = &g->row[i];

		if (!(v->most > 0))
			continue;
		bars_add(b, v->name,
			 mem_printf("%s smaller, at most %s in use",
				    quantity_size_text(v->shrunk, size[0]),
				    quantity_size_text(v->most, size[1])),
			 v->grown, mem_string(quantity_size_text(v->grown, size[2])), 1);
	}
	b->foot = "Bars: growth of the heap of the process during the region, including callees.";
}

/* Regions by what was allocated in them; those that neither allocated nor freed are in tables only. */
static void blocks_draw(const struct memory_regions *g, const struct report_options *o,
			struct bars *b)
{
	size_t most = o->top > 0 ? (size_t)o->top : BARS_TOP, busy = 0, left;
	struct memory_region rest = {0};
	char size[QUANTITY_TEXT];

	while (busy < g->row_n && (g->row[busy].allocated > 0 || g->row[busy].freed > 0))
		busy++;
	most = most < busy ? most : busy;
	left = busy - most;
	for (size_t i = most; i < busy; i++)
		memory_region_add(&rest, &g->row[i]);
	for (size_t i = 0; i < most + (left > 0); i++) {
		const struct memory_region *v = i < most ? &g->row[i] : &rest;
		char *name = i < most ? mem_string(v->name)
				      : mem_printf("%zu other region%s", left, plural(left));

		bars_add(b, name, region_detail(v), v->allocated,
			 quantity_with_percent(quantity_size_text(v->allocated, size),
					       memory_pct(v->allocated, g->all.allocated)),
			 i < most ? 1 : -1);
		free(name);
	}
	b->title = "Where memory is allocated";
	b->foot = "Bars: bytes allocated while the region was the innermost one. Memory freed in a "
		  "region may have been allocated in another.";
}

static void regions_draw(const struct memory_regions *g, const struct report_options *o,
			 const struct report_runs *r, FILE *f)
{
	size_t pes = profile_pes(r->run[0].profile);
	char size[QUANTITY_TEXT], freed[QUANTITY_TEXT];
	struct bars b = {0};

	if (g->heap && filter_outside(g))
		heap_draw(g, o, &b);
	else
		blocks_draw(g, o, &b);
	b.subtitle = mem_printf("%s, %zu PE%s: %s allocated in the job, %s freed.", r->run[0].name,
				pes, plural(pes), quantity_size_text(g->all.allocated, size),
				quantity_size_text(g->all.freed, freed));
	bars_print(&b, f);
	free((char *)b.subtitle);
	bars_release(&b);
}

int report_regions(const struct report_options *o, const struct report_runs *r, FILE *f,
		   size_t width, struct error *e)
{
	struct memory_regions g;
	int rc = 0;

	memory_regions_init(&g, r->run[0].profile);
	if (!g.row_n)
		rc = error_set(e, ERROR_INPUT,
			       "%s: it does not contain in which regions memory was allocated",
			       r->run[0].name);
	else if (o->format == REPORT_SVG)
		regions_draw(&g, o, r, f);
	else
		regions_print(&g, o, r, f, width);
	memory_regions_release(&g);
	return rc;
}
