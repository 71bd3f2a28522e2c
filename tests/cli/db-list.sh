# db-list.sh: tau-db list, tag, rename and rm with conditions, sorted and with chosen columns.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

# profile DIR PES
profile() {
	mkdir -p "$1"
	n=0
	while [ $n -lt "$2" ]; do
		cat >"$1/profile.$n.0.0" <<-END
			1 templated_functions_MULTI_TIME
			# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute></metadata>
			"main" 1 0 100 100 0 GROUP="TAU_USER" 
			0 aggregates
		END
		n=$((n + 1))
	done
}
profile p1 1
profile p2 2
profile p10 10
tau-db import -a lu -m "Compiler=gcc 12" p1 p2 p10 >/dev/null
tau-db import -a cg -n "it's" p2 >/dev/null
tau-db import -n "=1+1
\"x\"" p1 >/dev/null
list() { tau-db list -f csv "$@" 2>&1 | tr -d '\r'; }
# The numbers of the trials that a condition selects, in one line.
select() { list -c id -W "$@" | tr '\n' ' '; }

is "equal" "$(select 'application=lu')" "id 1 2 3 "
is "and, and numbers as numbers" "$(select 'application=lu and PEs>=2')" "id 2 3 "
is "or binds less than and" "$(select 'pes=10 or application=cg and pes=1')" "id 3 "
is "parentheses" "$(select '(pes=10 or application=cg) and not pes=2')" "id 3 "
is "a missing value is not a value" "$(select 'application!=lu') $(select 'not application=lu')" "id 4  id 4 5 "
is "a name alone" "$(select 'application') $(select 'not Application')" "id 1 2 3 4  id 5 "
is "patterns" "$(select 'name~p?') $(select 'name ~ p*')" "id 1 2  id 1 2 3 "
is "patterns of SQL" "$(select 'name like "P_"') $(select 'name LIKE p%') $(select 'name like "p*"') $(select 'not compiler like "gcc%"')" "id 1 2  id 1 2 3  id  id 4 5 "
is "quotes" "$(select "compiler = 'gcc 12' and pes < 2") $(select "name = 'it''s'") $(select 'name="it'"'"'s"')" "id 1  id 4  id 4 "
is "below, above and at most" "$(select 'pes<2') $(select 'pes>2') $(select 'pes<=2')" "id 1 5  id 3  id 1 2 4 5 "
is "sorted by numbers, then by another" "$(list -c id -s -pes,-id | tr '\n' ' ')" "id 3 4 2 5 1 "
is "what a trial lacks comes last" "$(list -c id -s application | tr '\n' ' ') $(list -c id -s -application | tr '\n' ' ')" "id 4 1 2 3 5  id 1 2 3 4 5 "
is "columns, metadata too" "$(list -c name,pes,application,Compiler -W 'pes=10 or application=cg')" "name,pes,application,Compiler
p10,10,lu,gcc 12
it's,2,cg,"
is "names cannot leave their cell" "$(list -c name -W id=5)" "name
\"'=1+1
\"\"x\"\"\""
is "nor print control characters" "$(tau-db list -c name -W id=5 | tail -n 1)" '=1+1\x0a"x"'
is "JSON" "$(tau-db list -f json -c name,application -W id=5 | tail -n 3 | tr -d '\n')" '    {"name": "=1+1\n\"x\"", "application": null}  ]}'

# What differs between trials: of each name its values, and how many trials have each.
is "metadata in which trials differ" "$(list -c id -D)" "id,Compiler,Application
1,gcc 12,lu
2,gcc 12,lu
3,gcc 12,lu
4,,cg
5,,"
is "of those that are selected; what all of them have is not listed" "$(list -c id,application -D -W 'pes=2')" "id,application,Compiler
2,lu,gcc 12
4,cg,"
is "nor is anything of one" "$(list -c id -D -W id=1)" "id
1"
is "values, the most frequent first" "$(list --values -W 'id<5')" "name,value,trials,values
pes,2,2,3
pes,1,1,3
pes,10,1,3
threads,2,2,3
threads,1,1,3
threads,10,1,3
name,it's,1,4
name,p1,1,4
name,p10,1,4
name,p2,1,4
Application,lu,3,2
Application,cg,1,2
Compiler,gcc 12,3,2
Compiler,,1,2"
is "the first of each" "$(list --values -t 1 -W 'id<5')" "name,value,trials,values
pes,2,2,3
threads,2,2,3
name,it's,1,4
Application,lu,3,2
Compiler,gcc 12,3,2"
is "the first trials" "$(tau-db list -f json -c id -t 2 -s -id | tr -d '\n ')" \
	'{"notes":["2of5trials;--top0listsall."],"facts":{"trials":5},"columns":[{"key":"id","name":"id","type":"integer"}],"rows":[{"id":5},{"id":4}]}'
