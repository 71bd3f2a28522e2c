/*
 * process.h: the state of the process. All of it is set at the start, or under the lock, or by atomic operations.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include "record/base/call_cost.h"
#include "record/base/registry.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tau_live_header;

struct process {
	uint32_t generation;		/* 1, then + 1 in each forked child */
	uint64_t id;			/* process_id of the files */
	uint64_t parent_id;		/* that of the process that forked this one, 0 = not known */
	uint32_t pid;
	uint64_t start_tick, start_ns;	/* the same moment by CLOCK_MONOTONIC */
	uint64_t ticks_hz;
	uint8_t clock, shift;
	char directory[3072];		/* absolute; "" = this process is not recorded */
	char prefix[256];		/* host.pid.n */
	bool named;			/* n is chosen */
	char live_directory[512];	/* of .live files, with links to them in the run; "" = they are in the run */
	struct place_identity {
		uint64_t device, inode;
	} place[2];			/* of both directories, by enum run_place; inode 0: not opened yet */
	uint32_t file_mode;		/* of new files */
	int lock;			/* of everything below; taken with signals blocked */
	struct stream *streams, *idle;
	uint32_t stream_n;
	uint32_t requests;		/* numbers of requests that threads got */
	int device_lock;		/* of the streams of devices; taken with signals blocked, before `lock` */
	int attached;			/* threads that have a stream */
	struct tau_live_header *counter;	/* counts the lost events of threads without a live chunk, live.h; NULL: none yet */
	struct registry registry[REGISTRIES];
	uint32_t unloaded;		/* how often a library was, so that another may be at its addresses */
	uint32_t unplaced;		/* the last memtype with a site without a place; 0: none */
	bool meta_written;
	int allowed;			/* processors that it may use, as recorded last; 0: not yet */
	uint64_t begin_cpu, begin_ns;	/* CPU time when the recorder began to start; CPU time of starting */
	struct call_cost cost;
	uint64_t first_bytes, first_records;	/* of the first chunks of all streams */
	int error;			/* errno of the first failure */
	bool failed;			/* a message was printed */
	int delayed;			/* the errno in the message about a thread that got no file, and tries again */
	bool over;			/* the program gave up what the recorder needs; its children do not record either */
	bool groups_touched;		/* some group was ever disabled */
	bool filtered;			/* when recording, the gate is GATE_FILTERED; fixed at the start of the process */
	bool picks;			/* functions may be excluded */
	bool functions_off;		/* the group of functions with hooks, TAU_USER, is disabled */
	bool functions_out;		/* the group was disabled at the start and cannot be enabled: they are excluded */
	uint32_t metrics;		/* values with each enter and leave; fixed at the start */
	int rank, rank_source;
	uint64_t sample_ns;		/* CPU time between two samples of a thread, 0 = no sampling; a command may change it */
	uint32_t sample_changes;	/* how often sample_ns was changed */
	uint32_t sample_depth;		/* code addresses in each, 1 to SAMPLE_DEPTH */
	bool sample_handled;		/* the handler of SAMPLE_SIGNAL is ours */
	bool sample_lazy;		/* a thread that records nothing else gets its stream with its first sample */
	bool sample_traced;		/* no samples, which were not requested, because the process is traced */
	struct sigaction sample_program;	/* the program's own action for SAMPLE_SIGNAL */
	uint32_t sample_unarmed;	/* threads that got no timer */
	uint64_t unmatched;		/* stops without a start */
	uint64_t class_mismatches;
	const struct tau_memory_teller *teller;	/* NULL: there is none */
	bool memory_stopped;		/* by --budget: new blocks are not recorded */
	bool memory_off, memory_was_off;	/* the same by a command: now; since the process began */
	struct mem_block *mem_block;	/* by id; NULL: none so far */
	uint64_t burst_ticks;		/* block.c: a burst has a record of memory at least so often */
	uint64_t burst_granule;		/* its times have these bits cleared */
	void (*on_finalize[16])(void);
	int on_finalize_n;
	char *arena;
	size_t arena_left;
};
extern struct process process;

/* NULL: there is no definition with this id. */
static inline struct definition *definition_get(enum registry_kind kind, uint32_t id)
{
	struct registry *r = &process.registry[kind];

	if (!id || id > __atomic_load_n(&r->n, __ATOMIC_ACQUIRE))
		return NULL;
	return &r->block[(id - 1) / BLOCK][(id - 1) % BLOCK];
}

#endif
