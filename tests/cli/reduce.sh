# reduce.sh: tau-reduce on made-up profiles by hand, and what a recording with its selection file saves.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

mkdir p
cat >p/profile.0.0.0 <<'END'
6 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls #
"main [{a.c} {1,1}-{9,1}]" 1 2000010 1000 2000000 0 GROUP="TAU_USER"
"int tiny(int) C [{a.c} {20,1}-{22,1}]" 2000000 0 1000000 1000000 0 GROUP="TAU_USER"
"#lambda" 1000001 0 1000 1000 0 GROUP="TAU_USER"
"slow" 1000001 0 9000000 9000000 0 GROUP="TAU_USER"
"MPI_Comm_rank()" 10 0 1 1 0 GROUP="MPI"
".TAU census" 3000000 0 1 1 0 GROUP="TAU"
0 aggregates
END
cp p/profile.0.0.0 p/profile.1.0.0
sed -i 's/^"slow" 1000001 0 9000000 9000000/"slow" 1000001 0 900 900/' p/profile.1.0.0

is "the default rule: on any thread, without the place, # quoted, not the recorder's own" "$(tau-reduce p)" \
"# p: excludes 3 of 6 regions, 16000008 of 28000052 events (57.1 %)
# rule: numcalls > 1000000 & usecs/call < 2
BEGIN_EXCLUDE_LIST
int tiny(int) C
\"#lambda\"
slow
END_EXCLUDE_LIST"
is "a rule for a group" "$(tau-reduce -r 'MPI: numcalls<=10' p | grep -v '^#')" "BEGIN_EXCLUDE_LIST
MPI_Comm_rank()
END_EXCLUDE_LIST"
printf '# comment\n\n  numcalls = 1 & percent >= 20 # and this\nTAU_USER: usec > 8000000\n' >rules
is "rules of a file: each alone excludes" "$(tau-reduce --rules rules p | grep -v '^#' | tr '\n' ' ')" "BEGIN_EXCLUDE_LIST slow main END_EXCLUDE_LIST "
is "CSV: what each excluded region has" "$(tau-reduce -f csv p | tr -d '\r' | cut -d , -f 1,3,4,5 | tail -n 1)" \
	'2000002,4.5004454995545,numcalls > 1000000 & usecs/call < 2,slow'
is "JSON: events" "$(tau-reduce -f json p | python3 -c 'import json, sys; f = json.load(sys.stdin)["facts"]; print(f["events"], f["saved_events"])')" "28000052 16000008"
for wrong in "-r numcalls p" "-r numcalls>x p" "-r foo>1 p" "-f svg p" "p p" "" "--rules absent p" "absent"; do
	tau-reduce $wrong >out 2>err
	like "refused: tau-reduce $wrong" "$? $(cat err)" '^[234] tau-reduce: '
	is "... and nothing is printed" "$(cat out)" ""
done

# The saving is real: a recording with the selection file lacks exactly the calls that were promised.
calls() { tau-trace2profile -f csv "$1" | python3 -c 'import csv, sys; print(sum(int(float(r["calls"])) for r in csv.DictReader(sys.stdin) if r["kind"] == "timer" and not r["name"].startswith(".TAU")))'; }
if [ -e "$B/apps/hooks" ]; then
	tau-record -o full "$B/apps/hooks" >out 2>err
	tau-reduce -r 'numcalls >= 10' -o select full
	tau-record -o small --select select "$B/apps/hooks" >out 2>err
	saved=$(sed -n 's/.* regions, \([0-9]*\) of .*/\1/p' select)
	is "the next recording lacks the calls that were promised" "$(calls small)" "$(($(calls full) - saved / 2))"
	like "... which are some" "$saved" '^[1-9]'
	like "the cost of an event gives the time" "$(head -n 1 select)" ', about [0-9.]* (us|ms) of recording$'
else
	skip "the next recording" "no test program"
fi
tap_end
