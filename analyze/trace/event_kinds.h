/*
 * event_kinds.h: the kinds of events, one row for each: its names, its fields, and how they are
 * stored and printed.
 *
 * These rows generate the reader, the writer and the checker of our own format, tau-dump, CSV, JSON
 * lines, the table `event` of tau-db and the counts of events that another format cannot hold
 * (tau-extend(7) shows how to add one).
 *
 *	ROW(KIND, TITLE, TEXT, METRICS, LOST, FIELDS)
 *		KIND	EVENT_KIND in a struct event, and TAU_REC_KIND in a file of our own format
 *		TITLE	in tau-dump
 *		TEXT	in CSV, JSON and tau-db
 *		METRICS	1: the trace's metrics have values at this event
 *		LOST	what a converter prints after the number of events that it did not write
 *		FIELDS	in the order in which a record of our own format holds them
 *	F(TYPE, MEMBER, NAME, COLUMN)
 *		TYPE	one of EVENT_TYPES
 *		MEMBER	of struct event_args
 *		NAME	in tau-dump
 *		COLUMN	of CSV, JSON lines and tau-db: one of EVENT_COLUMNS
 */
#ifndef EVENT_KINDS_H
#define EVENT_KINDS_H

#include <stdint.h>

/*
 * Enter and leave: almost all events. Records of our own format store them in their token, without
 * fields.
 */
#define EVENT_CALL_ROWS(ROW, F) \
	ROW(LEAVE, "LEAVE", "leave", 1, "leaves", ) \
	ROW(ENTER, "ENTER", "enter", 1, "enters", )

