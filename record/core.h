/*
 * core.h: what the files of the recorder share: the state of the process, of a thread and of its stream.
 *
 * A thread records into a stream: a .tau file that grows by whole chunks and a .live mapping that holds the
 * chunk being written. When a thread ends, its stream waits for the next thread, so that files and memory
 * are bounded by the threads that lived at once.
 *
 * Hot path rules: no lock, no system call, no allocation. `ready` is 0 while a thread is inside the
 * recorder, so that a signal handler or an interposed function called from there is not recorded.
 */
#ifndef CORE_H
#define CORE_H

#define TAU_IMPLEMENTATION
#include "format.h"
#include "tau.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define out_of_line __attribute__((noinline, cold))
#define EXPORT __attribute__((visibility("default")))
#define barrier() __asm__ volatile("" ::: "memory")

/* Value of the gate. The page that holds it is wiped in a forked child, which so notices. */
enum gate {
	GATE_FORKED = 0,	/* not started, or a fresh child: go the slow way and start */
	GATE_OPEN = 1,		/* record, the plain way */
	GATE_PICK = 2,		/* the same, but some functions are kept out: hooks look before they read the clock */
	GATE_RICH = 3,		/* record, the way of rich.c: some feature wants to know more of each call */
	GATE_OFF = 4,		/* recording is switched off: keep the stacks, record nothing */
	GATE_DEAD = 5,		/* never record again in this process */
};
#define GATE_PLAIN(gate) ((unsigned)(gate) - GATE_OPEN <= GATE_PICK - GATE_OPEN)
#define GATE_RECORDS(gate) ((unsigned)(gate) - GATE_OPEN <= GATE_RICH - GATE_OPEN)

/*
 * An open region: what opened it, when, and where the stack pointer of its function stood, so that what a jump has left
 * behind is known. key: function address of a hook, or id of an API region. Slots up to and including the one past the
 * end of an array may be written.
 */
struct frame {
	uint64_t key;
	uint64_t time;
	uint64_t sp;
};
#define SP_NONE UINT64_MAX		/* begun by a call that has returned (Tau_start): bound to no function */
#define sp_of_caller() ((uint64_t)__builtin_dwarf_cfa())
/*
 * What is known besides of the frame of the same index, in a process whose gate is GATE_RICH when it records. A frame
 * that is not recorded stands neither in snapshots nor in ON records, and its leave is not written.
 */
struct rich_frame {
	bool recorded;
	bool starts;		/* counts in control.started */
	bool far;		/* the region stands in ARGS */
	uint8_t height;		/* fold.h */
	uint32_t depth;		/* recorded frames up to here, itself included */
	uint32_t region;	/* in this file */
	uint32_t node, pending, child_region, child;	/* fold.h */
	uint32_t seq;		/* of the chunk that holds its ENTER, at: */
	uint8_t *at;		/* the ENTER in the live chunk; NULL: it was never written (recording was off) */
	uint64_t args;		/* where column ARGS ended before it */
	uint64_t last;		/* tick of the record before it */
};
/* What is known besides of a region of the file. */
struct rich_region {
	uint32_t flags;		/* enum rich_flag */
	uint64_t key;		/* as in struct frame */
	/* With --throttle and --budget, of calls that were left: how many, how many of them were folded, and their ticks. */
	uint64_t calls, folded, ticks;
	uint64_t looked, looked_folded;	/* calls and folded when budget.c looked last */
};
enum rich_flag {
	RICH_DROPPED = 1,	/* by --throttle or --budget: recorded no more */
	RICH_START = 2, RICH_STOP = 4,	/* recording starts when it is entered, stops when it is left */
	RICH_FOLDED = 8,	/* by --budget: folded however long a call takes */
};
#define REGION_KEY(region) ((region) | 1ull << 63)	/* no function has such an address */
#define KEY_IS_REGION(key) ((key) >> 63)

/*
 * A stream's hash table of functions: words address << 16 | token, so that one load tells all that a hook wants. The token is
 * as in column IDS; 0: the function is kept out. A word 0 is empty, and the word before the first is their number less
 * one; behind them stand the numbers of their regions in the file, 32 bits each. No function's address has more than 48 bits.
 */
#define SLOT_GONE (1ull << 16)		/* word of a function that was unloaded */
#define SLOT_TOKEN(word) ((uint32_t)(word) & 0xffff)
#define SLOT_ADDRESS(word) ((word) >> 16)
#define SLOTS_HEAD 8			/* words before the first, of which the last is used */

