# comm.sh: tau-report comm against the records that tau-dump and otf2-print print.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

# From "FROM TO BYTES" lines: "FROM,TO,MESSAGES,BYTES", sorted.
sums() {
	awk '{ n[$1 "," $2]++; b[$1 "," $2] += $3 } END { for (p in n) print p "," n[p] "," b[p] }' | sort
}
pairs() { tau-report comm -f csv "$@" | tail -n +2 | cut -d, -f1-4 | sort; }

# Sends of an archive, as OTF2's own tool prints them: the receiver is a rank of the communicator, beside its thread in <>,
# which these archives number as ranks of the world.
archive() {
	otf2-print "$1"/*.otf2 | awk '$1 == "MPI_SEND" || $1 == "MPI_ISEND" {
		to = $0; sub(/[^<]*</, "", to); sub(/>.*/, "", to)
		n = $0; sub(/.*Length: /, "", n); sub(/,.*/, "", n)
		print $2, to, n }' | sums
}
for a in sstmacro-10 stencil4d-32 ping-pong; do
	if [ -d "$DATA/otf2/$a" ] && linked tau-report libopen-trace-format2 && command -v otf2-print >/dev/null; then
		archive "$DATA/otf2/$a" >expected
		is "$a: messages and bytes of each pair" "$(pairs "$DATA/otf2/$a")" "$(cat expected)"
		is "$a: there are messages" "$(test -s expected && echo some)" some
		received=$(otf2-print "$DATA/otf2/$a"/*.otf2 | grep -cE '^MPI_I?RECV ')
		is "$a: all are received" "$received" "$(awk -F, '{ n += $3 } END { print n }' expected)"
		is "$a: collective operations wait as long as waits finds" \
			"$(tau-report comm --by collective -f csv "$DATA/otf2/$a" | awk -F, 'NR > 1 { s += $6 } END { printf "%.6f", s }')" \
			"$(tau-report waits --by all -f csv "$DATA/otf2/$a" 2>/dev/null |
				awk -F, '$1 ~ /barrier$|wait at N|broadcast|reduce|scan/ { s += $4 } END { printf "%.6f", s }')"
		is "$a: no message lacks an end" "$(tau-report comm "$DATA/otf2/$a" | grep -c 'no receive\|no send')" 0
	else
		skip "$a" "no recorded data, no otf2-print, or no OTF2 library"
	fi
done

if [ ! -e "$B/libtau-mpi.so" ] || ! command -v mpirun >/dev/null || ! command -v mpicc >/dev/null; then
	skip "programs" "no MPI"
	tap_end
fi
mpicc -O2 "$TOP/bench/ring.c" -o ring || exit 1
# Each process of a run prints its records after the line that names its file: PID, then records.
dumped() {	# kind, run, window
	for r in 0 1 2 3; do
		tau-dump --only records --rank $r ${3:+--window $3} "$2" | awk -v r=$r -v kind="$1" '
			$4 == kind || $5 == kind {
				for (i = 1; i <= NF; i++) {
					if ($i ~ /^(to|target)=/) to = substr($i, index($i, "=") + 1)
					if ($i ~ /^bytes=/) bytes = substr($i, 7)
				}
				print r, to, bytes
			}'
	done | sums
}
for n in 2 3 4; do
	mpirun -np $n tau-record --wrap mpi -o ring-$n ./ring 50 >out 2>&1 || { fail "ring on $n"; cat out; }
	is "ring on $n: each sends 50 messages of 8 bytes to the next" "$(pairs ring-$n)" \
		"$(for r in 0 1 2 3; do [ $r -lt $n ] && echo "$r,$(((r + 1) % n)),50,400"; done | sort)"
done
if [ -x "$B/apps/mpip2p" ]; then
	mpirun -np 4 tau-record --wrap mpi -o p2p "$B/apps/mpip2p" >out 2>&1
	is "all kinds of messages, by pair" "$(pairs p2p)" "$(dumped SEND p2p)"
	# From the middle one of the messages that rank 0 sends; a share of the time would depend on how long each process took to start.
	tau-convert -t csv --rank 0 p2p p2p.csv
	from=$(awk -F, '$4 == "send" { t[++n] = $3 } END { printf "%.9fs", t[int(n / 2)] / 1e9 }' p2p.csv)
	is "in a window" "$(pairs -w $from: p2p)" "$(dumped SEND p2p $from:)"
	is "which has some of the messages" "$(test "$(pairs -w $from: p2p | wc -l)" -gt 0 && test "$(pairs -w $from: p2p)" != "$(pairs p2p)" && echo so)" so
	is "sizes add up to all messages" \
		"$(tau-report comm -f csv --by size p2p | awk -F, 'NR > 1 { n += $3; b += $4 } END { print n, b }')" \
		"$(pairs p2p | awk -F, '{ n += $3; b += $4 } END { print n, b }')"
	like "text has a matrix with sums" "$(tau-report comm p2p)" '^all  +[0-9]+  +[0-9]+'
	is "waits are those of tau-report waits" "$(tau-report comm --by wait -f csv p2p)" "$(tau-report waits -f csv p2p)"
	is "and so are their causes" "$(tau-report comm --by cause -f csv p2p)" "$(tau-report waits --by cause -f csv p2p)"
	is "text has both" "$(tau-report comm p2p | grep -c '^Wait states by the call path that waits$\|^Causes: ')" 2
	ok "the picture is XML" sh -c "tau-report comm -f svg p2p | xmllint --noout -"
	# In the dark scheme, more bytes are lighter: the sum of red, green and blue.
	is "cells have colours for the dark scheme, in the other direction" "$(tau-report comm -f svg p2p | python3 -c '
import re, sys
s = sys.stdin.read()
dark = dict(re.findall(r"\[fill=\"(#[0-9a-f]{6})\"\] \{ fill: (#[0-9a-f]{6})", s))
light = lambda c: sum(bytes.fromhex(c[1:]))
cells = sorted((int(b), light(f), light(dark[f])) for f, b in re.findall(r"fill=\"(#[0-9a-f]{6})\"><title>from .*?: (\d+) bytes", s))
print(len(cells) > 1 and cells[0][1] > cells[-1][1] and cells[0][2] < cells[-1][2] and
    all(a[1] >= b[1] and a[2] <= b[2] for a, b in zip(cells, cells[1:])))')" True
else
	skip "kinds of messages" "not built"
fi

is "--by of another kind is refused" "$(tau-report comm --by owner ring-2 2>&1)" \
	"tau-report: --by: 'owner' is not pair, size, collective, wait, cause, queue or limit"
tau-report comm ring-2 ring-3 >out 2>&1
is "two runs are refused" "$? $(cat out)" "2 tau-report: comm needs one run, 2 were given"
tap_end
