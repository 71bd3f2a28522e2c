/* report_tree.c: tau-report tree: call paths with their times, indented, without those below a
 * limit. */
#include <math.h>
#include <string.h>

#include "analyze/profile/call_tree.h"
#include "cmd/report/report.h"
#include "cmd/report/times/time_paths.h"
#include "cmd/report/times/time_tables.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define CUT_TEXT 1.0 /* per cent, where --cut is not given */

/* Which nodes are shown: those of at least `least`, and their callers. */
struct tree_limit {
	double least;
	size_t shown, cut;         /* nodes; subtrees are cut as a whole */
	double cut_excl, cut_most; /* sum of cut nodes, and the largest inclusive value of one */
};

static int larger_first(const void *va, const void *vb)
{
	double a = *(const double *)va, b = *(const double *)vb;

	return (a < b) - (a > b);
}

/* The value of the nth largest node: with --top, smaller ones are not shown. */
static double nth_largest(const struct call_tree *t, size_t n)
{
	double *v = mem_alloc((t->v_n + 1) * sizeof(*v)), least;

	for (size_t i = 0; i < t->v_n; i++)
		v[i] = t->v[i].incl;
	if (t->v_n)
		qsort(v, t->v_n, sizeof(*v), larger_first);
	least = n && n < t->v_n ? v[n - 1] : 0;
	free(v);
	return least;
}

static uint32_t next_shown(const struct call_tree *t, uint32_t at, int *depth, struct tree_limit *l)
{
	at = call_tree_next(t, at, depth);
	while (at != CALL_NONE && t->v[at].incl < l->least) {
		int below = *depth;
		uint32_t k = at;

		l->cut_most = fmax(l->cut_most, t->v[at].incl);
		at = call_tree_skip(t, at, depth);
		do {
			l->cut++;
			l->cut_excl += t->v[k].excl;
			k = call_tree_next(t, k, &below);
		} while (k != at);
	}
	l->shown += at != CALL_NONE;
	return at;
}

/* Tables that have a column. */
enum { AS_TEXT = 1, AS_DATA = 2 };

/* One row, a member for each column. */
struct tree_cells {
	const char *kind;
	int64_t depth;
	const char *path, *region;
	double share, inclusive, exclusive, calls;
	const char *call_path;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct tree_cells, kind), TABLE_TEXT, "kind", NULL, .only = AS_DATA,
	 .meaning = "call path of threads, of queues of devices, or found by "
		    "samples"},
	{FIELD(struct tree_cells, depth), TABLE_INTEGER, "depth", NULL, .only = AS_DATA,
	 .meaning = "number of callers above this row"},
	{FIELD(struct tree_cells, path), TABLE_TEXT, "path", NULL, .only = AS_DATA,
	 .meaning = "regions from the outermost to this one"},
	{FIELD(struct tree_cells, region), TABLE_TEXT, "region", NULL, .only = AS_DATA,
	 .meaning = "name of the region"},
	{FIELD(struct tree_cells, share), TABLE_NUMBER, "share_pct", "%", .precision = 1,
	 .meaning = "inclusive time as a share of the whole time",
	 .formula = "100 * inclusive / whole"},
	{FIELD(struct tree_cells, inclusive), TABLE_NUMBER, "inclusive", NULL, .scaled = 1,
	 .meaning = "time from enter to leave, with the regions that it called; sum "
		    "over all threads; a recursive call counts once",
	 .source = "TAU"},
	{FIELD(struct tree_cells, exclusive), TABLE_NUMBER, "exclusive", NULL, .scaled = 1,
	 .meaning = "time in the region itself, without the regions that it called; "
		    "sum over all threads",
	 .source = "TAU"},
	{FIELD(struct tree_cells, calls), TABLE_NUMBER, "calls", NULL,
	 .meaning = "number of calls, or of samples, over all threads"},
	{FIELD(struct tree_cells, call_path), TABLE_TEXT, "call_path", "call path",
	 .fit = region_name_fit, .only = AS_TEXT,
	 .meaning = "the region, indented below its callers"},
	{0},
};
/* clang-format on */

static void columns(struct table *t, const struct time_columns *c, int text, int samples)
{
	const struct field_scale scale = time_scale(c);

	table_fields(t, fields, text ? AS_TEXT : AS_DATA, &scale);
	if (samples)
		table_field_heading(t, offsetof(struct tree_cells, calls), "samples");
}

/* Deep calls move to the right more slowly. */
static int indent(int depth)
{
	return depth <= 10 ? 2 * depth : depth < 40 ? 10 + depth : 50;
}

