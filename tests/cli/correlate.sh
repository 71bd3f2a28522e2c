# correlate.sh: tau-report correlate against an independent computation over runs of known values.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

# made DIR MAIN RISING FALLING RARE META: one thread, times in us; RARE - : the run lacks the region.
made() {
	mkdir "$1"
	{
		n=3; [ "$5" = - ] || n=4
		echo "$n templated_functions_MULTI_TIME"
		echo "# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Problem size</name><value>$6</value></attribute><attribute><name>Same</name><value>3</value></attribute><attribute><name>Host</name><value>node$6</value></attribute></metadata>"
		echo "\"main\" 1 3 5 $2 0 GROUP=\"TAU_USER\""
		echo "\"rising\" 1 0 $3 $3 0 GROUP=\"TAU_USER\""
		echo "\"falling\" 1 0 $4 $4 0 GROUP=\"TAU_USER\""
		[ "$5" = - ] || echo "\"rare\" 1 0 $5 $5 0 GROUP=\"TAU_USER\""
		echo "0 aggregates"
	} >"$1/profile.0.0.0"
}
made r1 1000 500 90 - 10
made r2 1100 610 80 7 12
made r3 1300 800 85 9 19
made r4 1250 760 60 - 14
made r5 1500 990 40 8 22
made r6 1600 1150 45 5 23
made r7 1550 1080 30 6 23
tau-report correlate -f csv r1 r2 r3 r4 r5 r6 r7 2>err | tr -d '\r' >csv
python3 - >wrong 2>&1 <<'P'
import csv, math
def ranks(v):
    s = sorted(v)
    return [sum(i + 1 for i, y in enumerate(s) if y == x) / s.count(x) for x in v]
def r(x, y):
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / math.sqrt(sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y))
def p(r, n):	# the density of Student's t, added up by Simpson's rule from 0 to t
    if 1 - r * r < 1e-14: return 0
    df, t, m = n - 2, abs(r) * math.sqrt((n - 2) / (1 - r * r)), 20000
    c = math.gamma((df + 1) / 2) / math.sqrt(df * math.pi) / math.gamma(df / 2)
    f = lambda x: c * (1 + x * x / df) ** (-(df + 1) / 2)
    h = t / m
    return 1 - 2 * h / 3 * sum(f(i * h) * (1 if i in (0, m) else 4 if i % 2 else 2) for i in range(m + 1))
def orders(x, y):	# the share of all orders with a correlation as far from 0
    import itertools
    all = [abs(r(x, z)) for z in itertools.permutations(y)]
    return sum(a >= abs(r(x, y)) - 1e-9 for a in all) / len(all)
def corrected(v):
    order = sorted(v, key=v.get)
    least, out = 1, {}
    for k in range(len(order), 0, -1):
        least = min(least, v[order[k - 1]] * len(order) / k)
        out[order[k - 1]] = least
    return out
total = [1000, 1100, 1300, 1250, 1500, 1600, 1550]
known = {"rising": [500, 610, 800, 760, 990, 1150, 1080], "falling": [90, 80, 85, 60, 40, 45, 30],
    "rare": [None, 7, 9, None, 8, 5, 6], "Problem size": [10, 12, 19, 14, 22, 23, 23]}
rows = {x["name"]: x for x in csv.DictReader(open("csv"))}
print(sorted(set(rows) ^ set(known)) or "", end="")
want, pp, sp = {}, {}, {}
for name, v in known.items():
    x = [a for a in v if a is not None]
    y = [t for a, t in zip(v, total) if a is not None]
    n, a, s = len(x), r(x, y), r(ranks(x), ranks(y))
    half = 1.959963985 / math.sqrt(n - 3)
    pp[name], sp[name] = p(a, n), orders(ranks(x), ranks(y))
    want[name] = {"pearson": a, "low": math.tanh(math.atanh(a) - half), "high": math.tanh(math.atanh(a) + half), "spearman": s, "runs": n}
pp, sp = corrected(pp), corrected(sp)
for name, w in want.items():
    w["p"], w["p_spearman"] = pp[name], sp[name]
    for k, v in w.items():
        if abs(float(rows[name][k]) - v) > 1e-6:
            print(name, k, rows[name][k], v)
P
is "correlations, intervals and corrected p are those of the computation; missing is missing" "$(cat err wrong)" ""
is "the strongest is first, and kinds are named" "$(sed -n 2p csv | cut -d , -f 7-)" "7,region,rising"
like "what is the same in all runs has no row" "$(tau-report correlate r1 r2 r3 r4 r5 r6 r7)" "with the same value in all runs"
for f in text csv json; do tau-report correlate --top 0 -f $f r1 r2 r3 r4 r5 r6 r7 >agree.$f; done
is "text, CSV and JSON agree" "$(python3 "$TOP/tests/agree.py" agree.text agree.csv agree.json)" same
tau-report correlate -f svg -o c.svg r1 r2 r3 r4 r5 r6 r7
ok "the picture is XML" xmllint --noout c.svg
is "... with the correlations and intervals of the table" "$(grep -o '>[-0-9.]* \[[^]]*\]<' c.svg | tr -d '<>')" \
	"$(awk -F, 'NR > 1 { printf "%.4f [%.2f, %.2f]\n", $1, $2, $3 }' csv)"
tau-db import --db t.db r1 r2 r3 r4 r5 r6 r7 >/dev/null 2>&1
tau-report correlate --db t.db -f csv | tr -d '\r' >db.csv
is "trials of a database have the same correlations of regions" "$(grep ,region, db.csv | cut -d , -f 1-3,5,7-)" "$(grep ,region, csv | cut -d , -f 1-3,5,7-)"
tau-report correlate r1 r2 r3 >out 2>&1
is "three runs are too few" "$? $(cat out)" "2 tau-report: correlate needs at least 4 runs, not 3"
tap_end
