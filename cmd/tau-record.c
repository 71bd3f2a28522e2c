/*
 * tau-record.c: starts a program with the recorder preloaded, alone or as one process of a parallel job, waits for
 * it, and ends as it ended.
 */
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/shared/choice.h"
#include "convert/io/input.h"
#include "convert/io/paths.h"
#include "convert/native/live/command_file.h"
#include "convert/native/live/native_seal.h"
#include "cmd/record/summary/alone.h"
#include "cmd/record/summary/collect.h"
#include "cmd/record/options/combinations.h"
#include "cmd/record/control/control_command.h"
#include "cmd/record/control/control_hosts.h"
#include "cmd/record/doctor/doctor.h"
#include "cmd/record/requests/dump_requests.h"
#include "cmd/record/launch/launch.h"
#include "cmd/record/options/limits.h"
#include "cmd/record/wrappers/make_wrapper.h"
#include "cmd/record/requests/measures.h"
#include "cmd/record/summary/messages.h"
#include "cmd/record/doctor/metric_probe.h"
#include "cmd/record/wrappers/mpi_variables.h"
#include "cmd/shared/message.h"
#include "cmd/shared/option.h"
#include "cmd/shared/tau_variables.h"
#include "cmd/record/launch/program_run.h"
#include "cmd/record/launch/run_claim.h"
#include "cmd/record/options/sampling.h"
#include "cmd/record/doctor/seccomp_probe.h"
#include "cmd/record/requests/select_requests.h"
#include "cmd/record/launch/ticks.h"
#include "cmd/record/summary/run_summary.h"
#include "cmd/record/options/tracking.h"
#include "cmd/record/options/types.h"
#include "cmd/record/wrappers/unwrapped.h"
#include "cmd/record/wrappers/wrappers.h"

