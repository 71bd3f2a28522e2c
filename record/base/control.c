/*
 * control.c: reads the options of tau-record, and decides when recording is on.
 *
 * tau-record passes each option in a variable of the environment, as a number (times in ns,
 * sizes in bytes). Recording is off while any reason for that holds; each reason has a bit.
 */
#include "record/base/control.h"
#include "record/base/calls_up.h"
#include "record/base/clock.h"
#include "record/base/failure.h"
#include "record/base/gate.h"
#include "record/base/process.h"
#include "record/base/thread.h"
#include "record/format.h"
#include "record/metadata.h"

#include <signal.h>
#include <stdlib.h>

#define TELL_FACTOR 1000 /* calls longer than this many times the folding limit write their folded calls */
#define TELL_NS	    10000000 /* with a budget: calls longer than this do */

/* ---- on and off ---- */

static uint32_t reasons(void)
{
	return __atomic_load_n(&control.off, __ATOMIC_ACQUIRE);
}

/*
 * Sets the gate from the reasons, even if other threads change either meanwhile; GATE_DEAD
 * stays. Safe in a signal handler.
 */
void control_gate(void)
{
	int gate = tau_gate.value, want;

	do {
		if (!GATE_RECORDS(gate) && gate != GATE_OFF)
			return;
		want = reasons() ? GATE_OFF : gate_open();
	} while (!__atomic_compare_exchange_n(&tau_gate.value, &gate, want, false, __ATOMIC_SEQ_CST,
					      __ATOMIC_SEQ_CST) ||
		 want != (reasons() ? GATE_OFF : gate_open()));
}

/* The gate changes first: hooks at GATE_OPEN record excluded functions, too. */
void control_reselect(void)
{
	process.picks = true;
	control_gate();
	__atomic_add_fetch(&control.selects, 1, __ATOMIC_RELEASE);
}

static bool went_off(uint32_t reason, uint64_t tick)
{
	uint32_t before;

	if (!reasons())
		__atomic_store_n(&control.off_tick, tick, __ATOMIC_RELAXED);
	before = __atomic_fetch_or(&control.off, reason, __ATOMIC_ACQ_REL);
	if (!before)
		__atomic_store_n(&control.pause_tick, tick, __ATOMIC_RELEASE);
	control_gate();
	return !(before & reason);
}

/* Counts a pause: time without recording between two periods of recording, not at the start or the end. */
static void pause_count(void)
{
	uint64_t from = __atomic_exchange_n(&control.pause_tick, 0, __ATOMIC_ACQ_REL),
		 now = ticks(process.shift);

	if (!from || from > now)
		return;
	__atomic_add_fetch(&control.pauses, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&control.paused, now - from, __ATOMIC_RELAXED);
}

void control_on(uint32_t reason)
{
	if (__atomic_fetch_and(&control.off, ~reason, __ATOMIC_ACQ_REL) == reason)
		pause_count();
	control_gate();
}

