# cuda.sh: the wrapper of CUDA with a runtime and a CUPTI that replay work of known times: calls on the host, work by stream, memory.
. "$(dirname "$0")/../expect.sh"

# build NAME FLAGS: the program and its libraries in $T/NAME
build() {
	name=$1; shift
	mkdir "$T/$name"
	${CC:-cc} -D_GNU_SOURCE -O1 -shared -fPIC -fvisibility=hidden -Wl,-soname,libcupti.so "$@" \
		-o "$T/$name/libcupti.so" "$TOP/fixtures/apps/cuda/cupti.c" &&
		${CC:-cc} -D_GNU_SOURCE -O1 -I"$TOP/record" -o "$T/$name/cuda" "$TOP/fixtures/apps/cuda/main.c" \
			-L"$T/$name" -lcupti
}
# inclusive NAME REGION: its microseconds over all threads, in $T/NAME.csv
inclusive() {
	awk -F, -v r="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["name"] == r { t += $at["inclusive_us"] } END { printf "%.3f\n", t }' "$T/$1.csv"
}

ok "a runtime as of CUDA 11 is built" build old -DKERNEL_BYTES=200 -DNO_TIMESTAMP_CALLBACK
ok "and one as of CUDA 13" build new -DKERNEL_BYTES=216

for v in new old; do
	export LD_LIBRARY_PATH="$T/$v"
	TAU_RECORD_MONOTONIC=1 record $v --wrap cuda "$T/$v/cuda"
	is "$v: the program ends as it should" "$code" 0
	expect $v
	is "$v: nothing had to be repaired" "$(grep -c repaired "$T/$v.why")" 0
	ok "$v: the trace is sound" tau-dump --check "$T/$v.run"
	is "$v: kernels have the times of the device" "$(inclusive $v saxpy) $(inclusive $v dot) $(inclusive $v beside)" \
		"3000.000 1000.000 50.000"
	is "$v: so have copies and memsets" \
		"$(inclusive $v "CUDA copy host to device") $(inclusive $v "CUDA copy device to host") $(inclusive $v "CUDA memset")" \
		"500.000 250.000 100.000"
done
is "memory of the device is of its type" "$(sed -n 's/^,0,0,0,counter,\(alloc\|free\) CUDA device,,,,,,/\1 /p' "$T/new.csv" | tr -d '\r' | sed 's/\.[0-9]*//g')" \
	"alloc 4,1000000,102400,463100,1322985760000
free 3,1000000,102400,450800,1072985760000"
tau-dump --only definitions "$T/new.run" | sed -n 's/.* define THREAD .*name="\(CUDA device[^"]*\)".*/\1/p' | sort -u >"$T/queues"
is "queues have the whole number of their context" "$(grep -c 'CUDA device 0 context 98305 ' "$T/queues") $(grep -v 'context 98305 \|unified memory' "$T/queues")" "5 "
# With the clock of the processor and metrics.
record tsc --wrap cuda --metrics=TIME,CPU_TIME "$T/old/cuda"
expect tsc
ok "with metrics: the trace is sound" tau-dump --check "$T/tsc.run"
near=$(inclusive tsc saxpy)
ok "the clock of the processor: within a thousandth ($near)" awk "BEGIN { exit !($near > 2997 && $near < 3003) }"

