# overview-next.sh: each command that an overview suggests runs, and its output has the region that the finding names.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

# next RUN: for each finding with a region: does the command that it suggests show it? One line for each that does not.
next() {
	tau-report -f csv "$1" | tr -d '\r' | python3 -c '
import csv, subprocess, sys
n = 0
for r in csv.DictReader(sys.stdin):
    command = r["command"]
    if not command:
        continue
    n += 1
    p = subprocess.run(command, shell=True, capture_output=True, text=True)
    named = [r[k].split(what)[1] for k, what in (("item", "imbalance of "), ("detail", "most in "), ("detail", "longest, in ")) if what in r[k]]
    word = named[0].split(" => ")[-1].split(" [")[0].split("(")[0] if named else ""
    if p.returncode or p.stderr or (word and "timeline" not in command and word not in p.stdout):
        print(command, "|", word, "|", p.returncode, p.stderr)
print("findings" if n else "no findings")'
}
# Which region takes most beyond its waits depends on the load of the machine, and whether one does; the report about waits has none of it.
synchronisation() { command_of "$1" 'synchronisation of threads'; }
expected() { tau-report -f csv "$1" | grep -q 'synchronisation of threads' && echo "tau-report threads"; }
command_of() { tau-report -f csv "$1" | tr -d '\r' | grep "$2" | grep -oE 'tau-report [a-z-]+'; }

if [ -x "$B/apps/teamwaits" ]; then
	OMP_NUM_THREADS=2 tau-record --openmp=all -o team "$B/apps/teamwaits" >/dev/null 2>&1
	is "OpenMP: suggestions answer" "$(next team)" findings
	like "OpenMP: waits at barriers are in waits, by who is late" "$(tau-report -f csv team | tr -d '\r' | grep '^findings,"*thread.*wait at OpenMP barrier')" \
		'makes? its team wait"?,.*tau-report waits --by culprit team'
	is "OpenMP: synchronisation has the report for the region that takes most" "$(synchronisation team)" "$(expected team)"
	OMP_NUM_THREADS=2 tau-record --openmp=all -o omp "$B/apps/openmp" >/dev/null 2>&1
	is "OpenMP with locks: suggestions answer" "$(next omp)" findings
	is "OpenMP with locks: the same" "$(synchronisation omp)" "$(expected omp)"
	cat >beyond.c <<-'C'
		#include <unistd.h>

		static volatile int started;

		int main(void)
		{
		#pragma omp parallel num_threads(2)
			{
		#pragma omp single nowait
				usleep(200000);
		#pragma omp barrier
		#pragma omp single
				{
		#pragma omp task
					{
						started = 1;
						usleep(300000);
					}
					while (!started) /* the other thread, at the end of the single */
						;
		#pragma omp taskwait
				}
			}
			return 0;
		}
	C
	${CC:-cc} -O1 -g -fopenmp -o beyond beyond.c && OMP_WAIT_POLICY=passive tau-record --openmp=all -o beyond.run ./beyond >/dev/null 2>&1
	like "OpenMP: beyond waiting, the region that has most time which no wait state explains" \
		"$(tau-report -f csv beyond.run | grep '^findings,synchronisation of threads and child processes beyond waiting')" 'most in omp taskwait: main'
	is "OpenMP: beyond waiting: suggestions answer" "$(next beyond.run)" findings
	cat >serial.c <<-'C'
		#include <time.h>

		static void work(double seconds)
		{
			struct timespec a, b;

			clock_gettime(CLOCK_MONOTONIC, &a);
			do
				clock_gettime(CLOCK_MONOTONIC, &b);
			while ((double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9 < seconds);
		}

		static __attribute__((noinline)) void alone(void)
		{
			work(0.04);
		}

		static __attribute__((noinline)) void both(void)
		{
			work(0.01);
		}

		int main(void)
		{
			for (int i = 0; i < 5; i++) {
				alone();
		#pragma omp parallel
				both();
			}
			return 0;
		}
	C
	sed -i 's/^static void work/static __attribute__((no_instrument_function)) void work/' serial.c
	${CC:-cc} -O1 -g -finstrument-functions -fopenmp -o serial serial.c && OMP_NUM_THREADS=2 tau-record --openmp=all -o serial.run ./serial >/dev/null 2>&1
	is "OpenMP: threads without work between parallel regions are a finding" "$(command_of serial.run 'idle threads between parallel regions')" \
		"tau-report timeline"
	like "OpenMP: which name the region that runs meanwhile" "$(tau-report serial.run | grep -A1 'idle threads between parallel regions')" \
		'the longest region that no other thread executes is alone \[serial\.c:'
	is "OpenMP: whose time no other finding has" "$(tau-report -f csv serial.run | grep '^findings' | grep -c 'most in omp idle')" 0
else
	skip "OpenMP" "not built"
fi
# Waits for locks have a finding of their own: the report about locks shows nothing of a long join.
cat >joins.c <<'C'
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *a)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	usleep(300000);
	return a;
}

