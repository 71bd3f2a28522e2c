#!/bin/sh
# memory-objects.sh: objects of C++ classes, also in stripped programs, and of CPython, against programs that know how many.
. "$(dirname "$0")/../tap.sh"
unset TAU_DOUBLE LD_PRELOAD TAU_TRACK_MEMORY_LEAKS TAU_MEMORY_SITES

# typed RUN: type and blocks of all that is live at the walk; without default template arguments.
typed() {
	tau-report memory --by type --top 0 -f json "$1" |
		sed -n '/"kind": *"all"/d; s/.*"type": *"\([^"]*\)".*"blocks": *\([0-9]*\).*/\1 \2/p' | sed 's/, std::less<int>, .* > > >/> >/'
}
for how in plain stripped; do
	cp "$B/apps/memclasses" "$T/classes"
	[ $how = plain ] || strip "$T/classes"
	rm -rf "$T/cxx"
	ok "a $how C++ program is recorded" env TAU_MEMORY_SITES=0 tau-record -o "$T/cxx" --wrap memory "$T/classes"
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
		sed '/^untyped/d; s/, std::allocator<void>, (__gnu_cxx::_Lock_policy)[0-9]>/>/; s/, std::allocator<mesh::Cell>, (__gnu_cxx::_Lock_policy)[0-9]>/>/' | LC_ALL=C sort
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

# What containers hold, by the call that allocated it, if it is known what was inlined there, or if nothing was.
for flags in '-g -O2' '-g -O1' -O0; do
	rm -rf "$T/containers.run"
	${CXX:-g++} -std=gnu++17 $flags "$TOP/fixtures/apps/memcontainers.cc" -o "$T/containers" || fail "containers, $flags: builds"
	tau-record -o "$T/containers.run" --memory "$T/containers" 2>"$T/err" | LC_ALL=C sort >"$T/expect"
	found "$T/containers.run" | grep -v '^std::__detail::_Hash_node_base' >"$T/got"
	is "containers, $flags: blocks and bytes of each type that they hold" "$(cat "$T/got")" "$(cat "$T/expect")"
done
tau-trace2profile --no-index --format csv --window 30%:100% "$T/containers.run" >"$T/without" 2>&1
tau-trace2profile --format csv --window 30%:100% "$T/containers.run" >"$T/with" 2>&1
is "which an index does not change" "$(cat "$T/with")" "$(cat "$T/without")"

# Owners by pointers: what an object holds, through memory without a type too; what several kinds hold has no owner.
ok "a program whose objects own memory is recorded" sh -c "tau-record -o $T/owners --memory=types '$B/apps/memowners' >$T/truth"
is "blocks and bytes of each type and owner" "$(tau-report memory --by owner --top 0 -f csv "$T/owners" |
	awk -F, '/^zoo::|\[memowners\]/ { sub(/ .*/, "", $1); print $1 ($2 == "" ? "" : " <= " $2), $6, $4 }' | LC_ALL=C sort)" \
	"$(LC_ALL=C sort "$T/truth")"

python=$("${TAU_TEST_PYTHON:-python3}" -c 'import sys, ctypes; print(sys.executable)' 2>/dev/null) ||
	{ skip "objects of CPython" "no python3 with ctypes"; tap_end; }
# python N: $T/py.N what it made, $T/py.N.typed what was found: type, blocks, bytes
python() {
	rm -rf "$T/py"
	PYTHONHASHSEED=0 PYTHONMALLOC=malloc tau-record -o "$T/py" --wrap memory "$python" "$TOP/fixtures/apps/memory/objects.py" "$1" \
		>"$T/py.$1" 2>"$T/err" || fail "python ends with $?: $(cat "$T/err")"
	tau-report memory --by type --top 0 -f json "$T/py" |
		sed -n 's/.*"type": *"\([^"]*\)".*"bytes": *\([0-9]*\).*"blocks": *\([0-9]*\).*/\1\t\3\t\2/p' >"$T/py.$1.typed"
}
python 0
python 300
is "CPython: as many objects of each type as the collector knows of" \
	"$(awk -F '\t' 'FNR == NR { if ($1 == "all") want[$2] += $3; next } { got[$1] = $2 }
		END { for (k in want) if (want[k] != got[k] + 0) print k, want[k], got[k] }' "$T/py.300" "$T/py.300.typed")" ""
