# ranks.sh: processes of an MPI job that share the work of tau-trace2profile: one result, the same as that of one process; and what
# happens when one of them fails or is killed.
. "$(dirname "$0")/../tap.sh"
command -v mpirun >/dev/null || skip_all "no mpirun"
# Open MPI 5 prints a line for each rank where a machine has no network but its own.
export OMPI_MCA_btl=^tcp
[ -e "$B/libtaumpi.so" ] || skip_all "built without MPI"

run=$T/run
tau-record -o "$run" "$B/apps/threads" >/dev/null 2>&1 || { fail "a program is recorded"; tap_end; }
cd "$T" || exit 1
tau-trace2profile --callpath -s -o alone "$run" 2>alone.err
streams=$(ls alone | wc -l)
ok "there are several streams ($streams)" test "$streams" -gt 4

job() {	# SIZE COMMAND...: output in `out`, messages in `err`, status in $code
	size=$1
	shift
	timeout 120 mpirun -np "$size" "$@" >out 2>err </dev/null
	code=$?
}
ours() { grep '^tau-' err; }	# without what mpirun adds
left() { ls -A | grep -E '\.tmp\.|\.tau-' | tr '\n' ' '; }

for size in 2 3 7; do
	rm -rf shared
	job $size tau-trace2profile --callpath -s -o shared "$run"
	is "$size processes end well" "$code" 0
	ok "their result is that of one process, byte for byte" diff -r alone shared
	is "with the same messages, printed once" "$(cat err) $(wc -c <out)" "$(cat alone.err) 0"
	is "and nothing is left behind" "$(left)" ""
done
job 2 tau-trace2profile -f csv -w :50% -w 50%: -j 2 "$run"
is "to standard output, rank 0 writes it" "$code $(cksum <out)" "0 $(tau-trace2profile -f csv -w :50% -w 50%: "$run" 2>/dev/null | cksum)"
job $((streams + 3)) tau-trace2profile -f csv "$run"
is "there may be more processes than streams" "$(cksum <out)" "$(tau-trace2profile -f csv "$run" 2>/dev/null | cksum)"
job 2 tau-trace2profile -f csv alone
is "a profile is read by rank 0 alone" "$code $(cksum <out)" "0 $(tau-trace2profile -f csv alone | cksum)"
job 2 tau-trace2profile --alone -f csv "$run"
is "with --alone each process does all the work" "$code" 0

# --- the other programs ---
tau-report series --slices 3 -f csv "$run" >series.csv 2>series.err
job 3 tau-report series --slices 3 -f csv "$run"
is "tau-report of 3 processes prints the report of one" "$code $(cksum <out) $(cat err)" "0 $(cksum <series.csv) $(cat series.err)"
# The store holds the command, so both have the same name of a store in it.
tau-db import --db trial.db "$run" >one.out 2>one.err
mv trial.db one.db
job 3 tau-db import --db trial.db "$run"
mv trial.db three.db
is "tau-db import of 3 processes stores one trial" "$code $(cat out err)" "0 $(cat one.out one.err)"
stored() { sqlite3 "$1" .dump | cksum; }
is "which is that of one process" "$(stored three.db)" "$(stored one.db)"
# Runs that cannot be imported, among others; of one, a stream is damaged in its header.
cp -r "$run" broken
for f in broken/*.tau; do
	printf 'XXXXXXXX' | dd of="$f" conv=notrunc 2>/dev/null
done
several="$run none broken alone zz*"
set -f
tau-db import --db several.db $several >one.out 2>one.err
one=$?
mv several.db several1.db
job 3 tau-db import --db several.db $several
set +f
is "three of several runs cannot be imported: the others are stored" "$code $one $(cat out)" "4 4 $(cat one.out)"
is "and each is named with its cause, once" "$(ours) $(grep -c 'tau-db import' err)" "$(grep '^tau-' one.err) 4"
is "the store is that of one process" "$(stored several.db)" "$(stored several1.db)"
# A run that one of the processes does not see.
mkdir half && ln -s "$run" half/run
# (Not as two programs, A : B, with which mpirun of Open MPI 5.0.7 crashes, whatever they are.)
job 2 sh -c '[ "$OMPI_COMM_WORLD_RANK" = 0 ] && sees=run || sees=none
	exec tau-db import --db half.db alone half/$sees "$1"' - "$run"
is "a run that one process cannot read is not stored; those after it are" "$code $(sed 's/,.*//' out | tr '\n' ' ')" "4 trial 1: alone trial 2: run "
is "and its rank is named" "$(ours)" "tau-db import: half/run: rank 1: half/none: No such file or directory
tau-db import: 1 of 3 runs is not stored"
job 2 tau-report series --db one.db -f csv
is "a report over a database is printed once" "$code $(grep -c ^name out)$(grep -c '^"\?trial' out)" "0 $(tau-report series --db one.db -f csv | grep -c ^name)$(tau-report series --db one.db -f csv | grep -c '^"\?trial')"

# --- what goes wrong ---
job 2 tau-trace2profile -w nosuch -o wrong "$run"
is "an error of all is printed once, and its status is that of the job" "$code $(ours | wc -l)" "3 1"
like "in words" "$(ours)" "^tau-trace2profile: window 'nosuch': the trace has no region"
is "and there is no half a result" "$(ls -d wrong 2>/dev/null)$(left)" ""
# One process of the job sees another directory under the name of the run.
job 2 sh -c '[ "$OMPI_COMM_WORLD_RANK" = 0 ] && sees=$1 || sees=nosuch
	exec tau-trace2profile -o one "$sees"' - "$run"
is "an error of one process is the error of the job" "$code" 4
like "which names its rank" "$(ours)" "^tau-trace2profile: rank 1: nosuch: "
cat >killed.sh <<'END'
[ "$OMPI_COMM_WORLD_RANK" = 1 ] || exec tau-trace2profile -o wrong "$1"
sleep 0.2
kill -9 $$
END
job 2 sh killed.sh "$run"
ok "when a process is killed the job fails (status $code)" test "$code" -ne 0 -a "$code" -ne 124
like "and MPI says which" "$(cat err)" "process rank 1.*exited on signal 9|rank 1"
is "without a result" "$(ls -d wrong 2>/dev/null)$(left)" ""
env PMI_SIZE=2 tau-trace2profile -o wrong "$run" >out 2>err
is "a launcher that MPI does not know is an error" "$?" 4
like "that says what to do" "$(ours)" "the launcher started 2 processes, but MPI has 1.*--alone"
mkdir elsewhere && cp "$B/tau-trace2profile" elsewhere
env OMPI_COMM_WORLD_SIZE=2 elsewhere/tau-trace2profile -o wrong "$run" >out 2>err
is "without the library that reads in parallel" "$? $(ours)" "4 tau-trace2profile: a launcher started 2 processes, but reading in parallel \
needs libtaumpi.so: it was not found. Install libopenmpi-dev and build again, or use --alone"
job 1 env SLURM_NTASKS=4 tau-trace2profile -f csv "$run"
is "in a batch script that no launcher started it is alone" "$code" "0"
tap_end