int main(void)
{
	pthread_t t;

	pthread_mutex_lock(&m);
	pthread_create(&t, NULL, thread, NULL);
	usleep(30000);
	pthread_mutex_unlock(&m);
	return pthread_join(t, NULL);
}
C
${CC:-cc} -O1 -o joins joins.c -lpthread && tau-record -w pthread -o joins.run ./joins >/dev/null 2>&1
is "threads that are joined: suggestions answer" "$(next joins.run)" findings
is "the wait for a lock has the report about locks" "$(command_of joins.run 'findings,waiting for locks')" "tau-report locks"
is "the join has that about its region" "$(synchronisation joins.run)" "tau-report threads"
# --- tau-record itself names the first one, to people ---
if command -v script >/dev/null; then
	script -qc "tau-record -o 'a run' $B/apps/hooks" /dev/null >said 2>&1 </dev/null
	like "on a terminal, the command that shows the run" "$(tail -n 1 said | tr -d '\r')" \
		"^tau-record: next: tau-report '.*/a run', or in a browser: tau-view '.*/a run'$"
	ok "which works" sh -c "$(sed -n 's/.*next: \(tau-report .*\), or in.*/\1/p' said) >/dev/null"
else
	skip "on a terminal, the command that shows the run" "no script(1)"
fi
if command -v mpirun >/dev/null; then
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -np 3 tau-record -o job.run "$B/apps/hooks" >said 2>&1 </dev/null
	is "a job adds it once" "$(grep -c '^tau-record: next: tau-report .*job.run, or in a browser: tau-view ' said)" 1
else
	skip "a job adds it once" "no Open MPI"
