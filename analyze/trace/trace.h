/*
 * trace.h: a trace as analyses see it, whatever its format: processes, their streams, one table of definitions for
 * all of them, and a pull cursor for the events of a stream.
 *
 * A format is one file in convert/ that fills a struct trace and its operations. Times are ns since the
 * start of the run, which is the start of its earliest process.
 */
#ifndef TRACE_H
#define TRACE_H

#include <pthread.h>

#include "analyze/base/base.h"
#include "analyze/trace/event.h"
#include "analyze/base/map.h"
#include "analyze/base/note.h"
#include "analyze/trace/memory_type.h"

struct trace_region {
	char *name;		/* as profiles show it, source position included */
	char *groups;		/* "MPI|TAU_USER" */
	char *file;		/* NULL unknown */
	uint32_t line;
};

enum trace_event_flag {
	EVENT_FLAG_MONOTONIC = 1,
	EVENT_FLAG_CONTEXT = 2,
	EVENT_FLAG_UNUSED = 4,	/* the reader has seen that no stream has a value of it */
};
/* A lock that threads wait for. The values of its event stand inside waits: who has it. */
struct trace_lock {
	char *kind;	/* "mutex" */
	char *name;	/* "table_lock", "pool+0x40", "0x7f0c5c000b80"; "others": all that have no event of their own */
	char *place;	/* of the call that first waited: "work [{app.c} {12}]"; NULL: unknown */
};
enum trace_holder { HOLDER_UNKNOWN = -1, HOLDER_NONE = -2 }; /* otherwise the number of a stream of the process */

struct trace_event {
	char *name;
	uint32_t flags;
	struct trace_lock *lock; /* NULL: it is none */
};

/* A value that enter and leave carry besides the time. */
struct trace_metric {
	char *name;
	uint32_t divide;	/* a profile shows the value divided by this: 1000 for ns */
};

struct trace_comm {
	char *name;
	uint32_t *rank;		/* world ranks in order of the communicator */
	size_t n;
	uint32_t inter;		/* 1 + the communicator of the other group, where two talk to each other; 0: there is one group */
};

/* The later one of two groups, which events do not name. */
static inline int trace_comm_second(const struct trace_comm *all, size_t i)
{
	return all[i].inter && all[i].inter - 1 < i;
}

#define TRACE_NONE UINT32_MAX
enum trace_leak { LEAK_NONE, LEAK_LOST, LEAK_INDIRECT, LEAK_REACHABLE };
struct trace_memtype {
	char *name;		/* as counters show it: "opal_list_t", "ompi_request_t[]", "untyped [libucp.so]" */
	enum memory_kind kind;
	enum memory_family family;
	char *library;		/* typed: it defines the class; untyped, mapped: its code took the memory; NULL unknown */
	uint32_t owner;		/* TRACE_NONE */
	uint32_t object_size;	/* 0 unknown */
	int context;		/* what is allocated and freed of it counts on call paths, too */
	enum trace_leak
		leak; /* other than NONE: each ALLOC is a finding, and says nothing about memory */
	char *site;   /* "main [{main.c} {7}]": who allocated it; NULL: not told apart */
	char *file;   /* of the site; NULL unknown */
	uint32_t line;
	uint32_t call; /* the innermost of the calls by which it was allocated; TRACE_NONE: not told */
};

/* A call, in the stacks by which memory was allocated. */
struct trace_call {
	uint32_t code;	 /* the argument of trace_place(); TRACE_NONE: callers are not known from here on */
	uint32_t caller; /* the call that it was made in, which stands before it; TRACE_NONE: it was made in none */
};

/* What a place in code is called. */
struct trace_code {
	const char *name;	/* of the function; NULL: unknown */
	const char *file;	/* of the line; NULL: unknown */
	uint32_t line;		/* 0: unknown */
	const char *module;	/* the binary */
};
/* The functions there, innermost first: all but the last are inlined into the next. n is at least 1. */
struct trace_place {
	const struct trace_code *code;
	size_t n;
};

/* Where code stands; borrowed from the trace. */
struct trace_address {
	const char *path;		/* the binary */
	const unsigned char *build_id;
	size_t build_id_n;
	uint64_t at;			/* ELF virtual address; of a caller inside its call */
};

struct trace_attribute {
	char *name, *value;
};

/* How a process ended, where that was recorded. */
enum trace_end { TRACE_END_UNKNOWN, TRACE_END_EXITED, TRACE_END_KILLED };

struct trace_process {
	uint64_t id;
	uint32_t pid;
	int32_t node;		/* rank where known, otherwise numbered after the ranks in order of start */
	uint32_t number;	/* 1 + the node that it was in the trace that this one was cut out of; 0: not known */
	int64_t rank, size;	/* -1 unknown */
	char *host;
	int64_t start, end;	/* ns */
	int running;		/* it was still being recorded when the trace was opened, which is its end */
	enum trace_end ended;
	int end_value;		/* its exit status, or the number of the signal; 0: a signal that is not known */
	uint64_t lost;		/* events of threads that had no stream any more */
	struct trace_attribute *meta;
	size_t meta_n, meta_cap;
	uint32_t *stream;	/* indexes, ascending thread */
	size_t stream_n, stream_cap;
};

