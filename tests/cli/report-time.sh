# report-time.sh: reports about the time of one run, on profiles whose values have a closed form: the same numbers in text, CSV and JSON,
# and from every format.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

# made RANKS THREADS DIR: TAU profiles. On rank r, thread t, in us:
#	main 100, work 1000 (r + 1) + 10 t in 10 calls, only on rank 0 io 500, MPI_Barrier() 1000 (RANKS - r)
# main calls work, io and the barrier; work calls inner, 200 in 20 calls.
made() {
	mkdir "$3"
	awk -v P="$1" -v H="$2" -v D="$3" 'BEGIN {
		for (r = 0; r < P; r++) for (t = 0; t < H; t++) {
			f = D "/profile." r ".0." t
			work = 1000 * (r + 1) + 10 * t; io = r == 0 ? 500 : 0; bar = 1000 * (P - r); inner = 200
			whole = 100 + work + io + bar + inner
			n = io ? 9 : 7
			print n " templated_functions_MULTI_TIME" >f
			print "# Name Calls Subrs Excl Incl ProfileCalls #" >f
			printf "\"main [{/src/app.c} {3,0}]\" 1 %d 100 %d 0 GROUP=\"TAU_USER\"\n", 3, whole >f
			printf "\"work [{/src/app.c} {9,0}]\" 10 20 %d %d 0 GROUP=\"TAU_USER\"\n", work, work + inner >f
			printf "\"inner [{/src/in.c} {2,0}]\" 20 0 %d %d 0 GROUP=\"TAU_USER\"\n", inner, inner >f
			printf "\"MPI_Barrier()\" 1 0 %d %d 0 GROUP=\"MPI\"\n", bar, bar >f
			printf "\"main [{/src/app.c} {3,0}] => work [{/src/app.c} {9,0}]\" 10 20 %d %d 0 GROUP=\"TAU_CALLPATH|TAU_USER\"\n", work, work + inner >f
			printf "\"main [{/src/app.c} {3,0}] => work [{/src/app.c} {9,0}] => inner [{/src/in.c} {2,0}]\" 20 0 %d %d 0 GROUP=\"TAU_CALLPATH|TAU_USER\"\n", inner, inner >f
			printf "\"main [{/src/app.c} {3,0}] => MPI_Barrier()\" 1 0 %d %d 0 GROUP=\"TAU_CALLPATH|MPI\"\n", bar, bar >f
			if (io) {
				printf "\"io\" 5 0 %d %d 0 GROUP=\"TAU_IO\"\n", io, io >f
				printf "\"main [{/src/app.c} {3,0}] => io\" 5 0 %d %d 0 GROUP=\"TAU_CALLPATH|TAU_IO\"\n", io, io >f
			}
			print "0 aggregates" >f
			close(f)
		}
	}'
}
made 4 1 run.4
made 2 3 run.2x3

# ---- profile ----

is "profile: regions over all ranks" "$(tau-report profile run.4)" \
"run.4
4 PEs, 4 threads.
Times in ms; shares of 21.700 ms.

$(cat <<'END'
   %  exclusive  inclusive  calls   mean  largest  where  max/mean  region
----  ---------  ---------  -----  -----  -------  -----  --------  --------------
46.1     10.000     10.000      4  2.500    4.000  0          1.60  MPI_Barrier()
46.1     10.000     10.800     40  2.500    4.000  3          1.60  work [app.c:9]
 3.7      0.800      0.800     80  0.200    0.200  0          1.00  inner [in.c:2]
 2.3      0.500      0.500      5  0.125    0.500  0          4.00  io
 1.8      0.400     21.700      4  0.100    0.100  0          1.00  main [app.c:3]
END
)

mean and largest are exclusive; a process without the row counts as 0."
is "profile: the same table as tau-trace2profile prints" "$(tau-report profile run.4 | sed -n '5,11p')" \
	"$(tau-trace2profile -f text run.4 | sed -n '5,11p')"
is "profile: CSV has what the formulas give, in us" \
	"$(tau-report profile -f csv run.4 | tr -d '\r' | awk -F , '$2 ~ "work" { print $(NF-10), $(NF-8), $(NF-7), $(NF-5), $(NF-4), $(NF-3), $(NF-1), $NF }')" \
	"40 10000 10800 2500 4000 3 1.6 4"

