/*
 * metadata.h: the names of metadata that this project writes and reads, each once. Names only:
 * every room may include it. man/tau-trace.5 describes what they hold.
 */
#ifndef RECORD_METADATA_H
#define RECORD_METADATA_H

/* Names that TAU uses, too, and those of the runtimes */
#define TAU_META_CPU_CORES "CPU Cores"
#define TAU_META_CPUS_ALLOWED "CPUs Allowed"
#define TAU_META_CUBE_METRICS_LEFT_OUT "Cube Metrics Left Out"
#define TAU_META_CUBE_PARAMETERS_LEFT_OUT "Cube Parameters Left Out"
#define TAU_META_ENDING_TIMESTAMP "Ending Timestamp"
#define TAU_META_EXECUTABLE "Executable"
#define TAU_META_HOSTNAME "Hostname"
#define TAU_META_OPENSHMEM_LIBRARY "OpenSHMEM Library"
#define TAU_META_OPENSHMEM_THREAD_LEVEL "OpenSHMEM Thread Level"
#define TAU_META_OPENSHMEM_VERSION "OpenSHMEM Version"
#define TAU_META_PARENT_PID "Parent PID"
#define TAU_META_STARTING_TIMESTAMP "Starting Timestamp"
#define TAU_META_SYSTEM_TIME_US "System Time (us)"
#define TAU_META_THREAD_NAME "Thread Name"
#define TAU_META_USER_TIME_US "User Time (us)"

/* The clock and the numbers of threads, and how long the recorder itself took */
#define TAU_META_CLOCK "TAU Clock"
/* At each end: the time of a host's own clock, the ns to add for rank 0's host, and the possible error */
#define TAU_META_CLOCK_COMPARED_END_NS   "TAU Clock Compared at End (ns)"
#define TAU_META_CLOCK_COMPARED_START_NS "TAU Clock Compared at Start (ns)"
#define TAU_META_CLOCK_DOUBT_END_NS      "TAU Clock Doubt at End (ns)"
#define TAU_META_CLOCK_DOUBT_START_NS    "TAU Clock Doubt at Start (ns)"
#define TAU_META_CLOCK_OFFSET_AT "TAU Clock Offset at "
#define TAU_META_CLOCK_OFFSET_END_NS     "TAU Clock Offset at End (ns)"
#define TAU_META_CLOCK_OFFSET_START_NS   "TAU Clock Offset at Start (ns)"
/* The three numbers in one text, in older traces */
#define TAU_META_CLOCK_OFFSETS_END     "TAU Clock Offset at End"
#define TAU_META_CLOCK_OFFSETS_START   "TAU Clock Offset at Start"
#define TAU_META_CLOCK_WAS_OFFSET_AT "TAU Clock Was Offset at "
#define TAU_META_CALLS_MAY_BE_FOLDED "TAU Calls May Be Folded"
#define TAU_META_CHUNKS_MAY_BE_REMOVED "TAU Chunks May Be Removed"
#define TAU_META_COMPRESSION "TAU Compression"
#define TAU_META_FIRST_CHUNK_BYTES "TAU First Chunk Bytes"
#define TAU_META_FIRST_CHUNK_RECORDS "TAU First Chunk Records"
#define TAU_META_PROCESS_NUMBER "TAU Process Number"
#define TAU_META_STARTING_TIME_NS "TAU Starting Time (ns)"
#define TAU_META_STORING_TIME_NS "TAU Storing Time (ns)"
/* Of a thread of a profile, "yes": it is a queue of a device, as a stream of CUDA */
#define TAU_META_DEVICE_QUEUE "TAU Device Queue"
/* The same: it holds values of counters and is no thread, as a location of OTF2 for metrics */
#define TAU_META_VALUES_ONLY "TAU Values Only"
/* The same: its process is no PE, as a shell script that starts a rank of MPI (trace_process.no_pe) */
#define TAU_META_NOT_A_PE "TAU Not A PE"
/* Of a run: its overhead, between the next two. The last is "1" if a run without recording shows it, "0" if it is an estimate */
#define TAU_META_CPU_ADDED_US "TAU CPU Time Added By Recording (us)"
#define TAU_META_CPU_ADDED_LEAST_US "TAU CPU Time Added By Recording At Least (us)"
#define TAU_META_CPU_ADDED_MOST_US "TAU CPU Time Added By Recording At Most (us)"
#define TAU_META_CPU_ALONE_US "TAU CPU Time Without Recording (us)"
#define TAU_META_CPU_MEASURED "TAU CPU Time Without Recording Is Measured"
/* Of a process: "1" if Python's profile hook is set, under which the interpreter itself is slower */
#define TAU_META_PYTHON_PROFILE_HOOK "TAU Python Profile Hook"
/* Of a process, followed by ": " and the number of the thread */
#define TAU_META_THREAD_CPU_PPM "TAU Thread CPU Time (ppm)"
#define TAU_META_THREAD_ASLEEP_US "TAU Thread Asleep (us)"
#define TAU_META_THREAD_TO_RUN_US "TAU Thread Waiting To Run (us)"
#define TAU_META_THREAD_NUMBERS "TAU Thread Numbers"
#define TAU_META_WRITING_TIME_NS "TAU Writing Time (ns)"

