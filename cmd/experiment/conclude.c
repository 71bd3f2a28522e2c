/* conclude.c: prints the plan of an experiment, its times, and reports about its trials. */
#include "cmd/experiment/conclude.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/experiment/narrow.h"
#include "cmd/experiment/run_child.h"
#include "cmd/experiment/run_plan.h"
#include "cmd/shared/installed.h"
#include "cmd/shared/message.h"
#include "cmd/shared/shell_word.h"
#include "cmd/table/table_fields.h"
#include "cmd/table/table_text.h"
#include "convert/io/paths.h"
#include "record/metadata.h"

#define TOP "10"

enum { FAILED_NAMED = 6 }; /* runs in one line */

/* Tables that have a column. */
enum { WITH_SIZES = 1, WITH_VARIANTS = 2, WITH_RATIO = 4, ALWAYS = 8 };

static unsigned columns_of(const struct experiment *x, enum table_format format)
{
	unsigned all = format == TABLE_AS_TEXT ? 0 : WITH_SIZES | WITH_VARIANTS | WITH_RATIO;

	return all | ALWAYS | (x->size_n ? WITH_SIZES : 0) | (x->variant_n ? WITH_VARIANTS : 0) |
	       (x->variant_n > 1 ? WITH_RATIO : 0);
}

/* ---- the plan ---- */

struct plan_cells {
	const char *run, *variant, *state, *command;
	int64_t size, repeat;
};

static const struct table_field plan_fields[] = {
	{FIELD(struct plan_cells, run), TABLE_TEXT, "run", NULL,
	 .meaning = "name of the run, and of its directory"},
	{FIELD(struct plan_cells, variant), TABLE_TEXT, "variant", NULL, .only = WITH_VARIANTS,
	 .meaning = "variant of the program"},
	{FIELD(struct plan_cells, size), TABLE_INTEGER, "size", NULL, .only = WITH_SIZES,
	 .meaning = "what {n} is replaced by"},
	{FIELD(struct plan_cells, repeat), TABLE_INTEGER, "repeat", NULL,
	 .meaning = "number of the run among those of its size and variant"},
	{FIELD(struct plan_cells, state), TABLE_TEXT, "state", NULL,
	 .meaning = "to do; recorded, but not imported; or stored in the database"},
	{FIELD(struct plan_cells, command), TABLE_TEXT, "command", NULL,
	 .meaning = "command that is started"},
	{0},
};

static const char *state_words(enum run_state state)
{
	static const char *const words[] = {"to do", "submitted", "recorded", "stored", "failed"};

	return words[state];
}

static int plan_row(struct table *t, const struct run_all *a, const struct planned_run *r,
		    struct error *e)
{
	const struct experiment_cell *c = &a->p->cell[r->cell];
	struct shell_words words = {0};
	char *directory = run_path(a->p->x, r, ""), *command;
	int code = run_command(a, r, directory, &words, e);

	command = shell_words_text(&words);
	if (code == 0) {
		table_row(t);
		table_put_fields(t, &(struct plan_cells){
					    .run = r->name,
					    .variant = c->variant ? c->variant->name : NULL,
					    .size = c->size ? c->size : FIELD_MISSING,
					    .repeat = r->repeat,
					    .state = state_words(r->state),
					    .command = command,
				    });
	}
	shell_words_release(&words);
	free(directory);
	free(command);
	return code;
}

int conclude_plan(const struct run_all *a, enum table_format format, struct error *e)
{
	const struct experiment *x = a->p->x;
	struct table *t = table_new("Plan of the experiment");
	int code = 0;

	table_fields(t, plan_fields, columns_of(x, format), NULL);
	table_note(t, "%s: %zu run%s in %s, imported into %s.", x->name, a->p->run_n,
		   plural(a->p->run_n), x->output, x->db);
	if (x->until)
		table_note(t,
			   "Then up to %ld of each, until the 95 %% interval of the time is within "
			   "%s of the mean.",
			   x->most, x->until_text);
	for (size_t i = 0; i < a->p->run_n && code == 0; i++)
		code = plan_row(t, a, &a->p->run[i], e);
	if (code == 0)
		table_print(t, stdout, format, 0);
	table_free(t);
	return code;
}

/* ---- the times ---- */

struct conclude_time_cells {
	const char *variant;
	int64_t size, runs, failed;
	double seconds, interval, ratio;
};

