# quantities.sh: times, sizes and percentages are read and printed by analyze/base/quantity.h only.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1

# Numbers with a fixed unit in formats: "%.3f ms", "%zu B", "%.1f %%". Those of pictures' coordinates have no unit.
fixed() { grep -HnE '(^|[^%])%[-+0-9.*]*(z|l|ll|j)?[dufgei] ?(ns|us|ms|s|min|B|K|KB|KiB|MB|MiB|GB|GiB)\b' "$@"; }
shares() { grep -HnE '%(\.[0-9*]+)?[fg] ?%%' "$@"; }
sources() { find analyze convert db cmd -name '*.c' ! -path analyze/base/quantity.c; }

# tau-dump prints clocks as they are in the file. The name of a directory has no blank. window_cut.c prints exact times that are read back. report_growth.c prints
# whole bytes of laws.
is "times and sizes in formats" "$(fixed $(sources) | grep -vE '^(cmd/dump/|cmd/monitor/screen\.c:.*"%s-%\.3fs"|cmd/report/memory/report_growth\.c:.*(B x P|B more))')" ""
# Constants, changes with their sign, limits that a user gave, errors of models and overheads are not shares.
is "shares in formats" "$(shares $(sources) | grep -vE '%\+|LEAST|overhead_text\.c|gate|budget|false alarm|scaling|compare|of the time\.\"|Not in the picture|memory_time\.c|progress\.c')" ""
printf 'f("%%.3f ms", x);\nf("%%.1f %%%%", x);\nf("%%.1fs", x);\n' >"$T/bad.c"
is "what is fixed is found" "$(fixed "$T/bad.c" | wc -l) $(shares "$T/bad.c" | wc -l)" "2 1"
tap_end
