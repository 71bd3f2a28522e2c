/*
 * profile.h: the profile type that all parts share: the result of a conversion, the content of
 * TAU's profile files, a trial in the database, the input of reports.
 *
 * A profile is one trial in one window. Values are per thread and sparse: a thread has a row only
 * for what happened on it (missing is not zero).
 *
 * Units: times are microseconds (TAU's and TauDB's convention; from our traces they are whole nanoseconds,
 * so three decimals are exact). Bytes are bytes. Values of other metrics and counters are as recorded.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/base/base.h"
#include "analyze/base/tree_ids.h"
#include "analyze/profile/memory_object.h"
#include "analyze/profile/message_counter.h"

#define PROFILE_FLAT UINT32_MAX	/* "no parent", "no path" */

struct profile_metric {
	char *name;		/* "TIME", "PAPI_TOT_INS" ... */
};

/*
 * Is the metric a time, by its name in TAU's conventions ("GET_TIME_OF_DAY", "CPU_TIME")? Other
 * metrics are shown without a unit. In a profile without metrics, all values are times.
 */
struct profile;
int profile_is_time(const struct profile *p, size_t metric);
/* The first metric that is a time; metric_n: there is none. */
size_t profile_time_metric(const struct profile *p);

/* A timer is one region: "main", "MPI_Send()", never "main => foo". */
struct profile_timer {
	char *name;		/* full name as TAU writes it, with types and "[{file}
				 * {line,col}-{line,col}]" */
	char *groups;		/* "MPI" or "TAU_USER|MPI", without TAU_CALLPATH; "": none */
	char *file;		/* source file, NULL: unknown */
	uint32_t line;		/* 0: unknown */
};

#define TIMER_SAMPLE_PREFIX "[SAMPLE] " /* TAU begins names of sampled functions so; profile_timer_code() reads it */

/*
 * Code that samples found is in rows below the timers, as in TAU (tau-trace2profile(1), SAMPLES).
 * Their times are part of the timers' exclusive times, so no sum may include both.
 */
enum profile_timer_kind {
	TIMER_MEASURED,		/* entered and left */
	TIMER_SAMPLE,		/* "[SAMPLE] f": code that was running; the sum of its exclusive
				 * times is that of all samples */
	TIMER_STACK,		/* "[CONTEXT] f", "[UNWIND] f" ...: its callers */
};
enum profile_timer_kind profile_timer_kind(const struct profile_timer *t);
int profile_has_samples(const struct profile *p); /* it has a timer of that kind */
int profile_has_regions(const struct profile *p); /* it has a TIMER_MEASURED, which is not REGION_ROOT */
/* The code that the name of a TIMER_SAMPLE names, a part of it: "f [{a.c} {6}]"; NULL: a timer of another kind. */
const char *profile_timer_code(const char *name);

/*
 * A path is a timer below a parent path. parent == PROFILE_FLAT: the row of the timer itself,
 * summed over all its callers, which is also the first element of the paths below it (as in TauDB).
 * A path with parents has the values for calls in which the innermost timers were exactly this
 * chain.
 */
struct profile_path {		/* as tree_ids.h requires */
	uint32_t timer;
	uint32_t parent;	/* index of a path before this one, or PROFILE_FLAT */
};

enum profile_counter_kind {
	COUNTER_EVENT,		/* samples of a value: windows add up */
	COUNTER_LEVEL,		/* a state at the end of the window: windows do not add up, the
				 * later value is used */
	COUNTER_PEAK,		/* largest state inside the window */
};

/* A counter is what TAU calls a user event (atomic event). */
struct profile_counter {
	char *name;		/* without context: "Message size for broadcast", "alloc b <= a" */
	uint32_t kind;		/* enum profile_counter_kind */
	enum memory_number number;	/* what it measures of the memory of an object;
					 * NUMBER_NONE: it is another counter */
	uint32_t object;	/* index in profile->object, if number is not NUMBER_NONE */
	struct message_counter message;	/* what its name shows */
};

/*
 * One timer row of one thread. Its values, incl[metric], then excl[metric], begin at
 * thread->values[first].
 */
struct profile_row {
	uint32_t path;
	double calls, subrs;
	size_t first;		/* index into thread->values; 2 * metric_n doubles: inclusive, then exclusive */
};

/* One counter row of one thread; path PROFILE_FLAT: over all contexts. */
struct profile_sample {
	uint32_t counter, path;
	double n, max, min, mean, sumsq;	/* sumsq: sum of squares of the values */
};

