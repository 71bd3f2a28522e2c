# selection.sh: --rank, --thread, --group, --region and --inside of the kinds that read events, against a replay of what otf2-print
# prints and against programs with known numbers.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

# A replay of the printed events, for archives with one thread per rank: what is selected by ranks, regions and a call path. A
# message is selected if one of its ends is; the n-th send of a channel meets its n-th receive.
cat >replay.py <<'PY'
import re, subprocess, sys
from collections import defaultdict, deque
archive, what, ranks, regions, inside = sys.argv[1:6]
ranks = {int(r) for r in ranks.split(",")} if ranks else None
regions = set(regions.split(",")) if regions else None
inside = inside.split(" => ") if inside else None
stack, pairs, ms = defaultdict(list), defaultdict(lambda: [0, 0]), defaultdict(int)
off = set()
last, sent, received = {}, defaultdict(list), defaultdict(list)
def chosen(rank):       # the innermost selected region of the open ones; None: none
    if ranks is not None and rank not in ranks:
        return None
    s, found = stack[rank], None
    within = inside is None
    for i, name in enumerate(s):
        within = within or s[max(0, i + 1 - len(inside)):i + 1] == inside
        if within and (regions is None or name in regions):
            found = name
    return found
def spend(rank, time):
    name = chosen(rank)
    if name and rank in last and rank not in off:
        ms[rank, name] += time - last[rank]
    last[rank] = time
for line in subprocess.run(["otf2-print", archive], capture_output=True, text=True).stdout.split("\n"):
    w = line.split()
    if len(w) < 3 or not w[1].isdigit() or not w[2].isdigit():
        continue
    kind, rank, time = w[0], int(w[1]), int(w[2])
    if kind in ("ENTER", "LEAVE"):
        spend(rank, time)
        stack[rank].append(re.search(r'Region: "(.*?)"', line).group(1)) if kind == "ENTER" else stack[rank].pop()
    elif kind == "MEASUREMENT_ON_OFF":
        spend(rank, time)
        (off.add if "OFF" in line.split(":")[-1] else off.discard)(rank)
    elif kind in ("MPI_SEND", "MPI_ISEND", "MPI_RECV", "MPI_IRECV"):
        other = int(re.search(r"<(\d+)>\)", line).group(1))
        key = (re.search(r"Tag: (\d+)", line).group(1), re.search(r"Communicator: (.*), Tag", line).group(1))
        end = (ranks is None or rank in ranks) and (chosen(rank) is not None if regions or inside else True)
        if "SEND" in kind:
            sent[rank, other, key].append((end, int(re.search(r"Length: (\d+)", line).group(1))))
        else:
            received[other, rank, key].append(end)
for (a, b, key), list_ in sent.items():
    for i, (end, bytes_) in enumerate(list_):
        other = received[a, b, key]
        if end or (i < len(other) and other[i]):
            pairs[a, b][0] += 1
            pairs[a, b][1] += bytes_
if what == "comm":
    print("\n".join(sorted(f"{a},{b},{n},{x}" for (a, b), (n, x) in pairs.items())))
else:
    clock = subprocess.run(["otf2-print", "-G", archive], capture_output=True, text=True).stdout
    ns = 1e9 / int(re.search(r"Ticks per Seconds: (\d+)", clock).group(1))
    sums = defaultdict(float)
    for (rank, region), ticks in ms.items():
        sums[rank, region if regions else "all"] += ticks * ns
    got = defaultdict(float)
    for line in sys.stdin:
        rank, region, n = line.split(",")
        got[int(rank), region if regions else "all"] += float(n)
    bad = [k for k in sums | got if abs(sums[k] - got[k]) > 0.01 * sums[k] + 5000]  # a region without a leave ends where the reader decides
    print(f"{len(sums) > 0} {[(k, sums[k], got[k]) for k in bad]}")
