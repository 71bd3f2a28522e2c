/* report_runs.h: how the runs of a report are added, selected and removed while they are loaded. */
#ifndef REPORT_RUNS_H
#define REPORT_RUNS_H

#include "cmd/report/report_types.h"
#include "convert/load.h"

/* Takes name, title and profile over. said: what was noted when it was read. */
void runs_add(struct report_runs *r, char *name, char *title, struct profile *p, const struct load_report *said);
/* The runs that were added last are those of this operand. */
void runs_number(struct report_runs *r, size_t operand);
void report_run_release(struct report_run *run);

/* A kind that looks at all windows of one run: takes name and title over. The other two take part in replay_sink: to is the struct report_runs. */
struct timeline *runs_series_begin(struct report_runs *r, const struct report_options *o, char *name, char *title);
int runs_series_look(void *to, struct profile *p, size_t at, size_t n, struct error *e);
int runs_series_receive(void *to, struct profile *p, size_t at, size_t n, struct error *e);

/* Without --window, live bytes are those before finalize. */
int runs_are_live(const struct report_options *o);
/* Profiles have the recorder's own regions only if the options choose regions, or name one of them. */
int runs_without_recorder(const struct report_options *o);
/* Notes that recording was off at times in the run of that name. */
void runs_note_pauses(struct report_runs *r, const char *name);
int runs_has_note(const struct load_report *said, enum note_kind kind);

/*
 * report_experiment.c: if the file is an experiment of Extra-P, adds a run for each of its points and returns 1; 0: it is none.
 */
int report_load_experiment(const char *path, const struct report_options *o, struct report_runs *r, struct error *e);

/* report_trials.c: the trials of the database file that the options select. */
int report_load_trials(const char *file, const struct report_options *o, struct report_runs *r, struct error *e);

/*
 * report_where.c: --where. Of runs that are loaded, keeps those for which the condition is true, and those of the baseline. ERROR_INPUT:
 * none of the others is left.
 */
int report_where_runs(const struct report_options *o, struct report_runs *r, struct error *e);
/* ERROR_INPUT: the condition is true for none of what it is about: "trial" or "run". */
int report_where_none(const struct report_options *o, const char *what, struct error *e);

#endif