static const struct table_field time_fields[] = {
	{FIELD(struct conclude_time_cells, variant), TABLE_TEXT, "variant", NULL,
	 .only = WITH_VARIANTS, .meaning = "variant of the program"},
	{FIELD(struct conclude_time_cells, size), TABLE_INTEGER, "size", NULL, .only = WITH_SIZES,
	 .meaning = "what {n} was replaced by"},
	{FIELD(struct conclude_time_cells, runs), TABLE_INTEGER, "runs", NULL,
	 .meaning = "runs in the database"},
	{FIELD(struct conclude_time_cells, failed), TABLE_INTEGER, "failed", NULL,
	 .meaning = "runs that failed"},
	{FIELD(struct conclude_time_cells, seconds), TABLE_NUMBER, "time_s", "time", .unit = "s",
	 .precision = 3, .meaning = "mean of the times from the first to the last event of a run"},
	{FIELD(struct conclude_time_cells, interval), TABLE_NUMBER, "interval_pct", "+- %",
	 .precision = 1, .meaning = "half of the 95 % interval of the mean, as a share of it",
	 .source = "Student 1908"},
	{FIELD(struct conclude_time_cells, ratio), TABLE_NUMBER, "ratio", NULL, .only = WITH_RATIO,
	 .precision = 3,
	 .meaning = "time as a multiple of that of the first variant on the same size"},
	{0},
};

/* The first variant on the same size. */
static size_t first_of(const struct run_plan *p, size_t cell)
{
	return p->x->variant_n ? cell - cell % p->x->variant_n : cell;
}

static void time_row(struct table *t, const struct run_plan *p, size_t i)
{
	const struct experiment_cell *c = &p->cell[i];
	struct cell_times own, first;

	cell_times_of(p, i, &own);
	cell_times_of(p, first_of(p, i), &first);
	table_row(t);
	table_put_fields(t,
			 &(struct conclude_time_cells){
				 .variant = c->variant ? c->variant->name : NULL,
				 .size = c->size ? c->size : FIELD_MISSING,
				 .runs = (int64_t)run_plan_count(p, i, RUN_STORED),
				 .failed = (int64_t)run_plan_count(p, i, RUN_FAILED),
				 .seconds = own.mean_ns / 1e9,
				 .interval = 100 * own.half_ns / own.mean_ns,
				 .ratio = p->x->variant_n > 1 ? own.mean_ns / first.mean_ns : NAN,
			 });
}

static void times_print(const struct run_plan *p, enum table_format format)
{
	struct table *t = table_new("Times of the experiment");
	size_t wide = 0;

	table_fields(t, time_fields, columns_of(p->x, format), NULL);
	for (size_t i = 0; i < p->cell_n; i++)
		wide += !cell_is_narrow(p, i);
	table_note(t, "%s: runs in %s, trials in %s where " TAU_META_EXPERIMENT_ID "=%s.",
		   p->x->name, p->x->output, p->x->db, p->x->id);
	if (wide)
		table_note(t, "%zu of %zu intervals are wider than %s after %ld runs.", wide,
			   p->cell_n, p->x->until_text, p->x->most);
	for (size_t i = 0; i < p->cell_n; i++)
		time_row(t, p, i);
	table_print(t, stdout, format, format == TABLE_AS_TEXT ? table_width(stdout) : 0);
	table_free(t);
}

/* ---- the reports ---- */

/* Prints the command, and what it prints. A report that fails prints why. */
static int report(struct run_all *a, struct shell_words *words, struct error *e)
{
	char path[PATH_MAX], *text = shell_words_text(words);
	int status = 0, code;
	struct run_child c = {.argv = words->v, .status = &status};

	printf("\n$ %s\n", text);
	fflush(stdout);
	free(text);
	if (!installed_find("tau-report", path))
		return error_set(e, ERROR_SYSTEM, "tau-report was not found beside tau-experiment");
	free(words->v[0]);
	words->v[0] = mem_string(path);
	code = run_child(&a->signals, &c, e);
	shell_words_release(words);
	return code;
}

static void begin(struct shell_words *w, const struct run_all *a, const char *kind)
{
	shell_words_add(w, "tau-report");
	shell_words_add(w, kind);
	shell_words_add(w, "--db");
	shell_words_add(w, a->p->x->db);
	shell_words_add(w, "--top");
	shell_words_add(w, TOP);
}

/* Reports about all sizes of a variant. */
static int report_sizes(struct run_all *a, const char *kind, const char *variant, struct error *e)
{
	struct shell_words w = {0};
	char *where = variant ? mem_printf(TAU_META_EXPERIMENT_ID
					   "=%s and " TAU_META_EXPERIMENT_VARIANT "='%s'",
					   a->p->x->id, variant)
			      : mem_printf(TAU_META_EXPERIMENT_ID "=%s", a->p->x->id);

	begin(&w, a, kind);
	shell_words_add(&w, "--where");
	shell_words_add(&w, where);
	free(where);
	return report(a, &w, e);
}

