# late-receivers.sh: sends that a later call completes, or whose receive an earlier call posted, and that wait for late receivers
# for times that the program measures; the same from an OTF2 archive.
. "$(dirname "$0")/../mpis.sh"
all=$(mpis mpilate)
[ "$all" ] || skip_all "no MPI is installed, or its programs are not built"

calls="wait=MPI_Wait waitall=MPI_Waitall waitany=MPI_Waitany waitsome=MPI_Waitsome synchronous=MPI_Wait persistent=MPI_Wait send=MPI_Send"

late() { tau-report waits --by all -f csv "$1" | tr -d '\r' | awk -F, '$1 == "late receiver" && $2 % 2 == 0 { print $6, $2, $4, $3 }' | sort; }

# Lines "PHASE RANK: what is wrong" of the run: what was found differs by more than 5 % + 50 us from what both sides measured.
differences() {
	late "$1" >found
	for call in $calls; do
		while read -r phase rank expected rest; do
			[ "$phase" = "${call%=*}" ] || continue
			awk -v path="$phase => ${call#*=}()" -v rank="$rank" -v e="$expected" -v phase="$phase" '
				index($0, path " " rank " ") == 1 { ms = $(NF - 1) }
				END { d = ms / 1000 - e; if (d > e * 0.05 + 5e-5 || -d > e * 0.05 + 5e-5)
					print phase, rank ": " ms + 0 " ms found, " e " s expected" }' found
		done <"out-$1"
	done
}

for mpi in $all; do
mpi_with "$mpi"
# "2 folded": calls without messages are folded.
for of in 2 3 4 8 "2 folded"; do
	n=${of% *} fold=
	[ "$of" = "$n" ] || fold="--fold 1000000"
	# the system may suspend the program between a measurement and its call: then once more
	for try in 1 2 3 4 5; do
		rm -rf $n
		ranks $n tau-record --wrap mpi $fold -o $n "$apps/mpilate" >out-$n 2>err-$n || { fail "$n ranks"; cat err-$n; continue 2; }
		differences $n >wrong
		waits=$(awk '$1 != "small" && $1 != "tests" && $3 > 0.001' out-$n | wc -l | tr -d ' ')
		[ -s wrong ] || [ "$waits" -ne $((n / 2 * 7)) ] || break
	done
	is "$of ranks: each wait is found, within 5 % + 50 us" "$(cat wrong)" ""
	is "$of ranks: each pair waits in each phase" "$waits" $((n / 2 * 7))
	is "$of ranks: a small message does not wait, and neither do tests" "$(grep -E '^(small|tests) ' found)" ""
done

# ---- OTF2 ----

tau-convert 4 archive.otf2 >/dev/null 2>&1
late 4 >ours
late archive.otf2/traces.otf2 >theirs
is "an archive gives the same waits" "$(cat theirs)" "$(cat ours)"
if command -v otf2-print >/dev/null; then
	otf2-print archive.otf2/traces.otf2 >printed
	tau-dump 4 >dumped
	records() { grep -cE "^$1 " printed; }
	is "the archive has sends with requests" "$(records MPI_ISEND)" "$(grep -cE 'SEND to=.* request=' dumped)"
	is "... and their ends" "$(records MPI_ISEND_COMPLETE)" "$(grep -c 'COMPLETED request=' dumped)"
	is "... receives that are posted" "$(records MPI_IRECV_REQUEST)" "$(grep -c 'POSTED request=' dumped)"
	is "... and receive" "$(records MPI_IRECV)" "$(grep -cE 'RECV from=.* request=' dumped)"
	is "all sends of the program are completed" "$(records MPI_ISEND)" "$(records MPI_ISEND_COMPLETE)"
	is "each request of a rank ends once" "$(awk '/^MPI_ISEND/ && match($0, /Request: [0-9]+/) { n[$2 " " substr($0, RSTART)]++ }
		END { for (r in n) if (n[r] != 2) print r, n[r] }' printed)" ""
fi

# ---- the trace again, in our format ----

tau-convert archive.otf2/traces.otf2 again >/dev/null 2>&1
late again >theirs
is "a trace made of the archive gives the same waits" "$(cat theirs)" "$(cat ours)"
tau-dump --check again >checked 2>&1 && pass "it is correct" || { fail "it is correct"; cat checked; }
done
tap_end
