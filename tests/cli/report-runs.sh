# report-runs.sh: reports over several runs, on made-up profiles whose answers are computed by hand: what changed, what
# explains it, how the time scales.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

# profile RUN RANK: rows "NAME CALLS EXCLUSIVE INCLUSIVE GROUP", separated by semicolons, become one file of TAU's.
profile() {
	mkdir -p "$1"
	awk -F '; *' '{
		n = split($0, row, /; */)
		printf "%d templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n", n
		for (i = 1; i <= n; i++) {
			split(row[i], f, "|")
			printf "\"%s\" %s 0 %s %s 0 GROUP=\"%s\"\n", f[1], f[2], f[3], f[4], f[5]
		}
		print "0 aggregates"
	}' >"$1/profile.$2.0.0"
}
# agree WHAT ARGUMENTS...: text, CSV and JSON have the same rows and, rounded as in text, the same numbers.
agree() {
	what=$1
	shift
	case $1 in why) ;; *) set -- "$@" --top 0 ;; esac
	for f in text csv json; do tau-report "$@" -f $f >"$T/agree.$f" 2>"$T/agree.err" || cat "$T/agree.err"; done
	is "$what: text, CSV and JSON agree" "$(python3 "$TOP/tests/agree.py" "$T/agree.text" "$T/agree.csv" "$T/agree.json")" same
}

echo 'main [{/v1/a.c} {1,1}-{9,1}]|1|100000|1000000|TAU_USER; solve [{/v1/a.c} {20,1}-{30,1}]|10|600000|600000|TAU_USER; old|5|50000|50000|TAU_USER; MPI_Send()|10|250000|250000|MPI' | profile a 0
cp a/profile.0.0.0 a/profile.1.0.0
echo 'main [{/v2/a.c} {1,1}-{9,1}]|1|100000|1195000|TAU_USER; solve [{/v2/a.c} {25,1}-{35,1}]|10|900000|900000|TAU_USER; young@VER_2|2|5000|5000|TAU_USER; MPI_Send()|20|190000|190000|MPI' | profile b 0
cp b/profile.0.0.0 b/profile.1.0.0

is "diff: rows by change, new and gone ones, matched names" "$(tau-report diff a b 2>&1)" \
"Difference: exclusive time by region, a to b
a: 2 PEs, window: everything.
b: 2 PEs, window: everything.
Longest thread: 1.000 s to 1.195 s: +195.0 ms (+19.5 %).
Sum over threads, exclusive: 2.000 s to 2.390 s: +390.0 ms (+19.5 %).
Times in ms. Rows: sum over threads. Share: of the sum of all absolute changes.

  change  change %  share %    before     after  calls before  calls after        region
--------  --------  -------  --------  --------  ------------  -----------  ----  --------------
 600.000      50.0     72.3  1200.000  1800.000            20           20        solve [a.c:20]
-120.000     -24.0     14.5   500.000   380.000            20           40        MPI_Send()
-100.000    -100.0     12.0   100.000                      10               gone  old
  10.000                1.2              10.000                          4  new   young@VER_2
   0.000       0.0      0.0   200.000   200.000             2            2        main [a.c:1]

Same function: 'main [{/v1/a.c} {1,1}-{9,1}]' is 'main [{/v2/a.c} {1,1}-{9,1}]' in b (differs in place).
Same function: 'solve [{/v1/a.c} {20,1}-{30,1}]' is 'solve [{/v2/a.c} {25,1}-{35,1}]' in b (differs in place)."
is "diff --per pe: half of it on two PEs" \
	"$(tau-report diff --per pe -f csv a b | tr -d '\r' | awk -F, 'NR == 2 { print $1, $4, $5 }')" "300 600 900"
is "diff --inclusive: inclusive values, no shares" \
	"$(tau-report diff --inclusive -f csv a b | tr -d '\r' | awk -F, 'NR == 1 || /main/ { print $1, $3 }')" \
	"change_ms before_ms
390 2000"
is "diff --by group" "$(tau-report diff --by group -f csv a b | tr -d '\r' | awk -F, 'NR > 1 { print $NF, $1 }')" \
	"TAU_USER 510
MPI -120"
like "why: the fewest rows with 90 % of the changes" "$(tau-report why a b)" \
	'^3 of 5 rows have 98.8 % of all changes \(830.0 ms, added up without sign\) and \+380.0 ms of the net change of \+390.0 ms.$'
is "why: others add up" "$(tau-report why -f csv a b | tr -d '\r' | awk -F, 'NR > 1 { s += $1 } END { print NR, s }')" "5 390"
is "why: equal runs" "$(tau-report why a a | tail -n 1)" "Nothing changed."
agree "diff" diff a b
agree "why" why a b
for wrong in "diff a" "diff a b a" "why a" "diff a b --by type" "diff a b --metric PAPI" "why a b --inclusive" "diff a b --view peak" \
	"diff a b --per max" "diff a b --samples"; do
	tau-report $wrong >out 2>err
	like "refused: $wrong" "$? $(cat err)" '^[23] tau-report: '
