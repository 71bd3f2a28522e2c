# sums.sh: a program that asks for its own numbers gets those that its trace has later: calls, children, times, events, threads,
# forked children, time without recording; a program that asks for none keeps none.
. "$(dirname "$0")/../expect.sh"

# Rows "SUM thread T name NAME calls N child N inclusive US exclusive US ..." against the profile. Times may differ by the
# rounding of ticks and of the clock's rate. The time without recording is a call in the trace.
compare() {	# name, first word of the rows, process
	tau-trace2profile --format csv "$T/$1.run" >"$T/$1.csv" 2>/dev/null
	sed -n "s/^$2 //p" "$T/$1.out" | grep -v ' name across ' | awk -v csv="$T/$1.csv" '
	function near(a, b) { return (a > b ? a - b : b - a) <= 1 + b / 1000 }
	BEGIN {
		FS = ","
		while ((getline < csv) > 0)
			if ($5 == "timer") {
				key = $4 " " $6
				calls[key] = $8; child[key] = $9; ex[key] = $10; in_[key] = $11
			}
		FS = " "
	}
	{
		match($0, / name .* calls /)
		key = $2 " " substr($0, RSTART + 6, RLENGTH - 13)
		n = split(substr($0, RSTART + RLENGTH), f, " ")
		rows++
		if (calls[key] != f[1] || child[key] != f[3] || !near(f[5], in_[key]) || !near(f[7], ex[key]))
			print key ": " $0 "; the trace has calls " calls[key] " child " child[key] \
				" inclusive " in_[key] " exclusive " ex[key]
	}
	END { if (!rows) print "no rows" }'
}

for options in '' '--fold 1000' '--depth 100' '--metrics CPU_TIME'; do
	record sums $options "$B/apps/sums"
	is "sums $options: the program finds what it knows" "$code $(grep -v '^SUM' "$T/sums.out")" "0 RIGHT"
	is "sums $options: all sums are those of the trace" "$(compare sums SUM)" ""
done
record off "$B/apps/sums" off
is "off: time and calls without recording" "$code $(grep -v '^SUM' "$T/off.out")" "0 RIGHT"
is "off: calls and times of what is closed are those of the trace" "$(compare off SUM)" ""
record fork "$B/apps/sums" fork
is "fork: a child has sums of its own" "$code $(grep -v -e '^SUM' -e '^CHILD' "$T/fork.out")" "0 RIGHT"
like "fork: the child counted its leaf, and not the region that was open" "$(grep '^CHILD' "$T/fork.out")" '^CHILD thread 0 name leaf calls 1 '
"$B/apps/sums"
is "without the recorder all answers are 0" $? 0

# The program names none of the functions: sums are kept on request only.
record plain "$B/apps/api"
record asked --sums "$B/apps/api"
is "--sums: the program ends as it should" "$code" 0
is "--sums: the trace holds the same" \
	"$(tau-trace2profile --format csv "$T/asked.run" 2>/dev/null | cut -d, -f2-9 | grep -v '\.TAU' | sort)" \
	"$(tau-trace2profile --format csv "$T/plain.run" 2>/dev/null | cut -d, -f2-9 | grep -v '\.TAU' | sort)"

record adapts "$B/apps/adapts" 256
is "a program that adapts goes on with the block size that it measured as the fastest" \
	"$code $(tail -n 1 "$T/adapts.out")" \
	"0 block size $(sed -n 's/^block \([0-9]*\): \([0-9]*\) ns/\2 \1/p' "$T/adapts.out" | sort -s -n | sed -n '1s/.* //p'), 0 wrong"
is "it measured each of them" "$(grep -c '^block [0-9]*: [1-9]' "$T/adapts.out")" 5
is "without the recorder it stays with the first" "$("$B/apps/adapts" 64 | tail -n 1)" "block size 1, 0 wrong"

# 600 passes with each fixed block size, and with the one that the program chooses, in instructions of passes_make() and all that it calls: the
# recorder's work for the program is included, the start of the process is not.
if command -v valgrind >/dev/null; then
	instructions() {	# COMMAND... BLOCK
		"$@" 2>&1 >/dev/null | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
	}
	main="valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=passes_make $B/apps/adapts 64 600"
	for block in 1 8 32 128 1024; do
		instructions $main $block
	done >"$T/fixed"
	best=$(sort -n "$T/fixed" | head -n 1) worst=$(sort -n "$T/fixed" | tail -n 1)
	adapted=$(instructions tau-record -o "$T/adapted.run" $main)
	ok "the program that adapts executes at most 10 % more instructions than with its best block size ($adapted, $best)" \
		test "$adapted" -gt 0 -a $((adapted * 10)) -le $((best * 11))
	ok "and at least 10 % fewer than with its worst ($worst)" test $((adapted * 10)) -lt $((worst * 9))
else
	skip "instructions of the program that adapts" "no valgrind"
	skip "instructions with the worst block size" "no valgrind"
fi
# Names that the recorder itself keeps, of profiles, snapshots, numbered regions and locks, are no events of the program.
cat >"$T/names.c" <<'END'
#include <TAU.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
int main(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec soon = {time(NULL) - 1, 0};
	const char **names;
	int n, i;

	TAU_TRIGGER_EVENT("mine", 7);
	TAU_DYNAMIC_TIMER_START("step");
	TAU_DYNAMIC_TIMER_STOP("step");
	TAU_DB_DUMP();
	TAU_PROFILE_SNAPSHOT("half");
	pthread_mutex_lock(&lock);
	pthread_cond_timedwait(&never, &lock, &soon);
	pthread_mutex_unlock(&lock);
	TAU_TRIGGER_EVENT("dump", 1);
	TAU_GET_EVENT_NAMES(names, n);
	for (i = 0; i < n; i++)
		printf("%s\n", names[i]);
	free(names);
	return 0;
}
END
ok "the program that prints its events compiles" cc -pthread -I"$TOP/record" "$T/names.c" -o "$T/names"
is "without the recorder it has none" "$("$T/names")" ""
export PROFILEDIR=$T
record names -w pthread "$T/names"
is "TAU_GET_EVENT_NAMES lists the events of the program" "$(cat "$T/names.out")" "mine
dump"
is "the trace has them with their values" \
	"$(tau-trace2profile --format csv "$T/names.run" 2>/dev/null | awk -F, '$5 == "counter" && $12 { print $6, $12 }' | grep -E '^(mine|dump|step|half) ')" \
	"$(printf 'dump 1\nmine 1\n')"
is "the profile that it requested is there" "$(grep -c '"step\[0\]' "$T/dump.0.0.0")" 1
tap_end
