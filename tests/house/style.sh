# style.sh: what a reader may expect of every file: its first comment names what it does, nothing is promised for later, no
# home folder is in it, lines fit, long functions and long files are few.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1

files() { git ls-files --cached --others --exclude-standard -- "$@" 2>/dev/null | while read -r f; do [ -f "$f" ] && echo "$f"; done; }
git rev-parse --git-dir >/dev/null 2>&1 || skip_all "not a git checkout"
ours() { files '*.c' '*.h' '*.sh' '*.awk' '*.cc' '*.sql' '*.list' '*.f90' Makefile '*.mk' 'man/*' '*.md' NEWS 'bench/*' '.ci/*'; }

# The words are written in two halves so that this file does not find itself.
is "nothing is put off" "$(ours | xargs grep -nwE "TO""DO|FIX""ME|XX""X|HA""CK|not impl""emented|for n""ow" |
	grep -v 'mktemp\|tests/house/style.sh')" ""
is "no process's own folders are in the files" "$(files | xargs grep -alE "/ho""me/[a-z]|/ro""ot/|/wo""rk/")" ""
# What programs write into the current folder must not be added with the rest.
is "the top has the files that belong there" "$(files | grep -v / | LC_ALL=C sort | tr '\n' ' ')" \
	".clang-format .gitignore CONTRIBUTING.md HACKING.md LICENSE Makefile NEWS README.md SECURITY.md "
is "the folders at the top are the rooms" "$(files | sed -n 's|/.*||p' | sort -u | tr '\n' ' ')" \
	".ci analyze bench cmd convert db fixtures man packaging record tests "

# One program for all files, not one for each: starting programs takes most of the time here.
# Prints the files whose first LINES lines do not have BEFORE, the own name and AFTER (regular expressions).
opens() {	# before, after, lines
	xargs awk -v before="$1" -v after="$2" -v lines="$3" '
		function judge(	name, at) {
			name = seen
			sub(/.*\//, "", name)
			at = index(text, name)
			if (seen != "" && !(at && substr(text, 1, at - 1) ~ before && substr(text, at + length(name)) ~ after)) print seen
		}
		FNR == 1 { judge(); seen = FILENAME; text = "" }
		FNR <= lines { text = text $0 " " }
		END { judge() }'
}
c_files() { files 'record/*.c' 'analyze/*.c' 'convert/*.c' 'db/*.c' 'cmd/*.c'; }
is "every C file opens with what it owns" "$(files '*.c' '*.h' '*.cc' | opens '^/[*][ *]*$' '^( [[]|[: ])' 3)" ""
is "every script opens with what it owns" "$(files 'tests/*.sh' 'bench/*.sh' 'fixtures/*.sh' '*.awk' | opens '(^| )# $' '^[: ]' 2)" ""

# 100 columns for C, tabs counted as eight; comments may be wider, up to what a screen shows.
is "C code fits in 100 columns" "$(c_files | xargs awk '{
		line = $0
		while ((at = index(line, "\t")))
			line = substr(line, 1, at - 1) sprintf("%*s", 8 - (at - 1) % 8, "") substr(line, at + 1)
		n = length(line)
	}
	n > 100 && (n > 132 || line !~ /^ *(\*|\/\*)|\/\*.*\*\/$/) { print FILENAME ":" FNR ": " n }' | head -n 20)" ""
is "indentation is tabs" "$(files '*.c' '*.h' | xargs grep -nE '^ {8}' | head -n 5)" ""
is "no function has conditional compilation inside" "$(files 'analyze/*.c' 'convert/*.c' 'db/*.c' 'cmd/*.c' 'record/*.c' |
	xargs awk 'FNR == 1 { in_f = 0 } /^\{/ { in_f = 1 } /^\}/ { in_f = 0 }
		in_f && /^#[ \t]*(if|ifdef|ifndef)/ { print FILENAME ":" FNR }')" ""
is "no file of code is over 600 lines" "$(files '*.[ch]' '*.sh' '*.awk' '*.py' '*.sql' '*.js' | xargs awk 'FNR == 601 { print FILENAME " has more" }')" ""

# Nine functions in ten stay under 60 lines.
is "long functions are rare" "$(c_files | xargs awk '/^\{/ { b = FNR } /^\}/ && b { print FNR - b; b = 0 }' |
	awk '{ all++; long += $1 > 60 } END { if (long * 20 > all) print long " of " all " are over 60 lines" }')" ""

is "no function has over 90 lines" "$(c_files | xargs awk '/^\{/ { b = FNR } /^\}/ && b { if (FNR - b > 89) print FILENAME ":" b; b = 0 }')" ""

# Constant tables of strings are in .data.rel.ro and are no variables.
is "no offline file has a variable of its own" "$(for l in analyze convert db; do
	nm -f sysv "$B/lib$l.a" 2>/dev/null | tr -d ' ' |
		awk -F '|' -v l=$l '/:$/ { o = $0 } $7 ~ /^\.(data|bss|tbss|tdata)$/ && $4 ~ /OBJECT|TLS/ { print l ": " o " " $1 }'
done)" ""
tap_end
