# db-events.sh: tau-db query --run: the tables event and call show what tau-dump and the stored profile show, and conditions read
# only what they select.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

query() { tau-db query -f csv "$@" 2>/dev/null | tr -d '\r' | tail -n +2; }
tau-record -o run "$B/apps/hooks" >/dev/null 2>&1
tau-record --wrap pthread -o threads "$B/apps/threads" >/dev/null 2>&1

for run in run threads; do
	query --run $run "SELECT replace(CASE kind WHEN 'collective' THEN 'COLL' WHEN 'value' THEN 'EVENT' ELSE upper(kind) END, ' ', '_') AS k,
		count(*) FROM event GROUP BY 1" | sort >got
	tau-dump $run 2>/dev/null | sed -n 's/^  #[0-9]* [0-9.]* +[0-9]* ns \([A-Z_]*\).*/\1/p' | sort | uniq -c |
		awk '{ print $2 "," $1 }' | sort >expected
	ok "$run: as many events of each kind as tau-dump prints" cmp expected got
	ok "$run: which are several kinds" test "$(wc -l <got)" -ge 2
done
is "times and regions of events" "$(query --run run "SELECT printf('%.9f', time / 1e6) || ' ENTER ' || region FROM event WHERE kind = 'enter'" | tr -d '"' | cksum)" \
	"$(tau-dump run 2>/dev/null | sed -n 's/^  #[0-9]* \([0-9.]*\) +[0-9]* ns \(ENTER .*\) \[[0-9]*\]$/\1 \2/p' | cksum)"

# Calls and the stored profile of the same run, joined. Regions that call themselves have less inclusive time than their calls.
tau-db import -d x.db run >/dev/null 2>&1
query -d x.db --run run "SELECT c.region, count(*) - d.calls, abs(sum(c.duration) - v.inclusive_value) < 0.0005,
		max(c.callpath LIKE '%' || c.region || ' => %') FROM call c JOIN timer t ON t.name = c.region
	JOIN timer_callpath p ON p.timer = t.id AND p.parent IS NULL JOIN timer_call_data d ON d.timer_callpath = p.id
	JOIN thread h ON h.id = d.thread AND h.thread_index = -2 JOIN timer_value v ON v.timer_call_data = d.id
	GROUP BY 1" | sed 's/.*"//; s/^[a-z.A-Z ]*,/,/' | sort | uniq -c | awk '{ print $1, $2 }' >joined
is "calls are those of the profile, and their times where no region calls itself" "$(cut -d ' ' -f 2 joined | tr '\n' ' ')" ",0,0,1 ,0,1,0 "
ok "for several regions of either kind" test "$(awk '$1 >= 3' joined | wc -l)" -eq 2

# What is selected by time, rank, thread and region is the same as what remains of all rows.
query --run threads "SELECT rank, thread, printf('%.3f', time), kind, region, depth FROM event" >all
ok "there are events" test "$(wc -l <all)" -gt 50
n=$(wc -l <all)
for part in 10 30 50 70 90; do
	a=$(cut -d , -f 3 all | sort -g | sed -n "$((n * part / 100))p")
	b=$(cut -d , -f 3 all | sort -g | sed -n "$((n * (part + 8) / 100))p")
	is "a window of time, at $part % of the events" \
		"$(query --run threads "SELECT rank, thread, printf('%.3f', time), kind, region, depth FROM event WHERE time >= $a AND time < $b" | cksum)" \
		"$(awk -F, -v a="$a" -v b="$b" '$3 + 0 >= a + 0 && $3 + 0 < b + 0' all | cksum)"
done
is "one thread" "$(query --run threads 'SELECT count(*) FROM event WHERE thread = 1')" "$(awk -F, '$2 == 1' all | wc -l)"
is "a thread and a rank that do not exist" "$(query --run threads 'SELECT count(*) FROM event WHERE thread = 77 OR rank = 5')" 0
is "no rows where a bound is NULL" "$(query --run threads 'SELECT count(*) FROM event WHERE time > NULL')" 0
is "several runs" "$(query --run run --run threads 'SELECT run, count(*) > 0 FROM event GROUP BY 1 ORDER BY 1' | tr '\n' ' ')" "run,1 threads,1 "

# Only the chunks that a condition needs are read: decoded events, as --stats prints them.
decoded() { tau-db query --stats --run "$1" "$2" 2>&1 >/dev/null | sed -n 's/.*decoded \([0-9]*\) events.*/\1/p'; }
is "a thread alone" "$(decoded threads 'SELECT count(*) FROM event WHERE thread = 1')" "$(awk -F, '$2 == 1' all | wc -l)"
is "nothing is read for a time after the end" "$(decoded run 'SELECT count(*) FROM event WHERE time > 1e12')" 0

