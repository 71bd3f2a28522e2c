# killed.sh: SIGKILL at any moment loses nothing before the last record. The program counts in a shared file what it did;
# the trace of each thread must show that many calls, or the one more that was being made.
. "$(dirname "$0")/../expect.sh"

kills=${TAU_TEST_KILLS:-20}
seed=${TAU_TEST_SEED:-$$}
echo "# seed $seed, $kills kills"

# Milliseconds to live, from the seed: 5 to 204.
lives() { awk -v seed="$seed" -v n="$kills" 'BEGIN { srand(seed); while (n--) print int(5 + rand() * 200) / 1000 }'; }

# PID of the program recorded below process $1: the one whose name is `killed`.
victim() {
	for c in $(cat /proc/"$1"/task/*/children 2>/dev/null) "$1"; do
		[ "$(cat /proc/"$c"/comm 2>/dev/null)" = killed ] && echo "$c" && return
	done
	return 1
}

# Keeps what a bad round left, where TAU_TEST_KEEP names a folder; three bad rounds are enough.
bad=0
bad_round() {
	wrong="$wrong $1"
	bad=$((bad + 1))
	[ -z "$TAU_TEST_KEEP" ] || cp -r "$T/killed.run" "$TAU_TEST_KEEP/round-$round"
}

round=0 opened=0 exact=0 wrong=
for life in $(lives); do
	[ $bad -lt 3 ] || break
	round=$((round + 1))
	threads=$((round % 4))
	rm -rf "$T/killed.run" "$T/counts"
	tau-record -o "$T/killed.run" "$B/apps/killed" "$T/counts" $threads >/dev/null 2>"$T/killed.err" </dev/null &
	recorder=$!
	until pid=$(victim $recorder) && [ -s "$T/counts" ]; do
		kill -0 $recorder 2>/dev/null || break
	done
	sleep "$life"
	kill -KILL "$pid" 2>/dev/null
	wait $recorder
	[ $? -eq 137 ] || bad_round "status-of-round-$round"
	tau-trace2profile --format csv "$T/killed.run" >"$T/killed.csv" 2>"$T/killed.why" || {
		bad_round "unreadable-$round"
		sed 's/^/# /' "$T/killed.why"
		continue
	}
	opened=$((opened + 1))
	set -- $(od -An -v -tu8 -w8 "$T/counts")
	for name in tick tick1 tick2 tick3; do
		got=$(calls killed $name)
		if [ "$got" -eq "$1" ] || [ "$got" -eq $(($1 + 1)) ]; then
			exact=$((exact + 1))
		else
			bad_round "$name:$got-of-$1-in-round-$round"
		fi
		shift
	done
done 2>/dev/null
is "every trace opens" $opened "$kills"
is "every call before the last record is there" "$exact of $((4 * kills))${wrong:+, wrong:$wrong}" "$((4 * kills)) of $((4 * kills))"
tap_end
