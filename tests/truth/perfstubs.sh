# perfstubs.sh: the wrapper of PerfStubs: a client that looks for the tool functions finds ours on request only.
. "$(dirname "$0")/../expect.sh"

is "without a recorder there is no tool" "$("$B/apps/perfstubs")" "no tool"
record unasked -w none "$B/apps/perfstubs"
is "without the wrapper, too" "$(cat "$T/unasked.out")" "no tool"
record perfstubs --wrap perfstubs "$B/apps/perfstubs"
is "the program ends as it should" "$code" 0
like "a question for data is answered with none" "$(cat "$T/perfstubs.out")" '^data 0'
expect perfstubs
is "nothing had to be repaired" "$(grep -c repaired "$T/perfstubs.why")" 0
like "a dynamic phase is a phase" "$(grep -F 'step [3],' "$T/perfstubs.csv")" 'PERFSTUBS\|TAU_PHASE'
ok "the trace is sound" tau-dump --check "$T/perfstubs.run"
tap_end
