# convert-profile.sh: tau-convert on profiles: every format it writes, what it reports about the rest, and what it refuses.
. "$(dirname "$0")/../tap.sh"
C=$B/tau-convert
mkdir "$T/in"
cat >"$T/in/profile.0.0.0" <<'END'
3 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Host</name><value>a</value></attribute></metadata>
"main" 1 2 2000.25 12000.5 0 GROUP="TAU_USER" 
"MPI_Send()" 2 0 10000.25 10000.25 0 GROUP="MPI" 
"main => MPI_Send()" 2 0 10000.25 10000.25 0 GROUP="TAU_CALLPATH|MPI" 
0 aggregates
1 userevents
# eventname numevents max min mean sumsqr
"bytes" 2 8 4 6 80
END
cp -r "$T/in" "$T/want"
for to in a.ppk a.xml; do
	is "nothing is lost in $to" "$("$C" "$T/in" "$T/$to" 2>&1)" ""
	rm -rf "$T/back"
	"$C" "$T/$to" "$T/back"
	is "and back" "$(cat "$T/back/profile.0.0.0")" "$(sed 's/<metadata>/<metadata><attribute><name>Metric Name<\/name><value>TIME<\/value><\/attribute>/' \
		"$T/want/profile.0.0.0")"
done
is "stacks" "$("$C" "$T/in" "$T/a.folded" 2>&1; cat "$T/a.folded")" \
	"tau-convert: folded cannot contain: 1 counter, 1 piece of metadata, 2 timers' groups, 3 numbers of calls
main 2000250
main;MPI_Send() 10000250"
# --- symbols in profiles of other tools are readable; two that would have one name stay as they are ---
mkdir "$T/symbols"
cat >"$T/symbols/profile.0.0.0" <<'END'
6 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls
"main" 1 3 1000 16000 0 GROUP="TAU_USER" 
"_ZN4mesh4fillEv [{mesh.cc} {3,0}]" 2 0 5000 5000 0 GROUP="TAU_USER" 
"_ZN4meshC1Ev" 1 0 4000 4000 0 GROUP="TAU_USER" 
"_ZN4meshC2Ev" 1 0 3000 3000 0 GROUP="TAU_USER" 
"__solver_MOD_step" 1 0 3000 3000 0 GROUP="TAU_USER" 
"main => _ZN4mesh4fillEv [{mesh.cc} {3,0}]" 2 0 5000 5000 0 GROUP="TAU_CALLPATH|TAU_USER" 
0 aggregates
END
is "readable symbols" "$("$B/tau-report" profile -f csv "$T/symbols" | cut -d, -f 2 | sed 1d | LC_ALL=C sort)" "\"mesh::fill() [{mesh.cc} {3
_ZN4meshC2Ev
main
mesh::mesh()
solver::step"
like "also in call paths" "$("$B/tau-report" tree -f csv "$T/symbols")" 'main => mesh::fill\(\) \[\{mesh\.cc'
printf 'main;_ZN4mesh4fillEv 5\nmain 3\n' >"$T/symbols.folded"
like "and in folded stacks" "$("$B/tau-report" profile -f csv "$T/symbols.folded")" 'mesh::fill\(\)'
# What a line of stacks counts is not said in it: it is shown as a count in every output, and stays the same number.
# A root without samples of its own is a whole stack: it does not begin in the middle of a path.
printf '# mode: wall\n# interval: 100\n\nmain;solve;leaf 4\nmain;solve 1\n' >"$T/comments.folded"
is "comments in stacks, and the tree of stacks" "$("$B/tau-report" tree "$T/comments.folded" | tail -n +4)" "\
    %  inclusive  exclusive  calls  call path
-----  ---------  ---------  -----  ---------
100.0          5          0      0  main
100.0          5          1      0    solve
 80.0          4          4      0      leaf"

printf 'main;leaf 67891675\nmain 3\n' >"$T/counts.folded"
"$C" --to csv "$T/counts.folded" "$T/counts.csv" 2>"$T/err"
is "counts have no unit in CSV" "$(sed 1q "$T/counts.csv" | tr -d '\r' | cut -d, -f 10-)/$(grep ',leaf,' "$T/counts.csv" | tr -d '\r' | cut -d, -f 10-)" \
	"exclusive_us,inclusive_us,n,max,min,mean,sumsq,exclusive COUNT,inclusive COUNT/,,,,,,,67891675,67891675"
