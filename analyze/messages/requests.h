/*
 * requests.h: the requests of messages that are open: sends that were not completed, and receives that
 * were posted and did not receive so far.
 */
#ifndef REQUESTS_H
#define REQUESTS_H

#include <stddef.h>
#include <stdint.h>

/* More are open only if their ends are not in the trace: then all are forgotten. */
#define REQUESTS_MOST (1u << 20)

struct message;
struct message_call;

struct message_request {
	uint64_t key;		     /* 0: the place is free */
	struct message *sent;	     /* a send; NULL: a receive */
	struct message_call *posted; /* the call that posted the receive; NULL like `sent`: it began before the pass */
	int64_t at;		     /* ns: it began */
};

struct requests { /* a hash table with open addressing; all zero: empty */
	struct message_request *v;
	size_t n, slots; /* slots: 0 or a power of two */
};

/* The key of a request, from the numbers of its process and its own, which is not 0. */
static inline uint64_t request_key(uint32_t process, uint32_t number)
{
	return (uint64_t)process << 32 | number;
}

/*
 * Adds a request. Returns the one that had the same key, which is no longer in the table; its key is 0
 * if there was none. O(1) on average.
 */
struct message_request requests_add(struct requests *x, struct message_request r);
/* Removes the request and returns it; its key is 0 if it is unknown. O(1) on average. */
struct message_request requests_remove(struct requests *x, uint64_t key);
void requests_release(struct requests *x);

#endif
