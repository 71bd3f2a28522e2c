# idle-threads.sh: a thread that works outside of all regions counts, one that waits beside a few short calls does not.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
cat >idle.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static _Atomic int over;

static void *wait(void *to)
{
	int fd = open("/dev/null", O_RDONLY);
	char c;

	while (!over) {
		if (read(fd, &c, 1))
			break;
		usleep(5000);
	}
	close(fd);
	return to;
}

/* 200 ms of a processor, however long that takes. */
static void *work(void *to)
{
	struct timespec t;

	close(open("/dev/null", O_RDONLY));
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while (t.tv_nsec < 200000000);
	return to;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, wait, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(b, NULL);
	over = 1;
	pthread_join(a, NULL);
	/* One that is still there when the process ends. */
	over = 0;
	pthread_create(&c, NULL, wait, NULL);
	usleep(50000);
	return 0;
}
C
ok "the program builds" ${CC:-cc} -O1 -o idle idle.c -lpthread
tau-record -w io -o run ./idle 2>err
like "threads that only wait" "$(tau-report profile run | sed -n 2p)" '^1 PE, 3 threads, of which 1 only waits and is not counted\.$'
like "the shares of the processor that they had" "$(tau-dump run | sed -n 's/.*CPU Time (ppm): \([12]\)" value="\([0-9]*\)"/\1 \2/p' | sort |
	awk '{ print $1, ($2 >= 50000) }' | tr '\n' ' ')" '^(1 0 2 1|1 1 2 0) $'
for to in tau otf2; do
	tau-convert --to $to run run.$to 2>err
	is "the same after conversion to $to" "$(tau-report profile run.$to | sed -n 2p)" "$(tau-report profile run | sed -n 2p)"
done
mkdir dir
tau-trace2profile -f tau -o dir/p run 2>err
is "and of the profile in TAU's format" "$(tau-report profile dir/p | sed -n 2p)" "$(tau-report profile run | sed -n 2p)"
tau-db import --db store run >/dev/null 2>&1
like "and in the store" "$(tau-report profile --db store 1 | sed -n 1,3p)" 'of which 1 only waits'
tap_end
