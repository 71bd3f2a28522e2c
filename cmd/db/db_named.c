/* db_named.c: what the parameters of a named query select, and why a query has no rows. */
#include "cmd/db/db_named.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/region_names.h"
#include "cmd/db/db_command.h"
#include "cmd/db/db_trials.h"
#include "db/db.h"
#include "cmd/shared/message.h"

const struct db_named_parameter *db_named_parameter_of(const struct db_named_query *n,
						       const char *name)
{
	const struct db_named_parameter *p = n->parameter;

	while (p->name && strcmp(p->name, name) != 0)
		p++;
	return p->name ? p : NULL;
}

int db_named_trial_of(const char *word, int64_t *trial, struct error *e)
{
	struct db *db;
	int code = db_open_file(DB_READ, &db, e);

	if (code == 0)
		code = db_trials_find(db, db_file(), (char *const *)&word, 1, trial, e);
	if (code == 0)
		db_close(db);
	return code;
}

/* The value of a parameter, or NULL. */
static const char *value_in(int words, char **word, const char *parameter)
{
	size_t n = strlen(parameter);

	for (int i = 1; i < words; i++)
		if (!strncmp(word[i], parameter, n) && word[i][n] == '=')
			return word[i] + n + 1;
	return NULL;
}

/* The number that a query of one trial finds; missing: what it is if there is none. */
static int64_t number_of(const char *sql, int64_t trial, int64_t missing)
{
	const struct db_value of = {.type = DB_INTEGER, .integer = trial};
	struct db_query *q = NULL;
	struct error e;
	int64_t number = missing;

	if (!db_query_open(db_file(), 0, NULL, sql, &q, &e) &&
	    (!trial || !db_query_set(q, "trial", &of, &e)) && db_query_next(q, &e) > 0)
		number = db_query_value(q, 0).integer;
	db_query_close(q);
	return number;
}

/* The trial of a query about one: the given one, or the newest. 0: it is about several, or there is none. */
static int64_t trial_of_query(const struct db_named_query *n, int words, char **word)
{
	const char *given = value_in(words, word, "trial");
	struct error e;
	int64_t trial;

	if (!db_named_parameter_of(n, "trial"))
		return 0;
	if (given)
		return db_named_trial_of(given, &trial, &e) ? 0 : trial;
	return number_of("SELECT max(id) FROM trial", 0, 0);
}

int db_named_check_window(const struct db_named_query *n, int words, char **word, struct error *e)
{
	const char *given = value_in(words, word, "window");
	int64_t trial = given ? trial_of_query(n, words, word) : 0, windows;

	if (!trial)
		return 0;
	windows = number_of("SELECT max(1, count(*)) FROM time_range WHERE trial = :trial", trial,
			    1);
	if (strtoll(given, NULL, 10) < windows)
		return 0;
	return error_set(e, ERROR_INPUT, "%s: trial %jd has no window %s; its last one is %jd",
			 db_file(), (intmax_t)trial, given, (intmax_t)windows - 1);
}

/* What a trial has if a query of it may have rows: the SQL finds it. */
static const struct {
	const char *sql, *lacks;
} needs[] = {
	[DB_NEEDS_THREADS] = {"SELECT 1 FROM thread WHERE trial = :trial AND node_rank >= 0",
			      "is a summary: it has no values of single threads and PEs"},
	/* Contexts of counters are call paths, too, but have no times. */
	[DB_NEEDS_CALLPATHS] = {"SELECT 1 FROM timer t JOIN timer_callpath p ON p.timer = t.id "
				"WHERE t.trial = :trial AND p.parent IS NOT NULL AND EXISTS "
				"(SELECT 1 FROM timer_call_data WHERE timer_callpath = p.id)",
				"has no call paths; tau-db import --callpath stores those of a "
				"trace"},
	[DB_NEEDS_COUNTERS] = {"SELECT 1 FROM counter_base WHERE trial = :trial",
			       "has no counters"},
	[DB_NEEDS_MESSAGES] = {"SELECT 1 FROM message_peer WHERE trial = :trial",
			       "has no messages between PEs"},
	[DB_NEEDS_SIZES] = {"SELECT 1 FROM message_peer WHERE trial = :trial AND size_class >= 0",
			    "has no sizes of messages; tau-db import --sizes stores those of a "
			    "trace"},
};

