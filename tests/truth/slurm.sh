# slurm.sh: jobs of a Slurm that is started for this test, on this machine, without its own security: steps, arrays, several jobs at once,
# mpirun in a job, jobs that are cancelled or reach their limit, and tau-monitor --job, with each MPI.
. "$(dirname "$0")/../mpis.sh"
for program in slurmctld slurmd srun sbatch; do
	command -v $program >/dev/null || PATH=$PATH:/usr/sbin
	command -v $program >/dev/null || skip_all "$program is not installed (apt-get install slurmctld slurmd slurm-client slurm-wlm-basic-plugins)"
done
all=$(mpis mpip2p)
[ "$all" ] || skip_all "no MPI is installed, or its programs are not built"

host=$(hostname -s)
port=$((20000 + $$ % 10000))
S=$T/slurm
mkdir "$S"
cat >"$S/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 10001))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/none
CredType=cred/none
StateSaveLocation=$S
SlurmdSpoolDir=$S
SlurmctldPidFile=$S/ctld.pid
SlurmdPidFile=$S/d.pid
SlurmctldLogFile=$S/ctld.log
SlurmdLogFile=$S/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=32
PartitionName=all Nodes=ALL Default=YES
END
export SLURM_CONF="$S/slurm.conf"
end() {
	scancel -u "$(id -un)" 2>/dev/null
	for pid in "$S/d.pid" "$S/ctld.pid"; do
		[ -s "$pid" ] && kill "$(cat "$pid")" 2>/dev/null
	done
	sleep 1
	rm -rf "$every"
}
trap end EXIT
slurmctld >"$S/start" 2>&1 && slurmd >>"$S/start" 2>&1
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	state=$(timeout 5 sinfo -h -o %T 2>/dev/null)
	[ "$state" = idle ] && break
	sleep 1
done
[ "$state" = idle ] || skip_all "Slurm does not start here: $(cat "$S/start" "$S/ctld.log" "$S/d.log" 2>/dev/null | tail -n 1)"

# Steps that run until they are ended, or for some seconds.
cat >"$T/rounds.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int n, char **v)
{
	int rank, size, go = 1;
	double until;

	MPI_Init(&n, &v);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (until = MPI_Wtime() + atof(v[1]); go; MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD)) {
		usleep(10000);
		go = MPI_Wtime() < until;
	}
	if (!rank)
		printf("%d ranks\n", size);
	return MPI_Finalize();
}
END
job() { sbatch --parsable "$@" 2>&1; }
# Waits until none of the jobs is queued or runs.
gone() {
	for i in $(seq 150); do
		[ -z "$(squeue -h -j "$1" 2>/dev/null)" ] && return 0
		sleep 1
	done
	return 1
}
# Ranks of a run that is recorded.
pes() { tau-monitor --once "$1" 2>&1 | sed -n 's/.*: \([0-9]*\) PEs\{0,1\}, .*/\1/p' | head -n 1; }

address=$(getent hosts "$(hostname)")
for mpi in $all; do
	mpi_with "$mpi"
	case $mpi in openmpi) with=pmix ;; *) with=pmi2 ;; esac
	$mpicc -w "$T/../rounds.c" -o rounds || { fail "the program builds"; continue; }
	printf '#!/bin/sh\nsrun --mpi=%s tau-record %s ./rounds $1\n' $with '$2 $3' >step
	limited=$(job -n 2 -t 0:01 -o limit.out step 300 -o limit.run)
	array=$(job --array=1-3 -n 2 -o array.%a step 1)

	# A step: all that the program states, in one run with one summary.
	timeout 200 srun --mpi=$with -n 4 -l tau-record -o step.run "$apps/mpip2p" >step.lines 2>step.err </dev/null
	is "srun -n 4: it ends as without us" $? 0
	sort -n step.lines | sed 's/^[0-9]*: //' >step.out
	expect step
	is "srun -n 4: one process prints what was recorded" "$(grep -c ' 4 processes, ' step.err)" 1
	ok "srun -n 4: the files of the run are sound" tau-dump --check step.run

	printf '#!/bin/sh\n%s -np 3 tau-record -o inside.run ./rounds 1\n' "$launcher" >inside
	inside=
	[ -z "$address" ] || inside=$(job -n 3 -o inside.out inside)

	# Two at once, while both are watched; one of them is cancelled, the other killed.
	first=$(job -n 2 -o first.out step 200 -o first.run) second=$(job -n 2 -o second.out step 200 -o second.run)
	for i in $(seq 60); do
		[ "$(pes first.run) $(pes second.run)" = "2 2" ] && break
		sleep 0.5
	done
	is "two jobs at once: each has a run of its own" "$(pes first.run) $(pes second.run)" "2 2"
	like "tau-monitor --job finds the first" "$(tau-monitor --once --job "$first" 2>&1 | head -n 1)" '/first\.run at .*2 PEs.*2 processes running'
	like "and the second" "$(tau-monitor --once --job "$second" 2>&1 | head -n 1)" '/second\.run at .*2 PEs.*2 processes running'
	sleep 2
	scancel "$first"
	scancel -s KILL "$second"
	gone "$first,$second"
	is "a job that is cancelled: it is reported what was recorded, and which signal ended which rank" \
		"$(grep -c 'first\.run: 2 processes, ' first.out) $(grep -c 'first\.run: rank [01] .* was killed by SIGTERM' first.out)" "1 2"
	for each in first second; do
		ok "$each: its trace is sound" tau-dump --check $each.run
		ok "$each: and has the rounds until then" test "$(tau-trace2profile --format csv $each.run |
			awk -F, '$6 == "MPI_Bcast()" && $5 == "timer" { n += $8 } END { print n + 0 }')" -gt 100
	done

	gone "$array${inside:+,$inside}"
	is "an array: each element has a run of its own" "$(cat array.1 array.2 array.3 | grep -c '2 processes, ') $(ls -d tau-rounds* | wc -l)" "3 3"
	if [ "$inside" ]; then
		is "mpirun in a job: one run of all ranks" "$(grep -c 'inside\.run: 3 processes, ' inside.out) $(grep -c '^3 ranks' inside.out)" "1 1"
	else
		skip "mpirun in a job: one run of all ranks" "$(hostname) has no address, and Hydra waits for ever"
	fi
	gone "$limited"
	like "a time limit: the job ends by it" "$(cat limit.out)" 'CANCELLED.*TIME LIMIT'
	is "and what was recorded is reported" "$(grep -c 'limit\.run: 2 processes, ' limit.out)" 1
	ok "and sound" tau-dump --check limit.run
	# tau-experiment submits a job for each run, is killed once it has done so, and goes on with the same command.
	set -- -n 2,4 --repeat 1 --name "$mpi" --db experiment.db --sbatch '--ntasks={n} --time=2' -- srun --mpi=$with -n {n} "$PWD/rounds" 1
	tau-experiment "$@" >experiment.out 2>&1 &
	pid=$!
	for i in $(seq 100); do [ "$(ls tau-experiment-$mpi/*.log 2>/dev/null | wc -l)" -ge 1 ] && break; sleep 0.2; done
	kill -KILL $pid
	wait $pid 2>/dev/null
	timeout 200 tau-experiment "$@" >experiment.out 2>experiment.err
	is "tau-experiment --sbatch, killed and started again: it ends well" "$?" 0
	is "each run once, with its ranks" "$(tau-db list --db experiment.db -f csv 2>/dev/null | grep "$mpi" | grep -o "n[24]-r1" | sort | tr '\n' ' ')" "n2-r1 n4-r1 "
	like "and the scaling statement" "$(cat experiment.out)" 'scal'
done
tap_end
