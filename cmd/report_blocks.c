/*
 * report_blocks.c: reports over the memory of one run: tau-report memory (who holds it) and leaks
 * (what was never freed); and over two: memory-growth (what explains the difference).
 */
#include <math.h>
#include <string.h>

#include "../analyze/blocks.h"
#include "report.h"
#include "table.h"

#define TEXT_TOP  30
#define EXPLAINED 0.9 /* of the growth */

static const enum table_format table_formats[] = {TABLE_AS_TEXT, TABLE_AS_CSV, TABLE_AS_JSON};

static size_t rows_shown(const struct report_options *o, size_t n)
{
	size_t top = o->top > 0                                ? (size_t)o->top
		     : o->top == 0 || o->format != REPORT_TEXT ? n
							       : TEXT_TOP;

	return top < n ? top : n;
}

static int no_picture(const struct report_options *o, const char *kind, struct error *e)
{
	return o->format == REPORT_SVG
		       ? error_set(e, ERROR_USAGE, "--format: %s has no picture", kind)
		       : 0;
}

static void notes(struct table *t, const struct report_runs *r)
{
	for (size_t k = 0; k < r->run_n; k++) {
		const char *window = r->run[k].profile->window;

		table_note(t, "%s: %zu PEs, window: %s.", r->run[k].name,
			   profile_pes(r->run[k].profile), window ? window : "everything");
	}
	for (size_t i = 0; i < r->note_n; i++)
		table_note(t, "%s", r->note[i]);
}

static int one_run(const struct report_runs *r, const char *kind, struct error *e)
{
	return r->run_n == 1 ? 0
			     : error_set(e, ERROR_USAGE, "%s is about one run, %zu were given",
					 kind, r->run_n);
}

/* Type, owner, site, and the numbers; the last row is what is not shown. */
static void rows_print(struct table *t, const struct blocks *b, size_t shown, int with_what)
{
	static const char *const what[] = {[BLOCKS_LOST] = "lost",
					   [BLOCKS_INDIRECT] = "with lost",
					   [BLOCKS_REACHABLE] = "reachable"};
	size_t c = 0, found = with_what ? table_column(t, TABLE_TEXT, "what", NULL, NULL, 0) : 0;
	size_t type = table_column(t, TABLE_TEXT, "type", NULL, NULL, 0);
	size_t owner = table_column(t, TABLE_TEXT, "owner", NULL, NULL, 0);
	size_t site = table_column(t, TABLE_TEXT, "site", NULL, NULL, 0);
	size_t bytes = table_column(t, TABLE_BYTES, "bytes", NULL, NULL, 0);
	size_t share = table_column(t, TABLE_NUMBER, "share", NULL, "%", 1);
	size_t blocks = table_column(t, TABLE_INTEGER, "blocks", NULL, NULL, 0);
	size_t largest = table_column(t, TABLE_BYTES, "largest_pe", "largest PE", NULL, 0);
	double rest = b->bytes, rest_blocks = b->blocks;

	for (; c < shown; c++) {
		const struct blocks_row *r = &b->row[c];

		table_row(t);
		if (with_what)
			table_put_text(t, found, what[r->what]);
		table_put_text(t, type, r->type ? r->type : r->name);
		table_put_text(t, owner, r->owner);
		table_put_text(t, site, r->site);
		table_put_number(t, bytes, r->bytes);
		table_put_number(t, share, b->bytes > 0 ? 100 * r->bytes / b->bytes : NAN);
		table_put_integer(t, blocks, (int64_t)r->blocks);
		table_put_number(t, largest, r->bytes_max);
		rest -= r->bytes;
		rest_blocks -= r->blocks;
	}
	if (shown == b->row_n)
		return;
	table_rule(t);
	table_row(t);
	table_put_text(t, type, "others");
	table_put_number(t, bytes, rest);
	table_put_number(t, share, b->bytes > 0 ? 100 * rest / b->bytes : NAN);
	table_put_integer(t, blocks, (int64_t)rest_blocks);
}

