# db-journals.sh: commands that only read a database leave it and the files beside it as they are, whatever these are; journals of others
# make no command of tau-db delete, open or wait for a file; and statements without end are stopped.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1
profile() {
	mkdir -p "$1"
	printf '1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n"main" 1 0 100 100 0 GROUP="TAU_USER" \n0 aggregates\n' \
		>"$1/profile.0.0.0"
}
profile run
tau-db import -d good.db run >/dev/null
printf 'kept\n' >victim

# journal DB NAME: a journal beside DB that would be undone, with the page that is there; NAME: its super-journal, or nothing
journal() {
	python3 - "$1" "$2" <<-'END'
		import struct, sys
		db, name = sys.argv[1], sys.argv[2].encode()
		data = open(db, "rb").read()
		size = struct.unpack(">H", data[16:18])[0]
		size = 65536 if size == 1 else size
		page, sum_ = data[:size], 7
		at = size - 200
		while at > 0:
		    sum_ = (sum_ + page[at]) & 0xffffffff
		    at -= 200
		magic = bytes.fromhex("d9d505f920a163d7")
		out = (magic + struct.pack(">5I", 1, 7, len(data) // size, 512, size)).ljust(512, b"\0")
		out += struct.pack(">I", 1) + page + struct.pack(">I", sum_)
		if name:
		    out += struct.pack(">I", 0x40000000 // size + 1) + name + struct.pack(">II", len(name), sum(name) & 0xffffffff) + magic
		open(db + "-journal", "wb").write(out)
	END
}
sums() { for f in *; do cksum <"$f"; stat -c "%n %s %y" "$f"; done | cksum; }

reads="list|show 1|query hot-timers|check|export --to csv"
# each reading command on DB; prints those that end with another status, and whether something has changed
changes() { # DB STATUS
	before=$(sums) wrong=
	ifs=$IFS IFS='|'
	for c in $reads; do
		IFS=$ifs
		timeout 20 tau-db ${c%% *} -d "$1" $(echo "$c" | cut -s -d ' ' -f 2-) >/dev/null 2>../said
		[ $? -eq "$2" ] || wrong="$wrong $c:$(cat ../said)"
	done
	timeout 20 tau-report profile --db "$1" >/dev/null 2>&1
	[ $? -eq "$2" ] || wrong="$wrong tau-report"
	timeout 20 tau-db merge ../into.db "$1" >/dev/null 2>&1
	[ $? -eq "$2" ] || wrong="$wrong merge"
	rm -f ../into.db
	[ "$(sums)" = "$before" ] || wrong="$wrong changed"
	echo "$wrong"
}
mkdir super half pipe link
cp good.db super/x.db && journal super/x.db "$T/victim"
is "a journal with a super-journal: nothing is read" "$(cd super && changes x.db 3)" ""
like "the message names the file that SQLite would delete" "$(tau-db list -d super/x.db 2>&1)" "x.db-journal: it names $T/victim as its super-journal"
for c in gc 'rename 1 new' 'tag 1 new' 'rm 1'; do
	tau-db ${c%% *} -d super/x.db $(echo "$c" | cut -s -d ' ' -f 2-) >/dev/null 2>&1
	is "nor do commands that write touch it: $c" "$?" 3
done
tau-db import -d super/x.db --again run >/dev/null 2>&1
is "nor does an import" "$?" 3
is "the other file is there" "$(cat victim)" kept
ln -s ../super/x.db link/y.db
like "nor through a link" "$(tau-db list -d link/y.db 2>&1)" "super-journal"
cp good.db half/x.db && journal half/x.db ""
is "what a killed program has left: reading changes nothing" "$(cd half && changes x.db 4)" ""
like "the message names the command that undoes it" "$(tau-db list -d half/x.db 2>&1)" "to undo it: tau-db gc --db half/x.db"
ok "which does" tau-db gc --db half/x.db
is "then the database can be read" "$(tau-db list -d half/x.db -f csv -c id,name | tr -d '\r' | tail -n 1)" "1,run"
cp good.db pipe/x.db
for s in journal wal shm; do
	mkfifo pipe/x.db-$s
	timeout 20 tau-db list -d pipe/x.db >said 2>&1
	is "a pipe in place of the $s is not waited for" "$? $(grep -c "x.db-$s: not a regular file" said)" "3 1"
	rm pipe/x.db-$s
done
timeout 20 tau-db list -d /dev/zero >said 2>&1
is "a device is no database" "$? $(cat said)" "3 tau-db list: /dev/zero: a device, not a TauDB"

# A database of another program in mode WAL, with and without something in its log.
mkdir wal
cp good.db 'wal/x%20?#.db'
python3 -c "
import sqlite3
c = sqlite3.connect('wal/x%20?#.db')
c.execute('PRAGMA journal_mode = wal').fetchall()
c.execute(\"UPDATE trial SET name = 'in WAL'\")
c.commit()
c.close()"
before=$(cd wal && sums)
is "mode WAL is read" "$(tau-db list -d 'wal/x%20?#.db' -f csv -c name | tr -d '\r' | tail -n 1)" "in WAL"
is "and leaves no files beside the database" "$(cd wal && sums)" "$before"

# Statements without end: a query, and a view that a database brings along.
endless="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
timeout 60 tau-db query -d good.db --timeout 300ms "$endless" >said 2>&1
is "--timeout ends a query" "$? $(cat said)" "4 tau-db query: good.db: stopped after 300.0 ms (--timeout)"
cp good.db view.db
python3 -c "
import sqlite3
c = sqlite3.connect('view.db')
c.executescript('ALTER TABLE metric RENAME TO metric_was; CREATE VIEW metric AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL '
	'SELECT i + 1 FROM n) SELECT i AS id, 1 AS trial, 1 AS name, 0 AS derived FROM n')"
timeout 60 tau-report profile --timeout 0.3 --db view.db >said 2>&1
is "and a view without end" "$? $(grep -c 'view.db: stopped after 300.0 ms' said)" "4 1"
timeout 60 tau-db list --timeout 0.3 -d view.db >said 2>&1
is "also in tau-db list" "$? $(grep -c 'view.db: stopped after 300.0 ms' said)" "4 1"
tau-db list -d good.db --timeout 3x >said 2>&1
is "a limit that is no time" "$? $(grep -c "'3x' is not a time" said)" "2 1"
tau-report profile --timeout 3 run >said 2>&1
is "a limit without a database" "$? $(cat said)" "2 tau-report: --timeout is for --db: no database is read"
is "within the limit nothing changes" "$(tau-db list -d good.db --timeout 1h -f csv)" "$(tau-db list -d good.db -f csv)"

# What a database brings along is checked before it is copied.
bad() { # WHAT SQL
	cp good.db bad.db
	python3 -c "
import sqlite3, sys
c = sqlite3.connect('bad.db')
c.executescript(sys.argv[1])
c.commit()" "$2"
	rm -f into.db
	tau-db merge into.db bad.db >said 2>&1
	is "merge refuses $1" "$? $(grep -c '; not merged' said) $(tau-db list -d into.db -f csv 2>/dev/null | wc -l)" "3 1 0"
	rm -f into.db
	ok "and copies it with --unchecked: $1" tau-db merge --unchecked into.db bad.db
}
bad "a call path that is its own parent" "UPDATE timer_callpath SET parent = id"
bad "a node beyond all numbers" "UPDATE thread SET node_rank = 9223372036854775807 WHERE thread_index >= 0"
bad "a thread below 0" "UPDATE thread SET thread_rank = -9 WHERE thread_index >= 0"
bad "a wrong number of threads" "UPDATE trial SET total_threads = 77"
bad "a wrong number of nodes" "UPDATE trial SET node_count = 1000000000"
bad "a number of calls that is text" "UPDATE timer_call_data SET calls = 'many'"
bad "a total that is not the sum" "UPDATE timer_call_data SET calls = calls + 5 WHERE thread = (SELECT id FROM thread WHERE thread_index = -2)"
bad "a row without its thread" "UPDATE timer_call_data SET thread = 77 WHERE id = 1"
tap_end
