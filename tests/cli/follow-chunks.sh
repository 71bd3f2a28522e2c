# follow-chunks.sh: tau-convert --follow --to otf2: OTF2 archives, one for each span of time of a run that is being recorded.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
command -v otf2-print >/dev/null || skip_all "otf2-print is not installed"
[ -z "$TAU_TEST_INSIDE" ] || skip_all "its many archives take too long with a sanitizer"

. "$TOP/tests/grows.sh"
wait_for() { for i in $(seq 600); do eval "$1" && return; sleep 0.05; done; }
each() { for c in "$1"/chunk.*; do
	otf2-print "$c/traces.otf2" >/dev/null 2>print.err && ! [ -s print.err ] || { echo "$c"; cat print.err; }
done; }
# Calls of step() in archives; regions that were open before are no calls.
entered() { for c in "$@"; do
	otf2-print "$c/traces.otf2" | awk '/^ENTER .*"step / { n++; of = 1; next } of && /open before/ { n-- } { of = 0 } END { print n + 0 }'
done | awk '{ n += $1 } END { print n }'; }

cat >sums.py <<'END'
# sums.py RUN CHUNK...: rows of threads whose calls differ, or whose times do by more than 1 us per chunk; then the number of rows
import csv, io, subprocess, sys
def rows(path):
    text = subprocess.run(["tau-trace2profile", "--format", "csv", path], capture_output=True, text=True).stdout
    return csv.DictReader(io.StringIO(text))
sums = [{}, {}]
for path in sys.argv[1:]:
    for r in rows(path):
        for f in ("calls", "exclusive_us", "inclusive_us"):
            if r["kind"] == "timer":
                of = sums[path != sys.argv[1]]
                key = r["node"], r["thread"], r["name"], f
                of[key] = of.get(key, 0) + float(r[f])
if sys.argv[1] in sys.argv[2:]: sums[1] = sums[0]
for key in sorted(set(sums[0]) | set(sums[1])):
    a, b = (s.get(key, -1) for s in sums)
    if abs(a - b) > (0 if key[3] == "calls" else len(sys.argv)): print(key, a, b)
print(len(sums[0]))
END

begin run
tau-convert --follow --every 100ms run live.otf2 3>&- 2>chunks.err &
chunks=$!
feed 100 2000 50000
ok "archives appear while the program runs" wait_for '[ -d live.otf2/chunk.0003 ]'
wait_for '[ -d live.otf2/chunk.0010 ]'
# The first that has calls: otf2-print takes its time, and the run goes on meanwhile.
for c in live.otf2/chunk.000?; do some=$(entered "$c"); [ "$some" = 0 ] || break; done
ok "which have calls" test "$some" -gt 0
ok "it still runs" kill -0 $recorder
feed 60000 90000 5
exec 3>&-
wait $recorder
wait $chunks; is "it ends with the run" $? 0
is "otf2-print reads each archive" "$(each live.otf2)" ""
is "calls and times of all archives are those of the run" "$(python3 sums.py run live.otf2/chunk.*)" "$(python3 sums.py run run)"
is "the calls are those that the program has counted" "$(entered live.otf2/chunk.*)" "$(tail -n 1 out)"
stamps() { otf2-print -L 0 live.otf2/chunk.0002/traces.otf2 | awk '/^(ENTER|LEAVE)/ { print $1, $3 }'; }
is "what is open is entered at the begin of an archive" "$(stamps | head -n 2 | tr '\n' ' ')" "ENTER 100000000 ENTER 100000000 "
is "and left at its end" "$(stamps | tail -n 2 | tr '\n' ' ')" "LEAVE 200000000 LEAVE 200000000 "
tau-convert --follow --to otf2 --every 1s run over
is "of a run that is over it writes the same" "$(python3 sums.py run over/chunk.*)" "$(python3 sums.py run run)"
tau-convert --follow --to otf2 --every 1s --thread 1 run side
is "of one thread" "$(tau-trace2profile --format csv side/chunk.0001 | awk -F, 'NR > 1 { print $4 }' | sort -u)" 1

# From the last seconds on; a signal ends it.
begin last
sleep 1
tau-convert --follow --to otf2 --every 200ms --window last=300ms last tail 3>&- 2>tail.err &
chunks=$!
feed 700 800
ok "with --window last=TIME there are archives, too" wait_for '[ -d tail/chunk.0002 ]'
ok "the first one begins TIME before the first look" test "$(otf2-print -L 0 tail/chunk.0001/traces.otf2 | awk '/^ENTER/ { print $3; exit }')" -gt 500000000
feed 900
kill -INT $chunks
wait $chunks; is "SIGINT ends it" $? 0
is "the last archive has what was recorded by then" "$(entered tail/chunk.*)" 4800
is "otf2-print reads them" "$(each tail)" ""
is "nothing else is left" "$(ls tail | grep -v '^chunk.[0-9]*$')" ""
exec 3>&-
wait $recorder

# Killed; folded.
begin killed
tau-convert --follow --to otf2 --every 100ms killed ends 3>&- 2>ends.err &
chunks=$!
feed 5000 70
kill -KILL "$(pgrep -P $recorder grows)"
wait $recorder 2>/dev/null
wait $chunks; is "it ends with a program that is killed" $? 0
exec 3>&-
is "with all of its calls" "$(python3 sums.py killed ends/chunk.*)" "$(python3 sums.py killed killed)"
begin folded --fold 100
tau-convert --follow --to otf2 --every 100ms folded folds 3>&- 2>folds.err &
chunks=$!
feed 300 60000 100
exec 3>&-
wait $recorder
wait $chunks
tau-convert --to otf2 folded whole 2>/dev/null
is "with --fold the archives have what an archive of the whole run has" "$(python3 sums.py whole folds/chunk.* | grep calls)" ""

# Two ranks.
if command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
	cat >ring.c <<'END'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, v = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 300; i++) {
		MPI_Sendrecv_replace(&v, 1, MPI_INT, !rank, 7, !rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		usleep(2000);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
END
	mpicc -O1 ring.c -o ring
	OMPI_MCA_memory=^patcher mpirun -n 2 tau-record -o ranks ./ring >out 2>err &
	mpi=$!
	until tau-monitor --once ranks >/dev/null 2>&1; do sleep 0.05; done
	tau-convert --follow --to otf2 --every 100ms ranks pair
	wait $mpi
	is "calls and times of two ranks" "$(python3 sums.py ranks pair/chunk.*)" "$(python3 sums.py ranks ranks)"
	is "each message once" "$(for c in pair/chunk.*; do otf2-print $c/traces.otf2; done | grep -c '^MPI_RECV')" 600
	is "otf2-print reads them" "$(each pair)" ""
else
	skip "two ranks" "no MPI"
fi

like "an existing directory is refused" "$(tau-convert --follow --to otf2 run over 2>&1)" 'over: File exists'
like "a stream is refused" "$(tau-convert --follow --to otf2 run - 2>&1)" '-: OTF2 archives are directories, not one file'
like "--every is for archives" "$(tau-convert --follow --every 1s run x.csv 2>&1)" '--every is for --follow --to otf2'
like "a time is checked" "$(tau-convert --follow --to otf2 --every 1ms run x 2>&1)" "--every: '1ms' is not a time of 10ms or more; .*, such as 10s"
tap_end
