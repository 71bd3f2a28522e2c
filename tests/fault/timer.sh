# timer.sh: what is measured at intervals harms no program: signals, forks, programs that become others, ends of all kinds, and
# programs that must have one thread.
. "$(dirname "$0")/../tap.sh"
unset TAU_DOUBLE LD_PRELOAD TAU_TRACK_HEAP TAU_INTERRUPT_INTERVAL

cat >"$T/timed.c" <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "beside.h"

static volatile sig_atomic_t taken, elsewhere;
static pthread_t first;

static void handler(int signal)
{
	(void)signal;
	taken++;
	elsewhere += !pthread_equal(first, pthread_self());
}

static void signals(void)
{
	sigset_t all, pending;
	int kept = 0;

	first = pthread_self();
	signal(SIGUSR1, handler);
	signal(SIGALRM, handler);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (int i = 0; i < 50; i++) {
		sigset_t one;

		kill(getpid(), SIGUSR1);
		usleep(100);
		sigpending(&pending);
		kept += sigismember(&pending, SIGUSR1);
		sigemptyset(&one);
		sigaddset(&one, SIGUSR1);
		sigprocmask(SIG_UNBLOCK, &one, NULL);
		sigprocmask(SIG_BLOCK, &one, NULL);
	}
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	ualarm(50000, 0);
	for (int i = 0; i < 2000 && taken == 50; i++)
		usleep(1000);
	printf("signals: kept %d, taken %d, elsewhere %d\n", kept, taken, elsewhere);
}

/* Children that do nothing, that allocate, and that end in each way. */
static void forks(void)
{
	int good = 0, status;

	for (int i = 0; i < 60; i++) {
		pid_t child = fork();

		if (child == 0) {
			void *p = i % 3 ? malloc((size_t)i * 100 + 1) : NULL;

			if (i % 10 == 9)
				usleep(5000);
			free(p);
			if (i % 4 == 0)
				_exit(i);
			if (i % 4 == 1)
				execl("/bin/sh", "sh", "-c", "exit 33", (char *)NULL);
			exit(i);
		}
		if (waitpid(child, &status, 0) == child && WIFEXITED(status))
			good += WEXITSTATUS(status) == (i % 4 == 1 ? 33 : i);
	}
	printf("forks: %d\n", good);
}

