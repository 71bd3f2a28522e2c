/*
 * report_growth.c: tau-report memory-growth: the fewest rows (type, owners, site) that explain most
 * of what a PE of a larger job has more than a PE of a smaller one, and how each grows.
 */
#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/memory/memory.h"
#include "analyze/scaling/scaling.h"
#include "analyze/trace/memory_type.h"
#include "cmd/picture/bars.h"
#include "cmd/picture/short_names.h"
#include "cmd/report/report.h"
#include "cmd/report/report_gate.h"
#include "cmd/report/memory/report_memory_scaling.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "cmd/table/table_text.h"

#define EXPLAINED_PCT 90
#define WHOLE         1e-9
#define BARS_MOST     14

/* What is printed about the growth of one row. */
struct growth_order {
	char words[240];
	int known;
};

/* The means per PE of one row at the ends. */
struct growth_ends {
	double pes[2], bytes[2], blocks[2];
};

static int is_whole(double v)
{
	return fabs(v - round(v)) <= WHOLE * fmax(1, fabs(v));
}

static struct growth_ends ends_of(const struct memory_shown *m, const struct memory_growth *g)
{
	struct growth_ends e;

	for (int i = 0; i < 2; i++) {
		size_t pes = m->pes[i ? m->pes_n - 1 : 0];

		e.pes[i] = (double)pes;
		e.bytes[i] = memory_at(m, g, pes, MEMORY_PER_PE, 0);
		e.blocks[i] = memory_at(m, g, pes, MEMORY_PER_PE, 1);
	}
	return e;
}

/*
 * Two counts of PEs do not determine a curve. But some things nothing but a table with an entry for
 * each PE is likely to do: bytes in whole proportion to the PEs, and a whole number of further
 * blocks, all of one size, for each PE that was added to a row that was there before.
 */
static void order_of_two(const struct growth_ends *e, struct growth_order *o)
{
	double added = e->pes[1] - e->pes[0], each = e->bytes[1] / e->pes[1],
	       blocks = (e->blocks[1] - e->blocks[0]) / added, size = e->bytes[1] / e->blocks[1];
	static const char law[] = "O(P) per PE, so O(P^2) in the job";

	if (e->bytes[0] > 0 && each >= 1 && is_whole(each) &&
	    fabs(e->bytes[0] / e->pes[0] - each) <= WHOLE * each)
		snprintf(o->words, sizeof(o->words), "%s: %.0f B x P", law, each);
	else if (e->blocks[0] > 0 && is_whole(blocks) && round(blocks) >= 1 &&
		 fabs(e->bytes[0] / e->blocks[0] - size) <= WHOLE * size)
		snprintf(o->words, sizeof(o->words), "%s: %.0f block%s of %.10g B more for each PE",
			 law, blocks, plural((size_t)round(blocks)), size);
	else
		return;
	o->known = 1;
}

static void order_of(const struct memory_shown *m, const struct memory_growth *g,
		     struct growth_order *o)
{
	const struct scaling_model *model = &g->model;
	char order[64], whole[64], law[160];
	struct scaling_term each = model->term, job = each;
	struct growth_ends e = ends_of(m, g);

	memset(o, 0, sizeof(*o));
	if (m->pes_n < POINTS_MODEL) {
		order_of_two(&e, o);
		if (!o->known)
			snprintf(o->words, sizeof(o->words), "%s",
				 e.bytes[0] == 0 ? "new"
						 : "too few counts for a model");
		return;
	}
	o->known = scaling_credible(model);
	if (!o->known) {
		snprintf(o->words, sizeof(o->words), "not credible: %s", model->why);
		return;
	}
	if (model->c0 == 0 && model->c1 == 0) {
		snprintf(o->words, sizeof(o->words), "zero on every number of PEs");
		return;
	}
	/* What is constant, or falls towards something, does not grow. */
	if (model->c1 == 0 || (model->term.i_over < 0 && model->c0 != 0))
		each = job = (struct scaling_term){0, 1, 0};
	job.i_over += job.i_under;
	scaling_order_text(&each, order, sizeof(order));
	scaling_order_text(&job, whole, sizeof(whole));
	memory_growth_words(m, model, law, sizeof(law));
	snprintf(o->words, sizeof(o->words), "%s per PE, so %s in the job: %.60s", order, whole,
		 law);
}

