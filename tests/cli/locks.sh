# locks.sh: tau-report locks against a program that measures its own waits and knows who has which lock.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

cat >locks.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool { long size; pthread_rwlock_t lock; } pool = {0, PTHREAD_RWLOCK_INITIALIZER};
static pthread_mutex_t quiet = PTHREAD_MUTEX_INITIALIZER, *heap;
static pthread_barrier_t meet;
static _Atomic int has, begun;
static double waited[3], longest;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Until n threads are about to wait, and ms longer. */
static void hold(int n, int ms)
{
	atomic_store(&has, 1);
	while (atomic_load(&begun) < n)
		usleep(200);
	usleep((useconds_t)ms * 1000);
	atomic_store(&has, 0);
	atomic_store(&begun, 0);
}

__attribute__((noinline)) static void update_table(int ms)
{
	pthread_mutex_lock(&table_lock);
	hold(1, ms);
	pthread_mutex_unlock(&table_lock);
}

__attribute__((noinline)) static void resize_pool(void)
{
	pthread_rwlock_wrlock(&pool.lock);
	hold(1, 50);
	pthread_rwlock_unlock(&pool.lock);
}

__attribute__((noinline)) static void fill_heap(void)
{
	pthread_mutex_lock(heap);
	hold(2, 50);
	pthread_mutex_unlock(heap);
}

/* The threads meet between the parts without a lock, because that would be a wait, too. */
static _Atomic int part[4];
static void next(int i, int threads)
{
	atomic_fetch_add(&part[i], 1);
	while (atomic_load(&part[i]) < threads)
		usleep(200);
}

static void about_to_wait(void)
{
	while (!atomic_load(&has))
		usleep(200);
	atomic_fetch_add(&begun, 1);
}

static void *writer(void *to)
{
	/* the longest wait is neither the first nor the last */
	for (int i = 0; i < 3; i++) {
		update_table(i == 1 ? 90 : 30);
		next(0, 2 * (i + 1));
	}
	resize_pool();
	next(1, 2);
	fill_heap();
	pthread_barrier_wait(&meet);
	return to;
}

static double lock(pthread_mutex_t *m)
{
	double begin = now();

	pthread_mutex_lock(m);
	begin = now() - begin;
	pthread_mutex_unlock(m);
	return begin;
}

static void *reader(void *to)
{
	double begin;

	for (int i = 0; i < 3; i++) {
		about_to_wait();
		begin = lock(&table_lock);
		waited[0] += begin;
		longest = begin > longest ? begin : longest;
		next(0, 2 * (i + 1));
	}
	about_to_wait();
	begin = now();
	pthread_rwlock_rdlock(&pool.lock);
	waited[1] = now() - begin;
	pthread_rwlock_unlock(&pool.lock);
	next(1, 2);
	about_to_wait();
	waited[2] = lock(heap);
	pthread_barrier_wait(&meet);
	return to;
}

int main(void)
{
	pthread_t a, b;
	double third;

	heap = malloc(sizeof(*heap));
	pthread_mutex_init(heap, NULL);
	pthread_barrier_init(&meet, NULL, 3);
	pthread_create(&a, NULL, writer, NULL);
	while (!atomic_load(&has)) /* the writer is thread 1 */
		usleep(200);
	pthread_create(&b, NULL, reader, NULL);
	while (atomic_load(&part[1]) < 2)
		usleep(200);
	for (int i = 0; i < 1000; i++)
		lock(&quiet);
	about_to_wait();
	third = lock(heap);
	pthread_barrier_wait(&meet);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_mutex_destroy(heap);
	printf("%f %f %f %f\n", waited[0], waited[1], waited[2] + third, longest);
	free(heap);
	return 0;
}
C
ok "the program builds" ${CC:-cc} -g -finstrument-functions -o locks locks.c -lpthread
tau-record --wrap pthread -o run ./locks >truth 2>err || { fail "it is recorded"; cat err; }
read -r table pool heap longest <truth
tau-report locks -f csv run | tr -d '\r' >csv
# column NAME FILE ROW: of the row whose lock is ROW
column() {
	awk -F, -v name="$1" -v row="$3" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["lock"] ~ row { print $c[name]; exit }' "$2"
}
near() {	# what, got, expected ms
	if awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; exit !(a != "" && (d < 0 ? -d : d) <= 0.05 * b + 0.05) }'; then pass "$1"; else
		fail "$1: got $2 ms, the program measured $3 ms"
	fi
}
near "waiting for a mutex in a variable" "$(column waiting_ms csv '^table_lock$')" "$table"
near "waiting for a lock of readers in a structure, which has a writer" "$(column waiting_ms csv '^pool[+]0x8$')" "$pool"
near "waiting of two threads for a mutex on the heap" "$(column waiting_ms csv '^0x[0-9a-f]*$')" "$heap"
near "while one thread waits, blocked time is its waiting" "$(column blocked_ms csv '^table_lock$')" "$table"
near "the largest wait" "$(column largest_ms csv '^table_lock$')" "$longest"
is "numbers of waits, threads that wait, and the thread that has the lock" "$(for l in '^table_lock$' '^pool[+]0x8$' '^0x'; do
	echo "$(column kind csv "$l") $(column waits csv "$l") $(column threads csv "$l") $(column holder_thread csv "$l")"; done)" \
	"mutex 3 1 1
