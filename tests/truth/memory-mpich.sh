# memory-mpich.sh: memory in programs with MPICH, which has no class system, and with Open MPI: what each function of MPI, and each region
# of the program, allocates as ranks are added; and the series of the demo.
. "$(dirname "$0")/../mpis.sh"
all=$(mpis gupsmpi)
[ "$all" ] || skip_all "no MPI is installed, or its programs are not built"
cd "$T" || exit 1
# 1000 bytes for each rank of the job stay, and 500 are freed again; 7 communicators are made.
cat >grow.c <<-'END'
	#include <mpi.h>
	#include <stdlib.h>
	#include "tau.h"
	void *last(void);
	int main(int n, char **v)
	{
		char *volatile block;
		MPI_Comm comm[7];
		int size;

		MPI_Init(&n, &v);
		MPI_Comm_size(MPI_COMM_WORLD, &size);
		if (!last())
			return 1;
		TAU_START("grow");
		block = malloc((size_t)(1000 * size));
		TAU_STOP("grow");
		TAU_START("constant");
		free(malloc((size_t)(500 * size)));
		block = malloc(300);
		TAU_STOP("constant");
		for (int i = 0; i < 7; i++)
			MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
		return MPI_Finalize();
	}
END
# The last block before a region is one of MPICH, by the name of the library.
echo '#include <stdlib.h>
void *last(void) { return malloc(24); }' >last.c
row() { tau-report memory-scaling --by region -f csv "$@" | tr -d '\r' | grep "^$wanted," | cut -d, -f2-; }
for mpi in $all; do
	mpi_with "$mpi"
	$mpicc -w -shared -fPIC ../last.c -o libmpich-last.so
	$mpicc -g -w -I"$TOP/record" ../grow.c -o grow ./libmpich-last.so || { fail "the program builds"; continue; }
	for n in 1 2 4 8; do
		ranks $n tau-record --memory -o run-$n ./grow >out 2>err </dev/null || fail "$n ranks: it ends as without us"
	done
	set -- run-1 run-2 run-4 run-8
	wanted=grow
	is "what a region keeps, per rank, and its growth" "$(row "$@" | cut -d, -f1-5)" "1000,2000,4000,8000,7000"
	is "and its law" "$(row "$@" | cut -d, -f7-)" "1000 B x P,O(P)"
	is "in the job" "$(row --per job "$@" | cut -d, -f1-5)" "1000,4000,16000,64000,63000"
	wanted=constant
	is "what is freed in it does not count" "$(row "$@" | cut -d, -f1-5)" "300,300,300,300,0"
	is "but for --view cumulative" "$(row --view cumulative "$@" | cut -d, -f1-5)" "800,1300,2300,4300,3500"
	wanted='MPI_Comm_dup()'
	ok "functions of MPI are rows" test "$(row "$@" | cut -d, -f4 | cut -d. -f1)" -gt 1000
	own=$(tau-report memory-scaling "$@")
	for kind in memory memory-scaling memory-growth; do	# all that they say and draw
		for format in text svg json; do
			[ $kind = memory ] || tau-report $kind -f $format "$@"
			[ $kind != memory ] || tau-report $kind -f $format run-8
		done
	done >every 2>&1
	ok "all reports of memory are made" test -s every
	case $mpi in
	mpich)
		like "the report names MPICH" "$own" "^MPICH's own bytes: 0\.0 % typed of "
		like "it says what is not known there, and where to look" "$own" '^MPICH has no class system, so its bytes have no type\. --by region'
		is "no report speaks of Open MPI" "$(grep 'Open MPI' every)" ""
		;;
	*)
		like "the report names Open MPI" "$own" "^Open MPI's own bytes: [1-9][0-9.]* % typed of "
		is "no report speaks of MPICH" "$(grep MPICH every)" ""
		;;
	esac
	like "what has no meaning for regions is refused" "$(tau-report memory-scaling --by region --view peak "$@" 2>&1)" \
		'--by region has the views live and cumulative, per pe or job'
done
mpi_end
case $all in
*mpich*)
	ok "the demo's series runs with MPICH" env MPI=mpich sh "$TOP/fixtures/demo.sh" "$B" "$T/demo" "1 2"
	like "and shows the functions of MPI" "$(tau-report memory-scaling --by region --db "$T/demo/demo.db")" '^MPI_Win_allocate\(\) '
	;;
esac
tap_end
