/*
 * counters.h: which counters an event feeds, under the names that users of TAU know. The names are the
 * interface (TAU files and databases keep nothing else) and are listed in tau-trace2profile(1), COUNTERS.
 */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "analyze/stream/heap_sums.h"
#include "analyze/base/map.h"
#include "analyze/stream/callstack.h"
#include "analyze/profile/counter_stats.h"
#include "analyze/profile/memory_object.h"
#include "analyze/profile/message_counter.h"
#include "analyze/trace/trace.h"

/*
 * The rows that one memtype counts for: itself over all owners and sites; under its owners; with
 * its site, "X @ SITE" or "X <= OWNER @ SITE"; and TAU's name of its site. TRACE_NONE: none.
 */
#define COUNTERS_ROWS 4
#define COUNTERS_HEAP_ALLOCATE "Heap Allocate"
#define COUNTERS_HEAP_FREE "Heap Free"
struct counters_type {
	uint32_t alloc[COUNTERS_ROWS], free[COUNTERS_ROWS], retyped[COUNTERS_ROWS]; /* counters */
	uint32_t level[COUNTERS_ROWS]; /* indexes into counters->level */
};

/* What a counter of memory by type is about. */
struct counters_memory {
	enum memory_number number;	/* NUMBER_NONE: it is another counter */
	uint32_t object;	/* in counters->finding for what was never freed, otherwise in counters->level */
};

struct counters {
	struct names names;	/* counter ids are numbers of this table */
	struct names own;	/* names that the trace's own events have: messages do not count under them a second time */
	uint32_t *event;	/* by trace event */
	struct counters_type *type;	/* by memtype */
	uint32_t heap[2];	/* "Heap Allocate", "Heap Free"; TRACE_NONE: not there yet */
	struct memory_objects level;	/* all, "opal_list_t", "a <= b": what live and peak are kept for */
	struct memory_objects finding;	/* what was never freed */
	struct counters_memory *memory;	/* by counter; those beyond memory_n are others */
	size_t memory_n, memory_cap;
	struct map node;	/* (kind of message, node, size class) or (kind of transfer, file) -> counter */
	int sizes;		/* messages count by size class, too */
};

/* paths: sites are whole paths of calls where these are known (call_text.h). */
void counters_init(struct counters *c, struct trace *t, int paths);
void counters_release(struct counters *c);

/* The object that a counter is about; NULL: it is no counter of memory by type. */
const struct memory_object *counters_object(const struct counters *c, uint32_t counter);

/*
 * Is an event of a kind of its own, none of the program's, the source of such a counter, and does it never say on which path it was
 * met? (Messages; not transfers of files and memory.)
 */
int counters_pathless(const char *name);

/* Adds what one event has to say to s. Context events also go to the path of the `depth` innermost regions. */
void counters_take(struct counters *c, const struct trace *t, struct counter_stats *s,
		   struct callstack *m, uint32_t depth, const struct event *event,
		   const struct event_args *args);
/*
 * What counters_take() would add for an allocation or a free, into sums that become samples at once: 1. 0: nothing was added, and
 * this event is one for counters_take().
 */
int counters_take_heap(const struct trace *t, struct heap_sums *h, struct callstack *m,
		       uint32_t depth, const struct event *event, const struct event_args *args);
/* The same while a whole path is innermost, and of any depth; 0 also where the path's context has not been looked for. */
int counters_take_heap_at(const struct trace *t, struct heap_sums *h, const struct callstack *m,
			  uint32_t path, const struct event *event, const struct event_args *args);
/* Adds sums to s, and clears them. */
void counters_add_heap(struct counters *c, struct counter_stats *s, struct heap_sums *h);

#endif
