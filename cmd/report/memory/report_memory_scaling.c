/* report_memory_scaling.c: tau-report memory-scaling: the table of what grows, with the sentences around it. */
#include "analyze/base/quantity.h"
#include "analyze/profile/memory_side.h"
#include "analyze/scaling/scaling.h"
#include "cmd/table/table_text.h"
#include "convert/load.h"
#include "cmd/report/memory/report_memory_scaling.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cmd/report/report.h"
#include "cmd/table/table.h"

#define TEXT_TOP 20
#define CHART_TOP 6

/* How good the fit is, or why there is none. */
static char *fit_words(const struct memory_shown *shown, const struct memory_growth *g, char *buf,
		       size_t size)
{
	const struct scaling_model *m = &g->model;
	const char *comma = m->why[0] ? ", " : "";
	char share[QUANTITY_TEXT];

	if (m->verdict == SCALING_EXACT)
		snprintf(buf, size, "exact%s%s", comma, m->why);
	else if (m->verdict == SCALING_CREDIBLE)
		snprintf(buf, size, "R2 %.4f, leave-one-out error %.2g %%%s%.40s", m->adjusted_r2,
			 m->cv_smape_pct, comma, m->why);
	else if (m->verdict == SCALING_SUM)
		snprintf(buf, size, "%s of it in rows with a model",
			 quantity_percent_text(memory_modelled_pct(shown->s, g), share));
	else
		snprintf(buf, size, "%s", m->why);
	return buf;
}

/* ---- the lines above and below the table ---- */

/* Text that grows at its end; what does not fit is cut. */
struct words {
	char text[900];
	size_t n;
};

static void say(struct words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct words *w, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(w->text + w->n, sizeof(w->text) - w->n, format, args);
	va_end(args);
	if (n > 0)
		w->n = w->n + (size_t)n < sizeof(w->text) ? w->n + (size_t)n : sizeof(w->text) - 1;
}

static void note_runs(struct table *t, const struct memory_shown *m, const struct report_runs *r)
{
	struct words w = { 0 };
	const char *window = r->run[0].profile->window;

	say(&w, "Runs: %zu, on ", r->run_n);
	for (size_t i = 0; i < m->pes_n; i++) {
		size_t n = 0;

		for (size_t k = 0; k < m->s->run_n; k++)
			n += m->s->run[k]->pes == m->pes[i];
		say(&w, "%s%zu", i ? ", " : "", m->pes[i]);
		if (n > 1)
			say(&w, " (%zu times)", n);
	}
	say(&w, " PE%s. Window: %s.", plural(m->pes_n > 1 ? 2 : m->pes[0]),
	    load_window_words(window));
	table_note(t, "%s", w.text);
	if (m->pes_n < SCALING_POINTS_MIN)
		table_note(t, "Models of growth need runs on at least %d different numbers of PEs.",
			   SCALING_POINTS_MIN);
	table_fact_number(t, "runs", (double)r->run_n);
	table_fact_text(t, "window", window ? window : "");
}

static void say_percent(struct words *w, double pct)
{
	char text[QUANTITY_TEXT];

	if (isfinite(pct))
		say(w, "%s", quantity_percent_text(pct, text));
	else
		say(w, "nothing to type");
}

/* How many slabs do not grow, and the names of the largest two. */
static void say_slabs(struct words *w, const struct memory_shown *m)
{
	const struct memory_growth *large[2] = { NULL, NULL };
	size_t n = 0;

	for (size_t i = 0; i < m->s->row_n; i++) {
		const struct memory_growth *g = &m->s->row[i];

		if (!g->fixed)
			continue;
		n++;
		if (!large[0] || g->last > large[0]->last) {
			large[1] = large[0];
			large[0] = g;
		} else if (!large[1] || g->last > large[1]->last) {
			large[1] = g;
		}
	}
	say(w, "%zu slab%s", n, plural(n));
	if (m->pes_n > 1)
		say(w, " that do%s not grow", n == 1 ? "es" : "");
	if (n)
		say(w,
		    n > 2   ? " (%s, %s and %zu more)"
		    : n > 1 ? " (%s, %s)"
			    : " (%s)",
		    large[0]->name, n > 1 ? large[1]->name : "", n - 2);
}

