/*
 * peers.h: from ranks of a communicator or window to world ranks: ranks of MPI_COMM_WORLD, after those of earlier worlds
 * in a process that MPI_Comm_spawn() started.
 *
 * An entry is made when a handle is first used in a recorded operation and lasts until the handle
 * is freed (or, for a communicator that messages are still pending on, until the last of them).
 * Lookup takes no lock.
 */
#ifndef TAU_WRAP_MPI_PEERS_H
#define TAU_WRAP_MPI_PEERS_H

#include "wrap.h"

struct peers {
	uintptr_t key; /* the handle; 0 = free for another one */
	unsigned kind;
	uint32_t id;    /* of the communicator in the trace; a window is one, too */
	uint32_t refs;  /* pending operations */
	uint32_t dead;  /* the handle was freed */
	int size, rank; /* of the local group */
	int n;          /* ranks that a peer can have: of the remote group where there is one */
	int inter;
	int *world; /* n world ranks, -1 for a process outside of MPI_COMM_WORLD; NULL: they are the
		       same */
	int in_n, out_n; /* neighbours of a topology (-1 = not looked up yet), with */
	int *in, *out;   /* their ranks, MPI_PROC_NULL where there is none */
	int epoch_n[2], *epoch[2]; /* of a window: world ranks of the group of its epoch, by enum peers_epoch */
	struct peers *next;
};
enum peers_epoch { PEERS_EXPOSED, PEERS_ACCESSED };

/* NULL for a null handle, outside of MPI_Init and MPI_Finalize, and when there is no memory: then
 * nothing is recorded. */
struct peers *peers_get(enum peers_kind kind, uintptr_t handle);
struct peers *peers_make(enum peers_kind kind, uintptr_t handle);
extern struct peers peers_world __attribute__((visibility("hidden")));

/* The same where nothing has to be asked of MPI; NULL: it is not made yet. */
struct peers *peers_look(enum peers_kind kind, uintptr_t handle);

static inline struct peers *peers_known(MPI_Comm comm)
{
	if (__builtin_expect(comm == MPI_COMM_WORLD && peers_world.key, 1))
		return &peers_world;
	return peers_look(PEERS_COMM, (uintptr_t)comm);
}

static inline struct peers *peers_of_comm(MPI_Comm comm)
{
	if (__builtin_expect(comm == MPI_COMM_WORLD && peers_world.key, 1))
		return &peers_world;
	return peers_get(PEERS_COMM, (uintptr_t)comm);
}

static inline struct peers *peers_of_win(MPI_Win win)
{
	return peers_get(PEERS_WIN, (uintptr_t)win);
}

/* World rank of a peer; -1 when it has none. MPI_PROC_NULL and wildcards are the caller's business.
 */
static inline int peers_rank(const struct peers *p, int rank)
{
	if (rank < 0 || rank >= p->n)
		return -1;
	return p->world ? p->world[rank] : rank;
}

/* Fills in the neighbours. 0, or -1 when the communicator has no topology. */
int peers_neighbours(struct peers *p, MPI_Comm comm);

/* Pending operations hold on to their entry. */
void peers_hold(struct peers *p);
void peers_drop(struct peers *p);

/* The handle is about to be freed. */
void peers_forget(enum peers_kind kind, uintptr_t handle);
/* The communicator in the trace that this thread's last peers_forget() forgot. 0: it is unknown. */
int peers_forgotten(uint32_t *id);

/* Between MPI_Init and MPI_Finalize? */
int peers_mpi_is_up(void);

#endif
