#!/bin/sh
# job.sh: what recording adds to a short MPI job, of ranks that do nothing but start and end MPI: CPU time and time that passes, with the
# wrapper of MPI alone and as tau-record records by default, which has memory by type. The ways take turns, and the median counts,
# because ranks that wait for each other on few processors add as much as they save.
. "$(dirname "$0")/common"
have mpicc && have mpirun || { echo "no MPI is installed"; exit 0; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
# Plugins of hwloc that look for graphics processors take as long as all else.
export HWLOC_COMPONENTS=-opencl,-gl
$CC -O2 -o "$W/cost" "$TOP/bench/cost.c" || die "cannot build the meter"
cat >"$W/job.c" <<'END_C'
#include <mpi.h>
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Finalize();
}
END_C
mpicc -O2 -o "$W/job" "$W/job.c" || die "cannot build the job"

once() {	# NAME COMMAND...: CPU seconds and seconds
	name=$1; shift
	rm -rf "$T/run"
	"$W/cost" "$@" >/dev/null 2>"$T/err" || { cat "$T/err" >&2; die "failed: $*"; }
	tail -n 1 "$T/err" >>"$T/$name"
}
median() { cut -d ' ' -f "$2" "$T/$1" | sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

printf '%-34s %10s %10s\n' "MPI_Init, MPI_Barrier, MPI_Finalize" "CPU, s" "passed, s"
for ranks in 8 16; do
	i=0
	while [ $i -lt $((ROUNDS + 2)) ]; do
		once plain.$ranks mpirun -np $ranks "$W/job"
		once mpi.$ranks mpirun -np $ranks tau-record -o "$T/run" -w mpi "$W/job"
		once all.$ranks mpirun -np $ranks tau-record -o "$T/run" "$W/job"
		i=$((i + 1))
	done
	for way in plain mpi all; do
		case $way in plain) label=alone ;; mpi) label="-w mpi" ;; all) label="by default" ;; esac
		printf '%-34s %10s %10s\n' "$ranks ranks, $label" "$(median $way.$ranks 1)" "$(median $way.$ranks 2)"
	done
	goal "CPU time of $ranks ranks by default, to -w mpi" "$(calc %.2f "$(median all.$ranks 1) / $(median mpi.$ranks 1)")" \
		most 1.15 "" "$(calc %.1f "($(median all.$ranks 1) - $(median mpi.$ranks 1)) * 1000 / $ranks") ms a rank"
	goal "time passed of $ranks ranks by default, to -w mpi" "$(calc %.2f "$(median all.$ranks 2) / $(median mpi.$ranks 2)")" \
		most 1.1 ""
done
