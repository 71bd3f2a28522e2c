/* db_query.c: tau-db query: read-only SQL, and the named queries. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/trace/region_names.h"
#include "cmd/db/db_command.h"
#include "cmd/db/db_named.h"
#include "cmd/db/db_rows.h"
#include "cmd/db/db_trace.h"
#include "cmd/db/db_trials.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/output.h"
#include "cmd/shared/trace_options.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "cmd/table/table_text.h"
#include "db/db.h"
#include "db/query.h"

static int list, sql, stats;
static const char *condition;
static struct option_list runs;

static const struct option query_options[] = {
	OPTION_DB,
	OPTION_FORMAT,
	OPTION_TIMEOUT(db_common.timeout),
	{'l', "list", OPTION_FLAG, NULL, "list the named queries", &list},
	OPTION_WHERE(condition),
	{'R', "run", OPTION_LIST, "RUN",
	 "show the events and calls of RUN as the tables event and call; may be repeated", &runs},
	{0, "stats", OPTION_FLAG, NULL, "print how much of the runs was read", &stats},
	{0, "sql", OPTION_FLAG, NULL, "print the SQL of a named query", &sql},
	{0},
};

static const char *const type_name[] = {[DB_PARAMETER_TEXT] = "text",
					[DB_PARAMETER_PATTERN] = "text",
					[DB_PARAMETER_NUMBER] = "number",
					[DB_PARAMETER_TRIAL] = "trial"};

static const struct db_named_query *named(const char *name)
{
	const struct db_named_query *q = db_named_queries;

	while (q->name && strcmp(q->name, name) != 0)
		q++;
	return q->name ? q : NULL;
}

/* ERROR_USAGE: the word is a name, but of no query. */
static int unknown_query(const char *word, struct error *e)
{
	struct names known = {0};
	char *near;
	int code;

	for (const struct db_named_query *q = db_named_queries; q->name; q++)
		names_add(&known, q->name, strlen(q->name));
	near = choice_near(word, (const char *const *)known.name, known.name_n);
	code = error_set(e, ERROR_USAGE, "'%s' is not SQL and not the name of a query%s%s", word,
			 near, *near ? "" : "; --list lists the names");
	free(near);
	names_release(&known);
	return code;
}

static char *parameters_text(const struct db_named_query *q)
{
	char *text = mem_string("");

	for (const struct db_named_parameter *p = q->parameter; p->name; p++) {
		char *more = mem_printf("%s%s%s", text, *text ? " " : "", p->name);

		free(text);
		text = more;
	}
	return text;
}

/* Tables that have a column. */
enum { WITH_PARAMETERS = 1, WITHOUT_PARAMETERS = 2 };

/* One row, a member for each column. */
struct query_cells {
	const char *name, *question, *parameters;
};

/* clang-format off: one column, one paragraph */
static const struct table_field query_fields[] = {
	{FIELD(struct query_cells, name), TABLE_TEXT, "name", "name",
	 .meaning = "name of the query"},
	{FIELD(struct query_cells, question), TABLE_TEXT, "question", "question",
	 .meaning = "what it answers"},
	{FIELD(struct query_cells, parameters), TABLE_TEXT, "parameters", "parameters",
	 .only = WITH_PARAMETERS,
	 .meaning = "its parameters"},
	{0},
};
/* clang-format on */

/* In text, the questions are more important than the parameters. */
static void print_list(FILE *f, enum table_format as)
{
	struct table *t = table_new(NULL);
	int all = as != TABLE_AS_TEXT;

	table_fields(t, query_fields, all ? WITH_PARAMETERS : WITHOUT_PARAMETERS, NULL);
	for (const struct db_named_query *q = db_named_queries; q->name; q++) {
		char *parameters = parameters_text(q);

		table_row(t);
		table_put_fields(t, &(struct query_cells){q->name, q->question, parameters});
		free(parameters);
	}
	table_remark(t, "Parameters and columns: tau-db query --sql NAME, or tau-queries(7).");
	table_print(t, f, as, table_width(stdout));
	table_free(t);
}

