# mpi.sh: MPI programs agree with their traces: messages and their peers, requests however they complete, collective operations,
# one-sided transfers, threads, and the three bindings of Fortran; and they run as they do without us.
. "$(dirname "$0")/../mpis.sh"
all=$(mpis mpip2p)
[ "$all" ] || skip_all "no MPI is installed, or its programs are not built"

# good RANKS NAME: records a program that ends well, and compares.
good() {
	own=$2
	rm -rf "$own.run"
	ranks_apart "$own.out" "$1" tau-record -o "$own.run" "$apps/$2" >/dev/null 2>"$own.err" </dev/null
	code=$?
	is "$own on $1 ranks ends as without us" "$code" 0
	is "$own finds its own results right" "$(grep '^BAD' "$own.out")" ""
	is "$own ran on $1 ranks" "$(grep -c '^EXPECT node [0-9]* region MPI_Finalize() calls 1$' "$own.out")" "$1"
	expect "$own"
	ok "$own: its files are sound" tau-dump --check "$own.run"
}

for mpi in $all; do
mpi_with "$mpi"
good 4 mpip2p
good 4 mpicoll
good 4 mpirma
if grep -q '^SKIP' "mpithread.out" 2>/dev/null; then skip "mpithread" "this MPI knows no threads"; else good 2 mpithread; fi
for name in mpifh mpiuse mpif08; do
	if [ -e "$apps/$name" ]; then good 2 "$name"; else skip "$name" "no Fortran compiler"; fi
done
p2p=mpip2p

# A comparison that could not fail would be worth nothing.
sed 's/^\(EXPECT node 0 event Message size sent to node 1 n \)/\11/' "$p2p.out" >"wrong.out"
awk -f "$TOP/tests/expect.awk" "wrong.out" "$p2p.csv" >"wrong.verdict"
is "a wrong count is found out" "$(grep -c '^fail node 0 event Message size sent to node 1 ' "wrong.verdict")" 1

# A receive and the leave after it share a time, within a call that took some; no further leave has the time.
is "what MPI_Recv received has the time at which it returned, and no other leave has" "$(tau-dump "$p2p.run" | awk '
	$1 !~ /^#/ { next }
	$4 == "ns" && $5 == "ENTER" { inside = $6; received = 0 }
	$5 == "RECV" { received = 1; next }
	$5 == "LEAVE" && inside == "MPI_Recv()" && received { n++; shared += $3 == "+0" }
	$5 == "LEAVE" { again += last == "LEAVE" && before == "+0" && $3 == "+0"; inside = "" }
	{ last = $5; before = $3 }
	END { print (n > 10 && shared == n ? "shared" : shared + 0 " of " n + 0), again + 0 }')" "shared 0"

# One call of the program is one region: nothing that MPI calls for itself is recorded.
is "nothing is recorded inside another call" "$(grep 'MPI_[A-Za-z_]*() => MPI_' "mpirma.csv" | head -n 3)" ""

# Without --wrap the wrapper is chosen by the library that the program links; without it, nothing about MPI is recorded.
if [ -x "$apps/mpiuse" ]; then
	rm -rf "alone.run"
	tau-record -o "alone.run" "$apps/mpiuse" >/dev/null 2>&1
	tau-trace2profile --format csv "alone.run" >"alone.csv"
	like "a program that MPI aborts has its trace all the same" "$(grep 'MPI_Init()' "alone.csv")" ',MPI_Init\(\),MPI,1,'
else
	skip "a program that MPI aborts has its trace all the same" "it is in Fortran, for which there is no compiler"
fi
done
tap_end
