# ompt.sh: OpenMP of LLVM: each construct at its place, in the thread that executes it; a tool that the program has stays its tool.
. "$(dirname "$0")/../expect.sh"
export TAU_SAMPLING=0	# all rows are counted: those of samples are left out

source=$TOP/fixtures/apps/ompt.c
runtime=$(ldconfig -p | sed -n 's/.*libomp\.so\.5 .*=> //p' | head -n 1)
[ -n "$runtime" ] || skip_all "LLVM's OpenMP runtime is not installed (apt-get install libomp5-14)"

sum_calls() {	# pattern, file
	grep "$1" "$2" | sed 's/"[^"]*"/q/g' | awk -F, '$5 == "timer" { n += $8 } END { print n + 0 }'
}

# Each line "AT LINE CONSTRUCT calls N" of the program against the profile; with a second argument, constructs at any line.
constructs() {	# run, any
	tau-trace2profile --format csv "$T/$1.run" >"$T/$1.csv" 2>"$T/$1.why"
	is "$1: nothing had to be repaired" "$(cat "$T/$1.why")" ""
	sed -n 's/^AT //p' "$T/$1.out" | awk -v any="$2" '{
		n = $NF; l = any ? 0 : $1; sub(/^[0-9]+ /, ""); sub(/ calls [0-9]+$/, "")
		want[l " " $0] += n } END { for (k in want) print k " calls " want[k] }' | sort >"$T/want"
	while read -r at rest; do
		[ "$at" = 0 ] && at='[0-9]*'
		got=$(sum_calls "[,\"]${rest% calls*}\(: [^\"]*{$at,0}\]\)\{0,1\}[,\"]" "$T/$1.csv")
		is "$1: ${rest% calls*} at $at" "$got" "${rest##* calls }"
	done <"$T/want"
}

# ---- code of gcc with LLVM's runtime: names of GNU's functions, one event for each construct ----
cc -fopenmp -g -O1 -c "$source" -o "$T/gcc.o" && cc "$T/gcc.o" "$runtime" -o "$T/gcc" || fail "a program of gcc is linked"
"$T/gcc" >"$T/plain"
record gcc "$T/gcc"
is "a program of gcc ends as it should" "$code" 7
is "and prints the same" "$(cmp "$T/plain" "$T/gcc.out" 2>&1)" ""
# gcc makes barriers of its own of the ends of loops and single, and no calls for static loops and master.
sed -i '/ omp masked \| omp for \| omp \(implicit \)\{0,1\}barrier /d' "$T/gcc.out"
constructs gcc any
is "places are in the program" "$(grep -c 'omp [^:"]*: [^"]*libtau' "$T/gcc.csv")" 0

# ---- code of clang ----
if command -v clang >/dev/null 2>&1 && clang -fopenmp -g -O1 "$source" -o "$T/app" 2>"$T/why"; then
	"$T/app" >"$T/plain"
	like "a program that is linked with libomp gets the wrapper" "$(tau-record --list "$T/app")" '^openmp  *used '
	record clang "$T/app"
	is "it ends as it should" "$code" 7
	is "and prints the same" "$(cmp "$T/plain" "$T/clang.out" 2>&1)" ""
	constructs clang
	ok "the trace is sound" tau-dump --check "$T/clang.run"
	tau-trace2profile --callpath=2 --format csv "$T/clang.run" >"$T/clang.csv" 2>/dev/null
	like "the closing barrier is inside the parallel region of the thread that began it" "$(cat "$T/clang.csv")" \
		'"omp parallel: team \[[^]]*\] => omp implicit barrier: team'
	is "idle time is outside of all regions" "$(grep '=> omp idle' "$T/clang.csv" | grep -vc ',\.TAU application =')" 0

	"$T/app" fork >"$T/plain"
	record fork "$T/app" fork
	is "with a fork: it ends as it should" "$code" 7
	is "with a fork: and prints the same" "$(cmp "$T/plain" "$T/fork.out" 2>&1)" ""
	constructs fork

	record least --openmp parallel "$T/app"
	is "the lowest level has no construct inside" "$(tau-trace2profile --format csv "$T/least.run" |
		grep -c '"omp \(for\|barrier\|critical\|task\|lock\)')" 0
	record most --openmp all "$T/app"
	tau-trace2profile --format csv "$T/most.run" >"$T/most.csv"
	is "the highest has what is done inside a critical section" "$(sum_calls '"omp critical body: ' "$T/most.csv")" 10
else
	skip "a program of clang" "clang is not installed, or cannot link libomp: $(tail -n 1 "$T/why" 2>/dev/null)"
fi

# ---- programs with a tool of their own ----
cat >"$T/tool.c" <<-'END'
	#include <stddef.h>
	#include <stdio.h>
	static struct { int (*first)(void *, int, void *); void (*last)(void *); void *data; } tool;
	static int first(void *lookup, int device, void *data) { return puts("its own tool"); }
	static void last(void *data) { }
	void *ompt_start_tool(unsigned version, const char *runtime) { tool.first = first; tool.last = last; return &tool; }
