# hooks.sh: compiler hooks: recursion, static and inlined functions, calls through pointers and from libc, longjmp,
# C++ templates, exceptions and static objects, signal handlers, a hundred thousand open frames.
. "$(dirname "$0")/../expect.sh"

for p in hooks hookscc signals bigstack; do
	record $p "$B/apps/$p"
	is "$p: ends as it should" "$code" 0
	expect $p
done

# A handler that interrupts the recorder itself cannot be recorded, but is counted.
timed=$(sed -n 's/^handler calls of the timer: //p' "$T/signals.out")
seen=$(calls signals on_timer)
lost=$(sed -n 's/.* \([0-9]*\) lost.*/\1/p' "$T/signals.err")
is "signals: what handlers were not seen is counted as lost" $((4 * (timed - seen))) "$lost"

# Names come from the binary: the same program stripped has addresses and no invented names.
cp "$B/apps/hooks" "$T/stripped" && strip "$T/stripped"
record stripped "$T/stripped"
tau-trace2profile --format csv "$T/stripped.run" >"$T/stripped.csv"
is "stripped: the calls are all there" "$(all_calls stripped)" "$(all_calls hooks)"
is "stripped: no name of a static function is made up" "$(grep -c private_one "$T/stripped.csv")" 0

# A program at a fixed address: its functions have addresses as small as the numbers of regions, in many chunks.
if ${CC:-cc} -O1 -no-pie -finstrument-functions -o "$T/fixed" "$TOP/bench/tiny.c" 2>/dev/null; then
	record fixed "$T/fixed" 1
	is "fixed: ends as it should" "$code" 0
	echo "EXPECT region tiny calls 1000000" >"$T/fixed.out"
	expect fixed
else
	skip "a program at a fixed address" "the compiler makes none"
fi

# Code that runs before libc's constructor, which sets the environment: the recorder decides later, and counts what came before.
cc_hooks="${CC:-cc} -O1 -finstrument-functions"
cat >"$T/early.c" <<'END'
#include <stdio.h>
static int one(int x) { return x + 1; }
#ifdef CHOSEN
static int (*choose(void))(int) { return one; }
int work(int) __attribute__((ifunc("choose")));
#else
static void early(int argc, char **argv, char **env)
{
	(void)argc, (void)argv, (void)env;
}
__attribute__((section(".preinit_array"), used)) static void (*run)(int, char **, char **) = early;
int work(int x) { return one(x); }
#endif
int main(void)
{
	int s = 0;

	for (int i = 0; i < 10; i++)
		s += work(i) - i;
	printf("EXPECT region main calls 1\nEXPECT region one calls %d\n", s);
	return 0;
}
END
for kind in preinit ifunc; do
	if $cc_hooks $([ $kind = ifunc ] && echo -DCHOSEN) -o "$T/early" "$T/early.c" 2>/dev/null; then
		record $kind "$T/early"
		is "$kind: ends as it should" "$code" 0
		expect $kind
		like "$kind: what was called too early is counted" "$(cat "$T/$kind.err")" ' [24] lost,'
	else
		skip "$kind" "the compiler cannot make it"
	fi
done

# Functions with several versions, of which the loader takes one: hooks get the address of the entry of the linkage table.
cat >"$T/clones.c" <<'END'
#include <stdio.h>
__attribute__((target_clones("avx2", "default"))) int work(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += i * i;
	return s;
}
int main(int argc, char **argv)
{
	int s = 0;

	for (int i = 0; i < 10; i++)
		s += work(argc + i) + (argv == NULL);
	printf("EXPECT region work calls %d\n", s ? 10 : 0);
	return 0;
}
END
n=0
for how in "" "-fcf-protection -Wl,-z,ibtplt" "-no-pie -fno-pie -Wl,-z,now"; do
	n=$((n + 1))
	if $cc_hooks $how -o "$T/clones" "$T/clones.c" 2>/dev/null; then
		record clones$n "$T/clones"
		expect clones$n
	else
		skip "target_clones $how" "the compiler cannot make it"
	fi
done

# With an audit library the loader allocates with malloc() before libc's constructor has run.
cat >"$T/audit.c" <<'END'
#define _GNU_SOURCE
#include <link.h>
unsigned la_version(unsigned version) { return version; }
unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	(void)map, (void)space, (void)cookie;
	return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}
#ifdef __x86_64__
uintptr_t la_symbind64(Elf64_Sym *sym, unsigned index, uintptr_t *from, uintptr_t *to, unsigned *flags, const char *name)
{
	(void)index, (void)from, (void)to, (void)flags, (void)name;
	return sym->st_value;
}
#endif
END
if ${CC:-cc} -shared -fPIC -o "$T/audit.so" "$T/audit.c" 2>/dev/null; then
	LD_AUDIT=$T/audit.so
	export LD_AUDIT
	record audited --memory "$B/apps/hooks"
	unset LD_AUDIT
	is "audited: ends as it should" "$code" 0
	expect audited
	like "audited: memory is recorded" "$(tau-report memory "$T/audited.run")" 'live .* in [0-9]+ block'
else
	skip "a program with an audit library" "the compiler cannot make one"
fi
tap_end
