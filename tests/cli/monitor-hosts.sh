# monitor-hosts.sh: tau-monitor over several hosts: one view has the sums of single views; hosts that fail do not hold up the others.
# A script in place of ssh runs each helper here.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
VERSION=$(sed -n 's/.*FRAME_VERSION *//p' "$TOP/cmd/monitor/frame.h")
export VERSION

cat >rsh <<'END'
#!/bin/sh
# As ssh does: the words after the host are a command for a shell. Notes the process, who started it, and the host. Some hosts are out of order.
echo "$$ $PPID $1" >>"$TAU_TEST_CALLED"
[ -e "$TAU_TEST_CALLED.down.$1" ] && { echo "ssh: connect to host $1 port 22: No route to host" >&2; exit 255; }
case $1 in
gone*) echo "ssh: connect to host $1 port 22: No route to host" >&2; exit 255 ;;
bare) echo "sh: 1: tau-monitor: not found" >&2; exit 127 ;;
noise) echo "Welcome to noise" ;;
past) echo "tau-monitor looks 0"; exec sleep 100 ;;
future) echo "tau-monitor looks $((VERSION + 1))"; exec sleep 100 ;;
silent) exec sleep 100 ;;
hangs) echo "tau-monitor looks $VERSION"; exec sleep 100 ;;
bytes) echo "tau-monitor looks $VERSION"; exec head -c 100000 /dev/zero ;;
shouts) exec tr '\0' x </dev/zero >&2 ;;
endless) exec tr '\0' x </dev/zero ;;
ends) echo "tau-monitor looks $VERSION"; kill -9 $$ ;;
esac
shift
exec sh -c "exec $*"
END
chmod +x rsh
export TAU_TEST_CALLED="$T/called"
hosts() { tau-monitor --rsh ./rsh "$@"; }
json() { python3 -c '
import json, sys
look = json.loads(sys.stdin.readlines()[-1])
region = {r["region"].split(" [")[0]: r for r in look["regions"]}
thread = {(t["node"], t["thread"]): t for t in look["threads"]}
print(eval(sys.argv[1]))' "$1"; }

# ---- one host ----
tau-record -o one "$B/apps/hooks" >/dev/null 2>&1
tau-record -o "odd 'name'; x" "$B/apps/threads" >/dev/null 2>&1
tau-monitor --once one | sed 's/^one at/RUN at/' >direct
hosts --once "n1:$T/one" 2>why | sed "s|^n1:$T/one at|RUN at|; s/: 1 host, /: /" >there
is "a run on one other host, as text" "$(cat why there)" "$(cat direct)"
hosts --once --hosts n1 one | sed 's/^one at/RUN at/; s/: 1 host, /: /' >there
is "the same with --hosts, by a path from the current directory" "$(cat there)" "$(cat direct)"
is "as CSV" "$(hosts --once --csv "n1:$T/one")" "$(tau-monitor --once --csv one)"
is "call paths" "$(hosts --once --csv --callpath "n1:$T/one")" "$(tau-monitor --once --csv --callpath one)"
is "names that a shell would change" "$(hosts --once --csv "n1:$T/odd 'name'; x")" "$(tau-monitor --once --csv "odd 'name'; x")"
printf '#!/bin/sh\nexec tau-monitor --stdio %s/one\n' "$T" >fixed
chmod +x fixed
is "a helper with a run of its own looks at that one" "$(tau-monitor --once --csv --rsh ./rsh --remote-program "$T/fixed" n1:elsewhere 2>&1)" "$(tau-monitor --once --csv one)"

# ---- a job of four ranks, two on each of two hosts with a file system of its own ----
cat >sums.py <<'END'
# sums.py WHOLE PART...: what differs between a look and the sum of others
import json, sys
def load(f): return json.loads(open(f).readlines()[-1])
whole, parts = load(sys.argv[1]), [load(f) for f in sys.argv[2:]]
def sums(looks, rows, key, fields):
    out = {}
    for l in looks:
        for r in l[rows]:
            for f in fields: out[r[key], f] = out.get((r[key], f), 0) + (r[f] or 0)
    return {k: round(v, 3) for k, v in out.items()}
for rows, key, fields in (("regions", "region", ("calls", "exclusive_us", "inclusive_us")), ("memory", "type", ("live_bytes",))):
    a, b = sums([whole], rows, key, fields), sums(parts, rows, key, fields)
    for k in sorted(set(a) | set(b)):
        if abs(a.get(k, -1) - b.get(k, -1)) > 0.0005: print(k, a.get(k), b.get(k))
for f in ("pes", "running", "ended", "records", "lost"):
    if whole[f] != sum(p[f] for p in parts): print(f, whole[f], [p[f] for p in parts])
END
sums() { python3 sums.py "$@" 2>&1; }
if command -v mpirun >/dev/null && [ -x "$B/apps/mpip2p" ]; then
	mpirun -np 4 sh -c 'h=$((OMPI_COMM_WORLD_RANK / 2)); exec tau-record --memory --wrap mpi -o disk$h "$0"' "$B/apps/mpip2p" >out 2>&1 || cat out
	mkdir all
	cp disk0/*.tau disk1/*.tau all
	tau-monitor --once --json disk0 >single0.json
	tau-monitor --once --json disk1 >single1.json
	tau-monitor --once --json all >all.json
	hosts --once --json "a:$T/disk0" "b:$T/disk1" >both.json 2>why
	is "nothing is printed about hosts that are reached" "$(cat why)" ""
	is "the view of both hosts is the sum of the single views" "$(sums both.json single0.json single1.json)" ""
	is "calls are those of all files in one directory" "$(python3 -c '
import json
calls = lambda f: {r["region"]: r["calls"] for r in json.load(open(f))["regions"]}
print(calls("both.json") == calls("all.json") and len(calls("both.json")) > 3)')" True
	is "threads have their ranks" "$(json 'sorted(k for k in thread if k[1] == 0)' <both.json)" "[(0, 0), (1, 0), (2, 0), (3, 0)]"
	is "messages between hosts have arrived, in the view of both" "$(json 'look["messages_in_flight"]' <both.json)" "$(json 'look["messages_in_flight"]' <all.json)"
	is "both hosts are shown" "$(json '[(h["host"].split(":")[0], h["state"]) for h in look["hosts"]]' <both.json)" "[('a', 'shown'), ('b', 'shown')]"
else
	skip "two hosts with two ranks each" "no Open MPI"
fi

# ---- a tree ----
for i in 1 2 3 4 5 6 7; do tau-record -o tree$i "$B/apps/hooks" >/dev/null 2>&1; tau-monitor --once --json tree$i >tree$i.json; done
: >called
hosts --once --json --fan-out 2 $(for i in 1 2 3 4 5 6 7; do echo "t$i:$T/tree$i"; done) >tree.json 2>why
is "seven hosts with two helpers for each process" "$(cat why; sums tree.json tree?.json)" ""
is "each host has one helper" "$(sed 's/.* //' called | sort | tr '\n' ' ')" "t1 t2 t3 t4 t5 t6 t7 "
is "no process starts more than two" "$(cut -d ' ' -f 2 called | sort | uniq -c | awk '$1 > 2')" ""
is "processes without ranks have numbers of their own" "$(json '[p["node"] for p in look["processes"]]' <tree.json)" "[0, 1, 2, 3, 4, 5, 6]"

# ---- hosts that fail ----
is "without a host that can be reached there is no look" \
	"$(hosts --once gone:x 2>&1; echo $?)" "tau-monitor: gone:x: no helper can be started there, status 255: ssh: connect to host gone port 22: No route to host
4"
bad="gone:x bare:x noise:x past:x future:x silent:x hangs:x bytes:x endless:x shouts:x ends:x n2:nowhere"
hosts --once --json --timeout 2s "n1:$T/one" $bad >some.json 2>why
is "the status is 1" "$?" 1
tau-monitor --once --json one >one.json
is "the look has what the others have" "$(sums some.json one.json)" ""
sed 's/^tau-monitor: //; s/endless:x: .*expected/endless:x: ... expected/; s/there: xx*$/there: x/' why | sort >got
cat >expected <<END
bare:x: no helper can be started there, status 127: sh: 1: tau-monitor: not found
bytes:x: what it sends is damaged
endless:x: ... expected: a shell must print nothing when it starts a command
ends:x: the helper has ended, signal 9
future:x: its tau-monitor sends looks of version $((VERSION + 1)), this one reads version $VERSION: install the same release on all hosts
gone:x: no helper can be started there, status 255: ssh: connect to host gone port 22: No route to host
hangs:x: no answer for 2.000 s
n2:nowhere: nowhere: No such file or directory
noise:x: it sent 'Welcome to noise' where looks were expected: a shell must print nothing when it starts a command
past:x: its tau-monitor sends looks of version 0, this one reads version $VERSION: install the same release on all hosts
shouts:x: no helper can be started there: x
silent:x: no answer for 2.000 s
END
is "each of the others has one sentence" "$(cat got)" "$(cat expected)"
is "JSON has them, too" "$(json 'sorted((h["host"], h["state"]) for h in look["hosts"] if h["host"][0] in "bghn")' <some.json)" \
	"[('bare:x', 'lost'), ('bytes:x', 'lost'), ('gone:x', 'lost'), ('hangs:x', 'lost'), ('n1:$T/one', 'shown'), ('n2:nowhere', 'failed'), ('noise:x', 'lost')]"
hosts --once --csv --timeout 2s "n1:$T/one" gone:x n2:nowhere 2>/dev/null >some.csv
is "CSV has how many hosts each row is without" "$(awk -F, '{ print $NF }' some.csv | sort | uniq -c | awk '{ print ($1 > 1), $2 }' | tr '\n' ' ') $(tau-monitor --once --csv one | tail -1 | awk -F, '{ print $NF }')" "1 2 0 hosts_missing  0"
is "a single look tries no host again" "$(json '[h["host"] for h in look["hosts"] if h["retry_s"] is not None or (h["lost_s"] is None) != (h["state"] != "lost")]' <some.json)" "[]"
is "the same where helpers lead others" "$(hosts --once --json --timeout 6s --fan-out 2 gone1:x gone2:x "t1:$T/tree1" gone3:x "t2:$T/tree2" "t3:$T/tree3" "t4:$T/tree4" gone4:x >led.json 2>why; echo $?
	sums led.json tree1.json tree2.json tree3.json tree4.json; sed 's/tau-monitor: \(gone[0-9]\):x: no helper can be started there.*/\1/' why | sort | tr '\n' ' ')" "1
gone1 gone2 gone3 gone4 "
hosts --once --fan-out 1 "t1:$T/tree1" n2:nowhere gone:x >/dev/null 2>why
is "a helper that shows nothing answers for those that it leads" "$(sort why)" "tau-monitor: gone:x: no helper can be started there, status 255: ssh: connect to host gone port 22: No route to host
tau-monitor: n2:nowhere: nowhere: No such file or directory"
like "if none shows anything there is one sentence" "$(hosts --once n2:nowhere gone:x 2>&1)" '^tau-monitor: (gone|n2).*; no other host shows anything$'
like "a run that is given twice is counted once" "$(hosts --once "n1:$T/one" "n2:$T/one" 2>&1)" "^tau-monitor: n2:.*: its processes are already shown by n1:"

# ---- a running program on each of two hosts ----
cat >waits.c <<'END'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) int step(int i) { return i + (int)getppid() % 2; }
__attribute__((noinline)) int inner(void) { unsigned char c = 0; if (read(0, &c, 1) < 1) return -1; return c; }
int main(void)
{
	for (int n, all = 0; printf("%d\n", all), fflush(stdout), (n = inner()) >= 0;)
		for (int i = 0; i < 100 * n; i++, all++)
			step(i);
	return 0;
}
END
# Wait for a condition, at most 30 s.
wait_for() { for i in $(seq 600); do eval "$1" && return; sleep 0.05; done; }
printed() { wait_for "[ \"\$(tail -n 1 $1 2>/dev/null)\" = $2 ]"; }
looked() { n=$(($(wc -l <looks.json) + $1)); wait_for '[ "$(wc -l <looks.json)" -ge $n ]'; }
each() { python3 -c '
import json, sys
looks = [json.loads(l) for l in open("looks.json")]
step = lambda l: sum(r["calls"] for r in l["regions"] if r["region"].startswith("step "))
new = lambda l: sum(r["new_calls"] or 0 for r in l["regions"] if r["region"].startswith("step "))
print(eval(sys.argv[1]))' "$1"; }
if ${CC:-cc} -O1 -g -finstrument-functions waits.c -o waits 2>/dev/null; then
	for h in x y; do
		mkfifo in.$h
		tau-record -o run.$h ./waits <in.$h >out.$h 2>/dev/null &
	done
	exec 3>in.x 4>in.y
	printed out.x 0
	printed out.y 0
	: >called
	: >looks.json
	timeout 120 tau-monitor --rsh ./rsh --json --timeout 10s --interval 100ms "x:$T/run.x" "y:$T/run.y" >looks.json 2>why 3>&- 4>&- &
	monitor=$!
	looked 2
	for i in 1 2 3; do
		printf '\001' >&3
		printf '\002' >&4
		looked 2
	done
	printed out.x 300
	printed out.y 600
	looked 2
	is "both programs run, and their calls are counted" "$(each '(step(looks[-1]), looks[-1]["running"])')" "(900, 2)"
	is "no look has fewer calls than the one before" "$(each '[1 for a, b in zip(looks, looks[1:]) if step(b) < step(a)]')" "[]"
	is "what is new adds up to what is there" "$(each 'sum(new(l) for l in looks) + step(looks[0])')" 900
	is "what each thread has open" "$(each '[t["open"].split(" [")[0] + t["open"].split(" => ")[-1].split(" [")[0] for t in looks[-1]["threads"]]')" "['maininner', 'maininner']"
	helper_of_y() { sed -n 's/ .* y:\{0,1\}.*//p' called | tail -n 1; }
	hosts_are() { wait_for '[ "$(each "[h[\"state\"] for h in looks[-1][\"hosts\"]]" 2>/dev/null)" = "$hosts" ]'; }
	touch called.down.y
	kill -KILL "$(helper_of_y)"
	hosts="['shown', 'lost']"
	ok "a helper that is killed: its host is lost" hosts_are
	printf '\001' >&3
	printf '\001' >&4
	printed out.x 400
	looked 3
	is "what is known of it stays, the other one goes on" \
		"$(each '(step(looks[-1]), looks[-1]["running"], looks[-1]["unknown"], [h["state"] for h in looks[-1]["hosts"]])')" "(1000, 1, 1, ['shown', 'lost'])"
	is "whether its threads run is unknown" "$(each '[t["running"] for t in looks[-1]["threads"]]')" "[True, None]"
	like "a sentence has the reason, and the next try" "$(head -n 1 why)" '^tau-monitor: y:.*: the helper has ended, signal 9; its last state is of [0-9.]+ s; lost for (<0\.1|0\.[0-9]) s, next try in (1\.0|0\.[0-9]) s$'
	wait_for '[ "$(wc -l <why)" -ge 3 ]'
	like "each failed try has one" "$(sed -n 2p why)" '^tau-monitor: y:.*: no helper can be started there, status 255: ssh: connect to host y port 22: No route to host; its last state is of [0-9.]+ s; lost for [1-9][0-9.]* s, next try in (2\.0|1\.[0-9]) s$'
	like "the pause is doubled" "$(sed -n 3p why)" ' lost for [3-9][0-9.]* s, next try in (4\.0|3\.[0-9]) s$'
	is "JSON has the times of the host that is lost, only" \
		"$(each '[h["lost_s"] is None and h["retry_s"] is None for h in looks[-1]["hosts"]], 3 <= looks[-1]["hosts"][1]["lost_s"] < 30, 0 <= looks[-1]["hosts"][1]["retry_s"] <= 4')" "([True, False], True, True)"
	rm called.down.y
	hosts="['shown', 'shown']"
	ok "it is shown again when it can be reached" hosts_are
	helper_of_y >called.y
	is "with what has happened there since" "$(each '(step(looks[-1]), looks[-1]["running"], looks[-1]["unknown"], [t["running"] for t in looks[-1]["threads"]])')" "(1100, 2, 0, [True, True])"
	like "which is reported" "$(tail -n 1 why)" '^tau-monitor: y:.*: shown again; it was lost for more than [0-9.]+ s$'
	is "no look has fewer calls than the one before, still" "$(each '[1 for a, b in zip(looks, looks[1:]) if step(b) < step(a)]')" "[]"
	: >called
	tau-monitor --rsh ./rsh --json --fan-out 1 --interval 100ms "x:$T/run.x" "y:$T/run.y" >led.json 2>led.why 3>&- 4>&- &
	led=$!
	state() { json '(sorted((h["host"][0], h["state"]) for h in look["hosts"]), sum(r["calls"] for r in look["regions"] if r["region"].startswith("step ")))' <led.json 2>/dev/null; }
	state_is() { wait_for '[ "$(state)" = "$want" ]'; }
	want="([('x', 'shown'), ('y', 'shown')], 1100)"
	ok "a helper that leads the other one" state_is
	touch called.down.x
	kill -KILL "$(sed -n 's/ .* x:\{0,1\}.*//p' called | tail -n 1)"
	want="([('x', 'lost'), ('y', 'shown')], 700)"
	ok "is lost: the other one goes on" state_is
	rm called.down.x
	want="([('x', 'shown'), ('y', 'shown')], 1100)"
	ok "and back: both are shown" state_is
	kill $led
	wait $led
	touch called.down.y
	kill -KILL "$(cat called.y)"
	hosts="['shown', 'lost']"
	ok "it is lost again" hosts_are
	is "nothing is new from a host that is lost, or is back" "$(each 'sum(new(l) for l in looks) + step(looks[0])')" 1000
	exec 3>&- 4>&-
	wait $monitor
	is "the stream ends when the programs of the other host have ended" "$?" 1
	is "but waits for a host that may return, for the time of --timeout" "$(each '10 <= looks[-1]["hosts"][1]["lost_s"] < 60')" True
	wait
else
	skip "running programs on two hosts" "no compiler"
fi

# ---- a run that two hosts share, whose names are those of namespaces ----
cat >named <<'END'
#!/bin/sh
# named HOST COMMAND: as ssh on a host that has this name
host=$1
shift
exec unshare --uts sh -c 'hostname "$0" && exec $1' "$host" "$*"
END
chmod +x named
cat >until.c <<'END'
#include <unistd.h>
__attribute__((noinline)) void until(const char *file) { while (access(file, F_OK)) usleep(10000); }
int main(void) { until("go"); return 0; }
END
if [ "$(./named n7 uname -n 2>&1)" = n7 ] && command -v mpirun >/dev/null && ${CC:-cc} -O1 -finstrument-functions until.c -o until 2>/dev/null; then
	mpirun -np 4 sh -c 'exec ./named h$((OMPI_COMM_WORLD_RANK / 2)) tau-record -o shared ./until' >out 2>&1 &
	wait_for '[ "$(ls shared/*.tau 2>/dev/null | wc -l)" = 4 ]'
	sleep 0.3
	is "without the hosts, it is unknown whether their processes run" "$(tau-monitor --once --json shared | json 'look["running"], look["ended"], look["unknown"], thread[0, 0]["running"]')" "(0, 0, 4, None)"
	like "what to do is shown" "$(tau-monitor --once shared)" '4 processes may still run on other hosts; --hosts auto looks there'
	tau-monitor --once --json --rsh ./named --hosts h0,h1 shared >look.json 2>why
	is "with them, each helper has the processes of its host" \
		"$(cat why; json 'look["running"], sorted({(p["host"], p["node"] // 2) for p in look["processes"]}), region["main"]["calls"]' <look.json)" "(4, [('h0', 0), ('h1', 1)], 4)"
	is "the run names the hosts" "$(tau-monitor --once --json --rsh ./named --hosts auto shared | json 'look["running"], sorted(h["host"] for h in look["hosts"])')" "(4, ['h0', 'h1'])"
	like "a host without processes" "$(tau-monitor --once --rsh ./named --hosts h0,h7 shared 2>&1)" '^tau-monitor: h7: .*shared: it has no files h7\.'
	touch go
	wait
	tau-monitor --once --json shared >direct.json
	tau-monitor --once --json --rsh ./named --hosts h0,h1 shared >look.json
	is "after its end the view is that of the run itself" "$(sums look.json direct.json)" ""
else
	skip "a run that two hosts share" "needs Open MPI, and a namespace for the name of the host"
fi

# ---- the view ----
if command -v tmux >/dev/null; then
	tmux -f /dev/null -L "tau$$" new-session -d -s a -x 80 -y 24 "cd '$T'; LC_ALL=C.UTF-8 $B/tau-monitor --rsh ./rsh --remote-program $B/tau-monitor n1:$T/tree1 n2:$T/tree2 gone:x"
	screen() { wait_for 'tmux -L tau$$ capture-pane -p -t a >screen 2>/dev/null; grep -q "$what" screen'; }
	what='n1:.* and 2 more at'
	screen
	like "the view has the sums over hosts" "$(cat screen)" '^3 hosts \(1 lost\), 2 PEs, 2 threads; 0 running, 2 ended; [0-9]+ records$'
	like "and the reason why one is lost" "$(tail -n 1 screen)" '^gone:x: no helper can be started there'
	tmux -L "tau$$" send-keys -t a h
	what='retry s  host'
	screen
	like "the hosts" "$(cat screen)" '^  lost +[0-9]+[.][0-9] +[0-9]+[.][0-9]  gone:x: no'
	tmux -L "tau$$" send-keys -t a r S
	what='^written: '
	screen
	is "the profile of all hosts is written" "$(ls tree1\ and*/ | tr '\n' ' ')" "profile.0.0.0 profile.1.0.0 "
	calls() { awk '/^"/ { n += $(NF - 5) } END { print n }' "$@"; }
	tau-trace2profile -o flat tree1 >/dev/null 2>&1
	is "with the calls of each" "$(calls tree1\ and*/profile.1.0.0)" "$(calls flat/profile.0.0.0)"
	tmux -L "tau$$" send-keys -t a q
	ok "q ends it" wait_for '! tmux -L tau$$ has-session 2>/dev/null'
else
	skip "the view on a terminal" "tmux is not installed"
fi

# ---- other outputs ----
calls_of() { sed -n 's/^tau_region_calls_total{run="[^"]*",region="main [^"]*"} //p'; }
tau-monitor --rsh ./rsh --serve sock "n1:$T/tree1" "n2:$T/tree2" gone:x 2>why &
server=$!
wait_for '[ -S sock ]'
python3 -c '
import socket
s = socket.socket(socket.AF_UNIX)
s.connect("sock")
s.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
all = b""
while b := s.recv(65536): all += b
print(all.decode())' >metrics
kill $server
wait $server
is "OpenMetrics has the sums" "$(calls_of <metrics)" 2
is "and the states of hosts" "$(grep '^tau_hosts{' metrics | sed 's/run="[^"]*",//' | tr '\n' ' ')" 'tau_hosts{state="shown"} 2 tau_hosts{state="late"} 0 tau_hosts{state="failed"} 0 tau_hosts{state="lost"} 1 '

if ${CC:-cc} -shared -fPIC -I"$TOP/cmd/shared" "$TOP/fixtures/plugins/alarm.c" -o alarm.so 2>/dev/null; then
	# More than each host has, and less than both have together.
	alarms() { hosts --once --plugin "alarm.so:$limit,.TAU application" "$@" 2>/dev/null | wc -l; }
	us() { tau-monitor --once --csv "$@" | awk -F, '/TAU application/ { print $(NF - 4) }'; }
	limit=$(printf '%s\n' "$(us tree1)" "$(us tree2)" | sort -n | awk '{ v = $1 } END { printf "%d", v + 1 }')
	is "a plug-in gets the sums" "$(alarms tree1) $(alarms tree2) $(alarms "n1:$T/tree1" "n2:$T/tree2")" "0 0 1"
fi

# ---- ssh itself ----
sshd=${TAU_TEST_SSHD:-$(PATH=$PATH:/usr/sbin command -v sshd)}
if [ -n "$sshd" ] && command -v ssh-keygen >/dev/null; then
	ssh-keygen -q -t ed25519 -N '' -f host_key && ssh-keygen -q -t ed25519 -N '' -f key && cp key.pub keys
	# Debian makes this when the service starts
	[ "$(id -u)" != 0 ] || mkdir -p -m 755 /run/sshd
	port=$((20000 + $$ % 20000))
	printf '%s\n' "Port $port" "ListenAddress 127.0.0.1" "HostKey $T/host_key" "AuthorizedKeysFile $T/keys" "StrictModes no" "UsePAM no" "PidFile $T/sshd.pid" >conf
	"$sshd" -D -e -f "$T/conf" 2>sshd.log &
	server=$!
	ssh="ssh -F none -p $port -i $T/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=$T/known -o BatchMode=yes"
	if wait_for '! kill -0 $server 2>/dev/null || $ssh localhost true 2>/dev/null' && $ssh localhost true 2>ssh.log; then
		"$B/tau-monitor" --once --json --rsh "$ssh" "localhost:$T/tree1" "127.0.0.1:$T/odd 'name'; x" >look.json 2>why
		tau-monitor --once --json "odd 'name'; x" >odd.json
		is "through ssh" "$(cat why; sums look.json tree1.json odd.json)" ""
		like "no such program there" "$(tau-monitor --once --remote-program /none/tau-monitor --rsh "$ssh" localhost:x 2>&1)" 'localhost:x: no helper can be started there, status 127: .*/none/tau-monitor'
		kill $server
		wait $server
		like "no ssh there" "$(tau-monitor --once --rsh "$ssh" localhost:x 2>&1)" 'localhost:x: no helper can be started there, status 255: ssh: connect to host localhost port [0-9]+: Connection refused'
	else
		skip "through ssh" "sshd does not start here: $(head -n 1 sshd.log ssh.log | tr '\n' ' ')"
		kill $server 2>/dev/null
	fi
else
	skip "through ssh" "no sshd (Debian: openssh-server; its program starts with the system, so that the tests do not install it)"
fi

refused() { hosts "$@" >/dev/null 2>why; echo "$? $(cat why)"; }
like "a host that is given twice" "$(refused --once --hosts a,b,a one)" '^2 tau-monitor: a is given twice'
like "a host that would be an option of ssh" "$(refused --once -- -oProxyCommand=x:y)" "^2 tau-monitor: '-oProxyCommand=x:y' is not the name of a host"
like "several runs without hosts" "$(refused --once one odd)" '^2 tau-monitor: several runs: each needs its host, HOST:PATH, but one has none'
like "--hosts and a process" "$(refused --once --hosts a --pid 1)" "^2 tau-monitor: --hosts looks at a run by its path: give RUN in place of --pid 1; the first line of 'tau-monitor --once --pid 1' begins with it$"
like "a file of hosts and a job" "$(refused --once --hostfile a --job 1)" "^2 tau-monitor: --hostfile looks at a run by its path: give RUN in place of --job 1; "
like "--hosts and two runs" "$(refused --once --hosts a one odd)" "^2 tau-monitor: --hosts looks at one run: for several, give HOST:RUN for each in place of --hosts$"
like "no such file of hosts" "$(refused --once --hostfile nowhere one)" '^4 tau-monitor: nowhere: No such file'
like "a command that is not there" "$(tau-monitor --once --rsh ./no-ssh n1:x 2>&1)" 'n1:x: ./no-ssh cannot be started: No such file or directory'
like "--stdio refuses input that is not a request" "$(echo hello | tau-monitor --stdio 2>&1 >/dev/null; head -c 100 /dev/zero | tau-monitor --stdio one 2>&1 >/dev/null)" '^tau-monitor: standard input: this is not a request'
printf 'n1 slots=2\n# a comment\n n2:4\nn1\n\n' >file
: >called
hosts --once --hostfile file one >/dev/null 2>&1
is "a file of hosts" "$(sed 's/.* //' called | sort | tr '\n' ' ')" "n1 n2 "
SLURM_JOB_NODELIST="n[1-2],$(uname -n)" tau-record -o slurm "$B/apps/hooks" >/dev/null 2>&1
: >called
hosts --once --hosts auto slurm >/dev/null 2>&1
is "hosts that Slurm has given to the job of a run" "$(sed 's/.* //' called | sort | tr '\n' ' ')" "$(printf '%s\n' n1 n2 "$(uname -n)" | sort | tr '\n' ' ')"
SLURM_JOB_NODELIST="n[1-2],$(uname -n)" PBS_NODEFILE=$PWD/nodes tau-record -o pbs "$B/apps/hooks" >/dev/null 2>&1
printf 'n3\nn3\nn4.cluster\n' >nodes
: >called
hosts --once --hosts auto pbs >/dev/null 2>&1
is "a file that only the run names is not read" "$(grep -c 'n[34]' called)" 0
PBS_NODEFILE=$PWD/nodes hosts --once --hosts auto pbs >/dev/null 2>&1
is "that of the same job is" "$(sed 's/.* //' called | grep 'n[34]' | sort | tr '\n' ' ')" "n3 n4.cluster "
for bad in 'n[1-99999999]' 'n[1-60000],m[1-60000]' 'n[1-' 'n[1-300][1-300]'; do
	SLURM_JOB_NODELIST=$bad PBS_NODEFILE=/dev/zero tau-record -o long "$B/apps/hooks" >/dev/null 2>&1
	like "a list of hosts without end: $bad" "$(PBS_NODEFILE=/dev/null refused --once --hosts auto long)" \
		'^3 tau-monitor: long: its list of hosts .SLURM_JOB_NODELIST. is not one, or has more than 65536 hosts; name the hosts: --hosts HOST,...$'
	rm -rf long
done
is "no helper is left" "$(pgrep -f "tau-monitor --stdi[o]" | while read -r p; do grep -qsz "^TAU_TEST_CALLED=$T/called" /proc/$p/environ && echo $p; done)" ""
tap_end
