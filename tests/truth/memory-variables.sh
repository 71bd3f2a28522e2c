#!/bin/sh
# memory-variables.sh: which global variable all ways to a block lead through, in a program with a library that counts as the runtime.
. "$(dirname "$0")/../tap.sh"
unset TAU_DOUBLE LD_PRELOAD
CC=${CC:-cc}
cat >"$T/library.c" <<'END_C'
#include <stdio.h>
#include <stdlib.h>
struct item {
	struct item *next, *back;
	void *home, *other;
	char data[32];
};
struct item **table; /* lists, which point back and to the table */
static struct item *volatile hidden; /* has no name in the table of symbols that is loaded */
static char *volatile hidden_too;
char *first, *second; /* one block of two variables */
char *volatile dropped;
static size_t bytes, blocks;
static void *get(size_t n)
{
	bytes += n;
	blocks++;
	return calloc(1, n);
}
static void say(const char *owner)
{
	printf("%s,%zu,%zu\n", owner, bytes, blocks);
	bytes = blocks = 0;
}
static struct item *list(void *home, int n)
{
	struct item *all = NULL;
	while (n--) {
		struct item *more = get(sizeof(*more));
		more->home = home;
		more->next = all;
		if (all)
			all->back = more;
		all = more;
	}
	return all;
}
void build(void)
{
	int i;
	table = get(10 * sizeof(*table));
	for (i = 0; i < 10; i++)
		table[i] = list(table, 5);
	/* One block under two of the lists, and a ring of two. */
	table[0]->other = table[1]->next->other = get(222);
	table[2]->other = get(64);
	((struct item *)table[2]->other)->next = get(64);
	((struct item *)table[2]->other)->next->next = table[2]->other;
	say("variable table [mca_holds.so]");
	hidden = list(NULL, 7);
	hidden_too = get(99);
	first = second = get(300);
	say("variables [mca_holds.so]");
	dropped = get(123);
	dropped = NULL;
	say("");
}
void *give(size_t n)
{
	return get(n);
}
void *look(int i)
{
	return i < 0 ? (void *)table : table[i];
}
void given(const char *owner)
{
	say(owner);
}
END_C
cat >"$T/main.c" <<'END_C'
#include <stddef.h>
void build(void);
void *give(size_t n);
void given(const char *owner);
void *look(int i);
void *mine, *peek[2];
int main(void)
{
	build();
	mine = give(456);
	given("variable mine [holds]");
	/* The library holds these itself. */
	peek[0] = look(3);
	peek[1] = look(-1);
	return 0;
}
END_C
ok "a library builds" $CC -O1 -fPIC -shared -Wl,-soname,mca_holds.so "$T/library.c" -o "$T/mca_holds.so"
ok "its program builds" $CC -O1 -rdynamic "$T/main.c" -o "$T/holds" -L"$T" -l:mca_holds.so
LD_LIBRARY_PATH="$T" tau-record -o "$T/run" --memory -- "$T/holds" >"$T/said" 2>"$T/err" || fail "it ends with $?: $(cat "$T/err")"
# rows BY RUN: owner, bytes and blocks of what the library has allocated
rows() {
	tau-report memory --by "$1" --top 0 -f csv "$2" | tr -d '\r' | awk -F , -v lib='untyped [mca_holds.so]' '
		NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
		$1 == lib { print $(col["owner"]) "," $(col["bytes"]) "," $(col["blocks"]) }' | sed 's/^(no known owner)//' | sort
}
sed -n 's/^\(variable.*\|,.*\)$/\1/p' "$T/said" | sort >"$T/truth"
is "the program said what it holds" "$(wc -l <"$T/truth" | tr -d ' ')" 4
is "each block belongs to the variable that all ways lead through" "$(rows owner "$T/run")" "$(cat "$T/truth")"
is "a variable is an immediate owner" "$(rows parent "$T/run")" "$(cat "$T/truth")"
ok "the trace is in order" tau-dump --check "$T/run"
for format in tau otf2; do
	ok "converted to $format" tau-convert -t $format "$T/run" "$T/$format"
	is "it says the same ($format)" "$(rows owner "$T/$format")" "$(cat "$T/truth")"
done
tau-db import --db "$T/db" "$T/run" >"$T/log" || fail "tau-db import ends with $?"
is "it says the same (database)" "$(tau-report memory --by owner --top 0 -f csv --db "$T/db" | grep -c '^untyped .mca_holds.so.,variable')" 3
tap_end
