/*
 * inside.c: is this process recorded, and is the calling thread inside the recorder or hidden?
 */
#include "record/api.h"
#include "record/base/gate.h"
#include "record/base/process.h"
#include "record/base/thread.h"

int tau_active(void)
{
	return GATE_RECORDS(tau_gate.value) || tau_gate.value == GATE_OFF ||
	       (tau_gate.value == GATE_FORKED && process.generation);
}

int tau_stranger(void)
{
	return tau_gate.value == GATE_STRANGER || process.over;
}

int tau_inside(void)
{
	return !tau_stranger() && (self.hidden || (self.live && self.ready == READY_BUSY));
}

/* While hidden a thread is never ready; hidden_ready keeps its state from before. */
void tau_hide(void)
{
	if (!self.hidden)
		self.hidden_ready = self.ready;
	self.hidden++;
	self.ready = READY_BUSY;
}

void tau_show(void)
{
	if (self.hidden && !--self.hidden)
		self.ready = self.hidden_ready;
}

void tau_own_read(long bytes)
{
	if (bytes > 0)
		self.own_read += bytes;
}