# Reports: queues of devices are no threads, in the trace, in an archive, in profiles and in a database.
item() { tau-report overview -f csv "$@" | tr -d '\r' | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    if r["section"] == sys.argv[1] and (r["item"] == sys.argv[2] or sys.argv[2] == "*"):
        print(r["item"], "%.0f" % float(r["value"]) if r["value"] else "", r["detail"])' "$section" "$what"; }
main_us=$(tau-report profile -f csv "$T/new.run" | tr -d '\r' | awk -F, '$1 == "region" { s += $9 } END { printf "%.3f", s }')
tau-convert "$T/new.run" "$T/queues.otf2"
tau-trace2profile -f tau -o "$T/queues.tau" "$T/new.run" >/dev/null
like "an import counts threads and queues" "$(tau-db import --db "$T/queues.db" "$T/new.run")" 'PEs 1, threads 1, queues of devices 7,'
for of in "$T/new.run" "$T/queues.otf2" "$T/queues.tau" "--db $T/queues.db"; do
	section=run what=threads
	is "$of: one thread" "$(item $of)" "threads 1 "
	section=run what="queues of devices"
	is "$of: seven queues" "$(item $of)" "queues of devices 7 "
	section=waiting what="for devices"
	like "$of: threads wait for devices" "$(item $of)" '^for devices [0-9]+ 4 calls, most time in cudaStreamSynchronize'
	section=devices what="*"
	is "$of: the busiest queue has the times of its work" "$(item $of | sed -n '1s/busy, of.*; //p')" \
		"CUDA device 0 context 98305 stream 7 3870 most in saxpy"
	like "$of: nothing is compared with queues" "$(tau-report imbalance $of 2>&1)" "one thread: nothing to compare"
	is "$of: regions of threads and of queues are apart" "$(tau-report profile -f csv $of | tr -d '\r' |
		awk -F, '$1 == "region" && $2 ~ /saxpy/ { bad++ } $1 == "device" && $2 == "saxpy" { print $7, $9 } END { print bad + 0 }')" "10 3000
0"
	is "$of: the time of all threads is that of the first" "$(tau-report overview -f json $of | python3 -c '
import json, sys
print(abs(json.load(sys.stdin)["facts"]["whole_us"] - float(sys.argv[1])) < 0.01)' "$main_us")" True
	is "$of: how busy queues are" "$(tau-report profile --by queue -f csv $of | tr -d '\r' |
		awk -F, 'NR > 1 { print $2, $4, $6 }' | head -3)" "1 3870 14
2 1000 1
3 50 1"
	is "$of: call paths of threads, then those of queues" "$(tau-report tree -f csv $of | tr -d '\r' |
		awk -F, '$1 == "thread" && /saxpy/ { bad++ } $1 == "device" && $4 == "saxpy" { print $6, $8 } END { print bad + 0 }')" "3000 10
0"
	like "$of: a kernel has callers in queues" "$(tau-report callers saxpy $of)" '^1 PE, 7 queues of devices'
	like "$of: a picture of threads" "$(tau-report flame $of)" 'over 1 thread\..*'
	is "$of: groups of queues have rows of their own" "$(tau-report groups -f csv $of | tr -d '\r' |
		awk -F, '$NF == "device" && $(NF - 2) == "CUDA_KERNEL" { print $2, $3 } $NF == "thread" && $(NF - 2) == "CUDA_KERNEL"')" "4070 13"
done
tau-report timeline "$T/new.run" -o "$T/timeline.svg"
like "the timeline names threads and queues" "$(cat "$T/timeline.svg")" 'rows are PEs and threads, and queues of devices;'
like "its rows have the names of queues" "$(cat "$T/timeline.svg")" '>0\.1 CUDA device 0 context 98305 stream 7<'
is "its labels do not overlap" "$(python3 "$TOP/tests/labels.py" "$T/timeline.svg")" ""

# Statistics over threads are those of threads, and of queues for kernels and copies, with the same numbers in each program.
like "a profile as text has a thread" "$(tau-trace2profile -f text "$T/new.run")" '^1 PE, 1 thread, and 7 queues of devices\.$'
is "... and two tables" "$(tau-trace2profile -f text --top 0 "$T/new.run" |
	awk '/^Times in us/ { unit = 1000 } /^7 queues of devices/ { q = 1 } $NF == "saxpy" { print q + 0, $2 / (unit ? unit : 1) }')" "1 3"
# Total, mean, smallest and largest exclusive time and calls of a timer, from the derived threads.
derived() { tau-db query --db "$1" -f csv "SELECT h.thread_index, d.calls, v.exclusive_value FROM thread h JOIN timer_call_data d ON d.thread = h.id
	JOIN timer_value v ON v.timer_call_data = d.id JOIN timer_callpath p ON p.id = d.timer_callpath AND p.parent IS NULL
	JOIN timer t ON t.id = p.timer WHERE t.name = '$2' AND h.thread_index IN (-1, -2, -4, -5, -6) ORDER BY h.thread_index DESC" |
	tr -d '\r' | awk -F, 'NR > 1 { printf "%s %.1f %.3f|", $1, $2, $3 }'; }
