/*
 * taudb.h: reads databases of trials (TauDB, schema version 2) that tau-db or TAU wrote: taudb(3).
 *
 * Names of functions, structures and fields are those of TAU's own C interface where it has them. What differs from it: each
 * function that can fail reports that to its caller and never ends the program, a connection is a file, numbers have 64 bits,
 * lists come with their count, and nothing is global.
 *
 * Units: times are microseconds, other metrics and counters as recorded. Missing is not zero: a double is NaN, an integer
 * TAUDB_UNKNOWN, a text or a reference NULL.
 *
 * Ownership: a list that a function returns belongs to the caller, who frees it with the function named there; lists inside a
 * trial belong to the trial. Texts live until taudb_disconnect(), which comes last. References point into the lists of the trial.
 *
 * Errors: a function that returns a pointer returns NULL; taudb_error() then returns one sentence, taudb_error_code() why.
 * Out of memory ends the program with one line.
 *
 * Threads: one thread at a time uses a connection and its trials; different connections are independent.
 */
#ifndef TAUDB_H
#define TAUDB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAUDB_API __attribute__((visibility("default")))

#define TAUDB_UNKNOWN INT64_MIN

enum taudb_error_code {
	TAUDB_OK = 0,
	TAUDB_ERROR_USAGE = -2,		/* an argument: there is no such trial */
	TAUDB_ERROR_INPUT = -3,		/* the file is not a TauDB, or is damaged */
	TAUDB_ERROR_SYSTEM = -4,	/* the system, or another program, is in the way */
};

/* thread_rank of threads that summarise the others (taudb(5)). */
enum taudb_derived_thread {
	TAUDB_MEAN_WITHOUT_NULLS = -1,
	TAUDB_TOTAL = -2,
	TAUDB_STDDEV_WITHOUT_NULLS = -3,
	TAUDB_MIN = -4,
	TAUDB_MAX = -5,
	TAUDB_MEAN_WITH_NULLS = -6,
	TAUDB_STDDEV_WITH_NULLS = -7,
};

struct taudb_connection;

struct taudb_data_source {
	int64_t id;
	const char *name, *description;
};

struct taudb_metric {
	int64_t id;
	const char *name;		/* "TIME", "PAPI_TOT_INS" */
	int64_t derived;		/* 1: computed from other metrics */
};

/* A window of time. */
struct taudb_time_range {
	int64_t id;
	const char *name;		/* its text, such as "10%:250ms"; NULL: the whole run */
	double time_start, time_end;	/* since the start of the run; half-open */
	int64_t iteration_start, iteration_end;
};

struct taudb_thread {
	int64_t id;
	int64_t node_rank, context_rank, thread_rank;	/* all three are enum taudb_derived_thread in a derived thread */
	int64_t index;			/* of all threads of the trial; negative in a derived thread */
};

struct taudb_timer {
	int64_t id;
	const char *name;		/* with source location and parameters */
	const char *short_name;		/* without */
	const char *groups;		/* "MPI|TAU_USER" */
	const char *source_file;
	int64_t line_number, line_number_end, column_number, column_number_end;
};

/* A timer below a path of callers. parent NULL: the timer itself, over all its callers. */
struct taudb_timer_callpath {
	int64_t id;
	const struct taudb_timer *timer;
	const struct taudb_timer_callpath *parent;
};

struct taudb_counter {
	int64_t id;
	const char *name;		/* without context */
};

/* name is NULL in no row. */
struct taudb_primary_metadata {
	const char *name, *value;
};

struct taudb_secondary_metadata {
	int64_t id;
	const struct taudb_thread *thread;		/* NULL: of the trial, in a time range */
	const struct taudb_time_range *time_range;	/* NULL: of all */
	const char *name, *value;
};

/* A call path on a thread: TAU's timer_call_data and timer_value. */
struct taudb_timer_value {
	const struct taudb_timer_callpath *timer_callpath;
	const struct taudb_thread *thread;
	const struct taudb_time_range *time_range;	/* NULL: the trial has none */
	const struct taudb_metric *metric;		/* NULL: only calls are known */
	double calls, subroutines;			/* of derived threads, they may be fractions */
	double inclusive, exclusive;
	double inclusive_percentage, exclusive_percentage;	/* of the largest inclusive value of the thread and time range */
	double sum_exclusive_squared;
};

/* A counter on a thread, over all contexts or in that of a call path. */
struct taudb_counter_value {
	const struct taudb_counter *counter;
	const struct taudb_thread *thread;
	const struct taudb_time_range *time_range;	/* NULL: the trial has none */
	const struct taudb_timer_callpath *context;	/* NULL: over all contexts */
	double sample_count, maximum_value, minimum_value, mean_value, standard_deviation;
};

/* Lists are NULL until a function below reads them; an empty list is not NULL. */
struct taudb_trial {
	int64_t id;
	const char *name;
	const struct taudb_data_source *data_source;
	int64_t node_count, contexts_per_node, threads_per_context, total_threads;
	int64_t metric_count, time_range_count, thread_count, derived_thread_count, timer_count, timer_callpath_count,
		counter_count, primary_metadata_count, secondary_metadata_count;
	struct taudb_metric *metrics;
	struct taudb_time_range *time_ranges;	/* the first is the one that most programs show */
	struct taudb_thread *threads;		/* without derived threads; none in the summary of a large job */
	struct taudb_thread *derived_threads;
	struct taudb_timer *timers;
	struct taudb_timer_callpath *timer_callpaths;
	struct taudb_counter *counters;
	struct taudb_primary_metadata *primary_metadata;
	struct taudb_secondary_metadata *secondary_metadata;
};

