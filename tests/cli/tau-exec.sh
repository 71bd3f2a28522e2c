# tau-exec.sh: tau_exec: which options of tau-record each option of TAU becomes, what is refused, and programs recorded by it.
. "$(dirname "$0")/../expect.sh"
cd "$T" || exit 1
unset LD_PRELOAD TAU_EBS_PERIOD TAU_SAMPLING OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK SLURM_PROCID

# With a tau-record beside it that prints what it gets.
mkdir bin real
cp "$TOP/record/link/tau_exec.sh" bin/tau_exec
cp bin/tau_exec real/tau_exec
printf '#!/bin/sh\necho "$*${LD_PRELOAD:+ LD_PRELOAD=$LD_PRELOAD}"\n' >bin/tau-record
chmod +x bin/tau_exec bin/tau-record real/tau_exec
becomes() {	# options of TAU, those of tau-record
	# shellcheck disable=SC2086 # options in words
	is "tau_exec $1" "$(bin/tau_exec $1 ./app -io x 2>err; cat err)" "$2-- ./app -io x"
}
becomes "" ""
becomes "--" ""
becomes "-T mpi,pthread -ebs -memory -io" "--wrap=+mpi,+pthread,+io --memory=events --sample "
becomes "-T MPI,PDT,PAPI,PROFILE" "--wrap=+mpi "
becomes "-T serial" "--wrap=-mpi,-shmem "
becomes "-XrunTAUsh-mpi-pthread-pdt" "--wrap=+mpi,+pthread "
becomes "-tau:openmp,cupti" "--wrap=+openmp,+cuda "
becomes "-ompt -openacc -um -shmem -ittnotify" "--wrap=+openmp,+openacc,+cuda,+shmem,+itt "
becomes "-disable-kokkos -monitoring" "--wrap=-kokkos --system "
becomes "-ebs_period=1000 -ebs_source=itimer -ebs_unwind" "--sample=1000 --unwind "
becomes "-s -vv" "--dry-run --verbose "
: >libtau-zlib.so
: >liblog.so
becomes "-loadlib=./libtau-zlib.so" "--wrap=+./libtau-zlib.so "
is "-loadlib of another library" "$(bin/tau_exec -loadlib=./liblog.so -loadlib=libm.so.6 ./app)" "-- ./app LD_PRELOAD=./liblog.so:libm.so.6"
is "words of the program stay words" "$(printf '#!/bin/sh\nprintf "<%%s>" "$@"' >bin/tau-record; bin/tau_exec -io ./app 'a b' '' '*')" \
	"<--wrap=+io><--><./app><a b><><*>"
printf '#!/bin/sh\necho "$*"\n' >bin/tau-record

warns() {	# options, what of them remains, the sentence
	# shellcheck disable=SC2086 # options in words
	is "tau_exec $1 has no effect" "$(bin/tau_exec $1 ./app 2>err; cat err)" "$2-- ./app
tau_exec: $3"
}
warns "-T sos,mpi" "--wrap=+mpi " "-T sos has no effect: tau-record has no such source of events"
warns "-ebs_source=PAPI_FP_INS -ebs_period=1000000" "--sample " \
	"-ebs_source=PAPI_FP_INS, with its period, has no effect: samples are taken by CPU time; tau-record --metrics counts PAPI events in regions"
warns "-ebs_resolution=function" "--sample " \
	"-ebs_resolution=function has no effect: samples have function, file and line; choose when you report: tau-report --sample-resolution"
warns "-memory_debug" "--memory=leaks " "the check of -memory_debug for writes past the end of a block has no effect: a program built with -fsanitize=address finds them"
for o in -opencl -armci -gasp -rocm -rocm_pc -sass=kernel -csv -env -numa -syscall -adios2 -skel -sos -sqlite3 -pthread-stopper -zerosum -disable_ld_preload; do
	is "tau_exec $o: one sentence" "$(bin/tau_exec $o ./app 2>&1 | sed "s/^tau_exec: $o has no effect: ..*/$o/")" "$o
-- ./app"
done
is "only the first rank prints it" "$(OMPI_COMM_WORLD_RANK=1 bin/tau_exec -numa ./app 2>&1)" "-- ./app"

refuses() {	# option, a pattern of the message
	# shellcheck disable=SC2086 # options in words
	like "tau_exec $1 is refused" "$(bin/tau_exec $1 2>&1; echo " $?")" "^tau_exec: $2"
	# shellcheck disable=SC2086 # options in words
	is "tau_exec $1: status" "$(bin/tau_exec $1 >/dev/null 2>&1; echo $?)" 125
}
refuses "-qsub -io -- qsub -n 1 ./app" "-qsub: put tau_exec between the launcher and the program"
refuses "-gdb ./app" "-gdb: .*gdb -p PID"
refuses "-ptts-num=4 ./app" "-ptts-num=4: run the program with that tool"
refuses "-ebs_period=often ./app" "-ebs_period=often: use a number of microseconds"
refuses "-memry ./app" "-memry: not an option of TAU's tau_exec"
refuses "-o run ./app" "-o: .* other options: tau-record --help"
refuses "-loadlib=./none.so ./app" "-loadlib=./none.so: there is no such file"
refuses "-T" "-T: needs tags"
refuses "-io" "no program given"
like "-h prints the options" "$(bin/tau_exec -h; echo $?)" "^  -ebs_period=USEC .*"
is "without an option: the same" "$(bin/tau_exec)" "$(bin/tau_exec -help)"
is "the page names the options of -h" "$(bin/tau_exec -h | sed -n 's/^  \(-[^ ].*[^ ]\)   *[^ ].*/\1/p' | tr -s ', ' '\n\n' | sed -n 's/^-\([^=]*\).*/\1/p' |
	while read -r o; do grep -qE -- "^\.It .*[ -]$o( |=|$)" "$TOP/man/tau_exec.1" || echo "$o"; done)" ""

