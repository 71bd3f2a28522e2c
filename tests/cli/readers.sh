#!/bin/sh
# readers.sh: what we write is taken by the readers that people use: speedscope (npm), callgrind_annotate, otf2-print; and keeps the
# rules of the trace event format that Chrome and Perfetto ask for.
. "$(dirname "$0")/../tap.sh"

tau-record -o "$T/serial" "$B/apps/api" >/dev/null 2>&1
tau-record -o "$T/threads" "$B/apps/threads" >/dev/null 2>&1
tau-record --sample=1ms --unwind -o "$T/sampled" "$B/apps/sampled" library >/dev/null 2>&1
tau-record --memory -o "$T/memory" "$B/apps/memtruth" >/dev/null 2>&1
tau-record --metrics CPU_TIME:PAGE_FAULTS -o "$T/metrics" "$B/apps/api" >/dev/null 2>&1
runs="serial threads sampled memory metrics"
if command -v mpirun >/dev/null && [ -x "$B/apps/mpip2p" ]; then
	mpirun -np 4 tau-record --wrap mpi -o "$T/mpi" "$B/apps/mpip2p" >/dev/null 2>&1 && runs="$runs mpi"
fi
for run in $runs; do
	tau-convert "$T/$run" "$T/$run.json" 2>/dev/null
	tau-convert --to callgrind "$T/$run" "$T/callgrind.out.$run" 2>/dev/null
	tau-convert --to folded "$T/$run" "$T/$run.folded" 2>/dev/null
	tau-convert "$T/$run" "$T/$run.otf2" 2>/dev/null
done

# --- the rules of the trace event format ---
# rules FILE: what breaks them, then a line of numbers.
cat >"$T/rules.py" <<'EOT'
import collections, json, sys
doc = json.load(open(sys.argv[1]))
need = {"B": {"name", "ts"}, "E": {"name", "ts"}, "C": {"name", "ts", "args"}, "i": {"name", "ts", "s"}, "M": {"name", "args"},
	"s": {"name", "ts", "id", "cat"}, "f": {"name", "ts", "id", "cat", "bp"}}
stack, last, flow, n, wrong = collections.defaultdict(list), {}, {}, collections.Counter(), []
assert set(doc) <= {"traceEvents", "displayTimeUnit"} and doc["displayTimeUnit"] in ("ns", "ms")
for e in doc["traceEvents"]:
	ph, at = e["ph"], (e["pid"], e["tid"])
	n[ph] += 1
	n["memory"] += e.get("cat") == "memory"
	n["metric"] += e.get("cat") == "metric"
	n["sample"] += ph == "B" and e.get("cat") == "sample"
	if ph not in need or not need[ph] <= set(e) or type(at[0]) != int or type(at[1]) != int:
		wrong.append("fields: %s" % e)
	if ph in "BE":
		if "args" in e:
			wrong.append("a call with arguments is a function of its own for speedscope: %s" % e)
		if e["ts"] < last.get(at, 0):
			wrong.append("time falls: %s" % e)
		last[at] = e["ts"]
	if ph == "B":
		stack[at].append(e["name"])
	elif ph == "E" and (not stack[at] or stack[at].pop() != e["name"]):
		wrong.append("an end of another begin: %s" % e)
	elif ph == "C" and [type(v) for v in e["args"].values()] not in ([int], [float]):
		wrong.append("a counter is one number: %s" % e)
	elif ph in "sf":
		int(e["id"], 16)
		flow.setdefault(e["id"], []).append(ph)
wrong += ["open at the end: %s" % s for s in stack.values() if s]
wrong += ["flow %s: %s" % (k, v) for k, v in flow.items() if v.count("s") > 1 or v.count("f") > 1]
print("\n".join(wrong[:10]))
print(" ".join("%s %d" % (k, n[k]) for k in ("B", "E", "memory", "metric", "sample", "s")))
EOT
if command -v python3 >/dev/null; then
	for run in $runs; do
		python3 "$T/rules.py" "$T/$run.json" >"$T/$run.rules" 2>&1
		is "$run: the rules of the trace event format" "$(sed '$d' "$T/$run.rules")" ""
	done
	like "memory is a counter" "$(tail -n 1 "$T/memory.rules")" 'memory [1-9]'
	like "metrics are counters" "$(tail -n 1 "$T/metrics.rules")" 'metric [1-9]'
	like "samples are calls" "$(tail -n 1 "$T/sampled.rules")" 'sample [1-9]'
	is "the counter of memory ends with what is live at the end" "$(grep -o '"live memory (bytes)".*' "$T/memory.json" | tail -n 1 | grep -o '"value":[0-9]*' | cut -d: -f2)" \
		"$(tau-report memory -w :100% -f csv "$T/memory" 2>/dev/null | awk -F, '$1 == "all" { print $3 }')"
