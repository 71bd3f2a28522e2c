/* trial_facts.h: facts about all trials of a database, or about several runs, by name: what tau-db list shows, and metadata. */
#ifndef TRIAL_FACTS_H
#define TRIAL_FACTS_H

#include "db/db.h"

/* The facts that each trial has; the others are metadata. */
enum fact_kind {
	FACT_ID,
	FACT_NAME,
	FACT_PES,
	FACT_THREADS,
	FACT_METRICS,
	FACT_TIMERS,
	FACT_COUNTERS,
	FACT_WINDOWS,
	FACT_STARTED,
	FACT_TAGS,
	FACT_METADATA,
};

struct fact_column {
	enum fact_kind kind;
	char *key;		/* for machines: "pes", or the name of the metadata */
	const char *title;	/* for people: "PEs" */
	char **value;		/* of metadata and tags, by trial; NULL: it has none */
};

struct facts {
	struct db *db;		/* NULL: facts about runs */
	const struct profile *const *run;	/* by trial; borrowed */
	struct db_trial *trial;
	size_t trial_n, trial_cap;
	struct fact_column *column;
	size_t column_n, column_cap;
};

/* The key of a fact that is no metadata, and what it is. */
const char *fact_key(enum fact_kind kind);
const char *fact_about(enum fact_kind kind);

int facts_open(struct db *db, struct facts *f, struct error *e);
/*
 * The same about n runs that are loaded, as if each were a trial: its number is its place, from 1, and its name name[i]. Metadata are those
 * of the run, otherwise those of its first thread, as db_store() has it. The array run and the profiles outlive f.
 */
void facts_of_runs(struct facts *f, const struct profile *const *run, const char *const *name, size_t n);
void facts_release(struct facts *f);

/* *out: the column of that name, in any case of letters. ERROR_USAGE: what (an option) names a fact that no trial has. */
int facts_column(struct facts *f, const char *what, const char *name, size_t *out, struct error *e);

/* Adds a column for each name of metadata that any trial of the database has, but for tags. Columns that are there stay. */
int facts_all(struct facts *f, struct error *e);

int fact_is_number(enum fact_kind kind);
/* A number; only of kinds that are one. */
int64_t fact_number(const struct facts *f, size_t column, size_t trial);
/* The text of any fact, in buf if it has none of its own; NULL: the trial has none. */
const char *fact_text(const struct facts *f, size_t column, size_t trial, char buf[32]);

/* "2017-07-12 19:49:33" of microseconds since 1970, in UTC; "" when us is NaN or cannot be a date. Returns buf. */
char *db_date(double us, char buf[32]);

#endif