/* The program and the runtime below it are analysed separately: growth of one is explained while
 * the other shrinks. */
enum part { PROGRAM, RUNTIME, PARTS };

struct judged {
	char *words[PARTS];
	double growth[PARTS];
	int grew[PARTS];	/* is in what is explained */
	double total;		/* of those that grew */
	const struct memory_growth **row;	/* of these, the largest growth first */
	size_t row_n, row_cap;
	size_t *number;		/* of each in the series */
};

static enum part part_of(const struct memory_growth *g)
{
	return g->side == MEMORY_OTHER ? PROGRAM : RUNTIME;
}

static void judge(const struct memory_series *s, struct judged *j)
{
	memset(j, 0, sizeof(*j));
	j->words[PROGRAM] = mem_string("program and other libraries");
	j->words[RUNTIME] = mem_printf("%s and its libraries", memory_mpi(s));
	j->number = mem_alloc((s->row_n + 1) * sizeof(*j->number));
	for (size_t i = 0; i < s->row_n; i++)
		j->growth[part_of(&s->row[i])] += s->row[i].last - s->row[i].first;
	for (enum part p = 0; p < PARTS; p++) {
		j->grew[p] = j->growth[p] > 0;
		j->total += j->grew[p] ? j->growth[p] : 0;
	}
	/* Peaks of rows do not add up: what counts is that everything has grown. */
	if (s->query.measure == MEMORY_PEAK) {
		j->grew[PROGRAM] = j->grew[RUNTIME] = 1;
		j->total = s->all.last - s->all.first;
	}
	for (size_t i = 0; i < s->row_n; i++)
		if (j->grew[part_of(&s->row[i])]) {
			j->number[j->row_n] = i;
			*array_add(j, row) = &s->row[i];
		}
}

static void judged_release(struct judged *j)
{
	for (enum part p = 0; p < PARTS; p++)
		free(j->words[p]);
	free(j->row);
	free(j->number);
}

/* "program and other libraries +1.20 MiB, Open MPI and its libraries -12.0 KiB" */
static char *judged_words(const struct judged *j)
{
	char size[PARTS][QUANTITY_TEXT];

	for (enum part p = 0; p < PARTS; p++)
		quantity_size_text(fabs(j->growth[p]), size[p]);
	return mem_printf("%s %s%s, %s %s%s", j->words[PROGRAM],
			  j->growth[PROGRAM] < 0 ? "-" : "+", size[PROGRAM], j->words[RUNTIME],
			  j->growth[RUNTIME] < 0 ? "-" : "+", size[RUNTIME]);
}

/* What is known of the bytes that a larger PE has more: of each the first that is known. */
enum known { KNOWN_TYPE, KNOWN_OWNER, KNOWN_VARIABLE, KNOWN_SITE, KNOWN_NOTHING, KNOWN };

static enum known known_of(const struct memory_growth *g)
{
	if (g->kind != MEMORY_UNTYPED && g->kind != MEMORY_UNACCOUNTED)
		return KNOWN_TYPE;
	if (g->owner)
		return memory_class_read(g->parent).kind == MEMORY_VARIABLE ? KNOWN_VARIABLE
									    : KNOWN_OWNER;
	return g->site ? KNOWN_SITE : KNOWN_NOTHING;
}

static void known_print(struct table *t, const struct judged *j)
{
	static const char *const keys[KNOWN] = {"typed_pct", "owned_by_object_pct",
						"owned_by_variable_pct", "site_only_pct",
						"unknown_pct"};
	double pct[KNOWN] = {0};
	char text[3][QUANTITY_TEXT];

	for (size_t i = 0; i < j->row_n; i++)
		pct[known_of(j->row[i])] += 100 * (j->row[i]->last - j->row[i]->first) / j->total;
	for (enum known k = 0; k < KNOWN; k++)
		table_fact_number(t, keys[k], pct[k]);
	table_remark(t,
		     "Of the growth, %s has a type, %s is owned by objects and %s "
		     "by global variables.",
		     quantity_percent_text(pct[KNOWN_TYPE], text[0]),
		     quantity_percent_text(pct[KNOWN_OWNER], text[1]),
		     quantity_percent_text(pct[KNOWN_VARIABLE], text[2]));
}

