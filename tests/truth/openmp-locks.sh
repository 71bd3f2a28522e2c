# openmp-locks.sh: tau-report locks against OpenMP programs that measure their own waits for locks and critical sections, with the libraries of GNU and LLVM.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

# Thread 1 has each lock for 50 ms after thread 0 is about to wait for it, so each wait and its holder are known.
cat >app.c <<'C'
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static omp_lock_t gate, quiet;
static struct { long size; omp_nest_lock_t lock; } pool;
static double waited[4];
static int has, about, sum;

static void set(int *to, int value)
{
	__atomic_store_n(to, value, __ATOMIC_RELEASE);
}

static void await(const int *what)
{
	while (!__atomic_load_n(what, __ATOMIC_ACQUIRE))
		usleep(100);
}

static void hold(void)
{
	set(&has, 1);
	await(&about);
	usleep(50000);
	set(&has, 0);
	set(&about, 0);
}

static double begin(void)
{
	await(&has);
	set(&about, 1);
	return omp_get_wtime();
}

static void lock(int holds)
{
	double t;

	if (holds) {
		while (!omp_test_lock(&gate))
			;
		hold();
		omp_unset_lock(&gate);
		return;
	}
	t = begin();
	omp_set_lock(&gate);
	waited[0] += omp_get_wtime() - t;
	omp_unset_lock(&gate);
}

static void nest(int holds)
{
	double t;

	if (holds) {
		omp_set_nest_lock(&pool.lock);
		omp_set_nest_lock(&pool.lock);
		omp_unset_nest_lock(&pool.lock);
		hold();
		omp_unset_nest_lock(&pool.lock);
		return;
	}
	t = begin();
	omp_set_nest_lock(&pool.lock);
	waited[1] += omp_get_wtime() - t;
	omp_unset_nest_lock(&pool.lock);
}

static void named(int holds)
{
	double t = holds ? 0 : begin();

#pragma omp critical(table)
	{
		if (holds)
			hold();
		else
			waited[2] += omp_get_wtime() - t;
	}
}

static void unnamed(int holds)
{
	double t = holds ? 0 : begin();

#pragma omp critical
	{
		if (holds)
			hold();
		else
			waited[3] += omp_get_wtime() - t;
	}
}

int main(void)
{
	static void (*const each[4])(int) = {lock, nest, named, unnamed};

	omp_init_lock(&gate);
	omp_init_lock(&quiet);
	omp_init_nest_lock(&pool.lock);
#pragma omp parallel num_threads(2)
	{
		for (int i = 0; i < 12; i++) {
			each[i % 4](omp_get_thread_num());
#pragma omp barrier
		}
		if (omp_get_thread_num())
			for (int i = 0; i < 100; i++) {
				omp_set_lock(&quiet);
				omp_unset_lock(&quiet);
#pragma omp critical(alone)
				sum++;
			}
	}
	for (int i = 0; i < 4; i++)
		printf("%f\n", 1e3 * waited[i]);
	return sum != 100;
}
C

# column NAME ROW: of the row whose kind and lock are ROW
column() {
	awk -F, -v name="$1" -v row="$2" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["kind"] "," $c["lock"] == row { print $c[name]; exit }' csv
}
near() {	# what, got, expected ms
	if awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; exit !(a != "" && (d < 0 ? -d : d) <= 0.05 * b + 0.05) }'; then pass "$1"; else
		fail "$1: got $2 ms, the program measured $3 ms"
	fi
}
check() {	# runtime, program
	rm -rf run
	tau-record -o run "./$2" >truth 2>err || { fail "$1: the program ends as it should"; cat err; return; }
	tau-report locks -f csv run >csv
	n=0
	for l in 'omp lock,gate' 'omp nest lock,pool+0x8' 'omp critical,table' 'omp critical,unnamed'; do
		n=$((n + 1))
		near "$1: waiting for $l" "$(column waiting_ms "$l")" "$(sed -n ${n}p truth)"
		is "$1: its waits, waiting threads, and who has it for which part of the time" \
			"$(for c in waits threads holder_thread holder_pct; do column $c "$l"; done | tr '\n' ' ')" "3 1 1 100 "
	done
	is "$1: locks and critical sections that are free have no row" "$(grep -c 'quiet\|alone' csv)" 0
	is "$1: the places of the first waits" "$(for l in 'omp lock,gate' 'omp critical,table'; do
		sed -n "s/.*,$l,\"*\([a-z]*\) .*/\1/p" csv; done | tr '\n' ' ')" "lock named "
	tau-record -o all --openmp all "./$2" >/dev/null 2>&1
	like "$1: the highest level shows the section in which the holder is" "$(tau-report locks --by holder -f csv all)" \
		',omp critical,table,"[^"]*omp critical body: named'
	rm -rf all
}

ok "the program builds" cc -g -O1 -fopenmp -c app.c -o app.o
cc -fopenmp app.o -o gnu
check libgomp gnu
runtime=$(ldconfig -p | sed -n 's/.*libomp\.so\.5 .*=> //p' | head -n 1)
if [ -n "$runtime" ]; then
	cc app.o "$runtime" -o mixed
	check "libomp, code of gcc" mixed
else
	skip "code of gcc with LLVM's runtime" "it is not installed (apt-get install libomp5-14)"
fi
if command -v clang >/dev/null 2>&1 && clang -g -O1 -fopenmp app.c -o llvm 2>why; then
	check libomp llvm
else
	skip "code of clang" "clang is not installed, or cannot link libomp: $(tail -n 1 why 2>/dev/null)"
fi
tau-record -o least --openmp parallel ./gnu >/dev/null 2>&1
is "the lowest level has no locks" "$(tau-report locks least 2>&1)" \
	"tau-report: least: no thread waited for a lock; such waits are recorded by tau-record --wrap pthread, those of OpenMP by --wrap openmp"
tap_end
