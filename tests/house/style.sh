# style.sh: what a reader may count on in every file: it says what it owns, nothing is promised for later, nobody's
# home folder is in it, lines fit, long functions and long files are few.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1

files() { git ls-files --cached --others --exclude-standard -- "$@" 2>/dev/null | while read -r f; do [ -f "$f" ] && echo "$f"; done; }
git rev-parse --git-dir >/dev/null 2>&1 || skip_all "not a git checkout"
ours() { files '*.c' '*.h' '*.sh' '*.awk' '*.cc' '*.sql' '*.list' '*.f90' Makefile '*.mk' 'man/*' README.md NEWS 'bench/*' '.ci/*'; }

# The words are written in two halves so that this file does not find itself.
is "nothing is put off" "$(ours | xargs grep -nwE "TO""DO|FIX""ME|XX""X|HA""CK|not impl""emented|for n""ow" |
	grep -v 'mktemp\|tests/house/style.sh')" ""
is "nobody's own folders are in the files" "$(ours | xargs grep -nE "/ho""me/[a-z]|/ro""ot/|/wo""rk/")" ""

is "every C file opens with what it owns" "$(for f in $(files '*.c' '*.h' '*.cc'); do
	head -n 3 "$f" | tr '\n' ' ' | grep -qE "^/\*[ *]*$(basename "$f" | sed 's/[.]/\\./g')( \[|[: ])" || echo "$f"
done)" ""
is "every script opens with what it owns" "$(for f in $(files 'tests/*.sh' 'bench/*.sh' 'fixtures/*.sh' '*.awk'); do
	head -n 2 "$f" | grep -qE "^# $(basename "$f" | sed 's/[.]/\\./g')[: ]" || echo "$f"
done)" ""

# 100 columns for C, tabs counted as eight; comments may be wider, up to what a screen shows.
is "C code fits in 100 columns" "$(for f in $(files 'record/*.c' 'record/*/*.c' 'analyze/*.c' 'convert/*.c' 'db/*.c' 'cmd/*.c'); do
	expand "$f" | awk -v f="$f" 'length($0) > 100 && (length($0) > 132 || !/^ *(\*|\/\*)|\/\*.*\*\/$/) { print f ":" FNR ": " length($0) }'
done | head -n 20)" ""
is "indentation is tabs" "$(files '*.c' '*.h' | xargs grep -nE '^ {8}' | head -n 5)" ""
is "no function has conditional compilation inside" "$(for f in $(files 'analyze/*.c' 'convert/*.c' 'db/*.c' 'cmd/*.c' 'record/*.c'); do
	awk -v f="$f" '/^\{/ { in_f = 1 } /^\}/ { in_f = 0 } in_f && /^#[ \t]*(if|ifdef|ifndef)/ { print f ":" FNR }' "$f"
done)" ""
is "no C file is over 600 lines" "$(for f in $(files 'analyze/*.c' 'convert/*.c' 'db/*.c' 'cmd/*.c' 'record/*.c' 'record/*/*.c'); do
	n=$(wc -l <"$f"); [ "$n" -le 600 ] || echo "$f: $n"
done)" ""

# Nine functions in ten stay under 60 lines.
is "long functions are rare" "$(for f in $(files 'record/*.c' 'record/*/*.c' 'analyze/*.c' 'convert/*.c' 'db/*.c' 'cmd/*.c'); do
	awk '/^\{/ { b = FNR } /^\}/ && b { print FNR - b; b = 0 }' "$f"
done | awk '{ all++; long += $1 > 60 } END { if (long * 20 > all) print long " of " all " are over 60 lines" }')" ""

# Constant tables of strings are in .data.rel.ro and are no variables.
is "no offline file has a variable of its own" "$(for l in analyze convert db; do
	nm -f sysv "$B/lib$l.a" 2>/dev/null | tr -d ' ' |
		awk -F '|' -v l=$l '/:$/ { o = $0 } $7 ~ /^\.(data|bss|tbss|tdata)$/ && $4 ~ /OBJECT|TLS/ { print l ": " o " " $1 }'
done)" ""
tap_end
