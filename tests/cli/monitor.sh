# monitor.sh: tau-monitor: what it shows of a run while it is recorded agrees with the program's output and the finished trace.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

# A program that prints when it has entered a region, and waits there for a byte, which is the number of calls of step that follow.
cat >waits.c <<'END'
#include <stdio.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) int step(int i) { return i + (int)getppid() % 2; }
__attribute__((noinline)) int inner(void) { unsigned char c = 0; if (read(0, &c, 1) < 1) return -1; return c; }
__attribute__((noinline)) int outer(void)
{
	int n, all = 0;

	for (;;) {
		struct timespec t;

		clock_gettime(CLOCK_MONOTONIC, &t);
		printf("%.6f %d\n", (double)t.tv_sec + (double)t.tv_nsec / 1e9, all);
		fflush(stdout);
		if ((n = inner()) < 0)
			return all;
		for (int i = 0; i < 100 * n; i++, all++)
			step(i);
	}
}
int main(void) { return outer() < 0; }
END
${CC:-cc} -O1 -g -finstrument-functions waits.c -o waits || skip_all "no compiler"
uptime_s() { awk '{ print $1 }' /proc/uptime; }
lines() { until [ "$(wc -l <out)" -ge "$1" ]; do sleep 0.02; done; }
json() { python3 -c '
import json, sys
look = json.loads(sys.stdin.readlines()[-1])
region = {r["region"].split(" [")[0]: r for r in look["regions"]}
thread = {(t["node"], t["thread"]): t for t in look["threads"]}
print(eval(sys.argv[1]))' "$1"; }

mkfifo in
: >out
tau-record -o run ./waits <in >out 2>err &
exec 3>in
lines 1
sleep 0.3
low=$(awk -v up="$(uptime_s)" 'NR == 1 { print (up - $1) * 1000 }' out)
find run | sort >before
tau-monitor --once --json run >look.json 2>why
find run | sort >after
high=$(awk -v up="$(uptime_s)" 'NR == 1 { print (up - $1) * 1000 }' out)
is "nothing is printed on stderr" "$(cat why)" ""
is "a look adds no file to the run" "$(diff before after)" ""
is "what is open now" "$(json '" => ".join(r.split(" [")[0] for r in thread[0, 0]["open"].split(" => "))' <look.json)" 'main => outer => inner'
for region in inner outer main; do
	got=$(json "region['$region']['inclusive_us'] / 1000" <look.json)
	ok "$region, open since it was entered, has ${got:-nothing} ms of $low to $high" \
		awk -v got="${got:-0}" -v low="$low" -v high="$high" 'BEGIN { exit !(got >= low - 30 && got <= high + 30) }'
done
is "one call of each, and no step" "$(json '[region[r]["calls"] for r in ("main", "outer", "inner")] + ["step" in region]' <look.json)" "[1, 1, 1, False]"

# A signal stops the program, and another one makes it go on.
pid=$(json 'look["processes"][0]["pid"]' <look.json)
state() { tau-monitor --once --json run 2>/dev/null | json 'look["processes"][0]["state"]'; }
kill -STOP "$pid"
is "a process that a signal has stopped" "$(state)" stopped
kill -CONT "$pid"
is "... and that goes on" "$(state)" running

# A stream of looks while calls are made: the sums of what is settled and what is new are exact.
tau-monitor --json --interval 300ms run >looks.json 2>why 3>&- &
monitor=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	printf '\011' >&3
	sleep 0.3
done
lines 16
tau-monitor --once --csv run >now.csv
is "15 times 900 steps, as the program prints" "$(awk 'END { print $2 }' out)" "$(sed -n 's/^[^,]*,"\{0,1\}step [^"]*"\{0,1\},[^,]*,\([0-9]*\),.*/\1/p' now.csv)"
exec 3>&-
wait $monitor
is "the stream ends with the run" "$?" 0
ok "there were several looks" [ "$(wc -l <looks.json)" -ge 10 ]
is "calls never fall from look to look" "$(python3 -c '
import json
last = 0
for line in open("looks.json"):
    now = sum(r["calls"] for r in json.loads(line)["regions"])
    if now < last: print(now, "after", last)
    last = now')" ""
wait
tau-monitor --once --json run >end.json
is "the last look of the stream has the calls and times of the finished trace" "$(python3 -c '
import csv, json
look = json.loads(open("looks.json").readlines()[-1])
end = json.loads(open("end.json").read())
of = lambda l: {r["region"]: (r["calls"], r["exclusive_us"], r["inclusive_us"]) for r in l["regions"]}
print(of(look) == of(end) or (of(look), of(end)))')" True
is "and its process has ended" "$(json '[p["state"] for p in look["processes"]]' <end.json)" "['exit 0']"
is "calls as tau-report counts them" "$(json 'int(region["step"]["calls"])' <end.json)" \
	"$(tau-report profile --format json run 2>/dev/null | python3 -c '
import json, sys
print([int(r["calls"]) for r in json.load(sys.stdin)["rows"] if r["region"].startswith("step ")][0])')"

# The text, call paths, and a process that a signal ends.
mkfifo in2
: >out
SLURM_JOB_ID=4711 PBS_JOBID=815.host tau-record -o killed ./waits <in2 >out 2>err &
exec 3>in2
lines 1
pid=$(pgrep -P $! waits || echo $!)
is "--pid finds the run" "$(tau-monitor --once --json --pid "$pid" | json 'look["run"].split("/")[-1]')" killed
is "--job finds it by the number of the job" "$(tau-monitor --once --json --job 4711 | json 'look["run"].split("/")[-1]')" killed
is "--job: the number before the host" "$(tau-monitor --once --json --job 815 | json 'look["run"].split("/")[-1]')" killed
like "--job: not a part of the number" "$(tau-monitor --once --job 47 2>&1)" 'job 47: no process of it is recorded on this host'
SLURM_JOB_ID=4711 tau-record -o beside sleep 5 2>/dev/null &
sleep 0.5
like "--job: a job with two runs" "$(tau-monitor --once --job 4711 2>&1)" 'job 4711: it has 2 runs, such as .* and .*: name one of them'
pkill -P $! sleep || kill $!
like "--job and --pid" "$(tau-monitor --once --job 4711 --pid "$pid" 2>&1)" 'name one of: a run, a process, a job'
like "call paths" "$(tau-monitor --once --callpath killed)" 'main \[waits.c:[0-9]+\] => outer'
like "a look as text" "$(tau-monitor --once killed)" 'killed at [0-9.]+ s: 1 PE, 1 thread; 1 process running, 0 ended; [0-9]+ records, 0 lost\.'
tau-monitor --json --interval 100ms killed >looks.json 3>&- &
monitor=$!
sleep 0.3
kill -KILL "$pid"
wait $monitor
exec 3>&-
wait
is "a process that a signal ends is reported to be ended by it" "$(tau-monitor --once --json killed | json '[p["state"] for p in look["processes"]]')" "['signal 9']"

# Requests over a Unix socket: two of them, and what is refused.
mkfifo in3
: >out
tau-record -o served ./waits <in3 >out 2>err &
exec 3>in3
lines 1
tau-monitor --serve sock served 2>why 3>&- &
server=$!
until [ -S sock ]; do sleep 0.02; kill -0 $server 2>/dev/null || break; done
is "only its user may open the socket" "$(stat -c %a sock)" 600
ask() { python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect("sock")
s.sendall(sys.argv[1].encode() + b"\r\nHost: x\r\n\r\n")
all = b""
while True:
    b = s.recv(65536)
    if not b: break
    all += b
print(all.decode())' "$1"; }
ask "GET /metrics HTTP/1.1" >first.txt
printf '\002' >&3
lines 2
ask "GET /metrics HTTP/1.1" >second.txt
calls() { sed -n 's/^tau_region_calls_total{run="served",region="step [^"]*"} //p' "$1"; }
is "calls in OpenMetrics, asked twice" "$(calls first.txt) $(calls second.txt)" " 200"
like "its type" "$(tr -d '\r' <second.txt)" '^Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8$'
is "it ends as the format wants" "$(tr -d '\r' <second.txt | sed '/^$/d' | tail -1)" "# EOF"
like "other pages are not there" "$(ask 'GET / HTTP/1.1')" '^HTTP/1.1 404'
like "nothing can be posted" "$(ask 'POST /metrics HTTP/1.1')" '^HTTP/1.1 405'
kill $server
wait $server
is "the server ends with 0 and takes its socket away" "$? $(ls sock 2>/dev/null)" "0 "

# The view on a terminal.
if command -v tmux >/dev/null; then
	tmux -f /dev/null -L "tau$$" new-session -d -s a -x 80 -y 24 "LC_ALL=C.UTF-8 $B/tau-monitor served"
	screen() { for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 0.3; tmux -L "tau$$" capture-pane -p -t a >screen 2>/dev/null; grep -q "$1" screen && break; done; }
	screen 'step \[waits.c'
	like "the view shows the run" "$(head -1 screen)" '^served at [0-9.]+ s'
	like "and its regions" "$(cat screen)" '^ +200 .* step \[waits\.c:[0-9]+\]'
	tmux -L "tau$$" send-keys -t a t
	screen '=> inner'
	like "the view of threads shows what is open" "$(cat screen)" '^0\.0 .* main => outer => inner'
	tmux -L "tau$$" send-keys -t a r
	screen ' history  region'
	tmux -L "tau$$" send-keys -t a Enter
	screen 'filter: inner'
	like "Enter: call paths of the selected region, with their callers in 80 columns" "$(cat screen)" '~> outer => inner *
.*filter: inner \[waits.c:[0-9]+\]'
	keys() { tmux -L "tau$$" send-keys -t a "$@"; }
	keys '?'
	screen 'this help'
	keys t
	screen '^0\.0 .*main => outer'
	like "a key ends the list of keys and shows its view" "$(cat screen)" '^0\.0 .*main => outer'
	keys m
	screen 'No row'
	like "why there are no rows, with a filter" "$(cat screen)" 'No row contains the text of the filter'
	keys Escape
	screen ' history  region'
	keys m
	screen 'tau-record --memory'
	like "and without" "$(cat screen)" 'tau-record --memory records them'
	keys r / n o t
	screen 'filter: not$'
	keys Escape
	screen '^? keys   q quit$'
	like "Esc leaves the filter as it was" "$(cat screen)" 'step \[waits.c'
	keys M
	screen 'counted from'
	like "the first line has the moment of a mark" "$(head -1 screen)" ', counted from [0-9.]+ s on'
	keys M + +
	screen 'a look every'
	like "the interval in full" "$(cat screen)" 'a look every 250\.0 ms'
	tmux -L "tau$$" resize-window -t a -x 80 -y 7
	keys End
	screen '^? keys'
	tmux -L "tau$$" resize-window -t a -x 80 -y 24
	screen 'main \[waits.c'
	like "a larger window is filled, also after End in a small one" "$(cat screen)" 'step \[waits.c'
	keys q
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do sleep 0.2; tmux -L "tau$$" has-session 2>/dev/null || break; done
	ok "q ends it" sh -c "! tmux -L tau$$ has-session 2>/dev/null"
else
	skip "the view on a terminal" "tmux is not installed"
fi
exec 3>&-
wait

tau-record --memory=census -o census ./waits </dev/null >/dev/null 2>&1
is "the recorder's own regions are no regions of the program, as in reports" \
	"$(tau-monitor --once --csv census | grep -c '"\{0,1\}\.TAU memory') $(tau-trace2profile --format csv census 2>/dev/null | grep -c 'TAU memory census')" "0 1"

refused() { tau-monitor "$@" >/dev/null 2>why; echo "$? $(cat why)"; }
like "no such run" "$(refused --once nowhere)" '^4 tau-monitor: nowhere: '
like "a time without a unit that is no time" "$(refused --interval soon run)" "^2 tau-monitor: --interval: 'soon' is not a time .*, such as 500ms"
like "--json and --csv" "$(refused --json --csv run)" '^2 tau-monitor: --json, --csv, --serve and --plugin exclude each other'
like "a process that is not recorded" "$(refused --once --pid $$)" '^3 tau-monitor: process [0-9]+: neither it nor a process that it started is recorded'
for option in "--rsh ssh" "--remote-program /bin/x" "--fan-out 16" "--timeout 5s"; do
	like "without other hosts: $option" "$(refused --once $option run)" "^2 tau-monitor: ${option%% *} is for runs on other hosts: name HOST:RUN, or "
done
like "no such key" "$(refused --sort resent run)" "^2 .*did you mean.*recent"
tap_end
