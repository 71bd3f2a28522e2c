# view-watch.sh: the page of tau-view watches a job of 4 ranks with 3 threads each while it is recorded: what each rank uses, the functions of a
# thread and a function on all threads, against the job's own counts and the command line; and the same when it has ended. By keys, too.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/browser.sh"
command -v mpirun >/dev/null && command -v mpicc >/dev/null && [ -e "$B/libtau-mpi.so" ] || skip_all "no MPI"
cd "$T" || exit 1

cat >watched.c <<'END'
/* Ranks with three threads each. Prints the calls of each thread to out.RANK; then each rank waits for the file go. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define THREADS 3
#define QUIET __attribute__((no_instrument_function))

static int rank;
static long calls[THREADS], inner_calls[THREADS];
static pthread_barrier_t meet;

__attribute__((noinline)) int inner(int i) { return i + (int)getppid() % 2; }

__attribute__((noinline)) void work(int thread, int i)
{
	calls[thread]++;
	for (volatile int k = 0; k < 20000; k++)
		;
	for (int k = 0; k < 1 + thread; k++, inner_calls[thread]++)
		inner(i);
}

QUIET static void results(void)
{
	char name[32], made[32];
	struct rusage u;
	FILE *f;

	getrusage(RUSAGE_SELF, &u);
	snprintf(name, sizeof(name), "out.%d", rank);
	snprintf(made, sizeof(made), "new.%d", rank);
	f = fopen(made, "w");
	fprintf(f, "%d %ld %ld %ld\n", rank, (long)getpid(), u.ru_utime.tv_sec * 1000000L + u.ru_utime.tv_usec +
		u.ru_stime.tv_sec * 1000000L + u.ru_stime.tv_usec, u.ru_maxrss);
	for (int k = 0; k < THREADS; k++)
		fprintf(f, "%ld %ld\n", calls[k], inner_calls[k]);
	fclose(f);
	rename(made, name);
}

/* The last thread to be done prints; all stay. */
__attribute__((noinline)) void rounds(int thread)
{
	for (int i = 0; i < 100 * (thread + 1) + 10 * rank; i++)
		work(thread, i);
	pthread_barrier_wait(&meet);
	if (!thread)
		results();
	while (access("go", F_OK))
		usleep(20000);
}

static void *thread_main(void *thread) { rounds(*(int *)thread); return NULL; }

int main(int argc, char **argv)
{
	static int number[THREADS] = {0, 1, 2};
	static char bytes[1 << 20];
	pthread_t t[THREADS];
	int given, null = open("/dev/null", O_WRONLY);

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 16 * (rank + 1); i++)
		if (write(null, bytes, sizeof(bytes)) < 0)
			return 1;
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
mpicc -O1 -g -finstrument-functions -pthread watched.c -o watched || skip_all "no compiler"

# What each rank uses, and its threads, against what the program has found. state: of each rank; file: of tau-report ranks -f csv
cat >uses.py <<'END'
import csv, sys
state, rows = sys.argv[1], list(csv.DictReader(open(sys.argv[2])))
bad = [] if [r["rank"] for r in rows] == ["0", "1", "2", "3"] else [rows]
for r in rows:
    rank, pid, cpu, peak = map(int, open("out." + r["rank"]).readline().split())
    live = state == "running"
    if (int(r["rank"]), int(r["pid"]), r["state"]) != (rank, pid, state): bad.append((r, pid, state))
    if not cpu - 20000 <= float(r["cpu_us"]): bad.append((r, cpu))
    # the recorder writes less than 8 MiB
    if not 0 <= int(r["written_bytes"]) / (1 << 20) - 16 * (rank + 1) < 8 or int(r["read_bytes"]) < 1: bad.append(r)
    if not peak <= int(r["peak_bytes"]) / 1024 < 3 * peak + 100000: bad.append((r, peak))
    if not 0 < float(r["load_pct"]) < 100000: bad.append(r)
    if (r["load_now_pct"] != "", r["resident_bytes"] != "") != (live, live): bad.append(r)
    if live and not 0 < int(r["resident_bytes"]) <= int(r["peak_bytes"]): bad.append(r)
    if r["region_1"].split(" [")[0] not in ("rounds", "work", "MPI_Init_thread()", "main") or not 0 < float(r["share_1_pct"]) <= 100: bad.append(r)
print(bad or "same")
END

