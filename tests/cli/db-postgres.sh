# db-postgres.sh: tau-db export --to postgresql: psql loads the script, and every number and text is as in the database.
. "$(dirname "$0")/../tap.sh"
unset TAUDB PGHOST PGPORT PGUSER PGDATABASE PGPASSWORD
cd "$T" || exit 1

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -x "$bin/initdb" ] || skip_all "no PostgreSQL (Debian: postgresql)"
command -v psql >/dev/null || skip_all "no psql (Debian: postgresql-client)"
command -v python3 >/dev/null || skip_all "no python3"
# The server refuses to run as root.
other=
if [ "$(id -u)" -eq 0 ]; then
	command -v setpriv >/dev/null || skip_all "PostgreSQL does not run as root, and there is no setpriv"
	other="setpriv --reuid=65534 --regid=65534 --clear-groups"
	chmod a+rx .
fi

mkdir p
printf '%s\n' '4 templated_functions_MULTI_TIME' \
	'# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute><attribute><name>odd \. \N</name><value>a\b	c'"'"'; DROP TABLE trial; --</value></attribute></metadata>' \
	'"main" 1 3 0.1 1e300 0 GROUP="TAU_USER" ' \
	'"x'"'"'; DROP TABLE timer; -- \N \. \\" 2 0 5e-324 30 0 GROUP="TAU_USER|MPI" ' \
	'"f'"$(printf '\303\244 \377 \355\240\200')"'" 3000000000 0 0.30000000000000004 30 0 GROUP="TAU_USER" ' \
	'"main => f'"$(printf '\303\244 \377 \355\240\200')"'" 2 0 30 30 0 GROUP="TAU_CALLPATH|TAU_USER" ' \
	'0 aggregates' '1 userevents' '# eventname numevents max min mean sumsqr' '"Bytes" 3 3 1 0.1 10' >p/profile.0.0.0
sed 's/^"main" 1 3/"main" 2 3/' p/profile.0.0.0 >p/profile.1.0.0
tau-db import -a "it's" p >/dev/null 2>err || cat err
tau-record -o run "$B/apps/hooks" >/dev/null 2>&1
tau-db import -c --slices 3 run >/dev/null 2>&1
tau-db import -n skipped p >/dev/null 2>&1
tau-db export --to postgresql 1 2 >script.sql 2>err
is "the script is written" "$? $(head -n 1 script.sql | cut -c 1-7)" "0 -- TauD"
like "what TAU's types do not hold is named" "$(cat err)" "DOUBLE PRECISION instead of integers: .*timer_call_data.calls"
like "and texts that are not UTF-8" "$(cat err)" "[1-9][0-9]* texts? that are not UTF-8"

mkdir data socket
[ -z "$other" ] || chown 65534:65534 data socket
if ! $other env HOME="$T" "$bin/initdb" -D "$T/data" -U tau -A trust -E UTF8 --locale=C --no-sync >init.log 2>&1 ||
	! $other env HOME="$T" "$bin/pg_ctl" -D "$T/data" -w -t 120 -l "$T/socket/log" \
		-o "-k $T/socket -c listen_addresses= -c fsync=off" start >start.log 2>&1; then
	sed 's/^/# /' init.log start.log
	skip "the script is loaded" "PostgreSQL does not start here"
	tap_end
fi
trap '$other env HOME="$T" "$bin/pg_ctl" -D "$T/data" -m immediate stop >/dev/null 2>&1; rm -rf "$T"' EXIT
sql() { psql -X -q -h "$T/socket" -U tau -v ON_ERROR_STOP=1 "$@"; }
sql -d postgres -c 'CREATE DATABASE tau' || fail "a database is created"
is "psql loads the script" "$(sql -d tau -f script.sql 2>&1 >/dev/null) $?" " 0"

