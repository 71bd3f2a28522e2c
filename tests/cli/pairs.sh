#!/bin/sh
# pairs.sh: every format that is read into every format that is written: what both hold is kept to the last digit, whichever way it
# took, and what one of them cannot hold is reported in one line.
. "$(dirname "$0")/../tap.sh"
formats="tau otf2"
linked tau-convert libopen-trace-format2 || { formats=tau; skip "ways through archives" "built without the OTF2 library"; }

# out FORMAT IN NAME: converts; $T/NAME is the result as one file, $T/NAME.err the messages
out() {
	rm -rf "$T/$3"
	tau-convert --to "$1" "$2" "$T/$3" >"$T/$3.err" 2>&1
	[ $? -eq 0 ] || echo "failed" >>"$T/$3.err"
}

# --- profiles ---
# every FORMAT of these holds all there is
for kind in metrics files; do
	case $kind in
	metrics) tau-record --metrics CPU_TIME:PAGE_FAULTS -o "$T/run" "$B/apps/api" >/dev/null 2>&1 ;;
	files)
		mkdir "$T/folder"
		tau-record --wrap io -o "$T/run" "$B/apps/io" "$T/folder" >/dev/null 2>&1
		;;
	esac
	out ppk "$T/run" "first.ppk"
	for from in tau ppk snapshot; do
		out $from "$T/first.ppk" "way"
		is "$kind to $from: nothing is lost" "$(cat "$T/way.err")" ""
		for to in csv json text pprof folded callgrind; do
			out $to "$T/first.ppk" "want"
			out $to "$T/way" "got"
			# metadata of the profile is with each thread if a format has no other place for it, and text begins with the
			# name of the file
			sed -i '/"metadata"/d' "$T/want" "$T/got"
			sed -i 's/[0-9]* pieces of metadata/metadata/' "$T/want.err" "$T/got.err"
			[ $to = text ] && sed -i 1d "$T/want" "$T/got"
			ok "$kind by way of $from to $to: the same to the last digit" cmp "$T/want" "$T/got"
			is "$kind by way of $from to $to: the same is lost" "$(cat "$T/got.err")" "$(cat "$T/want.err")"
			ok "$kind to $to: it is reported in one line" [ "$(wc -l <"$T/want.err")" -le 1 ]
		done
		out csv "$T/first.ppk" "want"
		for to in tau ppk snapshot; do
			out $to "$T/way" "again"
			out csv "$T/again" "got"
			ok "$kind by way of $from to $to: the same to the last digit" cmp "$T/want" "$T/got"
		done
	done
	is "$kind as CSV: metrics are columns, and none is lost" "$(grep -c metric "$T/want.err")" 0
	out folded "$T/first.ppk" "one"
	for to in tau ppk snapshot; do
		out $to "$T/one" "way"
		out folded "$T/way" "two"
		ok "$kind as folded stacks by way of $to: the same to the last digit" cmp "$T/one" "$T/two"
	done
	rm -rf "$T/run"
done

# --- traces ---
# text NAME IN: as CSV and JSON, without lines that are there for values alone, which are with the next event, too, and without the
# numbers of messages, which hold those of communicators
text() {
	out csv "$2" "$1.csv"
	out json "$2" "$1.json"
	sed -i '/^[0-9]*,[0-9]*,[0-9]*,metrics,/d' "$T/$1.csv"
	awk '/"name":"metrics"/ { alone = 1; next } alone && /"cat":"metric"/ { next } { alone = 0; print }' "$T/$1.json" |
		sed 's/"id":"[^"]*"//; s/,$//' >"$T/$1.less"
	mv "$T/$1.less" "$T/$1.json"
}
trace_pairs() {
	text want "$2"
	for way in $formats; do
		out $way "$2" "way"
		is "$1 to $way: nothing is lost" "$(grep 'does not contain' "$T/way.err")" ""
		for then in $formats; do
			out $then "$T/way" "then"
			is "$1 by way of $way to $then: nothing is lost" "$(grep 'does not contain' "$T/then.err")" ""
			text got "$T/then"
			for to in csv json; do
				ok "$1 by way of $way and $then to $to: the same to the last digit" cmp "$T/want.$to" "$T/got.$to"
			done
		done
	done
}
# the first metric of a profile is its time, whatever the names of the others
mkdir "$T/multi" "$T/multi/MULTI__CPU_TIME" "$T/multi/MULTI__TIME"
for m in CPU_TIME TIME; do
	printf '1 templated_functions_MULTI_%s\n# Name Calls Subrs Excl Incl ProfileCalls #\n"main" 1 0 %d %d 0 GROUP="TAU_USER"\n0 aggregates\n' \
		$m ${#m} ${#m} >"$T/multi/MULTI__$m/profile.0.0.0"
done
out csv "$T/multi" "got"
is "the time comes first" "$(tail -n 1 "$T/got" | tr -s ',\r' ' ')" " 0 0 0 timer main TAU_USER 1 0 4.000 4.000 8 8 "
tau-record --metrics CPU_TIME:PAGE_FAULTS -o "$T/run" "$B/apps/api" >/dev/null 2>&1
trace_pairs metrics "$T/run"
rm -rf "$T/run"
tau-record --sample=2ms --unwind -o "$T/run" "$B/apps/sampled" shares >/dev/null 2>&1
trace_pairs samples "$T/run"
for set in otf2/ping-pong otf2/eztrace-comd_n2; do
	[ -d "$DATA/$set" ] && trace_pairs "$set" "$DATA/$set"
done
tap_end
