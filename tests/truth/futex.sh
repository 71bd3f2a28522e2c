# futex.sh: waits of C++20 (atomic::wait, latch, barrier, counting_semaphore) and other waits for a futex are waits, and syscall() does for
# every call what it does without the recorder.
. "$(dirname "$0")/../expect.sh"

cat >"$T/waits.cc" <<'END'
#include <atomic>
#include <barrier>
#include <cstdio>
#include <latch>
#include <semaphore>
#include <string>
#include <thread>
#include <unistd.h>

// One thread waits for the other, which sleeps: no processor is needed, so a busy machine changes little.
static std::atomic<int> word;
static std::latch both(2);
static std::barrier<> meet(2);
static std::counting_semaphore<8> items(0);

int main(int, char **argv)
{
	const std::string kind = argv[1];
	double waited = 0;
	auto now = [] { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; };
	std::thread other([&] {
		double t = now();
		if (kind == "atomic")
			word.wait(0);
		else if (kind == "latch")
			both.arrive_and_wait();
		else if (kind == "barrier")
			meet.arrive_and_wait();
		else
			items.acquire();
		waited = now() - t;
	});
	usleep(600000);
	if (kind == "atomic") {
		word = 1;
		word.notify_all();
	} else if (kind == "latch")
		both.count_down();
	else if (kind == "barrier")
		meet.arrive_and_wait();
	else
		items.release();
	other.join();
	printf("%.0f\n", 1000 * waited);
}
END
if ${CXX:-g++} -std=c++20 -g -O1 -o "$T/waits" "$T/waits.cc" -lpthread 2>"$T/why"; then
	for kind in atomic latch barrier semaphore; do
		record "$kind" --wrap pthread "$T/waits" "$kind"
		is "$kind: the program ends as it should" "$code" 0
		tau-report profile -f csv "$T/$kind.run" >"$T/profile.csv"
		ms=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } /futex wait/ { print int($c["inclusive_us"] / 1000) }' "$T/profile.csv")
		ok "$kind: a futex wait has ${ms:-no} ms of $(cat "$T/$kind.out") ms" \
			awk -v got="${ms:-0}" -v truth="$(cat "$T/$kind.out")" 'BEGIN { exit !(got >= 300 && got >= truth / 2 && got <= truth + 5) }'
		like "$kind: it is a wait for an atomic variable" "$(tau-report locks "$T/$kind.run")" 'atomic variable'
		like "$kind: and synchronisation, not computation" "$(tau-report -f csv "$T/$kind.run")" '^findings,waiting for atomic variables,'
	done
else
	skip "waits of C++20" "no compiler for them"
fi

cat >"$T/calls.c" <<'END'
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int word = 1;

#define CHECK(n, condition) if (!(condition)) return n

int main(void)
{
	struct timespec soon = {0, 20000000};
	char *page;
	int status;
	long child;

	errno = 77;
	CHECK(1, syscall(SYS_getpid) == getpid() && errno == 77);
	CHECK(2, syscall(SYS_close, -1) == -1 && errno == EBADF);
	page = (char *)syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(3, page != MAP_FAILED && !page[4095]);
	CHECK(4, syscall(SYS_futex, &word, FUTEX_WAIT, 2, NULL, NULL, 0) == -1 && errno == EAGAIN);
	CHECK(5, syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &soon, NULL, 0) == -1 && errno == ETIMEDOUT);
	errno = 78;
	CHECK(6, syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0) == 0 && errno == 78);
	CHECK(7, syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 2, NULL, NULL, FUTEX_BITSET_MATCH_ANY) == -1 && errno == EAGAIN);
	CHECK(8, syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE, 1, (void *)1, &word, 5) == -1 && errno == EAGAIN);
#ifdef SYS_fork
	child = syscall(SYS_fork);
#else
	child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
	if (!child)
		_exit(41);
	CHECK(9, waitpid((pid_t)child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 41);
	printf("EXPECT region futex wait calls 3\n");
	return 0;
}
END
ok "calls of syscall(): the program builds" ${CC:-cc} -g -O1 -o "$T/calls" "$T/calls.c"
ok "without a recorder all are as they should be" "$T/calls"
record calls --wrap pthread "$T/calls"
is "with it, too" "$code" 0
expect calls
tap_end
