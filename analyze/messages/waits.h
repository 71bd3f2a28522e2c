/*
 * waits.h: finds wait states of messages and collective operations, with the ranks and call paths
 * that wait, and those that cause them. The patterns are those of awaited.h.
 *
 * A call that polls has no wait state, because it returns at once; a program that calls it again and again waits. So the time of
 * these calls is a pattern of its own, without a cause.
 */
#ifndef WAITS_H
#define WAITS_H

#include "analyze/messages/awaited.h"
#include "analyze/messages/culprits.h"
#include "analyze/messages/delays.h"
#include "analyze/messages/wait_rows.h"

struct wait_past { /* a late sender whose message may have been sent after one that is received
		    * later */
	int64_t sent;
	double ns;
	uint32_t path;
};
#define WAITS_PAST 100

struct wait_lane { /* a stream */
	struct wait_past past[WAITS_PAST];
	size_t past_n, past_at;
	int64_t past_sent;	/* latest send of these */
	double ns;	/* ns of the stream inside the window */
	uint32_t origin; /* of the last wait that is not in its times yet; TRACE_NONE: unknown */
	int calls;	/* it takes part in messages */
};

/* What the calls of a region are. */
enum polling {
	POLLING_NOT,
	POLLING,		/* they poll */
	POLLING_REQUESTS,	/* they test requests, which they complete */
	POLLING_MESSAGES,	/* they look for messages */
};

/* A wait in the window that a late call causes. */
struct wait_found {
	const struct message_call *call, *late;	/* the one that waits, and the one that it waits for */
	enum wait_pattern pattern;
	int64_t begin, end;	/* ns. A call that is found later to have waited longer has two waits, one after the other */
};

struct waits {
	struct messages *m;
	/* Set them after waits_use(). NULL: not called. The sum of these waits is that of the rows that late calls cause. */
	void (*found)(void *found_to, const struct wait_found *w);
	void *found_to;
	uint32_t *in_team; /* by path: 1 + its part from the innermost parallel region on; 0:
			    * unknown */
	size_t in_team_n;
	int teams; /* the trace has parallel regions of threads */
	unsigned char *polls; /* by region: enum polling */
	int any_polls;
	uint64_t tests, completed; /* calls that test requests, and those of them that complete some; in traces
				    * without `tests_found`: a receive or a collective operation */
	uint64_t tests_found;	   /* those of them whose result was recorded */
	uint64_t probes, probes_found; /* calls that look for messages, and those that found one; 0: none, or
					* results were not recorded */
	struct wait_rows waits;	 /* by process, path and pattern, the longest first after waits_end() */
	struct wait_rows causes; /* by the process and path that caused the waits: short-term
				  * costs of delays */
	double *region_ns;	 /* by region of the call that waits: ns of waits that a late call causes */
	double unexplained;	 /* ns of caused waits that no delay explains */
	double indirect;	 /* ns of caused waits that other waits explain */
	uint64_t early, early_meetings; /* waits cut short because clocks disagree */
	double ns;		 /* ns of the streams that take part in messages, after
				  * waits_end() */
	struct delays delays;
	struct culprits culprits; /* if culprits.wanted was set before the pass */
	struct wait_lane *lane;	 /* by stream */
	struct call_kinds kinds;
};

/* The use for messages_read(); m must stay. Then call waits_end(), and release x. */
struct messages_use waits_use(struct waits *x, struct messages *m);
void waits_end(struct waits *x);
/* ns of waits that late calls cause. */
double waits_caused(const struct waits *x);
/* After waits_end(): finds the culprits of at least one per cent of these. */
void waits_culprits(struct waits *x);
void waits_release(struct waits *x);

#endif
