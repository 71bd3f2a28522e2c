# sample.sh: samples: their shares are those of the CPU time spent, they are in the right regions, windows of them add up, and a
# program behaves as without them.
. "$(dirname "$0")/../expect.sh"
app=$B/apps/sampled

# Flat and path rows of timers as "NODE THREAD CALLS EXCLUSIVE_US INCLUSIVE_US NAME", tab separated.
rows() {
	tau-trace2profile -f csv "$@" | awk -F, 'NR > 1 && $5 == "timer" {
		name = $6
		for (i = 7; i < NF && $i !~ /^(TAU_[A-Z_|]*|)$/; i++)
			name = name "," $i
		gsub(/"/, "", name)
		printf "%s\t%s\t%s\t%s\t%s\t%s\n", $2, $4, $(i + 1), $(i + 3), $(i + 4), name
	}'
}

# ---- where the time goes ----
record shares --sample=1ms --unwind "$app" shares
is "the program ends as it should" "$code" 0
rows --sample-resolution function "$T/shares.run" >"$T/rows"
# A function's samples are within 4 standard deviations of the CPU time that the thread's clock gave it. All of them are the thread's
# CPU time, but for what came after the last (see below). Where the machine stood still for long, periods count as missed.
verdict() {
	tau-trace2profile -f csv "$T/shares.run" | awk -F, '$5 == "counter" && $6 == "Sampling periods missed" { print $4, $12 * $15 }' >"$T/missed"
	awk -F '\t' -v rows="$T/rows" -v missed="$T/missed" '
	BEGIN {
		while ((getline line < missed) > 0) { split(line, m, " "); gone[m[1]] = 1000 * m[2] }
		while ((getline line < rows) > 0) {
			split(line, r, "\t")
			if (r[6] ~ /^\[UNWIND\] (light|heavy|inlined) /) {
				split(r[6], w, " ")
				us[r[2] " " w[2]] += r[5]; n[r[2] " " w[2]] += r[3]
			}
			if (r[6] ~ /^\[CONTEXT\] /) { all[r[2]] += r[5]; samples[r[2]] += r[3] }
		}
	}
	{ split($0, c, " ") }
	c[1] == "all" { whole[c[2]] = c[3] / 1000 }
	c[1] == "cpu" {
		key = c[2] " " c[3]; want = c[4] / 1000; total[c[2]] += want
		step = samples[c[2]] ? all[c[2]] / samples[c[2]] : 1e9
		d = us[key] - want; if (d < 0) d = -d
		bound = 4 * step * sqrt(want / step) + step + gone[c[2]]
		printf "%s %s: %d us of %d, at most %d off\n", d <= bound ? "good" : "BAD", key, us[key], want, bound
	}
	END {
		for (t in total) {
			step = samples[t] ? all[t] / samples[t] : 1e9
			found = all[t] + gone[t]
			printf "%s thread %s: %d us of %d to %d\n",
				(found >= total[t] - 51000 - step && found <= whole[t] * 1.02 + step ? "good" : "BAD"), t, found, total[t], whole[t]
		}
	}' "$1"
}
verdict "$T/shares.out" >"$T/verdict"
is "two threads, three functions and two sums" "$(wc -l <"$T/verdict")" 8
is "each has its share of the CPU time" "$(grep -v '^good' "$T/verdict")" ""
sed 's/^/# /' "$T/verdict"