rwlock 1 1 1
mutex 2 2 1"
is "a lock that was always free has no row" "$(grep -c quiet csv)" 0
is "a barrier has waits and no holder" "$(grep -c '^[^,]*,[^,]*,3,[^,]*,[^,]*,3,,,,,barrier,meet,' csv)" 1
is "the call that waited first" "$(column first_wait csv '^table_lock$' | sed 's/ .*//')" lock
tau-report -f csv run | tr -d '\r' >overview
is "the overview has the waits for locks that a thread can hold" "$(awk -F, '$1 == "waiting" && $2 == "for locks" { printf "%.3f", $3 / 1000 }' overview)" \
	"$(awk -F, 'NR > 1 && $11 != "barrier" { s += $2 } END { printf "%.3f", s }' csv)"
like "they are a finding, with the lock that costs most" "$(grep '^findings,waiting for locks,' overview)" \
	'most for [a-z]* [^,]*, mostly held by thread 0.[0-9].*,tau-report locks run$'
is "what no thread can hold is a fact of its own" "$(awk -F, '$1 == "waiting" && $2 == "for barriers" { printf "%.3f", $3 / 1000 }' overview)" \
	"$(awk -F, 'NR > 1 && $11 == "barrier" { s += $2 } END { printf "%.3f", s }' csv)"
is "no other finding has these calls" "$(grep -c '^findings,synchronisation.*\(mutex\|rwlock\|barrier\)' overview)" 0
tau-report locks --by holder -f csv run >holder
is "the call path that has a lock while others wait" \
	"$(grep -E ',(table_lock|pool[+]0x8|0x[0-9a-f]*),' holder | awk -F, '$3 > 25 { sub(/.*=> hold /, ""); print $0 ~ /^\[/ }' | sort -u)" 1
is "it names who called: update_table, resize_pool, fill_heap" \
	"$(grep -E ',(table_lock|pool[+]0x8|0x[0-9a-f]*),' holder | awk -F, '$3 > 25' | grep -oE 'update_table|resize_pool|fill_heap' | sort | tr '\n' ' ')" \
	"fill_heap resize_pool update_table "
sum() { awk -F, 'NR > 1 && $0 !~ /,barrier,meet,/ { s += $2 } END { printf "%.6f\n", s }' "$1"; }
tau-report locks --by waiter -f csv run >waiter
near "the largest wait of a thread" "$(column largest_ms waiter '^table_lock$')" "$longest"
is "waiting adds up to the same by lock, by holder and by waiter" "$(sum holder) $(sum waiter)" "$(sum csv) $(sum csv)"
for to in tau otf2; do
	tau-convert --to $to run run.$to 2>err
	is "converted to $to: nothing to say" "$? $(cat err)" "0 "
	for by in lock holder waiter; do
		tau-report locks --by $by -f csv run.$to >converted
		tau-report locks --by $by -f csv run >want
		ok "converted to $to, by $by: the same" cmp want converted
	done
done
ok "a run that was converted verifies" tau-dump --check run.tau
for by in lock holder waiter; do
	for f in text csv json; do tau-report locks --by $by -f $f run >agree.$f; done
	is "--by $by: text, CSV and JSON agree" "$(python3 "$TOP/tests/agree.py" agree.text agree.csv agree.json)" same
done
for by in lock holder waiter; do
	tau-report locks --by $by --top 2 -f svg -o locks.svg run
	ok "--by $by: the picture is XML" xmllint --noout locks.svg
	is "... with the largest waits of the table" "$(grep -o '>[0-9.]* ms, [0-9.]* %<' locks.svg | tr -d '<>')" \
		"$(tau-report locks --by $by --top 2 -f csv run | awk -F, 'NR > 1 { printf "%#.4g ms, %.1f %%\n", $2, $1 }')"
done
like "the critical path says that it does not follow locks" "$(tau-report critical-path run)" '^Waits for locks, barriers and other threads are not followed'
tau-record --wrap io -o none ./locks >/dev/null 2>&1
tau-report locks none >out 2>&1
is "a run without the wrapper" "$? $(cat out)" \
	"3 tau-report: none: no thread waited for a lock; such waits are recorded by tau-record --wrap pthread, those of OpenMP by --wrap openmp"

# --- a program that waits for a condition only ---
cat >condition.c <<'C'
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void *consume(void *x)
{
	pthread_mutex_lock(&lock);
	while (items < 3)
		pthread_cond_wait(&filled, &lock);
	pthread_mutex_unlock(&lock);
	return x;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, consume, NULL);
	for (int i = 0; i < 3; i++) {
		usleep(50000);
		pthread_mutex_lock(&lock);
		items++;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	return pthread_join(t, NULL);
}
C
${CC:-cc} -O1 -g -o condition condition.c -lpthread && tau-record -w pthread -o condition.run ./condition 2>/dev/null
like "a wait for a condition is a finding of its own" "$(tau-report -f csv condition.run | tr -d '\r' | grep '^findings,waiting')" \
	'^findings,waiting for condition variables,.*most for condition variable filled,tau-report locks condition.run$'
is "which no other finding has" "$(tau-report -f csv condition.run | grep '^findings' | grep -c 'beyond waiting')" 0
tap_end