/* What a stream's file knows of an API region. */
struct local {
	uint32_t token;		/* 0: not defined yet */
	uint32_t region;
	uint32_t skipped;	/* entered while its group was disabled, not yet left */
	bool out;		/* --budget: tau_call() passes it by, which it did */
	uint64_t passed;	/* so often */
};

enum registry_kind { REG_REGION, REG_EVENT, REG_COMM, REG_MEMTYPE, REG_BLOCK, REG_STACK, REGISTRIES };

/* What a stream has added to the live bytes of a memtype. */
struct level {
	int64_t bytes, blocks;
};

/* Blocks of one memtype and size: definition BLOCK. */
struct mem_block {
	uint64_t bytes;
	uint32_t memtype;
};

/* The cold half of a stream. Lives in memory of its own, is never freed, and is reused by later threads. */
struct stream {
	struct tau_live_header *live;
	uint32_t number;		/* 0, 1, 2 ... in the process */
	uint32_t seq;			/* of the chunk being written */
	uint64_t stored_ns;		/* CPU time spent on storing chunks, all of them */
	struct budget *budget;		/* NULL: none so far */
	uint64_t seal_tick;		/* when storing the chunk before was begun, 0: there was none */
	uint64_t call_ps;		/* what a call costs, as measured last while the stream was written; 0: not yet */
	uint64_t file_size;		/* bytes written to the .tau file */
	uint64_t index_at;		/* where its index begins, once it is closed */
	uint64_t records;		/* in sealed chunks */
	struct tau_index_entry *index;
	size_t index_n, index_cap;
	uint64_t *slots;		/* open addressing */
	size_t slot_n;
	uint32_t region_n;		/* region ids given in this file */
	struct local *local;		/* by API region id */
	size_t local_cap;
	uint8_t *known[REGISTRIES];	/* by id: defined in this file? */
	size_t known_cap[REGISTRIES];
	struct level *level;		/* by memtype id, without: */
	size_t level_cap;
	int64_t *net;			/* by block id: allocated less freed, since the chunk began */
	size_t net_cap;
	uint64_t *module;		/* pairs begin, end of the modules defined here */
	size_t module_n, module_cap;
	struct frame *frames;		/* of the thread that uses the stream */
	struct rich_frame *rich;	/* parallel to frames, and one before, for no region; NULL while the process records
					   the plain way */
	struct rich_region *what;	/* by region of the file; the same */
	size_t what_cap;
	struct fold *fold;		/* calls told by their number; NULL: none so far */
	uint8_t *defs;			/* flight recorder: all that column DEFS ever held */
	size_t defs_n, defs_cap;
	uint64_t flown;			/* records of chunks that were dropped */
	uint32_t told_seq;		/* chunk in which all of them were told last */
	size_t frame_cap;
	struct stream_metrics *metrics;	/* NULL: none are recorded */
	uint64_t repaired;		/* frames ended without a leave */
	uint64_t lost;			/* as in the live header when it was closed */
	void *aside;			/* stack for deep work */
	bool aside_busy;		/* it is in use */
	uint32_t tid;			/* 0 while idle */
	struct sampler *sampler;	/* NULL until a thread of the stream was sampled */
	bool closed;			/* index written, live file gone */
	struct stream *next_idle, *next;
};

enum ready {
	READY_BUSY = 0,			/* no stream yet, or inside the recorder */
	READY_OPEN = 1,			/* may record */
	READY_OFF = 2,			/* has written OFF; an ON record must come before anything else */
};

/* The hot half, in thread-local storage. Where the next record goes and when the last one was says the live header. */
struct thread {
	int ready;			/* enum ready */
	uint8_t shift;			/* 255: clock is CLOCK_MONOTONIC */
	bool ended;			/* its stream has been handed on */
	uint8_t *end;			/* the chunk is full when column TIMES passes this */
	struct tau_live_header *live;
	struct frame *top, *frames_end;	/* next free frame; end of the array */
	uint64_t sp;			/* of what called the recorder, while it is busy with a record */
	const uint64_t *slots;
	struct local *local;
	size_t local_cap;
	uint8_t *args_end;		/* the chunk is full when column ARGS passes this */
	struct stream *stream;
	struct class_stack *classes;	/* open class allocations */
	int64_t *net;			/* block.c: of the stream */
	size_t net_cap;
	uint32_t memory_skip, memory_rest;	/* records of a burst that share a time; of these, still to come */
	int hidden;			/* tau_hide() depth */
	int hidden_ready;		/* what ready was before it */
	bool sample_held;		/* it believes that it blocks the signal of --sample */
	uint64_t out;			/* calls of functions that are kept out, for budget.c */
	int64_t own_read, own_written;	/* bytes that the recorder moved in it, which are none of the program's */
};

