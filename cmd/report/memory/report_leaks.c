/* report_leaks.c: tau-report leaks: what was never freed, and how it was found. */
#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/memory/leaks.h"
#include "analyze/profile/profile.h"
#include "cmd/picture/bars.h"
#include "cmd/picture/flame.h"
#include "cmd/picture/short_names.h"
#include "cmd/report/memory/report_memory_scaling.h"
#include "cmd/report/report.h"
#include "cmd/report/report_gate.h"
#include "cmd/shared/choice.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "cmd/table/table_text.h"
#include "record/metadata.h"

#define TEXT_TOP 30
#define BARS_TOP 16

static const char *const hows[] = {
	[LEAKS_LOST] = "lost",
	[LEAKS_INDIRECT] = "with lost",
	[LEAKS_REACHABLE] = "reachable",
};

/* One row, a member for each column. */
struct leaks_cells {
	const char *what;
	struct memory_names name;
	double bytes, share;
	int64_t blocks;
	double largest;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct leaks_cells, what), TABLE_TEXT, "what", NULL,
	 .meaning = "lost: nothing points to the block at the end; with lost: only "
		    "lost blocks point to it; reachable: something else points to it"},
	MEMORY_NAMES(struct leaks_cells, name),
	{FIELD(struct leaks_cells, bytes), TABLE_BYTES, "bytes", NULL,
	 .meaning = "bytes that were never freed"},
	{FIELD(struct leaks_cells, share), TABLE_NUMBER, "share", NULL, "%", .precision = 1,
	 .spare = 1, .meaning = "share of all bytes"},
	{FIELD(struct leaks_cells, blocks), TABLE_INTEGER, "blocks", NULL,
	 .meaning = "number of these blocks"},
	{FIELD(struct leaks_cells, largest), TABLE_BYTES, "largest_pe", "largest PE", .spare = 2,
	 .meaning = "bytes on the PE that has the most"},
	{0},
};
/* clang-format on */

static void sum_print(struct table *t, const char *name, double bytes, double all, double blocks)
{
	table_row(t);
	table_put_fields(t, &(struct leaks_cells){
				    .name.type = name,
				    .bytes = bytes,
				    .share = all > 0 ? 100 * bytes / all : NAN,
				    .blocks = (int64_t)blocks,
				    .largest = NAN,
			    });
}

/* lines: paths of calls, each call on a line of its own. */
static void row_print(struct table *t, const struct leaks_row *r, double all, int lines)
{
	table_row(t);
	table_put_fields(t, &(struct leaks_cells){
				    .what = hows[r->how],
				    .name = {r->type, r->owner,
					     lines ? report_path_inner(r->site) : r->site},
				    .bytes = r->bytes,
				    .share = all > 0 ? 100 * r->bytes / all : NAN,
				    .blocks = (int64_t)r->blocks,
				    .largest = r->bytes_max,
			    });
	if (lines)
		report_path_rows(t, table_field_at(t, offsetof(struct leaks_cells, name.site)),
				 r->site);
}

static void rows_print(struct table *t, const struct leaks *l, size_t shown, double all, int lines)
{
	double bytes = 0, blocks = 0, all_blocks = 0;
	char others[48];

	for (size_t i = 0; i < l->row_n; i++) {
		const struct leaks_row *r = &l->row[i];

		all_blocks += r->blocks;
		if (i < shown) {
			row_print(t, r, all, lines);
			continue;
		}
		bytes += r->bytes;
		blocks += r->blocks;
	}
	table_rule(t);
	snprintf(others, sizeof(others), "others (%zu)", l->row_n - shown);
	if (shown < l->row_n)
		sum_print(t, others, bytes, all, blocks);
	sum_print(t, "all", all, all, all_blocks);
}