# ---- regions of samples ----
calls_of() { awk -F '\t' -v t="$1" -v name="$2" '$2 == t && index($6, name) == 1 && (substr($6, length(name) + 1) ~ /^( \[\{[^}]*\}\])?$/) { n += $3 } END { print n + 0 }' "$T/rows"; }
all0=$(calls_of 0 "[CONTEXT] phase")
ok "the main thread is inside its timer" test "$all0" -gt 20
is "its path has as many" "$(calls_of 0 "phase => [CONTEXT] phase")" "$all0"
is "all of them were called by main" "$(calls_of 0 "[UNWIND] main")" "$all0"
all1=$(calls_of 1 "[CONTEXT] .TAU application")
ok "the other thread stands under the root" test "$all1" -gt 20
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a >= b - 3 && a <= b) }'; }
ok "nearly all of it was spent by spend()" near "$(calls_of 1 "[UNWIND] spend")" "$all1"
inner=$(grep -P '\[UNWIND\] inlined \[[^=]*=> \[SAMPLE\] part ' "$T/rows" | awk -F '\t' '$4 > 0 { n++ } END { print n + 0 }')
ok "inlined code stands below the function that it is in" test "$inner" -ge 2
is "groups say what the rows are" "$(tau-trace2profile -f csv "$T/shares.run" | grep -c '\[CONTEXT\].*TAU_SAMPLE_CONTEXT,\|\[UNWIND\].*TAU_UNWIND,\|\[SAMPLE\].*TAU_SAMPLE,')" \
	"$(tau-trace2profile -f csv "$T/shares.run" | grep -c '\[CONTEXT\]\|\[UNWIND\]\|\[SAMPLE\]')"
like "lines are those of the loop" "$(rows "$T/shares.run" | cut -f6 | grep '^\[SAMPLE\] work')" \
	"sampled\.c\} \{$(grep -n 'sink = sink \* 7' "$TOP/fixtures/apps/sampled.c" | cut -d: -f1)\}"
like "files can do" "$(rows --sample-resolution file "$T/shares.run" | cut -f6 | grep '^\[SAMPLE\]')" '^\[SAMPLE\] .*sampled\.c$'
is "TAU_EBS_RESOLUTION says it too" "$(TAU_EBS_RESOLUTION=file rows "$T/shares.run" | cut -f6 | sort)" \
	"$(rows --sample-resolution file "$T/shares.run" | cut -f6 | sort)"
tau-report "$T/shares.run" >"$T/out" 2>&1
is "the overview has one row for each sampled function" "$(sed -n '/^Samples/,/^$/p' "$T/out" | awk '$1 == "work" || $1 == "part" { print $1 }' | sort | uniq -d)" ""
like "it has them without lines" "$(sed -n '/^Samples/,/^$/p' "$T/out")" '^  work( \([^):]*\))?  '
like "--sample-resolution line: with lines" "$(tau-report --sample-resolution line "$T/shares.run" | sed -n '/^Samples/,/^$/p')" '^  work \[.*sampled\.c:[0-9]'
tau-report profile --samples --sample-resolution function -f csv "$T/shares.run" | cut -d, -f1-3 | grep -c 'sampled\.c} {' >"$T/out"
is "tau-report profile --sample-resolution function: no lines" "$(cat "$T/out")" 0
tau-trace2profile --sample-resolution letter "$T/shares.run" >"$T/out" 2>&1
is "a resolution that is none" $? 2
like "tau-dump shows them" "$(tau-dump --only records "$T/shares.run")" 'SAMPLE ns=[1-9][0-9]* inside=0 missed=[0-9]+ at=0x[0-9a-f]+ < 0x'
ok "the files are sound" tau-dump --check "$T/shares.run"

# ---- windows ----
sum() { awk -F '\t' '{ c[$1 FS $2 FS $6] += $3; e[$1 FS $2 FS $6] += $4; i[$1 FS $2 FS $6] += $5 }
	END { for (k in c) if (k ~ /CONTEXT\]|SAMPLE\]|UNWIND\]/) printf "%s %d %.3f %.3f\n", k, c[k], e[k], i[k] }' | sort; }
for path in "" --callpath --callpath=2; do
	rows $path "$T/shares.run" | sum >"$T/whole"
	for w in :23% 23%:57.5% 57.5%:; do rows $path -w $w "$T/shares.run"; done | sum >"$T/parts"
	ok "windows add up${path:+ with $path}" cmp "$T/whole" "$T/parts"
done

