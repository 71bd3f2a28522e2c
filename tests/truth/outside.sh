# outside.sh: commands to a running program: marks, chunks that are stored, which process has executed what, and notes in reports.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

# Two threads make n steps each when n is read; then the program prints all steps so far.
cat >steps.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_barrier_t at;
static int n;
__attribute__((noinline)) int step(int i) { return i + (int)getppid() % 2; }
__attribute__((noinline)) void rounds(void) { for (int i = 0; i < n; i++) step(i); }
static void *side(void *p)
{
	for (;;) {
		pthread_barrier_wait(&at);
		if (n < 0)
			return p;
		rounds();
		pthread_barrier_wait(&at);
	}
}
int main(void)
{
	int all = 0;
	pthread_t t;
	pthread_barrier_init(&at, NULL, 2);
	pthread_create(&t, NULL, side, NULL);
	while (scanf("%d", &n) == 1) {
		pthread_barrier_wait(&at);
		rounds();
		pthread_barrier_wait(&at);
		printf("%d\n", all += 2 * n);
		fflush(stdout);
	}
	n = -1;
	pthread_barrier_wait(&at);
	pthread_join(t, NULL);
	return 0;
}
END
${CC:-cc} -O1 -g -finstrument-functions steps.c -o steps -lpthread || skip_all "no compiler"
mkfifo in
feed() {	# waits until the program has made its steps
	lines=$(wc -l <out)
	echo "$1" >&3
	until [ "$(wc -l <out)" -gt "$lines" ]; do sleep 0.02; done
}
send() { tau-record --control run "$@" 3>&-; }
status() { tau-record --control run status 3>&- | sed "s/^process $pid:/process P:/"; }
stored() { stat -c %s run/*.tau | awk '$1 > 64 { n++ } END { print n + 0 }'; }

: >out
tau-record -o run ./steps <in >out 2>err &
recorder=$!
exec 3>in
feed 10
pid=$(pgrep -P $recorder steps)
is "no command yet" "$(status)" "process P: 0 of 0 commands executed"
is "no chunk is stored yet" "$(stored)" 0
send mark "first phase"
is "a process that waits has not executed a command" "$(status)" "process P: 0 of 1 commands executed; it waits for its next event"
send status >/dev/null
is "which is exit status 1" $? 1
feed 20
is "with its next event it executes it" "$(status)" "process P: 1 of 1 commands executed"
send status >/dev/null
is "then the exit status is 0" $? 0
send flush
feed 30
is "flush stores the chunk of each thread" "$(stored)" 2
# A sender that is killed leaves a command that does not count.
python3 - <<'END'
import glob
f = open(glob.glob("run/.watch.*")[0], "r+b")
f.seek(64 + 256 * 2)
f.write(b"off and more of that kind")
END
feed 1
send mark second
feed 40
send off
feed 50
send on
send mark "third: ${PWD}/a name that is much longer than others"
feed 5
exec 3>&-
wait $recorder
is "the program ends as it does" "$?" 0
is "all commands are executed" "$(status)" "process P: 6 of 6 commands executed; it has ended"
tau-convert run run.csv 2>/dev/null
# Steps of both threads that begin before a mark; those that were made while recording was off are in none.
before() { awk -F, -v m="$1" 'index($5, m) && $4 == "mark" { t = $3 } { time[NR] = $3; kind[NR] = $4; name[NR] = $5 }
	END { for (i in time) if (kind[i] == "enter" && name[i] ~ /^"?step / && time[i] < t) n++; print n + 0 }' run.csv; }
# While one thread executes the command, the other one may begin a step.
behind() { case $(($(before "$1") - $2)) in 0 | 1) pass "$3" ;; *) fail "$3: $(before "$1") steps, $2 printed" ;; esac; }
behind 'first phase' "$(sed -n 1p out)" "the first mark comes after as many steps as were printed"
behind 'second' "$(sed -n 4p out)" "and the second"
behind 'third' "$(sed -n 5p out)" "and the third, without those while recording was off"
is "each mark is one event, with the number of its command" \
	"$(awk -F, '$4 == "mark" { sub(/"/, "", $5); print substr($5, 1, 6), $9 }' run.csv | sort)" "first  1
second 3
third: 6"
meta() { tau-dump run 2>/dev/null | sed -n "s/.*META name=\"TAU Command $1\" value=\"\(.*\)\"\$/\1/p"; }
is "commands are metadata" "$(for i in 1 2 3 4 5; do meta $i; done)" "mark first phase
flush
mark second
off
on"
is "with their times, which rise" "$(for i in 1 2 3 4 5 6; do meta "Time (ns) $i"; done | awk '$1 > last { n++ } { last = $1 } END { print n }')" 6
ok "the trace is whole" tau-dump --check run
# Readers of the run name what changed, and when.
moment() { meta "Time (ns) $1" | awk '{ if ($1 < 999999500) printf "%.3f ms", $1 / 1e6; else printf "%.6f s", $1 / 1e9 }'; }
notes="run: command 1: mark 'first phase' at $(moment 1)
run: command 2: what was recorded was stored at $(moment 2)
run: command 3: mark 'second' at $(moment 3)
run: command 4: recording off from $(moment 4) on
run: command 5: recording on from $(moment 5) on"
is "profiles have notes about the commands" \
	"$(tau-trace2profile run 2>&1 >/dev/null | sed -n 's/^tau-trace2profile: \(run: command [1-5]:.*\)/\1/p')" "$notes"
is "so have overviews" "$(tau-report run 2>/dev/null | sed -n 's/^  \(run: command [1-5]:.*\)/\1/p')" "$notes"
just_before() { meta "Time (ns) $1" | awk '{ printf "%.3fms", ($1 - 1000) / 1e6 }'; }
is "a window has those that affect it" \
	"$(tau-trace2profile -w "$(just_before 3):$(just_before 4)" run 2>&1 >/dev/null | grep -o 'command [0-9]: [a-z]*')" \
	"command 3: mark"
like "a mark has a name" "$(send mark 2>&1)" 'the command is on, off, flush, status, group NAME, no-group NAME, exclude PATTERN, include PATTERN, mark NAME, sample PERIOD, no-sample, metrics, no-metrics, memory, no-memory or dump DIRECTORY'
like "flush has no operand" "$(send flush now 2>&1)" 'the command is'

# Four ranks; the last command comes while three of them are in MPI_Finalize.
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
	printf("ready\n");
	fflush(stdout);
	while (!over) {
		if (rank == 0)
			over = access("over", F_OK) == 0;
		MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
		usleep(5000);
	}
	while (rank == 1 && access("go", F_OK))
		usleep(5000);
	MPI_Finalize();
	return 0;
}
END
	mpicc -O1 ranks.c -o ranks
	OMPI_MCA_memory=^patcher mpirun -n 4 tau-record -o four ./ranks >out 2>err &
	mpi=$!
	until [ "$(grep -c ready out)" -ge 4 ]; do sleep 0.05; done
	tau-record --control four mark here
	until tau-record --control four status >status; do sleep 0.05; done
	is "four processes have executed it" "$(grep -c ': 1 of 1 commands executed$' status)" 4
	is "a command to two ranks is executed by them" "$(tau-record --control four --rank 1,3 --wait 60 mark odd; echo $?)" 0
	is "a rank that is not there is reported" "$(tau-record --control four --rank 4 mark none 2>&1)" \
		"tau-record: four: no process that runs on this host is selected"
	touch over
	sleep 0.3
	tau-record --control four mark late
	tau-record --control four flush
	touch go
	wait $mpi
	is "a command during MPI_Finalize does no harm" $? 0
	tau-convert four four.csv 2>/dev/null
	is "each rank has its mark" "$(awk -F, '$4 == "mark" && $5 == "here" { print $1 }' four.csv | sort | tr '\n' ' ')" "0 1 2 3 "
	ok "the trace of the ranks is whole" tau-dump --check four
	shown() { tau-report four 2>/dev/null | grep -v '^ *$' | tr '\n' ' ' | tr -s ' ' | grep -o "command $1: .*" | sed -E 's/ \(the last process: [0-9.]+ m?s\)//; s/ four: .*//; s/[0-9.]+ m?s/T/'; }
	like "reports: all processes have executed a command" "$(shown 1)" "^command 1: mark 'here' at T, in all 4 processes"
	like "and two have executed another" "$(shown 2)" "^command 2: mark 'odd' at T, in 2 of 4 processes: nodes 1, 3"
	is "all of them have ended" "$(tau-record --control four status | grep -c 'it has ended')" 4
else
	skip "four ranks" "no MPI"
fi
tap_end