/* The sentence about one set of bytes: Open MPI alone, or with the libraries below it. */
struct circle {
	const char *key, *lead;
	enum memory_side last;	/* sides 0 to last */
};

static struct memory_part circle_sum(const struct memory_share *s, enum memory_side last)
{
	struct memory_part sum = { 0 };

	for (enum memory_side side = 0; side <= last; side++) {
		sum.bytes += s->part[side].bytes;
		sum.typed += s->part[side].typed;
		sum.fixed += s->part[side].fixed;
		sum.owned += s->part[side].owned;
		sum.held += s->part[side].held;
	}
	return sum;
}

static void fact(struct table *t, const char *circle, const char *what, size_t pes, double value)
{
	char key[96];

	snprintf(key, sizeof(key), "%s_%s_%zu", circle, what, pes);
	table_fact_number(t, key, value);
}

/* Text has the ends of the series; CSV and JSON have every step. */
static void note_circle(struct table *t, const struct memory_shown *m, const struct circle *c)
{
	struct words typed = { 0 }, loose = { 0 }, owned = { 0 }, held = { 0 };
	char size[QUANTITY_TEXT];
	int any = 0, any_owned = 0, any_held = 0;

	say(&typed, "%s: ", c->lead);
	say(&loose, "  without ");
	say_slabs(&loose, m);
	say(&loose, ": ");
	say(&owned, "  without these slabs, with untyped bytes that a typed object owns: ");
	say(&held, "  and with untyped bytes that a global variable owns: ");
	for (size_t i = 0; i < m->pes_n; i++) {
		const char *comma = i ? ", " : "";
		struct memory_share s;
		struct memory_part sum;
		double all, bare, reach, most;

		memory_share_at(m, m->pes[i], &s);
		sum = circle_sum(&s, c->last);
		all = memory_pct(sum.typed, sum.bytes);
		bare = memory_pct(sum.typed - sum.fixed, sum.bytes - sum.fixed);
		reach = memory_pct(sum.typed - sum.fixed + sum.owned, sum.bytes - sum.fixed);
		most = memory_pct(sum.typed - sum.fixed + sum.owned + sum.held,
				  sum.bytes - sum.fixed);
		any |= sum.bytes > 0;
		any_owned |= sum.owned > 0;
		any_held |= sum.held > 0;
		fact(t, c->key, "bytes", m->pes[i], sum.bytes);
		fact(t, c->key, "typed_pct", m->pes[i], all);
		fact(t, c->key, "typed_without_fixed_slabs_pct", m->pes[i], bare);
		fact(t, c->key, "typed_or_owned_without_fixed_slabs_pct", m->pes[i], reach);
		fact(t, c->key, "with_variables_without_fixed_slabs_pct", m->pes[i], most);
		if (i && i + 1 < m->pes_n)
			continue;
		say(&typed, "%s", comma);
		say_percent(&typed, all);
		say(&typed, i ? " of %s on %zu" : " typed of %s per PE on %zu PE%s",
		    quantity_size_text(sum.bytes, size), m->pes[i], plural(m->pes[i]));
		say(&loose, "%s", comma);
		say_percent(&loose, bare);
		say(&owned, "%s", comma);
		say_percent(&owned, reach);
		say(&held, "%s", comma);
		say_percent(&held, most);
	}
	if (any) {
		table_note(t, "%s", typed.text);
		table_note(t, "%s", loose.text);
	} else {
		table_note(t, "%s: none", c->lead);
	}
	if (any_owned)
		table_note(t, "%s", owned.text);
	if (any_held)
		table_note(t, "%s", held.text);
}

static void note_share(struct table *t, const struct memory_shown *m)
{
	static const struct circle circles[] = {
		{ "openmpi", "Open MPI's own bytes", MEMORY_OPENMPI },
		{ "runtime", "With its libraries (PMIx, UCX, ...)", MEMORY_SUPPORT },
	};
	struct words other = { 0 };
	char size[QUANTITY_TEXT];

	for (size_t i = 0; i < sizeof(circles) / sizeof(*circles); i++)
		note_circle(t, m, &circles[i]);
	say(&other, "Program and other libraries: ");
	for (size_t i = 0; i < m->pes_n; i++) {
		struct memory_share s;

		memory_share_at(m, m->pes[i], &s);
		fact(t, "other", "bytes", m->pes[i], s.part[MEMORY_OTHER].bytes);
		if (!i || i + 1 == m->pes_n)
			say(&other, "%s%s", i ? ", " : "",
			    quantity_size_text(s.part[MEMORY_OTHER].bytes, size));
	}
	table_note(t, "%s per PE", other.text);
}

