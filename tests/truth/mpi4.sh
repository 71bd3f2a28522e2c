# mpi4.sh: functions of MPI 4 are recorded, where the MPI has them: calls, messages and operations as counted by hand.
. "$(dirname "$0")/../mpis.sh"
all=$(mpis)
[ "$all" ] || skip_all "no MPI"
cd "$T" || exit 1
cat >four.c <<-'END'
	#include <mpi.h>
	#include <stdio.h>
	int main(int n, char **v)
	{
		int rank, size, out = 1, in, parts[8] = {0}, sum, length = 40;
		char name[40];
		MPI_Session session;
		MPI_Group group;
		MPI_Comm comm;
		MPI_Info info;
		MPI_Request r[2];

		MPI_Init(&n, &v);
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		MPI_Comm_size(MPI_COMM_WORLD, &size);
		/* 3 messages of 4 bytes, and one of 8 */
		for (int i = 0; i < 3; i++) {
			MPI_Isendrecv(&out, 1, MPI_INT, (rank + 1) % size, i, &in, 1, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD, r);
			MPI_Wait(r, MPI_STATUS_IGNORE);
		}
		MPI_Isendrecv_replace(parts, 2, MPI_INT, (rank + 1) % size, 9, (rank + size - 1) % size, 9, MPI_COMM_WORLD, r);
		MPI_Waitall(1, r, MPI_STATUSES_IGNORE);
		/* two rounds of 4 parts of 2 numbers: 32 bytes */
		if (rank < 2) {
			if (rank)
				MPI_Precv_init(parts, 4, 2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, r);
			else
				MPI_Psend_init(parts, 4, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, r);
			for (int i = 0; i < 2; i++) {
				MPI_Start(r);
				if (!rank) {
					MPI_Pready(3, r[0]);
					MPI_Pready_range(0, 2, r[0]);
				}
				MPI_Wait(r, MPI_STATUS_IGNORE);
			}
			MPI_Request_free(r);
		}
		MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
		MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name);
		MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
		MPI_Comm_create_from_group(group, "own", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
		MPI_Group_free(&group);
		MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, comm);
		MPI_Comm_free(&comm);
		MPI_Session_finalize(&session);
		printf("%d of %d: %d\n", rank, size, sum);
		return MPI_Finalize();
	}
END
cat >four.f90 <<-'END'
	program four
	   implicit none
	   include 'mpif.h'
	   integer :: ierr, info, n, handler
	   logical :: flag
	   character(len=16) :: text
	   external :: fails
	   call MPI_INIT(ierr)
	   call MPI_INFO_CREATE(info, ierr)
	   call MPI_INFO_SET(info, 'colour', 'green', ierr)
	   n = 16
	   call MPI_INFO_GET_STRING(info, 'colour', n, text, flag, ierr)
	   if (flag .and. text == 'green') print '(a)', 'green'
	   call MPI_INFO_FREE(info, ierr)
	   call MPI_SESSION_CREATE_ERRHANDLER(fails, handler, ierr)
	   call MPI_ERRHANDLER_FREE(handler, ierr)
	   call MPI_FINALIZE(ierr)
	end program
	subroutine fails(session, code)
	   integer :: session, code
	end subroutine
END
calls() { sed -n 's/.*,timer,\(MPI_[A-Za-z_]*\)(),MPI,\([0-9]*\),.*/\1 \2/p' "$1" | awk '{ n[$1] += $2 } END { for (k in n) print k, n[k] }' | sort | tr '\n' ' '; }
for mpi in $all; do
	mpi_with "$mpi"
	$mpicc -g -w ../four.c -o four 2>cc.err || { skip "functions of MPI 4" "this MPI has not all of them"; continue; }
	# Open MPI 5 needs all ranks of the job to begin partitioned communication, so there are two.
	ranks 2 tau-record -o run ./four >out 2>err </dev/null
	is "it ends as without the recorder" "$? $(grep -c ' of 2: 2' out)" "0 2"
	tau-trace2profile --format csv run >csv 2>/dev/null
	is "calls" "$(calls csv)" \
		"MPI_Allreduce 2 MPI_Comm_create_from_group 2 MPI_Comm_free 2 MPI_Comm_rank 2 MPI_Comm_size 2 MPI_Finalize 2 MPI_Group_free 2 \
MPI_Group_from_session_pset 2 MPI_Init 2 MPI_Isendrecv 6 MPI_Isendrecv_replace 2 MPI_Pready 2 MPI_Pready_range 2 MPI_Precv_init 1 MPI_Psend_init 1 \
MPI_Request_free 2 MPI_Session_finalize 2 MPI_Session_get_nth_pset 2 MPI_Session_init 2 MPI_Start 4 MPI_Wait 10 MPI_Waitall 2 "
	# of each rank: number, largest, smallest
	for what in sent received; do
		is "messages $what" "$(sed -n "s/^,\([0-9]*\),0,0,counter,Message size $what [a-z]* all nodes,,,,,,\([0-9,]*\),.*/\1 \2/p" csv | cut -d , -f 1-3 | tr '\n' ' ')" \
			"$([ $what = sent ] && echo '0 6,32,4 1 4,8,4 ' || echo '0 4,8,4 1 6,32,4 ')"
	done
	like "the operation on a communicator of a session" "$(grep 'for all-reduce' csv | head -n 1)" ',counter,Message size for all-reduce,,,,,,1,4,4,'
	is "the trace is sound" "$(tau-dump --check run 2>&1 | grep -vc ': ok: ')" 0

	$mpifort -w ../four.f90 -o fourf >/dev/null 2>&1 || { skip "those of Fortran" "no Fortran compiler, or this MPI has not all of them"; continue; }
	tau-record -o runf ./fourf >outf 2>err </dev/null
	is "those of Fortran end as without the recorder" "$? $(cat outf)" "0 green"
	tau-trace2profile --format csv runf >csvf 2>/dev/null
	is "each call once" "$(calls csvf)" "MPI_Errhandler_free 1 MPI_Finalize 1 MPI_Info_create 1 MPI_Info_free 1 MPI_Info_get_string 1 MPI_Info_set 1 MPI_Init 1 \
MPI_Session_create_errhandler 1 "
done
tap_end
