# stored-names.sh: names, files and lines stay with a run: reports are the same after the program and a library are gone, or are
# others now, and in another place; without the file they are not; readers report it; damage does no harm.
. "$(dirname "$0")/../expect.sh"
cd "$T" || exit 1

cat >lib.c <<'C'
#include <stdlib.h>
#include <time.h>
#ifdef OTHER
int before(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * s + n; return s; }
#endif
static volatile double s;
static long long cpu(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec * 1000000000ll + t.tv_nsec; }
static __attribute__((noinline)) void turn(int n) { for (int i = 0; i < n; i++) s = s + i; }
__attribute__((noinline)) static void *keep(int n) { return malloc(n); }
void *library_keep(int n) { return keep(n); }
void library_work(int ms)
{
	long long end = cpu() + ms * 1000000ll;

	while (cpu() < end) turn(1000);
}
C
cat >hooks.c <<'C'
#include <stdlib.h>
void library_work(int ms);
void *library_keep(int n);
static void *own(int n) { return malloc(n); }
static int twice(int x) { return x + x; }
static void busy(int ms)
{
	library_work(ms);
#pragma omp parallel num_threads(2)
	twice(3);
}
void hooked(int ms)
{
	for (int i = 0; i < 5; i++) twice(i);
	own(12345);
	library_keep(54321);
	busy(ms);
}
C
cat >main.c <<'C'
#ifdef MPI
#include <mpi.h>
#endif
void hooked(int ms);
static void talk(void)
{
#ifdef MPI
	MPI_Barrier(MPI_COMM_WORLD);
#endif
}
int main(int argc, char **argv)
{
#ifdef MPI
	MPI_Init(&argc, &argv);
#endif
	hooked(300);
	talk();
#ifdef MPI
	MPI_Finalize();
#endif
	return argc > 5 && argv[5];
}
C
# build DIRECTORY COMPILER FLAGS: the program and its library, which has no build id
build() {
	mkdir -p "$1" && ${CC:-cc} -g -O1 -fPIC -shared -Wl,--build-id=none $3 lib.c -o "$1/libwork.so" &&
		${CC:-cc} -g -O1 -fno-inline -fopenmp -finstrument-functions $3 -c hooks.c -o "$1/hooks.o" &&
		$2 -g -O1 -fopenmp $3 $4 main.c "$1/hooks.o" -o "$1/prog" -L"$1" -lwork -Wl,-rpath,"$T/$1"
}
# texts RUN: all that names code in reports
texts() {
	tau-trace2profile --callpath -f csv "$1" 2>/dev/null
	tau-report memory --by site --window :100% --top 0 -f csv "$1" 2>/dev/null
	tau-report tree --top 0 -f csv "$1" 2>/dev/null
	tau-report flame -f folded "$1" 2>/dev/null
}
ok "a program with hooks and its library are built" build app "${CC:-cc}"
ok "it is recorded, with memory" sh -c "tau-record --memory -o run app/prog 2>err"
like "the closing line has the size of the names" "$(tail -n 1 err)" 'overhead .*, names [0-9.]+ (B|KiB)'
cp -r run old && rm old/names
texts run >before
for name in 'twice \[{[^}]*hooks.c} {5,0}\]' 'busy' 'SAMPLE\] turn \[{[^}]*lib.c}' 'omp parallel: busy \[{[^}]*hooks.c}' \
	'own \[{[^}]*hooks.c} {4}\]' 'keep \[{[^}]*lib.c}'; do
	ok "a report has $name" grep -q "$name" before
done
is "a run without the file has the same names while the binaries are there" "$(texts old | cmp - before 2>&1)" ""