fi
is "elsewhere nothing is added" "$(tau-record -o b "$B/apps/hooks" 2>&1 >/dev/null | grep -c next)" 0
mkdir files
tau-record -w io,pthread -o io.run "$B/apps/io" files >/dev/null 2>&1
is "files and threads: suggestions answer" "$(next io.run)" findings
cat >small.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	FILE *f = fopen("lines", "w");

	setvbuf(f, NULL, _IONBF, 0);
	for (int i = 0; i < 20000; i++)
		fprintf(f, "%d\n", i);
	for (int i = 0; argc > 1 && i < 20000; i++)
		close(open("lines", O_RDONLY));
	return argc > 2 ? fclose(f) : 0;
}
C
${CC:-cc} -O1 -o small small.c && tau-record -w io -o small.run ./small >/dev/null 2>&1
is "small writes, whatever their calls are named: the report about files" "$(command_of small.run 'reading and writing files')" "tau-report io"
like "with the number of small calls" "$(tau-report -f csv small.run | grep '^findings,reading')" '; 20000 of 20000 calls move below 4096 bytes'
cat >opens.c <<'C'
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
	int fd = open("lines", O_WRONLY | O_CREAT, 0644);

	for (int i = 0; i < 20000; i++)
		close(open("lines", O_RDONLY));
	return write(fd, "x", 1) != 1;
}
C
${CC:-cc} -O1 -o opens opens.c && tau-record -w io -o opens.run ./opens >/dev/null 2>&1
like "opens and closes" "$(command_of opens.run 'opening files')$(command_of opens.run 'closing files')" "^tau-report io"
tau-record --memory=leaks -o leaks.run "$B/apps/memleak" >/dev/null 2>&1
is "memory: suggestions answer" "$(next leaks.run)" findings
if command -v mpirun >/dev/null && [ -x "$B/apps/mpihour" ]; then
	mpirun -np 4 tau-record --memory=leaks -o hour "$B/apps/mpihour" >/dev/null 2>&1
	is "MPI: suggestions answer" "$(next hour)" findings
	# More waits than the report about them lists.
	{
		printf '#include <mpi.h>\n#include <unistd.h>\n'
		for f in a b c d e f g h i j k; do
			echo "static void $f(int r) { usleep(r * 100000); MPI_Barrier(MPI_COMM_WORLD); }"
		done
		echo 'int main(int argc, char **argv) { int r; MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &r);'
		echo 'a(r); b(r); c(r); d(r); e(r); f(r); g(r); h(r); i(r); j(r); k(r); usleep(r * 60000);'
		echo 'if (r) MPI_Send(&r, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);'
		echo 'else MPI_Recv(&r, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);'
		echo 'return MPI_Finalize(); }'
	} >paths.c
	mpicc -O0 -finstrument-functions -o paths paths.c && mpirun -np 2 tau-record -o paths.run ./paths >/dev/null 2>&1
	is "MPI: many waits: suggestions answer" "$(next paths.run)" findings
	# Many messages, and hardly a wait: their time is a finding, less what the waits explain.
	cat >many.c <<-'C'
		#include <mpi.h>
		#include <stdlib.h>

		int main(int argc, char **argv)
		{
			enum { N = 1 << 20 };
			char *buffer = calloc(2, N);
			int rank;

			MPI_Init(&argc, &argv);
			MPI_Comm_rank(MPI_COMM_WORLD, &rank);
			for (int i = 0; i < 2000; i++)
				MPI_Sendrecv(buffer, N, MPI_BYTE, !rank, 0, buffer + N, N, MPI_BYTE, !rank, 0,
					     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Finalize();
			free(buffer);
			return 0;
		}
	C
	mpicc -O1 -o many many.c && mpirun -np 2 tau-record -o many.run ./many >/dev/null 2>&1
	tau-report -f csv many.run | tr -d '\r' >many.csv
	all=$(tau-report profile -f csv --top 0 many.run | tr -d '\r' | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		/,MPI_/ && !/_Init|_Finalize/ { s += $(at["exclusive_us"]) }
		END { printf "%.0f", s }')
	is "MPI: the time of messages is what waits do not explain" \
		"$(awk -F, -v all="$all" '$2 == "for other PEs" { all -= $3 } $2 == "exchanging messages beyond waiting" { found = $3 }
			END { print (found - all < 2 && all - found < 2 && found > 0) }' many.csv)" 1
	like "MPI: with their number and mean size, and the command for the callers" "$(grep '^findings,exchanging messages beyond waiting' many.csv)" \
		'most in MPI_Sendrecv[^;]*; 4000 messages and transfers of 1.00 MiB on average,tau-report callers MPI_Sendrecv many.run$'
	is "MPI: its suggestion answers" "$(next many.run)" findings
else
	skip "MPI" "no MPI"
fi
# --- a condition, such as the begin of MPI, is a fact beside findings, and a finding where there are none ---
mkdir topics
for r in 0 1; do
	{
		printf '8 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n'
		printf '"main" 1 7 1000 %s 0 GROUP="TAU_USER"\n' $((1051000 + r * 180000))
		printf '"MPI_Init()" 1 0 900000 900000 0 GROUP="MPI"\n'
		for f in a b c; do
			printf '"%s" 1 0 %s %s 0 GROUP="TAU_USER"\n' $f $((r * 60000)) $((r * 60000))
		done
		printf '"%s" 1 0 50000 50000 0 GROUP="%s"\n' 'MPI_Send()' MPI 'omp barrier' OPENMP 'read()' TAU_IO
		printf '0 aggregates\n'
	} >topics/profile.$r.0.0
done
tau-report -f csv topics | tr -d "\r" | grep "^findings" >topics.csv
is "five findings" "$(wc -l <topics.csv)" 5
is "the begin of MPI is a condition" "$(tau-report -f csv topics | grep '^conditions' | cut -d, -f 2)" "start and end of the communication library"
is "in the line above them" "$(tau-report topics | grep -A1 '^Findings' | sed -n 's/^  Conditions of the run: \(start[a-z ]*\) [0-9.]* .*%$/\1/p')" \
	"start and end of the communication library"
for r in 0 1; do
	printf '2 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n"main" 1 1 1000 901000 0 GROUP="TAU_USER"\n"MPI_Init()" 1 0 900000 900000 0 GROUP="MPI"\n0 aggregates\n' >topics/profile.$r.0.0
done
is "and a finding if there is no other" "$(tau-report -f csv topics | grep '^findings' | cut -d, -f 2)" "start and end of the communication library"
# Each of them takes too little for a tree of calls, which has 1 % of the time in each row.
mkdir both-ends
for r in 0 1; do
	printf '3 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n"main" 1 2 984000 1000000 0 GROUP="TAU_USER"\n"MPI_Init()" 1 0 8000 8000 0 GROUP="MPI"\n"MPI_Finalize()" 1 0 8000 8000 0 GROUP="MPI"\n0 aggregates\n' >both-ends/profile.$r.0.0
done
is "the suggestion of the begin and end has their largest region" "$(next topics)
$(next both-ends) $(tau-report -f csv both-ends | grep -c '^\(conditions\|findings\),start and end')" "findings
findings 1"
# --- no efficiency if it is unknown which regions are messages ---
mkdir unnamed
for r in 0 1; do
	printf '2 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n"main" 1 1 1000 3000 0 GROUP="TAU_USER"\n"(undefined region 7)" 1 0 2000 2000 0 GROUP="TAU_USER"\n0 aggregates\n' >unnamed/profile.$r.0.0
done
is "the use of PEs is unknown" "$(tau-report -f csv unnamed | tr -d '\r' | grep '^use of PEs' | cut -d, -f 2,3,6)" \
	"parallel efficiency,,unknown: regions without names may be messages"
sed 's/(undefined region 7)/solve/' unnamed/profile.0.0.0 >unnamed/profile.1.0.0
cp unnamed/profile.1.0.0 unnamed/profile.0.0.0
like "with names it is known" "$(tau-report -f csv unnamed | grep '^use of PEs')" 'parallel efficiency,1,'
# --- a trace without findings: what it could have none about ---
TAU_SAMPLING=0 tau-record -o asleep sleep 0.2 >/dev/null 2>&1
like "without findings: what was not recorded" "$(tau-report -w 50ms:150ms asleep | tail -n 1)" \
	'none costs 1 % of the time or more; the recording has no waits for locks and no files \(tau-record --wrap io,pthread\)$'
# --- a serial program without any such finding: where most of its time is ---
mkdir hot
printf '2 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n"main" 1 7 80000 1000000 0 GROUP="TAU_USER"\n"solve" 7 0 920000 920000 0 GROUP="TAU_USER"\n0 aggregates\n' >hot/profile.0.0.0
is "most time is a finding where there is no other" "$(tau-report -f csv hot | tr -d '\r' | grep ^findings)" \
	"findings,most time in solve,920000,us,92,7 calls,tau-report callers solve hot"
is "its suggestion answers" "$(next hot)" findings
tap_end