/* What recording costs an event or a call, and how many calls were folded or not written */
#define TAU_META_CALLS_KEPT_OUT "TAU Calls Kept Out"
#define TAU_META_CALLS_NOT_WRITTEN "TAU Calls Not Written"
#define TAU_META_CALL_COST_INSIDE_PS "TAU Call Cost Inside (ps)"
#define TAU_META_CALL_COST_LEAST_INSIDE_PS "TAU Call Cost Least Inside (ps)"
#define TAU_META_CALL_COST_LEAST_OUTSIDE_PS "TAU Call Cost Least Outside (ps)"
#define TAU_META_CALL_COST_MOST_INSIDE_PS "TAU Call Cost Most Inside (ps)"
#define TAU_META_CALL_COST_MOST_OUTSIDE_PS "TAU Call Cost Most Outside (ps)"
#define TAU_META_CALL_COST_OUTSIDE_PS "TAU Call Cost Outside (ps)"
#define TAU_META_CALL_COST_SPREAD_PS "TAU Call Cost Spread (ps)"
#define TAU_META_EMPTY_HOOKS_BARE_COST_PS "TAU Empty Hooks Bare Cost (ps)"
#define TAU_META_EMPTY_HOOKS_COST_PS "TAU Empty Hooks Cost (ps)"
#define TAU_META_EVENT_COST_PS "TAU Event Cost (ps)"
#define TAU_META_FOLDED_CALLS "TAU Folded Calls"
#define TAU_META_FOLDED_CALL_COST_PS "TAU Folded Call Cost (ps)"
#define TAU_META_FOLD_RECORDS "TAU Fold Records"
#define TAU_META_KEPT_OUT_CALL_COST_PS "TAU Kept Out Call Cost (ps)"
#define TAU_META_SAMPLING_COST_NS "TAU Sampling Cost (ns)"
#define TAU_META_TINY_CALL_COST_DROPPED_PS "TAU Tiny Call Cost Dropped (ps)"
#define TAU_META_TINY_CALL_COST_FOLDED_PS "TAU Tiny Call Cost Folded (ps)"
#define TAU_META_TINY_CALL_COST_PS "TAU Tiny Call Cost (ps)"

/* What --budget and throttling did; what ends in ": " is followed by a region */
#define TAU_META_BUDGET_OWN_TIME_NS "TAU Budget Own Time (ns)"
#define TAU_META_BUDGET_PPM "TAU Budget (ppm)"
#define TAU_META_BUDGET_RECORDS "TAU Budget Records"
#define TAU_META_BUDGET_RECORDS_NEVER_DROPPED "TAU Budget Records Never Dropped"
#define TAU_META_BUDGET_SPENT_NS "TAU Budget Spent (ns)"
#define TAU_META_BUDGET_SPENT_ON_DROPPED_NS "TAU Budget Spent On Dropped (ns)"
#define TAU_META_BUDGET_SPENT_ON_MEMORY_NS "TAU Budget Spent On Memory (ns)"
#define TAU_META_BUDGET_SPENT_ON_MESSAGES_NS "TAU Budget Spent On Messages And Events (ns)"
#define TAU_META_CALLS_NOT_RECORDED "TAU Calls Not Recorded: "
#define TAU_META_DROPPED "TAU Dropped: "
#define TAU_META_FOLDED "TAU Folded: "
#define TAU_META_THROTTLED "TAU Throttled: "

/* What was lost, repaired or excluded */
#define TAU_META_CUDA_NOT_RECORDED "CUDA is not recorded"
#define TAU_META_CUDA_RECORDS_LOST "CUDA records lost"
#define TAU_META_CLASS_ALLOCATION_MISMATCHES "TAU Class Allocation Mismatches"
#define TAU_META_COMMAND "TAU Command "
#define TAU_META_COMMAND_TIME_NS "TAU Command Time (ns) "
#define TAU_META_LOST_EVENTS "TAU Lost Events"
/* Events of threads whose streams were gone, which are in no chunk's `lost` */
#define TAU_META_LOST_EVENTS_OUTSIDE "TAU Lost Events Outside"
#define TAU_META_METRICS_NOT_PROVIDED "TAU Metrics Not Provided"
#define TAU_META_PATCHED_FUNCTIONS "TAU Patched Functions"
#define TAU_META_RECORDING_PAUSED "TAU Recording Paused"
#define TAU_META_RECORDING_PAUSED_US "TAU Recording Paused (us)"
#define TAU_META_RECORDS_NOT_KEPT "TAU Records Not Kept"
#define TAU_META_REPAIRED_FRAMES "TAU Repaired Frames"
#define TAU_META_UNMATCHED_STOPS "TAU Unmatched Stops"

