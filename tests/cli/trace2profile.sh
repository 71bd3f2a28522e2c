#!/bin/sh
# trace2profile.sh: tau-trace2profile's formats, windows, output and errors, on the trace of a small program.
. "$(dirname "$0")/../tap.sh"
export TAU_SAMPLING=0	# all rows are counted: those of samples are left out

run=$T/api.run
tau-record -o "$run" "$B/apps/api" >/dev/null 2>&1 || { fail "a program is recorded"; tap_end; }

# status WANT COMMAND...: exit status, one line on stderr that names the program, nothing on stdout
status() {
	want=$1
	shift
	"$@" >"$T/out" 2>"$T/err"
	is "status $want: ${*#"$T/"}" "$? $(wc -l <"$T/err") $(wc -c <"$T/out")" "$want 1 0"
	like "it prints what is wrong" "$(cat "$T/err")" '^tau-trace2profile: .{15,}'
}

# --- errors ---
status 2 tau-trace2profile
status 2 tau-trace2profile "$run" "$run"
status 2 tau-trace2profile --format xml "$run"
status 2 tau-trace2profile --callpath=1 "$run"
status 2 tau-trace2profile --window 10:20 "$run"
status 2 tau-trace2profile --window 5ms "$run"
status 2 tau-trace2profile --window '' "$run"
status 3 tau-trace2profile --window nosuch "$run"
status 3 tau-trace2profile --window 'inner#99' "$run"
status 3 tau-trace2profile --window 2ms:1ms "$run"
status 3 tau-trace2profile "$B/apps/api"
mkdir "$T/nothing"
status 3 tau-trace2profile "$T/nothing"
status 4 tau-trace2profile "$T/missing"
status 2 tau-trace2profile -o - "$run"
status 2 tau-trace2profile -f ppk --slices 2 -o - "$run"
is "-o - is standard output" "$(tau-trace2profile -f csv -o - "$run" 2>/dev/null | cksum)" "$(tau-trace2profile -f csv "$run" 2>/dev/null | cksum)"
status 4 tau-trace2profile -f csv -o "$T/missing/out.csv" "$run"
status 4 tau-trace2profile -o "$T/missing/out" "$run"
: >"$T/nothing/empty.tau"
status 3 tau-trace2profile "$T/nothing"
like "an empty file is named" "$(cat "$T/err")" 'empty\.tau: the file is empty'

# --- CSV ---
tau-trace2profile -f csv --callpath=2 "$run" >"$T/all.csv" 2>/dev/null
is "-c2 is --callpath=2" "$(tau-trace2profile -f csv -c2 "$run" 2>/dev/null)" "$(cat "$T/all.csv")"
is "CSV begins with its columns" "$(head -n 1 "$T/all.csv" | tr -d '\r')" \
	window,node,context,thread,kind,name,group,calls,subrs,exclusive_us,inclusive_us,n,max,min,mean,sumsq
is "each line ends with CR LF" "$(grep -c "$(printf '\r')\$" "$T/all.csv")" "$(wc -l <"$T/all.csv")"
is "each line has 16 fields" "$(awk -F, 'NF != 16' "$T/all.csv" | wc -l)" 0
is "calls of a region" "$(awk -F, '$6 == "inner" { print $7, $8 }' "$T/all.csv")" "TAU_USER 7"
is "calls from one caller" "$(awk -F, '$6 == "typed int (void) => inner" { print $7, $8 }' "$T/all.csv")" \
	"TAU_CALLPATH|TAU_USER 7"
is "samples of an event" "$(awk -F, '$6 == "counted" { print $5, $12, $13, $14, $15, $16 }' "$T/all.csv" | tr -d '\r')" \
	"counter 100 100 1 50.5 338350"

