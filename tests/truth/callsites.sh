# callsites.sh: which call of a function is the slow one (--call-sites): a row for each line that calls it, of functions with
# hooks, also inlined and recursive ones, and of functions with wrappers; with filters, in MPI programs, and not without the option.
. "$(dirname "$0")/../expect.sh"
export TAU_SAMPLING=0	# all rows are counted: those of samples are left out

# timers RUN: CSV of its regions, without commas in their names
timers() {
	tau-trace2profile -f csv "$T/$1.run" 2>/dev/null | sed 's/{\([0-9]*\),[0-9]*}/{\1}/; s/"//g' | awk -F, '$5 == "timer"'
}
# sites RUN: "calls name" of each call site in the program, as it prints them
sites() {
	timers "$1" | awk -F, '$6 ~ /CALLSITE.*callsites\.hook\.c/ { sub(/\{[^}]*\//, "{", $6); print $8 " " $6 }' |
		grep -vE '^[0-9]+ (fopen|printf)' | sort
}
truth() { sed -n 's/^SITE //p' "$T/$1.out" | sort; }

record all --call-sites -w io "$B/apps/callsites"
is "the program ends as without the option" "$code" 0
is "each line that calls a function is a row with its calls" "$(sites all)" "$(truth all)"
ok "the trace is sound" tau-dump --check "$T/all.run"
slow=$(timers all | grep ',timer,foo ' | sort -t, -k10,10nr | head -n 1)
like "the slow call of foo() inside bar() has the most time" "$slow" ",foo .CALLSITE. .@. bar .*$(sed -n 's/^SITE 6 foo .*{\([0-9]*\)}.*/\1/p' "$T/all.out")"
like "a call site has its group besides that of what is called" "$slow" ',TAU_USER\|TAU_CALLSITE,'
# In debug information of version 5 as clang writes it, the first file has the number 0.
if command -v clang >/dev/null || command -v clang-14 >/dev/null; then
	clang=$(command -v clang || command -v clang-14)
	"$clang" -w -std=gnu11 -D_GNU_SOURCE -gdwarf-5 -O1 -Irecord -finstrument-functions fixtures/apps/callsites.hook.c -o "$T/clang5"
	record clang --call-sites -w io "$T/clang5"
	is "so are those of clang, inlined calls too" "$(sites clang)" "$(truth clang)"
else
	skip "so are those of clang" "clang is not here"
fi
# Whatever is known of the function is the sum of its call sites.
record none -w io "$B/apps/callsites"
is "without the option there are no call sites" "$(sites none)" ""
is "and each function is one row" "$(timers none | grep -c ',timer,foo ')" 1
called() { timers "$1" | awk -F, '{ sub(/ \[.*/, "", $6); n[$6] += $8 } END { for (f in n) print f, n[f] }' | sort; }
is "the calls of each function are the same in all" "$(called all)" "$(called none)"
is "and the wrapper is not in the process, so that it costs nothing" "$(tau-record -n "$B/apps/callsites" | grep -c libtau-callsite)" 0
like "with the option it precedes the recorder" "$(tau-record --call-sites -n "$B/apps/callsites" | grep ^LD_PRELOAD)" 'libtau-callsite\.so:[^:]*libtau\.so'

TAU_CALLSITE=1 record named -w io "$B/apps/callsites"
is "TAU_CALLSITE=1 is the same" "$(sites named)" "$(truth named)"
TAU_CALLSITE=0 record unnamed -w io "$B/apps/callsites"
is "TAU_CALLSITE=0 is not" "$(sites unnamed)" ""

# Filters select by what is called.
printf 'BEGIN_EXCLUDE_LIST\nfoo\nwrite()\nEND_EXCLUDE_LIST\n' >"$T/select"
record chosen --call-sites --select "$T/select" -w io "$B/apps/callsites"
is "what is excluded has no call site" "$(sites chosen)" "$(truth chosen | grep -vE '^[0-9]+ (foo|write\(\)) ')"
is "and its leaves are no mistakes" "$(grep -c 'without a start' "$T/chosen.err")" 0
record off --call-sites --no-groups TAU_USER -w io "$B/apps/callsites"
is "so are groups that are off" "$(sites off)" "$(truth off | grep -E '^[0-9]+ write\(')"
record folded --call-sites --fold 1000000 -w io "$B/apps/callsites"
is "folded calls keep their site" "$(sites folded)" "$(truth folded)"

# The reports find the call sites by what is called.
like "threads FUNCTION adds its call sites up" "$(tau-report threads foo "$T/all.run" 2>/dev/null)" '^foo: 1 of 1 threads'
like "callers FUNCTION names its call sites" "$(tau-report callers foo "$T/all.run" 2>&1)" "'foo' has 3 call sites: use the full name of one, such as 'foo \[CALLSITE\] \[@\] bar "

# MPI: the site of a call is in the program, and what is known of messages does not change.
if command -v mpirun >/dev/null && [ -x "$B/apps/mpip2p" ]; then
	for o in plain sites; do
		option=; [ $o = plain ] || option=--call-sites
		# shellcheck disable=SC2086
		timeout -k 5 300 mpirun -np 4 tau-record $option -w mpi -o "$T/$o.run" "$B/apps/mpip2p" >"$T/$o.out" 2>"$T/$o.err"
		is "mpi, $o: the program ends well" $? 0
	done
	# How often a program that polls does so is another number each time.
	steady() { called "$1" | grep -vE '^MPI_(I.*probe|Request_get_status|Test.*|Waitsome)\(' ; }
	is "mpi: the calls of each function are the same" "$(steady sites)" "$(steady plain)"
	is "mpi: the messages are the same" "$(tau-report comm -f csv "$T/sites.run")" "$(tau-report comm -f csv "$T/plain.run")"
	like "mpi: calls have the lines of the program" "$(tau-trace2profile -f csv "$T/sites.run" | grep 'MPI_Ssend()')" \
		'MPI_Ssend\(\) .CALLSITE. .@. blocking .\{[^}]*mpip2p\.mpi\.c\} \{[0-9]+\}.,MPI\|TAU_CALLSITE,'
	is "mpi: each call of the program has one" "$(tau-trace2profile -f csv "$T/sites.run" | grep ',timer,MPI_' | grep -vc CALLSITE)" 0
	for f in "$T"/sites.run/*.tau; do tau-dump --check "$f" || echo bad; done >"$T/checks" 2>&1
	is "mpi: the traces are sound" "$(grep -c ': ok:' "$T/checks")" "$(ls "$T"/sites.run/*.tau | wc -l)"
else
	skip "MPI" "no MPI is installed"
fi
tap_end
