#!/bin/sh
# python.sh: what recording adds to a call of a Python function, beside what cProfile adds, in turns.
. "$(dirname "$0")/common"
python=${TAU_TEST_PYTHON:-/usr/bin/python3}
[ -x $python ] || python=$(command -v python3) || { echo "python3 is not installed"; exit 0; }
calls=392835	# of fib(26)
least() { sort -n "$T/$1" | head -n 1; }
i=0
while [ $i -lt "$ROUNDS" ]; do
	for how in plain cProfile; do
		"$python" "$TOP/bench/python.py" $how 26 >>"$T/$how" || die "python failed"
	done
	rm -rf "$T/run"
	tau-record -o "$T/run" -w python "$python" "$TOP/bench/python.py" plain 26 >>"$T/recorded" 2>/dev/null || die "tau-record failed"
	i=$((i + 1))
done
added() { calc %.0f "($(least "$1") - $(least plain)) / $calls * 1e9"; }
printf '%-28s %14s %14s\n' "call of a Python function" "cProfile, ns" "recorded, ns"
printf '%-28s %14s %14s\n' "$("$python" --version)" "$(added cProfile)" "$(added recorded)"
goal "Python call: added, of what cProfile adds" "$(calc %.2f "$(added recorded) / $(added cProfile)")" most 1.5 ""
