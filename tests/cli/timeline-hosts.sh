# timeline-hosts.sh: rows of a timeline that are folded: hosts, PEs and queues have, in each cell, the sums of what they contain.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
${CC:-cc} -O1 -I"$TOP" -o many "$TOP/tests/many_ranks.c" -lz 2>err || skip_all "cannot build the writer of traces: $(head -n 1 err)"
mkdir run
./many run 70 12

# Sums by host of the rows of each PE, cell by cell.
cat >sums.py <<'E2'
import csv, subprocess, sys
options = sys.argv[1:]
def rows(*more):
    out = subprocess.run(["tau-report", "timeline", "-f", "csv", "--by", "region", *options, *more, "run"], capture_output=True, text=True)
    if out.returncode:
        return out.stderr
    return list(csv.DictReader(out.stdout.splitlines()))
def sums(rows, name):
    of = {}
    for r in rows:
        key = name(r["pe"]), r["begin_ms"], r["region"]
        of[key] = of.get(key, 0) + round(1e6 * float(r["time_ms"]))
    return of
each = {}
for first, last in ((0, 31), (32, 63), (64, 69)): # at most 64 rows
    for r in rows("--rank", "%d..%d" % (first, last)):
        each[(r["pe"], r["begin_ms"], r["region"])] = round(1e6 * float(r["time_ms"]))
host = lambda pe: pe if pe.startswith("node") else "node%03d" % (int(pe) // 32)
want = {}
for (pe, begin, region), ns in each.items():
    want[(host(pe), begin, region)] = want.get((host(pe), begin, region), 0) + ns
# Others are what is not one of the six regions with most time, which depend on the selection.
whole = lambda of: {k[:2]: sum(v for j, v in of.items() if j[:2] == k[:2]) for k in of}
for level in ("host", "host,node001=pe", "host,node002=queue,40=pe", "pe,node001=host,5=queue,40=pe"):
    got = rows("--rows", level)
    names = sorted(dict.fromkeys(r["pe"] for r in got))
    same = whole(sums(got, host)) == whole(want) and len(want) > 20
    print(level, "same" if same else "differ", " ".join(names[-3:]) if len(names) > 3 else " ".join(names), len(names))
E2
is "each host has the sums of its PEs, also if some are shown" "$(python3 sums.py)" "host same node000 node001 node002 3
host,node001=pe same 63 node000 node002 34
host,node002=queue,40=pe same 69 node000 node001 8
pe,node001=host,5=queue,40=pe same 8 9 node001 39"
is "in a window" "$(python3 sums.py -w 5ms:9ms --cells 9 | cut -d' ' -f2 | sort | uniq -c | tr -s ' ')" " 4 same"
is "a list has hosts and PEs" "$(tau-report timeline --by row --rows host,node002=pe -f csv run | tr -d '\r')" "pe,level,host,pes,streams
node000,host,node000,0..31,32
node001,host,node001,32..63,32
64,pe,node002,64,1
65,pe,node002,65,1
66,pe,node002,66,1
67,pe,node002,67,1
68,pe,node002,68,1
69,pe,node002,69,1"
is "without folding, several share a row" "$(tau-report timeline --by row -f csv run | tr -d '\r' | sed -n '2p;36p')" "0..1,queue,node000,0..1,2
68..69,queue,node002,68..69,2"
is "a picture has them" "$(tau-report timeline -f svg --rows host run | grep -oE '>node0[0-9]+<' | tr '\n' ' ')" ">node000< >node001< >node002< "
bad=""
for v in x host,node001 host,=pe host,node001=x "" ,; do
	tau-report timeline --rows "$v" run >/dev/null 2>&1
	[ $? = 2 ] || bad="$bad $v"
done
is "a word that is not a level is refused" "$bad" ""
is "and lists that have no rows" "$(tau-report timeline --rows host --by call run 2>&1; echo $?)" "tau-report: timeline: --rows has no effect with --by call
2"

# Threads of a PE.
if [ -x "$B/apps/threads" ] && tau-record --sample=none -o threads.run "$B/apps/threads" >/dev/null 2>&1; then
	n=$(tau-report timeline --by row -f csv threads.run | sed 1d | wc -l)
	ok "a run of several threads" test "$n" -gt 1
	is "a PE has all of them" "$(tau-report timeline --by row --rows pe -f csv threads.run | tr -d '\r' | sed 1d | cut -d, -f1,2,5)" "0,pe,$n"
fi
tap_end