struct trace_stream {
	uint32_t process;
	uint32_t thread;	/* number inside the process */
	char *name;		/* for messages: its file */
	char *label;		/* name of the thread, NULL none */
	int device;		/* a queue of a device, not a thread of the process */
	int64_t first, last;	/* ns of its first moment and its last record */
	uint64_t records, lost;
	uint64_t chunks;	/* so many pieces it has, each of which is read as a whole; 0: it is read record by record */
	int has_memory;		/* has memory records of its own */
	int damaged;		/* its end is where the damage begins; set by the reader, perhaps while reading */
	void *reader;		/* of the format */
};

struct trace;
struct trace_cursor;
struct summary;
struct summary_names;
struct trace_memory;
struct frames_kept;

/* Decides from what chunks add up to whether they may be left out. */
struct trace_judge {
	int (*may)(void *to, const struct summary_names *names, const struct summary *s);
	void *to;
};

/* What of a trace is known without playing it, where an index is kept: bits of trace_ops.knows. */
enum trace_knows {
	TRACE_KNOWS_CHUNKS = 1,	/* what chunks add up to: TRACE_SKIP_KNOWN */
	TRACE_KNOWS_CALLS = 2,	/* what calls are in them: TRACE_SKIP_JUDGED and TRACE_INDEX_FRAMES */
	TRACE_KNOWS_MEMORY = 4,	/* what the memory of a process did: TRACE_INDEX_MEMORY */
};

/* What a cursor leaves out of what comes next. */
enum trace_skip_kind {
	TRACE_SKIP_TO,		/* events before `to`, as far as that costs less than to read them */
	TRACE_SKIP_KNOWN,	/* whole chunks whose summary is known, and hands it out */
	TRACE_SKIP_JUDGED,	/* whole chunks, as long as the judge allows it */
	TRACE_SKIP_CHUNKS,	/* the next `chunks` chunks */
};
struct trace_skip {
	enum trace_skip_kind kind;
	int64_t from, to;	/* KNOWN: the summary begins at `from` or later and ends before `to` */
	int cold;		/* KNOWN: only chunks with which the stream begins */
	size_t chunks;		/* CHUNKS */
	/* KNOWN: as many chunks as are known together and allowed by it; NULL: as many as there are. */
	const struct trace_judge *judge;
	/* Results of KNOWN, valid until the next call. Rows of the summary may be in any order. */
	struct summary_names *names;
	const struct summary *summary;
};

/* What is done with what is known of a process. */
enum trace_index_kind {
	TRACE_INDEX_MAKE,	/* makes what is missing, for which streams may be read whole. 1: all is there; 0: some cannot be made */
	TRACE_INDEX_FRAMES,	/* gets frames of one stream (loop_frames.h), as if it had been played. 1: they are the caller's; 0: none */
	TRACE_INDEX_MEMORY,	/* gets what memory did inside of spans. 1: something may be known; 0: nothing is */
};
struct trace_index {
	enum trace_index_kind kind;
	uint32_t process;
	const uint32_t *stream;	/* MAKE, FRAMES: of the process */
	size_t n;
	int memory;		/* MAKE: of its memory, too */
	struct frames_kept *frames; /* FRAMES: the result */
	/*
	 * MEMORY: summaries that the caller has made for no metrics. `begin` and `end` are the limits of each; then it is what the process
	 * did from a moment after `begin` to one before `end`, the longest that is known, or empty with `end` equal to `begin`.
	 */
	struct summary *inside;
	size_t inside_n;
	void (*tick)(void *to);	/* MAKE: called now and then; NULL: not called */
	void *tick_to;
};

/* What a format can do. Each takes an error and returns 0 (next: 1 batch, 0 end) or a negative code. */
struct trace_ops {
	unsigned knows;		/* enum trace_knows */
	/*
	 * Opens a cursor whose first batch has a state from which the one that holds at `from` follows by the
	 * events up to `from`; events before may be left out, none after.
	 */
	int (*open)(struct trace *t, uint32_t stream, int64_t from, struct trace_cursor **out, struct error *e);
	int (*next)(struct trace_cursor *c, struct event_batch **out, struct error *e);
	/* 1: something was left out, and the next batch has a state, or more can be left out; 0: nothing was. NULL: nothing ever is. */
	int (*skip)(struct trace_cursor *c, struct trace_skip *s, struct error *e);
	void (*close)(struct trace_cursor *c);
	/* Needed only with `knows`. */
	int (*index)(struct trace *t, struct trace_index *x, struct error *e);
	/*
	 * What code of a sample is called (it holds as long as the trace), and where it is in a binary; either may be NULL. 1: the place in the
	 * binary is known. NULL: the format has no samples.
	 */
	int (*code)(struct trace *t, uint32_t code, struct trace_place *place,
		    struct trace_address *address);
	void (*free)(struct trace *t);
};

