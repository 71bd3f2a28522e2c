# mpi-callbacks.sh: calls of MPI in functions that MPI calls for the program are recorded, exactly; calls that MPI makes itself are not.
. "$(dirname "$0")/../mpis.sh"
all=$(mpis)
[ "$all" ] || skip_all "no MPI"
cd "$T" || exit 1
export OMPI_MCA_memory=^patcher

# Every call is counted by the program itself, where it is made.
cat >counted.h <<-'END'
	#include <mpi.h>
	#include <setjmp.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	static struct { const char *name; int n; } counts[200];
	static void count(const char *name)
	{
		int i = 0;

		while (counts[i].name && strcmp(counts[i].name, name))
			i++;
		counts[i].name = name;
		counts[i].n++;
	}
	#define DO(f, ...) (count(#f), f(__VA_ARGS__))
	static void counts_print(void)
	{
		for (int i = 0; counts[i].name; i++)
			printf("%s %d\n", counts[i].name, counts[i].n);
	}
END
cat >back.c <<-'END'
	#include "counted.h"
	static int rank, size;
	static jmp_buf away;

	static void op(void *in, void *inout, int *n, MPI_Datatype *t)
	{
		int bytes;

		DO(MPI_Type_size, *t, &bytes);
		for (int i = 0; i < *n; i++)
			((int *)inout)[i] += ((int *)in)[i];
	}
	static int copy(MPI_Comm c, int key, void *extra, void *in, void *out, int *flag)
	{
		*(void **)out = in;
		*flag = 1;
		return DO(MPI_Comm_rank, c, &rank);
	}
	/* Freeing the communicator runs the delete functions of its own attributes, inside that of another's. */
	static int gone(MPI_Comm c, int key, void *value, void *extra)
	{
		static MPI_Comm inner;

		if (!value)
			return DO(MPI_Comm_size, c, &size);
		memcpy(&inner, value, sizeof(inner));
		free(value);
		return DO(MPI_Comm_free, &inner);	/* a jump */
	}
	static void wrong(MPI_Comm *c, int *code, ...)
	{
		char text[MPI_MAX_ERROR_STRING];
		int n;

		DO(MPI_Error_string, *code, text, &n);
		if (rank < 0)
			longjmp(away, 1);
	}
	static int query(void *x, MPI_Status *s)
	{
		DO(MPI_Status_set_cancelled, s, 0);
		s->MPI_SOURCE = s->MPI_TAG = MPI_UNDEFINED;
		return DO(MPI_Status_set_elements, s, MPI_INT, 3);
	}
	static int freed(void *x) { int n; return DO(MPI_Initialized, &n); }
	static int cancelled(void *x, int complete) { int n; return DO(MPI_Finalized, &n); }
	static int last(MPI_Comm c, int key, void *value, void *extra)
	{
		int n;

		return DO(MPI_Comm_size, c, &n);
	}
	static void attributes(MPI_Comm *of)
	{
		int key, leaf;
		MPI_Comm *inner = malloc(sizeof(*inner)), dup;

		DO(MPI_Comm_create_keyval, copy, gone, &key, NULL);
		DO(MPI_Comm_create_keyval, MPI_COMM_NULL_COPY_FN, gone, &leaf, NULL);
		DO(MPI_Comm_dup, MPI_COMM_SELF, inner);
		DO(MPI_Comm_set_attr, *inner, leaf, NULL);
		DO(MPI_Comm_set_attr, *inner, key, NULL);
		DO(MPI_Comm_dup, *inner, &dup);		/* copy() */
		DO(MPI_Comm_free, &dup);		/* gone() */
		DO(MPI_Comm_dup, MPI_COMM_SELF, of);
		DO(MPI_Comm_set_attr, *of, key, inner);
		DO(MPI_Comm_free, of);			/* gone(), and in it twice gone() */
		DO(MPI_Comm_free_keyval, &key);
		DO(MPI_Comm_free_keyval, &leaf);
	}
	static void requests(void)
	{
		MPI_Request r;
		MPI_Status s;

		DO(MPI_Grequest_start, query, freed, cancelled, NULL, &r);
		DO(MPI_Cancel, &r);
		DO(MPI_Grequest_complete, r);
		DO(MPI_Wait, &r, &s);
	}
	static void errors(void)
	{
		MPI_Errhandler handler;
		volatile int mine = rank;

		DO(MPI_Comm_create_errhandler, wrong, &handler);
		DO(MPI_Comm_set_errhandler, MPI_COMM_WORLD, handler);
		DO(MPI_Send, &size, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
		if (!setjmp(away)) {
			rank = -1;
			DO(MPI_Send, &size, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
		}
		rank = mine;
		DO(MPI_Comm_call_errhandler, MPI_COMM_WORLD, MPI_ERR_OTHER);
		DO(MPI_Comm_set_errhandler, MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
		DO(MPI_Errhandler_free, &handler);
	}
	/* The library calls its own functions here. */
	static void file(const char *name)
	{
		MPI_File f;
		MPI_Datatype t;
		int x[4] = {1, 2, 3, 4};

		DO(MPI_Type_vector, 2, 1, 2, MPI_INT, &t);
		DO(MPI_Type_commit, &t);
		DO(MPI_File_open, MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
		DO(MPI_File_set_view, f, 4 * rank, MPI_INT, t, "native", MPI_INFO_NULL);
		DO(MPI_File_write_all, f, x, 2, MPI_INT, MPI_STATUS_IGNORE);
		DO(MPI_File_close, &f);
		DO(MPI_Type_free, &t);
	}
	int main(int n, char **v)
	{
		int sum, key;
		MPI_Comm c;
		MPI_Op o;

		DO(MPI_Init, &n, &v);
		DO(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
		DO(MPI_Comm_size, MPI_COMM_WORLD, &size);
		DO(MPI_Op_create, op, 1, &o);
		for (int i = 0; i < 10; i++)
			DO(MPI_Allreduce, &i, &sum, 1, MPI_INT, o, MPI_COMM_WORLD);
		DO(MPI_Op_free, &o);
		attributes(&c);
		requests();
		errors();
		file(v[1]);
		DO(MPI_Comm_create_keyval, MPI_COMM_NULL_COPY_FN, last, &key, NULL);
		DO(MPI_Comm_set_attr, MPI_COMM_SELF, key, NULL);
		DO(MPI_Finalize);
		counts_print();
		return 0;
	}
END
job() { ranks 2 "$@" >out 2>err </dev/null; code=$?; }
summed() { awk '$1 ~ /^MPI_/ { n[$1] += $2 } END { for (k in n) print k, n[k] }' "$@" | sort; }
recorded() { tau-trace2profile --format csv run 2>/dev/null | sed -n 's/.*,timer,\(MPI_[A-Za-z_0-9]*\)(),MPI,\([0-9]*\),.*/\1 \2/p' | summed; }
compared() {	# WHAT PROGRAM [ARGUMENT...]
	what=$1
	shift
	rm -rf run
	job tau-record -o run "$@"
	is "$what: it ends" "$code" 0
	summed out >counted
	recorded >traced
	is "$what: every call of the program is recorded, and no other" "$(wc -l <counted | tr -d ' ') $(diff counted traced)" "$(wc -l <traced | tr -d ' ') "
	is "$what: the trace is sound" "$(tau-dump --check run 2>&1 | grep -vc ': ok: ')" 0
}
# Open MPI has two modules for files; the number in the name of one is its version.
romio=$(ompi_info --parsable 2>/dev/null | sed -n 's/^mca:io:\(romio[0-9]*\):.*/\1/p' | head -n 1)
for mpi in $all; do
	mpi_with "$mpi"
	for how in -O0 "-O2 -fno-plt" "-O2 -foptimize-sibling-calls"; do
		$mpicc -g -w $how -I.. ../back.c -o back || skip_all "no program of MPI can be built"
		for io in ompio ${romio:-own}; do
			[ $mpi = openmpi ] || [ $io != ompio ] || continue
			OMPI_MCA_io=$io compared "$how, $io" ./back "$T/file.$io"
		done
	done
done
tap_end