static void note_lost(struct table *t, const struct memory_shown *m, const struct report_runs *r)
{
	double lost = 0;

	for (size_t k = 0; k < r->run_n; k++) {
		const struct memory *run = m->s->run[k];

		lost += run->lost;
		if (run->lost > 0)
			table_note(t, "Lost events: %.0f in %s: its numbers are incomplete.",
				   run->lost, r->run[k].name);
		if (run->pes_counted < run->pes)
			table_note(t,
				   "%s: %zu of %zu PEs have no memory counters; means are over the "
				   "others.",
				   r->run[k].name, run->pes - run->pes_counted, run->pes);
	}
	if (!lost)
		table_note(t, "Lost events: none.");
	table_fact_number(t, "lost_events", lost);
	report_load_notes(t, r);
}

static void remarks(struct table *t, const struct memory_shown *m)
{
	struct words w = { 0 };
	enum memory_side side, last = MEMORY_OPENMPI;
	const char *prefix;
	int slabs = 0;

	for (size_t i = 0; i < m->s->row_n; i++)
		slabs |= m->s->row[i].kind == MEMORY_SLAB;
	if (slabs)
		table_remark(t, "NAME[]: blocks that free lists divide into many objects; each "
				"counts as one object.");
	if (m->s->query.measure == MEMORY_PEAK)
		table_remark(t, "Peaks are at different times, so the rows add up to more than the "
				"total.");
	say(&w, "Open MPI's own bytes: classes of OPAL, and untyped ones of");
	for (size_t k = 0; (prefix = memory_side_get(k, &side)); k++) {
		if (side != last)
			say(&w, "; its libraries: classes of PMIx, and untyped ones of");
		say(&w, "%s %s*", k && side == last ? "," : "", prefix);
		last = side;
	}
	table_remark(t, "%s.", w.text);
}

/* ---- the table ---- */

/* The columns that a person reads; one PE count has no growth. */
static void text_row(struct table *t, const struct memory_shown *m, const struct memory_growth *g)
{
	enum memory_per per = m->s->query.per;
	size_t most = m->pes[m->pes_n - 1], c;
	char text[200];

	table_row(t);
	c = memory_name_cells(t, g, m->s->query.by);
	for (size_t k = 0; k < m->pes_n; k++)
		table_put_number(t, c++, memory_at(m, g, m->pes[k], per, 0));
	if (m->pes_n > 1) {
		table_put_number(t, c++, memory_growth_pct(m, g));
		table_put_text(t, c++, memory_growth_words(m, &g->model, text, sizeof(text)));
		table_put_text(t, c++, memory_order_words(m, g, text, sizeof(text)));
		table_put_text(t, c++, fit_words(m, g, text, sizeof(text)));
		c = memory_predict_cells(t, c, m, g);
	}
	table_put_number(t, c++, memory_at(m, g, most, per, 1));
	table_put_number(
		t, c++,
		memory_at(m, g, most, per == MEMORY_PER_MAX ? MEMORY_PER_PE : MEMORY_PER_MAX, 0));
	table_put_number(
		t, c++,
		memory_at(m, g, most, per == MEMORY_PER_JOB ? MEMORY_PER_PE : MEMORY_PER_JOB, 0));
}

static struct table *text_table(const struct memory_shown *m)
{
	enum memory_per per = m->s->query.per;
	size_t most = m->pes[m->pes_n - 1], c;
	struct table *t;
	char text[200];

