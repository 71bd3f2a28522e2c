# db-kills.sh: tau-db is killed at random moments of imports, also of several runs, and merges: the database then has whole trials
# only, check finds nothing, and what was stored before is there. KILLS and SEED choose how many and which (make torture: 1000).
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1
kills=${KILLS:-30} seed=${SEED:-7}

tau-record -o run "$B/apps/hooks" >/dev/null 2>&1
tau-db import -d other.db run >/dev/null 2>&1
tau-db import -d other.db --again --callpath --slices 20 run >/dev/null 2>&1
tau-db import -d tau.db run >/dev/null 2>&1
# Commands that read leave what a kill left half-done; a command that writes undoes it.
undo() {
	tau-db list -d tau.db >/dev/null 2>left || grep -q 'to undo it: tau-db gc --db tau.db' left || cat left
	! [ -s left ] || tau-db gc -d tau.db >/dev/null
}
undone=0
trials() { tau-db query -d "$1" -f csv "SELECT count(*) FROM trial" 2>/dev/null | tail -n 1 | tr -d '\r'; }
stored() { tau-db query -d tau.db -f csv "SELECT count(*), total(v.exclusive_value) FROM timer_value v JOIN timer_call_data d
	ON d.id = v.timer_call_data JOIN thread h ON h.id = d.thread WHERE h.trial = 1" 2>&1 | tail -n 1; }
first=$(stored)
# Kills come at any moment of what an import takes here.
begin=$(date +%s%N)
tau-db import -d third.db --again --slices 20 run >/dev/null 2>&1
span=$((($(date +%s%N) - begin) / 1000000 + 1))
n=0 killed=0 bad=
have=$(trials tau.db)
while [ $n -lt "$kills" ]; do
	n=$((n + 1))
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	delay=$((seed / 65536 % span + 1))
	if [ $((n % 3)) -eq 0 ]; then
		set -- tau-db merge --again tau.db other.db
	elif [ $((n % 6)) -eq 1 ]; then	# each run has a process of its own, which ends with the first one
		set -- tau-db import -d tau.db --again -j $((n % 4)) --slices 20 run run
	else
		set -- tau-db import -d tau.db --again --slices 20 run
	fi
	timeout -s KILL "$(printf '%d.%03d' $((delay / 1000)) $((delay % 1000)))" "$@" >said 2>/dev/null
	[ $? -ne 0 ] && killed=$((killed + 1))
	[ $((n % 6)) -ne 1 ] || sleep 0.1
	undo || bad="$bad $n:undo"
	! [ -s left ] || undone=$((undone + 1))
	now=$(trials tau.db)
	# A trial that was printed is there; a merge has two, or none.
	case $((now - have)) in
	0 | 1 | 2) ;;
	*) bad="$bad $n:trials" ;;
	esac
	[ $((n % 3)) -ne 0 ] || [ $((now - have)) -ne 1 ] || bad="$bad $n:half-a-merge"
	! grep -q '^trial ' said || [ "$now" -gt "$have" ] || bad="$bad $n:lost"
	have=$now
	tau-db check -d tau.db >check 2>&1 || bad="$bad $n:check"
	if [ "$have" -gt 8 ]; then	# stays small
		tau-db rm -d tau.db -W 'id > 1' >/dev/null 2>&1
		have=$(trials tau.db)
	fi
done
is "$kills times tau-db was started, and $killed times killed: nothing is lost or damaged" "$bad" ""
is "what was stored before is there" "$(stored)" "$first"
ok "some were killed" test "$killed" -gt 0
tau-db import -d tau.db --again run >/dev/null 2>&1
like "and the next import is whole" "$(tau-db check -d tau.db)" "no defects"
tap_end