/* Exit codes of our own, as env(1), nohup(1) and timeout(1) use them. */
enum { EXIT_OURS = 125, EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

static const char *output, *wrap, *live_dir, *sample, *unwind, *metrics, *memory, *types,
	*openmp, *header, *mpi_settings, *list, *against;
static struct sampling sampling;
static struct control_command control;
static struct control_hosts control_on = {.rsh = "ssh"};
static struct limits limits;
static int memory_wanted, no_names, mpi_list, doctor_wanted, variables_wanted, alone, verbose,
	dry_run, strict, shared, trust_seccomp;

static const struct option options[] = {
	OPTION_HEADING("Where the run goes"),
	{'o', "output", OPTION_TEXT, "DIR", "write the run into DIR (default: tau-PROGRAM-JOB)",
	 &output},
	{0, "shared", OPTION_FLAG, NULL,
	 "let other users read the run; accept a directory that others own or may write to",
	 &shared},
	{0, "live-dir", OPTION_TEXT, "DIR",
	 "keep the chunks that are being written in DIR, on a local disk", &live_dir},
	{0, "no-names", OPTION_FLAG, NULL,
	 "do not store names, files and lines of code with the run", &no_names},
	OPTION_HEADING("What to record"),
	{'w', "wrap", OPTION_TEXT, "LIST",
	 "use these wrappers, separated by commas, or none (default: those for the libraries that "
	 "the program links); +NAME and -NAME change the default", &wrap},
	{0, "memory", OPTION_MAYBE, "WORDS",
	 "also record allocations (default: events,sites): events or census; types, sites or "
	 "stacks[:N]; leaks, heap, headroom, maps", &memory},
	{0, "types", OPTION_TEXT, "FILE",
	 "identify objects of custom class systems using the rules in FILE", &types},
	{0, "sample", OPTION_MAYBE, "PERIOD",
	 "sample the call path of each thread once per PERIOD of CPU time, or none (default: 10ms; "
	 "default unit: us)", &sample},
	{0, "unwind", OPTION_MAYBE, "DEPTH",
	 "record at most DEPTH functions of the call path of a sample (default: 127)", &unwind},
	{0, "metrics", OPTION_TEXT, "LIST",
	 "also read these metrics at each enter and leave: CPU_TIME, PAPI_TOT_INS ...", &metrics},
	{0, "system", OPTION_MAYBE, "TIME",
	 "sample load, memory, faults, energy, network and disks every TIME (default: 1s; "
	 "default unit: s)", &limits.system},
	{0, "memory-every", OPTION_TEXT, "TIME",
	 "sample the heap use and the memory headroom every TIME (default unit: s)",
	 &limits.memory_every},
	{0, "openmp", OPTION_TEXT, "LEVEL",
	 "constructs of OpenMP to record: parallel, constructs (default) or all", &openmp},
	{0, "mpi-t", OPTION_MAYBE, "TIME",
	 "read performance variables of MPI every TIME (default: 10ms; 0: after each call; "
	 "default unit: s)", &limits.mpi_t},
	{0, "mpi-t-controls", OPTION_TEXT, "LIST",
	 "record control variables of MPI with these words in their names (default: eager_limit)",
	 &limits.mpi_t_controls},
	{0, "mpi-t-set", OPTION_TEXT, "FILE", "set control variables of MPI: lines NAME=VALUE",
	 &mpi_settings},
	OPTION_HEADING("Which regions"),
	{0, "select", OPTION_TEXT, "FILE",
	 "record only the regions that this selective instrumentation file of TAU selects",
	 &limits.select},
	{0, "groups", OPTION_TEXT, "LIST", "record only regions of these groups", &limits.groups},
	{0, "no-groups", OPTION_TEXT, "LIST", "exclude regions of these groups", &limits.no_groups},
	{0, "patch", OPTION_TEXT, "LIST",
	 "record these functions of a program built with -fpatchable-function-entry=5, -pg "
	 "-mfentry or -fxray-instrument (# or *: any characters)", &limits.patch},
	{0, "call-sites", OPTION_FLAG, NULL,
	 "distinguish calls of a function by the line that calls it", &limits.call_sites},
	{0, "depth", OPTION_TEXT, "N", "exclude calls nested in N or more recorded calls",
	 &limits.depth},
	{0, "start", OPTION_TEXT, "REGION", "record only while a region of this name is open",
	 &limits.start},
	{0, "stop", OPTION_TEXT, "REGION", "stop recording when a region of this name ends",
	 &limits.stop},
	OPTION_HEADING("How much"),
	{0, "budget", OPTION_TEXT, "PERCENT",
	 "keep overhead below PERCENT by folding, then dropping, the most frequent regions",
	 &limits.budget},
	{0, "fold", OPTION_TEXT, "TIME",
	 "merge leaf calls shorter than TIME into counts and times per call path (default "
	 "unit: us)", &limits.fold},
	{0, "throttle", OPTION_MAYBE, "CALLS:TIME",
	 "stop recording regions with more than CALLS calls below TIME (default: 100000:10us; "
	 "default unit: us)", &limits.throttle},
	{0, "max-size", OPTION_TEXT, "SIZE",
	 "stop recording when the run has SIZE (K, M, G, T: powers of 1000; default unit: B)",
	 &limits.max_size},
	{0, "flight", OPTION_TEXT, "SIZE|TIME", "keep only the last SIZE or TIME of each thread",
	 &limits.flight},
	{0, "sums", OPTION_FLAG, NULL,
	 "keep calls and times in the process for tau_sums_...(); needed if only libraries that "
	 "are loaded later call these functions", &limits.sums},
	OPTION_HEADING("When"),
	{0, "delay", OPTION_TEXT, "TIME",
	 "start recording after TIME (ns, us, ms, s, m, h; default unit: s)", &limits.delay},
	{0, "duration", OPTION_TEXT, "TIME",
	 "stop recording after it was on for TIME (default unit: s)", &limits.duration},
	{0, "toggle-signal", OPTION_TEXT, "SIGNAL",
	 "stop recording at this signal, and start it again at the next one", &limits.toggle},
	{0, "snapshot-every", OPTION_TEXT, "TIME",
	 "append a snapshot to snapshot.N.C.T every TIME while the program runs (default unit: s)",
	 &limits.snapshot_every},
	{0, "snapshot-signal", OPTION_TEXT, "SIGNAL",
	 "append a snapshot to snapshot.N.C.T at this signal", &limits.snapshot_signal},
	OPTION_HEADING("Control of a running job, with --control RUN"),
	{0, "control", OPTION_TEXT, "RUN",
	 "send a command to a run: on, off, flush, status, [no-]group NAME, exclude or include "
	 "PATTERN, mark NAME, sample PERIOD, no-sample, [no-]metrics, [no-]memory or dump "
	 "DIRECTORY", &control.run},
	{0, "rank", OPTION_TEXT, "LIST", "command only these ranks: 0,3..7", &control.ranks},
	{0, "pid", OPTION_TEXT, "LIST", "command only these processes", &control.pids},
	{0, "wait", OPTION_TEXT, "TIME",
	 "wait until the processes have executed the command, at most TIME (default unit: s)",
	 &control.wait},
	{0, "hosts", OPTION_TEXT, "HOST,...",
	 "command the processes on these hosts, or on all hosts of the run (auto)",
	 &control_on.names},
	{0, "hostfile", OPTION_TEXT, "FILE",
	 "command the processes on the hosts in FILE, a hostfile of mpirun", &control_on.file},
	{0, "rsh", OPTION_TEXT, "COMMAND",
	 "reach other hosts with this command and its options (default: ssh)", &control_on.rsh},
	{0, "remote-program", OPTION_TEXT, "PATH", "start this tau-record on other hosts",
	 &control_on.program},
	{0, "watch", OPTION_FLAG, NULL,
	 "refuse to start if the run cannot accept commands from --control", &limits.watch},
	OPTION_HEADING("How much recording costs"),
	{0, "estimate", OPTION_FLAG, NULL,
	 "count calls only, and print the estimated size and cost of a full trace",
	 &limits.estimate},
	{0, "alone", OPTION_FLAG, NULL,
	 "do not record; measure the CPU time of the program for --against", &alone},
	{0, "against", OPTION_TEXT, "RUN",
	 "report the overhead as measured: CPU time beyond that of RUN, which --alone made",
	 &against},
	OPTION_HEADING("What this machine and program have"),
	{0, "doctor", OPTION_FLAG, NULL,
	 "test each source of events on this machine and print which work", &doctor_wanted},
	{'l', "list", OPTION_MAYBE, "NAME",
	 "list the wrappers; with PROGRAM, those that it would get. -lNAME: a library for "
	 "--make-wrapper", &list},
	{0, "mpi-t-list", OPTION_FLAG, NULL, "list variables of MPI, all or by word", &mpi_list},
	{0, "env", OPTION_FLAG, NULL,
	 "list the environment variables of TAU, and what each does here", &variables_wanted},
	{0, "make-wrapper", OPTION_TEXT, "HEADER",
	 "write a wrapper of the functions that HEADER declares and a library (a path, or -l NAME, "
	 "in place of PROGRAM) exports", &header},
	OPTION_HEADING("How it starts"),
	{'n', "dry-run", OPTION_FLAG, NULL, "print the environment and the command; do not run it",
	 &dry_run},
	{'s', "strict", OPTION_FLAG, NULL,
	 "refuse a program that cannot be recorded, or for which a metric is unavailable", &strict},
	{0, "trust-seccomp", OPTION_FLAG, NULL,
	 "record also processes under a seccomp filter of their own", &trust_seccomp},
	{'v', "verbose", OPTION_FLAG, NULL, "print each step", &verbose},
	{0},
};

static struct option_list given;
static const struct program program = {
	.name = "tau-record",
	.usage = "[options] [--] PROGRAM [ARGUMENTS]",
	.about = "Records a program into compressed traces, one per thread. In a parallel job, put "
		 "it between the launcher and the program: mpirun -np 4 tau-record ./app",
	.options = options,
	.common = "output memory sample metrics wrap select budget max-size control doctor",
	.pairs = combinations_pairs,
	.project = "no-names wrap memory sample unwind metrics system memory-every openmp mpi-t "
		   "mpi-t-controls groups no-groups call-sites depth start stop budget fold "
		   "throttle max-size flight sums delay duration strict verbose",
	.stop_at_operand = 1,
	.usage_code = EXIT_OURS,
	.given = &given,
};

/* TAU's environment variables that have the meaning of an option of ours. */
static void environment_parse(void)
{
	if (!output)
		output = tau_variable("TRACEDIR");
	limits_read_environment(&limits);
	if (!metrics)
		metrics = tau_variable("TAU_METRICS");
	if (!types)
		types = tau_variable("TAU_MEMORY_TYPES");
	verbose |= choice_on(tau_variable("TAU_VERBOSE"));
}

static int fail(int code, const struct error *e)
{
	program_fail(&program, e);
	return code;
}

static int show_command(const struct target *t, char **argv)
{
	for (char **a = argv; *a; a++)
		text_printf(stdout, "%s%c", a == argv ? t->path : *a, a[1] ? ' ' : '\n');
	return program_end(&program, 0);
}

/* What -n prints: the environment and the command, as a shell would take them. */
static int show(const char *directory, const char *preload, const struct target *t, char **argv)
{
	text_printf(stdout, "TAU_RECORD_DIR=%s\n", directory);
	if (live_dir)
		text_printf(stdout, "TAU_RECORD_LIVE_DIR=%s\n", live_dir);
	sampling_show(&sampling);
	if (metrics && *metrics)
		printf("TAU_RECORD_METRICS=%s\n", metrics);
	wrappers_show();
	mpi_variables_show();
	text_printf(stdout, "LD_PRELOAD=%s\n", preload);
	return show_command(t, argv);
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
	message_print("tau-record", "%s: %s, so it cannot be recorded; it runs unrecorded",
		t->path, t->obstacle);
	/* A program of another processor is not for the shell. */
	(strcmp(t->path, t->elf) ? execvp : execv)(t->path, argv);
	return fail_run(t->path, errno);
}

/*
 * This process cannot be recorded. Others of its job would wait in MPI_Init for one that does not start: unless its launcher ends
 * them, the program runs without the recorder. A program of a job whose launcher is not known has at least an MPI.
 */
static int refuse(const struct target *t, char **argv, const struct job *j, const struct error *e)
{
	int others = j->size > 1 || j->rank >= 0 || wrappers_parallel(t);

	if (e->code == ERROR_USAGE || j->ends_all || !others)
		return fail(EXIT_OURS, e);
	if (strict) {
		fail(EXIT_OURS, e);
		fflush(NULL);
		raise(SIGTERM); /* which every launcher notices */
		return EXIT_OURS;
	}
	message_print("tau-record", "%s; %s runs unrecorded", e->text, t->path);
	execvp(t->path, argv);
	return fail_run(t->path, errno);
}

/* The recorder follows no link to the directories, so it gets their real names. */
static void directories_set(const char *directory)
{
	char path[PATH_MAX];

	messages_begin();
	setenv("TAU_RECORD_DIR", realpath(directory, path) ? path : directory, 1);
	if (live_dir)
		setenv("TAU_RECORD_LIVE_DIR", realpath(live_dir, path) ? path : live_dir, 1);
	(void)(shared ? setenv("TAU_RECORD_SHARED", "1", 1) : unsetenv("TAU_RECORD_SHARED"));
}

/* The wrappers that options need. */
static char *wrappers_needed(void)
{
	return mem_printf("%s%s%s%s%s%s", memory_wanted ? "memory," : "",
			  sampling.period_us ? "sample," : "", limits.system ? "system," : "",
			  limits.mpi_t ? "mpi," : "", limits.patch ? "patch," : "",
			  limits.call_sites ? "callsite," : "");
}

/* What the recorder reads in the program, besides limits_write(). */
static void environment_set(const struct target *t, const char *directory, const char *preload)
{
	char hz[32];

	directories_set(directory);
	sampling_export(&sampling);
	snprintf(hz, sizeof(hz), "%llu", ticks_hz());
	setenv("TAU_RECORD_TICKS_HZ", hz, 1);
	/* Ranks ask each other for the time, so all must be recorded. */
	if (launched_as_rank())
		setenv("TAU_SYNCHRONIZE_CLOCKS", "1", 0);
	job_speaks_set();
	setenv("LD_PRELOAD", preload, 1);
	wrappers_sanitizer_allow(t, memory_wanted || (wrap && strstr(wrap, "memory")));
}

/* The program ended: the last one on its host seals the run, and the last one of the job reports. */
static void record_end(const struct target *t, const char *directory, const struct job *job,
		       int status, struct run_place *place, struct cpu_samples *samples,
		       const struct against *other)
{
	enum run_left left = run_leave(directory, job, status, place);
	struct input *run = input_new(directory);
	struct overhead overhead;

	if (left != RUN_LEFT_OTHERS)
		native_seal(run);
	if (left == RUN_LEFT_JOB) {
		/* A launcher that was killed reads no more of what is printed. */
		signal(SIGPIPE, SIG_IGN);
		messages_print(directory);
		unwrapped_print(t, wrap);
		overhead = summary(&(struct ended_run){
			.run = run,
			.samples = samples,
			.estimate = limits.estimate,
			.plain = memory_wanted || metrics ? NULL : &sampling,
			.wrapped = wrap,
			.sampling = &sampling,
			.selected = limits_selecting(&limits),
			.against = other,
			.names_ns = no_names ? 0 : run_names_budget_ns(place, job),
		});
		run_close(place, !ferror(stderr), &overhead);
		command_file_drop(directory);
	} else {
		run_close(place, 0, NULL);
	}
	input_free(run);
}

static int record(struct target *t, char **argv)
{
	struct error e = { 0 };
	struct job job;
	char *directory, *preload = wrappers_preload(t, wrap, wrappers_needed());
	sigset_t all, mask;
	struct run_place place;
	struct dump_requests *requests;
	struct select_requests *selects = NULL;
	struct measures *measures;
	struct cpu_samples *samples = NULL;
	struct against other = {.run = against, .place = &place};
	int status, watch;

	mallopt(M_ARENA_MAX, 1); /* one for each thread would grow by many small calls */
	job_find(&job);
	if (against && alone_read(against, &job, &other.alone_ns, &e) < 0)
		return refuse(t, argv, &job, &e);
	directory = path_absolute(output ? output : job_directory(t, &job));
	if (!preload) {
		error_set(&e, ERROR_SYSTEM,
			  "libtau.so was not found: it must be beside tau-record or in ../lib/tau");
		return refuse(t, argv, &job, &e);
	}
	if (metrics_reduce(&metrics, strict, &e))
		return refuse(t, argv, &job, &e);
	if (sampling.cut && job_speaks())
		message_print("tau-record", "TAU_EBS_UNWIND_DEPTH: '%s' is more than a sample "
			"can hold; it has at most %d functions", sampling.cut, SAMPLING_DEPTH);
	if (live_dir && !live_writable(live_dir)) {
		error_set(&e, ERROR_SYSTEM, "%s: cannot keep live files here: %s", live_dir,
			  strerror(errno));
		return refuse(t, argv, &job, &e);
	}
	if (dry_run)
		return show(directory, preload, t, argv);
	program_umask_narrow();
	if (run_claim(directory, &job, shared, &e) < 0)
		return refuse(t, argv, &job, &e);
	if (verbose)
		message_print("tau-record", "%s: job %s of %ld, LD_PRELOAD=%s", directory,
			job.key, job.size, preload);
	if (limits_write(&limits, directory, t, &e) < 0) {
		run_abandon(directory, &job);
		return refuse(t, argv, &job, &e);
	}
	if (job_speaks())
		tau_variables_note(program.name);
	wrappers_mpi_check(t, wrap);
	if (openmp && !wrapper_recorded("openmp", t, wrap) && job_speaks())
		message_print("tau-record", "--openmp: %s %s; it has no effect", t->path,
			wrap ? "does not get the wrapper openmp"
			     : "links no OpenMP library; -w openmp is for a program that loads one "
			       "itself");
	watch = filtered_watch(directory);
	environment_set(t, directory, preload);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &mask);
	if (limits.selection)
		selects = select_requests_begin(getenv("TAU_RECORD_DIR"), limits.selection,
						limits.patch);
	if (limits.selection && !selects)
		message_print("tau-record", "%s: programs that %s starts are not selected from: "
			"%s", directory, t->path, strerror(errno));
	requests = dump_requests_begin(getenv("TAU_RECORD_DIR"), &job,
				       limits_snapshot_ns(&limits), verbose);
	if (!requests && (limits.snapshot_every || limits.snapshot_signal))
		message_print("tau-record", "%s: no snapshots are written: %s", directory,
			strerror(errno));
	measures = measures_begin(getenv("TAU_RECORD_DIR"), limits.system || limits.memory_every);
	program_signals_forward();
	/* Samples of what is measured would only add to it. */
	status = program_run(t, argv, &mask, directory, &job, &place, against ? NULL : &samples);
	measures_end(measures);
	dump_requests_end(requests);
	select_requests_end(selects, t);
	if (filtered_seen(watch))
		message_print("tau-record", "%s: processes that run under a seccomp filter were "
			"not recorded, because it may end them at a system call of the "
			"recorder; if it does not, use --trust-seccomp", directory);
	if (status < 0) {
		run_abandon(directory, &job);
		return fail_run(t->path, -1 - status);
	}
	if (live_dir && live_collect(directory, live_dir))
		message_print("tau-record", "%s: cannot move live files from here into the run",
			live_dir);
	record_end(t, directory, &job, status, &place, samples, against ? &other : NULL);
	return program_end_like(status);
}

