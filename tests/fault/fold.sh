# fold.sh: the file with the folded calls of a killed process (FILE.fold) may be damaged: a sentence, and the rest is as it was.
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
for at in 0 8 12 16 24 28 32 40 56 60 64 88 92 96 104 112 116 120; do
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

# Killed anywhere while a full chunk is stored and the next begun: what was folded before, and not written yet, is still counted.
cat >"$T/turns.c" <<'END'
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include "tau.h"
static volatile uint64_t *count;
__attribute__((noinline, noclone)) static void inner(void) { count[0]++; }
int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (ftruncate(fd, 4096))
		return 1;
	count = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (int i = 0; i < 12000; i++) {
		inner();
		TAU_TRIGGER_EVENT("value", i);
	}
	return 0;
}
END
sed -i 's/^#include <sys.mman.h>/&\n#include <unistd.h>/' "$T/turns.c"
ok "a program that folds and fills chunks builds" ${CC:-cc} -O1 -finstrument-functions -I"$TOP/record" "$T/turns.c" -o "$T/turns"
ok "what kills it builds" ${CC:-cc} -O1 -fPIC -shared "$TOP/tests/fault/failing.c" -o "$T/failing.so"
turns() {	# VARIABLE=VALUE...
	rm -rf "$T/turns.run" && mkdir "$T/turns.run"
	timeout 300 env "$@" FAIL_KILL=1 TAU_RECORD_TICKS_HZ=1000000000 TAU_RECORD_FOLD=1000000000 TAU_RECORD_DIR="$T/turns.run" LD_PRELOAD="$B/libtau.so:$T/failing.so" \
		"$T/turns" "$T/count" >/dev/null 2>&1
}
for how in TAU_RECORD_FLIGHT_SIZE=0 TAU_RECORD_FLIGHT_SIZE=10000; do
	turns $how FAIL_LOG="$T/log"
	calls_n=$(cat "$T/log")
	ok "the recorder makes $calls_n calls of the system ($how)" test "$calls_n" -gt 60
	bad= kills=0 i=$calls_n n=1
	while [ "$n" -gt 0 ]; do
		rm -f "$T/count"
		turns $how FAIL_AT=$i
		n=$(od -An -tu8 -N8 "$T/count" 2>/dev/null | tr -d ' ')
		[ "${n:=0}" -gt 0 ] || continue
		tau-trace2profile -f csv "$T/turns.run" >"$T/turns.csv" 2>"$T/turns.why" && got=$(calls turns inner) || got=
		kills=$((kills + 1)) i=$((i - 1))
		[ "${got:-0}" -eq "$n" ] || bad="$bad $i:${got:-none}/$n"
		tau-dump --check "$T/turns.run" >/dev/null 2>&1 || bad="$bad check-$i"
	done
	is "killed at any of the $kills after the first folded one, it has all calls ($how)" "$bad" ""
done
tap_end