int report_memory(const struct report_options *o, const struct report_runs *r, struct output *out,
		  size_t width, struct error *e)
{
	static const char *const views[] = {"live", "peak", "cumulative"}, *const by[] = {
										   "type", "owner",
										   "site", "pe",
										   "all"};
	size_t view = 0, detail = 0;
	struct blocks b;
	struct table *t;
	char size[TABLE_BYTES_SIZE];

	if (one_run(r, "memory", e) || no_picture(o, "memory", e) ||
	    report_choice("--view", o->view, views, 3, &view, e) ||
	    report_choice("--by", o->by, by, 5, &detail, e))
		return e->code;
	blocks_init(&b, r->run[0].profile, (enum blocks_what)view, (enum blocks_by)detail);
	if (!b.row_n) {
		blocks_release(&b);
		return error_set(
			e, ERROR_INPUT,
			"%s: no memory counters in it; was it recorded with the memory wrapper?",
			r->run[0].name);
	}
	t = table_new(detail == BLOCKS_PE ? "Memory by PE" : "Memory of the job");
	notes(t, r);
	table_note(t, "%s: %s in %.0f blocks.", views[view], table_bytes(b.bytes, size), b.blocks);
	table_fact_number(t, "bytes", b.bytes);
	table_fact_number(t, "blocks", b.blocks);
	rows_print(t, &b, rows_shown(o, b.row_n), 0);
	if (view == BLOCKS_PEAK)
		table_remark(t, "Rows have their peaks at different moments: they add up to more "
				"than all.");
	table_print(t, out->file, table_formats[o->format], width);
	table_free(t);
	blocks_release(&b);
	return 0;
}

int report_leaks(const struct report_options *o, const struct report_runs *r, struct output *out,
		 size_t width, struct error *e)
{
	struct blocks b, lost;
	struct table *t;
	char size[2][TABLE_BYTES_SIZE];

	if (one_run(r, "leaks", e) || no_picture(o, "leaks", e))
		return e->code;
	blocks_init(&lost, r->run[0].profile, BLOCKS_LOST, BLOCKS_FINEST);
	blocks_add(&lost, r->run[0].profile, BLOCKS_INDIRECT, BLOCKS_FINEST);
	blocks_init(&b, r->run[0].profile, BLOCKS_LOST, BLOCKS_FINEST);
	blocks_add(&b, r->run[0].profile, BLOCKS_INDIRECT, BLOCKS_FINEST);
	blocks_add(&b, r->run[0].profile, BLOCKS_REACHABLE, BLOCKS_FINEST);
	if (!b.row_n) {
		blocks_release(&b);
		blocks_release(&lost);
		return error_set(e, ERROR_INPUT,
				 "%s: nothing about leaks in it; was it recorded with "
				 "TAU_TRACK_MEMORY_LEAKS=1, to its end?",
				 r->run[0].name);
	}
	t = table_new("Never freed");
	notes(t, r);
	table_note(t, "Lost: %s in %.0f blocks; still reachable: %s in %.0f blocks.",
		   table_bytes(lost.bytes, size[0]), lost.blocks,
		   table_bytes(b.bytes - lost.bytes, size[1]), b.blocks - lost.blocks);
	table_fact_number(t, "lost_bytes", lost.bytes);
	table_fact_number(t, "lost_blocks", lost.blocks);
	table_fact_number(t, "reachable_bytes", b.bytes - lost.bytes);
	rows_print(t, &b, rows_shown(o, b.row_n), 1);
	table_remark(t, "lost: nothing leads to it; with lost: only lost blocks do; reachable: a "
			"variable or a stack does.");
	table_print(t, out->file, table_formats[o->format], width);
	table_free(t);
	blocks_release(&b);
	blocks_release(&lost);
	return 0;
}

/* ---- growth ---- */

struct growth {
	const struct blocks_row *row; /* of the larger job */
	double before, after, blocks; /* means per PE; blocks: how many more */
};

static int growth_compare(const void *va, const void *vb)
{
	const struct growth *a = va, *b = vb;
	double x = a->after - a->before, y = b->after - b->before;

	return x != y ? (x > y ? -1 : 1) : strcmp(a->row->name, b->row->name);
}

/*
 * Two counts of PEs cannot tell a curve. But a whole number of blocks, or of bytes, for each PE
 * that was added, is what a table with an entry for each PE looks like, and nothing else is likely
 * to.
 */
static const char *order_words(const struct growth *g, double added, char *buf, size_t size)
{
	double blocks = g->blocks / added, bytes = (g->after - g->before) / added;

	if (fabs(blocks - round(blocks)) < 1e-9 && round(blocks) >= 1)
		snprintf(buf, size,
			 "O(P) per PE, so O(P^2) in the job: %.0f block%s more for each PE", blocks,
			 round(blocks) == 1 ? "" : "s");
	else if (fabs(bytes - round(bytes)) < 1e-9 && round(bytes) >= 4)
		snprintf(buf, size, "O(P) per PE, so O(P^2) in the job: %.0f B more for each PE",
			 bytes);
	else
		snprintf(buf, size, "not to be told from two counts");
	return buf;
}