mpirun --oversubscribe -np 4 tau-record -o run ./watched >out 2>err </dev/null &
job=$!
for try in $(seq 600); do
	[ -s out.0 ] && [ -s out.1 ] && [ -s out.2 ] && [ -s out.3 ] && break
	sleep 0.1
done
tau-report ranks -f csv run >uses.csv 2>err
is "what each rank uses while it runs" "$(python3 uses.py running uses.csv)$(cat err)" same
like "as text" "$(tau-report ranks run)" '^ +3 +[0-9]+ +running +[0-9.]+ +[0-9.]+ +[0-9.]+ .* [0-9.]+ MiB '

drive=skip
if ! linked tau-view libmicrohttpd || ! command -v chromedriver >/dev/null || grep -q __asan_init "$B/tau-view"; then
	skip "the same in the page" "no libmicrohttpd, no chromedriver, or sanitized"
else
	drive=
	tau-view --no-browser run >said 2>err &
	view=$!
	browser driver said
fi
cat >drive.py <<'END'
import json, re, subprocess, sys, time

from browser import Browser

browser = Browser(sys.argv[1])
call, script, session = browser.call, browser.script, browser.session
truth = {}	# (rank, place among its threads): calls of work, calls of inner
for rank in range(4):
    for place, line in enumerate(open("out.%d" % rank).readlines()[1:]):
        truth[rank, place] = tuple(map(int, line.split()))

def ok(what, good, seen=""):
    print("%sok - %s" % ("" if good else "not ", what) + ("" if good else "\n#   %r" % (seen,)))

def text(selector):
    return script("const e = document.querySelector(arguments[0]); return e ? e.textContent : ''", selector) or ""

def settled(begin, without="\n"):
    """The report of the command that is shown, which begins like this and has no such word."""
    last = None
    for i in range(300):
        now = (text("#command"), text("#report"), script("return document.getElementById('report').getAttribute('aria-busy')"),
               script("return [...document.querySelectorAll('#leads button')].map(b => b.textContent)"))
        if now == last and now[0].startswith(begin) and without not in now[0] and now[1] and now[2] == "false":
            return now
        last = now
        time.sleep(0.3)
    ok("waited for: " + begin, False, last)
    return last

def press(selector, name):
    script("[...document.querySelectorAll(arguments[0])].find(b => b.textContent === arguments[1] || b.textContent.startsWith(arguments[1] + ' [')).click()", selector, name)

def key(k):
    call("POST", session + "/actions", actions=[{"type": "key", "id": "k", "actions": [{"type": "keyDown", "value": k}, {"type": "keyUp", "value": k}]}])

def rows(report):
    """The rows of the table with the last head line, by its columns."""
    lines = report.splitlines()
    at = max(i for i, l in enumerate(lines) if re.match(r"^[- ]+$", l) and "--" in l and re.search(r"rank|region", lines[i - 1]) and "sampled" not in lines[i - 1])
    ends, out = [m.span() for m in re.finditer("-+", lines[at])], []
    for line in lines[at + 1:]:
        if not line.strip():
            break
        out.append({lines[at - 1][a:b].strip(): (line[a:b] if (a, b) != ends[-1] else line[a:]).strip() for a, b in ends})
    return out

def function(report):
    """calls and calls below of each thread, the threads of a rank in the order of their numbers."""
    found = {}
    for r in sorted(rows(report), key=lambda r: (int(r["rank"]), int(r["thread"]))):
        found.setdefault(int(r["rank"]), []).append((int(r["calls"]), int(r["subrs"]), int(r["thread"]), r.get("SumExclSqr [us^2]")))
    return found

finished = sys.argv[3] == "finished"

def same(what, answer):
    """Of a run that is being recorded, open regions have their time up to now."""
    out = subprocess.run(answer[0], shell=True, capture_output=True, text=True)
    plain = lambda t: t if finished else re.sub("[0-9.]+", "0", t).split()[:3]
    ok(what + ": the report is the output of its command", plain(out.stdout) == plain(answer[1]), (answer[0], answer[1][:400], out.stdout[:400]))

