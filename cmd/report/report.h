/*
 * report.h: what the kinds of tau-report share: their options, the profiles they are about, and what describes a kind.
 * tau-extend(7) describes how to add one.
 */
#ifndef REPORT_H
#define REPORT_H

#include "cmd/report/report_types.h"

/*
 * Loads what the options name: the chosen window of each run or trial, at least one. Live bytes, when no window is
 * named, are those before finalize (LOAD_BEFORE_FINALIZE) where the run or trial has that window.
 */
int report_load(const struct report_options *o, struct report_runs *r, struct error *e);
void report_release(struct report_runs *r);

/*
 * A kind has printed its tables. 1: it continues with its picture, for which o and *out are now as for --format svg; 0: it is done.
 * A kind that does not call it is called once more for its picture.
 */
int report_draws(struct report_options *o, struct output **out);

/* *by = the index of the value of --by among those of the kind. ERROR_USAGE: it is none of them. */
int report_by(const struct report_options *o, size_t *by, struct error *e);
/*
 * *is = the number of `given`, one of the values that the kind has for the option; NULL: the one without it. ERROR_USAGE: it is
 * none of them. A kind that does not have the option: *is stays as it is.
 */
int report_value(const struct report_options *o, const char *option, const char *given, int *is, struct error *e);
/* The names of the values of an option of a kind, --by included, separated by blanks; to be freed. NULL: it has no fixed list. */
char *report_value_names(const struct report_kind *k, const char *option);
/* Options that select parts of a trace, for `options`. */
#define REPORT_PICK "rank thread group region inside "

/* ERROR_USAGE: --explain with a format that has no place for explanations. */
int report_explain_check(const struct report_options *o, struct error *e);

/* What kinds print and check alike: one line per run and those of the loading; rows of text to show. */
void report_notes(struct table *t, const struct report_runs *r);
/* What loading found, one sentence each. */
void report_load_notes(struct table *t, const struct report_runs *r);
size_t report_rows_shown(const struct report_options *o, size_t n, size_t text_top);
int report_one_run(const struct report_runs *r, const char *kind, struct error *e);
/* The metric of a kind that prints one profile in these formats. */
int report_one_profile(const struct report_options *o, const struct report_runs *r,
		       const char *kind, const char *formats, size_t *metric, struct error *e);
/* The metric that --metric names, or the first. ERROR_USAGE: there is none of that name; ERROR_INPUT: no metric at all. */
int report_metric(const struct report_options *o, const struct report_run *run, size_t *metric, struct error *e);
/* ERROR_USAGE: the format is none of those, "text csv json". */
int report_format_check(const struct report_options *o, const char *kind, const char *formats, struct error *e);
/* Reads --unit. ERROR_USAGE: it is no unit, or the format is a picture. */
int report_unit(struct report_options *o, struct error *e);
/* A name that --sort can have, for the message about one that it cannot. */
void report_sorting_key(struct report_sorting *s, const char *key);
/* After printing. ERROR_USAGE: no table has the column of --sort. */
int report_sorting_check(const struct report_options *o, struct error *e);
/* The unit of times that --unit names; NULL: none, or one of bytes. */
const struct table_unit *report_unit_time(const struct report_options *o);
/* A time of ns in a sentence: in the unit that --unit names, or in the one that suits it. Writes to text and returns it. */
const char *report_time(const struct report_options *o, double ns, char text[QUANTITY_TEXT]);
/* The same for a place in the time of a run (quantity_moment_text()). */
const char *report_moment(const struct report_options *o, double ns, char text[QUANTITY_TEXT]);
/* Prints the table in the selected format and frees it. */
void report_table(struct table *t, const struct report_options *o, FILE *f, size_t width);

/*
 * report_paths.c: paths of calls (analyze/trace/call_text.h). A row of text shows the innermost call, and the rows below it the others,
 * one each. Folded stacks are lines "main;step;leaf NUMBER", as flame graphs are made from: functions without their
 * places, around them `first`, below them `last` (NULL: nothing).
 */
const char *report_path_inner(const char *path);
void report_path_rows(struct table *t, size_t column, const char *path);
/* Is it a path of several calls? NULL is none. If there is none of them, stacks were not recorded: prints so. */
int report_is_path(const char *path);
void report_paths_note(struct table *t, int any);
void report_path_folded(FILE *f, const char *first, const char *path, const char *last, double number);
/* ERROR_USAGE: --format folded without --by stack. */
int report_paths_check(const struct report_options *o, struct error *e);

/* ERROR_INPUT: no memory counters in a run. */
int report_no_memory(const struct report_run *run, struct error *e);

#endif