# ---- tau_python ----
ln -s tau_exec bin/tau_python
printf 'print("file")\n' >app.py
python=$(command -v python3 || command -v python || echo none)
python_becomes() {	# words of tau_python, those of tau-record
	# shellcheck disable=SC2086 # options in words
	is "tau_python $1" "$(bin/tau_python $1 2>err; cat err)" "$2"
}
if [ "$python" != none ]; then
	python_becomes "app.py 3 -io" "--wrap=+python -- $python app.py 3 -io"
	python_becomes "-T mpi,python -io -- app.py" "--wrap=+python,+mpi,+python,+io -- $python app.py"
	python_becomes "-m json.tool -h" "--wrap=+python -- $python -m json.tool -h"
	python_becomes "-c pass" "--wrap=+python -- $python -c pass"
	python_becomes "app" "--wrap=+python -- $python -m app"
fi
python_becomes "-tau-python-interpreter=./python9 -tau-python-args=-O app.py" "--wrap=+python -- ./python9 -O app.py"
python_becomes "-tau-python-filter=f.json app.py" "tau_python: -tau-python-filter=f.json: exclude functions with a selection file: tau-record --select"
python_becomes "-io" "tau_python: no script given: tau_python [options] app.py"
is "tau_python alone prints the options" "$(bin/tau_python)" "$(bin/tau_exec -h)"
refuses "-m app" "-m: is an option of tau_python"

# A program with a thread, which writes to a file, allocates and computes.
cat >app.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static void *work(void *p)
{
	while (clock() < CLOCKS_PER_SEC / 5)
		for (int i = 0; i < 1000000; i++)
			*(volatile int *)p += 1;
	return NULL;
}
int main(int argc, char **argv)
{
	FILE *f = fopen("file", "w");
	int *p = malloc(4096), i;
	pthread_t t;

	*p = argc;
	pthread_create(&t, NULL, work, p);
	pthread_join(t, NULL);
	for (i = 0; i < 7; i++) {
		fprintf(f, "%s\n", argv[1]);
		fflush(f);
	}
	free(p);
	return fclose(f) || argc != 2;
}
END
ok "the program compiles" cc -O1 -pthread app.c -o app
TRACEDIR=run real/tau_exec -T serial,pthread -ebs -ebs_period=1000 -memory -io ./app 'a -io b' >out 2>err
is "recorded, it ends as it should" "$? $(sort -u file)" "0 a -io b"
tau-trace2profile --format csv run >csv 2>why
like "its files are recorded" "$(cat csv)" '"?fflush\(\)"?,'
like "its threads" "$(cat csv)" '"?pthread_join\(\)"?,'
like "its allocations" "$(cat csv)" 'Heap Allocate|Heap Memory'
like "samples" "$(cat csv)" '\[SAMPLE\] work'
TRACEDIR=plain real/tau_exec ./app x >out 2>err
is "without options none of them is" "$(tau-trace2profile --format csv plain 2>/dev/null | grep -cE 'fflush|pthread_join|Heap Alloc')" 0

# Signs of --wrap, which it uses.
used() { tau-record --list "$@" | awk '$2 == "used" { print $1 }' | paste -sd ' ' -; }
is "--wrap +io adds to what the program gets" "$(used --wrap=+io,+process ./app)" "$(echo "$(used ./app) io process" | sed 's/^ //')"
is "--wrap: a sign for some names only" "$(tau-record --wrap +io,mpi ./app 2>&1; echo $?)" \
	"tau-record: --wrap: 'mpi': all names have a sign, + or -, or none has
125"
like "--wrap: an unknown name with a sign" "$(tau-record --wrap=+ioo ./app 2>&1)" "unknown wrapper 'ioo'; did you mean 'io'"

if ! command -v mpirun >/dev/null || ! command -v mpicc >/dev/null; then
	skip "MPI" "no MPI"
	tap_end
fi
ok "a program of MPI compiles" mpicc -O2 "$TOP/bench/ring.c" -o ring
is "--wrap -mpi leaves MPI out" "$(used ./ring | grep -cw mpi) $(used --wrap=-mpi ./ring | grep -cw mpi)" "1 0"
TRACEDIR=ranks mpirun -np 2 real/tau_exec -T mpi,pdt -io -numa ./ring 50 >out 2>err
is "two ranks end as they should" "$?" 0
is "the sentence is printed once" "$(grep -c '^tau_exec: -numa has no effect' err)" 1
is "messages of both ranks are recorded" "$(tau-report comm -f csv ranks | tail -n +2 | cut -d, -f1-4 | sort | paste -sd ' ' -)" "0,1,50,400 1,0,50,400"
TRACEDIR=serial mpirun -np 2 real/tau_exec -T serial -io ./ring 50 >out 2>err
is "-T serial leaves MPI out" "$? $(tau-trace2profile --format csv serial 2>/dev/null | grep -c 'MPI_Send()')" "0 0"
tap_end