#define SHIFT_MONOTONIC 255
/*
 * A tick is 8 of the time stamp counter, 2 to 5 ns: reading the counter costs and jitters more, and the bits below are noise that
 * would be most of the file (0.50 B an event against 0.33 on sqlite's benchmark). Known to the compiler it costs the hooks less.
 */
#define TSC_SHIFT 3

/* The signal of --sample. */
#ifdef SIGSTKFLT
#define SAMPLE_SIGNAL SIGSTKFLT
#else
#define SAMPLE_SIGNAL (SIGRTMAX - 3)
#endif
#define SAMPLE_DEPTH 127	/* most code addresses in a sample */

/* One of the process-wide tables of definitions; a definition is kept as the bytes that go after its id. */
struct definition {
	uint64_t hash;
	uint8_t *bytes;
	uint32_t length;
	uint32_t off;			/* regions: kept out by name, or a group of it is disabled */
};
#define BLOCK 1024			/* definitions in a block */
#define BLOCKS 1024
struct registry {
	struct definition *block[BLOCKS];
	uint32_t n;
	uint32_t *slot;			/* hash to id + 1 */
	size_t slots;
};

/*
 * What a call recorded by the hooks costs, in ps: between the times of its enter and leave, in all, and how far off
 * that may be; what one costs that is folded. So it is where the function has something to do, with which the processor
 * is busy meanwhile. With a budget also what calls of a function cost that has next to nothing to do: recorded, folded, and
 * of a function that is kept out. 0: not measured.
 */
struct call_cost {
	uint64_t inside, all, spread, fold;
	uint64_t tiny_all, tiny_fold, tiny_out;
	uint64_t told;			/* with a budget: a record of a message, file or event */
	uint64_t block[2], passed;	/* the same: a block is allocated or freed, with one thread and with several; passed by */
	int steps;			/* of the work between hooks with which it was measured (cost.c) */
	bool given;			/* all this was not measured */
};

struct process {
	uint32_t generation;		/* 1, then + 1 in each forked child */
	uint64_t id;			/* process_id of the files */
	uint64_t parent_id;		/* that of the process that forked this one, 0 = not known */
	uint32_t pid;
	uint64_t start_tick;
	uint64_t ticks_hz;
	uint8_t clock, shift;
	char directory[3072];		/* absolute; "" = this process is not recorded */
	char prefix[256];		/* host.pid.n */
	char live_directory[512];	/* where .live files go, by links beside the .tau files; "" = there */
	int lock;			/* of everything below; taken with signals blocked */
	struct stream *streams, *idle;
	uint32_t stream_n;
	int attached;			/* threads that have a stream */
	struct registry registry[REGISTRIES];
	bool meta_written;
	struct call_cost cost;
	uint64_t first_bytes, first_records;	/* of the first chunks of all streams */
	int error;			/* errno of the first failure */
	bool failed;			/* said so */
	bool groups_touched;		/* some group was ever disabled */
	bool rich;			/* when recording, the gate is GATE_RICH; fixed at the start of the process */
	bool picks;			/* functions may be kept out */
	bool functions_off;		/* the group of functions with hooks, TAU_USER, is disabled */
	bool functions_out;		/* it was so at the start, and nobody may enable it: they are kept out */
	uint32_t metrics;		/* values with each enter and leave; fixed at the start */
	int rank, rank_source;
	uint64_t sample_ns;		/* CPU time between two samples of a thread, 0 = none are taken */
	uint32_t sample_depth;		/* code addresses in each, 1 to SAMPLE_DEPTH */
	bool sample_handled;		/* the handler of SAMPLE_SIGNAL is ours */
	struct sigaction sample_program;	/* what the program wants of SAMPLE_SIGNAL */
	uint32_t sample_unarmed;	/* threads that got no timer */
	uint64_t lost_outside;		/* events of threads that have no stream any more */
	uint64_t unmatched;		/* stops without a start */
	uint64_t class_mismatches;
	const struct tau_memory_teller *teller;	/* NULL: there is none */
	bool memory_stopped;		/* by --budget: it takes in no new blocks */
	struct mem_block *mem_block;	/* by id; NULL: none so far */
	uint64_t burst_ticks;		/* block.c: a burst has a record of memory at least so often */
	uint64_t burst_granule;		/* its times have these bits cleared */
	void (*on_finalize[16])(void);
	int on_finalize_n;
	char *arena;
	size_t arena_left;
};