static size_t sizes_stored(const struct run_plan *p, const struct experiment_variant *v)
{
	size_t n = 0;

	for (size_t i = 0; i < p->cell_n; i++)
		n += p->cell[i].variant == v && run_plan_count(p, i, RUN_STORED);
	return n;
}

/* The trials of a cell, separated by commas or as words. Returns their number. */
static size_t trials_add(struct shell_words *w, const struct run_plan *p, size_t cell, int as_list)
{
	char *list = mem_string("");
	size_t n = 0;

	for (size_t i = 0; i < p->run_n; i++) {
		char *trial, *more;

		if (p->run[i].cell != cell || p->run[i].state != RUN_STORED)
			continue;
		trial = mem_printf("%jd", (intmax_t)p->run[i].trial);
		more = mem_join(list, n ? "," : "", trial, NULL);
		if (!as_list)
			shell_words_add(w, trial);
		free(list);
		free(trial);
		list = more;
		n++;
	}
	if (as_list)
		shell_words_add(w, list);
	free(list);
	return n;
}

static int report_compared(struct run_all *a, size_t cell, struct error *e)
{
	const struct run_plan *p = a->p;
	struct shell_words w = {0};
	size_t first = first_of(p, cell), n;
	char *words = cell_words(&p->cell[cell]);

	begin(&w, a, "compare");
	shell_words_add(&w, "--baseline");
	n = trials_add(&w, p, first, 1);
	if (trials_add(&w, p, cell, 0) && n) {
		printf("\n%s, compared with %s:\n", words, p->cell[first].variant->name);
		free(words);
		return report(a, &w, e);
	}
	free(words);
	shell_words_release(&w);
	return 0;
}

static int reports(struct run_all *a, struct error *e)
{
	static const char *const kinds[] = {"scaling", "memory-scaling"};
	const struct experiment *x = a->p->x;
	int code = 0;

	for (size_t k = 0; k < 2; k++)
		for (size_t v = 0; v < (x->variant_n ? x->variant_n : 1) && code == 0; v++) {
			const struct experiment_variant *of = x->variant_n ? &x->variant[v] : NULL;

			if (sizes_stored(a->p, of) > 1 && !a->signals.stopped)
				code = report_sizes(a, kinds[k], of ? of->name : NULL, e);
		}
	for (size_t i = 0; i < a->p->cell_n && code == 0 && !a->signals.stopped; i++)
		if (first_of(a->p, i) != i)
			code = report_compared(a, i, e);
	return code;
}

int conclude(struct run_all *a, enum table_format format, struct error *e)
{
	times_print(a->p, format);
	return format == TABLE_AS_TEXT ? reports(a, e) : 0;
}

/* Runs that failed for the same reason are one line. Returns their number. */
static size_t failed_print(const struct run_all *a, size_t first)
{
	const struct run_plan *p = a->p;
	const struct planned_run *f = &p->run[first];
	char *names = mem_string(f->name), *kept;
	size_t n = 1;

	for (size_t i = first + 1; i < p->run_n; i++)
		if (p->run[i].state == RUN_FAILED && !strcmp(p->run[i].why, f->why) &&
		    n++ < FAILED_NAMED) {
			char *more = mem_join(names, ", ", p->run[i].name, NULL);

			free(names);
			names = more;
		}
	if (n > FAILED_NAMED) {
		char *more = mem_printf("%s and %zu more", names, n - FAILED_NAMED);

		free(names);
		names = more;
	}
	kept = run_path(p->x, f, RUN_KEPT);
	message_print("tau-experiment", "%s failed: %s; %s output is in %s/%s" RUN_LOG "%s%s",
		      names, f->why, n == 1 ? "its" : "the first one's", p->x->output, f->name,
		      path_is_directory(kept) ? ", its recording in " : "",
		      path_is_directory(kept) ? kept : "");
	free(kept);
	free(names);
	return n;
}

size_t conclude_failed(const struct run_all *a)
{
	const struct run_plan *p = a->p;
	size_t n = 0;

	for (size_t i = 0; i < p->run_n; i++) {
		size_t k = 0;

		if (p->run[i].state != RUN_FAILED)
			continue;
		while (k < i && (p->run[k].state != RUN_FAILED ||
				 strcmp(p->run[k].why, p->run[i].why) != 0))
			k++;
		if (k == i)
			n += failed_print(a, i);
	}
	return n;
}
