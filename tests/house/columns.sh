# columns.sh: each column is a row of an array with a sentence, which --explain and the manual page have.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1

# The rows of arrays of fields, and of macros for them, that have no sentence.
silent() {
	xargs awk '
		function judge() { if (row != "" && row !~ /\.meaning *= *"[^"]/) print name ": " row; row = "" }
		FNR == 1 { judge() }
		/^\t\{FIELD/ || /^\t\{0\},/ || /^\t[ \t]*\{? *FIELD\(of,/ || /^$/ { judge() }
		/^\t\{FIELD/ || /^\t[ \t]*\{? *FIELD\(of,/ { row = " "; name = FILENAME ":" FNR }
		row != "" { row = row $0 }
		/^};/ { row = "" }
		END { judge() }'
}
grep -rlE 'struct table_field .*\[\] = \{|^\t.*FIELD\(of, ' cmd --include='*.[ch]' | grep -v '/table_fields\.h$' | sort >"$T/files"
ok "there are files with fields" test "$(wc -l <"$T/files")" -ge 35
is "each field has a sentence" "$(silent <"$T/files")" ""
printf '\t{FIELD(struct cells, calls), TABLE_INTEGER, "calls", NULL},\n\t{0},\n' >"$T/bad.c"
printf '#define ROW(of) \\\n\t{FIELD(of, name), TABLE_TEXT, "type"}\n' >"$T/bad.h"
is "a field without a sentence is found" "$(echo "$T/bad.c $T/bad.h" | silent | sed 's/: .*//; s/.*\///' | tr '\n' ' ')" "bad.c:1 bad.h:2 "

# A query has the columns that its SQL names, and a list of trials those of the facts that are selected.
is "columns are fields" "$(grep -rnE '\<table_column\(' cmd --include='*.[ch]' | grep -vE '^cmd/(table/table(_fields)?\.[ch]|db/db_(rows|list)\.c):')" ""
"$B/tau-db" list --help | sed -n '/^Facts/,/^$/p' >"$T/facts"
is "each fact of tau-db list has a sentence" "$(awk 'NR > 1 && NF == 1' "$T/facts")" ""
is "and a row for each of the columns without --columns" "$(sed -n 's/^static const char usual\[\] = "\(.*\)";/\1/p' cmd/db/db_list.c |
	tr ',' '\n' | while read -r key; do grep -q "^  $key  *[a-z]" "$T/facts" || echo "$key"; done)" ""
is "no cell is filled by the number of its column" "$(grep -rnE 'table_put_[a-z]+\(t, [0-9]' cmd)" ""

# An array of fields in cmd/report that no kind lists has no lines in the manual page.
unlisted() {
	grep -rnoE 'struct table_field [a-z_]+\[\] = \{' "$@" --include='*.c' | sed 's/:[0-9]*:struct table_field / /; s/\[\].*//' |
		while read -r file name; do
			where=$file
			grep -q "^static const struct table_field $name\[\]" "$file" || where=$*
			grep -rhA3 '\.columns = ' $where | grep -qE "[{ 	]$name,|^$name," || echo "$file: $name"
		done
}
is "kinds list their columns" "$(unlisted cmd/report cmd/profile)" ""
printf 'static const struct table_field lost[] = {\n' >"$T/lost.c"
is "an array that is not listed is found" "$(unlisted "$T" | sed 's/.*: //')" lost
tap_end
