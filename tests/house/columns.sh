# columns.sh: each column that is a row of an array has a sentence, and no cell is filled by the literal number of its column.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1

# The rows of arrays of fields that have no sentence.
silent() {
	xargs awk '
		function judge() { if (row != "" && row !~ /\.meaning = "[^"]/) print name ": " row; row = "" }
		/^\t\{FIELD\(/ || /^\t\{0\},/ { judge() }
		/^\t\{FIELD\(/ { row = " "; name = FILENAME ":" FNR }
		row != "" { row = row $0 }
		/^};/ { row = "" }'
}
grep -rl 'struct table_field .*\[\] = {' cmd --include='*.c' | sort >"$T/files"
ok "there are files with fields" test "$(wc -l <"$T/files")" -ge 15
is "each field has a sentence" "$(silent <"$T/files")" ""
printf '\t{FIELD(struct cells, calls), TABLE_INTEGER, "calls", NULL},\n\t{0},\n' >"$T/bad.c"
like "a field without a sentence is found" "$(echo "$T/bad.c" | silent)" 'bad.c:1: .*calls'
is "no cell is filled by the number of its column" "$(grep -rnE 'table_put_[a-z]+\(t, [0-9]' cmd)" ""
tap_end
