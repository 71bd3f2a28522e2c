/*
 * trace.h: a trace as analyses read it, independent of its format: processes, their streams, one
 * table of definitions for all of them, and a cursor for the events of each stream.
 *
 * A format is one file in convert/ that fills a struct trace and its operations. Times are ns since
 * the start of the run, which is the start of its earliest process.
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
	char *name;		/* as profiles show it, with the source position */
	char *groups;		/* "MPI|TAU_USER" */
	char *file;		/* NULL: unknown */
	uint32_t line;
};

enum trace_event_flag {
	EVENT_FLAG_MONOTONIC = 1,
	EVENT_FLAG_CONTEXT = 2,
	EVENT_FLAG_UNUSED = 4,	/* the reader has found that no stream has a value of it */
};
/*
 * A lock for which threads wait. The values of its event, inside waits, are the holder: a stream or
 * an enum trace_holder.
 */
struct trace_lock {
	char *kind;	/* "mutex" */
	char *name;	/* "table_lock", "pool+0x40", "0x7f0c5c000b80"; "others": all locks
			 * without an event of their own */
	char *place;	/* place of the call that waited first: "work [{app.c} {12}]"; NULL:
			 * unknown */
};
/* other values: number of a stream of the process */
enum trace_holder { HOLDER_UNKNOWN = -1, HOLDER_NONE = -2 };

struct trace_event {
	char *name;
	uint32_t flags;
	int marks;		 /* it may be the name of marks */
	struct trace_lock *lock; /* NULL: the event is not a lock */
};
/* Are its values numbers of teams of threads (TAU_LOCK_TEAM)? Then it is none of a lock, although it has `lock`. */
int trace_event_is_team(const struct trace_event *e);

/* A metric whose values enter and leave carry besides the time. */
struct trace_metric {
	char *name;
	uint32_t divide;	/* a profile shows the value divided by this number: 1000 for ns */
};

struct trace_comm {
	char *name;
	uint32_t *rank;		/* world ranks in order of the communicator */
	size_t n;
	uint32_t inter;		/* intercommunicator: 1 + the communicator of the other group; 0:
				 * there is one group */
	uint64_t number;	/* distinguishes it from others with the same name and ranks; 0:
				 * unknown */
};

/* Is communicator i the second one of two groups? Events do not refer to it. */
static inline int trace_comm_second(const struct trace_comm *all, size_t i)
{
	return all[i].inter && all[i].inter - 1 < i;
}

#define TRACE_NONE UINT32_MAX
enum trace_leak { LEAK_NONE, LEAK_LOST, LEAK_INDIRECT, LEAK_REACHABLE };
struct trace_memtype {
	char *name;		/* as counters show it: "opal_list_t", "ompi_request_t[]",
				 * "untyped [libucp.so]" */
	enum memory_kind kind;
	enum memory_family family;
	char *library;		/* typed: the library that defines the class; untyped, mapped:
				 * the library that allocated the memory; NULL: unknown */
	uint32_t owner;		/* the type of the owner; TRACE_NONE: unknown */
	uint32_t object_size;	/* bytes; 0: unknown */
	int context;		/* its allocations and deallocations are counted per call path,
				 * too */
	enum trace_leak
		leak; /* other than NONE: each ALLOC is a leak that was found, and does not
		       * change the amount of memory */
	char *site;   /* "main [{main.c} {7}]": where it was allocated; NULL: call sites are not
		       * distinguished. Printed is trace_memtype_site() */
	size_t vague; /* not 0: site is an address or an allocator, and ops->site() may find more */
	char *file;   /* of the site; NULL: unknown */
	uint32_t line;
	uint32_t call; /* the innermost call of the path that allocated it; TRACE_NONE: not
		        * recorded */
};

/* A call in the call path of an allocation. */
struct trace_call {
	uint32_t code;	 /* the argument of trace_place(); TRACE_NONE: the callers from here on
			  * are unknown */
	uint32_t caller; /* the call in which it was made, with a smaller index; TRACE_NONE: it
			  * is the outermost */
};

/* Names for a place in code. */
struct trace_code {
	const char *name;	/* of the function; NULL: unknown */
	const char *file;	/* of the line; NULL: unknown */
	uint32_t line;		/* 0: unknown */
	const char *module;	/* the binary */
};
/*
 * The functions at a code address, innermost first: all but the last are inlined into the next. n
 * is at least 1.
 */