PY
pairs() { tau-report comm -f csv "$@" | tail -n +2 | cut -d, -f1-4 | sort; }
# Time of each rank and region in ns.
cells() {
	tau-report timeline --by region -f csv "$@" | tr -d '\r' | awk -F, 'NR > 1 { n[$1 "," $4] += $5 }
		END { for (k in n) printf "%s,%.0f\n", k, n[k] * 1e6 }' | sort
}
check() {	# archive, ranks, regions, inside; words of the filter
	a=$DATA/otf2/$1 ranks=$2 regions=$3 inside=$4
	shift 4
	anchor=$(ls "$a"/*.otf2)
	python3 replay.py "$anchor" comm "$ranks" "$regions" "$inside" >expected
	is "comm $*: messages of either end in $(basename "$a")" "$(pairs "$@" "$a" 2>&1)" "$(cat expected)"
	is "there are some" "$(grep -q . expected && echo some)" some
	is "timeline $*: time of each rank and region" \
		"$(cells "$@" "$a" | python3 replay.py "$anchor" time "$ranks" "$regions" "$inside")" "True []"
}
if [ -d "$DATA/otf2/sstmacro-10" ] && command -v otf2-print >/dev/null; then
	check sstmacro-10 0,3 "" "" --rank 0,3
	check sstmacro-10 "" MPI_Irecv,MPI_Waitall "" --region MPI_Waitall --region MPI_Irecv
	check sstmacro-10 2 MPI_Isend,MPI_Waitall "" --rank 2 --region MPI_Isend --region MPI_Waitall
	check stencil4d-32 "" "" TRACER_Loop --inside TRACER_Loop
	check stencil4d-32 1 MPI_Send,MPI_Waitall "TRACER_Loop" --rank 1 --inside TRACER_Loop \
		--region MPI_Send --region MPI_Waitall
	a=$DATA/otf2/sstmacro-10
	rows() { tau-report waits --by "$@" -f csv "$a" | tr -d '\r' | sed 's/"late sender, wrong order"/wrong order/'; }
	rows all >all
	rows all --rank 2,4..5 >some
	for f in all some; do
		awk -F, '$2 == 2 || $2 == 4 || $2 == 5 { print $1, $2, $3, $4, $6 }' $f >rows-$f
	done
	is "waits --rank: waits of these ranks" "$(cat rows-some)" "$(cat rows-all)"
	is "no others" "$(awk -F, 'NR > 1' some | wc -l)" "$(wc -l <rows-all)"
	is "waits --region: waits in it" \
		"$(rows all --region MPI_Alltoall | awk -F, 'NR > 1 { print $1, $2, $3, $4, $6 }')" \
		"$(awk -F, '$6 ~ /MPI_Alltoall/ { print $1, $2, $3, $4, $6 }' all)"
	like "causes of waits of selected ranks are on other ranks" \
		"$(rows causes --rank 3 | awk -F, 'NR > 1 { print $2 }' | sort -u)" '^[0-24-9]'
	is "efficiency --rank: useful time of these ranks" \
		"$(tau-report efficiency --by rank -f csv --rank 1,3 "$a")" \
		"$(tau-report efficiency --by rank -f csv "$a" | awk -F, 'NR == 1 || $1 == 1 || $1 == 3')"
	is "critical-path --rank: its time on these ranks" \
		"$(tau-report critical-path --by rank -f csv --rank 0..4 "$a")" \
		"$(tau-report critical-path --by rank -f csv "$a" | awk -F, 'NR == 1 || $1 <= 4')"
	is "critical-path --region: its time in these regions" \
		"$(tau-report critical-path -f csv --region MPI_Wait --region MPI_Init "$a" | tr -d '\r')" \
		"$(tau-report critical-path -f csv "$a" | tr -d '\r' | awk -F, 'NR == 1 || $5 == "MPI_Wait" || $5 == "MPI_Init"')"
	is "a region that the trace has not is refused with the nearest one" "$(tau-report waits --region MPI_Waitt "$a" 2>&1)" \
		"tau-report: $a: there is no region 'MPI_Waitt'; did you mean 'MPI_Wait'?"
	is "so is a group" "$(tau-report comm --group MPY "$a" 2>&1)" "tau-report: $a: no region is in a group 'MPY'; did you mean 'MPI'?"
	is "and a rank" "$(tau-report io --rank 77 "$a" 2>&1)" "tau-report: $a: no thread matches --rank and --thread"
	like "text names what is selected" "$(tau-report comm --rank 0,3 --region MPI_Isend "$a")" \
		'^Selected region: MPI_Isend.$'
else
	skip "archives" "no recorded data, or no otf2-print"
fi

cat >moves.c <<'C'
#include <fcntl.h>
#include <unistd.h>
static char block[4096];
void first(int fd) { for (int i = 0; i < 10; i++) if (write(fd, block, 4096) != 4096) _exit(1); }
void second(int fd) { for (int i = 0; i < 7; i++) if (write(fd, block, 100) != 100) _exit(1); first(fd); }
int main(void)
{
	int fd = open("one", O_RDWR | O_CREAT, 0600);
	first(fd);
	second(fd);
	return 0;
}
C
if ${CC:-cc} -O0 -finstrument-functions -o moves moves.c && tau-record --wrap io -o run ./moves >/dev/null 2>err; then
	writes() { tau-report io --by file -f csv "$@" run | tr -d '\r' | awk -F, '$9 ~ /\/one$/ { print $1, $2, $3 }'; }
	is "io: all writes" "$(writes)" "write 27 82620"
	is "io --region: writes while it is open" "$(writes --region first)" "write 20 81920"
	is "io --inside: writes in the call path" "$(writes --inside 'second => first')" "write 10 40960"
else
	fail "a program that writes is recorded"
	cat err
fi
like "efficiency has no regions" "$(tau-report efficiency --region first run 2>&1)" '^tau-report: efficiency: --region is for '
tap_end