else
	skip "the rules of the trace event format" "no python3"
fi

# --- speedscope ---
speedscope=${SPEEDSCOPE:-$(npm root -g 2>/dev/null)/speedscope}
if command -v node >/dev/null && [ -d "$speedscope/dist/release" ]; then
	for run in $runs; do
		node "$TOP/tests/speedscope.js" "$speedscope" "$T/$run.json" "$T/callgrind.out.$run" "$T/$run.folded" >"$T/$run.seen" 2>&1
		is "$run: speedscope takes JSON, callgrind and folded without a warning" \
			"$(grep -c ': [1-9][0-9]* profiles' "$T/$run.seen")$(grep 'warning:\|error:\|refused\|no profile' "$T/$run.seen" | head -n 3)" 3
	done
	is "calls end where they end: no staircase" "$(sed -n 's/^[^|]*api (tid 0)|\([0-9]*\)|.*/\1/p' "$T/serial.seen")" 10
	like "samples are stacks" "$(cat "$T/sampled.seen")" '[^|]*samples \(tid [0-9]*\)\|([2-9]|[1-9][0-9])\|.*main'
else
	skip "speedscope" "not installed (npm install -g speedscope, or SPEEDSCOPE=FOLDER)"
fi

# --- callgrind_annotate, otf2-print ---
for run in $runs; do
	if command -v callgrind_annotate >/dev/null; then
		is "$run: callgrind_annotate's total is that of the file" "$(callgrind_annotate "$T/callgrind.out.$run" 2>&1 | awk '/PROGRAM TOTALS/ { gsub(",", ""); print $1; exit }')" \
			"$(awk '$1 == "totals:" { print $2 }' "$T/callgrind.out.$run")"
	else
		skip "callgrind_annotate" "valgrind is not here"
	fi
	is "$run: callgrind names each number once" "$(grep -o '^c\?f[ln]=([0-9]*) .*' "$T/callgrind.out.$run" | sed 's/^c//; s/ .*//' | sort | uniq -d)" ""
	if command -v otf2-print >/dev/null; then
		is "$run: otf2-print reads the archive" "$(otf2-print --silent "$T/$run.otf2/"*.otf2 2>&1 >/dev/null | head -n 3)" ""
	else
		skip "otf2-print" "otf2-tools is not here"
	fi
done

# --- metadata of TAU traces are user events "NAME | VALUE" with the value 1; they are no counters and take no time ---
python3 - "$T/meta" <<'EOF'
import struct, sys
records = []
def put(us, event, thread, *values):
    for v in values:
        records.append(struct.pack("<iHHqQ", event, 0, thread, v, 1000000 + us))
put(0, 60000, 0, 3)
put(0, 1, 0, 1), put(1000, 4, 0, 0, 5, 0), put(2000, 6, 0, 0, 1, 0), put(3000, 6, 0, 0, 1, 0)
put(4000, 7, 0, 0, 1, 0), put(8000, 1, 0, -1)
put(10000, 2, 0, 0, 1, 0), put(10000, 3, 0, 0, 1, 0)
put(0, 1, 1, 1), put(6000, 1, 1, -1), put(12000, 5, 1, 0, 1, 0)
open(sys.argv[1] + ".trc", "wb").write(b"".join(records))
open(sys.argv[1] + ".edf", "w").write("""8 dynamic_trace_events
# FunctionId Group Tag "Name Type" Parameters
1 TAU_USER 0 "main()" EntryExit
2 TAUEVENT 0 "Hostname | vm1" TriggerValue
3 TAUEVENT 0 "Command Line | ./a | b" TriggerValue
4 TAUEVENT 0 "bytes | sent" TriggerValue
5 TAUEVENT 0 "Hostname | vm2" TriggerValue
6 TAUEVENT 0 "cache | hit" TriggerValue
7 TAUEVENT 0 "Early | yes" TriggerValue
60000 TRACER 0 "EV_INIT" none
""")
EOF
want="Command Line=./a | b
Early=yes
Hostname (thread 1)=vm2
Hostname=vm1"
is "metadata of a TAU trace: tau-dump" "$(tau-dump "$T/meta.trc" | sed -n 's/^metadata of node 0: //p' | sort)" "$want"
is "they are no events" "$(tau-dump "$T/meta.trc" | grep '^event\|EVENT')" "event bytes | sent
event cache | hit
  #1 0.001000000 +1000000 ns EVENT event=bytes | sent value=5
  #2 0.002000000 +1000000 ns EVENT event=cache | hit value=1
  #3 0.003000000 +1000000 ns EVENT event=cache | hit value=1"
