# options.sh: a program's --help and its man page name the same options, both ways, and every program has both. All --help fits in
# 80 columns, has groups, and is the same as the rows in the man page.
. "$(dirname "$0")/../tap.sh"

# Long options, and letters with their long names, one a line.
help_options() { sed -n 's/^ \{2,6\}\(-[A-Za-z], \)\{0,1\}\(--[a-z0-9-]*\).*/\1\2/p' | sort -u; }
man_options() { sed -n 's/^\.It //p' "$1" | grep '^Fl' | sed 's/\\-/-/g
	s/^Fl \([A-Za-z]\) , Fl -\([a-z0-9-]*\).*/-\1, --\2/; s/^Fl -\([a-z0-9-]*\).*/--\1/' | grep -v '^Fl' | sort -u; }

commands=$("$B/tau-db" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
kinds=$("$B/tau-report" --help | sed -n '/^Kinds/,/^Options/s/^  \([a-z][a-z-]*\) .*/\1/p')
# All help of a program: its own, and that of each command.
help_of() {
	"$B/$1" --help
	[ "$1" != tau-db ] || for command in $commands; do tau-db "$command" --help; done
}
wide() { awk 'length > 79 { print FILENAME ": " $0 }' "$1" | head -n 3; }

for c in "$TOP"/cmd/tau-*.c; do
	p=$(basename "$c" .c)
	page=$TOP/man/$p.1
	"$B/$p" --help >"$T/help" 2>"$T/err"
	is "$p --help ends well and says nothing on stderr" "$? $(cat "$T/err")" "0 "
	help_of $p >"$T/help"
	is "$p --help fits in 80 columns" "$(wide "$T/help")" ""
	ok "$p --help has groups" test "$(grep -c '^[A-Z].*:$' "$T/help")" -ge 3
	is "$p.1 has the rows of --help (make man writes them)" \
		"$(sed -n '/^\.\\" Rows of --help/,/^\.\\" end of rows/p' "$page" | sed '1d;$d')" "$("$B/$p" --help=man)"
	like "$p --version names the program and a version" "$("$B/$p" --version 2>&1)" "^$p [0-9]+\.[0-9]+"
	if [ ! -e "$page" ]; then
		fail "$p has a man page"
		continue
	fi
	is "$p: --help and the man page name the same options" "$(help_options <"$T/help")" "$(man_options "$page")"
	usage_code=2
	[ $p != tau-record ] || usage_code=125	# every smaller one may be the program's own
	is "$p: the usage is not silent about a wrong option" \
		"$("$B/$p" --no-such-option 2>&1 >/dev/null | grep -c "^$p: ") $("$B/$p" --no-such-option >/dev/null 2>&1; echo $?)" "1 $usage_code"
done
is "tau-record --help begins with ten options" "$("$B/tau-record" --help | sed -n '/^Most used:/,/^$/p' | help_options | wc -l | tr -d ' ')" 10
is "the kinds and the commands are read" "$(echo "$kinds $commands" | tr ' ' '\n' | grep -cxE 'waits|memory-growth|plugin|import|gc')" 5

# tau-report KIND --help: what the kind answers, an example, and only options that the kind takes.
for kind in $kinds; do
	"$B/tau-report" "$kind" --help >"$T/help" 2>"$T/err"
	is "tau-report $kind --help ends well and fits in 80 columns" "$? $(cat "$T/err")$(wide "$T/help")" "0 "
	like "tau-report $kind --help has an example" "$(tr '\n' ' ' <"$T/help")" "Example:   tau-report $kind [^ ]"
	is "tau-report $kind --help names one default of each list of values; that of --problem is detected" \
		"$(grep -c '(default)$' "$T/help")" "$(grep '^Values of --' "$T/help" | grep -vc problem)"
	refused=
	for option in $(help_options <"$T/help" | sed 's/.*--/--/' | grep -v -e --by -e --format -e --timeout); do
		"$B/tau-report" "$kind" $option x x x 2>&1 >/dev/null | grep -E "^tau-report: $kind: --[a-z-]* (has no effect on this|is for) " >"$T/why" && refused="$refused $option"
	done
	is "tau-report $kind takes the options of its --help" "$refused" ""
done
for command in $commands; do
	"$B/tau-db" "$command" --help >"$T/help" 2>"$T/err"
	is "tau-db $command --help ends well and fits in 80 columns" "$? $(cat "$T/err")$(wide "$T/help")" "0 "
done
for page in "$TOP"/man/tau-*.1; do
	ok "$(basename "$page") describes a program" test -e "$TOP/cmd/$(basename "$page" .1).c"
done
version=$(sed -n 's/^#define TAU_VERSION "\(.*\)"/\1/p' "$TOP/cmd/shared/version.h")
is "the newest version in NEWS is that of the programs" "$(sed -n 's/^Version \([^ ]*\).*/\1/p' "$TOP/NEWS" | head -n 1)" "$version"
tap_end
