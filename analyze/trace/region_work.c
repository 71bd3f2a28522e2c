/* region_work.c: what kind of work a region does, by its groups and name. */
#include "analyze/trace/region_work.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "analyze/trace/trace.h"
#include "record/metadata.h"

static const struct {
	const char *group;
	enum region_work work;
} works[] = {
	{"MPI", WORK_MESSAGES},   {"SHMEM", WORK_MESSAGES},  {"GASPI", WORK_MESSAGES},
	{"UPC", WORK_MESSAGES},   {"TAU_IO", WORK_FILES},    {"TAU_UTILITY", WORK_TOOL},
	{"OPENMP", WORK_THREADS}, {"PTHREAD", WORK_THREADS}, {"TAU_OPENMP", WORK_THREADS},
};

/*
 * The first byte of the source position in a name, whose file name must not be taken for a word of
 * the construct: "omp task: block [{a.c} {5,0}]", "parallelfor (loop body) [OpenMP location:
 * file:clock.c <2, 9>]", "!$omp for @block.c:85". The end of the name if it has none.
 */
static const char *source_position(const char *name)
{
	static const char *const marks[] = {" [{", " [OpenMP location", " @"};
	const char *first = name + strlen(name), *at;

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		at = strstr(name, marks[i]);
		if (at && at < first)
			first = at;
	}
	/* The name of a function may follow the construct. */
	at = strncmp(name, "omp ", 4) ? NULL : strstr(name, ": ");
	return at && at < first ? at : first;
}

/*
 * Of regions of OpenMP and threads. The others are the bodies that threads run ("sblock": of a
 * critical section, in Score-P; "critical begin/end": the same in TAU).
 */
static int is_synchronisation(const char *name)
{
	static const char *const words[] = {"barrier",	 "lock",  "join", "critical",
					    "taskwait",	 "cond_", "fork", "reduction",
					    "taskgroup", "idle",  "atomic", "ordered",
					    "sem_",	 "cnd_",  "futex"};
	static const char *const bodies[] = {"critical body", "critical sblock",
					     "critical begin/end"};
	const char *place = source_position(name), *at;

	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++)
		if (strcasestr(name, bodies[i]))
			return 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		at = strcasestr(name, words[i]);
		if (at && at < place)
			return 1;
	}
	return 0;
}

/* waitpid() and others; the other calls of this group create processes or load libraries. */
static int is_wait_for_child(const char *name, const char *group, size_t n)
{
	return n == strlen("PROCESS") && !strncmp(group, "PROCESS", n) && !strncmp(name, "wait", 4);
}

/* "CUDA wait for a stream": a queue of a device, or a thread, waits for another one. */
static int is_wait_for_device(const char *group, size_t n)
{
	return n == strlen("CUDA_WAIT") && !strncmp(group, "CUDA_WAIT", n);
}

/*
 * Functions of Python's library that wait in C for threads, processes or events:
 * "Condition.wait [{/usr/lib/python3.11/threading.py} {295,0}]".
 */
static int is_wait_of_python(const char *name, const char *group, size_t n)
{
	static const struct {
		const char *file, *functions;
	} waits[] = {
		{"/threading.py}", " wait _wait_for_tstate_lock acquire "},
		{"/queue.py}", " get put "},
		{"/selectors.py}", " select "},
		{"/subprocess.py}", " wait _wait _try_wait _communicate "},
		{"/multiprocessing/popen_fork.py}", " poll wait "},
		{"/multiprocessing/connection.py}", " wait _poll _recv _recv_bytes "},
		{"/multiprocessing/synchronize.py}", " wait acquire __enter__ "},
	};
	const char *place = strstr(name, " [{"), *from = name;
	char word[64];

	if (n != strlen("PYTHON") || strncmp(group, "PYTHON", n) != 0 || !place)
		return 0;
	for (const char *s = name; s < place; s++)
		from = *s == '.' ? s + 1 : from;
	if (place - from > (long)sizeof(word) - 3)
		return 0;
	snprintf(word, sizeof(word), " %.*s ", (int)(place - from), from);
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		if (strstr(place, waits[i].file) && strstr(waits[i].functions, word))
			return 1;
	return 0;
}

/* ---- calls that poll ---- */

static int is_word(const char *name, size_t n, const char *const *of)
{
	for (; *of; of++)
		if (strlen(*of) == n && !strncasecmp(name, *of, n))
			return 1;
	return 0;
}

/* Is there the word "test" between underscores, and what may follow it: shmem_long_test_any? */
static int is_test_of_shmem(const char *name, size_t n)
{
	static const char *const after[] = {"",		"_all",		"_any",	       "_some",
					    "_all_vector", "_any_vector", "_some_vector", "_lock",
					    NULL};
	static const char test[] = "_test";
	size_t begin = strlen("shmem"), length = strlen(test);

	if (n < begin + length || strncasecmp(name, "shmem_", begin + 1) != 0)
		return 0;
	for (size_t at = begin; at + length <= n; at++)
		if (!strncasecmp(name + at, test, length) &&
		    is_word(name + at + length, n - at - length, after))
			return 1;
	return 0;
}

/* They give the processor to other threads. */
static int is_yield(const char *name, size_t n)
{
	static const char *const yields[] = {"sched_yield", "pthread_yield", "thrd_yield", NULL};

	return is_word(name, n, yields);
}

/* The length of the name without parentheses, arguments, or Fortran's underscore. */
static size_t bare_length(const char *name)
{
	size_t n = strcspn(name, "( [");

	return n && name[n - 1] == '_' ? n - 1 : n;
}

