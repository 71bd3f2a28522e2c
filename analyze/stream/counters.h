/*
 * counters.h: turns events into samples of counters with TAU's names. The names are the interface
 * (TAU files and databases keep only these); tau-trace2profile(1), COUNTERS, lists them.
 */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "analyze/base/map.h"
#include "analyze/profile/counter_stats.h"
#include "analyze/profile/memory_object.h"
#include "analyze/profile/message_counter.h"
#include "analyze/stream/callstack.h"
#include "analyze/stream/size_sums.h"
#include "analyze/trace/trace.h"
#include "analyze/stream/counters_data.h"

/* t must stay. counters_release() frees c. */
void counters_init(struct counters *c, struct trace *t, enum counters_sites sites);
/* Only `level`, and of `type` only its level: a fraction of the work, for those that need no names of counters. */
void counters_init_levels(struct counters *c, struct trace *t);
void counters_release(struct counters *c);

/* The object of a counter, borrowed; NULL: not a counter of memory by type. */
const struct memory_object *counters_object(const struct counters *c, uint32_t counter);

/*
 * Does the counter come from events of a special kind, not from events of the program, and are its
 * samples never recorded by path? (Messages; not transfers of files or memory.)
 */
int counters_pathless(const char *name);
/* Is it a counter of the bytes of collective operations, or of bytes that were read or written? By its name in TAU. */
int counters_collective(const char *name);
int counters_transfer(const char *name);

/*
 * Adds the samples of one event of t, for which c was made, to s. Context events also count for the
 * path of the `depth` innermost regions.
 */
void counters_add(struct counters *c, const struct trace *t, struct counter_stats *s,
		   struct callstack *m, uint32_t depth, const struct event *event,
		   const struct event_args *args);
/*
 * Adds the same for an allocation, a deallocation or a message to sums, from which
 * counters_add_sizes() makes samples. 1: done. 0: nothing was added, and the event must be passed to
 * counters_add().
 */
int counters_count_size(const struct counters *c, const struct trace *t, struct size_sums *h,
			struct callstack *m, uint32_t depth, const struct event *event,
			const struct event_args *args);
/*
 * The same for memory while a whole path is innermost, for any depth; also 0 if the path's context
 * has not been looked up.
 */
int counters_count_size_at(const struct trace *t, struct size_sums *h, const struct callstack *m,
			   uint32_t path, const struct event *event, const struct event_args *args);
/* Adds sums to s, and clears them. */
void counters_add_sizes(struct counters *c, struct counter_stats *s, struct size_sums *h);

#endif
