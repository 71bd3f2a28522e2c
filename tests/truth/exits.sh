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

# ---- what a library records when the program has ended ----
printf '#include "tau.h"\n__attribute__((destructor)) static void end(void) { TAU_START("late"); TAU_STOP("late"); }\n' >"$T/late.c"
echo 'int main(void) { return 0; }' >"$T/main.c"
ok "a library that has something to do at the end" ${CC:-cc} -I"$TOP/record" -shared -fPIC "$T/late.c" -o "$T/liblate.so"
ok "and a program" ${CC:-cc} "$T/main.c" -o "$T/late" -Wl,--no-as-needed -L"$T" -llate -Wl,-rpath,"$T"
tau-record -o "$T/late.run" "$T/late" 2>"$T/late.err"
like "are in the trace" "$(tau-trace2profile --format csv "$T/late.run" 2>/dev/null)" ',late,'
like "whose live file is told of" "$(cat "$T/late.err")" ' events, [0-9.]+ K?B and [0-9.]+ [KM]B in 1 \.live file, 0 lost, '
like "it is sound" "$(tau-dump --check "$T/late.run")" ': ok: 2 chunks, 2 records'
rm "$T/late.run"/*.live
like "who takes the live file away is told what is missing" "$(tau-dump --check "$T/late.run")" 'ends without an index, and there is no live chunk'
like "in a profile, too" "$(tau-trace2profile --format csv "$T/late.run" 2>&1 >/dev/null)" 'records after chunk 1 may be missing'
tap_end