done
tau-report diff -f svg -o d.svg a b
ok "diff: the picture is XML" xmllint --noout d.svg
like "... with the largest change" "$(cat d.svg)" '\+600.0 ms, 72.3 %'

# Strong scaling by a law: compute 800 s / P, exchange 1 s x log2 P, on 2 to 16 PEs; MPI_Init only on 16. The runs take 401, 202, 103, 54 s.
for p in 2 4 8 16; do
	i=0
	while [ $i -lt $p ]; do
		awk -v p=$p 'BEGIN { c = 800e6 / p; x = 1e6 * log(p) / log(2)
			printf "main|1|0|%.0f|U; compute|1|%.0f|%.0f|U; MPI_Exchange()|1|%.0f|%.0f|MPI", c + x, c, c, x, x
			if (p == 16) printf "; MPI_Init()|1|5|5|MPI"
			print "" }' | profile s.$p $i
		i=$((i + 1))
	done
done
strong=$(tau-report scaling s.2 s.4 s.8 s.16)
like "scaling: strong scaling is detected" "$strong" '^Strong scaling: the sum of all regions per PE, without initialisation, finalisation and recorder, falls at every step.$'
like "scaling: without such regions" "$(tau-report scaling s.2 s.4)" '^Strong scaling: the sum of all regions per PE falls at every step.$'
# Sums of 100, 90 and 95 s are no strong scaling, but without MPI_Init() they are 90, 70 and 45 s.
for p in 1 2 4; do
	for i in $(seq 0 $((p - 1))); do
		awk -v p=$p 'BEGIN { i = p == 1 ? 10 : p == 2 ? 20 : 50; w = p == 1 ? 90 : p == 2 ? 70 : 45
			printf "main|1|%.0f|%.0f|U; MPI_Init()|1|%.0f|%.0f|MPI\n", w * 1e6, (w + i) * 1e6, i * 1e6, i * 1e6 }' | profile init.$p $i
	done
done
like "scaling: initialisation does not decide" "$(tau-report scaling init.1 init.2 init.4)" '^Strong scaling: .*, without initialisation'
like "... --explain has what is excluded" "$(tau-report scaling --explain init.1 init.2 init.4)" \
	'^Sums per PE that decide: 100000.000 - 10000.000, 90000.000 - 20000.000, 95000.000 - 50000.000. Excluded are calls that begin'
# Sums of 90, 91 and 140 s: the work is 80, 40 and 30 s. With 80, 60 and 50 s, it is nearer to work that does not fall.
law() {	# run, the work on 1, 2 and 4 PEs
	for p in 1 2 4; do
		for i in $(seq 0 $((p - 1))); do
			awk -v p=$p -v w="$2" 'BEGIN { split(w, of); w = of[p == 1 ? 1 : p == 2 ? 2 : 3]; x = (p == 1 ? 90 : p == 2 ? 91 : 140) - w
				printf "main|1|%.0f|%.0f|U; MPI_Send()|1|%.0f|%.0f|MPI\n", w * 1e6, (w + x) * 1e6, x * 1e6, x * 1e6 }' | profile $1.$p $i
		done
	done
	tau-report scaling --explain $1.1 $1.2 $1.4
}
talk=$(law talk "80 40 30")
like "scaling: communication that grows does not hide that the work falls" "$talk" \
	'^Strong scaling: the sum of the regions outside of MPI, OpenSHMEM and GASPI falls by 62.5 % per PE; '
like "... --explain has the work" "$talk" '^Sums outside of MPI, OpenSHMEM and GASPI: 80000.000, 40000.000, 30000.000.$'
like "... which falls by less than the square root of the PEs here" "$(law less "80 60 50")" '^Weak scaling: '
like "... and is too little to decide here" "$(law little "8 4 2")" '^Weak scaling: '
inclusive=$(tau-report scaling --inclusive -f csv s.2 s.4 s.8 s.16 | tr -d '\r')
is "scaling: inclusive times of main are the sum of both parts" \
	"$(echo "$inclusive" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^inclusive_[a-z]*_16/) c = i } $NF == "main" { printf "%.0f", $c }')" 54000
like "scaling: they have models" "$(tau-report scaling --inclusive s.2 s.4 s.8 s.16 | grep ' main$')" 'P\^-1'
is "scaling: the sum stays that of exclusive times" "$(echo "$inclusive" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^inclusive_[a-z]*_16/) c = i }
	$NF == "(sum)" { printf "%.0f", $c }')" 54000
