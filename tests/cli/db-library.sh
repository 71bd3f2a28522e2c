# db-library.sh: libtaudb.so, its example and its Python module show what SQL finds in the same database, also when they are installed.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

# Two ranks: main calls foo; metadata, counters, and two windows that overlap.
for n in 0 1; do
	mkdir -p p
	cat >"p/profile.$n.0.0" <<-END
		3 templated_functions_MULTI_TIME
		# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute><attribute><name>Hostname</name><value>n$n</value></attribute></metadata>
		"main() [{m.c} {7,1}-{9,2}]" 1 2 ${n}00.5 ${n}30.5 0 GROUP="TAU_USER|OTHER"
		"foo" 2 0 30 30 0 GROUP="TAU_USER"
		"main() [{m.c} {7,1}-{9,2}] => foo" 2 0 30 30 0 GROUP="TAU_CALLPATH|TAU_USER"
		0 aggregates
		1 userevents
		# eventname numevents max min mean sumsqr
		"Bytes" 2 3 1 2 10
	END
done
tau-db import -d x.db -m color=red p >/dev/null
tau-record -o run "$B/apps/hooks" >/dev/null 2>&1
tau-db import -d x.db -w 0%: -w 50%: run >/dev/null 2>&1
query() { tau-db query -d x.db -f csv "$1" | tr -d '\r' | tail -n +2; }

only='^taudb_[a-z_]*$'
is "the library shows nothing but taudb.h" "$(nm -D --defined-only "$B/libtaudb.so.1" | awk '{ print $3 }' | grep -vE "$only")" ""
is "and all of it" "$(nm -D --defined-only "$B/libtaudb.so.1" | awk '{ print $3 }' | sort)" \
	"$(sed -n 's/^TAUDB_API .*\(taudb_[a-z_]*\)(.*/\1/p' "$TOP/db/taudb/taudb.h" | sort)"
like "it has a soname" "$(readelf -d "$B/libtaudb.so.1")" 'soname: \[libtaudb.so.1\]'

# Installed.
make -C "$TOP" --no-print-directory B="$B" DESTDIR="$T/stage" PREFIX=/opt/tau install >log 2>&1 </dev/null
at=$T/stage/opt/tau
ok "make install puts the example down" test -s "$at/share/doc/taudb/largest.c"
if command -v pkg-config >/dev/null; then
	export PKG_CONFIG_PATH="$at/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$T/stage"
	flags=$(pkg-config --cflags --libs taudb)
	is "pkg-config has the version of the programs" "taudb $(pkg-config --modversion taudb)" "taudb $(tau-db --version | awk '{ print $NF }')"
else
	flags="-I$at/include -L$at/lib -ltaudb"
	skip "pkg-config has the version of the programs" "no pkg-config"
fi
ok "the example is short" test "$(wc -l <"$at/share/doc/taudb/largest.c")" -le 30
ok "the example compiles there" cc -Wall -Wextra -Werror "$at/share/doc/taudb/largest.c" $flags -o largest
ok "the header is C++, too" sh -c "echo '#include <taudb.h>' | cc -x c++ -Wall -Wextra -Werror -fsyntax-only -I$at/include -"
example() { LD_LIBRARY_PATH=$at/lib ./largest "$@"; }
example x.db >out
is "the example prints the trials" "$(grep '^trial' out)" "$(query "SELECT 'trial ' || id || ': ' || name || ', ' || total_threads || ' threads' FROM trial" | tr -d '"')"
is "and the means of timers, of the first window alone" "$(grep -v '^trial' out | sort)" "$(query "SELECT m.name || char(9) || printf('%.3f', v.exclusive_value) || char(9) || t.name
	FROM timer_value v JOIN timer_call_data d ON d.id = v.timer_call_data JOIN thread h ON h.id = d.thread AND h.thread_rank = -6
	JOIN metric m ON m.id = v.metric JOIN timer_callpath p ON p.id = d.timer_callpath AND p.parent IS NULL JOIN timer t ON t.id = p.timer
	WHERE d.time_range IS (SELECT min(id) FROM time_range r WHERE r.trial = t.trial)" | sed 's/^"//; s/"$//' | sort)"
example none.db >out 2>err
is "a file that is missing ends it" "$? $(cat out err)" "4 largest: none.db: No such file or directory"
echo "no database, but longer than the header of one would have to be" >text.db
example text.db >out 2>err
is "a file that is not a database ends it" "$? $(cat out err)" "3 largest: text.db: not an SQLite database"
cp x.db loop.db
sqlite3 loop.db "UPDATE timer_callpath SET parent = id WHERE parent IS NOT NULL" 2>/dev/null
example loop.db >out 2>err
is "call paths without an end are refused" "$? $(cat err)" "3 largest: loop.db: rows of timer_callpath form a cycle"
cp x.db lost.db
sqlite3 lost.db "UPDATE timer_call_data SET timer_callpath = 4711" 2>/dev/null
example lost.db >out 2>err
is "rows that refer to nothing are refused" "$? $(cat err)" \
	"3 largest: lost.db: a row of timer_call_data refers to number 4711, which its trial does not have"
if command -v valgrind >/dev/null; then
	LD_LIBRARY_PATH=$at/lib valgrind -q --leak-check=full --error-exitcode=9 ./largest x.db >/dev/null 2>err
	is "the example frees all" "$? $(head -n 5 err)" "0 "
else
	skip "the example frees all" "no valgrind"
fi

# Python, from the installed module; the library is found next to it.
python=$(for p in /usr/bin/python3 python3; do command -v $p && break; done)
if [ -z "$python" ]; then
	skip "the Python module" "no python3"
	tap_end
fi
cat >check.py <<'END'
import math, sqlite3, sys
import taudb

