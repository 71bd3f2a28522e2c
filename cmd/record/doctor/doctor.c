/* doctor.c: probes of the sources of events: a child that uses one, recorded, and what its trace
 * must show. */
#include "cmd/record/doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyze/base/quantity.h"
#include "analyze/profile/profile.h"
#include "analyze/replay/replay.h"
#include "analyze/trace/trace.h"
#include "convert/io/whole_file.h"
#include "convert/native/native.h"
#include "cmd/record/doctor/metric_probe.h"
#include "cmd/record/wrappers/mpi_variables.h"
#include "cmd/record/doctor/doctor_probes.h"
#include "cmd/record/wrappers/unwrapped.h"
#include "cmd/record/wrappers/wrapper_rows.h"
#include "cmd/record/wrappers/wrappers.h"
#include "record/metadata.h"

/* ---- the table of sources ---- */

struct probe {
	const char *name;	/* also the wrapper where there is one */
	const char *wrapper;	/* NULL: part of the recorder */
	const char *option;	/* further option of tau-record, NULL none */
	const char *entry;	/* a function to look for; NULL: run does it */
	int (*run)(void);
	const char *shows; /* beginning of a timer's or counter's name that the trace must have */
	const char *about, *install;
};

/* Those that are no wrapper, before and after the wrappers, and a second library of one. */
static const struct probe probes[] = {
	{"regions", NULL, NULL, NULL, probe_regions, "doctor",
	 "regions and events of TAU_START and the other calls of tau.h", NULL},
	{"hooks", NULL, NULL, NULL, probe_hooks, "probe_hooks",
	 "functions of programs compiled with -finstrument-functions", NULL},
	{"ompt", "openmp", NULL, NULL, probe_ompt, "omp parallel", "constructs of OpenMP: clang",
	 "libomp5-14"},
	{"patch", "patch", "--patch=doctor_patched", NULL, probe_patch, "doctor_patched",
	 "functions of programs with room for a call", NULL},
	{"sampling", NULL, "--sample=1ms", NULL, probe_burn, "[SAMPLE]",
	 "where CPU time is spent, without hooks", NULL},
	{"counters", NULL, "--metrics=TIME,CPU_TIME", NULL, probe_burn, "doctor",
	 "CPU time, page faults and more at each event", NULL},
};
#define PROBES (sizeof(probes) / sizeof(*probes))
#define FIRST  2 /* of them, before the wrappers */

/* The next probe: number *i of all, counted from 0. 0: there are no more. */
static int probe_next(size_t *i, struct probe *p)
{
	size_t n = 0;

	for (const struct wrapper *w = wrappers; w->name; w++) {
		if (!w->entry && !w->probe)
			continue;
		if (n++ + FIRST != *i)
			continue;
		*p = (struct probe){w->name,  w->name,
				    NULL,     w->entry,
				    w->probe, w->entry ? "doctor" : w->shows,
				    w->about, w->install};
		return ++*i, 1;
	}
	if (*i >= PROBES + n)
		return 0;
	*p = probes[*i < FIRST ? *i : *i - n];
	return ++*i, 1;
}

int doctor_probe(const char *name)
{
	struct probe p;

	for (size_t i = 0; probe_next(&i, &p);)
		if (!strcmp(p.name, name))
			return p.entry ? probe_entry(p.entry) : p.run();
	return 1;
}

/* ---- running one ---- */

