/*
 * epochs.h: finds the calls of other processes for which accesses to windows wait: the post of the
 * memory, the end of all accesses, and the unlock by another process.
 *
 * A post belongs to the next start of the process for which it is, a complete to the next wait. The
 * pair becomes a message that the later of the two received if the other call begins before its end:
 * of MPI_Win_start, otherwise the first transfer to this target, otherwise MPI_Win_complete; of
 * MPI_Win_wait. The call that unlocks becomes a message of one that locks the same memory meanwhile,
 * if one of the two locks is exclusive; if that call has returned at once, of the next call of its
 * epoch during which a process unlocks that began to lock earlier.
 *
 * The transfers of an epoch end at its MPI_Win_fence or MPI_Win_complete. Of a process that uses these, the
 * end of the last transfer to each other process is kept, so that memory depends on the number of pairs. As
 * a transfer has no window, those to other windows of the same two processes count, too.
 *
 * All synchronisations must be passed from the begin of the pass on, in the order of each process.
 */
#ifndef EPOCHS_H
#define EPOCHS_H

#include "analyze/messages/matching.h"

#define UNLOCKS_KEPT 16 /* last unlocks of the memory of a process */

struct matched_call {
	struct message_call *call;
	int64_t last; /* ns: of a complete, the end of the last transfer before; INT64_MIN: none */
};

struct epoch_calls { /* calls that no other call has taken, in their order */
	struct matched_call *v;
	size_t v_n, v_cap, first;
	size_t owed; /* calls to come that nothing waits for any more */
	struct matched_call late; /* the last one that was owed, call NULL: none */
};

struct epoch_pair { /* accesses of a process to the memory of another, in a window */
	struct epoch_calls posts, completes;
};

struct epoch_unlock {
	struct message_call *call;
	int exclusive;
	int64_t asked; /* ns: the begin of the call that locked */
};

struct epoch_unlocks { /* a ring */
	struct epoch_unlock v[UNLOCKS_KEPT];
	size_t n;
};

struct epoch_open { /* a lock, or a start without its post so far */
	uint32_t comm;
	int64_t peer; /* -1: all */
	int lock, exclusive;
	int64_t asked;
};

#define OPEN_MOST 4096 /* of a process; of more one is forgotten */

struct epoch_last { /* the last transfer of a process to the memory of a rank */
	int64_t to;
	int64_t end; /* ns */
	int fenced;  /* it has been passed to a fence */
};

struct epoch_process {
	struct epoch_open *open;
	size_t open_n, open_cap;
	int ends; /* it has come to a start or a fence */
	uint32_t *aimed; /* of `last`: since the last fence */
	size_t aimed_n, aimed_cap;
};

struct epochs {
	struct matching *matching;
	struct map pair_at, unlocks_at, last_at;
	struct epoch_pair *pair;
	size_t pair_n, pair_cap;
	struct epoch_unlocks *unlocks;
	size_t unlocks_n, unlocks_cap;
	struct epoch_last *last;
	size_t last_n, last_cap;
	struct epoch_process *of; /* by process; NULL: nothing so far */
	size_t of_n;
};

/* x must stay. */
void epochs_init(struct epochs *e, struct matching *x);
/* The call synchronises; rank: of its process. */
void epochs_sync(struct epochs *e, struct message_call *c, int64_t rank,
		 const struct event_args *a);
/* Has the process an epoch, so that its transfers matter? */
int epochs_has(const struct epochs *e, uint32_t process);
void epochs_transfer(struct message_call *c, int64_t peer);
/* Do the ends of the process's transfers matter? */
int epochs_ends(const struct epochs *e, uint32_t process);
/* A transfer to a rank, which ends at this time or later. Returns a number for epochs_aimed_until(). */
uint32_t epochs_aimed(struct epochs *e, uint32_t process, int64_t peer, int64_t time);
void epochs_aimed_until(struct epochs *e, uint32_t last, int64_t time);
/* The call is a fence. */
void epochs_fence(struct epochs *e, struct message_call *c);
/*
 * A call of a fence has ended: gives all its calls `aimed`, if it is the first and all are known.
 * O(members + transfers kept).
 */
void epochs_fence_met(const struct epochs *e, const struct meeting *m);
/* The call has ended, and all that it can have waited for has been read: gives it its messages. */
void epochs_end(struct epochs *e, struct message_call *c);
/* The call is no longer used. */
void epochs_drop(struct message_call *c);
void epochs_release(struct epochs *e);

#endif