struct profile_attribute {
	char *name, *value;
};

struct profile_thread {
	int32_t node, context, thread;	/* rank, 0, stream number; TauDB's derived threads: -1 to
					 * -7 in all three */
	struct profile_row *row;	/* sorted by path after profile_sort() */
	size_t row_n, row_cap;
	double recorder;	/* time in the recorder's own regions, which have no rows (recorder_rows.h); us */
	double *values;
	size_t values_n, values_cap;
	double *squares;	/* [row * metric_n + metric], see profile_squares(); only if the
				 * profile has them */
	size_t squares_n, squares_cap;
	struct profile_sample *sample;	/* sorted by (counter, path) after profile_sort() */
	size_t sample_n, sample_cap;
	struct profile_attribute *meta;	/* what TAU calls metadata; names are different */
	size_t meta_n, meta_cap;
	struct names *meta_names;	/* look-up; private; NULL: not made so far */
};

/* The size of the run, for a profile that has only derived threads (derived_threads.h). */
struct profile_summary {
	size_t pes;		/* 0: the profile is not a summary, it has all threads */
	size_t threads;		/* of all PEs */
	int32_t contexts, per_context;	/* highest context and thread number + 1 */
};

struct profile {
	char *name;		/* of the trial */
	struct profile_summary summary;
	char *window;		/* text of the window, NULL: the whole run */
	double begin_us, end_us;	/* of the window, since the start of the run; end < begin: unknown */
	uint32_t source;	/* TauDB data_source: 1 TAU profiles, 0 packed ...; ours 999 */
	struct profile_metric *metric;
	size_t metric_n, metric_cap;
	int squares;		/* rows have squares; set it before the first row is added */
	struct profile_timer *timer;
	size_t timer_n, timer_cap;
	struct profile_path *path;
	size_t path_n, path_cap;
	struct profile_counter *counter;
	size_t counter_n, counter_cap;
	struct memory_objects object;	/* of counters of memory by type */
	struct profile_thread *thread;
	size_t thread_n, thread_cap;
	uint64_t repaired;	/* frames without begin or end, while the window is filled
				 * (replay.h); later metadata */
	struct profile_attribute *meta;	/* of the trial; names are different */
	size_t meta_n, meta_cap;
	struct names *meta_names;	/* look-up; private; NULL: not made so far */
	struct names timer_names, counter_names, thread_names;	/* look-up; private */
	struct tree_ids path_ids; /* the first of the paths; private */
};

struct profile *profile_new(void);
void profile_free(struct profile *p);
/* The window ":" is the whole run: it becomes NULL. */
void profile_whole(struct profile *p);
/* What one thread holds, without the thread itself; and a list of attributes. */
void profile_thread_release(struct profile_thread *t);
void profile_attributes_free(struct profile_attribute *a, size_t n);

/*
 * These find or add. Strings are copied; an empty name becomes "(no name)"; groups and file may be
 * NULL. The groups and file of an existing timer are kept if they are set.
 * All metrics must be added before the first row, because a row is 2 * metric_n values
 * wide. They return the index.
 */
uint32_t profile_add_metric(struct profile *p, const char *name);
uint32_t profile_add_timer(struct profile *p, const char *name, const char *groups, const char *file,
			   uint32_t line);
/*
 * Gives timers the names that name_of() returns, to be freed; NULL: the timer keeps its name, as it does if another
 * timer has the new name.
 */
void profile_rename_timers(struct profile *p, char *(*name_of)(const char *name));
uint32_t profile_add_path(struct profile *p, uint32_t timer, uint32_t parent);
/* Adds a path with a parent that the profile does not have, without looking for it. */
uint32_t profile_new_path(struct profile *p, uint32_t timer, uint32_t parent);
uint32_t profile_add_counter(struct profile *p, const char *name, uint32_t kind);
/* A counter of the memory of an object. Its name and kind follow from `number` and the object. */
uint32_t profile_add_memory(struct profile *p, enum memory_number number, uint32_t object);
uint32_t profile_add_object(struct profile *p, const struct memory_object *o);
/*
 * A counter from a file or database that has only its name: only this function parses such names.
 */
uint32_t profile_read_counter(struct profile *p, const char *name);
/* The same counter in another profile. */
uint32_t profile_copy_counter(struct profile *p, const struct profile *from, uint32_t counter);
/* Index of the thread; adds it if necessary. */
uint32_t profile_add_thread(struct profile *p, int32_t node, int32_t context, int32_t thread);

/* Removes all threads and their values; definitions stay. */
void profile_drop_threads(struct profile *p);

