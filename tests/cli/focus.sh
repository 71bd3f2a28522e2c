#!/bin/sh
# focus.sh: ranks, threads, groups, regions and call paths are chosen alike from profiles and from traces that are cut out, and what is
# chosen has the numbers that it has in the whole.
. "$(dirname "$0")/../tap.sh"

profile() { tau-trace2profile -f csv --callpath "$@" 2>"$T/profile.err"; }
# rows of timers without the window: node, thread, name, calls, subrs, excl, incl
timers() { awk -F , '$5 == "timer" { print $2 "," $4 "," $6 "," $8 "," $9 "," $10 "," $11 }'; }

run=$T/api
tau-record -o "$run" "$B/apps/api" >/dev/null 2>&1
profile "$run" >"$T/all.csv"
timers <"$T/all.csv" >"$T/all"
# of NAME FIELD: of the row of that name, in $T/got
of() { awk -F , -v name="$1" -v n="$2" '$3 == name { print $n }' "${3:-$T/got}"; }

# --- one region: its calls and inclusive time stay, what is inside of it is its own ---
profile --region outer "$run" | timers >"$T/got"
is "a region alone: rows" "$(cut -d , -f 3 "$T/got" | sort | tr '\n' ';')" ".TAU application;.TAU application => outer;outer;"
is "a region alone: calls" "$(of outer 4)" "$(of outer 4 "$T/all")"
is "a region alone: its inclusive time" "$(of outer 7)" "$(of outer 7 "$T/all")"
is "a region alone: all of it is exclusive" "$(of outer 6)" "$(of outer 7 "$T/all")"
is "a region alone: the time of the thread stays" "$(of '.TAU application' 7)" "$(of '.TAU application' 7 "$T/all")"
profile --region recurse "$run" | timers >"$T/got"
is "a region that calls itself" "$(grep -c 'recurse$\|recurse,' "$T/got") $(of recurse 4) $(of recurse 7)" \
	"$(grep -c 'recurse$\|recurse,' "$T/all") $(of recurse 4 "$T/all") $(of recurse 7 "$T/all")"
profile --region outer --region inner "$run" | timers >"$T/got"
is "two regions" "$(of inner 4)+$(of outer 4)" "$(of inner 4 "$T/all")+$(of outer 4 "$T/all")"

# --- inside of a call path: rows below it are those of the whole ---
profile --inside 'typed int (void)' "$run" | timers >"$T/got"
is "inside of a call: what is called there" "$(of '.TAU application => typed int (void) => inner' 4),$(of inner 4),$(of inner 7)" \
	"$(of '.TAU application => typed int (void) => inner' 4 "$T/all"),$(of '.TAU application => typed int (void) => inner' 4 "$T/all"),$(of '.TAU application => typed int (void) => inner' 7 "$T/all")"
is "inside of a call: nothing else" "$(cut -d , -f 3 "$T/got" | grep -v typed | sort | tr '\n' ';')" ".TAU application;inner;"
p=' => recurse'
profile --inside 'recurse => recurse => recurse' "$run" | timers >"$T/got"
is "inside of a path that repeats: calls" "$(of recurse 4)" "$(awk -F , -v least=".TAU application$p$p$p" 'index($3, least) == 1 { n += $4 } END { print n }' "$T/all")"
is "inside of a path that repeats: exclusive time" "$(of recurse 6 | awk '{ printf "%.15g\n", $1 }')" \
	"$(awk -F , -v least=".TAU application$p$p$p" 'index($3, least) == 1 { n += $6 } END { printf "%.15g\n", n }' "$T/all")"
profile --inside '.TAU application => other' "$run" | timers >"$T/got"
is "a path from the root is not found elsewhere" "$(of other 4)" "$(of '.TAU application => other' 4 "$T/all")"

# --- groups: each row is in one of them, and they are all there are ---
n=0
for g in $(awk -F , '$5 == "timer" { print $7 }' "$T/all.csv" | tr '|' '\n' | grep -v '^\(TAU_CALLPATH\|\)$' | sort -u); do
	[ "$g" = TAU_UTILITY ] && continue
	n=$((n + 1))
	profile --group "$g" "$run" >"$T/got.csv"
	is "group $g: each row is in it" "$(awk -F , -v g="$g" '$5 == "timer" && $6 !~ /^\.TAU/ && !index("|" $7 "|", "|" g "|")' "$T/got.csv")" ""
	is "group $g: every call" "$(awk -F , '$5 == "timer" && $6 !~ / => / && $6 !~ /^\.TAU/ { n += $8 } END { print n + 0 }' "$T/got.csv")" \
		"$(awk -F , -v g="$g" '$5 == "timer" && $6 !~ / => / && $6 !~ /^\.TAU/ && index("|" $7 "|", "|" g "|") { n += $8 } END { print n + 0 }' "$T/all.csv")"
