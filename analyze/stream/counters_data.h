/* counters_data.h: the counters of a trace as structures. */
#ifndef COUNTERS_DATA_H
#define COUNTERS_DATA_H

#include "analyze/stream/size_sums.h"
#include "analyze/base/map.h"
#include "analyze/stream/callstack.h"
#include "analyze/profile/counter_stats.h"
#include "analyze/profile/memory_object.h"
#include "analyze/profile/message_counter.h"
#include "analyze/trace/trace.h"

/*
 * The rows for which one memtype counts: the sum over all owners and sites; with its owners; with
 * its site, "X @ SITE" or "X <= OWNER @ SITE"; and TAU's name of its site. TRACE_NONE: no such row.
 */
#define COUNTERS_ROWS 4
#define COUNTERS_HEAP_ALLOCATE "Heap Allocate"
#define COUNTERS_HEAP_FREE "Heap Free"
#define COUNTERS_BYTES_READ "Bytes Read"
#define COUNTERS_BYTES_WRITTEN "Bytes Written"
#define COUNTERS_MPI_BYTES_READ "MPI-IO Bytes Read"
#define COUNTERS_MPI_BYTES_WRITTEN "MPI-IO Bytes Written"
struct counters_type {
	uint32_t alloc[COUNTERS_ROWS], free[COUNTERS_ROWS], retyped[COUNTERS_ROWS],
		inner[COUNTERS_ROWS]; /* counters */
	uint32_t level[COUNTERS_ROWS]; /* indexes into counters->level */
};

/* The object of a counter of memory by type. */
struct counters_memory {
	enum memory_number number;	/* NUMBER_NONE: it is another counter */
	uint32_t object;	/* index in counters->finding for leaks, otherwise in
				 * counters->level */
};

struct counters {
	struct names names;	/* counter ids are indexes into this table */
	struct names own;	/* names of the trace's own events: messages are not counted
				 * again under these names */
	uint32_t *event;	/* by trace event */
	struct counters_type *type;	/* by memtype */
	uint32_t heap[2];	/* "Heap Allocate", "Heap Free"; TRACE_NONE: not added so far */
	struct memory_objects level;	/* (all), "opal_list_t", "a <= b": the objects of live
					 * and peak values */
	struct memory_objects finding;	/* the objects of leaks */
	struct counters_memory *memory;	/* by counter; counters from memory_n on are others */
	size_t memory_n, memory_cap;
	struct map node;	/* (kind of message, node, size class) or (kind of transfer, file) -> counter */
	struct {
		int known;
		uint32_t counter;	/* TRACE_NONE: the trace has an event with its name */
	} all[MESSAGE_KINDS];	/* of all messages of a kind */
	int sizes;		/* messages count by size class, too */
};

/* How call sites of memory are named. */
enum counters_sites {
	COUNTERS_SITES_NAMED,	/* trace_memtype_site() */
	COUNTERS_SITES_PATHS,	/* whole call paths, if these are known (call_text.h) */
	COUNTERS_SITES_PLAIN,	/* without a look at code, for a profile that is about no memory */
};

#endif