"$C" --to json "$T/counts.folded" "$T/counts.json" 2>"$T/err"
is "nor in JSON" "$(grep -o '"name": "leaf".*' "$T/counts.json" | head -n 1)/$(grep -c '_us": -\?[0-9]' "$T/counts.json")" \
	'"name": "leaf", "group": "", "calls": 0, "subrs": 0, "metrics": {"COUNT": {"exclusive": 67891675, "inclusive": 67891675}}},/0'
"$B/tau-trace2profile" -f text -o "$T/counts.text" "$T/counts.folded" 2>"$T/err"
is "nor in tables" "$(grep -c ' ms\|us/call' "$T/counts.text") $(awk '$NF == "region" || $NF == "leaf" { print $2, $3 }' "$T/counts.text" | uniq)" "0 exclusive inclusive
67891675 67891675"
"$C" --to pprof "$T/counts.folded" "$T/counts.txt" 2>"$T/err"
is "nor in pprof's" "$(grep -c 'sec' "$T/counts.txt") $(awk '$NF == "leaf" { print $2, $3; exit }' "$T/counts.txt")" "0 67,891,675 67,891,675"
"$C" --to folded "$T/counts.folded" "$T/counts.again" 2>"$T/err"
is "and stay what they are" "$(sort "$T/counts.again")" "$(sort "$T/counts.folded")"
"$B/tau-db" import -d "$T/counts.db" "$T/counts.folded" >"$T/out" 2>"$T/err"
is "nor in a database" "$("$B/tau-db" show -d "$T/counts.db" --part timers 1 2>&1 | grep -c 'us\]') $("$B/tau-db" show -d "$T/counts.db" --part timers -f csv 1 |
	tr -d '\r' | awk -F, '$1 == "leaf" { print $3, $5 }')" "0 67891675 67891675"
is "nor in a series, whose window has no begin" "$("$B/tau-report" series --db "$T/counts.db" -f csv | tr -d '\r' | sed '3!{1!d}')" \
	"window,begin_ms,end_ms,region,group,threads,calls,exclusive,inclusive,share_pct
:,,,main,,1,0,3,67891678,4.4188037302598415e-06"
"$C" "$T/in" "$T/a.txt" 2>"$T/err"
is "pprof's table" "$(grep -A 1 '^[%]Time' "$T/a.txt" | head -n 2; grep '^100\|^ 83' "$T/a.txt" | sort -u)" \
	"%Time    Exclusive    Inclusive       #Call      #Subrs  Inclusive Name
              msec   total msec                          usec/call 
 83.3           10           10           2           0       5000 MPI_Send()
 83.3           10           10           2           0       5000 main => MPI_Send()
100.0            2           12           1           2      12000 main"
"$C" "$T/in" "$T/callgrind.out.a" 2>"$T/err"
if command -v callgrind_annotate >/dev/null 2>&1; then
	is "callgrind_annotate opens it" "$(callgrind_annotate "$T/callgrind.out.a" | grep -c '10,000,250.*MPI_Send()\|2,000,250.*main\|12,000,500.*TOTALS')" 3
else
	skip "callgrind_annotate opens it" "valgrind is not here"
fi
mkdir "$T/odd" "$T/odd/MULTI__TIME" "$T/odd/MULTI__L1-X" "$T/odd/MULTI__L1_X"
for m in TIME L1-X L1_X; do
	cat >"$T/odd/MULTI__$m/profile.0.0.0" <<-END
		3 templated_functions_MULTI_$m
		# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>$m</value></attribute></metadata>
		"main" 1 0 5 5 0 GROUP="A"
		"" 1 0 nan nan 0 GROUP="A"
		"less" 1 0 -3 -3 0 GROUP="A"
		0 aggregates
	END
done
"$C" --to callgrind "$T/odd" "$T/odd.callgrind" 2>"$T/err"
is "events of callgrind are words, and each has its own" "$(grep ^events "$T/odd.callgrind")" "events: TIME_ns L1_X L1_X_2"
is "which is reported, as are values that it cannot hold" "$(grep -o "[0-9]* metric.*" "$T/err")" \
	"1 metric with special characters in its name (replaced by underscores), 6 values below 0 (not included), 6 values that are not numbers (not included)"