/* Why recording is off. */
enum off_reason {
	OFF_API = 1,		/* Tau_disable_instrumentation */
	OFF_DELAY = 2,		/* it starts later */
	OFF_DURATION = 4,	/* its time is over */
	OFF_START = 8,		/* no region that starts it is open */
	OFF_SIGNAL = 16,	/* switched off by a signal */
	OFF_WATCH = 32,		/* switched off from outside */
	OFF_SIZE = 64,		/* the run has reached its size */
};

/* What the options of tau-record ask for. */
struct control {
	uint32_t depth;			/* deepest frame that is recorded */
	uint64_t throttle_calls, throttle_ticks;
	uint64_t fold_ticks;		/* calls shorter than this are folded */
	uint64_t tell_ticks;		/* calls longer than this tell what they folded */
	uint64_t switch_tick;		/* when recording starts or ends next */
	uint64_t duration;		/* ticks, 0 not limited */
	uint64_t off_tick;		/* when recording went off last */
	uint64_t pause_tick;		/* the same while it is off, else 0 */
	uint64_t pauses, paused;	/* how often it went on again, and the ticks that it was off then */
	uint64_t budget_ppm;		/* of the CPU time, 0 not limited */
	bool estimate;			/* behind the first chunk everything is folded */
	bool careful;			/* a call has to be asked about more than its region and depth */
	bool accounts;			/* calls are counted by region: for the throttle, the budget, or a region that stops */
	uint64_t max_size;		/* bytes of the run, 0 not limited */
	bool flight;			/* a stream keeps its last chunks only: */
	uint64_t flight_size, flight_ticks;	/* so many bytes, or so much time */
	bool flight_failed;		/* said so */
	bool starting, stopping;	/* there are regions that start recording, that stop it */
	uint32_t started;		/* open frames that start it, in all threads */
	uint32_t off;			/* enum off_reason, together */
	struct tau_watch *watch;	/* NULL: nobody may command */
	uint32_t commands;		/* of it, obeyed */
};
extern struct control control;

extern struct process process;
extern __thread struct thread self;
extern struct gate_page {
	volatile int value;
	char pad[4092];
} tau_gate __attribute__((visibility("hidden")));

/* For the hooks, which look once and then are done or busy: as a plain load it costs them less. */
static inline int gate_now(void)
{
	return *(const int *)&tau_gate.value;
}

/* ---- core.c ---- */
void process_start(void);		/* idempotent; leaves the gate open or dead */
void process_after_fork(void);
void process_fail(int error, const char *what, const char *path);
int gate_open(void);			/* the value of the gate while this process records */
bool enter_slow(void);			/* makes `self` ready, or false: do not record */
void signals_mask(const sigset_t *mask, sigset_t *before);	/* NULL: all are held; the kernel's 8 bytes */
void lock_take(sigset_t *saved) __attribute__((nonnull));
void lock_drop(const sigset_t *saved);
void *map_alloc(size_t bytes);		/* zeroed pages; NULL on failure */
void map_free(void *p, size_t bytes);
void *map_grow(void *p, size_t *cap, size_t size, size_t want);	/* array to at least `want` entries; NULL */
void *map_larger(const void *p, size_t *cap, size_t size, size_t want);	/* the same, and the old one stays where it is */
char *arena_copy(const void *bytes, size_t length);	/* lock held; NULL on failure */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- stream.c: threads and their streams ---- */
void stream_start(void);		/* once in a process, before the first attach */
bool stream_attach(void);		/* gives the calling thread a stream */
void stream_finish_all(void);		/* at exit: closes the caller's stream and the idle ones */
void stream_after_fork(void);
bool frames_grow(uint64_t sp);		/* for a function entered at sp; makes room for it */
bool frames_room(size_t depth);		/* makes room for so many open frames */
bool frame_recorded(const struct stream *s, const struct frame *f);

/* ---- aside.c: deep work, on a stack of its own and with all signals held ---- */
bool aside(struct stream *s, bool (*work)(void *argument), void *argument);	/* what work returns; errno may change */

void stack_announce(void *begin, size_t bytes);	/* to valgrind, that code may run on it */

/* ---- repair.c: frames whose functions ended without a leave; jump.c: calls that end them ---- */
void stack_unwind(uint64_t here, uint64_t sp);	/* control goes from a stack pointer to another */
/* Frames now; SIZE_MAX: none can be counted here. Later: what was entered since ends, whoever entered it. */
size_t stack_height(void);
void stack_cut(size_t height, uint64_t here);
void frames_lost(size_t n);		/* the innermost n end without leaves; the thread is busy */
void frames_sweep(uint64_t sp);		/* drops frames that are certainly dead where one at sp is being entered */
bool recorder_abandoned(uint64_t sp);	/* was the busy recorder left by a jump to sp? mends the chunk then */
void jumps_find(void);

