# exits.sh: however a program ends, its status is its own and its trace holds everything up to the end.
. "$(dirname "$0")/../expect.sh"

exits=$B/apps/exits
ways=$("$exits")
for way in $ways; do
	"$exits" "$way" >/dev/null 2>&1
	plain=$?
	record "$way" "$exits" "$way"
	is "$way: the exit status is the program's own" "$code" "$plain"
	expect "$way"
done 2>/dev/null
like "there are ways to end" "$ways" "quick_exit"

# ---- what comes after the last event ----
cat >"$T/after.c" <<'END'
#include <stdlib.h>
#include <unistd.h>
__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
	extern void work(int);

	if (argc > 1)
		work(argv[1][0]);
	usleep(200000);
	return 0;
}
void leaf(void) {}
void work(int way)
{
	leaf();
	usleep(200000);
	if (way == 'e')
		exit(0);
	if (way == '_')
		_exit(0);
}
END
ok "a program whose last event comes early builds" ${CC:-cc} -finstrument-functions "$T/after.c" -o "$T/after"
# least REGION WAY: its inclusive time is 200 ms at least
least() {
	rm -rf "$T/after.run"
	tau-record -o "$T/after.run" -w process "$T/after" $2 2>/dev/null
	ok "$1 lasts until the process ends (${2:-no event at all})" awk -F, -v name="$1" '
		$6 == name { us = $11 } END { exit !(us >= 200000) }' <<END
$(tau-trace2profile --format csv "$T/after.run" 2>/dev/null)
END
}
least ".TAU application" ""
least ".TAU application" return
least work exit
least work _exit

# ---- what a library records when the program has ended ----
printf '#include "tau.h"\n__attribute__((destructor)) static void end(void) { TAU_START("late"); TAU_STOP("late"); }\n' >"$T/late.c"
echo 'int main(void) { return 0; }' >"$T/main.c"
ok "a library that has something to do at the end" ${CC:-cc} -I"$TOP/record" -shared -fPIC "$T/late.c" -o "$T/liblate.so"
ok "and a program" ${CC:-cc} "$T/main.c" -o "$T/late" -Wl,--no-as-needed -L"$T" -llate -Wl,-rpath,"$T"
tau-record -o "$T/late.run" "$T/late" 2>"$T/late.err"
like "are in the trace" "$(tau-trace2profile --format csv "$T/late.run" 2>/dev/null)" ',late,'
like "which leaves no live file" "$(cat "$T/late.err")" ' events, [0-9.]+ (Ki)?B, 0 lost, '
like "it is sound" "$(tau-dump --check "$T/late.run")" ': ok: 2 chunks, 4 records'
is "its thread is one" "$(tau-trace2profile --format csv "$T/late.run" 2>/dev/null | awk -F, '$6 == ".TAU application" { print $8, $9 }')" "1 1"
is "and nothing was repaired" "$(tau-trace2profile --format csv "$T/late.run" 2>&1 >/dev/null)" ""

# ---- a plugin that uses the recorder is unloaded before the end ----
cat >"$T/unload.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	void *plugin = dlopen(argv[argc - 1], RTLD_NOW);

	if (!plugin)
		return 2;
	dlclose(plugin);
	puts(dlopen(argv[argc - 1], RTLD_NOW | RTLD_NOLOAD) ? "it is there" : "it is unloaded");
	return 3;
}
END
ok "a program that unloads it builds" ${CC:-cc} "$T/unload.c" -o "$T/unload" -ldl
ok "a plugin builds" ${CC:-cc} -I"$TOP/record" -shared -fPIC "$T/late.c" -o "$T/plugin.so" -L"$B" -ltau -Wl,-rpath,"$B"
is "it is unloaded, and the program ends as it wants" "$("$T/unload" "$T/plugin.so"; echo $?)" "it is unloaded
3"
is "also if there is a directory for the run" "$(mkdir "$T/unload.run" && TAU_RECORD_DIR=$T/unload.run "$T/unload" "$T/plugin.so"; echo $?)" "it is unloaded
3"
is "and if it is recorded" "$(tau-record -o "$T/unloaded.run" "$T/unload" "$T/plugin.so" 2>"$T/unloaded.err"; echo $?)" "it is unloaded
3"

