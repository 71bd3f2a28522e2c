#!/bin/sh
# memory-stacks.sh: the whole paths of calls by which memory was allocated, against a program that knows its own.
. "$(dirname "$0")/../tap.sh"
unset TAU_DOUBLE LD_PRELOAD TAU_TRACK_MEMORY_LEAKS TAU_MEMORY_SITES TAU_MEMORY_STACKS

# What the C library has around the program's functions, and on the way into them, is no part of what the program knows.
paths() {	# RUN: "path BYTES", of this program's own
	tau-report memory --by stack --window :100% --top 0 -f folded "$1" | sed -n 's/;untyped \[mempaths\] \([0-9]*\)$/ \1/p' |
		sed -E 's/^((clone3?|__clone3?|start_thread|addr=<0x[0-9a-f]*>);)+//' |
		awk '{ n[$1] += $2 } END { for (k in n) print k, n[k] }' | sort
}
ok "a program that knows its paths is recorded" sh -c "tau-record -o $T/run --memory=stacks:64 '$B/apps/mempaths' >$T/truth"
sed -n 's/^path //p' "$T/truth" | sort >"$T/want"
paths "$T/run" >"$T/got"
is "each path has its bytes: recursion, frames of any size and alignment, callbacks, threads, a coroutine, inlined functions" \
	"$(diff "$T/want" "$T/got")" ""
is "there are many paths" "$(awk 'END { print (NR > 60) }' "$T/want")" 1
is "bytes by path add up to those by site" \
	"$(awk '{ s += $2 } END { print s }' "$T/got")" \
	"$(tau-report memory --by site --window :100% --top 0 -f csv "$T/run" | awk -F, '$1 == "untyped [mempaths]" { s += $(NF - 5) } END { print s }')"
ok "the trace is in order" tau-dump --check "$T/run"
is "each file keeps a stack once" "$(for f in "$T"/run/*.tau; do
	tau-dump "$f" | sed -n 's/.*define STACK //p' | awk '{ print $2, $3 }' | sort | uniq -d
done)" ""
is "what cannot be is not cut" "$(tau-dump "$T/run" | grep -c 'define STACK.* address=0x0$')" 0
ok "a part of the trace is written as a trace" tau-convert "$T/run" "$T/part"
is "it has the same paths" "$(paths "$T/part" | diff "$T/want" -)" ""
ok "it is in order" tau-dump --check "$T/part"
is "what cannot hold paths reports it" "$(tau-convert "$T/run" "$T/run.csv" 2>&1 | grep -c '[1-9] paths of calls to allocations')" 1

# Fewer calls than there are: the innermost, and that there are more.
ok "paths can be limited" sh -c "tau-record -o $T/short --memory=stacks:4 '$B/apps/mempaths' 30 >$T/truth"
paths "$T/short" >"$T/got"
is "the innermost calls are kept" "$(grep -c '^\.\.\.;recurse;recurse;recurse;leaf 900$' "$T/got")" 1
is "all bytes are on some path" "$(awk '{ s += $2 } END { print s }' "$T/got")" \
	"$(awk '$1 == "path" { s += $3 } END { print s }' "$T/truth")"

# Leaks by path.
ok "with leaks" tau-record -o "$T/leak" --memory=stacks,leaks "$B/apps/memleak"
is "a lost block has its path" "$(tau-report leaks --by stack -f folded "$T/leak" | grep -c '^lost;main;.*lose;untyped \[memleak\] 231$')" 1
is "leaks by stack are those by site" \
	"$(tau-report leaks --by stack --top 0 -f csv "$T/leak" | awk -F, 'NR > 1 && $2 != "all" { n[$1] += $(NF - 1); b[$1] += $(NF - 3) } END { for (k in n) print k, n[k], b[k] }' | sort)" \
	"$(tau-report leaks --top 0 -f csv "$T/leak" | awk -F, 'NR > 1 && $2 != "all" { n[$1] += $(NF - 1); b[$1] += $(NF - 3) } END { for (k in n) print k, n[k], b[k] }' | sort)"
tau-report leaks --by stack "$T/leak" >"$T/text"
is "in text each call has a line" "$(grep -A1 'lost .*lose \[' "$T/text" | grep -c '^ *main \[')" 1

# Said wrong.
for word in stacks:0 stacks:200 stacks:x stacks: stack; do
	tau-record -o "$T/bad" --memory=$word true 2>"$T/err"
	is "--memory=$word is refused" "$? $(grep -c . "$T/err")" "125 1"
done
tau-report leaks --by colour "$T/leak" 2>/dev/null
is "leaks are not shown by colour" "$?" 2
ok "leaks by stack are a picture" tau-report leaks --by stack -f svg -o "$T/leak.svg" "$T/leak"
like "which has the calls that lost blocks" "$(cat "$T/leak.svg")" '<title>main \[[^]]*memleak\.c\]: '
tau-report memory --by site -f folded "$T/leak" 2>/dev/null
is "folded stacks are of stacks" "$?" 2
tau-report memory-scaling --by stack "$T/leak" 2>/dev/null
is "stacks are about one run" "$?" 2
tap_end
