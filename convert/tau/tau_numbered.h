/*
 * tau_numbered.h: a profile in the terms of TAU's file formats: timers and call paths, counters and
 * counters in a context are names with numbers, and a thread is rows of such numbers. The readers
 * and writers of packed profiles and of snapshots use it; this file alone interprets the names, by
 * the rules of tau_profile.h.
 */
#ifndef TAU_NUMBERED_H
#define TAU_NUMBERED_H

#include "analyze/base/map.h"
#include "analyze/profile/profile.h"
#include "convert/tau/tau_names.h"

/*
 * The texts of all call paths together may be much larger than the profile: of what numbered_copy() made, only the paths are kept,
 * and numbered_function_name() makes the text.
 */
struct numbered_function {
	const char *name;	/* "main", "main => MPI_Send()"; NULL: that of the path */
	uint32_t path;
	const char *groups;	/* "MPI|TAU_CALLPATH", "" none */
};

struct numbered_row {
	uint32_t function;
	double calls, subrs;
	size_t first;		/* in the thread's values: metric_n pairs of exclusive and inclusive */
};

struct numbered_sample {
	uint32_t event;
	double n, max, min, mean, sumsq;
};

struct numbered_thread {
	int32_t node, context, thread;
	struct numbered_row *row;
	size_t row_n, row_cap;
	double *value;
	size_t value_n, value_cap;
	struct numbered_sample *sample;
	size_t sample_n, sample_cap;
	struct profile_attribute *meta;
	size_t meta_n, meta_cap;
};

struct tau_numbered {
	struct names metric;
	struct numbered_function *function;
	size_t function_n, function_cap;
	struct names functions;	/* private: name and groups -> number */
	struct names group;	/* private, as the next three: the texts of groups */
	struct map function_at;	/* hash of name and groups -> number, of numbered_copy() */
	struct tau_names names;
	const struct profile *of;
	struct names event;	/* "0Bytes Read", "0Bytes Read : main => read()"; "1...": the same text a second time */
	struct numbered_thread *thread;
	size_t thread_n, thread_cap;
	struct profile_attribute *meta;	/* of the trial */
	size_t meta_n, meta_cap;
};

void numbered_release(struct tau_numbered *f);

/*
 * Find or add; strings are copied, blanks around the name dropped. again: the same text stood there before, as another event.
 */
uint32_t numbered_function(struct tau_numbered *f, const char *name, const char *groups);
uint32_t numbered_event(struct tau_numbered *f, const char *name, int again);
/* The name of a function; to be freed. */
char *numbered_function_name(const struct tau_numbered *f, size_t function);
static inline const char *numbered_event_name(const struct tau_numbered *f, uint32_t event)
{
	return f->event.name[event] + 1;
}
#define numbered_meta(to, n, v)                                                                    \
	(*array_add(to, meta) = (struct profile_attribute){mem_string(n), mem_string(v)})

/*
 * Copies p without its derived threads into f, which is all zero; names are those of tau_names.h. Events are in an order that
 * lets readers distinguish counters in a context from counters with such a name. p stays as it is until f is released.
 */
void numbered_copy(struct tau_numbered *f, const struct profile *p);

/* The thread of the lowest numbers; NULL: there is no thread. */
const struct numbered_thread *numbered_first(const struct tau_numbered *f);

/* Moves attributes that all threads share to the trial, which also gets those that meta_share.h names. */
void numbered_share_meta(struct tau_numbered *f);

/*
 * The profile, sorted, which the caller owns; the window is taken from the trial's metadata. Values of rows of one path add up.
 * ERROR_INPUT, "PATH: ...": a thread occurs twice, or a name is impossible.
 */
int numbered_profile(const struct tau_numbered *f, const char *path, uint32_t source,
		     struct profile **out, struct error *e);

/*
 * The first half of numbered_profile(), for readers that deliver thread by thread: p, which is
 * empty, gets the definitions of f; path[] and place[] get the path or the counter and path of each
 * function and event; both arrays are the caller's. Several may have the same. ERROR_INPUT: a name is
 * impossible. numbered_trial() gives p the metadata of the trial.
 */
struct numbered_place {
	uint32_t counter, path;
};
int numbered_define(const struct tau_numbered *f, const char *file, struct profile *p,
		    uint32_t *path, struct numbered_place *place, struct error *e);
void numbered_trial(const struct tau_numbered *f, struct profile *p);

/* Adds the window of p to the trial's metadata as "TAU Window...", as TAU profile directories have it. */
void numbered_window_meta(struct tau_numbered *f, const struct profile *p);

#endif
