# db-import.sh: tau-db import of many runs: patterns, several at once, tags and metadata from JSON files.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

# profile DIR
profile() {
	mkdir -p "$1"
	cat >"$1/profile.0.0.0" <<-END
		1 templated_functions_MULTI_TIME
		# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute></metadata>
		"main in $1" 1 0 100 100 0 GROUP="TAU_USER" 
		0 aggregates
	END
}
runs=
for n in 01 02 03 04 05 06 07 08 09 10 11 12; do
	profile "run$n"
	runs="$runs run$n"
done
names() { tau-db list -f csv -c name "$@" 2>&1 | tail -n +2 | tr -d '\r' | tr '\n' ' '; }
in_order="run01 run02 run03 run04 run05 run06 run07 run08 run09 run10 run11 run12 "

tau-db import -d one.db $runs >one
is "many runs, one after the other" "$(names -d one.db)" "$in_order"
tau-db import -d many.db -j 5 $runs >many
is "several at once: the same numbers" "$(names -d many.db)" "$in_order"
ok "and the same output" cmp one many
is "and the same values" "$(tau-db export -d many.db --to tidy | cksum)" "$(tau-db export -d one.db --to tidy | cksum)"
ok "the database has no defects" tau-db check -d many.db
# The index by call path is made once the rows of the first trial are there: it is the last of the schema then.
is "the index by call path is made after the rows" "$(tau-db query -d one.db -f csv \
	"SELECT name, (SELECT count(*) FROM sqlite_master i WHERE i.name = m.name) FROM sqlite_master m WHERE type = 'index' ORDER BY rowid DESC LIMIT 1" |
	tail -n 1 | tr -d '\r')" "timer_call_data_timer_callpath,1"
tau-db import -d all.db -j 0 'run*' >all
is "patterns" "$(names -d all.db) $(tau-db import -d all.db 'run0[57]' | wc -l)" "$in_order 2"
profile 'odd*'
is "a name that looks like a pattern is a name" "$(tau-db import -d odd.db 'odd*' | sed 's/,.*//')" 'trial 1: odd*'

mkdir squares
cat >squares/profile.0.0.0 <<'END'
2 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl SumExclSqr ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute></metadata>
"main" 1 3 4 40 16 0 GROUP="TAU_USER" 
"f" 3 0 36 36 500 0 GROUP="TAU_USER" 
0 aggregates
END
tau-db import -d squares.db squares >/dev/null
is "sums of squares of a TAU profile" "$(tau-db query -d squares.db -f csv "SELECT t.name, h.thread_index AS i,
	v.sum_exclusive_squared AS s FROM timer_value v JOIN timer_call_data d ON d.id = v.timer_call_data JOIN thread h ON h.id = d.thread
	JOIN timer_callpath p ON p.id = d.timer_callpath JOIN timer t ON t.id = p.timer WHERE s IS NOT NULL ORDER BY 1, 2" |
	tr -d '\r' | tail -n +2 | tr '\n' ' ')" "f,-2,500 f,0,500 main,-2,16 main,0,16 "
tau-record -o squares.run "$B/apps/hooks" >/dev/null 2>&1
tau-db import -d squares.db squares.run >/dev/null 2>&1
is "and of a trace: known for each timer, and possible" "$(tau-db query -d squares.db -f csv "SELECT count(*) > 3 AND
	count(*) = sum(v.sum_exclusive_squared >= v.exclusive_value * v.exclusive_value / d.calls * 0.999999) AS x
	FROM timer_value v JOIN timer_call_data d ON d.id = v.timer_call_data JOIN thread h ON h.id = d.thread
	WHERE h.trial = 2 AND h.thread_index >= 0" | tr -d '\r' | tail -n 1)" 1
tau-db export -d squares.db -t tau -o squares.tau 1 2>err
is "they are exported as TAU has them" "$(grep -v '^#' squares.tau/profile.0.0.0 | cksum) $(cat err)" "$(grep -v '^#' squares/profile.0.0.0 | cksum) "
tau-db export -d squares.db -t tau -o squares.tau2 2 2>/dev/null
tau-db import -d again.db squares.tau2 >/dev/null
values() { tau-db export -d "$1" -t tidy "$2" | grep sum_exclusive_squared | cut -d , -f 5- | sort; }
values squares.db 2 >values
ok "and come back the same" test "$(values again.db 1 | cmp - values && wc -l <values)" -gt 3
like "a format that cannot contain them reports it" "$(tau-db export -d squares.db -t ppk -o squares.ppk 2 2>&1)" "rows' sums of squares"
tau-db import --no-squares --again -d squares.db squares.run >/dev/null 2>&1
is "--no-squares: NULL where there are several calls" "$(tau-db query -d squares.db -f csv "SELECT sum(s IS NOT NULL AND calls > 1), sum(s IS NULL) > 0
	FROM (SELECT d.calls, v.exclusive_value, v.sum_exclusive_squared AS s FROM timer_value v JOIN timer_call_data d ON d.id = v.timer_call_data
	JOIN thread h ON h.id = d.thread WHERE h.trial = 3 AND h.thread_index >= 0) WHERE exclusive_value <> 0" | tr -d '\r' | tail -n 1)" 0,1

