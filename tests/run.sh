#!/bin/sh
# run.sh [--all | FILE...]: runs tests side by side, JOBS at a time (default: one for each core): those named, or every test but the
# long ones (tests/long), or with --all every test, and with TAU_TEST_LONG=1, which some take to try more. Shows
# failures and skips as they come, and ends with one line "N passed, N failed, N skipped". VERBOSE=1 shows everything. AGAIN=1 repeats
# files that failed, one by one. SUMS=FILE gets a line "passed failed skipped TEST" for each test when it ends. MINUTES=N: after this
# time no test begins. run.sh --list prints the tests that run.sh without names would run.
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
export B
logs=$B/logs
mkdir -p "$logs"

# One test's log as a line of numbers, then its failures and skips.
report() {	# test, log, exit status, seconds
	p=$(grep -c '^ok ' "$2")
	s=$(grep -c '^ok .*# SKIP' "$2")
	f=$(grep -c '^not ok ' "$2")
	if grep -q '^1\.\.0 # SKIP' "$2"; then
		s=$((s + 1)) p=$((p + 1))
	elif ! grep -q "^1\.\.$((p + f))\$" "$2" || { [ "$3" -ne 0 ] && [ "$f" -eq 0 ]; }; then
		f=$((f + 1))
		echo "not ok - $1: ended with status $3 before its plan"
		tail -n 5 "$2" | sed 's/^/#   /'
	fi
	echo "$((p - s)) $f $s $1" >>"$sums"
	printf '# %-44s %4d ok %3d failed %3d skipped %4d s\n' "$1" $((p - s)) "$f" "$s" "$4"
	if [ -n "$VERBOSE" ]; then cat "$2"; else grep -B 2 -A 12 '^not ok' "$2"; grep '# SKIP' "$2"; fi
}

run() {	# test
	log=$logs/$(printf "%s" "$1" | tr / _).log
	begin=$(date +%s)
	case $1 in
	*/sanitized/*) timeout 7200 sh "$1" ;;	# each file that it runs has its own limit
	*.sh) timeout 3600 sh "$1" ;;
	*) timeout 3600 "$1" ;;
	esac >"$log" 2>&1 </dev/null
	code=$?
	lines=$(report "$1" "$log" "$code" $(($(date +%s) - begin)))
	printf '%s\n' "$lines"
}

if [ "$1" = --one ]; then	# what the runner below starts
	sums=$2
	[ -z "$UNTIL" ] || [ "$(date +%s)" -lt "$UNTIL" ] || exit 0
	run "$3"
	exit 0
fi

# The long ones first, so that all cores end at about the same time. With FILE without those that it names.
all_tests() {
	{
		printf '%s\n' tests/sanitized/*.sh tests/fault/*.sh tests/truth/*.sh tests/unit/*.c
		printf '%s\n' tests/house/*.sh tests/cli/*.sh tests/fuzz/*.sh
	} | grep -vxFf "${1:-/dev/null}" | sed "s|^\(tests/unit/.*\)\.c$|$B/\1|"
}
left_out=0
case $1 in
--list)
	all_tests tests/long
	exit
	;;
"")
	set -- $(all_tests tests/long)
	left_out=$(wc -l <tests/long)
	;;
--all)
	export TAU_TEST_LONG=1
	set -- $(all_tests)
	;;
esac
temporary=
sums=${SUMS:-$(mktemp)} && [ -n "$sums" ] || exit 1
[ -n "$SUMS" ] || temporary=$sums
trap 'rm -f $temporary' EXIT
trap 'exit 130' INT TERM
: >"$sums" || exit 1
UNTIL=${MINUTES:+$(($(date +%s) + MINUTES * 60))}
export UNTIL
minutes=$MINUTES
unset SUMS MINUTES	# a test may start run.sh
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I '{}' sh tests/run.sh --one "$sums" '{}'
# AGAIN=1: a file that failed beside others gets a second try alone, which counts. Both results are shown. The sanitizers' files give
# that second try to each of the files that they run.
if [ -n "$AGAIN" ]; then
	for file in $(awk '$2 && $4 !~ /sanitized\// { print $4 }' "$sums"); do
		[ -z "$UNTIL" ] || [ "$(date +%s)" -lt "$UNTIL" ] || break
		echo "again, alone: $file"
		awk -v file="$file" '$4 != file' "$sums" >"$sums.others" && mv "$sums.others" "$sums"
		sh tests/run.sh --one "$sums" "$file"
	done
fi
late=${UNTIL:+$(($# - $(wc -l <"$sums")))}
[ "${late:-0}" -eq 0 ] || echo "# $late tests did not begin within $minutes minutes"
[ $left_out = 0 ] || echo "# $left_out files that take long were not run: make check-all runs them, too"
awk '{ p += $1; f += $2; s += $3 } END { print p + 0 " passed, " f + 0 " failed, " s + 0 " skipped"; exit f > 0 }' "$sums"
