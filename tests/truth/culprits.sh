# culprits.sh: the first findings of an overview name the rank, the thread and the functions that make others wait, with the time that the
# program itself measured: with hooks by call path, without by samples; MPI, and OpenMP below it.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
command -v mpicc >/dev/null && command -v mpirun >/dev/null || skip_all "no MPI is installed"

# Rank 0 loads before each broadcast; rank 1 computes longer before each barrier. What each waits is measured, and the work is in CPU time.
cat >late.c <<'C'
#include <mpi.h>
#include <stdio.h>

#define HELPER __attribute__((noinline))
static volatile double sink;

static HELPER void work(int n)
{
	double s = 0;

	for (long i = 0; i < 1000000L * n; i++)
		s += 1.0 / (double)(i + 1);
	sink = s;
}

static HELPER void load_mesh(void)
{
	work(15);
	sink += 1;
}

static HELPER void solve(int n)
{
	work(n);
	sink += 1;
}

int main(int argc, char **argv)
{
	double bcast = 0, barrier = 0, t;
	int rank, x = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 20; i++) {
		if (rank == 0)
			load_mesh();
		t = MPI_Wtime();
		MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
		bcast += MPI_Wtime() - t;
		solve(rank ? 12 : 4);
		t = MPI_Wtime();
		MPI_Barrier(MPI_COMM_WORLD);
		barrier += MPI_Wtime() - t;
	}
	printf("waits %d %.6f %.6f\n", rank, 1e6 * bcast, 1e6 * barrier);
	return MPI_Finalize();
}
C
# us that culprits of this row cost, in the table of all
cost() { tau-report waits --by culprit -f csv "$1" | tr -d '\r' | awk -F, -v who="$2" -v where="$3" '
	$1 == who && $0 ~ where { print 1000 * $2; exit }'; }
# Is the one at most the other, and more than two thirds of it? A machine that is busy makes others wait in the same calls, without a culprit.
within() { awk -v a="$1" -v b="$2" 'BEGIN { print (a > 0.5 * b && a < 1.03 * b + 3000) ? "yes" : "no: " a " of " b }'; }

for how in hooks samples; do
	flags=
	[ $how = samples ] || flags=-finstrument-functions
	mpicc -g -O1 $flags -o late late.c || { fail "$how: it is compiled"; continue; }
	for try in 1 2 3 4; do
		rm -rf $how.run
		mpirun -np 2 tau-record -o $how.run ./late >out 2>err || { fail "$how: it runs"; cat err; continue 2; }
		tau-report $how.run | sed -n '/^Findings/,$p' >findings
		grep -q '^  1\. rank' findings && grep -q '^  2\. rank' findings && break
		sed "s/^/# try $try: /" findings
	done
	if [ $how = hooks ]; then
		like "$how: who is late for the broadcast" "$(grep 'load_mesh' findings)" 'rank 0 in main.* => load_mesh.* makes rank 1 wait: '
		like "$how: it shows as" "$(grep -A1 '=> load_mesh' findings)" 'shows as late broadcast .*; 20 calls take .* there, the mean of others is 0 s'
		like "$how: who is late for the barrier" "$(grep '=> solve' findings)" 'rank 1 in main.* => solve.* makes rank 0 wait: '
		first='=> load_mesh' second='=> solve'
		is "$how: their imbalance is no finding beside them" "$(grep -c 'imbalance of' findings)" 0
	else
		like "$how: who is late for the broadcast" "$(cat findings)" 'rank 0 before MPI_Bcast\(\) makes rank 1 wait: '
		like "$how: in which functions" "$(grep -A1 'before MPI_Bcast' findings)" 'of its [0-9]+ samples outside of all regions are in main => load_mesh'
		like "$how: who is late for the barrier" "$(cat findings)" 'rank 1 before MPI_Barrier\(\) makes rank 0 wait: '
		like "$how: in which functions, too" "$(grep -A1 'before MPI_Barrier' findings)" 'of its [0-9]+ samples outside of all regions are in main => solve'
		first='before MPI_Bcast' second='before MPI_Barrier'
	fi
	bcast=$(awk '$1 == "waits" && $2 == 1 { print $3 }' out)
	barrier=$(awk '$1 == "waits" && $2 == 0 { print $4 }' out)
	is "$how: the wait of rank 1 as it measured it" "$(within "$(cost $how.run 'rank 0' "$first")" "$bcast")" yes
	is "$how: the wait of rank 0 as it measured it" "$(within "$(cost $how.run 'rank 1' "$second")" "$barrier")" yes
	like "$how: conditions of the run are above" "$(sed -n 2p findings)" '^  Conditions of the run: '
done

# One thread of a team of rank 1 is late: its team waits, and so does rank 0.
cat >team.c <<'C'
#include <mpi.h>
#include <omp.h>

static volatile double sink[64];

static __attribute__((noinline)) void cell(int at, int n)
{
	double s = 0;

	for (long i = 0; i < 1000000L * n; i++)
		s += 1.0 / (double)(i + 1);
	sink[8 * at] = s;
}

int main(int argc, char **argv)
{
	int rank, level;
	double a = 1, b;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(2)
		cell(omp_get_thread_num(), rank == 1 && omp_get_thread_num() == 1 ? 20 : 2);
		MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	return MPI_Finalize();
}
C
if mpicc -g -O1 -fopenmp -finstrument-functions -o team team.c 2>/dev/null; then
	mpirun -np 2 tau-record -o team.run ./team >out 2>err
	like "a thread of rank 1 makes its team wait, and rank 0" "$(tau-report team.run | sed -n '/^Findings/,$p')" \
		'thread 1\.[0-9]+ in .*cell.* makes its team and rank 0 wait: '
	like "in both kinds of waits" "$(tau-report waits --by culprit -f csv team.run | grep 'its team and rank 0')" \
		'(wait at N x N .*wait at OpenMP barrier|wait at OpenMP barrier .*wait at N x N)'
else
	skip "a team" "no OpenMP"
fi
tap_end
