# threads.sh: ten thousand short-lived threads and a thousand at once: files and memory stay bounded by what lives at once.
. "$(dirname "$0")/../expect.sh"

crowd=$B/apps/crowd
number() { sed -n "s/^$1 \([0-9]*\) KB\$/\1/p" "$2"; }

# added NAME LIMIT ARGS...: records the program; memory that the recorder adds at its fullest, in KB
added() {
	name=$1 limit=$2; shift 2
	"$crowd" "$@" >"$T/$name.plain"
	record "$name" "$crowd" "$@"
	is "$name: the program ends as it should" "$code" 0
	kb=$(($(number MEMORY "$T/$name.out") - $(number MEMORY "$T/$name.plain")))
	ok "$name: $kb KB of memory added, at most $limit" test "$kb" -le "$limit"
	expect "$name"
	ok "$name: the trace is sound" tau-dump --check "$T/$name.run"
	is "$name: no live file is left" "$(ls "$T/$name.run" | grep -c 'live$')" 0
}

# 1.75 MB (up to 0.2 MB of it are pages of shared files, as the kernel maps them), and 0.3 MB a thread
added one 2092 1 0 1000000
added hundred 31792 100 0 50000
added thousand 302092 1000 10000 10000
files=$(ls "$T/thousand.run" | grep -c 'tau$')
ok "11000 threads, 1000 at once: $files files, at most 1001" test "$files" -le 1001
rm -rf "$T"/*.run

added few 36636 4 1000 10
added many 36636 4 10000 10
ok "files do not grow with threads: $(ls "$T/many.run" | wc -l)" test "$(ls "$T/many.run" | grep -c 'tau$')" -le 6
grown=$(($(number AFTER "$T/many.out") - $(number AFTER "$T/few.out")))
# the live chunks of five streams fill up meanwhile: 0.2 MB each
ok "nor does memory: $grown KB after 9000 threads more" test "$grown" -le 1024
tap_end
