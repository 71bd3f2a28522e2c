# sanitize.sh: for the tests that run other tests, and programs, on builds with sanitizers; sources expect.sh. Gives:
#
#   build FOLDER FLAGS TARGETS...   makes the targets there with the sanitizer's flags
#   run_tests NAME FOLDER FILES...  the tests in FILES with what is built there, each as one test of ours
. "$(dirname "$0")/../expect.sh"
[ -z "$TAU_TEST_INSIDE" ] || skip_all "already inside"
export TAU_TEST_INSIDE=1
unset TAU_TEST_LONG	# sanitizers are slow
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

# Sanitizers make the compiler warn of what cannot be, so warnings are no errors here.
# Compiling takes half the time of -O2 -g; reports still name functions and lines.
build() {	# folder, flags, variables and targets...
	d=$1 flags=$2; shift 2
	make -C "$TOP" --no-print-directory -j 2 B="$d" OPT=-O1 SAN="$flags -g1 -Wno-error" "$@" >"$T/log" 2>&1 </dev/null && return 0
	tail -n 20 "$T/log"
	return 1
}

# The tests named, each as one test of ours.
run_tests() {	# name, build folder, test files...
	name=$1 d=$2; shift 2
	(cd "$TOP" && B=$d JOBS=1 sh tests/run.sh "$@") >"$T/results" 2>&1
	# A file that had a second try has two lines: the last counts.
	tac "$T/results" | awk '!/^# .* ok .* failed / || !seen[$2]++' | tac >"$T/last"
	while read -r hash file n1 word1 n2 word2 rest; do
		[ "$hash $word1 $word2" = "# ok failed" ] || continue
		if [ "$n2" = 0 ]; then pass "$name: ${file##"$d"/}"; else fail "$name: ${file##"$d"/}"; fi
	done <"$T/last"
	grep -A 8 '^not ok' "$T/results" | sed 's/^/#   /'
}
