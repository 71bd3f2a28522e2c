# heap.sh: the heap at the entry and exit of regions, headroom, both where the program asks and on a timer.
. "$(dirname "$0")/../tap.sh"
unset TAU_DOUBLE LD_PRELOAD TAU_MEMORY_SITES TAU_TRACK_MEMORY_LEAKS TAU_TRACK_HEAP TAU_TRACK_HEADROOM

# truths NAME CSV: what the program expects beside its profile; sums of what was in use are above what others have.
cat >"$T/truth.awk" <<'END'
FNR == NR {
	if ($1 == "EXPECT") {
		line = substr($0, 8)
		want[++wants] = line
	}
	next
}
FNR == 1 {
	k = split($0, column, ",")
	for (i = 1; i <= k; i++)
		at[column[i]] = i
	next
}
{
	split($0, f, ",")
	if (f[at["kind"]] == "counter") {
		n[f[at["name"]]] += f[at["n"]]
		sum[f[at["name"]]] += f[at["n"]] * f[at["mean"]]
		if (f[at["name"]] == "Heap Memory Used (KB) at Entry : base")
			base = f[at["mean"]]
	}
}
END {
	for (i = 1; i <= wants; i++) {
		split(want[i], w, " ")
		name = substr(want[i], length(w[1]) + 2)
		samples = total = 0
		if (w[1] != "absent") {
			match(name, / samples [0-9]+ sum [0-9]+$/)
			split(substr(name, RSTART + 1), v, " ")
			name = substr(name, 1, RSTART - 1)
			samples = v[2]
			total = v[4]
		}
		if (w[1] == "heap")
			total += base * samples
		if (n[name] + 0 != samples || (sum[name] - total) ^ 2 > 0.25)
			printf "%s: %d samples, sum %.1f; want %d, %.1f\n", name, n[name], sum[name], samples, total
	}
	print "checked " wants + 0
}
END
truths() { awk -f "$T/truth.awk" "$1" "$2"; }
profile() { tau-trace2profile --callpath=3 -f csv "$@"; }

# ---- at entry and exit ----
for how in events sites census; do
	case $how in
	events) TAU_TRACK_HEAP=1 tau-record -o "$T/$how" --wrap memory "$B/apps/heap" 300 >"$T/$how.out" 2>"$T/$how.err" ;;
	sites) tau-record -o "$T/$how" --memory=heap "$B/apps/heap" 300 >"$T/$how.out" 2>"$T/$how.err" ;;
	census) TAU_TRACK_HEAP=1 tau-record -o "$T/$how" "$B/apps/heap" 300 >"$T/$how.out" 2>"$T/$how.err" ;;
	esac
	is "$how: recorded" "$? $(grep -c ' 0 lost' "$T/$how.err")" "0 1"
	profile "$T/$how" >"$T/$how.csv"
	is "$how: heap at entry and exit, increase and decrease, as the program knows them" "$(truths "$T/$how.out" "$T/$how.csv")" "checked 27"
done
is "the heap alone takes no record of each block" "$(grep -c 'Heap Allocate :' "$T/census.csv")" 0
ok "with --memory each block has one" grep -q 'Heap Allocate :' "$T/sites.csv"
is "and is no metric of the profile" "$(profile "$T/census" | head -1 | grep -c heap)" 0

