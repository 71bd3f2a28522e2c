/*
 * calls_up.c: the table of the functions that lower files call.
 */
#include "record/base/calls_up.h"
#include "record/base/control.h"
#include "record/base/stream.h"
#include "record/control/commands.h"
#include "record/control/cost.h"
#include "record/enter/budget.h"
#include "record/enter/enter_filtered.h"
#include "record/enter/fold.h"
#include "record/enter/reselect.h"
#include "record/event/heap_events.h"
#include "record/life/lifecycle.h"
#include "record/metric/metric.h"

/* Measures again what a call costs: often at first, because it matters in short runs. */
static void cost_follow(struct stream *s)
{
	uint64_t ps = s->seq <= 4 || s->seq % 8 == 0 ? cost_again() : 0;

	if (ps)
		s->call_ps = ps;
}

static const struct upward table __attribute__((section("tau_calls_up"), used)) = {
	.enter = thread_ready,
	.chunk_full = budget_count,
	.chunk_turns = cost_follow,
	.chunk_sealed = budget_stored,
	.file_ends = fold_end,
	.metric_define = metric_define,
	.metric_snapshot = metric_snapshot,
	.cost_block = cost_block,
	.look = commands_look,
	.look_late = commands_look_late,
	.reselect = reselect,
	.region_starts = filtered_starts,
	.filtered_enter = filtered_enter,
	.filtered_leave = filtered_leave,
	.filtered_push_off = filtered_push_off,
	.heap_bytes = track_heap,
	.headroom = track_headroom,
	.heap_metrics = track_metrics,
};
