#!/bin/sh
# otf2-odd.sh: what archives of the field hold besides enters and leaves, written with another writer's library, is read as
# the program wrote it; and a conversion to a run and to an archive of ours keeps it.
. "$(dirname "$0")/../tap.sh"
linked tau-convert libopen-trace-format2 || skip_all "built without the OTF2 library"

for l in open-trace-format2 otf2; do
	${CC:-cc} -O1 -w -o "$T/odd" "$TOP/fixtures/otf2/odd.c" -l$l 2>/dev/null && break
done
[ -x "$T/odd" ] || skip_all "the OTF2 library, with which the archives are made, is not installed"

# misses PROFILE: the expectations that it does not meet
misses() {
	awk -F , 'FNR == NR {
			if ($5 == "timer") { v[$2 " " $4 " timer " $6 " calls"] = $8; v[$2 " " $4 " timer " $6 " excl"] = $10; v[$2 " " $4 " timer " $6 " incl"] = $11 }
			else { v[$2 " " $4 " counter " $6 " max"] = $13; v[$2 " " $4 " counter " $6 " min"] = $14 }
			next
		}
		{ split($0, x, " "); if (x[1] != "EXPECT") next; k = x[2] " " x[3] " " x[4] " " x[5] " " x[6]; if (v[k] + 0 != x[7] + 0 || v[k] == "") print k, "is", v[k], "not", x[7] }' \
		"$1" "$T/expect"
}
# said FILE: what should have been said and was not
said() { sed -n 's/^SAID //p' "$T/expect" | while read -r s; do grep -q -- "$s" "$1" || echo "$s"; done; }
# csv ARCHIVE OUT: blanks in names are underscores, quotes of CSV are gone
csv() { tau-trace2profile -f csv "$1" 2>"$T/err" | sed 's/""/"/g; s/,"\([^,]*\)",/,\1,/' | tr ' ' _ >"$2"; }

for c in $("$T/odd"); do
	"$T/odd" "$c" "$T/$c" >"$T/expect" || fail "$c is written"
	csv "$T/$c" "$T/got.csv"
	is "$c: all as its writer says" "$(misses "$T/got.csv")" ""
	is "$c: what is missing is reported" "$(said "$T/err")" ""
	if grep -q ^METRIC "$T/expect"; then
		rm -rf "$T/tau"
		tau-trace2profile -f tau -o "$T/tau" "$T/$c" 2>/dev/null
		is "$c: metrics" "$(while read -r what metric timer excl incl; do
			[ "$what" = METRIC ] || continue
			[ "$(sed -n "s/^\"$timer\" [0-9]* [0-9]* \([0-9.]* [0-9.]*\) .*/\1/p" "$T/tau/MULTI__$metric/profile.0.0.0")" = "$excl $incl" ] || echo "$metric $timer"
		done <"$T/expect")" ""
	fi
	rm -rf "$T/own" "$T/again"
	tau-convert --to tau "$T/$c" "$T/own" 2>"$T/err"
	is "$c: records of which nothing is made are named" "$(sed -n 's/.*without a counterpart are not included: //p' "$T/err")" \
		"$(sed -n 's/^OVER //p' "$T/expect")"
	tau-convert --to otf2 "$T/$c" "$T/again" 2>/dev/null
	csv "$T/own" "$T/own.csv"
	is "$c: as a run of ours" "$(misses "$T/own.csv")" ""
	ok "$c: whose files verify" tau-dump --check "$T/own"
	csv "$T/again" "$T/again.csv"
	is "$c: as an archive of ours" "$(misses "$T/again.csv")" ""
	command -v otf2-print >/dev/null && is "$c: which otf2-print reads without a word" "$(otf2-print "$T/again/traces.otf2" 2>&1 >/dev/null; echo $?)" 0
done

is "metrics: a run ends with its last event, though its definitions say four times its length" \
	"$(tau-report -f csv "$T/metrics" | tr -d '\r' | awk -F , '$1 == "run" && $2 == "time" { print $3, $4 }')" "50 us"

# A thread on which nothing happened is a thread: in profiles of any format, in what is made of the archive, in a database.
for a in messages messages.own messages.again; do
	case $a in
	*.own) tau-convert --to tau "$T/messages" "$T/$a" 2>/dev/null ;;
	*.again) tau-convert --to otf2 "$T/messages.own" "$T/$a" 2>/dev/null ;;
	esac
	tau-trace2profile -f tau -o "$T/$a.tau" "$T/$a" 2>/dev/null
	is "$a: a thread without events has a profile" "$(ls "$T/$a.tau" | tr '\n' ' ')" "profile.0.0.0 profile.1.0.0 profile.1.0.1 "
	is "$a: which is empty" "$(sed 's/ # <metadata.*//' "$T/$a.tau/profile.1.0.1" | tr '\n' ';')" \
		"0 templated_functions_MULTI_TIME;# Name Calls Subrs Excl Incl ProfileCalls;0 aggregates;"
	like "$a: and says the name of the thread" "$(cat "$T/$a.tau/profile.1.0.1")" '<name>Thread Name</name><value>idle<'
	tau-trace2profile -f tau -w 0ms: -o "$T/$a.window" "$T/$a" 2>/dev/null
	is "$a: no process knows that it is there in a window" "$(ls "$T/$a.window" | tr '\n' ' ')" "profile.0.0.0 profile.1.0.0 "
