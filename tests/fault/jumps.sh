# jumps.sh: functions left by longjmp, by exceptions, by signal handlers that never return, and by switching to other stacks: the
# stacks are repaired there and then, calls and callers stay right, and memory does not grow.
. "$(dirname "$0")/../expect.sh"

jumps=$B/apps/jumps
for c in $("$jumps"); do
	if [ "$c$TAU_TEST_EMULATED" = lentqemu ]; then
		skip "$c" "qemu gives a child of clone(CLONE_VM | CLONE_VFORK) memory of its own"
		continue
	fi
	record "$c" "$jumps" "$c"
	is "$c: the program ends as it should" "$code" 0
	is "$c: nothing but the recorder's own summary is printed" \
		"$(grep -vE '^tau-record: |clone\(\) shares' "$T/$c.err")" ""
	expect "$c"
	ok "$c: the trace is sound" tau-dump --check "$T/$c.run"
	rm -rf "$T/$c.run"
done
while read -r word case kb unit; do
	ok "$case: a million jumps took $kb $unit of memory, at most 1024" test "$kb" -le 1024
done <<-END
	$(grep -h '^GROWN' "$T"/*.out)
END
left=$(sed -n 's/^left by a jump \([0-9]*\) times$/\1/p' "$T/interrupted.out")
ok "handlers jumped out of whatever they interrupted $left times" test "$left" -ge 2000
like "events of handlers that interrupted the recorder are counted as lost" "$(cat "$T/inner.err")" ' [1-9][0-9]* lost,'
like "repaired frames are reported" "$(cat "$T/loop.why")" 'the begin or end of 3000000 regions was not recorded and was repaired'
is "what clone() without thread-local storage means is reported once" "$(grep -c 'recording of both ends' "$T/cloned.err")" 1

# the same with values of metrics beside each record
for c in interrupted inner coroutines; do
	record "$c-metrics" --metrics CPU_TIME "$jumps" "$c"
	is "$c with --metrics: the program ends as it should" "$code" 0
	expect "$c-metrics"
	ok "$c with --metrics: the trace is sound" tau-dump --check "$T/$c-metrics.run"
	rm -rf "$T/$c-metrics.run"
done

# exceptions, from both compilers: clang's hooks do not see a function end by an exception
record throws "$B/apps/throws"
expect throws
if command -v clang++ >/dev/null 2>&1; then
	clang++ -std=gnu++17 -g -O1 -Irecord -finstrument-functions "$TOP/fixtures/apps/throws.cc" -o "$T/throws-clang"
	record throws-clang "$T/throws-clang"
	expect throws-clang
else
	skip "exceptions in a program compiled by clang" "clang++ is not installed"
fi
tap_end