/* The region around all others, as TAU calls it. */
#define REGION_ROOT ".TAU application"

/* Another's operations, for events that are changed on the way: what is known of whole chunks is not true of them. */
static inline struct trace_ops trace_ops_unsummed(const struct trace_ops *inner)
{
	struct trace_ops o = *inner;

	o.knows = 0;
	return o;
}

/* Records of a stream, of one kind. */
struct trace_over {
	uint32_t kind;
	uint64_t n;
};

/* A note that waits for its turn. */
struct trace_late_note {
	struct note note;
	size_t order; /* of being made */
};

struct trace {
	const struct trace_ops *ops;
	void *reader;		/* of the format */
	char *path;
	struct trace_process *process;
	size_t process_n, process_cap;
	struct trace_stream *stream;
	size_t stream_n, stream_cap;
	struct trace_region *region;
	size_t region_n, region_cap;
	struct trace_event *event;
	size_t event_n, event_cap;
	struct trace_metric *metric;
	size_t metric_n, metric_cap;
	struct trace_comm *comm;
	size_t comm_n, comm_cap;
	struct trace_memtype *memtype;
	size_t memtype_n, memtype_cap;
	struct trace_call *call;
	size_t call_n, call_cap;
	int64_t end;		/* ns: just after the last record of all */
	int64_t wall;		/* ns since 1970 when the run began; 0 unknown */
	uint64_t bytes_read, bytes_total;
	uint64_t index_read;	/* bytes of indexes, which are no part of the trace */
	uint64_t events;	/* delivered by cursors so far */
	size_t code_n;		/* different code that samples met so far */
	size_t code_named;	/* of which the name was asked for */
	struct note *note;      /* what was lost or repaired */
	size_t note_n, note_cap;
	struct trace_late_note *late; /* notes made while streams are read */
	size_t late_n, late_cap;
	pthread_mutex_t lock;	/* of late */
	struct names blanked;	/* texts of definitions as they were before trace_text() */
	struct trace_over *over;	/* records that nothing is made of */
	size_t over_n, over_cap;
	struct map over_at;	/* by stream and kind */
	struct names over_kind;
};

/*
 * Streams may be read by several threads, each stream by one at a time. What cursors share is told to the trace by these
 * alone, and read when no cursor is at work.
 */
/* about: all but the text, which the format makes. */
void trace_note(struct trace *t, struct note about, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* stream NULL: of none in particular. It becomes a note with trace_settle(). */
void trace_late_note(struct trace *t, const struct trace_stream *stream, struct note about,
		     const char *format, ...) __attribute__((format(printf, 4, 5)));
/*
 * Names end up in line-oriented files: control characters in the n bytes at s, a text of a definition, become blanks. Not while
 * streams are read. trace_text_note() says of how many texts that is true, once all are there.
 */
void trace_text(struct trace *t, char *s, size_t n);
void trace_text_note(struct trace *t);
/*
 * A reading of the stream made nothing of n records of a kind, as there is nothing like them here. However often it is read, they
 * count once. trace_over_text(): "THREAD_FORK (12), THREAD_JOIN (3)", to be freed; NULL: there are none.
 */
void trace_over(struct trace *t, const struct trace_stream *stream, const char *kind, uint64_t n);
char *trace_over_text(const struct trace *t);
/* Late notes become notes, in order of their streams, whoever was first to make them. */
void trace_settle(struct trace *t);

static inline void trace_count(struct trace *t, uint64_t events, uint64_t bytes)
{
	__atomic_fetch_add(&t->events, events, __ATOMIC_RELAXED);
	__atomic_fetch_add(&t->bytes_read, bytes, __ATOMIC_RELAXED);
}

static inline void trace_count_index(struct trace *t, uint64_t bytes)
{
	__atomic_fetch_add(&t->index_read, bytes, __ATOMIC_RELAXED);
}

/* What trace_process.number is for a node as text; 0: it is none. */
uint32_t trace_process_number(const char *node);

/* The trace has an event at ns. */
void trace_reach(struct trace *t, int64_t ns);

/* What code of a sample is called, of a trace that has samples. */
static inline struct trace_place trace_place(const struct trace *t, uint32_t code)
{
	struct trace_place place;

	t->ops->code((struct trace *)(uintptr_t)t, code, &place, NULL);
	return place;
}

/* An empty one; trace_free() frees it. */
struct trace *trace_new(const char *path, const struct trace_ops *ops);
/* Sorts processes and their streams and numbers the nodes; a reader calls it once when all are known. */
uint64_t trace_lost(const struct trace *t);	/* events that are in no record, of all streams and processes */
void trace_number(struct trace *t);
void trace_free(struct trace *t);

#endif
