/* spawn_row.h: the row, in the table of the run's processes, of a process that MPI started while the program runs. */
#ifndef TAU_WRAP_MPI_SPAWN_ROW_H
#define TAU_WRAP_MPI_SPAWN_ROW_H

/* Adds it for the calling process, which has this rank in the run. Without effect for a process of the launcher. */
void spawn_row_add(int rank);

#endif
