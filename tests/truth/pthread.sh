# pthread.sh: the thread wrapper: parents, start routines, and waits, with nothing recorded where nothing waits.
. "$(dirname "$0")/../expect.sh"

ok "without a recorder the program finds all as it should be" "$B/apps/pthread"
record pthread --wrap pthread "$B/apps/pthread"
is "with it, too" "$code $(grep -c '^pthread:' "$T/pthread.err")" "0 0"
expect pthread

# Time in a region, ms, over all threads. Each of these waits lasted 60 ms at least, and no longer than the program.
time_of() {
	awk -v name="$1" 'function split_csv(line,   n) { gsub(/"[^"]*,[^"]*"/, "q", line); return split(line, f, ",") }
		FNR == 1 { n = split_csv($0); for (i = 1; i <= n; i++) c[f[i]] = i; next }
		{ split_csv($0); gsub(/"/, "", f[c["name"]])
		  if (f[c["name"]] == name) t += f[c["inclusive_us"]] } END { printf "%d\n", t / 1000 }' "$T/pthread.csv"
}
whole=$(awk -F, '$3 == 0 && $4 == 0 && $5 == "timer" && $6 == ".TAU application" { printf "%d\n", $11 / 1000 + 1 }' "$T/pthread.csv")
lasts() {	# region, least ms
	ms=$(time_of "$1") most=$(($(calls pthread "$1") * whole))
	if [ "$ms" -ge "$2" ] && [ "$ms" -le "$most" ]; then pass "waiting in $1 took its time"; else
		fail "waiting in $1 took its time: $ms ms, at least $2, at most $most"
	fi
}
lasts "pthread_mutex_lock()" 175
lasts "pthread_rwlock_rdlock()" 58
lasts "pthread_cond_wait()" 350
lasts "sem_wait()" 116
lasts "pthread_mutex_timedlock()" 29
lasts "mtx_lock()" 58

# A program with compiler hooks records its start routines itself; they must not count twice.
for n in 1 16; do
	record threads$n --wrap pthread "$B/apps/threads" $n
	is "a program with hooks, $n threads: it ends as it should" "$code" 0
	expect threads$n
done
printf 'EXPECT region pthread_create() calls 32\nEXPECT event Parent thread n 32 sum 0\n' >"$T/threads16.out"
expect threads16

# Many threads, one after the other and at once, on small stacks, with start routines whose names are types where C++ mangles.
cat >"$T/many.c" <<'END'
#include <pthread.h>
#include <unistd.h>
static void *f(void *a) { return a; }
static void *g(void *a) { usleep(200000); return a; }
int main(void)
{
	static pthread_t t[500];
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 32768);
	for (int i = 0; i < 5000; i++) {
		if (pthread_create(&t[0], NULL, f, NULL))
			return 1;
		pthread_join(t[0], NULL);
	}
	for (int i = 0; i < 500; i++)
		if (pthread_create(&t[i], &small, g, NULL))
			return 2;
	for (int i = 0; i < 500; i++)
		pthread_join(t[i], NULL);
	return 0;
}
END
ok "a program with 5500 threads builds" ${CC:-cc} -g "$T/many.c" -o "$T/many" -lpthread
record many --wrap pthread "$T/many"
is "it ends as it should" "$code" 0
printf 'EXPECT region %s calls %d\n' 'pthread_create()' 5500 'pthread_join()' 5500 f 5000 g 500 >"$T/many.out"
echo "EXPECT event Parent thread n 5500 sum 0" >>"$T/many.out"
expect many

# All threads of C++ begin in the same function of libstdc++: the argument of each distinguishes them.
cat >"$T/cxx.cc" <<'END'
#include <future>
#include <thread>
struct worker { void operator()() { __asm__ volatile(""); } };
static void other(int) { __asm__ volatile(""); }
int main()
{
	for (int i = 0; i < 3; i++)
		std::thread(worker()).join();
	std::thread(other, 1).join();
	try {
		std::async(std::launch::async, [] { if (1) throw 7; return 1; }).get();
	} catch (int n) {
		return n;
	}
}
END
if ${CXX:-c++} -O1 "$T/cxx.cc" -o "$T/cxx" -lpthread 2>"$T/cxx.why"; then
	record cxx --wrap pthread "$T/cxx"
	is "threads of C++: the program ends as it should" "$code" 7
	tau-trace2profile --format csv "$T/cxx.run" | awk '/_M_run\(\)/ {
		what = /tuple<worker>/ ? "worker" : /tuple<void \(\*\)\(int\), int>/ ? "other" : "async"
		sub(/.*TAU_USER,/, ""); n[what] += $0 + 0
	} END { print n["worker"], n["other"], n["async"] }' >"$T/cxx.calls"
	is "each is named by what it was given" "$(cat "$T/cxx.calls")" "3 1 1"
else
	skip "threads of C++" "no C++ compiler"
fi

# Threads that leave by pthread_exit() or thrd_exit(), or are cancelled, ended their start routines: nothing of it is repaired.
cat >"$T/leaves.c" <<'END'
#include <pthread.h>
#include <threads.h>
#include <unistd.h>
static int handlers;
static void handler(void *a) { (void)a; __atomic_fetch_add(&handlers, 1, __ATOMIC_RELAXED); }
static void leave(void *a) { pthread_exit(a); }
static void *by_exit(void *a)
{
	pthread_cleanup_push(handler, NULL);
	leave(a);
	pthread_cleanup_pop(0);
	return NULL;
}
static int by_thrd_exit(void *a) { (void)a; thrd_exit(9); }
static void *by_cancel(void *a) { for (;;) sleep(1); return a; }
int main(void)
{
	pthread_t t, u;
	thrd_t v;
	void *r, *q;
	int n = 0;

	for (int i = 0; i < 4; i++) {
		if (pthread_create(&t, NULL, by_exit, &t) || pthread_join(t, &r) || r != &t)
			return 1;
		if (thrd_create(&v, by_thrd_exit, NULL) != thrd_success || thrd_join(v, &n) != thrd_success || n != 9)
			return 2;
		if (pthread_create(&u, NULL, by_cancel, NULL) || pthread_cancel(u) || pthread_join(u, &q) || q != PTHREAD_CANCELED)
			return 3;
	}
	return handlers == 4 ? 0 : 4;
}
END
ok "threads that leave early: the program builds" ${CC:-cc} -g "$T/leaves.c" -o "$T/leaves" -lpthread
ok "without a recorder it ends as it should" "$T/leaves"
record leaves --wrap pthread "$T/leaves"
is "with it, too" "$code" 0
tau-report tree "$T/leaves.run" >"$T/leaves.text" 2>&1
is "nothing is repaired" "$(grep repaired "$T/leaves.text")" ""
printf 'EXPECT region %s calls 4\n' by_exit by_thrd_exit by_cancel >"$T/leaves.out"
expect leaves
tap_end
