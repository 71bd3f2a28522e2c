#!/bin/sh
# memory-shared.sh: processes that have the same blocks use the owners that one of them has found; those with other blocks search.
. "$(dirname "$0")/../tap.sh"
unset TAU_DOUBLE LD_PRELOAD
CC=${CC:-cc}
cat >"$T/library.c" <<'END_C'
#include <stdlib.h>
#include <string.h>
struct item {
	struct item *next;
	char data[40];
};
struct item *head;
void *spare;
char *name;
void build(int n)
{
	while (n--) {
		struct item *i = calloc(1, sizeof(*i));
		i->next = head;
		head = i;
	}
	name = strdup("a name");
}
void more(size_t n)
{
	spare = calloc(1, n);
}
END_C
cat >"$T/main.c" <<'END_C'
#include <stdio.h>
#include <stdlib.h>
void build(int n);
void more(size_t n);
__attribute__((weak)) void tau_finalizing(void);
/* alike N M: N items, a spare of M bytes. The census is now, and the process lives until its input ends. */
int main(int argc, char **argv)
{
	build(atoi(argv[1]));
	if (argc > 2 && atoi(argv[2]))
		more((size_t)atoi(argv[2]));
	if (tau_finalizing)
		tau_finalizing();
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
END_C
ok "a library builds" $CC -O1 -fPIC -shared -Wl,-soname,mca_alike.so "$T/library.c" -o "$T/mca_alike.so"
ok "its program builds" $CC -O1 "$T/main.c" -o "$T/alike" -L"$T" -l:mca_alike.so
export LD_LIBRARY_PATH="$T"
cat >"$T/first" <<'END_SH'
# A process that stays while the others come, one after the other; $1: what is done to its file.
T=$1 do=$2
mkfifo "$T/to"
"$T/alike" 10 <"$T/to" >"$T/ready" &
exec 3>"$T/to"
while ! grep -q ready "$T/ready" 2>/dev/null; do sleep 0.05; done
ls -A "$T"/run | grep -c '^\.census\.0\.' >"$T/files"
eval "$do"
for how in "10" "12" "10 77"; do "$T/alike" $how </dev/null >/dev/null; done
exec 3>&-
wait
rm "$T/to"
END_SH
# others RUN: how many processes have used what another one found
others() { tau-dump --only definitions "$1" | grep -c 'TAU Memory Census Of'; }
owners() {
	tau-report memory --by owner --top 0 -f csv "$1" | tr -d '\r' |
		awk -F , '/^untyped .mca_alike.so./ { print $2, $4, $6 }' | sort
}
truth="variable head [mca_alike.so] $((42 * 48)) 42
variable name [mca_alike.so] 28 4
variable spare [mca_alike.so] 77 1"

try() {	# WHAT COMMAND USED
	rm -rf "$T/run" "$T/ready"
	tau-record -o "$T/run" --memory -- sh "$T/first" "$T" "$2" >"$T/out" 2>&1 || fail "it ends with $?: $(cat "$T/out")"
	is "the first has a file for the others ($1)" "$(cat "$T/files")" 1
	is "who has the same blocks uses it ($1)" "$(others "$T/run")" "$3"
	is "each block has its owner ($1)" "$(owners "$T/run")" "$truth"
	is "no file is left ($1)" "$(ls -A "$T/run" | grep -c '^\.census')" 0
	ok "the trace is in order ($1)" tau-dump --check "$T/run"
}
# 12 items are more than 10, but of one owner there; a spare has none there.
try "whole" ":" 2
try "cut" 'for f in "$T"/run/.census.*; do head -c 200 "$f" >"$T/cut"; cat "$T/cut" >"$f"; done' 0
try "another magic" 'for f in "$T"/run/.census.*; do printf x | dd of="$f" conv=notrunc bs=1 2>/dev/null; done' 0
tap_end
