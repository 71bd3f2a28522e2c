/* around.h: what happens around the real MPI_Init and MPI_Finalize: clocks are compared, variables are read. */
#ifndef TAU_WRAP_MPI_AROUND_H
#define TAU_WRAP_MPI_AROUND_H

/* What to call instead of the real function of that name; itself, unless it begins or ends MPI. */
void *around(const char *symbol, void *real);

#endif
