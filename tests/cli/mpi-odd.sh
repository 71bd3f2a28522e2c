# mpi-odd.sh: the MPI wrapper in processes that are put together in unusual ways, and beside programs that go wrong.
. "$(dirname "$0")/../tap.sh"
command -v mpicc >/dev/null || skip_all "no MPI is installed"

# run NAME PROGRAM ARGS...: records one process; its profile in $T/NAME.csv, its output in $T/NAME.out, its status in $code
run() {
	name=$1; shift
	tau-record --wrap mpi -o "$T/$name.run" "$@" >"$T/$name.out" 2>"$T/$name.err" </dev/null
	code=$?
	tau-trace2profile --callpath --format csv "$T/$name.run" >"$T/$name.csv" 2>>"$T/$name.err"
}
# calls NAME REGION: how often the region was called
calls() { awk -F , -v r="$2" '$5 == "timer" && $6 == r { n += $8 } END { print n + 0 }' "$T/$1.csv"; }
build() { mpicc -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Werror "$@"; }

# An interpreter loads an extension, and libmpi with it, for itself only.
cat >"$T/extension.c" <<'END'
#include <mpi.h>
#include <stdio.h>
void go(void)
{
	int out = 7, in = 0, n = 0;
	MPI_Request r;
	MPI_Status s;

	MPI_Init(NULL, NULL);
	MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &r);
	MPI_Send(&out, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
	MPI_Wait(&r, &s);
	MPI_Get_count(&s, MPI_INT, &n);
	MPI_Bcast(&out, 1, MPI_INT, 0, MPI_COMM_SELF);
	printf("%d %d %d\n", in, n, s.MPI_SOURCE);
	MPI_Finalize();
}
END
cat >"$T/host.c" <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : 0;
	void (*go)(void) = library ? (void (*)(void))dlsym(library, "go") : 0;

	if (!go)
		return 1;
	go();
	return 0;
}
END
build -shared -fPIC "$T/extension.c" -o "$T/extension.so"
cc "$T/host.c" -o "$T/host" -ldl
run host "$T/host" "$T/extension.so"
is "libmpi loaded by an interpreter for itself: the program works" "$code $(cat "$T/host.out")" "0 7 1 0"
is "its calls are recorded" "$(calls host 'MPI_Irecv()') $(calls host 'MPI_Finalize()')" "1 1"
like "its messages too" "$(grep 'received from node 0' "$T/host.csv")" ',1,4,4,4,16'

# A program without MPI has the wrapper in it all the same.
run true /bin/true
is "a program without MPI is left alone" "$code $(cat "$T/true.out")" "0 "

# A program's own tool: its MPI_Send calls PMPI_Send; and what a program calls by that name is not to be seen.
cat >"$T/tool.c" <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int n, i;

	MPI_Init(&argc, &argv);
	for (i = 0; i < 5; i++)
		PMPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_rank(MPI_COMM_WORLD, &n);
	MPI_Finalize();
	return 3;
}
END
build "$T/tool.c" -o "$T/tool"
run tool "$T/tool"
is "the exit status is the program's" "$code" 3
is "PMPI_ calls stay unseen" "$(calls tool 'MPI_Comm_size()') $(calls tool 'MPI_Comm_rank()')" "0 1"

