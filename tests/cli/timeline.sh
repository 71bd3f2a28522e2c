# timeline.sh: tau-report timeline against the profile of the same run, as both add up the same time.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

# "PLACE GROUP MS" of the cells, and of the profile without the region around all others.
cells() {
	tau-report timeline -f csv "$@" 2>/dev/null | tr -d '\r' | awk -F, 'NR > 1 { s[$1 " " $4] += $5 }
		END { for (k in s) printf "%s %.6f\n", k, s[k] }' | sort
}
profile() {	# "pe" or "thread": what the first word is
	place=$1
	shift
	tau-trace2profile -f csv "$@" 2>/dev/null | python3 -c '
import csv, sys
sums = {}
for r in csv.DictReader(sys.stdin):
    if r["kind"] == "timer" and r["name"] != ".TAU application" and float(r["exclusive_us"]) > 0:
        key = (r["node"] + ("." + r["thread"] if sys.argv[1] == "thread" else "")), r["group"].split("|")[0]
        sums[key] = sums.get(key, 0) + float(r["exclusive_us"]) / 1000
for key, ms in sums.items():
    print(*key, "%.6f" % ms)' "$place" | sort
}

[ -x "$B/apps/threads" ] || skip_all "the programs are not built"
tau-record -o threads "$B/apps/threads" >/dev/null 2>&1
# A process of one thread has no number of it.
threads() { cells "$@" threads | sed 's/^\([0-9]*\) /\1.0 /'; }
is "threads: cells add up to the profile" "$(threads)" "$(profile thread threads)"
is "in a window" "$(threads -w 25%:75%)" "$(profile thread -w 25%:75% threads)"
is "cells follow each other without a gap" "$(tau-report timeline -f csv threads | tr -d '\r' | awk -F, '
	NR > 1 && $1 == place && $2 != begin { bad += $2 < end - 1e-9 }
	NR > 1 { place = $1; begin = $2; end = $3 } END { print bad + 0 }')" 0
is "each row of text has 64 cells" "$(tau-report timeline threads | awk '$1 ~ /^[0-9.]+$/ && NF == 2 { print length($2) }' | sort -u)" 64
like "a letter stands for a group" "$(tau-report timeline threads)" '^[A-Z] [A-Z_]+$'
for by in group region; do
	ok "the picture by $by is XML" sh -c "tau-report timeline --by $by -f svg threads | xmllint --noout -"
done
for a in sstmacro-10 stencil4d-32; do
	if [ -d "$DATA/otf2/$a" ]; then
		is "$a: a row for each PE" "$(tau-report timeline "$DATA/otf2/$a" | grep -cE '^[0-9]+  ')" "${a##*-}"
		is "$a: cells add up to the profile" "$(cells "$DATA/otf2/$a" | awk '{ s += $3 } END { printf "%.3f\n", s }')" \
			"$(profile pe "$DATA/otf2/$a" | awk '{ s += $3 } END { printf "%.3f\n", s }')"
	else
		skip "$a" "no recorded data"
	fi
done
if command -v mpirun >/dev/null && [ -x "$B/apps/mpiwaits" ]; then
	mpirun -np 2 tau-record --wrap mpi -o waits "$B/apps/mpiwaits" >/dev/null 2>&1
	like "messages are lines" "$(tau-report timeline -f svg waits)" 'lines: messages'
	# 800 messages within milliseconds of a second: not all lines are drawn, because they would cover the rows.
	cat >many.c <<'C'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, v = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 400; i++)
		MPI_Sendrecv_replace(&v, 1, MPI_INT, !rank, 0, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	usleep(1000000);
	MPI_Finalize();
}
C
	mpicc -O1 many.c -o many && mpirun -np 2 tau-record --wrap mpi -o many.run ./many >/dev/null 2>&1
	tau-report timeline -f svg -o many.svg many.run
	drawn=$(grep -c '^<path d="M[0-9. ]*L[0-9. ]*"/>$' many.svg)
	is "no sentence of the picture has lost its middle" "$(grep -c '…' many.svg)" 0
	like "of many messages the lines that can be distinguished" "$(cat many.svg)" ">$drawn of 800 lines are drawn, others are too close to them<"
	ok "they are few: $drawn" [ "$drawn" -gt 0 ] && [ "$drawn" -lt 300 ]
else
	skip "messages" "no MPI"
fi
# A program without regions: samples show which function ran when.
cat >plain.c <<'C'
#include <time.h>
static double used(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }
static volatile double sink;
__attribute__((noinline)) static void early(int n) { for (int i = 0; i < n; i++) sink += i * 0.5; }
__attribute__((noinline)) static void late(int n) { for (int i = 0; i < n; i++) sink += i * 0.25; }
int main(void)
{
	while (used() < 0.4) early(100000);
	while (used() < 0.8) late(100000);
	return 0;
}
C
${CC:-cc} -O1 -g -o plain plain.c && tau-record -o plain.run ./plain >/dev/null 2>&1
tau-report timeline --by region --cells 10 -f csv plain.run >plain.csv
is "no regions: samples have the time of the profile" "$(awk -F, 'NR > 1 { s += $5 } END { printf "%.3f\n", s }' plain.csv)" \
	"$(tau-report profile --samples -f csv plain.run | python3 -c 'import csv, sys; print("%.3f" % (sum(float(r["exclusive_us"]) for r in csv.DictReader(sys.stdin)) / 1000))')"