# ---- a library whose destructor runs after the recorder's ----
cat >"$T/after.c" <<'END'
static volatile int sink;
void used(void) { sink++; }
__attribute__((destructor)) static void after(void) { used(); }
END
cat >"$T/nap.c" <<'END'
#include <unistd.h>
void used(void);
int main(void)
{
	used();
	return usleep(400000);
}
END
ok "a library with a destructor builds" ${CC:-cc} -finstrument-functions -fPIC -shared "$T/after.c" -o "$T/libafter.so"
ok "and its program" ${CC:-cc} -finstrument-functions "$T/nap.c" -o "$T/nap" -L"$T" -lafter -Wl,-rpath,"$T"
tau-record -o "$T/nap.run" "$T/nap" 2>"$T/nap.err"
tau-dump "$T/nap.run" >"$T/nap.dump"
is "what the destructor does is recorded" "$(tau-trace2profile --format csv "$T/nap.run" | awk -F, '$6 == "after" { print $8 }')" 1
asleep=$(sed -n 's/.*META name="TAU Thread Asleep (us): 0" value="\([0-9]*\)".*/\1/p' "$T/nap.dump")
ok "times of the thread are those of its whole life, also when the recorder ends again: $(echo $asleep)" test "$(echo "$asleep" | wc -l)" = 2 -a \
	"$(echo "$asleep" | tail -n 1)" -ge "$(echo "$asleep" | head -n 1)" -a "$(echo "$asleep" | head -n 1)" -gt 300000

# ---- a job that is killed as a whole, with tau-record ----
cat >"$T/stuck.c" <<'END'
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
__attribute__((no_instrument_function)) static long ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
void stuck(long begin)
{
	while (ms() < begin + 3500)
		usleep(10000);
	printf("%ld\n", ms() - begin);
	fflush(stdout);
	kill(getppid(), SIGKILL);
	pause();
}
__attribute__((no_instrument_function)) int main(void)
{
	stuck(ms());
	return 0;
}
END
ok "a program that is stuck until all is killed builds" ${CC:-cc} -finstrument-functions "$T/stuck.c" -o "$T/stuck"
(tau-record -o "$T/stuck.run" "$T/stuck" >"$T/stuck.ms") 2>/dev/null
while pgrep -f "$T/stuck" >/dev/null; do sleep 0.02; done
stuck=$(tau-trace2profile --format csv "$T/stuck.run" 2>/dev/null | awk -F, '$6 == "stuck" { print int($11 / 1000) }')
# It was seen at 1 s first, and then each second, or later on a busy machine.
ok "what it was in lasts until it was last seen: $stuck of $(cat "$T/stuck.ms") ms" test "${stuck:-0}" -ge 950 -a "${stuck:-0}" -le "$(($(cat "$T/stuck.ms") + 50))"
like "and how it ended is reported" "$(tau-report hang "$T/stuck.run" 2>&1)" 'was killed together with its tau-record'
# Where nothing samples, the row has the time, too: 8 bytes at 64 + 40.
(tau-record --alone -o "$T/alone.run" "$T/stuck" >/dev/null) 2>/dev/null
while pgrep -f "$T/stuck" >/dev/null; do sleep 0.02; done
ok "as it is without samples" test "$(od -An -t u8 -j 104 -N 8 "$T/alone.run/processes" | tr -d ' ')" -gt 0

# ---- a live file that was taken away ----
cat >"$T/both.c" <<'END'
#include <signal.h>
#include <unistd.h>
void leaf(void) {}
int main(void)
{
	for (int i = 0; i < 200000; i++)
		leaf();
	kill(getppid(), SIGKILL);
	pause();
	return 0;
}
END
ok "a program that kills tau-record, and itself with it, builds" ${CC:-cc} -finstrument-functions "$T/both.c" -o "$T/both"
tau-record -o "$T/both.run" "$T/both" >/dev/null 2>&1
while pgrep -f "$T/both" >/dev/null; do sleep 0.02; done
rm "$T/both.run"/*.live
like "without its live file, the check reports what is missing" "$(tau-dump --check "$T/both.run")" 'ends without an index, and there is no live chunk'
like "in a profile, too" "$(tau-trace2profile --format csv "$T/both.run" 2>&1 >/dev/null)" 'records after chunk [0-9]+ may be missing'
tap_end
