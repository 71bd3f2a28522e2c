/* runtime_regions.h: which regions of a trace are calls of MPI or OpenSHMEM, and which can wait. */
#ifndef RUNTIME_REGIONS_H
#define RUNTIME_REGIONS_H

#include "analyze/trace/trace.h"

/* Is it a call of MPI or OpenSHMEM, by its groups or its name? */
int runtime_region(const struct trace_region *r);

/* Who waits for whom in a call that does a collective operation. */
enum meeting_kind {
	MEETING_NONE,	 /* the call only begins or tests it, or nothing is known of it */
	MEETING_BARRIER, /* all for the last */
	MEETING_ALL,	 /* who receives for the last */
	MEETING_FROM,	 /* who receives for the root */
	MEETING_TO,	 /* the root for the last */
	MEETING_SCAN,	 /* each for those before it */
	MEETING_FENCE,	 /* all for the last, if nobody leaves before it is there */
};
enum meeting_kind runtime_meeting(const char *region, uint32_t op);

/* Is it a call that sends a message and returns when that is sent: MPI_Send? */
int runtime_sends(const char *region);
/* The same, and it does not return before the message is being received: MPI_Ssend. */
int runtime_sends_synchronous(const char *region);
/* Does it begin to receive and end it, as MPI_Recv and MPI_Sendrecv? */
int runtime_receives(const char *region);
/* Does it wait until another process has changed memory of this one: shmem_long_wait_until? */
int runtime_awaits_put(const char *region);
/* Does it look for the end of messages without waiting: MPI_Test? */
int runtime_tests(const char *region);
/* Does it end the library, which waits for all processes: MPI_Finalize? */
int runtime_finalizes(const char *region);
/* What a region is for a team of threads of OpenMP: as recorded by tau-record, or by Score-P. */
enum team_role {
	TEAM_NONE,
	TEAM_FORKS,   /* a parallel region, in the thread that begins it */
	TEAM_BARRIER, /* explicit or implicit */
	TEAM_IDLE,    /* a thread has left the team, and waits for the next one */
};
enum team_role runtime_team(const char *region);
/* Does it make a thread, or wait for the end of one? */
int runtime_begins_thread(const char *region);
int runtime_joins_thread(const char *region);

#endif
