# clocks.sh: ranks on several hosts compare their clocks at MPI_Init and MPI_Finalize; here hosts are pretended, and one's clock is wrong.
. "$(dirname "$0")/../expect.sh"
command -v mpirun >/dev/null || skip_all "no MPI is installed"
[ -e "$B/apps/mpip2p" ] || skip_all "the MPI programs are not built"

cat >"$T/rank" <<'EOF'
#!/bin/sh
export TAU_CLOCK_HOST=host$OMPI_COMM_WORLD_RANK
[ "$OMPI_COMM_WORLD_RANK" = 1 ] && export TAU_CLOCK_SKEW=5000000000
exec tau-record -o "$RUN" "$@"
EOF
chmod +x "$T/rank"

# record RUN COMMAND...
record() {
	RUN="$T/$1" timeout -k 5 300 mpirun --oversubscribe -np 4 "$T/rank" "$B/apps/mpip2p" >"$T/out" 2>"$T/err" </dev/null
}

# offsets RUN: rank, when, how far rank 0's clock is ahead in ns, and the doubt.
offsets() {
	tau-dump --only definitions "$1" 2>/dev/null | awk '
		/^[^ ]/ { node = "" }
		/define RANK/ { for (i = 1; i <= NF; i++) if ($i ~ /^rank=/) { split($i, v, "="); node = v[2] } }
		/TAU Clock (Offset|Doubt) at/ {
			match($0, /at [A-Z][a-z]*/); when = substr($0, RSTART + 3, RLENGTH - 3)
			match($0, /value="[^"]*"/); number = substr($0, RSTART + 7, RLENGTH - 8)
			if ($0 ~ /Offset at/) offset = number
			else print when, offset, number
		}'
}

record run
is "the program ends as without us" "$?" 0
offsets "$T/run" >"$T/offsets"
is "three hosts ask, twice each" "$(grep -c . "$T/offsets")" 6
is "each is right within its doubt: one of them 5 s ahead, the others not at all" \
	"$(awk '{ right = ($2 + 5e9 <= $3 && $2 + 5e9 >= -$3) ? "ahead" : ($2 <= $3 && $2 >= -$3) ? "equal" : "wrong " $0
		print right }' "$T/offsets" | sort | uniq -c | awk '{ printf "%s %s;", $1, $2 }')" "2 ahead;4 equal;"
is "and there is a doubt, which leaves no other answer" "$(awk '$3 >= 2500000000 || $3 <= 0' "$T/offsets")" ""

# The recorded times are right, and the measured offsets are not: the reader uses the offsets, and messages show the error.
tau-dump --check "$T/run" >"$T/check"
is "messages that are received before they are sent are counted" \
	"$(sed -n 's/.*clocks: [0-9]* of [0-9]* \(messages.*by up to\) .*/\1/p' "$T/check")" \
	"messages were received before they were sent, by up to"
is "by about what the clock is wrong" \
	"$(sed -n 's/.*messages.*by up to \(.*\) s$/\1/p' "$T/check" | awk '{ print ($1 > 2.5 && $1 < 7.5) }')" 1
tau-convert --clock-correct "$T/run" "$T/right" 2>"$T/err"
is "tau-convert says what it corrected" "$(grep -c 'received before they were sent.*corrected' "$T/err")" 1
tau-dump --check "$T/right" >"$T/check"
is "then no message is early" "$(grep -c 'clocks:' "$T/check")" 0
is "and the files are sound" "$(grep -vc ': ok' "$T/check")" 0

sed -i '/TAU_CLOCK/d' "$T/rank"
record plain
offsets "$T/plain" >"$T/offsets"
is "on one host no process asks" "$(cat "$T/offsets")" ""
is "and no message is early" "$(tau-dump --check "$T/plain" | grep -c 'clocks:')" 0
is "tau-convert has nothing to correct" "$(tau-convert --clock-correct "$T/plain" "$T/same" 2>&1)" ""

TAU_SYNCHRONIZE_CLOCKS=0
export TAU_SYNCHRONIZE_CLOCKS
sed -i '2i export TAU_CLOCK_HOST=host$OMPI_COMM_WORLD_RANK' "$T/rank"
record off
offsets "$T/off" >"$T/offsets"
is "TAU_SYNCHRONIZE_CLOCKS=0 turns it off" "$(cat "$T/offsets")" ""
is "a profile has no corrected times" "$(tau-convert --clock-correct --to ppk "$T/plain" "$T/p" 2>&1 | grep -c 'is for traces')" 1
# A job that is killed inside calls: they are open until their process ended by the clock of its own host, which is 20 s wrong here.
unset TAU_SYNCHRONIZE_CLOCKS
if unshare --uts true 2>/dev/null; then
	cat >"$T/stuck.c" <<-'END'
		#include <mpi.h>
		#include <signal.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			int rank, got;
			MPI_Init(&argc, &argv);
			MPI_Comm_rank(MPI_COMM_WORLD, &rank);
			if (rank == 2) {
				sleep(3);
				kill(getpid(), SIGKILL);
			}
			MPI_Recv(&got, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			return 0;
		}
	END
	cat >"$T/other" <<-'END'
		#!/bin/sh
		export TAU_CLOCK_HOST=$(hostname)
		[ "$OMPI_COMM_WORLD_RANK" = 1 ] || exec tau-record -w mpi -o "$RUN" "$@"
		export TAU_CLOCK_HOST=elsewhere TAU_CLOCK_SKEW=$SKEW
		exec unshare --uts sh -c 'hostname elsewhere; exec "$0" "$@"' tau-record -w mpi -o "$RUN" "$@"
	END
	chmod +x "$T/other"
	mpicc "$T/stuck.c" -o "$T/stuck"
	for skew in 20000000000 -20000000000; do
		RUN=$T/stuck$skew SKEW=$skew timeout -k 5 300 mpirun --oversubscribe --mca btl self,vader -np 3 "$T/other" "$T/stuck" \
			>"$T/out" 2>"$T/err" </dev/null
		tau-report profile --by rank --region "MPI_Recv()" -f csv "$T/stuck$skew" >"$T/waited" 2>"$T/err"
		is "a clock that is wrong by $skew ns: the rank of each host has waited as long" \
			"$(awk -F , 'NR > 1 { s[$1] = $4 / 1e6 } END { d = s[1] - s[0]; print (s[0] > 2.5), (s[1] > 2.5), (d > -8 && d < 8) }' "$T/waited")" "1 1 1"
	done
else
	skip "a job that is killed on hosts with other clocks" "no namespaces of host names here"
fi
tap_end
