/* spawn_ranks.h: ranks of processes that MPI starts while the program runs, after those of the others. */
#ifndef TAU_WRAP_MPI_SPAWN_RANKS_H
#define TAU_WRAP_MPI_SPAWN_RANKS_H

/* In the environment of such processes: the rank in the run of the first of their world. */
#define SPAWN_BASE "TAU_RECORD_RANK_BASE"

/* Of this process's world; 0: the launcher started it. */
int spawn_base(void);
/* Locks a file of the run. In a shared run anybody may keep it locked, so this waits at most 2 s. 1: locked. */
int spawn_lock(int fd);
/*
 * Reserves n ranks that no process of the run has. Returns the first; -1: the directory of the run
 * cannot be written, or others keep its file locked. own: the first rank after the launcher's world, used if no ranks were reserved
 * before.
 */
int spawn_ranks_claim(int own, int n);

#endif
