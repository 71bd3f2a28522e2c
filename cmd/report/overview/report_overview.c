/* report_overview.c: tau-report RUN: what ran, where the time went, how well the PEs are used, and
 * what to look at next. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "analyze/base/note.h"
#include "analyze/base/quantity.h"
#include "analyze/messages/efficiency.h"
#include "analyze/profile/imbalance.h"
#include "analyze/profile/pe_use.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/region_rows.h"
#include "analyze/profile/thread_rows.h"
#include "analyze/profile/waiting_threads.h"
#include "cmd/profile/profile_table.h"
#include "cmd/report/overview/overview.h"
#include "cmd/report/report.h"
#include "cmd/report/times/time_tables.h"
#include "cmd/shared/message.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "cmd/table/table_text.h"

#define NAMES    24                            /* columns of an item in text */
#define ROOM     (80 - 2 - NAMES - 10 - 8 - 2) /* of its detail */

static const char *const section_names[] = {
	[SECTION_RUN] = "run",           [SECTION_TIME] = "time",
	[SECTION_PHASES] = "phases",     [SECTION_SAMPLES] = "samples",
	[SECTION_USE] = "use of PEs",
	[SECTION_DEVICES] = "devices",   [SECTION_IMBALANCE] = "imbalance",
	[SECTION_WAITING] = "waiting",   [SECTION_ANOMALIES] = "anomalies",
	[SECTION_MESSAGES] = "messages", [SECTION_MEMORY] = "memory",
	[SECTION_FILES] = "files",       [SECTION_CONDITIONS] = "conditions",
	[SECTION_FINDINGS] = "findings",
};

/* The unit that --unit names, if the fact has such values. */
static const struct table_unit *unit_for(const struct overview *x, const struct overview_fact *f)
{
	const struct table_unit *u = &x->o->unit;
	int has = u->bytes ? f->unit == UNIT_BYTES
			   : f->unit == UNIT_TIME && profile_is_time(x->p, x->metric);

	return u->size > 0 && has && !isnan(f->value) ? u : NULL;
}

static const char *value_text(const struct overview *x, const struct overview_fact *f,
			      char text[QUANTITY_TEXT])
{
	const struct table_unit *u = unit_for(x, f);

	*text = 0;
	if (u)
		snprintf(text, 48, "%.*f %s", u->precision, f->value / u->size, u->name);
	else if (f->unit == UNIT_TIME)
		time_short(x->o, x->p, x->metric, f->value, text);
	else if (f->unit == UNIT_BYTES)
		quantity_size_text(f->value, text);
	else if (f->unit == UNIT_RATIO && !isnan(f->value))
		snprintf(text, 48, "%.3f", f->value);
	else if (f->unit == UNIT_COUNT)
		snprintf(text, 48, "%.0f", f->value);
	return text;
}

/* Only names of regions are understood when they are cut. */
static int is_region(const struct overview_fact *f)
{
	return f->section == SECTION_TIME || f->section == SECTION_PHASES ||
	       f->section == SECTION_SAMPLES ||
	       f->section == SECTION_IMBALANCE;
}

/* Has another fact of the section the same name, as shortened? */
static int has_twin(const struct overview *x, const struct overview_fact *f, const char *item)
{
	int twin = 0;

	for (size_t i = 0; i < x->fact_n && !twin; i++) {
		char *other;

		if (&x->fact[i] == f || x->fact[i].section != f->section)
			continue;
		other = mem_string(x->fact[i].item);
		region_name_fit(other, NAMES);
		twin = !strcmp(other, item);
		free(other);
	}
	return twin;
}

static void detail_below(const char *detail, FILE *to, size_t width)
{
	char *line = mem_printf("      %s", detail);

	table_sentence(to, line, width);
	free(line);
}

/*
 * An item that is too wide is in a line of its own, above its value, unless it is cut: on a terminal, the name of a region that
 * stays unlike the others. What does not fit beside the value is below it.
 */
