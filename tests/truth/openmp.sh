# openmp.sh: OpenMP of gcc: each construct at its place, in the thread that executes it.
. "$(dirname "$0")/../expect.sh"

app=$B/apps/openmp
"$app" >"$T/plain" || fail "the program runs alone"
is "its sums are right" "$(grep wrong "$T/plain")" ""
like "a program that is linked with libgomp gets the wrapper" "$(tau-record --list "$app")" '^openmp  *used '
record openmp "$app"
is "the program ends as it should" "$code" 0
is "and prints the same" "$(cmp "$T/plain" "$T/openmp.out" 2>&1)" ""
expect openmp
is "nothing had to be repaired" "$(cat "$T/openmp.why")" ""
for what in parallel taskwait critical; do
	line=$(grep -n "^#pragma omp $what" "$TOP/fixtures/apps/openmp.c" | sed -n '1s/:.*//p')
	ok "a construct is named by its line: $what" \
		grep -q "omp $what: [a-z]* \[{[^}]*openmp.c} {$line,0}\]" "$T/openmp.csv"
done
ok "the trace is sound" tau-dump --check "$T/openmp.run"


# teams of changing size: the runtime ends threads, which are idle until then
cat >"$T/teams.c" <<'C'
#include <stdio.h>
int main(void)
{
	int n = 0;

	for (int i = 0; i < 20; i++)
#pragma omp parallel num_threads(2 + i % 3) reduction(+ : n)
		n++;
	printf("%d\n", n);
	return 0;
}
C
${CC:-cc} -O1 -fopenmp "$T/teams.c" -o "$T/teams"
for w in openmp openmp,pthread; do
	record teams --wrap $w "$T/teams"
	is "threads of the runtime that end are idle until then, $w" "$(grep -c 'not running\|repaired' "$T/teams.err") $(
		tau-report -f csv "$T/teams.run" | grep -c repaired) $(cat "$T/teams.out")" "0 0 59"
	rm -rf "$T/teams.run"
done

# target regions, which run in the calling thread here: what they contain is inside
cat >"$T/target.c" <<'C'
#include <stdio.h>
int main(void)
{
	int x[10] = {0}, sum = 0;

	for (int k = 0; k < 3; k++) {
#pragma omp target map(tofrom : x)
#pragma omp parallel for num_threads(2)
		for (int i = 0; i < 10; i++)
			x[i] += i;
	}
#pragma omp target data map(tofrom : x)
	{
#pragma omp target update to(x)
#pragma omp target nowait depend(out : x)
		x[0]++;
#pragma omp taskwait
	}
	for (int i = 0; i < 10; i++)
		sum += x[i];
	printf("%d\n", sum);
	return 0;
}
C
${CC:-cc} -g -O1 -fopenmp "$T/target.c" -o "$T/target"
record target "$T/target"
tau-trace2profile --format csv --callpath=2 "$T/target.run" >"$T/target.csv" 2>"$T/target.why"
is "target: the program prints the same" "$code $(cat "$T/target.out")" "0 136"
is "target: nothing had to be repaired" "$(cat "$T/target.why")" ""
at() { grep -F "timer,\"omp $1: main [{$T/target.c} {$2,0}]\",OPENMP," "$T/target.csv" | sed 's/.*,OPENMP,//; s/,.*//'; }
is "target: regions, data and updates at their lines" "$(at target 7) $(at 'target update' 14) $(
	grep -c ',"omp target data: main[^"=]*",OPENMP,1,' "$T/target.csv")" "3 1 2"
is "target: a parallel region is inside" "$(grep -c '"omp target: main[^"]* => omp parallel: main' "$T/target.csv")" 1

# an MPI program without OpenMP: what the wrapper does not find leaves a message of the loader's, which is freed once
printf '#include <mpi.h>\nint main(int n, char **v) { MPI_Init(&n, &v); MPI_Finalize(); return 0; }\n' >"$T/alone.c"
if command -v mpicc >/dev/null && mpicc "$T/alone.c" -o "$T/alone"; then
	record alone --wrap mpi,memory,openmp --memory "$T/alone"
	is "messages of the loader are freed once" "$code $(grep -c 'double free' "$T/alone.err")" "0 0"
else
	skip "messages of the loader" "no MPI"
fi

record least --openmp parallel "$app"
is "the lowest level has no construct inside" "$(tau-trace2profile --format csv "$T/least.run" |
	grep -c 'omp \(for\|barrier\|critical\|task\)')" 0
is "but parallel regions" "$(tau-trace2profile --format csv "$T/least.run" | grep -c '"omp parallel: team')" 1
record most --openmp all "$app"
tau-trace2profile --format csv "$T/most.run" >"$T/most.csv" 2>/dev/null
is "the highest has what is done inside a critical section" "$(calls most 'omp critical body: team')" 10
is "an unknown level is refused" "$(tau-record --openmp some true 2>&1)" \
	"tau-record: --openmp: 'some' is not parallel, constructs or all"
record free --wrap none "$app"
is "without the wrapper there is none" "$(tau-trace2profile --format csv "$T/free.run" 2>/dev/null | grep -c omp)" 0

# The last call of an outlined function is a jump, which returns to our own code.
cat >"$T/tail.c" <<-'END'
	#include <omp.h>
	#include <stdio.h>
	static int n;
	__attribute__((noinline)) static void count(void)
	{
		__atomic_add_fetch(&n, 1, __ATOMIC_RELAXED);
	}
	static void inner(void)
	{
	#pragma omp parallel num_threads(2)
		{
			count();
	#pragma omp barrier
		}
	}
	static void outer(void)
	{
	#pragma omp parallel num_threads(2)
		inner();
	}
	int main(void)
	{
		omp_set_max_active_levels(2);
		outer();
		printf("%d\nEXPECT region omp barrier: inner calls 4\n", n);
		return 0;
	}
END
gcc -O2 -g -fopenmp "$T/tail.c" -o "$T/tail"
record tail "$T/tail"
expect tail

cat >"$T/cxx.cc" <<-'END'
	namespace solver {
	double sum(const double *v, int n)
	{
		double s = 0;
	#pragma omp parallel for reduction(+ : s)
		for (int i = 0; i < n; i++)
			s += v[i];
		return s;
	}
	}
	int main()
	{
		double v[4] = {1, 2, 3, 4};
		return solver::sum(v, 4) != 10;
	}
END
g++ -g -fopenmp "$T/cxx.cc" -o "$T/cxx" && record cxx "$T/cxx"
tau-trace2profile --format csv "$T/cxx.run" >"$T/cxx.csv" 2>/dev/null
like "constructs in C++ have the name of their function" "$(grep -o 'omp parallel[^{]*' "$T/cxx.csv")" \
	'^omp parallel: solver::sum\(double const\*, int\) \[$'
tap_end
