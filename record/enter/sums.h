/*
 * sums.h: calls and times of each region, and values of each event, kept in the process for a program that queries its own numbers.
 *
 * They are kept only if the program or one of its libraries refers to a function tau_sums_... at its start, or on request (--sums).
 * Such a process records by the path of enter_filtered.c; any other executes no instruction for them.
 *
 * A thread has a copy of its open frames, which is updated from the real ones after each call: a frame that is missing has ended, a
 * new one has begun. Other threads read the sums of a thread between two equal, even values of `turn`.
 */
#ifndef SUMS_H
#define SUMS_H

#include <stddef.h>
#include <stdint.h>

#define SUMS_BLOCK  64
#define SUMS_BLOCKS 16384
#define SUMS_CACHE  256

/* Times are ticks. Only the thread of the stream writes, by atomic stores. */
struct sum {
	uint64_t calls, children;
	uint64_t inclusive;	/* for recursive calls: of the outermost one */
	uint64_t exclusive;
	uint64_t open;		/* entered and not left */
};
struct sum_event {
	uint64_t n;
	double min, max, sum, squares;
};
struct sum_frame {
	uint64_t key, time;	/* of the frame */
	uint64_t begin;		/* the tick from which its time counts */
	uint64_t inside;	/* ticks in regions called from it, and while recording was off */
	struct sum *sum;	/* NULL: the call is not recorded */
};

/* The sums of a stream. Arrays that become too small are not freed, because another thread may read them. */
struct sums {
	uint32_t turn;		/* odd: they are being changed */
	uint64_t off_tick;	/* when recording went off; 0: it is on */
	struct sum_frame *frame;
	size_t frame_n, frame_cap;
	struct sum *block[SUMS_BLOCKS];		/* by number of the region in REG_SUMMED */
	struct sum_event *events[SUMS_BLOCKS];	/* by number of the event */
	struct {
		uint64_t key;
		struct sum *sum;
	} cache[SUMS_CACHE];
};

/* Sets control.sums. */
void sums_start(void);
/* The frames of the calling thread have changed, at this tick. The thread is busy, recording is on. */
void sums_follow(uint64_t now);
/* Recording goes off, and on. */
void sums_off(uint64_t now);
void sums_on(uint64_t now);
/* Adds a value of the event. */
void sums_event(uint32_t event, double value);

#endif