outside=$(awk -F, '$5 == "timer" && /\.TAU application/ && !/=>/ { print $0; exit }' "$T/new.csv" | tr -d '\r' | sed 's/.*TAU application"*,//')
tau-trace2profile -f ppk -o "$T/queues.ppk" "$T/new.run" >/dev/null
tau-db import --db "$T/summary.db" --summary "$T/new.run" >/dev/null
tau-db import --db "$T/packed.db" --summary "$T/queues.ppk" >/dev/null
for db in queues summary packed; do
	is "$db: a kernel is that of the queue that ran it" "$(derived "$T/$db.db" saxpy)" \
		"-1 10.0 3000.000|-2 10.0 3000.000|-4 10.0 3000.000|-5 10.0 3000.000|-6 1.4 428.571|"
	is "$db: time outside of regions is that of the thread" "$(derived "$T/$db.db" ".TAU application" | tr '|' '\n' | awk '{ print $2, $3 }' | sort -u |
		wc -l)" 1
	like "$db: it has one thread" "$(tau-db list --db "$T/$db.db" -f csv | tr -d '\r')" '^1,[^,]*,([0-9]+,)?1,1,'
done
ok "the statistics are those of a check" tau-db check --db "$T/queues.db"
if command -v sqlite3 >/dev/null; then # as earlier versions stored it
	cp "$T/queues.db" "$T/older.db"
	sqlite3 "$T/older.db" "UPDATE thread SET waiting = 0 WHERE waiting = 2;
		UPDATE timer_call_data SET calls = calls + 1 WHERE thread = (SELECT id FROM thread WHERE thread_index = -6)"
	like "a trial of an earlier version: the check states what to do" "$(tau-db check --db "$T/older.db")" \
		'rows of derived thread -6 count queues of devices as threads, as earlier versions did: remove the trial and import its run again'
else
	skip "a trial of an earlier version: the check states what to do" "no sqlite3"
fi
is "a difference has kernels, and time outside of regions of threads alone" "$(tau-report diff -f csv "$T/new.run" "$T/queues.tau" | tr -d '\r' |
	awk -F, '$NF == "saxpy" { print $4, $5, $6 } $NF == "CUDA copy host to device" { print $4 } $NF == ".TAU application" { print $6 }' | sort)" "0.5
1
3 3 10"
like "waiting for devices is a finding" "$(tau-report "$T/new.run")" 'waiting for devices: '
like "and synchronisation, not computation" "$(tau-report profile --by rank -f json "$T/new.run" | python3 -c '
import json, sys
r = json.load(sys.stdin)["rows"][0]
print(r["thread_synchronisation_pct"] > 0 and r["thread_synchronisation_pct"] + r["computation_pct"] > 99.9)')" True
like "text has a table of queues" "$(tau-report profile "$T/new.run")" '^7 queues of devices; shares of .*; \.TAU application is idle time\.$'

# Busy time of a device is the union over its queues, as computed again from the records.
busy() {	# NAME ARGUMENTS...: columns of the first row
	tau-report devices -f csv "$@" | tr -d '\r' | awk -F, 'NR == 2 { print $3, $4, $5, $7, $8, $10, $11, $12, $13 }'
}
for run in new tsc; do
	tau-report devices -f csv "$T/$run.run" >"$T/devices.csv"
	tau-report devices --by queue -f csv "$T/$run.run" >"$T/queues.csv"
	is "$run: devices and queues, as from the records" "$(python3 "$TOP/tests/truth/devices.py" "$T/$run.run" "$T/devices.csv" "$T/queues.csv")" same
done
like "a device is busy for less than the sum of its queues" "$(tau-report devices -f csv "$T/new.run" | tr -d '\r' | awk -F, 'NR == 2 { print ($4 < 4.97), $10, $11, $12, $13, $2 }')" \
	'^1 13 5 2569632 CUDA device 0 7$'