/* The SQL with its parameters and columns as comments. */
static void print_sql(FILE *f, const struct db_named_query *q)
{
	fprintf(f, "-- %s\n", q->question);
	for (const struct db_named_parameter *p = q->parameter; p->name; p++)
		fprintf(f, "-- :%s (%s): %s\n", p->name, type_name[p->type], p->about);
	for (const struct db_named_column *c = q->column; c->name; c++)
		fprintf(f, "-- %s: %s\n", c->name, c->about);
	fputs(q->sql, f);
}

/* A number if the word is one as a whole, otherwise text. */
static struct db_value value_of(const char *word)
{
	struct db_value v = {.type = DB_INTEGER, .text = word, .n = strlen(word)};
	char *end;

	errno = 0;
	v.integer = strtoll(word, &end, 10);
	if (*word && !*end && !errno)
		return v;
	v.type = DB_NUMBER;
	v.number = strtod(word, &end);
	if (!*word || *end || !isfinite(v.number) || strpbrk(word, "xXnN"))
		v.type = DB_TEXT;
	return v;
}

/* word: NAME=VALUE. n: the named query, or NULL. */
static int set_parameter(struct db_query *q, const struct db_named_query *n, const char *word,
			 struct error *e)
{
	const char *equals = strchr(word, '=');
	const struct db_named_parameter *p;
	struct db_value v;
	char *name;
	int code = 0;

	if (!equals || equals == word)
		return error_set(e, ERROR_USAGE, "'%s' is not NAME=VALUE, the value of a parameter",
				 word);
	name = mem_printf("%.*s", (int)(equals - word), word);
	p = n ? db_named_parameter_of(n, name) : NULL;
	v = value_of(equals + 1);
	if (n && !p)
		code = error_set(e, ERROR_USAGE, "%s has no parameter '%s'; --sql lists them",
				 n->name, name);
	else if (p && p->type == DB_PARAMETER_TRIAL) {
		v.type = DB_INTEGER;
		code = db_named_trial_of(equals + 1, &v.integer, e);
	} else if (p && p->type == DB_PARAMETER_NUMBER && (v.type != DB_INTEGER || v.integer < 0))
		code = error_set(e, ERROR_USAGE, "%s: '%s' is not a whole number from 0", name,
				 equals + 1);
	else if (p && (p->type == DB_PARAMETER_TEXT || p->type == DB_PARAMETER_PATTERN))
		v.type = DB_TEXT;
	if (code == 0)
		code = db_query_set(q, name, &v, e);
	free(name);
	return code;
}

/* A query about two trials, or one timer, has no answer without them. */
static int check_required(const struct db_named_query *n, int words, char **word, struct error *e)
{
	for (const struct db_named_parameter *p = n->parameter; p->name; p++) {
		size_t length = strlen(p->name);
		int given = !p->required;

		for (int i = 1; i < words && !given; i++)
			given = !strncmp(word[i], p->name, length) && word[i][length] == '=';
		if (!given)
			return error_set(e, ERROR_USAGE, "%s needs %s=%s: %s", n->name, p->name,
					 p->type == DB_PARAMETER_TRIAL ? "TRIAL" : "NAME",
					 p->about);
	}
	return 0;
}

/* Sets :trials to the trials that the condition selects, as ",1,2,". */
static int set_trials(struct db_query *q, const char *what, struct error *e)
{
	struct trial_list trials = {0};
	struct db_value v = {.type = DB_TEXT};
	char *text = mem_string(",");
	struct db *db;
	int code = db_open_file(DB_READ, &db, e);

	if (code == 0) {
		code = db_trials_select(db, db_file(), NULL, 0, condition, &trials, e);
		db_close(db);
	}
	for (size_t i = 0; i < trials.v_n; i++) {
		char *more = mem_printf("%s%jd,", text, (intmax_t)trials.v[i]);

		free(text);
		text = more;
	}
	v.text = text;
	v.n = strlen(text);
	if (code == 0 && db_query_set(q, "trials", &v, e) < 0)
		code = error_set(e, ERROR_USAGE, "--where: %s is not a query over several trials",
				 what);
	free(text);
	free(trials.v);
	return code;
}

