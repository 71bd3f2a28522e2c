/*
 * tau_variables.c: what each environment variable of TAU does here. The variables are those that
 * TAU's library reads, of its version of July 2026, and two names of older versions.
 */
#include "cmd/shared/tau_variables.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/message.h"
#include "cmd/shared/tau_conf.h"

enum variable_use {
	HONOURED,	/* it means the same here */
	TRANSLATED,	/* it means the option in the text */
	ALWAYS,		/* what it switches on is always on */
	IGNORED,	/* it has no effect; the text is what to use instead, or the reason */
};

static const char *const use_names[] = {"honoured", "translated", "always on", "ignored"};

static const struct tau_variable {
	const char *name;
	enum variable_use use;
	const char *text;
} rows[] = {
	/* where results go */
	{"PROFILEDIR", HONOURED, "where profiles and snapshots of the running program go"},
	{"TRACEDIR", TRANSLATED, "--output"},
	{"TAU_LOG_PATH", IGNORED, "--output names the directory of a run"},
	{"COBALT_JOBID", HONOURED, "names the run"},
	{"TAU_PROFILE", ALWAYS, "tau-trace2profile computes profiles of each run"},
	{"TAU_TRACE", ALWAYS, "a run is a trace"},
	{"TAU_PROFILE_FORMAT", IGNORED, "tau-trace2profile --format writes other formats"},
	{"TAU_TRACE_FORMAT", IGNORED, "tau-convert --to writes other formats"},
	{"TAU_PROFILE_PREFIX", IGNORED, "tau-trace2profile --output names the directory"},
	{"TAU_TRACEFILE", IGNORED, "a run is read as it is; tau-convert merges it into one trace"},
	{"TAU_KEEP_TRACEFILES", ALWAYS, "a run is not changed by what reads it"},
	{"TAU_CHILD_FORKDIRS", ALWAYS, "each process has files of its own"},
	{"TAU_SUMMARY", ALWAYS, "tau-report prints summaries of all ranks"},
	{"TAU_STAT_PRECOMPUTE", ALWAYS, "reports compute statistics over all ranks"},
	{"TAU_CONF", HONOURED, "the file in place of tau.conf: it is named, without effect"},
	/* what the recorder prints */
	{"TAU_VERBOSE", TRANSLATED, "--verbose"},
	{"TAU_VERBOSE_FILE", IGNORED, "messages go to standard error"},
	{"TAU_VERBOSE_RANK", IGNORED, "one rank prints messages for all"},
	/* regions */
	{"TAU_SELECT_FILE", TRANSLATED, "--select"},
	{"TAU_THROTTLE", TRANSLATED, "--throttle"},
	{"TAU_THROTTLE_NUMCALLS", TRANSLATED, "CALLS of --throttle"},
	{"TAU_THROTTLE_PERCALL", TRANSLATED, "TIME of --throttle"},
	{"TAU_DEPTH_LIMIT", TRANSLATED, "--depth"},
	{"TAU_CALLPATH", HONOURED,
	 "profiles and snapshots of the running program have call paths; reports always have them"},
	{"TAU_CALLPATH_DEPTH", HONOURED, "the length of these call paths"},
	{"TAU_CALLSITE", TRANSLATED, "--call-sites"},
	{"TAU_CALLSITE_DEPTH", IGNORED,
	 "--call-sites has the line of the caller; samples have all callers"},
	{"TAU_CALLSITE_OFFSET", IGNORED, "callers are found without it"},
	{"TAU_COMPENSATE", HONOURED,
	 "tau-trace2profile adds times without the overhead, as intervals"},
	{"TAU_COMPENSATE_ITERATIONS", IGNORED,
	 "the cost of an event is measured as long as needed"},
	{"TAU_DISABLE_INSTRUMENTATION", IGNORED, "run the program without tau-record"},
	{"TAU_RUNTIME_DISABLE_TARGET", IGNORED, "--no-groups and --select exclude regions"},
	{"TAU_RUNTIME_DISABLE_TRIGGER", IGNORED, "--stop ends recording at a region"},
	{"TAU_RUNTIME_ENABLE_TARGET", IGNORED, "--groups and --select choose regions"},
	{"TAU_RUNTIME_ENABLE_TRIGGER", IGNORED, "--start begins recording at a region"},
	{"TAU_LITE", IGNORED, "--budget limits the overhead"},
	{"TAU_ENABLE_THREAD_CONTEXT", ALWAYS, "each thread has its own call stack"},
	{"TAU_REGION_ADDRESSES", IGNORED, "regions have files and lines"},
	{"TAU_CURRENT_TIMER_EXIT_PARAMS", IGNORED, "parameters are taken at the enter of a timer"},
	{"TAU_RECYCLE_THREADS", IGNORED, "each thread keeps its own files"},
	{"TAU_PTHREAD_STACK_SIZE", IGNORED, "threads have the stack that the program chooses"},
	{"TAU_MAX_RECORDS", IGNORED, "--max-size and --flight limit a run"},
	{"TAU_EVENT_THRESHOLD", IGNORED,
	 "reports find the largest values; nothing is written when they occur"},
	{"TAU_ANONYMIZE", IGNORED, "names are those of the program"},
	/* metrics and metadata */
	{"TAU_METRICS", TRANSLATED, "--metrics"},
	{"TAU_PAPI_MULTIPLEXING", IGNORED, "counters do not share hardware"},
	{"TAU_PAPI_DOMAIN", IGNORED, "counters count in PAPI's usual domain"},
	{"TAU_IBM_BG_HWP_COUNTERS", IGNORED, "--metrics has counters of PAPI"},
	{"TAU_METADATA", IGNORED, "tau-db import --metadata NAME=VALUE adds it"},
	{"TAU_MERGE_METADATA", ALWAYS, "a run has the metadata of all its processes"},
	{"TAU_DISABLE_METADATA", IGNORED, "metadata is recorded"},
	{"TAU_SET_NODE", IGNORED, "the launcher numbers the ranks"},
	{"TAU_EXEC_ARGS", ALWAYS, "the command line is metadata"},
	{"TAU_EXEC_PATH", ALWAYS, "the path of the program is metadata"},
	/* MPI */
	{"TAU_SYNCHRONIZE_CLOCKS", HONOURED, "clocks of hosts are compared"},
	{"TAU_TRACK_MESSAGE", ALWAYS, "messages are recorded"},
	{"TAU_COMM_MATRIX", ALWAYS, "tau-report comm prints it"},
	{"TAU_TRACK_MPI_T_PVARS", TRANSLATED, "--mpi-t"},
	{"TAU_MPI_T_CVAR_METRICS", TRANSLATED, "names for --mpi-t-set"},
	{"TAU_MPI_T_CVAR_VALUES", TRANSLATED, "values for --mpi-t-set"},
	{"TAU_MPI_T_COMM_METRIC_VALUES", IGNORED, "no values are written for each communicator"},
	{"TAU_MPI_T_ENABLE_USER_TUNING_POLICY", IGNORED,
	 "control variables keep the values of --mpi-t-set"},
	/* memory */
	{"TAU_TRACK_HEAP", TRANSLATED, "--memory=census,heap"},
	{"TAU_TRACK_HEADROOM", TRANSLATED, "--memory=headroom"},
	{"TAU_TRACK_MEMORY_HEADROOM", TRANSLATED, "--memory=headroom"},
	{"TAU_TRACK_MEMORY_LEAKS", TRANSLATED, "--memory=leaks"},
	{"TAU_TRACK_MEMORY_FOOTPRINT", TRANSLATED, "--system"},
	{"TAU_MEMORY_TYPES", TRANSLATED, "--types"},
	{"TAU_MEM_CLASSES", HONOURED, "the classes that class-allocation calls record"},
	{"TAU_MEM_CONTEXT", HONOURED, "class-allocation calls count by call path"},
	{"TAU_SHOW_MEMORY_FUNCTIONS", IGNORED,
	 "calls that allocate are events of memory, not regions"},
	{"TAU_MEMMGR_MAX_BLOCKS", IGNORED, "the recorder's memory grows as needed"},
	{"TAU_MEMDBG_PROTECT_ABOVE", IGNORED, "-fsanitize=address finds writes after a block"},
	{"TAU_MEMDBG_PROTECT_BELOW", IGNORED, "-fsanitize=address finds writes before a block"},
	{"TAU_MEMDBG_PROTECT_FREE", IGNORED, "-fsanitize=address finds uses after free"},
	{"TAU_MEMDBG_PROTECT_GAP", IGNORED, "blocks are not guarded"},
	{"TAU_MEMDBG_FILL_GAP", IGNORED, "blocks are not guarded"},
	{"TAU_MEMDBG_ALLOC_MIN", IGNORED, "blocks are not guarded"},
	{"TAU_MEMDBG_ALLOC_MAX", IGNORED, "blocks are not guarded"},
	{"TAU_MEMDBG_OVERHEAD", IGNORED, "blocks are not guarded"},
	{"TAU_MEMDBG_ALIGNMENT", IGNORED, "blocks are not guarded"},
	{"TAU_MEMDBG_ZERO_MALLOC", IGNORED, "blocks are not guarded"},
	{"TAU_MEMDBG_ATTEMPT_CONTINUE", IGNORED, "blocks are not guarded"},
	/* the host and files */
	{"TAU_INTERRUPT_INTERVAL", HONOURED, "the interval of the heap, the headroom and --system"},
	{"TAU_TRACK_LOAD", TRANSLATED, "--system"},
	{"TAU_TRACK_POWER", TRANSLATED, "--system"},
	{"TAU_TRACK_IO_PARAMS", ALWAYS, "--wrap io has files, offsets and bytes"},
	/* signals */
	{"TAU_TRACK_SIGNALS", IGNORED,
	 "a run of a killed program is complete; tau-report hang has its end"},
	{"TAU_TRACK_PYSIGNALS", IGNORED,
	 "a run of a killed program is complete; tau-report hang has its end"},
	{"TAU_SIGNALS_GDB", IGNORED, "attach a debugger: gdb -p PID"},
	{"TAU_ECHO_BACKTRACE", IGNORED, "tau-report hang prints the call paths at the end"},
	{"TAU_SIGUSR1_ACTION", IGNORED, "--snapshot-signal USR1 and --toggle-signal USR1"},
	{"TAU_CONTROL_FILE", IGNORED, "--control RUN commands a run"},
	/* samples */
	{"TAU_SAMPLING", TRANSLATED, "--sample"},
	{"TAU_EBS_PERIOD", TRANSLATED, "PERIOD of --sample"},
	{"TAU_EBS_UNWIND", TRANSLATED, "--unwind"},
	{"TAU_EBS_UNWIND_DEPTH", TRANSLATED, "DEPTH of --unwind"},
	{"TAU_EBS_RESOLUTION", HONOURED, "--sample-resolution of reports"},
	{"TAU_EBS_SOURCE", IGNORED, "samples are taken by CPU time"},
	{"TAU_EBS_INCLUSIVE", ALWAYS, "reports have inclusive values of samples"},
	{"TAU_EBS_KEEP_UNRESOLVED_ADDR", ALWAYS, "addresses without a name are FILE+ADDRESS"},
	{"TAU_MEASURE_TAU", ALWAYS, "samples inside the recorder have a row of their own"},
	{"TAU_BFD_LOOKUP", ALWAYS, "readers find names, files and lines"},
	/* OpenMP */
	{"TAU_OPENMP_RUNTIME", ALWAYS, "OpenMP is recorded by default"},
	{"TAU_OPENMP_RUNTIME_EVENTS", ALWAYS, "OpenMP is recorded by default"},
	{"TAU_OPENMP_RUNTIME_STATES", IGNORED, "--openmp all has all constructs"},
	{"TAU_OPENMP_RUNTIME_CONTEXT", IGNORED, "constructs of OpenMP are regions"},
	{"TAU_OMPT_SUPPORT_LEVEL", IGNORED, "--openmp parallel, constructs or all"},
	{"TAU_OMPT_RESOLVE_ADDRESS_EAGERLY", ALWAYS, "readers find names, files and lines"},
	{"TAU_OMPT_FORCE_FINALIZE", ALWAYS, "a run is complete however the program ends"},
	{"TAU_OMPT_DISABLE_OFFLOAD", IGNORED, "OpenMP on devices is not recorded"},
	{"TAU_MIC_OFFLOAD", IGNORED, "Xeon Phi is not recorded"},
	/* GPUs and other devices */
	{"TAU_CUPTI_API", ALWAYS, "--wrap cuda has both interfaces"},
	{"TAU_CUPTI_RUNTIME", ALWAYS, "--wrap cuda has both interfaces"},
	{"TAU_CUPTI_DRIVER", ALWAYS, "--wrap cuda has both interfaces"},
	{"TAU_CUPTI_PC", IGNORED, "instructions of kernels are not sampled"},
	{"TAU_CUPTI_PC_HWB", IGNORED, "instructions of kernels are not sampled"},
	{"TAU_CUPTI_PC_PERIOD", IGNORED, "instructions of kernels are not sampled"},
	{"TAU_CUDA_BINARY_EXE", IGNORED, "instructions of kernels are not counted"},
	{"TAU_CUDA_DEVICE_NAME", IGNORED, "counters of devices are not read"},
	{"TAU_TRACK_CUDA_INSTRUCTIONS", IGNORED, "instructions of kernels are not counted"},
	{"TAU_TRACK_CUDA_SASS", IGNORED, "instructions of kernels are not counted"},
	{"TAU_SASS_TYPE", IGNORED, "instructions of kernels are not counted"},
	{"TAU_OUTPUT_CUDA_CSV", IGNORED, "tau-report devices -f csv"},
	{"TAU_TRACK_CUDA_CDP", IGNORED, "kernels that kernels start are not recorded"},
	{"TAU_TRACK_CUDA_ENV", IGNORED, "power and clocks of devices are not read"},
	{"TAU_TRACK_UNIFIED_MEMORY", ALWAYS,
	 "--wrap cuda has migrations and page faults of unified memory"},
	{"TAU_THREAD_PER_GPU_STREAM", ALWAYS, "each queue of a device has a row of its own"},
	{"TAU_NCCL_POOLSIZE", IGNORED, "NCCL has no wrapper"},
	{"TAU_USE_ROCPROFILERSDK", IGNORED,
	 "of ROCm only ranges of ROCTX are recorded, by --wrap roctx"},
	{"TAU_USE_ROCPROFV2", IGNORED,
	 "of ROCm only ranges of ROCTX are recorded, by --wrap roctx"},
	{"TAU_ROCM_PCS_CUS", IGNORED, "of ROCm only ranges of ROCTX are recorded, by --wrap roctx"},
	{"ROCPROFILER_PC_SAMPLING_BETA_ENABLED", IGNORED,
	 "of ROCm only ranges of ROCTX are recorded, by --wrap roctx"},
	{"ROCPROFILER_PCS_HOST", IGNORED,
	 "of ROCm only ranges of ROCTX are recorded, by --wrap roctx"},
	{"ROCPROFILER_PCS_STOC", IGNORED,
	 "of ROCm only ranges of ROCTX are recorded, by --wrap roctx"},
	{"TAU_L0_SAMPLING_INTERVAL", IGNORED, "Level Zero has no wrapper"},
	{"L0_METRICGROUP", IGNORED, "Level Zero has no wrapper"},
	{"ZE_ENABLE_API_TRACING", IGNORED, "Level Zero has no wrapper"},
	{"ZE_ENABLE_STALL_SAMPLING", IGNORED, "Level Zero has no wrapper"},
	{"ZE_ENABLE_TRACING_LAYER", IGNORED, "Level Zero has no wrapper"},
	/* other programs */
	{"TAU_PLUGINS", IGNORED,
	 "tau-report plugin and tau-monitor --plugin load plug-ins; tau-plugin(7)"},
	{"TAU_PLUGINS_PATH", IGNORED, "plug-ins are named by their path"},
	{"TAU_PERFETTO_BUFFER_SIZE", IGNORED, "tau-convert --to json writes a trace for Perfetto"},
	{"TAU_PERFETTO_COMPRESS", IGNORED, "tau-convert --to json writes a trace for Perfetto"},
	{"TAU_PERFETTO_DEBUG", IGNORED, "tau-convert --to json writes a trace for Perfetto"},
	{"TAU_PERFETTO_FLUSH_PERIOD", IGNORED, "tau-convert --to json writes a trace for Perfetto"},
	{"TAU_PERFETTO_KEEP_FILES", IGNORED, "tau-convert --to json writes a trace for Perfetto"},
	{"TAU_PERFETTO_MERGE", IGNORED, "tau-convert --to json writes a trace for Perfetto"},
	{"TAU_BLAS_SERVER_HOOK", IGNORED, "--make-wrapper makes a wrapper of a library"},
	{"TAU_BLAS_SERVER_VERBOSE", IGNORED, "--make-wrapper makes a wrapper of a library"},
	{"TAU_BLAS_HOOK_VERBOSE", IGNORED, "--make-wrapper makes a wrapper of a library"},
	{"TAU_ALFRED_PORT", IGNORED, "Android is not supported"},
};

