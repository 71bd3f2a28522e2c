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

#define CUT_TEXT 1.0 /* per cent, where --cut is not given */

/* Which nodes are shown: those of at least `least`, and their callers. */
struct limit {
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

static uint32_t next_shown(const struct call_tree *t, uint32_t at, int *depth, struct limit *l)
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

static void columns(struct table *t, const struct time_columns *c, int text, int samples)
{
	if (!text) {
		table_column(t, TABLE_TEXT, "kind", NULL, NULL, 0);
		table_column(t, TABLE_INTEGER, "depth", NULL, NULL, 0);
		table_column(t, TABLE_TEXT, "path", NULL, NULL, 0);
		table_column(t, TABLE_TEXT, "region", NULL, NULL, 0);
	}
	table_column(t, TABLE_NUMBER, "share_pct", "%", NULL, 1);
	time_column(t, c, "inclusive");
	time_column(t, c, "exclusive");
	table_column(t, TABLE_NUMBER, "calls", samples ? "samples" : "calls", NULL, 0);
	if (text)
		table_column_fit(t, table_column(t, TABLE_TEXT, "call_path", "call path", NULL, 0),
				 region_name_fit);
}

/* Deep calls move to the right more slowly. */
static int indent(int depth)
{
	return depth <= 10 ? 2 * depth : depth < 40 ? 10 + depth : 50;
}

static void row_put(struct table *t, const struct time_paths *a, uint32_t at, int depth,
		    const struct time_columns *c, int text)
{
	static const char *const kinds[] = {"thread", "device", "sample"};
	const struct call_tree *tree = &a->tree;
	const struct call_node *n = &tree->v[at];
	const char *name = call_tree_name(tree, at);
	size_t column = 0;

	table_row(t);
	if (!text) {
		char *path = call_tree_path(tree, at);

		table_put_text(t, column++, kinds[a->of]);
		table_put_integer(t, column++, depth);
		table_put_text(t, column++, path);
		table_put_text(t, column++, name);
		free(path);
	}
	table_put_number(t, column++, tree->whole > 0 ? 100 * n->incl / tree->whole : NAN);
	table_put_number(t, column++, n->incl / c->size);
	table_put_number(t, column++, n->excl / c->size);
	table_put_number(t, column++, n->calls);
	if (text) {
		char *part = region_name_short(name);
		const char *above = n->open ? "... => " : "";
		char *line = mem_printf("%*s%s%s", indent(depth), "", above, part);

		table_put_text(t, column, line);
		free(line);
		free(part);
	}
}

static void remarks(struct table *t, const struct time_paths *a, const struct limit *l,
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

static void rows_put(struct table *t, const struct time_paths *a, const struct time_columns *c,
		     int text, struct limit *l)
{
	const struct report_options *o = a->o;
	int depth = 0;

	*l = (struct limit){.least = (o->cut                ? a->cut
				      : text && o->top < 0 ? CUT_TEXT
							   : 0) /
				     100 * a->tree.whole};
	if (o->top > 0)
		l->least = fmax(l->least, nth_largest(&a->tree, (size_t)o->top));
	for (uint32_t at = next_shown(&a->tree, CALL_NONE, &depth, l); at != CALL_NONE;
	     at = next_shown(&a->tree, at, &depth, l))
		row_put(t, a, at, depth, c, text);
}

/* The tree of threads, and below it, in text as a table of its own, that of queues of devices. */
static int report_tree(const struct report_options *o, const struct report_runs *r,
		       struct output *out, size_t width, struct error *e)
{
	int text = o->format == REPORT_TEXT;
	struct limit l;
	struct time_columns c;
	struct time_paths a;
	struct table *t;
	int code = time_paths_begin(&a, "tree", "text csv json", o, r, e);

	if (code)
		return code;
	c = time_columns_of(o, a.p, a.metric, a.tree.whole);
	t = time_paths_table(&a, &c, "Call paths");
	columns(t, &c, text, a.samples);
	rows_put(t, &a, &c, text, &l);
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
		rows_put(t, &a, &c, text, &l);
	}
	remarks(t, &a, &l, &c);
	report_table(t, o, out->file, width);
	time_paths_end(&a);
	return 0;
}

const struct report_kind kind_tree = {
	.name = "tree",
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
