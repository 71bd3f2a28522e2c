#!/bin/sh
# otf2.sh: damaged OTF2 archives, each file cut short and with flipped bytes: what remains is read or one sentence reports what is
# wrong; never a signal, and never an hour. (The format has no checksums: a changed value cannot be noticed.)
. "$(dirname "$0")/../tap.sh"
linked tau-convert libopen-trace-format2 || skip_all "built without the OTF2 library"

tau-record -o "$T/run" "$B/apps/api" >/dev/null 2>&1 || { fail "a program is recorded"; tap_end; }
tau-convert --to otf2 "$T/run" "$T/good" >/dev/null 2>"$T/err"

# In the anchor, after the format and its versions: sizes of a chunk of events and of one of definitions. The library clears two of the
# latter for each location, so that a thousand locations with the default of 4 MiB take half a minute.
is "few definitions are in chunks of the least size" "$(od -An -v -tu8 -j20 -N8 "$T/good/traces.otf2" | tr -d ' ')" 262144

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
# A count of properties in the anchor that overflows 32 bits in the library, which then frees wild pointers.
cp -r "$T/good" "$T/anchor"
at=$(od -An -v -tu1 -w1 "$T/anchor/traces.otf2" | awk 'NR > 46 && $1 == 0 && ++n == 3 { print NR; exit }')
printf '\001\000\000\200' | dd of="$T/anchor/traces.otf2" bs=1 seek="$at" conv=notrunc 2>/dev/null
like "a count of properties beyond the end of the file" "$(tau-trace2profile -f csv "$T/anchor" 2>&1)" \
	"^tau-trace2profile: $T/anchor/traces.otf2: this OTF2 anchor is damaged: it announces 2147483649 properties, and has [0-9]* bytes"

# A library that crashes on damage.
cat >"$T/crash.c" <<'END'
#include <stdlib.h>
void *OTF2_Reader_Open(const char *path)
{
	(void)path;
	abort();
}
END
cc -shared -fPIC "$T/crash.c" -o "$T/crash.so" || skip_all "no compiler"
cp -r "$T/good" "$T/crash"
crash() { # NAME COMMAND...
	name=$1
	shift
	LD_PRELOAD="$T/crash.so" "$@" >"$T/out" 2>"$T/err"
	is "$name: what crashes the library is damaged input" "$?" 3
	like "$name: which is reported in a sentence" "$(tail -n 1 "$T/err")" \
		"^tau-[a-z2 ]*: $T/crash: the OTF2 library failed while reading it \\(Aborted\\): the archive is damaged$"
	is "$name: and nothing is left" "$(cat "$T/out"; ls "$T" | grep '^result')" ""
}
crash trace2profile tau-trace2profile -f csv "$T/crash"
crash "to a directory" tau-trace2profile -f tau -o "$T/result" "$T/crash"
crash convert tau-convert --to tau "$T/crash" "$T/result"
crash dump tau-dump --check "$T/crash"
crash db tau-db import --db "$T/crash.db" "$T/crash"
crash report tau-report series "$T/crash"
tau-trace2profile -f tau -o "$T/profiles" "$T/good" 2>/dev/null
LD_PRELOAD="$T/crash.so" tau-db import --db "$T/several.db" "$T/crash" "$T/profiles" >"$T/out" 2>"$T/err"
is "several imports: the run after the one that crashes is stored" "$? $(grep -c '^trial 1: profiles' "$T/out") $(cat "$T/err")" \
	"3 1 tau-db import: $T/crash: the OTF2 library failed while reading it (Aborted): the archive is damaged
tau-db import: 1 of 2 runs is not stored"
# A disk that is full when the library writes: the library must not be called for more.
cat >"$T/long.c" <<'END'
#include "tau.h"
int main(void)
{
	unsigned r = 1;

	for (int i = 0; i < 200000; i++) {
		TAU_START("one");
		if ((r = r * 1103515245 + 12345) >> 30) {
			TAU_START("two");
			TAU_STOP("two");
		}
		TAU_STOP("one");
	}
	return 0;
}
END
ok "a program with many calls builds" ${CC:-cc} -I"$TOP/record" "$T/long.c" -o "$T/long"
tau-record -o "$T/long.run" "$T/long" >/dev/null 2>&1
for limit in 1 1000 4000; do
	(trap '' XFSZ; ulimit -f $limit; exec tau-convert --to otf2 "$T/long.run" "$T/result") >"$T/out" 2>"$T/err"
	is "a file of $limit blocks is all there may be: exit code" "$?" 4
	is "and one sentence" "$(wc -l <"$T/err") $(grep -c "^tau-convert: $T/result: [A-Z]" "$T/err")" "1 1"
	is "and nothing is left" "$(ls "$T" | grep '^result')" ""
done
# Of a file that is one short chunk, the library reports nothing.
(trap '' XFSZ; ulimit -f 40; exec tau-convert --to otf2 --window 40%:50% "$T/long.run" "$T/result") >"$T/out" 2>"$T/err"
is "a short file that is cut: exit code" "$?" 4
is "and nothing is left" "$(ls "$T" | grep '^result')" ""
(trap '' XFSZ; ulimit -f 40; exec tau-convert --follow --to otf2 --every 10ms "$T/long.run" "$T/result") >"$T/out" 2>"$T/err"
is "archives of a run that is followed: exit code" "$?" 4
rm -rf "$T/result"
try traces.otf2 9
try traces.def 97
try traces/0.evt 61
try traces/0.def 7
tap_end
