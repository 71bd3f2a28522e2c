/*
 * frame.h: open regions of a thread: what every frame holds, and what filters, folding and metrics add.
 */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An open region: its key, its begin, and the stack pointer of its function, which finds frames that a jump has ended. key:
 * address of a function with hooks, or id of an API region. Slots up to and including the one after the end of an array may
 * be written.
 */
struct frame {
	uint64_t key;
	uint64_t time;
	uint64_t sp;
};
#define SP_NONE UINT64_MAX		/* begun by a call that has returned (Tau_start): not tied to a function */
#define sp_of_caller() ((uint64_t)__builtin_dwarf_cfa())
/*
 * More about the frame of the same index, in a process whose gate is GATE_FILTERED when it records. A frame that is not
 * recorded is neither in snapshots nor in ON records, and its leave is not written.
 */
struct filtered_frame {
	bool recorded;
	bool starts;		/* counts in control.started */
	bool far;		/* the region is in column ARGS */
	uint8_t height;		/* fold.h */
	uint32_t depth;		/* recorded frames up to and including this one */
	uint32_t region;	/* in this file */
	uint32_t node, pending, child_region, child;	/* fold.h */
	uint32_t seq;		/* of the chunk that contains its ENTER */
	uint8_t *at;		/* its ENTER in the live chunk; NULL: it was never written (recording was off) */
	uint64_t args;		/* where column ARGS ended before it */
	uint64_t last;		/* tick of the record before it */
};
/* More about a region of the file, in such a process. */
struct filtered_region {
	uint32_t flags;         /* enum filtered_flag */
	uint64_t key;		/* as in struct frame */
	/* With --throttle and --budget, of calls that were left: how many, how many of them were folded, and their ticks. */
	uint64_t calls, folded, ticks;
	uint64_t looked, looked_folded;	/* calls and folded when budget.c looked last */
};
enum filtered_flag {
	FILTERED_DROPPED = 1, /* by --throttle or --budget: not recorded any more */
	FILTERED_START = 2,
	FILTERED_STOP = 4,   /* recording starts when it is entered, stops when it is left */
	FILTERED_FOLDED = 8, /* by --budget: folded however long a call takes */
};
#define REGION_KEY(region) ((region) | 1ull << 63)	/* no function has such an address */
#define KEY_IS_REGION(key) ((key) >> 63)

struct stream;

/* Is the enter of this frame in the trace? */
bool frame_recorded(const struct stream *s, const struct frame *f);
/* Region id, in the file of s, of an open frame. */
uint32_t frame_region(const struct stream *s, uint64_t key);
/* How many frames of the calling thread, from the innermost, must end for key to be left; 0: it is not open. */
size_t frames_to(uint64_t key);

#endif
