# budget.sh: --budget folds, drops and stops what is recorded too often; --estimate counts events; both report what they did.
. "$(dirname "$0")/../controlled.sh"
export TAU_SAMPLING=0	# all rows are counted: those of samples are left out

run estimate --estimate "$B/apps/control" 20000
like "an estimate knows the number of events" "$(cat "$T/estimate.err")" \
	'a full trace would have about 512001 events and [0-9.]+ [KM]iB, and take [0-9.]+ [num]?s '
is "and counts every call" "$(counts estimate)" "outer=20000 pair=20000 middle=40000 leaf=120000 deep=36000"
checked estimate
run budget --budget 0.1% "$B/apps/control" 20000
like "what is over the budget is dropped and named" "$(cat "$T/budget.err")" 'Dropped: leaf .* after [0-9]+ calls'
profile budget
ok "after at most a few thousand calls" test "$(calls budget leaf)" -lt 20000
checked budget
run again --select "$T/budget.run/select.txt" "$B/apps/control" 100
like "the selection file that it leaves keeps that out" "$(counts again)" 'leaf=0 '
# With prices that make it so, which are shares of what a call takes here: when folding is enough, nothing is dropped, and all is exact.
cat >"$T/load.c" <<'END'
#include <stdio.h>
#include <time.h>
static volatile unsigned long sink;
__attribute__((noinline, noclone)) void leaf(void)
{
	for (int i = 0; i < 400; i++)
		sink = sink * 6364136223846793005u + 1;
}
__attribute__((noinline, noclone)) void caller(void)
{
	for (int i = 0; i < 100; i++)
		leaf();
}
int main(int argc, char **argv)
{
	double least = 1e18;
	struct timespec a, b;

	(void)argv;
	for (int i = 0; i < 500; i++) {
		double ps;

		clock_gettime(CLOCK_MONOTONIC, &a);
		caller();
		clock_gettime(CLOCK_MONOTONIC, &b);
		ps = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) * 10;
		least = ps < least ? ps : least;
	}
	if (argc > 1)
		printf("%.0f\n", least);
	return 0;
}
END
ok "a program of short calls builds" ${CC:-cc} -O1 -finstrument-functions "$T/load.c" -o "$T/load"
third=$(($("$T/load" time) / 3))
load() { profile "$1"; echo "$(calls "$1" caller) $(calls "$1" leaf) $(imbalance "$1")"; }
export TAU_RECORD_CALL_COST=$third:$((third / 100)):$((third / 100))
run folds --budget 5% "$T/load"
like "what can be folded is folded" "$(cat "$T/folds.err")" 'Folded: leaf .* after [0-9]+ calls'
is "and not dropped" "$(grep -c 'Dropped\|hooks remain' "$T/folds.err")" 0
is "every call is counted, and its time is there" "$(load folds)" "500 50000 0"
is "leaves are no messages" "$(tau-dump "$T/folds.run" | sed -n 's/.*Budget Records Never Dropped[^0-9]*\([0-9]*\).*/\1/p')" 0
checked folds
like "the selection file names it, and leaves it in" "$(cat "$T/folds.run/select.txt")" '^# folded: leaf$'
TAU_RECORD_CALL_COST=$third:$((third / 10 * 9)):$((third / 100)) run drops --budget 5% "$T/load"
like "when folding is not enough, the worst is dropped" "$(cat "$T/drops.err")" 'Dropped: leaf .* after [0-9]+ calls'
like "what it cost is reported" "$(cat "$T/drops.err")" "recording cost about [0-9.e+-]+ % of the program's own CPU time; the budget is 5 %"
TAU_RECORD_CALL_COST=$third:$((third / 10 * 9)):$((third / 2)) run remains --budget 5% "$T/load"
like "and what it costs that the hooks of dropped functions remain" "$(cat "$T/remains.err")" \
	"calls of dropped functions, whose hooks remain, took about [0-9.]+ % of the program's own CPU time"
