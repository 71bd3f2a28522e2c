#!/bin/sh
# mpi.sh: what recording adds to an MPI call: 8 bytes go to and fro with MPI_Send and MPI_Recv, between two ranks and inside one. A call is
# an enter, a leave, and a record of peer, tag, communicator and bytes. Plain and recorded calls take turns in the same processes,
# and the least counts.
. "$(dirname "$0")/common"
have mpicc && have mpirun || { echo "no MPI is installed"; exit 0; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1
library=$(mpicc --showme:libdirs | cut -d ' ' -f 1)/libmpi.so
mpicc -O2 -DMPI_LIBRARY="\"$library\"" -o "$W/pingpong" "$TOP/bench/pingpong.c" || die "cannot build pingpong"

least() { cut -d ' ' -f "$2" "$T/$1" | sort -n | head -n 1; }
i=0
while [ $i -lt "$ROUNDS" ]; do
	for ranks in 1 2; do
		rm -rf "$T/run.$ranks"
		blocks=$((ranks == 1 ? 5 : 200))
		mpirun -np $ranks tau-record -o "$T/run.$ranks" "$W/pingpong" $blocks 2>"$T/err" >>"$T/$ranks" ||
			{ cat "$T/err" >&2; die "pingpong failed"; }
	done
	i=$((i + 1))
done
printf '%-28s %10s %10s %12s\n' "send and receive, 8 bytes" "plain, ns" recorded "bytes a call"
for ranks in 2 1; do
	case $ranks in 1) title="inside one rank, CPU time" calls=1e6 ;; 2) title="between two ranks" calls=8e5 ;; esac
	plain=$(least $ranks 1) recorded=$(least $ranks 2) clock=$(least $ranks 3)
	printf '%-28s %10s %10s %12s\n' "$title" "$plain" "$recorded" \
		"$(calc %.2f "$(cat "$T/run.$ranks"/*.tau | wc -c) / $calls")"
	goal "MPI ping-pong of 8 bytes, $title: added" "$(calc %.1f "$recorded - $plain")" most 60 "ns a call" \
		"two readings of the clock $(calc %.1f "2 * $clock")"
done
