# damaged_settings.sh: what tau-record hands down to the recorder in files and variables, damaged in each byte: the program runs as ever, and at
# most one sentence is printed.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

printf 'BEGIN_EXCLUDE_LIST\ndeep\n"hot#"\nEND_EXCLUDE_LIST\nBEGIN_FILE_EXCLUDE_LIST\n*.h\nEND_FILE_EXCLUDE_LIST\n' >selection
printf 'class 8 -> 24 string min 16 max 0x1000 library libpython\nclass 0 -> -8 chars prefix py: heap varying\n' >types
tau-record -o run --select selection --types types --wrap memory sh -c 'env; LD_PRELOAD= tau-record --control run mark here' >env 2>&1
of() { sed -n "s/^$1=//p" env; }
export TAU_RECORD_DIR="$T/run"

# each WHAT VARIABLE FILE|-TEXT LIBRARY...
each() {
	what=$1 variable=$2 value=$3 PRELOAD=$4
	export PRELOAD
	"$B/tests/fault/damaged_settings" "$variable" "$value" "$B/apps/control" >log 2>&1
	is "$what: $(grep -c '^ok' log) checks, $(sed -n 's/^ok 3 - //p' log)" "$(grep -v '^ok' log)" "1..3"
}
each "the file of commands" TAU_RECORD_WATCH "$(of TAU_RECORD_WATCH)" "$B/libtau.so"
each "the table of a selection" TAU_RECORD_SELECT "$(of TAU_RECORD_SELECT)" "$B/libtau.so"
# It is of two lines.
rules=$(awk '/^TAU_RECORD_TYPES=/ { sub(/^[^=]*=/, ""); print; at = 1; next } at && /^[0-9]/ { print; next } { at = 0 }' env)
each "the rules of --types" TAU_RECORD_TYPES "-$rules
" "$B/libtau.so:$B/libtau-memory.so"
tap_end