struct trace_place {
	const struct trace_code *code;
	size_t n;
};

/* The position of code in a binary; borrowed from the trace. */
struct trace_address {
	const char *path;		/* the binary */
	const unsigned char *build_id;
	size_t build_id_n;
	uint64_t at;			/* ELF virtual address; of a caller: inside its call
					 * instruction */
};

struct trace_attribute {
	char *name, *value;
};

/* How a process ended, if that was recorded. */
enum trace_end { TRACE_END_UNKNOWN, TRACE_END_EXITED, TRACE_END_KILLED };

struct trace_process {
	uint64_t id;
	uint32_t pid;
	int32_t node;		/* the rank if known; other processes are numbered after the
				 * ranks in order of their start */
	uint32_t number;	/* 1 + its node in the trace from which this trace was cut; 0:
				 * unknown */
	int64_t rank, size;	/* -1: unknown */
	char *host;
	int64_t start, end;	/* ns */
	int running;		/* it was still being recorded when the trace was opened; `end`
				 * is then that moment */
	int stopped;		/* a signal or a debugger had stopped it then */
	int64_t lock_holder;	/* the process of the system for whose lock of a file it waited then; 0: none, or unknown */
	int no_pe;		/* it has no rank, and all ranks of its job are in the trace (if that is one, only what
				 * started before it, and daemons of launchers), or it became another program by exec; trace_number() sets it */
	int elsewhere;		/* it was being recorded on another host, where it may still run, unless `ended` is known */
	enum trace_end ended;
	int end_value;		/* its exit status, or the number of the signal; 0: the signal is
				 * unknown */
	uint64_t lost;		/* events of threads whose streams were already closed */
	struct trace_attribute *meta;
	size_t meta_n, meta_cap;
	uint32_t *stream;	/* indexes into trace.stream, ascending by thread */
	size_t stream_n, stream_cap;
};

struct trace_stream {
	uint32_t process;
	uint32_t thread;	/* number inside the process */
	char *name;		/* for messages: the name of its file */
	char *label;		/* name of the thread, NULL: none */
	int device;		/* a queue of a device, not a thread of the process */
	int values;		/* it has values of counters only, and is no thread of the process */
	int64_t first, last;	/* ns: the first moment and the last record */
	int64_t age;		/* ns from the last record until the trace was opened, if its process is elsewhere: by the
				 * clocks of both hosts; 0: not known */
	uint64_t records, lost;
	uint64_t chunks;	/* number of chunks, each of which is read as a whole; 0: the
				 * stream is read record by record */
	int has_memory;		/* has memory records of its own */
	int damaged;		/* the stream ends where damage begins; the reader sets this,
				 * perhaps while reading */
	void *reader;		/* private data of the format */
};

struct trace;
struct trace_cursor;
struct summary;
struct summary_names;
struct trace_memory;
struct frames_kept;

/* Decides from the summary of chunks whether a cursor may skip them. */
struct trace_judge {
	int (*may)(void *to, const struct summary_names *names, const struct summary *s);
	void *to;
};

/* What an index holds about a trace, so that it need not be played: bits of trace_ops.knows. */
enum trace_knows {
	TRACE_KNOWS_CHUNKS = 1,	/* summaries of chunks: TRACE_SKIP_KNOWN */
	TRACE_KNOWS_CALLS = 2,	/* the calls inside chunks: TRACE_SKIP_JUDGED and
				 * TRACE_INDEX_FRAMES */
	TRACE_KNOWS_MEMORY = 4,	/* the memory of a process over time: TRACE_INDEX_MEMORY */
	TRACE_KNOWS_REGIONS = 8, /* which chunks can have a region, without an index: TRACE_SKIP_UNDEFINED */
	TRACE_KNOWS_CELLS = 16,	/* the regions of a stream by cells of time: TRACE_INDEX_CELLS */
	TRACE_KNOWS_NUMBERS = 32, /* what was found out about the whole run: TRACE_INDEX_NUMBERS */
};