# json FILE: the rows of a table as CSV without a header, in the order of its columns.
json() {
	python3 -c '
import json, sys
t = json.load(open(sys.argv[1]))
for r in t["rows"]:
    print("|".join("" if r.get(c["key"]) is None else str(r[c["key"]]) for c in t["columns"]))' "$1"
}
# agree WHAT ARGUMENT...: CSV and JSON hold the same cells, and every number of the text is one of the CSV, rounded.
agree() {
	what=$1
	shift
	tau-report "$@" -f csv >a.csv && tau-report "$@" -f json >a.json && tau-report "$@" --top 0 >a.txt || fail "$what: it runs"
	python3 - <<'END' >differ 2>&1
import csv, json, re
rows = list(csv.reader(open("a.csv", newline="")))
t = json.load(open("a.json"))
keys = [c["key"] for c in t["columns"]]
assert rows[0] == keys, (rows[0], keys)
def same(a, b):
    if b is None: return a == ""
    if isinstance(b, (int, float)): return float(a) == float(b)
    return a == b
def cells(r): return [r[k] for k in keys] if isinstance(r, dict) else r
assert len(rows) - 1 == len(t["rows"]) > 0, (len(rows), len(t["rows"]))
for a, b in zip(rows[1:], t["rows"]):
    for x, y in zip(a, cells(b)): assert same(x, y), (a, b)
values = [float(x) for r in rows[1:] for x in r if re.fullmatch(r"-?[0-9.]+(e[-+]?[0-9]+)?", x)]
lines = open("a.txt").read().split("\n")
start = next(i for i, l in enumerate(lines) if re.fullmatch(r"-+(  +-+)+", l)) + 1
seen = 0
where = [m.span() for m in re.finditer("-+", lines[start - 1]) if lines[start - 2][m.start():].startswith("where")]
for l in lines[start:]:
    if not l: break
    for a, b in where: l = l[:a] + " " * (b - a) + l[b:]
    for word in l.split():
        m = re.fullmatch(r"(-?[0-9]+)(\.([0-9]+))?", word)
        if not m: continue
        digits = len(m.group(3) or "")
        half = 0.5000001 * 10 ** -digits
        assert any(abs(v / unit - float(word)) <= half for v in values for unit in (1, 1e3, 1e6)), (word, l)
        seen += 1
assert seen, "no numbers"
END
	is "$what: text, CSV and JSON agree" "$(cat differ)" ""
}
agree "profile" profile run.4
agree "profile of threads" profile run.2x3
for by in rank thread group file; do
	agree "profile --by $by" profile --by $by run.2x3
done
is "profile: sorted by calls" "$(tau-report profile --sort calls -f csv run.4 | cut -d , -f 2 | tr -d '"\r' | tr '\n' ' ')" \
	"region inner [{/src/in.c} {2 work [{/src/app.c} {9 io MPI_Barrier() main [{/src/app.c} {3 "
# Each table with the column is sorted by it, in all formats.
is "profile by rank: sorted by a column" "$(for r in '' -; do tau-report profile --by rank --sort ${r}computation_pct -f csv run.4 | sed 1d | cut -d , -f 1 |
	tr '\n' ' '; done)" "3 2 1 0 0 1 2 3 "
is "and cut afterwards" "$(tau-report profile --by rank --sort 'comp' --top 2 run.4 | sed -n '/^---/,$p' | awk 'NF { print $1 }' | tr '\n' ' ')" "---- 3 2 2 "
like "the title says so" "$(tau-report groups --sort calls -f json run.4)" '"title": "[^"]*, sorted by calls"'
is "words from A to Z, without the two parts of imbalance" \
	"$(tau-report imbalance --sort region -f csv run.4 >a; tau-report imbalance --sort region run.4 | sed -n '/^ *-/,$p' | sed 1d | grep -c .)" \
	"$(sed 1d a | wc -l | tr -d ' ')"