static int threads(void)
{
	DIR *d = opendir("/proc/self/task");
	struct dirent *e;
	int n = 0;

	while ((e = readdir(d)))
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static void *churn(void *none)
{
	for (int i = 0; i < 20000; i++)
		free(malloc((size_t)(i % 500) * 20));
	return none;
}

int main(int argc, char **argv)
{
	pthread_t t[4];

	if (argc > 1 && !strcmp(argv[1], "again")) {
		usleep(20000);
		printf("threads: %d\n", threads());
		return 7;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	signals();
	forks();
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, churn, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	beside_rest(20, 30);
	if (argc > 1)
		execl(argv[0], argv[0], "again", (char *)NULL);
	printf("done\n");
	exit(5);
}
END
ok "a program of signals, forks and threads builds" ${CC:-cc} -O1 -I"$TOP/fixtures/apps" "$T/timed.c" -o "$T/timed" -lpthread
"$T/timed" >"$T/want"
is "what it says alone" "$? $(cat "$T/want")" "5 signals: kept 50, taken 51, elsewhere 0
forks: 60
done"
for words in --wrap=none --memory --memory=heap,headroom --memory=census; do
	rm -rf "$T/run"
	tau-record -o "$T/run" $words --memory-every 1ms "$T/timed" >"$T/got" 2>"$T/err"
	is "$words: it ends as it did and says the same" "$? $(cat "$T/got")" "5 $(cat "$T/want")"
	is "$words: nothing on stderr but the summary" "$(grep -vc '^tau-record: .* events' "$T/err")" 0
	samples=$(tau-trace2profile -f csv "$T/run" 2>/dev/null | awk -F, '$5 == "counter" && $6 == "Heap Memory Used (KB)" { n += $12 } END { print n + 0 }')
	ok "$words: samples were taken ($samples)" [ "$samples" -gt 20 ]
done
rm -rf "$T/run"
tau-record -o "$T/run" --memory-every 1ms "$T/timed" exec >"$T/got" 2>"$T/err"
is "a program that becomes another has one thread there, too" "$? $(tail -1 "$T/got")" "7 threads: 1"
rm -rf "$T/run"
tau-record -o "$T/run" --memory-every 1h "$T/timed" again >"$T/got" 2>"$T/err"
is "nothing waits for what is not due" "$? $(cat "$T/got")" "7 threads: 1"

# The kernel, and the C library where it changes the rights of all threads, look for threads and for who shares memory. The C library
# fails where its threads have different rights.
cat >"$T/rights.c" <<'END'
#define _GNU_SOURCE
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	static const struct { int flag; const char *name; } spaces[] = {
		{ CLONE_NEWUSER, "user" }, { CLONE_NEWPID, "pid" }, { CLONE_VM, "memory" }, { CLONE_SIGHAND | CLONE_VM, "handlers" },
		{ CLONE_THREAD | CLONE_VM, "threads" } };
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	usleep(30000);
	for (unsigned i = 0; i < sizeof(spaces) / sizeof(*spaces); i++) {
		int status = -1;

		if (fork() == 0)
			_exit(unshare(spaces[i].flag) != 0);
		wait(&status);
		printf("%s %d\n", spaces[i].name, status);
	}
	if (fork() == 0) {	/* setuid() without the right, of all threads, after one thread gave it up */
		usleep(30000);
		syscall(SYS_capset, &head, data);
		_exit(setuid(65534) == 0);
	}
	int status = -1;
	wait(&status);
	printf("rights %d\n", status);
	return unshare(CLONE_NEWUSER) != 0;
}
END
ok "a program that must have one thread builds" ${CC:-cc} -O1 "$T/rights.c" -o "$T/rights"
"$T/rights" >"$T/want" 2>&1
code=$?
for mode in --system=1ms --memory-every=1ms "--memory=heap,headroom --memory-every=1ms --system=1ms"; do
	rm -rf "$T/run"
	tau-record -o "$T/run" $mode "$T/rights" >"$T/got" 2>"$T/err"
	is "$mode: a program that unshares, and gives up rights" "$? $(cat "$T/got")" "$code $(cat "$T/want")"
	is "$mode: it has one thread" "$(rm -rf "$T/run"; tau-record -o "$T/run" $mode sed -n 's/^Threads:[^0-9]*//p' /proc/self/status 2>/dev/null)" 1
	ok "$mode: a trace without damage" tau-dump --check "$T/run"
	while read -r command; do
		command -v ${command%% *} >/dev/null && $command >/dev/null 2>&1 || continue
		rm -rf "$T/run"
		tau-record -o "$T/run" $mode $command >/dev/null 2>"$T/err"
		is "$mode: $command" $? 0
	done <<'END'
unshare -Ur true
unshare -Upf --mount-proc true
unshare -m nsenter -m -t 1 true
nsenter -U -t 1 --preserve-credentials true
nsenter -m -t 1 true
setpriv --reuid 65534 --clear-groups true
setpriv --inh-caps=-all --bounding-set=-all true
END
done
# The heap at intervals is read from outside, where the recorder counts it.
cat >"$T/tracked.c" <<'END'
void Tau_track_memory(void) __attribute__((weak));
int main(void)
{
	if (Tau_track_memory) {
		Tau_track_memory();
		Tau_track_memory();
	}
	return 0;
}
END
ok "a program that tracks its heap builds" ${CC:-cc} -O1 "$T/tracked.c" -o "$T/tracked"
rm -rf "$T/run"
tau-record -o "$T/run" "$T/tracked" >"$T/got" 2>"$T/err"
is "TAU_TRACK_MEMORY without a counted heap: one message" "$? $(grep -c 'TAU_TRACK_MEMORY: the heap is not read at intervals, because it is not counted' "$T/err")" "0 1"
rm -rf "$T/run"
tau-record -o "$T/run" --memory=heap "$T/tracked" >"$T/got" 2>"$T/err"
is "with a counted heap: none" "$? $(grep -c TAU_TRACK_MEMORY "$T/err")" "0 0"
for bad in 0 1us -3s soon ''; do
	tau-record -o "$T/bad" --memory-every "$bad" true 2>"$T/err"
	is "--memory-every '$bad' is refused" "$? $(cat "$T/err")" "125 tau-record: --memory-every: '$bad' is not a time of 1ms or more; use a number with ns, us, ms, s, m or h (without: s), such as 100ms"
done
tap_end
