/* epochs.c: synchronisation of accesses to windows: with whom. */
#include "hooks.h"
#include "members.h"
#include "peers.h"
#include "pool.h"

/* ---- groups, which are kept for the call that ends the epoch ---- */

static enum peers_epoch epoch_of(unsigned sync)
{
	return sync == TAU_SYNC_POST || sync == TAU_SYNC_WAIT ? PEERS_EXPOSED : PEERS_ACCESSED;
}

static void group_keep(struct peers *p, enum peers_epoch which, MPI_Group group)
{
	int n = 0, *world;

	tau_hide();
	/* MPI_Group_size() would end a program that passes a null handle, which MPI_Win_post() takes. */
	if (group == MPI_GROUP_NULL || real_MPI_Group_size(group, &n) || n < 0)
		n = 0;
	if (n != p->epoch_n[which]) {
		pool_put(p->epoch[which], (size_t)p->epoch_n[which] * sizeof(int));
		p->epoch[which] = n ? pool_get((size_t)n * sizeof(int)) : NULL;
		p->epoch_n[which] = p->epoch[which] ? n : 0;
	}
	world = p->epoch[which];
	if (world)
		members_translate(group, n, world);
	tau_show();
}

static void group_record(const struct peers *p, unsigned sync)
{
	enum peers_epoch which = epoch_of(sync);

	for (int i = 0; i < p->epoch_n[which]; i++)
		if (p->epoch[which][i] >= 0)
			tau_sync(sync, p->id, p->epoch[which][i]);
}

void epoch_before(struct epoch_call *h, unsigned sync, MPI_Group group, MPI_Win win)
{
	struct peers *p = peers_of_win(win);

	(void)h;
	if (!p)
		return;
	group_keep(p, epoch_of(sync), group);
	group_record(p, sync);
}

void epoch_after(struct epoch_call *h, int good)
{
	(void)h;
	(void)good;
}

/* Without a flag, the call waits and is recorded before, so that a run that is killed in it has the wait. */
void epoch_end_before(struct epoch_end_call *h, unsigned sync, MPI_Win win, const int *flag)
{
	struct peers *p = flag ? NULL : peers_of_win(win);

	*h = (struct epoch_end_call){win, flag, sync};
	if (p)
		group_record(p, sync);
}

void epoch_end_after(struct epoch_end_call *h, int good)
{
	struct peers *p;

	if (!good || !h->flag || !*h->flag)
		return;
	p = peers_of_win(h->win);
	if (p)
		group_record(p, h->sync);
	tau_poll_found();
}

/* ---- locks ---- */

void lock_before(struct lock_call *h, unsigned sync, int target, MPI_Win win)
{
	struct peers *p = target == MPI_PROC_NULL ? NULL : peers_of_win(win);
	int peer = p && target >= 0 ? peers_rank(p, target) : -1;

	(void)h;
	if (p && (target < 0 || peer >= 0))
		tau_sync(sync, p->id, peer);
}

void lock_after(struct lock_call *h, int good)
{
	(void)h;
	(void)good;
}