# --- windows ---
tau-trace2profile -f csv -w :50% -w 50%: -w : "$run" >"$T/halves.csv" 2>/dev/null
is "two halves are the whole: calls, subroutines and times" "$(awk -F, 'NR > 1 && $5 == "timer" {
	k = ($1 == ":" ? -1 : 1); calls[$6] += k * $8; subrs[$6] += k * $9
	excl[$6] += k * int($10 * 1000 + .5); incl[$6] += k * int($11 * 1000 + .5) }
	END { for (n in calls) if (calls[n] || subrs[n] || excl[n] || incl[n]) bad = bad " " n; print bad }' "$T/halves.csv")" ""
is "an instance of a region holds its calls" "$(tau-trace2profile -f csv -w 'typed int (void)#2' "$run" 2>/dev/null |
	awk -F, '$6 == "inner" { print $1, $8 }')" "typed int (void)#2 1"
is "all instances hold all its calls" "$(tau-trace2profile -f csv -w 'typed int (void)#*' "$run" 2>/dev/null |
	awk -F, '$6 == "inner" { print $1, $8 }')" "typed int (void)#* 7"
tau-trace2profile -f csv -w 1h:2h "$run" >"$T/late.csv" 2>"$T/err"
is "a window behind the run does not fit it" "$? $(wc -l <"$T/late.csv") $(wc -l <"$T/err")" "3 0 1"
like "and that is reported" "$(cat "$T/err")" "1h:2h.: it is after the end of the run"
tau-trace2profile -f json -w 1h:2h -w : "$run" >"$T/late.json" 2>"$T/err"
is "among others that do it is an empty one" "$? $(grep -o '"window":[^,]*' "$T/late.json" | tr '\n' ' ')$(grep -c '1h:2h.: it is after' "$T/err")" \
	'0 "window": "1h:2h" "window": ":" 1'

windows() { tau-trace2profile -f csv "$@" 2>"$T/err" | awk -F, 'NR > 1 && !seen[$1]++ { print $1 }' | tr '\n' ' '; }
is "a region is its instances, each a window" "$(windows -w 'typed int (void)' "$run")" \
	"$(for i in 1 2 3 4 5 6 7; do printf 'typed int (void)#%d ' $i; done)"
is "or several of them at a time" "$(windows -w 'typed int (void)' --every 3 "$run")" \
	"typed int (void)#1..3 typed int (void)#4..6 typed int (void)#7 "
is "a run is cut into slices" "$(tau-trace2profile --slices 3 -f json "$run" 2>/dev/null | grep -c '"window":')" 3
tau-trace2profile -f csv -w : --slices 7 "$run" 2>/dev/null >"$T/slices.csv"
tau-trace2profile -f csv "$run" 2>/dev/null >"$T/whole.csv"
is "which add up to the whole" "$(awk -F, 'FNR > 1 && $5 == "timer" { k = FILENAME ~ /whole/ ? -1 : 1
	calls[$6] += k * $8; subrs[$6] += k * $9; excl[$6] += k * int($10 * 1000 + .5); incl[$6] += k * int($11 * 1000 + .5) }
	END { for (n in calls) if (calls[n] || subrs[n] || excl[n] || incl[n]) bad = bad " " n; print bad }' "$T/slices.csv" "$T/whole.csv")" ""
