# plugin.sh: plug-ins of tau-convert, tau-monitor and tau-report, and tau-convert --follow --window.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

# For each number of ms that it reads the program sleeps so long in step, and prints how often it did so.
cat >sleeps.c <<'END'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) int step(int ms) { return usleep(ms * 1000) + (int)getppid() % 2; }
int main(void)
{
	int ms, n = 0;
	while (scanf("%d", &ms) == 1) {
		step(ms);
		printf("%d\n", ++n);
		fflush(stdout);
	}
	return 0;
}
END
${CC:-cc} -O1 -g -finstrument-functions sleeps.c -o sleeps || skip_all "no compiler"
${CC:-cc} -O1 -g -Wall -Wextra -shared -fPIC -I"$TOP/cmd/shared" "$TOP/fixtures/plugins/alarm.c" -o alarm.so
mkfifo in
begin() {	# RUN: descriptor 3 feeds it
	: >out
	tau-record -o "$1" ./sleeps <in >out 2>err &
	recorder=$!
	exec 3>in
	feed 1
}
feed() { for n in "$@"; do
	lines=$(wc -l <out)
	echo "$n" >&3
	until [ "$(wc -l <out)" -gt "$lines" ]; do sleep 0.02; done
done; }

begin run
tau-convert --follow --plugin alarm.so:400000,step run >alarms 3>&- 2>alarms.err &
follower=$!
tau-monitor --interval 100ms --plugin alarm.so:400000,step run >looks 3>&- 2>looks.err &
monitor=$!
feed 1 2 700 3
for i in $(seq 200); do grep -q . alarms && grep -q . looks && break; sleep 0.1; done
is "while the program runs its long call is reported" "$(sed 's/ \[.*\]: .*ms at.*ms,/ LONG,/' alarms)" "step LONG, node 0, thread 0"
is "and the region with it by looks" "$(sed 's/ \[.*\]: .* exclusive/ LONG/' looks | head -n 1 | cut -d' ' -f1-3)" "run: step LONG"
feed 4 650 1
exec 3>&-
wait $recorder
wait $follower
is "the exit status is that of the plug-in" $? 1
wait $monitor
is "also of tau-monitor" $? 1
is "each long call is reported once" "$(wc -l <alarms)" 2
is "a region is reported once" "$(wc -l <looks)" 1
ok "the times are those that the program slept" awk '{ sub(/.*\]: /, ""); if ($1 < 650) bad = 1 } END { exit bad }' alarms
is "a run that is over has the same alarms" "$(tau-convert --follow --plugin alarm.so:400000,step run 2>/dev/null)" "$(cat alarms)"
like "tau-report gives it the profile" "$(tau-report plugin alarm.so:400000,step run)" '^run: step \[.*\]: [0-9.]* ms exclusive in 8 calls$'
tau-report plugin alarm.so:400000,step run >/dev/null
is "with its exit status" $? 1
tau-report plugin alarm.so:900000000 run >calm
is "without an alarm it is 0" "$? $(wc -l <calm)" "0 0"
is "the measured program did not load it" "$(tau-dump run 2>/dev/null | grep -c alarm.so)" 0

for option in "-f csv" "-o x" "--top 3" "--unit ms" --explain; do
	# shellcheck disable=SC2086
	like "plugin: $option is refused" "$(tau-report plugin $option alarm.so run 2>&1)" "^tau-report: plugin: -.* has no effect on this report"
done
like "an argument that it refuses" "$(tau-report plugin alarm.so:much run 2>&1)" "alarm.so: the plug-in alarm refuses the argument 'much'; see its documentation"
like "a file that is no plug-in" "$(tau-report plugin "$B/libtau.so" run 2>&1)" 'libtau.so: this is not a plug-in: it defines no variable tau_plugin; see tau-plugin\(7\)'
like "a file that is not there" "$(tau-report plugin none.so run 2>&1)" 'cannot load the plug-in: .*none.so'
sed 's/= TAU_PLUGIN_VERSION/= 99/' "$TOP/fixtures/plugins/alarm.c" >newer.c
${CC:-cc} -shared -fPIC -I"$TOP/cmd/shared" newer.c -o newer.so
like "another version" "$(tau-monitor --plugin newer.so --once run 2>&1)" 'newer.so: it is a plug-in of version 99; this program loads version 1'
like "only with --follow" "$(tau-convert --plugin alarm.so run 2>&1)" '\-\-plugin is for --follow'

