#!/bin/sh
# otf2.sh: OTF2 archives of other writers give what their notes state: events, visits, times, messages, I/O.
. "$(dirname "$0")/../tap.sh"
linked tau-convert libopen-trace-format2 || skip_all "built without the OTF2 library"

[ -d "$DATA/otf2" ] || skip_all "no archives of other writers at $DATA/otf2"

# profile SET [OPTION...]: $T/SET.csv, messages in $T/SET.err
profile() {
	set=$1
	shift
	tau-trace2profile -s -f csv -o "$T/$set.csv" "$@" "$DATA/otf2/$set" 2>"$T/$set.err"
}
# events SET N: number of records
events() {
	profile "$1"
	is "$1 is read" "$?" 0
	is "$1: number of events" "$(sed -n 's/.*decoded \([0-9]*\) events.*/\1/p' "$T/$1.err")" "$2"
}
# column SET NODE KIND NAME N: a field of one row; names without commas
column() { awk -F , -v node="$2" -v kind="$3" -v name="$4" -v n="$5" '$2 == node && $5 == kind && $6 == name { print $n }' "$T/$1.csv"; }

events ping-pong 120
events ping-pong-papi 204
events stencil4d-32 4324
events sstmacro-10 22180
events eztrace-comd_n2 700
events eztrace-comd_n4 1400
events eztrace-lulesh_n1 330

# --- messages and hardware counters ---
for rank in 0 1; do
	is "ping-pong: messages sent by $rank" "$(column ping-pong $rank counter "Message size sent to node $((1 - rank))" 12)" 8
	is "ping-pong: messages received by $rank" "$(column ping-pong $rank counter "Message size received from node $((1 - rank))" 12)" 8
	is "ping-pong: MPI_Send on $rank" "$(column ping-pong $rank timer MPI_Send 8)" 8
done
tau-trace2profile -f tau -o "$T/papi" "$DATA/otf2/ping-pong-papi" 2>"$T/err"
is "ping-pong-papi: what was read with each enter and leave is a metric" "$(ls "$T/papi" | tr '\n' ' ')" \
	"MULTI__PAPI_BR_MSP MULTI__PAPI_L2_TCM MULTI__PAPI_TOT_CYC MULTI__TIME "
# 96084888 cycles at the end of main and 98850 at its begin
is "ping-pong-papi: main's cycles are those between its enter and its leave" \
	"$(sed -n 's/^"int main(int, char\*\*)" 1 20 [0-9]* \([0-9]*\) .*/\1/p' "$T/papi/MULTI__PAPI_TOT_CYC/profile.0.0.0")" 95986038
is "ping-pong-papi: exclusive cycles add up to main's" \
	"$(awk '/ GROUP=/ { n = NF; if ($1 == "\".TAU") next; e += $(n - 3) } END { print e }' "$T/papi/MULTI__PAPI_TOT_CYC/profile.0.0.0")" 95986038
is "ping-pong-papi: the metrics change no time of the program's" \
	"$(column ping-pong-papi 0 timer MPI_Send 8)" "$(column ping-pong 0 timer MPI_Send 8)"

# --- regions that never close, recording switched off and on ---
like "stencil4d-32: what never closes is reported" "$(cat "$T/stencil4d-32.err")" 'regions was not recorded and was repaired'
is "stencil4d-32: every rank has its barriers" \
	"$(awk -F , '$5 == "timer" && $6 == "MPI_Barrier" { n += $8; ranks++ } END { print n, ranks }' "$T/stencil4d-32.csv")" "96 32"
is "stencil4d-32: no time inside a parent is longer than the parent" "$(awk -F , '
	$5 == "timer" && $6 == ".TAU application" { all[$2] = $11 } $5 == "timer" { sum[$2] += $10; if ($11 > all[$2]) bad++ }
	END { for (i in all) if (sum[i] > all[i] + 0.001 || sum[i] < all[i] - 0.001) bad++; print bad + 0 }' "$T/stencil4d-32.csv")" 0

# --- visits and exclusive times as the writer's own profile has them ---
is "sstmacro-10: visits and times agree with Cube in all rows" "$(awk -F , '
	FNR == NR { if ($5 == "timer") { calls[$2 "," $6] = $8; excl[$2 "," $6] = $10 / 1e6; } next }
	FNR > 1 {
		n = split($1, part, "/"); k = $2 "," part[n]
		if (part[n] == "MPI_Init") { seen++; next }
		d = excl[k] - $4; if (d < 0) d = -d
		seen++
		if (calls[k] != $3 || d > (1e-5 > 1e-4 * $4 ? 1e-5 : 1e-4 * $4)) print k, calls[k], $3, excl[k], $4
	}
	END { print seen, "rows" }' "$T/sstmacro-10.csv" "$DATA/otf2/sstmacro-10-expected-exclusive.csv")" "210 rows"

