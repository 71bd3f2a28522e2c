# structs.sh: a struct has a name of its own: no other folder of the recorder, or of what reads, defines one of the same name.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1

# Names that several folders define, as NAME: FILE FILE...; also in functions, and of variables.
twice() {
	grep -rnoE '^[[:space:]]*((static|const|extern) )*(struct|union) [A-Za-z_0-9]+ \{' "$@" --include='*.[ch]' |
		sed -E 's/:[0-9]+:.*(struct|union) / /; s/ \{$//' |
		awk '{ folder = $1; sub(/\/[^\/]*$/, "", folder) }
			!seen[folder, $2]++ { where[$2] = where[$2] " " $1; n[$2]++ }
			END { for (name in n) if (n[name] > 1) print name ":" where[name] }' | sort
}
# analyze/trace/trace.h declares a cursor, and each kind of trace defines what its own cursors are. gen.awk writes the functions of MPI
# and of OpenSHMEM for hooks of the same names; the latter have no such calls.
exceptions='coll_call|start_call|trace_cursor'
is "no name is used twice" "$(twice cmd analyze convert db record | grep -vE "^($exceptions):")" ""
is "the exceptions are used twice" "$(twice cmd analyze convert db record | grep -oE "^($exceptions):" | tr '\n' ' ')" \
	"coll_call: start_call: trace_cursor: "
mkdir -p "$T/a" "$T/b"
echo 'struct place {' | tee "$T/a/x.c" >"$T/b/y.h"
like "a name of two folders is found" "$(twice "$T")" '^place: .*a/x\.c .*b/y\.h$|^place: .*b/y\.h .*a/x\.c$'
echo 'static const struct place {' >"$T/a/x.c"
printf '\tunion place {\n' >"$T/b/y.h"
like "so is one of a variable, and one in a function" "$(twice "$T")" '^place: '
tap_end
