#!/bin/sh
# run.sh [FILE...]: runs the tests (all, or those named), one after the other, those of the sanitizers beside the rest; shows failures
# and skips as they come, and ends with one line "N passed, N failed, N skipped". VERBOSE=1 shows everything.
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
export B
logs=$B/logs
mkdir -p "$logs"
if [ $# -eq 0 ]; then
	set -- $(ls -d tests/*/*.sh) $(for c in tests/unit/*.c; do [ -e "$c" ] && echo "$B/tests/unit/$(basename "$c" .c)"; done)
fi
sums=$(mktemp) || exit 1
trap 'rm -f "$sums"' EXIT
trap 'kill $beside 2>/dev/null; exit 130' INT TERM

# What a test said: a line of numbers, then what went wrong or was skipped.
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
	echo "$((p - s)) $f $s" >>"$sums"
	printf '# %-44s %4d ok %3d failed %3d skipped %4d s\n' "$1" $((p - s)) "$f" "$s" "$4"
	if [ -n "$VERBOSE" ]; then cat "$2"; else grep -A 12 '^not ok' "$2"; grep '# SKIP' "$2"; fi
}

run() {	# test
	log=$logs/$(basename "$1").log
	begin=$(date +%s)
	case $1 in
	*.sh) timeout 3600 sh "$1" ;;
	*) timeout 3600 "$1" ;;
	esac >"$log" 2>&1 </dev/null
	code=$?
	said=$(report "$1" "$log" "$code" $(($(date +%s) - begin)))
	printf '%s\n' "$said"
}

beside=
for t; do
	case $t in */sanitize-*) run "$t" ;; esac
done &
beside=$!
for t; do
	case $t in */sanitize-*) ;; *) run "$t" ;; esac
done
wait
awk '{ p += $1; f += $2; s += $3 } END { print p + 0 " passed, " f + 0 " failed, " s + 0 " skipped"; exit f > 0 }' "$sums"