/* How many of the rows, sorted by growth, make up the share; at
 * least one. */
static size_t explaining(const struct judged *j)
{
	double sum = 0;
	size_t n = 0;

	while (n < j->row_n && sum < EXPLAINED_PCT / 100.0 * j->total &&
	       j->row[n]->last > j->row[n]->first) {
		sum += j->row[n]->last - j->row[n]->first;
		n++;
	}
	return n;
}

/* One row, a member for each column. */
struct growth_cells {
	struct memory_names name;
	const char *kind;
	double before, after, growth, share, blocks_before, blocks_after;
	const char *order;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	MEMORY_NAMES(struct growth_cells, name),
	{FIELD(struct growth_cells, kind), TABLE_TEXT, "kind", NULL, .spare = 6,
	 .meaning = "objects, slabs (blocks that hold many objects), or bytes "
		    "without a type"},
	{FIELD(struct growth_cells, before), TABLE_BYTES, "before", NULL, .spare = 2,
	 .meaning = "bytes per PE on the smallest number of PEs"},
	{FIELD(struct growth_cells, after), TABLE_BYTES, "after", NULL, .spare = 3,
	 .meaning = "bytes per PE on the largest number of PEs"},
	{FIELD(struct growth_cells, growth), TABLE_BYTES, "growth", NULL,
	 .meaning = "growth in bytes per PE", .formula = "after - before"},
	{FIELD(struct growth_cells, share), TABLE_NUMBER, "share", "of the growth", "%",
	 .precision = 1, .spare = 1, .meaning = "this growth as a share of the growth of all rows"},
	{FIELD(struct growth_cells, blocks_before), TABLE_NUMBER, "blocks_before", NULL,
	 .precision = 1, .spare = 5, .meaning = "blocks per PE"},
	{FIELD(struct growth_cells, blocks_after), TABLE_NUMBER, "blocks_after", NULL,
	 .precision = 1, .spare = 4, .meaning = "blocks per PE"},
	{FIELD(struct growth_cells, order), TABLE_TEXT, "order", NULL,
	 .meaning = "growth per PE in O notation"},
	{0},
};
/* clang-format on */

static void row_print(struct table *t, const struct memory_shown *m, const struct memory_growth *g,
		      double total, const char *kind, const char *order)
{
	struct growth_ends e = ends_of(m, g);

	table_row(t);
	table_put_fields(t, &(struct growth_cells){
				    .name = memory_names_of(g),
				    .kind = kind,
				    .before = g->first,
				    .after = g->last,
				    .growth = g->last - g->first,
				    .share = 100 * (g->last - g->first) / total,
				    .blocks_before = e.blocks[0],
				    .blocks_after = e.blocks[1],
				    .order = order,
			    });
}

/* A heading with a number of PEs. */
static void heading(struct table *t, size_t offset, const char *before, size_t pes,
		    const char *after)
{
	char *words = mem_printf("%son %zu%s", before, pes, after);

	table_field_heading(t, offset, words);
	free(words);
}

static struct table *table_make(const struct memory_shown *m)
{
	struct table *t = table_new("What explains the growth");
	size_t first = m->pes[0], last = m->pes[m->pes_n - 1];

	table_fields(t, fields, memory_names_shown(MEMORY_BY_ALL), NULL);
	heading(t, offsetof(struct growth_cells, before), "", first, first == 1 ? " PE" : " PEs");
	heading(t, offsetof(struct growth_cells, after), "", last, last == 1 ? " PE" : " PEs");
	heading(t, offsetof(struct growth_cells, blocks_before), "blocks ", first, "");
	heading(t, offsetof(struct growth_cells, blocks_after), "", last, "");
	return t;
}