/* ---- confine.c: programs that give up system calls ---- */
void confine_find(void);		/* at the start */

/* ---- chunk.c: the live chunk and the file. `top` is the end of the open frames of the stream. ---- */
bool chunk_open(struct stream *s, const struct frame *top);	/* creates the files, or reopens after a close */
bool chunk_close(struct stream *s);	/* seals, writes the index, removes the live file */
bool chunk_seal(void);			/* of the calling thread: writes the chunk out and begins the next */
bool chunk_room(size_t defs, size_t args);	/* of the calling thread: seals or grows until they fit */
void chunk_adopt(struct stream *s);	/* points the calling thread's hot state at s->live */
void chunk_forget(struct stream *s);	/* drops the mapping without touching the files (fork) */

/* ---- snapshot.c ---- */
size_t snapshot_bound(const struct stream *s, const struct frame *top);	/* it is no longer */
void snapshot_write(struct stream *s, const struct frame *top, uint64_t now);	/* to the empty column ARGS */

/* ---- column.c: a column as it is stored, to `out`; its sizes to the header. They return the end of what was written. ---- */
struct codec;
uint8_t *column_store(struct codec *codec, struct tau_chunk_header *h, enum tau_column c, const uint8_t *bytes, size_t n,
		      uint8_t *out);
uint8_t *args_store(struct codec *codec, struct tau_chunk_header *h, const uint8_t *bytes, size_t n, uint8_t *out);
/* Columns TIMES and IDS of the header's number of live records, and its layout. planes: work, of records_work(n) bytes. */
uint8_t *records_store(struct codec *codec, struct tau_chunk_header *h, const uint8_t *records, uint8_t *planes, uint8_t *out);
size_t column_work_size(void);
static inline size_t records_work(size_t n)
{
	return 4 * n + 1024;
}

/* ---- live.c: the live mapping, paths, files. Aside, with signals held. ---- */
/* The first live mapping of a stream, under `path`, empty and without magic. NULL and errno. */
struct tau_live_header *live_create(const struct stream *s, const char *path, const uint32_t cap[TAU_COLUMNS]);
/* Replaces it by a larger one; only before a chunk is begun. */
bool live_resize(struct stream *s, enum tau_column column, size_t want);
int file_open(const char *path, int flags);
void file_close(int fd);
long file_read(int fd, void *to, size_t n);	/* as read(2) */
bool file_write(int fd, const void *bytes, size_t n);	/* all of them, or false and errno */
void xfsz_swallow(void);		/* a file was over the program's limit: the signal that says so is ours */
void stream_path(const struct stream *s, const char *suffix, char out[4096]);
/* Where a file stands that lasts as long as the process: beside the .tau file, or elsewhere with a link there. */
void live_path(const struct stream *s, const char *suffix, char out[4096]);
bool live_link(const struct stream *s, const char *suffix);
void live_remove(const struct stream *s, const char *suffix);
/* A fresh file of zeros, shared, its space reserved; with_pages: they are there at once. NULL and errno. Aside. */
void *file_map(const char *path, size_t size, bool with_pages);

/* ---- flight.c: the flight recorder ---- */
void flight_definitions(struct stream *s);	/* keeps what the live chunk defines */
void flight_trim(struct stream *s, bool last);	/* the live chunk is stored: drops what is too old */

/* ---- deflate.c ---- */
struct codec;
struct codec *codec_get(size_t out_bytes);	/* NULL: out of memory */
void codec_put(struct codec *c);
uint8_t *codec_out(struct codec *c);
/* Raw deflate of n bytes to out; returns the size, or 0 when it would not be smaller than n. */
uint32_t codec_deflate(struct codec *c, const uint8_t *in, uint32_t n, uint8_t *out);
uint32_t codec_crc(const void *p, size_t n);
struct work *codec_work(struct codec *c);	/* column_work_size() bytes, 64 aligned */
bool codec_deflates(void);	/* false: chunks are stored as they are */
void codec_load(void);
const char *codec_name(void);

/* ---- plane.c ---- */
/* n records to 2n bytes of times, low ones first, and n tokens of 2 bytes. */
void planes_split(const uint8_t *records, size_t n, uint8_t *times, uint8_t *tokens);
void tokens_split(const uint8_t *tokens, size_t n, uint8_t *planes);	/* low bytes, then high ones */

