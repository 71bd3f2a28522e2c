/* doctor.c: probes of the sources of events: a child that uses one, recorded, and what its trace
 * must show. */
#include "cmd/record/doctor.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "convert/load.h"
#include "cmd/record/metric_probe.h"
#include "cmd/record/mpi_variables.h"
#include "cmd/record/wrappers.h"
#include "record/metadata.h"

/* ---- what the children do: 0 done, 77 the library that is wrapped is not here ---- */

enum { NOT_HERE = 77 };

/* The recorder is preloaded, so its functions are found by name; nothing of it is linked. */
static void *recorder(const char *function)
{
	return dlsym(RTLD_DEFAULT, function);
}

static int probe_regions(void)
{
	void (*start)(const char *) = NULL, (*stop)(const char *) = NULL;

	*(void **)&start = recorder("Tau_start");
	*(void **)&stop = recorder("Tau_stop");
	if (!start || !stop)
		return 1;
	start("doctor");
	stop("doctor");
	return 0;
}

static int probe_hooks(void)
{
	void (*enter)(void *, void *) = NULL, (*leave)(void *, void *) = NULL;

	*(void **)&enter = recorder("__cyg_profile_func_enter");
	*(void **)&leave = recorder("__cyg_profile_func_exit");
	if (!enter || !leave)
		return 1;
	enter((void *)doctor_probe, NULL);
	leave((void *)doctor_probe, NULL);
	return 0;
}

/* Calls functions of a library in order; what the wrapper exports comes first. */
static int call_all(const char *library, const char *const *names)
{
	if (!dlopen(library, RTLD_NOW | RTLD_GLOBAL))
		return NOT_HERE;
	for (; *names; names++) {
		int (*function)(void *, void *) = NULL;

		*(void **)&function = recorder(*names);
		if (!function)
			return 1;
		function(NULL, NULL);
	}
	return 0;
}

static int probe_mpi(void)
{
	static const char *const names[] = { "MPI_Init", "MPI_Finalize", NULL };

	return call_all("libmpi.so.40", names);
}

static int probe_shmem(void)
{
	static const char *const names[] = { "shmem_init", "shmem_finalize", NULL };

	/* Open MPI 4.1 may die in its own shmem_finalize; this avoids it. */
	setenv("OMPI_MCA_memory", "^patcher", 1);
	setenv("SHMEM_SYMMETRIC_SIZE", "4M", 0);
	return call_all("liboshmem.so.40", names);
}

static int probe_memory(void)
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

static int probe_pthread(void)
{
	pthread_t t;

	return pthread_create(&t, NULL, thread_main, NULL) || pthread_join(t, NULL);
}

static int probe_io(void)
{
	int fd = open("/dev/null", O_WRONLY);

	return fd < 0 || write(fd, "x", 1) != 1 || close(fd);
}

static int probe_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid < 0 || waitpid(pid, NULL, 0) != pid;
}

static int probe_kokkos(void)
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

/* Is what a runtime looks for in its tool there? */
static int probe_entry(const char *name)
{
	return recorder(name) ? probe_regions() : 1;
}

static int probe_nvtx(void)
{
	return probe_entry("InitializeInjectionNvtx2");
}

/* Is there a driver? It loads CUPTI. */
static int probe_cuda(void)
{
	int (*init)(unsigned) = NULL;
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);

	if (!driver)
		return NOT_HERE;
	*(void **)&init = dlsym(driver, "cuInit");
	if (!init || init(0))
		return NOT_HERE;
	return probe_entry("InitializeInjection");
}

static int probe_itt(void)
{
	return probe_entry("__itt_api_init");
}

static int probe_openacc(void)
{
	return probe_entry("acc_register_library");
}

static int probe_perfstubs(void)
{
	void (*start)(const char *) = NULL, (*stop)(const char *) = NULL;

	*(void **)&start = recorder("ps_tool_start_string");
	*(void **)&stop = recorder("ps_tool_stop_string");
	if (!start || !stop)
		return 1;
	start("doctor");
	stop("doctor");
	return 0;
}

static int probe_roctx(void)
{
	return probe_entry("roctxRangePushA");
}

static int probe_caliper(void)
{
	return probe_entry("cali_begin_region");
}

