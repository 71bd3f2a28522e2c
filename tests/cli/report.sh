# report.sh: what tau-report memory-scaling prints about made-up TAU profiles on 2, 4, 8 and 16 PEs, in each format.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/pes.sh"
unset TAUDB
cd "$T" || exit 1
for p in 2 4 8 16; do pes run.$p $p; done
runs="run.2 run.4 run.8 run.16"

# The last line lists libraries: it is compared by its beginning.
is "live bytes by type" "$(tau-report memory-scaling $runs 2>&1 | sed '$s/libmpi.*/.../')" \
"Memory by object type: live bytes at the end of the window, mean per PE
Runs: 4, on 2, 4, 8, 16 PEs. Window: everything.
Open MPI's own bytes: 91.0 % typed of 1.67 MiB per PE on 2 PEs, 88.5 % of 1.78 MiB on 16
  without 2 slabs that do not grow (mca_btl_tcp_frag_max_t[], mca_btl_tcp_frag_eager_t[]): 11.3 %, 27.2 %
  without these slabs, with untyped bytes that a typed object owns: 15.8 %, 48.9 %
With its libraries (PMIx, UCX, ...): 87.5 % typed of 1.74 MiB per PE on 2 PEs, 85.4 % of 1.85 MiB on 16
  without 2 slabs that do not grow (mca_btl_tcp_frag_max_t[], mca_btl_tcp_frag_eager_t[]): 9.0 %, 22.4 %
  without these slabs, with untyped bytes that a typed object owns: 12.2 %, 39.9 %
Program and other libraries: 17.0 KiB, 17.0 KiB per PE
Lost events: none.

$(cat <<'END'
type                                         2 PEs     4 PEs     8 PEs    16 PEs  growth [%]  model per PE         order  fit                                           objects on 16  largest PE       job
----------------------------------------  --------  --------  --------  --------  ----------  -------------------  -----  --------------------------------------------  -------------  ----------  --------
opal_free_list_item_t[]                   16.0 KiB  16.0 KiB  32.0 KiB  64.0 KiB        42.5  not credible                no growth up to 4, growth from 8 on                     1.0    64.0 KiB  1.00 MiB
mca_btl_vader_endpoint_t                  1.72 KiB  2.41 KiB  3.78 KiB  6.53 KiB         4.3  1056 B + 352 B x P   O(P)   exact, 4 points                                        19.0    6.53 KiB   104 KiB
mca_bml_base_endpoint_t                      464 B     928 B  1.81 KiB  3.62 KiB         2.8  232 B x P            O(P)   exact, 4 points                                        16.0    3.62 KiB  58.0 KiB
ompi_proc_t                                  240 B     480 B     960 B  1.88 KiB         1.5  120 B x P            O(P)   exact, 4 points                                        16.0    1.88 KiB  30.0 KiB
opal_hash_table_t                            700 B     910 B     833 B  1.23 KiB         0.5  not credible                4 points, residuals up to 19 % of the change            7.0    1.23 KiB  19.7 KiB
mca_btl_tcp_frag_max_t[]                  1.00 MiB  1.00 MiB  1.00 MiB  1.00 MiB         0.0  constant             O(1)                                                           1.0    1.00 MiB  16.0 MiB
mca_btl_tcp_frag_eager_t[]                 512 KiB   512 KiB   512 KiB   512 KiB         0.0  constant             O(1)                                                           1.0     512 KiB  8.00 MiB
pmix_kval_t                               2.34 KiB  2.34 KiB  2.34 KiB  2.34 KiB         0.0  constant             O(1)                                                          30.0    2.34 KiB  37.5 KiB
opal_value_t                                   0 B       0 B       0 B       0 B         0.0  constant             O(1)                                                           0.0         0 B       0 B
opal_list_t                                  672 B     656 B     648 B     644 B         0.0  640 B + 64 B x P^-1  O(1)   exact, 4 points                                        10.1       704 B  10.1 KiB
----------------------------------------  --------  --------  --------  --------  ----------  -------------------  -----  --------------------------------------------  -------------  ----------  --------
untyped: Open MPI (2)                      154 KiB   162 KiB   178 KiB   209 KiB        48.5  sum of its rows      O(P)   100.0 % of it in rows with a model                    214.0              3.27 MiB
untyped: PMIx, UCX and other support (1)  68.4 KiB  68.4 KiB  68.4 KiB  68.4 KiB         0.0  constant             O(1)                                                          70.0    68.4 KiB  1.07 MiB
untyped: program and other libraries (2)  17.0 KiB  17.0 KiB  17.0 KiB  17.0 KiB         0.0  constant             O(1)                                                          11.0               272 KiB
----------------------------------------  --------  --------  --------  --------  ----------  -------------------  -----  --------------------------------------------  -------------  ----------  --------
all                                       1.76 MiB  1.76 MiB  1.80 MiB  1.87 MiB       100.0  sum of its rows      O(P)   96.6 % of it in rows with a model                     396.1    1.87 MiB  29.9 MiB
END
)

