# hybrid.sh: MPI, OpenMP, POSIX threads and CUDA (a runtime and a CUPTI that replay work) in one job, and MPI, OpenMP and OpenSHMEM: one
# trace and one profile, windows that add up, and an OTF2 archive with the paradigm of each region and streams of devices as accelerators.
. "$(dirname "$0")/../expect.sh"
export TAU_SAMPLING=0	# all rows are counted: those of samples are left out
command -v mpicc >/dev/null 2>&1 || skip_all "there is no MPI"
[ -e "$B/libtau-mpi.so" ] || skip_all "the wrapper of MPI is not built"

${CC:-cc} -D_GNU_SOURCE -O1 -shared -fPIC -fvisibility=hidden -Wl,-soname,libcupti.so -o "$T/libcupti.so" \
	"$TOP/fixtures/apps/cuda/cupti.c"
ok "the program is built" mpicc -D_GNU_SOURCE -g -O1 -fopenmp -I"$TOP/record" -o "$T/hybrid" \
	"$TOP/fixtures/apps/cuda/hybrid.c" -L"$T" -lcupti -lpthread
LD_LIBRARY_PATH=$T mpirun -np 2 --oversubscribe tau-record -w mpi,openmp,cuda,pthread -o "$T/hybrid.run" "$T/hybrid" \
	>"$T/hybrid.out" 2>"$T/hybrid.err"
is "the job ends as it should" $? 0
expect hybrid
ok "the trace is sound" tau-dump --check "$T/hybrid.run"

# sum COLUMN FILE: over all timers
sum() {
	awk -F, -v c="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["kind"] == "timer" && $at["name"] !~ /=>/ { t += $at[c] } END { printf "%.3f\n", t }' "$2"
}
# adds_up RUN: two windows have the time and the calls of the whole.
adds_up() {
	tau-trace2profile --format csv "$1" >"$T/whole.csv" 2>/dev/null
	tau-trace2profile --format csv -w :50% "$1" >"$T/first.csv" 2>/dev/null
	tau-trace2profile --format csv -w 50%: "$1" >"$T/second.csv" 2>/dev/null
	whole=$(sum exclusive_us "$T/whole.csv") halves=$(sum exclusive_us "$T/first.csv") second=$(sum exclusive_us "$T/second.csv")
	ok "the exclusive times of both halves ($halves + $second) are those of the run ($whole)" \
		awk "BEGIN { d = $halves + $second - $whole; exit !($halves > 0 && $second > 0 && d < 1 && d > -1) }"
	is "so are the calls" "$(awk "BEGIN { print $(sum calls "$T/first.csv") + $(sum calls "$T/second.csv") }")" \
		"$(awk "BEGIN { print $(sum calls "$T/whole.csv") }")"
}
adds_up "$T/hybrid.run"
paradigm() { grep "^REGION .*\"$1\"" "$T/global" | grep -o 'Paradigm: *[A-Z_]*' | sed 's/.*: *//' | sort -u; }

# MPI, OpenMP and OpenSHMEM.
if [ -e "$B/apps/hybridshm" ]; then
	oshrun -np 2 --oversubscribe $(output_apart "$T/shm.io") env OMPI_MCA_memory=^patcher UCX_TLS=self,sm \
		SHMEM_SYMMETRIC_SIZE=16M tau-record -o "$T/shm.run" "$B/apps/hybridshm" >/dev/null 2>"$T/shm.err" </dev/null
	is "MPI with OpenMP and OpenSHMEM: the job ends as it should" $? 0
	find "$T/shm.io" -name stdout | sort | xargs cat >"$T/shm.out"
	is "each rank finds its own results right" "$(grep -c '^BAD' "$T/shm.out"; grep -c 'region step calls 6' "$T/shm.out")" "0
2"
	expect shm
	ok "the trace is sound" tau-dump --check "$T/shm.run"
	is "each thread of OpenMP has its own calls" "$(tau-trace2profile --format csv "$T/shm.run" |
		awk -F, '$5 == "timer" && ($6 == "shmem_long_p()" || $6 == "MPI_Sendrecv()") { print $2, $8 }' | sort | uniq -c | sed 's/^ *//')" \
		"4 0 6
4 1 6"
	adds_up "$T/shm.run"
	if command -v otf2-print >/dev/null 2>&1; then
		tau-convert "$T/shm.run" "$T/shm.otf2"
		otf2-print -G "$T/shm.otf2/traces.otf2" >"$T/global" 2>&1
		for pair in "MPI_Sendrecv()=MPI" "omp parallel.*=OPENMP" "shmem_long_p()=SHMEM" "step=USER"; do
			is "${pair%=*} has the paradigm ${pair#*=}" "$(paradigm "${pair%=*}")" "${pair#*=}"
		done
	fi
else
	skip "MPI with OpenMP and OpenSHMEM" "no OpenSHMEM is installed"
fi

command -v otf2-print >/dev/null 2>&1 || { skip "OTF2" "there is no otf2-print"; tap_end; }
ok "the trace becomes an archive" tau-convert "$T/hybrid.run" "$T/hybrid.otf2"
ok "which otf2-print reads" otf2-print --silent "$T/hybrid.otf2/traces.otf2"
otf2-print -G "$T/hybrid.otf2/traces.otf2" >"$T/global" 2>&1
for pair in "MPI_Sendrecv()=MPI" "omp parallel.*=OPENMP" "cudaLaunchKernel=CUDA" "stencil=CUDA" \
	"CUDA copy device to host=CUDA" "pthread_join.*=PTHREAD" "step=USER"; do
	is "${pair%=*} has the paradigm ${pair#*=}" "$(paradigm "${pair%=*}")" "${pair#*=}"
done
# Streams 7, 8 and 9 of each rank, and what waits for each.
is "streams of devices are accelerators" "$(grep '^LOCATION .*ACCELERATOR_STREAM' "$T/global" | grep -c CUDA)" 12
is "nothing else is" "$(grep -c '^LOCATION .*ACCELERATOR_STREAM' "$T/global")" 12
ok "threads of processors are threads" grep -q '^LOCATION .*CPU_THREAD' "$T/global"
tap_end
