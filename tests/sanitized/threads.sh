# threads.sh: threads that meet, in the readers and in the recorder, under the thread sanitizer, and the recorder's memory under
# that of addresses, while the programs print themselves what must have been recorded:
#
#   address   its library is loaded before the recorder, so the recorder's own memory is checked as well
#   threads   its library is loaded after the recorder, so that it sees the threads that the wrapper of threads makes
. "$(dirname "$0")/../sanitize.sh"

# ---- the offline half: threads that read streams side by side ----
R=$B/tsan
ok "the readers build with the thread sanitizer" build "$R" -fsanitize=thread "$R/tau-trace2profile" "$R/tests/unit/windows" "$R/tests/unit/messages_parts"
export TSAN_OPTIONS=halt_on_error=1:exitcode=66
ok "threads: random programs and windows" "$R/tests/unit/windows"
ok "threads: passes of a part of the streams" "$R/tests/unit/messages_parts"
side_by_side() {	# name run options...
	what=$1 run=$2; shift 2
	"$R/tau-trace2profile" -j 4 --callpath "$@" -f csv -o "$T/beside.csv" "$run" 2>"$T/beside.err"
	is "threads: $what" "$? $(grep -A 15 'ThreadSanitizer' "$T/beside.err" | sed 's/^/#   /')" "0 "
}
tau-record -o "$T/side.run" "$B/apps/threads" >/dev/null 2>&1 && side_by_side "streams" "$T/side.run" -w : -w 20%:70%
tau-record --sample --unwind -o "$T/sampled.run" "$B/apps/sampled" shares >/dev/null 2>&1 && side_by_side "samples" "$T/sampled.run"
[ ! -e "$B/apps/mpip2p" ] || mpirun --allow-run-as-root --oversubscribe -np 4 tau-record --wrap mpi,memory -o "$T/side.mpi" \
	"$B/apps/mpip2p" >/dev/null 2>&1
[ ! -d "$T/side.mpi" ] || side_by_side "messages, memory and instances" "$T/side.mpi" -w : -w 'MPI_Send#1..2' --rank 0..2
for d in "$DATA"/otf2/*/; do
	[ ! -d "$d" ] || side_by_side "$(basename "$d")" "$d" --slices 3
done

# ---- the recorder: addresses ----
A=$B/asan-record
ok "the recorder builds with the address sanitizer" build "$A" -fsanitize=address "$A/libtau.so"
cp "$B/tau-record" "$A"
PATH=$A:$PATH
library=$(${CC:-cc} -print-file-name=libasan.so)
export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0
for p in api hooks hookscc threads forks; do
	record $p env LD_PRELOAD="$library:$A/libtau.so" "$B/apps/$p"
	is "addresses in the recorder: $p ends as it should" "$code" 0
	grep -A 12 'AddressSanitizer' "$T/$p.err" | sed 's/^/#   /'
	expect $p
done

# ---- the recorder: threads ----
# Not here: sampling, whose handler, at any moment, would call the sanitizer inside itself; handlers that interrupt a loop without
# system calls, which it holds back for ever; callers of jumps, which need calls in tail position that it makes ordinary ones.
# The gate is a word that all threads look at without a lock; an old value does no harm.
R=$B/tsan-record
ok "the recorder builds with the thread sanitizer" build "$R" -fsanitize=thread "$R/libtau-pthread.so"
cp "$B/tau-record" "$R"
PATH=$R:$PATH
echo 'race:^tau_gate$' >"$T/known"
export TSAN_OPTIONS="suppressions=$T/known"
behind="env LD_PRELOAD=$R/libtau-pthread.so:$R/libtau.so:$(${CC:-cc} -print-file-name=libtsan.so)"
while IFS='|' read -r truth options program; do
	# shellcheck disable=SC2086
	record threads $options $behind "$B/apps/"$program
	is "threads in the recorder: $options $program" "$code $(grep -c 'WARNING: ThreadSanitizer' "$T/threads.err")" "0 0"
	grep -A 25 'ThreadSanitizer' "$T/threads.err" | head -n 60 | sed 's/^/#   /'
	[ "$truth" = some ] || expect threads
done <<-END
	all||threads 16
	all||crowd 20 100 1000
	some||jumps loop
	all||jumps coroutines
	all||forks
	all|--fold 5|crowd 3 50 6000
	some|--throttle|crowd 3 50 30000
	some|--budget 3|crowd 3 50 30000
	some|--flight 300K|crowd 3 50 30000
	some|--max-size 100K|crowd 3 50 30000
	some|--delay 10ms --duration 30ms|crowd 3 50 30000
END
tap_end
