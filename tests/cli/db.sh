# db.sh: tau-db at the command line: importing, listing, showing, removing, and every way to be refused.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

# A profile of two ranks: main calls foo; rank 0 sends.
profile() {
	mkdir -p "$1"
	for n in 0 1; do
		cat >"$1/profile.$n.0.0" <<-END
			3 templated_functions_MULTI_TIME
			# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute><attribute><name>Hostname</name><value>n$n</value></attribute><attribute><name>Starting Timestamp</name><value>1499888973850911</value></attribute></metadata>
			"main" 1 2 ${n}00 ${n}30 0 GROUP="TAU_USER" 
			"foo, bar" 2 0 30 30 0 GROUP="TAU_USER" 
			"main => foo, bar" 2 0 30 30 0 GROUP="TAU_CALLPATH|TAU_USER" 
			0 aggregates
			1 userevents
			# eventname numevents max min mean sumsqr
			"Bytes" 2 3 1 2 10
		END
	done
}
profile p
profile q

# fails CODE COMMAND...: the exit code, and one sentence on stderr only; the sentence is left in $said.
fails() {
	want=$1
	shift
	"$@" >out 2>err </dev/null
	code=$?
	said=$(cat err)
	is "$(basename "$*" | cut -c 1-60) ends with $want" "$code $(wc -l <err) $(wc -c <out)" "$want 1 0"
}

is "import says what it stored" "$(tau-db import p q)" "trial 1: p, PEs 2, threads 2, windows 1
trial 2: q, PEs 2, threads 2, windows 1"
is "the same profile again is the same trial, and a name or metadata make another one" "$(for o in "p" "-n other p" "-m a=b p" "-n other p" "--again p"; do
	tau-db import -d once.db $o; done)" "trial 1: p, PEs 2, threads 2, windows 1
trial 2: other, PEs 2, threads 2, windows 1
trial 3: p, PEs 2, threads 2, windows 1
p: already stored as trial 2
trial 4: p, PEs 2, threads 2, windows 1"
sed -i 's/ 2 3 1 2 10/ 2 3 1 2 11/' p/profile.1.0.0
is "one other number makes another trial" "$(tau-db import -d once.db p)" "trial 5: p, PEs 2, threads 2, windows 1"
sed -i 's/ 2 3 1 2 11/ 2 3 1 2 10/' p/profile.1.0.0
is "which is the first one with the number as it was" "$(tau-db import -d once.db p)" "p: already stored as trial 1"
tau-db rm -d once.db 1 4
is "a trial that was removed is stored again" "$(tau-db import -d once.db p)" "trial 6: p, PEs 2, threads 2, windows 1"
is "the default database is tau.db" "$(ls -d tau.db*)" "tau.db"
is "list as text" "$(tau-db list)" \
	"id  name  PEs  threads  metrics  timers  counters  windows  started (UTC)
--  ----  ---  -------  -------  ------  --------  -------  -------------------
 1  p       2        2        1       2         1        1  2017-07-12 19:49:33
 2  q       2        2        1       2         1        1  2017-07-12 19:49:33"
is "list as CSV" "$(tau-db list -f csv | tr -d '\r')" "id,name,pes,threads,metrics,timers,counters,windows,started,tags
1,p,2,2,1,2,1,1,2017-07-12 19:49:33,
2,q,2,2,1,2,1,1,2017-07-12 19:49:33,"
like "list as JSON" "$(tau-db list -f json | tr -d '\n')" '"id": 1, "name": "p", "pes": 2, .*"started": "2017-07-12 19:49:33"'
is "options may stand before the command, and TAUDB names the file" \
	"$(tau-db --db tau.db list) $(TAUDB=tau.db tau-db list -f csv | wc -l)" "$(tau-db list) 3"

