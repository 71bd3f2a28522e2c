#!/bin/sh
# forecast.sh [FOLDER]: how good forecasts of memory are: OpenSHMEM and MPI programs recorded on 2 to 16 PEs, what the models
# predict for 32 and 64 PEs, and what these PEs have. Runs are kept in FOLDER (build/forecast) and recorded where they are missing.
. "$(dirname "$0")/common"
runs=${1:-$B/forecast}
mkdir -p "$runs" && cd "$runs" || die "cannot use $runs"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_memory=^patcher UCX_TLS=self,sm SHMEM_SYMMETRIC_SIZE=16M
sed 's/CELLS/4/g' "$TOP/fixtures/melt.in" >melt.in
echo "run 20" >>melt.in
cat >collect.py <<'END'
from mpi4py import MPI
c = MPI.COMM_WORLD
n, r = c.Get_size(), c.Get_rank()
assert c.alltoall([(r, i) for i in range(n)])[0] == (0, r)
c.Split(r % 2, r).allgather({"rank": r, "host": "x" * 20})
c.sendrecv(list(range(100)), dest=(r + 1) % n, source=(r - 1) % n)
c.Barrier()
END
# record NAME PEs: one run; 1 if the program is not installed.
record() {
	case $1 in
	gups) set -- "$1" "$2" oshrun "$B/apps/gups" 8 1 ;;
	shmcoll) set -- "$1" "$2" oshrun "$B/apps/shmcoll" ;;
	lammps) set -- "$1" "$2" mpirun lmp -in melt.in -log none -screen none ;;
	mpi4py) set -- "$1" "$2" mpirun /usr/bin/python3 collect.py ;;
	hpcc) set -- "$1" "$2" mpirun hpcc ;;
	esac
	command -v "$4" >/dev/null || return 1
	[ "$1" != mpi4py ] || /usr/bin/python3 -c 'import mpi4py' 2>/dev/null || return 1
	[ ! -d "$1-$2" ] || return 0
	if [ "$1" = hpcc ]; then
		p=1
		while [ $((p * p * 4)) -le "$2" ]; do p=$((p * 2)); done
		sed -e '6s/^[0-9]*/64/' -e '8s/^[0-9]*/8/' -e "11s/^[0-9]*/$p/" -e "12s/^[0-9]*/$(($2 / p))/" \
			/usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt || return 1
	fi
	name=$1 n=$2 launch=$3 wrap=
	[ "$1" != mpi4py ] || wrap='-w mpi'
	shift 3
	timeout 600 $launch -np "$n" tau-record $wrap --memory=sites -o "$name-$n" "$@" >"$name-$n.log" 2>&1 ||
		die "$name on $n PEs failed, see $runs/$name-$n.log"
}
printf '%-10s %6s %12s %10s %14s %14s %20s\n' program PEs 'bytes added' covered 'rows inside' 'growing inside' 'total: error'
: >all
programs=0
for name in gups shmcoll hpcc lammps mpi4py; do
	for n in 2 4 8 16 32 64; do record $name $n || continue 2; done
	programs=$((programs + 1))
	tau-report memory-scaling --top 0 -f csv --predict 32,64 $name-2 $name-4 $name-8 $name-16 >model || die "no report"
	for n in 32 64; do
		tau-report memory-scaling --top 0 -f csv $name-$n >truth || die "no report"
		# Fields with commas are quoted and hold only reasons.
		tr -d '\r' <model | sed 's/"[^"]*"/-/g' >model.plain
		tr -d '\r' <truth | sed 's/"[^"]*"/-/g' | awk -F , -v n=$n -v name=$name '
			FNR == 1 { file++; split("", c); for (i = 1; i <= NF; i++) c[$i] = i; next }
			file == 1 { last[$1] = $c["mean_bytes_16"]; v[$1] = $c["predicted_bytes_" n]; low[$1] = $c["predicted_low_" n]
				high[$1] = $c["predicted_high_" n]; next }
			{ y = $c["mean_bytes_" n]; d = y - last[$1]; has = v[$1] != ""; in_it = has && y >= low[$1] - 1e-6 && y <= high[$1] + 1e-6 }
			$4 == "all" { error = 100 * (v[$1] / y - 1); inside = in_it ? "inside" : "outside"; next }
			{ rows += has; good += in_it }
			d > 0 { added += d; covered += in_it * d; growing += has; growing_good += in_it }
			END {
				printf "%-10s %6d %12.0f %8.1f %% %12.1f %% %6d of %-5d %9.1f %% %s\n", name, n, added, 100 * covered / added,
					100 * good / rows, growing_good, growing, error, inside
				print n, added, covered, rows, good, growing, growing_good, inside >>"all"
			}' model.plain -
	done
done
[ $programs -ge 4 ] || die "needs at least 4 of gups, shmcoll, hpcc, lammps and python3-mpi4py"
set -- $(awk '{ if ($1 == 64) { a += $2; c += $3 } r += $4; g += $5; w += $6; x += $7; t++; i += $8 == "inside" }
	END { print 100 * c / a, 100 * g / r, 100 * x / w, 100 * i / t }' all)
round() { printf %.1f "$1"; }
goal "2 to 16 PEs: bytes added up to 64 whose forecast holds" "$(round "$1")" least 85 %
goal "rows inside their 95 % intervals, of those that grew" "$(round "$3")" least 90 %
goal "the same" "$(round "$3")" most 98 %
goal "rows inside their 95 % intervals, of all" "$(round "$2")" least 90 %
goal "totals inside their intervals" "$(round "$4")" least 90 %