/* ---- define.c: definitions ---- */
uint32_t define(enum registry_kind kind, const uint8_t *bytes, size_t length);	/* id, 0 on failure */
struct definition *definition_get(enum registry_kind kind, uint32_t id);
bool define_first(enum registry_kind kind, uint32_t id);	/* makes this file explain id, which it does not yet */
struct local *region_local(uint32_t region);		/* of the calling thread, defined there; NULL on failure */
uint64_t *slots_new(size_t n);				/* n a power of two; NULL on failure */
uint64_t *address_slot(uint64_t address);		/* finds or defines; NULL on failure */
uint32_t frame_region(const struct stream *s, uint64_t key);	/* region id, in the file, of an open frame */
bool define_raw(enum tau_def_kind kind, const uint8_t *bytes, size_t length);
void define_meta(const char *name, const char *value);

/* ---- meta.c: what is known about the process ---- */
void meta_write(void);
void meta_end(void);
void meta_number(const char *name, uint64_t value);

/* ---- cost.c: what recording costs, measured with the hooks themselves, beside the trace. Inside the recorder. ---- */
void cost_measure(struct call_cost *out);	/* when the process starts */
uint64_t cost_block(void);	/* ps of a block that is allocated or freed, with a budget; measured when first asked for */
uint64_t cost_again(void);	/* ps of a call now, of the calling thread with signals held; 0: not to be had */
uint64_t cost_spread(uint64_t last);	/* at the end: how far off `last`, what a call was said to cost, may have been, in ps */

/* ---- group.c: which groups of regions are recorded ---- */
bool group_is_off(const struct definition *region);	/* lock held */
void group_start(void);

/*
 * ---- metric.c: values that stand with enter and leave. process.metrics is their number; the first
 * six may be called without any. The thread's own stream is the one read and written. ----
 */
uint32_t metric_start(void);	/* takes TAU_RECORD_METRICS; how many there are */
bool metric_equip(struct stream *s, size_t used);	/* room for s->frame_cap frames; `used` are kept */
void metric_attach(struct stream *s);	/* the calling thread begins to use s: its counters run */
void metric_detach(struct stream *s);	/* it ends */
void metric_forget(struct stream *s);	/* in a forked child: counters of the parent's threads */
void metric_after_fork(void);		/* the same, of the process; before the first attach */
void metric_define(struct tau_live_header *live);	/* definitions into an empty column DEFS */
/* Reads, and writes section METRICS to p; returns its end. */
uint8_t *metric_snapshot(uint8_t *p, struct stream *s, const struct frame *top);
bool metric_read(void);			/* makes room in the chunk and reads; false: the recorder failed */
void metric_write(void);		/* what was read, into column ARGS */
uint8_t *metric_put(uint8_t *p);	/* what was read, to p */
void metric_entered(size_t frame);	/* what was written last holds at the enter of this frame */
/* The ENTER whose arguments begin there will be undone. */
void metric_take_back(const uint8_t *args, bool far);
void metric_end(void);			/* metadata, at the end of the process */
uint64_t metric_cost_ps(void);		/* what one reading costs here */

/* ---- track.c: the heap and the headroom, at regions, where the program asks, and on a timer ---- */
const char *track_metrics(void);	/* names of metrics to be recorded for it, each ended by a 0, then an empty one */
uint64_t track_heap(void);		/* bytes, as the wrapper of memory counts them; 0 without */
uint64_t track_headroom(void);		/* bytes, read not long ago; inside the recorder */
void track_start(void);			/* the timer, if the environment asks for it; the gate is open */
void track_after_fork(void);
void track_end(void);			/* ends the timer's thread. Not inside the recorder. */
void track_meta(void);			/* metadata, at the end of the process */

/* ---- select.c: what is kept out by name ---- */
void select_start(void);
bool select_keeps_out(const char *name, size_t name_n, const char *file, size_t file_n);
bool select_keeps_out_address(uint64_t address);
uint32_t select_flags(const char *name, size_t name_n);	/* enum rich_flag of a region that says its name */
uint32_t select_flags_address(uint64_t address);

/* ---- memory.c: memtypes, and the class-allocation part of the API ---- */
uint32_t memtype_owner(const struct definition *memtype);
/* What stands behind the bytes of a memtype's definition: 8 of its site, 4 of its stack; 0: none. */
uint64_t memtype_site(const struct definition *memtype);
uint32_t memtype_stack(const struct definition *memtype);
uint32_t stack_caller(const struct definition *stack);

/* ---- block.c: what is allocated and freed, told by one token ---- */
uint64_t memory_ticks(void);		/* the time of a record of memory that has its own, now */
void block_settle(struct stream *s);	/* into s->level goes what is in s->net */
uint32_t block_memtype(const struct definition *block);