static void line_text(const struct overview *x, const struct overview_fact *f, FILE *to,
		      size_t width)
{
	char value[QUANTITY_TEXT], share[QUANTITY_TEXT] = "", *item = mem_string(f->item);
	const char *detail = f->detail ? f->detail : "", *beside;

	region_name_fit(item, NAMES);
	if (strcmp(item, f->item) != 0 && (!width || !is_region(f) || has_twin(x, f, item))) {
		text_printf(to, "  %s\n", f->item);
		*item = 0;
	}
	if (!isnan(f->share))
		quantity_percent_text(f->share, share);
	value_text(x, f, value);
	beside = strlen(detail) > ROOM ? "" : detail;
	if (f->unit == UNIT_NONE)
		text_printf(to, "  %-*s  %s\n", NAMES, item, detail);
	else if (!*share && !*beside)
		text_printf(to, "  %-*s %9s\n", NAMES, item, value);
	else if (!*beside)
		text_printf(to, "  %-*s %9s %7s\n", NAMES, item, value, share);
	else
		text_printf(to, "  %-*s %9s %7s  %s\n", NAMES, item, value, share, detail);
	if (f->unit != UNIT_NONE && beside != detail)
		detail_below(detail, to, width);
	free(item);
}

/* Facts of one section stay in their order. */
static int by_section(const void *va, const void *vb)
{
	const struct overview_fact *a = va, *b = vb;

	return a->section != b->section ? (a->section < b->section ? -1 : 1)
					: (a->nth > b->nth) - (a->nth < b->nth);
}

/* "  Conditions: too few processors 1.092 s, 30.2 %; recording itself 10 %": one paragraph. */
static void conditions_text(const struct overview *x, FILE *to, size_t width)
{
	char *line = NULL;

	for (size_t i = 0; i < x->fact_n; i++) {
		char value[QUANTITY_TEXT], share[QUANTITY_TEXT], *longer;

		if (x->fact[i].section != SECTION_CONDITIONS)
			continue;
		longer = mem_printf("%s%s %s, %s", line ? line : "  Conditions of the run: ",
				    x->fact[i].item, value_text(x, &x->fact[i], value),
				    quantity_percent_text(x->fact[i].share, share));
		free(line);
		line = mem_printf("%s; ", longer);
		free(longer);
	}
	if (!line)
		return;
	line[strlen(line) - 2] = 0;
	table_sentence(to, line, width);
	free(line);
}

static void text(const struct overview *x, const struct report_runs *r, FILE *to, size_t width)
{
	enum overview_section section = SECTION_FINDINGS;
	char whole[QUANTITY_TEXT], *title = profile_table_title(x->p, report_unit_time(x->o));

	text_printf(to, "%s\n", title);
	fprintf(to, "Shares are of the time of all threads, %s.\n",
		time_short(x->o, x->p, x->metric, x->whole, whole));
	for (size_t i = 0; i < x->fact_n && x->fact[i].section < SECTION_CONDITIONS; i++) {
		const char *name = section_names[x->fact[i].section];

		if (x->fact[i].section != section)
			fprintf(to, "\n%c%s\n", toupper((unsigned char)*name), name + 1);
		section = x->fact[i].section;
		line_text(x, &x->fact[i], to, width);
	}
	fputs("\nLost, repaired and excluded\n", to);
	for (size_t i = 0; i < r->note_n; i++) {
		char *sentence = note_sentence(&r->note[i]), *line = mem_printf("  %s", sentence);

		table_sentence(to, line, width);
		free(line);
		free(sentence);
	}
	if (!r->note_n)
		fputs("  nothing\n", to);
	fputs("\nFindings, in order of what they cost\n", to);
	conditions_text(x, to, width);
	for (size_t i = 0; i < x->finding_n; i++) {
		const struct overview_fact *f = &x->finding[i];
		char value[QUANTITY_TEXT], share[QUANTITY_TEXT] = "", *line, *detail;

		detail = mem_printf("     %s", f->detail);
		if (!isnan(f->share))
			quantity_percent_text(f->share, share);
		line = mem_printf("  %zu. %s: %s%s%s", i + 1, f->item, value_text(x, f, value),
				  *share ? ", " : "", share);
		table_sentence(to, line, width);
		table_sentence(to, detail, width);
		text_printf(to, "     %s\n", f->command);
		free(line);
		free(detail);
	}
	if (!x->finding_n) {
		const char *not_in_it = overview_without(x);
		char least[QUANTITY_TEXT];
		char *line = mem_printf("  none costs %s of the time or more%s%s",
					quantity_in_text(OVERVIEW_LEAST, 0, "%", least),
					not_in_it ? "; " : "", not_in_it ? not_in_it : "");

		table_sentence(to, line, width);
		free(line);
	}
	free(title);
}