/* What follows the first of the words, whose list ends with NULL, with which the name begins; or NULL. */
static const char *after_any(const char *name, const char *const *word)
{
	for (; *word; word++)
		if (!strncmp(name, *word, strlen(*word)))
			return name + strlen(*word);
	return NULL;
}

/* After "cuda", "cu" or "hip": Stream, Event ..., then `what`; variants follow an underscore. */
static int is_call_of_device(const char *name, size_t n, const char *what)
{
	static const char *const runtimes[] = {"cuda", "cu", "hip", NULL};
	static const char *const objects[] = {"Stream", "Event", "Device", "Thread", "Ctx", NULL};
	const char *at = *name == 'c' || *name == 'h' ? after_any(name, runtimes) : NULL;
	size_t length = strlen(what);

	at = at ? after_any(at, objects) : NULL;
	return at && !strncmp(at, what, length) &&
	       (at + length == name + n || at[length] == '_');
}

int region_waits_for_device(const char *name)
{
	static const char *const others[] = {"clFinish", "clWaitForEvents",
					     "zeCommandQueueSynchronize", "zeFenceHostSynchronize",
					     "zeEventHostSynchronize", NULL};
	size_t n = bare_length(name);

	return is_word(name, n, others) || is_call_of_device(name, n, "Synchronize") ||
	       (!strncmp(name, "acc wait", 8) && (!name[8] || name[8] == ':' || name[8] == ' '));
}

/* The name without the first letter of the profiling interface: PMPI_Init, pshmem_init. */
static const char *without_p(const char *name)
{
	int profiling = (*name == 'P' || *name == 'p') &&
			(!strncasecmp(name + 1, "mpi_", 4) || !strncasecmp(name + 1, "shmem_", 6));

	return name + profiling;
}

int region_sets_up(const char *name)
{
	static const char *const calls[] = {
		"MPI_Init",	     "MPI_Init_thread", "MPI_Finalize",	     "MPI_Session_init",
		"MPI_Session_finalize", "MPI_T_init_thread", "MPI_T_finalize", "shmem_init",
		"shmem_init_thread", "start_pes",	"shmem_finalize",    "gaspi_proc_init",
		"gaspi_proc_term",   NULL};

	name = without_p(name);
	return is_word(name, bare_length(name), calls);
}

int region_polls(const char *name)
{
	static const char *const mpi[] = {"test",
					  "testall",
					  "testany",
					  "testsome",
					  "iprobe",
					  "improbe",
					  "win_test",
					  "parrived",
					  "request_get_status",
					  "request_get_status_all",
					  "request_get_status_any",
					  "request_get_status_some",
					  NULL};
	static const char *const threads[] = {
		"pthread_mutex_trylock", "pthread_rwlock_tryrdlock", "pthread_rwlock_trywrlock",
		"pthread_spin_trylock",	 "pthread_tryjoin_np",	     "sem_trywait",
		"mtx_trylock",		 "omp_test_lock",	     "omp_test_nest_lock",
		NULL};
	size_t n;

	name = without_p(name);
	n = bare_length(name);
	if (n > 4 && !strncasecmp(name, "mpi_", 4))
		return is_word(name + 4, n - 4, mpi);
	return is_test_of_shmem(name, n) || is_yield(name, n) || is_word(name, n, threads) ||
	       is_call_of_device(name, n, "Query");
}

static enum region_work work_of_group(const char *group, size_t n)
{
	for (size_t i = 0; i < sizeof(works) / sizeof(*works); i++)
		if (strlen(works[i].group) == n && !strncasecmp(works[i].group, group, n))
			return works[i].work;
	return WORK_COMPUTE;
}

enum region_work region_work_of(const char *name, const char *groups)
{
	enum region_work found = WORK_COMPUTE;

	if (!strcmp(name, REGION_ROOT))
		return WORK_COMPUTE;
	for (const char *g = groups ? groups : ""; *g && found == WORK_COMPUTE;) {
		size_t n = strcspn(g, "|");

		if (is_wait_for_child(name, g, n) || is_wait_of_python(name, g, n) ||
		    is_wait_for_device(g, n))
			return WORK_THREADS;
		found = work_of_group(g, n);
		g += n + (g[n] == '|');
	}
	/* Profiles of other tools may have no groups. */
	if (found == WORK_COMPUTE && !strncmp(name, "MPI_", 4))
		found = WORK_MESSAGES;
	if (found == WORK_COMPUTE &&
	    (is_yield(name, bare_length(name)) || region_waits_for_device(name) ||
	     is_call_of_device(name, bare_length(name), "Query")))
		return WORK_THREADS;
	if (found == WORK_THREADS && !is_synchronisation(name) && !region_polls(name) &&
	    !region_waits_for_device(name))
		found = WORK_COMPUTE;
	return found;
}

int region_is_recorder(const char *name, const char *groups)
{
	return region_work_of(name, groups) == WORK_TOOL && strcmp(name, TAU_REGION_OFF) != 0;
}

int region_in_group(const char *groups, const char *group)
{
	size_t n = strlen(group);

	for (const char *g = groups ? groups : ""; *g; g += *g == '|') {
		size_t length = strcspn(g, "|");

		if (length == n && !memcmp(g, group, n))
			return 1;
		g += length;
	}
	return 0;
}

const char *region_work_name(enum region_work w)
{
	static const char *const names[] = {"computation", "files", "messages",
					    "thread synchronisation", "recorder"};

	return w < WORK_KINDS ? names[w] : "";
}