/* The sum of rows of the series. */
static void sum_print(struct table *t, const struct memory_shown *m, const size_t *row, size_t n,
		      char *name, double total)
{
	struct memory_growth sum;

	if (n) {
		memory_series_sum(m->s, row, n, name, &sum);
		row_print(t, m, &sum, total, "sum", NULL);
		memory_growth_release(&sum);
	}
	free(name);
}

/* What the part that did not grow has lost, so that everything adds up. */
static void shrunk_print(struct table *t, const struct memory_shown *m, const struct judged *j)
{
	size_t *row = mem_alloc((m->s->row_n + 1) * sizeof(*row));

	for (enum part p = 0; p < PARTS; p++) {
		size_t n = 0;

		for (size_t i = 0; i < m->s->row_n && !j->grew[p]; i++)
			if (part_of(&m->s->row[i]) == p)
				row[n++] = i;
		sum_print(t, m, row, n, mem_printf("%s (%zu)", j->words[p], n), NAN);
	}
	free(row);
}

/* Growth of everything, in relation to what the smallest run has. */
static enum gate_verdict growth_verdict(const struct memory_series *s, double gate)
{
	return gate_limit((s->all.last - s->all.first) / s->all.first, gate);
}

/* The rows that explain, what is left, and everything: three parts that add up. */
static void growth_print(const struct report_options *o, const struct report_runs *r,
			 const struct memory_shown *m, const struct judged *j,
			 enum gate_verdict verdict, FILE *f, size_t width)
{
	const struct memory_series *s = m->s;
	double all = s->all.last - s->all.first, explained = 0;
	struct report_options chosen = *o; /* --sort cuts no row: the others are already added up */
	size_t n = explaining(j), shown = o->top >= 0 && o->top ? (size_t)o->top : n;
	struct table *t = table_make(m);
	char size[QUANTITY_TEXT], share[QUANTITY_TEXT], *parts = judged_words(j);
	struct growth_order order;

	report_notes(t, r);
	table_note(t, "Growth: %s%s %s, from %zu to %zu PEs; %s.", all < 0 ? "-" : "",
		   quantity_size_text(fabs(all), size),
		   s->query.per == MEMORY_PER_JOB ? "in the job" : "per PE", s->fewest, s->most,
		   memory_view_titles[s->query.measure]);
	gate_note(t, verdict, o->gate);
	if (s->query.measure != MEMORY_PEAK)
		table_note(t, "Of these: %s.", parts);
	for (enum part p = 0; p < PARTS; p++)
		if (!j->grew[p])
			table_note(t, "Explained: the growth of %s.",
				   j->words[!p]);
	for (size_t i = 0; i < n; i++)
		explained += j->row[i]->last - j->row[i]->first;
	if (!o->top || shown > j->row_n)
		shown = j->row_n;
	for (size_t i = 0; i < shown; i++) {
		order_of(m, j->row[i], &order);
		row_print(t, m, j->row[i], j->total, memory_kind_words[j->row[i]->kind],
			  order.words);
	}
	table_rule(t);
	sum_print(t, m, j->number + shown, j->row_n - shown,
		  mem_printf("others (%zu)", j->row_n - shown), j->total);
	shrunk_print(t, m, j);
	row_print(t, m, &s->all, j->grew[PROGRAM] && j->grew[RUNTIME] ? j->total : NAN, "all",
		  NULL);
	table_fact_number(t, "growth_bytes", all);
	table_fact_number(t, "growth_program_bytes", j->growth[PROGRAM]);
	table_fact_number(t, "growth_runtime_bytes", j->growth[RUNTIME]);
	table_fact_number(t, "explaining_rows", (double)n);
	table_fact_number(t, "explained_pct", 100 * explained / j->total);
	table_remark(t, "The first %zu of %zu rows explain %s of the growth.", n, j->row_n,
		     quantity_percent_text(100 * explained / j->total, share));
	if (s->query.measure != MEMORY_PEAK && s->query.by != MEMORY_BY_TYPE &&
	    s->query.by != MEMORY_BY_SITE)
		known_print(t, j);
	chosen.top = 0;
	report_table(t, &chosen, f, width);
	free(parts);
}

