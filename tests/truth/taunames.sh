# taunames.sh: every macro and function of TAU's public header compiles in C and C++, and does nothing without the recorder; every
# subroutine that TAU has for Fortran is in libtauf.a. The names are in fixtures/apps/tau: "NAME a use of it"; @: a use outside of functions;
# cxx.list: of C++ only.
. "$(dirname "$0")/../expect.sh"
export PROFILEDIR=$T	# of the profiles that some request
lists=$TOP/fixtures/apps/tau

# A function for each use. Functions are found by the compiler; a macro could be missing where its use still compiles.
awk '
	FNR == 1 { cxx = FILENAME ~ /cxx/; part = cxx ? "#ifdef __cplusplus\n" : ""; end = cxx ? "\n#endif" : "" }
	$1 !~ /^Tau_/ { print part "#ifndef " $1 "\n#error " $1 " is missing\n#endif" end }
	{ use = $0; sub(/^[^ ]+ /, "", use) }
	use ~ /^@/ { print substr(use, 2); next }
	{ body = body sprintf("%sUSE(use%d) { %s }%s\n", part, NR, use, end); calls = calls sprintf("%s\tuse%d();%s\n", part, NR, end) }
	END { print body "static void all(void)\n{\n" calls "}" }' "$lists/macros.list" "$lists/functions.list" "$lists/cxx.list" >"$T/uses.h"
cat >"$T/uses.c" <<'EOF'
#include <TAU.h>
#ifdef __cplusplus
#define CT_TEXT "type"
#define CT_OF(x) (void)TAU_CT(x)
#else
#define CT_TEXT
#define CT_OF(x) TAU_CT(x) (void)x
#endif
static void *timer, *event;
static const char **names, *text;
static int n, *numbers;
static long calls[8];
static double room[8], *values = room, **matrix;
static char **argv;
#define USE(f) __attribute__((noinline)) static void f(void)
#include "uses.h"
int main(int argc, char **arg)
{
	if (argc > 1) {
		all();
		return 0;
	}
	TAU_BCAST_DATA(argc * 24);
	TAU_BCAST_DATA(argc * 8);
	TAU_NALLTOALLWC_DATA(5);
	{
		void *event = an_event();

		TAU_EVENT(event, 4);
		TAU_CONTEXT_EVENT_THREAD_TS(event, 6, 0, 17);
	}
	TAU_START("outside");
	{
		const char *name = "place";
		TAU_METADATA_STRING(invalue, "inside");
		TAU_STRUCTURED_CONTEXT_METADATA(value);
	}
	TAU_STOP("outside");
	TAU_EXCLUDE_DEFAULT_GROUP();
	for (int i = 0; i < 3; i++) {
		TAU_PROFILE_TIMER(t, "excluded timer", "", TAU_DEFAULT);
		TAU_PROFILE_START(t);
		TAU_PROFILE_STOP(t);
		if (i == 1)
			TAU_INCLUDE_DEFAULT_GROUP();
	}
	(void)arg;
	return 0;
}
EOF
cp "$T/uses.c" "$T/uses.cc"
flags="-g -O1 -Wall -Werror -Wno-unused -I$TOP/record"
ok "all $(wc -l <"$lists/macros.list") macros and $(wc -l <"$lists/functions.list") functions compile in C" \
	${CC:-cc} -std=gnu11 $flags "$T/uses.c" -o "$T/uses-c"
ok "and in C++" ${CXX:-c++} -std=gnu++17 $flags "$T/uses.cc" -o "$T/uses-cc"
printf '#include <TAU.h>\n#include <Profile/Profiler.h>\n#include <Profile/TauAPI.h>\n#include <Profile/TauPluginTypes.h>\nint n = %s;\n' \
	'TAU_PLUGIN_EVENT_TRIGGER' >"$T/headers.c"
cp "$T/headers.c" "$T/headers.cc"
for c in cc:c89 cc:gnu89 cc:c99 cc:c11 c++:c++98 c++:c++20 clang:c89 clang:c11 clang++:c++17; do
	command -v "${c%%:*}" >/dev/null 2>&1 || continue
	case $c in *c++*) l=cc ;; *) l=c ;; esac
	ok "the headers compile by ${c%%:*} -std=${c##*:}" "${c%%:*}" -std="${c##*:}" -Wall -Wextra -Werror -I"$TOP/record" \
		-c "$T/headers.$l" -o "$T/headers.o"