# Errors that return; missing arguments; errno; a jump out of an error handler; a callback inside a call.
cat >"$T/wrong.c" <<'END'
#include <errno.h>
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
static jmp_buf out;
static int deleted;
static void handler(MPI_Comm *comm, int *error, ...)
{
	(void)comm;
	(void)error;
	longjmp(out, 1);
}
static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
	int n;

	(void)key, (void)value, (void)extra;
	MPI_Comm_size(comm, &n);
	deleted += n;
	return MPI_SUCCESS;
}
int main(int argc, char **argv)
{
	MPI_Comm copy;
	MPI_Request *volatile no_request = NULL;
	MPI_Errhandler e;
	int *volatile no_counts = NULL, bad = 0, n, key, x = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	bad += MPI_Wait(no_request, MPI_STATUS_IGNORE) != MPI_SUCCESS;
	bad += MPI_Waitall(3, no_request, MPI_STATUSES_IGNORE) != MPI_SUCCESS;
	bad += MPI_Startall(3, no_request) != MPI_SUCCESS;
	bad += MPI_Request_free(no_request) != MPI_SUCCESS;
	bad += MPI_Gatherv(&x, 1, MPI_INT, &n, no_counts, no_counts, MPI_INT, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
	bad += MPI_Send(&x, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_SELF) != MPI_SUCCESS;
	bad += MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_SELF) != MPI_SUCCESS;
	bad += MPI_Send(&x, 1, MPI_INT, 0, -5, MPI_COMM_SELF) != MPI_SUCCESS;
	bad += MPI_Send(&x, 1, MPI_INT, 9, 0, MPI_COMM_SELF) != MPI_SUCCESS;
	bad += MPI_Bcast(&x, 1, MPI_INT, 9, MPI_COMM_SELF) != MPI_SUCCESS;
	bad += MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_NULL) != MPI_SUCCESS;
	errno = 4711;
	MPI_Comm_rank(MPI_COMM_WORLD, &n);
	printf("%d errors, errno %d\n", bad, errno);
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, NULL);
	MPI_Comm_set_attr(copy, key, &x);
	MPI_Comm_create_errhandler(handler, &e);
	MPI_Comm_set_errhandler(copy, e);
	if (!setjmp(out))
		MPI_Send(&x, 1, MPI_INT, 77, 0, copy);
	MPI_Barrier(MPI_COMM_WORLD);	/* is recorded although MPI_Send was never left */
	MPI_Comm_free(&copy);
	printf("%d deleted\n", deleted);
	MPI_Finalize();
	return 0;
}
END
build -Wno-stringop-overread -Wno-nonnull "$T/wrong.c" -o "$T/wrong"
plain=$("$T/wrong" 2>/dev/null)
run wrong "$T/wrong"
is "a program with errors goes its way" "$code $(cat "$T/wrong.out")" "0 $plain"
is "errno is the program's" "$(grep -c 'errno 4711' "$T/wrong.out")" 1
is "a call that failed sent nothing" "$(grep -c 'Message size' "$T/wrong.csv")" 0
is "after a jump out of a call the next ones are recorded" "$(calls wrong 'MPI_Barrier()')" 1
is "a call from a callback inside a call is, too" "$(calls wrong 'MPI_Comm_size()')" 1
# Who is spawned has no rank in the world of who spawned it.
cat >"$T/spawn.c" <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int c, char **v)
{
	MPI_Comm other;
	char b[40] = {0};
	MPI_Init(&c, &v);
	MPI_Comm_get_parent(&other);
	if (other == MPI_COMM_NULL) {
		MPI_Comm_spawn(v[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other, MPI_ERRCODES_IGNORE);
		MPI_Send(b, 40, MPI_CHAR, 0, 1, other);
	} else MPI_Recv(b, 40, MPI_CHAR, 0, 1, other, MPI_STATUS_IGNORE);
	MPI_Comm_disconnect(&other);
	MPI_Finalize();
	return 0;
}
END
spawn() { timeout -k 5 120 mpirun --allow-run-as-root --oversubscribe -np 1 "$@" "$T/spawn" >"$T/spawn.out" 2>&1 </dev/null; }
if build "$T/spawn.c" -o "$T/spawn" && spawn env; then
	spawn tau-record --wrap mpi -o "$T/spawn.run"
	is "a message to a spawned process: the program works" $? 0
	is "the node it was sent to is not known" "$(tau-trace2profile --format csv "$T/spawn.run" |
		awk -F , '$5 == "counter" && $6 ~ /sent to node/ { print $6, $13 }')" "Message size sent to node unknown 40"
	tau-convert -t otf2 "$T/spawn.run" "$T/spawn.otf2"
	is "through OTF2 neither" "$(tau-trace2profile --format csv "$T/spawn.otf2" |
		awk -F , '$5 == "counter" && $6 ~ /sent to node/ { print $6, $13 }')" "Message size sent to node unknown 40"
else
	skip "a message to a spawned process" "processes cannot be spawned here"
fi

# MPI_Win_post() takes a group that is no handle, where errors of a window return; other functions end the program.
cat >"$T/post.c" <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int c, char **v)
{
	MPI_Win w;
	int posted, waited, x = 0;
	MPI_Init(&c, &v);
	MPI_Win_create(&x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
	MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN);
	posted = MPI_Win_post(MPI_GROUP_NULL, 0, w);
	waited = posted ? 0 : MPI_Win_wait(w);
	printf("%d %d end\n", posted, waited);
	fflush(stdout);
	MPI_Abort(MPI_COMM_WORLD, 0);
	return 0;
}
END
build "$T/post.c" -o "$T/post"
post() { timeout -k 5 60 mpirun --allow-run-as-root --oversubscribe -np 2 "$@" "$T/post" 2>/dev/null </dev/null | sort; }
post env >"$T/post.plain"
is "a null group: the program goes on as without the recorder" "$(post tau-record --wrap mpi -o "$T/post.run")" "$(cat "$T/post.plain")"
tap_end