like "scaling: groups have no inclusive times" "$(tau-report scaling --inclusive --by group s.2 s.4 2>&1)" 'a group has no inclusive values'
like "scaling: nor has the picture" "$(tau-report scaling --inclusive -f svg s.2 s.4 2>&1)" '--inclusive is for tables'
like "scaling: of profiles no part can be selected" "$(tau-report scaling --region main s.2 s.4 2>&1)" 'a profile has no events'
like "scaling: speedups by hand" "$strong" '^Speedup of the longest thread: 1.00, 1.99, 3.89, 7.43 \(ideal 1, 2, 4, 8\).$'
like "scaling: efficiencies by hand" "$strong" '^Efficiency: 1.00, 0.99, 0.97, 0.93.$'
# 100, 60 and 65 s: not strong by the rule, but faster than the first at each step.
for p in 2 4 8; do
	for i in $(seq 0 $((p - 1))); do
		echo "main|1|$((p == 2 ? 100000000 : p == 4 ? 60000000 : 65000000))|$((p == 2 ? 100000000 : p == 4 ? 60000000 : 65000000))|U" | profile gain.$p $i
	done
done
gains='^All efficiencies are above 1, as if the problem were the same in all runs. If it is: --problem strong.$'
like "scaling: weak by the times, with efficiencies above 1 at all points" "$(tau-report scaling gain.2 gain.4 gain.8)" "$gains"
is "... but not if one is not" "$(cp -r gain.2 once.2; sed 's/ 65000000/ 100000000/g' gain.8/profile.0.0.0 >"$T/slower" && cp -r gain.8 once.8 &&
	cp slower once.8/profile.0.0.0 && tau-report scaling once.2 gain.4 once.8 | grep -c "$gains")" 0
is "... nor where the law is given" "$(tau-report scaling --problem weak gain.2 gain.4 gain.8 | grep -c "$gains")" 0
# 800 / P and log2 P are equal between 116 and 117.
like "scaling: the region that dominates next" "$strong" '^Next largest: MPI_Exchange\(\), from 117 PEs on \(7.31 times the largest run\).$'
like "scaling: the model with a negative exponent" "$strong" ' 800.0 s x P.-1 +exact, 0.0 %, 4 points +compute$'
like "scaling: the model of what grows" "$strong" ' 1.000 s x log2 P +exact, 0.0 %, 4 points +MPI_Exchange\(\)$'
like "scaling: a region of one run has no other values" "$strong" '^ {30,}0.005 .* no model: 1 point +MPI_Init\(\)$'
is "scaling: efficiency of regions by hand" "$(tau-report scaling -f csv s.2 s.4 s.8 s.16 | tr -d '\r' | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == "efficiency_16") c = i; next } { print $NF, $c }' | head -n 2)" \
	"compute 1
MPI_Exchange() 0.03125"
is "scaling: forecast with an interval" "$(tau-report scaling --predict 64 -f csv s.2 s.4 s.8 s.16 | tr -d '\r' | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == "predicted_ms_64") c = i } $NF == "compute" { print $c }')" 12500
like "scaling: --problem is obeyed, and the other suspicion named" "$(tau-report scaling --problem weak s.2 s.4)" \
	'^Weak scaling, as --problem requests; the times suggest strong scaling.$'
like "scaling: weak efficiency" "$(tau-report scaling --problem weak s.2 s.4)" '^Efficiency: 1.00, 1.99.$'
echo 'main|1|99|99|U' | profile w.1 0
for i in 0 1; do echo 'main|1|98|98|U' | profile w.2 $i; done
like "scaling: a small fall is doubtful" "$(tau-report scaling w.1 w.2)" '^It falls by 1.0 % only. If the problem grows with the PEs: --problem weak.$'
like "scaling: weak scaling that is only detected" "$(tau-report scaling s.2 w.1)" \
	'^This is detected from the times alone; --problem strong.weak sets it.$'
is "... is not said of what is requested" "$(tau-report scaling --problem weak s.2 w.1 | grep -c 'times alone')" 0
like "compare: runs on other numbers of PEs" "$(tau-report compare --baseline s.2 s.4)" '^The runs have different numbers of PEs: '
is "... but not on the same" "$(tau-report compare --baseline a b | grep -c 'different numbers')" 0
for n in 2 4; do
	cp -r s.$n cores.$n
	sed -i 's|^# Name.*|&<metadata><attribute><name>CPU Cores</name><value>2</value></attribute><attribute><name>CPUs Allowed</name><value>2</value></attribute><attribute><name>Hostname</name><value>h</value></attribute></metadata>|' cores.$n/profile.*
