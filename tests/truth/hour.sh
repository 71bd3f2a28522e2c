# hour.sh: the overview alone leads to each of four things that are wrong with a program, as the program itself measures them.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
command -v mpirun >/dev/null || skip_all "no MPI is installed"
[ -x "$B/apps/mpihour" ] || skip_all "the program is not built"
# If other programs use the processors, ranks wait because of them, and longer than for what is planted. Then it is recorded again.
for try in 1 2 3; do
	rm -rf run
	mpirun -np 4 tau-record --memory=leaks -o run "$B/apps/mpihour" >out 2>err || { fail "it runs"; cat err; tap_end; }
	tau-report run >text
	sed -n '/^Findings/,$p' text >findings
	grep -q 'shows as late sender' findings && grep -q 'slow instance of update' findings && grep -q 'rank 1 in compute' findings && break
	sed "s/^/# try $try: /" findings
done
# The text of a finding, and its command. Ranks may have several threads: "rank 1" or "thread 1.0".
like "the imbalance and its rank" "$(cat findings)" 'rank 1 in compute makes (ranks 0, 2 and 3|other ranks) wait'
like "the rank that sends late" "$(grep -B1 'shows as late sender' findings)" 'rank 2 in prepare makes (rank 3|ranks 0, 1 and 3) wait'
# Rank 3 may be late itself. What the program measured is what it waited at most; the report, until the send of each message.
late=$(awk '$1 == "late" && $2 == 3 { print $3 }' out)
like "no more than the program measured" "$(tau-report waits --by culprit -f csv run | tr -d '\r' | grep ',in prepare$' |
	sed 's/.*late sender \([0-9.]*\) ms.*/\1/' | awk -v l="$late" '{ print ($1 > 0 && $1 <= 1.01 * l + 10) }')" '^1$'
like "the leak" "$(cat findings)" 'blocks that were never freed'
# The slow step is the longest one that rank 0 measured.
step=$(awk '$1 == "step" && $2 == 0 { print $3 }' out)
ms=$(awk '$1 == "step" && $2 == 0 { print $4 }' out)
like "the slow step and its rank" "$(grep -A1 'slow instance of update' findings)" "number $step on (rank 0|thread 0\.0)"
sed -n 's/^ *\(tau-report .*\)/\1/p' findings >commands
ok "the command of each finding works" sh -e commands
like "one of them has the window of the step" "$(cat commands)" "-w 'update#$step(@0)?'"
tau-report leaks -f csv run >leaks 2>/dev/null
like "the leak has its size" "$(cat leaks)" "$(awk '$1 == "leak" { print $2 }' out)"

# The window of an anomaly contains it.
tau-report anomalies -f csv run | tr -d '\r' >anomalies
window=$(awk -F, -v step="$step" '$1 == "slow instance" && $2 == "update" && $3 == 0 && $6 == step { print $NF }' anomalies)
# Where the machine suspends another rank in the same step, both are one anomaly.
like "the window of the slow step" "$window" "^update#$step(@0)?\$"
is "its time is the program's own" "$(awk -F, -v step="$step" -v ms="$ms" '
	$1 == "slow instance" && $2 == "update" && $3 == 0 && $6 == step { print ($10 <= ms && $10 > ms - 1 - ms / 20) }' anomalies)" 1
is "a profile of the window has the same time" "$(tau-report profile -w "$window" --rank 0 -f csv run | tr -d '\r' |
	awk -F, '$2 == "update" { printf "%.3f", $9 / 1000 }')" \
	"$(awk -F, -v w="$window" '$NF == w { printf "%.3f", $10 }' anomalies)"
is "text has the same anomalies" "$(tau-report anomalies --top 0 run | grep -c '#')" "$(grep -c '#' anomalies)"
tap_end
