/* channels.h: numbers for communicators and for channels of messages, the same in all processes of a trace. */
#ifndef CHANNELS_H
#define CHANNELS_H

#include "analyze/trace/trace.h"

/*
 * A channel is the sequence of messages from one process to another with one tag in one
 * communicator; they are received in the order in which they were sent. Each process may have its
 * own definition of a communicator: definitions with the same name, members and number (struct
 * trace_comm) have the same number here. The world, which need not be defined, has number 0.
 */
struct channels {
	const struct trace *trace;
	struct names keys, comms;
	uint32_t *comm; /* by communicator of the trace */
};

/* t must stay. Release c. */
void channels_init(struct channels *c, const struct trace *t);
void channels_release(struct channels *c);

/* comm: index in the trace; any other number: the world. */
uint32_t channels_comm(const struct channels *c, uint32_t comm);
/* The number of a channel; numbers are given in order of first use. from, to: world ranks. */
uint32_t channels_id(struct channels *c, int64_t from, int64_t to, int64_t tag, uint32_t comm);
/* The same for a communicator that has a number already. */
uint32_t channels_id_of(struct channels *c, int64_t from, int64_t to, int64_t tag, uint32_t number);
/* A communicator of the trace with this number; UINT32_MAX: the world. */
uint32_t channels_defined(const struct channels *c, uint32_t number);
/* The number of processes of a communicator, by the definition that the process uses. */
size_t channels_members(const struct channels *c, size_t process, uint32_t comm);

#endif
