# patch.sh: functions of programs without hooks but with room for a call (--patch): of gcc and clang, at fixed addresses or not, in
# libraries; registers, tail calls, threads, exceptions, jumps, coroutines and signal handlers stay right; what is not
# selected or not patchable is not touched.
. "$(dirname "$0")/../expect.sh"
apps=$TOP/fixtures/apps
cd "$T" || exit 1	# programs with -pg write gmon.out
CC=${CC:-cc} CXX=${CXX:-c++}

# build NAME SOURCE FLAGS...: with the compiler of the source
build() {
	name=$1 source=$2; shift 2
	case $source in
	*.cc) $CXX -std=gnu++17 -g -O1 -I"$TOP/record" "$@" "$source" -o "$T/$name" -lpthread ;;
	*) $CC -std=gnu11 -D_GNU_SOURCE -g -O2 -I"$TOP/record" "$@" "$source" -o "$T/$name" -lpthread -lm ;;
	esac >"$T/$name.built" 2>&1
}

# patched NAME: records it, and holds it against its truth
patched() {
	name=$1; shift
	record "$name" --patch '*' "$T/$name" "$@"
	is "$name: ends as it should" "$code" 0
	is "$name: nothing is printed but the summary" "$(grep -v '^tau-record: ' "$T/$name.err")" ""
	is "$name: no value is wrong" "$(grep '^BAD' "$T/$name.out")" ""
	# What is inlined always has no entry, and nothing hides a function from being patched.
	sed -i '/region inlined /d; /^EXPECT region fib_calls /d; /^EXPECT region named /d' "$T/$name.out"
	expect "$name"
	ok "$name: the trace is sound" tau-dump --check "$T/$name.run"
}

each() {
	kind=$1; shift
	if ! build "patched-$kind" "$apps/patch/patched.c" "$@"; then
		skip "$kind" "the compiler cannot build it"
		return
	fi
	patched "patched-$kind"
}
each entry -fpatchable-function-entry=5
each fixed -fpatchable-function-entry=5 -no-pie -fno-pie
each before -fpatchable-function-entry=16,8
each endbr -fpatchable-function-entry=5 -fcf-protection=full
each plain -fpatchable-function-entry=5 -O0
each fentry -pg -mfentry
each fentry-endbr -pg -mfentry -fcf-protection=full
each nop -pg -mfentry -mnop-mcount -mrecord-mcount -no-pie -fno-pie
if command -v clang >/dev/null 2>&1; then
	CC=clang
	# Its nops are as long as they can be: a call needs the begin of one.
	for n in 5 6 8 9 16; do each "clang-$n" -fpatchable-function-entry=$n; done
	each xray -fxray-instrument -fxray-instruction-threshold=1
	CC=cc
else
	skip "clang" "there is none"
fi

# Chunks are as full as those of hooks, and commands are looked for as often.
cat >tiny.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) int tiny(int i) { return i + (int)(getenv("none") != NULL); }
int main(void)
{
	int n = 0;
	for (int i = 0; i < 60000; i++)
		n = tiny(n);
	return n;
}
END
chunks() { tau-dump --only chunks "$1" | grep -c '^chunk'; }
$CC -g -O1 -fpatchable-function-entry=5 tiny.c -o tiny-patched && $CC -g -O1 -finstrument-functions tiny.c -o tiny-hooks
tau-record --patch 'tiny,main' -o tiny-patched.run ./tiny-patched >/dev/null 2>&1
tau-record -o tiny-hooks.run ./tiny-hooks >/dev/null 2>&1
is "as many chunks as with hooks" "$(chunks tiny-patched.run)" "$(chunks tiny-hooks.run)"

# what ends functions otherwise than by a return
for p in hooks signals bigstack threads crowd throws hookscc; do
	build "$p" "$(ls "$apps/$p".*c*)" -fpatchable-function-entry=5 -O1 && patched "$p"
