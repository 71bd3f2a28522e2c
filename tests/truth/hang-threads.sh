# hang-threads.sh: threads that wait for locks of each other, and PEs of OpenSHMEM that wait for each other, when they are killed.
. "$(dirname "$0")/../expect.sh"
cd "$T" || exit 1

row() { tau-report hang "$1" -f csv 2>/dev/null | tr -d '\r' | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    if (r["ranks"], r["thread"]) == (sys.argv[1], sys.argv[2]): print(r["state"] + ": " + r["waits_for"])' "$2" "$3"; }
first() { tau-report hang "$1" 2>/dev/null | sed -n 2p; }

tau-record --wrap pthread -o locks "$B/apps/hangs" >out 2>err
is "two threads that lock in opposite order" "$(first locks)" "Deadlock: thread 0 and thread 1 wait for each other."
is "... the lock and who has it" "$(row locks 0 0)" "blocked: mutex second, which thread 1 has"
is "... of the other one" "$(row locks 0 1)" "blocked: mutex first, which thread 0 has"
like "a condition that nobody signals" "$(row locks 0 2)" "blocked: condition variable never*"

if [ -e "$B/apps/shmhang" ] && command -v oshrun >/dev/null; then
	timeout -k 5 100 oshrun -np 3 tau-record -o computes "$B/apps/shmhang" >out 2>err
	is "OpenSHMEM: one PE does not come to the barrier" "$(row computes "0, 1" 0)" "waits: rank 2 to enter it"
	like "... and computes" "$(first computes)" "2 threads wait, directly or not, for rank 2, which computes in .TAU application *"
	timeout -k 5 100 oshrun -np 3 tau-record -o waits "$B/apps/shmhang" wait >out 2>err
	is "... it waits for a change of its memory" "$(row waits 2 0)" "blocked: another rank to change memory of this one"
	is "... which the others cannot make" "$(first waits)" "Deadlock: rank 0 and rank 2 wait for each other."
else
	skip "OpenSHMEM" "there is none"
fi
tap_end
