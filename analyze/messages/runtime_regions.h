/*
 * runtime_regions.h: identifies the regions of a trace that are calls of MPI or OpenSHMEM, and
 * those that can wait.
 */
#ifndef RUNTIME_REGIONS_H
#define RUNTIME_REGIONS_H

#include "analyze/trace/trace.h"

/* In this file a region is the name of one, in upper or lower case, of C or Fortran. */
/* Is it a call of MPI or OpenSHMEM, by its groups or its name? */
int runtime_region(const struct trace_region *r);

/* Which ranks wait for which in a call of a collective operation. */
enum meeting_kind {
	MEETING_NONE,	 /* the call only begins or tests an operation, or is unknown */
	MEETING_BARRIER, /* all ranks wait for the last */
	MEETING_ALL,	 /* ranks that receive wait for the last */
	MEETING_FROM,	 /* ranks that receive wait for the root */
	MEETING_TO,	 /* the root waits for the last rank */
	MEETING_SCAN,	 /* each rank waits for those before it */
	MEETING_FENCE,	 /* all ranks wait for the last, if no rank leaves before it has entered */
};
/* op: enum event_coll; any other number: MEETING_NONE. */
enum meeting_kind runtime_meeting(const char *region, uint32_t op);

/* Does the call end all transfers of a window: MPI_Win_fence? */
int runtime_fences(const char *region);

/* Does the call send a message and return when it is sent: MPI_Send? */
int runtime_sends(const char *region);
/*
 * Does it send a message that is complete only when it is being received: MPI_Ssend, MPI_Issend?
 */
int runtime_sends_synchronous(const char *region);
/* Does it wait until requests are complete: MPI_Wait? */
int runtime_waits(const char *region);
/* Does the call begin and complete a receive, as MPI_Recv and MPI_Sendrecv? */
int runtime_receives(const char *region);
/* Does it wait until another process has changed memory of this one: shmem_long_wait_until? */
int runtime_awaits_put(const char *region);
/* Does it test for messages without waiting: MPI_Test? Of calls of MPI; region_polls() has more. */
int runtime_tests(const char *region);
/* Does it test requests, which it completes: MPI_Test, not MPI_Iprobe? */
int runtime_tests_requests(const char *region);
/* Does it look for messages: MPI_Iprobe? */
int runtime_probes(const char *region);
/* Does it finalize the library, which waits for all processes: MPI_Finalize? */
int runtime_finalizes(const char *region);
/* The role of a region for a team of threads of OpenMP, as recorded by tau-record or by Score-P. */
enum team_role {
	TEAM_NONE,
	TEAM_FORKS,   /* a parallel region, in the thread that begins it */
	TEAM_BARRIER, /* explicit or implicit */
	TEAM_IDLE,    /* a thread has left the team, and waits for the next one */
};
enum team_role runtime_team(const char *region);
/* Is it a construct of OpenMP, as recorded by tau-record or by Score-P? */
int runtime_openmp(const char *region);
/* Does it make a thread, or wait for the end of one? */
int runtime_begins_thread(const char *region);
int runtime_joins_thread(const char *region);
/* Does it wait for the end of a process that this one has started? */
int runtime_joins_process(const char *region);

#endif