is "and take no time" "$(tau-trace2profile -f csv "$T/meta.trc" | awk -F, '$6 == ".TAU application" { print $4, $10, $11 }' | tr '\n' ';')" "0 0.000 8000.000;1 0.000 6000.000;"
like "the run ends with the program" "$(tau-report profile "$T/meta.trc")" '^meta\.trc \(0 s to 8\.[0-9]* ms\)$'
tau-db import -d "$T/meta.db" "$T/meta.trc" >/dev/null
is "the database has them" "$(sqlite3 "$T/meta.db" "select name || '=' || value from primary_metadata where name like 'Host%' or name like 'Comm%' or name = 'Early'" | sort)" "$want"
is "and counters without them" "$(sqlite3 "$T/meta.db" 'select name from counter order by name')" "bytes | sent
cache | hit"
for to in tau otf2; do
	tau-convert --to $to "$T/meta.trc" "$T/meta.$to" 2>/dev/null
	tau-trace2profile -f tau -o "$T/meta.$to.p" "$T/meta.$to" 2>/dev/null
	is "metadata of a TAU trace as $to" "$(grep -o '<name>[HCE][^<]*</name><value>[^<]*' "$T/meta.$to.p/profile.0.0.0" | sed 's/<name>//;s/<.*>/=/' | sort)" "$want"
done

# --- Cube: nodes that differ only in a parameter are one call path, with the extremes and counters of all; parameters are named ---
python3 - "$T" <<'EOF'
import io, struct, sys, tarfile
def cube(name, extra):
    types = [("time", "INCLUSIVE", "DOUBLE", "sec"), ("visits", "EXCLUSIVE", "UINT64", "occ"), ("least", "EXCLUSIVE", "MINDOUBLE", "sec"),
             ("most", "EXCLUSIVE", "MAXDOUBLE", "sec"), ("size", "EXCLUSIVE", "TAU_ATOMIC", "bytes")]
    types += [("c%d" % i, "EXCLUSIVE", "UINT64", "#") for i in range(extra)]
    metric = "".join('<metric id="%d" type="%s"><uniq_name>%s</uniq_name><dtype>%s</dtype><uom>%s</uom></metric>' % (i, t[1], t[0], t[2], t[3])
                     for i, t in enumerate(types))
    node = "".join('<cnode id="%d" calleeId="1"><parameter partype="numeric" parkey="%s" parvalue="%d"/></cnode>' % (i, k, i)
                   for i, k in ((1, "n"), (2, "n"), (3, "level")))
    xml = '<?xml version="1.0"?><cube version="4.4"><metrics>' + metric + '</metrics><program>' \
        '<region id="0"><name>main</name></region><region id="1"><name>work</name></region>' \
        '<cnode id="0" calleeId="0">' + node + '</cnode></program><system><systemtreenode Id="0"><locationgroup Id="0"><rank>0</rank>' \
        '<location Id="0"><name>t</name></location></locationgroup></systemtreenode></system></cube>'
    atomic = lambda *v: b"".join(struct.pack("<Idddd", len(x), min(x, default=0), max(x, default=0), sum(x), sum(y * y for y in x)) for x in v)
    data = [struct.pack("<4d", 20, 10, 8, 1), struct.pack("<4Q", 1, 2, 4, 1), struct.pack("<4d", 20, 4, 1, 2), struct.pack("<4d", 20, 5, 3, 6),
            atomic([1.0], [4.0, 8.0], [], [2.0])]
    data += [struct.pack("<4Q", 1, i, 2 * i, 0) for i in range(extra)]
    with tarfile.open(sys.argv[1] + "/" + name, "w", format=tarfile.USTAR_FORMAT) as t:
        def add(n, b):
            i = tarfile.TarInfo(n)
            i.size = len(b)
            t.addfile(i, io.BytesIO(b))
        add("anchor.xml", xml.encode())
        for i, d in enumerate(data):
            add("%d.index" % i, b"CUBEX.INDEX" + struct.pack("<IHBI4I", 1, 0, 1, 4, 0, 1, 2, 3))
            add("%d.data" % i, b"CUBEX.DATA" + d)
cube("par.cubex", 0)
cube("many.cubex", 300)
EOF
tau-trace2profile -f csv "$T/par.cubex" 2>"$T/err" | tr -d '\r' | awk -F, '$5 == "counter" { print $6 ": " $12, $13, $14, $15, $16 }' | grep '=> work' >"$T/got"
is "extremes and counters of nodes that share a call path" "$(cat "$T/got")" "least : main => work: 1 1000000 1000000 1000000 1000000000000
most : main => work: 1 6000000 6000000 6000000 36000000000000
size : main => work: 3 8 2 4.666666666666667 84"
like "their parameters are named" "$(cat "$T/err")" 'parameters of calls that are not included; .*: n, level$'
like "metrics beyond the limit are named" "$(tau-trace2profile -f csv "$T/many.cubex" 2>&1 >/dev/null)" 'metrics that are not included: .*c299$'
tap_end
