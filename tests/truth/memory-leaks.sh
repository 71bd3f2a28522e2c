#!/bin/sh
# memory-leaks.sh: call sites of allocations, and what is live at the end: lost, lost with others, or still reachable.
. "$(dirname "$0")/../tap.sh"
unset TAU_DOUBLE LD_PRELOAD TAU_TRACK_MEMORY_LEAKS TAU_MEMORY_SITES

ok "a program that leaks is recorded" env TAU_TRACK_MEMORY_LEAKS=1 tau-record -o "$T/leak" --wrap memory "$B/apps/memleak"
tau-trace2profile --format csv "$T/leak" >"$T/leak.csv" || fail "tau-trace2profile ends with $?"
# counters PATTERN: what follows it in the names of counters, blocks and bytes of each, lines replaced by the function's name alone
counters() {
	sed -n "s/.*,counter,\"*$1 untyped \[memleak\] @ \([a-z_]*\) [^,]*memleak.c} {[0-9]*}\]\"*,,,,,,\([0-9]*\),\([0-9]*\),.*/\1 \2 x \3/p" \
		"$T/leak.csv" | sort
}
is "what nothing leads to is lost: single blocks, heads of chains, one of a ring, what a realloc made last" "$(counters lost)" \
	"lose 7 x 33
lose_chain 1 x 48
lose_moved 1 x 2000
lose_ring 1 x 56"
is "what only lost blocks lead to is distinguished" "$(counters 'indirectly lost')" "lose_chain 3 x 48
lose_ring 2 x 56"
is "global variables, insides of blocks, thread-local data and stacks keep blocks reachable" "$(counters reachable)" \
	"keep 1 x 5000
keep 1 x 777
keep 5 x 48
main 1 x 1234"
line() { grep -n "$1" "$TOP/fixtures/apps/memleak.c" | sed 's/:.*//'; }
is "every leak is also an event in TAU's form" \
	"$(grep -c "MEMORY LEAK! Heap Allocate <file=[^,]*memleak.c, line=$(line 'malloc(33)')>\",,,,,,7,33,33," "$T/leak.csv")" 1
is "blocks that another thread freed are none" "$(grep -c 'lost.*@ threads\|lost.*@ other' "$T/leak.csv")" 0
is "allocations of a site count under TAU's name for it" \
	"$(grep -c "Heap Allocate <file=[^,]*memleak.c, line=$(line 'realloc(p')>\",,,,,,20,2000,100," "$T/leak.csv")" 1
is "findings are no memory: what is live at the end is live once" \
	"$(awk -F, '$5 == "counter" && $6 == "live untyped [memleak]" { print $14 }' "$T/leak.csv")" \
	"$((7 * 33 + 4 * 48 + 3 * 56 + 2000 + 5 * 48 + 5000 + 777 + 1234))"
ok "the trace is in order" tau-dump --check "$T/leak"

# The report.
tau-report leaks --top 0 -f csv "$T/leak" >"$T/report.csv" || fail "tau-report leaks ends with $?"
is "the report has the same: lost, lost with others, reachable" \
	"$(awk -F, '/memleak.c/ { n[$1] += $(NF - 1); bytes[$1] += $(NF - 3) } END { for (k in n) print k, n[k], bytes[k] }' "$T/report.csv" | sort)" \
	"lost 10 $((7 * 33 + 48 + 2000 + 56))
reachable 8 $((5000 + 777 + 5 * 48 + 1234))
with lost 5 $((3 * 48 + 2 * 56))"
is "--gate: the lost bytes" "$(tau-report leaks --gate 0 "$T/leak" >"$T/out"; echo $?; tau-report leaks --gate 1MiB "$T/leak" >"$T/out"; echo $?)" "1
0"
ok "converted, the trace" tau-convert -t tau "$T/leak" "$T/again"
is "says the same" "$(tau-report leaks --top 0 -f csv "$T/again")" "$(cat "$T/report.csv")"
is "shares add up" "$(tau-report leaks --top 0 -f csv "$T/leak" | awk -F, 'NR > 1 && $2 != "all" { s += $(NF - 2) } END { printf "%.3f", s }')" 100.000
for by in type owner parent site stack; do
	tau-report leaks --by $by --top 3 -f csv "$T/leak" | tr -d '\r' |
		awk -F, 'NR > 1 && $2 != "all" { b += $(NF - 3); n += $(NF - 1) } $2 == "all" { print b - $(NF - 3), n - $(NF - 1), $(NF - 3) }'
done | sort -u >"$T/sums"
is "leaks by type, owner, parent, site and stack add up to the same all, others included" \
	"$(wc -l <"$T/sums" | tr -d ' ') $(cut -d ' ' -f 1,2 "$T/sums")" "1 0 0"
