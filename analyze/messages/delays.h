/*
 * delays.h: finds the call paths of a late rank that cause a wait (Scalasca's short-term delay
 * costs). Since the last time that one of the two ranks waited for the other, the late rank A spent
 * more time in some call paths than the waiting rank B. These excess times d(c), and the time W for
 * which A waited itself, explain the wait w in proportion: with D the sum of d, k = min(w / (D +
 * W), 1), path c of A costs k d(c), and k W is indirect.
 *
 * The interval begins with the two calls in which they last met. Of these, only the completion
 * counts: the time after the other rank left, or after the last rank entered and the first one
 * left. Long-term costs (of indirect waits to their root) are not computed.
 */
#ifndef DELAYS_H
#define DELAYS_H

#include "analyze/messages/messages.h"

struct delay_time { /* ns of a stream in a path, without its waits */
	uint32_t path, in_team; /* in_team: the corresponding path of a thread of the same team */
	int64_t ns, wait;
};

struct delay_point {
	uint64_t at;	    /* position after a call that synchronised */
	int64_t completion; /* ns of that call, in the window */
};

struct delay_met { /* a position: after the last operation of all processes of a communicator,
		    * and after the one before */
	uint32_t comm;
	uint64_t nth, nth_before;
	struct delay_point point, before;
};

#define DELAYS_KEPT 16384 /* times of a stream, a power of two: an interval that began earlier is
			   * cut */

struct delay_lane {
	struct delay_time *kept; /* a ring of DELAYS_KEPT */
	uint32_t *origin;	 /* of those that contain a wait; NULL: none has one */
	uint64_t n;              /* number of values added */
	struct delay_met *met;	 /* of each communicator */
	size_t met_n, met_cap;
	struct map met_at;	 /* by communicator: its index in met */
	struct delay_point team; /* its last position at the same time as the threads of its team */
};

struct delay_pair { /* the positions at which two streams last waited for each other: of the
		     * lower and the higher number */
	struct delay_point point[2];
};

struct delays {
	const struct window_span *span;
	struct delay_lane *lane;
	size_t lane_n;
	struct delay_pair *pair;
	size_t pair_n, pair_cap;
	struct map pair_at;
	struct delay_excess {
		int64_t ns;
		uint32_t turn;
	} *excess;		/* by path, for the wait of this turn */
	size_t excess_n;
	uint32_t turn;
	uint32_t *touched;	/* has room for excess_n */
	size_t touched_n;
	uint64_t since;		/* of the late stream: the position from which on it was compared last */
};

/* span: by process, the window; NULL: no limits. It must stay. Release d. */
void delays_init(struct delays *d, size_t streams, const struct window_span *span);
void delays_release(struct delays *d);

/* Adds a time of a stream. delays_now() is its position: the number of its times. */
static inline void delays_spent(struct delays *d, uint32_t stream, struct delay_time t)
{
	struct delay_lane *l = &d->lane[stream];

	if (!l->kept)
		l->kept = mem_resize(NULL, DELAYS_KEPT, sizeof(*l->kept));
	l->kept[l->n++ & (DELAYS_KEPT - 1)] = t;
}
static inline uint64_t delays_now(const struct delays *d, uint32_t stream)
{
	return d->lane[stream].n;
}
/* The time that was added at a position contained a wait of this many ns. */
void delays_waited(struct delays *d, uint32_t stream, uint64_t at, int64_t wait);

/* What caused that wait most: any number but UINT32_MAX, which is unknown. */
void delays_origin(struct delays *d, uint32_t stream, uint64_t at, uint32_t origin);

/* The two calls synchronised their streams, because b waited for a. Has no effect if a later wait of b is known. */
void delays_met(struct delays *d, const struct message_call *a, const struct message_call *b);
/* The call ends an operation in which all members of a communicator waited for each other. */
void delays_all_met(struct delays *d, const struct message_call *c);

/*
 * The stream is at the begin of its team, or leaves a barrier of the team. completion: ns after the
 * wait, of the last call added.
 */
void delays_team_met(struct delays *d, uint32_t stream, int64_t completion);

struct delay_found {
	double k;		/* excess times multiplied by k are the costs; 0: nothing
				 * explains the wait */
	double indirect, unexplained;	/* ns of the wait */
};
/*
 * Why call b waited ns for call a: fills d->excess for each of d->touched, all positive, valid until
 * the next call. O(times of both since they last met, at most DELAYS_KEPT each).
 */
struct delay_found delays_find(struct delays *d, const struct message_call *a,
			       const struct message_call *b, int64_t ns);
/* After delays_find(), a as there: calls each() for the waits of a that it counted and whose origin is known. */
void delays_origins(const struct delays *d, const struct message_call *a,
		    void (*each)(void *to, uint32_t origin, int64_t wait), void *to);
/* The same as delays_find() for two threads of a team, since they last were at the same position. */
struct delay_found delays_find_team(struct delays *d, const struct message_call *a,
				    const struct message_call *b, int64_t ns);

#endif