/*
 * What a stream does in a cell of time: from cell << power to (cell + 1) << power ns. A visit is a time in which one region is the
 * innermost one.
 */
struct trace_cell_time {
	uint32_t region;
	int64_t ns;		/* exclusive time, above 0 */
};
struct trace_cell {
	int64_t cell;
	const struct trace_cell_time *v; /* one for each region */
	size_t n;
	uint64_t visits;	/* that begin in the cell */
	uint64_t crosses;	/* visits inside which the cell begins; of one stream, at most 1 */
};
#define CELLS_POWER_MOST 62 /* one cell has all times from 0 on */
#define TRACE_CELLS_UP	 3  /* a cell of a level that is kept has 2^3 of the level before */
/* Cells first ... first + n - 1 of a power, in order; cells without regions are not passed. */
struct trace_cells {
	unsigned power;
	int64_t first;
	size_t n;
	void (*receive)(void *to, const struct trace_cell *c);
	void *to;
};
/*
 * Keeps the cells of a stream in several levels: level l has cells of 2^(power + TRACE_CELLS_UP l) ns. put(): cells of a level come in order.
 * end(): called once; 1: they are kept. complete 0: they are dropped.
 */
struct trace_cells_sink {
	unsigned power, levels;
	void (*put)(struct trace_cells_sink *s, unsigned level, const struct trace_cell *c);
	int (*end)(struct trace_cells_sink *s, int complete);
};

/* What a cursor skips of the following events. */
enum trace_skip_kind {
	TRACE_SKIP_TO,		/* events before `to`, as far as skipping costs less than reading */
	TRACE_SKIP_KNOWN,	/* whole chunks whose summary is known; returns the summary */
	TRACE_SKIP_JUDGED,	/* whole chunks, as long as the judge allows it */
	TRACE_SKIP_CHUNKS,	/* the next `chunks` chunks */
	TRACE_SKIP_UNDEFINED,	/* whole chunks before the first that can have one of `regions`; all, if none can */
};
struct trace_skip {
	enum trace_skip_kind kind;
	int64_t from, to;	/* KNOWN: the summary begins at `from` or later and ends before `to` */
	int cold;		/* KNOWN: only chunks at the beginning of the stream */
	size_t chunks;		/* CHUNKS */
	const char *regions;	/* UNDEFINED: by region, 1: it is one of them */
	/*
	 * KNOWN: limits the chunks of one summary to those that the judge allows; NULL: no limit.
	 */
	const struct trace_judge *judge;
	/*
	 * Results of KNOWN, valid until the next call. The rows of the summary may be in any order.
	 */
	struct summary_names *names;
	const struct summary *summary;
};

/* What trace_ops.index does. */
enum trace_index_kind {
	TRACE_INDEX_MAKE,	/* makes the missing index; reads whole streams if needed. 1: all
				 * is there; 0: some cannot be made */
	TRACE_INDEX_FRAMES,	/* gets the frames of one stream (loop_frames.h), as if it had
				 * been played. 1: the caller owns them; 0: unavailable */
	TRACE_INDEX_MEMORY,	/* gets the changes of memory inside spans. 1: something may be
				 * known; 0: nothing is */
	TRACE_INDEX_CELLS,	/* gets cells of one stream. 1: all were passed; 0: they are not known, and what was passed is void */
	TRACE_INDEX_CELLS_KEEP,	/* begins to keep the cells of one stream. 1: *sink is to be used; 0: they are kept, or cannot be */
	TRACE_INDEX_NUMBERS,	/* gets the numbers that NUMBERS_KEEP kept for the trace as it is. 1: the caller owns them; 0: there are none */
	TRACE_INDEX_NUMBERS_KEEP, /* keeps numbers. 1: they are kept; 0: they cannot be */
};
/* What a reader finds out about a whole run and keeps. */
enum trace_numbers {
	TRACE_NUMBERS_CUTS,	/* analyze/messages/cuts.h */
	TRACE_NUMBERS_ROWS,	/* analyze/messages/row_cells.h */
	TRACE_NUMBERS_PATH,	/* these two: analyze/messages/kept_whole.h */
	TRACE_NUMBERS_WAITS,
};
struct trace_index {
	enum trace_index_kind kind;
	uint32_t process;
	const uint32_t *stream;	/* MAKE, FRAMES, CELLS, CELLS_KEEP: of the process */
	size_t n;
	int memory;		/* MAKE: of its memory, too */
	struct frames_kept *frames; /* FRAMES: the result */
	const struct trace_cells *cells; /* CELLS */
	struct trace_cells_sink *sink; /* CELLS_KEEP: the result */
	unsigned power, levels;	/* CELLS_KEEP: of the sink */
	enum trace_numbers numbers; /* NUMBERS, NUMBERS_KEEP: which */
	int64_t *number;	/* NUMBERS: the result; NUMBERS_KEEP: what is kept */
	size_t number_n;
	/*
	 * MEMORY: summaries that the caller has made, without metrics. On entry, `begin` and `end`
	 * are the limits of each; on return each covers the longest known span from a moment after
	 * `begin` to one before `end`, or it is empty and `end` equals `begin`.
	 */
	struct summary *inside;
	size_t inside_n;
	void (*tick)(void *to);	/* MAKE: called now and then, to show progress; NULL: not called */
	void *tick_to;
};