length=$(awk -F, '$6 == ".TAU application" { print int($11 / 7) + 1 }' "$T/whole.csv")
is "a length of time cuts as well" "$(tau-trace2profile --every ${length}us -f json "$run" 2>/dev/null | grep -o '"window": "[^"]*"' | head -n 2 | tr '\n' ' ')" \
	"$(awk "BEGIN { printf \"\\\"window\\\": \\\"0ms:%.10gms\\\" \\\"window\\\": \\\"%.10gms:%.10gms\\\" \", $length / 1000, $length / 1000, $length / 500 }")"
printf '# windows\n\n  inner#2 \n:100%%\n' >"$T/list"
is "windows stand in a file" "$(windows --windows "$T/list" -w 'inner#1' "$run")" "inner#1 inner#2 :100% "
is "or come from standard input" "$(windows --windows - "$run" <"$T/list")" "inner#2 :100% "
printf 'inner#1\n5ms\n' >"$T/list"
status 2 tau-trace2profile --windows "$T/list" "$run"
like "which names the line that is wrong" "$(cat "$T/err")" 'list: line 2: window .5ms.: one end is missing'
: >"$T/list"
status 2 tau-trace2profile --windows "$T/list" "$run"
status 4 tau-trace2profile --windows "$T/no-list" "$run"
status 2 tau-trace2profile --every 0ms "$run"
status 2 tau-trace2profile --every fast "$run"
status 2 tau-trace2profile --every 1ms --slices 2 "$run"
status 2 tau-trace2profile --slices -1 "$run"
status 2 tau-trace2profile --slices 0 "$run"
status 3 tau-trace2profile --every 1ns "$run"
status 2 tau-trace2profile --rank 1..0 "$run"
status 3 tau-trace2profile --rank 77 "$run"
status 3 tau-trace2profile --thread 77 "$run"
status 3 tau-trace2profile --window iter "$run"

# --- what could block a reader is no run ---
mkfifo "$T/fifo"
for name in a.tau traces.otf2 tautrace.0.0.0.trc events.0.edf snapshot.0.0.0 profile.0.0.0; do mkdir -p "$T/pipes/of.$name" && mkfifo "$T/pipes/of.$name/$name"; done
for command in "tau-trace2profile -f csv" "tau-report series" tau-dump "tau-dump --check"; do
	is "a FIFO is refused: $command" "$(timeout 10 $command "$T/fifo" 2>&1 | sed 's/^tau-[a-z0-9]*: //')" "$T/fifo: a FIFO, not a regular file"
	is "and so is one inside: $command" "$(for d in "$T"/pipes/*; do timeout 10 $command "$d" >/dev/null 2>&1; echo $?; done | sort -u)" 3
done
is "a FIFO is refused: tau-convert" "$(timeout 10 tau-convert "$T/fifo" "$T/fifo.json" 2>&1; echo $?)" "tau-convert: $T/fifo: a FIFO, not a regular file
3"
is "a FIFO is no list of windows" "$(timeout 10 tau-trace2profile --windows "$T/fifo" "$run" 2>&1; echo $?)" "tau-trace2profile: $T/fifo: a FIFO, not a regular file
3"
tau-convert --to otf2 "$run" "$T/noindex" 2>/dev/null
is "--index of an archive" "$(tau-trace2profile --index "$T/noindex" 2>&1; echo $?)" \
	"tau-trace2profile: $T/noindex: --index is only for traces of tau-record; this is an OTF2 archive
2"
is "--index and --no-index" "$(tau-trace2profile --index --no-index "$run" 2>&1; echo $?)" "tau-trace2profile: --index and --no-index exclude each other
2"
is "a rank alone" "$(tau-trace2profile --rank 0 -f csv "$run" 2>/dev/null | cksum)" "$(cksum <"$T/whole.csv")"

# --- options that mean nothing ---
is "options of text are for text" "$(tau-trace2profile -f csv --counters "$run" 2>&1; echo $?)" "tau-trace2profile: csv: --counters is for text
2"
# A profile without counters, and without samples.
mkdir -p "$T/without"
printf '1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n"main" 1 0 10 10 0 GROUP="TAU_USER"\n0 aggregates\n' \
	>"$T/without/profile.0.0.0"
is "--counters without counters" "$(tau-trace2profile -f text --counters "$T/without" 2>&1 >/dev/null)" \
	"tau-trace2profile: --counters lists nothing: the profile has no counters"
like "--sample-resolution without samples" "$(tau-trace2profile -f text --sample-resolution file "$run" 2>&1 >/dev/null)" \
	'--sample-resolution changes nothing: the profile has no samples; tau-record --sample takes them$'
is "--all leaves nothing for --top" "$(tau-trace2profile -f text --all --top 3 "$run" 2>&1; echo $?)" "tau-trace2profile: --all and --top exclude each other
2"
is "a format nearly" "$(tau-trace2profile -f callgrnid "$run" 2>&1 | grep -o "did you mean.*")" "did you mean 'callgrind'?"

# --- JSON and text ---
tau-trace2profile -f json -w : "$run" >"$T/all.json" 2>/dev/null
is "JSON has balanced brackets outside of strings" "$(sed 's/\\\\//g; s/\\"//g; s/"[^"]*"//g' "$T/all.json" | tr -d '\n' |
	awk '{ print gsub(/[{]/, "") - gsub(/[}]/, ""), gsub(/\[/, "") - gsub(/\]/, "") }')" "0 0"
