# live.sh: a run that is read while it is recorded: regions that are open have their time up to the moment of reading.
. "$(dirname "$0")/../tap.sh"
export TAU_SAMPLING=0	# all rows are counted: those of samples are left out
cd "$T" || exit 1
cat >waits.c <<'END'
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (double)t.tv_sec + (double)t.tv_nsec / 1e9; }
__attribute__((noinline)) void inner(void) { char c; if (read(0, &c, 1) < 0) return; }
__attribute__((noinline)) void outer(void) { printf("%.6f\n", now()); fflush(stdout); inner(); }
int main(void) { outer(); return 0; }
END
${CC:-cc} -O1 -g -finstrument-functions -finstrument-functions-exclude-function-list=now waits.c -o waits || skip_all "no compiler"
uptime_s() { awk '{ print $1 }' /proc/uptime; }

mkfifo in
tau-record -o run ./waits <in >out 2>err &
exec 3>in
until [ -s out ]; do sleep 0.02; done
sleep 0.5
low=$(awk -v up="$(uptime_s)" '{ print (up - $1) * 1000 }' out)
tau-trace2profile --format csv run >first.csv 2>first.why
high=$(awk -v up="$(uptime_s)" '{ print (up - $1) * 1000 }' out)
head -1 first.csv | tr , '\n' >columns
column=$(grep -n -i inclusive columns | head -1 | cut -d: -f1)
inclusive() { sed 's/"[^"]*"/q/g' "$1" | awk -F, -v c="$column" -v l="$(grep -n "$2" "$1" | head -1 | cut -d: -f1)" 'NR == l { print $c / 1000 }'; }
for region in inner outer main; do
	got=$(inclusive first.csv ",$region \[\|\"$region \[")
	ok "$region, open since it was entered, has ${got:-nothing} ms of $low to $high" \
		awk -v got="${got:-0}" -v low="$low" -v high="$high" 'BEGIN { exit !(got >= low - 30 && got <= high + 30) }'
done
like "that the run goes on is reported" "$(cat first.why)" '1 process is still being recorded: open regions have their time up to now, [0-9.]+ m?s$'
sleep 0.3
tau-trace2profile --format csv run >second.csv 2>/dev/null
ok "later they have more" awk -v a="$(inclusive first.csv 'inner \[')" -v b="$(inclusive second.csv 'inner \[')" 'BEGIN { exit !(b > a + 200) }'
is "no index of it is kept" "$(find run -name '*.idx*' -o -name '.*.idx*' | wc -l)" 0
exec 3>&-
wait
tau-trace2profile --format csv run >end.csv 2>end.why
is "when it has ended nothing is printed" "$(cat end.why)" ""

# killed: nothing goes on
tau-record -o killed ./waits <in >out2 2>err &
exec 3>in
until [ -s out2 ]; do sleep 0.02; done
pkill -KILL -P $! waits
wait $! 2>/dev/null
high=$(awk -v up="$(uptime_s)" '{ print (up - $1) * 1000 }' out2)
exec 3>&-
sleep 0.3
tau-trace2profile --format csv killed >killed.csv 2>killed.why
is "a process that was killed is not said to go on" "$(grep -c 'still being recorded' killed.why)" 0
ok "its regions end with it" awk -v got="$(inclusive killed.csv 'inner \[')" -v high="$high" 'BEGIN { exit !(got + 0 <= high + 30) }'