static const struct blocks_row *row_find(const struct blocks *b, const char *name)
{
	for (size_t i = 0; i < b->row_n; i++)
		if (!strcmp(b->row[i].name, name))
			return &b->row[i];
	return NULL;
}

static void growth_print(const struct report_options *o, const struct report_runs *r,
			 const struct growth *g, size_t n, double total, const struct blocks *b,
			 FILE *f, size_t width)
{
	struct table *t = table_new("What explains the growth");
	size_t type = table_column(t, TABLE_TEXT, "type", NULL, NULL, 0);
	size_t owner = table_column(t, TABLE_TEXT, "owner", NULL, NULL, 0);
	size_t site = table_column(t, TABLE_TEXT, "site", NULL, NULL, 0);
	size_t before = table_column(t, TABLE_BYTES, "before", NULL, NULL, 0);
	size_t after = table_column(t, TABLE_BYTES, "after", NULL, NULL, 0);
	size_t share = table_column(t, TABLE_NUMBER, "share", "of the growth", "%", 1);
	size_t order = table_column(t, TABLE_TEXT, "order", NULL, NULL, 0);
	char text[120], size[TABLE_BYTES_SIZE];
	double explained = 0;

	notes(t, r);
	table_note(t, "Growth: %s per PE, from %zu to %zu PEs; mean over PEs.",
		   table_bytes(total, size), b[0].pes, b[1].pes);
	for (size_t i = 0; i < n && explained < EXPLAINED * total; i++) {
		explained += g[i].after - g[i].before;
		table_row(t);
		table_put_text(t, type, g[i].row->type);
		table_put_text(t, owner, g[i].row->owner);
		table_put_text(t, site, g[i].row->site);
		table_put_number(t, before, g[i].before);
		table_put_number(t, after, g[i].after);
		table_put_number(t, share, 100 * (g[i].after - g[i].before) / total);
		table_put_text(
			t, order,
			order_words(&g[i], (double)(b[1].pes - b[0].pes), text, sizeof(text)));
	}
	table_fact_number(t, "growth_bytes_per_pe", total);
	table_fact_number(t, "explained_pct", 100 * explained / total);
	table_remark(t, "These %zu of %zu rows explain %.1f %% of it.", table_rows(t), n,
		     100 * explained / total);
	table_print(t, f, table_formats[o->format], width);
	table_free(t);
}

int report_memory_growth(const struct report_options *o, const struct report_runs *r,
			 struct output *out, size_t width, struct error *e)
{
	static const char *const views[] = {"live", "peak", "cumulative"};
	struct blocks b[2];
	struct growth *g;
	size_t view = 0, small, n;
	double total = 0;

	if (no_picture(o, "memory-growth", e) ||
	    report_choice("--view", o->view, views, 3, &view, e))
		return e->code;
	if (r->run_n != 2 || profile_pes(r->run[0].profile) == profile_pes(r->run[1].profile))
		return error_set(e, ERROR_USAGE,
				 "memory-growth is about two runs with different numbers of PEs");
	small = profile_pes(r->run[0].profile) > profile_pes(r->run[1].profile);
	blocks_init(&b[0], r->run[small].profile, (enum blocks_what)view, BLOCKS_FINEST);
	blocks_init(&b[1], r->run[!small].profile, (enum blocks_what)view, BLOCKS_FINEST);
	n = b[1].row_n;
	g = mem_alloc(n * sizeof(*g));
	for (size_t i = 0; i < n; i++) {
		const struct blocks_row *after = &b[1].row[i],
					*before = row_find(&b[0], after->name);

		g[i] = (struct growth){after, before ? before->bytes / (double)b[0].pes : 0,
				       after->bytes / (double)b[1].pes,
				       after->blocks / (double)b[1].pes -
					       (before ? before->blocks / (double)b[0].pes : 0)};
	}
	if (n)
		qsort(g, n, sizeof(*g), growth_compare);
	total = (b[1].pes ? b[1].bytes / (double)b[1].pes : 0) -
		(b[0].pes ? b[0].bytes / (double)b[0].pes : 0);
	if (total > 0)
		growth_print(o, r, g, n, total, b, out->file, width);
	else
		error_set(e, ERROR_INPUT, "%s: nothing has grown from %s", r->run[!small].name,
			  r->run[small].name);
	free(g);
	blocks_release(&b[0]);
	blocks_release(&b[1]);
	return total > 0 ? 0 : e->code;
}