def sql(text, *values):
    return [tuple(row) for row in sqlite3.connect("x.db").execute(text, values)]

def same(name, got, expected):
    got, expected = [sorted(map(repr, rows)) for rows in (got, expected)]
    print(name if got == expected and got else "%s: got %s, expected %s" % (name, got[:3], expected[:3]))

def rows(columns, *names):
    assert len(set(map(len, columns.values()))) == 1
    return [tuple(None if isinstance(v, float) and math.isnan(v) else v for v in row) for row in zip(*[columns[n] for n in names])]

PLACE = ("node_rank", "context_rank", "thread_rank")
VALUES = """SELECT h.node_rank, h.context_rank, h.thread_rank, t.name, m.name, d.calls * 1.0, d.subroutines * 1.0, v.inclusive_value, v.exclusive_value,
    v.inclusive_percent, v.exclusive_percent, v.sum_exclusive_squared FROM timer_call_data d JOIN thread h ON h.id = d.thread
    JOIN timer_value v ON v.timer_call_data = d.id JOIN metric m ON m.id = v.metric JOIN timer_callpath p ON p.id = d.timer_callpath
    JOIN timer t ON t.id = p.timer WHERE h.trial = ? AND (h.node_rank < 0) = ? AND d.time_range IS ?"""
NUMBERS = ("calls", "subroutines", "inclusive", "exclusive", "inclusive_percentage", "exclusive_percentage", "sum_exclusive_squared")
with taudb.connect("x.db") as db:
    same("trials", rows(db.trials(), "id", "name", "node_count", "total_threads"), sql("SELECT id, name, node_count, total_threads FROM trial"))
    first, run = db.trial("p"), db.trial(2)
    same("timers", rows(first.timers(), "id", "name", "short_name", "groups", "source_file", "line_number", "column_number_end"), sql(
        """SELECT id, name, short_name, (SELECT group_concat(group_name, '|') FROM (SELECT group_name FROM timer_group g WHERE g.timer = t.id ORDER BY g.rowid)), source_file,
        line_number, column_number_end FROM timer t WHERE trial = 1"""))
    same("call paths", rows(first.callpaths(), "callpath"), [("foo",), ("main() [{m.c} {7,1}-{9,2}]",), ("main() [{m.c} {7,1}-{9,2}] => foo",)])
    same("metadata", rows(first.metadata(), "name", "value"), sql("SELECT name, value FROM primary_metadata WHERE trial = 1"))
    same("metadata of threads", rows(first.thread_metadata(), *PLACE, "name", "value"), sql(
        "SELECT node_rank, context_rank, thread_rank, name, value FROM secondary_metadata s JOIN thread h ON h.id = s.thread WHERE s.trial = 1"))
    for derived in 0, 1:
        same("values", rows(first.timer_values("TIME", derived=derived), *PLACE, "timer", "metric", *NUMBERS),
             sql(VALUES, 1, derived, first.time_ranges()["id"][0] if first.time_ranges()["id"] else None))
        same("counters", rows(first.counter_values("Bytes", derived=derived), *PLACE, "counter", "sample_count", "mean_value", "standard_deviation"), sql(
            """SELECT h.node_rank, h.context_rank, h.thread_rank, 'Bytes', sample_count * 1.0, mean_value, standard_deviation FROM counter_value v
            JOIN thread h ON h.id = v.thread WHERE (h.node_rank < 0) = ? AND h.trial = 1""", derived))
    ranges = run.time_ranges()["id"]
    for at in ranges:
        same("values of a window", rows(run.timer_values(time_range=at), *PLACE, "timer", "metric", *NUMBERS), sql(VALUES, 2, 0, at))
    same("without a window, the first", rows(run.timer_values(), *PLACE, "timer", "metric", *NUMBERS), sql(VALUES, 2, 0, ranges[0]))
    for what in (lambda: db.trial("none"), lambda: first.timer_values("PAPI"), lambda: taudb.connect("none.db")):
        try:
            what()
        except taudb.Error as error:
            print(error)
END
PYTHONPATH=$(dirname "$(find "$at" -name taudb.py)") "$python" check.py >out 2>&1
is "Python's columns are the rows of the database" "$(cat out)" "trials
timers
call paths
metadata
metadata of threads
values
counters
values
counters
values of a window
values of a window
without a window, the first
there is no trial 'none'
p: no metrics 'PAPI'
none.db: No such file or directory"

# The same columns as a frame of pandas: types, missing values and groups.
if "$python" -c "import pandas" 2>/dev/null; then
	cat >frame.py <<-'END'
		import pandas, taudb
		with taudb.connect("x.db") as db:
		    values, threads = [pandas.DataFrame(x) for x in (db.trial("p").timer_values(), db.trial("p").threads())]
		for (timer, path), v in values.fillna({"parent": "-"}).groupby(["timer", "parent"]):
		    print("%s|%s|%d|%.3f|%.3f|%d" % (timer, path, v.calls.sum(), v.exclusive.sum(), v.inclusive.max(), v.sum_exclusive_squared.isna().sum()))
		print(str(values.exclusive.dtype), str(values.node_rank.dtype), len(values.merge(threads, on=["node_rank", "context_rank", "thread_rank"])))
	END
	is "a frame of pandas" "$(PYTHONPATH=$(dirname "$(find "$at" -name taudb.py)") "$python" frame.py 2>&1)" \
"foo|-|4|60.000|30.000|2
foo|main() [{m.c} {7,1}-{9,2}]|4|60.000|30.000|2
main() [{m.c} {7,1}-{9,2}]|-|2|101.000|130.500|0
float64 int64 6"
else
	skip "a frame of pandas" "no pandas"
fi
tap_end
