# db-limits.sh: tau-db where the disk is full, where nothing can be written, where others write or read at the same time, and with
# hostile names: what was stored before stays, a new trial is there or not, and the reason is one sentence.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
chmod 755 "$T"
cd "$T" || exit 1

tau-record -o run "$B/apps/hooks" >/dev/null 2>&1
mkdir store
tau-db import -d store/first.db run >/dev/null 2>&1
tau-db import -d big.db --slices 200 run >/dev/null 2>&1
chmod -R a+rX run store big.db
trials() { tau-db query -d "$1" -f csv "SELECT count(*) FROM trial" 2>/dev/null | tail -n 1 | tr -d '\r'; }
checked() { tau-db check -d "$1" 2>&1 | sed 's/^.*: \([0-9]* trials*\), .*, /\1, /'; }
# Without the notes about the run.
sentence() { grep -v 'recorded and was repaired' "$1"; }
one=$(trials store/first.db)
is "a trial is stored" "$one $(checked store/first.db)" "1 1 trial, no defects"

# refused WHAT REASON DB TRIALS COMMAND...: the command ends with 4 and one sentence; DB has TRIALS trials and no defects.
refused() {
	what=$1 reason=$2 db=$3 n=$4
	shift 4
	"$@" >out 2>err
	is "$what: exit status, sentences, trials" "$? $(sentence err | wc -l) $(trials "$db") $(checked "$db")" "4 1 $n $n trial, no defects"
	like "$what: why" "$(sentence err)" "$reason"
}

# ---- files that may not grow ----
cp store/first.db limit.db
size=$(($(wc -c <limit.db) / 1024))
# The limit of a shell counts blocks of 512 or 1024 bytes.
sh -c 'ulimit -f 1; head -c 1024 /dev/zero >unit; :' 2>/dev/null
unit=$(wc -c <unit)
# The status goes through a pipe: files of the test itself are under the limit, too.
under() { blocks=$(($1 * 1024 / unit)); shift; (ulimit -f "$blocks"; { { "$@" 2>&1 1>/dev/null; echo "status $?"; } | cat; }); }
for extra in 0 8 24; do
	under $((size + extra)) tau-db import -d limit.db --again --slices 200 run >err
	is "at most $extra KiB more: exit status" "$(grep -c '^status 4' err)" 1
	# The profiles of slices are in a temporary file first, which can reach the limit before.
	like "and why" "$(sentence err | head -n 1)" "^tau-db import: (limit.db: the database|/.*: a temporary file) cannot be written; the limit of a file is [0-9]+ bytes"
	is "and the trial before is there" "$(trials limit.db) $(checked limit.db)" "1 1 trial, no defects"
done
under 4 tau-db import -d new.db run >err
like "a new database" "$(sentence err | head -n 1)" "the limit of a file is 4096 bytes"
like "has no trial" "$(tau-db list -d new.db 2>&1)" "an empty file, not a TauDB|No such file"
like "and takes the next import" "$(tau-db import -d new.db run 2>/dev/null)" "^trial 1: "
under $((size + 8)) tau-db merge limit.db big.db >err
like "merge" "$(cat err)" "the limit of a file is"
is "copies all or nothing" "$(trials limit.db) $(checked limit.db)" "1 1 trial, no defects"

# ---- a full disk, media that only read ----
# A file system of the test's own: in name spaces, so that users may have one.
cat >mounted.sh <<'END'
set -e
mount -t tmpfs -o size="$1" tmpfs disk
shift
exec "$@"
END
mkdir disk
if unshare -rm sh mounted.sh 64k true 2>/dev/null; then
	cat >full.sh <<-'END'
		cp store/first.db disk/tau.db
		chmod u+w disk/tau.db
		tau-db import -d disk/tau.db --again --slices 200 run >out 2>err
		echo $? >status
		tau-db merge disk/tau.db big.db 2>&1 | grep -c 'no space left for the database' >merged
		dd if=/dev/zero of=disk/filled bs=4k 2>/dev/null || :
		tau-db rename -d disk/tau.db 1 other 2>>err || :
		TMPDIR=$PWD/disk tau-db import -d elsewhere.db --slices 2000 run 2>&1 | grep -c 'Set TMPDIR to a directory with more space' >spool
		tau-db export -d disk/tau.db --to tidy -o disk/table.csv 2>&1 | grep -c 'No space left' >exported
		ls disk >files
		tau-db list -d disk/tau.db >/dev/null && tau-db query -d disk/tau.db hot-timers >/dev/null && echo reads >reads
		cp disk/tau.db after.db
	END
	unshare -rm sh mounted.sh "$((size + 40))k" sh full.sh
	is "a full disk: import and rename" "$(cat status) $(sentence err)" "4 tau-db import: disk/tau.db: no space left for the database
