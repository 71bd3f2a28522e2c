# idle-threads.sh: a thread that works outside of all regions counts, one that waits beside a few short calls does not.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
export TAU_SAMPLING=0 # missed samples are notes, too
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
like "a thread that mostly waits" "$(tau-report profile run | sed -n 2p)" '^1 PE, 3 threads, of which 1 mostly waits: its waiting is not counted\.$'
is "its calls count" "$(tau-report profile -f csv run | tr -d '\r' | awk -F, '/open\(|close\(|read\(/ { c += $7 } END { print (c > 6) }')" 1
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
like "and in the store" "$(tau-report profile --db store 1 | sed -n 1,3p)" 'of which 1 mostly waits'

# --- what a thread did that sleeps nearly all the time is in every report; only its time without a processor is not ---
cat >sleeper.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}
__attribute__((noinline)) void serve(double ms)
{
	double end = cpu() + ms;
	volatile double x = 1;

	while (cpu() < end)
		for (int i = 0; i < 20000; i++)
			x *= 1.0000001;
}
static void *work(void *to)
{
	usleep(1200000);
	serve(40);
	return to;
}
int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, work, NULL);
	pthread_create(&t[1], NULL, work, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
C
ok "the program that sleeps builds" ${CC:-cc} -O1 -g -o sleeper sleeper.c -lpthread
tau-record --sample=1ms -o slept ./sleeper 2>err
like "it mostly waits" "$(tau-report profile slept | sed -n 2p)" '^1 PE, 3 threads, of which 2 mostly wait: their waiting is not counted\.$'
# On a loaded machine, where a thread runs for less than a tick of the clock that samples, not all of the 80 ms have samples.
sampled=$(tau-dump slept | sed -n 's/.* SAMPLE ns=\([0-9]*\) .*/\1/p' | awk '{ s += $1 / 1e9 } END { print s + 0 }')
ok "there are samples: $sampled s" awk -v s="$sampled" 'BEGIN { exit !(s > 0) }'
# most SECONDS: at least 80 % of what was sampled (the rest is below calls of serve), and not the time of the sleep
most() { awk -v of="$sampled" '{ s += $1 } END { print (s >= 0.8 * of && s < 0.3) ? "there" : s " of " of }'; }
rows() { tr -d '\r' | grep "$1"; }
is "samples: profile" "$(tau-report profile --samples -f csv slept | rows serve | awk -F, '{ print $9 / 1e6 }' | most)" there
is "samples: series" "$(tau-report series --samples -f csv slept | rows serve | awk -F, '{ print $8 / 1000 }' | most)" there
is "samples: series of two slices" "$(tau-report series --slices 2 --samples -f csv slept | rows serve | awk -F, '{ print $8 / 1000 }' | most)" there
is "samples: tree" "$(tau-report tree --samples -f csv slept | rows serve | awk -F, '{ print $6 / 1e6 }' | most)" there
is "samples: flame" "$(tau-report flame -f folded --samples slept | rows serve | awk '{ print $NF / 1e9 }' | most)" there
is "samples: hot spots of the overview" "$(tau-report -f json slept | grep -c '"section": "samples", "item": "serve')" 1
is "samples: threads" "$(tau-report threads serve -f csv slept | rows '^0,[12],' | awk -F, '{ print $4 / 1e6 }' | most)" there
tau-db import --db store slept >/dev/null 2>&1
is "samples: the store, total" "$(sqlite3 store "select sum(v.exclusive_value) / 1e6 from trial r join thread h on h.trial = r.id and h.thread_index = -2
	join timer_call_data d on d.thread = h.id join timer_callpath c on c.id = d.timer_callpath and c.parent is null
	join timer t on t.id = c.timer and t.name like '[SAMPLE] serve%' join timer_value v on v.timer_call_data = d.id" | most)" there
is "samples: a report of the store" "$(tau-report profile --samples -f csv --db store 2 | rows serve | awk -F, '{ print $9 / 1e6 }' | most)" there
ok "the store verifies" tau-db check --db store
tap_end
