/* explain_times.c: what the columns of reports about times and samples of one run are. Formulas are those of table_formula.h. */
#include "cmd/report/explain.h"

/* clang-format off: one explanation, one paragraph */
const struct explanation explain_times[] = {
	{"overview", "section", NULL, "part of the overview", NULL, NULL},
	{"overview", "item", NULL, "fact, region or finding", NULL, NULL},
	{"overview", "finding", NULL, "what costs time or memory, largest cost first", NULL, NULL},
	{"overview", "value", NULL, "value of the fact, or cost of the finding", NULL, NULL},
	{"overview", "unit", NULL, "unit of the value", NULL, NULL},
	{"overview", "share_pct", NULL,
	 "share of the time of all threads that are counted (in JSON: fact whole)", NULL, NULL},
	{"overview", "detail", NULL, "where, and what else was recorded", NULL, NULL},
	{"overview", "command", NULL, "command that shows more", NULL, NULL},
	{"overview", "item", "overhead of recording",
	 "CPU time that recording added to all processes of the run. The share is of "
	 "the CPU time that the program uses alone: measured with tau-record --against, "
	 "otherwise estimated", NULL, "tau-record(1), Overhead"},
	{"overview", "item", "parallel efficiency",
	 "mean useful time of the PEs divided by the runtime; it is load balance x "
	 "communication efficiency x waits for threads and devices",
	 NULL, "POP"},
	{"overview", "item", "load balance",
	 "mean useful time plus waits for threads and devices, divided by the largest "
	 "of a PE", NULL, "POP"},
	{"overview", "item", "communication efficiency",
	 "largest useful time plus waits for threads and devices of a PE, divided by "
	 "the runtime; it is serialisation x transfer", NULL, "POP"},
	{"overview", "item", "serialisation",
	 "largest useful time plus waits for threads and devices of a PE, divided by "
	 "the runtime on an ideal network, where messages take no time", NULL, "POP"},
	{"overview", "item", "transfer",
	 "runtime on an ideal network divided by the runtime",
	 NULL, "POP"},
	{"overview", "item", "waits for threads and devices",
	 "mean useful time, divided by mean useful time plus waits for threads and "
	 "devices", NULL, "TALP"},
	{"overview", "item", "hybrid efficiency",
	 "mean useful time of all threads divided by the runtime",
	 NULL, "POP"},
	{"overview", "item", "for other PEs",
	 "sum of the waits in the rows below that late PEs cause; see tau-report waits",
	 NULL, "Scalasca"},
	{"overview", "item", "for other threads",
	 "sum of the waits in the rows below that late threads cause; see tau-report "
	 "waits", NULL, "Scalasca"},
	{"overview", "item", "queues of devices",
	 "number of CUDA streams and other queues of devices, which are not counted as "
	 "threads; the section devices shows how long they are busy", NULL, NULL},
	{"overview", "item", "for devices",
	 "exclusive time of calls that wait until a device is ready, such as "
	 "cudaStreamSynchronize, hipDeviceSynchronize, clFinish and acc wait; it is not "
	 "useful time", NULL, "ours"},
	{"overview", "item", "in calls that poll",
	 "exclusive time of calls that only test whether something is complete, such as "
	 "MPI_Iprobe, MPI_Test, shmem_test, trylock and sched_yield; it is neither "
	 "useful time nor part of the wait states", NULL, "ours"},
	{"tree", "kind", NULL,
	 "call path of threads, of queues of devices, or found by samples", NULL, NULL},
	{"profile tree", "region", NULL, "name of the region", NULL, NULL},
	{"profile", "subrs", NULL, "calls that the region made, over all threads", NULL, NULL},
	{"profile", "threads", NULL,
	 "number of counted threads that have the regions of the row", NULL, NULL},
	{"profile", "calls", NULL,
	 "number of calls over all threads; of code found by samples, the number of "
	 "samples", NULL, NULL},
	{"profile", "us_per_call", NULL, "inclusive time per call", NULL, NULL},
	{"profile tree", "exclusive", NULL,
	 "time in the region itself, without the regions that it called; sum over all "
	 "threads", NULL, "TAU"},
	{"profile tree", "inclusive", NULL,
	 "time from enter to leave, with the regions that it called; sum over all "
	 "threads; a recursive call counts once", NULL, "TAU"},
	{"profile", "share_pct", NULL,
	 "share of the exclusive time of all threads that are counted; the waiting "
	 "of threads that mostly wait is not", "100 * exclusive / whole", NULL},
	{"profile", "mean", NULL,
	 "exclusive time divided by the number of threads that can have the region; a "
	 "thread without it counts as 0", "exclusive / compared", NULL},
	{"profile", "largest", NULL, "largest exclusive time of one thread", NULL, NULL},
	{"profile imbalance", "where", NULL,
	 "rank of the thread with the largest time, or RANK.THREAD if processes have "
	 "several threads", NULL, NULL},
	{"profile imbalance", "imbalance", NULL,
	 "largest divided by mean; 1 if all threads have the same", "largest / mean", NULL},
	{"tree", "share_pct", NULL,
	 "inclusive time as a share of the whole time", "100 * inclusive / whole", NULL},
	{"tree", "depth", NULL, "number of callers above this row", NULL, NULL},
	{"tree", "path", NULL, "regions from the outermost to this one", NULL, NULL},
	{"tree", "call_path", NULL, "the region, indented below its callers", NULL, NULL},
	{"tree", "calls", NULL,
	 "number of calls, or of samples, over all threads",
	 NULL, NULL},
	{"imbalance", "share_pct", NULL,
	 "lost time as a share of the exclusive time of all threads; of a metric that "
	 "is not a time, of the largest total of a thread times the number of threads",
	 "100 * lost / whole", NULL},
	{"imbalance", "lost", NULL,
	 "how long n threads together wait for the slowest: n x (largest - mean), less "
	 "if some processes end earlier, because a thread waits only while its process "
	 "runs", NULL, NULL},
	{"imbalance", "lost_per_thread", NULL,
	 "lost / n: the most that perfect balance of this region can save",
	 "lost / threads", NULL},
	{"imbalance", "mean", NULL,
	 "exclusive time divided by n; a thread without the region counts as 0",
	 NULL, NULL},
	{"imbalance", "largest", NULL, "largest exclusive time of one thread", NULL, NULL},
	{"imbalance", "least", NULL, "smallest exclusive time of one thread", NULL, NULL},
	{"imbalance", "least_at", NULL, "rank of the thread with the smallest time", NULL, NULL},
	{"imbalance", "*_rank", NULL, "rank of the thread with this time", NULL, NULL},
	{"imbalance", "*_thread", NULL, "number of this thread in its process", NULL, NULL},
	{"imbalance", "threads", NULL,
	 "n: number of threads whose thread number has the region in any process", NULL, NULL},
	{"imbalance", "work", NULL, "kind of work in the region", NULL, NULL},
	{"imbalance", "with_region", NULL, "number of threads that have the region", NULL, NULL},
	{"imbalance", "region", NULL, "name of the region", NULL, NULL},
	{0},
};