done
like "scaling: PEs that shared cores" "$(tau-report scaling cores.2 cores.4 cores.4)" '^PEs shared CPU cores: 4 PEs on 2 cores.$'
sed -i 's|CPUs Allowed|Other|' cores.4/profile.*
is "... TAU's CPU Cores are those of a package" "$(tau-report scaling cores.2 cores.4 | grep -c 'shared CPU')" 0
sed -i 's|>Other<|>CPUs Allowed<|' cores.4/profile.*
sed -i 's|<value>h<|<value>other<|' cores.4/profile.[23].0.0
is "... of all hosts" "$(tau-report scaling cores.2 cores.4 | grep -c 'shared CPU')" 0
mkdir one && for t in 0 1; do sed 's/ 200000 / 100000 /' a/profile.0.0.0 >one/profile.0.0.$t; done
like "imbalance: one PE" "$(tau-report imbalance one)" '^1 PE, 2 threads\.'
awk 'BEGIN { for (i = 1; i <= 6; i++) printf "%sf%d|1|%d|%d|U", (i > 1 ? "; " : ""), i, 7 - i, 7 - i; print "" }' | profile six 0
like "overview: one other region" "$(tau-report overview six)" '\(1 other region\) '
agree "scaling" scaling s.2 s.4 s.8 s.16
agree "scaling --by group" scaling --by group s.2 s.4 s.8 s.16
# Of 400 s, 200, 100 and 50 s + 1, 2, 3, 4 s + MPI_Init: main's 1 us is below any cut.
is "breakdown --sort: what the other rows have together stays below" "$(tau-report breakdown --cut 10 --sort region s.2 s.4 s.8 s.16 |
	sed -n '/^--.*--$/,/^$/p' | awk '{ print $NF }' | grep '^(' | tr '\n' ' ')$(tau-report breakdown --cut 10 --sort region s.2 s.4 s.8 s.16 |
	grep -A 1 '^--.*--$' | tail -n 1 | awk '{ print $NF }')" "(others) (sum) (others)"
is "breakdown: shares and their change by hand" "$(tau-report breakdown --top 2 s.2 s.4 s.8 s.16)" \
"Breakdown: shares of the time by region
Runs: 4, on 2, 4, 8, 16 PEs.
Largest region: compute on 2, 4, 8, 16.
Shares in %: exclusive, of the sum of all rows; change: from 2 to 16 PEs, in percentage points.

2 PEs  4 PEs  8 PEs  16 PEs  change  region
-----  -----  -----  ------  ------  --------------
 99.8   99.0   97.1    92.6    -7.2  compute
  0.2    1.0    2.9     7.4     7.2  MPI_Exchange()
                        0.0          (others)
-----  -----  -----  ------  ------  --------------
100.0  100.0  100.0   100.0     0.0  (sum)

2 of 3 rows; --top 0 --cut 0 lists all."
is "breakdown: the shares of each number of PEs add up to 100" "$(tau-report breakdown --top 1 -f csv s.2 s.4 s.8 s.16 | tr -d '\r' |
	awk -F, 'NR > 1 && $NF != "(sum)" { a += $1; b += $4 } END { printf "%d %.9g %.9g", NR, a, b }')" "4 100 100"
mkdir half && sed 's/MPI_Exchange/rare/' s.2/profile.0.0.0 >half/profile.0.0.0 && cp half/profile.0.0.0 half/profile.1.0.0
is "breakdown: so they do with a region that one of two repetitions lacks" "$(tau-report breakdown -f csv s.2 half s.4 | tr -d '\r' |
	awk -F, 'NR > 1 && $NF != "(sum)" { a += $1 } $NF == "rare()" { r = $4 } END { printf "%.9g %s", a, r }')" "100 500"
is "breakdown: what --cut excludes is others" "$(tau-report breakdown --cut 8% -f csv s.2 s.4 s.8 s.16 | tr -d '\r' | awk -F, '{ print $NF }' | tr '\n' ' ')" \
	"region compute (others) (sum) "
agree "breakdown" breakdown --cut 0 s.2 s.4 s.8 s.16
agree "breakdown --by group" breakdown --by group --cut 0 s.2 s.4 s.8 s.16
like "breakdown --cut: a percentage" "$(tau-report breakdown --cut 101 s.2 s.4 2>&1)" "^tau-report: --cut: '101' is not a percentage"
tau-report breakdown -f svg -o b.svg s.2 s.4 s.8 s.16
ok "breakdown: the picture is XML" xmllint --noout b.svg
is "... with the shares of the table" "$(sed -n 's|.*<title>compute, \(.*\) %</title>.*|\1|p' b.svg | tr '\n' ' ')" "99.8 99.0 97.1 92.6 "
tau-report scaling -f svg -o s.svg s.2 s.4 s.8 s.16
ok "scaling: the picture is XML" xmllint --noout s.svg
for wrong in "scaling s.2" "scaling s.2 s.2" "scaling s.2 s.4 --problem big" "scaling s.2 s.4 --rank 0" "scaling s.2 s.4 --per pe"; do
	tau-report $wrong >out 2>err
	like "refused: $wrong" "$? $(cat err)" '^[23] tau-report: '
done