# Another layout in place of both.
ok "others are built" sh -c "mv app away"
ok "in their place" build app "${CC:-cc}" "-DOTHER -O0"
is "with other binaries in their place, reports are the same" "$(texts run | cmp - before 2>&1)" ""
like "and it is reported" "$(tau-report run 2>&1)" 'app/(prog|libwork\.so) and 1 more file are gone or have changed since the recording; their functions have the names'
ok "without the stored names they are not the same" sh -c '! tau-trace2profile --callpath -f csv old 2>/dev/null | grep -q "twice .{[^}]*hooks.c} {5,0}"'
rm app/libwork.so
is "with one changed and one gone" "$(texts run | cmp - before 2>&1)" ""
rm -r app
mkdir elsewhere && mv run elsewhere/run
(cd elsewhere && texts run) >after
is "with both gone, and the run elsewhere" "$(cmp before after 2>&1)" ""
like "one stream of it has them, too" "$(tau-trace2profile -f csv elsewhere/run/*.0.tau 2>/dev/null)" 'twice \[\{[^}]*hooks\.c'
tau-convert elsewhere/run part 2>/dev/null
like "what is converted has the names" "$(tau-trace2profile -f csv part 2>/dev/null)" 'SAMPLE\] turn'
like "a database has them" "$(tau-db import --db x.db elsewhere/run >/dev/null 2>&1; tau-report profile --db x.db -f csv 2>/dev/null)" 'twice'
like "without them, functions have addresses" "$(tau-trace2profile -f csv old 2>/dev/null)" 'addr=<0x[0-9a-f]+> \[prog\]'

# Damage.
cp -r elsewhere/run bad
printf 'x' | dd of=bad/names bs=1 seek=100 conv=notrunc 2>/dev/null
like "a damaged file is reported" "$(tau-report bad 2>&1)" 'its file names is damaged; names are looked up in the binaries'
like "and used no more" "$(tau-trace2profile -f csv bad 2>/dev/null)" 'addr=<0x'
rm bad/names && ln -s "$T/elsewhere/run/names" bad/names
like "a link is not followed" "$(tau-trace2profile -f csv bad 2>/dev/null)" 'addr=<0x'

# The option, and what ends otherwise.
mv away app
tau-record --no-names -o none app/prog 2>none.err
is "--no-names stores none" "$(ls none | grep -c names; grep -c ', names' none.err)" "0
0"
(ulimit -f 1; exec tau-record -o small app/prog) >/dev/null 2>&1
is "a limit of file sizes does no harm" "$(ls -a small | grep -c names)" 0
tau-record -o killed app/prog 2>/dev/null &
sleep 0.2; kill -9 $! 2>/dev/null; wait $! 2>/dev/null
is "a killed tau-record leaves no part of a file" "$(ls -a killed 2>/dev/null | grep -c names)" 0

# Debug information in a file of its own takes longer to unpack than a short run lasts: it is left to readers.
if [ -d /usr/lib/debug ] && unshare -rm mount --bind "$T" /usr/lib/debug 2>/dev/null; then
	build split "${CC:-cc}" && ${CC:-cc} -g -O1 -fPIC -shared -Wl,--build-id=0xabcdef0123456789 lib.c -o split/libwork.so
	mkdir -p debug/.build-id/ab
	objcopy --only-keep-debug split/libwork.so debug/.build-id/ab/cdef0123456789.debug
	objcopy --strip-debug split/libwork.so
	cat >split.sh <<-S
	mount --bind "$T/debug" /usr/lib/debug
	tau-record --memory -o split.run split/prog 2>/dev/null
	tau-report memory --by site --window :100% --top 0 -f csv split.run >split.there
	S
	unshare -rm sh split.sh
	like "a reader finds lines in a debug file" "$(cat split.there)" 'keep \[\{[^}]*lib\.c'
	rm -r split
	is "which tau-record did not unpack for a short run" "$(tau-report memory --by site --window :100% --top 0 -f csv split.run |
		grep -o 'keep .*\(libwork.so\|lib\.c\)' | sed 's/.*\///')" "libwork.so"
fi

# Once for a job.
if command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
	ok "a program with MPI is built" build mpi mpicc "" -DMPI
	mpirun --allow-run-as-root --oversubscribe -np 2 tau-record --call-sites -o job mpi/prog 2>job.err
	is "a job has one file of names" "$(ls -a job | grep -c names)" 1
	like "its closing line has the size" "$(cat job.err)" ', names [0-9.]+ KiB'
	texts job >before
	ok "a report has the call site of MPI" grep -q 'MPI_Barrier() \[CALLSITE\] \[@\] talk \[{[^}]*main.c} {8}\]' before
	mv mpi gone
	is "its reports are the same without the binaries" "$(texts job | cmp - before 2>&1)" ""
fi
tap_end