#define ROWS (sizeof(rows) / sizeof(*rows))

const char *tau_variable(const char *name)
{
	size_t i = 0;

	while (i < ROWS && strcmp(rows[i].name, name) != 0)
		i++;
	assert(i < ROWS && rows[i].use != IGNORED && rows[i].use != ALWAYS);
	return getenv(name);
}

void tau_variables_list(void)
{
	struct tau_conf conf;

	tau_conf_read(&conf, tau_variable("TAU_CONF"));
	printf("%-36s  %-10s  here\n", "variable of TAU", "use");
	for (size_t i = 0; i < ROWS; i++) {
		const char *set = getenv(rows[i].name),
			   *filed = tau_conf_get(&conf, rows[i].name);

		printf("%-36s  %-10s  %s", rows[i].name, use_names[rows[i].use], rows[i].text);
		if (set)
			text_printf(stdout, " (set to '%s')", set);
		if (filed)
			text_printf(stdout, " (%s sets it to '%s', which has no effect here)",
				    conf.path, filed);
		putchar('\n');
	}
	tau_conf_release(&conf);
}

/* "NAME, NAME": the variables that counts() selects, to be freed; NULL: none. */
static char *names_join(int (*counts)(const struct tau_variable *row, const void *of),
			const void *of)
{
	char *names = NULL;

	for (size_t i = 0; i < ROWS; i++) {
		char *more;

		if (!counts(&rows[i], of))
			continue;
		more = names ? mem_printf("%s, %s", names, rows[i].name) : mem_string(rows[i].name);
		free(names);
		names = more;
	}
	return names;
}

static int is_ignored(const struct tau_variable *row, const void *of)
{
	(void)of;
	return row->use == IGNORED && choice_on(getenv(row->name));
}

/* The file sets it, to another value than the environment. */
static int is_filed(const struct tau_variable *row, const void *of)
{
	const char *filed = tau_conf_get(of, row->name), *set = getenv(row->name);

	return row->use != ALWAYS && filed && !(set && !strcmp(set, filed));
}

void tau_variables_note(const char *program)
{
	char *names = names_join(is_ignored, NULL);
	struct tau_conf conf;

	if (names)
		message_print(program,
			      "%s: no effect here; tau-record --env lists what to use instead",
			      names);
	free(names);
	tau_conf_read(&conf, tau_variable("TAU_CONF"));
	names = names_join(is_filed, &conf);
	if (names)
		message_print(program,
			      "%s sets %s: no effect here; set them in the environment, or use "
			      "what tau-record --env lists",
			      conf.path, names);
	free(names);
	tau_conf_release(&conf);
}