"$C" --to json "$T/odd" "$T/odd.json" 2>"$T/err"
is "JSON has no word for what is no number" "$(grep -ciE ': -?(nan|inf)' "$T/odd.json")/$(grep -o 'metrics": {"L1-X": {"exclusive": null' "$T/odd.json" | wc -l)" 0/1
is "and it is reported" "$(cat "$T/err")" "tau-convert: json cannot contain: 6 values that are not numbers (not included)"
"$C" --to csv "$T/odd" "$T/odd.csv" 2>"$T/err"
is "CSV has" "$(cat "$T/err")$(grep -c ',(no name),A,1,0,nan,nan,.*,nan,nan,nan,nan' "$T/odd.csv")" 1
printf 'a;b c\t3\na\t 4.5\n' >"$T/tabs"
is "stacks with tabs before their numbers" "$("$C" --to folded "$T/tabs" "$T/tabs.folded" 2>&1; cat "$T/tabs.folded")" "a 4.5
a;b c 3"
for to in json csv text; do
	"$C" --to $to "$T/in" "$T/a.$to" 2>"$T/err"
	is "$to names its timers" "$(grep -c MPI_Send "$T/a.$to" | sed 's/^[1-9].*/some/')" some
done
gzip -c "$T/a.folded" >"$T/stacks"
is "a name means nothing, nor does gzip" "$("$C" --to folded "$T/stacks" "$T/again" 2>&1; cat "$T/again")" "$(cat "$T/a.folded")"
head -c 100 "$T/a.ppk" >"$T/cut"
is "damage is a sentence" "$("$C" "$T/cut" "$T/none" 2>&1; echo $?; ls "$T/none" 2>&1 | sed "s/.*: //")" \
	"tau-convert: $T/cut: offset 0: the gzip stream that begins here is damaged or has no end
3
No such file or directory"
is "a format that is not there" "$("$C" --to otf "$T/in" "$T/none" 2>&1 | head -n 1; "$C" --to otf "$T/in" "$T/none" >/dev/null 2>&1; echo $?)" \
	"tau-convert: --to: 'otf' is not tau, otf2, json, csv, ppk, snapshot, folded, callgrind, pprof or text; did you mean 'otf2'?
2"
is "a profile has no windows" "$("$C" --window 1ms:2ms "$T/a.ppk" "$T/none" 2>&1; echo $?)" \
	"tau-convert: $T/a.ppk: a profile has no times, so it has no windows
3"

# A Cube file that another archiver made, and one of which only the visits are left.
# --- what may be a profile: one file of many, a directory that holds one file, and a choice that is reported ---
mkdir "$T/lone"
printf '1 templated_functions_MULTI_TIME\n# N # <metadata><attribute><name>a</name><value>b</value></attribute></metadata>\n"main" 1 0 5 5 0 GROUP="A" \n0 aggregates\n' >"$T/lone/profile.3.0.1"
is "one file of a profile" "$("$C" --to csv "$T/lone/profile.3.0.1" - 2>/dev/null | cut -d, -f2-8 | tail -n 1)" "3,0,1,timer,main,A,1"
cp "$T/lone/profile.3.0.1" "$T/lone/dump"
is "another name tells no thread" "$("$C" --to csv "$T/lone/dump" - 2>/dev/null | cut -d, -f2-8 | tail -n 1)" "0,0,0,timer,main,A,1"
for to in ppk snapshot; do
	mkdir "$T/only-$to"
	echo "main;f 5" >"$T/only-$to/README"
	"$C" --to $to "$T/lone/dump" "$T/only-$to/x" 2>/dev/null
	is "a directory that holds only a file of it: $to" "$("$C" --to csv "$T/only-$to" - 2>/dev/null | cut -d, -f2-8 | tail -n 1)" "0,0,0,timer,main,A,1"
done
cp "$T/only-ppk/x" "$T/only-ppk/y"
"$C" --to csv "$T/only-ppk" - 2>"$T/err"
like "of two one has to be named" "$? $(cat "$T/err")" '^3 tau-convert: .*contains 2 profiles \(x, y\): name one of them, such as .*/x$'
mkdir "$T/nameless"
python3 - "$T/nameless/tautrace.3.0.1.trc" <<'END'
import struct, sys
record = lambda event, value, time: struct.pack("<iHHqQ", event, 3, 1, value, time)
open(sys.argv[1], "wb").write(record(60000, 3, 1000) + record(1, 1, 1000) + record(1, -1, 5000))
END
is "a trace without names" "$(tau-report profile -f csv "$T/nameless" 2>/dev/null | grep -c undefined)" 1
cp "$T/lone/profile.3.0.1" "$T/nameless/profile.3.0.1"
is "a profile beside it has the names" "$(tau-report profile -f csv "$T/nameless" 2>/dev/null | grep -c '^region,main,')" 1
tau-record -o "$T/both" true >/dev/null 2>&1
cp "$T/lone/profile.3.0.1" "$T/both/profile.0.0.0"
for to in csv ppk; do
	is "a trace and profiles: it is reported which is read, to $to" "$("$C" --to $to "$T/both" "$T/both.$to" 2>&1 | grep -c 'contains a run of tau-record and profiles: the trace is read')" 1
done

set=$(find "$DATA/cube" -name call_tree_test.cubex 2>/dev/null | head -n 1)
if [ -n "$set" ]; then
	mkdir "$T/cube"
	tar -xf "$set" -C "$T/cube"
	"$C" "$set" "$T/cube.csv" 2>"$T/err"
	tar --format=pax --pax-option=comment=odd -cf "$T/pax.cubex" -C "$T/cube" .
	is "a Cube file with descriptions of pax" "$("$C" "$T/pax.cubex" "$T/pax.csv" 2>&1; cmp "$T/pax.csv" "$T/cube.csv")" "$(cat "$T/err")"
	cp "$T/cube/anchor.xml" "$T/anchor.xml"
	sed -i 's|</metrics>|<metric id="90" type="POSTDERIVED"><uniq_name>ratio</uniq_name><dtype>FLOAT</dtype><cubepl>1</cubepl></metric>&|' \
		"$T/cube/anchor.xml"
	tar -cf "$T/derived.cubex" -C "$T/cube" .
	like "a metric that is derived by a formula is named" "$("$C" "$T/derived.cubex" "$T/derived.csv" 2>&1)" 'metrics that are not included: ratio$'
	ok "and changes nothing else" cmp "$T/derived.csv" "$T/cube.csv"
	cp "$T/anchor.xml" "$T/cube/anchor.xml"
	rm "$T"/cube/[1-9].data
	tar -cf "$T/visits.cubex" -C "$T/cube" .
	for to in tau ppk snapshot folded callgrind pprof json csv text; do
		"$C" --to $to "$T/visits.cubex" "$T/visits.$to" 2>"$T/err"
		is "without data of metrics it is one of visits, as $to" "$?/$(grep -c 'metrics that are not included: ' "$T/err")" 0/1
	done
else
	skip "Cube files in another archive" "there are no Cube files here"
fi

# A trace and the Cube profile that another tool made of the same run: calls exactly, times within 10 us or 1e-4.
set=$DATA/otf2/sstmacro-10
if [ -e "$set/profile.cubex" ]; then
	"$C" "$set/profile.cubex" "$T/cube.csv" 2>"$T/err"
	"$B/tau-trace2profile" --format csv -o "$T/trace.csv" "$set/traces.otf2" 2>"$T/err"
	is "a trace agrees with its Cube profile" "$(awk -F , '$5 != "timer" || $6 ~ /=>/ { next }
		NR == FNR { calls[$2 $6] = $8; time[$2 $6] = $10; next }
		{ d = $10 - time[$2 $6]; d = d < 0 ? -d : d; all++; good += calls[$2 $6] == $8 && (d <= 10 || d <= 1e-4 * $10) }
		END { print good " of " all }' "$T/trace.csv" "$T/cube.csv")" "210 of 210"
else
	skip "a trace agrees with its Cube profile" "the recorded data are not here"
fi
# --- metrics that do not know the same timers and threads ---
mkdir -p "$T/some/MULTI__A" "$T/some/MULTI__B"
printf '2 templated_functions_MULTI_A\n"main" 1 1 5 9 0 GROUP="G" \n"x" 1 0 4 4 0 GROUP="G" \n0 aggregates\n' >"$T/some/MULTI__A/profile.0.0.0"
printf '1 templated_functions_MULTI_B\n"main" 1 0 7 7 0 GROUP="G" \n0 aggregates\n' >"$T/some/MULTI__B/profile.0.0.0"
printf '1 templated_functions_MULTI_B\n"main" 1 0 8 8 0 GROUP="G" \n0 aggregates\n' >"$T/some/MULTI__B/profile.1.0.0"
tau-convert "$T/some" "$T/some.ppk" 2>"$T/err"
is "a profile whose metrics do not agree is read" "$?" 0
is "which is reported in one line" "$(grep -c . "$T/err") $(cat "$T/err")" \
	"1 tau-convert: $T/some: timers without a value of a metric, which is then 0: A (1), B (1)"
tau-convert -t tau "$T/some.ppk" "$T/some.back" 2>/dev/null
is "and has all rows" "$(cd "$T/some.back" && grep -h GROUP MULTI__*/profile.* | sort | tr '\n' ';')" \
	'"main" 1 0 0 0 0 GROUP="G" ;"main" 1 0 8 8 0 GROUP="G" ;"main" 1 1 5 9 0 GROUP="G" ;"main" 1 1 7 7 0 GROUP="G" ;"x" 1 0 0 0 0 GROUP="G" ;"x" 1 0 4 4 0 GROUP="G" ;'
tau-db import --db "$T/some.db" "$T/some" >/dev/null 2>"$T/err"
is "also by tau-db" "$? $(grep -c 'without a value of a metric' "$T/err")" "0 1"

# --- snapshots, one file a thread, several in each ---
mkdir "$T/snap"
for n in 0 1 10; do
	cat >"$T/snap/snapshot.$n.0.0" <<END
<?xml version="1.0" encoding="UTF-8"?>
<profile_xml><thread id="$n.0.0.77" node="$n" context="0" thread="0">
<metadata><attribute><name>Host</name><value>a</value></attribute></metadata></thread>
<definitions thread="$n.0.0.77"><metric id="0"><name>TIME</name><units>unknown</units></metric>
<event id="0"><name>main</name><group>G</group></event></definitions>
<profile thread="$n.0.0.77"><name>first</name><timestamp>1</timestamp>
<interval_data metrics="0 ">
0 1 0 50 50 
</interval_data></profile></profile_xml>
<profile_xml><definitions thread="$n.0.0.77"><event id="1"><name>x$n</name><group>G</group></event></definitions>
<profile thread="$n.0.0.77"><name>final</name><timestamp>2</timestamp>
<interval_data metrics="0 ">
0 1 1 60 9$n 
1 1 0 30 30 
</interval_data></profile></profile_xml>
END
done
"$C" -t tau "$T/snap" "$T/snap.out" 2>"$T/err"
is "a folder of snapshots is a profile of all threads" "$? $(cat "$T/err")" "0 "
is "with the last values of each" "$(cd "$T/snap.out" && grep -h GROUP profile.0.0.0 profile.1.0.0 profile.10.0.0 | LC_ALL=C sort | tr '\n' ';')" \
	'"main" 1 1 60 90 0 GROUP="G" ;"main" 1 1 60 91 0 GROUP="G" ;"main" 1 1 60 910 0 GROUP="G" ;"x0" 1 0 30 30 0 GROUP="G" ;"x1" 1 0 30 30 0 GROUP="G" ;"x10" 1 0 30 30 0 GROUP="G" ;'
is "and their common metadata once" "$(tau-db import --db "$T/snap.db" "$T/snap" 2>&1 | sed 's/^trial [0-9]*: //')" "snap, PEs 3, threads 3, windows 1"
printf '<profile_xml><thread id="2' >"$T/snap/snapshot.2.0.0"
"$C" -t tau "$T/snap" "$T/snap.bad" 2>"$T/err"
like "a damaged one is named, and the others are read" "$? $(ls "$T/snap.bad" | tr '\n' ' ')$(cat "$T/err")" \
	'^0 profile.0.0.0 profile.1.0.0 profile.10.0.0 .*snap: damaged files that are not included: snapshot\.2\.0\.0: '

# --- names that a spreadsheet would take for formulas ---
mkdir "$T/formula"
{
	printf '7 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n'
	for name in '=1+2' '+x,y' '-[NSObject init]' '@sum' '-5' 'a=b' main; do printf '"%s" 1 0 -1 1 0 GROUP="=G"\n' "$name"; done
	printf '0 aggregates\n0 userevents\n'
} >"$T/formula/profile.0.0.0"
"$C" -t csv "$T/formula" "$T/formula.csv"
is "cells of CSV are no formulas" "$(tr -d '\r' <"$T/formula.csv" | sed '1d; s/,1,0,-0.001,1.*//; s/,1,0,-1.*//' | cut -d, -f 6- | LC_ALL=C sort | tr '\n' ';')" \
	"\"'+x,y\",'=G;'-[NSObject init],'=G;'=1+2,'=G;'@sum,'=G;-5,'=G;a=b,'=G;main,'=G;"
like "and numbers stay numbers" "$(cat "$T/formula.csv")" ',-1\.000,1\.000,'
tau-db import --db "$T/formula.db" "$T/formula" >/dev/null
is "of a table, too" "$(tau-db show --db "$T/formula.db" -p timers -f csv 1 | grep -c "^'[-=@]\|^\"'+x,y\"")" 4
"$C" -t json "$T/formula" "$T/formula.json"
like "JSON has the names as they are" "$(cat "$T/formula.json")" '"name": "=1\+2"'

# --- a profile that is of no metric: calls alone ---
printf '\0P\0P\0K\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\1b\0\0\0\0\0\1a\0\0\0\0\0\0\0\0\0\0\0\1' >"$T/calls.ppk"
printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\0\100\10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\77\360\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >>"$T/calls.ppk"
is "text has the calls, and no times" "$("$C" -t text "$T/calls.ppk" - 2>/dev/null | awk '/ [ab]$/ { print $1, $2, $NF }' | sort -u | tr '\n' ';')" \
	"1 0 a;3 0 b;"
"$C" -t tau "$T/calls.ppk" "$T/calls.tau" 2>"$T/err"
like "TAU's files cannot hold it, and that is reported" "$? $(cat "$T/err")" '^3 .*needs a metric, and this profile has none'
ok "and nothing is left" test ! -e "$T/calls.tau"

# --- data beside those that are read ---
mkdir -p "$T/beside/spawn-0"
printf '1 templated_functions_MULTI_TIME\n# Name\n"main" 1 0 5 5 0 GROUP="A"\n0 aggregates\n' >"$T/beside/profile.0.0.0"
cp "$T/beside/profile.0.0.0" "$T/beside/spawn-0/profile.0.0.0"
tau-convert "$T/beside" "$T/beside.ppk" 2>"$T/err"
is "a directory within is named that is not read" "$? $(cat "$T/err")" \
	"0 tau-convert: $T/beside: also contains spawn-0, which is not read: name it to read it"
rm -r "$T/beside/spawn-0"
tau-convert "$T/beside" "$T/beside/one.ppk" 2>"$T/err"
tau-report profile "$T/beside" >"$T/out" 2>"$T/err"
like "a file of another format, too" "$(cat "$T/out" "$T/err")" 'also contains one.ppk, which is not read'

# --- files of options with marks of editors ---
cd "$T" || exit 1
mark() { printf '\357\273\277'; cat "$1"; }
wide() { { printf '\377\376'; iconv -t UTF-16LE "$1"; }; }
printf ':\n' >windows.plain
printf '1.0\n2.0\n' >order.plain
printf 'no rule\n' >types.plain
for i in 1 2; do
	mkdir v$i
	printf '1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Version</name><value>%s.0</value></attribute></metadata>\n"main" 1 0 5 5 0 GROUP="A"\n0 aggregates\n' \
		$i >v$i/profile.0.0.0
done
for f in windows order types; do mark $f.plain >$f.marked; wide $f.plain >$f.wide; mark $f.plain | sed 's/$/\r/' >$f.windows; done
tau-record -o marks.run true >/dev/null 2>&1
windows() { tau-report series --windows "$1" marks.run 2>&1 | sed "s/$1/FILE/"; }
order() { tau-report trend --label Version --order "$1" v1 v2 2>&1 | sed "s/$1/FILE/"; }
types() { tau-record --types "$1" -n true 2>&1 | sed "s/$1/FILE/"; }
for kind in windows order types; do
	for mark in marked wide windows; do
		is "$kind: a file that is $mark" "$($kind $kind.$mark | head -n 20)" "$($kind $kind.plain | head -n 20)"
	done
done
tap_end
