# kinds.sh: each kind of report is in the table of questions of README.md, and in tests/cli/report-explain.sh, which checks formulas.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1
names=$(grep -rhoE '^	\.name = "[a-z-]+"' cmd/report | sed 's/.*"\(.*\)"/\1/' | sort -u)
ok "there are kinds" test "$(echo "$names" | wc -l)" -ge 30
sed -n '/^| question/,/^$/p' README.md >"$T/table"
# An overview is what tau-report RUN prints.
is "README.md" "$(for n in $names; do grep -qE "\`$n( [A-Z]+)?\`" "$T/table" || [ "$n" = overview ] || echo "$n"; done)" ""
# These have no table of columns of their own.
is "formulas are checked" "$(for n in $names; do
	case $n in flame | html | plugin) continue ;; esac
	grep -qE "^	*all [0-9]+ $n( |\$)" tests/cli/report-explain.sh || echo "$n"
done)" ""
tap_end