/* With runs, a database is not needed, unless it is named. */
static const char *file_of(void)
{
	return runs.v_n && !db_common.file && access(db_file(), F_OK) ? NULL : db_file();
}

static int print_rows(int words, char **word, const struct db_event_source *events, FILE *f,
		      enum table_format as, struct error *e)
{
	const struct db_named_query *n = named(word[0]);
	struct db_query *q = NULL;
	struct table *t = NULL;
	uint64_t limit_ns;
	int code = db_limit(&limit_ns, e);

	if (code == 0)
		code = db_query_open(file_of(), limit_ns, events, n ? n->sql : word[0], &q, e);
	for (int i = 1; code == 0 && i < words; i++)
		code = set_parameter(q, n, word[i], e);
	if (code == 0 && condition)
		code = set_trials(q, n ? n->name : "this SQL", e);
	if (code == 0 && n)
		code = db_named_check_window(n, words, word, e);
	if (code == 0)
		code = db_rows_table(q, &t, e);
	if (code == 0) {
		table_print(t, f, as, table_width(stdout));
		if (n && !table_rows(t))
			db_named_print_empty(n, words, word);
		table_free(t);
	}
	db_query_close(q);
	return code;
}

static void print_stats(const struct trace_source *s)
{
	uint64_t read = 0, total = 0, index = 0, events = 0;

	for (size_t i = 0; i < s->trace_n; i++) {
		read += s->trace[i]->bytes_read;
		total += s->trace[i]->bytes_total;
		index += s->trace[i]->index_read;
		events += s->trace[i]->events;
	}
	trace_options_stats("tau-db query", read, total, index, events);
}

static int print_query(int words, char **word, FILE *f, enum table_format as, struct error *e)
{
	const struct db_named_query *n = named(word[0]);
	struct trace_source source = {0};
	struct db_event_source events = trace_source_get(&source);
	int code = 0;

	if (!n && !strpbrk(word[0], " \t\n("))
		return unknown_query(word[0], e);
	if (n)
		code = check_required(n, words, word, e);
	if (code == 0)
		code = trace_source_open(&source, runs.v, runs.v_n, e);
	if (code == 0)
		code = print_rows(words, word, runs.v_n ? &events : NULL, f, as, e);
	if (code == 0 && stats)
		print_stats(&source);
	trace_source_release(&source);
	return code;
}

static int run_query(int n, char **operand, struct error *e)
{
	enum table_format as;
	struct output out;
	int code = db_format(&as, e);

	if (code < 0)
		return code;
	if (condition && (list || sql))
		return error_set(e, ERROR_USAGE, "--where: no query runs with it");
	if (list && (n > 0 || sql))
		return error_set(e, ERROR_USAGE, "--list: no query runs with it");
	if (!list && n < 1)
		return error_set(e, ERROR_USAGE,
				 "name a query, or write one in SQL; --list lists the names");
	if (sql && (n > 1 || !named(operand[0])))
		return n > 1 ? error_set(e, ERROR_USAGE, "--sql: name one query")
			     : unknown_query(operand[0], e);
	if ((list || sql || !runs.v_n) && (stats || (runs.v_n && (list || sql))))
		return error_set(e, ERROR_USAGE, "--%s: no run is read",
				 stats ? "stats" : "run");
	output_open(&out);
	if (list)
		print_list(out.file, as);
	else if (sql)
		print_sql(out.file, named(operand[0]));
	else
		code = print_query(n, operand, out.file, as, e);
	if (code == 0)
		return output_close(&out, NULL, e);
	output_drop(&out);
	return code;
}

const struct db_command command_query = {
	.run = run_query,
	.program.name = "tau-db query",
	.program.usage = "[options] SQL|NAME [PARAMETER=VALUE...]",
	.program.about = "Runs a read-only SQL query, or a named query.",
	.program.options = query_options,
};