sed '/\.name = /d' "$TOP/fixtures/plugins/alarm.c" >nameless.c
${CC:-cc} -shared -fPIC -I"$TOP/cmd/shared" nameless.c -o nameless.so
like "no name" "$(tau-monitor --plugin nameless.so --once run 2>&1)" 'nameless.so: the plug-in has no name'

broken() {	# NAME MEMBERS [FUNCTIONS]
	printf '%s\n' '#include "tau_plugin.h"' '#include <stdlib.h>' "$3" \
		"const struct tau_plugin tau_plugin = {.version = TAU_PLUGIN_VERSION, .name = \"broken\", $2};" >"$1.c"
	${CC:-cc} -shared -fPIC -I"$TOP/cmd/shared" "$1.c" -o "$1.so"
}
all='.size = sizeof(tau_plugin)'
broken short '.size = 16'
like "a table of another size" "$(tau-report plugin short.so run 2>&1)" 'short.so: the table of the plug-in has 16 bytes, not [0-9]+$'
broken idle "$all"
like "no function that the program calls" "$(tau-report plugin idle.so run 2>&1)" 'idle.so: the plug-in broken has no function look, which this program calls'
like "of events neither" "$(tau-convert --follow --plugin idle.so run 2>&1)" 'idle.so: the plug-in broken has no function event, which this program calls'
broken crash "$all, .look = look, .event = event" 'static void look(void *s, const struct tau_plugin_look *l) { *(volatile int *)s = !l; }
static void event(void *s, const struct tau_plugin_event *v) { if (!s && v) abort(); }'
for command in "tau-monitor --once --plugin crash.so run" "tau-report plugin crash.so run"; do
	$command >/dev/null 2>why
	is "a crash: the status of ${command%% *}" $? 139
	is "and its sentence" "$(grep '^tau-' why)" "${command%% *}: crash.so: the plug-in broken crashed in its function look()"
done
tau-convert --follow --plugin crash.so run >/dev/null 2>why
is "a plug-in that aborts" "$? $(grep '^tau-' why)" "134 tau-convert: crash.so: the plug-in broken crashed in its function event()"

# What ends a program while the run goes on ends its plug-in as well, whose status is that of the program.
cat >counts.c <<'END'
#include <stdio.h>
#include "tau_plugin.h"
static int looks, events;
static void look(void *s, const struct tau_plugin_look *l) { (void)s; (void)l; looks++; fprintf(stderr, "got\n"); }
static void event(void *s, const struct tau_plugin_event *e) { (void)s; (void)e; if (!events++) fprintf(stderr, "got\n"); }
static int end(void *s) { (void)s; printf("ended after %s\n", looks ? "looks" : events ? "events" : "nothing"); return 7; }
const struct tau_plugin tau_plugin = {.version = TAU_PLUGIN_VERSION, .size = sizeof(tau_plugin), .name = "counts",
	.look = look, .event = event, .end = end};
END
${CC:-cc} -shared -fPIC -I"$TOP/cmd/shared" counts.c -o counts.so
begin stopped
interrupted() {	# SIGNAL, WHAT, COMMAND...
	signal=$1 what=$2; shift 2
	: >got
	"$@" >said 2>got 3>&- &
	# shellcheck disable=SC2034
	for i in $(seq 200); do grep -q got got && break; sleep 0.1; done
	kill -"$signal" $!
	wait $!
	is "$1 ends by $signal with its plug-in" "$? $(cat said)" "7 ended after $what"
}
feed 2
interrupted TERM looks tau-monitor --interval 100ms --plugin counts.so stopped
interrupted TERM events tau-convert --follow --plugin counts.so stopped
exec 3>&-
wait $recorder

# Nothing that is older than a second when it begins.
begin late
feed 1 2 3 4 5
sleep 2.5
tau-convert --follow --window last=1s late late.csv 3>&- 2>late.err &
follower=$!
until [ -s late.csv ]; do sleep 0.05; done
feed 6 7 8
exec 3>&-
wait $recorder
wait $follower
is "it ends with the run" $? 0
is "steps since then" "$(grep -c ',enter,"\{0,1\}step ' late.csv)" 3
is "each with its end, and that of main" "$(grep -c ',leave,' late.csv)" 4
is "what was open is entered first" "$(sed -n '2,3p' late.csv | cut -d, -f4 | tr '\n' ' ')$(sed -n 3p late.csv | grep -o main)" "thread begin enter main"
tau-convert --follow late whole.csv 2>/dev/null
is "without the window there are all" "$(grep -c ',enter,"\{0,1\}step ' whole.csv)" 9
like "another window is refused" "$(tau-convert --follow --window 1s: late - 2>&1)" "the window is last=TIME, such as last=10s, not '1s:'"
tap_end
