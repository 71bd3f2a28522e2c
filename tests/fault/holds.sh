# holds.sh: the program allocates while it, or a thread that waits for it, holds a lock of the C library's: recorded it goes on as
# ever. record/libc.list holds for each function of the C library why a hook may call it.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

echo 'void holds_wait(void); __attribute__((constructor)) static void begin(void) { holds_wait(); }' >waits.c
echo '#include <stdlib.h>
void *volatile kept; void elsewhere(void) { kept = malloc(33); free(kept); kept = malloc(1 << 20); free(kept); }' >other.c
for l in waits other; do
	cc -shared -finstrument-functions -fPIC -O1 $l.c -o $l.so || skip_all "no compiler"
done

try() {	# OPTION...
	rm -rf run
	got=$(timeout -s KILL 60 tau-record -o run "$@" 2>err; echo $?)
	is "$(echo "$*" | sed "s|$T/||g"): it ends" "$got" "end
5"
}
for how in own "iterate -" "load $T/waits.so" "iterate - $T/other.so" "load $T/waits.so $T/other.so"; do
	for memory in types sites stacks maps,stacks; do
		try --memory=$memory --wrap memory,pthread "$B/apps/holds" $how
	done
	try --memory=stacks --sample --unwind --wrap memory,io,process "$B/apps/holds" $how
	try --wrap none "$B/apps/holds" $how
done
tap_end
