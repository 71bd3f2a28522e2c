# dumps.sh: profiles and snapshots that a running program requests: each has the values up to the request, as the program prints them.
. "$(dirname "$0")/../expect.sh"

APP=$B/apps/dumps

# in_folder NAME [tau-record options --] ARGS...: runs dumps in an empty folder $T/NAME, the run in $T/NAME.run
in_folder() {
	name=$1; shift
	mkdir "$T/$name"
	(cd "$T/$name" && tau-record -o "$T/$name.run" -w none "$@") >"$T/$name.out" 2>"$T/$name.err" </dev/null
	code=$?
	for f in "$T/$name"/*.[0-9]*.0.*; do
		[ -e "$f" ] && tau-convert "$f" "$f.csv" 2>/dev/null
	done
}

# field FILE REGION COLUMN
field() { awk -F, -v r="$2" -v c="$3" '$5 == "timer" && $6 == r { print $c }' "$1.csv"; }

# compare NAME: what the program printed against the files
compare() {
	while read -r kind file region a b; do
		f=$T/$1/$file
		case $kind in
		DUMP) is "$1: $file has $a calls of $region" "$(field "$f" "$region" 8)" "$a" ;;
		TIME)
			us=$(field "$f" "$region" 11)
			ok "$1: $file: the open region $region has its time up to the call, $a to $b us: $us" \
				awk "BEGIN { exit !($us >= $a && $us <= $b + 1) }" ;;
		esac
	done <"$T/$1.out"
	ok "$1: the program printed something to compare" test -s "$T/$1.out"
}

# snapshots FILE: the names in order
snapshots() { sed -n 's,^<name>\(.*\)</name>$,\1,p' "$1" | tr '\n' '|'; }

in_folder serial "$APP"
is "the program ends as it should" "$code" 0
compare serial
is "a dump with a date has the last values" "$(field "$(ls "$T"/serial/dump__*__.0.0.0)" late 8)" 3
like "its name has the date as TAU writes it" "$(ls "$T/serial")" \
	'^dump__[A-Z][a-z]{2}-[A-Z][a-z]{2}-[0-9]+-[0-9]{2}:[0-9]{2}:[0-9]{2}-[0-9]{4}__\.0\.0\.0$'
is "snapshots are in one file in their order, and the last one is of the end" "$(snapshots "$T/serial/snapshot.0.0.0")" \
	"a &lt; b|round 2|final|"
is "the reader has the values of the last one" "$(field "$T/serial/snapshot.0.0.0" late 8)" 7
is "a snapshot has the values of its moment" \
	"$(sed -n '/<name>round 2/,/<atomic/p' "$T/serial/snapshot.0.0.0" | grep -c '^[0-9]* 3 0 ')" 1
is "nothing is left but files of profiles" "$(ls -A "$T/serial" | grep -v csv | grep -cv '^[a-z]*\(__.*__\)\{0,1\}\.0\.0\.0$')" 0
is "and of the run" "$(ls -A "$T/serial.run" | grep -c requests)" 0
is "no process complains" "$(grep -c 'snapshot\|profile' "$T/serial.err")" 0

# calls_in WINDOW REGION: from the trace, afterwards
calls_in() { tau-trace2profile --window "$1" --format csv "$T/serial.run" 2>&1 | awk -F, -v r="$2" '$5 == "timer" && $6 == r { print $8 }'; }
tau-convert "$T/serial.run" "$T/serial.csv" 2>/dev/null
is "each snapshot is a mark in the trace, and no value" \
	"$(awk -F, '$5 == "round 2" || $5 == "first" { print $4, $5 }' "$T/serial.csv" | sort -u | tr '\n' ';')" "snapshot first;snapshot round 2;"
is "a window up to a snapshot has the same calls" "$(calls_in 'snapshot:round 2' step) $(calls_in 'snapshot:round 2' late)" "22 3"
is "up to the second profile of a name" "$(calls_in 'snapshot:dump#2' late)" 3
is "from one to another" "$(calls_in 'snapshot:first..snapshot:dump' step) $(calls_in 'snapshot:dump#1..snapshot:dump#2' step)" "7 5"
is "slices add up to it" "$(tau-trace2profile --window 'snapshot:dump#2' --slices 3 --format csv "$T/serial.run" 2>/dev/null |
	awk -F, '$5 == "timer" && $6 == "step" { n += $8 } END { print n }')" 22
is "the profile while it ran is that of the window" "$(field "$T/serial/first.0.0.0" step 8)" "$(calls_in snapshot:first step)"
tau-trace2profile --window snapshot:nope "$T/serial.run" 2>"$T/err"
is "a snapshot that is not there" "$(cat "$T/err")" "tau-trace2profile: window 'snapshot:nope': the trace has no snapshot 'nope'"
tau-trace2profile --window 'snapshot:dump#4' "$T/serial.run" 2>"$T/err"
is "and one that there is not again" "$(cat "$T/err")" "tau-trace2profile: window 'snapshot:dump#4': no process has these snapshots"
tau-trace2profile --window snapshot: "$T/serial.run" 2>"$T/err"
like "and one without a name" "$? $(cat "$T/err")" "^2 tau-trace2profile: window 'snapshot:': use snapshot:NAME"

in_folder threads "$APP" threads
compare threads
is "a dump is of the calling thread only" "$(ls "$T/threads" | grep -c '^dump\.0\.0\.[123]$')$(ls "$T/threads" | grep -c '^dump.0.0.0$')" 30
is "a dump with a prefix is of all threads" "$(ls "$T/threads" | grep -c '^all\.0\.0\.[0123]$')" 4
is "each thread has its snapshots" "$(ls "$T/threads" | grep -c '^snapshot\.0\.0\.[123]$')" 3

in_folder wait "$APP" wait live.0.0.0
is "the files are there while the program runs" "$code" 0
compare wait

in_folder die "$APP" die
is "a program that is killed ends so" "$code" 137
compare die
like "its snapshots end with the last values" "$(snapshots "$T/die/snapshot.0.0.0")" 'final\|$'

in_folder burst "$APP" burst 3000
compare burst
is "3000 dumps: none is too many" "$(cat "$T/burst.err" | grep -c 'too many')" 0

in_folder signal --snapshot-signal USR2 "$APP" signal
is "snapshots at a signal" "$code $(snapshots "$T/signal/snapshot.0.0.0")" "0 signal|signal|signal|final|"
is "have the values of their moments" \
	"$(sed -n 's/^[0-9]* \([246]\) 0 .*/\1/p' "$T/signal/snapshot.0.0.0" | tr '\n' ' ')" "2 4 6 6 "

in_folder interval --snapshot-every 20ms "$APP" wait3 snapshot.0.0.0
like "snapshots at an interval, while the program runs" "$code $(snapshots "$T/interval/snapshot.0.0.0")" \
	'^0 interval 1\|interval 2\|interval 3\|.*final\|$'

in_folder chosen "$APP" chosen
compare chosen
rows() { awk -F, '$5 == "timer" { print $6 }' "$1.csv" | sort | tr '\n' ' '; }
is "of chosen regions only those are in the file" "$(rows "$T/chosen/sel_dump.0.0.0")" "step "
dated=$(ls "$T"/chosen/sel_dump__*__.0.0.0)
is "also with a date" "$(rows "$dated")$(field "$dated" late 8)" "late 3"
like "a name that is too long is left out, with a message" "$(cat "$T/chosen.err")" '1 name of chosen regions, too long for a request, is not in the profile'
is "names of regions as TAU writes them" "$(sed 1q "$T/chosen/dump_functionnames_n,c,t.0.0.0") $(sed 1d "$T/chosen/dump_functionnames_n,c,t.0.0.0" |
	sort | tr '\n' ' ')" "number of functions 5 .TAU application early late outer step "