like "JSON has the same rows" "$(cat "$T/all.json")" '"name": "inner", "group": "TAU_USER", "calls": 7, "subrs": 0'
like "and escapes what needs it" "$(cat "$T/all.json")" '"purpose": "truth, \\"quoted\\" <and> more"'
like "text is a table for people" "$(tau-trace2profile -f text "$run" 2>/dev/null)" \
	'^ +[0-9.]+ +[0-9.]+ +[0-9.]+ +7 +0 +[0-9.]+  inner$'
mkdir "$T/table"
for r in 0 1 2 3; do
	printf '31 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n'
	printf '"main [{/srv/src/app.c} {13,0}-{99,1}]" 1 30 %d 90000 0 GROUP="G"\n' $((10000 + 10000 * (r == 2)))
	for i in $(seq 1 28); do printf '"f%02d" 4855695 0 %d 10 0 GROUP="G"\n' $i $((i * 10)); done
	printf '"same [{/a/x.c} {1}]" 1 0 900 900 0 GROUP="G"\n"same [{/b/x.c} {1}]" 1 0 800 800 0 GROUP="G"\n'
	printf '0 aggregates\n1 userevents\n# eventname numevents max min mean sumsqr\n"Bytes sent" 4 4 1 2.5 30\n'
done | awk -v dir="$T/table" '/^31 / { f = dir "/profile." n++ ".0.0" } { print >f }'
printf '1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n".TAU application" 1 0 99999 99999 0 GROUP="G"\n0 aggregates\n0 userevents\n' >"$T/table/profile.0.0.1"
tau-trace2profile -f text "$T/table" >"$T/table.txt"
is "one table over all threads: mean, largest, where" "$(grep ' main ' "$T/table.txt" | tr -s ' ')" "68.5 50.000 360.000 4 12.500 20.000 2.0 1.60 main [app.c:13]"
is "the 20 largest rows" "$(grep -c ' f[0-9][0-9]$' "$T/table.txt") $(grep -o '[0-9]* of [0-9]* regions' "$T/table.txt")" "17 20 of 31 regions"
is "calls in full" "$(grep ' f28$' "$T/table.txt" | awk '{ print $4 }')" 19422780
is "places that only the folder tells apart are shown in full" "$(grep -o 'same .*' "$T/table.txt" | tr '\n' ';')" "same [{/a/x.c} {1}];same [{/b/x.c} {1}];"
like "threads that only wait do not count" "$(cat "$T/table.txt")" '^4 PEs, 5 threads, of which 1 only waits and is not counted\.$'
is "counters on request" "$(grep -c 'Bytes sent' "$T/table.txt") $(tau-trace2profile -f text --counters "$T/table" | grep 'Bytes sent' | tr -s ' ')" \
	"0 Bytes sent 16 40 2.5 4 1 1.1"