tau-db tag base,slow 1 "it's" && tau-db tag night -W 'pes>=2'
is "tags" "$(list -c id,tags)" "id,tags
1,\"base,slow\"
2,night
3,night
4,\"base,night,slow\"
5,"
is "a trial has a tag" "$(select 'tag=slow') $(select 'tag!=night') $(select 'tag=slo')" "id 1 4  id 1 5  id "
is "each tag is a value" "$(list --values | grep ^tag)" "tag,night,3,4
tag,base,2,4
tag,slow,2,4
tag,,1,4"
is "tags that no trial has cannot be removed" "$(tau-db tag -r slow,none,base 2 3 2>&1; echo $?; tau-db tag -r night,none -W 'pes>=2' 2>&1; tau-db tag night -W 'pes>=2')" \
	"tau-db tag: no selected trial has the tag 'slow': there was nothing to remove
tau-db tag: no selected trial has the tag 'none': there was nothing to remove
tau-db tag: no selected trial has the tag 'base': there was nothing to remove
0
tau-db tag: no selected trial has the tag 'none': there was nothing to remove"
is "a tag that is there stays once" "$(tau-db tag base 1; list -c tags -W id=1 | tail -n 1)" '"base,slow"'
is "a tag that is named twice is removed, and not reported as absent" "$(tau-db tag twice 1; tau-db tag -r twice,twice 1 2>&1)" ""
is "removing tags" "$(tau-db tag -r slow,night -W tags; list -c id,tags | tr '\n' ' ')" "id,tags 1,base 2, 3, 4,base 5, "
is "a new name" "$(tau-db rename 5 "five; DROP TABLE trial"; list -c id,name -W 'id>4' | tail -n 1)" "5,five; DROP TABLE trial"
is "show by the new name" "$(tau-db show -p summary -f csv "five; DROP TABLE trial" | tr -d '\r' | sed -n 2p)" "trial,5"
is "rm by a condition and by number, each once" "$(tau-db rm -W 'pes=2' 2 5; list -c id | tr '\n' ' ')" "id 1 3 "

fails() {
	want=$1 said=$2
	shift 2
	"$@" >out 2>err </dev/null
	is "$* ends with $want" "$? $(wc -l <err) $(wc -c <out)" "$want 1 0"
	like "and why" "$(cat err)" "$said"
}
fails 2 "no trial has metadata 'aplication'; did you mean 'Application'" tau-db list -W aplication=lu
fails 2 "did you mean 'pes'" tau-db list -c id,pees
fails 2 "no trial has metadata 'x'" tau-db list -s x
fails 2 "at character 6 of 'pes = ': expected a value|at character 7 of 'pes = ': expected a value" tau-db list -W 'pes = '
fails 2 "expected '\)'" tau-db list -W '(pes=1'
fails 2 "expected 'and', 'or' or the end" tau-db list -W 'pes=1 name=x'
fails 2 "the end of the quoted text" tau-db list -W "name='x"
fails 2 "expected a name" tau-db list -W ''
fails 2 "fewer parentheses" tau-db list -W "$(printf '%0200d' 0 | tr 0 '(')pes=1"
fails 2 "there is no name" tau-db list -c ''
fails 2 "top: a number from 0 on" tau-db list -t -1
fails 2 "or select them by --where" tau-db rm
fails 3 "no trial is 'pes=77'" tau-db rm -W pes=77
fails 2 "name at least one tag" tau-db tag , 1
fails 2 "contains a blank" tau-db tag 'a b' 1
fails 2 "rename needs a trial and its new name" tau-db rename 1
fails 3 "there is no trial 9" tau-db tag x 9
is "and nothing was changed" "$(list -c id,name,tags | tr '\n' ' ')" "id,name,tags 1,p1,base 3,p10, "
tap_end
