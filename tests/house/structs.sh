# structs.sh: a struct of cmd/ or analyze/ has a name of its own: no other folder defines one of the same name.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1

# Names that several folders define. NAME_cells and cells are the row of a table (table_fields.h), in each file that has one.
twice() {
	grep -rnoE '^struct [a-z_0-9]+ \{' "$@" --include='*.[ch]' | sed 's/:[0-9]*:struct / /; s/ {$//' |
		awk '{ folder = $1; sub(/\/[^\/]*$/, "", folder) }
			$2 !~ /^([a-z]+_)?cells$/ && !seen[folder, $2]++ { where[$2] = where[$2] " " $1; n[$2]++ }
			END { for (name in n) if (n[name] > 1) print name ":" where[name] }' | sort
}
# Older ones, each to be renamed when its file changes.
older="batch candidate cell compared counted edges ends limit limits line lists meeting member message moments numbers parts piece
process reading row rule sample series table tally trace_cursor unit"
is "no name is used twice" "$(twice cmd analyze | grep -vE "^($(echo $older | tr ' ' '|')):")" ""
is "the older ones are used twice" "$(for name in $older; do twice cmd analyze | grep -q "^$name:" || echo "$name"; done)" ""
mkdir -p "$T/a" "$T/b"
echo 'struct place {' | tee "$T/a/x.c" >"$T/b/y.h"
like "a name of two folders is found" "$(twice "$T")" '^place: .*a/x\.c .*b/y\.h$|^place: .*b/y\.h .*a/x\.c$'
tap_end
