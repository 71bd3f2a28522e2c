#!/bin/sh
# memory-objects.sh: objects of C++ classes, also in stripped programs, and of CPython, against programs that know how many.
. "$(dirname "$0")/../tap.sh"
unset TAU_DOUBLE LD_PRELOAD TAU_TRACK_MEMORY_LEAKS TAU_MEMORY_SITES

# typed RUN: type and blocks of all that is live at the walk; default template arguments are left out.
typed() {
	tau-report memory --by type --top 0 -f json "$1" |
		sed -n '/"kind": *"all"/d; s/.*"type": *"\([^"]*\)".*"blocks": *\([0-9]*\).*/\1 \2/p' | sed 's/, std::less<int>, .* > > >/> >/'
}
for how in plain stripped; do
	cp "$B/apps/memclasses" "$T/classes"
	[ $how = plain ] || strip "$T/classes"
	rm -rf "$T/cxx"
	ok "a $how C++ program is recorded" tau-record -o "$T/cxx" --wrap memory "$T/classes"
	"$T/classes" | sed 's/ [0-9]*$//' | sort >"$T/expect"
	typed "$T/cxx" | grep -v '^untyped' | sort >"$T/got"
	is "$how: as many objects of each class as there are, and nothing that only looks like one" "$(cat "$T/got")" "$(cat "$T/expect")"
done

# Classes of all shapes, among what only begins as an object of one, by compilers that leave different code.
shapes=$TOP/fixtures/apps/memshapes.cc
${CXX:-g++} -DPLUGIN -O1 -shared -fPIC "$shapes" -o "$T/plugin.so" || fail "a library for shapes builds"
# found RUN: types, blocks and bytes
found() {
	tau-report memory --by type --top 0 -f json "$1" |
		sed -n '/"kind": *"all"/d; s/.*"type": *"\([^"]*\)".*"bytes": *\([0-9]*\).*"blocks": *\([0-9]*\).*/\1 \3 \2/p' |
		sed '/^untyped/d; s/, std::allocator<void>, (__gnu_cxx::_Lock_policy)[0-9]>/>/' | LC_ALL=C sort
}
# shaped FLAGS...: $T/expect and $T/got
shaped() {
	rm -rf "$T/shapes" "$T/shapes.run"
	${CXX:-g++} -std=gnu++17 "$@" "$shapes" -o "$T/shapes" && strip "$T/shapes" &&
		tau-record -o "$T/shapes.run" --wrap memory "$T/shapes" "$T/plugin.so" 2>"$T/err" | LC_ALL=C sort >"$T/expect"
	found "$T/shapes.run" >"$T/got"
}
for flags in -O0 -O2 '-Os -fno-plt -Wl,-z,now'; do
	shaped $flags
	is "shapes, $flags: as many objects, arrays and bytes of each class as there are" "$(cat "$T/got")" "$(cat "$T/expect")"
done
like "which are several" "$(wc -l <"$T/expect")" '^ *23$'
shaped -O1 -fno-sized-deallocation
is "where no code says how large objects are: none that is not there" "$(LC_ALL=C comm -13 "$T/expect" "$T/got")" ""
like "and most that are" "$(wc -l <"$T/got")" '^ *1[0-9]$'

python=$(python3 -c 'import sys, ctypes; print(sys.executable)' 2>/dev/null) ||
	{ skip "objects of CPython" "no python3 with ctypes"; tap_end; }
PYTHONMALLOC=malloc tau-record -o "$T/py" --wrap memory "$python" "$TOP/fixtures/apps/memory/objects.py" >"$T/expect" 2>"$T/err" ||
	fail "python ends with $?: $(cat "$T/err")"
typed "$T/py" >"$T/all"
while read -r kind n; do
	is "CPython: $kind" "$(sed -n "s/^$kind //p" "$T/all")" "$n"
done <"$T/expect"
like "which were several" "$(wc -l <"$T/expect")" '^ *5$'
tap_end