is "profile: rows that are cut are counted" "$(tau-report profile --top 2 run.4 | tail -1)" "2 of 5 regions; --top 0 lists all."
is "profile by group" "$(tau-report profile --by group -f csv run.4 | tr -d '\r' | sed 1d | awk -F , '{ print $11, $2, $4, $5, $6, $7, $8, $12 }')" \
"TAU_USER 11200 3 4 2800 4300 3 4
MPI 10000 1 4 2500 4000 0 4
TAU_IO 500 1 1 125 500 0 4"
is "profile by rank: computation, files, messages in per cent" \
	"$(tau-report profile --by rank -f csv run.4 | tr -d '\r' | awk -F , 'NR > 1 { printf "%d %d %.6f %.6f %.6f\n", $1, $4, $5, $6, $7 }')" \
"$(awk 'BEGIN { for (r = 0; r < 4; r++) { io = r ? 0 : 500; w = 1000 * (r + 1) + 300; b = 1000 * (4 - r); t = w + io + b
	printf "%d %d %.6f %.6f %.6f\n", r, t, 100 * w / t, 100 * io / t, 100 * b / t } }')"

# The same from other formats and from a database.
tau-report profile -f csv run.2x3 >want.csv
tau-convert run.2x3 run.ppk 2>/dev/null && tau-convert run.2x3 run.xml 2>/dev/null && tau-db import --db t.db run.2x3 >/dev/null 2>&1 ||
	fail "other formats are written"
for from in run.ppk run.xml "--db t.db"; do
	tau-report profile -f csv $from >got.csv 2>err
	ok "profile: the same from $from" cmp got.csv want.csv
done


# ---- tree, callers, flame ----
# Deep recursion: nested calls count once for each caller and callee, and a picture has at most 256 levels.
cat >deep.c <<-'END'
	#include <stdlib.h>
	int down(int n);
	__attribute__((noinline)) int step(int n) { return down(n) + 1; }
	__attribute__((noinline)) int down(int n) { return n ? n % 2 ? step(n - 1) : down(n - 1) + 1 : 0; }
	int main(int argc, char **argv) { return down(atoi(argv[argc - 1])) < 0; }
END
cc -g -O0 -finstrument-functions deep.c -o deep
if (ulimit -s 1000000) 2>/dev/null; then
	(ulimit -s 1000000; tau-record -o deep.run ./deep 100000) >/dev/null 2>&1
	tau-report callers -f csv down deep.run >deep.csv
	is "callers: recursion of 150,000 levels" "$(awk -F , 'NR > 1 { print $1, $5, $2 <= 100 }' deep.csv | sort)" "called by 1 1
called by 50000 1
called by 50000 1
calls 50000 1
calls 50000 1
region 100001 1"
	tau-report flame -o deep.svg deep.run
	is "flame: recursion of 150,000 levels" "$? $(grep -c '<g><title>' deep.svg) $(grep -c 'calls below 256 others' deep.svg)" "0 256 1"
	tau-report tree --top 3 -f csv deep.run >deep.csv
	is "tree: recursion of 150,000 levels" "$? $(wc -l <deep.csv)" "0 4"
else
	skip "recursion of 150,000 levels" "the stack of a program is limited"
fi


is "tree: paths below 1 % are cut and counted" "$(tau-report tree --cut 5 run.4)" \
"run.4
4 PEs, 4 threads. Times in ms, summed over threads; shares of 21.700 ms.

$(cat <<'END'
    %  inclusive  exclusive  calls  call path
-----  ---------  ---------  -----  ----------------
100.0     21.700      0.400      4  main [app.c:3]
 49.8     10.800     10.000     40    work [app.c:9]
 46.1     10.000     10.000      4    MPI_Barrier()
END
)

