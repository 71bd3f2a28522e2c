#!/bin/sh
# fuzz.sh TARGET...: fuzzes with the programs that `make fuzz` builds in B/tests/fuzz. Each starts from its files in fixtures/fuzz, seeds
# made here from a recorded program, and what earlier runs have found; what it finds stays in B/corpus/TARGET. An input that fails stays in
# B/failed, and the exit status is 1. Variables: RUNS and LIMIT (seconds) of each, JOBS at a time, as in the Makefile; OPTIONS for libFuzzer.
cd "$(dirname "$0")/.." || exit 1
failed=$B/failed
mkdir -p "$failed"
ulimit -v unlimited 2>/dev/null # the address sanitizer reserves terabytes
# Half of the time goes into its bookkeeping otherwise. Run a failing input again without this to see where memory was allocated.
export ASAN_OPTIONS="quarantine_size_mb=1:malloc_context_size=0:max_malloc_fill_size=0:$ASAN_OPTIONS"

# What the formats of profiles look like when a program of ours is profiled: once, as far as the tools are built.
seeds() {
	plain=${B%/fuzz}
	run=$B/seed.run
	[ ! -d "$run" ] && [ -x "$plain/tau-record" ] && [ -x "$plain/apps/api" ] || return 0
	"$plain/tau-record" -o "$run" "$plain/apps/api" >/dev/null 2>&1 || return 0
	for format in folded snapshot ppk; do
		mkdir -p "$B/corpus/$format"
		"$plain/tau-trace2profile" --callpath -f "$format" -o "$B/corpus/$format/seed" "$run" 2>/dev/null
	done
	mkdir -p "$B/corpus/native" "$B/corpus/tau"
	"$plain/tau-trace2profile" -o "$B/seed.profile" "$run" 2>/dev/null && cp "$B/seed.profile/profile.0.0.0" "$B/corpus/tau/seed"
	for f in "$run"/*.tau; do
		[ "$(wc -c <"$f")" -gt 20000 ] || cp "$f" "$B/corpus/native/$(basename "$f")"
	done
}

# One target, to its end.
fuzz() {
	mkdir -p "$B/corpus/$1"
	log=$B/corpus/$1.log
	"$B/tests/fuzz/$1" -runs="$RUNS" -max_total_time="$LIMIT" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=64 -print_final_stats=1 \
		-artifact_prefix="$failed/$1-" $OPTIONS "$B/corpus/$1" "fixtures/fuzz/$1" >"$log" 2>&1
	code=$?
	printf '%-10s %12s executions, %s a second%s\n' "$1" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
		"$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")" "$([ $code -eq 0 ] || echo ": FAILED, see $log")"
	return $code
}

if [ "$1" = --one ]; then
	fuzz "$2"
	exit
fi
seeds
printf '%s\n' "$@" | xargs -P "$JOBS" -n 1 sh tests/fuzz.sh --one || exit 1