/* A barrier of the one thread there is. */
static int probe_openmp(void)
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
static int probe_ompt(void)
{
	void (*fork_call)(const void *place, int n, void (*code)(int *, int *), ...) = NULL;
	static const struct {
		int unused[4];
		const char *text;
	} place = {.text = ";doctor;doctor;0;0;;"};

	if (!dlopen("libomp.so.5", RTLD_NOW | RTLD_GLOBAL))
		return NOT_HERE;
	*(void **)&fork_call = recorder("__kmpc_fork_call");
	if (!fork_call)
		return 1;
	fork_call(&place, 0, nothing);
	return 0;
}

/* The recorder goes on in the interpreter. */
static int probe_python(void)
{
	execlp("python3", "python3", "-c", "def doctor(): pass\nfor i in range(3): doctor()\n",
	       (char *)NULL);
	return NOT_HERE;
}

static int probe_null(void)
{
	return getppid() <= 0;
}

/* Burns 300 ms of CPU time. */
static int probe_burn(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC * 3 / 10;
	volatile unsigned n = 0;

	while (clock() < end)
		n++;
	return probe_regions();
}

/* ---- the table of sources ---- */

struct probe {
	const char *name;	/* also the wrapper where there is one */
	const char *wrapper;	/* NULL: part of the recorder */
	const char *option;	/* further option of tau-record, NULL none */
	int (*run)(void);
	const char *shows; /* beginning of a timer's or counter's name that the trace must have */
	const char *about, *install;
};

static const struct probe probes[] = {
	{"regions", NULL, NULL, probe_regions, "doctor",
	 "regions and events of TAU_START and the other calls of tau.h", NULL},
	{"hooks", NULL, NULL, probe_hooks, "doctor_probe",
	 "functions of programs compiled with -finstrument-functions", NULL},
	{"mpi", "mpi", NULL, probe_mpi, "MPI_Init()", "MPI functions and messages", "libopenmpi3"},
	{"shmem", "shmem", NULL, probe_shmem, "shmem_init()", "OpenSHMEM functions and transfers",
	 "libopenmpi3"},
	{"memory", "memory", NULL, probe_memory, "alloc untyped", "memory by object type", NULL},
	{"pthread", "pthread", NULL, probe_pthread, "pthread_create", "threads, locks and waiting",
	 NULL},
	{"io", "io", NULL, probe_io, "write", "files: bytes, bandwidth, errors", NULL},
	{"process", "process", NULL, probe_process, "fork", "children: fork, exec, spawn", NULL},
	{"kokkos", "kokkos", NULL, probe_kokkos, "Kokkos::parallel_for doctor",
	 "kernels, regions and views of Kokkos; kernels of RAJA", NULL},
	{"nvtx", "nvtx", NULL, probe_nvtx, "doctor", "ranges and marks of NVTX", NULL},
	{"cuda", "cuda", NULL, probe_cuda, "doctor", "calls, kernels and copies of CUDA",
	 "libcuda1 libcupti-dev (of non-free; or CUDA 11 to 13 of NVIDIA)"},
	{"openacc", "openacc", NULL, probe_openacc, "doctor", "constructs of OpenACC: gcc", NULL},
	{"itt", "itt", NULL, probe_itt, "doctor", "tasks, frames and counters of ITT", NULL},
	{"perfstubs", "perfstubs", NULL, probe_perfstubs, "doctor",
	 "timers and counters of PerfStubs: PETSc, ADIOS2", NULL},
	{"roctx", "roctx", NULL, probe_roctx, "doctor", "ranges and marks of ROCTX", NULL},
	{"caliper", "caliper", NULL, probe_caliper, "doctor",
	 "regions and phases of Caliper's C interface", NULL},
	{"openmp", "openmp", NULL, probe_openmp, "omp barrier", "constructs of OpenMP: gcc",
	 "libgomp1"},
	{"ompt", "openmp", NULL, probe_ompt, "omp parallel", "constructs of OpenMP: clang",
	 "libomp5-14"},
	{"python", "python", NULL, probe_python, "doctor", "functions of Python 3", "python3"},
	{"system", "system", NULL, probe_regions, "Process resident memory (B)",
	 "load, memory, page faults, network and disks at an interval: --system", NULL},
	{"null", "null", NULL, probe_null, "getppid()", "the example wrapper", NULL},
	{"sampling", NULL, "--sample=1ms", probe_burn, "[SAMPLE]",
	 "where CPU time is spent, without hooks", NULL},
	{"counters", NULL, "--metrics=TIME,CPU_TIME", probe_burn, "doctor",
	 "CPU time, page faults and more at each event", NULL},
};
#define PROBES (sizeof(probes) / sizeof(*probes))

