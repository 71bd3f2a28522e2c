# db-export.sh: tau-db export: what was stored comes out again, to the last bit, in each format.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

mkdir p
for n in 0 1; do
	cat >"p/profile.$n.0.0" <<-END
		5 templated_functions_MULTI_TIME
		# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute><attribute><name>Common</name><value>a &amp; b</value></attribute><attribute><name>Own</name><value>$n</value></attribute></metadata>
		"main" 1 3 0.1 1E+300 0 GROUP="TAU_USER" 
		"=foo, \"b\"ar" 2 0 4.940656458412465E-324 30 0 GROUP="TAU_USER|MPI" 
		"baz [{b.c} {3,1}-{9,2}]" 3000000000 0 0.30000000000000004 3${n} 0 GROUP="TAU_USER" 
		"main => baz [{b.c} {3,1}-{9,2}]" 2 0 0.1 30 0 GROUP="TAU_CALLPATH|TAU_USER" 
		"main => =foo, \"b\"ar" 2 0 1E-07 30 0 GROUP="TAU_CALLPATH|TAU_USER|MPI" 
		0 aggregates
		2 userevents
		# eventname numevents max min mean sumsqr
		"Bytes" 3 3 1 0.1 10.000000000000002
		"Bytes : main" 2 3 2 2.5 13
	END
done
tau-db import p >/dev/null

# same LABEL DIRECTORY: the trial comes out of the database as tau-convert writes the profile itself.
same() {
	label=$1 from=$2
	rm -rf direct* stored* x.db
	tau-db import -d x.db "$from" >/dev/null 2>&1
	tau-db export -d x.db -o stored 1 2>/dev/null && tau-convert "$from" direct 2>/dev/null
	ok "$label: TAU profiles" diff -rq direct stored
	tau-db export -d x.db -o stored.ppk 1 2>/dev/null && tau-convert "$from" direct.ppk 2>/dev/null
	ok "$label: packed" cmp direct.ppk stored.ppk
	tau-db export -d x.db -o stored.xml 1 2>/dev/null && tau-convert "$from" direct.xml 2>/dev/null
	ok "$label: snapshot" cmp direct.xml stored.xml
	tau-db export -d x.db -o stored.json 1 2>/dev/null && tau-convert "$from" direct.json 2>/dev/null
	ok "$label: JSON" cmp direct.json stored.json
	# And through a second database.
	tau-db merge y.db x.db >/dev/null && tau-db export -d y.db -o stored2 1 2>/dev/null
	ok "$label: the same through merge" diff -rq direct stored2
	rm -f y.db
}
same "odd names and numbers" p
if [ -d "$DATA/tau" ]; then
	same "call paths" "$DATA/tau/profiles/cpi-callpath-4"
	same "GROMACS" "$DATA/tau/ppk/gromacs-8.ppk"
else
	skip "call paths" "no recorded data"
fi

# The metadata of each file, also if TAU wrote what ranks share into the file of rank 0 alone.
metadata() { (cd "$1" && for f in profile.*; do echo "$f: $(sed -n '2s/.*<metadata>//p' "$f")"; done); }
a() { printf '<attribute><name>%s</name><value>%s</value></attribute>' "$1" "$2"; }
# profile DIRECTORY RANK ATTRIBUTES: a file with them.
profile() {
	mkdir -p "$1"
	printf '1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls # <metadata>%s%s</metadata>\n"main" 1 0 5 5 0 GROUP="G" \n0 aggregates\n' \
		"$(a 'Metric Name' TIME)" "$3" >"$1/profile.$2.0.0"
}
profile merged 0 "$(a Host a)$(a One 1)$(a pid 7)"
profile merged 1 "$(a pid 8)"
profile merged 2 "$(a pid 9)"
profile merged 3 "$(a Host b)$(a pid 10)"
profile partly 0 "$(a All 1)$(a First 1)$(a Some 1)$(a pid 7)"
profile partly 1 "$(a All 1)$(a pid 8)"
profile partly 2 "$(a All 1)$(a Own 3)$(a Some 1)$(a pid 9)"
profile partly 3 "$(a All 1)$(a Some 2)$(a pid 9)"
tau-record -o own.run "$B/apps/threads" >/dev/null 2>&1
tau-trace2profile -f tau -o own own.run >/dev/null 2>&1
sets="merged partly own"
if [ -d "$DATA/tau" ]; then
	sets="$sets $(echo "$DATA"/tau/profiles/*)"
else
	skip "metadata of recorded profiles" "no recorded data"
fi
for set in $sets; do
	metadata "$set" >want
	ok "${set##*/} has metadata" grep -q '<name>pid<\|<name>Hostname<' want
	rm -rf x.db y.db out*
	tau-db import -d x.db "$set" >/dev/null 2>&1
	tau-db merge y.db x.db >/dev/null
	for to in out out.ppk out.xml; do
		rm -rf again && tau-db export -d y.db -o "$to" 1 2>/dev/null
		if [ "$to" != out ]; then tau-convert -t tau "$to" again 2>/dev/null; else mv out again; fi
		is "metadata of ${set##*/} by file, after merge and export to $to" "$(metadata again | diff want - 2>&1)" ""
	done
