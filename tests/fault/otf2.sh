#!/bin/sh
# otf2.sh: damaged OTF2 archives, each file cut short and with flipped bytes: what remains is read or one sentence says what is
# wrong; never a signal, and never an hour. (The format has no checksums: a changed value cannot be noticed.)
. "$(dirname "$0")/../tap.sh"

tau-record -o "$T/run" "$B/apps/api" >/dev/null 2>&1 || { fail "a program is recorded"; tap_end; }
tau-convert --to otf2 "$T/run" "$T/good" >/dev/null 2>"$T/err"

flip() { # FILE OFFSET
	byte=$(od -An -tu1 -j"$2" -N1 "$1" | tr -d ' ')
	printf "\\$(printf %03o $((255 - byte)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# try FILE STEP: every STEP-th byte flipped, and every STEP-th length
try() {
	size=$(wc -c <"$T/good/$1")
	bad=
	n=0
	at=$(($2 / 2))
	while [ $at -lt "$size" ]; do
		for how in flip cut; do
			rm -rf "$T/a"
			cp -r "$T/good" "$T/a"
			if [ $how = flip ]; then flip "$T/a/$1" $at; else head -c $at "$T/good/$1" >"$T/a/$1"; fi
			(ulimit -v 4000000 2>/dev/null; exec timeout 300 tau-trace2profile -f csv "$T/a") >/dev/null 2>"$T/err"
			code=$?
			n=$((n + 1))
			case $code in
			0) ;;
			3) [ "$(wc -l <"$T/err")" -eq 1 ] || bad="$bad $how@$at:lines" ;;
			*) bad="$bad $how@$at:$code" ;;
			esac
		done
		at=$((at + $2))
	done
	is "$1: $n kinds of damage" "$bad" ""
}
try traces.otf2 9
try traces.def 97
try traces/0.evt 61
try traces/0.def 7
tap_end
