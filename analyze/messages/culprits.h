/*
 * culprits.h: which threads make others wait, and in which call path they spend the time: the causes of waits (delays.h), summed up
 * their call paths.
 *
 * A wait that another one explains is passed on to what caused that one most: an origin is a thread and a path. So a thread that is
 * late at a barrier of its team is also the culprit of ranks that wait for its master.
 *
 * The path of a culprit is the deepest one on the way down from the root where a part of its time worth a finding is, but for
 * functions that several others call: their callers show more. Culprits of several processes with the same path are one.
 */
#ifndef CULPRITS_H
#define CULPRITS_H

#include "analyze/base/map.h"
#include "analyze/trace/trace.h"
#include "analyze/messages/awaited.h"
#include "analyze/messages/delays.h"

/* The first numbers of a set. */
#define CULPRIT_FEW 3
struct culprit_few {
	uint32_t v[CULPRIT_FEW], n;	/* n CULPRIT_FEW + 1: there are more */
};

struct culprit_origin {
	uint32_t stream, process, path;	/* for a team: the part of the path inside of it */
	uint32_t before;	/* of path 0: the path of the call that was late; 0: unknown */
	uint32_t turn;
	double sum;		/* of the wait of this turn: ns of earlier waits with this origin */
};

struct culprit_part {
	uint32_t origin;
	enum wait_pattern pattern;
	double ns;
	struct culprit_few waiting;	/* processes, without that of the origin */
};

/*
 * Samples of a stream outside of all regions, whose call stacks name functions where there are no regions: a tree of functions of the
 * program, without libraries, with the root first.
 */
struct culprit_function {
	uint32_t stream, caller;	/* caller: its number; TRACE_NONE: a root */
	uint32_t code;			/* a place in it, as trace_place() takes it; of a root TRACE_NONE */
	uint32_t name;			/* number of its name */
	uint64_t n;			/* samples in it and in what it calls */
};

struct culprit_who { /* the part of a stream in a culprit */
	uint32_t culprit, stream;
	double ns;
};

struct culprit {
	uint32_t path;		/* 0: outside of all regions, */
	uint32_t before;	/* before the call of this path; 0: it has no call */
	double ns;		/* that others wait because of it */
	double pattern_ns[WAIT_TEAM + 1];
	struct culprit_few waiting;	/* processes, without its own */
	size_t who, who_n;	/* its streams in culprits.who, that with most ns first */
};

struct culprits {
	int wanted;		/* set it before the pass */
	struct culprit_origin *origin;
	size_t origin_n, origin_cap;
	struct map origin_at;
	struct culprit_part *part;
	size_t part_n, part_cap;
	struct map part_at;
	uint32_t *touched;	/* origins with a sum in this turn */
	size_t touched_n, touched_cap;
	uint32_t turn;
	struct culprit_function *function;
	size_t function_n, function_cap;
	struct map function_at;
	struct names names;	/* of functions */
	struct map name_of;	/* by code: the number of its function's name; UINT32_MAX - 1: it is of a library */
	double unknown;		/* ns of waits that others explain whose origin is unknown */
	/* After culprits_end(): those with most ns first. */
	struct culprit *v;
	size_t v_n, v_cap;
	struct culprit_who *who;
	size_t who_n, who_cap;
};

/*
 * Call b waits for a, as delays_find() found. Returns the number of the largest origin, for delays_origin(); TRACE_NONE: unknown.
 */
uint32_t culprits_cause(struct culprits *c, struct delays *d, const struct delay_found *f, const struct message_call *a,
			const struct message_call *b, enum wait_pattern p);

/* Counts a sample outside of all regions: n codes, innermost first. */
void culprits_sample(struct culprits *c, const struct trace *t, uint32_t stream, const uint32_t *code, size_t n);
/*
 * The functions of the program, from its first one on, each called by the one before, in which at least half of the samples of a stream
 * outside of all regions are: codes in them, at most `most`. Returns their number. *n: the samples in the last one; *all: all these samples.
 */
size_t culprits_functions(const struct culprits *c, uint32_t stream, uint32_t *code, size_t most, uint64_t *n, uint64_t *all);

/*
 * Finds the culprits whose waits take `least` ns or more. in_team: the part of a path inside of a team of threads, which is the same for
 * all of them; `of` is its first argument.
 */
void culprits_end(struct culprits *c, struct messages *m, double least, uint32_t (*in_team)(void *of, uint32_t path), void *of);
void culprits_release(struct culprits *c);

/* Adds a number to a set. */
void culprit_few_add(struct culprit_few *f, uint32_t value);

#endif
