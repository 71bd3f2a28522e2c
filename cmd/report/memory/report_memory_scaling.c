/* report_memory_scaling.c: tau-report memory-scaling: what grows with the number of PEs, with sentences around the tables. */
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

/* ---- the lines above and below the table ---- */

/* Text that grows at its end; what does not fit is cut. */
struct words {
	char text[900];
	size_t n;
};

static void print_words(struct words *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void print_words(struct words *w, const char *format, ...)
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

	print_words(&w, "Runs: %zu, on ", r->run_n);
	for (size_t i = 0; i < m->pes_n; i++) {
		size_t n = 0;

		for (size_t k = 0; k < m->s->run_n; k++)
			n += m->s->run[k]->pes == m->pes[i];
		print_words(&w, "%s%zu", i ? ", " : "", m->pes[i]);
		if (n > 1)
			print_words(&w, " (%zu times)", n);
	}
	print_words(&w, " PE%s. Window: %s.", plural(m->pes_n > 1 ? 2 : m->pes[0]),
		    load_window_words(window));
	table_note(t, "%s", w.text);
	if (m->pes_n < SCALING_POINTS_MIN)
		table_note(t, "Models of growth need runs on at least %d different numbers of PEs.",
			   SCALING_POINTS_MIN);
	table_fact_number(t, "runs", (double)r->run_n);
	table_fact_text(t, "window", window ? window : "");
}

static void print_percent(struct words *w, double pct)
{
	char text[QUANTITY_TEXT];

	if (isfinite(pct))
		print_words(w, "%s", quantity_percent_text(pct, text));
	else
		print_words(w, "nothing to type");
}

/* How many slabs do not grow, and the names of the largest two. */
static void print_slabs(struct words *w, const struct memory_shown *m)
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
	print_words(w, "%zu slab%s", n, plural(n));
	if (m->pes_n > 1)
		print_words(w, " that do%s not grow", n == 1 ? "es" : "");
	if (n)
		print_words(w,
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

	print_words(&typed, "%s: ", c->lead);
	print_words(&loose, "  without ");
	print_slabs(&loose, m);
	print_words(&loose, ": ");
	print_words(&owned, "  without these slabs, with untyped bytes that a typed object owns: ");
	print_words(&held, "  and with untyped bytes that a global variable owns: ");
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
		print_words(&typed, "%s", comma);
		print_percent(&typed, all);
		print_words(&typed, i ? " of %s on %zu" : " typed of %s per PE on %zu PE%s",
			    quantity_size_text(sum.bytes, size), m->pes[i], plural(m->pes[i]));
		print_words(&loose, "%s", comma);
		print_percent(&loose, bare);
		print_words(&owned, "%s", comma);
		print_percent(&owned, reach);
		print_words(&held, "%s", comma);
		print_percent(&held, most);
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
	const int mpich = !strcmp(memory_mpi(m->s), "MPICH");
	const struct circle circles[] = {
		{ "openmpi", mpich ? "MPICH's own bytes" : "Open MPI's own bytes",
		  MEMORY_OPENMPI },
		{ "runtime", "With its libraries (PMIx, UCX, ...)", MEMORY_SUPPORT },
	};
	struct words other = { 0 };
	char size[QUANTITY_TEXT];

	for (size_t i = 0; i < sizeof(circles) / sizeof(*circles); i++)
		note_circle(t, m, &circles[i]);
	print_words(&other, "Program and other libraries: ");
	for (size_t i = 0; i < m->pes_n; i++) {
		struct memory_share s;

		memory_share_at(m, m->pes[i], &s);
		fact(t, "other", "bytes", m->pes[i], s.part[MEMORY_OTHER].bytes);
		if (!i || i + 1 == m->pes_n)
			print_words(&other, "%s%s", i ? ", " : "",
				    quantity_size_text(s.part[MEMORY_OTHER].bytes, size));
	}
	table_note(t, "%s per PE", other.text);
	if (mpich)
		table_note(t, "MPICH has no class system, so its bytes have no type. --by region "
			      "lists the functions of MPI whose allocations grow, --by site "
			      "--top 0 the places in its code.");
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
	print_words(&w, "%s's own bytes: %suntyped ones of", memory_mpi(m->s),
		    strcmp(memory_mpi(m->s), "MPICH") ? "classes of OPAL, and " : "");
	for (size_t k = 0; (prefix = memory_side_get(k, &side)); k++) {
		if (side != last)
			print_words(&w, "; its libraries: classes of PMIx, and untyped ones of");
		print_words(&w, "%s %s*", k && side == last ? "," : "", prefix);
		last = side;
	}
	table_remark(t, "%s.", w.text);
}

static void print_table(const struct memory_shown *m, const struct report_options *o,
			const struct report_runs *r, FILE *f, size_t width)
{
	struct table *t = o->format == REPORT_TEXT ? memory_scaling_text(m)
						  : memory_scaling_data(m);

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

	if (!rc && o->by && !strcmp(o->by, "region")) {
		free(run);
		return report_region_growth(o, r, &q, out->file, width, e);
	}
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

static const struct report_by bys[] = {
	MEMORY_BY_ROWS,
	[MEMORY_BYS] = {"region", "region that allocates"},
	{0},
};

const struct report_kind kind_memory_scaling = {
	.name = "memory-scaling",
	.columns = (const struct table_field *const[]){memory_scaling_text_fields,
						       memory_scaling_data_fields,
						       memory_region_growth_fields, NULL},
	.about = "which object types grow with the number of PEs, and how",
	.question = QUESTION_MEMORY,
	.runs = "RUN RUN...",
	.example = "--predict 1048576 run2 run4 run8",
	.print = report_memory_scaling,
	.options = "view per by where at predict",
	.by = bys,
	.values = (const struct report_values[]){
		{"view", memory_views, NULL},
		{"per", memory_pers_and_max, NULL},
		{0},
	},
	.title = "Memory scaling",
	.page = REPORT_PAGE_BOTH,
	.several = 1,
};
