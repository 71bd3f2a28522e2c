#!/bin/sh
# memory-rules.sh: objects of hand-made object systems, identified by the rules of a file, against a program that counts them;
# what only looks like one stays untyped, and a file that is wrong is refused.
. "$(dirname "$0")/../tap.sh"
unset TAU_DOUBLE LD_PRELOAD TAU_TRACK_MEMORY_LEAKS TAU_MEMORY_SITES TAU_MEMORY_TYPES

cat >"$T/rules" <<'END'
# the word after the list pointer; arenas are larger
class 8 -> 8 string varying max 200 library *objects*	# in the program, or its library

class 0x10 -> -8 -> 24 chars prefix ui:
class 0 -> 8 string heap min 88 max 88 prefix made:
END
# typed RUN: type, blocks and bytes of all that is live at the walk.
typed() {
	tau-report memory --by type --top 0 -f json "$1" |
		sed -n '/"kind": *"all"/d; s/.*"type": *"\([^"]*\)".*"bytes": *\([0-9]*\).*"blocks": *\([0-9]*\).*/\1 \3 \2/p' |
		grep -v '^untyped' | LC_ALL=C sort
}
cp "$B/apps/memrules" "$T/objects"
cp "$B/apps/memrules" "$T/objects.stripped"
strip "$T/objects.stripped"
echo 'int memrules(void); int main(void) { return memrules(); }' >"$T/main.c"
${CC:-cc} -O1 -shared -fPIC "$TOP/fixtures/apps/memrules.c" -o "$T/libobjects.so" &&
	strip "$T/libobjects.so" &&
	${CC:-cc} "$T/main.c" -L"$T" -lobjects -Wl,-rpath,"$T" -o "$T/caller"
"$T/objects" | LC_ALL=C sort >"$T/expect"
like "the program says what it keeps" "$(wc -l <"$T/expect")" '^ *7$'
cd "$T" || exit 1
for p in objects objects.stripped caller; do
	ok "$p is recorded" tau-record -o "$T/$p.run" --types rules "$T/$p"
	is "$p: as many objects of each class as there are, and nothing that only looks like one" \
		"$(typed "$T/$p.run")" "$(cat "$T/expect")"
done

TAU_MEMORY_TYPES=rules tau-record -o "$T/env" --wrap memory env -C / "$T/objects" >"$T/out" 2>&1 || sed 's/^/# /' "$T/out"
is "the variable stands for the option, in a child in another folder, too" "$(typed "$T/env")" "$(cat "$T/expect")"
tau-record -o "$T/none" --memory "$T/objects" >"$T/out" 2>&1
is "without rules none has a type" "$(typed "$T/none")" ""

# try RULE: what it finds.
try() {
	echo "$1" >"$T/one"
	rm -rf "$T/try"
	tau-record -o "$T/try" --types "$T/one" "$T/objects" >"$T/out" 2>&1 || cat "$T/out"
	typed "$T/try"
}
is "objects of one class are of one size: an array or arena that begins with one has no type" \
	"$(try 'class 8 -> 8 string')" "$(printf 'Circle 16 640\nSquare 29 1856\nText 1 24')"
is "sizes narrow a rule" "$(try 'class 8 -> 8 string min 64 max 64')" "Square 29 1856"
is "classes of another library are none" "$(try 'class 8 -> 8 string library other*')" ""
is "classes on the heap are none, unless a rule reports it" "$(try 'class 0 -> 8 string min 88 max 88')" ""
is "a rule that leads astray finds nothing" "$(try 'class 8 -> 8 -> 8 -> 8 string heap varying')" ""

# refuses WHAT RULE SENTENCE
refuses() {
	printf '# first\n%s\n' "$2" >"$T/bad"
	is "refused: $1" "$(tau-record -o "$T/not" --types "$T/bad" "$T/objects" 2>&1; echo $?)" "tau-record: $T/bad: line 2: $3
125"
}
refuses "another word" 'type 8 -> 8 string' "'type' does not begin a rule: rules begin with class"
refuses "no offset" 'class' "'' is not an offset of 0 to 65536 bytes"
refuses "a word for an offset" 'class 8 -> x string' "'x' is not an offset of -65536 to 65536 bytes"
refuses "an object that begins before its block" 'class -8 -> 8 string' "'-8' is not an offset of 0 to 65536 bytes"
refuses "one offset" 'class 8 string' 'expected OFFSET -> OFFSET: the offsets of the class and of its name'
refuses "nine" 'class 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 8 -> 9 string' 'more than 8 offsets'
refuses "no kind of name" 'class 8 -> 8' "'' after the offsets is not ->, string or chars"
refuses "an unknown condition" 'class 8 -> 8 chars least 8' "'least' is not min, max, library, prefix, heap or varying"
refuses "no size" 'class 8 -> 8 chars min many' 'min needs a number of bytes'
refuses "sizes the wrong way round" 'class 8 -> 8 chars min 9 max 8' 'min is more than max'
refuses "no library" 'class 8 -> 8 chars library' 'library needs a word of at most 60 characters'
yes 'class 8 -> 8 chars' | head -33 >"$T/bad"
is "refused: 33 rules" "$(tau-record --types "$T/bad" "$T/objects" 2>&1; echo $?)" "tau-record: $T/bad: line 33: more than 32 rules
125"
echo '# nothing' >"$T/bad"
is "refused: no rule" "$(tau-record --types "$T/bad" "$T/objects" 2>&1; echo $?)" "tau-record: $T/bad: it contains no rule
125"
is "refused: no file" "$(tau-record --types "$T/gone" "$T/objects" 2>&1; echo $?)" "tau-record: $T/gone: No such file or directory
125"
ok "and nothing was recorded" test ! -e "$T/not"
tap_end
