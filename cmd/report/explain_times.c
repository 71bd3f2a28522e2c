/* explain_times.c: what the columns of reports about times and samples of one run are. Formulas are those of table_formula.h. */
#include "cmd/report/explain.h"

/* clang-format off: one explanation, one paragraph */
const struct explanation explain_times[] = {
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