/* ---- connections ---- */

/*
 * Opens a file for reading. Never NULL; taudb_check_connection() returns 0 or an error code, and taudb_disconnect() frees it in
 * any case. What a killed writer left half-done is undone first. Programs that are writing are waited for, for five minutes.
 */
TAUDB_API struct taudb_connection *taudb_connect_file(const char *file);
TAUDB_API int taudb_check_connection(const struct taudb_connection *c);
TAUDB_API void taudb_disconnect(struct taudb_connection *c);

/* Of the last call that failed: a sentence without a full stop ("" if none has failed), and its code. */
TAUDB_API const char *taudb_error(const struct taudb_connection *c);
TAUDB_API int taudb_error_code(const struct taudb_connection *c);

/* ---- trials, and what they define ---- */

/*
 * Trials by number. filter: only the trial with its id, if that is not 0, and those with its name, if that is not NULL; NULL:
 * all. To be freed with taudb_delete_trials(), which frees their lists, too.
 */
TAUDB_API struct taudb_trial *taudb_query_trials(struct taudb_connection *c, const struct taudb_trial *filter, size_t *count);
TAUDB_API void taudb_delete_trials(struct taudb_trial *trials, size_t count);

/* Each reads a list of the trial, sorted by id, unless it has been read, with those that it refers to, and returns it. */
TAUDB_API struct taudb_metric *taudb_query_metrics(struct taudb_connection *c, struct taudb_trial *t);
TAUDB_API struct taudb_time_range *taudb_query_time_ranges(struct taudb_connection *c, struct taudb_trial *t);
TAUDB_API struct taudb_thread *taudb_query_threads(struct taudb_connection *c, struct taudb_trial *t);
TAUDB_API struct taudb_thread *taudb_query_derived_threads(struct taudb_connection *c, struct taudb_trial *t);
TAUDB_API struct taudb_timer *taudb_query_timers(struct taudb_connection *c, struct taudb_trial *t);
TAUDB_API struct taudb_timer_callpath *taudb_query_timer_callpaths(struct taudb_connection *c, struct taudb_trial *t);
TAUDB_API struct taudb_counter *taudb_query_counters(struct taudb_connection *c, struct taudb_trial *t);
TAUDB_API struct taudb_primary_metadata *taudb_query_primary_metadata(struct taudb_connection *c, struct taudb_trial *t);
TAUDB_API struct taudb_secondary_metadata *taudb_query_secondary_metadata(struct taudb_connection *c, struct taudb_trial *t);

/* The first of a list that was read, by name or numbers; NULL: there is none. O(list). */
TAUDB_API const struct taudb_metric *taudb_get_metric(const struct taudb_trial *t, const char *name);
TAUDB_API const struct taudb_timer *taudb_get_timer(const struct taudb_trial *t, const char *name);
TAUDB_API const struct taudb_counter *taudb_get_counter(const struct taudb_trial *t, const char *name);
TAUDB_API const struct taudb_thread *taudb_get_thread(const struct taudb_trial *t, int64_t node_rank, int64_t context_rank,
						      int64_t thread_rank);
/* The value of the trial's metadata; NULL: there is none. */
TAUDB_API const char *taudb_get_primary_metadata(const struct taudb_trial *t, const char *name);

/* "main => foo => MPI_Send()", to be freed with free(). */
TAUDB_API char *taudb_get_callpath_string(const struct taudb_timer_callpath *p);

/* ---- values ---- */

/*
 * Rows of the selected call path, thread and metric; NULL: of all call paths, threads and metrics. range NULL: of the trial's
 * first time range; rows of several time ranges never come together, because these may overlap. thread may be a derived one.
 * By thread, then in the order of the database. To be freed with taudb_delete_timer_values().
 * taudb_query_timer_stats(): the same of the derived threads, for thread NULL.
 */
TAUDB_API struct taudb_timer_value *taudb_query_timer_values(struct taudb_connection *c, struct taudb_trial *t,
							     const struct taudb_timer_callpath *callpath,
							     const struct taudb_thread *thread, const struct taudb_metric *metric,
							     const struct taudb_time_range *range, size_t *count);
TAUDB_API struct taudb_timer_value *taudb_query_timer_stats(struct taudb_connection *c, struct taudb_trial *t,
							    const struct taudb_timer_callpath *callpath,
							    const struct taudb_metric *metric,
							    const struct taudb_time_range *range, size_t *count);
TAUDB_API void taudb_delete_timer_values(struct taudb_timer_value *values, size_t count);

/* The same for counters; counter NULL: all. By counter. To be freed with taudb_delete_counter_values(). */
TAUDB_API struct taudb_counter_value *taudb_query_counter_values(struct taudb_connection *c, struct taudb_trial *t,
								 const struct taudb_counter *counter,
								 const struct taudb_thread *thread,
								 const struct taudb_time_range *range, size_t *count);
TAUDB_API struct taudb_counter_value *taudb_query_counter_stats(struct taudb_connection *c, struct taudb_trial *t,
								const struct taudb_counter *counter,
								const struct taudb_time_range *range, size_t *count);
TAUDB_API void taudb_delete_counter_values(struct taudb_counter_value *values, size_t count);

#ifdef __cplusplus
}
#endif

#endif
