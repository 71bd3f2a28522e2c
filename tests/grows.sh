# grows.sh: sourced by tests that read a run while it is recorded. In the test's folder it builds a program that reads numbers from
# the fifo `in`, descriptor 3 of the test; its trace grows with each. begin sets run, the run's directory, and recorder, the number of
# tau-record.

# For each number n that it reads, it calls step() n times in each of two threads, and prints the number of calls until then.
cat >grows.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) int step(int i) { return i + (int)getppid() % 2; }
__attribute__((noinline)) void rounds(int n) { for (int i = 0; i < n; i++) step(i); }
__attribute__((noinline)) int next(int *n) { return scanf("%d", n) == 1; }
static void *side(void *p) { rounds(*(int *)p); return p; }
int main(void)
{
	int all = 0, n;
	while (next(&n)) {
		pthread_t t;
		pthread_create(&t, NULL, side, &n);
		rounds(n);
		pthread_join(t, NULL);
		printf("%d\n", all += 2 * n);
		fflush(stdout);
	}
	return 0;
}
END
${CC:-cc} -O1 -g -finstrument-functions grows.c -o grows -lpthread || skip_all "no compiler"
mkfifo in
begin() {	# RUN [OPTION...]: descriptor 3 feeds it
	run=$1; shift
	: >out
	tau-record -o "$run" "$@" ./grows <in >out 2>err &
	recorder=$!
	exec 3>in
	echo 10 >&3
	until [ -s out ]; do sleep 0.05; done
}
feed() { for n in "$@"; do
	lines=$(wc -l <out)
	echo "$n" >&3
	until [ "$(wc -l <out)" -gt "$lines" ] || ! kill -0 $recorder; do sleep 0.02; done
done; }