2 call paths below 1.085 ms each are not shown: 1.300 ms exclusive together; --cut 0 shows all."
is "tree: CSV has all, with depth and path" "$(tau-report tree -f csv run.4 | tr -d '\r"' | cut -d , -f 2,5- | sed 1d | awk -F , '{ print $1, $(NF-2), $(NF-1), $NF }')" \
"0 21700 400 4
1 10800 10000 40
2 800 800 80
1 10000 10000 4
1 500 500 5"
is "tree: --top 2 shows the two largest" "$(tau-report tree --top 2 -f csv run.4 | wc -l | tr -d ' ')" 3
is "callers: above and below" "$(tau-report callers work run.4 | sed 1,4d)" "$(cat <<'END'
relation       %  inclusive  exclusive  calls  region
---------  -----  ---------  ---------  -----  --------------
called by  100.0     10.800     10.000     40  main [app.c:3]
---------  -----  ---------  ---------  -----  --------------
region     100.0     10.800     10.000     40  work [app.c:9]
---------  -----  ---------  ---------  -----  --------------
calls        7.4      0.800      0.800     80  inner [in.c:2]
END
)"
agree "tree" tree --cut 0 run.2x3
agree "callers" callers inner run.2x3
tau-report flame -f folded run.4 | sort >folded
is "flame: folded stacks add up to the exclusive times" "$(cat folded)" "main 400000
main;MPI_Barrier() 10000000
main;io 500000
main;work 10000000
main;work;inner 800000"
tau-report flame -o flame.svg run.4
is "flame: a box for each path, with its value" "$(grep -c '<g><title>' flame.svg) $(grep -o 'work[^<]*: [^<]*%' flame.svg)" \
	"6 work [{/src/app.c} {9,0}]: 10.80 ms, 49.77 %"
cat >hold.c <<-'END'
	#include <unistd.h>
	__attribute__((noinline)) void hold(void) { usleep(300000); }
	int main(void) { hold(); return 0; }
END
cc -O0 -finstrument-functions hold.c -o hold
tau-record -o hold.run ./hold >/dev/null 2>&1
tau-report flame -w 45%:55% -o hold.svg hold.run
is "flame: a window in which nothing begins or ends has the open regions" "$(grep -o '<title>[^:]*: .*%' hold.svg | sed 's/: .*,/:/')" \
	"<title>all: 100.00 %
<title>.TAU application: 100.00 %
<title>main: 100.00 %
<title>hold: 100.00 %"
ok "flame: XML" python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse("flame.svg")'
for kind in tree "callers work"; do
	tau-report $kind -f csv run.2x3 >want.csv
	for from in run.ppk "--db t.db"; do
		tau-report $kind -f csv $from >got.csv 2>err
		ok "$kind: the same from $from" cmp got.csv want.csv
	done
done

# ---- imbalance, threads, groups ----

# work is 1000 (r + 1): 4 x (4000 - 2500); io is on rank 0 only: 4 x 500 - 500; the barrier is the reverse of work.
is "imbalance: lost = n (largest - mean), io compared over all ranks" \
	"$(tau-report imbalance -f csv run.4 | tr -d '\r"' | awk -F , 'NR > 1 { print $2, $3, $4, $5, $6, $9, $11, $13, $12 }')" \
"6000 1500 2500 4000 3 0 4 4 computation
1500 375 125 500 0 1 4 1 files
0 0 200 200 0 0 4 4 computation
0 0 100 100 0 0 4 4 computation
6000 1500 2500 4000 0 3 4 4 messages"
is "imbalance: text" "$(tau-report imbalance --top 2 run.4 | sed '1,3d')" "
$(cat <<'END'
   %      lost    lost/n      mean   largest  where  least  have  max/mean  region
----  --------  --------  --------  --------  -----  -----  ----  --------  --------------
27.6  6000.000  1500.000  2500.000  4000.000  3      0         4      1.60  work [app.c:9]
 6.9  1500.000   375.000   125.000   500.000  0      1         1      4.00  io
END
)