tau-db rename: disk/tau.db: no space left for the database"
	is "merge" "$(cat merged)" 1
	is "the temporary file of an import" "$(cat spool) $(ls elsewhere.db 2>&1 | grep -c 'No such')" "1 1"
	is "export leaves no half of a file" "$(cat exported) $(tr '\n' ' ' <files)" "1 filled tau.db "
	is "reading works on it" "$(cat reads)" reads
	is "what was there is there" "$(trials after.db) $(checked after.db)" "1 1 trial, no defects"

	cat >only.sh <<-'END'
		mount --bind store store && mount -o remount,bind,ro store || exit
		for c in list check 'show 1' 'query hot-timers' 'export --to tidy'; do
			set -- $c
			command=$1
			shift
			tau-db $command -d store/first.db "$@" >out 2>err || echo "$c: $? $(cat err)"
		done
		for c in 'import --again run' 'rm 1' 'rename 1 x' 'tag x 1' gc; do
			set -- $c
			command=$1
			shift
			tau-db $command -d store/first.db "$@" >out 2>err
			echo "$? $(grep -c 'first.db: the database, or its directory, cannot be written' err)"
		done
		tau-db merge store/first.db big.db 2>&1 | grep -c 'first.db: the database, or its directory, cannot be written'
		tau-db import -d store/new.db run 2>&1 | grep -c 'new.db: Read-only file system'
		tau-db merge copy.db store/first.db
	END
	is "media that only read: five commands read, all others are refused, and merge copies from it" \
		"$(unshare -rm sh only.sh | sort | uniq -c | sed 's/^ *//')" "2 1
5 4 1
1 store/first.db: 1 trial, now 1"
	is "the copy" "$(checked copy.db)" "1 trial, no defects"
	if command -v sqlite3 >/dev/null; then
		cp store/first.db store/killed.db
		chmod u+w store/killed.db
		{ (printf 'PRAGMA cache_size = 1;\nBEGIN;\nUPDATE timer_value SET exclusive_value = 0;\nDELETE FROM timer_call_data;\n'
			printf '.system kill -9 $PPID\n') | sqlite3 store/killed.db; } >/dev/null 2>&1
		cat >only.sh <<-'END'
			mount --bind store store && mount -o remount,bind,ro store || exit
			tau-db list -d store/killed.db 2>&1
			echo $?
			tau-db gc -d store/killed.db 2>&1
			echo $?
		END
		like "changes of a killed program on media that only read" "$(unshare -rm sh only.sh | tr '\n' ' ')" \
			"undo it: tau-db gc --db store/killed.db 4 .*killed.db: a program was killed while it wrote; to undo that, the database and its directory must be writable 4 "
		tau-db gc -d store/killed.db >/dev/null
		is "are undone where they can be written" "$(checked store/killed.db)" "1 trial, no defects"
		rm -f store/killed.db*
	else
		skip "changes of a killed program on media that only read" "no sqlite3"
	fi
else
	skip "a full disk, media that only read" "this system mounts no file systems for users"
fi

# ---- a file that may not be written: root may write all files, so another user tries ----
chmod 444 store/first.db
as=
[ "$(id -u)" -ne 0 ] || as="setpriv --reuid=65534 --regid=65534 --clear-groups"
if $as test -r store/first.db 2>/dev/null && ! $as test -w store/first.db; then
	refused "a file that may not be written" "first.db: the database, or its directory, cannot be written" store/first.db 1 \
		$as tau-db import -d store/first.db --again run
	$as tau-db list -d store/first.db >out 2>err
	is "is read" "$? $(wc -l <out)" "0 3"
else
	skip "a file that may not be written" "no other user can be used"
fi
chmod 644 store/first.db

# ---- several at once ----
for i in 1 2 3 4; do
	tau-db import -d same.db run >same.$i 2>/dev/null &
done
wait
is "four imports of one run: one is stored, three find it" "$(cat same.[1-4] | sed 's/:.*stored/: stored/; s/^trial 1:.*/trial 1/' | sort | uniq -c | sed 's/^ *//')" \
	"3 run: stored as trial 1
1 trial 1"
is "and the database has it once" "$(checked same.db)" "1 trial, no defects"
for i in 1 2; do
	tau-db import -d two.db -n n$i -m number=$i --slices 100 run >two.$i 2>/dev/null &
	tau-db merge two.db store/first.db >merged.$i 2>&1 &
	jobs="$jobs $!"
