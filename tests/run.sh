#!/bin/sh
# run.sh [FILE...]: runs the tests (all, or those named), one after the other; shows failures and skips as they come,
# and ends with one line "N passed, N failed, N skipped". VERBOSE=1 shows everything.
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
export B
logs=$B/logs
mkdir -p "$logs"
if [ $# -eq 0 ]; then
	set -- $(ls -d tests/*/*.sh) $(for c in tests/unit/*.c; do [ -e "$c" ] && echo "$B/tests/unit/$(basename "$c" .c)"; done)
fi
passed=0 failed=0 skipped=0
for t; do
	log=$logs/$(basename "$t").log
	begin=$(date +%s)
	case $t in
	*.sh) timeout 900 sh "$t" ;;
	*) timeout 900 "$t" ;;
	esac >"$log" 2>&1 </dev/null
	code=$?
	p=$(grep -c '^ok ' "$log")
	s=$(grep -c '^ok .*# SKIP' "$log")
	f=$(grep -c '^not ok ' "$log")
	if grep -q '^1\.\.0 # SKIP' "$log"; then
		s=$((s + 1)) p=$((p + 1))
	elif ! grep -q "^1\.\.$((p + f))\$" "$log" || { [ $code -ne 0 ] && [ "$f" -eq 0 ]; }; then
		f=$((f + 1))
		echo "not ok - $t: ended with status $code before its plan"
		tail -n 5 "$log" | sed 's/^/#   /'
	fi
	passed=$((passed + p - s)) failed=$((failed + f)) skipped=$((skipped + s))
	printf '# %-44s %4d ok %3d failed %3d skipped %4d s\n' "$t" $((p - s)) "$f" "$s" $(($(date +%s) - begin))
	if [ -n "$VERBOSE" ]; then cat "$log"; else grep -A 12 '^not ok' "$log"; grep '# SKIP' "$log"; fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