is "--top 0 lists all rows" "$(tau-trace2profile -f text --top 0 "$T/table" | grep -c ' f[0-9][0-9]$')" 28
is "--all lists those of each thread, and counters" "$(tau-trace2profile -f text --all "$T/table" | grep -c ' f[0-9][0-9]$') $(tau-trace2profile -f text --all "$T/table" | grep -c 'Bytes sent')" "140 5"
is "a metric that is not there" "$(tau-trace2profile -f text --metric TIEM "$T/table" 2>&1; echo $?)" "tau-trace2profile: --metric: 'TIEM' is unknown; there is only TIME
2"
if command -v script >/dev/null; then
	mkdir "$T/wide"
	{
		printf '3 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n'
		printf '"void Solver<std::vector<double> >::solve_everything(std::map<int, std::string> const&, int) [{/a/s.cc} {17,3}]" 1 1 1234567890 2345678901 0 GROUP="G"\n'
		printf '"main => a_long_name_of_a_region_around => another_region_around => innermost" 1 1 5 5 0 GROUP="TAU_CALLPATH|G"\n"main" 1 1 5 5 0 GROUP="G"\n0 aggregates\n0 userevents\n'
	} >"$T/wide/profile.0.0.0"
	cp "$T/wide/profile.0.0.0" "$T/wide/profile.1.0.0"
	script -qec "stty cols 80; tau-trace2profile -f text --callpath '$T/wide'" /dev/null </dev/null | tr -d '\r' >"$T/narrow.txt"
	is "a terminal's 80 columns are enough" "$(awk '{ if (length($0) > 80) print }' "$T/narrow.txt")" ""
	is "and names keep their function" "$(grep -o 'solve_everything(~)\|innermost$' "$T/narrow.txt" | tr '\n' ' ')" "solve_everything(~) innermost "
else
	skip "a terminal of 80 columns" "script is not installed"
fi
ok "no name is shortened in a pipe" sh -c "tau-trace2profile -f text '$T/wide' | grep -qF 'void Solver<std::vector<double> >::solve_everything(std::map<int, std::string> const&, int) [s.cc:17]'"

# --- TAU profiles ---
ok "the default writes TAU profiles" tau-trace2profile -o "$T/tau" "$run"
like "which begin as TAU's do" "$(head -n 1 "$T/tau/profile.0.0.0")" '^[0-9]+ templated_functions_MULTI_TIME$'
ok "and can be read again" tau-trace2profile -f csv -o "$T/again.csv" "$T/tau"
is "with the same rows" "$(tau-trace2profile -f csv "$run" 2>/dev/null | cut -d, -f2- | sort | cksum)" \
	"$(cut -d, -f2- "$T/again.csv" | sort | cksum)"
like "groups that a program joins with blanks are distinguished" "$(tau-trace2profile -f csv --group TWO "$run" 2>/dev/null)" \
	',of two groups,ONE\|TWO,'
ok "several windows are directories named by them" tau-trace2profile -w :50% -w 'inner#1' -o "$T/two" "$run"
is "one for each" "$(ls "$T/two" | tr '\n' ' ')" ":50% inner#1 "
ok "each holds a profile" test -s "$T/two/inner#1/profile.0.0.0"
is "in any format" "$(tau-trace2profile -w :50% -w 'inner#1' -f ppk -o "$T/packed" "$run" 2>/dev/null; ls "$T/packed" | tr '\n' ' ')" \
	":50%.ppk inner#1.ppk "
is "that can be read again" "$(tau-trace2profile -f csv "$T/packed/inner#1.ppk" | grep -c inner)" \
	"$(tau-trace2profile -f csv -w 'inner#1' "$run" 2>/dev/null | grep -c inner)"
touch "$T/file"
tau-trace2profile -w :50% -w 50%: -o "$T/file" "$run" 2>/dev/null
is "where a file stands, nothing is written" "$? $(ls "$T" | grep -c 'file\.')" "4 0"

# --- threads ---
status 2 tau-trace2profile -j -1 "$run"
status 2 tau-trace2profile -j 1025 "$run"
status 2 tau-trace2profile -j two "$run"
if tau-record -o "$T/threads.run" "$B/apps/threads" >/dev/null 2>&1; then
	for j in 1 2 3 16 0; do
		tau-trace2profile -j $j --callpath -w : -w 20%:60% -o "$T/threads.$j" "$T/threads.run" 2>"$T/err"
		echo "$? $(cat "$T/err")" >"$T/threads.$j.end"
		[ $j = 1 ] && continue
		ok "on $j threads the profiles are those on one, byte for byte" diff -r "$T/threads.1" "$T/threads.$j"
		ok "and the messages" cmp "$T/threads.1.end" "$T/threads.$j.end"
	done
	is "threads are chosen by number" "$(tau-trace2profile --thread 0,2..3 -f csv "$T/threads.run" 2>/dev/null |
		awk -F, 'NR > 1 && !seen[$4]++ { print $4 }' | tr '\n' ' ')" "0 2 3 "
	is "there are several streams" "$([ "$(ls "$T/threads.1/:" | wc -l)" -gt 4 ] && echo yes)" yes
