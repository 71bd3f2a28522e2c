# startup.sh: what recording adds to a program that does nothing: at most 10 ms, tau-record and all.
. "$(dirname "$0")/../tap.sh"

now() { date +%s%N; }
# least COMMAND...: shortest of 25 runs in microseconds
least() {
	best=
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do
		rm -rf "$T/run"
		begin=$(now)
		"$@" >/dev/null 2>&1
		took=$((($(now) - begin) / 1000))
		[ -n "$best" ] && [ "$best" -le $took ] || best=$took
	done
	echo "$best"
}
added=$(($(least tau-record -o "$T/run" /bin/true) - $(least /bin/true)))
ok "recording adds $added us to /bin/true, at most 10000" test "$added" -le 10000
tap_end
