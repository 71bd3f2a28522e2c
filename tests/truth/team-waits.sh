# team-waits.sh: waits at barriers of OpenMP, of a program that measures them itself.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

# Milliseconds in rows of a column's path, by a pattern: of those that wait (path), or of those that cause it (cause).
ms() {	# run, path or cause, pattern
	tau-report waits --by "$2" -f csv "$1" | tr -d '\r"' | awk -F, -v pattern="$3" '{ path = $0; sub(/^([^,]*,){7}/, "", path) }
		$1 == "wait at OpenMP barrier" && path ~ pattern { s += $3 } END { printf "%.6f", s }'
}

# At most the time in the barriers, and not far from what the threads measured. Between a measurement and its barrier a thread may
# be suspended, so this allows for half.
check() {	# run, what was measured, the path that waits
	while read -r where expected call; do
		[ "$where" = "$2" ] || continue
		found=$(ms "$1" path "$3")
		is "$1: $2: $found ms, expected $expected s of $call s" "$(awk -v ms="$found" -v e="$expected" -v c="$call" \
			'BEGIN { s = ms / 1000; print (s <= c * 1.01 + 1e-4 && s >= e / 2 - 1e-4) }')" 1
	done <"out-$1"
}

run() {	# name, program
	tau-record -o "$1" "$2" >"out-$1" 2>"err-$1" || { fail "$1 is recorded"; cat "err-$1"; return; }
	check "$1" explicit 'explicit_barrier.* => omp barrier: '
	check "$1" end '^[^=]*end_of_region[^=]*$'
	all=$(ms "$1" path explicit_barrier) in=$(ms "$1" cause 'explicit_barrier[^=]* => slow') before=$(ms "$1" cause '^slow')
	is "$1: of $all ms work in the team causes $in ms, and what the master did before $before ms" \
		"$(awk -v all="$all" -v in_team="$in" -v before="$before" \
			'BEGIN { print (in_team > 0 && in_team <= all + 0.001 && before < all / 100) }')" 1
	is "$1: sums by path, by rank and of all are equal" \
		"$(tau-report waits -f csv "$1" | awk -F, 'NR > 1 { s += $3 } END { printf "%.3f\n", s }')" \
		"$(tau-report waits --by rank -f csv "$1" | awk -F, 'NR > 1 { s += $4 } END { printf "%.3f\n", s }')"
	like "$1: the overview has it" "$(tau-report "$1")" '^  wait at OpenMP barrier '
	like "$1: with what to look at next" "$(tau-report "$1")" "tau-report waits (--by culprit )?$1\$"
	tau-convert "$1" "$1.otf2" >/dev/null 2>&1
	is "$1: converted to OTF2 the waits are the same" "$(tau-report waits -f csv "$1.otf2" | cut -d, -f1-2)" \
		"$(tau-report waits -f csv "$1" | cut -d, -f1-2)"
}

run gcc "$B/apps/teamwaits"
runtime=$(ldconfig -p | sed -n 's/.*libomp\.so\.5 .*=> //p' | head -n 1)
if command -v clang >/dev/null && [ -n "$runtime" ] &&
	clang -g -O1 -fopenmp -I"$TOP/record" "$TOP/fixtures/apps/teamwaits.c" -o clang-app 2>why; then
	run clang ./clang-app
else
	skip "code of clang" "clang or its OpenMP runtime is not installed"
fi

# Regions whose names are the same when they are shortened.
cat >twins.c <<-'END'
	#include <omp.h>
	#include <unistd.h>
	static void conjugate_gradients(void)
	{
	#pragma omp parallel num_threads(2)
		{
			usleep(200000 * omp_get_thread_num());
	#pragma omp barrier
			usleep(200000 * omp_get_thread_num());
	#pragma omp barrier
		}
	}
	int main(void)
	{
		conjugate_gradients();
		return 0;
	}
END
gcc -O1 -g -fopenmp twins.c -o twins-app && tau-record -o twins ./twins-app >/dev/null 2>&1
is "the overview has their lines" "$(tau-report twins | sed -n 's/^  \(omp .*barrier: .*\)/\1/p' | grep ' barrier' | LC_ALL=C sort -u | grep -v implicit)" \
	"omp barrier: conjugate_gradients [twins.c:10]
omp barrier: conjugate_gradients [twins.c:8]"

# A program without threads and messages.
tau-record -o none "$B/apps/hooks" >/dev/null 2>&1
like "nothing can wait" "$(tau-report waits none 2>&1)" 'and no barriers of OpenMP$'
tap_end