done
tau-db import --db "$T/idle.db" "$T/messages" 2>/dev/null
is "a database counts it" "$(sqlite3 "$T/idle.db" 'select total_threads, (select count(*) from thread where thread_index >= 0) from trial')" "3|3"
for f in ppk xml; do
	tau-convert "$T/messages.tau" "$T/idle.$f" && tau-convert -t tau "$T/idle.$f" "$T/idle.$f.back"
	is "and through $f" "$(ls "$T/idle.$f.back" | tr '\n' ' ')" "profile.0.0.0 profile.1.0.0 profile.1.0.1 "
done
tau-convert "$T/messages" "$T/idle.json" 2>"$T/err"
is "JSON names it" "$(grep -c '"pid":1,"tid":1,.*"name":"idle"' "$T/idle.json")" 1
like "CSV cannot, and reports it" "$(tau-convert "$T/messages" "$T/idle.csv" 2>&1)" 'csv does not contain: 1 threads without events'

# Between two groups: who the root is, and that there are two groups, goes both ways.
tau-convert --to tau "$T/bridge" "$T/bridge.own" 2>/dev/null
tau-convert --to otf2 "$T/bridge.own" "$T/bridge.again" 2>/dev/null
for a in bridge bridge.own bridge.again; do
	tau-convert "$T/$a" "$T/$a.csv" 2>/dev/null
	is "$a: messages and roots between two groups" "$(awk -F , '$4 == "send" || $4 == "collective" { printf "%s %s %s;", $1, $4, $6 }' "$T/$a.csv")" \
		"0 send 3;0 collective 2;1 send 3;1 collective 2;2 send 0;2 collective 2;3 send 0;3 collective -1;"
done
command -v otf2-print >/dev/null && is "bridge.again: the library knows that there are two groups" \
	"$(otf2-print -G "$T/bridge.again/traces.otf2" | grep -c '^INTER_COMM.*"bridge".*Group A.*Group B')" 1

# A rank without the others: communicators and messages still name them.
tau-convert --to tau --rank 1 "$T/messages" "$T/part" 2>/dev/null
tau-convert --to otf2 "$T/part" "$T/part.otf2" 2>/dev/null
csv "$T/part" "$T/own.csv"
csv "$T/part.otf2" "$T/again.csv"
is "a part of the ranks has the same profile as an archive" "$(grep -v '^#' "$T/again.csv")" "$(cat "$T/own.csv")"
is "with its message" "$(grep -c Message_size_received_from_node_0 "$T/again.csv")" 1
command -v otf2-print >/dev/null && is "which otf2-print reads without a word" "$(otf2-print "$T/part.otf2/traces.otf2" 2>&1 >/dev/null)" ""

# A location for metrics is no thread, in no format and in no report, but its counters are there.
tau-convert --to tau "$T/metrics" "$T/metrics.run" 2>/dev/null
tau-convert --to otf2 "$T/metrics" "$T/metrics.again" 2>/dev/null
tau-convert --to otf2 "$T/metrics.run" "$T/metrics.third" 2>/dev/null
like "an import counts one thread" "$(tau-db import --db "$T/metrics.db" "$T/metrics" 2>/dev/null)" 'PEs 1, threads 1, windows'
for from in "$T/metrics" "$T/metrics.run" "$T/metrics.again" "$T/metrics.third" "--db $T/metrics.db"; do
	# shellcheck disable=SC2086
	{
		like "${from##*/}: the overview has one thread" "$(tau-report overview -f csv $from | tr -d '\r' | grep ',threads,')" '^[a-z]*,threads,1,count,,,$'
		like "${from##*/}: profile has one" "$(tau-report profile $from 2>&1)" "1 PE, 1 thread\."
		is "${from##*/}: one row by thread" "$(tau-report profile --by thread -f csv $from | awk 'NR > 1' | wc -l | tr -d ' ')" 1
		is "${from##*/}: ... as the notes show" "$(tau-report profile --by thread $from | grep -c 'only wait')" 0
		is "${from##*/}: groups have one" "$(tau-report groups -f json $from | grep -c 'only wait')" 0
		case $from in
		--db*) ;;
		*)
			like "${from##*/}: the counter has both values" "$(tau-report counters -f csv $from)" "power \[host\]"
			is "${from##*/}: of a thread and of none" "$(tau-report counters -f csv $from | tr -d '\r' | awk -F, '$NF ~ /power \[host\]/ { print $1, $2 }')" "2 1"
			;;
		esac
	}
done
command -v otf2-print >/dev/null && for again in metrics.again metrics.third; do
	is "$again: the location is for metrics" "$(otf2-print -G "$T/$again/traces.otf2" | grep -c 'Type: METRIC')" 1
done
tap_end