/* Runs a command, silent, and waits at most a minute. Exit status, -1 - signal, or -100 on a hang. */
static int run_child(const char *const *argv)
{
	struct timespec step = { 0, 10000000 };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execv(argv[0], (char **)argv);
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

/* The probe in a recorded child; the result as of run_child. */
static int run_recorded(const char *self, const struct probe *p, const char *run)
{
	const char *argv[16] = { self, "-o", run, "-w", p->wrapper ? p->wrapper : "none" };
	int n = 5;

	if (p->option)
		argv[n++] = p->option;
	argv[n++] = "--";
	argv[n++] = self;
	argv[n++] = "--doctor-probe";
	argv[n++] = p->name;
	return run_child(argv);
}

/* Does a signal end the probe without the recorder, too? Such crashes come and go. */
static int crashes_unrecorded(const char *self, const struct probe *p)
{
	const char *const argv[] = { self, "--doctor-probe", p->name, NULL };

	for (int i = 0; i < 20; i++) {
		int status = run_child(argv);

		if (status < 0)
			return status != -100;
	}
	return 0;
}

/* The profile of a run of ours, to be freed; NULL: there is none. */
static struct profile *run_profile(const char *run)
{
	struct replay_options o = {0};
	struct profile *p = NULL;
	struct error e = {0};
	struct trace *t;

	if (native_open(run, &t, &e) < 0)
		return NULL;
	if (replay_profiles(t, &o, &p, &e) < 0)
		p = NULL;
	trace_free(t);
	return p;
}

/* Metadata of the first thread or of the whole run; NULL: it has none. */
static const char *machine_meta(const struct profile *p, const char *name)
{
	return p ? profile_meta_of(p, 0, name) : NULL;
}

/* What the recorder found out about this machine, from the metadata of the first trial. */
static void print_machine(const char *run)
{
	static const char slow_clock[] =
		": no counter of this processor is used, so each event costs more";
	static const char slow_deflate[] = ": cheaper with apt-get install libisal2";
	char text[QUANTITY_TEXT];
	struct profile *p = run_profile(run);
	const char *clock = machine_meta(p, TAU_META_CLOCK),
		   *codec = machine_meta(p, TAU_META_COMPRESSION);
	double cost = p ? profile_meta_number_of(p, 0, TAU_META_EVENT_COST_PS) : NAN;

	if (clock)
		printf("clock     %s%s\n", clock,
		       strcmp(clock, TAU_CLOCK_NAME_MONOTONIC) ? "" : slow_clock);
	if (codec)
		printf("deflate   %s%s\n", codec,
		       strcmp(codec, TAU_COMPRESSION_ISAL) ? slow_deflate : "");
	if (!isnan(cost))
		printf("cost      %s per event\n",
		       quantity_in_text(cost / 1000, 1, "ns", text));
	profile_free(p);
}

/* Does the profile hold a timer or counter whose name begins so? */
static int shows(const char *run, const char *name)
{
	struct profile *p = run_profile(run);
	size_t length = strlen(name);
	int found = 0;

	for (size_t k = 0; p && k < p->timer_n; k++)
		found |= !strncmp(p->timer[k].name, name, length);
	for (size_t k = 0; p && k < p->counter_n; k++)
		found |= !strncmp(p->counter[k].name, name, length);
	profile_free(p);
	return found;
}

/*
 * What is wrong with the source here: NULL nothing. Open MPI's shmem_finalize crashes on some machines:
 * where a library ends the child by a signal without the recorder too, the trace alone decides.
 */
static const char *probe_try(const char *self, const struct probe *p, const char *folder,
			     int *absent, char text[256])
{
	char run[PATH_MAX];
	int status;

	snprintf(run, sizeof(run), "%s/%s", folder, p->name);
	status = run_recorded(self, p, run);
	*absent = status == PROBE_NOT_HERE || status == 125;
	if (status == PROBE_NOT_HERE)
		snprintf(text, 256, "the library it wraps is not installed%s%s",
			 p->install ? ": apt-get install " : "", p->install ? p->install : "");
	else if (status == 125)
		snprintf(text, 256, "this build of the recorder does not contain it");
	else if (status == -100)
		snprintf(text, 256, "the test did not end");
	else if (status < 0 && !(shows(run, p->shows) && crashes_unrecorded(self, p)))
		snprintf(text, 256, "the test ended by signal %d", -1 - status);
	else if (status > 0)
		snprintf(text, 256, "the test ended with status %d", status);
	else if (status == 0 && !shows(run, p->shows))
		snprintf(text, 256, "the trace does not show %s", p->shows);
	else
		return NULL;
	return text;
}

/* ---- counters that come from elsewhere: one metric of each is tried ---- */

static const struct counting {
	const char *name, *metric, *about;
} counting[] = {
	{"kernel", "perf::TASK-CLOCK", "counters of the kernel: --metrics perf::PAGE-FAULTS ..."},
	{"papi", "PAPI_NATIVE_perf::TASK-CLOCK",
	 "events of PAPI: --metrics PAPI_NATIVE_perf::TASK-CLOCK ..."},
	{"hardware", "PAPI_TOT_INS", "counters of the processor: --metrics PAPI_TOT_INS ..."},
};

/* The number after a word of a file, or at its start for the word "". */
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
static void advice_print(const char *cause)
{
	long paranoid = number_in("/proc/sys/kernel/perf_event_paranoid", "");

	if (!strcmp(cause, TAU_REFUSED_NO_PAPI))
		printf(": apt-get install libpapi7.0");
	else if (!strcmp(cause, TAU_REFUSED_NO_COUNTERS))
		printf(", as virtual machines often do");
	else if (number_in("/proc/self/status", "Seccomp:") > 0)
		printf(": a seccomp filter is active, as in containers, and may refuse it");
	else if (paranoid > 1 && !strcmp(cause, TAU_REFUSED_PERMISSION))
		printf(": kernel.perf_event_paranoid is %ld; sysctl kernel.perf_event_paranoid=1 "
		       "allows it",
		       paranoid);
}

static void counting_try(const struct counting *c, const char *library)
{
	struct metric_answer a;
	struct error e;
	int code = metrics_request(library, c->metric, &a, &e);

	if (code) {
		printf("%-9s %-8s %s: %s\n", c->name, "absent", c->about, e.text);
	} else if (a.refused_n) {
		printf("%-9s %-8s %s: %s", c->name, "absent", c->about, a.refused[0].why);
		advice_print(a.refused[0].cause);
		putchar('\n');
	} else {
		printf("%-9s %-8s %s\n", c->name, "works", c->about);
	}
	metric_answer_release(&a);
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

/* ---- --make-wrapper: it needs programs of its own ---- */

/* Makes a library, a wrapper of it, and a recording with that. $0: tau-record; $1: a new folder. */
static const char wrapper_script[] =
	"mkdir \"$1\" && cd \"$1\" || exit 1\n"
	"set -f; set -- ${CC:-gcc}; command -v \"$1\" || exit 10\n"
	"set -- ${AWK:-awk}; command -v \"$1\" || exit 11\n"
	"echo 'int doctor_call(int size);' >doctor.h\n"
	"echo 'int doctor_call(int size) { return size; }' >doctor.c\n"
	"printf '#include <stdlib.h>\\n#include \"doctor.h\"\\n"
	"int main(void) { return doctor_call(0); }\\n' >main.c\n"
	"export CCACHE_DISABLE=1\n"
	"echo 'int main(void) { return 0; }' >empty.c; ${CC:-gcc} empty.c -o empty || exit 12\n"
	"${CC:-gcc} -fsyntax-only -aux-info declared doctor.c && [ -s declared ] || exit 13\n"
	"${CC:-gcc} -shared -fPIC doctor.c -o libdoctor.so &&\n"
	"	${CC:-gcc} main.c -L. -ldoctor -Wl,-rpath,\"$PWD\" -o main || exit 12\n"
	"\"$0\" -o made --make-wrapper ./doctor.h ./libdoctor.so || exit 14\n"
	"exec \"$0\" -o run -w made/libtau-doctor.so ./main\n";

/* By the exit status of the script, and whether something is to be installed. */
static const struct {
	int status, absent;
	const char *why;
} wrapper_reasons[] = {
	{10, 1, "there is no C compiler, of that name if CC is set: apt-get install gcc libc6-dev"},
	{11, 1, "there is no awk, of that name if AWK is set: apt-get install mawk"},
	{12, 1, "the C compiler makes no program: apt-get install gcc libc6-dev"},
	{13, 1, "the C compiler has no -aux-info, only GCC has: apt-get install gcc, and CC=gcc"},
	{14, 0, "no wrapper was made of a small library"},
};

/* 0: it is installed and does not work. */
static int make_wrapper_try(const char *self, const char *folder)
{
	char at[PATH_MAX], run[PATH_MAX + 8];
	const char *const argv[] = {"/bin/sh", "-c", wrapper_script, self, at, NULL};
	const char *why = "the test of the wrapper failed";
	int status, absent = 0;

	snprintf(at, sizeof(at), "%s/make-wrapper", folder);
	snprintf(run, sizeof(run), "%s/run", at);
	status = run_child(argv);
	if (status == 0)
		why = shows(run, "doctor_call()")
			      ? NULL
			      : "the trace does not show the call of a small library";
	for (size_t i = 0; i < sizeof(wrapper_reasons) / sizeof(*wrapper_reasons); i++)
		if (wrapper_reasons[i].status == status) {
			why = wrapper_reasons[i].why;
			absent = wrapper_reasons[i].absent;
		}
	printf("%-9s %-8s any C library by its header: --make-wrapper%s%s\n", "library",
	       !why     ? "works"
	       : absent ? "absent"
			: "FAILS",
	       why ? ": " : "", why ? why : "");
	fflush(stdout);
	return !why || absent;
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

/* ---- parts that need a library when they are built ---- */

#ifndef HAVE_OTF2
#define HAVE_OTF2 0
#endif
#ifndef HAVE_NCURSES
#define HAVE_NCURSES 0
#endif
#ifndef HAVE_MICROHTTPD
#define HAVE_MICROHTTPD 0
#endif

static const struct doctor_part {
	const char *name;
	int there;
	const char *about, *install;
} parts[] = {
	{"otf2", HAVE_OTF2, "OTF2 archives, read and written: tau-convert",
	 "libopen-trace-format2-dev"},
	{"curses", HAVE_NCURSES, "the interactive view of tau-monitor", "libncurses-dev"},
	{"httpd", HAVE_MICROHTTPD, "pages of tau-view and of tau-monitor --serve",
	 "libmicrohttpd-dev"},
};

static void parts_print(void)
{
	for (const struct doctor_part *p = parts; p < parts + sizeof(parts) / sizeof(*parts); p++)
		printf("%-9s %-8s %s%s%s%s\n", p->name, p->there ? "works" : "absent", p->about,
		       p->there ? "" : ": built without its library: apt-get install ",
		       p->there ? "" : p->install, p->there ? "" : ", and build again");
}

int doctor(void)
{
	char folder[PATH_MAX / 2], run[PATH_MAX], self[PATH_MAX], text[256], library[PATH_MAX];
	const char *base = getenv("TMPDIR");
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct probe p;
	int bad = 0;

	snprintf(folder, sizeof(folder), "%s/tau-doctor.XXXXXX", base && *base ? base : "/tmp");
	if (n <= 0 || !mkdtemp(folder)) {
		printf("cannot test anything: %s\n", strerror(errno));
		return 1;
	}
	self[n] = 0;
	for (size_t i = 0; probe_next(&i, &p);) {
		int absent;
		const char *wrong = probe_try(self, &p, folder, &absent, text);

		bad |= wrong && !absent;
		printf("%-9s %-8s %s%s%s\n", p.name,
		       !wrong   ? "works"
		       : absent ? "absent"
				: "FAILS",
		       p.about, wrong ? ": " : "", wrong ? wrong : "");
		fflush(stdout);
	}
	bad |= !make_wrapper_try(self, folder);
	if (library_find("", library))
		for (size_t i = 0; i < sizeof(counting) / sizeof(*counting); i++)
			counting_try(&counting[i], library);
	unwrapped_doctor();
	mpi_variables_try();
	energy_try();
	parts_print();
	snprintf(run, sizeof(run), "%s/%s", folder, probes[0].name);
	print_machine(run);
	whole_folder_remove(folder);
	return bad;
}