# Conditions on regions and call paths select the same rows, and with an index chunks without the region are not read.
cat >rare.c <<'END'
#define HOOKED __attribute__((noinline))
static volatile int n;
HOOKED void tick(void) { n++; }
HOOKED void work(int k) { for (int i = 0; i < k; i++) tick(); }
HOOKED void checkpoint(void) { work(3); tick(); }
HOOKED void part(int k) { work(20000); for (int i = 0; k == 3 && i < 2; i++) checkpoint(); work(20000 + k); }
int main(void) { for (int i = 0; i < 8; i++) part(i); return 0; }
END
${CC:-cc} -O1 -finstrument-functions -o rare rare.c && tau-record -o rare.run ./rare >/dev/null 2>&1
shown="printf('%.3f', time) AS t, kind, region, depth, callpath, duration"
for table in event call; do
	query --run rare.run "SELECT $shown FROM $table WHERE region || '' = 'checkpoint'" >$table.all
	query --run rare.run "SELECT $shown FROM $table WHERE callpath || '' = 'main => part => checkpoint => tick'" >$table.path
	query --run rare.run "SELECT $shown FROM $table WHERE region || '' = 'part' AND time > 1000" >$table.late
done
is "rows of a rare region" "$(wc -l <event.all) $(wc -l <call.all) $(wc -l <call.path)" "4 2 2"
for index in no an; do
	[ $index = no ] || tau-trace2profile --index -f text rare.run >/dev/null 2>&1
	for table in event call; do
		is "$index index, $table: by region" "$(query --run rare.run "SELECT $shown FROM $table WHERE region = 'checkpoint'" | cksum)" "$(cksum <$table.all)"
		is "$index index, $table: by pattern" "$(query --run rare.run "SELECT $shown FROM $table WHERE region GLOB 'check*'" | cksum)" "$(cksum <$table.all)"
		is "$index index, $table: by LIKE" "$(query --run rare.run "SELECT $shown FROM $table WHERE region LIKE 'CHECKP%'" | cksum)" "$(cksum <$table.all)"
		is "$index index, $table: in any case" "$(query --run rare.run "SELECT $shown FROM $table WHERE region = 'CHECKPOINT' COLLATE NOCASE" | cksum)" \
			"$(cksum <$table.all)"
		is "$index index, $table: from a list" "$(query --run rare.run "SELECT $shown FROM $table WHERE region IN ('none', 'checkpoint')" | cksum)" \
			"$(cksum <$table.all)"
		is "$index index, $table: by call path" "$(query --run rare.run "SELECT $shown FROM $table WHERE callpath = 'main => part => checkpoint => tick'" |
			cksum)" "$(cksum <$table.path)"
		is "$index index, $table: with a time" "$(query --run rare.run "SELECT $shown FROM $table WHERE region = 'part' AND time > 1000" | cksum)" \
			"$(cksum <$table.late)"
		is "$index index, $table: two conditions of which one is false" \
			"$(query --run rare.run "SELECT count(*) FROM $table WHERE region = 'part' AND region GLOB 'check*'")" 0
		# The union of two selections has each row once, and all.
		is "$index index, $table: one condition or the other" \
			"$(query --run rare.run "SELECT $shown FROM $table WHERE region = 'checkpoint' OR depth = 2 AND region = 'part' OR time < 0" | sort | cksum)" \
			"$(query --run rare.run "SELECT $shown FROM $table WHERE (region || '' = 'checkpoint') + (depth = 2 AND region || '' = 'part') + (time < 0)" | sort | cksum)"
	done
done
all=$(decoded rare.run "SELECT count(*) FROM call")
ok "with an index, less than a third is read for a rare region" \
	test "$(decoded rare.run "SELECT count(*) FROM call WHERE region = 'checkpoint'")" -lt $((all / 3))
ok "and for its call path" test "$(decoded rare.run "SELECT count(*) FROM event WHERE callpath = 'main => part => checkpoint'")" -lt $((all / 3))
ok "and nearly nothing for a region that is not there" test "$(decoded rare.run "SELECT count(*) FROM call WHERE region = 'none'")" -lt $((all / 3))

fails() {
	want=$1 said=$2
	shift 2
	"$@" >out 2>err </dev/null
	is "$* ends with $want" "$? $(wc -l <err) $(wc -c <out)" "$want 1 0"
	like "and why" "$(cat err)" "$said"
}
fails 2 "no such table: event" tau-db query -d x.db "SELECT * FROM event"
fails 2 "INSERT is refused|may not be modified" tau-db query --run run "INSERT INTO event (rank) VALUES (1)"
fails 2 "refused" tau-db query --run run "CREATE TABLE x AS SELECT * FROM event"
fails 2 "no run is read" tau-db query -d x.db --stats "SELECT 1"
fails 2 "no run is read" tau-db query --run run --list
fails 4 "none" tau-db query --run none "SELECT * FROM event"
tap_end