/*
 * Appends a row of zeros (its squares are unknown), without a check whether the thread has one already. Pointers are valid
 * until the next call for that thread.
 */
struct profile_row *profile_add_row(struct profile *p, uint32_t thread, uint32_t path);
struct profile_sample *profile_add_sample(struct profile *p, uint32_t thread, uint32_t counter, uint32_t path);
/* Makes room for n samples at once. A hint: profile_add_sample() does it, too. */
void profile_reserve_samples(struct profile *p, uint32_t thread, size_t n);
static inline double *profile_incl(struct profile_thread *t, const struct profile_row *r)
{
	return &t->values[r->first];
}
static inline double *profile_excl(const struct profile *p, struct profile_thread *t, const struct profile_row *r)
{
	return &t->values[r->first + p->metric_n];
}

/*
 * [metric]: sum over the calls of a row of the squared exclusive value, which a standard deviation
 * per call requires; NaN: unknown. NULL: the thread has no squares.
 */
static inline double *profile_squares(struct profile_thread *t, const struct profile_row *r)
{
	return t->squares_n ? &t->squares[r->first / 2] : NULL;
}
/*
 * The same for one metric, also if it follows from the totals: there was one call and the window
 * contains all of it, or all values are 0.
 */
double profile_squared(const struct profile *p, const struct profile_thread *t, const struct profile_row *r, size_t metric);

/*
 * Adds the content of another profile with the same metrics, as if its parts were added one by one;
 * for profiles of different threads of one trial.
 */
void profile_join(struct profile *into, const struct profile *from);

/*
 * A name may occur several times in files: the last value is used. thread UINT32_MAX: of the trial.
 */
void profile_set_meta(struct profile *p, uint32_t thread, const char *name, const char *value);
/* borrowed; NULL: not set */
const char *profile_meta(const struct profile *p, uint32_t thread, const char *name);
/*
 * Of the thread, or of the trial, which has what is equal in all threads. If the trial's first thread repeats an attribute of the trial, only the files of the threads that have it contain it: TAU can write what ranks share
 * into the file of the first one alone.
 */
const char *profile_meta_of(const struct profile *p, uint32_t thread, const char *name);
/* The same as numbers; NaN: not set. For names of the recorder, whose values are numbers. */
double profile_meta_number(const struct profile *p, uint32_t thread, const char *name);
double profile_meta_number_of(const struct profile *p, uint32_t thread, const char *name);
/* The sum over the threads of PEs; where none of them has a value, that of the trial; NaN: not set. */
double profile_meta_sum(const struct profile *p, const char *name);
/* The first thread that is not derived; NULL: there is none. */
const struct profile_thread *profile_first_thread(const struct profile *p);

/* Sorts threads by (node, context, thread), rows and samples; the look-ups below require it. */
void profile_sort(struct profile *p);
/*
 * Numbers timers and counters in order of their names, and paths by length, then by parent, then by
 * timer; then sorts. Profiles with equal content have equal numbers afterwards; metrics, objects and
 * metadata keep their order.
 */
void profile_order(struct profile *p);
const struct profile_row *profile_row_get(const struct profile_thread *t, uint32_t path);
const struct profile_sample *profile_sample_get(const struct profile_thread *t, uint32_t counter, uint32_t path);

/* Writes "a => b => c" into buf, terminated unless size is 0. Returns the length of the complete name. */
size_t profile_path_name(const struct profile *p, uint32_t path, char *buf, size_t size);
/* The same as a string that the caller frees. */
/* The order of the texts of two paths by strcmp(), without the texts. */
int profile_path_order(const struct profile *p, uint32_t a, uint32_t b);
char *profile_path_text(const struct profile *p, uint32_t path);
/* The name of a counter, and where it was counted: "E", or "E : a => b". The caller frees it. */
char *profile_sample_text(const struct profile *p, const struct profile_sample *s);

/*
 * [path]: its position among all paths in the order of their names (strcmp). The caller frees it.
 * O(paths).
 */
uint32_t *profile_path_places(const struct profile *p);

/*
 * The innermost timer of a path that was measured, not sampled: the region of a sample.
 * PROFILE_FLAT: there is none.
 */
uint32_t profile_path_measured(const struct profile *p, uint32_t path);

/*
 * Number of processing elements: of distinct non-negative nodes, without those that are no PE (TAU_META_NOT_A_PE) if there are
 * others; or `pes` of a summary.
 */
size_t profile_pes(const struct profile *p);

#endif
