/*
 * native.h: our own traces (tau-trace(5)) as a struct trace. native_stream is what its cursors share with it.
 */
#ifndef NATIVE_H
#define NATIVE_H

#include "analyze/base/map.h"
#include "analyze/trace/trace.h"
#include "convert/native/native_file.h"

/* Is path a run directory (it contains a trace file) or one file of a run? Decided by contents. 0 also if it cannot be read. */
int native_is(const char *path);
/* Does a directory contain files named like a run's, or can it not be read? 1 also if path is no directory. */
int native_looks(const char *path);

/* The trace files of a run directory in order of name, or the one file itself. */
struct native_paths {
	char **path;
	size_t path_n, path_cap;
};
/*
 * out: empty; the caller releases it, also after an error. ERROR_INPUT: there are none; ERROR_SYSTEM: the directory is
 * unreadable.
 */
int native_paths(const char *path, struct native_paths *out, struct error *e);
void native_paths_release(struct native_paths *p);

/*
 * Opens a run directory or one stream (FILE.tau or FILE.live). Files that cannot be used are
 * skipped and named in the trace's notes; it is an error if no file remains. All definitions are
 * read here, events later.
 */
int native_open(const char *path, struct trace **out, struct error *e);
/*
 * The same without names that must be looked up in programs, which takes a while, unless regions were dropped, and without the
 * closing line of the run (native_ends.h).
 */
int native_open_bare(const char *path, struct trace **out, struct error *e);

/* Opens what one process has written: the files of the run directory `path` whose names begin with `files` and a dot. */
int native_open_process(const char *path, const char *files, struct trace **out, struct error *e);
/* Opens what the processes of one host (its name as uname(2) has it there) have written to the run directory `path`. */
int native_open_host(const char *path, const char *host, struct trace **out, struct error *e);
/* A tick of that process in ns since the start of the run. t is of native_open_process(). */
int64_t native_moment(const struct trace *t, uint64_t tick);

/* ---- between native.c, native_define.c, native_snapshot.c, native_cursor.c and native_decode.c ---- */

/* Ticks of one host (and clock) to ns since the start of the run: offset_ns + (tick - base) * mult / 2^shift. */
struct native_clock {
	char *host;
	uint8_t kind, file_shift;
	uint64_t base;
	uint64_t mult;
	unsigned shift;
	int64_t offset_ns;
	uint64_t hz;		/* the recorder's own idea */
	struct native_sync sync[2];	/* the earliest and the latest of all streams */
	int sync_n;			/* 1: they are known */
	int compared;		/* with rank 0's, by the job itself */
};

/*
 * Ids of one file to indexes of the trace; TRACE_NONE: not defined. An array holds the ids that fit
 * into a token; a map holds larger ones, which need not be dense and may come from damage.
 */
#define NATIVE_IDS_NEAR (TAU_TOKEN_BLOCK - TAU_TOKEN_REGION)
struct native_ids {
	uint32_t *v;
	size_t v_n, v_cap;
	struct map far;
};

/* Allocations and frees of one type and size, which a token refers to. */
struct native_block {
	uint32_t type;		/* memtype of the trace, TRACE_NONE: not defined */
	uint64_t bytes;
};

/* A module: what was mapped where, as the stream's file defines it. */
struct native_module {
	uint64_t begin, end, bias;
	char *path;
	unsigned char *build_id;
	size_t build_id_n;
	size_t chunk;		/* that defines it */
};

struct native_stream {
	struct native_file *file;
	uint32_t process;	/* index before trace_number(); look at trace_stream afterwards */
	uint32_t clock;		/* index into run->clock */
	struct native_ids region, event, comm, memtype, metric, call;
	struct native_block *block;	/* by definition BLOCK */
	size_t block_n, block_cap;
	char *label;
	int device;		/* not a thread of the process */
	int values;		/* neither, without regions */
	int has_memory;
	struct native_module *module;
	size_t module_n, module_cap;
	int overlap;		/* modules were, or may have been, mapped where others had been */
	struct map code;	/* address of a sample -> code */
	struct map named;	/* the same where the file itself names the code */
};

struct native_address;
struct native_limit;
struct native_code;
struct native_image;
struct symbols;

struct native_site;
struct native_lock;
struct bytes;