# However dear calls are taken for, the program has used a hundredth of its CPU time itself. A run of 100 ms has a share in its first line, too.
shares() { grep -o '[0-9.e+-]* % of the program' "$T/$1.err" | awk '$1 > 9900 { print "more:", $0 } { n++ } END { print n " shares" }'; }
TAU_RECORD_CALL_COST=$((third * 1000)):$((third * 1000)):$((third * 1000)) run dear --budget 5% "$T/load"
is "prices that cannot be make no shares that cannot be" "$(shares dear | sed s/^3/2/)" "2 shares"
# A budget together with throttling or folding: each function ends in one state, which is reported once and is in the selection file.
# both NAME PRICES OPTIONS: calls of caller and leaf; the message about leaf; the file's lines on it
both() {
	name=$1; TAU_RECORD_CALL_COST=$2; shift 2
	run $name --budget 5% "$@" "$T/load"
	load $name | cut -d ' ' -f 1,2
	sed -n 's/tau-record: \([A-Z][a-z]*\): leaf .*after \([0-9]*\) calls.*/\1 \2/p' "$T/$name.err"
	grep leaf "$T/$name.run/select.txt" || :
}
is "throttled within the budget" "$(both bt 1000:1000:1000 --throttle=1000:1000000)" "500 1001
Throttled 1001
\"leaf"
is "folded for the budget, and throttled later" "$(both fbt $third:$((third / 100)):$((third / 100)) --throttle=5000:1000000)" "500 5001
Throttled 5001
\"leaf"
is "folded anyway: the budget has nothing to do" "$(both bf $third:$((third / 100)):$((third / 100)) --fold 1000000 2>/dev/null)" "500 50000"
is "folded, and throttled" "$(both bft $third:$((third / 100)):$((third / 100)) --fold 1000000 --throttle=5000:1000000)" "500 5001
Throttled 5001
\"leaf"
dropped=$(both bfd $third:$((third / 10 * 9)):$((third / 100)) --fold 1000000 --throttle=5000:1000000)
n=$(calls bfd leaf)
is "folding too dear: dropped, before it is throttled" "$dropped" "500 $n
Dropped $n
\"leaf"
ok "which is when somebody looks ($n calls)" test "$n" -lt 5000
for name in bt fbt bf bft bfd; do checked $name; done
cat >"$T/blocks.c" <<'END'
#include <stdlib.h>
__attribute__((noinline, noclone)) void caller(int n)
{
	void *volatile p[20];
	for (int i = 0; i < 20; i++)
		p[i] = malloc((size_t)(n % 7 * 40 + i + 100));
	for (int i = 0; i < 20; i++)
		free(p[i]);
}
int main(void)
{
	for (int i = 0; i < 2000; i++)
		caller(i);
	return 0;
}
END
${CC:-cc} -O1 -finstrument-functions "$T/blocks.c" -o "$T/blocks"
# Blocks are dear here: memory is stopped. What is not recorded is counted, what was there before is followed.
cat >"$T/keeps.c" <<'END'
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define FAR (256l << 20)
static void *old[500], *grown[10], *apart[3];
static void *churn(void *n)
{
	for (long i = 0; i < (long)n; i++) {
		void *volatile p = malloc((size_t)(i % 7 * 40 + 100));
		free(p);
	}
	return NULL;
}
/* Other ways to small blocks and to large ones; what fails is no block. */
static void ways(void)
{
	volatile size_t too_much = PTRDIFF_MAX, wraps = SIZE_MAX / 2 + 2;
	for (size_t i = 0; i < 2000; i++) {
		void *volatile p = calloc(i, 3);
		void *volatile q = realloc(realloc(NULL, i * 7), i * 5 + 1);
		void *volatile none = i % 3 ? i % 3 > 1 ? malloc(too_much) : calloc(wraps, 2) : realloc(NULL, too_much);
		free(none);
		free(p);
		free(q);
	}
}
static void crowd(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, churn, (void *)50000l);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}
static void *frees(void *p)
{
	free(p);
	return NULL;
}
/* Ends of blocks from before that are easily missed: what is left of them is one of 64 bytes more, and 3 less. */
static void ends(void)
{
	volatile size_t too_much = PTRDIFF_MAX;
	void *volatile p = realloc(old[450], too_much);
	pthread_t t;

	free(p ? p : old[450]);
	free(old[451]);
	for (int i = 0; i < 3; i++)
		free(p = malloc(1451));	/* in the same place */
	pthread_create(&t, NULL, frees, old[452]);
	pthread_join(t, NULL);
	free(apart[0]);
	free(apart[1]);
}
int main(int argc, char **argv)
{
	for (int i = 0; i < 500; i++)
		old[i] = malloc(1000 + (size_t)i);
	for (int i = 0; i < 3 && argc > 1 && argv[1][0] == 's'; i++)
		apart[i] = aligned_alloc(FAR, 64);
	for (int i = 0; i < 10; i++)
		grown[i] = malloc(30000);
	churn((void *)200000l);
	for (int i = 0; i < 400; i++)
		free(old[i]);
	for (int i = 0; i < 5; i++)
		grown[i] = realloc(grown[i], 50000);
	ways();
	switch (argc > 1 ? argv[1][0] : 0) {
	case 't':
		crowd();
		break;
	case 's':
		ends();
		break;
	case 'f':
		if (fork() == 0)
			churn((void *)1000l);
		else
			wait(NULL);
		break;
	case 'e':
		_exit(0);
	}
	return 0;
}
END
${CC:-cc} -O1 "$T/keeps.c" -o "$T/keeps" -lpthread
# counter NAME FIELD: a field of the row of that counter, 0 without one; 12: how many, 15: mean
counter() { tau-trace2profile -f csv "$T/$1.run" 2>/dev/null |
	awk -F, -v name="$2" -v at="$3" '$5 == "counter" && $6 == name { v += at == 15 ? $12 * $15 : $at } END { printf "%.0f\n", v }'; }
