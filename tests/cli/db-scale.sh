# db-scale.sh: packed profiles of a large job through tau-db import, every PE kept or summed up, and the report over them.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/pes.sh"
unset TAUDB
cd "$T" || exit 1
job() { "$B/apps/memjob" "$@"; }
for p in 64 256 1024 4096; do
	job $p >job.ppk
	tau-db import --db every.db -n job.$p job.ppk >every.out 2>err || fail "every PE of $p: $(cat err)"
	tau-db import --db sums.db -n job.$p --summary job.ppk >sums.out 2>err || fail "summary of $p: $(cat err)"
done
is "import says what it stored" "$(cat every.out sums.out)" \
"trial 4: job.4096, PEs 4096, threads 4096, windows 1
trial 4: job.4096, PEs 4096, threads 4096, windows 1, summary"
is "every PE is in the database, or none" "$(for d in every sums; do
	sqlite3 $d.db "SELECT count(*) FROM thread WHERE trial = 4 AND node_rank >= 0"; done | tr '\n' ' ')" "4096 0 "
is "derived threads are in both" "$(for d in every sums; do
	sqlite3 $d.db "SELECT count(DISTINCT thread) FROM counter_value v JOIN thread t ON t.id = v.thread WHERE t.trial = 4 AND node_rank < 0"
done | tr '\n' ' ')" "7 7 "
for view in live cumulative; do
	tau-report memory-scaling --view $view -f csv --predict 1048576 --db every.db >every.csv 2>every.err
	tau-report memory-scaling --view $view -f csv --predict 1048576 --db sums.db >sums.csv 2>sums.err
	ok "$view: the report from sums alone is that of every PE, to the last digit" cmp every.csv sums.csv
done
csv=$(tau-report memory-scaling -f csv --predict 1048576 --db sums.db | tr -d '\r' | sed 's/"[^"]*"//g')
is "laws of types that are known" "$(printf '%s\n' "$csv" | awk -F , '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
	/^type_(10|11|12|13|14)_t/ { print $1, $c["verdict"], $c["order"], $c["largest_bytes_4096"], $c["job_objects_4096"] }' | sort)" \
"type_10_t exact O(P) 360448 16777216
type_11_t constant O(1) 12000 4096
type_12_t exact O(log P) 2496 638976
type_13_t steps  8192 8192
type_14_t exact O(1) 30000 4097"
is "a million PEs of what grows as O(P)" "$(printf '%s\n' "$csv" | awk -F , '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } /^type_10_t/ { print $c["predicted_bytes_1048576"] }')" $((88 * 1048576))
like "memory of a summary" "$(tau-report memory --db sums.db --top 1 4)" '^all +32.6 MiB|^all +1[0-9]+ GiB'
like "tau-db show of a summary" "$(tau-db show --db sums.db 4)" '^threads +4096'

# A stream: no file, gzip or not, in the memory of one PE.
is "from a pipe, in gzip or not, the same" "$(for how in cat gzip; do
	rm -f pipe.db
	job 256 | $how | tau-db import --db pipe.db --summary -n job - >/dev/null && tau-report memory-scaling -f csv --db pipe.db | cksum
done | sort -u | wc -l | tr -d ' ')" 1
mkfifo named
job 256 >named &
timeout 300 tau-db import --db named.db --summary -n job named >/dev/null 2>err
is "from a pipe with a name, too" "$(tau-report memory-scaling -f csv --db named.db | cksum)" "$(tau-report memory-scaling -f csv --db pipe.db | cksum)"

# Directories of profiles, with windows too.
for p in 2 4 8; do pes dir.$p $p; done
tau-db import --db dirs.db dir.2 dir.4 dir.8 >dirs.out
is "directories are summed up as well" "$(tau-db import --db dirsums.db --summary dir.2 dir.4 dir.8)" "$(sed 's/$/, summary/' dirs.out)"
for view in live peak; do
	for d in dirs dirsums; do tau-report memory-scaling --top 0 --view $view -f csv --db $d.db >$d.csv; done
	ok "$view: the report says the same, to the last digit" cmp dirs.csv dirsums.csv