static const struct field_value item_values[] = {
	{"samples",
	 "number of samples of CPU time. Beside each function below is how many of them hit it, "
	 "+/- twice the standard deviation of that number: 2 sqrt(n (1 - n / all))",
	 NULL, NULL},
	{"overhead of recording",
	 "CPU time that recording added to all processes of the run. The share is "
	 "of the CPU time that the program uses alone: measured with tau-record "
	 "--against, otherwise estimated",
	 NULL, "tau-record(1), Overhead"},
	{"parallel efficiency",
	 "mean useful time of the PEs divided by the runtime; it is load balance x "
	 "communication efficiency x waits for threads and devices",
	 NULL, "POP"},
	{"load balance",
	 "mean useful time plus waits for threads and devices, divided by the "
	 "largest of a PE",
	 NULL, "POP"},
	{"communication efficiency",
	 "largest useful time plus waits for threads and devices of a PE, divided "
	 "by the runtime; it is serialisation x transfer",
	 NULL, "POP"},
	{"serialisation",
	 "largest useful time plus waits for threads and devices of a PE, divided "
	 "by the runtime on an ideal network, where messages take no time",
	 NULL, "POP"},
	{"transfer",
	 "runtime on an ideal network divided by the runtime",
	 NULL, "POP"},
	{"waits for threads and devices",
	 "mean useful time, divided by mean useful time plus waits for threads and "
	 "devices",
	 NULL, "TALP"},
	{"hybrid efficiency",
	 "mean useful time of all threads divided by the runtime",
	 NULL, "POP"},
	{"for other PEs",
	 "sum of the waits in the rows below that late PEs cause; see tau-report "
	 "waits",
	 NULL, "Scalasca"},
	{"for other threads",
	 "sum of the waits in the rows below that late threads cause; see "
	 "tau-report waits",
	 NULL, "Scalasca"},
	{"queues of devices",
	 "number of CUDA streams and other queues of devices, which are not counted "
	 "as threads; the section devices shows how long they are busy",
	 NULL, NULL},
	{"for devices",
	 "exclusive time of calls that wait until a device is ready, such as "
	 "cudaStreamSynchronize, hipDeviceSynchronize, clFinish and acc wait; it is "
	 "not useful time",
	 NULL, "ours"},
	{"in calls that poll",
	 "exclusive time of calls that only test whether something is complete, "
	 "such as MPI_Iprobe, MPI_Test, shmem_test, trylock and sched_yield; it is "
	 "neither useful time nor part of the wait states",
	 NULL, "ours"},
	{0},
};

/* Tables that have a column. */
enum { OF_FINDINGS = 1, OF_FACTS = 2 };

/* One row, a member for each column. */
struct people_cells {
	const char *item, *section, *value;
	double share;
	const char *detail, *command;
};