else
	fail "a program with threads is recorded"
fi

# --- the same windows elsewhere ---
is "a series becomes time ranges of one trial" "$(tau-db import --db "$T/w.db" --slices 5 -j 2 "$run" 2>/dev/null | grep -o 'windows.*')" "windows 5"
is "which touch each other" "$(sqlite3 "$T/w.db" 'select count(*) from time_range a join time_range b on b.start = a.end')" 4
tau-report series --slices 7 -f csv "$run" 2>/dev/null >"$T/series.csv"
is "a report shows a series: a row for each region in each window" "$(head -n 1 "$T/series.csv" | tr -d '\r')" \
	window,begin_ms,end_ms,region,group,threads,calls,exclusive_ms,inclusive_ms,share_pct
is "whose calls add up" "$(sed 's/\r$//' "$T/series.csv" | awk -F, '$4 == "inner" { c += $7 } END { print c }')" 7
is "and whose shares are of all" "$(awk -F, 'NR > 1 { s[$1] += $10 } END { for (w in s) if (s[w] < 99.99 || s[w] > 100.01) print w, s[w] }' "$T/series.csv")" ""
is "from a database as from the run" "$(tau-report series --db "$T/w.db" -f csv 1 2>/dev/null | wc -l)" \
	"$(tau-report series --slices 5 -f csv "$run" 2>/dev/null | wc -l)"
is "the only trial needs no name" "$(tau-report series --db "$T/w.db" -f csv 2>&1)" "$(tau-report series --db "$T/w.db" -f csv 1)"
cp "$T/w.db" "$T/two.db"
tau-db import --db "$T/two.db" "$run" >/dev/null 2>&1
is "one of two does" "$(tau-report series --db "$T/two.db" 2>&1; echo $?)" \
	"tau-report: series: $T/two.db contains 2 trials: name one
2"
last=$(sqlite3 "$T/w.db" 'select name from time_range order by id desc limit 1')
is "of which some can be chosen" "$(tau-report series --db "$T/w.db" -f csv -w "$last" 1 | awk -F, 'NR > 1 && !n[$1]++ { print $1 }')" "$last"
is "but not cut" "$(tau-report series --db "$T/w.db" --slices 2 1 2>&1; echo $?)" \
	"tau-report: series: --every and --slices are for runs: a trial has the windows that it was stored with
