# paused.sh: a program, its threads and its child are stopped before each system call that makes, writes, renames or removes a file:
# what a reader finds at that moment is a whole trace, and nothing is missing without a reason.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

cat >few.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define PLAIN __attribute__((no_instrument_function))
static volatile long sum;
__attribute__((noinline)) static int step(int i) { return sum += i; }
PLAIN static void steps(int n) { for (int i = 0; i < n; i++) step(i); }
PLAIN static void *side(void *p) { steps(10); return p; }
PLAIN int main(int argc, char **argv)
{
	int n = atoi(argv[1]);
	pthread_t t[2];
	pid_t child;

	steps(n);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, side, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	child = fork();
	steps(n);
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	return 7;
}
END
${CC:-cc} -O1 -finstrument-functions few.c -o few -lpthread || skip_all "no compiler"
# Until the first header there is no trace to read.
cat >reader <<'END'
for f in run/*.tau; do [ ! -s "$f" ] || break; done
[ -s "$f" ] || exit 0
found=$(tau-dump --check run 2>&1) || { echo "tau-dump --check: $found"; exit 1; }
found=$(tau-monitor --once --json run 2>&1 >monitored) && [ -z "$found" ] || { echo "tau-monitor: $found"; exit 1; }
END
stops() {	# LEAST N OPTIONS...: a run with these options of a program that makes N calls is stopped at least LEAST times
	least=$1 n=$2
	shift 2
	rm -rf run
	timeout 300 "$B/tests/fault/paused" "sh ./reader" tau-record "$@" -o run ./few "$n" >stops 2>err
	code=$?
	[ $code -ne 3 ] || skip_all "no process may be traced here"
	is "$*: the status is the program's" $code 7
	is "$*: no reader finds damage" "$(grep -v '^STOPS' stops)" ""
	ok "$*: there were stops enough" test "$(sed -n 's/^STOPS //p' stops)" -ge "$least"
	ok "$*: the trace is whole" tau-dump --check run
}

stops 30 10
stops 30 10 --fold 10ms --live-dir .
stops 100 300000 --flight 2K
# A file that no process is making
: >"run/other.1.0.0.tau"
like "an empty file of a process that is gone is named" "$(tau-monitor --once run 2>&1)" \
	'other.*: the file is empty, for example because a process was killed'
ok "... and is no file of a whole trace" sh -c '! tau-dump --check run'
tap_end