2 of 5 regions; --top 0 lists all. tau-report threads REGION shows each thread."
agree "imbalance" imbalance run.2x3
agree "groups" groups run.2x3
is "groups is profile --by group" "$(tau-report groups run.2x3)" "$(tau-report profile --by group run.2x3)"
is "threads: statistics of one region" "$(tau-report threads work run.4 | sed -n '2,4p')" \
"work [{/src/app.c} {9,0}]: 4 of 4 threads have it. Exclusive values, in us.
Sum 10000.000, mean 2500.000, standard deviation 1118.034, median 2500.000.
Largest 4000.000 (rank 3), least 1000.000 (rank 0), largest/mean 1.60."
is "threads: the histogram counts each thread once" "$(tau-report threads work run.2x3 | awk '/#/ { n += $3 } END { print n }')" 6
is "threads: CSV by rank and thread" "$(tau-report threads work -f csv run.2x3 | tr -d '\r' | cut -d , -f 1-5)" \
"rank,thread,calls,exclusive_us,inclusive_us
0,0,10,1000,1200
0,1,10,1010,1210
0,2,10,1020,1220
1,0,10,2000,2200
1,1,10,2010,2210
1,2,10,2020,2220"
# some: work on all 8 ranks; sync only on ranks 0 to 3, with 100, 200, 300 and 400; loop only on second threads, of ranks 0 to 3.
mkdir some
awk 'BEGIN {
	for (r = 0; r < 8; r++) for (t = 0; t < 2; t++) {
		f = "some/profile." r ".0." t
		has = r < 4
		print (1 + has) " templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #" >f
		print "\"work\" 1 0 1000 1000 0 GROUP=\"TAU_USER\"" >f
		if (has)
			printf "\"%s\" 1 0 %d %d 0 GROUP=\"TAU_IO\"\n", t ? "loop" : "sync", 100 * (r + 1), 100 * (r + 1) >f
		print "0 aggregates" >f
		close(f)
	}
}'
is "threads: a thread without the region counts as 0, threads with other numbers do not count" \
	"$(tau-report threads sync some | sed -n '2,4p'; tau-report threads sync some | tail -2)" \
"sync: 4 of 16 threads have it. Exclusive values, in us.
Sum 1000.000, mean 125.000, standard deviation 147.902, median 50.000.
Largest 400.000 (thread 3.0), least 0.000 (thread 4.0), largest/mean 3.20.
4 threads without the region count as 0, as in imbalance.
8 threads without the region are not included: no process has it in a thread with the same number."
is "the mean of a region is the same in threads, imbalance and the overview" \
	"$(tau-report threads sync -f json some | python3 -c 'import json, sys; f = json.load(sys.stdin)["facts"]; print(f["mean"], f["largest"] / f["mean"])')
$(tau-report imbalance -f csv some | tr -d '\r"' | awk -F , '$NF == "sync" { print $4, $5 / $4 }')
$(tau-report overview some | sed -n '/imbalance of sync/{n;p;}')
$(tau-report overview some | grep -m 1 '^  sync')" \
"125 3.2
125 3.2
     thread 3.0 has 400.0 us, the mean of 8 is 125.0 us
  sync                      1.000 ms   5.6 %  max/mean 3.20, most on thread 3.0"
is "threads: without the region" "$(tau-report threads io run.4 | sed -n '3,4p'; tau-report threads io run.4 | tail -1)" \
"Sum 500.000, mean 125.000, standard deviation 216.506, median 0.000.
Largest 500.000 (rank 0), least 0.000 (rank 1), largest/mean 4.00.
3 threads without the region count as 0, as in imbalance."
for kind in imbalance "threads work" groups profile; do
	tau-report $kind -f svg -o picture.svg run.2x3
	ok "$kind: the picture is XML with a title" python3 -c '
import sys, xml.dom.minidom as x
d = x.parse("picture.svg"); assert d.getElementsByTagName("title")[0].firstChild.data; assert len(d.getElementsByTagName("rect")) > 2'
done

# ---- overview ----

# Useful time: 1000 (r + 1) + 300, and 500 for files on rank 0; the run takes 5800 us on rank 0.
is "overview: the whole text" "$(tau-report run.4)" \
"run.4
Shares are of the time of all threads, 21.70 ms.

Run
  PEs                              4
  threads                          4
  time                      5.800 ms

Time
  MPI_Barrier()             10.00 ms  46.1 %  max/mean 1.60, most on rank 0
  work [app.c:9]            10.00 ms  46.1 %  max/mean 1.60, most on rank 3
  inner [in.c:2]            800.0 us   3.7 %  max/mean 1.00, most on rank 0
  io                        500.0 us   2.3 %  max/mean 4.00, most on rank 0
  main [app.c:3]            400.0 us   1.8 %  max/mean 1.00, most on rank 0

Use of PEs
  parallel efficiency          0.504          useful time / time, first threads
  load balance                 0.680          rank 3 computes most, 0 least
  communication efficiency     0.741
  computation               11.20 ms  51.6 %  of first threads
  files                     500.0 us   2.3 %  of first threads
  messages                  10.00 ms  46.1 %  of first threads

Imbalance
  work [app.c:9]            6.000 ms  27.6 %
      max/mean 1.60, most on rank 3, least on rank 0
  io                        1.500 ms   6.9 %
      max/mean 4.00, most on rank 0, least on rank 1

