# selection.sh: --rank, --thread, --group, --region, --inside and --window of the kinds that read events, against a replay of what otf2-print
# prints and against programs with known numbers.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

# A replay of the printed events, for archives with one thread per rank: what is selected by ranks, regions and a call path. A
# message is selected if one of its ends is; the n-th send of a channel meets its n-th receive.
cat >replay.py <<'PY'
import re, subprocess, sys
from collections import defaultdict, deque
archive, what, ranks, regions, inside = sys.argv[1:6]
ranks = {int(r) for r in ranks.split(",")} if ranks else None
regions = set(regions.split(",")) if regions else None
inside = inside.split(" => ") if inside else None
stack, pairs, ms = defaultdict(list), defaultdict(lambda: [0, 0]), defaultdict(int)
off = set()
last, sent, received = {}, defaultdict(list), defaultdict(list)
def chosen(rank):       # the innermost selected region of the open ones; None: none
    if ranks is not None and rank not in ranks:
        return None
    s, found = stack[rank], None
    within = inside is None
    for i, name in enumerate(s):
        within = within or s[max(0, i + 1 - len(inside)):i + 1] == inside
        if within and (regions is None or name in regions):
            found = name
    return found
def spend(rank, time):
    name = chosen(rank)
    if name and rank in last and rank not in off:
        ms[rank, name] += time - last[rank]
    last[rank] = time
for line in subprocess.run(["otf2-print", archive], capture_output=True, text=True).stdout.split("\n"):
    w = line.split()
    if len(w) < 3 or not w[1].isdigit() or not w[2].isdigit():
        continue
    kind, rank, time = w[0], int(w[1]), int(w[2])
    if kind in ("ENTER", "LEAVE"):
        spend(rank, time)
        stack[rank].append(re.search(r'Region: "(.*?)"', line).group(1)) if kind == "ENTER" else stack[rank].pop()
    elif kind == "MEASUREMENT_ON_OFF":
        spend(rank, time)
        (off.add if "OFF" in line.split(":")[-1] else off.discard)(rank)
    elif kind in ("MPI_SEND", "MPI_ISEND", "MPI_RECV", "MPI_IRECV"):
        other = int(re.search(r"<(\d+)>\)", line).group(1))
        key = (re.search(r"Tag: (\d+)", line).group(1), re.search(r"Communicator: (.*), Tag", line).group(1))
        end = (ranks is None or rank in ranks) and (chosen(rank) is not None if regions or inside else True)
        if "SEND" in kind:
            sent[rank, other, key].append((end, int(re.search(r"Length: (\d+)", line).group(1))))
        else:
            received[other, rank, key].append(end)
for (a, b, key), list_ in sent.items():
    for i, (end, bytes_) in enumerate(list_):
        other = received[a, b, key]
        if end or (i < len(other) and other[i]):
            pairs[a, b][0] += 1
            pairs[a, b][1] += bytes_
if what == "comm":
    print("\n".join(sorted(f"{a},{b},{n},{x}" for (a, b), (n, x) in pairs.items())))
else:
    clock = subprocess.run(["otf2-print", "-G", archive], capture_output=True, text=True).stdout
    ns = 1e9 / int(re.search(r"Ticks per Seconds: (\d+)", clock).group(1))
    sums = defaultdict(float)
    for (rank, region), ticks in ms.items():
        sums[rank, region if regions else "all"] += ticks * ns
    got = defaultdict(float)
    for line in sys.stdin:
        rank, region, n = line.split(",")
        got[int(rank), region if regions else "all"] += float(n)
    bad = [k for k in sums | got if abs(sums[k] - got[k]) > 0.01 * sums[k] + 5000]  # a region without a leave ends where the reader decides
    print(f"{len(sums) > 0} {[(k, sums[k], got[k]) for k in bad]}")
