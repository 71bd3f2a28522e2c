# fold.sh: what the folded calls of a killed process stand in (FILE.fold) may be damaged: a sentence, and the rest is as it was.
. "$(dirname "$0")/../expect.sh"

# A program that folds calls until it is killed.
cat >"$T/folds.c" <<'END'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline, noclone)) static void inner(void) { __asm__ volatile(""); }
__attribute__((noinline, noclone)) static void outer(void) { inner(); inner(); }
int main(void)
{
	for (int i = 0; i < 10000; i++)
		outer();
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
END
ok "a program that folds builds" ${CC:-cc} -O1 -finstrument-functions "$T/folds.c" -o "$T/folds"
mkfifo "$T/ready"
tau-record --fold 10s -o "$T/fold.run" "$T/folds" >"$T/ready" 2>"$T/fold.err" </dev/null &
recorder=$!
read -r line <"$T/ready"
kill -KILL "$(sed 's/ .*//' "/proc/$recorder/task/$recorder/children")"
wait $recorder 2>/dev/null
fold=$(echo "$T"/fold.run/*.fold)
size=$(wc -c <"$fold")
profile() { tau-trace2profile -f csv "$T/fold.run" >"$T/fold.csv" 2>"$T/fold.why"; }
profile
is "whole it is read after a kill" "$line $(calls fold outer) $(calls fold inner)" "ready 10000 20000"
is "what was folded is no repair but the open regions" "$(grep -c repaired "$T/fold.why")" 1
cp "$fold" "$T/whole"
bad=
for at in 0 8 12 16 24 28 32 40 64 88 92 96 104 112 116 120; do
	cp "$T/whole" "$fold"
	printf '\377\377\377\377' | dd of="$fold" bs=1 seek=$at conv=notrunc 2>/dev/null
	tau-dump --check "$T/fold.run" >"$T/out" 2>&1
	code=$?
	[ $code -eq 0 ] || { [ $code -eq 3 ] && grep -q 'live\|chunk' "$T/out"; } || bad="$bad $at:$code"
	profile || bad="$bad profile-$at"
	[ -n "$(calls fold main)" ] || bad="$bad main-$at"
done
for n in 0 1 63 64 65 88 100 $((size - 1)); do
	head -c $n "$T/whole" >"$fold"
	profile || bad="$bad short-$n"
	[ "$(calls fold main)" = 1 ] || bad="$bad lost-$n"
done
is "damaged it harms nothing else" "$bad" ""
tap_end
