# mpi.sh: MPI programs agree with their traces: messages and their peers, requests however they complete, collective operations,
# one-sided transfers, threads, and the three bindings of Fortran; and they run as they do without us.
. "$(dirname "$0")/../expect.sh"
command -v mpirun >/dev/null || skip_all "no MPI is installed"
[ -e "$B/apps/mpip2p" ] || skip_all "the MPI programs are not built"

# mpi RANKS NAME: records apps/NAME on that many ranks. Each rank's output in a file, so that lines do not mix.
mpi() {
	rm -rf "$T/$2.run" "$T/$2.io"
	timeout -k 5 300 mpirun -np "$1" --output-filename "$T/$2.io" tau-record -o "$T/$2.run" "$B/apps/$2" \
		>/dev/null 2>"$T/$2.err" </dev/null
	code=$?
	find "$T/$2.io" -name stdout 2>/dev/null | sort | xargs cat >"$T/$2.out"
}

# good RANKS NAME: records a program that ends well, and compares.
good() {
	mpi "$@"
	is "$2 on $1 ranks ends as without us" "$code" 0
	is "$2 finds its own results right" "$(grep '^BAD' "$T/$2.out")" ""
	is "$2 ran on $1 ranks" "$(grep -c '^EXPECT node [0-9]* region MPI_Finalize() calls 1$' "$T/$2.out")" "$1"
	expect "$2"
	ok "$2: its files are sound" tau-dump --check "$T/$2.run"
}

good 4 mpip2p
good 4 mpicoll
good 4 mpirma
if grep -q '^SKIP' "$T/mpithread.out" 2>/dev/null; then skip "mpithread" "this MPI knows no threads"; else good 2 mpithread; fi
for name in mpifh mpiuse mpif08; do
	if [ -e "$B/apps/$name" ]; then good 2 "$name"; else skip "$name" "no Fortran compiler"; fi
done

# A comparison that could not fail would be worth nothing.
sed 's/^\(EXPECT node 0 event Message size sent to node 1 n \)/\11/' "$T/mpip2p.out" >"$T/wrong.out"
awk -f "$TOP/tests/expect.awk" "$T/wrong.out" "$T/mpip2p.csv" >"$T/wrong.verdict"
is "a wrong count is found out" "$(grep -c '^fail node 0 event Message size sent to node 1 ' "$T/wrong.verdict")" 1

# A receive and the leave after it share a time, within a call that took some; no further leave has the time.
is "what MPI_Recv received has the time at which it returned, and no other leave has" "$(tau-dump "$T/mpip2p.run" | awk '
	$1 !~ /^#/ { next }
	$4 == "ns" && $5 == "ENTER" { inside = $6; received = 0 }
	$5 == "RECV" { received = 1; next }
	$5 == "LEAVE" && inside == "MPI_Recv()" && received { n++; shared += $3 == "+0" }
	$5 == "LEAVE" { again += last == "LEAVE" && before == "+0" && $3 == "+0"; inside = "" }
	{ last = $5; before = $3 }
	END { print (n > 10 && shared == n ? "shared" : shared + 0 " of " n + 0), again + 0 }')" "shared 0"

# One call of the program is one region: nothing that MPI calls for itself is recorded.
is "nothing is recorded inside another call" "$(grep 'MPI_[A-Za-z_]*() => MPI_' "$T/mpirma.csv" | head -n 3)" ""

# Without --wrap the wrapper is chosen because the program links libmpi; without it, nothing about MPI is recorded.
tau-record -o "$T/alone.run" "$B/apps/mpiuse" >/dev/null 2>&1
tau-trace2profile --format csv "$T/alone.run" >"$T/alone.csv"
like "a program that MPI aborts has its trace all the same" "$(grep 'MPI_Init()' "$T/alone.csv")" ',MPI_Init\(\),MPI,1,'
tap_end