done
build jumps "$apps/jumps.hook.c" -fpatchable-function-entry=5 -O1
# What has no hook is not patched either.
{
	echo BEGIN_EXCLUDE_LIST
	sed -n 's/^HIDDEN .*[ *]\([a-z_]*\)(.*/\1/p' "$apps/jumps.hook.c" "$apps/cases.h"
	echo END_EXCLUDE_LIST
} >"$T/hidden"
for c in loop coroutines busy_coroutine one_stack stacks inner; do
	record "jumps-$c" --patch '*' --select "$T/hidden" "$T/jumps" "$c"
	is "jumps $c: ends as it should" "$code" 0
	expect "jumps-$c"
	ok "jumps $c: the trace is sound" tau-dump --check "$T/jumps-$c.run"
done
# The unwinder inside of the program, which nothing can be put before.
if build static "$apps/throws.cc" -fpatchable-function-entry=5 -static-libgcc -static-libstdc++; then
	record static --patch '*' "$T/static"
	is "an unwinder inside of the program: ends as it should" "$code" 0
fi

# samples with their callers see through the replaced return addresses
record sampled --sample=1ms --unwind --patch 'foo,bar' "$T/patched-entry"
is "sampled: ends as it should" "$code" 0

# a library, and functions that are not selected
$CC -g -O1 -fPIC -shared -fpatchable-function-entry=5 "$apps/patch/library.c" -o "$T/libpatched.so"
$CC -g -O1 -fpatchable-function-entry=5 "$apps/patch/user.c" -o "$T/user" -L"$T" -lpatched -Wl,-rpath,"$T"
record user --patch 'library_t*,inside,before#,main' "$T/user"
is "library: ends as it should" "$code" 0
expect user
tau-trace2profile --format json "$T/user.run" >"$T/user.json"
like "library: the number of functions is metadata" "$(cat "$T/user.json")" '"TAU Patched Functions": *"4"'
printf 'BEGIN_EXCLUDE_LIST\ninside\nEND_EXCLUDE_LIST\n' >"$T/select"
record excluded --patch '*' --select "$T/select" "$T/user"
tau-trace2profile --format csv "$T/excluded.run" >"$T/excluded.csv"
is "a function that --select excludes is not patched" "$(grep -c inside "$T/excluded.csv")" 0
like "the others are" "$(cat "$T/excluded.csv")" 'library_out'
record folded --patch '*' --fold 100ms "$T/user"
is "with --fold: ends as it should" "$code" 0
is "with --fold: the calls are all there" "$(tau-trace2profile --format csv "$T/folded.run" | grep -c inside)" 1

# Fortran
if command -v gfortran >/dev/null 2>&1; then
	gfortran -g -O1 -fno-inline -fpatchable-function-entry=5 -J "$T" "$apps/patch/physics.f90" -o "$T/physics"
	record physics --patch 'physics::*' "$T/physics"
	expect physics
else
	skip "Fortran" "there is no gfortran"
fi

# nothing to patch
$CC -g -O1 "$apps/patch/user.c" -o "$T/bare" -L"$T" -lpatched -Wl,-rpath,"$T"
record bare --patch 'mai*' "$T/bare"
is "no such function: the program runs" "$code" 0
like "no such function: this is reported" "$(cat "$T/bare.err")" "have no patchable function named 'mai\\*'"
$CC -g -O1 -fpatchable-function-entry=2 "$apps/patch/user.c" -o "$T/small" -L"$T" -lpatched -Wl,-rpath,"$T"
record small --patch main "$T/small"
is "too little room: the program runs" "$code" 0
like "too little room: this is reported" "$(cat "$T/small.err")" 'tau: 1 function is not patched: .* fewer than 5 bytes'
record off "$T/user"
is "without --patch nothing is recorded" "$(tau-trace2profile --format csv "$T/off.run" | grep -c library)" 0
tap_end