is "an archive of it has the same" "$(busy "$T/queues.otf2" | cut -d ' ' -f 2,4-)" "$(busy "$T/new.run" | cut -d ' ' -f 2,4-)"
sum() { awk '{ busy += $2; n += $6 + $7 } END { printf "%.6f %d\n", busy, n }'; }
is "windows add up" "$({ busy --window :5ms "$T/new.run"; busy --window 5ms: "$T/new.run"; } | sum)" "$(busy "$T/new.run" | sum)"
like "text has devices, then queues" "$(tau-report devices "$T/new.run")" '^Queues of devices$'
like "it has a picture" "$(tau-report devices -f svg "$T/new.run")" 'rank 0, CUDA device 0'

# Other formats.
if command -v otf2-print >/dev/null; then
	ok "the trace becomes an archive" tau-convert "$T/new.run" "$T/new.otf2"
	otf2-print -G "$T/new.otf2/traces.otf2" >"$T/otf2.txt" 2>&1
	# Two streams and one that overlaps, waits for both, and unified memory with one that overlaps.
	is "streams are accelerators" "$(grep -c '^LOCATION .*ACCELERATOR_STREAM' "$T/otf2.txt")" 7
else
	skip "streams are accelerators" "no otf2-print"
fi

# What a real CUPTI called and delivered, once more.
ok "a replay is built" ${CC:-cc} -D_GNU_SOURCE -O1 -I"$TOP/record" -o "$T/replay" "$TOP/fixtures/apps/cuda/replay.c" -L"$T/new" -lcupti
export LD_LIBRARY_PATH="$T/new"
TAU_RECORD_MONOTONIC=1 record replay --wrap cuda "$T/replay" "$TOP/fixtures/apps/cuda/h200.calls"
is "replay: it ends as it should" "$code" 0
expect replay
ok "replay: the trace is sound" tau-dump --check "$T/replay.run"
is "replay: kernels and copies have the times of their records" \
	"$(inclusive replay 'spin(unsigned long)') $(inclusive replay 'CUDA memset') $(inclusive replay 'CUDA copy host to device') $(inclusive replay 'CUDA copy device to host')" \
	"403.134 2.112 79.519 1.760"

# Ends without exit handlers.
export LD_LIBRARY_PATH="$T/new"
for how in _exit abort; do
	record end-$how --wrap cuda "$T/new/cuda" $how
	expect end-$how
	ok "$how: the trace is sound" tau-dump --check "$T/end-$how.run"
done
is "abort: the signal stays" "$code" 134

# Until there is a context the process has no thread of the recorder's.
record count --wrap cuda "$T/new/cuda" count
expect count
is "a program that counts devices has one thread" "$(sed -n 1p "$T/count.out")" "1 device, 1 thread"

# More streams than have queues of their own: the others share some.
record many --wrap cuda "$T/new/cuda" streams
expect many
tau-dump --only definitions "$T/many.run" | sed -n 's/.* define THREAD .*name="\(CUDA device[^"]*\)".*/\1/p' | sort -u >"$T/queues"
is "1024 streams and waits have a queue" "$(grep -vc 'other streams' "$T/queues")" 1024
like "the others share" "$(grep -c 'other streams' "$T/queues")" '^[1-9]'

# What has not ended at a flush in between is there after the last one.
record late --wrap cuda "$T/new/cuda" late
expect late

# What the recorder's thread has fetched and not yet got is there when the program ends meanwhile.
record delivery --wrap cuda "$T/new/cuda" delivery
expect delivery

# Kernels have the call path that started them, the innermost 32 regions of it.
record deep --wrap cuda "$T/new/cuda" deep
expect deep
ok "deep: the trace is sound" tau-dump --check "$T/deep.run"
is "deep: nothing had to be repaired" "$(cat "$T/deep.why")" ""
tau-trace2profile --format csv --callpath=40 "$T/deep.run" >"$T/deep.paths"
is "deep: each level has its path, at most the innermost 32 regions" "$(python3 -c '
import csv, sys
found = {r["name"]: r["calls"] for r in csv.DictReader(open(sys.argv[1])) if r["calls"] and r["name"].endswith(" => below")}
want = {" => ".join("level %d" % i for i in range(max(0, n - 31), n + 1)) + " => below": "180" for n in range(40)}
found = {k[len(".TAU application => "):] if k.startswith(".TAU") else k: v for k, v in found.items()}
print("same" if found == want else sorted(found.items())[:3])' "$T/deep.paths")" same