# ---- by region ----
regions() { tau-report memory --by region --top 0 -f csv "$1" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["region"] == "'"$2"'" { printf "%.0f %.0f\n", $at["heap_grown"], $at["heap_shrunk"] }'; }
kb() { sed -n "s/^EXPECT event $1 in Heap Memory (KB) : \(.* => \)*$2 samples [0-9]* sum //p" "$T/events.out" | awk '{ s += $1 * 1024 } END { printf "%.0f", s }'; }
for r in grow shrink deep round same; do
	is "tau-report memory --by region: $r" "$(regions "$T/events" $r)" "$(kb Increase $r) $(kb Decrease $r)"
done
is "the heap alone is reported, too" "$(regions "$T/census" deep)" "$(kb Increase deep) $(kb Decrease deep)"
rm -rf "$T/without"
tau-record -o "$T/without" --memory "$B/apps/heap" 3 >/dev/null 2>&1
is "without it there are no such columns" "$(tau-report memory --by region -f csv "$T/without" | grep -c heap_grown)" 0

# Long enough for chunks that begin inside calls.
TAU_TRACK_HEAP=1 tau-record -o "$T/long" "$B/apps/heap" 30000 >"$T/long.out" 2>/dev/null
profile "$T/long" >"$T/long.csv"
is "a long run" "$(truths "$T/long.out" "$T/long.csv")" "checked 27"
chunks=$(tau-dump --only chunks "$T/long" | grep -c .)
ok "of many chunks ($chunks)" [ "$chunks" -gt 2 ]
sums() { awk -F, '$5 == "counter" && /Heap Memory/ { n[$6] += $12; s[$6] += $12 * $15 } END { for (i in n) printf "%s %d %.0f\n", i, n[i], s[i] }' "$@" | sort; }
cuts="0%:23% 23%:51% 51%:100%"
for w in $cuts; do profile --no-index -w "$w" "$T/long" >"$T/w.$w.csv"; done
is "windows that meet add up" "$(sums "$T"/w.*.csv)" "$(sums "$T/long.csv")"
profile --index "$T/long" >"$T/index.csv"
is "from what chunks add up to, too" "$(sums "$T/index.csv")" "$(sums "$T/long.csv")"
for w in $cuts; do profile -w "$w" "$T/long" >"$T/i.$w.csv"; done
is "and windows of that" "$(sums "$T"/i.*.csv)" "$(sums "$T/long.csv")"
tau-convert --to tau "$T/long" "$T/native" >/dev/null 2>&1
for w in $cuts; do profile --no-index -w "$w" "$T/native" >"$T/n.$w.csv"; done
is "converted to the same format" "$(sums "$T"/n.*.csv)" "$(sums "$T/long.csv")"
# A region that is chosen was entered with a heap of its own, not with that of the one around it.
TAU_TRACK_HEAP=1 tau-record -o "$T/within" "$B/apps/heap_within" >/dev/null 2>&1
tau-convert "$T/within" "$T/within.csv" 2>/dev/null
middle=$(sed 1d "$T/within.csv" | cut -d , -f 3 | sort -n | awk '{ t[n++] = $1 } END { printf "%.0fns", t[int(n / 2)] }')
for o in "" --no-index; do
	is "the increase of a chosen region whose enter the window does not have${o:+, $o}" \
		"$(profile $o --region within -w "$middle": "$T/within" | awk -F, '/Increase in Heap Memory .KB. : within,/ { print $12, $15 }')" "1 50"
done
TAU_TRACK_HEAP=1 tau-record -o "$T/killed" "$B/apps/heap" 3000 killed >"$T/killed.out" 2>/dev/null
profile "$T/killed" >"$T/killed.csv" 2>/dev/null
is "of a program that was killed" "$(grep -v thread "$T/killed.out" >"$T/k.out"; truths "$T/k.out" "$T/killed.csv")" "checked 25"

# ---- where the program asks, and on a timer ----
cat >"$T/ask.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "TAU.h"
#include "beside.h"
static void rest(void) { beside_rest(110, 7); }
/* Adds to the file how long the heap was looked at, in ms. */
static void say(const char *file, const struct timespec *from)
{
	FILE *f = file ? fopen(file, "a") : NULL;
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	if (f)
		fprintf(f, "%ld\n", (long)(t.tv_sec - from->tv_sec) * 1000 + (t.tv_nsec - from->tv_nsec) / 1000000 + 1);
	if (f)
		fclose(f);
}
int main(int argc, char **argv)
{
	struct rlimit r = { 1ul << 30, 1ul << 30 };
	const char *file = argc > 1 ? argv[1] : NULL;
	struct timespec from;
	char *p[3];

	p[2] = malloc(64 * 1024);
	TAU_START("first");
	TAU_TRACK_MEMORY_HERE();
	TAU_STOP("first");
	TAU_START("second");
	p[0] = malloc(3000 * 1024);
	TAU_TRACK_MEMORY_HERE();
	TAU_TRACK_MEMORY_HERE();
	free(p[0]);
	TAU_STOP("second");
	setrlimit(RLIMIT_AS, &r);
	TAU_START("bound");
	TAU_TRACK_MEMORY_HEADROOM_HERE();
	p[1] = malloc(500 << 20);
	TAU_TRACK_MEMORY_HEADROOM_HERE();
	free(p[1]);
	TAU_STOP("bound");
	clock_gettime(CLOCK_MONOTONIC, &from);
	TAU_TRACK_MEMORY();
	TAU_TRACK_MEMORY_HEADROOM();
	rest();
	TAU_DISABLE_TRACKING_MEMORY();
	say(file, &from);
	rest();
	if (fork() == 0) {
		TAU_TRIGGER_EVENT("child", 1);
		clock_gettime(CLOCK_MONOTONIC, &from);
		TAU_ENABLE_TRACKING_MEMORY();
		rest();
		TAU_DISABLE_TRACKING_MEMORY();
		say(file, &from);
		return 0;
	}
	wait(NULL);
	p[0] = malloc(100);
	free(p[0]);
	free(p[2]);
	printf("done\n");
	return 0;
}
END
ok "a program that asks builds" ${CC:-cc} -I"$TOP/record" -I"$TOP/fixtures/apps" "$T/ask.c" -o "$T/ask"
is "it runs without the recorder" "$("$T/ask")" "done"
# value CSV NAME COLUMN [ROW]: over all threads
value() { awk -F, -v n="$2" -v c="$3" '$5 == "counter" && $6 == n { s += $c } END { printf "%.17g\n", s }' "$1"; }
for how in counted walked mallinfo; do
	rm -rf "$T/ask.run" "$T/ask.ms"
	case $how in
	counted) set -- --memory=heap ;;
	walked) set -- --memory ;;
	mallinfo) set -- --wrap none ;;
	esac
	is "$how: it ends as ever" "$(TAU_INTERRUPT_INTERVAL=0.02 tau-record -o "$T/ask.run" "$@" "$T/ask" "$T/ask.ms" 2>"$T/err"; echo $?)" "done