PROFILEDIR=there
export PROFILEDIR
mkdir -p "$T/elsewhere/there"
(cd "$T/elsewhere" && tau-record -o "$T/elsewhere.run" -w none --metrics CPU_TIME "$APP" burst 3 >/dev/null 2>&1)
is "PROFILEDIR is where they go, with several metrics in a folder each" \
	"$(cd "$T/elsewhere/there" && ls -d */* | tr '\n' ' ')" "MULTI__CPU_TIME/dump.0.0.0 MULTI__TIME/dump.0.0.0 "
PROFILEDIR=missing
(cd "$T/elsewhere" && tau-record -o "$T/missing.run" -w none "$APP" burst 1 >"$T/missing.out" 2>"$T/missing.err")
is "a directory that is missing does not disturb the program" "$? $(wc -l <"$T/missing.out")" "0 1"
like "and is named" "$(cat "$T/missing.err")" "^tau-record: profile 'dump': .*missing.*: No such file or directory"
unset PROFILEDIR

is "without the recorder the program is the same" "$(cd "$T" && "$APP" burst 2)" "DUMP dump.0.0.0 step 2"
is "and writes nothing" "$(ls "$T" | grep -c '^dump')" 0
tau-record --snapshot-signal USR1 --toggle-signal USR1 true 2>"$T/err"
is "two options with one signal" "$? $(cat "$T/err" | head -n 1)" \
	"125 tau-record: --snapshot-signal: USR1 is the signal of --toggle-signal; use another"
tau-record --snapshot-every 1us true 2>"$T/err"
like "an interval that is too short" "$? $(cat "$T/err")" '^125 .*--snapshot-every: .1us. is not a time of 1ms or more'

# The cost of a request depends on what came since the one before, not on the length of the run.
cat >"$T/long.c" <<'END'
#include <TAU.h>
#include <unistd.h>
static void burst(int n)
{
	for (int i = 0; i < n; i++) {
		TAU_START("step");
		TAU_STOP("step");
	}
}
int main(void)
{
	burst(200000);
	TAU_DB_DUMP_PREFIX("first");
	burst(1000);
	usleep(3500000);	/* what is older than 3 s is not read again */
	TAU_DB_DUMP_PREFIX("second");
	usleep(200000);
	burst(1000);
	TAU_DB_DUMP_PREFIX("third");
	usleep(200000);
	return 0;
}
END
${CC:-cc} -O1 -I"$TOP/record" "$T/long.c" -o "$T/bursts"
in_folder long -v "$T/bursts"
is "the calls up to each request" "$(for f in first second third; do field "$T/long/$f.0.0.0" step 8; done | tr '\n' ' ')" "200000 201000 202000 "
events() { sed -n "s/^tau-record: profile '$1': \([0-9]*\) events read$/\1/p" "$T/long.err"; }
ok "the first reads everything ($(events first))" test "$(events first)" -ge 400000
ok "a later one reads what came since ($(events third))" test "$(events third)" -lt 100000

if [ -x "$B/apps/dumpsranks" ]; then
	mkdir "$T/ranks"
	(cd "$T/ranks" && mpirun -np 2 tau-record -o "$T/ranks.run" "$B/apps/dumpsranks") >"$T/ranks.out" 2>"$T/ranks.err" </dev/null
	for f in "$T/ranks"/*.[01].0.0; do tau-convert "$f" "$f.csv" 2>/dev/null; done
	compare ranks
	is "each rank has its snapshots" "$(ls "$T/ranks" | grep -c '^snapshot\.[01]\.0\.0$')" 2
else
	skip "dumps of ranks" "no MPI"
fi
tap_end
