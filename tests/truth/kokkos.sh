# kokkos.sh: the wrapper of Kokkos and RAJA: a runtime that calls its tool finds ours, and its calls are recorded.
. "$(dirname "$0")/../expect.sh"

is "without a recorder there is no tool" "$("$B/apps/kokkos")" "no tool"
record kokkos --wrap kokkos "$B/apps/kokkos"
is "the program ends as it should" "$code" 0
expect kokkos
is "nothing had to be repaired" "$(grep -c repaired "$T/kokkos.why")" 0
like "metadata is the program's" "$(tau-dump --only definitions "$T/kokkos.run")" 'META name="answer" value="42"'
ok "the trace is sound" tau-dump --check "$T/kokkos.run"
record other --wrap kokkos --no-groups KOKKOS "$B/apps/kokkos"
is "its group can be left out" "$(tau-trace2profile -f csv "$T/other.run" | grep -c ',KOKKOS,')" 0
KOKKOS_TOOLS_LIBS=/nowhere/tool.so record named --wrap kokkos "$B/apps/kokkos"
is "a tool that the user named stays" "$(cat "$T/named.out")" "no tool"
like "and that is reported" "$(cat "$T/named.err")" 'KOKKOS_TOOLS_LIBS is /nowhere/tool.so already; Kokkos is not recorded'
like "a dry run shows the variable" "$(tau-record -n -w kokkos true)" '^KOKKOS_TOOLS_LIBS=.*/libtau-kokkos\.so$'

# A program that looks for its tool gets it without an option, whatever version of Kokkos it has.
record chosen "$B/apps/kokkos"
expect chosen
cat >"$T/old.c" <<-'END'
	#include <dlfcn.h>
	#include <stdlib.h>
	#include <stdio.h>
	int main(void)
	{
		void *tool = dlopen(getenv("KOKKOS_PROFILE_LIBRARY") ? getenv("KOKKOS_PROFILE_LIBRARY") : "", RTLD_NOW);
		void (*push)(const char *) = 0, (*pop)(void) = 0;
		*(void **)&push = dlsym(tool, "kokkosp_push_profile_region");
		*(void **)&pop = dlsym(tool, "kokkosp_pop_profile_region");
		for (int i = 0; push && i < 7; i++) {
			push("old");
			pop();
		}
		puts("EXPECT region old calls 7");
		return 0;
	}
END
cc "$T/old.c" -o "$T/old"
record old "$T/old"
expect old

# ---- the real Kokkos, of Debian's Trilinos ----
if [ -e /usr/include/trilinos/Kokkos_Core.hpp ]; then
	ok "a program of the real Kokkos is built" ${CXX:-c++} -g -O1 -std=c++17 -I/usr/include/trilinos \
		"$TOP/fixtures/apps/kokkos_real/real.cc" -o "$T/real" -ltrilinos_kokkoscore -ldl
	"$T/real" >"$T/alone" 2>&1
	record real "$T/real"
	is "it ends as it should" "$code" 0
	is "and prints the same" "$(cat "$T/real.out")" "$(cat "$T/alone")"
	expect real
	ok "the trace is sound" tau-dump --check "$T/real.run"
else
	skip "the real Kokkos" "libtrilinos-kokkos-dev is not installed"
fi

# ---- RAJA ----
"$B/apps/raja" >"$T/alone"
record raja "$B/apps/raja"
is "RAJA: the program ends as it should" "$code" 3
is "and prints the same" "$(cat "$T/raja.out")" "$(cat "$T/alone")"
expect raja
like "the version of its interface is metadata" "$(tau-dump --only definitions "$T/raja.run")" 'META name="RAJA Tools Interface" value="20171029"'
ok "the trace is sound" tau-dump --check "$T/raja.run"
KOKKOS_PLUGINS=/nowhere/tool.so record taken "$B/apps/raja"
like "a tool of the user stays, and that is reported" "$(cat "$T/taken.err")" 'KOKKOS_PLUGINS is /nowhere/tool.so already; RAJA is not recorded'
tap_end