PY
pairs() { tau-report comm -f csv "$@" | tail -n +2 | cut -d, -f1-4 | sort; }
# Time of each rank and region in ns.
cells() {
	tau-report timeline --by region -f csv "$@" | tr -d '\r' | awk -F, 'NR > 1 { n[$1 "," $4] += $5 }
		END { for (k in n) printf "%s,%.0f\n", k, n[k] * 1e6 }' | sort
}
check() {	# archive, ranks, regions, inside; words of the filter
	a=$DATA/otf2/$1 ranks=$2 regions=$3 inside=$4
	shift 4
	anchor=$(ls "$a"/*.otf2)
	python3 replay.py "$anchor" comm "$ranks" "$regions" "$inside" >expected
	is "comm $*: messages of either end in $(basename "$a")" "$(pairs "$@" "$a" 2>&1)" "$(cat expected)"
	is "there are some" "$(grep -q . expected && echo some)" some
	is "timeline $*: time of each rank and region" \
		"$(cells "$@" "$a" | python3 replay.py "$anchor" time "$ranks" "$regions" "$inside")" "True []"
}
if [ -d "$DATA/otf2/sstmacro-10" ] && command -v otf2-print >/dev/null; then
	check sstmacro-10 0,3 "" "" --rank 0,3
	check sstmacro-10 "" MPI_Irecv,MPI_Waitall "" --region MPI_Waitall --region MPI_Irecv
	check sstmacro-10 2 MPI_Isend,MPI_Waitall "" --rank 2 --region MPI_Isend --region MPI_Waitall
	check stencil4d-32 "" "" TRACER_Loop --inside TRACER_Loop
	check stencil4d-32 1 MPI_Send,MPI_Waitall "TRACER_Loop" --rank 1 --inside TRACER_Loop \
		--region MPI_Send --region MPI_Waitall
	a=$DATA/otf2/sstmacro-10
	rows() { tau-report waits --by "$@" -f csv "$a" | tr -d '\r' | sed 's/"late sender, wrong order"/wrong order/'; }
	rows all >all
	rows all --rank 2,4..5 >some
	for f in all some; do
		awk -F, '$2 == 2 || $2 == 4 || $2 == 5 { print $1, $2, $3, $4, $6 }' $f >rows-$f
	done
	is "waits --rank: waits of these ranks" "$(cat rows-some)" "$(cat rows-all)"
	is "no others" "$(awk -F, 'NR > 1' some | wc -l)" "$(wc -l <rows-all)"
	is "waits --region: waits in it" \
		"$(rows all --region MPI_Alltoall | awk -F, 'NR > 1 { print $1, $2, $3, $4, $6 }')" \
		"$(awk -F, '$6 ~ /MPI_Alltoall/ { print $1, $2, $3, $4, $6 }' all)"
	like "causes of waits of selected ranks are on other ranks" \
		"$(rows causes --rank 3 | awk -F, 'NR > 1 { print $2 }' | sort -u)" '^[0-24-9]'
	is "efficiency --rank: useful time of these ranks" \
		"$(tau-report efficiency --by rank -f csv --rank 1,3 "$a")" \
		"$(tau-report efficiency --by rank -f csv "$a" | awk -F, 'NR == 1 || $1 == 1 || $1 == 3')"
	is "critical-path --rank: its time on these ranks" \
		"$(tau-report critical-path --by rank -f csv --rank 0..4 "$a")" \
		"$(tau-report critical-path --by rank -f csv "$a" | awk -F, 'NR == 1 || $1 <= 4')"
	is "critical-path --region: its time in these regions" \
		"$(tau-report critical-path -f csv --region MPI_Wait --region MPI_Init "$a" | tr -d '\r')" \
		"$(tau-report critical-path -f csv "$a" | tr -d '\r' | awk -F, 'NR == 1 || $5 == "MPI_Wait" || $5 == "MPI_Init"')"
	is "a region that the trace has not is refused with the nearest one" "$(tau-report waits --region MPI_Waitt "$a" 2>&1)" \
		"tau-report: $a: there is no region 'MPI_Waitt'; did you mean 'MPI_Wait'?"
	is "so is a group" "$(tau-report comm --group MPY "$a" 2>&1)" "tau-report: $a: no region is in a group 'MPY'; did you mean 'MPI'?"
	is "and a rank" "$(tau-report io --rank 77 "$a" 2>&1)" "tau-report: $a: no thread matches --rank and --thread"
	like "text names what is selected" "$(tau-report comm --rank 0,3 --region MPI_Isend "$a")" \
		'^Selected region: MPI_Isend.$'
else
	skip "archives" "no recorded data, or no otf2-print"
fi

cat >moves.c <<'C'
#include <fcntl.h>
#include <unistd.h>
static char block[4096];
void first(int fd) { for (int i = 0; i < 10; i++) if (write(fd, block, 4096) != 4096) _exit(1); }
void second(int fd) { for (int i = 0; i < 7; i++) if (write(fd, block, 100) != 100) _exit(1); first(fd); }
int main(void)
{
	int fd = open("one", O_RDWR | O_CREAT, 0600);
	first(fd);
	second(fd);
	return 0;
}
C
if ${CC:-cc} -O0 -finstrument-functions -o moves moves.c && tau-record --wrap io -o run ./moves >/dev/null 2>err; then
	writes() { tau-report io --by file -f csv "$@" run | tr -d '\r' | awk -F, '$1 == "write" && $10 ~ /\/one$/ { print $1, $2, $3 }'; }
	is "io: all writes" "$(writes)" "write 27 82620"
	is "io --region: writes while it is open" "$(writes --region first)" "write 20 81920"
	is "io --inside: writes in the call path" "$(writes --inside 'second => first')" "write 10 40960"
else
	fail "a program that writes is recorded"
	cat err
fi
like "efficiency has no regions" "$(tau-report efficiency --region first run 2>&1)" '^tau-report: efficiency: --region is for '

# Waits for a lock: thread 1 waits in alpha and in beta, thread 2 in beta, while main has it.
cat >waits.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int begun, passed, round = 1;
static void wait_for_gate(void)
{
	atomic_fetch_add(&begun, 1);
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
}
void alpha(void) { wait_for_gate(); }
void beta(void) { wait_for_gate(); }
static void *one(void *to)
{
	alpha();
	atomic_store(&passed, 1);
	while (atomic_load(&round) < 2)
		usleep(200);
	beta();
	return to;
}
static void *two(void *to)
{
	while (atomic_load(&round) < 2)
		usleep(200);
	beta();
	return to;
}
static void hold(int n)
{
	while (atomic_load(&begun) < n)
		usleep(200);
	usleep(30000);
	pthread_mutex_unlock(&gate);
}
int main(void)
{
	pthread_t a, b;
	pthread_mutex_lock(&gate);
	pthread_create(&a, NULL, one, NULL);
	hold(1);
	while (!atomic_load(&passed)) /* it has returned the mutex */
		usleep(200);
	pthread_mutex_lock(&gate);
	pthread_create(&b, NULL, two, NULL);
	atomic_store(&round, 2);
	hold(3);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
C
if ${CC:-cc} -O0 -finstrument-functions -o waits waits.c -lpthread && timeout 60 tau-record --wrap pthread -o gates ./waits >/dev/null 2>err; then
	# Waits, milliseconds and thread of each row of waiters.
	waiters() { tau-report locks --by waiter -f csv "$@" gates | tr -d '\r' | awk -F, 'NR > 1 && /gate/ { print $3, $2, $7, $NF }' | sort; }
	waiters >all
	is "locks: three waits" "$(awk '{ n += $1 } END { print n }' all)" 3
	is "locks --region: waits while it is open" "$(waiters --region alpha | cut -d ' ' -f 1-3)" "$(grep alpha all | cut -d ' ' -f 1-3)"
	is "locks --region, two of them" "$(waiters --region alpha --region beta | cut -d ' ' -f 1-3)" "$(cut -d ' ' -f 1-3 all)"
	is "locks --inside: waits in the call path" "$(waiters --inside 'two => beta' | cut -d ' ' -f 1-3)" "$(grep 'two' all | cut -d ' ' -f 1-3)"
	is "locks --thread: waits of this thread" "$(waiters --thread 1)" "$(awk '$3 == 1' all)"
	is "... the thread that has the lock is named all the same" \
		"$(tau-report locks -f csv --thread 1 gates | tr -d '\r' | awk -F, '/gate/ { print $1, $3, $6, $10 }')" "100 2 1 0"
	is "locks --rank" "$(waiters --rank 0)" "$(cat all)"
	is "locks --window: waits inside it" "$(waiters -w alpha | cut -d ' ' -f 1-3)" "$(grep alpha all | cut -d ' ' -f 1-3)"
	is "locks --group: of a group" "$(waiters --group PTHREAD 2>&1 | wc -l)" "$(waiters --region 'pthread_mutex_lock()' | wc -l)"
	is "locks: nothing selected waits" "$(tau-report locks --thread 0 gates 2>&1; echo $?)" \
		"tau-report: gates: no thread waited for a lock in the selected threads and regions; such waits are recorded by tau-record --wrap pthread, those of OpenMP by --wrap openmp
3"
else
	fail "a program that waits for locks is recorded"
	cat err
fi

# A made-up trace of TAU: 10 ranks with 80 steps of a millisecond, each with work (in even steps inside phase) and other; tail at the end.
# Planted: work is slow in step 17 of rank 3 and in step 40 of rank 6, other grows on rank 8, so these ranks are unlike the others in
# them, and tail takes twice as long on rank 1. The
# counter queue is 100 * rank + step at each step; rank 0 has a second thread where it is 5000, ten times.
mkdir made && python3 - <<'PY'
import random, struct
draw = random.Random(1)
edf = """7 dynamic_trace_events
# FunctionId Group Tag "Name Type" Parameters
1 TAU_USER 0 "main" EntryExit
2 WORK 0 "work" EntryExit
3 TAU_USER 0 "phase" EntryExit
4 OTHER 0 "other" EntryExit
5 TAU_USER 0 "tail" EntryExit
6 TAUEVENT 0 "queue" TriggerValue
60000 TAUEVENT 0 "EV_INIT" none
"""
def rank(r, thread):
    out, now = [], 1000
    def put(event, value):
        out.append(struct.pack("<iHHqQ", event, r, thread, value, now))
    put(60000, 3)
    put(1, 1)
    if thread:
        for i in range(10):
            now += 100
            put(6, 5000)
    else:
        for step in range(1, 81):
            inside = step % 2 == 0
            if inside:
                put(3, 1)
                now += 5
            put(2, 1)
            now += 30000 if (r, step) in ((3, 17), (6, 40)) else 1000 + draw.randrange(-20, 21)
            put(2, -1)
            if inside:
                now += 5
                put(3, -1)
            put(4, 1)
            now += (1000 + 10 * step if r == 8 else 1000) + draw.randrange(-20, 21)
            put(4, -1)
            put(6, 100 * r + step)
        put(5, 1)
        now += (40000 if r == 1 else 20000) + draw.randrange(-200, 201)
        put(5, -1)
    put(1, -1)
    open("made/tautrace.%d.0.%d.trc" % (r, thread), "wb").write(b"".join(out))
    open("made/events.%d.edf" % r, "w").write(edf)
for r in range(10): rank(r, 0)
rank(0, 1)
PY
anomalies() { tau-report anomalies -f csv "$@" made 2>&1 | tr -d '\r' | awk -F, 'NR > 1 { print $1, $2, $3, $6 }' | sort; }
is "anomalies: what was planted" "$(anomalies)" "growth other 8 1
odd rank other 8 
odd rank tail 1 
odd rank work 3 
odd rank work 6 
slow instance work 3 17
slow instance work 6 40"
is "anomalies --rank: slow instances and growth of these ranks" "$(anomalies --rank 3,8)" "growth other 8 1
slow instance work 3 17"
is "anomalies --region: in this region, numbers are those of windows" "$(anomalies --region work)" "odd rank work 3 
odd rank work 6 
slow instance work 3 17
slow instance work 6 40"
is "anomalies --region: another one" "$(anomalies --region tail)" "odd rank tail 1 "
is "anomalies --group" "$(anomalies --group OTHER)" "growth other 8 1
odd rank other 8 "
is "anomalies --inside: in the call path" "$(anomalies --inside 'phase => work' | grep slow)" "slow instance work 6 40"
is "anomalies --thread: thread 1 has none" "$(anomalies --thread 1)" ""
is "anomalies --window: instances inside it" "$(anomalies -w 'work#10@3..work#30@3' | grep slow)" "slow instance work 3 17"
# samples, mean, least, largest of queue
queue() { tau-report counters -f csv "$@" made 2>&1 | tr -d '\r' | awk -F, '$NF == "queue" { printf "%d %.15g %s %s\n", $1, $3, $4, $5 }'; }
is "counters: all values" "$(queue)" "810 546.172839506173 1 5000"
is "counters --rank: values of these ranks" "$(queue --rank 2,4)" "160 340.5 201 480"
is "counters --thread: of this thread of each process" "$(queue --thread 1) $(queue --thread 0)" "10 5000 5000 5000 800 490.5 1 980"
is "counters --rank and --thread" "$(queue --rank 0 --thread 0)" "80 40.5 1 80"
is "counters --by thread has the same" "$(tau-report counters --by thread --rank 9 -f csv made | tr -d '\r' | sed -n 2p | cut -d , -f 1-6)" \
	"9,0,80,940.5,901,980"
is "counters --window: values inside it" "$(queue --rank 5 -w 'other#11@5..other#20@5' | cut -d ' ' -f 1,3,4)" "9 511 519"
like "counters have no regions" "$(tau-report counters --region work made 2>&1)" '^tau-report: counters: --region is for '
is "a rank that is not there" "$(tau-report counters --rank 10 made 2>&1; echo $?)" "tau-report: made: no thread matches --rank and --thread
3"
tap_end
