/* lane_transfer.c: notes when the transfers of a stream end. */
#include "analyze/messages/epochs.h"
#include "analyze/messages/lane.h"

void lane_transfer(struct lane *l, int64_t time, int64_t peer)
{
	const struct lane_frame *f = l->frame_n > 1 ? &l->frame[l->frame_n - 1] : NULL;

	if (!epochs_ends(&l->m->pass->epochs, l->process))
		return;
	l->aimed = epochs_aimed(&l->m->pass->epochs, l->process, peer, time);
	l->aims = f && l->m->runtime[lane_region(l, f)] ? l->frame_n : 0;
}

void lane_transfer_ends(struct lane *l, int64_t time)
{
	epochs_aimed_until(&l->m->pass->epochs, l->aimed, time);
	l->aims = 0;
}