# --- ids of regions that every process has for itself, I/O ---
is "eztrace: one region of a name on all ranks" "$(awk -F , '$5 == "timer" && $6 == "MPI_Allreduce" { print $2 }' "$T/eztrace-comd_n4.csv" | sort | tr '\n' ' ')" "0 1 2 3 "
like "eztrace-lulesh_n1: bytes of I/O" "$(column eztrace-lulesh_n1 0 counter 'Bytes Written' 12)" '^[1-9][0-9]*$'

# --- windows of an archive add up ---
sum() { awk -F , '$5 == "timer" && $6 == "MPI_Waitall" { c += $8; e += $10 } END { printf "%d %.3f\n", c, e }' "$@"; }
profile sstmacro-10 --window :50%
mv "$T/sstmacro-10.csv" "$T/first.csv"
profile sstmacro-10 --window 50%:
mv "$T/sstmacro-10.csv" "$T/second.csv"
profile sstmacro-10
is "sstmacro-10: two halves are the whole" "$(sum "$T/first.csv" "$T/second.csv")" "$(sum "$T/sstmacro-10.csv")"

# --- what is not there ---
cp -r "$DATA/otf2/ping-pong" "$T/pp"
chmod -R u+w "$T/pp"
rm "$T/pp/traces/1.evt"
is "an archive whose events are missing in part is read" "$(tau-trace2profile -f csv "$T/pp" 2>"$T/err" | grep -c '^,0,.*MPI_Send')" 1
like "the missing events are named" "$(cat "$T/err")" 'location 1: its 60 events are missing'
rm "$T/pp/traces/0.def"
is "an archive without local definitions is read" "$(tau-trace2profile -f csv "$T/pp" 2>"$T/err" | grep -c '^,0,.*MPI_Send')" 1
like "missing local definitions are reported" "$(cat "$T/err")" 'local definitions'
tau-trace2profile -f csv "$T/pp/traces.otf2" >"$T/out" 2>/dev/null
is "the anchor names the archive, too" "$(grep -c '^,0,.*MPI_Send' "$T/out")" 1
# --- whole, cut short, or without a file: by however many threads, with a window or without, the same numbers and words ---
cp -r "$DATA/otf2/sstmacro-10" "$T/short"
chmod -R u+w "$T/short"
for e in "$T"/short/traces/*.evt; do
	size=$(wc -c <"$e")
	head -c $((size * 2 / 3)) "$e" >"$T/part" && cat "$T/part" >"$e"
done
set -- "$T/pp" "$T/short"
for a in "$DATA"/otf2/*/; do set -- "$@" "$a"; done
for a; do
	differs=
	for w in "" "--window 10%:60%" "--slices 5"; do
		tau-trace2profile -f csv --callpath $w -o "$T/one.csv" "$a" 2>"$T/one.err" || differs="$differs failed"
		for o in "-j 2" --no-index; do
			tau-trace2profile -f csv --callpath $w $o -o "$T/two.csv" "$a" 2>"$T/two.err"
			cmp -s "$T/one.csv" "$T/two.csv" && cmp -s "$T/one.err" "$T/two.err" || differs="$differs [$w $o]"
		done
	done
	is "$(basename "$a"): two threads, windows and no index change nothing" "$differs" ""
done
like "an archive whose events are cut short reports it" "$(tau-trace2profile -f csv "$T/short" 2>&1 >/dev/null)" 'cut short'
cp "$T/pp/traces.otf2" "$T/pp/other.otf2"
tau-trace2profile -f csv "$T/pp" >"$T/out" 2>"$T/err"
is "two archives in one folder are refused" "$? $(cat "$T/out")" "3 "
like "and the way out is reported" "$(cat "$T/err")" 'contains 2 OTF2 archives; name'
is "of an archive without the cost of a call --compensate adds nothing, and reports it" \
	"$(tau-trace2profile --compensate -f csv -o "$T/paid.csv" "$DATA/otf2/ping-pong" 2>&1 | grep -- --compensate)" \
	"tau-trace2profile: --compensate adds nothing: the run does not contain the cost of recording a call"
tap_end
