# metrics.sh: metrics: a program's own count exactly, those of the system within what it provoked, and what cannot be had is said.
. "$(dirname "$0")/../expect.sh"

# values RUN METRIC: lines "exclusive inclusive region" from its TAU profiles, threads added up, windows of `profile` given before
values() {
	cat "$T/$1.tau/MULTI__$2"/profile.* | awk -F '"' '/^"/ && /GROUP/ {
		name = $2; sub(/ \[\{.*/, "", name); split($3, v, " ")
		excl[name] += v[3]; incl[name] += v[4]
	} END { for (n in excl) printf "%.17g %.17g %s\n", excl[n], incl[n], n }'
}
# value RUN METRIC COLUMN REGION
value() { values "$1" "$2" | awk -v c="$3" -v r="$4" '{ n = $0; sub(/^[^ ]+ [^ ]+ /, "", n) } n == r { print $c }'; }
profile() { rm -rf "$T/$1.tau"; tau-trace2profile -o "$T/$1.tau" "$T/$1.run"; }
# between WHAT GOT LOW HIGH
between() {
	if awk -v g="$2" -v a="$3" -v b="$4" 'BEGIN { exit !(g != "" && g + 0 >= a && g + 0 <= b) }'; then
		pass "$1 ($2)"
	else
		fail "$1: $2 is not from $3 to $4"
	fi
}
# truths RUN: what the program says of its metric
truths() {
	sed -n 's/^EXPECT metric //p' "$T/$1.out" >"$T/$1.truth"
	ok "$1: the program says what its metric must show" test -s "$T/$1.truth"
	while read -r metric region _ excl _ incl; do
		is "$1: $metric in $region" "$(value "$1" "$metric" 1 "$region") $(value "$1" "$metric" 2 "$region")" "$excl $incl"
	done <"$T/$1.truth"
}

for n in 1 2 8; do
	record own$n --metrics work -- "$B/apps/metrics" 7 $n
	is "$n threads: the program ends as it should" "$code" 0
	is "$n threads: its metric is wanted" "$(grep -c '^registered 1' "$T/own$n.out")" 1
	profile own$n
	truths own$n
	is "$n threads: the files verify" "$(tau-dump --check "$T/own$n.run" | grep -vc ': ok: ')" 0
done
like "the reading of a metric is no lost event" "$(cat "$T/own8.err")" ' 0 lost'

"$B/apps/metrics" 7 1 >"$T/plain.out"
is "without the recorder the program is not asked" "$(head -1 "$T/plain.out")" "registered 0"
record other --metrics CPU_TIME -- "$B/apps/metrics" 7 1
is "a metric that is not in the list is not asked for" "$(head -1 "$T/other.out")" "registered 0"
record none -- "$B/apps/metrics" 7 1
profile none
ok "without metrics there is one set of profiles" test -f "$T/none.tau/profile.0.0.0"

# ---- the system ----
record system --metrics CPU_TIME:PAGE_FAULTS:MINOR_PAGE_FAULTS:VOLUNTARY_CONTEXT_SWITCHES:RESIDENT_MEMORY -- "$B/apps/metrics" 7 1
profile system
between "page faults of 2000 pages touched" "$(value system PAGE_FAULTS 1 touch)" 2000 2100
is "they are minor ones" "$(value system MINOR_PAGE_FAULTS 1 touch)" "$(value system PAGE_FAULTS 1 touch)"
between "none where nothing is touched" "$(value system PAGE_FAULTS 1 rest)" 0 20
between "50 ms of work are 50 ms of CPU time" "$(value system CPU_TIME 1 burn)" 49900 60000
# The two clocks are read one after the other, and the time in between counts in one of them only.
between "and no more than of time" "$(value system CPU_TIME 1 burn)" 0 \
	"$(value system TIME 1 burn | awk '{ print $1 * 1.01 }')"
between "50 ms of sleep are none" "$(value system CPU_TIME 1 rest)" 0 5000
between "but 50 ms of time" "$(value system TIME 1 rest)" 50000 1000000
between "who sleeps gives up the processor" "$(value system VOLUNTARY_CONTEXT_SWITCHES 1 rest)" 1 5
between "memory that was given back is not gained" "$(value system RESIDENT_MEMORY 2 touch)" -4000000 2000000

# ---- the kernel's counters, under PAPI's names ----
record kernel --metrics perf::TASK-CLOCK,perf::PAGE-FAULTS -- "$B/apps/metrics" 7 4
if grep -q 'refuses it' "$T/kernel.err"; then
	skip "the kernel's own counters" "the kernel refuses them here"
else
	profile kernel
	between "the kernel counts the page faults too" "$(value kernel perf::PAGE-FAULTS 1 touch)" 2000 2100
	between "and the time on a processor, in ns" "$(value kernel perf::TASK-CLOCK 1 burn)" 49000000 60000000
fi

# ---- PAPI, for which another library stands ----
if ${CC:-cc} -shared -fPIC -o "$T/libpapi.so" "$TOP/fixtures/apps/papi/papi.c" 2>"$T/cc.err"; then
	export TAU_RECORD_PAPI="$T/libpapi.so" FAKE_PAPI_LOG="$T/papi.log"
	record papi --metrics fake:::READS,PAPI_TOT_INS,PAPI_L1_DCM,PAPI_NATIVE_fake:::READS -- "$B/apps/metrics" 7 3
	like "what PAPI cannot count is said with its reason" "$(cat "$T/papi.err")" \
		'metric PAPI_L1_DCM: PAPI cannot count it on this machine: it conflicts with what the hardware counts; recorded without it'
	profile papi
	is "events of PAPI: one reading from enter to leave" "$(value papi PAPI_TOT_INS 1 leaf) $(value papi fake:::READS 1 leaf)" "600 60"
	is "a region is charged from its enter to its leave" "$(value papi PAPI_TOT_INS 2 recurse)" "270"
	is "a native event may be called so" "$(value papi PAPI_NATIVE_fake:::READS 1 leaf)" 60
	like "threads that end stop their counters" "$(tail -1 "$T/papi.log")" '^inits 1 starts 9 stops 7 gone 2$'
	unset FAKE_PAPI_LOG
	# its files, and the descriptors of the kernel's counters, are not the program's
	record wrapped --wrap io,process,pthread --metrics PAPI_TOT_INS,perf::PAGE-FAULTS -- "$B/apps/threads" 4
	is "counters with the wrapper of files: the program ends as it should" "$code" 0
	expect wrapped
	tau-trace2profile --format csv "$T/wrapped.run" >"$T/wrapped.csv"
	is "no file of PAPI's is among those of the program" "$(grep -c -e /dev/null -e 'fopen()' "$T/wrapped.csv")" 0
	record forked --wrap io,process,pthread --metrics PAPI_TOT_INS,perf::PAGE-FAULTS -- "$B/apps/forks"
	is "and with children, too" "$code" 0
	expect forked
	unset TAU_RECORD_PAPI
else
	skip "PAPI's events" "there is no compiler"
fi

# ---- what cannot be had ----
record absent --metrics perf::NO-SUCH-EVENT,CPU_TIME -- "$B/apps/metrics" 7 1
is "an absent event leaves the exit status" "$code" 0
like "it is said in one sentence" "$(grep -c . "$T/absent.err") $(head -1 "$T/absent.err")" '^2 tau-record: metric perf::NO-SUCH-EVENT: .*; recorded without it$'
profile absent
is "and the others are recorded" "$(ls "$T/absent.tau" | tr '\n' ' ')" "MULTI__CPU_TIME MULTI__TIME "
record strict --strict --metrics perf::NO-SUCH-EVENT,CPU_TIME -- "$B/apps/metrics" 7 1
is "--strict: the program is not run" "$code $(cat "$T/strict.out")" "125 "
like "--strict: and why" "$(cat "$T/strict.err")" 'metric perf::NO-SUCH-EVENT: .*; not run \(--strict\)$'
TAU_METRICS=TIME:CPU_TIME tau-record -o "$T/env.run" -- "$B/apps/metrics" 7 1 >/dev/null 2>&1
profile env
is "TAU_METRICS asks too" "$(ls "$T/env.tau" | tr '\n' ' ')" "MULTI__CPU_TIME MULTI__TIME "
record never --metrics nobody -- "$B/apps/metrics" 7 1
like "a metric that the program never brings is named" "$(tau-trace2profile -f csv "$T/never.run" 2>&1 >/dev/null)" 'nobody'

# ---- many ----
many=$(seq -f 'm%g' 31 | tr '\n' ',')work
record many --metrics "$many,one,too" -- "$B/apps/metrics" 7 2
like "more than 32 are refused" "$(cat "$T/many.err")" 'metric too: there are 32 others already'
profile many
is "32 at once and the time" "$(ls "$T/many.tau" | wc -l)" 33
truths many
is "32: the files verify" "$(tau-dump --check "$T/many.run" | grep -vc ': ok: ')" 0

# ---- windows ----
tau-trace2profile -o "$T/w" -w 0%:37% -w 37%:100% -w 0%:100% "$T/own2.run"
sum() { cat "$T/w/$1/MULTI__work"/profile.* | awk -F '"' '/GROUP/ { split($3, v, " "); e += v[3] } END { print e + 0 }'; }
is "windows that meet add up" "$(($(sum 0%:37%) + $(sum 37%:100%)))" "$(sum 0%:100%)"
tap_end
