/*
 * control.h: what the options of tau-record select, and when recording is on.
 */
#ifndef CONTROL_H
#define CONTROL_H

#include "record/base/calls_up.h"
#include "record/base/compiler.h"
#include "record/base/thread.h"
#include "record/format.h"
#include "record/requests.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why recording is off. */
enum off_reason {
	OFF_API = 1,		/* Tau_disable_instrumentation */
	OFF_DELAY = 2,		/* it starts later */
	OFF_DURATION = 4,	/* its time is over */
	OFF_START = 8,		/* no region that starts recording is open */
	OFF_SIGNAL = 16,	/* switched off by a signal */
	OFF_WATCH = 32,		/* switched off from outside */
	OFF_SIZE = 64,		/* the run has reached its size */
};

/* What the options of tau-record select. */
struct control {
	uint32_t depth;			/* the deepest frame that is recorded */
	uint64_t throttle_calls, throttle_ticks;
	uint64_t fold_ticks;		/* calls shorter than this are folded */
	uint64_t tell_ticks;		/* calls longer than this write what they folded */
	uint64_t switch_tick;		/* when recording starts or ends next */
	uint64_t duration;		/* ticks, 0 not limited */
	uint64_t off_tick;		/* when recording went off last */
	uint64_t pause_tick;		/* the same tick while recording is off, otherwise 0 */
	uint64_t pauses, paused;	/* how often recording resumed, and the ticks that it was off before */
	uint64_t budget_ppm;		/* of the CPU time, 0 not limited */
	bool estimate;			/* everything after the first chunk is folded */
	bool careful;			/* whether a call is recorded depends on more than its region and depth */
	bool accounts;			/* calls are counted by region: for the throttle, the budget, or a region that stops */
	uint64_t max_size;		/* bytes of the run, 0 not limited */
	bool flight;			/* a stream keeps its last chunks only, limited by: */
	uint64_t flight_size, flight_ticks;	/* size in bytes, length in time */
	bool flight_failed;		/* a message was printed */
	bool starting, stopping;	/* there are regions that start recording, that stop it */
	uint32_t started;		/* open frames of regions that start recording, in all threads */
	uint32_t off;			/* enum off_reason, together */
	bool sums;			/* each thread keeps sums of its regions and events: sums.h */
	struct tau_commands *watch;	/* NULL: no commands from outside */
	uint32_t commands;		/* of `watch`, executed */
	char requests[3200];		/* the pipe for requests of profiles; "": no process reads it */
	uint64_t look_ticks;		/* after a pause a thread looks for commands if its last look was this long ago */
	uint32_t commands_before;	/* commands sent before this process began */
	uint32_t selects;		/* how often other functions were selected */
	uint32_t flushes;		/* commands to store the chunks of all threads, so far */
	struct tau_command_process *watch_row; /* of this process; NULL: all rows were in use */
};
extern struct control control;

void control_start(void);
void control_after_fork(void);
/* false: recording was off for this reason already. */
bool control_off(uint32_t reason);
void control_on(uint32_t reason);
/* switch_tick is reached; true: recording is on. */
bool control_time(uint64_t now);
/* At the end of a thread or process, which is no event: true: recording is off, perhaps because its time is over by now. */
bool control_over(void);
/* True if entering key, or the time, has switched recording on. Not inside the recorder. */
bool control_wakes(uint64_t key);
void control_entered(void);
void control_left(void);
/* Other functions are excluded from now on: each thread follows when it looks for commands. */
void control_reselect(void);
/* Sets the gate from the reasons why recording is off, and from what the process needs of each call. */
void control_gate(void);
/* A chunk of this size was written. */
void control_stored(size_t bytes);

/* The tick from which control_time() must be called. */
static inline uint64_t control_next(void)
{
	return __atomic_load_n(&control.switch_tick, __ATOMIC_RELAXED);
}
/* Has the calling thread not looked for commands for a while? */
static inline bool commands_due(uint64_t now)
{
	return now - self.looked >= control.look_ticks;
}
/* Number of commands sent. A damaged page may contain any number: it is limited to the size of the table. */
static inline uint32_t control_count(void)
{
	uint32_t n = __atomic_load_n(&control.watch->count, __ATOMIC_ACQUIRE);

	return n < TAU_COMMANDS_MOST ? n : TAU_COMMANDS_MOST;
}
static inline bool control_changed(void)
{
	return control.watch && control_count() != control.commands;
}

/* Executes commands that came in a pause of the thread before `now`. True: there were some; the selection may have changed. */
static inline bool commands_come(uint64_t now)
{
	return unlikely(now - self.live->last_tick >= TAU_TIME_LONG) && commands_due(now) &&
	       calls_up.look_late(now);
}

#endif