done
seen= bad=
while kill -0 $jobs 2>/dev/null || [ -z "$seen" ]; do
	if tau-db query -d two.db -f csv "SELECT t.id, count(*) AS windows, (SELECT count(DISTINCT d.time_range) FROM thread h JOIN timer_call_data d
		ON d.thread = h.id WHERE h.trial = t.id AND h.node_rank = -2) AS used FROM trial t JOIN time_range r ON r.trial = t.id
		GROUP BY t.id" >reader 2>reader.err; then
		seen=1
		[ "$(tail -n +2 reader | grep -vc '^[0-9]*,\(1\|100\),')" -eq 0 ] || bad="$bad $(cat reader)"
	else
		grep -q 'No such file\|an empty file' reader.err || bad="$bad $(cat reader.err)"
	fi
	[ "$(wc -l <reader)" -lt 4 ] || break
done
wait
is "readers during two imports and two merges find whole trials" "$bad" ""
is "both imports, and the merged trial once" "$(cat two.[12] merged.[12] | grep -c '^trial\|now') $(checked two.db)" "3 3 trials, no defects"

# ---- hostile names ----
hostile=$(printf 'q"uo'"'"'te\nline; DROP TABLE trial; -- \t\001\033[31m %%s %%n \377\376 =1+2 <&> \\0')
key=$(printf %s "$hostile" | tr -d =)
long=$(head -c 100000 /dev/zero | tr '\0' x)
tau-db import -d odd.db -n "$hostile" -m "$key=$hostile" -m "long=$long" -a "$hostile" -x "$long" run >out 2>/dev/null
is "a hostile name is stored, and printed as one line without control characters" \
	"$? $(wc -l <out) $(tr -d '\n' <out | tr -cd '\000-\037\177' | wc -c) $(checked odd.db)" "0 1 0 1 trial, no defects"
name=$(tau-db query -d odd.db -f csv "SELECT hex(name) FROM trial" | tail -n 1 | tr -d '\r')
is "as it is" "$name" "$(printf %s "$hostile" | od -An -v -tx1 | tr -d ' \n' | tr a-f A-F)"
is "metadata, too" "$(tau-db query -d odd.db -f csv "SELECT count(*) FROM primary_metadata p JOIN trial t ON p.name = replace(t.name, '=', '') AND p.value = t.name" | tail -n 1 | tr -d '\r')" 1
is "and 100000 bytes" "$(tau-db query -d odd.db -f csv "SELECT length(value) FROM primary_metadata WHERE name = 'long'" | tail -n 1 | tr -d '\r')" 100000
mkdir odd
{
	printf '2 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute></metadata>\n'
	printf '"it'"'"'s; DROP TABLE timer; -- \377\001 %%n" 1 0 5 5 0 GROUP="TAU_USER" \n"%s" 1 0 7 7 0 GROUP="TAU_USER" \n0 aggregates\n' "$long"
} >odd/profile.0.0.0
like "regions" "$(tau-db import -d odd.db odd 2>&1)" "^trial 2: "
is "are as they are" "$(tau-db query -d odd.db -f csv "SELECT hex(substr(t.name, 1, 4)), length(CAST(t.name AS BLOB)) FROM timer t WHERE t.trial = 2 ORDER BY 2" | tr -d '\r' | tail -n 2 | tr '\n' ' ')" \
	"69742773,32 78787878,100000 "
is "and nothing is damaged" "$(checked odd.db)" "2 trials, no defects"
bad=
for f in ppk snapshot folded callgrind pprof json csv text tidy postgresql tau; do
	tau-db export -d odd.db --to $f -o "out.$f" 1 2>/dev/null || bad="$bad $f"
	tau-db export -d odd.db --to $f -o "out2.$f" 2 2>/dev/null || bad="$bad $f.2"
done
is "exported in each format" "$bad" ""
is "as packed profile and back, where names have at most 65533 bytes" "$(tau-db import -d back.db out2.ppk >/dev/null 2>&1
	tau-db query -d back.db -f csv "SELECT sum(v.exclusive_value), max(length(t.name)) FROM timer t JOIN timer_callpath p ON p.timer = t.id
	JOIN timer_call_data d ON d.timer_callpath = p.id JOIN thread h ON h.id = d.thread AND h.node_rank = 0
	JOIN timer_value v ON v.timer_call_data = d.id" | tail -n 1 | tr -d '\r')" "12,65533"
is "removed" "$(tau-db rm -d odd.db 1 2 2>&1) $(trials odd.db)" " 0"
tap_end
