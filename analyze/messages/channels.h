/* channels.h: numbers for communicators and for channels of messages, the same in all processes of a trace. */
#ifndef CHANNELS_H
#define CHANNELS_H

#include "analyze/trace/trace.h"

/*
 * A channel is what one process sends to another with one tag in one communicator; its messages are
 * received in the order in which they were sent. Each process may define a communicator for itself:
 * those with the same name and members have the same number. The world, which need not be defined,
 * is number 0.
 */
struct channels {
	const struct trace *trace;
	struct names keys, comms;
	uint32_t *comm; /* by communicator of the trace */
};

void channels_init(struct channels *c, const struct trace *t);
void channels_release(struct channels *c);

/* comm: of the trace, or any other number for the world. */
uint32_t channels_comm(const struct channels *c, uint32_t comm);
/* Numbers are given in order of first use. from and to: ranks in the world. */
uint32_t channels_id(struct channels *c, int64_t from, int64_t to, int64_t tag, uint32_t comm);
/* How many processes a communicator has, as a process of it knows. */
size_t channels_members(const struct channels *c, size_t process, uint32_t comm);

#endif
