# follow.sh: tau-convert --follow: each event of a run that is being recorded is written once, and none is missing.
. "$(dirname "$0")/../tap.sh"
export TAU_SAMPLING=0	# all rows are counted: those of samples are left out
cd "$T" || exit 1

. "$TOP/tests/grows.sh"
steps() { grep -c '"kind":"enter","name":"step ' "$1"; }
# What happens, thread by thread: times may differ a little, as the rate of the clock is known better at the end.
events() { cut -d, -f1,2,4- "$1" | sort -s -t, -k1,1n -k2,2n; }
falls() { awk -F, 'NR > 1 { if ($3 < t[$1, $2]) n++; t[$1, $2] = $3 } END { print n + 0 }' "$1"; }

begin run
tau-convert --follow run live.json 3>&- 2>json.err &
json=$!
tau-convert --follow --to csv run - >live.csv 2>csv.err 3>&- &
csv=$!
feed 100 2000
until [ "$(steps live.json)" -ge 4220 ]; do sleep 0.05; done
is "while it runs, the steps that the program has printed" "$(steps live.json)" "$(tail -n 1 out)"
is "calls that are open are not closed" "$(grep -c '"kind":"leave","name":"main ' live.json)" 0
feed 60000 90000 5
exec 3>&-
wait $recorder
wait $json; is "it ends with the run" $? 0
wait $csv; is "as CSV, too" $? 0
tau-convert run end.csv
is "each step once" "$(steps live.json)" "$(tail -n 1 out)"
ok "the events are those of the trace" test "$(events live.csv | cksum)" = "$(events end.csv | cksum)"
is "as many lines as objects" "$(wc -l <live.json)" "$(($(wc -l <end.csv) - 1))"
is "times of a thread never fall" "$(falls live.csv)" 0
ok "each line is an object" python3 -c 'import json
for l in open("live.json"): json.loads(l)["time_ns"]'
tau-convert --follow run over.csv
ok "of a run that is over it writes the same" test "$(events over.csv | cksum)" = "$(events end.csv | cksum)"
is "only thread 1" "$(tau-convert --follow --thread 1 run - | grep -o '"thread":[0-9]*' | sort -u)" '"thread":1'

# The reader closes the pipe; the program is killed.
begin killed
tau-convert --follow killed live.csv 3>&- 2>csv.err &
csv=$!
(tau-convert --follow killed - 3>&- 2>pipe.err; echo $? >pipe.code) | head -n 1 >first
is "a reader that closes the pipe ends it quietly" "$(cat pipe.code) $(cat pipe.err)" "0 "
feed 5000 70
kill -KILL "$(pgrep -P $recorder grows)"
wait $recorder 2>/dev/null
wait $csv; is "it ends with a program that is killed" $? 0
exec 3>&-
tau-convert killed end.csv 2>/dev/null
ok "and has all of its events" test "$(events live.csv | cksum)" = "$(events end.csv | cksum)"
is "as many steps as it printed" "$(grep -c ',enter,"\{0,1\}step ' live.csv)" "$(tail -n 1 out)"

# Calls that are folded leave the chunk that is being written.
begin folded --fold 100
tau-convert --follow folded live.csv 3>&- 2>csv.err &
csv=$!
feed 300 60000 100
exec 3>&-
wait $recorder
wait $csv
tau-convert folded end.csv 2>/dev/null
ok "with --fold the events are those of the trace" test "$(events live.csv | cksum)" = "$(events end.csv | cksum)"
begin flight --flight 1MB
like "with --flight it is refused" "$(tau-convert --follow flight - 2>&1 3>&-; echo $?)" \
	'flight: --flight removes events while it records, so the run cannot be followed'
exec 3>&-
wait $recorder

# Two ranks.
if command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
	cat >ring.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, v = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 300; i++) {
		if (i == 150 && rank)
			usleep(1500000); /* several looks see what rank 0 waits for, which is no event */
		MPI_Sendrecv_replace(&v, 1, MPI_INT, !rank, 7, !rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		usleep(1000);
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
	tau-convert --follow ranks live.csv
	wait $mpi
	tau-convert ranks end.csv
	is "sends of each rank" "$(awk -F, '$4 == "send" { n[$1]++ } END { print n[0], n[1] }' live.csv)" "300 300"
	ok "the events are those of the trace of two ranks" test "$(events live.csv | cksum)" = "$(events end.csv | cksum)"
	is "times of ranks never fall" "$(falls live.csv)" 0
else
	skip "two ranks" "no MPI"
fi

like "a window from then on is refused" "$(tau-convert --follow --window 1s: run - 2>&1)" 'the window is last=TIME'
like "another format is refused" "$(tau-convert --follow --to ppk run - 2>&1)" "'ppk' is not json, csv or otf2"
for out in odd.xyz run.ppk; do
	is "an ending of no format: $out" "$(tau-convert --follow run $out 2>&1; echo $?; ls $out 2>/dev/null)" \
		"tau-convert: $out: no format has the ending '.${out#*.}': name one with --to
2"
done
like "a wrong ending" "$(tau-convert --follow run odd.jsn 2>&1)" "odd.jsn: no format has the ending '.jsn': name one with --to; did you mean 'json'?"
is "--to goes before the ending" "$(tau-convert --follow --to json run odd.xyz 2>/dev/null; head -c 1 odd.xyz)" '{'
like "anything but a run is refused" "$(tau-convert --follow out - 2>&1)" 'out: --follow: this is not a run of tau-record'
tap_end
