# api.sh: every call of tau.h's first part records exactly what the program prints, and nothing at all without the recorder.
. "$(dirname "$0")/../expect.sh"

api=$B/apps/api
record api "$api"
is "the program ends as it should" "$code" 0
is "its output is the same with and without the recorder" "$(cat "$T/api.out")" "$("$api")"
expect api
tap_end
