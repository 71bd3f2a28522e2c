# follow-anomalies.sh: tau-convert --follow --anomalies: slow calls and slow ranks, while the program runs.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

# For each "N MS" that it reads the program sleeps N times MS ms in step.
cat >sleeps.c <<'END'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) int step(int ms) { return usleep(ms * 1000) + (int)getppid() % 2; }
int main(void)
{
	int n, ms;
	while (scanf("%d %d", &n, &ms) == 2) {
		for (int i = 0; i < n; i++)
			step(ms);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
END
${CC:-cc} -O1 -g -finstrument-functions sleeps.c -o sleeps || skip_all "no compiler"
mkfifo in
: >out
tau-record -o run ./sleeps <in >out 2>err &
recorder=$!
exec 3>in
feed() {
	lines=$(wc -l <out)
	echo "$1" >&3
	until [ "$(wc -l <out)" -gt "$lines" ]; do sleep 0.02; done
}
feed "3 900"	# too early for a comparison
feed "60 40"
tau-convert --follow --anomalies=1500ms run alarms 3>&- 2>alarms.err &
follower=$!
feed "1 4000"
for i in $(seq 200); do [ -s alarms ] && break; sleep 0.1; done
like "while the program runs its slow call is reported" "$(cat alarms)" \
	'^[0-9.]* s: step \[sleeps.c:3\]: [4-9]\.[0-9]* s, usually [0-9.]* ms: instance 64 on rank 0, thread 0$'
feed "20 40"
exec 3>&-
wait $recorder
wait $follower
is "it ends with the run" $? 0
is "nothing else is slow, not the region around it" "$(wc -l <alarms)" 1
like "the number of comparisons is reported" "$(cat alarms.err)" 'tau-convert: 52 instances compared, 1 anomaly$'
is "a run that is over has the same" "$(tau-convert --follow --anomalies=1500ms run - 2>/dev/null)" "$(cat alarms)"
is "none takes so much longer" "$(tau-convert --follow --anomalies=60s run - 2>/dev/null)" ""
like "a time is needed" "$(tau-convert --follow --anomalies=soon run - 2>&1)" "--anomalies: 'soon' is not a time .*, such as 10ms$"
like "only with --follow" "$(tau-convert --anomalies run - 2>&1)" '\-\-anomalies is for --follow'

# Four ranks that do not wait for each other; from the middle on each step of rank 2 takes 20 times as long.
if command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
	cat >ranks.c <<'END'
#include <mpi.h>
#include <unistd.h>
__attribute__((noinline)) int step(int ms) { return usleep(ms * 1000) + (int)getppid() % 2; }
int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 128; i++)
		step(rank == 2 && i >= 64 ? 100 : 5);
	MPI_Finalize();
	return 0;
}
END
	mpicc -O1 -finstrument-functions ranks.c -o ranks
	OMPI_MCA_memory=^patcher mpirun --oversubscribe -n 4 tau-record -o four ./ranks 2>err
	is "a rank that becomes slow is reported once, no other" "$(tau-convert --follow --anomalies=1s four - 2>/dev/null |
		sed -n 's/.* s: \(rank . is slower than the others: step\): .*/\1/p')" "rank 2 is slower than the others: step"
else
	skip "four ranks" "no MPI"
fi
tap_end