/* Counters whose names several files use; the first one is TAU's */
#define TAU_COUNTER_HEAP_KB "Heap Memory Used (KB)"
#define TAU_COUNTER_SAMPLES_INSIDE "Sampling periods inside the recorder"
#define TAU_COUNTER_SAMPLES_MISSED "Sampling periods missed"

/* Sampling */
#define TAU_META_SAMPLES "TAU Samples"
#define TAU_META_SAMPLING_PERIODS_INSIDE "TAU Sampling Periods Inside The Recorder"
#define TAU_META_SAMPLING_PERIODS_MISSED "TAU Sampling Periods Missed"
#define TAU_META_NO_SAMPLES_TRACED "TAU No Samples Because Traced"
#define TAU_META_THREADS_NOT_SAMPLED "TAU Threads Not Sampled"

/* Memory */
#define TAU_META_PEAK_RESIDENT_KB "Peak Memory Usage Resident Set Size (VmHWM) (KB)"
/* By calls that read and write, of files, pipes and sockets, with those of the recorder (/proc/PID/io) */
#define TAU_META_BYTES_READ "TAU Bytes Read"
#define TAU_META_BYTES_WRITTEN "TAU Bytes Written"
#define TAU_META_HEAP_METER "TAU Heap Meter"
/* Followed by what was counted, and " Bytes" */
#define TAU_META_MEMORY "TAU Memory "
#define TAU_META_MEMORY_BLOCKS_NOT_RECORDED "TAU Memory Blocks Not Recorded"
#define TAU_META_MEMORY_BYTES_NOT_RECORDED "TAU Memory Bytes Not Recorded"
#define TAU_META_MEMORY_CENSUS_OF "TAU Memory Census Of"
#define TAU_META_MEMORY_CENSUS_US "TAU Memory Census us"
#define TAU_META_MEMORY_CLAIMS "TAU Memory Claims"
#define TAU_META_MEMORY_CLASSES "TAU Memory Classes"
#define TAU_META_MEMORY_CONSTRUCTED_OBJECTS "TAU Memory Constructed Objects"
#define TAU_META_MEMORY_CPYTHON "TAU Memory CPython"
#define TAU_META_MEMORY_HEADROOM_LEAST "TAU Memory Headroom Least"
#define TAU_META_MEMORY_HEADROOM_LEAST_BYTES "TAU Memory Headroom Least (bytes)"
#define TAU_META_MEMORY_LEAKS_NOT_LOOKED_FOR "TAU Memory Leaks Not Looked For"
#define TAU_META_MEMORY_LEAK_UNREAD_BYTES "TAU Memory Leak Unread Bytes"
#define TAU_META_MEMORY_LIMITS "TAU Memory Limits"
#define TAU_META_MEMORY_LIVE_BLOCKS "TAU Memory Live Blocks"
#define TAU_META_MEMORY_LIVE_BYTES "TAU Memory Live Bytes"
#define TAU_META_MEMORY_LOST_BLOCKS "TAU Memory Lost Blocks"
#define TAU_META_MEMORY_LOST_BYTES "TAU Memory Lost Bytes"
#define TAU_META_MEMORY_LOST_FREES "TAU Memory Lost Frees"
#define TAU_META_MEMORY_MISSED_CLAIMS "TAU Memory Missed Claims"
#define TAU_META_MEMORY_OWNER_AGREEMENTS "TAU Memory Owner Agreements"
#define TAU_META_MEMORY_OWNER_DISAGREEMENTS "TAU Memory Owner Disagreements"
#define TAU_META_MEMORY_POINTERS "TAU Memory Pointers"
#define TAU_META_MEMORY_STACKS "TAU Memory Stacks"
#define TAU_META_MEMORY_STACKS_CUT "TAU Memory Stacks Cut"
#define TAU_META_MEMORY_STILL_REACHABLE_BLOCKS "TAU Memory Still Reachable Blocks"
#define TAU_META_MEMORY_STILL_REACHABLE_BYTES "TAU Memory Still Reachable Bytes"
#define TAU_META_MEMORY_STOPPED_US "TAU Memory Stopped (us)"
#define TAU_META_MEMORY_UNCHECKED_CLAIMS "TAU Memory Unchecked Claims"
#define TAU_META_MEMORY_UNREAD_BYTES "TAU Memory Unread Bytes"
#define TAU_META_MEMORY_UNTRACKED_BLOCKS "TAU Memory Untracked Blocks"
#define TAU_META_MEMORY_WRONG_CLAIMS "TAU Memory Wrong Claims"

