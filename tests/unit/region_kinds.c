/* region_kinds.c: what regions do, by their groups and names, in C, Fortran and other tools' spellings. */
#include <string.h>

#include "analyze/messages/runtime_regions.h"
#include "analyze/trace/region_names.h"
#include "analyze/trace/region_work.h"
#include "tap.h"

static void test_work(void)
{
	static const struct {
		const char *name, *groups;
		enum region_work work;
	} cases[] = {
		{".TAU application", "TAU_USER", WORK_COMPUTE},
		{"main", "TAU_USER", WORK_COMPUTE},
		{"main", NULL, WORK_COMPUTE},
		{"MPI_Send", NULL, WORK_MESSAGES},
		{"MPI_Send()", "MPI", WORK_MESSAGES},
		{"shmem_put64", "TAU_USER|SHMEM", WORK_MESSAGES},
		{"read", "TAU_IO", WORK_FILES},
		{"MEASUREMENT OFF", "TAU_UTILITY", WORK_TOOL},
		{"omp barrier", "OPENMP", WORK_THREADS},
		{"omp parallel: lock_step [{a.c} {5,0}]", "OPENMP", WORK_COMPUTE},
		{"omp critical sblock", "OPENMP", WORK_COMPUTE},
		{"omp critical body [{lock.c} {5,0}]", "OpenMP", WORK_COMPUTE},
		{"!$omp for @block.c:85", "OPENMP", WORK_COMPUTE},
		{"!$omp implicit barrier @block.c:96", "OPENMP", WORK_THREADS},
		{"for (barrier enter/exit) [OpenMP location: file:a.c <2, 9>]", "OpenMP", WORK_THREADS},
		{"parallel (parallel fork/join) [OpenMP location: file:a.c <2, 9>]", "OpenMP", WORK_THREADS},
		{"critical enter/exit [OpenMP]", "OpenMP", WORK_THREADS},
		{"critical begin/end [OpenMP]", "OpenMP", WORK_COMPUTE},
		{"parallelfor (loop body) [OpenMP location: file:/fork/lock.c <2, 9>]", "OpenMP", WORK_COMPUTE},
		{"parallel (parallel begin/end) [OpenMP location: file:a.c <2, 9>]", "OpenMP", WORK_COMPUTE},
		{"pthread_mutex_lock", "PTHREAD", WORK_THREADS},
		{"worker", "PTHREAD", WORK_COMPUTE},
		{"waitpid()", "PROCESS", WORK_THREADS},
		{"fork()", "PROCESS", WORK_COMPUTE},
		{"MPIX", "MPIX", WORK_COMPUTE},
		{"sem_trywait", "PTHREAD", WORK_THREADS},
		{"CUDA wait for a stream", "CUDA_WAIT", WORK_THREADS},
		{"saxpy", "CUDA_KERNEL", WORK_COMPUTE},
		{"cudaStreamSynchronize", "CUDA", WORK_THREADS},
		{"cudaLaunchKernel", "CUDA", WORK_COMPUTE},
		{"cuEventQuery", "CUDA", WORK_THREADS},
		{"acc wait: main [{a.c} {5,0}]", "OPENACC", WORK_THREADS},
		{"acc waiting", "OPENACC", WORK_COMPUTE},
		{"sched_yield()", "", WORK_THREADS},
		{"sched_yield_often", "", WORK_COMPUTE},
		{"Condition.wait [{/usr/lib/python3.11/threading.py} {295,0}]", "PYTHON", WORK_THREADS},
		{"Popen._try_wait [{/usr/lib/python3.11/subprocess.py} {2001,0}]", "PYTHON", WORK_THREADS},
		{"Queue.get [{/usr/lib/python3.11/queue.py} {154,0}]", "PYTHON", WORK_THREADS},
		{"Thread.run [{/usr/lib/python3.11/threading.py} {965,0}]", "PYTHON", WORK_COMPUTE},
		{"Condition.wait [{/srv/app.py} {1,0}]", "PYTHON", WORK_COMPUTE},
		{"wait [{/usr/lib/python3.11/threading.py} {1,0}]", "TAU_USER", WORK_COMPUTE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(region_work_of(cases[i].name, cases[i].groups) == cases[i].work, "%s in %s: %s", cases[i].name,
		   cases[i].groups ? cases[i].groups : "no group", region_work_name(cases[i].work));
}

static void test_meetings(void)
{
	static const struct {
		const char *name;
		uint32_t op;
		enum meeting_kind kind;
	} cases[] = {
		{"MPI_Barrier", COLL_BARRIER, MEETING_BARRIER},
		{"mpi_bcast_", COLL_BROADCAST, MEETING_FROM},
		{"PMPI_Reduce", COLL_REDUCE, MEETING_TO},
		{"MPI_Allreduce()", COLL_ALLREDUCE, MEETING_ALL},
		{"MPI_Scan", COLL_SCAN, MEETING_SCAN},
		{"MPI_Ibarrier", COLL_BARRIER, MEETING_NONE},
		{"MPI_Wait", COLL_BARRIER, MEETING_NONE},
		{"MPI_Neighbor_allgather", COLL_ALLGATHER, MEETING_NONE},
		{"shmem_barrier_all", COLL_BARRIER, MEETING_BARRIER},
		{"MPI_Win_fence", COLL_BARRIER, MEETING_FENCE},
		{"MPI_Win_create", COLL_BARRIER, MEETING_FENCE},
		{"main", COLL_BARRIER, MEETING_NONE},
		{"MPI_Barrier", COLLS, MEETING_NONE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(runtime_meeting(cases[i].name, cases[i].op) == cases[i].kind, "who waits in %s", cases[i].name);
}

static void test_calls(void)
{
	ok(runtime_sends("MPI_Send") && runtime_sends("MPI_SENDRECV") && runtime_sends("mpi_send_"), "calls that send");
	ok(!runtime_sends("MPI_Isend") && !runtime_sends("MPI_Send_init"), "calls that only begin to");
	ok(runtime_sends_synchronous("MPI_Ssend()") && !runtime_sends_synchronous("MPI_Send"), "a call that waits for the receiver");
	ok(runtime_receives("MPI_Recv") && runtime_receives("MPI_Sendrecv") && !runtime_receives("MPI_Irecv"), "calls that receive");
	ok(runtime_fences("MPI_Win_fence()") && runtime_fences("mpi_win_fence_") && !runtime_fences("MPI_Win_free"), "calls that end transfers");
	ok(runtime_tests("MPI_Testsome") && !runtime_tests("MPI_Waitsome"), "calls that look, and wait");
	ok(runtime_awaits_put("shmem_long_wait_until()") && runtime_awaits_put("shmem_wait") && runtime_awaits_put("pshmem_int_wait()") &&
		   runtime_awaits_put("shmem_signal_wait_until") && runtime_awaits_put("shmem_long_wait_until_all"),
	   "calls that wait for a put");
	ok(!runtime_awaits_put("shmem_long_test") && !runtime_awaits_put("shmem_waiter") && !runtime_awaits_put("MPI_Waitall"),
	   "calls that do not");
	ok(region_sets_up("MPI_Init()") && region_sets_up("mpi_init_thread_") && region_sets_up("PMPI_Finalize") &&
		   region_sets_up("shmem_init") && region_sets_up("pshmem_finalize()") && region_sets_up("start_pes"),
	   "calls that begin or end a runtime");
	ok(!region_sets_up("MPI_Send_init()") && !region_sets_up("MPI_Initialized()") && !region_sets_up("shmem_init_data") &&
		   !region_sets_up("grid_init") && !region_sets_up("MPI_Finalized"),
	   "calls that do not");
	ok(runtime_finalizes("MPI_Finalize") && runtime_finalizes("shmem_finalize") && !runtime_finalizes("MPI_Finalized"),
	   "calls that end the library");
	ok(runtime_team("omp implicit barrier: f [{a.c} {5,0}]") == TEAM_BARRIER && runtime_team("!$omp barrier @a.c:5") == TEAM_BARRIER &&
		   runtime_team("omp idle") == TEAM_IDLE && runtime_team("!$omp parallel @a.c:5") == TEAM_FORKS &&
		   runtime_team("omp critical") == TEAM_NONE && runtime_team("barrier") == TEAM_NONE,
	   "roles in a team of OpenMP");
	ok(runtime_openmp("omp critical") && runtime_openmp("!$omp critical @a.c:5") && !runtime_openmp("compute") && !runtime_openmp("!$"),
	   "constructs of OpenMP");
	ok(runtime_begins_thread("pthread_create") && runtime_joins_thread("pthread_join"), "calls that make and join threads");
}

static void test_polls(void)
{
	static const char *const polls[] = {"MPI_Iprobe()", "MPI_Improbe", "mpi_test_", "PMPI_Testsome()", "MPI_TESTANY", "MPI_Win_test",
					    "MPI_Request_get_status", "MPI_Request_get_status_any", "MPI_Parrived", "shmem_long_test()",
					    "pshmem_int_test", "shmem_uint64_test_some", "shmem_test_lock", "shmem_int_test_all_vector",
					    "pthread_mutex_trylock", "omp_test_lock", "sched_yield() [{a.c} {5,0}]",
					    "cudaStreamQuery", "cuEventQuery()", "hipEventQuery"};
	static const char *const others[] = {"MPI_Probe()", "MPI_Mprobe", "MPI_Testament", "MPI_Test_cancelled", "MPI_Comm_test_inter",
					     "MPI_Topo_test", "shmem_long_tester", "shmem_wait", "shmem", "shmem_", "my_test", "test", "MPI_",
					     "pthread_mutex_lock", "", "P", "iprobe"};

	for (size_t i = 0; i < sizeof(polls) / sizeof(*polls); i++)
		ok(region_polls(polls[i]), "%s polls", polls[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		ok(!region_polls(others[i]), "'%s' does not", others[i]);
	ok(region_waits_for_device("cudaDeviceSynchronize()") && region_waits_for_device("cuStreamSynchronize_ptsz") &&
		   region_waits_for_device("hipEventSynchronize") && region_waits_for_device("clFinish") && region_waits_for_device("acc wait"),
	   "calls that wait for devices");
	ok(!region_waits_for_device("cudaStreamSynchronizer") && !region_waits_for_device("cudaSynchronize") &&
		   !region_waits_for_device("StreamSynchronize") && !region_waits_for_device("cudaStreamWaitEvent"),
	   "calls that do not");
	ok(runtime_tests_requests("MPI_Test()") && runtime_tests_requests("mpi_request_get_status_") && !runtime_tests_requests("MPI_Iprobe") &&
		   !runtime_tests_requests("shmem_int_test"),
	   "calls that complete requests");
}

#define SOLVE "double Solver<float>::solve(int) [{solver.cc} {17}]"
static const char *const names[] = {SOLVE, "main", "int step(int)", "long step(long)", "MPI_Send"};

static const char *name_at(const void *of, size_t i)
{
	return ((const char *const *)of)[i];
}

static void test_names(void)
{
	static const struct {
		const char *name;
		int found;
	} cases[] = {{SOLVE, 0},
		     {"double Solver<float>::solve(int)", 0},
		     {"double Solver<float>::solve", 0},
		     {"Solver<float>::solve", 0},
		     {"solve", 0},
		     {"main", 1},
		     {"int step(int)", 2},
		     {"step", ERROR_INPUT},
		     {"olve", -1}};
	const struct region_list l = {names, sizeof(names) / sizeof(*names), name_at};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct regions out = {0};
		struct error e = {0};
		int code = region_find_in(&l, cases[i].name, &out, "run", &e);

		if (cases[i].found == ERROR_INPUT)
			ok(code == ERROR_INPUT && !strncmp(e.text, "run", 3), "'%s' is two: %s", cases[i].name, e.text);
		else if (cases[i].found < 0)
			ok(!code, "'%s' is none", cases[i].name);
		else
			ok(code == 1 && out.v_n == 1 && out.v[0] == (uint32_t)cases[i].found, "'%s' is found", cases[i].name);
		free(out.v);
	}
	ok(!strcmp(region_near_in(&l, "MPI_Sned"), "MPI_Send"), "the name that comes nearest");
	ok(!region_near_in(&l, "completely_else"), "where none comes near");
}

static void test_groups(void)
{
	ok(region_in_group("MPI|TAU_USER", "MPI") && region_in_group("MPI|TAU_USER", "TAU_USER"),
	   "each of two groups");
	ok(!region_in_group("MPI|TAU_USER", "TAU") && !region_in_group("PMPI", "MPI") &&
		   !region_in_group("", "MPI"),
	   "a part of a name is no group");
	ok(!region_in_group(NULL, "MPI"), "without groups");
}

static void test_trim(void)
{
	char text[] = " \t a b\r\n", blank[] = " \n", none[] = "";

	ok(!strcmp(text_trim(text), "a b") && !*text_trim(blank) && !*text_trim(none),
	   "blanks around a text");
}

int main(void)
{
	test_groups();
	test_trim();
	test_work();
	test_meetings();
	test_calls();
	test_polls();
	test_names();
	return tap_end();
}
