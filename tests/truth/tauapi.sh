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
tap_end
