# mpi-t.sh: variables of MPI's tool interface: lengths of queues that the program knows, control variables that are set, and programs
# that run as they do without us.
. "$(dirname "$0")/../expect.sh"
command -v mpirun >/dev/null || skip_all "no MPI is installed"
[ -e "$B/apps/mpiqueue" ] || skip_all "the MPI programs are not built"
cd "$T" || exit 1

# mpi RANKS NAME PROGRAM OPTIONS...
mpi() {
	ranks=$1 name=$2 program=$3; shift 3
	rm -rf "$name.run" "$name.io"
	timeout -k 5 300 mpirun -np "$ranks" $(output_apart "$T/$name.io") tau-record -o "$name.run" -w mpi "$@" \
		"$B/apps/$program" >/dev/null 2>"$name.err" </dev/null
	code=$?
	find "$name.io" -name stdout 2>/dev/null | sort | xargs cat >"$name.out"
	tau-trace2profile --format csv "$name.run" >"$name.csv" 2>/dev/null
}
truth() { sed -n "s/^$1 //p" queue.out; }
# Readings and largest value of a counter whose name ends so, on a rank.
readings() { awk -F, -v node="$2" -v end="$3\$" '$2 == node && $5 == "counter" && $6 ~ "^MPI_T " && $6 ~ end { print $12 }' "$1.csv"; }
largest() { awk -F, -v node="$2" -v end="$3\$" '$2 == node && $5 == "counter" && $6 ~ "^MPI_T " && $6 ~ end { print $13 }' "$1.csv"; }
# "RANKS VALUE" of a control variable in the metadata.
controls() { tau-dump --only definitions "$1.run" 2>/dev/null | sed -n "s/.*\"MPI Control Variable: $2\" value=\"\(.*\)\"$/\1/p" | uniq -c | sed 's/^ *//'; }

export OMPI_MCA_pml_monitoring_enable=1
mpi 3 queue mpiqueue --mpi-t=0
unset OMPI_MCA_pml_monitoring_enable
is "the program ends as without us" "$code" 0
is "and receives what was sent" "$(grep '^BAD' queue.out)" ""
is "unexpected messages: the length that the program knows" "$(largest queue 0 unexpected_msgq_length)" "$(truth unexpected)"
is "posted receives, too" "$(largest queue 0 posted_recvq_length)" "$(truth posted)"
is "no other rank has unexpected data" "$(largest queue 1 posted_recvq_length)" 0
is "collective operations from all ranks to all" "$(largest queue 0 coll_monitoring_a2a_count)" "$(truth all_to_all)"
is "and from one to all" "$(largest queue 0 coll_monitoring_o2a_count)" "$(truth one_to_all)"
is "each rank has its eager limits" "$(controls queue btl_self_eager_limit)" "3 1024"
is "and no other control variable" "$(controls queue btl_self_flags)" ""
ok "the trace is sound" tau-dump --check queue.run

tau-report comm queue.run >report
like "tau-report comm shows the queues" "$(cat report)" "^ +0 +[0-9]+ +[0-9.]+ +$(truth unexpected) +[0-9]+ +[0-9.]+ +$(truth posted)\$"
like "and the eager limits" "$(cat report)" '^ +1024 +3 +btl_self_eager_limit$'
like "tau-report overview names the rank" "$(tau-report queue.run)" "unexpected queue +$(truth unexpected)\$"
is "--by queue as CSV" "$(tau-report comm --by queue -f csv queue.run | tr -d "\r" | cut -d, -f1,4 | head -n 2)" "rank,unexpected_largest
0,$(truth unexpected)"
is "--by limit as CSV" "$(tau-report comm --by limit -f csv queue.run | tr -d "\r" | grep self)" "1024,3,btl_self_eager_limit"

# The first reading is at MPI_Init, the last one at MPI_Finalize.
printf '# settings\nbtl_self_eager_limit = 2048\n\n' >settings
mpi 2 seldom mpiqueue --mpi-t=1h --mpi-t-set settings --mpi-t-controls self_eager,self_flags
is "an hour's interval leaves the first and the last reading" "$(readings seldom 0 unexpected_msgq_length)" 2
is "a variable is set from a file" "$(controls seldom btl_self_eager_limit)" "2 2048"
ok "other variables are recorded on request" test -n "$(controls seldom btl_self_flags)"
is "then the default ones are not" "$(controls seldom btl_tcp_eager_limit)" ""

export TAU_TRACK_MPI_T_PVARS=1 TAU_MPI_T_CVAR_METRICS=btl_self_eager_limit,btl_tcp_eager_limit TAU_MPI_T_CVAR_VALUES=512,70000
mpi 2 named mpiqueue
unset TAU_TRACK_MPI_T_PVARS TAU_MPI_T_CVAR_METRICS TAU_MPI_T_CVAR_VALUES
is "TAU's variables set variables" "$(controls named btl_self_eager_limit)" "2 512"
ok "and record counters" test -n "$(readings named 0 unexpected_msgq_length)"
mpi 2 plain mpiqueue
is "without the option there are no counters" "$(grep -c 'MPI_T ' plain.csv)" 0
tau-report comm --by queue plain.run >out 2>&1
is "and the report reports it" "$? $(cat out)" \
	"3 tau-report: plain.run: it contains no lengths of queues; tau-record --mpi-t records them"

# All control variables; MPI_Init has unloaded some.
mpi 2 all mpiqueue --mpi-t --mpi-t-controls all
is "all control variables can be recorded" "$code" 0
ok "and they are many" test "$(tau-dump --only definitions all.run | grep -c 'MPI Control Variable')" -gt 500

# Programs that check themselves.
for name in mpithread mpifh; do
	if [ ! -e "$B/apps/$name" ]; then skip "$name" "it was not built"; continue; fi
	mpi 2 "$name" "$name" --mpi-t=0
	is "$name ends as without us" "$code" 0
	is "$name finds its own results right" "$(grep '^BAD' "$name.out")" ""
	expect "$name" 2>/dev/null
done
# A program that is written for TAU reads them itself: between calls that do not.
cat >tracks.c <<'END'
#include <mpi.h>
#include <TAU.h>
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	TAU_DISABLE_TRACKING_MPI_T();
	for (int i = 0; i < 50; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 1; i < argc; i++)
		TAU_TRACK_MPI_T_HERE();
	if (argc > 1)
		TAU_TRACK_MPI_T();
	for (int i = 0; i < 30; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
END
if mpicc -I"$TOP/record" tracks.c -o tracks 2>tracks.err; then
	for n in 0 3; do
		rm -rf tracks$n.run
		mpirun -np 1 tau-record -o tracks$n.run -w mpi --mpi-t=0 ./tracks $(seq $n) >/dev/null 2>&1 </dev/null
		is "TAU_TRACK_MPI_T, $n: ends as it should" $? 0
		tau-trace2profile --format csv tracks$n.run >tracks$n.csv 2>/dev/null
	done
	is "3 readings by TAU_TRACK_MPI_T_HERE, and one for each of 30 calls after TAU_TRACK_MPI_T" \
		"$(($(readings tracks3 0 unexpected_msgq_length) - $(readings tracks0 0 unexpected_msgq_length)))" 33
else
	skip "TAU_TRACK_MPI_T" "mpicc cannot build it"
fi
tap_end
