/*
 * ends.h: the calls that each thread has open at the end of its stream, and what the innermost one that waits waits for: of programs
 * that were killed, ended inside calls, or are still running.
 */
#ifndef ENDS_H
#define ENDS_H

#include "analyze/base/map.h"
#include "analyze/hang/holders.h"
#include "analyze/messages/channels.h"
#include "analyze/trace/trace.h"

enum ends_wait_kind {
	ENDS_RECEIVE,	/* a message from a rank (-1: any) with a tag (-1: any) */
	ENDS_SEND,	/* a message to a rank is to be received */
	ENDS_MEMBERS,	/* members of a communicator are to enter an operation */
	ENDS_WINDOW,	/* a rank (-1: all members) is to open or close access to a window */
	ENDS_MEMORY,	/* another process is to change memory of this one */
	ENDS_LOCK,	/* a lock that another thread has, or a condition */
	ENDS_THREADS,	/* other threads of the process: a barrier of a team, the end of a thread */
	ENDS_CHILD,	/* the end of a process that this one has started */
	ENDS_FILE,	/* a call that reads, writes, opens or locks a file, a pipe or a socket is to return */
	ENDS_UNKNOWN,
};
struct ends_wait {
	enum ends_wait_kind kind;
	uint32_t comm;		/* communicator of the trace; TRACE_NONE: the world */
	uint32_t op;		/* MEMBERS: enum event_coll; WINDOW: enum event_sync */
	int64_t peer, tag;	/* MEMBERS: the root, -1 none; LOCK: the thread that has it, or an enum trace_holder;
				 * CHILD: a process of the trace, -1: one that is not recorded */
	uint32_t lock;		/* LOCK: event of the trace */
	uint32_t file;		/* FILE: event of the trace; TRACE_NONE: unknown */
	int before;		/* FILE: it is that of the thread's last such call */
	uint32_t lock_kind;	/* FILE: enum event_file_wait; for a lock, peer is the process of the trace that has it, -1: unknown or none */
	int64_t pid;		/* of the process of the system that has the lock; 0: unknown */
	uint64_t first, bytes;	/* of the lock; 0 bytes: all that follow */
	uint64_t nth;		/* MEMBERS: operations of the communicator that this process had entered before it */
	int begun;		/* MEMBERS: an earlier call began the operation, this one completes it */
};

struct ends_thread {
	uint32_t stream, process;
	int in_use;		/* a thread is using the stream at its end */
	int calls_runtime;	/* it has called MPI or OpenSHMEM */
	uint32_t *region;	/* open regions, the outermost first; the root is none of them */
	int64_t *enter;		/* ns, of each */
	size_t region_n;
	size_t call;		/* the one that waits; region_n: none, it computes */
	int64_t last;		/* ns: its last event */
	int64_t acted;		/* ns: the last that is no sample: threads that wait actively are sampled, too */
	int any;		/* one of the waits is enough; otherwise all are needed */
	uint32_t rest;		/* waits that are not known, besides */
	struct ends_wait *wait;
	size_t wait_n, wait_cap;
};

/* Messages of a channel that were sent and not received; negative: received, and the send is not in the trace. */
struct ends_channel {
	int64_t from, to, tag;
	uint32_t comm;		/* as channels_comm() */
	int64_t open;
};

/* ns: a process was killed before another one that recorded an event so long afterwards; launchers kill all within less. */
#define ENDS_BEFORE 100000000

struct thread_ends {
	const struct trace *trace;
	struct ends_thread *thread;	/* by process and number, without devices and streams of values */
	size_t thread_n, thread_cap;
	struct channels channels;
	struct ends_channel *channel;	/* by channels_id() */
	size_t channel_n, channel_cap;
	struct map met;			/* operations by process and communicator: ends_met() */
	uint64_t *met_n;
	size_t met_n_n, met_n_cap;
	struct map rank;		/* processes by rank */
	int64_t *posted;		/* by process: receives that were posted and are not complete; their messages are not recorded */
	unsigned char *finalized;	/* by process: it has called MPI_Finalize or shmem_finalize */
	unsigned char *ended;		/* by process: it has exited, it was killed before the others, or no thread of it was left at the end */
	struct holders holders;		/* of locks of files */
	uint64_t events;
};

/* Reads all streams. 0 or an error of reading. Release x in any case. t must stay. */
int ends_read(struct thread_ends *x, struct trace *t, struct error *e);
void ends_release(struct thread_ends *x);

/* Operations of a communicator (as channels_comm()) that a process has entered and recorded. */
uint64_t ends_met(const struct thread_ends *x, uint32_t process, uint32_t comm);
/* Is it for what no thread of the run is known to bring: of a file? */
int ends_waits_outside(const struct ends_thread *t);
/* ns: when what a thread does ended: its process was killed, or the trace was read. */
int64_t ends_until(const struct thread_ends *x, size_t thread);
/*
 * Streams are read, and processes end, one after the other: up to this moment (ns) the state of all is known, but of processes whose
 * end is unknown. Later waits, and short ones, are in jobs that go on, too: MPI_Send returns by itself if the message is small.
 */
int64_t ends_known(const struct thread_ends *x);
/* The process of a rank; TRACE_NONE: it has no trace. */
uint32_t ends_process(const struct thread_ends *x, int64_t rank);
/* The process that a wait is for, if it is for one. */
uint32_t ends_awaited(const struct thread_ends *x, const struct ends_wait *w);

#endif
