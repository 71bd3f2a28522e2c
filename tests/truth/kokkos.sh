# kokkos.sh: the wrapper of Kokkos: a runtime that calls its tool finds ours, and what it says is recorded.
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
like "and that is said" "$(cat "$T/named.err")" 'KOKKOS_TOOLS_LIBS is /nowhere/tool.so already; kokkos is not recorded'
like "a dry run shows the variable" "$(tau-record -n -w kokkos true)" '^KOKKOS_TOOLS_LIBS=.*/libtau-kokkos\.so$'
tap_end