/* ---- module.c ---- */
struct dl_phdr_info;
void module_cover(uint64_t address);	/* defines the module that holds it in this stream's file */
void module_cover_sampled(uint64_t address);	/* the same from a signal handler: takes no lock */
size_t build_id(const struct dl_phdr_info *info, uint8_t out[64]);	/* its length, 0 if there is none */

/* ---- sample.c: where threads spend their CPU time. sample_arm and _disarm: the calling thread, inside the recorder. ---- */
void sample_start(void);
void sample_arm(struct stream *s);
void sample_disarm(struct stream *s);
void sample_meta(void);
uint64_t sample_ticks(const struct stream *s);	/* that taking samples took */

/* ---- unwind.c: for signal handlers ---- */
struct dl_find_object;
bool unwind_start(void);		/* false: the C library cannot find modules without a lock */
bool unwind_object(uint64_t address, struct dl_find_object *out);	/* the module there */
/* Code addresses from a ucontext_t, innermost first; all but the first lie behind a call. Returns their number. */
size_t unwind(const void *context, uint64_t *pc, size_t most);

/* ---- event.c ---- */
bool record_begin(void);		/* self.ready -> 0; false: not recording */
static inline void record_end(void)
{
	barrier();
	self.ready = READY_OPEN;
}
int keep_begin(void);			/* the same, also while recording is off; -1, or what keep_end() takes */
void keep_end(int ready);
void region_far(uint32_t region);	/* argument of an ENTER with TAU_TOKEN_FAR */
void record_extended(enum tau_record_kind kind, const uint8_t *fields, size_t length);
void record_extended_at(enum tau_record_kind kind, const uint8_t *fields, size_t length, uint64_t now);
void level_add(struct stream *s, uint32_t memtype, int64_t bytes, int64_t blocks);	/* to what it contributed */

/* ---- region.c ---- */
int region_call(uint32_t region, uint64_t sp);		/* tau_call(), the same */
void region_enter(uint32_t region, uint64_t sp);	/* tau_enter() of a function whose stack pointer is sp */
void leave_key(uint64_t key);		/* the slow half of a leave: repairs */
void record_off(void);			/* an OFF record of a thread that is ready; then it is READY_OFF */
void record_on(void);			/* an ON record with the stack as it is */
void enter_off(uint64_t key, uint64_t sp);		/* stacks while instrumentation is disabled */
void leave_off(uint64_t key);
bool region_skipped(uint32_t region);	/* a region of a disabled group: its entry was counted */
bool leave_skipped(uint32_t region);	/* such an entry is left */
void frames_drop(size_t n);		/* the n innermost frames go, unrecorded */
size_t frames_to(uint64_t key);		/* open frames that must end for key to be left; 0: it is not open */

/* ---- rich.c: entering and leaving where more is wanted than two records. The gate is GATE_RICH, the thread ready. ---- */
void rich_enter(uint64_t key, uint64_t sp);
void rich_leave(uint64_t key);
bool rich_define(struct stream *s, uint32_t region, uint64_t key, uint32_t flags);
/* The calling thread's stream records the region no more (TAU_LIMIT_FOLD: folds its calls), and says so. */
void rich_limit(uint32_t region, enum tau_limit why);
void rich_push_off(uint64_t key);
bool rich_starts(uint64_t key);
void rich_popped(const struct rich_frame *r);

/* ---- fold.c: calls told by their number and time (fold.h). Inside the recorder. ---- */
void fold_tell_all(void);
struct fold *fold_scratch(void);	/* without a file, for a trial; NULL: no memory. fold_forget() frees it */
void fold_end(struct stream *s);	/* all is told, the stream's file is complete */
void fold_forget(struct stream *s);	/* in a forked child: those of a thread of the parent */
uint64_t fold_calls(const struct stream *s, uint64_t *records);	/* told so far; adds the records that told them */

/* ---- budget.c ---- */
void budget_begin(struct stream *s);	/* the calling thread begins to use it */
void budget_called(struct stream *s);	/* one more call was recorded or folded */
void budget_count(struct stream *s);	/* the records in the live chunk will be gone */
void budget_stored(struct stream *s);	/* a chunk was stored */
void budget_end(struct stream *s);	/* its thread ends */
void budget_meta(void);