# ---- what is found inside timers counts once ----
timers=$(rows "$T/shares.run" | awk -F '\t' '$6 !~ /[[]/ { ms += $4 / 1000 } END { printf "%.0f", ms }')
sampled=$(rows "$T/shares.run" | awk -F '\t' '$6 ~ /^[[]SAMPLE/ { ms += $4 / 1000 } END { printf "%.0f", ms }')
series() { tau-report series --slices 3 -f csv "$@" "$T/shares.run" | tr -d '\r' | awk -F, 'NR > 1 {
	for (i = 4; i <= NF && $i !~ /^(TAU_[A-Z_|]*)$/; i++) ; kind[$4 ~ /^"?[[]/]++; share[$1] += $(i + 5); ms += $(i + 3) }
	END { for (w in share) if (share[w] < 99.9 || share[w] > 100.1) bad = bad " " w; printf("%d %.0f%s", kind[0] > 0 && kind[1] > 0, ms, bad) }'; }
is "series: timers alone, whose shares add up to all" "$(series)" "0 $timers"
is "series: samples alone on request, with shares of theirs" "$(series --samples)" "0 $sampled"
is "folded stacks add up to the time that passed" \
	"$(tau-trace2profile -f folded "$T/shares.run" 2>/dev/null | awk '{ ns += $NF } END { printf "%.0f", ns / 1e6 }')" "$timers"
tau-trace2profile -c -f folded -o "$T/a.folded" "$T/shares.run" 2>/dev/null
tau-convert "$T/a.folded" "$T/b.folded" 2>/dev/null
ok "and come back as they are" cmp "$T/a.folded" "$T/b.folded"
is "so does callgrind's own cost" "$(tau-trace2profile -f callgrind "$T/shares.run" 2>/dev/null |
	awk '/^calls=/ { getline; next } /^[0-9]/ { ns += $2 } END { printf "%.0f", ns / 1e6 }')" "$timers"
tau-db import --db "$T/s.db" "$T/shares.run" >"$T/out" 2>&1
shares_of() { tau-db show --db "$T/s.db" -f json -t 0 -p $1 1 | tr '}' '\n' | sed -n 's/.*"exclusive_percent": \([0-9.]*\).*/\1/p' | awk '{ s += $1 } END { printf "%.0f", s }'; }
is "tau-db show: of timers and of samples" "$(shares_of timers) $(shares_of samples)" "100 100"
is "no sample among the timers" "$(tau-db show --db "$T/s.db" -f csv -t 0 -p timers 1 | grep -c '\[')" 0
like "text has samples by themselves" "$(tau-trace2profile -f text "$T/shares.run")" '^ +% +exclusive +inclusive +samples .*sampled code$'

# ---- children, libraries ----
record fork --sample "$app" fork
is "children: the program ends as it should" "$code" 0
rows --sample-resolution function "$T/fork.run" >"$T/rows"
# accounts RUN PERIOD_US: all CPU time that the program measured itself is in samples or known to be missed, except the last
# period and 50 ms of each thread, which may only be late
accounts() {
	tau-dump --only records "$T/$1.run" | sed -n 's/.* SAMPLE ns=\([0-9]*\) inside=\([0-9]*\) missed=\([0-9]*\) .*/\1 \2 \3/p' |
		awk -v period="$2" -v said="$T/$1.out" '
		{ us += $1 / 1000 + ($2 + $3) * period }
		END {
			while ((getline < said) > 0) {
				if ($1 == "cpu") { least += $4 / 1000 - 50000 - period; n++ }
				if ($1 == "all") most = $2 / 1000
			}
			printf "%s: %d us are %d to %d\n", (n && us >= least && us <= most * 1.02 + n * period ? "good" : "BAD"), us, least, most
		}' >"$T/accounts"
	ok "all CPU time is accounted for, $(cat "$T/accounts")" grep -q good "$T/accounts"
}
# often FUNCTION: samples of it
often() { awk -F '\t' -v name="[UNWIND] $1" 'index($6, name) == 1 { n += $3 } END { print n + 0 }' "$T/rows"; }
accounts fork 10000
ok "a child and its child are sampled, $(often light) and $(often heavy) times" test "$(often light)" -ge 3 -a "$(often heavy)" -ge 3
is "each in a process of its own" "$(awk -F '\t' '/^[12]\t/ && $6 ~ /^\[UNWIND\] (light|heavy) / { split($6, w, " "); print w[2] }' "$T/rows" | sort | tr '\n' ' ')" "heavy light "
record library --sample=1ms --unwind "$app" library
if grep -q 'no libcrypt' "$T/library.out"; then
	skip "a library that comes later is known" "no libcrypt here"
else
	like "a library that comes later is known" "$(tau-dump --only definitions "$T/library.run")" 'MODULE .*libcrypt'
	rows --sample-resolution function "$T/library.run" >"$T/rows"
	ok "and callers are found through it" near "$(calls_of 0 "[UNWIND] library")" "$(calls_of 0 "[CONTEXT] .TAU application")"
fi

# ---- the program's own signals, stacks and waits ----
for mode in signals stacks; do
	"$app" $mode >"$T/plain" 2>"$T/plain.err"
	plain=$?
	for how in "--sample=1ms --unwind" "--sample=300us"; do
		record $mode $how "$app" $mode
		is "$mode, $how: ends as without samples" "$code" "$plain"
		ok "and says the same" cmp "$T/plain" "$T/$mode.out"
	done
done
record masks --sample=1ms "$app" masks
is "a thread sees all signals blocked, as it wants" "$(grep -c ', SAMPLE_SIGNAL blocked$' "$T/masks.out")" 2
rows --sample-resolution function "$T/masks.run" >"$T/rows"
ok "and is sampled all the same, $(often light) times" test "$(often light)" -ge 10
accounts masks 1000
is "one that blocks them behind the C library's back is not" "$(grep -c '\] heavy' "$T/rows")" 0
missed=$(tau-dump --only definitions "$T/masks.run" | sed -n 's/.*"TAU Sampling Periods Missed" value="\([0-9]*\)"/\1/p' | sort -n | tail -n 1)
spent=$(sed -n 's/^cpu 2 heavy \([0-9]*\)[0-9]\{6\},.*/\1/p' "$T/masks.out")
ok "but what it costs is counted (${missed:-0} of $spent)" test "${missed:-0}" -ge $((spent - 51))
tau-trace2profile -f csv "$T/masks.run" >"$T/csv" 2>"$T/why"
ok "and stands in the profile" grep -q ',counter,Sampling periods missed' "$T/csv"
like "and is reported" "$(cat "$T/why")" '[1-9][0-9]* sampling periods were missed: the program blocked the signal, ran a handler on an alternate stack or a long system call, or the machine was suspended$'

# ---- samples and recording that is off ----
cat >"$T/pause.c" <<'END'
#include <time.h>
#include "tau.h"
static void burn(double seconds)
{
	struct timespec t;
	double end = 0, now;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		now = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
		end = end ? end : now + seconds;
	} while (now < end);
}
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		TAU_DISABLE_INSTRUMENTATION();
	burn(.6);
	if (argc > 1)
		TAU_ENABLE_INSTRUMENTATION();
	burn(.1);
	return 0;
}
END
ok "a program that can switch recording off" ${CC:-cc} -O1 -I"$TOP/record" "$T/pause.c" -o "$T/pause"
# NAME: ms of CPU time that samples represent, ms missed, and the times of the first and the last sample, in ms
told() {
	tau-dump --only records "$T/$1.run" | awk '/ SAMPLE / {
			if (!n++) first = $2
			last = $2
			for (i = 3; i <= NF; i++) {
				split($i, field, "=")
				sum[field[1]] += field[2]
			}
		}
		END { printf "%d %d %d %d\n", sum["ns"] / 1e6, sum["missed"], first * 1000, last * 1000 }'
}
record off --sample=1ms "$T/pause" off
set -- $(told off)
ok "of 600 ms that recording was off and 100 that it was on $1 are in samples and $2 missed" test $(($1 + $2)) -lt 400 -a "$1" -gt 0
record later --sample=1ms --delay 400ms "$T/pause"
set -- $(told later)
ok "samples begin after a delay by themselves, at $3 ms" test "$1" -gt 0 -a "$3" -ge 350
record sooner --sample=1ms --duration 300ms "$T/pause"
set -- $(told sooner)
ok "and end after a duration, at $4 ms" test "$1" -gt 0 -a "$4" -lt 550
record calls --sample=1ms "$app" calls
set -- $(cat "$T/calls.out")
is "read() goes on" "$1 $2" "interrupted 0"
# Who sleeps is not sampled, but the way to sleep and back may be: there a period ends now and then, the more often the longer it takes.
rows --sample-resolution function "$T/calls.run" >"$T/rows"
outside=$(($(calls_of 0 "[CONTEXT] .TAU application") - $(calls_of 0 "[UNWIND] light")))
ok "sleep and poll are interrupted by samples that are there, $(($3 + $4)) of $outside" test $(($3 + $4)) -le $outside
ok "of 200 sleeps and 200 polls hardly any, as the timer runs with the thread" test $(($3 + $4)) -le 100