like "which are many types" "$(grep -c '^all' "$T/py.300")" '^([5-9][0-9]|1[0-9][0-9])$'
# What 300 of each are more than none. What is not all in the object has other sizes: buffers, tables, a time zone that is not there.
is "CPython: as many as were made, with the bytes that they say they have" \
	"$(awk -F '\t' 'FILENAME ~ /\.0\.typed$/ { n[$1] = $2; b[$1] = $3; next }
		$1 == "made" { want[$2] += $3; bytes[$2] += $4; unknown[$2] = $4 == "unknown"; next }
		!($1 in want) { next }
		{ seen++ }
		$2 - n[$1] != want[$1] { print $1, $2 - n[$1], "not", want[$1] }
		$1 !~ /^(Text|Words|bytearray|datetime\.datetime)$/ && !unknown[$1] && $3 - b[$1] != bytes[$1] { print $1, $3 - b[$1], "bytes, not", bytes[$1] }
		END { print seen }' "$T/py.0.typed" "$T/py.300" "$T/py.300.typed")" 18
more() { awk -F '\t' -v t="$1" -v f="$2" '$1 == t { v[FILENAME] = $f; last = FILENAME } END { print v[last] - v[ARGV[1]] }' "$T/py.0.typed" "$T/py.300.typed"; }
is "CPython: strings of bytes" "$(more bytes 2)" 300
# The interpreter itself has some more or fewer from run to run.
more=$(more str 2)
ok "CPython: strings, short ones, too ($more)" [ "$more" -ge 550 -a "$more" -le 650 ]
says="CPython: only objects of more than 512 bytes are seen"
rm -rf "$T/arenas"
ok "CPython with its arenas" tau-record -o "$T/arenas" --wrap memory "$python" "$TOP/fixtures/apps/memory/objects.py" 30
like "the report says what it does not see" "$(tau-report memory "$T/arenas")" "^$says"
is "and does not where all is seen" "$(tau-report memory "$T/py" | grep -c "^$says")" 0

# A program's own classes with names as those of Open MPI and PMIx have; files that keep names only know it, too.
cat >"$T/own.cc" <<'END'
struct particle_t { virtual ~particle_t() {} double x[10]; };
struct ompi_something { virtual ~ompi_something() {} int y[20]; };
struct pmix_thing_t { virtual ~pmix_thing_t() {} int z[30]; };
static void *keep[90];
int main()
{
	for (int i = 0; i < 30; i++) {
		keep[3 * i] = new particle_t;
		keep[3 * i + 1] = new ompi_something;
		keep[3 * i + 2] = new pmix_thing_t;
	}
	return keep[0] == keep[1];
}
END
${CXX:-g++} -O1 "$T/own.cc" -o "$T/own" && tau-record -o "$T/own.run" --memory=types "$T/own" 2>"$T/err"
# whose REPORT-ARGUMENTS: whose bytes there are, and the rows of the three
whose() {
	tau-report memory-scaling --top 0 "$@" 2>&1 |
		sed -n "/^Open MPI's own bytes: [^t]/,/^Program/p; /^particle_t\|^ompi_something\|^pmix_thing_t/p"
}
whose "$T/own.run" >"$T/want"
is "all three are the program's" "$(grep -c '^particle_t\|^ompi_something\|^pmix_thing_t' "$T/want") $(grep -c ': none$' "$T/want")" "3 2"
tau-trace2profile --format tau -o "$T/own.tau" "$T/own.run"
tau-trace2profile --format ppk -o "$T/own.ppk" "$T/own.run"
tau-db import --db "$T/own.db" "$T/own.run" >"$T/err"
tau-convert -t otf2 "$T/own.run" "$T/own.otf2"
tau-convert -t tau "$T/own.run" "$T/own.copy"
for from in "$T/own.tau" "$T/own.ppk" "--db $T/own.db" "$T/own.otf2" "$T/own.copy"; do
	is "and from ${from##*/}" "$(whose $from)" "$(cat "$T/want")"
done
tap_end
