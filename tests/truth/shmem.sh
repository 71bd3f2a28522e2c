# shmem.sh: OpenSHMEM programs agree with their traces: transfers with their targets, atomics, collective operations, the symmetric
# heap, threads, the oldest names; and the trace is whole where the program dies in shmem_finalize.
. "$(dirname "$0")/../expect.sh"
export TAU_SAMPLING=0	# all rows are counted: those of samples are left out
command -v oshrun >/dev/null || skip_all "no OpenSHMEM is installed"
[ -e "$B/apps/shmrma" ] || skip_all "the OpenSHMEM programs are not built"
export UCX_TLS=self,sm SHMEM_SYMMETRIC_SIZE=16M

# shmem PES NAME: records apps/NAME on that many PEs. Each PE's output in a file, so that lines do not mix.
shmem() {
	rm -rf "$T/$2.run" "$T/$2.io"
	oshrun -np "$1" $(output_apart "$T/$2.io") tau-record -o "$T/$2.run" "$B/apps/$2" >/dev/null 2>"$T/$2.err" </dev/null
	code=$?
	find "$T/$2.io" -name stdout | sort | xargs cat >"$T/$2.out"
}

# good PES NAME: records a program that ends well.
good() {
	shmem "$@"
	is "$2 on $1 PEs ends as without us" "$code" 0
	is "$2 finds its own results right" "$(grep '^BAD' "$T/$2.out")" ""
	is "$2 ran on $1 PEs" "$(grep -c '^EXPECT node [0-9]* region shmem_finalize() calls 1$' "$T/$2.out")" "$1"
	is "$2 leaves no live file, though destructors of OpenSHMEM record after the recorder's" "$(ls "$T/$2.run" | grep -c live)" 0
	expect "$2"
}

export OMPI_MCA_memory=^patcher
good 3 shmrma
good 2 shmatomic
good 4 shmcoll
good 2 shmthread
good 2 shmold
if [ "$(oshrun -np 1 "$B/apps/shmteams" 2>/dev/null </dev/null)" = NONE ]; then
	skip "teams" "this OpenSHMEM is older than 1.5"
else
	good 4 shmteams
	if grep -q '^SPLIT' "$T/shmteams.out"; then
		is "a team is a communicator of its members" "$(tau-dump --only definitions "$T/shmteams.run" |
			sed -n 's/.*define COMM comm=[0-9]* //p' | sort | uniq -c | sed 's/^ *//')" \
			'2 name="PE_start 0 stride 3 PE_size 2" ranks=0, 3'
	else
		skip "a team is a communicator of its members" "this OpenSHMEM declares teams and has none"
	fi
fi

# Calls by thread of PE 0, smallest first. (The library has threads of its own, so the numbers of ours are unknown.)
by_thread() {
	awk -F, -v name="$1" '$2 == 0 && $5 == "timer" && $6 == name { print $8 }' "$T/shmthread.csv" | sort -n | tr '\n' ' '
}
is "each thread has its own calls" "$(by_thread 'shmem_ptr()'), $(by_thread 'shmem_ctx_long_g()')" \
	"10000 10000 10000 10000 , 1 1 1 1 "

tau-dump --only definitions "$T/shmcoll.run" | sed -n 's/.*define COMM comm=[0-9]* //p' >"$T/sets"
is "the two PEs of the active set define it, once each" "$(sort "$T/sets" | uniq -c | sed 's/^ *//')" \
	'2 name="PE_start 0 logPE_stride 1 PE_size 2" ranks=0, 2'

# Only calls of the program count: a lock is made of atomics and gets, an allocation ends in a barrier.
tau-trace2profile --callpath --format csv "$T/shmatomic.run" >"$T/atomic.csv"
is "nothing is recorded inside a lock" "$(grep 'shmem_set_lock() => ' "$T/atomic.csv")" ""
tau-trace2profile --callpath --format csv "$T/shmcoll.run" >"$T/coll.csv"
is "nothing is recorded inside an allocation" "$(grep 'shmem_malloc() => ' "$T/coll.csv")" ""

# One PE ends the job: its status is kept, and so is what all PEs had done.
oshrun -np 2 "$B/apps/shmexit" >/dev/null 2>&1 </dev/null
plain=$?
shmem 2 shmexit
is "shmem_global_exit(3): the job ends as without us" "$code" "$plain"
expect shmexit

# Without the workaround Debian's OpenSHMEM can die inside shmem_finalize, with or without us.
unset OMPI_MCA_memory
for name in shmrma shmold; do
	oshrun -np 2 "$B/apps/$name" >/dev/null 2>&1 </dev/null
	plain=$?
	shmem 2 "$name"
	echo "# $name without the workaround ends with $plain plain and $code recorded"
	is "$name without the workaround: both PEs said their truth" \
		"$(grep -c '^EXPECT node [0-9]* region shmem_finalize() calls 1$' "$T/$name.out")" 2
	expect "$name"
	ok "$name: its files are sound" tau-dump --check "$T/$name.run"
done
tap_end