# ---- a look takes time: all threads are shown as they are at one moment ----
# Both threads make each call at about the same time, so that no load of the machine makes one have more of them.
cat >busy.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static pthread_barrier_t both;
static int go[2];
__attribute__((noinline)) void tick(void) { struct timespec t = {0, 200000}; nanosleep(&t, NULL); }
__attribute__((noinline)) void *ticks(void *unused)
{
	for (int i = 0; pthread_barrier_wait(&both), go[i]; i = !i) tick();
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&t, NULL, ticks, NULL);
	puts("on");
	fflush(stdout);
	for (int i = 0; go[i] = access(argv[argc - 1], F_OK) != 0, pthread_barrier_wait(&both), go[i]; i = !i) tick();
	pthread_join(t, NULL);
	return 0;
}
END
cat >slow.c <<'END'
/*
 * open() of a live file that is there takes SLOW us, or 200 ms, after it is opened; ENDS: then a program gets the signal to end. The head of
 * folded calls, 64 bytes, takes 3 ms after it is read.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int open(const char *path, int flags, int mode)
{
	int fd = ((int (*)(const char *, int, int))dlsym(RTLD_NEXT, "open"))(path, flags, mode);
	size_t n = strlen(path);
	if (fd < 0 || n < 5 || strcmp(path + n - 5, ".live")) return fd;
	if (getenv("ENDS")) mkdir(getenv("ENDS"), 0700);
	usleep(getenv("SLOW") ? (useconds_t)atoi(getenv("SLOW")) : 200000);
	return fd;
}
ssize_t pread(int fd, void *to, size_t n, off_t at)
{
	ssize_t got = ((ssize_t (*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread"))(fd, to, n, at);
	if (n == 64 && !at) usleep(3000);
	return got;
}
END
${CC:-cc} -O1 -g -finstrument-functions busy.c -pthread -o busy && ${CC:-cc} -shared -fPIC slow.c -o slow.so -ldl
tau-record -o busy.run ./busy stop >out3 2>err &
until [ -s out3 ]; do sleep 0.02; done
sleep 0.3
LD_PRELOAD=$PWD/slow.so tau-monitor --once --json busy.run >look.json
touch stop
wait
is "no thread has been idle for longer than the others" "$(python3 -c '
import json
threads = [t for t in json.load(open("look.json"))["threads"] if t["open"]]
calls = [t["calls"] for t in threads]
print(len(threads), max(t["since_us"] for t in threads) < 150000, max(calls) <= min(calls) + 3)')" "2 True True"
tau-record -o ends.run sh -c './busy first & ./busy second; wait' >out4 2>err &
until [ "$(wc -l <out4)" = 2 ]; do sleep 0.02; done
sleep 0.3
ENDS=first LD_PRELOAD=$PWD/slow.so tau-trace2profile --format csv ends.run >ends.csv 2>ends.why
is "a process that ends meanwhile is shown as it was at that moment" "$(sed 's/, [0-9.]* m\{0,1\}s$//' ends.why)" \
	"tau-trace2profile: 3 processes are still being recorded: open regions have their time up to now"
is "no index of what is read in part is kept" "$(find ends.run -name '*.index' | wc -l)" 0
touch second
wait

# ---- folded calls are in records, or in a file of sums, that are read after that moment: none is missing ----
cat >folds.c <<'END'
#include <stdio.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) void part(void) { for (int i = 0; i < 500; i++) leaf(); }
__attribute__((noinline)) void step(void) { struct timespec t = {0, 1000000}; part(); part(); nanosleep(&t, NULL); }
__attribute__((noinline)) void steps(long n) { while (n--) step(); }
int main(int argc, char **argv)
{
	long n = 100;
	steps(100);
	puts("on");
	fflush(stdout);
	for (; access(argv[argc - 1], F_OK); n += 100) steps(100);
	printf("%ld\n", n);
	return 0;
}
END
${CC:-cc} -O1 -finstrument-functions folds.c -o folds
for usec in 5 10000; do # steps are recorded, and calls of steps() write folded calls; all but what is open is folded
for SLOW in 200000 3000; do
	export SLOW
	rm -f stop out5
	tau-record --fold $usec -o folds.run ./folds stop >out5 2>err &
	until [ -s out5 ]; do sleep 0.02; done
	LD_PRELOAD=$PWD/slow.so tau-monitor --json --interval 50ms folds.run >looks.json 2>looks.why &
	monitor=$!
	sleep 2.5
	touch stop
	wait $monitor
	wait
	is "--fold $usec: looks that begin $SLOW us late have all calls of leaf so far, and in the end all" "$(python3 -c '
import json
looks = [json.loads(l) for l in open("looks.json")]
calls = [sum(r["calls"] for r in l["regions"] if r["region"].startswith("leaf")) for l in looks]
falls = [(a, b) for a, b in zip(calls, calls[1:]) if b < a]
negative = [r for l in looks for r in l["regions"] if r["exclusive_us"] < 0]
print(len(looks) > 2, calls[0] > 50000, falls, negative, calls[-1])')" "True True [] [] $(awk 'NR == 2 { print 1000 * $1 }' out5)"
	rm -rf folds.run
done
done
unset SLOW

# ---- the flight recorder replaces its files while they are read ----
cat >spin.c <<'END'
#include <pthread.h>
#include <unistd.h>
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) void spin(int n) { while (n--) leaf(); }
__attribute__((no_instrument_function)) static void *spins(void *stop)
{
	while (access(stop, F_OK)) spin(100000);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, NULL, spins, argv[argc - 1]);
	spins(argv[argc - 1]);
	pthread_join(t, NULL);
	return 0;
}
END
${CC:-cc} -O1 -finstrument-functions spin.c -o spin -pthread
rm -f stop
tau-record --flight 100KB -o flight.run ./spin stop >out6 2>err &
until ls flight.run/*.live >/dev/null 2>&1; do sleep 0.02; done
sleep 1
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do tau-trace2profile --format csv flight.run -o /dev/null; done 2>flight.why
touch stop
wait
is "a live flight recorder is read whole each time" "$(grep -v 'still being recorded' flight.why | sed 's/^.*run.//; s/[0-9][0-9]*/N/g' | sort -u)" ""
tap_end