done
# Without the columns about the largest PE, which a sum of samples does not have.
means() { tau-report memory-scaling --top 0 --view cumulative -f json --db $1.db | tr -d '\n' | sed 's/}, *{/},\n{/g; s/"[a-z_]*largest[a-z_0-9]*": [^,}]*[,}]//g'; }
is "cumulative: all but the largest PE, too" "$(means dirsums)" "$(means dirs)"
tau-record -o run.api "$B/apps/api" >/dev/null 2>&1
tau-record -o run.late sh -c 'sleep 0.2; "$1/apps/threads"; exec "$1/apps/api"' sh "$B" >/dev/null 2>&1
tau-db import --db runs.db --slices 3 run.api >/dev/null
is "windows of a run are summed up each" "$(tau-db import --db runsums.db --summary --slices 3 run.api | grep -o 'windows.*')" "windows 3, summary"
# A run whose second PE, and whose second thread, begin late: import and list print the same numbers.
for w in 2 7; do
	tau-db import --db "late.$w.db" --slices $w -n late run.late >late.out
	is "import counts what any of $w windows has" "$(sed 's/.*PEs \([0-9]*\), threads \([0-9]*\), .*/\1 \2/' late.out)" \
		"$(tau-db list --db "late.$w.db" -f csv | awk -F , 'NR == 2 { print $3, $4 }')"
done
parts() { for w in 0 1 2; do for part in timers counters; do tau-db show --db $1.db -w $w -t 0 -p $part -f csv 1; done; done; }
is "with the same timers and counters" "$(parts runsums)" "$(parts runs)"
is "that are there" "$([ "$(parts runsums | wc -l)" -gt 20 ] && echo yes)" yes
if ldd "$B/tau-db" | grep -q 'lib[at]san'; then
	skip "memory does not grow with the job" "a sanitizer needs all there is"
else
	peak() { job "$1" | sh -c 'ulimit -v 100000 && exec tau-db import --db peak.db --summary -' >/dev/null 2>err; }
	ok "16384 PEs, 133 MB of profiles, in less than 100 MB of address space" peak 16384
fi
if command -v valgrind >/dev/null && ! ldd "$B/tau-db" | grep -q 'lib[at]san'; then
	# Instructions, not seconds: what twice as many PEs cost, of 100 and of 200 types, and once more twice as many.
	work() {
		job "$2" "$3" >work.ppk
		rm -f work.db
		valgrind --tool=callgrind --callgrind-out-file=/dev/null tau-db import $1 --db work.db work.ppk 2>&1 >/dev/null |
			sed -n 's/.*Collected : //p'
	}
	for how in --summary ""; do
		is "${how:-every PE}: work grows at most linearly in PEs and types" \
			"$(echo "$(work "$how" 32 100) $(work "$how" 64 100) $(work "$how" 128 100) $(work "$how" 32 200) $(work "$how" 64 200)" |
			awk '{ pes = ($3 - $2) / ($2 - $1); types = ($5 - $4) / ($2 - $1)
				print (pes > 1 && pes < 2.2 ? "level" : pes), (types > 1 && types < 2.2 ? "level" : types) }')" "level level"
	done
else
	skip "work grows at most linearly in PEs and types" "no valgrind"
fi

job 64 >job.ppk
cut_job() { head -c "$1" job.ppk | tau-db import --db cut.db --summary -; }
bad "a stream that ends early" 3 "standard input: offset 100000 of the unpacked bytes: the rows of a thread are cut short" cut_job 100000
bad "a stream of something else" 3 "standard input: not a packed profile" sh -c 'echo hello | tau-db import --db cut.db -'
mkdir empty
bad "a summary of a directory without profiles" 3 "$T/empty: " tau-db import --db cut.db --summary "$T/empty"
bad "windows of a packed profile" 2 "--window: job.ppk is a packed profile" tau-db import --db cut.db -w 1s:2s job.ppk
bad "what is not there" 4 "nowhere: No such file" tau-db import --db cut.db --summary nowhere
bad "PEs of a summary" 3 "trial 4 \\(job.4096\\): this trial is a summary without single PEs" tau-report memory --by pe --db sums.db 4
is "what failed has left no trial" "$([ ! -s cut.db ] || tau-db list --db cut.db)" ""
tap_end
