/*
 * state.c: the only global variables of the recorder: the process, the calling thread, the gate, what the options select.
 */
#include "record/base/control.h"
#include "record/base/gate.h"
#include "record/base/process.h"
#include "record/base/thread.h"

struct process process = { .rank = -1 };
__thread struct thread self;
struct gate_page tau_gate __attribute__((aligned(GATE_PAGE)));
struct control control = {
	.depth = UINT32_MAX, .throttle_calls = UINT64_MAX, .switch_tick = UINT64_MAX};

int gate_open(void)
{
	return process.filtered ? GATE_FILTERED : process.picks ? GATE_PICK : GATE_OPEN;
}
