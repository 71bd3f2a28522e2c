# watched.sh: random looks at programs that seal chunks, fork, end threads and wrap the flight recorder; monitors and senders of commands that
# are killed; 16 ranks while one is killed, or while they are in MPI_Finalize. WATCH_LOOKS=1000 makes more looks (default: 24).
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
looks=${WATCH_LOOKS:-24}
seed=${SEED:-$(date +%s)}
echo "# seed $seed"

# Until the file `over` is there, or for as many rounds as argv[1]: threads begin and end, children are forked, all of them call step. The file
# `counts` has how many calls have begun and how many have ended.
cat >busy.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#define PLAIN __attribute__((no_instrument_function))
static volatile long *count; /* begun, ended, rounds */
__attribute__((noinline)) int step(int i) { return i + (int)count[2] % 2; }
PLAIN static void steps(int n)
{
	for (int i = 0; i < n; i++) {
		__atomic_add_fetch(&count[0], 1, __ATOMIC_SEQ_CST);
		step(i);
		__atomic_add_fetch(&count[1], 1, __ATOMIC_SEQ_CST);
	}
}
PLAIN static void *side(void *p) { steps(500); return p; }
PLAIN int main(int argc, char **argv)
{
	int fd = open("counts", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, 4096))
		return 1;
	count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (long round = 0; access("over", F_OK) && (argc < 2 || round < atol(argv[1])); round++) {
		pthread_t t;
		pid_t child = round % 16 ? -1 : fork();
		pthread_create(&t, NULL, side, NULL);
		steps(2000);
		pthread_join(t, NULL);
		if (child == 0)
			_exit(0);
		if (child > 0)
			waitpid(child, NULL, 0);
		count[2]++;
		usleep(2000);
	}
	return 7;
}
END
${CC:-cc} -O1 -finstrument-functions busy.c -o busy -lpthread || skip_all "no compiler"
cat >look.py <<'END'
# look.py RUN N SEED WHOLE: N looks at random moments; each call that had ended before a look is in it (WHOLE), and none that began after it.
import json, random, struct, subprocess, sys, time
run, n, seed, whole = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
random.seed(seed)
def counts():
    with open("counts", "rb") as f:
        return struct.unpack("qqq", f.read(24))
bad = 0
for i in range(n):
    time.sleep(random.random() * 0.05)
    ended = counts()[1]
    p = subprocess.run(["tau-monitor", "--once", "--json", run], capture_output=True, text=True)
    begun = counts()[0]
    try:
        calls = sum(r["calls"] for r in json.loads(p.stdout)["regions"] if r["region"].split(" ")[0] == "step")
    except (ValueError, KeyError) as e:
        calls = -1
    if p.returncode or p.stderr or calls < (ended if whole else 0) or calls > begun:
        bad += 1
        print("# look %d: status %d, %s calls, %d had ended before it, %d had begun after it; %s" % (i, p.returncode, calls, ended, begun, p.stderr.strip()))
print("wrong:", bad)
END
watch() {	# RUN OPTIONS...: starts the program
	run=$1; shift
	rm -f over counts
	tau-record "$@" -o "$run" ./busy 2>"$run.err" &
	recorder=$!
	until tau-monitor --once --json "$run" 2>/dev/null | grep -q '"step'; do sleep 0.05; done
}
end() {
	touch over
	wait $recorder
	is "$run: the status is the program's" $? 7
	ok "$run: the trace is whole" tau-dump --check "$run"
}

watch run
is "no look of $looks has a wrong number" "$(python3 look.py run "$looks" "$seed" 1 | tee looks | tail -n 1)" "wrong: 0"
grep '^#' looks
# Monitors and senders that are killed at any moment.
python3 - "$seed" <<'END'
import os, random, signal, subprocess, sys, time
random.seed(int(sys.argv[1]))
for i in range(30):
    command = ["tau-monitor", "--json", "--interval", "1ms", "run"] if i % 3 == 0 else ["tau-record", "--control", "run", "mark", "killed %d" % i]
    p = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(random.random() * 0.06)
    p.kill()
    p.wait()
END
is "a command after senders that were killed is executed" "$(tau-record --control run --wait 60 mark last; echo $?)" 0
sent=$(tau-record --control run status | sed -n 's/.* of \([0-9]*\) commands executed.*/\1/p' | sort -n | tail -n 1)
echo "# of 20 senders that were killed $((sent - 1)) have sent their mark"
end
tau-convert run run.csv 2>/dev/null
is "the marks are the commands, none is missing" "$(awk -F, '$4 == "mark" { n[$9] = 1 } END { for (i in n) k++; print k + 0 }' run.csv)" "$sent"
is "the last look has all calls" "$(tau-monitor --once --json run | python3 -c 'import json, sys
print(sum(r["calls"] for r in json.load(sys.stdin)["regions"] if r["region"].split(" ")[0] == "step"))')" \
	"$(python3 -c 'import struct; print(struct.unpack("q", open("counts", "rb").read(8))[0])')"

watch flown --flight 50KB
is "no look of $looks at a flight recorder fails" "$(python3 look.py flown "$looks" "$seed" 0 | tee looks | tail -n 1)" "wrong: 0"
grep '^#' looks
for i in 1 2 3; do
	tau-record --control flown --wait 60 dump copy$i
	ok "a copy of it is a whole trace" tau-dump --check copy$i
done
end

# 16 ranks. They meet again and again until a file is there; then rank 0 waits for another file, and the others are in MPI_Finalize.
if command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
	cat >ranks.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, over = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	printf("%d %d\n", rank, (int)getpid());
	fflush(stdout);
	while (!over) {
		if (rank == 0)
			over = access("end", F_OK) == 0;
		MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
		usleep(20000);
	}
	while (rank == 0 && access("go", F_OK))
		usleep(5000);
	MPI_Finalize();
	return 0;
}
END
	mpicc -O1 ranks.c -o ranks
	ranks() {	# RUN: starts them, and a monitor
		: >out
		OMPI_MCA_memory=^patcher mpirun --oversubscribe -n 16 tau-record -o "$1" ./ranks >out 2>"$1.err" &
		mpi=$!
		until [ "$(wc -l <out)" -ge 16 ]; do sleep 0.05; done
		tau-monitor --json --interval 200ms "$1" >"$1.json" 2>"$1.monitor" &
		monitor=$!
		until [ -s "$1.json" ]; do sleep 0.05; done
	}
	ranks killed
	kill -KILL "$(sed -n 's/^5 //p' out)"
	wait $mpi
	ok "mpirun fails because a rank was killed" test $? -ne 0
	wait $monitor
	is "the monitor ends with the run" "$? $(cat killed.monitor)" "0 "
	like "it has said that rank 5 was killed" "$(tail -n 1 killed.json)" '"node":5[^}]*"state":"(signal 9|killed)"'
	ok "the trace of 16 ranks is whole" tau-dump --check killed
	ranks ends
	tau-record --control ends --wait 60 mark running
	is "16 ranks have executed a command" $? 0
	touch end
	sleep 0.5
	tau-record --control ends mark late
	tau-record --control ends flush
	kill -KILL $monitor
	touch go
	wait $mpi
	is "commands while 15 of 16 ranks are in MPI_Finalize change no status" $? 0
	ok "their trace is whole" tau-dump --check ends
	tau-convert ends ends.csv 2>/dev/null
	is "each rank has its mark" "$(awk -F, '$4 == "mark" && $5 == "running" { print $1 }' ends.csv | sort -u | wc -l)" 16
else
	skip "16 ranks" "no MPI"
fi
tap_end