#define EVENT_RECORD_ROWS(ROW, F) \
	/* The n innermost regions ended without a leave. */ \
	ROW(UNWIND, "UNWIND", "unwind", 1, "regions that ended without a leave", \
	    F(REF, none, "regions", NONE)) \
	/* A value of an event of the program or of a wrapper. */ \
	ROW(VALUE, "EVENT", "value", 0, "values", \
	    F(EVENT, value.event, "event", NAME) \
	    F(NUMBER, value.value, "value", VALUE)) \
	ROW(SEND, "SEND", "send", 0, "messages sent", \
	    F(RANK, message.peer, "to", PEER) \
	    F(SIGNED, message.tag, "tag", TAG) \
	    F(COMM, message.comm, "comm", NONE) \
	    F(SIZE, message.bytes, "bytes", BYTES) \
	    F(REQUEST, message.request, "request", VALUE)) \
	ROW(RECV, "RECV", "recv", 0, "messages received", \
	    F(RANK, message.peer, "from", PEER) \
	    F(SIGNED, message.tag, "tag", TAG) \
	    F(COMM, message.comm, "comm", NONE) \
	    F(SIZE, message.bytes, "bytes", BYTES) \
	    F(REQUEST, message.request, "request", VALUE)) \
	ROW(COLL, "COLL", "collective", 0, "collective operations", \
	    F(COLL_OP, coll.op, "op", NAME) \
	    F(COMM, coll.comm, "comm", NONE) \
	    F(RANK, coll.root, "root", PEER) \
	    F(SIZE, coll.sent, "sent", BYTES) \
	    F(SIZE, coll.received, "received", VALUE)) \
	ROW(RMA, "RMA", "rma", 0, "one-sided transfers", \
	    F(RMA_OP, rma.op, "op", NAME) \
	    F(RANK, rma.peer, "target", PEER) \
	    F(SIZE, rma.bytes, "bytes", BYTES)) \
	/* The innermost call synchronises accesses to the window of a communicator with a member, -1: with all. */ \
	ROW(SYNC, "SYNC", "sync", 0, "synchronisations of windows", \
	    F(SYNC_OP, sync.op, "op", NAME) \
	    F(COMM, sync.comm, "comm", NONE) \
	    F(RANK, sync.peer, "peer", PEER)) \
	ROW(IO, "IO", "io", 0, "transfers of files", \
	    F(IO_OP, io.op, "op", KIND) \
	    F(EVENT, io.file, "file", NAME) \
	    F(AMOUNT, io.bytes, "bytes", BYTES) \
	    F(DURATION, io.ns, "ns", VALUE) \
	    F(OFFSET, io.at, "offset", NONE)) \
	ROW(ALLOC, "ALLOC", "alloc", 0, "allocations", \
	    F(MEMTYPE, block.type, "type", NAME) \
	    F(AMOUNT, block.bytes, "bytes", BYTES) \
	    F(INNER, block.inner, "inner", NONE)) \
	ROW(FREE, "FREE", "free", 0, "deallocations", \
	    F(MEMTYPE, block.type, "type", NAME) \
	    F(AMOUNT, block.bytes, "bytes", BYTES)) \
	/* The type of a live block changes from the one of its allocation. */ \
	ROW(RETYPE, "RETYPE", "retype", 0, "changes of the type of a block", \
	    F(MEMTYPE, block.type, "from", NAME) \
	    F(MEMTYPE, block.to, "to", VALUE) \
	    F(AMOUNT, block.bytes, "bytes", BYTES)) \
	/* A thread starts to use the stream. */ \
	ROW(THREAD_BEGIN, "THREAD_BEGIN", "thread begin", 1, "starts of threads", \
	    F(THREAD, thread.id, "tid", NONE)) \
	/* The thread ended, and all its open regions with it. */ \
	ROW(THREAD_END, "THREAD_END", "thread end", 1, "ends of threads", ) \
	/* Recording is off; open regions stay open. */ \
	ROW(OFF, "OFF", "off", 1, "switches of recording", ) \
	/* Recording continues, with these regions open, the outermost first. */ \
	ROW(ON, "ON", "on", 1, "switches of recording", \
	    F(REGIONS, on.open, "open", NONE)) \
	/* Has no fields: it carries the values of metrics. */ \
	ROW(METRICS, "METRICS", "metrics", 1, "values of metrics between events", ) \
	/* Calls of one path, merged into their number and total time. */ \
	ROW(FOLD, "FOLD", "fold", 0, "sums of folded calls", \
	    F(DEPTH, fold.frames, "up", NONE) \
	    F(AMOUNT, fold.calls, "calls", BYTES) \
	    F(DURATION, fold.ns, "ns", VALUE) \
	    F(PATH, fold.path, "path", NAME)) \
	/* A moment to which the program, or a command from outside, gave a name. */ \
	ROW(MARK, "MARK", "mark", 0, "marks", \
	    F(MARK_KIND, mark.kind, "kind", KIND) \
	    F(EVENT, mark.name, "name", NAME) \
	    F(SIGNED, mark.number, "number", VALUE)) \
	/* The innermost call polls and found what it looks for. Has no fields. */ \
	ROW(FOUND, "FOUND", "found", 0, "results of calls that poll", ) \
	/* The innermost call has posted a receive, which a later RECV completes; it has completed a send. */ \
	ROW(POSTED, "POSTED", "posted", 0, "requests of receives", \
	    F(REQUEST, message.request, "request", VALUE)) \
	ROW(COMPLETED, "COMPLETED", "completed", 0, "completions of sends", \
	    F(REQUEST, message.request, "request", VALUE)) \
	/* The stream ends inside a call, the innermost open one that waits: for this. One event for each of its waits. */ \
	ROW(WAITS, "WAITS", "waits", 0, "waits of calls that had not ended", \
	    F(WAIT_KIND, wait.kind, "for", KIND) \
	    F(COLL_OP, wait.op, "op", NONE) \
	    F(COMM, wait.comm, "comm", NONE) \
	    F(FEW, wait.rest, "rest", NONE) \
	    F(RANK, wait.peer, "peer", PEER) \
	    F(SIGNED, wait.tag, "tag", TAG)) \
	/* The same of the innermost open call, which works on a file. */ \
	ROW(WAITS_FILE, "WAITS_FILE", "waits for file", 0, "waits of calls on files that had not ended", \
	    F(FILE_WAIT, file_wait.kind, "for", KIND) \
	    F(EVENT, file_wait.file, "file", NAME) \
	    F(SIGNED, file_wait.holder, "holder", PEER) \
	    F(SIZE, file_wait.first, "first", NONE) \
	    F(SIZE, file_wait.bytes, "bytes", BYTES)) \
	/* The code address that was running, and its callers. */ \
	ROW(SAMPLE, "SAMPLE", "sample", 0, "samples", \
	    F(AMOUNT, sample.ns, "ns", BYTES) \
	    F(AMOUNT, sample.inside, "inside", NONE) \
	    F(COUNT, sample.missed, "missed", NONE) \
	    F(CODE, sample.stack, "at", NAME))

