# itt.sh: the wrapper of ITT: a program whose file contains ITT's library finds it without an option, and its calls are recorded.
. "$(dirname "$0")/../expect.sh"

is "without a recorder there is no tool" "$("$B/apps/itt")" "no tool"
record itt "$B/apps/itt"
is "the program ends as it should" "$code" 0
like "a domain is created once" "$(cat "$T/itt.out")" '^same yes'
expect itt
is "nothing had to be repaired" "$(grep -c repaired "$T/itt.why")" 0
like "tasks are of group ITT" "$(grep -F 'outer [app],' "$T/itt.csv")" ',ITT,'
like "threads have their names" "$(tau-dump "$T/itt.run")" 'worker'
ok "the trace is sound" tau-dump --check "$T/itt.run"
like "--list shows that it is used" "$(tau-record --list "$B/apps/itt" | grep '^itt ')" ' used '
like "and not for other programs" "$(tau-record --list /bin/true | grep '^itt ')" ' not used '
INTEL_LIBITTNOTIFY64=/nowhere/tool.so record named "$B/apps/itt"
is "a tool that the user named stays" "$(cat "$T/named.out")" "no tool"
like "and the message reports it" "$(cat "$T/named.err")" 'INTEL_LIBITTNOTIFY64 is /nowhere/tool.so already; itt is not recorded'
tap_end