/* ---- control.c: options, and when recording is on ---- */
void control_start(void);
void control_after_fork(void);
void control_meta(void);		/* how long recording was off */
bool control_off(uint32_t reason);	/* false: it was off for that reason already */
void control_on(uint32_t reason);
bool control_time(uint64_t now);	/* switch_tick is reached; true: recording is on */
bool control_wakes(uint64_t key);	/* entering key, or the time, has switched recording on. Not inside. */
void control_entered(void);
void control_left(void);
bool control_poll(void);		/* obeys commands; true: recording is on */
void control_stored(size_t bytes);	/* a chunk was written */
static inline uint64_t control_next(void)	/* the tick at which control_time() is to be asked */
{
	return __atomic_load_n(&control.switch_tick, __ATOMIC_RELAXED);
}
static inline bool control_changed(void)
{
	return control.watch && control.watch->count != control.commands;
}

/* Makes the calling thread's file explain id. */
static inline bool define_here(enum registry_kind kind, uint32_t id)
{
	const struct stream *s = self.stream;

	return (likely(id < s->known_cap[kind]) && likely(s->known[kind][id])) || define_first(kind, id);
}

/* ---- the clock and the encodings ---- */
static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#if defined(__x86_64__)
/* The clock of the plain path, which is taken only where the time stamp counter serves. */
static inline uint64_t ticks_plain(void)
{
	return __builtin_ia32_rdtsc() >> TSC_SHIFT;
}

static inline uint64_t ticks(uint8_t shift)
{
	return likely(shift != SHIFT_MONOTONIC) ? __builtin_ia32_rdtsc() >> shift : clock_ns(CLOCK_MONOTONIC);
}
#else
static inline uint64_t ticks(uint8_t shift __attribute__((unused)))
{
	return clock_ns(CLOCK_MONOTONIC);
}
#define ticks_plain() clock_ns(CLOCK_MONOTONIC)
#endif

/* What a wrapper says right after it entered a region happens then: the clock need not be read again. */
static inline uint64_t ticks_entered(void)
{
	return self.top[-1].time == self.live->last_tick ? self.top[-1].time : ticks(self.shift);
}

/* Room that every chunk keeps free in each column for the record being written. */
#define MARGIN_RECORDS 64
#define MARGIN_ARGS 256

static inline uint8_t *put_varint(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

static inline uint8_t *put_zigzag(uint8_t *p, int64_t v)
{
	return put_varint(p, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

static inline uint8_t *put_string(uint8_t *p, const char *s, size_t n)
{
	p = put_varint(p, n);
	if (n)
		__builtin_memcpy(p, s, n);
	return p + n;
}

/* Functions stand 16 bytes apart as a rule, and most of them further. */
static inline size_t address_hash(uint64_t address)
{
	return (size_t)(address >> 4);
}

/* The token, if the function stands where it is looked for first; otherwise more than 65535. */
static inline uint64_t slot_first(const uint64_t *slots, uint64_t address)
{
	return slots[address_hash(address) & slots[-1]] ^ address << 16;
}

/* The word of the function, or the empty one where it would go. */
static inline const uint64_t *slot_find(const uint64_t *slots, uint64_t address)
{
	size_t i = address_hash(address), mask = slots[-1];

	while (slots[i & mask] && SLOT_ADDRESS(slots[i & mask]) != address)
		i++;
	return &slots[i & mask];
}

static inline uint32_t *slot_region(const uint64_t *slots, const uint64_t *word)
{
	return (uint32_t *)(slots + slots[-1] + 1) + (word - slots);
}

static inline size_t varint_size(uint64_t v)
{
	size_t n = 1;

	while (v >>= 7)
		n++;
	return n;
}

uint32_t record_long(uint64_t delta);	/* the rare half of record_write; returns the 16 bits of time */

/* The second half of record_write. */
static inline bool record_publish(struct thread *t, struct tau_live_header *live, uint32_t record)
{
	uint8_t *p = (uint8_t *)live->cur[TAU_TIMES];

	__builtin_memcpy(p, &record, 4);
	barrier();
	live->cur[TAU_TIMES] = (uint64_t)(p + 4);
	barrier();
	return p >= t->end;
}

/*
 * Writes one record and makes it exist; true when the chunk is now full. The record's arguments are in ARGS
 * already. A process killed between any two stores leaves either the whole record or none (see format.h).
 */
static inline bool record_write(uint64_t now, uint32_t token)
{
	struct tau_live_header *live = self.live;
	uint64_t delta = now - live->last_tick;

	live->last_tick = now;
	if (unlikely(delta >= TAU_TIME_LONG)) {
		delta = record_long(delta);
		live = self.live;	/* the same, but the plain way need not keep it over a call */
	}
	return record_publish(&self, live, (uint32_t)delta | token << 16);
}

static inline void record_put(uint64_t now, uint32_t token)
{
	if (unlikely(record_write(now, token)))
		chunk_seal();
}

#endif