struct native_run {
	struct map process;	/* id -> index, before trace_number() */
	struct native_stream **stream;
	size_t stream_n, stream_cap;
	struct native_clock *clock;
	size_t clock_n, clock_cap;
	struct names region, event, comm, memtype, metric;	/* what makes two definitions the same */
	struct names meta;			/* process and name of metadata */
	uint32_t *meta_at;			/* by number in it: the place in the process's */
	size_t meta_at_n, meta_at_cap;
	struct map comm_of;			/* communicators of the trace, by what makes them the same */
	struct native_address *address;		/* functions whose names are in the program */
	size_t address_n, address_cap;
	struct native_limit *limit;		/* regions that were dropped while recording */
	size_t limit_n, limit_cap;
	pthread_mutex_t code_lock;		/* of all that samples meet, to `symbols` */
	struct native_code *code;		/* what samples met */
	size_t code_n, code_cap;
	struct map code_index;			/* (image, address) -> code */
	struct map call_index;			/* (caller, code) -> call of the trace */
	struct native_image *image;		/* the binaries it is in */
	size_t image_n, image_cap;
	struct names image_name;
	/* how files describe code that they name: native_code_name() */
	struct names named;
	struct names code_text;			/* the texts in it */
	struct symbols *symbols;
	struct native_lock *lock;		/* locks without names as yet */
	size_t lock_n, lock_cap;
	struct native_site *site;		/* call sites of memtypes: once all are named, those that are vague */
	size_t site_n, site_cap;
	pthread_mutex_t site_lock;		/* of their texts */
	int bare;				/* native_open_bare() */
};

/* Ticks as ns. More than 2^63 ns wrap around: native.c cuts streams before such times. */
static inline int64_t native_duration(const struct native_clock *c, uint64_t ticks)
{
	return (int64_t)(uint64_t)((unsigned __int128)ticks * c->mult >> c->shift);
}

static inline int64_t native_time(const struct native_clock *c, uint64_t tick)
{
	uint64_t d = tick > c->base ? tick - c->base : 0;

	return c->offset_ns + native_duration(c, d);
}

_Static_assert(TRACE_NONE == MAP_NONE, "what is not there is not defined");
static inline uint32_t native_id(const struct native_ids *m, uint64_t id)
{
	return id < m->v_n ? m->v[id] : map_get(&m->far, id);
}

/* native_align.c: gives each stream its clock, clocks their rates and offsets, and the trace its `wall`. */
void native_align(struct trace *t, struct native_run *run);
/* native_running.c: sets `running` and the present as the end of processes that are still being recorded on this host. */
void native_running(struct trace *t, struct native_run *run);

/*
 * Reads the definitions of one stream into the trace (process: its index there). Damage cuts the file and
 * is noted in it. 0, or ERROR_SYSTEM.
 */
int native_define(struct trace *t, struct native_run *run, struct native_stream *s, uint32_t process,
		  struct error *e);
/*
 * Index in the trace of a communicator of a file. Equal definitions in different files are one
 * communicator; two in one file are two. in_file: ids of the file by the index returned. first:
 * number of ranks in the first group of an intercommunicator, below n; 0: not an intercommunicator.
 * The two groups may be exchanged in rank[]. number: as in struct trace_comm. name and rank[] remain the caller's.
 */
uint32_t native_comm_add(struct trace *t, struct native_run *run, struct map *in_file, uint64_t id, const char *name,
			 uint32_t *rank, size_t n, size_t first, uint64_t number);
/*
 * native_site.c: the call sites of memtypes. memtype_key: what makes two memtypes one, as text that the caller frees: a site is
 * the same in processes that have its module elsewhere. site 0: unknown, or known by the name `place`. site_add notes where the
 * memtype of the trace was allocated (site: the address after the call, not 0), for site_name, which gives all of them their
 * names; look 0: addresses instead of names.
 */
enum trace_leak native_leak(uint64_t flags);
/*
 * Sets kind, family and library of a memtype with a name; library "": unknown. What an earlier recorder did not write is read
 * from the name.
 */
void native_memtype_class(struct trace_memtype *t, uint64_t flags, const char *library);
char *native_memtype_key(const struct native_stream *s, const char *shown, uint32_t owner,
			 uint64_t flags, uint64_t site, const char *place, uint32_t call);
void native_site_add(struct native_run *run, const struct native_stream *s, uint32_t memtype,
		     uint64_t site);
