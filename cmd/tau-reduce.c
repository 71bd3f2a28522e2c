/* tau-reduce.c: which regions not to record the next time, by TAU's rules, as a selection file. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/compare/reduce.h"
#include "analyze/profile/profile.h"
#include "analyze/trace/timer_name.h"
#include "cmd/report/report.h"
#include "cmd/shared/message.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/guard.h"
#include "cmd/shared/option.h"
#include "cmd/shared/output.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "cmd/table/table_text.h"
#include "convert/io/input.h"
#include "record/metadata.h"

enum { SELECT, TEXT, CSV, JSON };

struct reduced {
	const struct profile *p;
	const char *run;
	struct reduce_rules *rules;
	struct reduce_row *row;
	size_t row_n, excluded;
	double events, saved; /* of all rows, of the excluded ones */
	double cost_ns;       /* of one event; NaN: not recorded */
};

static int file_read(struct reduce_rules *rules, const char *path, struct error *e)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t cap = 0;
	int rc = 0;

	if (!f)
		return error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	if (getdelim(&text, &cap, 0, f) > 0)
		rc = reduce_rules_add(rules, text, path, e);
	else if (ferror(f))
		rc = error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	free(text);
	fclose(f);
	return rc;
}

static double event_cost(const struct profile *p)
{
	for (uint32_t i = 0; i < p->thread_n; i++) {
		double ps = profile_meta_number(p, i, TAU_META_EVENT_COST_PS);

		if (!isnan(ps))
			return ps / 1000;
	}
	return NAN;
}

/* The recorder's own rows are no regions of the program. */
static int is_excluded(const struct reduced *x, const struct reduce_row *r)
{
	return r->rule != SIZE_MAX &&
	       strncmp(x->p->timer[r->timer].name, TAU_REGION_OWN, strlen(TAU_REGION_OWN)) != 0;
}

static void compute(struct reduced *x)
{
	x->row = reduce_make(x->p, x->rules, &x->row_n);
	x->cost_ns = event_cost(x->p);
	for (size_t i = 0; i < x->row_n; i++) {
		x->events += 2 * x->row[i].calls;
		if (is_excluded(x, &x->row[i])) {
			x->saved += 2 * x->row[i].calls;
			x->excluded++;
		}
	}
}

/* "3 of 40 regions, 1234 of 5678 events (21.7 %), about 1.2 ms of recording" */
static char *summary(const struct reduced *x)
{
	char text[2][QUANTITY_TEXT];
	char *cost = isnan(x->cost_ns)
			     ? mem_string("")
			     : mem_printf(", about %s of recording",
					  quantity_time_text(x->saved * x->cost_ns, text[0]));
	char *s = mem_printf(
		"excludes %zu of %zu regions, %.0f of %.0f events (%s)%s", x->excluded, x->row_n,
		x->saved, x->events,
		quantity_percent_text(x->events > 0 ? 100 * x->saved / x->events : 0, text[1]),
		cost);

	free(cost);
	return s;
}

static void select_print(const struct reduced *x, FILE *f)
{
	char *words = summary(x);

	text_printf(f, "# %s: %s\n", x->run, words);
	for (size_t i = 0; i < reduce_rules_count(x->rules); i++)
		text_printf(f, "# rule: %s\n", reduce_rule_text(x->rules, i));
	fputs("BEGIN_EXCLUDE_LIST\n", f);
	for (size_t i = 0; i < x->row_n; i++) {
		const char *name = x->p->timer[x->row[i].timer].name;
		int quoted = *name == '#' || *name == '"';

		if (is_excluded(x, &x->row[i]))
			fprintf(f, "%s%.*s%s\n", quoted ? "\"" : "", (int)name_short(name), name,
				quoted ? "\"" : "");
	}
	fputs("END_EXCLUDE_LIST\n", f);
	free(words);
}

/* One row, a member for each column. */
struct reduce_cells {
	double calls, events, us_per_call;
	const char *rule, *region;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct reduce_cells, calls), TABLE_NUMBER, "calls", NULL,
	 .meaning = "number of calls over all threads"},
	{FIELD(struct reduce_cells, events), TABLE_NUMBER, "events_pct", "% of events",
	 .precision = 1, .meaning = "share of the enters and leaves of the run"},
	{FIELD(struct reduce_cells, us_per_call), TABLE_NUMBER, "us_per_call", "us/call",
	 .precision = 3, .meaning = "inclusive time per call"},
	{FIELD(struct reduce_cells, rule), TABLE_TEXT, "rule", NULL,
	 .meaning = "rule that excludes the region"},
	{FIELD(struct reduce_cells, region), TABLE_TEXT, "region", NULL,
	 .meaning = "name of the region"},
	{0},
};
/* clang-format on */