int doctor_probe(const char *name)
{
	for (size_t i = 0; i < PROBES; i++)
		if (!strcmp(probes[i].name, name))
			return probes[i].run();
	return 1;
}

/* ---- running one ---- */

/* Starts tau-record on ourselves, silent, and waits at most a minute. Exit status, -1 - signal, or
 * -100 on a hang. */
static int run_child(const char *self, const struct probe *p, const char *run)
{
	const char *argv[16] = { self, "-o", run, "-w", p->wrapper ? p->wrapper : "none" };
	struct timespec step = { 0, 10000000 };
	int n = 5, status;
	pid_t pid;

	if (p->option)
		argv[n++] = p->option;
	argv[n++] = "--";
	argv[n++] = self;
	argv[n++] = "--doctor-probe";
	argv[n++] = p->name;
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execv(self, (char **)argv);
		_exit(127);
	}
	for (int i = 0; i < 6000 && pid > 0; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFSIGNALED(status) ? -1 - WTERMSIG(status) : WEXITSTATUS(status);
		nanosleep(&step, NULL);
	}
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	return -100;
}

/* What the recorder found out about this machine, from the metadata of the first trial. */
static void print_machine(const char *run)
{
	struct load_options o = { 0 };
	struct profile **p;
	struct error e = { 0 };
	size_t n;

	if (load_profiles(run, &o, &p, &n, &e) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		const char *clock = profile_meta(p[i], 0, TAU_META_CLOCK),
			   *codec = profile_meta(p[i], 0, TAU_META_COMPRESSION);
		const char *cost = profile_meta(p[i], 0, TAU_META_EVENT_COST_PS);

		clock = clock ? clock : profile_meta(p[i], UINT32_MAX, TAU_META_CLOCK);
		codec = codec ? codec : profile_meta(p[i], UINT32_MAX, TAU_META_COMPRESSION);
		cost = cost ? cost : profile_meta(p[i], UINT32_MAX, TAU_META_EVENT_COST_PS);
		if (clock)
			printf("clock     %s%s\n", clock,
			       strcmp(clock, "TSC")
				       ? ": the time stamp counter is not invariant here, so each "
					 "event costs more"
				       : "");
		if (codec)
			printf("deflate   %s%s\n", codec,
			       strcmp(codec, "isa-l")
				       ? ": cheaper with apt-get install libisal2"
				       : "");
		if (cost)
			printf("cost      %.1f ns per event\n", strtod(cost, NULL) / 1000);
		profile_free(p[i]);
	}
	free(p);
}

/* Does the profile hold a timer or counter whose name begins so? */
static int shows(const char *run, const char *name)
{
	struct load_options o = { 0 };
	struct profile **p;
	struct error e = { 0 };
	size_t n, length = strlen(name);
	int found = 0;

	if (load_profiles(run, &o, &p, &n, &e) < 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < p[i]->timer_n; k++)
			found |= !strncmp(p[i]->timer[k].name, name, length);
		for (size_t k = 0; k < p[i]->counter_n; k++)
			found |= !strncmp(p[i]->counter[k].name, name, length);
		profile_free(p[i]);
	}
	free(p);
	return found;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

/* What is wrong with the source here: NULL nothing. */
static const char *probe_try(const char *self, const struct probe *p, const char *folder,
			     int *absent, char text[256])
{
	char run[PATH_MAX];
	int status;

	snprintf(run, sizeof(run), "%s/%s", folder, p->name);
	status = run_child(self, p, run);
	*absent = status == NOT_HERE || status == 125;
	if (status == NOT_HERE)
		snprintf(text, 256, "the library it wraps is not installed%s%s",
			 p->install ? ": apt-get install " : "", p->install ? p->install : "");
	else if (status == 125)
		snprintf(text, 256, "this build of the recorder does not contain it");
	else if (status == -100)
		snprintf(text, 256, "the test did not end");
	else if (status < 0)
		snprintf(text, 256, "the test ended by signal %d", -1 - status);
	else if (status)
		snprintf(text, 256, "the test ended with status %d", status);
	else if (!shows(run, p->shows))
		snprintf(text, 256, "the trace does not show %s", p->shows);
	else
		return NULL;
	return text;
}

/* ---- counters that come from elsewhere: one metric of each is asked for ---- */

