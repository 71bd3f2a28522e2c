/*
 * clock.h: how far the clocks of a job's hosts are apart. Behind MPI_Init and before MPI_Finalize the first rank of each host asks rank
 * 0 what time it is, a few times, and keeps the answer that was quickest: metadata "TAU Clock Offset at Start" and "... at
 * End", three numbers: CLOCK_MONOTONIC here in ns, what has to be added to get rank 0's, and by how much that may be
 * wrong. A reader interpolates between the two (tau-trace(5)).
 *
 * That takes part of all ranks, recorded or not, so it stands around the real functions. It happens where
 * TAU_SYNCHRONIZE_CLOCKS is 1, which tau-record sets when the launcher of the job started it, so that all ranks have it; and
 * only if ranks are on several hosts.
 */
#ifndef TAU_WRAP_MPI_CLOCK_H
#define TAU_WRAP_MPI_CLOCK_H

/* The two exchanges; around.h calls them. */
void clock_after_init(void);
void clock_before_finalize(void);

#endif
