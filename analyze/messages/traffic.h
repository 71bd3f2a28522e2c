/*
 * traffic.h: counts messages and bytes by pair of processes, sizes of messages, and collective
 * operations.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "analyze/messages/messages.h"

struct traffic_count {
	uint64_t n, bytes;
};

/* Transfers from one process to another, by messages and in its memory. */
struct traffic_pair {
	uint32_t from, to;	/* ranks in the world */
	struct traffic_count sent, received;	/* as the sender recorded it; as the receiver
						 * recorded it */
	/*
	 * After traffic_end(): `sent`, or `received` if the sender recorded no message to this
	 * receiver, inside or outside of the window.
	 */
	struct traffic_count messages;
	struct traffic_count rma[RMAS];	/* by enum event_rma: `from` made the call, it used the
					 * memory of `to` */
};

#define TRAFFIC_SIZES 65 /* 0: no bytes; i: 2^(i-1) up to 2^i - 1 */

/* Calls of a region that performed a collective operation. */
struct traffic_collective {
	uint32_t region, op;
	uint64_t calls, sent, received;	/* sent, received: bytes */
	int64_t time, wait;	/* ns; wait only if waits_use() is before this use in
				 * messages.use */
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
	struct map collective_at; /* by region and op */
	const struct messages *m;
};

/* The use for messages_read(); m must stay. Then call traffic_end(), and release x. */
struct messages_use traffic_use(struct traffic *x, const struct messages *m);
void traffic_end(struct traffic *x);
void traffic_release(struct traffic *x);

/* The smallest and the largest number of bytes that row i of `size` counts. */
void traffic_size(size_t i, uint64_t *least, uint64_t *most);

#endif