END
cc -w -shared -fPIC "$T/tool.c" -o "$T/tool.so"
own() {	# what, program
	what=$1
	shift
	is "$what: its tool is called" "$("$@" tau-record -o "$T/own.run" "$T/gcc" 2>"$T/own.err" | grep -c 'its own tool')" 1
	is "$what: and ours is not" "$(tau-trace2profile --format csv "$T/own.run" 2>/dev/null | grep -c '"omp parallel')" 0
	rm -rf "$T/own.run"
}
own "a tool that is named" env OMP_TOOL_LIBRARIES="$T/tool.so"
like "a line reports it" "$(cat "$T/own.err")" '^tau-record: OMP_TOOL_LIBRARIES is .*tool\.so already'
cc -rdynamic -Wl,--no-as-needed "$T/gcc.o" "$T/tool.so" "$runtime" -o "$T/gcc"
own "a tool that is linked" env
like "a tool that is linked: a line reports it" "$(cat "$T/own.err")" '^tau: the program has a tool of OpenMP of its own .ompt_start_tool.; OpenMP of'
cat "$T/tool.c" >"$T/inside.c"
cc -w -c "$T/inside.c" -o "$T/inside.o" && cc -rdynamic -Wl,--no-as-needed "$T/gcc.o" "$T/inside.o" "$runtime" -o "$T/gcc"
own "a tool in the program" env
like "a tool in the program: a line reports it" "$(cat "$T/own.err")" 'gcc: the program is its own tool of OpenMP .ompt_start_tool.; OpenMP of LLVM is not'

# the addresses that its tool gets are those that it gets without the recorder: at locks, critical sections and barriers
cat >"$T/sites.c" <<-'END'
	#include <stdio.h>
	#include <string.h>
	typedef void (*fn)(void);
	extern char __executable_start;
	static struct { int (*first)(fn (*)(const char *), int, void *); void (*last)(void *); void *data; } tool;
	static void at(const char *what, int kind, const void *ra)
	{
		printf("%s %d %lx\n", what, kind, (unsigned long)((const char *)ra - &__executable_start));
	}
	static void acquire(int kind, unsigned hint, unsigned how, unsigned long id, const void *ra) { at("acquire", kind, ra); }
	static void acquired(int kind, unsigned long id, const void *ra) { at("acquired", kind, ra); }
	static void released(int kind, unsigned long id, const void *ra) { at("released", kind, ra); }
	static void parallel(void *t, void *f, void *p, unsigned n, int flags, const void *ra) { at("parallel", 0, ra); }
	static int first(fn (*lookup)(const char *), int device, void *data)
	{
		int (*set)(int, fn) = (int (*)(int, fn))lookup("ompt_set_callback");
		set(3, (fn)parallel); set(26, (fn)acquire); set(27, (fn)acquired); set(17, (fn)released);
		return 1;
	}
	static void last(void *data) { }
	void *ompt_start_tool(unsigned version, const char *runtime) { tool.first = first; tool.last = last; return &tool; }
END
cat >"$T/locks.c" <<-'END'
	#include <omp.h>
	static omp_lock_t l;
	static omp_nest_lock_t n;
	int main(void)
	{
		omp_init_lock(&l);
		omp_init_nest_lock(&n);
	#pragma omp parallel num_threads(1)
		{
			omp_set_lock(&l);
			omp_unset_lock(&l);
			if (omp_test_lock(&l))
				omp_unset_lock(&l);
			omp_set_nest_lock(&n);
			omp_unset_nest_lock(&n);
			if (omp_test_nest_lock(&n))
				omp_unset_nest_lock(&n);
	#pragma omp critical
			omp_get_thread_num();
	#pragma omp critical(named)
			omp_get_thread_num();
		}
		return 0;
	}
END
sites() {	# WHAT PROGRAM
	"$2" >"$T/plain" 2>&1
	tau-record -o "$T/sites.run" -w openmp "$2" >"$T/sites.out" 2>/dev/null
	ok "$1: its tool has seen locks ($(grep -c acquired "$T/plain"))" test "$(grep -c acquired "$T/plain")" -ge 6
	# In a sanitizer's build the compiler calls GOMP_parallel(), where the recorder else jumps.
	[ -z "$TAU_TEST_INSIDE" ] || sed -i '/^parallel/d' "$T/sites.out" "$T/plain"
	is "$1: its tool gets the same addresses" "$(cat "$T/sites.out")" "$(cat "$T/plain")"
	rm -rf "$T/sites.run"
}
cc -w -O1 -fopenmp -c "$T/locks.c" -o "$T/locks.o" && cc -w -c "$T/sites.c" -o "$T/sites.o" &&
	cc -rdynamic -Wl,--no-as-needed "$T/locks.o" "$T/sites.o" "$runtime" -o "$T/locks" && sites "gcc" "$T/locks"
if command -v clang >/dev/null 2>&1 && clang -w -O1 -fopenmp -rdynamic "$T/locks.c" "$T/sites.c" -o "$T/locks" 2>/dev/null; then
	sites "clang" "$T/locks"
fi
tap_end