Lost, repaired and excluded
  nothing

Findings, in order of what they cost
  1. calls that exchange messages: 10.00 ms, 46.1 %
     most in MPI_Barrier()
     tau-report profile --by rank run.4
  2. imbalance of work [app.c:9]: 6.000 ms, 27.6 %
     rank 3 has 4.000 ms, the mean of 4 is 2.500 ms
     tau-report threads work run.4
  3. imbalance of io: 1.500 ms, 6.9 %
     rank 0 has 500.0 us, the mean of 4 is 125.0 us
     tau-report threads io run.4
  4. reading and writing files: 500.0 us, 2.3 %
     most in io
     tau-report threads io run.4"
is "overview: by its name" "$(tau-report overview run.4)" "$(tau-report run.4)"
is "overview: of a trial" "$(tau-report --db t.db run.2x3 | grep -c .)" "$(tau-report run.2x3 | grep -c .)"
tau-report run.4 | sed -n 's/^ *\(tau-report .*\)/\1/p' >commands
ok "overview: each command of a finding works" sh -e commands
is "overview: efficiencies multiply to the whole, in all digits" "$(tau-report -f csv run.4 | tr -d '\r' | awk -F , '
	/^use of PEs,.*(efficiency|balance)/ { v[++n] = $3 } END { d = v[1] - v[2] * v[3]; print n, (d < 1e-12 && d > -1e-12) }')" "3 1"
# The text has the values of the CSV, rounded; the JSON the same as the CSV.
tau-report run.4 >a.txt
tau-report -f csv run.4 >a.csv
tau-report -f json run.4 >a.json
python3 - >differ 2>&1 <<'END'
import csv, json, re
rows = list(csv.DictReader(open("a.csv", newline="")))
t = json.load(open("a.json"))
keys = [c["key"] for c in t["columns"]]
text = open("a.txt").read()
assert len(rows) == len(t["rows"]) > 15
for a, b in zip(rows, t["rows"]):
    b = b if isinstance(b, dict) else dict(zip(keys, b))
    for k in keys:
        v = b.get(k)
        assert (a[k] == "" if v is None else float(a[k]) == v if isinstance(v, (int, float)) else a[k] == v), (k, a, b)
    v = float(a["value"]) if a["value"] else 0
    shown = {"us": "%#.4g ms" % (v / 1e3) if v >= 1e3 else "%#.4g us" % v, "count": "%.0f" % v, "ratio": "%.3f" % v, "": ""}[a["unit"]]
    item = re.sub(r" \[\{(?:.*/)?([^}]*)\} \{(\d+)[^}]*\}\]", r" [\1:\2]", a["item"])  # data have whole names
    where = [l for l in text.split("\n") if item in l and shown in l]
    assert where, a
    if a["share_pct"]: assert any("%.1f %%" % float(a["share_pct"]) in l for l in where), a
END
is "overview: text, CSV and JSON agree" "$(cat differ)" ""
# A trace has wait states. A rank that is late by a sleep is found.
if [ -x "$B/apps/mpip2p" ] && mpirun -np 4 tau-record -o p2p "$B/apps/mpip2p" >/dev/null 2>&1; then
	like "overview of a trace: waiting" "$(tau-report p2p)" '^  for other PEs'
	like "overview of a trace: messages are counted" "$(tau-report p2p)" '^  sent .*messages'
else
	skip "overview of a trace" "no MPI"
fi
if [ -d "$DATA/otf2/sstmacro-10" ]; then
	is "overview of OTF2: messages as Cube has them" \
		"$(tau-report -f csv "$DATA/otf2/sstmacro-10" 2>/dev/null | tr -d '\r' | sed -n 's/^messages,sent,.*"\(.*\)",$/\1/p')" \
		"1440 messages, 144 per PE"
	is "tree of OTF2: calls as Cube has them" \
		"$(tau-report tree -f csv "$DATA/otf2/sstmacro-10" 2>/dev/null | tr -d '\r' | awk -F , '$3 ~ /MPI_Isend/ { n += $NF } END { print n }')" \
		"1440"
else
	skip "overview of OTF2" "no recorded data"
fi