2"
like "as a picture" "$(tau-report series --slices 7 -f svg "$run" 2>/dev/null)" '<title>.*: \.TAU application, [0-9.]+ %</title>'
mkdir "$T/idle"
tau_profile() { printf '%s templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n' $(($# / 5)); printf '"%s" %s %s %s %s 0 GROUP="TAU"\n' "$@"; printf '0 aggregates\n0 userevents\n'; }
tau_profile ".TAU application" 1 1 1000 5000 work 1 0 4000 4000 >"$T/idle/profile.0.0.0"
tau_profile ".TAU application" 1 0 5000 5000 >"$T/idle/profile.0.0.1"
tau-db import --db "$T/idle.db" "$T/idle" >/dev/null
is "threads in no region stand apart" "$(tau-report series --db "$T/idle.db" -f csv 1 | tr -d '\r' | cut -d, -f 4,6-)" \
"region,threads,calls,exclusive_ms,inclusive_ms,share_pct
work,1,1,4,4,80
.TAU application,1,1,1,5,20
(threads in no region),1,0,5,5,"
# A thread that stays where a library started it, in a function without a name, waits; one of the program, or one that calls, works.
tau_profile ".TAU application" 1 1 5 5000 "addr=<0x359d0> [libopen-pal.so.40]" 1 2 4990 4995 "pthread_mutex_lock()" 2 0 5 5 >"$T/idle/profile.0.0.1"
tau_profile ".TAU application" 1 1 0 5000 "addr=<0x10> [app]" 1 0 5000 5000 >"$T/idle/profile.0.0.2"
tau_profile ".TAU application" 1 1 0 5000 "addr=<0x20> [libpool.so]" 1 9 4000 5000 task 9 0 1000 1000 >"$T/idle/profile.0.0.3"
tau-db import --db "$T/waits.db" "$T/idle" >/dev/null
is "those that wait where a library started them have what they did" "$(tau-report series --db "$T/waits.db" -f csv 1 | tr -d '\r' | cut -d, -f 4,6-8)" \
"region,threads,calls,exclusive_ms
addr=<0x10> [app],1,1,5
addr=<0x20> [libpool.so],1,1,4
work,1,1,4
.TAU application,3,3,1
task,1,9,1
pthread_mutex_lock(),1,2,0.005
(threads in no region),1,0,4.995"
derived() { sqlite3 "$T/waits.db" "select round(v.exclusive_value, 3) from timer_value v join timer_call_data d on v.timer_call_data = d.id join thread h on d.thread = h.id join timer_callpath c on d.timer_callpath = c.id join timer t on c.timer = t.id where t.name = '.TAU application' and h.thread_rank = $1"; }
is "the store's means and totals exclude them" "$(derived -1) $(derived -2) $(derived -6)" "333.333 1000.0 250.0"
is "show has the same mean" "$(tau-db show --db "$T/waits.db" -p timers -f csv 1 | grep '^\.TAU' | tr -d '\r')" \
	".TAU application,1,333.3333333333333,6.664445184938354,5000,1000"
rm "$T/idle/profile.0.0.2" "$T/idle/profile.0.0.3"
tau_profile ".TAU application" 1 0 5000 5000 >"$T/idle/profile.0.0.1"
rm "$T/idle/profile.0.0.0"
tau-db import --db "$T/alone.db" "$T/idle" >/dev/null
is "unless all are" "$(tau-report series --db "$T/alone.db" -f csv 1 | tr -d '\r' | cut -d, -f 4,6-)" \
"region,threads,calls,exclusive_ms,inclusive_ms,share_pct
.TAU application,1,1,5,5,100"
is "of one run" "$(tau-report series "$run" "$run" 2>&1; echo $?)" "tau-report: series: name one run, or one trial with --db
2"
is "a report refuses what is several windows" "$(tau-report memory -w 'typed int (void)' "$run" 2>&1; echo $?)" \
	"tau-report: $run: window 'typed int (void)' is 7 windows, and a report uses one: as in 'typed int (void)#1'
3"

# --- many windows ---
cat >"$T/many.c" <<'END'
#include <stdlib.h>
static void *volatile kept[400], *volatile p;
__attribute__((noinline)) static void begin(void)
{
	for (int i = 0; i < 400; i++)
		kept[i] = malloc(10 + i);
}
__attribute__((noinline)) static void step(void)
{
	p = malloc(8);
	free(p);
}
int main(void)
{
	begin();
	for (int i = 0; i < 20000; i++)
		step();
	return 0;
}
END
if cc -g -O1 -finstrument-functions "$T/many.c" -o "$T/many" &&
	tau-record --memory=sites -o "$T/many.run" "$T/many" >/dev/null 2>&1; then
	# Sanitizers map more than any limit.
	limit=200000
	[ -z "$TAU_TEST_INSIDE" ] || limit=unlimited
	(ulimit -v $limit && tau-trace2profile -f csv -w step -o "$T/many.csv" "$T/many.run") >/dev/null 2>&1
	is "20,000 windows need no more memory than a few" "$? $(grep -c '^step#.*,alloc untyped .many.,' "$T/many.csv" 2>/dev/null)" "0 20000"
	(ulimit -v $limit && tau-report series -w step -f csv -o "$T/series.csv" "$T/many.run") >/dev/null 2>&1
	is "nor does their series" "$? $(grep -c '^step#20000,' "$T/series.csv" 2>/dev/null)" "0 3"
	is "in a series, memory that does not change has no row" "$(grep -c ',live untyped.*many.c} {6}' "$T/many.csv")" 0
	is "but what changed has" "$(grep -c ',peak untyped.*many.c} {10}' "$T/many.csv")" 20000
	is "and all of it" "$(grep -c ',live (all)' "$T/many.csv")" 20000
	is "a window by itself has what is live" "$(tau-trace2profile -f csv -w "$(sed -n '2s/,.*//p' "$T/many.csv")" "$T/many.run" 2>/dev/null |
		grep -c ',live untyped.*many.c} {6}')" 1
else
	fail "a program with memory is recorded"
fi

# --- only what the window needs ---
like "statistics name bytes and events" "$(tau-trace2profile -s -f csv -o /dev/null "$run" 2>&1)" \
	'read ([0-9]+) of \1 bytes, decoded [0-9]+ events'
cat >"$T/long.c" <<'END'
static __attribute__((noinline)) unsigned leaf(unsigned x) { return x * 1664525 + 1013904223; }
int main(void)
{
	unsigned x = 1;
	for (int i = 0; i < 500000; i++)
		x = leaf(x) & 1 ? leaf(x) : x;
	return x == 7;
}
END
if cc -O1 -finstrument-functions "$T/long.c" -o "$T/long" && tau-record -o "$T/long.run" "$T/long" >/dev/null 2>&1; then
	read_of=$(tau-trace2profile -s -w 40%:41% -f csv -o /dev/null "$T/long.run" 2>&1 |
		sed -n 's/.*read \([0-9]*\) of \([0-9]*\) bytes.*/\1 \2/p')
	ok "a window of 1 % reads less than a quarter of the trace ($read_of)" test "$(echo "$read_of" |
		awk '{ print $1 * 4 < $2 }')" = 1
	# Never more bytes are read than there are, unless the message reports that some were read again; an index is counted separately.
	for w in : 40%:41% 'leaf#7' 'leaf#1..3'; do
		for how in --no-index --index ""; do
			said=$(tau-trace2profile -s $how -w "$w" -f csv -o /dev/null "$T/long.run" 2>&1 | grep 'decoded')
			ok "--stats $how of $w ($said)" test "$(echo "$said" | sed 's/.*: read //' | awk '
				/^[0-9]+ of [0-9]+ bytes( and [0-9]+ of its index)?, decoded/ { print $1 <= $3 }
				/^[0-9]+ bytes, some of them twice, of a trace of [0-9]+ bytes( and [0-9]+ of its index)?, decoded/ { print 1 }')" = 1
		done
	done
else
	fail "a longer program is recorded"
fi

# --- an index that would be too large ---
cat >"$T/named.c" <<'END'
#include <stdio.h>
#include "tau.h"
static volatile long sum;
static __attribute__((noinline)) void leaf(int i) { sum += i; }
static __attribute__((noinline)) void step(void)
{
	for (int k = 0; k < 300; k++)
		leaf(k);
}
int main(void)
{
	char name[600];
	for (int i = 0; i < 2000; i++) {
		step();
		snprintf(name, sizeof(name), "counter %0300d", i);
		if (i < 600)
			TAU_TRIGGER_EVENT(name, i);
	}
	return 0;
}
END
if ${CC:-cc} -O1 -finstrument-functions -I"$TOP/record" "$T/named.c" -o "$T/named" &&
	tau-record -o "$T/named.run" "$T/named" >/dev/null 2>&1; then
	like "it is reported once that none is kept" "$(tau-trace2profile --index -f csv -o "$T/1.csv" "$T/named.run" 2>&1)" \
		'no index is kept: its call paths and counters would make it larger than a fifth'
	made=$(ls -li --time-style=+%s%N "$T"/named.run/*.index)
	is "not again, nor is it made again" "$(tau-trace2profile --index -f csv -o "$T/2.csv" "$T/named.run" 2>&1)$(ls -li --time-style=+%s%N "$T"/named.run/*.index)" \
		"$made"
	ok "and the profile is the same" cmp "$T/1.csv" "$T/2.csv"
else
	fail "a program with counters is recorded"
fi
tap_end
