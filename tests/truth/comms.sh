# comms.sh: communicators with the same members are different ones: waits are those of the thread and rank that wait, and each
# communicator is the same in all of its members.
. "$(dirname "$0")/../mpis.sh"
all=$(mpis mpicomms)
[ "$all" ] || skip_all "no MPI is installed, or its programs are not built"

# From what the program measured to what the report found, as in waits.sh: a program may be suspended between a clock and its call.
check() {	# run, pattern, path, rank, expected, call
	ms=$(awk -F, -v pattern="$2" -v path="$3" -v rank="$4" '$1 == pattern && $2 == rank && $6 == path { print $4 }' "all-$1")
	is "$1: $2 in $3, rank $4: ${ms:-nothing} ms, expected $5 s of $6 s" "$(awk -v ms="${ms:-0}" -v e="$5" -v c="$6" '
		BEGIN { s = ms / 1000; print (s <= c * 1.01 + 1e-4 && s >= e / 2 - 1e-4) }')" 1
}

for mpi in $all; do
mpi_with "$mpi"
for n in 2 4; do
	ranks $n tau-record --wrap mpi -o $n "$apps/mpicomms" >out-$n 2>err-$n || { fail "$n ranks"; cat err-$n; continue; }
	if grep -q SKIP out-$n; then
		skip "$n: $(grep SKIP out-$n)"
		continue
	fi
	tau-report waits --by all --top 0 -f csv $n | tr -d '\r' >all-$n
	tau-report waits --top 0 $n >text-$n
	is "$n: no communicator is unknown" "$(grep 'recorded different' text-$n)" ""
	while read -r what phase rank expected call; do
		[ "$what" = barrier ] && check $n "wait at barrier" "$phase => MPI_Barrier()" "$rank" "$expected" "$call"
	done <out-$n
	read -r _ rank expected call <<-END
	$(grep '^message ' out-$n)
	END
	check $n "late sender" "messages => MPI_Recv()" "$rank" "$expected" "$call"
	tau-report waits --by causes --top 0 -f csv $n | tr -d '\r' >causes-$n
	for phase in "first 0" "second 1" "third $((2 % n))"; do
		is "$n: who is late in the ${phase% *} thread" "$(awk -F, -v path="${phase% *} => slow" '
			$1 == "wait at barrier" && $6 == path { print $2 }' causes-$n)" "${phase#* }"
	done
	tau-dump $n >dump-$n
	is "$n: each communicator has the same number in all of its members" "$(python3 - dump-$n <<-'END'
	import re, sys
	rank_of, seen, pid = {}, {}, 0
	for line in open(sys.argv[1]):
	    if line.startswith("file "):
	        pid = re.search(r"pid (\d+)", line)[1]
	    elif "define RANK" in line:
	        rank_of[pid] = int(re.search(r"rank=(\d+)", line)[1])
	    elif "define COMM" in line:
	        ranks, number = re.search(r"ranks=([0-9, ]*?) first=\d+ number=(\d+)", line).groups()
	        seen.setdefault((tuple(sorted(map(int, ranks.split(", ")))), number), set()).add(pid)
	bad = [k for k, v in seen.items() if {rank_of[p] for p in v} != set(k[0])]
	print(bad or len({k[1] for k in seen}) == len(seen))
	END
	)" True
	is "$n: short-lived communicators have few definitions" \
		"$(grep 'define COMM' dump-$n | sed 's/.* name=//' | sort -u | awk 'END { print (NR > 30 && NR < 60) }')" 1
	tau-convert -t otf2 $n o-$n >/dev/null 2>&1
	is "$n: an OTF2 archive has the same waits" "$(tau-report waits --top 0 --by rank -f csv o-$n/traces.otf2 2>/dev/null | tr -d '\r' | cut -d, -f1-3 | sort)" \
		"$(tau-report waits --top 0 --by rank -f csv $n | tr -d '\r' | cut -d, -f1-3 | sort)"
done
done
tap_end
