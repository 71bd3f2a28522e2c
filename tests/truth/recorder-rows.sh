# recorder-rows.sh: the recorder's own regions are in no row and no sum of reports about times; the overview has their time.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
cat >app.c <<'END'
#include <stdlib.h>
static void *kept;
static void work(void) { for (volatile int i = 0; i < 3000000; i++) ; }
static void build(void) { kept = malloc(100000); }
int main(void)
{
	work();
	build();
	return kept == NULL;
}
END
ok "the program builds" ${CC:-cc} -g -O1 -finstrument-functions -o app app.c
ok "and is recorded" tau-record --memory -o run ./app
ok "again" tau-record --memory -o run2 ./app
census=$(tau-trace2profile -f csv run 2>/dev/null | awk -F, '/\.TAU memory census/ { n++ } END { print n + 0 }')
[ "$census" -gt 0 ] || { skip "rows of the recorder" "it took no census"; tap_end; }
shown() { "$@" 2>&1 | grep -c '\.TAU memory'; }
for kind in profile tree imbalance flame threads scaling breakdown diff; do
	case $kind in
	threads) words="profile --by rank run" ;;
	scaling | diff) words="$kind run run2" ;;
	flame) words="flame -f folded run" ;;
	*) words="$kind run" ;;
	esac
	is "it has no row in tau-report $words" "$(shown tau-report $words)" 0
done
is "nor as CSV" "$(shown tau-report profile -f csv run)" 0
is "nor as JSON" "$(shown tau-report profile -f json run)" 0
ok "a store is made" tau-db import -d store.db -c run
is "nor from a store" "$(shown tau-report profile --db store.db)" 0
is "who names it sees it" "$(tau-report threads '.TAU memory census' run | grep -c '^\.TAU memory census: 1 of 1')" 1
is "or selects it" "$(shown tau-report profile --region '.TAU memory census' run)" 1

# The sums: of exclusive times, and the inclusive time of the outermost region; with the census, they are all of the run.
plain() { sed 's/"[^"]*"/x/g'; }
tau-report profile -f csv run | plain >rows
is "the sum of exclusive times is the inclusive time of all" "$(awk -F, '$1 == "region" { s += $9; if ($2 == ".TAU application") i = $10 }
	END { print s - i < .001 && i - s < .001 }' rows)" 1
inclusive() { awk -F, '$1 == "region" && $2 == ".TAU application" { printf "%.3f", $10 }' "$1"; }
tau-report profile -f csv --group 'TAU_UTILITY' run | plain >own
tau-report -f csv run | awk -F, '$2 ~ /^recorder.s own/ { printf "%.3f", $3 }' >removed
is "the overview has the time of the recorder's regions" "$(awk -F, '$2 ~ /^\.TAU memory/ { s += $9 } END { printf "%.3f", s }' own)" "$(sed -n '/./p' removed)"
all=$(tau-trace2profile -f csv -o - run 2>/dev/null | plain | awk -F, '$6 == ".TAU application" { printf "%.3f", $11; exit }')
is "what is reported and the recorder's time are the whole run" \
	"$(awk -v a="$(inclusive rows)" -v b="$(cat removed)" 'BEGIN { printf "%.3f", a + b }')" "$all"
is "a tree has the same sum" "$(tau-report tree -f csv --cut 0 run | awk -F, '$3 == ".TAU application" { printf "%.3f", $6; exit }')" "$(inclusive rows)"
tap_end
