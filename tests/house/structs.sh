# structs.sh: a struct has a name of its own: no other folder of what reads, or of the recorder, defines one of the same name.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1

# Names that several folders define. NAME_cells and cells are the row of a table (table_fields.h), in each file that has one.
twice() {
	grep -rnoE '^struct [a-z_0-9]+ \{' "$@" --include='*.[ch]' | sed 's/:[0-9]*:struct / /; s/ {$//' |
		awk '{ folder = $1; sub(/\/[^\/]*$/, "", folder) }
			$2 !~ /^([a-z]+_)?cells$/ && !seen[folder, $2]++ { where[$2] = where[$2] " " $1; n[$2]++ }
			END { for (name in n) if (n[name] > 1) print name ":" where[name] }' | sort
}
# analyze/trace/trace.h declares a cursor, and each kind of trace defines what its own cursors are.
is "offline no name is used twice" "$(twice cmd analyze convert db | grep -v '^trace_cursor:')" ""
# gen.awk writes the functions of MPI and of OpenSHMEM for hooks of the same names; the latter have no such calls.
is "in the recorder no name is used twice" "$(twice record | grep -vE '^(coll|start)_call:')" ""
is "the exceptions are used twice" "$(twice cmd analyze convert db record | grep -oE '^(trace_cursor|coll_call|start_call):' |
	tr '\n' ' ')" "coll_call: start_call: trace_cursor: "
mkdir -p "$T/a" "$T/b"
echo 'struct place {' | tee "$T/a/x.c" >"$T/b/y.h"
like "a name of two folders is found" "$(twice "$T")" '^place: .*a/x\.c .*b/y\.h$|^place: .*b/y\.h .*a/x\.c$'
tap_end