/* Runs the program without the recorder; the run is its CPU time. */
static int run_alone(const struct target *t, char **argv)
{
	struct error e = {0};
	struct job job;
	char *directory;
	sigset_t all, mask;
	struct run_place place;
	int status;

	job_find(&job);
	directory = path_absolute(output ? output : job_directory(t, &job));
	if (dry_run)
		return show_command(t, argv);
	program_umask_narrow();
	if (run_claim(directory, &job, shared, &e) < 0)
		return refuse(t, argv, &job, &e);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &mask);
	program_signals_forward();
	status = program_run(t, argv, &mask, directory, &job, &place, NULL);
	if (status < 0) {
		run_abandon(directory, &job);
		return fail_run(t->path, -1 - status);
	}
	if (run_leave(directory, &job, status, &place) == RUN_LEFT_JOB)
		alone_close(directory, &place);
	else
		run_close(&place, 0, NULL);
	return program_end_like(status);
}

/* --control: self is the name that this program has in its command line. */
static int run_control(const char *self, char **command)
{
	struct error e = {0};
	int code;

	if (!control_on.program)
		control_on.program = *self == '/' ? self : "tau-record";
	code = control_on.names || control_on.file
		       ? control_hosts(&control_on, &control, command, &e)
		       : control_command(&control, command, &e);
	return code < 0		      ? fail(EXIT_OURS, &e)
	       : code == CONTROL_NONE ? fail(code, &e)
				      : program_end(&program, code);
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
	if (combinations_check(&given, argc - first, &e) < 0)
		return fail(EXIT_OURS, &e);
	if (types && !memory)
		memory = "";
	if (header)
		return make_wrapper(header, library_operand(list, argv + first, argc - first),
				    output, &e) < 0
			       ? fail(EXIT_OURS, &e)
			       : program_end(&program, 0);
	if (list && *list)
		return error_set(&e, ERROR_USAGE, "-l takes a name with --make-wrapper only"),
		       fail(EXIT_OURS, &e);
	if (variables_wanted)
		return tau_variables_list(), program_end(&program, 0);
	environment_parse();
	if (wrappers_check(wrap, &e) < 0 || wrappers_openmp(openmp, &e) < 0 ||
	    sampling_get(sample, unwind, &sampling, &e) < 0 ||
	    tracking_set(&(struct tracking){memory, limits.memory_every, metrics}, &memory_wanted,
			 &e) < 0 ||
	    types_set(types, doctor_wanted ? stdout : NULL, &e) < 0)
		return fail(EXIT_OURS, &e);
	if (limits.estimate)
		sampling_not_unasked(&sampling);
	if (mpi_list)
		return mpi_variables_list(argv + first, argc - first, &e) < 0
			       ? fail(EXIT_OURS, &e)
			       : program_end(&program, 0);
	if (doctor_wanted)
		return program_end(&program, doctor());
	if (control.run)
		return run_control(argv[0], argv + first);
	if (limits_check(&limits, &e) < 0 || mpi_variables_set(mpi_settings, &e) < 0)
		return fail(EXIT_OURS, &e);
	if (output && !strcmp(output, "-")) {
		error_set(&e, ERROR_USAGE,
			  "--output: a run is a directory, not standard output");
		return fail(EXIT_OURS, &e);
	}
	if (list && first == argc)
		return wrappers_list(NULL, wrap), program_end(&program, 0);
	if (first == argc) {
		error_set(&e, ERROR_USAGE, "no program given (see tau-record --help)");
		return fail(EXIT_OURS, &e);
	}
	if (target_is_launcher(argv[first])) {
		error_set(&e, ERROR_USAGE,
			  "put tau-record between the launcher and the program: %s [its options] "
			  "tau-record ./app",
			  argv[first]);
		return fail(EXIT_OURS, &e);
	}
	found = library_find("", library);
	if (found && strpbrk(library, " :")) {
		error_set(&e, ERROR_SYSTEM,
			  "%s: the loader cannot preload from a folder with a space or colon in "
			  "its name; move the tools",
			  library);
		return fail(EXIT_OURS, &e);
	}
	if (target_find(argv[first], found ? library : NULL, &t, &e) < 0)
		return fail_run(argv[first], errno);
	if (!t.obstacle)
		t.obstacle = seccomp_check(trust_seccomp);
	wrap = wrappers_resolve(&t, wrap);
	if (list)
		return wrappers_list(&t, wrap), program_end(&program, 0);
	if (alone)
		return run_alone(&t, argv + first);
	if (t.obstacle && !dry_run)
		return run_plain(&t, argv + first);
	return record(&t, argv + first);
}