done
ok "there were groups" [ $n -ge 2 ]

# --- windows add up, and traces that are cut out have the same profile ---
half=$(awk -F , '$5 == "timer" && $6 == ".TAU application" { printf "%.0fns", $11 * 500; exit }' "$T/all.csv")
profile --region recurse --window ":$half" "$run" | timers >"$T/one"
profile --region recurse --window "$half:" "$run" | timers >"$T/two"
profile --region recurse "$run" | timers >"$T/got"
is "two windows are the whole" "$(cat "$T/one" "$T/two" | awk -F , '$3 == "recurse" { c += $4; e += $6; i += $7 } END { printf "%.3f %.3f %.3f\n", c, e, i }')" \
	"$(awk -F , '$3 == "recurse" { printf "%.3f %.3f %.3f\n", $4, $6, $7 }' "$T/got")"
bare() { sed 's/^[^,]*,//' | grep -v '^0,0,0,meta'; }
# cut RUN OPTION...: the profile of what is cut out is what is chosen from the whole
cut_out() {
	from=$1
	shift
	profile "$@" "$from" | bare >"$T/want"
	for f in tau otf2; do
		rm -rf "$T/cut"
		tau-convert --to $f "$@" "$from" "$T/cut" 2>"$T/err"
		is "$* to $f" "$? $(grep -v "records without a counterpart are not included\|does not contain: [0-9]* \(results of calls that poll\|names of files in calls that move no bytes\)\|contains an OTF2 archive and profiles: the trace is read" "$T/err")" "0 "
		profile "$T/cut" | bare >"$T/got"
		ok "$* to $f: the same profile" cmp "$T/want" "$T/got"
		case $f in
		tau) ok "$* to $f: every file verifies" tau-dump --check "$T/cut" ;;
		otf2) command -v otf2-print >/dev/null && is "$* to $f: otf2-print has nothing to say" \
			"$(otf2-print --silent "$T/cut/traces.otf2" 2>&1 >/dev/null; echo $?)" 0 ;;
		esac
	done
}
cut_out "$run" --region recurse
cut_out "$run" --inside outer
cut_out "$run" --group TAU_USER --window "$half:"
tau-record --metrics CPU_TIME:PAGE_FAULTS --fold=1s -o "$T/folded" "$B/apps/api" >/dev/null 2>&1
profile "$T/folded" | timers >"$T/all"
profile --region recurse "$T/folded" | timers >"$T/got"
is "folded calls" "$(of recurse 4)" "$(of recurse 4 "$T/all")"
if [ -e "$B/apps/mpip2p" ]; then
	mpirun -np 4 tau-record --wrap mpi,io,pthread -o "$T/mpi" "$B/apps/mpip2p" >/dev/null 2>&1
	cut_out "$T/mpi" --rank 1,3
	cut_out "$T/mpi" --rank 0 --thread 0
	cut_out "$T/mpi" --group MPI
	cut_out "$T/mpi" --inside MPI_Init --group TAU_IO
	cut_out "$T/mpi" --region MPI_Send --region MPI_Recv --rank 2,3
	profile --group TAU_IO "$T/mpi" >"$T/got.csv"
	is "messages are those of what is chosen" "$(grep -c 'Message size' "$T/got.csv")" 0
	profile --inside MPI_Send "$T/mpi" | grep ',counter,Message size sent to all nodes,' | cut -d , -f 2,12 >"$T/got"
	like "and those inside of a call are there" "$(cat "$T/got")" '^[0-3],[1-9]'
else
	skip "ranks and threads" "the MPI programs are not built"
fi
for set in ping-pong-papi sstmacro-10; do
	[ -d "$DATA/otf2/$set" ] && cut_out "$DATA/otf2/$set" --group MPI --rank 0..1
done

