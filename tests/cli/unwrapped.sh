# unwrapped.sh: functions that a library of MPI exports and its wrapper has no row for are counted and named once, at the end of a run and
# by --doctor; those that are excluded on purpose are not among them.
. "$(dirname "$0")/../tap.sh"
[ -e "$B/libtau-mpich.so" ] || skip_all "the wrapper mpich is not built"
cd "$T" || exit 1
cat >stub.c <<-'END'
	int MPI_Init(void *a, void *b) { return a || b; }
	int PMPI_Init(void *a, void *b) { return a || b; }
	int MPI_Finalize(void *a, void *b) { return a || b; }
	int MPIR_Err_create_code(void) { return 0; }
	int MPI_Send(void) { return 0; }
	int PMPI_Send(void) { return 0; }
	double MPI_Wtime(void) { return 0; }	/* excluded */
	double PMPI_Wtime(void) { return 0; }
	int MPI_Internal(void) { return 0; }	/* nor is what has no second name */
	int MPIX_Other(void) { return 0; }	/* no part of the standard */
	int MPI_UNWEIGHTED[1];
	#ifdef MORE
	int MPI_New_thing(void) { return 0; }
	int MPI_T_newer(void) { return 0; }
	int PMPI_New_thing(void) { return 0; }
	int PMPI_T_newer(void) { return 0; }
	#endif
END
echo 'int MPI_Init(void *, void *); int main(void) { return MPI_Init(0, 0); }' >app.c
for more in '' -DMORE; do
	mkdir -p "lib$more"
	${CC:-cc} -shared -fPIC $more -Wl,-soname,libmpich.so.12 stub.c -o "lib$more/libmpich.so.12" &&
		${CC:-cc} app.c -o "app$more" "lib$more/libmpich.so.12" -Wl,-rpath,"$T/lib$more" || skip_all "no C compiler"
	tau-record -o "run$more" "./app$more" 2>"err$more" </dev/null
done
is "a library without such a function is not named" "$(grep -c 'no row' err)" 0
is "one with two is, once" "$(grep 'no row' err-DMORE | sed 's/ of [^ ]* / of LIBRARY /')" \
	"tau-record: 2 functions of LIBRARY have no row in the wrapper mpich, such as MPI_New_thing; calls of them are not recorded"
tau-record -w none -o none ./app-DMORE 2>err </dev/null
is "nor without the wrapper" "$(grep -c 'no row' err)" 0
like "the doctor names it" "$(LD_LIBRARY_PATH=$T/lib-DMORE tau-record --doctor 2>&1 | grep '^mpich  *lacks')" 'lib-DMORE/libmpich\.so\.12 have no row in the wrapper mpich, such as MPI_New_thing'
is "of the libraries that are installed it names none" "$(tau-record --doctor 2>&1 | grep -c '^[a-z]*  *lacks')" 0
tap_end
