# uncreated.sh: files that cannot be created for a while, or not by their path: all descriptors in use, chroot(), a umask that takes
# rights from the owner. The thread is tried again, others go on, and each event is recorded or counted as lost.
. "$(dirname "$0")/../expect.sh"
cd "$T" || exit 1

cat >descriptors.c <<'E'
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static int fd[64], n, calls;
static volatile int x;
static pthread_barrier_t both;

static void leaf(void) { x++; }
static void *worker(void *unused)
{
	for (int i = 0; i < calls; i++)
		leaf();
	pthread_barrier_wait(&both);
	pthread_barrier_wait(&both);
	for (int i = 0; i < calls; i++)
		leaf();
	return unused;
}
int main(int argc, char **argv)
{
	struct rlimit few = {64, 64};
	pthread_t t;
	int mine = argc > 2 ? atoi(argv[2]) : 0;

	calls = atoi(argv[1]);
	setrlimit(RLIMIT_NOFILE, &few);
	pthread_barrier_init(&both, NULL, 2);
	while (n < 64 && (fd[n] = open("/dev/null", O_RDONLY)) >= 0)
		n++;
	pthread_create(&t, NULL, worker, NULL);
	for (int i = 0; i < mine; i++)
		leaf();
	pthread_barrier_wait(&both);
	if (argc > 3) {
		printf("%d\n", 1 + 2 * mine + 1 + 2 * calls);
		fflush(stdout);
		raise(SIGKILL);
	}
	while (n)
		close(fd[--n]);
	pthread_barrier_wait(&both);
	pthread_join(t, NULL);
	printf("%d\n", 2 + 2 * mine + 2 + 4 * calls);
	return 0;
}
E
cat >root.c <<'E'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile int x;
static void leaf(void) { x++; }
static void *worker(void *unused)
{
	for (int i = 0; i < 100000; i++)
		leaf();
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t t;

	if (chroot(argv[argc - 1]) || chdir("/"))
		return 1;
	worker(NULL);
	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	puts("EXPECT region main calls 1\nEXPECT region worker calls 2\nEXPECT region leaf calls 200000");
	return 0;
}
E
hooks="${CC:-cc} -O1 -pthread -finstrument-functions"
$hooks -o descriptors descriptors.c && $hooks -o root root.c || skip_all "the compiler has no hooks"

lost() { sed -n 's/.* \([0-9]*\) lost,.*/\1/p' "$1.err"; }
alone() { sed -n 's/^tau-record: .*: \([0-9]*\) stops* of timers.*/\1/p' "$1.err"; }

# A thread that starts while no descriptor is free; and one whose chunks are full then.
for case in "start 8000 8000" "full 100 300000"; do
	set -- $case
	record $1 -w none ./descriptors $2 $3
	is "$1: the program ends as it should" "$code" 0
	all=$(cat $1.out) a=$(alone $1)
	recorded=$(tau-dump --only records $1.run 2>/dev/null | grep -cE ' (ENTER|LEAVE)')
	is "$1: $all events, recorded, lost, or ends without a begin" "$((recorded + $(lost $1) + ${a:-0}))" "$all"
	ok "$1: the trace is sound" tau-dump --check $1.run
	is "$1: it is reported once" "$(grep -c '^tau: ' $1.err)" 1
done
like "the reason is reported" "$(cat start.err)" 'is not recorded: cannot create .*: Too many open files'
ok "the thread is recorded afterwards" test "$(lost start)" -lt 20000

# The process is killed before the thread gets a file.
for mine in 100 200000; do
	record killed -w none ./descriptors 8000 $mine killed
	is "killed after $mine calls: by the signal" "$code" 137
	all=$(cat killed.out)
	recorded=$(tau-dump --only records killed.run 2>/dev/null | grep -cE ' (ENTER|LEAVE)')
	is "killed after $mine calls: $all events, recorded or lost" "$((recorded + $(lost killed)))" "$all"
	like "killed after $mine calls: readers report how many" "$(tau-report profile killed.run 2>&1)" "recorder dropped $(lost killed) events"
done

if [ "$(id -u)" = 0 ] && mkdir jail; then
	record root -w none ./root jail
	is "chroot: the program ends as it should" "$code" 0
	expect root
	is "chroot: nothing is lost" "$(lost root)" 0
else
	skip "chroot" "only root may"
fi

# Not as root, who may open files of mode 0.
mkdir -m 777 open
run_as=
[ "$(id -u)" = 0 ] && run_as="setpriv --reuid 65534 --regid 65534 --clear-groups"
chmod 755 "$T" descriptors
if $run_as sh -c "cd '$T' && test -x '$B/tau-record'" 2>/dev/null; then
	for mask in 0777 0277 0377; do
		$run_as sh -c "umask $mask; exec tau-record -w none -o open/$mask ./descriptors 30000" >$mask.out 2>$mask.err
		is "umask $mask: the program ends as it should" "$?" 0
		is "umask $mask: no more than the last line of a run, and what is said above" "$(grep -cE 'denied|nothing' $mask.err)" 0
		ok "umask $mask: the trace is sound" tau-dump --check open/$mask
	done
else
	skip "umask" "another user cannot reach the build folder"
fi

# Timers of samples count as pending signals.
record timers --sample=1ms bash -c 'ulimit -i 0; ./root x'
like "threads without a timer: this is reported" "$(cat timers.err)" 'a thread has no samples, because it got no timer: .*ulimit -i'

# A path that the recorder has no room for.
long=$T/$(printf 'x/%.0s' $(seq 1600))
mkdir -p "$long" 2>/dev/null
TAU_RECORD_DIR=$long LD_PRELOAD=$B/libtau.so ./descriptors 100 >long.out 2>long.err
like "a path of more than 3,071 characters: this is reported" "$(cat long.err)" 'the path of the run has [0-9]+ characters, more than 3071; nothing is recorded'
tap_end