# ---- options and variables ----
is "TAU's variables" "$(TAU_SAMPLING=1 TAU_EBS_PERIOD=5000 TAU_EBS_UNWIND=1 TAU_EBS_UNWIND_DEPTH=7 tau-record -n "$app" shares | grep -E 'SAMPLE|UNWIND' | tr '\n' ' ')" \
	"TAU_RECORD_SAMPLE=5000 TAU_RECORD_UNWIND=7 "
is "options win over them" "$(TAU_SAMPLING=1 TAU_EBS_PERIOD=5000 tau-record -n --sample=2ms --unwind=3 "$app" shares | grep -E 'SAMPLE|UNWIND' | tr '\n' ' ')" \
	"TAU_RECORD_SAMPLE=2000 TAU_RECORD_UNWIND=3 "
is "nothing is sampled unasked" "$(TAU_SAMPLING=0 tau-record -n -o "$T/none" "$app" shares | grep -c 'SAMPLE\|tau-sample')" 0
for bad in 0 1us -5ms 10min x 1001s; do
	tau-record --sample=$bad "$app" shares >"$T/out" 2>"$T/err"
	is "--sample=$bad is refused" "$? $(grep -c '^tau-record: --sample' "$T/err")" "125 1"
done
for bad in 0 128 999 99999999999999999999; do
	tau-record --unwind=$bad "$app" shares >"$T/out" 2>"$T/err"
	is "--unwind=$bad is refused" "$? $(grep -c '^tau-record: --unwind' "$T/err")" "125 1"
