/* compared_runs.h: what kinds of several runs share: the matrix of regions and runs, the metric, its unit, and the options. */
#ifndef COMPARED_RUNS_H
#define COMPARED_RUNS_H

#include "analyze/compare/run_matrix.h"
#include "cmd/report/report.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table_fields.h"

struct compared {
	struct run_matrix m;
	const char *metric;	/* name; borrowed from a profile */
	int is_time;
	double unit;		/* values are divided by it to be printed: 1000 for ms */
	const char *unit_name;	/* "ms", or NULL */
	int unit_given;		/* with --unit */
	int precision;
	const char *what;	/* a row: "region", "call path", "group" or "sampled code" */
	int samples;		/* rows are sampled code, because of --samples or because the runs have nothing else */
	const char *note;	/* that the runs have samples only; NULL: they do not, or --samples is given */
};

/* --by, --metric and --samples as they are given; ERROR_USAGE or ERROR_INPUT. compared_release() frees in both cases. */
int compared_make(struct compared *c, const struct report_options *o, const struct report_runs *r, struct error *e);
void compared_release(struct compared *c);
/* The notes of loading, and that the runs have samples only. */
void compared_notes(struct table *t, const struct compared *c, const struct report_runs *r);

/* --by: ERROR_USAGE if it is no word of these kinds. Before the runs are loaded. */
extern const struct report_by compared_bys[];
int compared_by(const struct report_options *o, enum run_rows *by, struct error *e);

/* A value as it is printed: whole nanoseconds stay exact. */
double compared_value(const struct compared *c, double value);
/* A value for a sentence: "12.345 ms", "17"; to be freed. */
char *compared_words(const struct compared *c, double value);
/* The same with a sign. */
char *compared_change_words(const struct compared *c, double value);

/* "time_ms" of "time", without a unit if values are counts; to be freed. */
char *compared_key(const struct compared *c, const char *key);
/* A value about the whole table, of that key. */
void compared_fact(struct table *t, const struct compared *c, const char *key, double value);
/* The begin of a note: "Times in ms. " or nothing; to be freed. */
char *compared_unit_words(const struct compared *c);
/* The column of names, which comes last: a row of an array of fields. */
#define COMPARED_REGION_KEY "region"
#define COMPARED_REGION(of, member)                                                                \
	{                                                                                          \
		FIELD(of, member), TABLE_TEXT, COMPARED_REGION_KEY, .fit = region_name_fit,        \
			.meaning = "region, call path or group"                                    \
	}
/* Adds columns: table_fields_each(). Those that are scaled have the unit of the values, which text has in a note. */
void compared_fields(struct table *t, const struct compared *c, const struct table_field *fields, unsigned which,
		     const struct field_each *each);
/* The name of a row: short in text, whole elsewhere; to be freed. */
char *compared_name(const struct compared *c, const struct report_options *o, size_t row);

/* The same for a sentence: at most 36 wide. */
char *compared_brief(const struct compared *c, const struct report_options *o, size_t row);

/*
 * Remarks which names are one row although runs differ in them; text shows the first few.
 */
void compared_matches(struct table *t, const struct compared *c, const struct report_runs *r, const struct report_options *o);

/* A note if the runs have different numbers of PEs. advice: the rest of the sentence. */
void compared_pes_note(struct table *t, const struct compared *c, const char *advice);

#endif