static const struct counting {
	const char *name, *metric, *about;
} counting[] = {
	{"kernel", "perf::TASK-CLOCK", "counters of the kernel: --metrics perf::PAGE-FAULTS ..."},
	{"papi", "PAPI_NATIVE_perf::TASK-CLOCK",
	 "events of PAPI: --metrics PAPI_NATIVE_perf::TASK-CLOCK ..."},
	{"hardware", "PAPI_TOT_INS", "counters of the processor: --metrics PAPI_TOT_INS ..."},
};

/* The number behind a word of a file, or at its start for the word "". */
static long number_in(const char *path, const char *word)
{
	FILE *f = fopen(path, "re");
	char line[256];
	long n = -1;

	while (f && n < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, word, strlen(word)))
			n = atol(line + strlen(word));
	if (f)
		fclose(f);
	return n;
}

/* What helps, as far as that is known. */
static void advice_print(const char *why)
{
	long paranoid = number_in("/proc/sys/kernel/perf_event_paranoid", "");

	if (strstr(why, "no PAPI library"))
		printf(": apt-get install libpapi7.0");
	else if (strstr(why, "shows no hardware"))
		printf(", as virtual machines often do");
	else if (number_in("/proc/self/status", "Seccomp:") > 0)
		printf(": a seccomp filter is active, as in containers, and may refuse it");
	else if (paranoid > 1 && strstr(why, "ermission"))
		printf(": kernel.perf_event_paranoid is %ld; sysctl kernel.perf_event_paranoid=1 "
		       "allows it",
		       paranoid);
}

static void counting_try(const struct counting *c, const char *library)
{
	struct error e = {0};
	char *left = NULL;
	const char *why = e.text, *end;
	int n;

	if (!metrics_check(library, c->metric, 1, &left, &e)) {
		printf("%-9s %-8s %s\n", c->name, "works", c->about);
	} else {
		/* "metric NAME: why; not run (--strict)" */
		why = strstr(e.text, ": ") ? strstr(e.text, ": ") + 2 : e.text;
		end = strstr(why, "; not run");
		n = end ? (int)(end - why) : (int)strlen(why);
		printf("%-9s %-8s %s: %.*s", c->name, "absent", c->about, n, why);
		advice_print(why);
		putchar('\n');
	}
	free(left);
	fflush(stdout);
}

/* Energy is counted where the kernel has the framework and the file may be read. */
static void energy_try(void)
{
	const char *path = "/sys/class/powercap/intel-rapl:0/energy_uj";
	int good = access(path, R_OK) == 0;

	printf("%-9s %-8s energy that the processors use: --system%s\n", "energy",
	       good ? "works" : "absent",
	       good		 ? ""
	       : errno == EACCES ? ": only root may read /sys/class/powercap; chmod a+r allows it"
				 : ": no zone in /sys/class/powercap, as in virtual machines");
}

static void mpi_variables_try(void)
{
	struct error e = {0};
	size_t control, performance;

	if (mpi_variables_count(&control, &performance, &e))
		printf("%-9s %-8s %s\n", "mpi-t", "absent", e.text);
	else
		printf("%-9s %-8s %zu performance and %zu control variables of MPI: --mpi-t\n",
		       "mpi-t", "works", performance, control);
	fflush(stdout);
}

int doctor(void)
{
	char folder[PATH_MAX / 2], run[PATH_MAX], self[PATH_MAX], text[256], library[PATH_MAX];
	const char *base = getenv("TMPDIR");
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int bad = 0;

	snprintf(folder, sizeof(folder), "%s/tau-doctor.XXXXXX", base && *base ? base : "/tmp");
	if (n <= 0 || !mkdtemp(folder)) {
		printf("cannot test anything: %s\n", strerror(errno));
		return 1;
	}
	self[n] = 0;
	for (size_t i = 0; i < PROBES; i++) {
		int absent;
		const char *wrong = probe_try(self, &probes[i], folder, &absent, text);

		bad |= wrong && !absent;
		printf("%-9s %-8s %s%s%s\n", probes[i].name,
		       !wrong   ? "works"
		       : absent ? "absent"
				: "FAILS",
		       probes[i].about, wrong ? ": " : "", wrong ? wrong : "");
		fflush(stdout);
	}
	if (library_find("", library))
		for (size_t i = 0; i < sizeof(counting) / sizeof(*counting); i++)
			counting_try(&counting[i], library);
	mpi_variables_try();
	energy_try();
	snprintf(run, sizeof(run), "%s/%s", folder, probes[0].name);
	print_machine(run);
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return bad;
}
