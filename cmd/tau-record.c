/*
 * tau-record.c: starts a program with the recorder preloaded, alone or as one process of a parallel job, waits for
 * it, and ends as it ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collect.h"
#include "doctor.h"
#include "launch.h"
#include "limits.h"
#include "metrics.h"
#include "option.h"
#include "sampling.h"
#include "summary.h"
#include "tracking.h"
#include "types.h"
#include "wrappers.h"

/* Exit codes of our own, as env(1), nohup(1) and timeout(1) use them. */
enum { EXIT_OURS = 125, EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

static const char *output, *wrap, *live_dir, *control, *sample, *unwind, *metrics, *memory, *types;
static int memory_wanted;
static struct sampling sampling;
static struct limits limits;
static int list, doctor_wanted, verbose, dry_run, strict;

static const struct option options[] = {
	{'o', "output", OPTION_TEXT, "DIR", "directory of the run (default: tau-PROGRAM-JOB)",
	 &output},
	{'w', "wrap", OPTION_TEXT, "LIST",
	 "wrappers to use, comma separated, or none (default: by what it links)", &wrap},
	{'l', "list", OPTION_FLAG, NULL, "list the wrappers, and which PROGRAM would get", &list},
	{0, "doctor", OPTION_FLAG, NULL,
	 "try each source of events on this machine and say what works", &doctor_wanted},
	{'n', "dry-run", OPTION_FLAG, NULL, "show what would be set and run, and do nothing",
	 &dry_run},
	{0, "select", OPTION_TEXT, "FILE",
	 "record only what a selective instrumentation file of TAU's leaves", &limits.select},
	{0, "groups", OPTION_TEXT, "LIST", "record regions of these groups only, comma separated",
	 &limits.groups},
	{0, "no-groups", OPTION_TEXT, "LIST", "record no regions of these groups",
	 &limits.no_groups},
	{0, "depth", OPTION_TEXT, "N", "record no calls that lie deeper than N", &limits.depth},
	{0, "throttle", OPTION_MAYBE, "CALLS:USEC",
	 "drop regions called more often that take less (default: 100000:10)", &limits.throttle},
	{0, "fold", OPTION_TEXT, "USEC",
	 "tell shorter calls with nothing inside by their number and time", &limits.fold},
	{0, "delay", OPTION_TEXT, "TIME", "start recording after TIME (s, ms, us, m, h)",
	 &limits.delay},
	{0, "duration", OPTION_TEXT, "TIME", "record for so long", &limits.duration},
	{0, "start", OPTION_TEXT, "REGION", "record only while a region of this name is open",
	 &limits.start},
	{0, "stop", OPTION_TEXT, "REGION", "stop recording when a region of this name is left",
	 &limits.stop},
	{0, "toggle-signal", OPTION_TEXT, "SIGNAL",
	 "let this signal stop recording, and start it again", &limits.toggle},
	{0, "max-size", OPTION_TEXT, "SIZE",
	 "stop recording when the run has so many bytes (K, M, G)", &limits.max_size},
	{0, "flight", OPTION_TEXT, "SIZE|TIME", "keep the last SIZE or TIME of each thread only",
	 &limits.flight},
	{0, "budget", OPTION_TEXT, "PERCENT",
	 "fold or drop the regions called most while recording costs more", &limits.budget},
	{0, "estimate", OPTION_FLAG, NULL,
	 "count only, and say how large and slow a full trace would be", &limits.estimate},
	{0, "watch", OPTION_FLAG, NULL,
	 "let the run be switched with --control while it is recorded", &limits.watch},
	{0, "control", OPTION_TEXT, "RUN", "tell a run: on, off, group NAME, no-group NAME",
	 &control},
	{0, "sample", OPTION_MAYBE, "PERIOD",
	 "sample where threads spend their CPU time, every PERIOD of it (default: 10ms)", &sample},
	{0, "unwind", OPTION_MAYBE, "DEPTH",
	 "with the callers, at most DEPTH functions in all (default: 127)", &unwind},
	{0, "memory", OPTION_MAYBE, "WORDS",
	 "record what is allocated: events or census, by types, sites or stacks[:N]; leaks, heap, "
	 "headroom, maps",
	 &memory},
	{0, "types", OPTION_TEXT, "FILE",
	 "with --memory, tell objects of other object systems by the rules in FILE", &types},
	{0, "memory-every", OPTION_TEXT, "TIME",
	 "sample the heap in use and the memory headroom every TIME", &limits.memory_every},
	{0, "metrics", OPTION_TEXT, "LIST",
	 "what to read at each enter and leave besides the time: CPU_TIME, PAPI_TOT_INS ...",
	 &metrics},
	{'s', "strict", OPTION_FLAG, NULL,
	 "do not run a program that cannot be recorded, or not with all --metrics", &strict},
	{0, "live-dir", OPTION_TEXT, "DIR", "keep the chunks being written in DIR (a local disk)",
	 &live_dir},
	{'v', "verbose", OPTION_FLAG, NULL, "say what is being done", &verbose},
	{0},
};

static const struct program program = {
	"tau-record",
	"[options] [--] PROGRAM [ARGUMENTS]",
	"Records a program into compressed traces, one a thread. In a parallel job it stands "
	"between the\n"
	"launcher and the program: mpirun -np 4 tau-record ./app",
	options,
	1,
	EXIT_OURS,
};

/* TAU's environment variables that stand for an option of ours. */
static void take_environment(void)
{
	const char *v;

	if (!output)
		output = getenv("TRACEDIR");
	limits_take_environment(&limits);
	if (!metrics)
		metrics = getenv("TAU_METRICS");
	if (!types)
		types = getenv("TAU_MEMORY_TYPES");
	v = getenv("TAU_VERBOSE");
	if (v && strcmp(v, "0") != 0)
		verbose = 1;
}

#if defined(__x86_64__)
/* Rate of the time stamp counter, from a baseline of 2 ms that the start-up gives mostly for nothing. */
static unsigned long long ticks_hz(void)
{
	static unsigned long long tick, ns;
	struct timespec t;
	unsigned long long now_tick, now;

	do {
		clock_gettime(CLOCK_MONOTONIC, &t);
		now_tick = __builtin_ia32_rdtsc();
		now = (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_nsec;
		if (!tick) {
			tick = now_tick;
			ns = now;
			return 0;
		}
	} while (now - ns < 2000000);
	return (unsigned long long)((double)(now_tick - tick) * 1e9 / (double)(now - ns));
}
#else
static unsigned long long ticks_hz(void)
{
	return 0;
}
#endif

/* ---- the child ---- */

static pid_t child;

static void forward(int signal)
{
	int saved = errno;

	if (child > 0)
		kill(child, signal);
	errno = saved;
}

/* Signals that a launcher or user sends to us are meant for the program; those from the terminal reach it anyway. */
static const int forwarded[] = {SIGTERM, SIGHUP,  SIGUSR1,  SIGUSR2,
				SIGCONT, SIGALRM, SIGWINCH, SIGURG};
static const int ignored[] = { SIGINT, SIGQUIT };
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static struct sigaction before_forwarded[COUNT(forwarded)], before_ignored[COUNT(ignored)];

static void signals_take(void)
{
	struct sigaction a = { .sa_handler = forward, .sa_flags = SA_RESTART };
	struct sigaction i = { .sa_handler = SIG_IGN };

	for (size_t k = 0; k < COUNT(forwarded); k++) {
		sigaction(forwarded[k], NULL, &before_forwarded[k]);
		if (before_forwarded[k].sa_handler != SIG_IGN)
			sigaction(forwarded[k], &a, NULL);
	}
	for (size_t k = 0; k < COUNT(ignored); k++)
		sigaction(ignored[k], &i, &before_ignored[k]);
}

/* The program starts with the signals as they were given to us. */
static void signals_restore(void)
{
	for (size_t k = 0; k < COUNT(forwarded); k++)
		sigaction(forwarded[k], &before_forwarded[k], NULL);
	for (size_t k = 0; k < COUNT(ignored); k++)
		sigaction(ignored[k], &before_ignored[k], NULL);
}

/* Runs the program and waits; its wait status, or -1 - errno when it could not be started. */
static int run(const struct target *t, char **argv, const sigset_t *mask)
{
	int fd[2], error = 0, status;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return -1 - errno;
	child = fork();
	if (child < 0)
		return -1 - errno;
	if (child == 0) {
		signals_restore();
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sigprocmask(SIG_SETMASK, mask, NULL);
		execvp(t->path, argv);
		error = errno;
		if (write(fd[1], &error, sizeof(error)) < 0)
			_exit(EXIT_CANNOT_RUN);
		_exit(EXIT_CANNOT_RUN);
	}
	sigprocmask(SIG_SETMASK, mask, NULL);
	close(fd[1]);
	while (read(fd[0], &error, sizeof(error)) < 0 && errno == EINTR)
		;
	close(fd[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	return error ? -1 - error : status;
}

/* Ends as the program ended: the same code, or the same signal without a second core file. */
static int end_like(int status)
{
	static const struct rlimit none;

	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	setrlimit(RLIMIT_CORE, &none);
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

/* ---- main ---- */

static char *default_directory(const struct target *t, const struct job *j)
{
	const char *base = strrchr(t->path, '/') ? strrchr(t->path, '/') + 1 : t->path;

	return mem_printf("tau-%s-%s", base, j->key);
}

static char *absolute(const char *path)
{
	char cwd[PATH_MAX];

	if (path[0] == '/' || !getcwd(cwd, sizeof(cwd)))
		return mem_string(path);
	return mem_printf("%s/%s", cwd, path);
}

static int fail(int code, const struct error *e)
{
	program_fail(&program, e);
	return code;
}

/* Leaves of --metrics what can be had, for the recorder. */
static int metrics_take(struct error *e)
{
	char library[PATH_MAX], *left;

	if (!metrics || !*metrics || !library_find("", library))
		return 0;
	if (metrics_check(library, metrics, strict, &left, e))
		return e->code;
	metrics = left;
	setenv("TAU_RECORD_METRICS", metrics, 1);
	return 0;
}

/* What -n prints: the environment and the command, as a shell would take them. */
static int show(const char *directory, const char *preload, const struct target *t, char **argv)
{
	printf("TAU_RECORD_DIR=%s\n", directory);
	if (live_dir)
		printf("TAU_RECORD_LIVE_DIR=%s\n", live_dir);
	if (sampling.period_us)
		printf("TAU_RECORD_SAMPLE=%llu\nTAU_RECORD_UNWIND=%u\n", sampling.period_us,
		       sampling.depth);
	if (metrics && *metrics)
		printf("TAU_RECORD_METRICS=%s\n", metrics);
	wrappers_show();
	printf("LD_PRELOAD=%s\n%s", preload, t->path);
	for (char **a = argv + 1; *a; a++)
		printf(" %s", *a);
	putchar('\n');
	return program_end(&program, 0);
}

static int fail_run(const char *path, int error)
{
	struct error e = { 0 };

	error_set(&e, ERROR_SYSTEM, "%s: %s", path, strerror(error));
	return fail(error == ENOENT || error == ENOTDIR ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN, &e);
}

/* Runs the program without the recorder, because it cannot be recorded. */
static int run_plain(const struct target *t, char **argv)
{
	struct error e = { 0 };

	if (strict) {
		error_set(&e, ERROR_INPUT, "%s: %s, so it cannot be recorded; not run (--strict)",
			  t->path, t->obstacle);
		return fail(EXIT_OURS, &e);
	}
	fprintf(stderr, "tau-record: %s: %s, so it cannot be recorded; it runs unrecorded\n",
		t->path, t->obstacle);
	execvp(t->path, argv);
	return fail_run(t->path, errno);
}

static void set_number(const char *name, unsigned long long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", value);
	setenv(name, text, 1);
}

/*
 * A program with the sanitizer of addresses does not start behind a preloaded library unless told; that of threads takes what the
 * recorder, which it does not see through, copies under its own locks for races.
 */
static void sanitizer_allow(const struct target *t)
{
	static const char *const settings[][3] = {
		{"ASAN_OPTIONS", "verify_asan_link_order", "0"},
		{"TSAN_OPTIONS", "ignore_noninstrumented_modules", "1"},
	};
	const char *sanitizer = wrappers_sanitizer(t);

	if (!sanitizer)
		return;
	if (memory_wanted || (wrap && strstr(wrap, "memory")))
		fprintf(stderr,
			"tau-record: %s: memory is not recorded, because %s has an allocator of "
			"its own\n",
			t->path, sanitizer);
	for (size_t i = 0; i < COUNT(settings); i++) {
		const char *options = getenv(settings[i][0]);

		if (!options || !strstr(options, settings[i][1]))
			setenv(settings[i][0],
			       mem_printf("%s%s%s=%s", options ? options : "",
					  options && *options ? ":" : "", settings[i][1],
					  settings[i][2]),
			       1);
	}
}

static int writable_directory(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return 0;
	if (!S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		return 0;
	}
	return access(path, W_OK | X_OK) == 0;
}

static int record(struct target *t, char **argv)
{
	struct error e = { 0 };
	struct job job;
	char *directory,
		*preload = wrappers_preload(t, wrap, sampling.period_us != 0, memory_wanted);
	sigset_t all, mask;
	int status;

	job_find(&job);
	directory = absolute(output ? output : default_directory(t, &job));
	if (!preload) {
		error_set(&e, ERROR_SYSTEM,
			  "libtau.so was not found beside tau-record nor in ../lib");
		return fail(EXIT_OURS, &e);
	}
	if (metrics_take(&e))
		return fail(EXIT_OURS, &e);
	if (sampling.cut && job_speaks())
		fprintf(stderr,
			"tau-record: TAU_EBS_UNWIND_DEPTH: '%s' is more than a sample can hold; it "
			"has at most %d functions\n",
			sampling.cut, SAMPLING_DEPTH);
	if (live_dir && !writable_directory(live_dir)) {
		error_set(&e, ERROR_SYSTEM, "%s: live files cannot be kept here: %s", live_dir,
			  strerror(errno));
		return fail(EXIT_OURS, &e);
	}
	if (dry_run)
		return show(directory, preload, t, argv);
	if (run_claim(directory, &job, &e) < 0)
		return fail(EXIT_OURS, &e);
	if (verbose)
		fprintf(stderr, "tau-record: %s: job %s of %ld, LD_PRELOAD=%s\n", directory,
			job.key, job.size, preload);
	if (limits_write(&limits, directory, t, &e) < 0) {
		run_abandon(directory, &job);
		return fail(EXIT_OURS, &e);
	}
	setenv("TAU_RECORD_DIR", directory, 1);
	if (live_dir)
		setenv("TAU_RECORD_LIVE_DIR", absolute(live_dir), 1);
	if (sampling.period_us) {
		set_number("TAU_RECORD_SAMPLE", sampling.period_us);
		set_number("TAU_RECORD_UNWIND", sampling.depth);
	}
	set_number("TAU_RECORD_TICKS_HZ", ticks_hz());
	/* Ranks ask each other for the time, so all must be recorded. */
	if (launched_as_rank())
		setenv("TAU_SYNCHRONIZE_CLOCKS", "1", 0);
	setenv("LD_PRELOAD", preload, 1);
	sanitizer_allow(t);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &mask);
	signals_take();
	status = run(t, argv, &mask);
	if (status < 0) {
		run_abandon(directory, &job);
		return fail_run(t->path, -1 - status);
	}
	if (live_dir && live_collect(directory))
		fprintf(stderr, "tau-record: %s: cannot move live files from here into the run\n",
			live_dir);
	if (run_leave(directory, &job))
		summary(directory, limits.estimate,
			!wrap && !sampling.period_us && !memory_wanted && !metrics);
	return end_like(status);
}

int main(int argc, char **argv)
{
	struct error e = { 0 };
	struct target t;
	char library[PATH_MAX];
	int first, found;

	ticks_hz();
	if (argc == 3 && !strcmp(argv[1], "--doctor-probe"))	/* what --doctor records, not for people */
		return doctor_probe(argv[2]);
	first = options_parse(&program, argc, argv);
	if (types && !memory)
		memory = "";
	take_environment();
	if (wrappers_check(wrap, &e) < 0 || sampling_get(sample, unwind, &sampling, &e) < 0 ||
	    tracking_set(&(struct tracking){memory, limits.memory_every, metrics}, &memory_wanted,
			 &e) < 0 ||
	    types_set(types, doctor_wanted ? stdout : NULL, &e) < 0)
		return fail(EXIT_OURS, &e);
	if (doctor_wanted)
		return program_end(&program, doctor());
	if (control)
		return limits_command(control, argv + first, &e) < 0 ? fail(EXIT_OURS, &e) : 0;
	if (limits_check(&limits, &e) < 0)
		return fail(EXIT_OURS, &e);
	if (output && !strcmp(output, "-")) {
		error_set(&e, ERROR_USAGE,
			  "--output: a run is a directory, which standard output cannot take");
		return fail(EXIT_OURS, &e);
	}
	if (list && first == argc)
		return wrappers_list(NULL, wrap), program_end(&program, 0);
	if (first == argc) {
		error_set(&e, ERROR_USAGE, "which program? (see tau-record --help)");
		return fail(EXIT_OURS, &e);
	}
	if (target_is_launcher(argv[first])) {
		error_set(&e, ERROR_USAGE,
			  "put me behind the launcher, before the program: %s [its options] "
			  "tau-record ./app",
			  argv[first]);
		return fail(EXIT_OURS, &e);
	}
	found = library_find("", library);
	if (found && strpbrk(library, " :")) {
		error_set(&e, ERROR_SYSTEM,
			  "%s: the loader preloads nothing from a folder with a space or a colon "
			  "in its name",
			  library);
		return fail(EXIT_OURS, &e);
	}
	if (target_find(argv[first], found ? library : NULL, &t, &e) < 0)
		return fail_run(argv[first], errno);
	if (list)
		return wrappers_list(&t, wrap), program_end(&program, 0);
	if (t.obstacle && !dry_run)
		return run_plain(&t, argv + first);
	return record(&t, argv + first);
}