static void leaks_print(const struct report_options *o, const struct report_runs *r,
			const struct leaks *l, enum gate_verdict verdict, FILE *f, size_t width)
{
	double lost = l->bytes[LEAKS_LOST] + l->bytes[LEAKS_INDIRECT];
	double lost_blocks = l->blocks[LEAKS_LOST] + l->blocks[LEAKS_INDIRECT];
	char size[2][QUANTITY_TEXT];
	struct table *t = table_new("Never freed");
	int any = 0;

	table_fields(t, fields, memory_names_shown(MEMORY_BY_ALL), NULL);
	for (size_t i = 0; i < l->row_n; i++)
		any |= report_is_path(l->row[i].site);
	report_notes(t, r);
	if (o->paths)
		report_paths_note(t, any);
	table_note(t, "Lost: %s in %.0f block%s; still reachable: %s in %.0f block%s.",
		   quantity_size_text(lost, size[0]), lost_blocks, plural((size_t)lost_blocks),
		   quantity_size_text(l->bytes[LEAKS_REACHABLE], size[1]),
		   l->blocks[LEAKS_REACHABLE], plural((size_t)l->blocks[LEAKS_REACHABLE]));
	gate_note(t, verdict, o->gate);
	table_fact_number(t, "lost_bytes", lost);
	table_fact_number(t, "lost_blocks", lost_blocks);
	table_fact_number(t, "reachable_bytes", l->bytes[LEAKS_REACHABLE]);
	rows_print(t, l, report_rows_shown(o, l->row_n, TEXT_TOP),
		   lost + l->bytes[LEAKS_REACHABLE], o->paths && o->format == REPORT_TEXT);
	table_remark(t, "lost: no pointer leads to the block; with lost: only pointers in lost "
			"blocks; reachable: a pointer in a variable or on a stack.");
	report_table(t, o, f, width);
}

static void leaks_fold(const struct leaks *l, FILE *f)
{
	for (size_t i = 0; i < l->row_n; i++)
		report_path_folded(f, hows[l->row[i].how], l->row[i].site, l->row[i].type,
				   l->row[i].bytes);
}

static void leaks_flame(const struct leaks *l, const struct report_runs *r, FILE *f)
{
	double lost = l->bytes[LEAKS_LOST] + l->bytes[LEAKS_INDIRECT];
	struct flame flame = {0};
	char size[2][QUANTITY_TEXT],
		*subtitle = mem_printf("%s: %s lost, %s still reachable at the end.",
				       r->run[0].title, quantity_size_text(lost, size[0]),
				       quantity_size_text(l->bytes[LEAKS_REACHABLE], size[1]));

	for (size_t i = 0; i < l->row_n; i++)
		flame_add(&flame, l->row[i].site, l->row[i].type, l->row[i].bytes,
			  l->row[i].how == LEAKS_REACHABLE);
	flame_print(&flame, "Call paths of blocks that were never freed", subtitle,
		    "Yellow: lost, without a pointer or with pointers only in lost blocks. Blue: "
		    "reachable from a variable or a stack.",
		    f);
	flame_release(&flame);
	free(subtitle);
}

/* Type as the name, owner and site below it. */
static char *row_detail(const struct leaks_row *r)
{
	char *place = place_words(r->owner, r->site, 0);
	char *s = mem_printf("%.0f block%s%s%s", r->blocks, plural((size_t)r->blocks),
			     *place ? ", " : "", place);

	free(place);
	return s;
}

