# mpi-large.sh: functions with large counts (MPI_Send_c and others of MPI 4) are recorded as those without: messages, operations, transfers
# and files of a program that is compiled with either, where the MPI has them.
. "$(dirname "$0")/../mpis.sh"
export TAU_SAMPLING=0	# all rows are counted: those of samples are left out
all=$(mpis)
[ "$all" ] || skip_all "no MPI"
cd "$T" || exit 1
cat >large.c <<-'END'
	#include <mpi.h>
	#include <stdio.h>
	#ifdef LARGE
	#define L(f) f##_c
	typedef MPI_Count count;
	typedef MPI_Aint place;
	#else
	#define L(f) f
	typedef int count;
	typedef int place;
	#endif
	int main(int n, char **v)
	{
		int rank, size, out[100] = {0}, in[400];
		count counts[16], got;
		place at[16];
		MPI_Datatype types[16], pair;
		MPI_Request r[2];
		MPI_Status s;
		MPI_File f;
		MPI_Win w;

		MPI_Init(&n, &v);
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		MPI_Comm_size(MPI_COMM_WORLD, &size);
		int next = (rank + 1) % size, last = (rank + size - 1) % size;
		for (int i = 0; i < size; i++) {
			counts[i] = i + 1;
			at[i] = 10 * i;
			types[i] = MPI_INT;
		}
		L(MPI_Type_contiguous)(2, MPI_INT, &pair);
		MPI_Type_commit(&pair);
		L(MPI_Irecv)(in, 50, pair, last, 1, MPI_COMM_WORLD, &r[0]);
		L(MPI_Isend)(out, 7, pair, next, 1, MPI_COMM_WORLD, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		L(MPI_Send_init)(out, 9, MPI_INT, next, 2, MPI_COMM_WORLD, &r[0]);
		for (int i = 0; i < 3; i++) {
			MPI_Start(&r[0]);
			L(MPI_Recv)(in, 20, MPI_INT, last, 2, MPI_COMM_WORLD, &s);
			MPI_Wait(&r[0], MPI_STATUS_IGNORE);
		}
		MPI_Request_free(&r[0]);
		L(MPI_Get_count)(&s, MPI_INT, &got);
		L(MPI_Sendrecv)(out, 11, MPI_INT, next, 3, in, 11, MPI_INT, last, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		L(MPI_Bcast)(in, 13, MPI_INT, 0, MPI_COMM_WORLD);
		L(MPI_Allreduce)(out, in, 14, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		L(MPI_Allgatherv)(out, rank + 1, MPI_INT, in, counts, at, MPI_INT, MPI_COMM_WORLD);
		L(MPI_Gatherv)(out, rank + 1, MPI_INT, in, counts, at, MPI_INT, 1, MPI_COMM_WORLD);
		L(MPI_Reduce_scatter)(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		for (int i = 0; i < size; i++)
			counts[i] = 2;
		L(MPI_Alltoallv)(out, counts, at, MPI_INT, in, counts, at, MPI_INT, MPI_COMM_WORLD);
		for (int i = 0; i < size; i++)
			at[i] *= sizeof(int);
		L(MPI_Alltoallw)(out, counts, at, types, in, counts, at, types, MPI_COMM_WORLD);
		L(MPI_Win_create)(in, sizeof(in), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &w);
		MPI_Win_fence(0, w);
		L(MPI_Put)(out, 15, MPI_INT, next, 0, 15, MPI_INT, w);
		MPI_Win_fence(0, w);
		MPI_Win_free(&w);
		MPI_File_open(MPI_COMM_WORLD, "file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
		L(MPI_File_write_at_all)(f, 100 * rank, out, 16, MPI_INT, MPI_STATUS_IGNORE);
		L(MPI_File_iread_at)(f, 100 * rank, in, 5, MPI_INT, &r[0]);
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
		MPI_File_close(&f);
		MPI_Type_free(&pair);
		printf("%d got %d\n", rank, (int)got);
		return MPI_Finalize();
	}
END
# Counters of all call paths, and the calls, under the name without _c.
facts() { tau-trace2profile --format csv "$1" | grep -e ',counter,[MB]' -e ',timer,MPI_' | grep -v -e Bandwidth -e ' : ' |
	sed 's/_c()/()/' | awk -F, '$5 == "timer" { print $2, $6, $8; next } { print }' | grep -v -e Heap -e '^.*,counter,"*Memory' | sort; }
for mpi in $all; do
	mpi_with "$mpi"
	$mpicc -w ../large.c -o small 2>/dev/null && $mpicc -w -DLARGE -Werror=implicit-function-declaration ../large.c -o large 2>cc.err || {
		skip "functions with large counts" "this MPI does not declare them"
		continue
	}
	for each in small large; do
		rm -f file
		ranks_apart $each.out 3 tau-record -o $each.run ./$each >/dev/null 2>err </dev/null
		is "$each: the program ends well" "$? $(grep -c 'got 9' $each.out)" "0 3"
		facts $each.run >$each.facts
	done
	ok "the program has counters in the dozens" test "$(grep -c counter small.facts)" -gt 40
	is "those with large counts have the same" "$(diff small.facts large.facts)" ""
	ok "they are recorded by their names" test "$(tau-trace2profile --format csv large.run | grep -c 'timer,MPI_[A-Za-z_]*_c()')" -ge 45
done
tap_end