/* Profiles */
#define TAU_META_AGGREGATES_SKIPPED "TAU Aggregates Skipped"
#define TAU_META_FILES_LEFT_OUT "TAU Files Left Out"
#define TAU_META_RECORDING_LEAST_US "TAU Recording Least (us)"
#define TAU_META_RECORDING_MOST_US "TAU Recording Most (us)"
#define TAU_META_TEXT_IGNORED "Text Ignored"
#define TAU_META_NOTES "TAU Notes"
#define TAU_META_VALUES_MISSING "TAU Values Missing"
#define TAU_META_WINDOW "TAU Window"
#define TAU_META_WINDOW_BEGIN_US "TAU Window Begin (us)"
#define TAU_META_WINDOW_END_US "TAU Window End (us)"

/* Followed by the name of a variable of MPI's tool interface; the second is no metadata, but a counter */
#define TAU_META_MPI_CONTROL_VARIABLE "MPI Control Variable: "
#define TAU_EVENT_MPI_T "MPI_T "
/* Counters of the wrapper shmem: the bytes in use after each request, and requests that got no memory */
#define TAU_EVENT_SYMMETRIC_HEAP_USED "Symmetric heap used"
#define TAU_EVENT_SYMMETRIC_HEAP_REFUSED "Symmetric heap refused"

/* With this begin the names of rows of a profile that are no regions of the program, also in those of TAU */
#define TAU_REGION_OWN ".TAU "
#define TAU_REGION_OFF "MEASUREMENT OFF"	/* the time in which recording was off; as Score-P calls it */
/* Metrics that are the bytes on the heap and those that the process could still get, and the region of the census of memory */
#define TAU_METRIC_HEAP ".TAU heap"
#define TAU_METRIC_HEADROOM ".TAU headroom"
/* Metrics of a profile: the limits of its times without the cost of recording */
#define TAU_METRIC_COMPENSATED_LEAST "COMPENSATED_TIME_LEAST"
#define TAU_METRIC_COMPENSATED_MOST "COMPENSATED_TIME_MOST"
#define TAU_REGION_CENSUS ".TAU memory census"
/* Values: of TAU_META_CLOCK, of TAU_META_COMPRESSION, and of a variable of MPI that cannot be set */
#define TAU_CLOCK_NAME_MONOTONIC "CLOCK_MONOTONIC"
#define TAU_COMPRESSION_ISAL "isa-l"
#define TAU_MPI_T_CONSTANT "constant"

/* Causes for which a metric is refused, from the recorder to tau-record */
#define TAU_REFUSED_NO_PAPI "no-papi"
#define TAU_REFUSED_NO_COUNTERS "no-counters"
#define TAU_REFUSED_PERMISSION "permission"
#define TAU_REFUSED_OTHER "other"

/* Followed by a name: the command of MPI_Comm_spawn(), and the type of memory */
#define TAU_META_SPAWNED "TAU Spawned: "
#define TAU_META_MEMORY_TYPE "TAU Memory Type: "

/* Of a run of tau-experiment. The first is the same for all runs of an experiment, the second different in each */
#define TAU_META_EXPERIMENT_ID "ExperimentId"
#define TAU_META_EXPERIMENT_RUN "ExperimentRun"
#define TAU_META_EXPERIMENT_SIZE "Size"
#define TAU_META_EXPERIMENT_REPEAT "Repeat"
#define TAU_META_EXPERIMENT_VARIANT "Variant"
#define TAU_META_EXPERIMENT_COMMAND "Launch Command"
#define TAU_META_EXPERIMENT_RECORD "Record Options"
#define TAU_META_EXPERIMENT_SECONDS "Elapsed Time (s)"
#define TAU_META_EXPERIMENT_COMMIT "Commit"
#define TAU_META_EXPERIMENT_COMPILER "Compiler"

/*
 * A kind of lock that is none: a value of it is the number of the team of OpenMP's threads that the thread is in from here on, of teams
 * that became active while another one of the process was; 0: another team, or none.
 */
#define TAU_LOCK_TEAM "omp team"

#define TAU_MESSAGES ".messages"	/* a file of the run: lines that a process could not print, because its stderr was another file by then */

#endif
