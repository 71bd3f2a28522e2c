/* traffic.h: messages and bytes by pair of processes, sizes of messages, and collective operations. */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "analyze/messages/messages.h"

struct traffic_count {
	uint64_t n, bytes;
};

/* What one process sent to another, and did in its memory. */
struct traffic_pair {
	uint32_t from, to;	/* ranks in the world */
	struct traffic_count sent, received;	/* as the sender recorded it; as the receiver did */
	/* After traffic_end(): sent, or received if the sender recorded no message to it, inside
	 * the window or outside. */
	struct traffic_count messages;
	struct traffic_count rma[RMAS];	/* by enum event_rma: from made the call, in to's memory */
};

#define TRAFFIC_SIZES 65 /* 0: no bytes; i: 2^(i-1) up to 2^i - 1 */

/* Calls of a region that did a collective operation. */
struct traffic_collective {
	uint32_t region, op;
	uint64_t calls, sent, received;	/* bytes */
	int64_t time, wait;	/* ns; wait only where waits_use() comes before this use */
};

struct traffic {
	struct traffic_pair *pair;	/* by from and to, after traffic_end() */
	size_t pair_n, pair_cap;
	struct map at;
	struct map sends; /* from and to of pairs whose sender recorded a message */
	struct traffic_count size[TRAFFIC_SIZES]; /* as senders recorded them */
	uint64_t size_least, size_most;
	struct traffic_collective *collective;
	size_t collective_n, collective_cap;
	const struct messages *m;
};

/* A use of messages_read(). Release it after traffic_end(). */
struct messages_use traffic_use(struct traffic *x, const struct messages *m);
void traffic_end(struct traffic *x);
void traffic_release(struct traffic *x);

/* Least number of bytes that counts in row i of sizes, and the most. */
void traffic_size(size_t i, uint64_t *least, uint64_t *most);

#endif
