/* native_run.h: a run while it is read: what opening it fills in, and its cursors use. */
#ifndef NATIVE_RUN_H
#define NATIVE_RUN_H

#include <pthread.h>

#include "analyze/base/map.h"
#include "analyze/trace/trace.h"
#include "convert/io/paths.h"
#include "convert/native/file/native_columns.h"

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
	int64_t wall;		/* ns since 1970 by the real time of its host, at the begin of the run; 0: unknown */
};

/* The present by two clocks of this host. */
struct native_now {
	int64_t mono_ns; /* CLOCK_MONOTONIC */
	uint64_t tsc;	 /* 0: there is none */
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
	uint32_t text, build;	/* of path and build_id: numbers in memtype_text, plus one; 0: not looked up */
};

struct native_stream {
	struct native_file *file;
	uint32_t process;	/* index before trace_number(); look at trace_stream afterwards */
	uint32_t clock;		/* index into run->clock */
	int64_t limit;		/* ns: later records are not read, see native_running() */
	struct native_ids region, event, comm, memtype, metric, call;
	struct native_region_at {
		uint32_t id;	/* of a region in the file */
		size_t chunk;	/* that defines it; rising */
	} *region_at;
	size_t region_at_n, region_at_cap;
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
struct native_rename;
struct native_thread_name;
struct native_code;
struct native_image;
struct symbols;
struct symbols_kept;
struct stored_names;
struct native_kept;
struct native_site;
struct native_lock;

struct native_run {
	struct map process;	/* id -> index, before trace_number() */
	struct native_stream **stream;
	size_t stream_n, stream_cap;
	struct native_clock *clock;
	size_t clock_n, clock_cap;
	struct names region, event, comm, memtype, metric;	/* what makes two definitions the same */
	struct names memtype_text;	/* names and places in what makes two memtypes the same */
	struct names region_fields;	/* how files write regions */
	uint32_t *region_of;		/* by number in it */
	size_t region_of_n, region_of_cap;
	struct names memtype_fields;	/* how files write flags and names of memtypes */
	uint32_t *memtype_shown;	/* by number in it: the name that is shown, in memtype_text */
	size_t memtype_shown_n, memtype_shown_cap;
	struct names meta;			/* process and name of metadata */
	uint32_t *meta_at;			/* by number in it: the place in the process's */
	size_t meta_at_n, meta_at_cap;
	struct map comm_of;			/* communicators of the trace, by what makes them the same */
	struct native_address *address;		/* functions whose names are in the program */
	size_t address_n, address_cap;
	struct native_rename *rename;		/* events that have another name now */
	size_t rename_n, rename_cap;
	struct native_thread_name *thread_name;	/* given by other threads */
	size_t thread_name_n, thread_name_cap;
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
	struct stored_names *names;		/* stored with the run; NULL: none, or not read */
	struct symbols_kept *kept;		/* borrowed; NULL: none */
	struct native_kept *files;		/* borrowed; NULL: files are not kept */
	int made_search;				/* native_made_search() */
	struct native_made *made;		/* code that programs made at run time */
	size_t made_n, made_cap;
	struct native_lock *lock;		/* locks without names as yet */
	size_t lock_n, lock_cap;
	struct native_site *site;		/* call sites of memtypes: once all are named, those that are vague */
	size_t site_n, site_cap;
	pthread_mutex_t site_lock;		/* of their texts */
	struct paths live;			/* live files of the run directory */
	int bare;				/* native_open_bare() */
	int look;				/* names are looked up in programs */
	int own_debug;				/* and not in debug files of their own */
	struct native_now opened;		/* before the first file was read */
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

/* The cursors of streams: native_cursor.c. */
extern const struct trace_ops native_ops;

#endif
