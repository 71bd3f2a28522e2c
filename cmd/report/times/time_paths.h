/* time_paths.h: what the reports about call paths of one run share: the tree, and its regions or samples. */
#ifndef TIME_PATHS_H
#define TIME_PATHS_H

#include "analyze/profile/call_tree.h"
#include "cmd/report/report.h"
#include "cmd/report/times/time_tables.h"

enum paths_of { PATHS_OF_THREADS, PATHS_OF_QUEUES, PATHS_OF_SAMPLES };

struct time_paths {
	const struct report_options *o;
	const struct report_runs *r;
	const struct profile *p;
	struct call_tree tree;
	size_t metric;
	enum paths_of of;
	int samples;		/* the tree is of samples */
	uint32_t queues;	/* of devices, which the tree of threads excludes */
	int others;		/* the run has samples as well, which it is not of */
	int alone;		/* it is of samples because the run has nothing else */
	double cut;		/* per cent; of --cut */
};

#define TIME_PATHS_ALONE  "The run has no regions: these are its samples."
#define TIME_PATHS_OTHERS "The run has samples as well: --samples shows them."

/*
 * formats: those that the kind has. With --samples the tree is of samples, and where the run has no regions. ERROR_INPUT: there are none. time_paths_end() is needed on
 * success only.
 */
int time_paths_begin(struct time_paths *a, const char *kind, const char *formats, const struct report_options *o,
		     const struct report_runs *r, struct error *e);
void time_paths_end(struct time_paths *a);
/* Replaces the tree by that of queues of devices, if a->queues is not 0. */
void time_paths_of_queues(struct time_paths *a);

/* --cut: a percentage. */
int cut_read(const char *text, double *cut, struct error *e);

/* A table with title and the notes that all have: what shares are of. */
struct table *time_paths_table(const struct time_paths *a, const struct time_columns *c, const char *title);
/* The note alone: how many threads or queues, and what shares are of. */
void time_paths_note(struct table *t, const struct time_paths *a, const struct time_columns *c);
/* That there are samples, or no call paths. */
void time_paths_remarks(struct table *t, const struct time_paths *a);

/*
 * The name in the tree that the user means by o->word: *name. ERROR_INPUT: there is none, or several. In a run without such a region
 * the tree becomes that of queues of devices, or of samples, where they have it.
 */
int time_paths_word(struct time_paths *a, uint32_t *name, struct error *e);

#endif
