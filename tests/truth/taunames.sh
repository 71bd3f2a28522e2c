# taunames.sh: every macro of TAU's public header compiles in C and C++, and does nothing without the recorder; every subroutine that TAU
# has for Fortran is in libtauf.a. The names are in fixtures/apps/tau: "MACRO a use of it"; @: a use outside of functions.
. "$(dirname "$0")/../expect.sh"
export PROFILEDIR=$T	# of the profiles that some request
list=$TOP/fixtures/apps/tau/macros.list

# A function for each use.
awk '
	{ print "#ifndef " $1 "\n#error " $1 " is missing\n#endif" }
	{ use = $0; sub(/^[^ ]+ /, "", use) }
	use ~ /^@/ { print substr(use, 2); next }
	{ body = body sprintf("USE(use%d) { %s }\n", NR, use); calls = calls sprintf("\tuse%d();\n", NR) }
	END { print body "static void all(void)\n{\n" calls "}" }' "$list" >"$T/uses.h"
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
ok "all $(wc -l <"$list") macros compile in C" ${CC:-cc} -std=gnu11 $flags "$T/uses.c" -o "$T/uses-c"
ok "and in C++" ${CXX:-c++} -std=gnu++17 $flags "$T/uses.cc" -o "$T/uses-cc"
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