/* clang-format off: one column, one paragraph */
static const struct table_field people_fields[] = {
	{FIELD(struct people_cells, item), TABLE_TEXT, "finding", NULL,
	 .only = OF_FINDINGS,
	 .meaning = "what costs time or memory, largest cost first"},
	{FIELD(struct people_cells, section), TABLE_TEXT, "section", NULL,
	 .only = OF_FACTS,
	 .meaning = "part of the overview"},
	{FIELD(struct people_cells, item), TABLE_TEXT, "item", NULL,
	 .only = OF_FACTS, .value = item_values,
	 .meaning = "fact, region or finding"},
	{FIELD(struct people_cells, value), TABLE_TEXT, "value", "cost",
	 .only = OF_FINDINGS,
	 .meaning = "value of the fact, or cost of the finding"},
	{FIELD(struct people_cells, value), TABLE_TEXT, "value", "value",
	 .only = OF_FACTS,
	 .meaning = "value of the fact, or cost of the finding"},
	{FIELD(struct people_cells, share), TABLE_NUMBER, "share_pct", "share", "%",
	 .precision = 1,
	 .meaning = "share of the time of all threads that are counted (in JSON: "
	 "fact whole)"},
	{FIELD(struct people_cells, detail), TABLE_TEXT, "detail", NULL,
	 .meaning = "where, and what else was recorded"},
	{FIELD(struct people_cells, command), TABLE_TEXT, "command", "shows more",
	 .only = OF_FINDINGS,
	 .meaning = "command that shows more"},
	{0},
};
/* clang-format on */

/* The facts, or findings, as a table for people; with what was lost and repaired below. */
static struct table *people_table(const struct overview *x, const struct overview_fact *fact,
				  size_t n, int findings)
{
	struct table *t = table_new(findings ? "Findings, in order of what they cost" : NULL);

	table_fields(t, people_fields, findings ? OF_FINDINGS : OF_FACTS, NULL);
	for (size_t i = 0; i < n; i++) {
		char value[QUANTITY_TEXT];

		table_row(t);
		table_put_fields(t, &(struct people_cells){
					    .section = section_names[fact[i].section],
					    .item = fact[i].item,
					    .value = value_text(x, &fact[i], value),
					    .share = fact[i].share,
					    .detail = fact[i].detail,
					    .command = fact[i].command,
				    });
	}
	return t;
}

static void people(const struct overview *x, const struct report_runs *r, FILE *to)
{
	char whole[QUANTITY_TEXT], *title = profile_table_title(x->p, report_unit_time(x->o));
	struct table *t = people_table(x, x->finding, x->finding_n, 1);

	if (!x->finding_n) {
		table_note(t, "None costs %.0f %% of the time or more.", OVERVIEW_LEAST);
		if (overview_without(x))
			table_note(t, "But %s.", overview_without(x));
	}
	report_table(t, x->o, to, 0);
	putc('\n', to);
	t = people_table(x, x->fact, x->fact_n, 0);
	table_note(t, "%s", title);
	table_note(t, "Shares are of the time of all threads, %s.",
		   time_short(x->o, x->p, x->metric, x->whole, whole));
	report_load_notes(t, r);
	report_table(t, x->o, to, 0);
	free(title);
}

/* One row, a member for each column. */
struct overview_data_cells {
	const char *section, *item;
	double value;
	const char *unit;
	double share;
	const char *detail, *command;
};

/* clang-format off: one column, one paragraph */
static const struct table_field data_fields[] = {
	{FIELD(struct overview_data_cells, section), TABLE_TEXT, "section", NULL,
	 .meaning = "part of the overview"},
	{FIELD(struct overview_data_cells, item), TABLE_TEXT, "item", NULL, .value = item_values,
	 .meaning = "fact, region or finding"},
	{FIELD(struct overview_data_cells, value), TABLE_NUMBER, "value", NULL,
	 .meaning = "value of the fact, or cost of the finding"},
	{FIELD(struct overview_data_cells, unit), TABLE_TEXT, "unit", NULL,
	 .meaning = "unit of the value"},
	{FIELD(struct overview_data_cells, share), TABLE_NUMBER, "share_pct", NULL, .precision = 1,
	 .meaning = "share of the time of all threads that are counted (in JSON: "
		    "fact whole)"},
	{FIELD(struct overview_data_cells, detail), TABLE_TEXT, "detail", NULL,
	 .meaning = "where, and what else was recorded"},
	{FIELD(struct overview_data_cells, command), TABLE_TEXT, "command", NULL,
	 .meaning = "command that shows more"},
	{0},
};
/* clang-format on */