# Repeated runs: 12 regions of 100 ms with 1 % noise from a fixed generator; region f7 takes CHANGE times as long.
repeat() {	# RUN SEED CHANGE [TIME]: with a region "added" of that time
	awk -v seed=$2 -v change=$3 -v added=$4 'BEGIN {
		for (i = 0; i < 12; i++) {
			noise = 0
			for (k = 0; k < 12; k++) { seed = (seed * 16807) % 2147483647; noise += seed / 2147483647 }
			v[i] = int(100000 * (1 + 0.01 * (noise - 6)) * (i == 7 ? change : 1)); sum += v[i]
		}
		printf "main|1|0|%d|U", sum
		for (i = 0; i < 12; i++) printf "; f%d [{a.c} {%d,1}-{%d,9}]|1|%d|%d|U", i, 10 * i + 1, 10 * i + 9, v[i], v[i]
		if (added) printf "; added|1|%d|%d|U", added, added
		print "" }' | profile $1 0
}
for i in 1 2 3 4 5 6; do
	repeat old$i $((i * 1000 + 7)) 1
	repeat same$i $((i * 3000 + 11)) 1
	repeat slow$i $((i * 5000 + 13)) 1.1
done
old=old1,old2,old3,old4,old5,old6
like "compare: a region that is 10 % slower FAILs, status 1" \
	"$(tau-report compare --baseline $old --gate 3% slow1 slow2 slow3 slow4 slow5 slow6; echo "status $?")" '^status 1$'
is "compare: only that region" "$(tau-report compare --baseline $old --gate 3% -f csv slow1 slow2 slow3 slow4 slow5 slow6 | tr -d '\r' |
	awk -F '"' '/FAIL/ { print $(NF - 1) }')" "f7 [{a.c} {71,1}-{79,9}]"
# A region of 5 ms that no run had before, in runs that are equal otherwise, and the other way.
for i in 1 2 3 4 5 6; do repeat more$i $((i * 3000 + 11)) 1 $((5000 + i)); done
more=$(echo more1 more2 more3 more4 more5 more6) same=$(echo same1 same2 same3 same4 same5 same6)
is "compare: a region that only the runs after have FAILs, with its p" "$(tau-report compare --baseline $old --gate 3% -f csv $more | tr -d '\r' |
	awk -F , '/added/ { print $1 "|" $2 "|" $5 "|" $6 "|" ($4 > 0 && $4 < 0.05) }')" "||FAIL||1"
is "compare: a region that only the runs before have" "$(tau-report compare --baseline $(echo $more | tr ' ' ,) --gate 3% -f csv $same | tr -d '\r' |
	awk -F , '/added/ { print $1 "|" ($4 > 0 && $4 < 0.05) "|" $7 }')" "-100|1|"
tau-report compare --baseline $old --gate 3% -o more.svg $more
like "compare: the picture of such a region" "$(cat more.svg)" 'absent to 5\.00[0-9] ms'
is "... without numbers that are none" "$(grep -cE '\b(nan|inf)\b' more.svg)" 0
out=$(tau-report compare --baseline $old --gate 3% same1 same2 same3 same4 same5 same6)
is "compare: no change PASSes, status 0" "$? $(printf '%s\n' "$out" | sed -n '2s/:.*//p')" "0 PASS"
# Medians, p and the interval again, by an independent program: the exact rank test.
names() { tau-report compare --baseline $old -f csv "$@" slow1 slow2 slow3 slow4 slow5 slow6 | tr -d '\r' | awk -F '"' 'NR > 1 { print $(NF - 1) }'; }
is "compare --sort: regions are sorted, the whole stays above them" "$(names --sort -region)" "$(names | head -n 1; names | sed 1d | LC_ALL=C sort -r)"
is "and --top counts them" "$(names --sort region --top 1 | wc -l | tr -d ' ')" 2
tau-report compare --baseline $old -f csv slow1 slow2 slow3 slow4 slow5 slow6 >c.csv
is "compare: estimate, interval and p as computed independently" "$(python3 - <<'END'
import csv, itertools, math, statistics
def values(name, region):
    out = []
    for i in range(1, 7):
        for line in open("%s%d/profile.0.0.0" % (name, i)):
            if line.startswith('"' + region):
                out.append(float(line[line.index('" ') + 2:].split()[2]))
    return out
rows = {r["region"]: r for r in csv.DictReader(open("c.csv", newline=""))}
a, b = values("old", "f7 "), values("slow", "f7 ")
d = sorted(math.log(y) - math.log(x) for x in a for y in b)
estimate = 100 * math.expm1(statistics.median(d))
whole = rows["(longest thread)"]
x, y = [sum(v) for v in zip(*[values("old", "f%d " % i) for i in range(12)])], [sum(v) for v in zip(*[values("slow", "f%d " % i) for i in range(12)])]
u = sum(s > r for r in x for s in y)
more = total = 0
pool = x + y
for chosen in itertools.combinations(range(12), 6):
    q = [pool[i] for i in chosen]
    p = [pool[i] for i in range(12) if i not in chosen]
    total += 1
    more += sum(s > r for r in p for s in q) >= u
