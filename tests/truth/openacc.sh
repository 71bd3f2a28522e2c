# openacc.sh: the wrapper of OpenACC: each construct has its calls at its line, on the host where there is no device.
. "$(dirname "$0")/../expect.sh"

# Calls of a construct at a line; 0: at any.
at() {	# construct, line
	awk -F, -v name="$1: main [{" -v line="$2" 'index($6, name) && (!line || index($7, line "}") || index($6, "{" line)) {
		for (i = 7; i <= NF; i++) if ($i == "OPENACC") n += $(i + 1) } END { print n + 0 }' "$T/openacc.csv"
}
line() {
	sed -n "s/^LINE $1 //p" "$T/openacc.out"
}

plain=$("$B/apps/openacc")
record openacc "$B/apps/openacc"
is "the program ends as it should" "$code" 0
is "its output is the same" "$(cat "$T/openacc.out")" "$plain"
tau-trace2profile --format csv "$T/openacc.run" >"$T/openacc.csv" 2>"$T/openacc.why"
is "parallel region by line" "$(at 'acc parallel' "$(line 'acc parallel')")" 3
# gcc 12 makes parallel regions of kernels.
is "kernels region by line" "$(($(at 'acc parallel' "$(line 'acc kernels')") + $(at 'acc kernels' "$(line 'acc kernels')")))" 3
is "update by line" "$(at 'acc update' "$(line 'acc update')")" 3
is "data region: entered" "$(at 'acc enter data' 0)" 3
is "data region: left" "$(at 'acc exit data' 0)" 3
is "device" "$(at 'acc device init' 0)" 1
is "nothing had to be repaired" "$(grep -c repaired "$T/openacc.why")" 0
ok "the trace is sound" tau-dump --check "$T/openacc.run"
like "--list shows that it is used" "$(tau-record --list "$B/apps/openacc" | grep '^openacc ')" ' used '
like "and not for OpenMP" "$(tau-record --list "$B/apps/openmp" | grep '^openacc ')" ' not used '
ACC_PROFLIB=/nowhere/tool.so record named "$B/apps/openacc"
like "a tool that the user named stays, and the message reports it" "$(cat "$T/named.err")" \
	'ACC_PROFLIB is /nowhere/tool.so already; openacc is not recorded'
tap_end
