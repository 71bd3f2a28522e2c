/*
 * calls_up.h: the few functions of higher folders that lower ones call: what must happen when the recorder is entered, and when
 * a chunk is stored, a process begins or ends.
 *
 * There is one table, which life/calls_up.c fills. It is found by the linker (a section of its own), so it is complete
 * before any constructor runs: hooks of other objects may run before ours. All of these calls are rare.
 */
#ifndef CALLS_UP_H
#define CALLS_UP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream;
struct tau_live_header;
struct frame;

struct upward {
	bool (*enter)(void);			/* makes the calling thread ready (lifecycle.c) */
	void (*chunk_full)(struct stream *s);	/* the chunk is about to be stored */
	void (*chunk_turns)(struct stream *s);	/* before the next chunk begins, with signals blocked */
	void (*chunk_sealed)(struct stream *s);	/* the next chunk has begun */
	void (*file_ends)(struct stream *s);	/* the last chunk and the index are written */
	void (*metric_define)(struct tau_live_header *live);	/* as in metric.h */
	uint8_t *(*metric_snapshot)(uint8_t *p, struct stream *s, const struct frame *top);
	uint64_t (*cost_block)(void);		/* as in cost.h */
	void (*look)(void);			/* for commands from outside: commands.h */
	bool (*look_late)(uint64_t now);
	void (*reselect)(void);			/* as in reselect.h */
	bool (*region_starts)(uint64_t key);	/* is this the region that switches recording on? (enter_filtered.c) */
	void (*filtered_enter)(uint64_t key, uint64_t sp);	/* recording is on again: as in enter_filtered.h */
	void (*filtered_leave)(uint64_t key);
	void (*filtered_push_off)(uint64_t key);
	uint64_t (*heap_bytes)(void);
	uint64_t (*headroom)(void);
	const char *(*heap_metrics)(void);
};

/* The table: the linker defines the begin of its section. */
extern const struct upward __start_tau_calls_up[] __attribute__((visibility("hidden")));
#define calls_up (__start_tau_calls_up[0])

/* Makes `self` ready. False: this event is not recorded. Keeps errno. */
static inline bool enter_slow(void)
{
	return calls_up.enter();
}

#endif