/*
 * The operations of a format. Those that take an error return 0 (next: 1: a batch, 0: the end; skip
 * and index: see there) or a negative code.
 */
struct trace_ops {
	unsigned knows;		/* enum trace_knows */
	/*
	 * Opens a cursor. Its first batch has a state; the events after it up to `from` lead to the
	 * state at `from`. Events before `from` may be skipped, later events may not.
	 */
	int (*open)(struct trace *t, uint32_t stream, int64_t from, struct trace_cursor **out, struct error *e);
	int (*next)(struct trace_cursor *c, struct event_batch **out, struct error *e);
	/*
	 * 1: something was skipped and the next batch has a state, or more can be skipped; 0:
	 * nothing was skipped. NULL: the format cannot skip.
	 */
	int (*skip)(struct trace_cursor *c, struct trace_skip *s, struct error *e);
	void (*close)(struct trace_cursor *c);
	/* Required only with `knows`. */
	int (*index)(struct trace *t, struct trace_index *x, struct error *e);
	/*
	 * The names of the code of a sample (valid as long as the trace), and its address in a
	 * binary; either pointer may be NULL. Returns 1 if the address in the binary is known.
	 * NULL: the format has no samples.
	 */
	int (*code)(struct trace *t, uint32_t code, struct trace_place *place,
		    struct trace_address *address);
	/*
	 * A text for the site of a vague memtype, by what uses its function (valid as long as the trace); NULL: there is none.
	 * It may read a large binary. May be NULL if no memtype is vague. Any thread may call it.
	 */
	const char *(*site)(struct trace *t, uint32_t memtype);
	void (*free)(struct trace *t);
};

/* Between the function or region that a call site calls, and the place of the call. */
#define REGION_CALL_SITE " [CALLSITE] [@] "
/* The outermost region of each thread, with the name that TAU uses. */
#define REGION_ROOT ".TAU application"
#define REGION_UNDEFINED "(undefined region"	/* names without a definition begin with it */

/*
 * The operations of another trace for a cursor that changes its events: indexes are not used,
 * because their sums are not true of the changed events.
 */
static inline struct trace_ops trace_ops_unsummed(const struct trace_ops *inner)
{
	struct trace_ops o = *inner;

	o.knows = 0;
	return o;
}

/* Records of a stream, of one kind, that were ignored. */
struct trace_over {
	uint32_t kind;
	uint64_t n;
};

/* A note that trace_settle() will add. */
struct trace_late_note {
	struct note note;
	size_t order; /* order in which the notes were made */
};

