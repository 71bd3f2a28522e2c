# env.sh: the environment variables of TAU: tau-record --env, the sentence about ignored ones, and the sources, which read none without a row.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
for v in $(env | sed -n 's/^\(TAU_[A-Z0-9_]*\)=.*/\1/p'); do case $v in TAU_TEST_*) ;; *) unset "$v" ;; esac; done

tau-record --env >list
is "--env" $? 0
# use NAME: how it is listed
use() { awk -v name="$1" '$1 == name { print $2 == "always" ? "always on" : $2 }' list; }
ok "it has TAU's variables" test "$(wc -l <list)" -gt 135
is "each once" "$(awk '{ print $1 }' list | sort | uniq -d)" ""
is "each has a use and a text" "$(sed 1d list | grep -vE '^[A-Z0-9_]+  +(honoured|translated|always on|ignored)  +[^ ]')" ""
is "TAU_CALLPATH" "$(use TAU_CALLPATH)" honoured
is "TAU_THROTTLE" "$(use TAU_THROTTLE)" translated
is "TAU_TRACE" "$(use TAU_TRACE)" "always on"
is "TAU_LITE" "$(use TAU_LITE)" ignored
like "a value is printed" "$(TAU_LITE="$(printf 'a\033[1m')" tau-record --env | grep '^TAU_LITE')" "set to 'a[^$(printf '\033')]*\[1m'"
tau-record --env --doctor 2>err
is "--env with another mode is refused" $? 125

# Each option that a translated one is.
for o in $(awk '$2 == "translated"' list | grep -o -- '--[a-z][a-z-]*' | sort -u); do
	ok "$o is an option" sh -c "tau-record --help | grep -q -- '$o'"
done

# The sources read the variables of their rows.
cd "$TOP" || exit 1
is "programs read variables of TAU by their rows" "$(grep -rnE 'getenv\("(TAU_|TRACEDIR|PROFILEDIR)' cmd convert --include='*.c' | grep -vE '"TAU_(RECORD|TOOLS)_')" ""
grep -rhoE 'tau_variable\("[A-Z0-9_]*"' cmd --include='*.c' | grep -oE '"[^"]*"' | tr -d '"' | sort -u >"$T/read"
# In the program they are read from the environment; TAU_RECORD_..., TAU_MEMORY_... and TAU_CLOCK_... are variables of tau-record.
grep -rhoE '(getenv|is_on|switched_on|number)\("(TAU_|PROFILEDIR)[A-Z0-9_]*"' record --include='*.c' | grep -oE '"[^"]*"' | tr -d '"' |
	grep -vE '^TAU_(RECORD|MEMORY|CLOCK)_' | sort -u >>"$T/read"
ok "they read variables" test "$(wc -l <"$T/read")" -gt 30
is "none that is read has another use than honoured or translated" \
	"$(while read -r v; do case $(awk -v n="$v" '$1 == n { print $2 }' "$T/list") in honoured | translated) ;; *) echo "$v" ;; esac; done <"$T/read")" ""
is "each honoured or translated one is read" \
	"$(awk '$2 == "honoured" || $2 == "translated" { print $1 }' "$T/list" | grep -vxFf "$T/read" | grep -vx COBALT_JOBID)" ""
ok "COBALT_JOBID is, for the name of a run" grep -rq COBALT_JOBID cmd/monitor convert
cd "$T" || exit 1

# The sentence.
TAU_LITE=1 TAU_TRACK_SIGNALS=1 TAU_TRACE=1 TAU_ECHO_BACKTRACE=0 TAU_THROTTLE=1 tau-record -o ignored true 2>err
is "a program is recorded" $? 0
is "ignored variables are named in one sentence" "$(grep 'no effect here' err)" \
	"tau-record: TAU_LITE, TAU_TRACK_SIGNALS: no effect here; tau-record --env lists what to use instead"
TAU_TRACE=1 TAU_THROTTLE=1 TAU_LITE=0 tau-record -o none true 2>err
is "without ignored ones there is none" "$(grep -c 'no effect here' err)" 0
# The file.
printf '# settings\nTAU_THROTTLE=1\nTAU_METRICS = TIME  # one\nTAU_TRACE=1\n' >tau.conf
TAU_METRICS=TIME tau-record -o filed true 2>err
is "tau.conf is named, with the variables that it sets to another value" "$(grep tau.conf err)" \
	"tau-record: tau.conf sets TAU_THROTTLE: no effect here; set them in the environment, or use what tau-record --env lists"
like "and by --env" "$(tau-record --env | grep '^TAU_THROTTLE ')" "tau.conf sets it to '1', which has no effect here"
mv tau.conf mine.conf
TAU_CONF=mine.conf tau-record -o mine true 2>err
like "TAU_CONF is another file" "$(cat err)" 'mine.conf sets TAU_THROTTLE, TAU_METRICS: no effect'
tau-record -o unfiled true 2>err
is "without a file there is no sentence" "$(grep -c 'no effect here' err)" 0
if command -v mpirun >/dev/null; then
	cp mine.conf tau.conf
	mpirun -np 3 tau-record -o filed-job true 2>err
	is "a job prints it once" "$(grep -c 'tau.conf sets' err)" 1
	rm tau.conf
	TAU_LITE=1 mpirun -np 3 tau-record -o job true 2>err
	is "a job prints it once" "$(grep -c 'no effect here' err)" 1
else
	skip "a job prints it once" "no Open MPI"
fi
tap_end