/* Names all sites, except by what uses a function without a name: site_users does that for one memtype, when a report prints it. */
void native_site_name(struct trace *t, struct native_run *run, int look);
const char *native_site_users(struct trace *t, uint32_t memtype);
void native_site_release(struct native_run *run);

/* The definition of a lock. Texts are on the heap. */
struct native_lock_said {
	char *kind;
	uint64_t address;	/* 0: all locks that have no definition of their own */
	uint64_t place;		/* inside the first call that waited; 0: unknown */
	char *name, *first;	/* of the lock and of that call; NULL: found by the addresses */
};
/*
 * native_lock.c: locks that threads wait for. event: the event of a defined lock; takes over the
 * definition's texts. name: names all locks by what is at their addresses; look 0: by the addresses.
 */
uint32_t native_lock_event(struct trace *t, struct native_run *run, const struct native_stream *s,
			   const struct native_lock_said *said);
void native_lock_name(struct trace *t, struct native_run *run, int look);
/* native_site.c: the last defined of the modules that cover an address; NULL: none does. O(modules of the stream). */
const struct native_module *native_module_at(const struct native_stream *s, uint64_t address);
/* native_address.c: sets map[id]; the caller has checked id. In `far`, TRACE_NONE does not replace a value. */
void native_ids_set(struct native_ids *m, uint64_t id, uint32_t value);
/* The region of that name in the trace, which is added with copies of the texts if there is none. file NULL or "": unknown. */
uint32_t native_region_add(struct trace *t, struct native_run *run, const char *name, const char *groups,
			   const char *file, uint32_t line);
/* native_define.c: the regions that streams record no more, as metadata of their processes, once all regions are named. */
void native_limits_name(struct trace *t, struct native_run *run);
/*
 * native_address.c: regions known by an address. add: a region of a stream; name and groups, which are taken over, of a region
 * at this place in the code; both NULL: it is the function there. define: gives them their names, and call sites and locks
 * theirs, once all definitions are read.
 */
/* called: 1 + the region of the file that is called there, 0: the function; site: where the call returns. */
void native_call_add(struct native_run *run, struct native_stream *s, uint64_t id, uint64_t called, uint64_t site,
		     uint64_t function);
void native_address_add(struct native_run *run, struct native_stream *s, uint64_t id, uint64_t address,
			char *name, char *groups);
void native_define_addresses(struct trace *t, struct native_run *run);

/*
 * Snapshot at the head of a chunk's arguments. Returns 0, or -1 when it is damaged: then *state holds a part. rest: the
 * arguments after it. state->metric: receives the values of a chunk with metrics, by metric of the trace; NULL: there are none.
 * Arrays of *state grow; the caller frees them.
 */
struct bytes;
int native_snapshot(const struct native_stream *s, const struct native_clock *clock,
		    const struct native_columns *c, struct event_state *state, struct bytes *rest);

/* ---- native_code.c: the code of samples ---- */

/* Reads the addresses of a SAMPLE of chunk `chunk`. 0; or -1, or f->bad is set: they are damaged. */
struct bytes;
int native_code_list(struct trace *t, struct native_stream *s, size_t chunk, struct bytes *f,
		     struct event_batch *b, struct event_list *to);
/* As `code` of trace_ops. Locks, because the libraries that look names up are made for one thread. */
int native_code_of(struct trace *t, uint32_t code, struct trace_place *place, struct trace_address *address);
/* The code that made the call before an address, as of a chunk. */
uint32_t native_code(struct trace *t, struct native_stream *s, uint64_t address, size_t chunk);
/*
 * The stream names the code at an address: module, name, file (strings) and line (varint) of each function, innermost first.
 * Damaged names are ignored.
 */
void native_code_name(struct trace *t, struct native_stream *s, uint64_t address, const void *said, size_t n);
/*
 * Code as bytes that mean the same in another process, and its number again. images: those that were named already, which are
 * not named again; empty at first, the caller frees v. Damage sets b->bad, and the number is 0.
 */
struct buffer;
struct native_images {
	uint32_t *v;
	size_t v_n, v_cap;
};
void native_code_put(struct native_run *run, uint32_t code, struct native_images *images, struct buffer *b);
uint32_t native_code_get(struct trace *t, struct native_images *images, struct bytes *b);
void native_code_release(struct native_run *run);
void native_modules_release(struct native_stream *s);

extern const struct trace_ops native_ops;

#endif
