#!/bin/sh
# dump.sh: what tau-dump prints, what --check accepts and what it finds.
. "$(dirname "$0")/../tap.sh"

run=$T/api.run
tau-record -o "$run" "$B/apps/api" >/dev/null 2>&1 || { fail "a program is recorded"; tap_end; }
file=$(ls "$run"/*.tau)

tau-dump "$run" >"$T/all"
like "a file begins with its header" "$(head -n 1 "$T/all")" '^file .*\.tau: version 1\.[0-9]+, process [0-9a-f]{16}, pid [0-9]+, thread 0$'
like "then a chunk with its place" "$(cat "$T/all")" '^chunk 0 at offset 64, [0-9]+ bytes: [0-9]+ records, '
like "its definitions" "$(cat "$T/all")" '^  define REGION region=[0-9]+ name="inner" groups="TAU_USER" file="" line=0$'
like "its snapshot" "$(cat "$T/all")" '^  snapshot: 0 regions are open$'
like "its records with time and distance" "$(cat "$T/all")" '^  #0 0\.[0-9]{9} \+[0-9]+ ns '
like "names before ids" "$(cat "$T/all")" ' ENTER typed int \(void\) \[[0-9]+\]$'
like "fields of records" "$(cat "$T/all")" ' EVENT event=counted \[[0-9]+\] value=100$'
like "and the index" "$(cat "$T/all")" '^index at offset [0-9]+: 1 entries$'
is "one file gives the same" "$(tau-dump "$file" | cksum)" "$(cksum <"$T/all")"
is "enters match the profile's calls" "$(grep -c ' ENTER inner \[' "$T/all")" \
	"$(tau-trace2profile -f csv "$run" 2>/dev/null | awk -F, '$6 == "inner" { print $8 }')"
is "--only leaves the rest out" "$(tau-dump --only definitions "$run" | grep -vc '^  define ')" 0
is "several kinds may be named" "$(tau-dump --only chunks,index "$run" | grep -c '^chunk\|^index')" 2

# status WANT COMMAND...: exit status, and nothing on stdout
status() {
	want=$1
	shift
	"$@" >"$T/out" 2>"$T/err"
	is "status $want: $*" "$?" "$want"
}
status 0 tau-dump --check "$run"
like "a sound file is ok" "$(cat "$T/out")" '\.tau: ok: 1 chunk, [0-9]+ records$'
status 2 tau-dump
status 2 tau-dump --only everything "$run"
status 3 tau-dump "$B/apps/api"
status 4 tau-dump "$T/missing"
mkdir "$T/nothing"
status 3 tau-dump "$T/nothing"
like "a directory that is no run" "$(cat "$T/err")" 'not a run'

# flip BYTE: the byte at this offset of a copy is changed
size=$(wc -c <"$file")
flip() {
	cp "$file" "$T/flip.tau"
	b=$(od -An -tu1 -j "$1" -N 1 "$T/flip.tau" | tr -d ' ')
	printf "\\$(printf %o $(((b + 1) % 256)))" | dd of="$T/flip.tau" bs=1 seek="$1" conv=notrunc 2>/dev/null
}
missed=
step=$((size / 60 + 1))
for at in $(seq 0 $step $((size - 1))); do
	flip "$at"
	tau-dump --check "$T/flip.tau" >"$T/out" 2>&1
	[ $? -eq 3 ] && grep -q "flip\.tau" "$T/out" || missed="$missed $at"
done
is "--check finds a changed byte wherever it is" "$missed" ""
head -c $((size / 2)) "$file" >"$T/cut.tau"
status 3 tau-dump --check "$T/cut.tau"
like "a file cut in half" "$(cat "$T/out")" 'cut\.tau: .*(cut short|ends inside)'
# --- windows, ranks, threads, regions: of runs record by record, of other formats event by event ---
run=$T/chosen
tau-record -o "$run" "$B/apps/api" >/dev/null 2>&1
tau-convert --to otf2 "$run" "$T/chosen.otf2" 2>/dev/null
count() { tau-dump --only records "$@" 2>/dev/null | grep -c "^  #"; }
for t in "$run" "$T/chosen.otf2"; do
	w="$(basename "$t")"
	ok "$w: has events" [ "$(count "$t")" -gt 100 ]
	is "$w: two windows hold what the whole holds" "$(($(count -w :70% "$t") + $(count -w 70%: "$t")))" "$(count "$t")"
	ok "$w: a window holds less" [ "$(count -w 70%:80% "$t")" -lt "$(count "$t")" ]
	is "$w: nothing stands outside of the window" "$(tau-dump --only records -w 0.6ms:0.7ms "$t" 2>/dev/null | awk '/^  #/ && ($2 < .0006 || $2 >= .0007)')" ""
	is "$w: a region alone" "$(tau-dump --only records --region recurse "$t" 2>/dev/null | sed -n 's/.* ns \(ENTER\|LEAVE\) \(.*\)/\1 \2/p' | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
		" 30 ENTER recurse; 30 LEAVE recurse;"
	is "$w: what is inside of a call" "$(tau-dump --only records --inside outer "$t" 2>/dev/null | sed -n 's/.* ns ENTER //p' | sort -u | tr '\n' ';')" \
		"$(tau-trace2profile -f csv --callpath "$run" 2>/dev/null | awk -F , '$5 == "timer" && $6 ~ /=> outer/ { n = split($6, p, " => "); print p[n] }' | sort -u | tr '\n' ';')"
	is "$w: a thread that is not there" "$(tau-dump --thread 7 "$t" 2>&1 >/dev/null; echo $?)" \
		"tau-dump: $t: no thread matches --rank and --thread
3"
	is "$w: verifies" "$(tau-dump --check "$t" | grep -c ': ok: ')" 1
done
is "both tell of the same enters" "$(tau-dump --only records "$T/chosen.otf2" 2>/dev/null | grep -c ' ns ENTER ')" \
	"$(tau-dump --only records "$run" 2>/dev/null | grep -c ' ns ENTER ')"
is "both print the same fields of values" "$(tau-dump --only records "$T/chosen.otf2" 2>/dev/null | sed -n 's/.* ns EVENT //p' | cksum)" \
	"$(tau-dump --only records "$run" 2>/dev/null | sed -n 's/.* ns EVENT //p' | sed 's/ \[[0-9]*\] / /' | cksum)"
f=$T/chosen.otf2/traces/0.evt
head -c $(($(wc -c <"$f") - 20)) "$f" >"$T/cut" && mv "$T/cut" "$f"
is "an archive that is cut short does not verify" "$(tau-dump --check "$T/chosen.otf2" >"$T/out"; echo $?)" 3
like "and it is reported where" "$(cat "$T/out")" "0.evt: the file is cut short; the [0-9]+ events before are kept"
is "a window after the end" "$(tau-dump --window 9h: "$run" 2>&1 | sed 's/ which is .*//'; tau-dump --window 9h: "$run" >"$T/out" 2>/dev/null; echo $?)" \
	"tau-dump: $run: window '9h:': it is after the end of the run,
3"
for text in TAU hello "$(seq 100)"; do
	echo "$text" >"$T/text"
	is "a text of ${#text} characters is no trace" "$(tau-dump "$T/text" 2>&1)" "tau-dump: $T/text: this is not a trace file"
done
head -c 20 "$(ls "$run"/*.tau | head -n 1)" >"$T/text"
is "the beginning of a trace file" "$(tau-dump "$T/text" 2>&1)" "tau-dump: $T/text: the file header is cut short"
is "--check takes everything" "$(tau-dump --check --window :1ms "$run" 2>&1; echo $?)" "tau-dump: --check verifies the whole trace
2"

# A trace that was made from another has call sites by name.
tau-record --wrap memory -o "$T/leaks.run" "$B/apps/memleak" >/dev/null 2>&1
tau-convert "$T/leaks.run" "$T/named.run" >/dev/null 2>&1
like "call sites without an address have a name, a file and a line" "$(tau-dump --only definitions "$T/named.run")" \
	' define SITE memtype=[0-9]+ address=0x0 name="lose [^"]*" file="[^"]*memleak.c" line=[0-9]+$'
tap_end
