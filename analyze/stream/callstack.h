/*
 * callstack.h: the stack machine of one stream. It alone knows how a trace that does not fit
 * together is repaired, and counts how often it had to; it adds up calls and times for regions and
 * call paths.
 *
 * Time is charged to what is innermost. A cut (callstack_begin, callstack_end) opens and closes the
 * account without touching what is open: so windows are half-open and additive.
 *
 * Repairs: a leave with nothing open is ignored; UNWIND, the end of a thread and the end of the
 * stream close what is open; a snapshot that disagrees with what was replayed is believed.
 */
#ifndef CALLSTACK_H
#define CALLSTACK_H

#include "analyze/base/map.h"
#include "analyze/stream/squares.h"
#include "analyze/trace/trace.h"

/* What one region or path has cost inside an account that has ended. */
struct callstack_row {
	int64_t excl, incl;	/* ns */
	uint64_t calls, subrs;
	uint32_t active;	/* open activations, while whole paths are not kept */
};
/* The same of a whole path while the account is open: the rest follows from what is below it. */
struct callstack_node {
	int64_t excl;
	uint64_t calls;
};
#define CALLSTACK_CALLS 4
/* Where events lead from a whole path. An event that enters region r uses entry r % CALLSTACK_CALLS. */
struct callstack_step {
	uint32_t next[1 + CALLSTACK_CALLS]; /* [0]: the path above; [1 + entry]: the path of region[entry] */
	uint32_t region[CALLSTACK_CALLS]; /* called most recently; TRACE_NONE: none */
	uint32_t context;	/* the path without the root; 0: not looked for yet */
};

/*
 * Paths, shared by all streams of a replay: a tree of suffixes of at most `depth` regions. A path is its innermost
 * region under the path of the others; `shorter` is the path without its outermost region. Whole paths have no use for it.
 */
#define MACHINE_WHOLE UINT32_MAX
struct callstack_path {
	uint32_t region, parent, shorter, length;
	int outermost;		/* the region is not in `parent` */
};
/* The paths one longer that were found last; region r uses entry r % CALLSTACK_CALLS. */
struct callstack_near {
	uint32_t region[CALLSTACK_CALLS], path[CALLSTACK_CALLS];
};
struct callstack_paths {
	uint32_t depth;		/* 0: no paths are kept; MACHINE_WHOLE: all that there are */
	struct callstack_path *v; /* v[0] is the empty path */
	size_t v_n, v_cap;
	struct callstack_near *near; /* by path; as many as v has room for */
	struct map child;	/* (path, region) -> path one longer, whatever its length */
};
void callstack_paths_init(struct callstack_paths *p, uint32_t depth);
void callstack_paths_release(struct callstack_paths *p);
/* As callstack_path_child(), without a look at those that were found last. */
uint32_t callstack_path_find(struct callstack_paths *p, uint32_t path, uint32_t region);

/* The path one longer, whatever its length. */
static inline uint32_t callstack_path_child(struct callstack_paths *p, uint32_t path,
					    uint32_t region)
{
	const struct callstack_near *near = &p->near[path];
	const uint32_t call = region % CALLSTACK_CALLS;

	return near->region[call] == region ? near->path[call]
					    : callstack_path_find(p, path, region);
}

/* The path when `region` is entered in `path`: at most `depth` long. */
static inline uint32_t callstack_path_enter(struct callstack_paths *p, uint32_t path,
					    uint32_t region)
{
	if (p->v[path].length >= p->depth)
		path = p->v[path].shorter;
	return callstack_path_child(p, path, region);
}

struct callstack_frame {
	uint32_t region, path;
};

/* Whoever wants to know when regions are entered and left, those that are entered or left by repair included. */
struct callstack_watch {
	const char *wanted;	/* by region, [region_n] the root: is it watched? */
	size_t depth;		/* others are watched in frames below this number (the root's is 0) */
	void (*begin)(void *to, uint32_t region, size_t depth, int64_t time);
	void (*end)(void *to, uint32_t region, size_t depth, int64_t time);
	void *to;
	const int *stop; /* callstack_run() returns after an event that sets it; NULL: it does not */
};

