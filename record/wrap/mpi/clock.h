/*
 * clock.h: how far the clocks of a job's hosts are apart. After MPI_Init and before MPI_Finalize
 * the first rank of each host requests the time of rank 0, a few times, and keeps the answer that
 * was quickest: metadata "TAU Clock Compared at Start (ns)", CLOCK_MONOTONIC here; "TAU Clock
 * Offset at Start (ns)", what to add to get rank 0's time; "TAU Clock Doubt at Start (ns)", the
 * possible error; and the same at End. A reader interpolates between the two (tau-trace(5)).
 *
 * All ranks take part, recorded or not, so the exchange is around the real functions. It happens if
 * TAU_SYNCHRONIZE_CLOCKS is 1, which tau-record sets when the launcher of the job started it, so
 * that all ranks have it; and only if ranks are on several hosts.
 */
#ifndef TAU_WRAP_MPI_CLOCK_H
#define TAU_WRAP_MPI_CLOCK_H

/* The two exchanges; around.h calls them. */
void clock_after_init(void);
void clock_before_finalize(void);

#endif