is "the first and the last function, where each ran" "$(python3 -c '
import csv
first = {}; last = {}
for r in csv.DictReader(open("plain.csv")):
    first.setdefault(r["region"], float(r["begin_ms"])); last[r["region"]] = float(r["begin_ms"])
print(first["early"] < first["late"], last["early"] < last["late"], min(first, key=first.get) != "late")')" "True True True"
like "which the report states" "$(tau-report timeline plain.run)" '^No region was recorded here: rows consist of samples of CPU time\.$'
tau-report timeline -f svg -o plain.svg plain.run
ok "its picture is XML" xmllint --noout plain.svg
# Functions in samples, of a run with regions: in all of it, and in one region.
cat >marked.c <<'C'
#include "tau.h"
#define main plain_main
#include "plain.c"
#undef main
int main(void)
{
	while (used() < 0.4) early(100000);
	TAU_START("second");
	while (used() < 0.8) late(100000);
	TAU_STOP("second");
	return 0;
}
C
${CC:-cc} -O1 -g -I"$TOP/record" -o marked marked.c && tau-record -o marked.run ./marked >/dev/null 2>&1
functions() { tau-report timeline --by function --cells 10 -f csv "$@" marked.run; }
is "functions in samples have the time of the profile" "$(functions | awk -F, 'NR > 1 { s += $5 } END { printf "%.3f\n", s }')" \
	"$(tau-report profile --samples -f csv marked.run | python3 -c 'import csv, sys; print("%.3f" % (sum(float(r["exclusive_us"]) for r in csv.DictReader(sys.stdin)) / 1000))')"
is "those of the program are there" "$(functions | cut -d, -f4 | grep -xE 'early|late' | sort -u | tr '\n' ' ')" "early late "
is "of one region, its own" "$(functions --inside second | cut -d, -f4 | grep -xE 'early|late' | sort -u | tr '\n' ' ')" "late "
is "not that there are no regions" "$(tau-report timeline --by function marked.run | grep -c 'No region was')" 0
tau-record --sample=none -o none.run ./marked >/dev/null 2>&1
tau-report timeline --cells 10 -f svg -o ten.svg marked.run
tau-report timeline -f svg -o many.svg marked.run
is "a picture of few cells is as wide as one of many" "$(xmllint --xpath 'string(/*/@width)' ten.svg) $(python3 -c '
import re
print(max(float(x) for x in re.findall(r"<text x=\"([0-9.]+)\"", open("ten.svg").read())) > 900)')" "$(xmllint --xpath 'string(/*/@width)' many.svg) True"
is "a run without samples has none" "$(tau-report timeline --by function none.run 2>&1; echo $?)" "tau-report: none.run: it contains no samples
3"
is "regions that were asked for have no samples instead" "$(tau-report timeline --region nothing plain.run >/dev/null 2>err; echo $?)" 3

# Marks, times without recording, ends by a signal, and iterations.
tau-record --sample=none -o moments.run "$B/apps/moments" >/dev/null 2>&1
moments() { tau-report timeline --by moment -f csv "$@" moments.run | tr -d "\r"; }
is "a snapshot, a time without recording, a signal" "$(moments | cut -d, -f1-4 | tr '\n' ' ')" \
	"pe,kind,name,number 0,snapshot,fifth,1 0,recording off,,0 0,signal,SIGTERM,15 "
is "the time without is that of the profile" "$(moments | awk -F, '/off/ { printf "%.6f\n", $6 - $5 }')" \
	"$(tau-report profile -f csv moments.run | python3 -c 'import csv, sys; print("%.6f" % (sum(float(r["exclusive_us"]) for r in csv.DictReader(sys.stdin) if r["region"].startswith("MEASUREMENT OFF")) / 1000))')"
eval "$(moments | awk -F, '/off/ { printf "from=%.0f to=%.0f\n", $5 * 1e6, $6 * 1e6 }')"
is "in a window, its part" "$(moments -w "$(((from + to) / 2))ns:$((to + 1000))ns" | sed 1d)" \
	"$(awk -v b="$(((from + to) / 2))" -v e="$to" 'BEGIN { printf "0,recording off,,0,%.15g,%.15g", b / 1e6, e / 1e6 }')"
is "in another one, none" "$(moments -w "$((to + 1))ns:$((to + 1000))ns" | sed 1d)" ""
is "the picture has them" "$(tau-report timeline -f svg moments.run | grep -oE '<title>[a-zA-Z ]*, [0-9.]* ms( to)?' | sed 's/<title>//; s/[0-9.]* ms//' | tr '\n' ';')" \
	"snapshot fifth, ;recording off,  to;signal SIGTERM, ;"
iterations() { tau-report timeline --by iteration -f csv "$@" moments.run | tr -d "\r"; }
is "an iteration for each window of iter" "$(iterations | sed 1d | cut -d, -f2-4)" \
	"$(tau-report series --top 1 -w iter -f csv moments.run | python3 -c 'import csv, sys
print("\n".join(dict.fromkeys("%s,%.15g,%.15g" % (r["window"].split("=")[1], float(r["begin_ms"]), float(r["end_ms"])) for r in csv.DictReader(sys.stdin))))')"
is "in a window, those that touch it" "$(iterations -w "$((from + 1000))ns:$((to - 1000))ns" | sed 1d | cut -d, -f2)" 9
is "without a loop there are none" "$(tau-report timeline --by iteration plain.run 2>&1; echo $?)" \
	"tau-report: window 'iter': no loop was found that takes much of the time; name the region that its iterations begin with: iter(NAME)
3"
tap_end
