#!/bin/sh
# memory-types.sh: the memory wrapper against programs that know what they allocate, with a double in the recorder's place.
. "$(dirname "$0")/../tap.sh"
APPS=$TOP/fixtures/apps
CC=${CC:-cc}
export TAU_DOUBLE="$T/said"
unset LD_PRELOAD
ok "the double of the recorder builds" $CC -O1 -D_GNU_SOURCE -I"$TOP/record" -fPIC -shared -Wl,-soname,libtau.so \
	"$APPS/memory/double.c" -o "$T/libtau.so"
PRE="$T/libtau.so:$B/libtau-memory.so"

# NAME WHEN WHAT: the double's only file must agree with the lines of $T/NAME.out
told() {
	file=$(ls "$T"/said.*."$2" 2>/dev/null | head -n 1)
	is "$3" "$(awk -f "$APPS/memory/sums.awk" "$T/$1.out" "${file:-/dev/null}")" "checked $(grep -c '^EXPECT' "$T/$1.out")"
}

# What a program allocates, frees, keeps and its peak, with 0 to 4 threads that free each other's blocks; the walk
# over all blocks goes on meanwhile.
for threads in 0 1 4; do
	rm -f "$T"/said.*
	LD_PRELOAD=$PRE "$B/apps/memtruth" 150 $threads >"$T/memtruth.out"
	is "memtruth with $threads more threads ends as it should" "$? $(grep -c '^EXPECT' "$T/memtruth.out")" "0 4"
	told memtruth exit "its books and ours agree ($threads threads)"
	is "no free was lost, every block was tracked ($threads threads)" \
		"$(cat "$T"/said.*.exit | grep -E 'Lost Frees|Untracked Blocks' | cut -f3 | tr '\n' ' ')" "0 0 "
done

# Classes: registered as Open MPI does, and by a function that cannot be interposed.
S=$APPS/opalclass
for kind in registered private; do
	lib=mca_opal$kind.so
	flag=
	[ $kind = private ] && flag=-DPRIVATE_REGISTRATION
	rm -f "$T"/said.*
	ok "a class library builds ($kind)" $CC -O1 -g $flag -fPIC -shared -Wl,-soname,$lib "$S/library.c" -o "$T/$lib"
	ok "its program builds ($kind)" $CC -I"$TOP/record" "$S/main.c" -o "$T/main.$kind" -L"$T" -l:$lib
	LD_LIBRARY_PATH=$T LD_PRELOAD=$PRE "$T/main.$kind" $lib >"$T/all.out"
	cp "$T/all.out" "$T/$kind.out"
	# Only constructors that are seen name the owner's owner, and only registered classes are known before the walk.
	[ $kind = private ] && grep -v -e 'part_t <= thing_t b' -e '^EXPECT alloc' "$T/all.out" >"$T/$kind.out"
	[ $kind = private ] && echo "EXPECT live part_t <= thing_t bytes 1120 objects 20" >>"$T/$kind.out"
	grep -v 'untyped.*part_t <= thing_t' "$T/$kind.out" >"$T/$kind.cut"
	[ $kind = private ] && mv "$T/$kind.cut" "$T/$kind.out"
	like "it says what it built ($kind)" "$(wc -l <"$T/$kind.out")" '^(14|12)$'
	told $kind finalize "types, slabs and owners are as built ($kind)"
	like "memory taken again is not taken for what was there ($kind)" \
		"$(awk -F '\t' -v l="untyped [$lib]" '$2 == l || index($2, l " <= variable") == 1 { n += $12 } END { print n }' "$T"/said.*.finalize)" '^40[0-9]$'
	is "no claim was wrong ($kind)" "$(grep 'Wrong Claims' "$T"/said.*.finalize | cut -f3)" 0
done

# Filters of containers refuse the call by which the kernel copies memory.
if "$B/apps/filtered" refuse-process_vm_readv true; then
	rm -f "$T"/said.*
	"$B/apps/filtered" refuse-process_vm_readv env LD_LIBRARY_PATH="$T" LD_PRELOAD="$PRE" "$T/main.registered" \
		mca_opalregistered.so >"$T/filtered.out"
	told filtered finalize "types, slabs and owners are as built (no process_vm_readv)"
else
	skip "types, slabs and owners are as built (no process_vm_readv)" "there is no seccomp here"
fi

# A forked child has its own books: what the parent allocated is neither its allocation nor its free.
cat >"$T/forked.c" <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	char *volatile a = malloc(5000), *volatile b = malloc(100), *volatile c;
	memset(a, 1, 5000);
	if (fork() == 0) {
		c = malloc(300);
		memset(c, 1, 300);
		free(a);
		free(b);
		exit(0);
	}
	wait(NULL);
	return 0;
}
END
ok "a program that forks builds" $CC -O0 "$T/forked.c" -o "$T/forked"
rm -f "$T"/said.*
LD_PRELOAD=$PRE "$T/forked"
is "parent and child report only what is theirs" \
	"$(grep -h 'untyped \[forked\]' "$T"/said.*.exit | cut -f3,4,9,11 | sort -n | tr '\t\n' ' ;')" \
	"5100 2 0 5100;5400 3 0 5400;"

# What a wrapper hides is not reported, and what was visible and is freed in hiding still is.
cat >"$T/hidden.c" <<'END'
#include <stdlib.h>
#include "tau.h"
int main(void)
{
	char *volatile seen = malloc(700), *volatile waiting = malloc(90), *volatile hidden;
	tau_hide();
	free(seen);
	free(waiting);
	hidden = malloc(5000);
	hidden = realloc(hidden, 6000);
	tau_show();
	free(hidden);
	seen = malloc(33);
	free(seen);
	return 0;
}
END
ok "a program that hides builds" $CC -O0 -I"$TOP/record" "$T/hidden.c" -o "$T/hidden"
rm -f "$T"/said.*
LD_PRELOAD=$PRE "$T/hidden"
is "hidden blocks do not count, hidden frees do" "$(grep -h 'untyped \[hidden\]' "$T"/said.*.exit | cut -f3,4,9,10,11)" \
	"$(printf '823\t3\t823\t3\t0')"

# Functions of libc that allocate for their caller.
cat >"$T/caller.c" <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
char *volatile keep[4];
int main(void)
{
	char *p;
	keep[0] = strdup("0123456789");
	keep[1] = strndup("0123456789", 4);
	keep[2] = asprintf(&p, "%s", "01234") > 0 ? p : NULL;
	keep[3] = reallocarray(NULL, 10, 100);
	return 0;
}
END
ok "a program that has libc allocate builds" $CC -O2 "$T/caller.c" -o "$T/caller"
rm -f "$T"/said.*
LD_PRELOAD=$PRE "$T/caller"
is "such blocks are the caller's" "$(grep -h 'untyped \[caller\]' "$T"/said.*.exit | cut -f11,12)" "$(printf '1022\t4')"
tap_end
