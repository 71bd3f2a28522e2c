/* spawn.h: processes that MPI starts while the program runs. */
#ifndef TAU_WRAP_MPI_SPAWN_H
#define TAU_WRAP_MPI_SPAWN_H

#include "wrap.h"

/* The root is about to start n commands, with this number of processes each. */
void spawn_note(int root, MPI_Comm comm, int n, char *const *command, const int *processes);

#endif