NAME[]: blocks that free lists divide into many objects; each counts as one object.
Open MPI's own bytes: classes of OPAL, and untyped ones of ..."

# column CSV KEY NAME: the value of column KEY in the row that begins with NAME.
column() {
	printf '%s\n' "$1" | tr -d '\r' | awk -F , -v key="$2" -v name="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == key) c = i } $1 == name { print $c }'
}
csv=$(tau-report memory-scaling --format=csv $runs)
is "CSV: linear terms with their coefficients" \
	"$(for t in ompi_proc_t mca_bml_base_endpoint_t mca_btl_vader_endpoint_t; do
		for k in verdict c0 c1 exponent log2_exponent; do column "$csv" $k $t; done
	done | tr '\n' ' ')" "exact 0 120 1 0 exact 0 232 1 0 exact 1056 352 1 0 "
is "CSV: mean, largest and job" \
	"$(for k in mean_bytes_16 largest_bytes_16 job_bytes_16 mean_objects_16 largest_objects_16 job_objects_16; do
		column "$csv" $k opal_list_t; done | tr '\n' ' ')" "644 704 10304 10.0625 11 161 "
is "CSV: late growth has no model" "$(column "$csv" verdict 'opal_free_list_item_t[]') $(column "$csv" c1 'opal_free_list_item_t[]')" \
	"late growth "
is "CSV: every library without types is a row" "$(printf '%s\n' "$csv" | grep -c ',untyped,')" 5
is "CSV: rows add up to all" "$(printf '%s\n' "$csv" | tr -d '\r' | sed 's/"[^"]*"//g' |
	awk -F , 'NR > 1 && $4 != "all" { sum += $24 } $4 == "all" { print $24 - sum }')" 0