row = rows["f7 [{a.c} {71,1}-{79,9}]"]
checks = [(float(row["change_pct"]), estimate), (float(row["before_ms"]), statistics.median(a) / 1000),
          (float(row["after_ms"]), statistics.median(b) / 1000), (float(row["low_pct"]), 100 * math.expm1(d[5])),
          (float(row["high_pct"]), 100 * math.expm1(d[-6])), (float(whole["p"]), min(1, 2 * more / total))]
print("same" if all(abs(g - w) < 1e-9 * max(1, abs(w)) for g, w in checks) else checks)
END
)" same
is "compare: --sort moves the rows below that of the whole, and --top counts them" \
	"$(for r in '' -; do tau-report compare --baseline $old --sort ${r}region --top 2 -f csv same1 same2 | grep -o 'longest\|f[0-9]* '; done | tr -d '\n')" \
	"longestf0 f1 longestf9 f8 "
out=$(tau-report compare --baseline old1 --baseline old2 --gate 0.1% old3 old4)
is "compare: too few runs are INCONCLUSIVE, status 5" "$? $(printf '%s\n' "$out" | sed -n '2s/:.*//p')" "5 INCONCLUSIVE"
like "compare: runs that are needed" "$out" ' [0-9]+ runs on each side are needed'
# Metadata as TAU writes them: when a run began.
began() { sed "2s|\$| <metadata><attribute><name>Starting Timestamp</name><value>$1</value></attribute></metadata>|" old2/profile.0.0.0; }
mkdir began copied later
began 1000 >began/profile.0.0.0
cp began/profile.0.0.0 copied
began 2000 >later/profile.0.0.0
like "compare: copies of a recording are one run" "$(tau-report compare --baseline old1,old1,copied,began same1 same2 2>&1)" '^Runs: 2 before, 2 after\.'
like "... which is reported" "$(tau-report compare --baseline old1,old1,copied,began same1 same2)" '^Not counted: 2 runs with the same start and the same times in all rows as another on their side, such as '
like "... but not runs that began at another moment and are equal by chance" "$(tau-report compare --baseline began,later same1 same2)" '^Runs: 2 before, 2 after\.'
is "... and so a run that is named twice has no test" "$(tau-report compare --gate 3% --baseline old1,old1 -f csv slow1 slow1 | tr -d '\r' | sed -n 2p | cut -d , -f 2-5)" ",,,INCONCLUSIVE"
is "compare: one run has no test, and without --gate no verdict" "$(tau-report compare --baseline old1 -f csv same1 | tr -d '\r' | sed -n 2p | cut -d , -f 2-5)" ",,,"
agree "compare" compare --baseline $old slow1 slow2 slow3 slow4 slow5 slow6
tau-report compare --baseline $old --gate 3% -f junit -o j.xml slow1 slow2 slow3 slow4 slow5 slow6
is "compare: the report is written although the gate fails" "$?" 1
is "compare: JUnit XML" "$(xmllint --xpath 'concat(//testsuite/@tests, " ", //testsuite/@failures, " ", //testcase[failure]/@name)' j.xml)" \
	"13 1 f7 [{a.c} {71,1}-{79,9}]"
like "compare: GitHub annotations" "$(tau-report compare --baseline $old --gate 3% -f github slow1 slow2 slow3 slow4 slow5 slow6)" \
	'^::error file=a.c,line=71,title=f7 \[a.c%3A71\]::\+[0-9.]+ %25, 95 %25 interval'
tau-report compare --baseline $old --gate 3% -o c.svg slow1 slow2 slow3 slow4 slow5 slow6
is "compare: the picture is written although the gate fails" "$? $(grep -c '<circle' c.svg)" "1 13"
like "compare: the picture has the verdict" "$(cat c.svg)" 'FAIL at a gate of \+3 % \(dashed\)\. 6 runs before, 6 after; test: rank test'
is "compare: its numbers are those of the table" "$(grep -oE '[+-][0-9.]+ %, (PASS|FAIL|INCONCLUSIVE)' c.svg | tr -d '+,%' | sort)" \
	"$(tau-report compare --baseline $old --gate 3% -f csv slow1 slow2 slow3 slow4 slow5 slow6 | tr -d '\r' |
		awk -F , 'NR > 1 { v = sprintf("%+.1f", $1); sub(/^\+/, "", v); printf "%s  %s\n", v, $5 }' | sort)"