/* Prints what the trial of the query lacks. 1: something. */
static int lacking_print(const struct db_named_query *n, int64_t trial)
{
	if (!n->needs || !trial || number_of(needs[n->needs].sql, trial, 0))
		return 0;
	message_print("tau-db query", "trial %jd %s", (intmax_t)trial, needs[n->needs].lacks);
	return 1;
}

/* Parameters that are names of something: what, and those that there are. */
static const struct query_parameter {
	const char *parameter, *what, *names;
} name_parameters[] = {
	{"timer", "timer", "SELECT trial, name FROM timer"},
	{"counter", "counter", "SELECT trial, name FROM counter"},
	{"kind", "kind of message",
	 "SELECT p.trial, k.name FROM message_peer p JOIN message_kind k ON k.id = p.kind"},
	{"metric", "metric", "SELECT trial, name FROM metric"},
	{"by", "metric", "SELECT trial, name FROM metric"},
	{"name", "metadata", "SELECT trial, name FROM primary_metadata"},
	{"application", "application",
	 "SELECT trial, value AS name FROM primary_metadata WHERE name = 'Application'"},
};

static const char *name_at(const void *of, size_t i)
{
	return ((const struct names *)of)->name[i];
}

/* What the word NAME=VALUE sets, if that is a name. */
static const struct query_parameter *name_parameter_of(const char *word)
{
	for (size_t i = 0; i < sizeof(name_parameters) / sizeof(*name_parameters); i++) {
		size_t n = strlen(name_parameters[i].parameter);

		if (!strncmp(word, name_parameters[i].parameter, n) && word[n] == '=')
			return &name_parameters[i];
	}
	return NULL;
}

/*
 * The names that there are, in one trial or (0) in all. 1: one of them is this name, or matches
 * it, if it may be a pattern.
 */
static int parameter_known(const struct query_parameter *p, const char *name, int pattern,
			   int64_t trial, struct names *known)
{
	static const char matches[] =
		"OR instr(:name, '%') AND name GLOB replace(replace(replace(replace(:name, '[', "
		"'[[]'), '*', '[*]'), '?', '[?]'), '%', '*')";
	char *sql = mem_printf("SELECT DISTINCT name, name = :name %s FROM (%s) "
			       "WHERE :trial IN (0, trial)",
			       pattern ? matches : "", p->names);
	const struct db_value word = {.type = DB_TEXT, .text = name, .n = strlen(name)},
			      in = {.type = DB_INTEGER, .integer = trial};
	struct db_query *q = NULL;
	struct error e;
	int found = 0, code = db_query_open(db_file(), 0, NULL, sql, &q, &e);

	if (code == 0 && (db_query_set(q, "name", &word, &e) || db_query_set(q, "trial", &in, &e)))
		code = e.code;
	while (code == 0 && !found && db_query_next(q, &e) > 0) {
		struct db_value v = db_query_value(q, 0);

		if (v.type == DB_TEXT)
			names_add(known, v.text, v.n);
		found = db_query_value(q, 1).integer != 0;
	}
	db_query_close(q);
	free(sql);
	return found || code;
}

/* Prints each name of the parameters that nothing has. */
static void names_print(const struct db_named_query *n, int64_t trial, int words, char **word)
{
	for (int i = 1; i < words; i++) {
		const struct query_parameter *p = name_parameter_of(word[i]);
		const struct db_named_parameter *of =
			p ? db_named_parameter_of(n, p->parameter) : NULL;
		struct names known = {0};
		const char *name, *near;

		if (!of)
			continue;
		name = strchr(word[i], '=') + 1;
		if (!parameter_known(p, name, of->type == DB_PARAMETER_PATTERN, trial, &known)) {
			near = region_near_in(&(struct region_list){&known, known.name_n, name_at},
					      name);
			message_print("tau-db query", "no %s%s is named '%s'%s%s%s", p->what,
				      trial ? " of this trial" : "", name,
				      near ? "; did you mean '" : "", near ? near : "",
				      near ? "'?" : "");
		}
		names_release(&known);
	}
}

void db_named_print_empty(const struct db_named_query *n, int words, char **word)
{
	int64_t trial = trial_of_query(n, words, word);

	if (!lacking_print(n, trial))
		names_print(n, trial, words, word);
}