static void row_put(struct table *t, const struct overview *x, const struct overview_fact *f)
{
	static const char *const unit[] = {NULL, "us", "bytes", "count", "ratio"};
	const struct table_unit *u = unit_for(x, f);

	table_row(t);
	table_put_fields(t, &(struct overview_data_cells){
				    .section = section_names[f->section],
				    .item = f->item,
				    .value = f->unit == UNIT_NONE ? NAN
					     : u                  ? f->value / u->size
								  : f->value,
				    .unit = u ? u->name : unit[f->unit],
				    .share = f->share,
				    .detail = f->detail,
				    .command = f->command,
			    });
}

static void data(const struct overview *x, const struct report_runs *r, FILE *to)
{
	struct table *t = table_new("Overview");

	report_load_notes(t, r);
	table_fact_number(t, profile_is_time(x->p, x->metric) ? "whole_us" : "whole", x->whole);
	table_fields(t, data_fields, 0, NULL);
	for (size_t i = 0; i < x->fact_n; i++)
		row_put(t, x, &x->fact[i]);
	for (size_t i = 0; i < x->finding_n; i++)
		row_put(t, x, &x->finding[i]);
	report_table(t, x->o, to, 0);
}

static void release(struct overview *x)
{
	for (size_t i = 0; i < x->fact_n; i++) {
		free(x->fact[i].item);
		free(x->fact[i].detail);
		free(x->fact[i].command);
	}
	for (size_t i = 0; i < x->finding_n; i++) {
		free(x->finding[i].item);
		free(x->finding[i].detail);
		free(x->finding[i].command);
	}
	free(x->fact);
	free(x->finding);
	region_rows_release(&x->rows);
	thread_rows_release(&x->threads);
	imbalance_release(&x->imbalance);
	efficiency_release(&x->efficiency);
	waiting_free(x->waiting);
	for (size_t i = 0; i < x->lock_region_n; i++)
		free(x->lock_region[i]);
	free(x->lock_region);
	free(x->files.directory);
	for (size_t i = 0; i < x->waited_n; i++)
		free(x->waited[i].region);
	free(x->waited);
	for (size_t i = 0; i < x->late_n; i++)
		free(x->late[i].region);
	free(x->late);
	free(x->slow_region);
	free(x->poll_path);
}

static int report_overview(const struct report_options *o, const struct report_runs *r,
			   struct output *out, size_t width, struct error *e)
{
	struct overview x = {.o = o, .run = r->run};
	int code = report_one_profile(o, r, "overview", "text csv json", &x.metric, e);

	if (code)
		return code;
	x.p = r->run[0].profile;
	if (o->format == REPORT_TEXT && o->text_as == TABLE_AS_TEXT && !o->explain)
		x.width = width;
	x.waiting = waiting_find(&x.p, 1, TIMER_MEASURED);
	x.queues = waiting_queues(x.p);
	region_rows_make(&x.rows, x.p, x.waiting, x.metric, ROWS_FLAT);
	thread_rows_make(&x.threads, x.p, x.waiting, x.metric, 0);
	imbalance_make(&x.imbalance, x.p, x.waiting, x.metric);
	pe_use_make(&x.use, &x.threads);
	x.whole = x.rows.whole[TIMER_MEASURED];
	overview_facts(&x, overview_waits(&x));
	overview_choose(&x);
	qsort(x.fact, x.fact_n, sizeof(*x.fact), by_section);
	if (o->format == REPORT_TEXT && (o->explain || o->text_as != TABLE_AS_TEXT))
		people(&x, r, out->file);
	else if (o->format == REPORT_TEXT)
		text(&x, r, out->file, width);
	else
		data(&x, r, out->file);
	release(&x);
	return 0;
}

const struct report_kind kind_overview = {
	.name = "overview",
	.columns = (const struct table_field *const[]){people_fields, data_fields, NULL},
	.about = "what ran, where the time went, and what to look at next",
	.question = QUESTION_OVERVIEW,
	.example = "run",
	.print = report_overview,
	.options = REPORT_PICK "metric where sample-resolution threads",
	.lacks = "top sort",
	.whole = 1,
	.part = REPORT_PART,
	.functions = 1,
	.title = "Overview",
	.page = REPORT_PAGE_TABLES,
};
