# unmarked.sh: the overview of a program without hooks and marks, recorded with the defaults, leads to each of its faults.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
command -v mpirun >/dev/null || skip_all "no MPI is installed"
[ -x "$B/apps/mpisteps" ] || skip_all "the program is not built"

# If other programs use the processors, waits for messages and steps that become slower can cost more than what is planted. Then it is
# recorded again. Times of ranks without a slow step show how busy the machine is: then a step of them takes several times its 5 ms.
for try in 1 2 3 4 5; do
	rm -rf run
	quiet=0
	mpirun -np 4 tau-record -o run "$B/apps/mpisteps" >out 2>err || { fail "it runs"; cat err; tap_end; }
	tau-report run >text
	sed -n '/^Findings/,$p' text >findings
	awk '$1 == "slow" && $2 != 1 && $4 > 20 { busy = 1 } END { exit busy }' out && quiet=1
	grep -q 'slow iteration' findings && grep -q 'shows as .*late sender' findings && [ $quiet = 1 ] && break
	sed "s/^/# try $try: /" out findings
done
like "the rank that sends late, and who waits" "$(grep -B1 'shows as .*late sender' findings)" 'rank 0 before MPI_Send\(\) makes (rank 1|ranks 1, 2 and 3) wait'
like "samples of CPU time" "$(sed -n '/^Samples/,/^$/p' text)" '^  samples +[0-9]+ +one per 1[0-9.]+ ms of CPU time'
like "the memory that is kept, its rank and its function" "$(grep -A1 'memory that rises until the end' findings)" \
	'rank 3 from .* in the second half of its time, most from (keep|main) \[mpisteps\.mpi\.c:'
# The bytes of the second half: 40 of the 80 blocks, if all steps take equally long.
bytes=$(tau-report -f csv run | tr -d '\r' | awk -F, '$1 == "findings" && $2 == "memory that rises until the end" { print $3 }')
is "its bytes are about half of what the program kept" "$(awk -v b="$bytes" '$1 == "kept" { print (b > 0.2 * $3 && b < 0.8 * $3) }' out)" 1
like "the command shows the function" "$(sh -c "$(sed -n 's/^ *\(tau-report memory .*\)/\1/p' findings)")" '(keep|main) \[.*mpisteps\.mpi\.c.*80'

if [ $quiet = 1 ]; then
	# The work of a step is between the MPI_Allreduce() of the step before and its own. Other work on the machine may make other steps slow,
	# too: then the worst one in the overview is another one.
	step=$(awk '$1 == "slow" && $2 == 1 { print $3 }' out)
	ms=$(awk '$1 == "slow" && $2 == 1 { print $4 }' out)
	window="iter(MPI_Allreduce)=$((step - 1))"
	like "a slow step is a finding" "$(grep -A1 'slow iteration between calls of MPI_Allreduce' findings)" 'number [0-9]+ on (rank|thread) [0-9.]+: '
	like "its command shows where time goes on each rank" "$(sh -c "$(grep -A2 'slow iteration' findings | sed -n 's/^ *\(tau-report .*\)/\1/p')")" \
		'^Exclusive time by rank'
	tau-report anomalies -f csv run | tr -d '\r' >anomalies
	is "the planted one is a row, with its rank and time" "$(awk -F, -v w="$window" -v ms="$ms" '
		$NF == w && $3 == 1 { print ($10 >= ms && $10 < ms + 1 + ms / 20) }' anomalies)" 1
	is "rank 1 works longest in its window" "$(tau-report profile --by rank -w "$window" -f csv run | tr -d '\r' | grep '^[0-9]' |
		sort -t, -k10,10gr | awk -F, 'NR == 1 { print $1, $11 }')" "1 .TAU application"
else
	skip "the slow step" "other programs use the processors"
fi

mpirun -np 4 tau-record -o plain "$B/apps/mpisteps" plain >out 2>err || { fail "it runs without faults"; cat err; tap_end; }
is "without faults no memory rises" "$(tau-report plain | grep -c 'rises')" 0
tap_end