is "compare: a point is where its change is" "$(python3 - <<'END'
import re
s = open("c.svg").read()
ticks = [(float(x), float(v or 0)) for x, v in re.findall(r'<text x="([0-9.]+)" [^>]*text-anchor="middle">([+-][0-9.]+)? ?[%0]*</text>', s)]
(xa, a), (xb, b) = ticks[0], ticks[-1]
at = [a + (float(x) - xa) / (xb - xa) * (b - a) for x in re.findall(r'<circle cx="([0-9.]+)"', s)]
notes = [float(v) for v in re.findall(r'>([+-][0-9.]+) %, [A-Z]', s)]
print(len(at), max(abs(x - y) for x, y in zip(at, notes)) < 0.08)
END
)" "13 True"
tau-report compare --baseline old1 -o one.svg same1
like "compare: the picture of too few runs has no intervals" "$(grep -c 'stroke-width="4"' one.svg) $(cat one.svg)" '^0 .*'
is "compare: labels do not overlap" "$(python3 "$TOP/tests/labels.py" c.svg one.svg)" ""
for wrong in "compare old1" "compare --baseline old1" "compare --baseline old1 same1 --gate x" "compare --baseline old1 same1 --gate -3%" \
	"compare --baseline old1 same1 -f folded" "diff old1 same1 -f junit" "diff old1 same1 --gate 3%" "diff old1 --baseline same1"; do
	tau-report $wrong >out 2>err
	like "refused: $wrong" "$? $(cat err)" '^2 tau-report: '
done
for i in 1 2 3 4 5 6; do tau-db import --db c.db old$i slow$i >out; done
tau-db tag --db c.db good old1 old2 old3 old4 old5 old6
tau-report compare --db c.db --baseline good --gate 3% -f csv slow1 slow2 slow3 slow4 slow5 slow6 >d.csv
is "compare: trials by tag, as runs" "$? $(cmp c.csv d.csv 2>&1 | head -c 0)$(tr -d '\r' <d.csv | cut -d , -f 1-4 | sort | head -n 5)" \
	"1 $(tr -d '\r' <c.csv | cut -d , -f 1-4 | sort | head -n 5)"

# A region takes 10 % more from the 7th run on.
both="old1 old2 old3 old4 old5 old6 slow1 slow2 slow3 slow4 slow5 slow6"
is "trend: the run and the region of a change" "$(tau-report trend -f csv $both | tr -d '\r' | cut -d , -f 6,7,10- | tail -n +2)" \
	'7,slow1,"f7 [{a.c} {71,1}-{79,9}]"'
is "trend: means before and after, by hand" "$(tau-report trend -f csv $both | tr -d '\r' | awk -F, 'NR == 2 { printf "%.6f %.6f", $4, $5 }')" \
	"$(for s in old slow; do cat $s?/profile.0.0.0 | awk -F '" ' '/^"f7 / { split($2, f, " "); s += log(f[3]) } END { printf "%.6f ", exp(s / 6) / 1000 }'; done | sed 's/ $//')"
# The same runs as trials with commits, in the order of a list, and with tags.
n=0
: >commits
for i in $both; do
	n=$((n + 1))
	hash=$(printf '%040d' $((1000 - n)) | tr 0-9 f-o | tr g-o 0-8)
	echo "$hash" >>commits
	tau-db import --db git.db -m "Git Commit=$(echo "$hash" | cut -c 1-40)" $i >out
done
label=$(sed -n 7p commits)
mixed="slow1 old1 slow2 old2 slow3 old3 slow4 old4 slow5 old5 slow6 old6"
is "trend --order: the order of commits, whatever the order of runs" \
	"$(tau-report trend --db git.db --label 'Git Commit' --order commits -f csv $mixed | tr -d '\r' | tail -n +2 | cut -d , -f 6,7 | sort -u) $(
	tau-report trend --db git.db --label 'Git Commit' --order commits -f json $mixed | grep -o "\"label\": \"$label\"" | sort -u)" \
	"7,trial 7 (slow1) \"label\": \"$label\""
sed 's/.*\(.\{40\}\)$/\1/' commits | tr -d '\n' >one
like "trend --order: a commit that the list lacks" "$(tau-report trend --db git.db --label 'Git Commit' --order one $mixed 2>&1)" 'no line of one is'
tau-db tag --db git.db v2 slow1 slow2 slow3 slow4 slow5 slow6
printf 'v1\nv2\n' >versions
like "trend --label tags, --order from standard input" "$(tau-report trend --db git.db --label tags --order - slow1 slow2 slow3 slow4 slow5 slow6 <versions)" \
	'^Runs: 6, in the order of --order\.$'
like "trend --order: a run without the label" "$(tau-report trend --db git.db --label tags --order versions $mixed 2>&1)" "old[0-9].* has no 'tags'"
like "trend --label: metadata that no run has" "$(tau-report trend --label Commit $both 2>&1)" "no run has the metadata 'Commit'"
like "trend --order without --label" "$(tau-report trend --order commits $both 2>&1)" 'order needs --label'
tau-report trend --gate 3% $both >out
is "trend --gate: status 1" "$? $(grep -o '^FAIL: gate +3%' out)" "1 FAIL: gate +3%"
tau-report trend --gate 30% $both >out
is "trend --gate: status 0" "$? $(grep -o '^PASS: gate +30%' out)" "0 PASS: gate +30%"
is "trend: nothing changes" "$(tau-report trend old1 old2 old3 old4 old5 old6 same1 same2 same3 same4 same5 same6 | tail -n 1)" "No changes."
agree "trend" trend $both
tau-report trend -f svg -o t.svg $both
ok "trend: the picture is XML" xmllint --noout t.svg
for wrong in "trend old1 old2" "trend $both --format junit" "trend $both --baseline old1"; do
	tau-report $wrong >out 2>err
	like "refused: $wrong" "$? $(cat err)" '^2 tau-report: '