struct trace {
	const struct trace_ops *ops;
	void *reader;		/* private data of the format */
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
	int64_t end;		/* ns: just after the last record of all streams */
	uint64_t added_ns, alone_ns; /* CPU time that recording added to the run, and that the run
				      * would have taken without; 0, 0: unknown */
	uint64_t added_least_ns, added_most_ns; /* of added_ns; 0, 0: unknown */
	int overhead_measured;	/* by a run without recording; otherwise it is an estimate */
	int64_t wall;		/* ns since 1970 when the run began; 0: unknown */
	uint64_t bytes_read, bytes_total;
	uint64_t index_read;	/* bytes read from indexes, which are not part of the trace */
	uint64_t events;	/* delivered by cursors so far */
	size_t code_n;		/* number of different code addresses in samples so far */
	size_t code_named;	/* number of those whose names were requested */
	struct note *note;      /* what was lost or repaired */
	size_t note_n, note_cap;
	struct trace_late_note *late; /* notes made while streams are read */
	size_t late_n, late_cap;
	pthread_mutex_t lock;	/* of late */
	struct names blanked;	/* texts of definitions before trace_text() changed them */
	struct trace_over *over;	/* records that were ignored */
	size_t over_n, over_cap;
	struct map over_at;	/* by stream and kind */
	struct names over_kind;
};

/*
 * Several threads may read streams, each stream one thread at a time. Threads change the data that
 * cursors share only through these functions, and it is read only while no cursor is in use.
 */
/* about: all fields except the text, which the format makes. */
void trace_note(struct trace *t, struct note about, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* stream NULL: the note is about no stream. trace_settle() turns it into a note. */
void trace_late_note(struct trace *t, const struct trace_stream *stream, struct note about,
		     const char *format, ...) __attribute__((format(printf, 4, 5)));
/*
 * Names are written into files of lines: this replaces control characters by blanks in the n bytes
 * at s, the text of a definition. Do not call it while streams are read. When all texts are there,
 * trace_text_note() adds a note with the number of different texts that were changed.
 */
void trace_text(struct trace *t, char *s, size_t n);
void trace_text_note(struct trace *t);
/*
 * n: all records of a kind in the stream for which there is no event. If the stream is read again,
 * the largest n counts. trace_over_text(): "THREAD_FORK (12), THREAD_JOIN (3)", the caller frees
 * it; NULL: there are none.
 */
void trace_over(struct trace *t, const struct trace_stream *stream, const char *kind, uint64_t n);
char *trace_over_text(const struct trace *t);
/*
 * Turns late notes into notes, in order of their streams, not in the order in which threads made
 * them.
 */
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

/* The value of trace_process.number for a node that is given as text; 0: the text is not a node. */
uint32_t trace_process_number(const char *node);

/* Extends the trace so that it includes an event at ns. */
void trace_reach(struct trace *t, int64_t ns);

/* Reads a stream from its first event at `from` or before: calls take() with each batch. 0, or an error of reading. */
int trace_stream_read(struct trace *t, uint32_t stream, int64_t from,
		      void (*receive)(void *to, const struct event_batch *b), void *to,
		      struct error *e);

/* The names of the code of a sample. The trace must have samples. */
static inline struct trace_place trace_place(const struct trace *t, uint32_t code)
{
	struct trace_place place;

	t->ops->code((struct trace *)(uintptr_t)t, code, &place, NULL);
	return place;
}

/* Where memory of a type was allocated, with what only a look at the code finds (ops->site). NULL: not distinguished. */
static inline const char *trace_memtype_site(const struct trace *t, uint32_t memtype)
{
	const struct trace_memtype *m = &t->memtype[memtype];
	const char *text = m->vague ? t->ops->site((struct trace *)(uintptr_t)t, memtype) : NULL;

	return text ? text : m->site;
}

/* An empty trace; trace_free() frees it. */
struct trace *trace_new(const char *path, const struct trace_ops *ops);
/* Metadata of a process: the first value of that name, borrowed; NULL: there is none. O(metadata). */
const char *trace_process_meta(const struct trace_process *p, const char *name);
/* The last value of that name, as a number; NaN: there is none. For names of the recorder, whose values are numbers. */
double trace_process_meta_number(const struct trace_process *p, const char *name);
/* The sum of all its values: a process that goes on after its end gives a number once more. NaN: there is none. */
double trace_process_meta_sum(const struct trace_process *p, const char *name);
/* The processing elements: processes with streams, without those that are `no_pe`. */
size_t trace_pes(const struct trace *t);
uint64_t trace_lost(const struct trace *t);	/* events that were recorded nowhere, of all
						 * streams and processes */
/*
 * Sorts processes and their streams and numbers the nodes; a reader calls it once when all are
 * known, before notes about single processes and streams.
 */
void trace_number(struct trace *t);
void trace_free(struct trace *t);

#endif
