# hang.sh: programs that hang in each kind of wait and are killed, or looked at while they hang: who waits for whom, and for what.
. "$(dirname "$0")/../mpis.sh"
all=$(mpis mpihang)
[ "$all" ] || skip_all "no MPI is installed, or its programs are not built"

# hang KIND N: records it on N ranks; each is killed after 2 s. Its report is in the file `said`, its rows in `rows`.
hang() {
	rm -rf "$1"
	ranks "$2" tau-record --wrap mpi -o "$1" "$apps/mpihang" "$1" >out 2>err
	tau-report hang "$1" >said 2>&1
	tau-report hang "$1" -f csv 2>/dev/null | tr -d '\r' >rows
}
# has TEXT: the first sentence of the report.
first() { sed -n 2p said; }
# of RANKS: "STATE: WAITS FOR" of the row of these ranks' first threads
of() { awk -F, -v ranks="$1" 'NR > 1 { gsub(/"[^"]*"/, "&") } { print }' rows | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    if r["ranks"] == sys.argv[1] and r["thread"] == "0": print(r["state"] + ": " + r["waits_for"])' "$1"; }

for mpi in $all; do
mpi_with "$mpi"

hang ring 2
is "two ranks that receive first wait for each other" "$(first)" "Deadlock: rank 0 and rank 1 wait for each other."
is "... each for a message of the other" "$(of "0, 1")" "blocked: a message from rank + 1, tag 7"
ms=$(tail -n 1 rows | python3 -c 'import csv, sys; print(int(float(list(csv.reader(sys.stdin))[0][4])))')
is "... for the time up to the kill" "$(awk -v ms="$(awk -F, '/blocked/ { v = $6 } END { print v }' rows | tr -d '"')" 'BEGIN { print (ms > 1500 && ms < 20000) ? "" : ms }')" ""
tau-report profile -f csv ring 2>/dev/null | tr -d '\r' >profile
is "their time in MPI_Recv is in the profile" "$(awk -F, '/MPI_Recv/ { print ($2 > 3000 || $3 > 3000) ? "yes" : $0 }' profile)" yes

tau-report ring >overview 2>&1
is "it is the first finding of the overview" "$(grep -A2 '^  1\. it hangs' overview | sed 's/^ *//' | tail -n 2 | tr '\n' ' ')" "deadlock: rank 0 and rank 1 wait for each other tau-report hang ring "

hang ring 4
is "a ring of four" "$(first)" "Deadlock: rank 0, rank 1, rank 2 and rank 3 each wait for the next, and the last for the first."
is "... is one row" "$(of 0-3)" "blocked: a message from rank + 1, tag 7"

hang sends 3
is "sends that nobody receives" "$(of 0-2)" "blocked: rank + 1 to receive, tag 9"

hang tag 2
is "a message with another tag is named" "$(grep -c 'rank 0 waits for tag 7; a message to it with tag 8 was sent and not received' said)" 1

hang waitall 3
is "MPI_Waitall: each waits for the next" "$(first)" "Deadlock: rank 0, rank 1 and rank 2 each wait for the next, and the last for the first."
is "... for one of its messages" "$(of 0-2 | grep -c 'a message from rank + 1, tag 3')" 1

hang waitany 2
is "MPI_Waitany: one of two would do" "$(of "0, 1")" "blocked: a message from rank + 1, tag 3; or a message from any rank, tag 4"

hang missing 4
is "one rank is missing in a collective operation" "$(first | cut -d, -f1-3)" "3 threads wait, directly or not, for rank 3"
is "... and named in the row" "$(of 0-2)" "waits: rank 3 to enter it"

hang begun 3
is "an operation that another call began" "$(of "0, 1")" "blocked: rank 2 to enter barrier"
is "... and the rank that did not enter it" "$(of 2)" "blocked: a message from rank 0, tag 5"

hang comms 4
is "in one of two communicators" "$(first)" "Deadlock: rank 0 and rank 1 wait for each other."
is "... the others wait for them" "$(of "2, 3")" "blocked: ranks 0, 1 to enter it"

hang split 3
is "a communicator is made without one rank" "$(of "1, 2")" "blocked: rank 0 to enter it"

hang winfree 3
is "a window is freed without one rank" "$(of "1, 2" | cut -d, -f1)" "blocked: rank 0 to enter it"

hang probe 2
is "MPI_Probe" "$(of "0, 1")" "blocked: a message from rank + 1, tag 6"

hang sendrecv 2
is "MPI_Sendrecv" "$(of "0, 1" | cut -d';' -f1)" "blocked: a message from rank + 1, tag 2"

hang slow 4
is "a chain behind a slow rank is no deadlock" "$(grep -c Deadlock said)" 0
is "... all wait for it" "$(first | cut -d, -f1-3)" "3 threads wait, directly or not, for rank 3"

# ---- while it hangs ----

rm -rf live
ranks 2 tau-record --wrap mpi -o live "$apps/mpihang" ring 40 >out 2>err &
for i in $(seq 100); do
	sleep 0.1
	tau-report hang live >look 2>/dev/null
	grep -q Deadlock look && break
done
is "a run that hangs is looked at while it does" "$(sed -n 2p look)" "Deadlock: rank 0 and rank 1 wait for each other."
# A sample that is written meanwhile does not hide what a rank waits for.
is "whenever it is looked at" "$(for i in $(seq 60); do tau-report hang live 2>/dev/null | sed -n 2p; done | sort -u)" "Deadlock: rank 0 and rank 1 wait for each other."
is "its processes are on this host: no column has the time since their last record" "$(tau-report hang -f csv live 2>/dev/null | grep -c age_ms)" 0
pkill -KILL -f "mpihang ring 40"
wait

# ---- the same, as another host sees it; samples are records, so there are none ----

cat >other.c <<'END'
/* uname() returns another name of this host. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/utsname.h>
int uname(struct utsname *u)
{
	int code = ((int (*)(struct utsname *))dlsym(RTLD_NEXT, "uname"))(u);
	strcpy(u->nodename, "another");
	return code;
}
END
if ${CC:-cc} -shared -fPIC other.c -o other.so -ldl 2>/dev/null; then
	rm -rf other
	begun=$(date +%s%N)
	ranks 2 tau-record --sample=none --wrap mpi -o other "$apps/mpihang" ring 41 >out 2>err &
	for i in $(seq 100); do
		sleep 0.1
		tau-report hang other 2>/dev/null | grep -q Deadlock && break
	done
	age() { LD_PRELOAD=$PWD/other.so tau-report hang -f csv other 2>/dev/null | python3 -c '
import csv, sys
rows = [r for r in csv.DictReader(l for l in sys.stdin if l[0] != "#") if r["state"] == "blocked"]
print(max(float(r["age_ms"]) for r in rows))'; }
	before=$(age)
	sleep 1
	after=$(age)
	all=$(awk -v begun="$begun" -v now="$(date +%s%N)" 'BEGIN { print (now - begun) / 1e6 }')
	ok "seen from another host, the last record was $before ms ago, 1 s later $after, of $all" \
		awk -v before="$before" -v after="$after" -v all="$all" 'BEGIN { exit !(before > 0 && after >= before + 1000 && after < all) }'
	like "... which a sentence describes" "$(LD_PRELOAD=$PWD/other.so tau-report hang other 2>/dev/null | tr '\n' ' ')" \
		'2 threads are on other hosts, where they may still run'
	pkill -KILL -f "mpihang ring 41"
	wait
fi

# ---- a run that ended ----

ranks 2 tau-record --wrap mpi -o good "$apps/mpihang" >out 2>err
is "a run that ended well does not hang" "$(tau-report hang good | sed -n 2p)" "All processes have ended; no thread waits."
tau-dump --check ring >checked 2>&1 && pass "the traces are correct" || { fail "the traces are correct"; cat checked; }
done
tap_end