static void growth_draw(const struct memory_shown *m, const struct judged *j, FILE *f)
{
	const struct memory_series *s = m->s;
	double total = j->total, shown = 0;
	struct bars b = {.title = "What explains the growth of memory"};
	char from[QUANTITY_TEXT], to[QUANTITY_TEXT], *parts = judged_words(j);
	size_t n = explaining(j);
	struct growth_order order;

	for (size_t i = 0; i < n && i < BARS_MOST; i++) {
		const struct memory_growth *g = j->row[i];
		double growth = g->last - g->first;

		order_of(m, g, &order);
		shown += growth;
		bars_add(
			&b, g->type, place_words(g->owner, g->site, 0), growth,
			quantity_with_percent(quantity_size_text(growth, to), 100 * growth / total),
			order.known);
		bars_more(&b, mem_string(order.words), place_words(g->owner, g->site, 1));
	}
	bars_add(&b, "everything else",
		 mem_printf("%zu row%s", j->row_n - b.row_n, plural(j->row_n - b.row_n)),
		 total - shown,
		 quantity_with_percent(quantity_size_text(total - shown, to),
				       100 * (total - shown) / total),
		 -1);
	b.subtitle = mem_printf("From %zu to %zu PEs %s goes from %s to %s (%s)%s%s.", s->fewest,
				s->most, s->query.per == MEMORY_PER_JOB ? "the job" : "each PE",
				quantity_size_text(s->all.first, from),
				quantity_size_text(s->all.last, to),
				memory_view_titles[s->query.measure],
				j->grew[PROGRAM] && j->grew[RUNTIME] ? "" : ": ",
				j->grew[PROGRAM] && j->grew[RUNTIME] ? "" : parts);
	b.foot = "Blue: the order of growth is known. Yellow: it is unknown. Grey: the sum of rows "
		 "not shown.";
	bars_print(&b, f);
	free((char *)b.subtitle);
	free(parts);
	bars_release(&b);
}

static int report_memory_growth(const struct report_options *o, const struct report_runs *r,
				struct output *out, size_t width, struct error *e)
{
	struct memory **run = mem_alloc(r->run_n * sizeof(*run));
	struct memory_series series = {0};
	struct memory_shown shown;
	struct memory_query q;
	enum gate_verdict verdict = GATE_NONE;
	double gate;
	int rc = memory_query_read(o, &q, e);

	rc = rc ? rc : gate_percent(o->gate, &gate, e);
	for (size_t k = 0; !rc && k < r->run_n; k++) {
		run[k] = memory_new(r->run[k].profile);
		if (!run[k]->pes_counted)
			rc = report_no_memory(&r->run[k], e);
	}
	if (!rc) {
		struct judged j;

		memory_series_init(&series, (const struct memory *const *)run, r->run_n, &q);
		memory_shown_init(&shown, &series, 0, 0);
		judge(&series, &j);
		verdict = growth_verdict(&series, gate);
		if (series.fewest == series.most)
			rc = error_set(e, ERROR_USAGE,
				       "memory-growth needs runs with different numbers of PEs");
		else if (!(j.total > 0) && verdict == GATE_NONE)
			rc = error_set(e, ERROR_INPUT, "nothing has grown from %zu to %zu PEs",
				       series.fewest, series.most);
		else if (o->format == REPORT_SVG)
			growth_draw(&shown, &j, out->file);
		else
			growth_print(o, r, &shown, &j, verdict, out->file, width);
		judged_release(&j);
		memory_shown_release(&shown);
		memory_series_release(&series);
	}
	for (size_t k = 0; k < r->run_n; k++)
		memory_free(run[k]);
	free(run);
	return rc ? rc : gate_status(verdict);
}

const struct report_kind kind_memory_growth = {
	.name = "memory-growth",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "what explains the difference between runs",
	.question = QUESTION_MEMORY,
	.runs = "RUN RUN...",
	.example = "--gate 10% run2 run4",
	.print = report_memory_growth,
	.options = "view per by where at gate",
	.by = memory_bys,
	.values = (const struct report_values[]){
		{"view", memory_views, NULL},
		{"per", memory_pers, NULL},
		{0},
	},
	.by_default = "all",
};