done

# Growth of memory, and bytes.
. "$TOP/tests/pes.sh"
for p in 2 4; do pes m.$p $p; done
tau-report memory-growth --gate 0.1% m.2 m.4 >out
is "memory-growth --gate: status 1" "$? $(grep -o '^FAIL: gate 0.1%' out)" "1 FAIL: gate 0.1%"
tau-report memory-growth --gate 1000% m.2 m.4 >out
is "memory-growth --gate: status 0" "$? $(grep -o '^PASS: gate 1000%' out)" "0 PASS: gate 1000%"
for wrong in 1x -1 "4 kB"; do
	tau-report leaks --gate "$wrong" m.2 >out 2>err
	like "leaks --gate '$wrong' is refused" "$? $(cat err)" '^2 tau-report: --gate: '
done

if [ -d "$DATA/tau/ppk" ]; then
	cp "$DATA"/tau/ppk/gromacs-*.ppk .
	gromacs=$(tau-report scaling gromacs-2.ppk gromacs-8.ppk gromacs-32.ppk)
	like "GROMACS: strong scaling" "$gromacs" '^Strong scaling: '
	# 638.305 / 204.587 and 638.305 / 101.230
	like "GROMACS: speedups by hand" "$gromacs" '^Speedup of the longest thread: 1.00, 3.12, 6.31 \(ideal 1, 4, 16\).$'
	like "GROMACS: do_nonbonded is c + a / P" "$gromacs" ' 61.85 ms \+ 444.5 s x P.-1 +assumed: 3 points, residuals up to 0.8 % +void do_nonbonded'
else
	skip "GROMACS" "no recorded data"
fi
# ---- program images that run one after the other ----
tau-record -o images sh -c 'for i in 1 2 3 4 5 6 7 8; do ls >/dev/null; done; sleep 1; exec "$0"' ./no-such-program >out 2>err
most() { tr -d '\r"' | awk -F , -v c="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at[c] > most { most = $at[c] }
	END { if (most > 100) print "above 100 %: " most; else print "at most 100 %" }'; }
is "a failed job of a shell: what imbalance costs is a part of the time" "$(tau-report imbalance -f csv images | most share_pct)" "at most 100 %"
is "overview: the same" "$(tau-report -f csv images 2>/dev/null | most share_pct)" "at most 100 %"
is "programs that ended before another one began lose nothing to it" "$(tau-record -o after sh -c 'ls >/dev/null; exec sleep 1' >out 2>err
	tau-report imbalance -f csv after | tr -d '\r"' | awk -F , 'NR > 1 { print $NF, $2 }')" ".TAU application 0"
# Of a trace call paths are read for this alone: what initialisation calls is excluded whatever the rows are.
cat >starts.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int us;

__attribute__((noinline)) void reads(void) { usleep(30000); }
__attribute__((noinline)) void shmem_init(void) { reads(); }
__attribute__((noinline)) void work(void) { usleep(us); }
static void *thread(void *a) { work(); return a; }

int main(int n, char **v)
{
	pthread_t t;

	us = atoi(v[1]);
	shmem_init();
	if (n > 2)
		pthread_create(&t, NULL, thread, NULL);
	work();
	return n > 2 ? pthread_join(t, NULL) : 0;
}
C
${CC:-cc} -O1 -finstrument-functions starts.c -o starts -lpthread
tau-record -o starts1 ./starts 20000 2>/dev/null && tau-record -o starts2 ./starts 10000 two 2>/dev/null
decides() { tau-report scaling --explain --by $1 starts1 starts2 | grep '^Sums per thread that decide'; }
like "scaling: the recorder's traces have such sums" "$(decides region)" ' - ([3-9][0-9]|[1-9][0-9][0-9]+)\.'
is "... the same by region and by call path" "$(decides region)" "$(decides path)"
scaled() { tau-report scaling -f csv "$@" starts1 starts2 | tr -d '\r' | awk -F, 'NR > 1 && $NF !~ /^[(.]/ { print $NF }' | sort | tr '\n' ' '; }
is "scaling: --region selects regions" "$(scaled --region work)" "work "
is "scaling: --inside selects what a region calls" "$(scaled --inside work)" "work "
is "scaling: --group selects the regions of the one group here" "$(scaled --group TAU_USER)" "main reads shmem_init thread work "
tap_end
