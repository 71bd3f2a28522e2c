# expect.sh: for tests that compare a program's own truth with its trace; sources tap.sh. Gives:
#
#   record NAME [tau-record options --] PROGRAM ARGS...   records into $T/NAME.run, the program's output in $T/NAME.out, what came
#                                                         on stderr in $T/NAME.err, the exit status in $code
#   expect NAME [tau-trace2profile options]               one TAP line for each EXPECT line of $T/NAME.out (see
#                                                         expect.awk), compared with $T/NAME.run
#   calls NAME REGION                                     calls of a region in $T/NAME.csv, over all threads
#   all_calls NAME                                        of all regions together, without the root timers
. "$(dirname "$0")/../tap.sh"

record() {
	name=$1; shift
	rm -rf "$T/$name.run"
	tau-record -o "$T/$name.run" "$@" >"$T/$name.out" 2>"$T/$name.err" </dev/null
	code=$?
}

expect() {
	name=$1; shift
	if ! tau-trace2profile --callpath=2 --format csv "$@" "$T/$name.run" >"$T/$name.csv" 2>"$T/$name.why"; then
		fail "$name: its trace becomes a profile"
		sed 's/^/#   /' "$T/$name.why" "$T/$name.err"
		return
	fi
	awk -f "$TOP/tests/expect.awk" "$T/$name.out" "$T/$name.csv" >"$T/$name.verdict"
	while read -r verdict what; do
		if [ "$verdict" = pass ]; then pass "$name: $what"; else fail "$name: $what"; fi
	done <"$T/$name.verdict"
	grep -q '^EXPECT meta ' "$T/$name.out" || return 0
	tau-trace2profile --format json "$T/$name.run" >"$T/$name.json" 2>/dev/null
	sed -n 's/^EXPECT meta //p' "$T/$name.out" >"$T/$name.meta"
	while IFS= read -r line; do
		pair=$(printf '%s\n' "$line" | sed 's/[\\"]/\\&/g; s/^\([^=]*\)=\(.*\)$/"\1":"\2"/')
		if sed 's/": "/":"/g' "$T/$name.json" | grep -qF -- "$pair"; then
			pass "$name: metadata $line"
		else
			fail "$name: metadata $line"
		fi
	done <"$T/$name.meta"
}

calls() {
	printf 'EXPECT region %s calls -1\n' "$2" | awk -f "$TOP/tests/expect.awk" - "$T/$1.csv" |
		sed -n 's/.*(got calls \(.*\))$/\1/p'
}

all_calls() {
	grep -v -e '\.TAU application' -e 'TAU_CALLPATH' "$T/$1.csv" | sed 's/"[^"]*"/q/g' |
		awk -F, '$5 == "timer" { n += $8 } END { printf "%d\n", n }'
}
