# ranks.sh: processes of a parallel job that share the work of tau-trace2profile: one result, the same as that of one process; and what
# happens when one of them fails, is killed, or another job died there before.
. "$(dirname "$0")/../tap.sh"

run=$T/run
tau-record -o "$run" "$B/apps/threads" >/dev/null 2>&1 || { fail "a program is recorded"; tap_end; }
cd "$T" || exit 1
tau-trace2profile --callpath -s -o alone "$run" 2>alone.err
streams=$(ls alone | wc -l)
ok "there are several streams ($streams)" test "$streams" -gt 4

# job SIZE COMMAND...: as a launcher would start it, with RANK and SIZE as the names of its variables; rank R says things in err.R
job() {
	size=$1 i=$1
	shift
	while [ $i -gt 0 ]; do
		i=$((i - 1))
		env "$RANK=$i" "$SIZE=$size" "$@" >"out.$i" 2>"err.$i" &
		eval "pid$i=$!"
	done
	i=0 codes=
	while [ $i -lt $size ]; do
		eval "wait \$pid$i"
		codes="$codes$? "
		i=$((i + 1))
	done
}
# beats: until rank 1, which is $p, is there
beats() { until [ -e "$(echo .tau-ranks.*/beat.1)" ] || ! kill -0 $p; do sleep 0.02; done; }
nothing_left() { ls -A | grep -E '^\.tau-ranks|\.tmp\.' | tr '\n' ' '; }

while read -r RANK SIZE; do
	rm -rf shared
	job 3 tau-trace2profile --callpath -s -o shared "$run"
	is "$RANK: all ranks end well" "$codes" "0 0 0 "
	ok "and the result is that of one process, byte for byte" diff -r alone shared
	is "with the same messages, of rank 0 alone" "$(cat err.0) $(cat out.0 err.1 err.2 | wc -c)" "$(cat alone.err) 0"
	is "and nothing is left behind" "$(nothing_left)" ""
done <<-END
	OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE
	PMI_RANK PMI_SIZE
	SLURM_PROCID SLURM_STEP_NUM_TASKS
	PALS_RANKID PALS_SIZE
	FLUX_TASK_RANK FLUX_JOB_SIZE
END
RANK=PMI_RANK SIZE=PMI_SIZE

job 2 tau-trace2profile -f csv -w :50% -w 50%: -j 2 "$run"
is "to standard output, rank 0 writes it" "$codes$(cksum <out.0)" "0 0 $(tau-trace2profile -f csv -w :50% -w 50%: "$run" 2>/dev/null | cksum)"
job $((streams + 3)) tau-trace2profile -f csv "$run"
is "there may be more ranks than streams" "$(cksum <out.0)" "$(tau-trace2profile -f csv "$run" 2>/dev/null | cksum)"
job 2 tau-trace2profile -f csv alone
is "a profile is no work to share" "$codes$(cksum <out.0)" "0 0 $(tau-trace2profile -f csv alone | cksum)"
job 2 tau-trace2profile --alone -f csv "$run"
is "who is told to work alone does" "$codes$(cksum <out.0)" "0 0 $(cksum <out.1)"
RANK=SLURM_PROCID SIZE=SLURM_JOB_NUM_NODES
job 1 timeout 120 env SLURM_NTASKS=4 tau-trace2profile -f csv "$run"
is "in a batch script that no launcher started it is alone" "$codes" "0 "

# --- what goes wrong ---
RANK=PMI_RANK SIZE=PMI_SIZE
job 2 tau-trace2profile -w nosuch -o wrong "$run"
is "an error of all is said once, and is the status of rank 0" "$codes$(cat err.0 err.1 | wc -l)" "3 0 1"
like "in words" "$(cat err.0)" "^tau-trace2profile: window 'nosuch': the trace has no region"
PMI_RANK=0 PMI_SIZE=2 tau-trace2profile -w nosuch -o wrong "$run" >out.0 2>err.0 &
p=$!
until [ -s err.0 ] || ! kill -0 $p; do sleep 0.02; done
timeout 50 env PMI_RANK=1 PMI_SIZE=2 tau-trace2profile -w nosuch -o wrong "$run" >out.1 2>err.1
late=$?
wait $p
is "so it is where a rank begins when rank 0 has failed already" "$late $? $(cat err.0 err.1 | wc -l)$(nothing_left)" "0 3 1"
PMI_RANK=1 PMI_SIZE=2 tau-trace2profile -o wrong "$run" >out.1 2>err.1 &
p=$!
beats
is "a rank waits for rank 0" "$(kill -0 $p && ls -A | grep -c '^\.tau-ranks')" 1
kill -TERM $p
wait $p
is "ended by a signal, it leaves nothing behind" "$? $(nothing_left)" "143 "
PMI_RANK=1 PMI_SIZE=2 tau-trace2profile -o wrong "$run" >out.1 2>err.1 &
p=$!
beats
kill -9 $p
wait $p 2>/dev/null
PMI_RANK=0 PMI_SIZE=2 tau-trace2profile -o wrong "$run" >out.0 2>err.0
is "a rank that was killed is missed" "$? $(cat err.0)" "4 tau-trace2profile: rank 1 of 2 ended before its part was done"
is "and there is no half a result" "$(ls -d wrong 2>/dev/null)$(nothing_left)" ""
PMI_RANK=1 PMI_SIZE=2 tau-trace2profile -o after "$run" >out.1 2>err.1 &
p=$!
beats
kill -9 $p
wait $p 2>/dev/null
job 2 tau-trace2profile --callpath -s -o after "$run"
is "what a job left that died is no harm to the next" "$codes$(nothing_left)" "0 0 "
ok "which is right" diff -r alone after

if command -v mpirun >/dev/null; then
	mpirun --allow-run-as-root --oversubscribe -np 3 tau-trace2profile --callpath -s -o mpi "$run" >mpi.out 2>mpi.err
	is "mpirun -np 3 ends well" "$? $(cat mpi.out) $(nothing_left)" "0  "
	ok "with the same result" diff -r alone mpi
else
	skip "mpirun -np 3" "no mpirun"
fi
tap_end