is "show: timers" "$(tau-db show 1 --part timers --format csv | tr -d '\r')" "timer,calls,exclusive,exclusive_percent,inclusive,exclusive_max
main,1,50,62.5,80,100
\"foo, bar\",2,30,37.5,30,30"
is "show: counters" "$(tau-db show -f csv -p counters 1 | tr -d '\r')" "counter,samples,sum,mean,max,min,deviation
Bytes,4,8,2,3,1,1"
is "show: metadata of all ranks" "$(tau-db show -f csv -p metadata 1 | tr -d '\r')" "name,value
Starting Timestamp,1499888973850911"
is "show: the top" "$(tau-db show -t 1 1 | grep -c 'foo') $(tau-db show -t 1 1 | grep '1 of 2')" "0 1 of 2 timers"
if command -v python3 >/dev/null; then
	is "show as JSON" "$(tau-db show -f json 1 | python3 -c 'import json, sys; print(sorted(json.load(sys.stdin)))')" \
		"['counters', 'metadata', 'summary', 'timers']"
else
	skip "show as JSON" "no python3"
fi

tau-db import -n "named 'x'" -m compiler=gcc -m "a b=c=d" -a App -x Exp p >out
is "import with names and metadata" "$(cat out; tau-db show 3 -p metadata -f csv | tr -d '\r' | sort)" "trial 3: named 'x', PEs 2, threads 2, windows 1
Application,App
Experiment,Exp
Starting Timestamp,1499888973850911
a b,c=d
compiler,gcc
name,value"
is "a trial has a name, too" "$(tau-db show -f csv -p summary "named 'x'" | tr -d '\r' | sed -n 2p)" "trial,3"
like "a name nearly" "$(tau-db show "named 'y'" 2>&1)" "there is no trial named 'y'; did you mean 'named 'x''\?"
cp tau.db twice.db
tau-db import --db twice.db -n "named 'x'" p >/dev/null
is "a name that two trials have" "$(tau-db rm --db twice.db "named 'x'" 2>&1; echo $?)" \
	"tau-db rm: twice.db: trials 3 and 4 are both named 'named 'x'': use the number
3"
is "rm removes all that are named" "$(tau-db rm 1 "named 'x'" && tau-db list -f csv | cut -d, -f 1 | tr '\n' ' ')" "id 2 "

fails 3 tau-db rm 2 9
like "a trial that is not there" "$said" "tau.db: there is no trial 9"
is "and then none is removed" "$(tau-db list -f csv | wc -l)" 2
fails 3 tau-db show 9
fails 3 tau-db show -w 1 2
like "a window that is not there" "$said" "trial 2 has no window 1; its last one is 0"
fails 2 tau-db show
fails 3 tau-db show x
fails 2 tau-db show -f csv 2
fails 2 tau-db show -p nothing 2
fails 2 tau-db list -f xml
fails 2 tau-db list 1
fails 2 tau-db rm
fails 2 tau-db import
fails 2 tau-db import --callpath=1 p
fails 2 tau-db import -m novalue p
fails 2 tau-db
fails 2 tau-db frobnicate
like "an unknown command" "$said" "command: 'frobnicate' is not import, .* or [a-z]+"
fails 4 tau-db import none
like "a run that is not there" "$said" "none: No such file or directory"
mkdir empty
fails 3 tau-db import empty
like "a directory that is no run" "$said" "empty"
for file in q/profile.*; do
	sed '$d' "$file" >cut && mv cut "$file"
done
fails 3 tau-db import q
like "a profile cut short" "$said" "q/profile.0.0.0: line 8: the file ends after 0 of 1 user events"
is "nothing of it is stored" "$(tau-db list -f csv | wc -l)" 2
fails 4 tau-db list --db none.db
is "and no database is made by looking" "$(ls none.db 2>/dev/null)" ""
fails 3 tau-db import -d new.db empty
is "and makes no database" "$(ls new.db* 2>/dev/null)" ""
fails 3 tau-db list -d p/profile.0.0.0
like "a file that is no database" "$said" "p/profile.0.0.0: not an SQLite database"
fails 3 tau-db import -d p/profile.0.0.0 p
fails 4 tau-db import -d /proc/tau.db p
if [ "$(id -u)" -ne 0 ] || command -v setpriv >/dev/null; then
	mkdir -m 555 theirs
	chmod a+rx .
	other=$([ "$(id -u)" -ne 0 ] || echo setpriv --reuid=65534 --regid=65534 --clear-groups)
	(cd theirs && $other "$B/tau-db" import ../p >../out 2>../err; echo $?) >code
	is "a folder that is not to be written to" "$(cat code) $(cat out err)" "4 tau-db import: tau.db: Permission denied"