# --- runs that cannot be imported, among others ---
mkdir bad
: >bad/profile.0.0.0
left_out="tau-db import: bad/profile.0.0.0: line 0: expected '<n> templated_functions_MULTI_<METRIC>', found an empty file
tau-db import: none: No such file or directory
tau-db import: zz*: nothing has such a name
tau-db import: 3 of 6 runs are not stored"
for jobs in "" "-j 1" "-j 4"; do
	rm -f bad.db
	tau-db import -d bad.db $jobs run01 bad none run02 'zz*' 'run0[3]' >out 2>err
	is "the others are stored: ${jobs:-one by one}" "$? $(names -d bad.db) $(wc -l <out)" "3 run01 run02 run03  3"
	is "each is named with its cause" "$(cat err)" "$left_out"
done
tau-db import -d bad.db none bad run04 >out 2>err
is "the exit status is that of the first" "$? $(names -d bad.db)" "4 run01 run02 run03 run04 "
tau-db import -d bad.db none >out 2>err
is "a single run that does not exist" "$? $(cat err)" "4 tau-db import: none: No such file or directory"
tau-db import -d bad.db -w 1: run01 run02 >out 2>err
is "a cause that names no run follows its name" "$? $(grep -c '^tau-db import: run0[12]: ' err) $(wc -l <err)" "2 2 3"
mkdir odd.d
tau-db import -d odd.d run01 run02 >out 2>err
is "a database that cannot be written: one line, and no run is tried" "$? $(wc -l <err) $(grep -c odd.d err)" "4 1 1"
tau-db import -d no/such.db run01 run02 run03 >out 2>err
is "nor if it cannot be created" "$? $(grep -c 'no/such.db' err) $(tail -n 1 err)" "4 1 tau-db import: 3 of 3 runs are not stored: the last 2 were not tried"
if [ -w /dev/full ]; then
	tau-db import -d full.db run01 run02 >/dev/full 2>err
	is "standard output that cannot be written" "$? $(head -n 1 err)" "4 tau-db import: standard output: No space left on device"
else
	skip "standard output that cannot be written" "no /dev/full"
fi

cat >md.json <<'END'
{"compiler": "gcc \"12\"", "n": 4, "x": -1.50e3, "ok": true, "none": null,
 "host": {"cores": 64, "name": "a\u00e4\ud83d\ude00\n"}, "list": [1, {"a": [2]}, "b"], "e": ""}
END
tau-db import -d md.db -m md.json -m a=b=c -g night -g base run01 >/dev/null
is "metadata of a JSON file, and tags" "$(tau-db query -d md.db -f csv metadata | tr -d '\r')" 'name,value
Tags,"base,night"
a,b=c
compiler,"gcc ""12"""
e,
host.cores,64
host.name,"aä😀
"
list,"[1, {""a"": [2]}, ""b""]"
n,4
ok,true
x,-1.50e3'
is "the tags select it" "$(names -d md.db -W tag=night)" "run01 "

refuses() {	# TEXT WHY
	printf '%s' "$1" >bad.json
	tau-db import -d md.db -m bad.json run01 >out 2>err
	is "no JSON object: $1" "$? $(wc -l <err)" "3 1"
	like "and why" "$(cat err)" "bad.json: line $2"
}
refuses '' "1: expected an object"
refuses '[1]' "1: expected an object"
refuses '{' "1: expected a text in quotes"
refuses '{"a" 1}' "1: expected ':'"
refuses '{"a": 1,
}' "2: expected a text in quotes"
refuses '{"a": 01}' "1: expected a value"
refuses '{"a": 1.}' "1: expected a value"
refuses '{"a": tru}' "1: expected a value"
refuses '{"a": NaN}' "1: expected a value"
refuses '{"a": "\x"}' "1: an unknown escape"
refuses '{"a": "\ud800"}' "1: half of a character"
refuses '{"a": "\u0000"}' "1: a text contains"
refuses '{"a": "b
"}' "1: a control character"
refuses "{\"a\": \"$(printf '\377')\"}" "1: a text is not UTF-8"
refuses '{"a": "b' "1: a text has no end"
refuses '{"": 1}' "1: a name is empty"
refuses '{"a": 1} x' "1: something follows"
refuses '{"a": [1, 2}' "1: expected ',' or ']'"
refuses "{\"a\": $(printf '%0200d' 0 | tr 0 '[')" "1: .*nested too deep"

fails() {
	want=$1 said=$2
	shift 2
	"$@" >out 2>err </dev/null
	is "$* ends with $want" "$? $(wc -l <err) $(wc -c <out)" "$want 1 0"
	like "and why" "$(cat err)" "$said"
}
fails 2 "neither NAME=VALUE nor a file" tau-db import -m none.json run01
fails 2 "is not NAME=VALUE" tau-db import -m =x run01
fails 2 "not a word without commas" tau-db import -g a,b run01
fails 4 "nothing has such a name" tau-db import 'zz*'
is "and nothing was stored" "$(ls tau.db 2>/dev/null)" ""
tap_end