bad "a column that is none" 2 "--sort: 'inclusiv' is not .*did you mean 'inclusive'" tau-report profile --sort inclusiv run.4
bad "a column that no table has" 2 "--sort: 'lost_u' is not .*did you mean 'lost_us'" tau-report imbalance --sort lost_u run.4
bad "a picture that is not sorted" 2 "--sort is for tables: .*, not svg" tau-report imbalance --sort lost -f svg run.4
bad "a picture of another format" 2 "x.png: pictures are written as .svg; rsvg-convert" tau-report imbalance -o x.png run.4
bad "a tree keeps its order" 2 "tree: --sort has no effect on this report" tau-report tree --sort calls run.4
bad "a metric that is none" 2 "--metric: 'PAPI' is not 'TIME'|--metric: 'PAPI'" tau-report profile --metric PAPI run.4
bad "an option of other kinds" 2 "profile: --predict is for scaling and memory-scaling" tau-report profile --predict 8 run.4
bad "two runs" 2 "profile needs one run, 2 were given" tau-report profile run.4 run.2x3
bad "no samples" 3 "run.4: it contains no samples" tau-report profile --samples run.4
bad "callers without a run" 2 "callers: name a run: tau-report callers REGION RUN" tau-report callers run.4
bad "callers without a region" 2 "callers: name a REGION" tau-report callers
bad "callers of a region that is not there" 3 "run.4: there is no region 'wrk'; did you mean" tau-report callers wrk run.4
bad "a flame of numbers" 2 "flame: --format csv is not one of: svg folded" tau-report flame -f csv run.4
bad "a limit that is none" 2 "--cut: 'x' is not a percentage" tau-report tree --cut x run.4
bad "threads of a region that is not there" 3 "run.4: there is no region 'wrok'; did you mean 'work" tau-report threads wrok run.4
for kind in threads callers; do
	bad "$kind of a region that is not in the window, which the message names" 3 "hold.run: there is no region 'hold' in window :1ns" tau-report $kind hold -w :1ns hold.run
	bad "$kind of a region that is not selected" 3 "hold.run: there is no region 'hold' in the selected threads and regions" tau-report $kind hold --region main hold.run
done
made 1 1 run.1
bad "a word that is no kind and no file" 2 "'profil' is neither a run nor a kind of report; did you mean 'profile'" tau-report profil run.4
bad "a picture of an overview" 2 "overview: --format svg is not one of: text csv json" tau-report -f svg run.4
bad "imbalance of one thread" 3 "run.1: it has one thread" tau-report imbalance run.1

# --- a thread that only waits has no shares of work, and comes last ---
mkdir "$T/helper"
printf '2 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n".TAU application" 1 1 1000 4000 0 GROUP="TAU_USER"\n"MPI_Recv()" 1 0 3000 3000 0 GROUP="MPI"\n0 aggregates\n' \
	>"$T/helper/profile.0.0.0"
printf '1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n".TAU application" 1 0 5000 5000 0 GROUP="TAU_USER"\n0 aggregates\n' \
	>"$T/helper/profile.0.0.1"
is "shares by thread" "$(tau-report profile --by thread -f csv "$T/helper" | tr -d '\r' | cut -d, -f 1,2,5-9)" \
	"rank,thread,computation_pct,files_pct,messages_pct,thread_synchronisation_pct,recorder_pct
0,0,25,0,75,0,0
0,1,,,,,"
out=$(tau-report profile --by thread --top 1 "$T/helper")
like "the first of them works" "$(echo "$out" | grep '^ *0 ')" '^ +0 +0 .* MPI_Recv'
like "the reason is printed" "$out" '1 thread without shares only waits\.'

# --- times that are small beside others, and the unit of sentences ---
mkdir "$T/small"
printf '3 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n"main" 1 2 9000000 9000400.001 0 GROUP="U"\n"b" 1 0 400 400 0 GROUP="U"\n"a" 1 0 0.001 0.001 0 GROUP="U"\n0 aggregates\n' \
	>"$T/small/profile.0.0.0"
