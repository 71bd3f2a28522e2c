# nvtx.sh: the wrapper of NVTX: a program whose file contains NVTX's header finds it without an option, and its calls are recorded.
. "$(dirname "$0")/../expect.sh"

is "without a recorder there is no tool" "$("$B/apps/nvtx")" "no tool"
record nvtx "$B/apps/nvtx"
is "the program ends as it should" "$code" 0
like "levels of ranges are those of NVTX" "$(cat "$T/nvtx.out")" '^levels right'
expect nvtx
is "nothing had to be repaired" "$(grep -c repaired "$T/nvtx.why")" 0
like "a category is a group" "$(grep -F 'solve [solver],' "$T/nvtx.csv")" 'NVTX\|linear_algebra'
ok "the trace is sound" tau-dump --check "$T/nvtx.run"
like "--list shows that it is used" "$(tau-record --list "$B/apps/nvtx" | grep '^nvtx ')" ' used '
like "and not for other programs" "$(tau-record --list /bin/true | grep '^nvtx ')" ' not used '
NVTX_INJECTION64_PATH=/nowhere/tool.so record named "$B/apps/nvtx"
is "a tool that the user named stays" "$(cat "$T/named.out")" "no tool"
like "and the message reports it" "$(cat "$T/named.err")" 'NVTX_INJECTION64_PATH is /nowhere/tool.so already; nvtx is not recorded'
tap_end