done
for depth in 127 128 99999999999999999999; do
	is "but not a depth of $depth that is TAU's" \
		"$(TAU_SAMPLING=1 TAU_EBS_UNWIND=1 TAU_EBS_UNWIND_DEPTH=$depth tau-record -n "$app" shares 2>"$T/said.$depth" | grep UNWIND)" \
		"TAU_RECORD_UNWIND=127"
done
is "which is cut, and said" "$(cat "$T"/said.*)" \
	"$(printf "tau-record: TAU_EBS_UNWIND_DEPTH: '%s' is more than a sample can hold; it has at most 127 functions\n" 128 99999999999999999999)"
depth=$(record two --sample=1ms --unwind=2 "$app" library; tau-dump --only records "$T/two.run" | grep -c ' < .* < ')
is "no more callers than asked for" "$depth" 0
# ---- a wrapper that starts a thread is in no stack ----
cat >"$T/started.c" <<'END'
#include <pthread.h>
#include <time.h>
__attribute__((noinline)) static void burn(void)
{
	struct timespec t;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while (t.tv_sec == 0 && t.tv_nsec < 300000000);
}
__attribute__((noinline)) static void *routine(void *x)
{
	burn();
	return x ? x : (void *)burn;
}
int main(void)
{
	pthread_t t;
	return pthread_create(&t, NULL, routine, NULL) || pthread_join(t, NULL);
}
END
ok "a program with a thread builds" ${CC:-cc} -g -O1 "$T/started.c" -o "$T/started" -lpthread
tau-record -o "$T/started.run" -w pthread --sample=1ms --unwind "$T/started" 2>/dev/null
tau-trace2profile --format text --all "$T/started.run" >"$T/started.txt" 2>/dev/null
ok "its thread's stacks have the routine" grep -q '\[UNWIND\] routine' "$T/started.txt"
is "and nothing of the recorder" "$(grep -c 'thread_main\|record/\|libtau' "$T/started.txt")" 0