like "a time that is not 0 does not print as 0.000" "$(tau-report profile "$T/small" | grep ' a$')" ' <0\.001 +<0\.001 .* 0\.001  a$'
like "... nor in Markdown" "$(tau-report profile -f markdown "$T/small")" '(<|&lt;)0\.001 '
is "... and is exact in CSV" "$(tau-report profile -f csv "$T/small" | tr -d '\r' | awk -F, '$2 == "a" { print $9, $10 }')" "0.001 0.001"
sentences() { tau-report overview "$@" "$T/small" | grep -oE '[0-9.]+ (ns|us|ms|s)([ ,.]|$)' | awk '{ sub(/[,.]$/, "", $2); print $2 }' | sort -u | tr '\n' ' '; }
is "overview --unit: sentences have it" "$(sentences --unit us) $(sentences --unit ms)" "us  ms "
like "... with its value" "$(tau-report overview --unit us "$T/small")" 'of all threads, 9000400\.001 us\.'
like "overview without --unit: what suits each value" "$(tau-report overview "$T/small")" 'of all threads, 9\.000 s\.'

# ---- runs that have samples and no regions ----

# sampled DIR US: samples of two functions, US of them in `deep`, and no region but the time outside of all regions.
sampled() {
	mkdir "$1"
	{
		printf '6 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n'
		printf '".TAU application" 1 0 90000 90000 0 GROUP="TAU_USER"\n'
		for f in "deep $2" "flat 20000"; do
			sample="[SAMPLE] ${f% *} [{/src/s.c} {4}]"
			printf '"%s" 3 0 %s %s 0 GROUP="TAU_SAMPLE"\n' "$sample" "${f#* }" "${f#* }"
			printf '".TAU application => [CONTEXT] .TAU application => %s" 3 0 %s %s 0 GROUP="TAU_SAMPLE|TAU_CALLPATH"\n' \
				"$sample" "${f#* }" "${f#* }"
		done
		printf '".TAU application => [CONTEXT] .TAU application" 6 0 0 0 0 GROUP="TAU_SAMPLE_CONTEXT|TAU_CALLPATH"\n0 aggregates\n'
	} >"$1/profile.0.0.0"
}
sampled only 50000
sampled later 60000
alone='The run has no regions: these are its samples'
is "samples alone: flame draws them" "$(tau-report flame -f folded only)" ".TAU application;deep 50000000
.TAU application;flat 20000000"
is "samples alone: the picture says it" "$(tau-report flame only | grep -c "$alone\\.\|>Call paths of samples<")" 3
is "samples alone: the page has the same picture" "$(tau-report html only | grep -q '>Call paths of samples<' && echo yes)" yes
is "samples alone: tree" "$(tau-report tree only | grep -c "deep\|flat\|^$alone\\.")" 3
is "samples alone: the bars of regions" "$(tau-report profile -f svg only | grep -c ">deep \[s.c:4\]<\|>Where the samples were</text>\|$alone,")" 3
is "samples alone: callers of the time outside of all regions" "$(tau-report callers '.TAU application' only | grep -c '^region .*90')" 1
alone='The runs have no regions: these are their samples'
is "samples alone: diff" "$(tau-report diff only later | grep -c "^10.000 .*deep\|^$alone\\.")" 2
is "samples alone: why" "$(tau-report why only later | grep -c "^10.000 .*deep\|^$alone\\.")" 2
is "samples alone: breakdown" "$(tau-report breakdown only later | grep -c "deep\|^$alone\\.")" 3
is "samples alone: compare" "$(tau-report compare --baseline only later | grep -c "deep\|^$alone\\.")" 2
is "samples alone: a gate is for regions, and says it" \
	"$(tau-report compare --gate 50% --baseline only later | grep -c "deep\|TAU application$\|^The runs have samples only: --samples compares them\\.")" 2
sed 's/"\.TAU application" 1 0 90000/".TAU application" 1 1 80000/; s/^6 /7 /; s/^# .*/&\n"main" 1 0 10000 10000 0 GROUP="TAU_USER"/' \
	only/profile.0.0.0 >later/profile.0.0.0
is "samples beside regions: regions, and a sentence" "$(tau-report tree later | grep -c 'main$\|^The run has samples as well: --samples shows them\.')" 2
is "samples beside regions: flame has the sentence" "$(tau-report flame later | grep -c '<title>main: \|The run has samples as well: --samples shows them\.')" 2
is "samples beside regions: diff keeps regions" "$(tau-report diff only later | grep -c "deep\|$alone")" 0
tap_end