else
	skip "a folder that is not to be written to" "root may write anywhere, and there is no setpriv"
fi
mkdir far
cp -r p far/p
tau-convert far/p far/one.ppk 2>/dev/null
tau-convert far/p far/one.xml 2>/dev/null
is "a trial is named by the last part of its path, whatever its format" \
	"$(tau-db import -d far.db far/p/ far/one.ppk far/one.xml | sed 's/.*: \(.*\), PEs.*/\1/' | tr '\n' ' ')" "p one.ppk one.xml "
head -c 20000 tau.db >cut.db
fails 3 tau-db show -d cut.db 2
like "a database cut short" "$said" "cut.db: the database is damaged"
if command -v sqlite3 >/dev/null; then
	sqlite3 other.db 'CREATE TABLE songs (id INT)'
	fails 3 tau-db import -d other.db p
	like "another SQLite database" "$said" "other.db: an SQLite database, but not a TauDB"
	is "stays as it was" "$(sqlite3 other.db .tables)" "songs"
else
	skip "another SQLite database" "no sqlite3"
fi
fails 4 sh -c 'tau-db list >/dev/full'

# Root may write anywhere but on a file system that is mounted read-only.
mkdir locked
if [ "$(id -u)" -ne 0 ] || mount -t tmpfs -o size=1m none locked 2>/dev/null; then
	cp tau.db locked
	if [ "$(id -u)" -ne 0 ]; then chmod a-w locked locked/tau.db; else mount -o remount,ro locked; fi
	fails 4 tau-db import -d locked/tau.db p
	like "a read-only directory" "$said" "locked/tau.db: the database, or its directory, cannot be written"
	fails 4 tau-db import -d locked/new.db p
	is "a read-only database can be read" "$(tau-db list -d locked/tau.db -f csv | wc -l)" 2
	if [ "$(id -u)" -ne 0 ]; then chmod u+w locked; else umount locked; fi
else
	skip "a read-only directory" "no file system may be mounted here"
fi

mkdir small
if mount -t tmpfs -o size=64k none small 2>/dev/null; then
	fails 4 tau-db import -d small/tau.db p
	like "a full disk" "$said" "small/tau.db: no space left for the database"
	fails 3 tau-db list -d small/tau.db
	umount small
else
	skip "a full disk" "no file system may be mounted here"
fi

# ---- many windows come one by one, each of which is stored as tau-trace2profile prints it ----
tau-record -o api "$B/apps/api" >/dev/null 2>&1
tau-trace2profile --slices 100 --callpath -f csv api 2>/dev/null | awk -F , '$5 == "timer" && $6 !~ / => / { calls += $8; excl += $10; n++ }
	$5 == "counter" && $7 == "" { values++ } END { printf "%d %d %.3f\n", n, calls, excl }' >want
tau-db import --db windows.db --slices 100 --callpath api >out 2>err
like "many windows are stored" "$(cat out)" "^trial 1: api, PEs 1, threads 1, windows 100$"
is "their rows are those of the windows" "$(tau-db query --db windows.db -f csv "SELECT count(*), sum(d.calls), round(sum(v.exclusive_value), 3)
	FROM timer_call_data d JOIN timer_value v ON v.timer_call_data = d.id JOIN timer_callpath p ON p.id = d.timer_callpath
	JOIN thread t ON t.id = d.thread WHERE t.node_rank >= 0 AND p.parent IS NULL" 2>err | tr -d '\r' | tail -n 1 |
	awk -F , '{ printf "%d %d %.3f\n", $1, $2, $3 }')" "$(cat want)"
is "and each has its time" "$(tau-db query --db windows.db -f csv "SELECT count(*), count(DISTINCT name), sum(end > start) FROM time_range" 2>err |
	tr -d '\r' | tail -n 1)" "100,100,100"
tap_end
