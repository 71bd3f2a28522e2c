# options.sh: a program's --help and its man page name the same options, both ways, and every program has both.
. "$(dirname "$0")/../tap.sh"

# Long options, and letters with their long names, one a line.
help_options() { sed -n 's/^ *\(-[A-Za-z], \)\{0,1\}\(--[a-z0-9-]*\).*/\1\2/p' | sort -u; }
man_options() { sed -n 's/^\.It //p' "$1" | grep '^Fl' | sed 's/\\-/-/g
	s/^Fl \([A-Za-z]\) , Fl -\([a-z0-9-]*\).*/-\1, --\2/; s/^Fl -\([a-z0-9-]*\).*/--\1/' | grep -v '^Fl' | sort -u; }

for c in "$TOP"/cmd/tau-*.c; do
	p=$(basename "$c" .c)
	page=$TOP/man/$p.1
	"$B/$p" --help >"$T/help" 2>"$T/err"
	is "$p --help ends well and says nothing on stderr" "$? $(cat "$T/err")" "0 "
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
for page in "$TOP"/man/tau-*.1; do
	ok "$(basename "$page") describes a program" test -e "$TOP/cmd/$(basename "$page" .1).c"
done
version=$(sed -n 's/^#define TAU_VERSION "\(.*\)"/\1/p' "$TOP/cmd/shared/version.h")
is "the newest version in NEWS is that of the programs" "$(sed -n 's/^Version \([^ ]*\).*/\1/p' "$TOP/NEWS" | head -n 1)" "$version"
tap_end
