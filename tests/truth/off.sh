# off.sh: time while recording is off is the time of a region of its own, and reports name what is not included.
. "$(dirname "$0")/../controlled.sh"

cat >"$T/odd.c" <<'END'
#include <time.h>
#include "tau.h"
int main(void)
{
	TAU_START("open");
	for (int i = 0; i < 2; i++) {
		TAU_DISABLE_INSTRUMENTATION();
		nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
		TAU_ENABLE_INSTRUMENTATION();
	}
	TAU_STOP("open");
	TAU_STOP("never started");
	TAU_STOP("open");
	TAU_DISABLE_INSTRUMENTATION();
	return 0;
}
END
ok "a program that switches recording off and stops what does not run" ${CC:-cc} -I"$TOP/record" "$T/odd.c" -o "$T/odd"
run odd "$T/odd"
tau-trace2profile --format csv "$T/odd.run" >/dev/null 2>"$T/odd.profile"
tau-report series "$T/odd.run" >"$T/odd.report" 2>/dev/null
for by in err profile report; do
	said=$(cat "$T/odd.$by")
	like "how often it was off ($by)" "$said" 'recording was off 2 times, [0-9.]+ m?s in all: the region MEASUREMENT OFF has that time$'
	ok "and for how long ($by)" test "$(echo "$said" | sed -n 's/.*off 2 times, \([0-9.]* m*s\) .*/\1/p' | awk '{ print ($1 * ($2 == "s" ? 1000 : 1) >= 200) }')" = 1
	like "what was stopped that did not run ($by)" "$said" '2 stops of timers that were not running were not recorded$'
done
tau-trace2profile --format tau -o "$T/odd.tau" "$T/odd.run" 2>/dev/null
tau-db import --db "$T/odd.db" "$T/odd.run" >/dev/null 2>&1
for of in "$T/odd.tau" "--db $T/odd.db"; do
	like "a profile of it has this note, too ($of)" "$(tau-report series $of)" \
		': recording was off at times \(metadata TAU Recording Paused\): the region MEASUREMENT OFF has that time$'
done
# "open" is open for as long as the two pauses take, which no event divides, and nearly nothing of it is its own.
profile odd
set -- $(rows odd | awk -F '\t' '$1 == "MEASUREMENT OFF" { n = $3 } $1 == "open => MEASUREMENT OFF" { off = $4 } $1 == "open" { own = $4; all = $5 }
	END { print n, (off >= 200000), (own < off / 4), (all >= off) }')
is "the time is a region's own, and no open region's" "$*" "2 1 1 1"
# Off up to the end, which is no event: the time goes on to the end of each thread, and is no open region's.
cat >"$T/end.c" <<'END'
#include <pthread.h>
#include <time.h>
#include "tau.h"
static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); }
static void *side(void *unused) { TAU_START("side"); nap(); return unused; }
int main(void)
{
	pthread_t t;
	TAU_START("open");
	pthread_create(&t, NULL, side, NULL);
	nap();
	TAU_DISABLE_INSTRUMENTATION();
	nap();
	pthread_join(t, NULL);
	nap();
	return 0;
}
END
ok "a program that records nothing at its end" ${CC:-cc} -I"$TOP/record" "$T/end.c" -o "$T/end" -lpthread
end_off() {	# NAME LEAST: of each thread the calls of MEASUREMENT OFF, and its time if it is less than LEAST us
	tau-trace2profile --format csv "$T/$1.run" 2>/dev/null | awk -F , '$5 == "timer" && $6 == "MEASUREMENT OFF" { print $4, $8, ($11 >= '"$2"' ? "long" : $11) }'
}
run end "$T/end"
checked end
is "time without recording goes on to the end of the process" "$(end_off end 100000 | sed -n '/^0 /p')" "0 1 long"
is "and the file ends with it" "$(tau-dump "$T"/end.run/*.0.0.tau | awk '/ (OFF|METRICS|ENTER|LEAVE)/ { last = before; before = $0 } END { sub(/.* ns /, "", last); sub(/.* ns /, "", before); print last, before }')" \
	"OFF METRICS"
run start --start nothing "$T/end"
checked start
is "a region that starts the recording and never comes leaves all time off" "$(end_off start 150000 | sed -n '/^0 /p')" "0 1 long"
like "and a message reports it" "$(cat "$T/start.err")" 'no events recorded: no region that the program entered passes --start nothing'
run over --duration 20ms "$T/end"
checked over
is "a duration ends without an event, too" "$(end_off over 80000 | sed -n '/^0 /p')$(end_off over 30000 | sed -n '/^1 /p')" "0 1 long1 1 long"
# Chunks begin wherever they are full: also between the records of going off.
run offs --metrics LOGICAL_CLOCK --start middle "$B/apps/control" 30000
checked offs
tau-trace2profile --callpath --format csv "$T/offs.run" >"$T/offs.csv" 2>"$T/offs.why"
is "nothing has to be repaired, however chunks end" "$(grep -c repaired "$T/offs.why")" 0
is "what is open begins only while recording is on" \
	"$(rows offs | awk -F '\t' '$1 ~ /MEASUREMENT OFF =>/' | wc -l)" 0
chunks=$(tau-dump --only chunks "$T/offs.run" | grep -c '^chunk')
ok "there are several chunks ($chunks)" test "$chunks" -gt 2
half() { tau-trace2profile --format csv $2 "$T/offs.run" 2>/dev/null | awk -F , -v f="$1" '$6 == "MEASUREMENT OFF" { s += $f } END { printf "%.0f\n", s }'; }
is "windows of it add up" "$(( $(half 8 "--window :40%") + $(half 8 "--window 40%:") ))" "$(half 8)"
run signal --toggle-signal USR2 "$B/apps/control" 100 signal
is "what is off up to the end is no pause, and not said" "$(grep -c 'recording was off' "$T/signal.err")" 0
tap_end