done
# Programs declare functions of TAU themselves, too.
{
	printf '#include <TAU.h>\n#ifdef __cplusplus\nextern "C" {\n#endif\n'
	cat "$lists/declarations.list"
	printf '#ifdef __cplusplus\n}\n#endif\nint main(void) { TAU_START("a"); Tau_stop("a"); return Tau_dump(); }\n'
} >"$T/declared.c"
cp "$T/declared.c" "$T/declared.cc"
for c in "cc -std=gnu11 -Wmissing-prototypes" "c++ -std=gnu++17" "cc -std=c99 -O2" "clang -std=gnu11" "clang++ -std=gnu++17"; do
	command -v "${c%% *}" >/dev/null 2>&1 || continue
	case $c in *++*) l=cc ;; *) l=c ;; esac
	ok "all $(wc -l <"$lists/declarations.list") declarations agree with TAU's: $c" $c -Wall -Wextra -Werror -I"$TOP/record" \
		"$T/declared.$l" -o "$T/declared"
	is "and run without the recorder" "$("$T/declared" 2>&1; echo $?)" 0
done
cat >"$T/declares.c" <<'EOF'
#include <TAU.h>
void Tau_purge(void);
extern void Tau_stop_current_timer(void);
void Tau_trigger_userevent_thread(const char *name, double value, int tid);
extern int Tau_get_local_tid(void);
int main(void)
{
	TAU_START("outer");
	Tau_pure_start_task_group("inner", 0, "OURS");
	if (strcmp(Tau_get_current_timer_name(0), "inner") && Tau_get_current_stack_depth(0))
		return 1;
	Tau_trigger_userevent_thread("value", 7, 0);
	Tau_trace_sendmsg(3, 0, 4096);
	Tau_stop_current_timer();
	TAU_START("left open");
	Tau_stop_all_timers(0);
	TAU_START("after");
	TAU_STOP("after");
	Tau_purge();
	return Tau_get_local_tid();
}
EOF
ok "a program may declare functions itself" ${CC:-cc} $flags "$T/declares.c" -o "$T/declares"
is "without the recorder it does nothing" "$("$T/declares" 2>&1; echo $?)" 0
record declares -w none "$T/declares"
is "recorded, it ends as it should" "$code" 0
tau-trace2profile --format csv "$T/declares.run" >"$T/declares.csv"
cat >"$T/declares.out" <<'EOF'
EXPECT region outer calls 1
EXPECT region inner calls 1
EXPECT region left open calls 1
EXPECT region after calls 1
EXPECT event value n 1 sum 7
EOF
expect declares
is "Tau_stop_all_timers stops all timers" "$(awk -F, '$6 == ".TAU application" { print $9 }' "$T/declares.csv")" 2
is "the group of a timer is that of the call" "$(awk -F, '$6 == "inner" { print $7 }' "$T/declares.csv")" OURS
for l in c cc; do
	record "$l" -w none "$T/uses-$l"
	is "$l: ends as it should" "$code" 0
	tau-trace2profile --format csv "$T/$l.run" >"$T/$l.csv"
	cat >"$T/$l.out" <<'EOF'
EXPECT event Message size for broadcast n 2 sum 32
EXPECT event Message size for neighbor-all-to-allwc n 1 sum 5
EXPECT event n n 2 sum 10
EXPECT region excluded timer calls 1
EXPECT meta place [outside]=inside
EOF
	expect "$l"
	is "$l: without the recorder nothing happens" "$("$T/uses-$l" 2>&1; "$T/uses-$l" all 2>&1; echo $?)" 0
	record "all-$l" -w none "$T/uses-$l" all
	is "$l: all of them called: ends as it should" "$code" 0
	ok "$l: all of them called: the trace is sound" tau-dump --check "$T/all-$l.run"
done

if command -v gfortran >/dev/null 2>&1 && [ -e "$B/libtauf.a" ]; then
	awk 'BEGIN { print "subroutine use(f)\n external f\nend subroutine\nprogram names" }
		{ name[NR] = $1; print " external " $1 }
		END { for (i = 1; i <= NR; i++) print " call use(" name[i] ")"; print "end program" }' \
		"$TOP/fixtures/apps/tau/fortran.list" >"$T/names.f90"
	ok "all $(wc -l <"$TOP/fixtures/apps/tau/fortran.list") subroutines for Fortran are there" \
		gfortran -O0 "$T/names.f90" -o "$T/names" -L"$B" -ltauf
	cat >"$T/calls.f90" <<'EOF'
program calls
  real, allocatable :: a(:)
  allocate(a(10))
  call tau_alloc(a, 3, 40, 'a')
  call tau_memdbg_protect_above(1)
  call tau_memdbg_protect_below(1)
  call tau_memdbg_protect_free(1)
  call tau_track_mpi_t()
  call tau_disable_tracking_mpi_t()
  call tau_dealloc(a, 9, 'a')
  deallocate(a)
end program
EOF
	ok "calls of them are linked" gfortran "$T/calls.f90" -o "$T/calls" -L"$B" -ltauf
	record calls -w none "$T/calls"
	is "and run" "$code" 0
else
	skip "Fortran" "there is no gfortran"
fi
tap_end