is "by type a type has one row for each way it was found" "$(tau-report leaks --by type -f csv "$T/leak" | cut -d, -f1,2 | sort | uniq -d)" ""
tau-db import --db "$T/leak.db" --summary "$T/leak" >/dev/null 2>&1
is "a summary in a database has the same leaks" \
	"$(tau-report leaks --by type -f csv --db "$T/leak.db" | cut -d, -f1-7)" "$(tau-report leaks --by type -f csv "$T/leak" | cut -d, -f1-7)"
# Bytes of the rows, then of all: the first number in a line, as names have none between commas.
for by in type owner parent site all pe; do
	tau-report memory --by $by --window :100% --top 0 -f json "$T/leak" |
		sed -n 's/.*"bytes": *\([0-9]*\),.*/\1/p' | awk '{ sum += last; last = $1 } END { print sum, last }'
done | sort -u >"$T/sums"
is "memory adds up to the same by type, owner, parent, site, all and PE, and to what all says" \
	"$(awk '$1 > 0 && $1 == $2' "$T/sums" | wc -l | tr -d ' ') $(wc -l <"$T/sums" | tr -d ' ')" "1 1"
# Windows add up with sites as without: each counter of the halves sums to that of the whole.
ok "with sites alone" env TAU_MEMORY_SITES=1 tau-record -o "$T/sites" --wrap memory "$B/apps/memtruth" 50 2
tau-report leaks "$T/sites" >/dev/null 2>&1
is "a run without leaks recorded gets a message" "$?" 3
is "no leaks are looked for" "$(tau-trace2profile --format csv "$T/sites" | grep -c 'counter,"*lost \|LEAK')" 0
sums() { awk -F, '$5 == "counter" && $6 ~ /^alloc .* @ / { n[$6] += $12; sum[$6] += $12 * $15 } END { for (k in n) printf "%s %d %.0f\n", k, n[k], sum[k] }' | sort; }
middle=$(tau-trace2profile --format csv "$T/sites" | awk -F, '$5 == "timer" && $6 == ".TAU application" { print int($11 / 2) "us"; exit }')
if [ -n "$middle" ]; then
	tau-trace2profile --format csv "$T/sites" | sums >"$T/whole"
	{ tau-trace2profile --format csv --window ":$middle" "$T/sites"; tau-trace2profile --format csv --window "$middle:" "$T/sites"; } |
		sums >"$T/halves"
	like "sites are there" "$(wc -l <"$T/whole")" '^ *[1-9]'
	is "windows add up, by site" "$(cat "$T/halves")" "$(cat "$T/whole")"
fi
ok "as a picture" tau-report leaks -f svg -o "$T/leaks.svg" "$T/leak"
like "which has its bytes and words" "$(cat "$T/leaks.svg")" '>[0-9.]+ K?i?B, lost<'
like "and the sums" "$(cat "$T/leaks.svg")" '>leak: [0-9.]+ KiB lost, [0-9.]+ KiB still reachable at the end\.<|: [0-9.]+ KiB lost, [0-9.]+ KiB still reachable at the end\.<'

# A child that is killed has no moment before its end: the report about that moment covers one of two PEs, and notes it.
cat >"$T/child.c" <<'END'
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
void *kept;
int main(void)
{
	kept = malloc(1000);
	if (!fork()) {
		kept = malloc(2000);
		raise(SIGKILL);
	}
	return wait(NULL) < 0;
}
END
if cc -g "$T/child.c" -o "$T/child"; then
	TAU_TRACK_MEMORY_LEAKS=1 tau-record -o "$T/child.run" --wrap memory "$T/child" >/dev/null 2>&1
	is "leaks are of the whole run" "$(tau-report leaks "$T/child.run" | grep -o '[0-9] PEs*, window: .*')" "2 PEs, window: everything."
	is "memory is of those that came to their end, and says how many did not" \
		"$(tau-report memory "$T/child.run" | grep -o '[0-9] PEs*, window: .*\|before finalize: .*')" \
		"1 PE, window: everything before finalize.
before finalize: 1 of 2 processes have no such instance and contribute nothing"
else
	fail "a program whose child is killed is compiled"
fi

# What the recorder itself has the loader allocate is no block of the program's.
cat >"$T/none.c" <<'END'
int main(void) { return 0; }
END
${CC:-cc} "$T/none.c" -o "$T/none" || fail "a program builds"
for how in stacks,leaks sites,leaks; do
	tau-record --memory=$how -w memory,pthread,io,process --sample --unwind -o "$T/none.$how" "$T/none" 2>"$T/none.err"
	is "a program that allocates nothing has no leak with --memory=$how" \
		"$(tau-trace2profile --format csv "$T/none.$how" | grep -c ',counter,"*\(reachable\|lost\|indirectly lost\)')" 0
done
tap_end