call("POST", session + "/url", url=sys.argv[2])
settled("tau-report overview")
press("#kinds button", "ranks")
a = settled("tau-report ranks ")
same("ranks", a)
uses = rows(a[1])
ok("each rank has a row", [r["rank"] for r in uses] == ["0", "1", "2", "3"] and all(r["state"] == ("exit 0" if finished else "running") for r in uses), uses)
ok("and a button", a[3] == ["0", "1", "2", "3"], a[3])
script("document.querySelectorAll('#leads button')[2].focus()")
key("\ue007")
a = settled("tau-report profile --rank 2 ")
same("the functions of a rank", a)
found = {r["region"].split(" [")[0]: r for r in rows(a[1].split("\n\nSamples")[0])}
ok("calls of all its threads", (int(found["work"]["calls"]), int(found["inner"]["calls"])) == tuple(map(sum, zip(*(truth[2, i] for i in range(3))))), a[1])
ok("its functions have buttons", any(b.startswith("work [") for b in a[3]), a[3])
press("#leads button", "work")
a = settled("tau-report threads ")
ok("a function is shown on all threads", "--rank" not in a[0] and " 'work [" in a[0], a[0])
script("const s = [...document.querySelectorAll('#choices select')].pop(); s.value = '0'; s.dispatchEvent(new Event('change'))")
script("document.getElementById('squares').click()")
a = settled("tau-report threads --squares --top 0 ")
same("a function", a)
found = function(a[1])
ok("NumCalls and NumSubrs are those of the program", {(rank, i): v[:2] for rank, of in found.items() for i, v in enumerate(sorted(of))} == truth, (found, truth))
ok("SumExclSqr is known of each", all(v[3] and float(v[3]) >= 0 for of in found.values() for v in of), found)
ok("each thread has a button", sorted(a[3]) == sorted("%d.%d" % (rank, v[2]) for rank, of in found.items() for v in of), a[3])

# A thread by a row of the timeline, and by the keyboard.
number = sorted(found[3])[1][2]
names = script("return [...document.querySelectorAll('#names button')].map(b => b.textContent)")
ok("the timeline has a row for each", set(a[3]) <= set(names), names)
script("[...document.querySelectorAll('#names button')].find(b => b.textContent === arguments[0]).focus()", "3.%d" % number)
key("\ue007")
a = settled("tau-report profile --rank 3 --thread %d " % number)
same("the functions of a thread", a)
found = {r["region"].split(" [")[0]: r for r in rows(a[1].split("\n\nSamples")[0])}
ok("those of this thread alone", (int(found["work"]["calls"]), int(found["inner"]["calls"])) == truth[3, 1] and found["work"]["subrs"] == found["inner"]["calls"], (a[1], truth[3, 1]))
ok("with sums of squares", "SumExclSqr [us^2]" in found["work"] and " --squares " in a[0], a[0])
ok("only its row is shown", script("return document.querySelectorAll('#names button').length") == 1)
url = call("GET", session + "/url")
ok("the address has the thread", "rank=3" in url and "thread=%d" % number in url, url)
call("POST", session + "/refresh")
same("after a reload", settled("tau-report profile --rank 3 --thread %d --squares " % number))
key("\ue00c")
ok("Escape shows all of them", "--rank" not in settled("tau-report profile ", "--rank")[0], text("#command"))
call("DELETE", session)
print("# end")
END
# drive STATE: in the page
drive() {
	[ -z "$drive" ] || return
	PYTHONPATH=$TOP/tests python3 drive.py "$port" "$(sed -n 1p said)" "$1" >out 2>drive.err
	browser_results out
	is "$1: driven to the end" "$(tail -n 1 drive.err)$(tail -n 1 out)" "# end"
}
drive running
: >go
wait $job
tau-report ranks -f csv run >uses.csv 2>err
is "what each rank used when it has ended" "$(python3 uses.py "exit 0" uses.csv)$(cat err)" same
drive finished
[ "$drive" ] || kill $driver $view
# The same functions as tau-monitor has them.
squares() { python3 -c 'import csv, sys
print(["%.9g" % float(r["sum_excl_sqr_us2"]) for r in csv.DictReader(sys.stdin) if r.get("kind", "region") == "region" and r.get("function", r.get("region")).startswith("work ")])'; }
for at in 0.0 3.0; do
	is "SumExclSqr of thread $at" "$(tau-report profile --squares --rank ${at%.*} --thread 0 -f csv run | squares)" \
		"$(tau-monitor --once --csv --thread $at run | squares)"
done
like "not by rank" "$(tau-report profile --by rank --squares run 2>&1)" '^tau-report: --squares is for rows by region'
tap_end
