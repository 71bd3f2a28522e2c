#!/bin/sh
# rows.sh: what a row costs in a profile with very many: by call path of depth 3, 1.2 million rows, as CSV and JSON. CPU time of the whole
# command over the rows that it prints.
. "$(dirname "$0")/common"
build_tools
$CC -O2 -I "$TOP/record" -o "$W/rows" "$TOP/bench/rows.c" -ldl || die "cannot build rows"
tau-record -o "$T/run" "$W/rows" 100 110 110 >/dev/null 2>&1 || die "cannot record rows"
for format in csv json; do
	i=0
	while [ $i -lt "$ROUNDS" ]; do
		measure $format tau-trace2profile --no-index -j 1 --callpath=3 -f $format -o "$T/out.$format" "$T/run"
		i=$((i + 1))
	done
done
rows=$(grep -c ',timer,' "$T/out.csv")
[ "$rows" -ge 1210000 ] || die "only $rows rows"
csv=$(calc %.2f "$(least csv) / $rows / 1000")
json=$(calc %.2f "$(least json) / $rows / 1000")
printf 'profile of depth 3, %s rows: CSV %s us, JSON %s us a row\n' "$rows" "$csv" "$json"
goal "profile of depth 3 with 1.2 million rows, CPU per row of CSV" "$csv" most 1 us