static void leaks_draw(const struct report_options *o, const struct report_runs *r,
		       const struct leaks *l, FILE *f)
{
	double lost = l->bytes[LEAKS_LOST] + l->bytes[LEAKS_INDIRECT];
	double all = lost + l->bytes[LEAKS_REACHABLE], rest = all;
	size_t most = o->top > 0 ? (size_t)o->top : BARS_TOP;
	struct bars b = {.title = "Blocks that were never freed"};
	char size[2][QUANTITY_TEXT];

	for (size_t i = 0; i < l->row_n && i < most; i++) {
		const struct leaks_row *v = &l->row[i];

		bars_add(&b, v->type, row_detail(v), v->bytes,
			 mem_printf("%s, %s", quantity_size_text(v->bytes, size[0]), hows[v->how]),
			 v->how == LEAKS_REACHABLE);
		bars_more(&b, NULL, place_words(v->owner, v->site, 1));
		rest -= v->bytes;
	}
	if (l->row_n > most)
		bars_add(&b, "everything else",
			 mem_printf("%zu row%s", l->row_n - most, plural(l->row_n - most)), rest,
			 quantity_with_percent(quantity_size_text(rest, size[0]),
					       all > 0 ? 100 * rest / all : 0),
			 -1);
	b.subtitle = mem_printf("%s: %s lost, %s still reachable at the end.", r->run[0].title,
				quantity_size_text(lost, size[0]),
				quantity_size_text(l->bytes[LEAKS_REACHABLE], size[1]));
	b.foot = "Yellow: lost, without a pointer or with pointers only in lost blocks. Blue: "
		 "reachable from a variable or a stack. Grey: the sum of what is not shown.";
	bars_print(&b, f);
	free((char *)b.subtitle);
	bars_release(&b);
}

/* Why leaks were not searched; NULL: they were. */
static const char *not_looked_for(const struct profile *p)
{
	const char *why = NULL;

	for (uint32_t i = 0; i < p->thread_n && !why; i++)
		if (profile_meta(p, i, TAU_META_MEMORY_LEAKS_NOT_LOOKED_FOR))
			why = profile_meta(p, i, TAU_META_MEMORY_STOPPED_US)
				      ? "--budget had stopped the recording of memory"
				      : "memory tracking was off for a time (--control no-memory)";
	return why;
}

static int report_leaks(const struct report_options *o, const struct report_runs *r,
			struct output *out, size_t width, struct error *e)
{
	static const enum leaks_owners owners[] = {LEAKS_OWNERS, LEAKS_NO_OWNERS, LEAKS_OWNERS,
						   LEAKS_PARENTS, LEAKS_NO_OWNERS};
	static const int sites[] = {1, 0, 0, 0, 1};
	const struct report_run *run = r->run;
	struct leaks l;
	enum gate_verdict verdict;
	size_t by = 0;
	double gate;
	int rc = 0;

	if (report_one_run(r, "leaks", e) || gate_bytes(o->gate, &gate, e))
		return e->code;
	if (!o->paths && report_by(o, &by, e))
		return e->code;
	leaks_init(&l, r->run[0].profile, owners[by], sites[by]);
	verdict = gate_limit(l.bytes[LEAKS_LOST] + l.bytes[LEAKS_INDIRECT], gate);
	if (l.row_n && o->format == REPORT_FOLDED)
		leaks_fold(&l, out->file);
	else if (l.row_n && o->format == REPORT_SVG && o->paths)
		leaks_flame(&l, r, out->file);
	else if (l.row_n && o->format == REPORT_SVG)
		leaks_draw(o, r, &l, out->file);
	else if (l.row_n)
		leaks_print(o, r, &l, verdict, out->file, width);
	else if (not_looked_for(run->profile))
		rc = error_set(e, ERROR_INPUT,
			       "%s: leaks were not searched, because %s", run->name,
			       not_looked_for(run->profile));
	else
		rc = error_set(e, ERROR_INPUT,
			       "%s: it contains no leak search. Try: tau-record --memory=leaks, "
			       "and let the program run to its end",
			       r->run[0].name);
	leaks_release(&l);
	return rc ? rc : gate_status(verdict);
}

static const struct report_by bys[] = {
	{"all", "type, owners and call site"},
	{"type", "type of object"},
	{"owner", "type, and the chain of types that own its objects"},
	{"parent", "type and immediate owner"},
	{"site", "type and call site, if call sites were recorded"},
	{"stack", "type and call stack, if stacks were recorded"},
	{0},
};

const struct report_kind kind_leaks = {
	.name = "leaks",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "blocks that were never freed",
	.question = QUESTION_MEMORY,
	.example = "--by stack run",
	.print = report_leaks,
	.options = "by where at gate",
	.by = bys,
	.at_end = 1,
	.paths = 1,
	.title = "Leaks",
	.page = REPORT_PAGE_TABLES,
};
