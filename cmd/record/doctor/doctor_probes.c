/* doctor_probes.c: what the recorded children of tau-record --doctor do: each uses one source of events. */
#include "cmd/record/doctor/doctor_probes.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The recorder is preloaded, so its functions are found by name; nothing of it is linked. */
static void *recorder(const char *function)
{
	return dlsym(RTLD_DEFAULT, function);
}

/* One region by the functions of these names. */
static int start_and_stop(const char *start_name, const char *stop_name)
{
	void (*start)(const char *) = NULL, (*stop)(const char *) = NULL;

	*(void **)&start = recorder(start_name);
	*(void **)&stop = recorder(stop_name);
	if (!start || !stop)
		return 1;
	start("doctor");
	stop("doctor");
	return 0;
}

int probe_regions(void)
{
	return start_and_stop("Tau_start", "Tau_stop");
}

int probe_hooks(void)
{
	void (*enter)(void *, void *) = NULL, (*leave)(void *, void *) = NULL;
	void *site = __builtin_return_address(0);

	*(void **)&enter = recorder("__cyg_profile_func_enter");
	*(void **)&leave = recorder("__cyg_profile_func_exit");
	if (!enter || !leave)
		return 1;
	enter((void *)probe_hooks, site);
	leave((void *)probe_hooks, site);
	return 0;
}

/* Calls functions of a library in order; what the wrapper exports comes first. */
static int call_all(const char *library, const char *const *names)
{
	if (!dlopen(library, RTLD_NOW | RTLD_GLOBAL))
		return PROBE_NOT_HERE;
	for (; *names; names++) {
		int (*function)(void *, void *) = NULL;

		*(void **)&function = recorder(*names);
		if (!function)
			return 1;
		function(NULL, NULL);
	}
	return 0;
}

static const char *const mpi_names[] = { "MPI_Init", "MPI_Finalize", NULL };

int probe_mpi(void)
{
	return call_all("libmpi.so.40", mpi_names);
}

int probe_mpich(void)
{
	int status = call_all("libmpich.so.12", mpi_names);

	return status == PROBE_NOT_HERE ? call_all("libmpi.so.12", mpi_names) : status;
}

int probe_shmem(void)
{
	static const char *const names[] = { "shmem_init", "shmem_finalize", NULL };

	/* Open MPI 4.1 may die in its own shmem_finalize; this avoids it. */
	setenv("OMPI_MCA_memory", "^patcher", 1);
	setenv("SHMEM_SYMMETRIC_SIZE", "4M", 0);
	return call_all("liboshmem.so.40", names);
}

int probe_memory(void)
{
	void *volatile p = malloc(12345);

	free(p);
	p = malloc(1);
	free(p);
	return 0;
}

static void *thread_main(void *arg)
{
	return arg;
}

int probe_pthread(void)
{
	pthread_t t;

	return pthread_create(&t, NULL, thread_main, NULL) || pthread_join(t, NULL);
}

int probe_io(void)
{
	int fd = open("/dev/null", O_WRONLY);

	return fd < 0 || write(fd, "x", 1) != 1 || close(fd);
}

int probe_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid < 0 || waitpid(pid, NULL, 0) != pid;
}

int probe_kokkos(void)
{
	void (*begin)(const char *, unsigned, unsigned long *) = NULL, (*end)(unsigned long) = NULL;
	unsigned long kernel = 0;

	*(void **)&begin = recorder("kokkosp_begin_parallel_for");
	*(void **)&end = recorder("kokkosp_end_parallel_for");
	if (!begin || !end)
		return 1;
	begin("doctor", 0, &kernel);
	end(kernel);
	return 0;
}

int probe_entry(const char *name)
{
	return recorder(name) ? probe_regions() : 1;
}

/* Is there a driver? It loads CUPTI. */
int probe_cuda(void)
{
	int (*init)(unsigned) = NULL;
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);

	if (!driver)
		return PROBE_NOT_HERE;
	*(void **)&init = dlsym(driver, "cuInit");
	if (!init || init(0))
		return PROBE_NOT_HERE;
	return probe_entry("InitializeInjection");
}

int probe_perfstubs(void)
{
	return start_and_stop("ps_tool_start_string", "ps_tool_stop_string");
}

/* A barrier of the one thread there is. */
int probe_openmp(void)
{
	static const char *const names[] = { "GOMP_barrier", NULL };

	return call_all("libgomp.so.1", names);
}

static void nothing(int *thread, int *team)
{
	(void)thread;
	(void)team;
}

/* A parallel region without code. */
int probe_ompt(void)
{
	void (*fork_call)(const void *place, int n, void (*code)(int *, int *), ...) = NULL;
	static const struct {
		int unused[4];
		const char *text;
	} place = {.text = ";doctor;doctor;0;0;;"};

	if (!dlopen("libomp.so.5", RTLD_NOW | RTLD_GLOBAL))
		return PROBE_NOT_HERE;
	*(void **)&fork_call = recorder("__kmpc_fork_call");
	if (!fork_call)
		return 1;
	fork_call(&place, 0, nothing);
	return 0;
}

/* The recorder goes on in the interpreter. */
int probe_python(void)
{
	execlp("python3", "python3", "-c", "def doctor(): pass\nfor i in range(3): doctor()\n",
	       (char *)NULL);
	return PROBE_NOT_HERE;
}

/* Has room for a call where it begins. */
__attribute__((noinline, patchable_function_entry(5))) void doctor_patched(void);
void doctor_patched(void)
{
	__asm__ volatile("");
}

int probe_patch(void)
{
	doctor_patched();
	return 0;
}

int probe_null(void)
{
	return getppid() <= 0;
}

/* Burns 300 ms of CPU time. */
int probe_burn(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC * 3 / 10;
	volatile unsigned n = 0;

	while (clock() < end)
		n++;
	return probe_regions();
}