told() { tau-dump "$T/$1.run" 2>/dev/null | sed -n "s/.*META name=\"$2\" value=\"\([0-9]*\)\".*/\1/p" | awk '{ n += $1 } END { print n + 0 }'; }
for way in "" s t f e; do
	TAU_RECORD_CALL_COST=1000:1000:1000:1000:100000:1000 TAU_TRACK_MEMORY_LEAKS=1 \
		run "keeps$way" --budget 5% --memory=types --wrap process "$T/keeps" $way
	run "whole$way" --memory=types --wrap process "$T/keeps" $way
	left=$(told "keeps$way" "TAU Memory Blocks Not Recorded") left_bytes=$(told "keeps$way" "TAU Memory Bytes Not Recorded")
	ok "keeps $way: memory was stopped ($left blocks)" test "$left" -gt 100000
	is "keeps $way: with the blocks that are counted it is all" \
		"$(($(counter "keeps$way" "Heap Allocate" 12) + left)) $(($(counter "keeps$way" "Heap Allocate" 15) + left_bytes))" \
		"$(counter "whole$way" "Heap Allocate" 12) $(counter "whole$way" "Heap Allocate" 15)"
	live="105 294950"; [ "$way" != s ] || live="103 290661"
	[ "$way" = f ] || is "keeps $way: live is what was there before and is not freed" \
		"$(counter "keeps$way" "live objects untyped [keeps]" 14) $(counter "keeps$way" "live untyped [keeps]" 14)" "$live"
	checked "keeps$way"
done
like "stopped memory is reported at the end" "$(cat "$T/keeps.err")" \
	'Memory of node 0: recorded only for blocks allocated in the first [0-9.]+ [num]?s; [0-9]+ blocks of [0-9.]+ MiB were allocated later'
like "and in the selection file" "$(cat "$T/keeps.run/select.txt")" '^# memory: recording it was stopped in 1 process$'
like "and in reports" "$(tau-report memory "$T/keeps.run")" \
	'budget stopped recording memory in 1 of 1 process, first after [0-9.]+ [num]?s: earlier blocks are recorded until they are freed; [0-9]+ blocks of [0-9.]+ MiB'
like "leaks are not reported where blocks are no longer tracked" "$(tau-report leaks "$T/keeps.run" 2>&1)" \
	'leaks were not searched, because --budget had stopped the recording of memory'
TAU_RECORD_CALL_COST=1000:1000:1000:1000:100000:1000 run heap --budget 5% --memory=heap "$T/keeps"
is "the meter of the heap needs every block, and has it" "$(counter heap "Heap Allocate" 12)" "$(counter whole "Heap Allocate" 12)"
like "which is reported" "$(cat "$T/heap.err")" 'records cannot be dropped: they are messages and events .*, or allocations that the heap metrics need'
TAU_RECORD_CALL_COST=1000:1000:1000:1000:100000:1000 run unsaid --budget 5% --memory=types "$T/keeps" e
like "where no process is left to say how many blocks there were, this is reported" "$(cat "$T/unsaid.err")" \
	'Memory of node 0: recorded only for blocks allocated in the first [0-9.]+ [num]?s; the number of those allocated later is unknown'
like "and in reports" "$(tau-report memory "$T/unsaid.run")" 'are not included, and an unknown number of others'
# A function that a wrapper wraps is dropped together with the events that it records; the wrapper then only calls it.
cat >"$T/seeks.c" <<'END'
#include <fcntl.h>
#include <unistd.h>
int main(void)
{
	char c;
	dup2(open("/dev/zero", O_RDONLY), 0);
	for (int i = 0; i < 20000; i++) {
		lseek(0, 0, SEEK_SET);
		if (read(0, &c, 1) != 1)
			return 1;
	}
	return 0;
}
END
${CC:-cc} -O1 "$T/seeks.c" -o "$T/seeks"
TAU_RECORD_CALL_COST=1000000:1000000:100:1000000:1000:1000 run seeks --budget 1% --wrap io "$T/seeks"
like "a wrapped function is dropped" "$(cat "$T/seeks.err")" 'Dropped: read\(\) of node 0, after [0-9]+ calls of thread 0; [0-9]+ calls more not recorded'
profile seeks
is "all of its calls are counted" "$(($(calls seeks 'read()') + $(told seeks 'TAU Calls Not Recorded: read()')))" 20000
is "what was recorded of it is whole" "$(counter seeks "Bytes Read" 12)" "$(calls seeks 'read()')"
checked seeks
unset TAU_RECORD_CALL_COST
run rich --budget 100000% "$B/apps/control" 100
is "within the budget nothing is dropped" "$(counts rich)" "$whole"
tap_end
