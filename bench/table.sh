#!/bin/sh
# table.sh: the goals of all benches with what was measured last, in one table. Measures nothing: the others have.
. "$(dirname "$0")/common"
rm -f "$GOALS"
cat "$W"/goals.* 2>/dev/null >"$T/all"
[ -s "$T/all" ] || { echo "nothing has been measured"; exit 0; }
awk -F '\t' 'BEGIN { printf "%-64s %-32s %10s  %-7s %s\n", "", "goal", "is", "", "note" }
	{ printf "%-64s %-32s %10s  %-7s %s\n", $1, $2, $3, $4, $5 }' "$T/all"