done
rm -f x.db
tau-db import -d x.db merged partly >/dev/null 2>&1
is "what the first rank alone has is the trial's" "$(tau-db query -d x.db --format csv "SELECT t.name AS trial, m.name, m.value FROM primary_metadata m JOIN trial t ON t.id = m.trial WHERE m.thread IS NULL ORDER BY 1, 2" | tr -d '\r')" \
	"trial,name,value
merged,Host,a
merged,One,1
partly,All,1
partly,First,1"
tau-db import -d x.db merged >/dev/null 2>&1
is "a set stored again is the same trial" "$(tau-db query -d x.db --format csv "SELECT count(*) AS n FROM trial" | tr -d '\r' | tail -1)" 2

# Windows and their metadata, whose order is that of their names in the database: each comes out as it was computed.
tau-record -o run "$B/apps/hooks" >/dev/null 2>&1
set -- -w : -w main -w landing#2
tau-db import -d w.db -c "$@" run >/dev/null 2>&1
tau-db export -d w.db --to tau -o windows 1 2>err
tau-trace2profile -c "$@" -f tau -o direct.windows run >/dev/null 2>&1
lines() { sed 's/<attribute>/\
&/g; s/<\/metadata>/\
&/' "$1" | sort; }
is "each window is a directory of its own" "$(ls windows | wc -l)" 3
for f in direct.windows/*/profile.*; do
	lines "$f" >one
	lines "windows/${f#direct.windows/}" | sed 's/ SumExclSqr / /; s/ [^ ]* 0 GROUP=/ 0 GROUP=/' >other	# the store has the squares, too
	ok "window ${f#direct.windows/} is as it was computed" cmp one other
done
rm -f one
tau-db export -d w.db --to tau -o one -w 1 1 2>err
ok "one window alone" diff -rq one "windows/main#1"

tau-db import -n "x
=y" p >/dev/null
is "tidy: one value in each row" "$(tau-db export --to tidy 1 | tr -d '\r' | sed -n '1,7p')" 'trial,name,window,window_name,rank,context,thread,kind,item,metric,statistic,value
1,p,0,,0,0,0,timer,main,,calls,1
1,p,0,,0,0,0,timer,main,,subroutines,3
1,p,0,,0,0,0,timer,main,TIME,inclusive,1e+300
1,p,0,,0,0,0,timer,main,TIME,exclusive,0.1
1,p,0,,0,0,0,timer,main,TIME,sum_exclusive_squared,0.010000000000000002
1,p,0,,0,0,0,timer,"'"'"'=foo, \""b\""ar",,calls,2'
is "tidy: counters and contexts" "$(tau-db export --to tidy 1 | tr -d '\r' | grep '^1,p,0,,1,0,0,co')" '1,p,0,,1,0,0,context,Bytes : main,,count,2
1,p,0,,1,0,0,context,Bytes : main,,maximum,3
1,p,0,,1,0,0,context,Bytes : main,,minimum,2
1,p,0,,1,0,0,context,Bytes : main,,mean,2.5
1,p,0,,1,0,0,context,Bytes : main,,sum_of_squares,13
1,p,0,,1,0,0,counter,Bytes,,count,3
1,p,0,,1,0,0,counter,Bytes,,maximum,3
1,p,0,,1,0,0,counter,Bytes,,minimum,1
1,p,0,,1,0,0,counter,Bytes,,mean,0.1
1,p,0,,1,0,0,counter,Bytes,,sum_of_squares,10.000000000000002'
# Two threads with 5 rows of 4 values, 2 sums of squares and 2 counters of 5; the name of trial 2 has two lines.
is "tidy: all trials, or those of a condition" "$(tau-db export --to tidy | wc -l) $(tau-db export --to tidy -W id=2 -o tidy.csv; grep -c . tidy.csv)" "187 125"
is "tidy: windows" "$(tau-db export -d w.db --to tidy | awk -F, 'NR > 1 { n[$3]++ } END { print length(n) }')" 3

fails() {
	want=$1 said=$2
	shift 2
	"$@" >out 2>err </dev/null
	is "$* ends with $want" "$? $(wc -l <err) $(wc -c <out)" "$want 1 0"
	like "and why" "$(cat err)" "$said"
}
fails 2 "did you mean 'tidy'" tau-db export --to tidi 1
fails 2 "name the format by --to" tau-db export 1
fails 2 "a format of one trial" tau-db export --to ppk -o x.ppk
fails 2 "name it by --output" tau-db export --to tau 1
fails 3 "has no window 1; its last one is 0" tau-db export --to ppk -w 1 -o x.ppk 1
fails 2 "not for postgresql" tau-db export --to postgresql -w 0
fails 3 "there is no trial 9" tau-db export --to tidy 9
fails 4 "No such file" tau-db export --to tidy -o none/x.csv 1
is "nothing is left of a failure" "$(ls x.ppk 2>&1 | grep -c 'No such')" 1
tap_end