/* Of the threads that see that switch_tick is reached, only the one that sets the next tick acts. */
static bool time_is_ours(uint64_t due, uint64_t next)
{
	return __atomic_compare_exchange_n(&control.switch_tick, &due, next, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

bool control_time(uint64_t now)
{
	uint64_t due = __atomic_load_n(&control.switch_tick, __ATOMIC_ACQUIRE);

	if (now >= due) {
		if (reasons() & OFF_DELAY) {
			if (time_is_ours(due,
					 control.duration ? now + control.duration : UINT64_MAX))
				control_on(OFF_DELAY);
		} else if (time_is_ours(due, UINT64_MAX)) {
			went_off(OFF_DURATION, due);
		}
	}
	return !reasons();
}

/* A duration that is over ended at its own tick, not now. A delay that is over starts nothing: recording begins with an event. */
static uint64_t time_passed(void)
{
	uint64_t now = ticks(process.shift);

	if (!(reasons() & OFF_DELAY) && now >= control_next())
		control_time(now);
	return now;
}

bool control_off(uint32_t reason)
{
	return went_off(reason, time_passed());
}

bool control_over(void)
{
	time_passed();
	return reasons() != 0;
}

void control_entered(void)
{
	__atomic_add_fetch(&control.started, 1, __ATOMIC_ACQ_REL);
}

void control_left(void)
{
	if (__atomic_sub_fetch(&control.started, 1, __ATOMIC_ACQ_REL) == 0 && !control.stopping)
		control_off(OFF_START);
}

bool control_wakes(uint64_t key)
{
	int ready = self.ready;

	if (!reasons())
		return GATE_RECORDS(tau_gate.value);
	self.ready = READY_BUSY;
	if (control_changed())
		calls_up.look();
	if (reasons() & OFF_DELAY)
		control_time(ticks(self.shift));
	if (reasons() & OFF_START && key && calls_up.region_starts(key))
		control_on(OFF_START);
	self.ready = ready;
	return GATE_RECORDS(tau_gate.value);
}

void control_after_fork(void)
{
	control.off_tick = control.pause_tick = control.pauses = control.paused = 0;
}

void control_stored(size_t bytes)
{
	uint64_t sum;

	if (!control.watch)
		return;
	sum = __atomic_add_fetch(&control.watch->bytes, bytes, __ATOMIC_RELAXED);
	if (control.max_size && sum >= control.max_size && control_off(OFF_SIZE))
		message_print("the run has reached %llu bytes; recording of process %u stops, the "
			      "program "
			      "goes on",
			      (unsigned long long)sum, process.pid);
}

/* ---- options ---- */

static uint64_t number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : 0;
}

static uint64_t ticks_of(uint64_t ns)
{
	return (uint64_t)((unsigned __int128)ns * process.ticks_hz / 1000000000u);
}

static void toggle(int signal __attribute__((unused)))
{
	if (reasons() & OFF_SIGNAL)
		control_on(OFF_SIGNAL);
	else
		control_off(OFF_SIGNAL);
}

/* The program may replace the handler; then the signal no longer switches recording. */
static void signal_catch(int number)
{
	struct sigaction a = {.sa_handler = toggle, .sa_flags = SA_RESTART};

	if (number > 0)
		sigaction(number, &a, NULL);
}

void control_start(void)
{
	uint64_t depth = number("TAU_RECORD_DEPTH"), calls = number("TAU_RECORD_THROTTLE_CALLS");
	uint64_t delay = number("TAU_RECORD_DELAY"), duration = number("TAU_RECORD_DURATION");

	if (getenv("TAU_RECORD_DEPTH"))
		control.depth = depth < UINT32_MAX ? (uint32_t)depth : UINT32_MAX;
	if (getenv("TAU_RECORD_THROTTLE_CALLS")) {
		control.throttle_calls = calls;
		control.throttle_ticks = ticks_of(number("TAU_RECORD_THROTTLE_NS"));
	}
	control.fold_ticks = ticks_of(number("TAU_RECORD_FOLD"));
	control.tell_ticks = control.fold_ticks * TELL_FACTOR;
	control.duration = ticks_of(duration);
	if (delay) {
		control.off |= OFF_DELAY;
		control.switch_tick = process.start_tick + ticks_of(delay);
	} else if (duration) {
		control.switch_tick = process.start_tick + control.duration;
	}
	control.starting = getenv("TAU_RECORD_START") != NULL;
	control.stopping = getenv("TAU_RECORD_STOP") != NULL;
	if (control.starting)
		control.off |= OFF_START;
	control.flight_size = number("TAU_RECORD_FLIGHT_SIZE");
	control.flight_ticks = ticks_of(number("TAU_RECORD_FLIGHT_TIME"));
	control.flight = control.flight_size || control.flight_ticks;
	control.budget_ppm = number("TAU_RECORD_BUDGET");
	control.estimate = number("TAU_RECORD_ESTIMATE");
	if (control.budget_ppm && !control.fold_ticks)
		control.tell_ticks = ticks_of(TELL_NS);
	if (control.estimate)
		control.tell_ticks = UINT64_MAX;
	control.accounts = control.throttle_calls != UINT64_MAX || control.budget_ppm ||
			   control.stopping || control.sums;
	control.max_size = number("TAU_RECORD_MAX_SIZE");
	/* About the same time if the rate of the clock is not known yet. */
	control.look_ticks = process.ticks_hz ? ticks_of(1000000) : 1 << 21;
	control.careful =
		delay || duration || control.starting || control.stopping || control.sums;
	process.filtered = process.shift == SHIFT_MONOTONIC || getenv("TAU_RECORD_DEPTH") ||
			   getenv("TAU_RECORD_THROTTLE_CALLS") || control.fold_ticks ||
			   control.budget_ppm || control.estimate || delay || duration ||
			   control.starting || control.stopping || control.sums;
	signal_catch((int)number("TAU_RECORD_SIGNAL"));
}
