# monitor-watch.sh: tau-monitor watches a job of 4 ranks with 3 threads each by thread and by function, against the job's own counts and times,
# as JSON, CSV, on a terminal and over HTTP; and a job that hangs.
. "$(dirname "$0")/../mpis.sh"
all=$(mpis mpihang)
[ "$all" ] || skip_all "no MPI is installed, or its programs are not built"

cat >"$every/watched.c" <<'END'
/* Ranks with three threads each: rounds of calls whose numbers are printed. Between rounds each rank waits for the file go.ROUND. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define ROUNDS	3
#define QUIET __attribute__((no_instrument_function))

static int rank;
static long calls[THREADS], inner_calls[THREADS];
static double ns[THREADS], squares[THREADS];
static pthread_barrier_t meet;

QUIET static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

__attribute__((noinline)) int inner(int i) { return i + (int)getppid() % 2; }

__attribute__((noinline)) void work(int thread, int i)
{
	double begin = now(), own;
	struct timespec t = {0, 1000000L * (1 + i % 3)};

	nanosleep(&t, NULL);
	own = now() - begin;
	ns[thread] += own;
	squares[thread] += own * own;
	calls[thread]++;
	for (int k = 0; k < 2; k++, inner_calls[thread]++)
		inner(i);
}

__attribute__((noinline)) void rounds(int thread)
{
	for (int r = 0; r < ROUNDS; r++) {
		pthread_barrier_wait(&meet);
		for (int i = 0; i < 10 * (thread + 1) + rank; i++)
			work(thread, i);
		pthread_barrier_wait(&meet);
		if (thread)
			continue;
		for (int k = 0; k < THREADS; k++)
			printf("round %d rank %d thread %d work %ld inner %ld us %.3f squares %.3f\n", r, rank, k,
			       calls[k], inner_calls[k], ns[k] / 1e3, squares[k] / 1e6);
		fflush(stdout);
		MPI_Barrier(MPI_COMM_WORLD);
		char name[32];

		snprintf(name, sizeof(name), "go.%d", r);
		while (access(name, F_OK))
			usleep(20000);
	}
}

static void *thread_main(void *thread) { rounds(*(int *)thread); return NULL; }

int main(int argc, char **argv)
{
	static int number[THREADS] = {0, 1, 2};
	pthread_t t[THREADS];
	int given;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	pthread_barrier_init(&meet, NULL, THREADS);
	for (int i = 1; i < THREADS; i++)
		pthread_create(&t[i], NULL, thread_main, &number[i]);
	rounds(0);
	for (int i = 1; i < THREADS; i++)
		pthread_join(t[i], NULL);
	MPI_Finalize();
	return 0;
}
END

# The cells of looks against what the program has printed. The more calls of work a thread of a rank has, the higher is its number in the program.
cat >"$every/check.py" <<'END'
import collections, csv, json, re, sys
what, out = sys.argv[1], sys.argv[2]
truth = {}
for line in open(out):
    m = re.match(r"round \d+ rank (\d+) thread (\d+) work (\d+) inner (\d+) us (\S+) squares (\S+)", line)
    if m: truth[int(m[1]), int(m[2])] = [int(m[3]), int(m[4]), float(m[5]), float(m[6])]
def rows(file): return json.loads(open(file).readlines()[-1])["rows"]
def cells(file):
    of = collections.defaultdict(list)
    for r in rows(file):
        if r["node"] is not None: of[r["node"]].append(r)
    return {(node, i): r for node, v in of.items() for i, r in enumerate(sorted(v, key=lambda r: r["num_calls"]))}
bad = []
if what == "function":
    work, inner = cells(sys.argv[3]), cells(sys.argv[4])
    if set(work) != set(truth): bad.append((sorted(work), sorted(truth)))
    for k, (calls, below, us, squares) in truth.items():
        r = work[k]
        if r["num_calls"] != calls or r["num_subrs"] != below or inner[k]["num_calls"] != below: bad.append((k, r, calls, below))
        # what the program measures is inside of the call: it is shorter
        if not us - 1 <= r["excl_time_us"] <= 1.2 * us + 50000: bad.append((k, r["excl_time_us"], us))
        if not squares - 1 <= r["sum_excl_sqr_us2"]: bad.append((k, r["sum_excl_sqr_us2"], squares))
        if r["incl_time_us"] < r["excl_time_us"] or r["context"] != 0: bad.append((k, r))
elif what == "thread":	# files of threads in the order of the arguments
    for (node, thread), file in zip([(int(a[0]), int(a[2])) for a in sys.argv[3::2]], sys.argv[4::2]):
        r = {x["function"].split(" [")[0]: x for x in rows(file)}
        if [r["work"]["num_calls"], r["inner"]["num_calls"]] != truth[node, thread][:2]: bad.append((node, thread, r))
elif what == "statistics":
    all = rows(sys.argv[3])
    v = [r["num_calls"] for r in all if r["node"] is not None]
    of = {r["row"]: r["num_calls"] for r in all if r["node"] is None}
    mean = sum(v) / len(v)
    want = {"sum": sum(v), "mean": mean, "std dev": (sum(x * x for x in v) / len(v) - mean * mean) ** 0.5, "min": min(v), "max": max(v)}
    if any(abs(of[k] - want[k]) > 1e-6 for k in want): bad.append((of, want))
elif what == "same":	# the last of a stream of looks, and one look at all of it
    a, b = ({r["row"]: r for r in rows(f) if r["node"] is not None} for f in sys.argv[3:5])
    for k in b:
        for x in ("num_calls", "num_subrs", "excl_time_us", "incl_time_us", "sum_excl_sqr_us2"):
            # the rate of the clock is known better at the end: by some millionths, twice as many of squares
            if abs(a[k][x] - b[k][x]) > 1e-5 * abs(b[k][x]) + 1e-3: bad.append((k, x, a[k][x], b[k][x]))
elif what == "rise":	# numbers never fall from look to look
    last = {}
    for line in open(sys.argv[3]):
        for r in json.loads(line)["rows"]:
            now = (r["num_calls"], r["excl_time_us"], r["sum_excl_sqr_us2"])
            if r["node"] is not None and any(x < (1 - 1e-5) * y - 1e-3 for x, y in zip(now, last.get(r["row"], (0, 0, 0)))): bad.append((r["row"], now, last[r["row"]]))
            if r["node"] is not None: last[r["row"]] = now
print(bad[:2] if bad else "")
END
check() { python3 "$every/check.py" "$@"; }
until_rounds() { for i in $(seq 300); do [ "$(grep -c "^round $1" out)" -ge 12 ] && return; sleep 0.1; done; }
screen() { for i in $(seq 30); do sleep 0.3; tmux -L "tau$$" capture-pane -p -t a >screen 2>/dev/null; grep -q -- "$1" screen && break; done; }
keys() { tmux -L "tau$$" send-keys -t a "$@"; }
ask() { python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect("sock")
s.sendall(("GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % sys.argv[1]).encode())
all = b""
while True:
    b = s.recv(65536)
    if not b: break
    all += b
head, body = all.split(b"\r\n\r\n", 1)
print(head.split(b"\r\n")[0].decode() if sys.argv[2:] else body.decode(), end="")' "$@"; }

for mpi in $all; do
mpi_with "$mpi"
$mpicc -O1 -g -finstrument-functions -pthread "$every/watched.c" -o watched || { fail "the program is built"; continue; }
: >out
ranks 4 tau-record -o run ./watched >out 2>err &
until_rounds 0

# ---- as JSON, between the rounds ----
tau-monitor --once --json --function work run >work.json
tau-monitor --once --json --function inner run >inner.json
is "a function on all threads: calls, calls below, times and squares" "$(check function out work.json inner.json)" ""
is "sum, mean, deviation, smallest and largest" "$(check statistics out work.json)" ""
threads() { python3 -c '
import json
for node in range(4):
    v = sorted((r["num_calls"], r["thread"]) for r in json.loads(open("work.json").readlines()[-1])["rows"] if r["node"] == node)
    for i, t in enumerate(v): print(node, i, t[1])'; }
set --
for line in $(threads | tr ' ' ,); do
	node=${line%%,*} rest=${line#*,}
	tau-monitor --once --json --thread "$node.0.${rest#*,}" run >"thread.$node.${rest%,*}.json"
	set -- "$@" "$node.${rest%,*}" "thread.$node.${rest%,*}.json"
done
is "12 threads" "$#" 24
is "the functions of each thread" "$(check thread out "$@")" ""
tau-monitor --once --csv --function work run >work.csv
is "the same rows as CSV" "$(python3 -c '
import csv, json
a = [(int(r["node"]), int(r["thread"]), int(r["num_calls"])) for r in csv.DictReader(open("work.csv")) if r["node"]]
b = [(r["node"], r["thread"], r["num_calls"]) for r in json.loads(open("work.json").read())["rows"] if r["node"] is not None]
print(a == b or (a, b))')" True
like "and as text" "$(tau-monitor --once --function work run)" '^sum +258 +516 '
like "all threads of a node" "$(tau-monitor --once --thread 3 run)" '^ *69 +138 .* work \[watched.c'

# ---- while calls are made: streams of looks ----
tau-monitor --json --interval 200ms --function work run >works.json 2>why &
works=$!
tau-monitor --json --interval 300ms --function rounds run >rounds.json 2>>why &
rounds=$!
tau-monitor --json --interval 300ms -n 8 run >looks.json 2>>why &
looks=$!
sleep 4
touch go.0
until_rounds 1
wait $looks
is "what each rank uses" "$(python3 -c '
import json
l = [json.loads(x) for x in open("looks.json")]
p = l[-1]["processes"]
ok = len(p) == 4 and [x["node"] for x in p] == [0, 1, 2, 3]
ok = ok and all(x["cpu_s"] > 0 and x["cpu_load"] >= 0 and x["resident_bytes"] > 1e6 and x["peak_bytes"] >= x["resident_bytes"] and x["read_bytes"] > 0 and x["written_rate"] >= 0 for x in p)
ok = ok and all(x["top"] and x["top"][0]["region"].startswith("rounds") for x in p)
print(ok or p)')" True
is "nothing hangs while it waits for a file" "$(python3 -c '
import json
print([x["hang"]["stuck"] for x in map(json.loads, open("looks.json")) if x["hang"]["stuck"]])')" "[]"

# ---- over HTTP ----
if linked tau-monitor libmicrohttpd; then
	rm -f sock
	tau-monitor --serve sock run >served 2>&1 &
	server=$!
	for i in $(seq 100); do [ -S sock ] && break; sleep 0.1; done
	ask /function/work >work.json
	ask /function/inner >inner.json
	is "a function over HTTP" "$(check function out work.json inner.json)" ""
	ask "/thread/$(threads | awk '$1 == 2 && $2 == 1 { print $1 "." $3 }')" >thread.json
	is "a thread over HTTP" "$(check thread out 2.1 thread.json)" ""
	is "a look over HTTP" "$(ask /look | python3 -c 'import json, sys; l = json.load(sys.stdin); print(len(l["processes"]), l["hang"]["stuck"])')" "4 False"
	is "no such thread, function, page" "$(ask /thread/77.1 x; ask /function/nothing x; ask /thread/x x; ask /nothing x)" \
		"HTTP/1.1 404 Not FoundHTTP/1.1 404 Not FoundHTTP/1.1 404 Not FoundHTTP/1.1 404 Not Found"
	like "OpenMetrics has what ranks use" "$(ask /metrics)" '^tau_process_resident_bytes\{run="run",node="3"\} [0-9]+$'
	kill $server
	wait $server
else
	skip "over HTTP" "built without libmicrohttpd"
fi

# ---- on a terminal ----
if command -v tmux >/dev/null; then
	tmux -f /dev/null -L "tau$$" new-session -d -s a -x 80 -y 24 "LC_ALL=C.UTF-8 $B/tau-monitor run"
	screen ' region'
	keys t
	screen '^0\.0 '
	keys Enter
	screen 'Functions of thread 0.0.0'
	like "Enter on a thread: its functions, in 80 columns" "$(cat screen)" '^ +20 +40 .* work \[watched.c'
	is "the head has the names of the columns" "$(grep -c '^NumCalls  NumSubrs  ExclTime \[us\]  InclTime \[us\]  ' screen)" 1
	keys / w o r k Enter
	screen 'filter: work$'
	keys Enter
	screen 'Function work .* on each thread'
	is "Enter on a function: its row on each of 12 threads" "$(grep -c '^[0-3]\.0\.[0-9]* ' screen)" 12
	like "with its calls" "$(cat screen)" '^3\.0\.[0-9]+ +66 +132 '
	tmux -L "tau$$" resize-window -t a -x 140 -y 40
	screen 'std dev'
	like "a larger window has squares and deviations, too" "$(cat screen)" '^thread +NumCalls +NumSubrs +ExclTime \[us\] +InclTime \[us\] +SumExclSqr \[us\^2\] +mean \[us\] +std dev \[us\]'
	tmux -L "tau$$" resize-window -t a -x 80 -y 24
	keys Enter
	screen 'Functions of thread [0-3]\.0\.'
	like "Enter on a row: the functions of that thread" "$(cat screen)" 'Functions of thread [0-3]\.0\.'
	keys BSpace
	screen 'Function work .* on each thread'
	keys Escape
	screen 'Functions of thread 0\.0\.0'
	like "Backspace and Esc go back, with the filter" "$(cat screen)" 'filter: work'
	keys Escape
	screen '^0\.0 '
	like "to the threads" "$(cat screen)" '^3\.0 '
	keys p
	screen 'CPU %'
	is "the processes: what each uses" "$(grep -cE '^ +[0-3] .*running +[0-9]+ +[0-9.]+ [KM]iB +.*rounds .*%' screen)" 4
	keys w
	screen '^ranks '
	like "what they wait for" "$(cat screen)" '^0-3 .*rounds'
	keys r f
	screen 'on each thread'
	like "f: the selected region on all threads" "$(cat screen)" '^Function .* on each thread'
	keys q
	for i in $(seq 15); do sleep 0.2; tmux -L "tau$$" has-session 2>/dev/null || break; done
	ok "q ends it" sh -c "! tmux -L tau$$ has-session 2>/dev/null"
else
	skip "the view on a terminal" "tmux is not installed"
fi

# ---- to the end ----
touch go.1 go.2
wait $works $rounds
wait
is "nothing on stderr" "$(cat why)" ""
for name in work round; do
	function=$name; [ $name = round ] && function=rounds
	tau-monitor --once --json --function $function run >whole.json
	is "$function: the last look of a stream has the sums of one look at all" "$(check same out ${name}s.json whole.json)" ""
	is "$function: numbers never fall" "$(check rise out ${name}s.json)" ""
done
tau-monitor --once --json --function inner run >inner.json
tau-monitor --once --json --function work run >work.json
is "after the end: the numbers of the program" "$(check function out work.json inner.json)" ""

refused() { tau-monitor "$@" >/dev/null 2>why; echo "$? $(cat why)"; }
like "no such thread" "$(refused --once --thread 77 run)" '^3 tau-monitor: node 77 has no threads'
like "not a thread" "$(refused --once --thread 1.x run)" "^2 tau-monitor: '1.x' is not a thread"
like "no such function" "$(refused --once --function nothing run)" "^3 tau-monitor: no thread has called 'nothing'"
like "a thread and a function" "$(refused --once --thread 1 --function f run)" '^2 tau-monitor: --thread and --function exclude each other'

# ---- a job that hangs ----
rm -rf hang
ranks 4 tau-record -o hang "$apps/mpihang" ring 8 >hout 2>herr &
for i in $(seq 100); do
	sleep 0.1
	tau-monitor --once hang 2>/dev/null | grep -q '^stuck for' && break
done
# Ranks that spin write samples; a look in such a moment sees them run.
stuck() {	# OPTION...: a look that finds the job stuck, or the last of ten
	for i in $(seq 10); do
		tau-monitor --once "$@" hang >look
		grep -Eq '^stuck for|"stuck": *true' look && break
		sleep 0.2
	done
	cat look
}
like "a look at a job that hangs" "$(stuck | sed -n 2p)" '^stuck for [0-9.]+ s: deadlock: rank 0, rank 1, rank 2 and rank 3 each wait for the next'
stuck --json >hang.json
is "the same in JSON" "$(python3 -c '
import json
h = json.load(open("hang.json"))["hang"]
r = [x for x in h["rows"] if x["state"] == "blocked"]
print(h["stuck"], h["blocked"], [(x["ranks"], x["call"], x["waits_for"].split(",")[0]) for x in r], h["stuck_s"] >= 1)')" \
	"True 4 [('0-3', 'MPI_Recv()', 'a message from rank + 1')] True"
if command -v tmux >/dev/null; then
	tmux -f /dev/null -L "tau$$" new-session -d -s a -x 80 -y 24 "LC_ALL=C.UTF-8 $B/tau-monitor hang"
	screen '^stuck for'
	like "the head of the view" "$(cat screen)" '^stuck for [0-9.]+ s: deadlock: rank 0, rank 1'
	keys w
	screen ' blocked '
	like "and what each waits for" "$(cat screen)" '^0-3 +4 +blocked .* a message from rank \+ 1, tag 7'
	keys q
fi
wait
like "after it was killed" "$(tau-monitor --once hang | sed -n 2p)" '^was stuck for [789][0-9.]+ s: deadlock: '
rm -rf slow
ranks 4 tau-record -o slow "$apps/mpihang" slow 7 >hout 2>herr &
for i in $(seq 60); do sleep 0.1; [ -d slow ] && tau-monitor --once slow 2>/dev/null | grep -q MPI_Recv && break; done
tau-monitor --json -n 6 --interval 500ms slow >slow.json
is "who waits for a rank that computes is not stuck" "$(python3 -c '
import json
print({x["hang"]["stuck"] for x in map(json.loads, open("slow.json"))})')" "{False}"
wait
done
tap_end
