/* spawn.h: processes that MPI starts while the program runs. */
#ifndef TAU_WRAP_MPI_SPAWN_H
#define TAU_WRAP_MPI_SPAWN_H

#include "wrap.h"

/* MPI_Comm_spawn() and MPI_Comm_spawn_multiple() are about to start commands: makes of them what starts them recorded. */
void spawn_one(int root, MPI_Comm comm, const char **command, char ***argv, int processes,
	       MPI_Info info);
void spawn_many(int root, MPI_Comm comm, int n, char ***commands, char ****argvs,
		const int *processes, const MPI_Info *infos);

#endif