	snprintf(text, sizeof(text), "Memory by object %s: %s, %s",
		 memory_by_titles[m->s->query.by], memory_view_titles[m->s->query.measure],
		 memory_per_titles[per]);
	t = table_new(text);
	memory_name_columns(t, m->s->query.by, 0);
	for (size_t i = 0; i < m->pes_n; i++) {
		snprintf(text, sizeof(text), "%zu PE%s", m->pes[i], plural(m->pes[i]));
		c = table_column(t, TABLE_BYTES, text, NULL, NULL, 0);
		/* The ends matter most: those between are removed last, and evenly. */
		if (i && i + 1 < m->pes_n)
			table_column_spare(t, c, 2 + (int)(i % 2));
	}
	if (m->pes_n > 1) {
		table_column_spare(t, table_column(t, TABLE_NUMBER, "share", "growth", "%", 1), 1);
		table_column(t, TABLE_TEXT, "model",
			     per == MEMORY_PER_JOB ? "model of the job" : "model per PE", NULL, 0);
		table_column(t, TABLE_TEXT, "order", NULL, NULL, 0);
		table_column_spare(t, table_column(t, TABLE_TEXT, "fit", NULL, NULL, 0), 1);
		memory_predict_columns(t, m);
	}
	snprintf(text, sizeof(text), "objects on %zu", most);
	table_column_spare(t, table_column(t, TABLE_NUMBER, "objects", text, NULL, 1), 6);
	snprintf(text, sizeof(text), per == MEMORY_PER_MAX ? "mean" : "largest PE");
	table_column_spare(t, table_column(t, TABLE_BYTES, "second", text, NULL, 0), 5);
	table_column_spare(t,
			   table_column(t, TABLE_BYTES, "third",
					per == MEMORY_PER_JOB ? "mean" : "job", NULL, 0),
			   4);
	for (size_t i = 0; i <= m->row_n; i++) {
		if (i == m->rule || i == m->row_n)
			table_rule(t);
		text_row(t, m, i < m->row_n ? m->row[i] : &m->s->all);
	}
	return t;
}

/* Everything that is known, for machines. */
static const struct {
	const char *name;
	enum memory_per per;
	int objects;
} measured[] = {
	{ "mean_bytes", MEMORY_PER_PE, 0 },	 { "largest_bytes", MEMORY_PER_MAX, 0 },
	{ "job_bytes", MEMORY_PER_JOB, 0 },	 { "mean_objects", MEMORY_PER_PE, 1 },
	{ "largest_objects", MEMORY_PER_MAX, 1 }, { "job_objects", MEMORY_PER_JOB, 1 },
};
#define MEASURED (sizeof(measured) / sizeof(*measured))

static void callstack_row(struct table *t, const struct memory_shown *m,
			  const struct memory_growth *g, const char *kind)
{
	static const char *const verdict[] = {"exact", "credible", "constant",
					      "steps", "late growth", "not credible", "sum"};
	static const char *const part[] = { "Open MPI", "support", "other" };
	const struct scaling_model *model = &g->model;
	int credible = scaling_credible(model);
	/* The sum of other rows and the sum of all have no owner of their own. */
	int one_part = g->kind == MEMORY_UNTYPED || (strcmp(kind, "sum") && strcmp(kind, "all"));
	char text[200];
	size_t c;

	table_row(t);
	c = memory_name_cells(t, g, MEMORY_BY_ALL);
	table_put_text(t, c++, kind);
	table_put_text(t, c++, one_part ? part[g->side] : NULL);
	for (size_t i = 0; i < m->pes_n; i++)
		for (size_t k = 0; k < MEASURED; k++)
			table_put_number(
				t, c++,
				memory_at(m, g, m->pes[i], measured[k].per, measured[k].objects));
	table_put_number(t, c++, g->last - g->first);
	table_put_number(t, c++, memory_growth_pct(m, g));
	table_put_text(t, c++, verdict[model->verdict]);
	table_put_text(t, c++, model->why);
	memory_order_words(m, g, text, sizeof(text));
	table_put_text(t, c++, *text ? text : NULL);
	/* A model that is not credible is not handed to programs either. */
	table_put_number(t, c++, credible ? model->c0 : NAN);
	table_put_number(t, c++, credible ? model->c1 : NAN);
	table_put_number(t, c++, credible ? (double)model->term.i_over / model->term.i_under : NAN);
	table_put_number(t, c++, credible ? model->term.j : NAN);
	table_put_number(t, c++, credible ? model->adjusted_r2 : NAN);
	table_put_number(t, c++, credible ? model->smape_pct : NAN);
	table_put_number(t, c++, credible ? model->cv_smape_pct : NAN);
	memory_predict_machine_cells(t, c, m, g);
}