# ---- code of the recorder is one row, whatever its functions are ----
cat >"$T/hot.c" <<-'END'
	__attribute__((noinline)) int leaf(int i) { return i * 3 + 1; }
	__attribute__((noinline)) int mid(int n)
	{
		int s = 0;
		for (int i = 0; i < n; i++)
			s += leaf(i);
		return s;
	}
	int main(void)
	{
		volatile int s = 0;
		for (int i = 0; i < 2500; i++)
			s += mid(10000);
		return 0;
	}
END
ok "a program with many calls builds" ${CC:-cc} -g -O1 -finstrument-functions "$T/hot.c" -o "$T/hot"
for unwind in "" --unwind; do
	tau-record -o "$T/hot.run" --sample=1ms $unwind "$T/hot" 2>/dev/null
	tau-trace2profile --format text --all "$T/hot.run" >"$T/hot.txt" 2>/dev/null
	is "sampling$unwind: no function of the recorder" "$(grep -c 'record/\|libtau\|__cyg_profile' "$T/hot.txt")" 0
	# Nearly all periods that end in it leave no sample.
	n=$(tau-trace2profile -f csv -o - "$T/hot.run" 2>/dev/null | grep -c ',\[SAMPLE\] .*TAU recorder')
	ok "sampling$unwind: the recorder is one timer at most: $n" test "$n" -le 1
	is "sampling$unwind: which is no row of reports" "$(tau-report profile --samples --top 0 -f csv "$T/hot.run" | grep -c '^sample,\.TAU recorder,')" 0
	is "sampling$unwind: shares are of all samples" "$(tau-report profile --samples --top 0 -f csv "$T/hot.run" | tr -d '\r' |
		awk -F, '$1 == "sample" { s += $11 } END { printf "%.6f", s }')" 100.000000
	is "sampling$unwind: samples have no columns of calls" "$(tau-report profile --samples "$T/hot.run" | grep -c 'subrs\|/call')" 0
done

# ---- pages between its segments that the program has not: of those the loader knows each for itself ----
ok "a program with gaps between its segments builds" ${CC:-cc} -g -O1 -fomit-frame-pointer "$T/started.c" -o "$T/gaps" \
	-Wl,-z,max-page-size=65536 -lpthread
tau-record -o "$T/gaps.run" -w none --sample=1ms --unwind "$T/gaps" 2>/dev/null
tau-trace2profile --format text --all "$T/gaps.run" >"$T/gaps.txt" 2>/dev/null
ok "its code is found, and who called it" grep -q '\[UNWIND\] start_thread .*=> \[UNWIND\] routine .*=> \[UNWIND\] burn ' "$T/gaps.txt"
is "nothing is without a module" "$(grep -c UNKNOWN "$T/gaps.txt")" 0

# a debugger knows the signal, delivers it, and can be set not to stop at it
if command -v gdb >/dev/null; then
	record debugged --sample=1ms gdb -batch -ex 'handle SIG61 nostop noprint pass' -ex run --args "$B/apps/burn" 3000000
	like "a sampled program runs to its end in gdb" "$(cat "$T/debugged.out")" 'exited normally'
	is "which names the signal" "$(cat "$T/debugged.out" "$T/debugged.err" | grep -c 'Unknown signal\|does not exist')" 0
	ok "and the trace is sound" tau-dump --check "$T/debugged.run"
else
	skip "a sampled program in gdb" "gdb is not installed"
fi
tap_end