# CUPTI beside the runtime, as in packages of Python, is found before that of the loader's path.
place() {	# runtime, folder, CUPTI, folder
	mkdir -p "$T/$2" "$T/$4" &&
		${CC:-cc} -D_GNU_SOURCE -O1 -shared -fPIC -fvisibility=hidden -DKERNEL_BYTES=216 -Wl,-soname,"$1" -o "$T/$2/$1" \
			"$TOP/fixtures/apps/cuda/cupti.c" &&
		echo | ${CC:-cc} -shared -Wl,-soname,"$3" -Wl,--no-as-needed -o "$T/$4/$3" -x c - -x none "$T/$2/$1" &&
		${CC:-cc} -D_GNU_SOURCE -O1 -I"$TOP/record" -o "$T/$2/cuda" "$TOP/fixtures/apps/cuda/main.c" "$T/$2/$1" \
			-Wl,-rpath,"$T/$2"
}
unset LD_LIBRARY_PATH
ok "packages of CUDA 12" place libcudart.so.12 site-packages/nvidia/cuda_runtime/lib libcupti.so.12 site-packages/nvidia/cuda_cupti/lib
ok "and of CUDA 13" place libcudart.so.13 dist-packages/nvidia/cu13/lib libcupti.so.13 dist-packages/nvidia/cu13/lib
record twelve "$T/site-packages/nvidia/cuda_runtime/lib/cuda"
expect twelve
record thirteen "$T/dist-packages/nvidia/cu13/lib/cuda"
expect thirteen

# What cannot be recorded.
export LD_LIBRARY_PATH="$T/new"
FAKE_CUPTI_DROPS=1 record dropped --wrap cuda "$T/new/cuda"
FAKE_CUPTI_TAKEN=1 record taken --wrap cuda "$T/new/cuda"
is "another tool uses CUPTI: the program ends as it should" "$code" 0
like "and the metadata contains the reason" "$(tau-trace2profile --format json "$T/taken.run" 2>/dev/null)" \
	'"CUDA is not recorded": ?"another tool uses CUPTI"'
like "and so has the overview" "$(tau-report "$T/taken.run")" 'process [0-9]+: CUDA is not recorded: another tool uses CUPTI'
like "records that CUPTI could not deliver are in the overview" "$(tau-report "$T/dropped.run")" \
	'process [0-9]+: [0-9]+ kernels, copies or waits of CUDA are lost'
bad "no queues: a message of devices" 3 ".*/taken.run: it has no queues of devices; tau-record --wrap cuda" tau-report devices "$T/taken.run"
bad "no queues: a message" 3 '.*/taken.run: it has no queues of devices' tau-report profile --by queue "$T/taken.run"
CUDA_INJECTION64_PATH=/nowhere/tool.so record named --wrap cuda "$T/new/cuda"
like "a tool that the user named stays" "$(cat "$T/named.err")" \
	'CUDA_INJECTION64_PATH is /nowhere/tool.so already; cuda is not recorded'
like "--doctor names it and what to install" "$(TMPDIR=$T tau-record --doctor 2>/dev/null </dev/null | grep '^cuda ')" \
	'works|absent .*apt-get install libcuda1 libcupti-dev'
like "--list names it" "$(tau-record --list)" '^cuda +ready +CUDA'

# The declarations against those of CUPTI.
for h in "${CUDA_HOME:-/usr/local/cuda}/include" "${CUDA_HOME:-/usr/local/cuda}/extras/CUPTI/include" /usr/include; do
	[ -e "$h/cupti.h" ] && break
done
if [ -e "$h/cupti.h" ]; then
	ok "records are laid out as in $h" ${CC:-cc} -D_GNU_SOURCE -fsyntax-only -I"$TOP/record" -I"$h" \
		-I"${CUDA_HOME:-/usr/local/cuda}/include" "$TOP/fixtures/apps/cuda/layout.c"
else
	skip "records are laid out as in CUPTI's headers" "no cupti.h"
fi
tap_end
