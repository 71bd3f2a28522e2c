# stripped.sh: functions of a stripped program are rows of their own, named by their beginning, with the samples that the same program
# with symbols has under their names.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
cat >work.c <<'C'
#include <time.h>
static volatile double sink;
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
static __attribute__((noinline)) void spin(double s)
{
	for (double end = now() + s; now() < end;)
		for (int i = 0; i < 20000; i++)
			sink += i;
}
static __attribute__((noinline)) void turn(double s)
{
	for (double end = now() + s; now() < end;)
		for (int i = 0; i < 20000; i++)
			sink *= 1.0000001;
}
int main(void)
{
	spin(0.9);
	turn(0.3);
	return 0;
}
C
${CC:-cc} -O1 -o work work.c || exit 1
cp work bare && strip bare
tau-record --no-names -o run ./bare >/dev/null 2>&1
rows=$(tau-report profile --samples --sample-resolution function -f csv run)
for f in spin:60:90 turn:15:40; do
	name=${f%%:*} range=${f#*:}
	at=$(nm work | awk -v f="$name" '$3 == f { sub(/^0*/, "", $1); print $1 }')
	# nm has addresses of the file: so have the names.
	share=$(printf '%s\n' "$rows" | tau_row="bare+0x$at" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
		index($0, ENVIRON["tau_row"]) { printf "%d", $c["share_pct"] + 0.5 }')
	ok "$name has a row by its beginning, bare+0x$at, with its share: ${share:-none} %" \
		test "${share:-0}" -ge "${range%:*}" -a "${share:-0}" -le "${range#*:}"
done
# Code without a row in .eh_frame, as that of Go, is not taken for the function before it.
cat >frameless.c <<'C'
#include <time.h>
void frameless(long n);
__asm__(".text\n.globl frameless\n.type frameless, @function\nframeless:\n"
#if defined(__x86_64__)
	"1: dec %rdi\njnz 1b\nret\n"
#elif defined(__aarch64__)
	"1: subs x0, x0, #1\nb.ne 1b\nret\n"
#else
	"1: addi a0, a0, -1\nbnez a0, 1b\nret\n"
#endif
	".size frameless, . - frameless\n");
int main(void)
{
	struct timespec t;

	do {
		frameless(1000000);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (!t.tv_sec && t.tv_nsec < 300000000);
	return 0;
}
C
if ${CC:-cc} -O1 -o frameless frameless.c 2>err; then
	strip frameless
	tau-record --no-names -o frameless.run ./frameless >/dev/null 2>&1
	like "code without a row is of no function" "$(tau-report profile --samples --sample-resolution function -f csv frameless.run | sed -n 2p)" 'UNRESOLVED .*/frameless,'
else
	skip "code without a row is of no function" "$(head -n 1 err)"
fi
# A program of Go has its names in a table of its own.
if command -v go >/dev/null; then
	cat >go.go <<'G'
package main
import ("fmt"; "time")
//go:noinline
func hot(n int) float64 { s := 0.0; for i := 0; i < n; i++ { s = s*1.0000001 + 1 }; return s }
func main() { s := 0.0; for t := time.Now(); time.Since(t) < 800*time.Millisecond; { s += hot(100000) }; fmt.Println(s > 0) }
G
	# Programs of Go load the recorder if they use the C library. On a busy machine its scheduler stops them where samples are due.
	printf 'package main\nimport "C"\n' >c.go
	GOFLAGS=-mod=mod GO111MODULE=off GOCACHE=$T/cache go build -ldflags=-s -o gone go.go c.go 2>err &&
		GODEBUG=asyncpreemptoff=1 tau-record --no-names -o go.run ./gone >out 2>&1
	is "the program ends as it should" "$(head -n 1 out)" true
	like "functions of Go, without symbols" "$(tau-report profile --samples --sample-resolution function -f csv go.run)" '^sample,main\.hot,'
	like "... their callers, too" "$(tau-report tree -f csv go.run)" 'runtime\.main => '
else
	skip "functions of Go, without symbols" "Go is not installed"
fi
is "no sample of the program is without a function" "$(printf '%s\n' "$rows" | grep -c 'UNRESOLVED.*bare')" 0
tap_end