#define EVENT_ROWS(ROW, F) EVENT_CALL_ROWS(ROW, F) EVENT_RECORD_ROWS(ROW, F)

#define EVENT_NO_FIELD(type, member, name, column)
#define EVENT_AS_ENUM(kind, title, text, metrics, lost, fields) EVENT_##kind,
#define EVENT_AS_METRICS(kind, title, text, metrics, lost, fields) | (uint32_t)(metrics) << EVENT_##kind

/*
 * From UNWIND on, an event's ref is the index of its arguments; the ref of UNWIND is its number of
 * regions.
 */
enum event_kind { EVENT_ROWS(EVENT_AS_ENUM, EVENT_NO_FIELD) EVENT_KINDS };

/* The type of a field, and its C type. native_walk.c defines how it is stored. */
#define EVENT_TYPES(T) \
	T(REF)		/* a number that is the event's ref; the field has no member */ \
	T(RANK)		/* int64_t: world rank of a process, -1: none */ \
	T(SIGNED)	/* int64_t */ \
	T(SIZE)		/* uint64_t */ \
	T(AMOUNT)	/* uint64_t below 2^61, so that sums do not overflow */ \
	T(COUNT)	/* int64_t from 0 to below 2^61 */ \
	T(DEPTH)	/* int64_t from 0 to UINT32_MAX */ \
	T(DURATION)	/* int64_t: ns */ \
	T(INNER)	/* uint64_t: a part of the AMOUNT before it, 0: none of it */ \
	T(OFFSET)	/* int64_t: bytes from the begin of a file, -1: not known */ \
	T(NUMBER)	/* double */ \
	T(THREAD)	/* uint32_t: thread id of the operating system */ \
	T(REQUEST)	/* uint32_t: a number of the process, 0: none */ \
	T(EVENT)	/* uint32_t: an event of the trace, whose name is printed */ \
	T(COMM)		/* uint32_t: a communicator of the trace, TRACE_NONE: the world */ \
	T(MEMTYPE)	/* uint32_t: a type of memory of the trace */ \
	T(COLL_OP)	/* uint32_t: enum event_coll */ \
	T(RMA_OP)	/* uint32_t: enum event_rma */ \
	T(SYNC_OP)	/* uint32_t: enum event_sync */ \
	T(IO_OP)	/* uint32_t: enum event_io */ \
	T(MARK_KIND)	/* uint32_t: enum event_mark */ \
	T(WAIT_KIND)	/* uint32_t: enum event_wait */ \
	T(FILE_WAIT)	/* uint32_t: enum event_file_wait */ \
	T(FEW)		/* uint32_t */ \
	T(REGIONS)	/* struct event_list of regions, the outermost first */ \
	T(PATH)		/* the same, with at least one region */ \
	T(CODE)		/* struct event_list of code addresses, the innermost first */
#define EVENT_AS_TYPE(type) EVENT_TYPE_##type,
enum event_type { EVENT_TYPES(EVENT_AS_TYPE) EVENT_TYPES_N };

/* Columns of tables of events. KIND: the text of the field is printed as the kind of the event. */
enum event_column {
	EVENT_COLUMN_NONE, EVENT_COLUMN_KIND, EVENT_COLUMN_NAME, EVENT_COLUMN_PEER, EVENT_COLUMN_TAG,
	EVENT_COLUMN_BYTES, EVENT_COLUMN_VALUE
};

/* Does an event of this kind come with metrics? */
static inline int event_has_metrics(uint32_t kind)
{
	const uint32_t with = 0 EVENT_ROWS(EVENT_AS_METRICS, EVENT_NO_FIELD);

	return with >> kind & 1;
}
_Static_assert(EVENT_KINDS <= 32, "kinds are bits of a number");

#endif