static inline void callstack_watch_begin(const struct callstack_watch *w, uint32_t region,
					 size_t depth, int64_t time)
{
	if (w && (depth < w->depth || w->wanted[region]))
		w->begin(w->to, region, depth, time);
}

static inline void callstack_watch_end(const struct callstack_watch *w, uint32_t region,
				       size_t depth, int64_t time)
{
	if (w && (depth < w->depth || w->wanted[region]))
		w->end(w->to, region, depth, time);
}

struct callstack {
	struct callstack_paths *paths;
	struct callstack_row *row; /* by region; row[region_n] is the root */
	uint32_t region_n;
	struct callstack_row *path_row; /* by path */
	size_t path_row_n;
	struct callstack_node *node; /* by path, where whole paths are kept */
	struct callstack_step *step; /* likewise */
	size_t node_n;
	struct callstack_frame *frame; /* frame[0] is the root while a thread is in use */
	size_t frame_n, frame_cap;
	int64_t last;		/* charged up to here */
	uint64_t repaired;	/* frames closed or opened without a record of it */
	uint64_t resumed;	/* frames found open when recording went on */
	uint64_t folded;	/* sums of calls */
	unsigned looked;	/* runs over events so far, of whole paths */
	int leaves;		/* most calls call nothing, as far as was seen */
	int off;		/* recording is off: what never closes then was not lost */
	const struct callstack_watch *watch; /* NULL: none; only where no paths are kept */
	struct squares *squares; /* of exclusive times, for the caller's segments; NULL: none */
};

void callstack_init(struct callstack *m, uint32_t region_n, struct callstack_paths *paths);
void callstack_release(struct callstack *m);

/* Opens and closes the account at a time. */
void callstack_begin(struct callstack *m, int64_t time);
void callstack_end(struct callstack *m, int64_t time);

/* Charges what is innermost up to a time, which the account then has reached. */
void callstack_charge(struct callstack *m, int64_t time);
/* What is between two times stays out of the account, which has reached the first; recording is on at the second. */
void callstack_jump(struct callstack *m, int64_t from, int64_t to);
/* Adds to the account of a whole path. */
void callstack_add(struct callstack *m, uint32_t path, uint64_t calls, int64_t excl);

/*
 * Applies a state: the stack that holds at a time. sought: what came before was not read, so a difference is no
 * repair.
 */
void callstack_state(struct callstack *m, const struct event_state *s, int64_t time, int sought);

/*
 * Runs events. Stops at the first that is none of enter and leave, or at n; returns how many it
 * ran. The caller gives the rest to callstack_other() one by one, which ignores what is no business
 * of the stack.
 */
size_t callstack_run(struct callstack *m, const struct event *event, size_t n);
void callstack_other(struct callstack *m, const struct event_batch *b, const struct event *event);

/*
 * The same, but where whole paths are kept it goes on past events that only add to the path that is innermost. take: takes such
 * an event, and returns 1; 0: the run ends before it. It must not change the stack.
 */
struct callstack_past {
	int (*take)(void *to, const struct event *event, uint32_t path);
	void *to;
};
size_t callstack_run_past(struct callstack *m, const struct event *event, size_t n,
			  const struct callstack_past *past);

/* The same for whoever watches: rows are not counted. */
size_t callstack_run_watched(struct callstack *m, const struct event *event, size_t n);

/* The stream ends at a time, not before the last event; what is played may be a metric that falls. */
void callstack_finish(struct callstack *m, int64_t time);

/* A path of at most `depth` innermost regions that are open now, without the root; 0 when there are none. */
uint32_t callstack_context(struct callstack *m, uint32_t depth);
/* The same of a whole path that is innermost, at any depth; 0: it has not been looked for yet. */
static inline int callstack_context_known(const struct callstack *m, uint32_t path,
					  uint32_t *context)
{
	*context = m->step[path].context;
	return *context || !m->paths->v[path].parent;
}

#endif