# --- a selection of regions changes the life of no thread, also if the trace has no record of the begin of a thread ---
lives() { profile "$@" | awk -F , '$5 == "timer" && $6 == ".TAU application" { print $1 "," $2 "," $4 "," $8 "," $11 }' | sort; }
# spans KIND: the windows that a report has
spans() { tau-report series --slices 4 -f csv "$@" 2>/dev/null | cut -d , -f 1-3 | sort -u; }
# alive TRACE: for each of its regions
alive() {
	lives "$1" >"$T/want"
	lives --slices 5 "$1" >"$T/want.slices"
	spans "$1" >"$T/want.spans"
	timers <"$T/profile.csv" >"$T/all"
	cut -d , -f 3 "$T/all" | grep -v ' => \|^\.TAU\|"' | sort -u >"$T/regions"
	ok "$2: has regions" [ -s "$T/regions" ]
	while read -r name; do
		for by in --region --inside; do
			lives "$by" "$name" "$1" >"$T/got"
			ok "$2 $by $name: each thread lives as long" cmp "$T/want" "$T/got"
			lives --slices 5 "$by" "$name" "$1" >"$T/got"
			ok "$2 $by $name: in each slice" cmp "$T/want.slices" "$T/got"
			spans "$by" "$name" "$1" >"$T/got"
			ok "$2 $by $name: series has all windows" cmp "$T/want.spans" "$T/got"
		done
		profile --region "$name" "$1" | timers | awk -F , -v n="$name" '$3 == n { print $1 "," $2 "," $4 "," $7 }' >"$T/got"
		is "$2 --region $name: its calls and time" "$(cat "$T/got")" "$(awk -F , -v n="$name" '$3 == n { print $1 "," $2 "," $4 "," $7 }' "$T/all")"
		for f in tau otf2; do
			rm -rf "$T/cut"
			tau-convert --to $f --region "$name" "$1" "$T/cut" 2>/dev/null
			lives "$T/cut" >"$T/got"
			ok "$2 --region $name to $f: each thread lives as long" cmp "$T/want" "$T/got"
		done
	done <"$T/regions"
}
# Three streams of a TAU trace: one begins with a value, one ends and begins again, one never closes its regions.
python3 - "$T/t" <<'EOF'
import struct, sys
records = []
def put(us, event, thread, value):
    records.append(struct.pack("<iHHqQ", event, 0, thread, value, 1000000 + us))
put(0, 60000, 0, 3)
for v in 0, 5, 0:
    put(100, 4, 0, v)
put(200, 2, 0, 1), put(300, 3, 0, 1), put(350, 3, 0, -1), put(900, 2, 0, -1)
put(100, 1, 1, 1), put(150, 2, 1, 1), put(250, 2, 1, -1), put(300, 1, 1, -1)
put(500, 2, 1, 1), put(600, 3, 1, 1), put(650, 3, 1, -1), put(800, 2, 1, -1)
put(120, 2, 2, 1), put(180, 3, 2, 1), put(190, 3, 2, -1)
for v in 0, 7, 0:
    put(700, 4, 2, v)
open(sys.argv[1] + ".trc", "wb").write(b"".join(records))
open(sys.argv[1] + ".edf", "w").write("""5 dynamic_trace_events
# FunctionId Group Tag "Name Type" Parameters
1 TAU_DEFAULT 0 ".TAU application" EntryExit
2 TAU_USER 0 "main" EntryExit
3 MPI 0 "MPI_Send" EntryExit
4 TAUEVENT 0 "size" TriggerValue
60000 TRACER 0 "EV_INIT" none
""")
EOF
profile "$T/t.trc" >"$T/profile.csv"
alive "$T/t.trc" "a TAU trace"
is "the lives of its threads" "$(cut -d , -f 2- "$T/want" | tr '\n' ' ')" "0,0,1,800.000 0,1,2,500.000 0,2,1,580.000 "
for set in ping-pong ping-pong-papi; do
	[ -d "$DATA/otf2/$set" ] || continue
	profile "$DATA/otf2/$set" >"$T/profile.csv"
	alive "$DATA/otf2/$set" "$set"
done

# --- what is not there ---
refused() {
	want=$1
	shift
	tau-trace2profile -f text "$@" "$run" >"$T/out" 2>"$T/err"
	is "$*: is refused" "$? $(cat "$T/out")" "3 "
	is "$*: and said" "$(cat "$T/err")" "tau-trace2profile: $run: $want"
	tau-convert "$@" "$run" "$T/none" 2>"$T/err"
	is "$*: by tau-convert, too" "$? $(cat "$T/err")" "3 tau-convert: $run: $want"
}
refused "there is no region 'recurs'; did you mean 'recurse'?" --region recurs
refused "there is no region 'recurs'; did you mean 'recurse'?" --inside 'outer => recurs'
refused "no region is in a group 'NOTHING'" --group NOTHING
refused "no region is in a group 'TAU_USR'; did you mean 'TAU_USER'?" --group TAU_USER,TAU_USR
mkdir "$T/tau"
tau-trace2profile -f tau -o "$T/tau/p" "$run" 2>/dev/null
tau-convert --region outer "$T/tau/p" "$T/out.json" 2>"$T/err"
is "a profile has nothing to choose from" "$? $(ls "$T/out.json" 2>/dev/null)" "3 "
like "and that is reported" "$(cat "$T/err")" 'a profile has no events, so '
tap_end