0"
	like "$how: nothing is lost" "$(cat "$T/err")" ' 0 lost'
	profile "$T/ask.run" >"$T/ask.csv" 2>"$T/err"
	is "$how: no complaint" "$(cat "$T/err")" ""
	first=$(value "$T/ask.csv" "Heap Memory Used (KB) : first" 15) second=$(value "$T/ask.csv" "Heap Memory Used (KB) : second" 15)
	ok "$how: a sample where it asks: $first and $second" awk -v a="$first" -v b="$second" -v how=$how \
		'BEGIN { d = b - a; exit !(how == "mallinfo" ? a >= 64 && d >= 3000 && d < 3020 : a == 64 && d == 3000) }'
	is "$how: one, and two" "$(value "$T/ask.csv" "Heap Memory Used (KB) : first" 12) $(value "$T/ask.csv" "Heap Memory Used (KB) : second" 12)" "1 2"
	n=$(value "$T/ask.csv" "Heap Memory Used (KB)" 12) m=$(value "$T/ask.csv" "Memory Headroom Left (MB)" 12)
	# It was measured five times and more in each part: of the heap in the first and in the child, of the headroom in all three.
	# The program itself requested three more of the one, and two of the other. From outside only a heap that is counted is known.
	case $how in
	counted) ok "$how: and on a timer ($n, $m)" [ "$n" -ge 13 ] ;;
	*) is "$how: where it is not counted, only where the program asks" "$n" 3 ;;
	esac
	most=$(awk '{ n += int($1 / 20) + 1 } END { print n + 3 }' "$T/ask.ms")
	ok "$how: not more often than every 20 ms (at most $most)" [ "$n" -le "$most" ]
	ok "$how: the headroom, too, while the heap rests" [ "$m" -ge 17 ]
done
is "what binds is named" "$(value "$T/ask.csv" "Memory Headroom Left (MB) by RLIMIT_AS" 12)" "$m"
most=$(value "$T/ask.csv" "Memory Headroom Left (MB) : bound" 13) least=$(value "$T/ask.csv" "Memory Headroom Left (MB) : bound" 14)
ok "a block of 500 MB takes that from it ($most to $least)" awk -v a="$most" -v b="$least" 'BEGIN { exit !(a < 1024 && a - b >= 500 && a - b < 501) }'
tap_end
