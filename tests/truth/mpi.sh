# mpi.sh: MPI programs agree with their traces: messages and their peers, requests however they complete, collective operations,
# one-sided transfers, threads, and the three bindings of Fortran; and they run as they do without us.
. "$(dirname "$0")/../mpis.sh"
all=$(mpis mpip2p)
[ "$all" ] || skip_all "no MPI is installed, or its programs are not built"

# good RANKS NAME: records a program that ends well, and compares.
good() {
	own=$as$2
	rm -rf "$T/$own.run"
	ranks_apart "$T/$own.out" "$1" tau-record -o "$T/$own.run" "$apps/$2" >/dev/null 2>"$T/$own.err" </dev/null
	code=$?
	is "$own on $1 ranks ends as without us" "$code" 0
	is "$own finds its own results right" "$(grep '^BAD' "$T/$own.out")" ""
	is "$own ran on $1 ranks" "$(grep -c '^EXPECT node [0-9]* region MPI_Finalize() calls 1$' "$T/$own.out")" "$1"
	expect "$own"
	ok "$own: its files are sound" tau-dump --check "$T/$own.run"
}

for mpi in $all; do
mpi_with "$mpi"
good 4 mpip2p
good 4 mpicoll
good 4 mpirma
if grep -q '^SKIP' "$T/${as}mpithread.out" 2>/dev/null; then skip "mpithread" "this MPI knows no threads"; else good 2 mpithread; fi
for name in mpifh mpiuse mpif08; do
	if [ -e "$apps/$name" ]; then good 2 "$name"; else skip "$as$name" "no Fortran compiler"; fi
done
p2p=$T/${as}mpip2p

# A comparison that could not fail would be worth nothing.
sed 's/^\(EXPECT node 0 event Message size sent to node 1 n \)/\11/' "$p2p.out" >"$T/wrong.out"
awk -f "$TOP/tests/expect.awk" "$T/wrong.out" "$p2p.csv" >"$T/wrong.verdict"
is "$mpi: a wrong count is found out" "$(grep -c '^fail node 0 event Message size sent to node 1 ' "$T/wrong.verdict")" 1

# A receive and the leave after it share a time, within a call that took some; no further leave has the time.
is "$mpi: what MPI_Recv received has the time at which it returned, and no other leave has" "$(tau-dump "$p2p.run" | awk '
	$1 !~ /^#/ { next }
	$4 == "ns" && $5 == "ENTER" { inside = $6; received = 0 }
	$5 == "RECV" { received = 1; next }
	$5 == "LEAVE" && inside == "MPI_Recv()" && received { n++; shared += $3 == "+0" }
	$5 == "LEAVE" { again += last == "LEAVE" && before == "+0" && $3 == "+0"; inside = "" }
	{ last = $5; before = $3 }
	END { print (n > 10 && shared == n ? "shared" : shared + 0 " of " n + 0), again + 0 }')" "shared 0"

# One call of the program is one region: nothing that MPI calls for itself is recorded.
is "$mpi: nothing is recorded inside another call" "$(grep 'MPI_[A-Za-z_]*() => MPI_' "$T/${as}mpirma.csv" | head -n 3)" ""

# Without --wrap the wrapper is chosen by the library that the program links; without it, nothing about MPI is recorded.
rm -rf "$T/alone.run"
tau-record -o "$T/alone.run" "$apps/mpiuse" >/dev/null 2>&1
tau-trace2profile --format csv "$T/alone.run" >"$T/alone.csv"
like "$mpi: a program that MPI aborts has its trace all the same" "$(grep 'MPI_Init()' "$T/alone.csv")" ',MPI_Init\(\),MPI,1,'
done
tap_end
