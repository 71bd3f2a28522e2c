# counters.sh: tau-report counters against a program that prints what it recorded.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

cat >counters.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "tau.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *run(void *start)
{
	uint32_t level = tau_event("queue", 0), bytes = tau_event("bytes sent", 1);
	double from = *(double *)start;

	*(double *)start = now();
	for (int i = 1; i <= 40; i++) {
		tau_trigger(level, i <= 20 ? i + from : 41 - i + from);
		tau_trigger(bytes, 1000.0 * i);
		usleep(2000);
	}
	return start;
}

int main(void)
{
	pthread_t other;
	double a = 0, b = 0.5, begin, end;

	tau_trigger(tau_event("constant", 0), 7);
	begin = now();
	pthread_create(&other, NULL, run, &b);
	run(&a);
	pthread_join(other, NULL);
	end = now();
	printf("%.9f\n", 78000 / (end - begin));
	return 0;
}
C
ok "the program builds" ${CC:-cc} -g -I "$TOP/record" -o counters counters.c -lpthread
tau-record --wrap pthread -o run ./counters >truth 2>err || { fail "it is recorded"; cat err; }
tau-report counters -f csv run | tr -d '\r' >csv
# samples, threads, mean, least, largest, last
numbers() { awk -F, -v name="$1" '$NF == name { print $1, $2, $3, $4, $5, $6 }' csv; }
is "a counter that goes up and down, on two threads: number, threads, mean, extremes, last" \
	"$(numbers queue | cut -d ' ' -f 1-5) $(numbers queue | cut -d ' ' -f 6 | sed 's/1.5/1/')" "80 2 10.75 1 20.5 1"
is "one that only grows" "$(numbers 'bytes sent')" "80 2 20500 1000 40000 40000"
is "one value" "$(numbers constant)" "1 1 7 7 7 7"
rate=$(awk -F, '$NF == "bytes sent" { print $7 }' csv)
if awk -v r="$rate" -v least="$(cat truth)" 'BEGIN { exit !(r >= 0.95 * least && r < 2 * 39000 / 0.078) }'; then pass "its growth per second"; else
	fail "its growth per second: got $rate, at least $(cat truth)"
fi
is "only counters that grow have a rate" "$(awk -F, 'NR > 1 && $7 == "" && $NF != "Parent thread" { print $NF }' csv | tr '\n' ' ')" "constant queue "
tau-report counters --by thread -f csv run | tr -d '\r' >thread
is "--by thread: each thread has its own" "$(awk -F, '$NF == "queue" { print $1, $2, $3, $4, $5, $6, $7 }' thread)" \
	"0 0 40 10.5 1 20 1
0 1 40 11 1.5 20.5 1.5"
tau-report counters --by time -f csv run | tr -d '\r' >time
is "--by time: the growth of all parts adds up to the whole" \
	"$(awk -F, '$NF == "bytes sent" { s += $6 * ($2 - $1) / 1000 } END { printf "%.3f\n", s }' time)" 78000.000
tau-report counters --by time --cells 300 -f csv run | tr -d '\r' >parts
is "--cells: the growth of 300 parts adds up, too" \
	"$(awk -F, '$NF == "bytes sent" { s += $6 * ($2 - $1) / 1000 } END { printf "%.3f\n", s }' parts)" 78000.000
is "the least and the largest of all parts are those of the counter" \
	"$(awk -F, '$NF == "queue" { a = a == "" || $4 < a ? $4 : a; b = $5 > b ? $5 : b; if ($3 < $4 || $3 > $5) bad = 1 } END { print a + 0, b + 0, bad + 0 }' parts)" "1 20.5 0"
is "--cells TIME: parts begin at its multiples" \
	"$(tau-report counters --by time --cells 1ms -f csv run | awk -F, 'NR > 1 { x = $1; if (x - int(x + 0.5) > 1e-6 || int(x + 0.5) - x > 1e-6) bad++; n++ } END { print bad + 0, (n > 0) }')" "0 1"
bad "--cells of other rows" 2 "counters: --cells has no effect without --by time" tau-report counters --cells 5 run
bad "too many parts" 2 "--cells 1ns: the window has more than 4096 such cells; " tau-report counters --by time --cells 1ns run
is "a window has the samples inside it" \
	"$(for w in :50% 50%:; do tau-report counters -w $w -f csv run | awk -F, '$0 ~ /queue/ { print $1 }'; done | awk '{ s += $1 } END { print s }')" 80
for by in counter thread time; do
	for f in text csv json; do tau-report counters --top 0 --by $by -f $f run >agree.$f; done
	is "--by $by: text, CSV and JSON agree" "$(python3 "$TOP/tests/agree.py" agree.text agree.csv agree.json)" same
done
is "the course of one that only grows has no gap" "$(LC_ALL=C.UTF-8 tau-report counters run | grep -c 'bytes sent$')" 1
for by in counter thread; do
	tau-report counters --by $by --top 0 -f svg -o counters.svg run
	ok "--by $by: the picture is XML" xmllint --noout counters.svg
done
tau-report counters -f svg -o counters.svg run
is "the picture has the course of --by time" "$(sed -n 's/.*<title>[0-9.]* [a-z]* to \([0-9.]*\) ms: \(.*\)<.title>.*/\1 \2/p' counters.svg)" \
	"$(awk -F, 'function number(v) { return sprintf(v >= 1e5 ? "%.0f" : "%.6g", v) }
		NR > 1 { printf "%.3f %s\n", $2, number($3 == "" ? $6 : $3) }' time)"
is "... of --top 1 the first" "$(tau-report counters --top 1 -f svg run | grep -c 'font-weight="bold">')" 2
cat >plain.c <<'C'
int main(void) { return 0; }
C
${CC:-cc} -finstrument-functions -o plain plain.c
tau-record -o none ./plain >/dev/null 2>&1
tau-report counters none >out 2>&1
is "a run without counters" "$? $(cat out)" \
	"3 tau-report: none: it contains no values of counters; programs record them with TAU_EVENT, see tau-api(7)"
tau-record --metrics CPU_TIME -o metrics ./plain >/dev/null 2>&1
tau-report counters metrics >out 2>&1
is "a run without counters whose regions have a metric: its name, and the report that prints it" "$? $(cat out)" \
	"3 tau-report: metrics: it contains no values of counters, but metrics of regions: CPU_TIME; try: tau-report profile --metric CPU_TIME metrics"
ok "... which prints it" sh -c "$(sed 's/.*try: //' out) | grep -q 'Also measured: --metric TIME'"
tau-record --metrics CPU_TIME -o both ./counters >/dev/null 2>&1
is "a run with counters and such a metric names it below the counters" "$(tau-report counters both | tail -n 1)" \
	"Values of regions: CPU_TIME. See tau-report profile --metric NAME."
if [ -d "$DATA/otf2/ping-pong-papi" ]; then
	is "an OTF2 archive with PAPI counters names them" "$(tau-report counters "$DATA/otf2/ping-pong-papi" 2>&1 | sed 's/.*of regions: //; s/;.*//')" \
		"PAPI_TOT_CYC, PAPI_L2_TCM, PAPI_BR_MSP"
else
	skip "an OTF2 archive with PAPI counters names them" "no archives of other writers at $DATA/otf2"
fi
tap_end
