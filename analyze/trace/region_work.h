/*
 * region_work.h: what kind of work a region does, by its groups and name: the one definition of "useful" for all reports.
 *
 * As in POP, useful time is time outside runtimes: everything except messages, synchronisation of
 * threads and the recorder itself. File input and output of the program is useful work, but a kind
 * of its own. Regions of OpenMP and threads are the program's own code (bodies of parallel
 * regions), except those whose names show that a thread waits or is managed. A call that polls (region_polls()) is no
 * useful work, like the call that waits in its place.
 */
#ifndef REGION_WORK_H
#define REGION_WORK_H

enum region_work {
	WORK_COMPUTE,	/* the program, and time outside of all regions */
	WORK_FILES,	/* reads and writes files */
	WORK_MESSAGES,	/* a runtime of several processes: MPI, OpenSHMEM, GASPI, UPC */
	WORK_THREADS,	/* barriers, locks, joins of threads, idle threads, waits for child
			 * processes; also in Python; waits for devices */
	WORK_TOOL,	/* the recorder */
	WORK_KINDS
};

/*
 * groups: "MPI" or "TAU_USER|MPI"; may be NULL, because TAU profiles have regions without a group.
 */
enum region_work region_work_of(const char *name, const char *groups);

/*
 * Is it a region in which only the recorder works, as its census of memory? What recording costs is no part of the program's own times:
 * reports exclude such regions from rows and sums (analyze/profile/recorder_rows.h). Time in which recording was off is the program's.
 */
int region_is_recorder(const char *name, const char *groups);

/* Is the group one of "MPI|TAU_USER"? groups may be NULL. */
int region_in_group(const char *groups, const char *group);

static inline int region_work_useful(enum region_work w)
{
	return w == WORK_COMPUTE || w == WORK_FILES;
}

/*
 * Does a call of this name only look whether something is complete or free, and return at once: MPI_Iprobe, MPI_Test,
 * shmem_long_test, pthread_mutex_trylock, sched_yield? A program that calls it again and again waits, though it is busy. The
 * name is that of C or Fortran, in upper or lower case, also with parentheses or an underscore at its end.
 */
int region_polls(const char *name);

/*
 * Does a thread wait in a call of this name until a device is ready: cudaStreamSynchronize, hipDeviceSynchronize, clFinish,
 * "acc wait"?
 */
int region_waits_for_device(const char *name);

/*
 * Does a call of this name begin or end a runtime of several processes: MPI_Init, MPI_Finalize, shmem_init? Its time depends on the
 * job's size and not on the program's work.
 */
int region_sets_up(const char *name);

/* "computation", "files", "messages", "thread synchronisation", "recorder" */
const char *region_work_name(enum region_work w);

#endif