/* The name as a line of text, below that of its caller; to be freed. */
static char *line_of(const struct call_node *n, const char *name, int depth)
{
	char *part = region_name_short(name),
	     *line = mem_printf("%*s%s%s", indent(depth), "", n->open ? "... => " : "", part);

	free(part);
	return line;
}

static void row_put(struct table *t, const struct time_paths *a, uint32_t at, int depth)
{
	static const char *const kinds[] = {"thread", "device", "sample"};
	const struct call_tree *tree = &a->tree;
	const struct call_node *n = &tree->v[at];
	int text = a->o->format == REPORT_TEXT;
	const char *name = call_tree_name(tree, at);
	char *path = text ? NULL : call_tree_path(tree, at),
	     *line = text ? line_of(n, name, depth) : NULL;

	table_row(t);
	table_put_fields(t, &(struct tree_cells){
				    .kind = kinds[a->of],
				    .depth = depth,
				    .path = path,
				    .region = name,
				    .share = tree->whole > 0 ? 100 * n->incl / tree->whole : NAN,
				    .inclusive = n->incl,
				    .exclusive = n->excl,
				    .calls = n->calls,
				    .call_path = line,
			    });
	free(path);
	free(line);
}

static void remarks(struct table *t, const struct time_paths *a, const struct tree_limit *l,
		    const struct time_columns *c)
{
	const char *unit = c->unit ? c->unit : "";
	const char *space = c->unit ? " " : "";

	if (l->cut)
		table_remark(t,
			     "%zu call path%s below %.*f%s%s each %s not shown: %.*f%s%s exclusive "
			     "together; --cut 0 shows all.",
			     l->cut, plural(l->cut), c->precision, l->least / c->size, space, unit,
			     l->cut == 1 ? "is" : "are", c->precision, l->cut_excl / c->size, space,
			     unit);
	if (a->tree.open)
		table_remark(t,
			     "Call paths were recorded to a limited depth: before '...' the "
			     "outermost callers are missing.");
	time_paths_remarks(t, a);
}

static void rows_put(struct table *t, const struct time_paths *a, int text, struct tree_limit *l)
{
	const struct report_options *o = a->o;
	int depth = 0;

	*l = (struct tree_limit){.least = (o->cut                ? a->cut
				      : text && o->top < 0 ? CUT_TEXT
							   : 0) /
				     100 * a->tree.whole};
	if (o->top > 0)
		l->least = fmax(l->least, nth_largest(&a->tree, (size_t)o->top));
	for (uint32_t at = next_shown(&a->tree, CALL_NONE, &depth, l); at != CALL_NONE;
	     at = next_shown(&a->tree, at, &depth, l))
		row_put(t, a, at, depth);
}

/* The tree of threads, and below it, in text as a table of its own, that of queues of devices. */
static int report_tree(const struct report_options *o, const struct report_runs *r,
		       struct output *out, size_t width, struct error *e)
{
	int text = o->format == REPORT_TEXT;
	struct tree_limit l;
	struct time_columns c;
	struct time_paths a;
	struct table *t;
	int code = time_paths_begin(&a, "tree", "text csv json", o, r, e);

	if (code)
		return code;
	c = time_columns_of(o, a.p, a.metric, a.tree.whole);
	t = time_paths_table(&a, &c, "Call paths");
	columns(t, &c, text, a.samples);
	rows_put(t, &a, text, &l);
	if (a.of == PATHS_OF_THREADS && a.queues) {
		if (text) {
			remarks(t, &a, &l, &c);
			report_table(t, o, out->file, width);
			putc('\n', out->file);
		}
		time_paths_of_queues(&a);
		if (text) {
			t = table_new(NULL);
			time_paths_note(t, &a, &c);
			columns(t, &c, text, a.samples);
		} else
			table_fact_number(t, "queues_whole", a.tree.whole);
		rows_put(t, &a, text, &l);
	}
	remarks(t, &a, &l, &c);
	report_table(t, o, out->file, width);
	time_paths_end(&a);
	return 0;
}

const struct report_kind kind_tree = {
	.name = "tree",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "call paths and their time",
	.question = QUESTION_SLOW,
	.example = "--cut 5 run",
	.print = report_tree,
	.options = REPORT_PICK "metric where cut samples sample-resolution threads",
	.lacks = "sort",
	.whole = 1,
	.no_memory = 1,
	.part = REPORT_PART_PATHS,
};