cat >compare.py <<'END'
# Each row of each table: SQLite's values against the server's, which prints numbers so that they read back the same.
import sqlite3, subprocess, sys, struct
home, trials = sys.argv[1], "(1, 2)"
lite = sqlite3.connect("tau.db")
lite.text_factory = bytes
tables = {
    "data_source": ("id, name, description", ""), "derived_thread_type": ("id, name, description", ""),
    "trial": ("id, name, data_source, node_count, contexts_per_node, threads_per_context, total_threads", "id IN " + trials),
    "thread": ("id, trial, node_rank, context_rank, thread_rank, thread_index, waiting", "trial IN " + trials),
    "metric": ("id, trial, name", "trial IN " + trials),
    "timer": ("id, trial, name, short_name, source_file, line_number, line_number_end, column_number, column_number_end", "trial IN " + trials),
    "timer_group": ("timer, group_name", "timer IN (SELECT id FROM timer WHERE trial IN %s)" % trials),
    "timer_parameter": ("timer, parameter_name, parameter_value", "timer IN (SELECT id FROM timer WHERE trial IN %s)" % trials),
    "timer_callpath": ("id, timer, parent", "timer IN (SELECT id FROM timer WHERE trial IN %s)" % trials),
    "time_range": ('id, start AS time_start, "end" AS time_end, trial, name, overlapping, exact_start, exact_end', "trial IN " + trials),
    "timer_call_data": ("id, timer_callpath, thread, calls, subroutines, time_range", "thread IN (SELECT id FROM thread WHERE trial IN %s)" % trials),
    "timer_value": ("timer_call_data, metric, inclusive_value, exclusive_value, inclusive_percent, exclusive_percent, sum_exclusive_squared",
        "metric IN (SELECT id FROM metric WHERE trial IN %s)" % trials),
    "counter": ("id, trial, name", "trial IN " + trials),
    "counter_value": ("counter, timer_callpath, thread, sample_count, maximum_value, minimum_value, mean_value, standard_deviation, sum_of_squares, time_range",
        "counter IN (SELECT id FROM counter WHERE trial IN %s)" % trials),
    "primary_metadata": ("trial, name, value, thread", "trial IN " + trials),
    "secondary_metadata": ("id, trial, thread, time_range, parent, name, value", "trial IN " + trials),
    "taudb_view": ("id, parent, name, conjoin", ""),
    "taudb_view_parameter": ("taudb_view, table_name, column_name, operator, value", ""),
}
unescape = {"\\\\": "\\", "\\n": "\n", "\\t": "\t", "\\r": "\r", "\\b": "\b", "\\f": "\f", "\\v": "\v"}
def text_of(field):
    out, i = "", 0
    while i < len(field):
        n = 2 if field[i] == "\\" else 1
        out += unescape.get(field[i:i + n], field[i:i + n])
        i += n
    return out
def same(a, b):
    if a is None or b == "\\N":
        return a is None and b == "\\N"
    if isinstance(a, bytes):
        b = text_of(b)
        return a.decode("utf-8", "replace") == b or (b"\xff" in a and "\ufffd" in b)
    return struct.pack("d", float(a)) == struct.pack("d", float(b))
for table, (columns, where) in sorted(tables.items()):
    mine = lite.execute("SELECT %s FROM %s %s ORDER BY %s" % (columns, table, "WHERE " + where if where else "",
        "timer_call_data, metric" if table == "timer_value" else "rowid")).fetchall()
    names = ", ".join(c.split(" AS ")[-1] for c in columns.split(", "))
    theirs = subprocess.run(["psql", "-X", "-q", "-h", home + "/socket", "-U", "tau", "-d", "tau", "-c",
        "COPY (SELECT %s FROM %s ORDER BY ctid) TO STDOUT" % (names, table)], capture_output=True).stdout.decode().split("\n")[:-1]
    theirs = [r.split("\t") for r in theirs]
    wrong = [(a, b) for a, b in zip(mine, theirs) if len(a) != len(b) or not all(same(x, y) for x, y in zip(a, b))]
    print(table, "same" if len(mine) == len(theirs) and not wrong else "differs: %d and %d rows, %s" % (len(mine), len(theirs), wrong[:2]))
    print(len(mine), file=sys.stderr)
END
python3 compare.py "$T" >compared 2>rows
while read -r line; do
	is "${line%% *}" "${line#* }" "same"
done <compared
is "all tables were compared" "$(wc -l <compared)" 18
ok "with rows in most" test "$(awk '$1 > 0 { n++; all += $1 } END { print (n >= 16 && all > 1000) }' rows)" = 1
is "new rows get new numbers" "$(sql -d tau -At -c "INSERT INTO trial (name) VALUES ('new') RETURNING id")" 3
is "references are checked" "$(sql -d tau -c "INSERT INTO metric (trial, name) VALUES (77, 'x')" 2>&1 | grep -c 'foreign key')" 1
is "another trial is not in the script" "$(sql -d tau -At -c "SELECT count(*) FROM trial WHERE name = 'skipped'")" 0
sql -d postgres -c 'CREATE DATABASE complete'
tau-db export --to postgresql -o complete.sql 2>err
is "all trials" "$(sql -d complete -f complete.sql 2>&1 >/dev/null) $(sql -d complete -At -c "SELECT count(*) FROM trial")" " 3"
tap_end
