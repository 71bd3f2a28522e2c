/*
 * stream.h: streams: what a thread records into.
 *
 * A stream is a .tau file that grows by whole chunks and a .live mapping that contains the chunk being written. When a
 * thread ends, the next new thread reuses its stream. So the number of files and the memory are bounded by the number of
 * threads that live at the same time.
 */
#ifndef STREAM_H
#define STREAM_H

#include "record/base/registry.h"
#include "record/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct filtered_frame;
struct filtered_region;
struct frame;

/* What the file of a stream holds about an API region. */
struct local {
	uint32_t token;		/* 0: not defined yet */
	uint32_t region;
	uint32_t skipped;	/* entered while its group was disabled, not yet left */
	bool out;		/* --budget: tau_call() does not record it */
	uint64_t passed;	/* calls not recorded for that reason */
};

/* The samples of a stream (sample/sample.c). */
struct sampler {
	bool armed;
	bool was_off;			/* recording continues: the stream has to record that first */
	uint32_t change;		/* of process.sample_changes, when the thread began to use it */
	uint64_t ns;			/* the period, 0 = no samples */
	uint64_t cpu, recorded;		/* ns of the thread when it was armed; periods recorded since */
	uint64_t inside, missed;	/* periods since the last SAMPLE record */
	uint64_t taken;			/* samples of this stream */
	uint64_t inside_all, missed_all;
	uint64_t weight;		/* of the sample being taken: periods */
	const void *context;
	struct sample_room *room;	/* NULL until a thread of the stream is sampled */
};

/* The cold half of a stream. Lives in memory of its own, is never freed, and is reused by later threads. */
struct stream {
	struct tau_live_header *live;
	bool in_lives;			/* that is a place in the file of the threads, lives.c */
	uint32_t number;		/* 0, 1, 2 ... in the process */
	uint32_t seq;			/* of the chunk being written */
	uint64_t stored_ns;		/* CPU time spent on storing all chunks */
	uint64_t written_ns;		/* part of that: in the kernel, which writes them */
	struct budget *budget;		/* NULL: none so far */
	uint64_t off_tick;		/* when recording went off; 0: it is on */
	uint32_t off_region;		/* with off_tick: the region of the file to which the time since then belongs */
	uint64_t seal_tick;		/* when storing the previous chunk began, 0: there was none */
	uint64_t call_ps;		/* what a call costs, as measured last while the stream was written; 0: not yet */
	uint64_t file_size;		/* bytes written to the .tau file */
	uint64_t index_at;		/* offset of its index, once it is closed */
	uint64_t records;		/* in sealed chunks */
	struct tau_index_entry *index;
	size_t index_n, index_cap;
	uint64_t *slots;		/* open addressing */
	size_t slot_n;
	uint32_t selects;		/* value of control.selects that this stream has followed */
	uint64_t *leaving;		/* functions that became excluded while they were open */
	size_t leaving_n, leaving_cap;
	uint32_t request;		/* written last into the chunk; 0: none */
	uint32_t region_n;		/* region ids given in this file */
	struct local *local;		/* by API region id */
	size_t local_cap;
	uint8_t *known[REGISTRIES];	/* by id: defined in this file? */
	size_t known_cap[REGISTRIES];
	struct live_level *level; /* by memtype id, without `net` */
	size_t level_cap;
	int64_t *net;			/* by block id: allocated less freed, since the chunk began */
	size_t net_cap;
	uint64_t *module;		/* pairs begin, end of the modules defined here */
	size_t module_n, module_cap;
	uint64_t gone_begin, gone_end;	/* covers the modules that were unloaded since the last one was defined there */
	struct frame *frames;		/* of the thread that uses the stream */
	struct filtered_frame *filtered;    /* parallel to frames, and one before for no region; NULL
					   if the process records on the plain path */
	struct filtered_region *what;   /* by region of the file; NULL likewise */
	size_t what_cap;
	struct sums *sums;		/* NULL: none are kept */
	struct fold *fold;		/* calls merged into counts; NULL: none so far */
	uint8_t *defs;			/* flight recorder: everything ever written to column DEFS */
	size_t defs_n, defs_cap;
	uint64_t flown;			/* records of chunks that were dropped */
	uint32_t defined_seq;		/* chunk in which all definitions were written last */
	size_t frame_cap;
	struct stream_metrics *metrics;	/* NULL: none are recorded */
	uint64_t repaired;		/* frames ended without a leave */
	uint64_t out, silent;		/* as in struct thread, of threads that have ended */
	uint64_t lost;			/* from the live header when that was closed */
	bool on_own_stack;		/* its thread is in own_stack_run() */
	struct iteration *iteration;	/* iteration.c */
	size_t iteration_n, iteration_cap;
	uint32_t iteration_tid;		/* the thread that these numbers belong to */
	uint32_t tid;			/* 0 while idle */
	char name[17];			/* of the thread, as defined last */
	uint64_t cpu_ns, life_ns;	/* CPU time and lives of the threads that have ended */
	uint64_t to_run_ns;		/* that these waited for a processor, */
	uint64_t ending_to_run;		/* and with the thread that ends */
	bool to_run_unknown;		/* of one of them */
	uint64_t cpu_begin, life_begin, to_run_begin;	/* of the thread that uses the stream, at its begin */
	uint64_t sampled;		/* ticks spent on taking samples */
	struct sampler sampler;
	bool closed;			/* index written, live file gone */
	bool device;			/* a device's stream, which no thread uses (device.c) */
	uint64_t device_tick;		/* with device: the time of the record being written */
	struct stream *next_idle, *next;
};

#endif
