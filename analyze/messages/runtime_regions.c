/* runtime_regions.c: what the calls of MPI and OpenSHMEM do, from their names. */
#include "analyze/messages/runtime_regions.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "analyze/trace/region_work.h"

/* The text after "MPI_" in the name of a call, in upper or lower case; NULL: not a call of MPI. */
static const char *mpi_name(const char *region)
{
	region += *region == 'P' || *region == 'p';
	return strncasecmp(region, "mpi_", 4) ? NULL : region + 4;
}

int runtime_region(const struct trace_region *r)
{
	return region_in_group(r->groups, "MPI") || region_in_group(r->groups, "SHMEM") ||
	       mpi_name(r->name) || !strncasecmp(r->name, "shmem_", 6) ||
	       !strncasecmp(r->name, "pshmem_", 7);
}

/* Is the name, up to its parentheses or Fortran's underscore, one of these? */
static int is_one(const char *name, const char *const *of, size_t n)
{
	size_t length = strcspn(name, "( [");

	length -= length && name[length - 1] == '_';
	for (size_t i = 0; i < n; i++)
		if (strlen(of[i]) == length && !strncasecmp(name, of[i], length))
			return 1;
	return 0;
}
#define IS_ONE(name, ...)                                                                          \
	is_one(name, (const char *const[]){__VA_ARGS__},                                           \
	       sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

enum meeting_kind runtime_meeting(const char *region, uint32_t op)
{
	static const uint8_t kind[COLLS] = {
		[COLL_BARRIER] = MEETING_BARRIER,  [COLL_BROADCAST] = MEETING_FROM,
		[COLL_REDUCE] = MEETING_TO,	   [COLL_ALLREDUCE] = MEETING_ALL,
		[COLL_GATHER] = MEETING_TO,	   [COLL_ALLGATHER] = MEETING_ALL,
		[COLL_ALLTOALL] = MEETING_ALL,	   [COLL_SCATTER] = MEETING_FROM,
		[COLL_SCAN] = MEETING_SCAN,	   [COLL_REDUCE_SCATTER] = MEETING_ALL,
	};
	const char *name = mpi_name(region);

	if (op >= COLLS)
		return MEETING_NONE;
	if (!name)
		return strncasecmp(region, "shmem_", 6) ? MEETING_NONE
							: (enum meeting_kind)kind[op];
	/*
	 * MPI_Ibarrier and others only begin an operation; persistent and neighbour operations have
	 * no meeting.
	 */
	if (tolower((unsigned char)*name) == 'i' || !strncasecmp(name, "neighbor", 8) ||
	    !strncasecmp(name, "start", 5) || !strncasecmp(name, "wait", 4) ||
	    runtime_tests(region) || !strncasecmp(name, "comm_", 5))
		return MEETING_NONE;
	if (!strncasecmp(name, "win_", 4))
		return MEETING_FENCE;
	return (enum meeting_kind)kind[op];
}

int runtime_fences(const char *region)
{
	const char *name = mpi_name(region);

	return name && IS_ONE(name, "win_fence");
}

int runtime_sends(const char *region)
{
	const char *name = mpi_name(region);

	return name && IS_ONE(name, "send", "ssend", "rsend", "bsend", "sendrecv",
			      "sendrecv_replace");
}

int runtime_sends_synchronous(const char *region)
{
	const char *name = mpi_name(region);

	return name && IS_ONE(name, "ssend", "issend");
}

int runtime_waits(const char *region)
{
	const char *name = mpi_name(region);

	return name && IS_ONE(name, "wait", "waitall", "waitany", "waitsome");
}

int runtime_receives(const char *region)
{
	const char *name = mpi_name(region);

	return name && IS_ONE(name, "recv", "mrecv", "sendrecv", "sendrecv_replace");
}

int runtime_awaits_put(const char *region)
{
	const char *wait = strcasestr(region, "_wait");

	region += *region == 'P' || *region == 'p';
	return wait && !strncasecmp(region, "shmem_", 6) &&
	       (!strncasecmp(wait, "_wait_until", 11) || !wait[5] || strchr("( [_", wait[5]));
}

int runtime_tests(const char *region)
{
	return mpi_name(region) && region_polls(region);
}

int runtime_tests_requests(const char *region)
{
	const char *name = mpi_name(region);

	return name && (IS_ONE(name, "test", "testall", "testany", "testsome") ||
			!strncasecmp(name, "request_get_status", 18));
}

int runtime_probes(const char *region)
{
	const char *name = mpi_name(region);

	return name && IS_ONE(name, "iprobe", "improbe");
}

int runtime_finalizes(const char *region)
{
	const char *name = mpi_name(region);

	return (name && IS_ONE(name, "finalize")) || IS_ONE(region, "shmem_finalize");
}

/* What follows "omp " in the name of a construct, which Score-P calls "!$omp ..."; NULL: it is none. */
static const char *construct(const char *region)
{
	region += strncmp(region, "!$", 2) ? 0 : 2;
	return strncmp(region, "omp ", 4) ? NULL : region + 4;
}

int runtime_openmp(const char *region)
{
	return construct(region) != NULL;
}

enum team_role runtime_team(const char *region)
{
	static const struct {
		const char *begin;
		enum team_role role;
	} known[] = {{"parallel", TEAM_FORKS},
		     {"teams", TEAM_FORKS},
		     {"barrier", TEAM_BARRIER},
		     {"implicit barrier", TEAM_BARRIER},
		     {"idle", TEAM_IDLE}};

	region = construct(region);
	for (size_t i = 0; region && i < sizeof(known) / sizeof(*known); i++)
		if (!strncmp(region, known[i].begin, strlen(known[i].begin)))
			return known[i].role;
	return TEAM_NONE;
}

int runtime_begins_thread(const char *region)
{
	return IS_ONE(region, "pthread_create", "thrd_create");
}

int runtime_joins_thread(const char *region)
{
	return IS_ONE(region, "pthread_join", "pthread_timedjoin_np", "pthread_clockjoin_np",
		      "thrd_join");
}

int runtime_joins_process(const char *region)
{
	return IS_ONE(region, "wait", "waitpid", "wait3", "wait4", "waitid", "system", "pclose");
}