static struct table *callstack_table(const struct memory_shown *m)
{
	static const struct {
		enum table_type type;
		const char *key;
	} tail[] = {
		{TABLE_BYTES, "growth_bytes"},
		{TABLE_NUMBER, "growth_pct"},
		{TABLE_TEXT, "verdict"},
		{TABLE_TEXT, "why"},
		{TABLE_TEXT, "order"},
		{TABLE_BYTES, "c0"},
		{TABLE_BYTES, "c1"},
		{TABLE_NUMBER, "exponent"},
		{TABLE_NUMBER, "log2_exponent"},
		{TABLE_NUMBER, "adjusted_r2"},
		{TABLE_NUMBER, "smape_pct"},
		{TABLE_NUMBER, "cv_smape_pct"},
	};
	struct table *t = table_new("memory-scaling");
	char key[64];

	memory_name_columns(t, MEMORY_BY_ALL, 0);
	table_column(t, TABLE_TEXT, "kind", NULL, NULL, 0);
	table_column(t, TABLE_TEXT, "part", NULL, NULL, 0);
	for (size_t i = 0; i < m->pes_n; i++)
		for (size_t k = 0; k < MEASURED; k++) {
			snprintf(key, sizeof(key), "%s_%zu", measured[k].name, m->pes[i]);
			table_column(t, measured[k].objects ? TABLE_NUMBER : TABLE_BYTES, key, NULL,
				     NULL, 0);
		}
	for (size_t i = 0; i < sizeof(tail) / sizeof(*tail); i++)
		table_column(t, tail[i].type, tail[i].key, NULL, NULL, 0);
	memory_predict_machine_columns(t, m);
	for (size_t i = 0; i < m->row_n; i++)
		callstack_row(t, m, m->row[i],
			      i < m->rule ? memory_kind_words[m->row[i]->kind] : "sum");
	callstack_row(t, m, &m->s->all, "all");
	return t;
}

static void print_table(const struct memory_shown *m, const struct report_options *o,
			const struct report_runs *r, FILE *f, size_t width)
{
	struct table *t = o->format == REPORT_TEXT ? text_table(m) : callstack_table(m);

	note_runs(t, m, r);
	note_share(t, m);
	note_lost(t, m, r);
	memory_predict_remarks(t, m);
	remarks(t, m);
	report_table(t, o, f, width);
}

static int report_memory_scaling(const struct report_options *o, const struct report_runs *r,
				 struct output *out, size_t width, struct error *e)
{
	static const long top[] = { TEXT_TOP, 0, 0, CHART_TOP };
	struct memory **run = mem_alloc(r->run_n * sizeof(*run));
	struct memory_series series = { 0 };
	struct memory_shown shown;
	struct memory_query q;
	double *predict = NULL;
	size_t predict_n = 0;
	int rc = memory_query_read(o, &q, e);

	if (!rc)
		rc = memory_predict_read(&o->predict, &predict, &predict_n, e);
	for (size_t k = 0; !rc && k < r->run_n; k++) {
		run[k] = memory_new(r->run[k].profile);
		if (!run[k]->pes_counted)
			rc = report_no_memory(&r->run[k], e);
	}
	if (!rc) {
		memory_series_init(&series, (const struct memory *const *)run, r->run_n, &q);
		memory_shown_init(&shown, &series, o->top >= 0 ? o->top : top[o->format],
				  o->format == REPORT_SVG);
		shown.predict = predict;
		shown.predict_n = predict_n;
		if (!series.row_n)
			rc = error_set(e, ERROR_INPUT, "%s: no counters for this view; see --view",
				       r->run[0].name);
		else if (o->format == REPORT_SVG)
			memory_chart(&shown, out->file);
		else
			print_table(&shown, o, r, out->file, width);
		memory_shown_release(&shown);
		memory_series_release(&series);
	}
	for (size_t k = 0; k < r->run_n; k++)
		memory_free(run[k]);
	free(run);
	free(predict);
	return rc;
}

const struct report_kind kind_memory_scaling = {
	.name = "memory-scaling",
	.about = "which object types grow with the number of PEs, and how",
	.question = QUESTION_MEMORY,
	.runs = "RUN RUN...",
	.example = "--predict 1048576 run2 run4 run8",
	.print = report_memory_scaling,
	.options = "view per by where at predict",
	.by = memory_bys,
	.title = "Memory scaling",
	.page = REPORT_PAGE_BOTH,
	.several = 1,
};
