# layers.sh: libraries of the user's own between a program and MPI or OpenSHMEM: they are called as without the recorder, and the
# program's calls are recorded once.
. "$(dirname "$0")/../mpis.sh"
all=$(mpis)
[ "$all" ] || skip_all "no MPI"
cd "$T" || exit 1
export OMPI_MCA_memory=^patcher

cat >layer.c <<-'END'
	#include <mpi.h>
	#include <stdarg.h>
	#include <stdio.h>
	static int sends, reduces, size;
	int MPI_Init(int *n, char ***v)
	{
		int r = PMPI_Init(n, v);

		MPI_Comm_size(MPI_COMM_WORLD, &size); /* its own */
		return r;
	}
	int MPI_Send(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c) { sends++; return PMPI_Send(b, n, t, to, tag, c); }
	int MPI_Allreduce(const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
	{
		reduces++;
		PMPI_Reduce(a, b, n, t, o, 0, c);
		return PMPI_Bcast(b, n, t, 0, c);
	}
	int MPI_Pcontrol(const int level, ...)
	{
		va_list more;
		const char *text;
		int a, z;
		double x;

		va_start(more, level);
		text = va_arg(more, const char *);
		a = va_arg(more, int);
		x = va_arg(more, double);
		z = va_arg(more, int) + va_arg(more, int) + va_arg(more, int) + va_arg(more, int);
		va_end(more);
		printf("layer: control %d %s %d %g %d\n", level, text, a, x, z);
		return MPI_SUCCESS;
	}
	int MPI_Finalize(void) { printf("layer: %d sends, %d reductions, size %d\n", sends, reduces, size); return PMPI_Finalize(); }
END
cat >use.c <<-'END'
	#include <mpi.h>
	#include <stdio.h>
	int main(int n, char **v)
	{
		int rank, size, got = 0, sum;

		MPI_Init(&n, &v);
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		MPI_Comm_size(MPI_COMM_WORLD, &size);
		for (int i = 0; i < 3; i++) {
			if (rank == 0)
				MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
			if (rank == 1)
				MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
		MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Pcontrol(7, "text", 1, 2.5, 10, 20, 30, 40);
		printf("%d of %d: %d\n", rank, size, sum);
		return MPI_Finalize();
	}
END
cat >op.c <<-'END'
	#include <mpi.h>
	static void op(void *in, void *inout, int *n, MPI_Datatype *t)
	{
		int bytes;

		MPI_Type_size(*t, &bytes);
		*(int *)inout += *(int *)in;
	}
	int main(int n, char **v)
	{
		int one = 1, sum;
		MPI_Op o;

		MPI_Init(&n, &v);
		MPI_Op_create(op, 1, &o);
		MPI_Allreduce(&one, &sum, 1, MPI_INT, o, MPI_COMM_WORLD);
		MPI_Reduce(&one, &sum, 1, MPI_INT, o, 0, MPI_COMM_SELF);
		MPI_Op_free(&o);
		return MPI_Finalize();
	}
END
cat >flayer.c <<-'END'
	#include <mpi.h>
	#include <stdio.h>
	static int barriers;
	void mpi_barrier_(MPI_Fint *c, MPI_Fint *error)
	{
		int size;

		barriers++;
		PMPI_Comm_size(MPI_Comm_f2c(*c), &size);
		*error = PMPI_Barrier(MPI_Comm_f2c(*c));
	}
	void mpi_finalize_(MPI_Fint *error) { printf("layer: %d barriers\n", barriers); fflush(stdout); *error = PMPI_Finalize(); }
END
cat >fuse.f90 <<-'END'
	program use
		implicit none
		include 'mpif.h'
		integer :: e, i, o, one, s
		external :: add
		call MPI_INIT(e)
		do i = 1, 3
			call MPI_BARRIER(MPI_COMM_WORLD, e)
		end do
		call MPI_OP_CREATE(add, .true., o, e)
		one = 1
		call MPI_ALLREDUCE(one, s, 1, MPI_INTEGER, o, MPI_COMM_SELF, e)
		call MPI_ALLREDUCE(one, s, 1, MPI_INTEGER, o, MPI_COMM_WORLD, e)
		call MPI_OP_FREE(o, e)
		call MPI_FINALIZE(e)
	end program
	subroutine add(a, b, n, t)
		implicit none
		include 'mpif.h'
		integer :: n, t, e, bytes, a(n), b(n)
		call MPI_TYPE_SIZE(t, bytes, e)
		b = a + b
	end subroutine
END

cat >f08layer.c <<-'END'
	#include <mpi.h>
	#include <stdio.h>
	#ifdef OPEN_MPI
	#define OF(name) pmpi_##name##_f08_
	#else
	#define OF(name) pmpir_##name##_f08_
	#endif
	void OF(barrier)(MPI_Fint *c, MPI_Fint *e);
	void OF(comm_rank)(MPI_Fint *c, MPI_Fint *r, MPI_Fint *e);
	void mpi_comm_size_f08_(MPI_Fint *c, MPI_Fint *r, MPI_Fint *e);
	void OF(finalize)(MPI_Fint *e);
	void pmpi_reduce_f08_(void *a, void *b, MPI_Fint *n, MPI_Fint *t, MPI_Fint *o, MPI_Fint *root, MPI_Fint *c, MPI_Fint *e);
	void pmpi_bcast_f08_(void *a, MPI_Fint *n, MPI_Fint *t, MPI_Fint *root, MPI_Fint *c, MPI_Fint *e);
	static int barriers;
	void mpi_barrier_f08_(MPI_Fint *c, MPI_Fint *e)
	{
		MPI_Fint r;

		barriers++;
		OF(comm_rank)(c, &r, NULL);
		mpi_comm_size_f08_(c, &r, NULL);
		OF(barrier)(c, e);
		OF(barrier)(c, e);
	}
	#ifdef OPEN_MPI /* others have descriptors as arguments */
	void mpi_allreduce_f08_(void *a, void *b, MPI_Fint *n, MPI_Fint *t, MPI_Fint *o, MPI_Fint *c, MPI_Fint *e)
	{
		MPI_Fint root = 0;

		pmpi_reduce_f08_(a, b, n, t, o, &root, c, e);
		pmpi_bcast_f08_(b, n, t, &root, c, e);
	}
	#endif
	void mpi_finalize_f08_(MPI_Fint *e) { printf("layer: %d barriers\n", barriers); fflush(stdout); OF(finalize)(e); }
END
cat >f08use.f90 <<-'END'
	program use
		use mpi_f08
		implicit none
		integer :: i, r, one, s
		type(MPI_Op) :: o
		type(MPI_Status) :: st
		interface
			subroutine add(a, b, n, t)
				use, intrinsic :: iso_c_binding, only : c_ptr
				use mpi_f08
				type(c_ptr), value :: a, b
				integer :: n
				type(MPI_Datatype) :: t
			end subroutine
		end interface
		call MPI_Init()
		call MPI_Comm_rank(MPI_COMM_WORLD, r)
		do i = 1, 3
			if (r == 0) call MPI_Send(r, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
			if (r == 1) call MPI_Recv(s, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, st)
			call MPI_Barrier(MPI_COMM_WORLD)
		end do
		call MPI_Op_create(add, .true., o)
		one = 1
		call MPI_Allreduce(one, s, 1, MPI_INTEGER, o, MPI_COMM_WORLD)
		print '(a, i0)', 'sum ', s
		call MPI_Finalize()
	end program
	subroutine add(a, b, n, t)
		use, intrinsic :: iso_c_binding
		use mpi_f08
		type(c_ptr), value :: a, b
		integer :: n, bytes
		type(MPI_Datatype) :: t
		integer, pointer :: x(:), y(:)
		call MPI_Type_size(t, bytes)
		call c_f_pointer(a, x, [n])
		call c_f_pointer(b, y, [n])
		y = x + y
	end subroutine
END

for mpi in $all; do
mpi_with "$mpi"
$mpicc -g -O1 ../use.c -o use && $mpicc -O1 -shared -fPIC ../layer.c -o layer.so || { fail "programs are built"; continue; }
$mpicc -g -O1 ../use.c -o linked -Wl,--no-as-needed ./layer.so "-Wl,-rpath,$T"
job() { ranks 2 "$@" >out 2>err </dev/null; code=$?; sort -o out out; }
summed() {
	tau-trace2profile --format csv run 2>/dev/null | sed -n 's/.*,timer,\(MPI_[A-Za-z_]*\)(),MPI,\([0-9]*\),.*/\1 \2/p' |
		awk '{ n[$1] += $2 } END { for (k in n) print k, n[k] }' | sort
}
fortran_recorded() {	# of f08use and f90use, in `run`
	summed >calls
	is "and the program's calls are recorded once, the layer's are not" "$(grep -v Type_size calls | tr '\n' ' ')" \
		"MPI_Allreduce 2 MPI_Barrier 6 MPI_Comm_rank 2 MPI_Finalize 2 MPI_Init 2 MPI_Op_create 2 MPI_Recv 3 MPI_Send 3 "
	is "with those of a user operation below it" "$(awk '/Type_size/ { print ($2 > 0) }' calls)" 1
	is "and messages" "$(tau-dump --only records run 2>/dev/null | grep -cE ' SEND .*bytes=4')" 3
}
layered() {	# WHAT PRELOAD PROGRAM [CALLS]
	job env $2 "$3"
	cp out plain
	is "$1: the layer is called without the recorder" "$(grep -c '^layer: ' plain)" 4
	rm -rf run
	job env $2 tau-record -o run "$3"
	is "$1: it is called as without the recorder" "$code $(cat out)" "0 $(cat plain)"
	summed >calls
	is "$1: the program's calls are recorded once, the layer's are not" "$(tr '\n' ' ' <calls)" \
		"${4:-MPI_Allreduce 2 MPI_Comm_rank 2 MPI_Comm_size 2 MPI_Finalize 2 MPI_Init 2 MPI_Pcontrol 2 MPI_Recv 3 MPI_Send 3 }"
	is "$1: the trace is sound" "$(tau-dump --check run 2>&1 | grep -vc ': ok: ')" 0
}
layered "preloaded" "LD_PRELOAD=$T/layer.so" ./use
layered "linked" "A=b" ./linked

# In the program's own file, where nothing comes before it: most of its functions go on by a jump.
# What such a layer calls itself is the program's, and a function without a call of the same PMPI_ function is not seen.
$mpicc -g -O2 ../use.c ../layer.c -o own && layered "in the program" "A=b" ./own "MPI_Comm_rank 2 MPI_Comm_size 4 MPI_Finalize 2 MPI_Init 2 MPI_Recv 3 MPI_Send 3 "

# What the program's functions call where the library calls them is the program's, also through a layer.
$mpicc -g -O2 ../op.c -o op
rm -rf run
job env LD_PRELOAD="$T/layer.so" tau-record -o run ./op
summed >calls
is "a user operation below a layer" "$code $(sed -n 's/^MPI_Type_size //p' calls | awk '{ print ($1 > 0) }') $(grep -v Type_size calls | tr '\n' ' ')" \
	"0 1 MPI_Allreduce 2 MPI_Finalize 2 MPI_Init 2 MPI_Op_create 2 MPI_Op_free 2 MPI_Reduce 2 "

# A layer for Fortran, written in C, calls the library's C functions.
if $mpifort -g ../fuse.f90 -o fuse 2>cc.err && $mpicc -O2 -shared -fPIC ../flayer.c -o flayer.so; then
	rm -rf run
	job tau-record -o run ./fuse
	summed >calls
	job env LD_PRELOAD="$T/flayer.so" tau-record -o frun ./fuse
	rm -rf run && mv frun run
	is "a layer for Fortran is called" "$code $(cat out)" "0 layer: 3 barriers
layer: 3 barriers"
	summed >fcalls
	is "and the program's calls are recorded as without it" "$(tr '\n' ' ' <fcalls)" "$(tr '\n' ' ' <calls)"
	is "with those of a user operation in Fortran" "$(grep -v Type_size fcalls | tr '\n' ' ') $(awk '/Type_size/ { print ($2 > 0) }' fcalls)" \
		"MPI_Allreduce 4 MPI_Barrier 6 MPI_Finalize 2 MPI_Init 2 MPI_Op_create 2 MPI_Op_free 2  1"
else
	skip "a layer for Fortran" "no Fortran compiler"
fi

# A layer for mpi_f08, in C: its own calls by both names, and where it can another function in place of the program's.
# It is linked with the Fortran library: else tau-record itself could not start with it where mpicc links for binding at the start.
if $mpifort -g ../f08use.f90 -o f08use 2>cc.err && $mpicc -O2 -fPIC -c ../f08layer.c -o f08layer.o &&
	$mpifort -shared f08layer.o -o f08layer.so; then
	job env LD_PRELOAD="$T/f08layer.so" ./f08use
	cp out plain
	rm -rf run
	job env LD_PRELOAD="$T/f08layer.so" tau-record -o run ./f08use
	is "a layer for mpi_f08 is called as without the recorder" "$code $(cat out)" "0 $(cat plain)"
	is "which is twice" "$(grep -c '^layer: 3 barriers' plain)" 2
	fortran_recorded
else
	skip "a layer for mpi_f08" "no Fortran compiler with mpi_f08"
fi
done

mpi_end
job() { timeout 100 mpirun -np 2 "$@" >out 2>err </dev/null; code=$?; sort -o out out; }

# One in Fortran calls the Fortran functions of MPI, its own by both names, and others in place of the program's.
cat >f90layer.f90 <<-'END'
	subroutine mpi_send(b, n, t, to, tag, c, e)
		integer :: b(*), n, t, to, tag, c, e
		call pmpi_send(b, n, t, to, tag, c, e)
	end subroutine
	subroutine mpi_barrier(c, e)
		integer :: c, e, r
		call pmpi_comm_rank(c, r, e)
		call mpi_comm_size(c, r, e)
		call pmpi_barrier(c, e)
		call pmpi_barrier(c, e)
	end subroutine
	subroutine mpi_allreduce(a, b, n, t, o, c, e)
		integer :: a(*), b(*), n, t, o, c, e
		call pmpi_reduce(a, b, n, t, o, 0, c, e)
		call pmpi_bcast(b, n, t, 0, c, e)
	end subroutine
	subroutine mpi_finalize(e)
		integer :: e
		print '(a)', 'layer: finalize'
		call pmpi_finalize(e)
	end subroutine
END
cat >f90use.f90 <<-'END'
	program use
		implicit none
		include 'mpif.h'
		integer :: e, i, r, o, one, s, st(MPI_STATUS_SIZE)
		external :: add
		call MPI_INIT(e)
		call MPI_COMM_RANK(MPI_COMM_WORLD, r, e)
		do i = 1, 3
			if (r == 0) call MPI_SEND(r, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, e)
			if (r == 1) call MPI_RECV(s, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, st, e)
			call MPI_BARRIER(MPI_COMM_WORLD, e)
		end do
		call MPI_OP_CREATE(add, .true., o, e)
		one = 1
		call MPI_ALLREDUCE(one, s, 1, MPI_INTEGER, o, MPI_COMM_WORLD, e)
		print '(a, i0)', 'sum ', s
		call MPI_FINALIZE(e)
	end program
	subroutine add(a, b, n, t)
		implicit none
		include 'mpif.h'
		integer :: n, t, e, bytes, a(n), b(n)
		call MPI_TYPE_SIZE(t, bytes, e)
		b = a + b
	end subroutine
END
if mpifort -g f90use.f90 -o f90use 2>cc.err && mpifort -fallow-argument-mismatch -O2 -shared -fPIC f90layer.f90 -o f90layer.so 2>>cc.err; then
	job env LD_PRELOAD="$T/f90layer.so" ./f90use
	cp out plain
	rm -rf run
	job env LD_PRELOAD="$T/f90layer.so" tau-record -o run ./f90use
	is "a layer in Fortran is called as without the recorder" "$code $(cat out)" "0 $(cat plain)"
	fortran_recorded
else
	skip "a layer in Fortran" "no Fortran compiler"
fi

# Attribute functions that MPI calls in calls of attribute functions, 20 deep: each is the program's.
cat >deep.c <<-'END'
	#include <mpi.h>
	#include <stdio.h>
	static int key[20], depth;
	static int gone(MPI_Comm c, int k, void *v, void *extra)
	{
		(void)k, (void)v, (void)extra;
		if (++depth < 20)
			MPI_Comm_delete_attr(c, key[depth]);
		return MPI_SUCCESS;
	}
	int main(int n, char **v)
	{
		MPI_Init(&n, &v);
		for (int i = 0; i < 20; i++) {
			MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, gone, &key[i], NULL);
			MPI_Comm_set_attr(MPI_COMM_SELF, key[i], &depth);
		}
		MPI_Comm_delete_attr(MPI_COMM_SELF, key[0]);
		printf("%d\n", depth);
		return MPI_Finalize();
	}
END
mpicc -g -O1 deep.c -o deep
rm -rf run
job tau-record -o run ./deep
is "calls 20 deep are recorded" "$(summed | grep delete_attr) $(tr '\n' ' ' <out)" "MPI_Comm_delete_attr 40 20 20 "

if command -v oshcc >/dev/null; then
	cat >shlayer.c <<-'END'
		#include <shmem.h>
		#include <stdio.h>
		void pshmem_long_put(long *, const long *, size_t, int);
		void pshmem_finalize(void);
		static int puts_n;
		void shmem_long_put(long *to, const long *from, size_t n, int pe) { puts_n++; pshmem_long_put(to, from, n, pe); }
		void shmem_finalize(void) { printf("layer: %d puts\n", puts_n); fflush(stdout); pshmem_finalize(); }
	END
	cat >shuse.c <<-'END'
		#include <shmem.h>
		int main(void)
		{
			static long to;
			long from = 5;

			shmem_init();
			shmem_long_put(&to, &from, 1, 0);
			shmem_long_put(&to, &from, 1, 0);
			shmem_barrier_all();
			shmem_finalize();
			return to != 5 && shmem_my_pe() == 0;
		}
	END
	oshcc -g shuse.c -o shuse 2>cc.err && oshcc -shared -fPIC shlayer.c -o shlayer.so 2>>cc.err || skip "OpenSHMEM" "not built"
	job env LD_PRELOAD="$T/shlayer.so" tau-record -o shrun ./shuse
	is "OpenSHMEM: the layer is called" "$(cat out)" "layer: 2 puts
layer: 2 puts"
	is "OpenSHMEM: the calls are recorded once" "$(tau-trace2profile --format csv shrun 2>/dev/null |
		sed -n 's/.*,timer,shmem_long_put(),SHMEM,\([0-9]*\),.*/\1/p' | tr '\n' ' ')" "2 2 "
else
	skip "OpenSHMEM" "it is not installed"
fi
tap_end
