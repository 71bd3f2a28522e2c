# helpers.sh: a job that starts its program by a shell, with other commands: the program's processes are compared with each other only.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

cat >work.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "tau.h"

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0.1;
	struct timespec a, b;

	TAU_START("work");
	clock_gettime(CLOCK_MONOTONIC, &a);
	do
		clock_gettime(CLOCK_MONOTONIC, &b);
	while ((double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9 < seconds);
	TAU_STOP("work");
	return 0;
}
END
${CC:-cc} -O1 -I"$TOP/record" -o work work.c || skip_all "no compiler"
cat >job.sh <<'END'
for i in 1 2 3 4; do ls /dev >/dev/null; date >/dev/null; done
./work 0.4 & ./work 1.2 & wait
END
tau-record -w process -o job sh job.sh >/dev/null 2>&1
field() { tau-report "$1" -f json --top 0 job | python3 -c '
import json, sys
for r in json.load(sys.stdin)["rows"]:
    if r.get("region") == "work":
        print(r[sys.argv[1]], 1.3 < r["imbalance"] < 1.6)' "$2"; }
# 1.2 s and 0.4 s: 1.5 times the mean; with the other processes of the job it would be 6.5 times, or more.
is "imbalance: over the two processes of the program" "$(field imbalance threads)" "2 True"
is "profile: the same" "$(field profile compared)" "2 True"
like "threads: both" "$(tau-report threads work job)" 'largest/mean 1\.[3-5]'
tau-report -f csv job | tr -d '\r' >overview
is "the overview has the load balance of the program" "$(awk -F, '$2 == "load balance" { print ($3 > 0.6 && $3 < 0.8) }' overview)" 1
is "and the number of the other processes" "$(awk -F, '$2 == "of other programs" { print ($3 >= 9) }' overview)" 1
like "the overview names the programs, and how many processes run each" "$(grep ',programs,' overview)" '^run,programs,[4-9],count,,"(.*, )?work \(2 processes\)'
like "so does imbalance" "$(tau-report imbalance job)" '^Programs: (.*, )?work \(2 processes\).*\. A region is compared over'
tau-record -o single ./work 0.1 >/dev/null 2>&1
is "a run of one program names none" "$(tau-report single | grep -c programs)$(tau-report imbalance single | grep -c Programs)" 00
is "no process of another program is unlike the others" "$(grep 'unlike others in work' overview)" ""

if command -v mpirun >/dev/null && [ -x "$B/apps/mpiwaits" ]; then
	mpirun -np 2 tau-record -w mpi -o both sh -c "$B/apps/mpiwaits; ls /dev >/dev/null; true" >/dev/null 2>&1
	mpirun -np 2 tau-record -w mpi -o plain "$B/apps/mpiwaits" >/dev/null 2>&1
	is "efficiency: only ranks, not the shells that start them" "$(tau-report efficiency --by rank -f csv both | wc -l | tr -d ' ')" \
		"$(tau-report efficiency --by rank -f csv plain | wc -l | tr -d ' ')"
	pes() { tau-report "$@" -f csv | tr -d '\r' | awk -F, '$2 == "PEs" { print $3 }'; }
	is "the PEs are the ranks, of a trace" "$(pes both) $(tau-report efficiency both | sed -n 2p | grep -o '[0-9]* PEs')" "2 2 PEs"
	tau-trace2profile -o both.ppk both
	tau-db import -d store.db both >/dev/null
	is "of a profile and of a store" "$(pes both.ppk) $(pes --db store.db both)" "2 2"
	mpirun -np 2 tau-record -w mpi,process -o exec sh -c "exec $B/apps/mpiwaits" >/dev/null 2>&1
	is "so are they if the shell becomes the program" "$(pes exec)" 2
else
	skip "ranks that a shell starts" "no MPI"
fi
tau-record -w process -o become sh -c 'exec ./work 0.1' >/dev/null 2>&1
is "a program after exec is the PE that the shell was" "$(tau-report become -f csv | tr -d '\r' | awk -F, '$2 == "PEs" { print $3 }')" 1
tap_end
