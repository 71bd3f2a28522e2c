# tauapi.sh: what programs written for TAU call, from C, C++ and Fortran: all of it leaves what the program prints, and nothing
# without the recorder; phases and parameters are found by the names that TAU has for them.
. "$(dirname "$0")/../expect.sh"

# Where the profiles go that they request.
PROFILEDIR=$T
export PROFILEDIR

for app in tauapi tauapicxx tauapif; do
	[ -x "$B/apps/$app" ] || { skip "$app" "it was not built: no Fortran compiler"; continue; }
	record "$app" -w none "$B/apps/$app"
	is "$app: ends as it should" "$code" 0
	is "$app: its output without the recorder is the same, but for what it asks the recorder" \
		"$(sed '/new name calls 1$/d' "$T/$app.out")" "$("$B/apps/$app")"
	expect "$app"
	is "$app: no region had to be repaired" "$(grep -c repaired "$T/$app.why")" 0
done

tau-trace2profile --format csv "$T/tauapi.run" >"$T/plain.csv"
for phase in 'Iteration 1' 'IO Phase' 'auto phase[2]' 'static phase' 'dynamic phase[0]' 'shared phase'; do
	like "$phase is in group TAU_PHASE" "$(grep -F "$phase," "$T/plain.csv" | head -n 1)" 'TAU_PHASE'
done
like "a parameter is in group TAU_PARAM" "$(grep -F 'f [ <i> = <2> ],' "$T/plain.csv" | head -n 1)" 'TAU_USER\|TAU_PARAM'
tau-db import --db "$T/x.db" "$T/tauapi.run" >/dev/null
is "the store has the parameters in timer_parameter" \
	"$(tau-db query --db "$T/x.db" --format csv "SELECT parameter_name || '=' || parameter_value FROM timer_parameter p
		JOIN timer t ON t.id = p.timer WHERE t.short_name = 'f' ORDER BY 1" | tail -n +2 | tr '\r\n' '  ' | tr -s ' ')" \
	"i=-1 i=0 i=1 i=2 j=7 "
is "and the phases in group TAU_PHASE" \
	"$(tau-db query --db "$T/x.db" --format csv "SELECT count(DISTINCT t.name) FROM timer t
		JOIN timer_group g ON g.timer = t.id WHERE g.group_name = 'TAU_PHASE'" | tail -n 1 | tr -d '\r')" 12

# A renamed event has one name: in all threads, and for values before.
cat >"$T/rename.c" <<'E'
#include "TAU.h"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *event, *other;
static void *use(void *x) { TAU_EVENT(event, 2); TAU_EVENT(other, 1); return x; }
int main(void)
{
	pthread_t t;
	event = Tau_get_userevent("old name");
	other = Tau_get_userevent("other");
	pthread_create(&t, 0, use, 0); pthread_join(t, 0);
	TAU_EVENT(event, 3);
	for (int i = 0; i < 400000; i++) TAU_EVENT(other, i % 1000);	/* several chunks */
	TAU_EVENT_SET_NAME(event, "middle name");
	TAU_EVENT_SET_NAME(event, "last name");
	TAU_EVENT(event, 4);
	TAU_EVENT(Tau_get_userevent("old name"), 5);
	return 0;
}
E
if ${CC:-cc} -I"$TOP/record" "$T/rename.c" -o "$T/rename" -lpthread; then
	record rename -w none "$T/rename"
	tau-trace2profile -f csv "$T/rename.run" >"$T/rename.csv"
	is "renamed: values before and after, in each thread" "$(grep -c 'counter,last name' "$T/rename.csv") \
$(grep -c '0,0,0,counter,last name,.*,2,4,3,' "$T/rename.csv")" "2 1"
	is "renamed: the old name is another event from then on" "$(grep -c '0,0,0,counter,old name,.*,1,5,5,' "$T/rename.csv")" 1
	tau-trace2profile --index -f csv "$T/rename.run" >/dev/null 2>&1
	tau-trace2profile -f csv "$T/rename.run" >"$T/again.csv"
	is "renamed: read with its indexes it is the same" "$(cmp "$T/rename.csv" "$T/again.csv" && ls "$T/rename.run" | grep -c 'index$')" 1
	is "renamed: none has a name between" "$(grep -c 'middle name' "$T/rename.csv")" 0
fi

# Sizes that a class allocation adds to those around it are in their events, and once in sums.
cat >"$T/classes.c" <<'E'
#include "TAU.h"
int main(void)
{
	Tau_start_class_allocation("a", 100, 0);
	Tau_start_class_allocation("b", 20, 1);
	Tau_start_class_allocation("c", 3, 1);
	Tau_stop_class_allocation("c", 1);
	Tau_stop_class_allocation("b", 1);
	Tau_start_class_allocation("d", 1000, 1);	/* only names the owner */
	Tau_start_class_allocation("e", 7, 1);
	Tau_stop_class_allocation("e", 1);
	Tau_stop_class_allocation("d", 0);
	Tau_start_class_allocation("f", 5, 0);
	Tau_stop_class_allocation("f", 1);
	Tau_stop_class_allocation("a", 1);
	return 0;
}
E
if ${CC:-cc} -I"$TOP/record" "$T/classes.c" -o "$T/classes"; then
	record classes -w none "$T/classes"
	tau-convert -t tau "$T/classes.run" "$T/again.run" >/dev/null 2>&1
	for run in classes again; do
		tau-trace2profile -f csv "$T/$run.run" >"$T/$run.csv"
		class() { sed -n "s/^,0,0,0,counter,$1,,,,,,\([0-9]*\),\([0-9.]*\),.*/\1 \2/p" "$T/$run.csv"; }
		is "classes, $run: the events have what is inside" "$(for n in a b c d e f; do class "alloc $n"; done | tr '\n' ' ')" "1 1130 1 23 1 3 1 7 1 5 "
		is "classes, $run: live memory is counted once" "$(class 'live (all)') $(class 'peak (all)') $(class 'live a') $(class 'live objects a')" \
			"1 1135 1 1135 1 1100 1 1"
		is "classes, $run: what was allocated, too" \
			"$(tau-report memory --view cumulative "$T/$run.run" 2>/dev/null | sed -n 's/^all  *\([0-9.]* [A-Za-z]*\) .*/\1/p')" "1.11 KiB"
		ok "classes, $run: the trace is sound" tau-dump --check "$T/$run.run"
	done
fi
tap_end
