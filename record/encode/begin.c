/*
 * begin.c: how a thread begins and ends to write a record that is neither enter nor leave.
 */
#include "record/encode/begin.h"
#include "record/base/calls_up.h"
#include "record/base/clock.h"
#include "record/base/compiler.h"
#include "record/base/control.h"
#include "record/base/frame.h"
#include "record/base/gate.h"
#include "record/base/thread.h"

/* Called if the thread is not ready to record an event other than a call. True: now it is, for example
 * because a delay is over or a command arrived. */
static out_of_line bool begin_slow(void)
{
	return enter_slow() &&
	       (GATE_RECORDS(tau_gate.value) || (control_wakes(0) && enter_slow()));
}

/* Recording is on: checks whether it stays on, because the program may make no call that would check. */
static out_of_line bool begin_checked(void)
{
	bool on = true;

	self.ready = READY_BUSY;
	if (control_next() != UINT64_MAX)
		on = control_time(ticks(self.shift));
	self.ready = READY_OPEN;
	return on;
}

bool record_begin_unsummed(void)
{
	if (unlikely(!GATE_RECORDS(tau_gate.value) || self.ready != READY_OPEN) && !begin_slow())
		return false;
	if (unlikely(tau_gate.value == GATE_FILTERED && control.careful) &&
	    (control.sums || !begin_checked()))
		return false;
	self.ready = READY_BUSY;
	barrier();
	self.sp = sp_of_caller();
	return true;
}

bool record_begin(void)
{
	if (unlikely(!GATE_RECORDS(tau_gate.value) || self.ready != READY_OPEN) && !begin_slow())
		return false;
	if (unlikely(tau_gate.value == GATE_FILTERED && control.careful) && !begin_checked())
		return false;
	self.ready = READY_BUSY;
	barrier();
	self.sp = sp_of_caller();
	return true;
}

/* As record_begin (-1: not recording), also while instrumentation is disabled: for records that are always needed. */
int keep_begin(void)
{
	int ready;

	if (unlikely(!GATE_RECORDS(tau_gate.value) || self.ready != READY_OPEN))
		if (!enter_slow())
			return -1;
	ready = self.ready;
	self.ready = READY_BUSY;
	barrier();
	self.sp = sp_of_caller();
	return ready;
}

void keep_end(int ready)
{
	barrier();
	self.ready = ready;
}
