/*
 * message_counter.h: counters of the messages of a thread with one peer, with the names that TAU
 * uses. A counter has one sample per message: its size in bytes.
 */
#ifndef MESSAGE_COUNTER_H
#define MESSAGE_COUNTER_H

#include <stdint.h>

enum message_kind {
	MESSAGE_SENT,
	MESSAGE_RECEIVED,
	MESSAGE_PUT,	/* in the order of enum event_rma */
	MESSAGE_GOT,
	MESSAGE_ATOMIC,
	MESSAGE_KINDS,
};

#define MESSAGE_PEER_UNKNOWN (-1)
#define MESSAGE_ALL_SIZES (-1)

struct message_counter {
	enum message_kind kind;	/* MESSAGE_KINDS: another counter */
	int32_t peer;		/* rank, or MESSAGE_PEER_UNKNOWN */
	int32_t size_class;	/* 0: no bytes; k: 2^(k-1) up to 2^k - 1 bytes; or MESSAGE_ALL_SIZES */
};

/* The size class of a message. */
static inline int32_t message_size_class(uint64_t bytes)
{
	return bytes ? 64 - __builtin_clzll(bytes) : 0;
}

/* The counter over all peers. */
const char *message_counter_all(enum message_kind kind);
/*
 * The counter of one peer: "Message size sent to node 3", "... node 3 (64 to 127 bytes)". The
 * caller frees it.
 */
char *message_counter_name(const struct message_counter *m);
/* Reads the name of a counter; kind is MESSAGE_KINDS if it is another counter. */
struct message_counter message_counter_read(const char *name);

#endif