is "CSV: lines end as RFC 4180 wants, with as many fields each" \
	"$(printf '%s\n' "$csv" | sed 's/"[^"]*"//g' | awk -F , '{ print NF, /\r$/ }' | sort -u)" "41 1"

is "cumulative: opal_value_t is large, less what was retyped, and O(P^2) in the job" \
	"$(tau-report memory-scaling --view cumulative --per job $runs | awk '$1 == "opal_value_t" { $1 = $1; print }')" \
	"opal_value_t 188 KiB 750 KiB 2.93 MiB 11.7 MiB 30.5 46.9 KiB x P^2 O(P^2) exact, 4 points 128000.0 750 KiB 750 KiB"
like "peak: the largest PE is fitted, and peaks are reported not to add up" \
	"$(tau-report memory-scaling --view peak --per max $runs)" "^Peaks are at different times"
is "by owner: the untyped bytes of an owner grow with it" \
	"$(tau-report memory-scaling --by owner --top 1 $runs | awk '/mca_bml/ { $1 = $1; print }')" \
	"untyped [libopen-pal.so.40.30.2] mca_bml_base_endpoint_t 7.81 KiB 15.6 KiB 31.2 KiB 62.5 KiB 48.5 4000 B x P O(P) exact, 4 points 64.0 62.5 KiB 1000 KiB"
is "--top leaves nothing out: the others are a row" \
	"$(tau-report memory-scaling --top 2 $runs | sed -n 's/^\(other rows ([0-9]*)\) .*/\1/p')" "other rows (8)"
is "three runs carry no model" \
	"$(tau-report memory-scaling run.2 run.4 run.8 | awk '$1 == "ompi_proc_t" { print $9, $10, $11, $12 }')" \
	"not credible 3 points"
# two PES LINE-BYTES STEP-BYTES: line_t grows by a model, step_t by none
two() {
	mkdir -p "two.$1"
	for n in $(seq 0 $(($1 - 1))); do
		printf '%s\n' '1 templated_functions_MULTI_TIME' '# Name Calls Subrs Excl Incl ProfileCalls #' \
			'".TAU application" 1 0 1000 1000 0 GROUP="TAU_UTILITY" ' '0 aggregates' '2 userevents' \
			'# eventname numevents max min mean sumsqr' "\"live line_t\" 1 $2 $2 $2 0" "\"live step_t\" 1 $3 $3 $3 0" >"two.$1/profile.$n.0.0"
	done
}
two 2 200 8000; two 4 400 8000; two 8 800 9000; two 16 1600 40000
is "the order of a sum of which little has a model is a lower bound" \
	"$(tau-report memory-scaling --format csv two.2 two.4 two.8 two.16 | tr -d '\r' | awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "order") c = i }
		/^(all|line_t),/ { print $1, $c }')" "line_t O(P)
all at least O(P)"
rm -r two.*
two 2 200 8000; two 4 200 8000; two 8 200 9000; two 16 200 40000
is "if that little is constant, there is none" \
	"$(tau-report memory-scaling two.2 two.4 two.8 two.16 | grep '^all' | grep -c 'O(')" 0
for n in 2 4 8 16; do two $n $((100 * n)) $((9000 - n)); done
tau-report memory-scaling -f svg two.2 two.4 two.8 two.16 >less.svg
is "a picture says of what shrinks by how much, and no share" "$(grep -c '>14 B less<' less.svg) $(grep -c '&gt;-' less.svg)" "1 0"
is "one run has no growth, only sizes" "$(tau-report memory-scaling --top 1 run.4 | awk '/^type/ || /^mca_/ { $1 = $1; print }')" \
"type 4 PEs objects on 4 largest PE job
mca_btl_tcp_frag_max_t[] 1.00 MiB 1.0 1.00 MiB 4.00 MiB"
like "runs on the same number of PEs are repetitions" "$(tau-report memory-scaling run.2 run.4 run.4 run.8 run.16)" \
	'^Runs: 5, on 2, 4 \(2 times\), 8, 16 PEs'

if command -v python3 >/dev/null; then
	ok "JSON is JSON, with the same numbers" sh -c 'tau-report memory-scaling --format json run.2 run.4 run.8 run.16 |
		python3 -c "
import json, sys
t = json.load(sys.stdin)
row = {r[\"type\"]: r for r in t[\"rows\"]}
assert row[\"ompi_proc_t\"][\"c1\"] == 120 and row[\"opal_free_list_item_t[]\"][\"c1\"] is None
assert abs(t[\"facts\"][\"openmpi_typed_pct_16\"] - 88.535452) < 1e-5 and t[\"facts\"][\"lost_events\"] == 0
"'
else
	skip "JSON is JSON" "no python3"
fi

# Forecasts, with 32 PEs too, so that there are five points.
pes run.32 32
is "--predict: value and interval, and no forecast for steps" \
	"$(tau-report memory-scaling --predict 1048576 $runs run.32 | awk '/^(ompi_proc_t|opal_free|mca_btl_tcp_frag_max)/ {
		sub(/.*(exact|curve|O\(1\)) +/, ""); sub(/ +[0-9.]+ +[0-9.]+ [KM]iB +[0-9.]+ [KM]iB$/, ""); $1 = $1; print }')" \
"not credible
120 MiB 120 MiB to 120 MiB
1.00 MiB 0 B to 4.75 MiB"
csv=$(tau-report memory-scaling --format=csv --predict 1048576,64 --predict 64 $runs run.32)
is "--predict, CSV: several, each once, ascending, with ends and reasons" \
	"$(printf '%s\n' "$csv" | head -n 1 | tr -d '\r' | tr , '\n' | grep predicted | tr '\n' ' ')" \
	"predicted_bytes_64 predicted_low_64 predicted_high_64 predicted_without_pct_64 predicted_why_64 predicted_bytes_1048576 predicted_low_1048576 predicted_high_1048576 predicted_without_pct_1048576 predicted_why_1048576 "
is "--predict, CSV: the numbers" \
	"$(column "$csv" predicted_bytes_1048576 ompi_proc_t) $(column "$(printf '%s\n' "$csv" | sed 's/"steps, not/"steps not/g')" predicted_why_64 'opal_free_list_item_t[]')" \
	'125829120 "steps not a curve"'
is "--predict, per job: P times as much" \
	"$(column "$(tau-report memory-scaling --format=csv --per job --predict 64 $runs run.32)" predicted_bytes_64 ompi_proc_t)" 491520
is "--predict, CSV: everything is the sum of its rows, and the rows below the rule are sums too" \
	"$(tau-report memory-scaling --format=csv --top 3 --predict 64,1048576 $runs run.32 | tr -d '\r' | sed 's/"[^"]*"//g' | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^predicted_bytes/) c[++n] = i; next }
		{ for (i = 1; i <= n; i++) if ($4 == "all") { d = $c[i] - sum[i]; printf "%d ", (d * d < 1e-6 * sum[i] * sum[i] && sum[i] > 1e6) } else sum[i] += $c[i] }')" "1 1 "
like "--predict: the total names what is not in it" "$(tau-report memory-scaling --predict 1048576 $runs run.32)" \
	'^all .* sum of its rows +O\(P\) .* [0-9.]+ GiB +[0-9.]+ [GM]iB to [0-9.]+ GiB, without [0-9.]+ % of it '
like "--predict: what can be forecast is added up" "$(tau-report memory-scaling --predict 64 $runs run.32)" \
	'^At 64 PEs, rows with a credible forecast add up to 2\.[0-9]+ MiB \(mean per PE\); on 32 they are 9[0-9.]+ % of everything'
like "--predict: what has no forecast prints why" "$(tau-report memory-scaling --predict 1048576 $runs run.32)" \
	'^Without one: .*opal_free_list_item_t\[\] \(steps, not a curve\)'
like "--predict from one number of PEs says that it cannot" "$(tau-report memory-scaling --predict 64 run.4)" \
	'^At 64 PEs no row has a credible forecast: the runs are on 1 number of PEs, and a model needs 4\.$'
like "and from two" "$(tau-report memory-scaling --predict 64,1 run.4 run.8 | grep -v ' constant ')" '^At 1 PE,? '
for wrong in "" 0 -4 x 64,x 64, 1e99 99999999999999999999; do
	tau-report memory-scaling --predict "$wrong" $runs >out 2>err
	is "--predict '$wrong' is refused" "$? $(wc -c <out | tr -d ' ') $(grep -c "^tau-report: --predict: '$wrong' is not a number of PEs" err)" "2 0 1"
done
like "--predict, SVG: the forecast stands at the line" "$(tau-report memory-scaling --format svg --predict 1048576 $runs run.32)" \
	'>1048576 PEs: 120 MiB<'

tau-report memory-scaling --format svg -o chart.svg $runs
if command -v xmllint >/dev/null; then ok "SVG is XML" xmllint --noout chart.svg; else skip "SVG is XML" "no xmllint"; fi
is "SVG: the types that grow are named, with their models" \
	"$(sed -n 's/<text.*>\(ompi_proc_t\|120 B x P\|mca_bml_base_endpoint_t\|232 B x P\|no growth up to 4, growth from 8 on\)<.*/\1/p' chart.svg | LC_ALL=C sort | uniq -c |
		awk '{ $1 = $1; print }')" \
"1 120 B x P
1 232 B x P
2 mca_bml_base_endpoint_t
1 no growth up to 4, growth from 8 on
2 ompi_proc_t"
like "SVG: the verdict stands in the subtitle" "$(cat chart.svg)" \
	'2 to 16 PEs: each PE goes from 1.76 MiB to 1.87 MiB. 5 types grow: 3 as O\(P\), 1 late, 1 without a credible model'
if command -v rsvg-convert >/dev/null; then
	ok "SVG can be drawn" rsvg-convert -o chart.png chart.svg
else
	skip "SVG can be drawn" "no rsvg-convert"
fi
ok "SVG of a single run can be made" tau-report memory-scaling --format svg -o one.svg run.4

is "-o - is standard output, and no file" "$(tau-report memory-scaling -o - $runs | cksum) $(ls ./- 2>&1 | grep -c 'cannot access')" \
	"$(tau-report memory-scaling $runs | cksum) 1"

# bad WHAT CODE SENTENCE COMMAND...: ends with CODE, prints SENTENCE (regex) in one line and nothing else.
is "each kind that a file has is in the list of kinds" \
	"$(sed -n 's/^const struct report_kind kind_\([a-z_]*\) = {$/\1/p' "$TOP"/cmd/report/*.c "$TOP"/cmd/report/*/*.c | tr _ - | sort)" \
	"$(tau-report --help | sed -n '/^Kinds/,/^Options/s/^  \([a-z][a-z-]*\) .*/\1/p' | sort)"
bad "a time that is not one" 2 "--at: 'xx' is not a time, such as 10ms or 50%" tau-report memory --at xx run.2
bad "no run and no kind" 2 "name a run, or a kind of report and its runs" tau-report
bad "an unknown kind" 2 "'speed' is neither a run nor a kind of report; tau-report --help lists the kinds" tau-report speed run.2
bad "a run that is not there, without a kind" 4 "./nosuch: No such file or directory" tau-report ./nosuch
bad "a kind nearly" 2 ".*did you mean 'memory'\\?" tau-report memoyr run.2
bad "an option nearly" 2 "unknown option '--veiw'; did you mean '--view'\\?" tau-report memory --veiw live run.2
bad "series has no --by" 2 "series: --by is for scaling, breakdown, diff" tau-report series --by pe run.2
bad "nor a view" 2 "series: --view is for memory, memory-scaling and memory-growth" tau-report series --view live run.2
bad "only scaling and memory-scaling predict" 2 "memory: --predict is for scaling and memory-scaling" tau-report memory --predict 64 run.2
bad "leaks have no --per" 2 "leaks: --per is for" tau-report leaks --per pe run.2
bad "an unknown view" 2 "--view: 'dead' is not live, peak or cumulative" tau-report memory-scaling --view dead run.2
bad "an unknown format" 2 "--format: 'png' is not text, csv, json, svg, folded, junit, github, markdown or html" tau-report memory-scaling --format png run.2
bad "no runs and no database" 2 "no runs given, and there is no database tau.db" tau-report memory-scaling
bad "a run that is not there" 4 "nowhere: " tau-report memory-scaling nowhere
bad "a database that is not there" 4 "none.db: " tau-report memory-scaling --db none.db
mkdir empty
bad "a directory that is no run" 3 "empty: " tau-report memory-scaling empty
mkdir dry
printf '1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n"main" 1 0 5 5 0 GROUP="X" \n0 aggregates\n' \
	>dry/profile.0.0.0
bad "profiles without memory" 3 "dry: it contains no memory counters" tau-report memory-scaling run.2 dry
bad "a folder that is not there" 4 "none/x.csv: " tau-report memory-scaling --format csv -o none/x.csv run.2
echo old >kept.csv
tau-report memory-scaling --format csv -o kept.csv run.2 dry 2>/dev/null
is "a report that fails leaves the older file" "$(cat kept.csv) $(ls | grep -c 'kept.csv')" "old 1"
if [ -w /dev/full ]; then
	tau-report memory-scaling run.2 >/dev/full 2>err
	is "a full disk is noticed" "$? $(grep -c '^tau-report: standard output: ' err)" "4 1"
else
	skip "a full disk is noticed" "no /dev/full"
fi
tap_end