static void table_of(const struct reduced *x, size_t format, FILE *f)
{
	static const enum table_format formats[] = {0, TABLE_AS_TEXT, TABLE_AS_CSV, TABLE_AS_JSON};
	struct table *t = table_new("Regions to exclude");
	char *words = summary(x);

	table_fields(t, fields, 0, NULL);
	table_note(t, "%s: %s.", x->run, words);
	table_fact_number(t, "events", x->events);
	table_fact_number(t, "saved_events", x->saved);
	for (size_t i = 0; i < x->row_n; i++) {
		const struct reduce_row *r = &x->row[i];

		if (!is_excluded(x, r))
			continue;
		table_row(t);
		table_put_fields(t, &(struct reduce_cells){
					    .calls = r->calls,
					    .events = 100 * 2 * r->calls / x->events,
					    .us_per_call = r->incl / r->calls,
					    .rule = reduce_rule_text(x->rules, r->rule),
					    .region = x->p->timer[r->timer].name,
				    });
	}
	table_print(t, f, formats[format], format == TEXT ? table_width(stdout) : 0);
	table_free(t);
	free(words);
}

static int reduce(const struct report_options *o, struct reduce_rules *rules, size_t format,
		  struct error *e)
{
	struct report_runs runs = {0};
	struct reduced x = {.rules = rules};
	struct output out;
	int rc = report_load(o, &runs, e);

	if (!rc)
		rc = report_one_run(&runs, "tau-reduce", e);
	if (!rc && runs.run[0].profile->summary.pes)
		rc = error_set(e, ERROR_INPUT, "%s: a summary has no threads to examine",
			       runs.run[0].name);
	if (!rc) {
		x.p = runs.run[0].profile;
		x.run = runs.run[0].name;
		compute(&x);
		output_open(&out);
		if (format == SELECT)
			select_print(&x, out.file);
		else
			table_of(&x, format, out.file);
		rc = output_close(&out, o->output, e);
		free(x.row);
	}
	report_release(&runs);
	return rc;
}

int main(int argc, char **argv)
{
	static const char *const formats[] = {"select", "text", "csv", "json"};
	struct inputs known = {0};
	struct report_options o = {.top = -1, .whole = 1, .known = &known};
	struct option_list rule = {0}, file = {0};
	struct reduce_rules *rules = reduce_rules_new();
	const char *format_name = NULL;
	size_t format = SELECT;
	struct error e = {0};
	const struct option options[] = {
		OPTION_HEADING("Which run"),
		{0, "db", OPTION_TEXT, "FILE", "read a trial of this database; RUN names it",
		 &o.db},
		OPTION_HEADING("Rules"),
		{'r', "rule", OPTION_LIST, "RULE",
		 "exclude regions for which RULE holds; may be repeated (default: " REDUCE_RULE ")",
		 &rule},
		{0, "rules", OPTION_LIST, "FILE", "read rules from FILE, one per line", &file},
		OPTION_HEADING("Output"),
		{'f', "format", OPTION_TEXT, "FORMAT",
		 "print a selection file (select, default), or a table: text, csv, json",
		 &format_name},
		{'o', "output", OPTION_TEXT, "FILE", "write to FILE (default: -, standard output)",
		 &o.output},
		{0}};
	const struct program program = {
		.name = "tau-reduce",
		.usage = "[OPTION...] RUN",
		.about = "Finds regions with many short calls, whose recording costs much and "
			 "shows little, by the rules of TAU's tau_reduce. Writes a selection "
			 "file that excludes them from the next recording (tau-record --select).",
		.options = options,
	};
	int at = options_parse(&program, argc, argv), rc;

	o.operand = argv + at;
	o.operand_n = (size_t)(argc - at);
	rc = o.operand_n == 1 ? 0 : error_set(&e, ERROR_USAGE, "name one run or trial");
	if (!rc)
		rc = choice_option("--format", format_name, formats, 4, &format, &e);
	for (size_t i = 0; i < rule.v_n && !rc; i++)
		rc = reduce_rules_add(rules, rule.v[i], "--rule", &e);
	for (size_t i = 0; i < file.v_n && !rc; i++)
		rc = file_read(rules, file.v[i], &e);
	if (!rc && !reduce_rules_count(rules))
		rc = reduce_rules_add(rules, REDUCE_RULE, "--rule", &e);
	if (!rc && !o.db)
		guard_archives(&program, &known, argv + at, o.operand_n, NULL);
	if (o.output && !strcmp(o.output, "-"))
		o.output = NULL;
	if (!rc)
		rc = reduce(&o, rules, format, &e);
	inputs_release(&known);
	reduce_rules_free(rules);
	free(rule.v);
	free(file.v);
	return rc ? program_fail(&program, &e) : program_end(&program, 0);
}
