# overhead.sh: the overhead that tau-record prints is CPU time added over what the program uses alone, also where hooks record nothing.
# bench/overhead.sh compares the figure with what runs without the recorder use: times are no matter of tests.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

ok "a program of tiny functions builds" ${CC:-cc} -O2 -finstrument-functions "$TOP/bench/kinds.c" -o kinds -lpthread

# shown OPTIONS -- PROGRAM...: the overhead that is printed: LEAST to MOST. Where a busy machine gave a run too few samples, it runs again.
shown() {
	options=
	while [ "$1" != -- ]; do options="$options $1"; shift; done
	shift
	for try in 1 2 3 4 5 6; do
		rm -rf run
		tau-record -o run $options "$@" 2>said
		grep -q 'the run is too short for an estimate' said || break
	done
	sed -n 's/.*overhead \(about \)\{0,1\}\([0-9.e+-]*\( to [0-9.e+-]*\)\{0,1\}\) % of the program.s own CPU time, estimated\(, names .*\)\{0,1\}$/\2/p' said
}
# above WHAT PERCENT OPTIONS -- PROGRAM...: the most is not less
above() {
	what=$1 least=$2
	shift 2
	figure=$(shown "$@")
	ok "$what: ${figure:-nothing} % is printed, at least $least" awk -v s="${figure##* }" -v l="$least" 'BEGIN { exit !(s + 0 >= l) }'
}

above "tiny functions cost more than the program uses itself" 100 -- ./kinds tiny 15000000
above "none of them recorded, for they are too deep" 10 --depth 0 -- ./kinds tiny 15000000
printf 'BEGIN_EXCLUDE_LIST\ntiny\nEND_EXCLUDE_LIST\n' >select
above "functions that are kept out" 0.5 --select select -- ./kinds tiny 60000000
like "how often they were called is in the run" "$(tau-dump --only definitions run | grep Kept)" \
	'name="TAU Calls Kept Out" value="(60000000|59999999)"'
above "functions of 60 ns" 1 -- ./kinds work 3000000
above "small files" 0.1 -w io -- ./kinds file 200000
like "what empty hooks take is measured at the start" "$(tau-dump --only definitions run | grep Bare)" \
	'name="TAU Empty Hooks Bare Cost \(ps\)" value="[1-9][0-9]*"'

# ---- a run without enough samples has no figure, and a report neither ----
tau-record -o short ./kinds tiny 1000 2>said
like "a short run is too short for an estimate" "$(cat said)" '0 lost, overhead unknown \(the run is too short for an estimate\)'
is "and its overview states none" "$(tau-report -f csv short | grep -c '^run,overhead of recording')" 0
like "an interval is one" "$(shown -- ./kinds work 10000000)" '^[0-9.]+ to [0-9.]+$'

# ---- the program's own system calls, which a wrapper only passes on, are most of what this does ----
figure=$(shown -w io -- ./kinds file 200000)
ok "system calls that a wrapper passes on: ${figure:-nothing} % is printed, at most 80" awk -v s="${figure:-999}" 'BEGIN { exit !(s + 0 <= 80) }'

# ---- --estimate: a full trace adds at least what this one added, whatever it was ----
${CC:-cc} -O2 "$TOP/bench/alloc.c" -o alloc || tap_end
# both OPTIONS -- PROGRAM...: what is printed of this run, and of a full trace
both() {
	shown --estimate "$@"
	sed -n 's/.*more CPU time, \([0-9.e+-]*\) % of the program.s own$/\1/p' said
}
for row in "-w memory -- ./alloc pair 8000000" "--memory=stacks -- ./alloc deep 2000000" "-- ./kinds tiny 15000000" "-- ./alloc pair 80000000"; do
	is "--estimate $row: no less than this run's own overhead" \
		"$(both $row | awk '{ v[NR] = $1 } END { print NR, (v[2] + 0 >= v[1] + 0 && v[1] ~ /^[0-9]/) }')" "2 1"
done

# ---- the overview states what the final message stated ----
stated() {
	tau-report -f csv "$@" | tr -d '\r' | tr -d '"' |
		sed -n 's/^run,overhead of recording,\([^ ]*,\)\(about \)\{0,1\}\([0-9.]*\( to [0-9.]*\)\{0,1\}\) % of the program.s own CPU time, estimated\(.*\); tau-record --against measures it,$/\3\5/p'
}
figure=$(shown -w memory -- ./alloc pair 8000000)
is "the overview has the figure of the final message" "$(stated run)" "$figure"
is "of a window it is that of the whole run" "$(stated -w 1ms:2ms run)" "$figure, whole run"
like "a large one is a finding, with what most events are" "$(tau-report -f csv run | grep 'recording itself')" \
	'[0-9.]+ % of .* most events are allocations .*,tau-report memory run'
shown -- ./kinds tiny 15000000 >/dev/null
like "of calls it is one, too" "$(tau-report -f csv run | grep 'recording itself')" 'most events are calls.*,tau-reduce run'
is "the store keeps it" "$(tau-db import --db s.db run >/dev/null 2>&1 && stated --db s.db 1)" "$(stated run)"
# refused WHAT STATUS SENTENCE COMMAND...
refused() {
	what=$1 status=$2 sentence=$3
	shift 3
	is "$what" "$("$@" 2>&1 >/dev/null | sed 's/^[^:]*: //' | grep -c -- "^\($sentence\)"; "$@" >/dev/null 2>&1; echo $?)" "1
$status"
}
# ---- --against: measured by a run without the recorder ----
tau-record -o plain --alone ./kinds tiny 10000000 2>said
like "--alone prints the CPU time" "$(cat said)" '^tau-record: .*/plain: not recorded; 1 process took [0-9.]+ m?s of CPU time$'
is "its run has no traces" "$(ls plain)" "$(printf 'job\nprocesses')"
refused "so it is no input of a report" 3 'plain: it is a run of tau-record --alone, which records nothing' tau-report plain
tau-record --against plain -o against ./kinds tiny 10000000 2>said
like "--against states what was measured, and against what" "$(cat said)" \
	'overhead [0-9.]+ % of the program.s own CPU time, measured against plain, names [0-9.]+ K?i?B$'
# cpu RUN: of its first process, in ns: 8 bytes at the end of row 0
cpu() { od -An -t u8 -j $((64 + 120)) -N 8 "$1/processes" | tr -d ' '; }
figure=$(sed -n 's/.*overhead \([0-9.]*\) %.*/\1/p' said)
ok "it is $figure %, as the CPU times in both runs" awk -v a="$(cpu plain)" -v r="$(cpu against)" -v f="${figure:-0}" \
	'BEGIN { d = 100 * (r - a) / a - f; exit !(a > 0 && r > a && d < 6 && d > -6) }'
is "the overview has it as measured" \
	"$(tau-report -f csv against | grep -c "^run,overhead of recording,.*[,\"]$figure % of the program's own CPU time, measured\"")" 1
# In text it is in a line of conditions without these words, unless there is no other finding.
for format in text json md; do
	like "and in $format" "$(tau-report -f $format against | grep -c "$figure % of the program's own CPU time, measured")" \
		"$([ $format = text ] && echo '^[12]$' || echo '^2$')"
done
is "as the page does" "$(tau-report html -o page.html against && grep -c "$figure % of the program.*own CPU time, measured" page.html)" 2
is "the store keeps that it was measured" "$(tau-db import --db m.db against run >/dev/null 2>&1
	tau-db query --db m.db "SELECT value FROM primary_metadata WHERE name = 'TAU CPU Time Without Recording Is Measured' ORDER BY trial" |
		tr -d '\r' | tail -n 2 | tr '\n' ' ')" "1 0 "
is "and states it" "$(tau-report -f csv --db m.db 1 | grep '^run,overhead')" "$(tau-report -f csv against | grep '^run,overhead')"
is "CPU time of children counts, too" "$(tau-record -o kin --alone sh -c './kinds tiny 10000000; true' 2>/dev/null
	awk -v a="$(cpu plain)" -v k="$(cpu kin)" 'BEGIN { print (k > a / 2) }')" 1
refused "a recorded run is none of --alone" 125 '--against: against is not a run of --alone that has ended' tau-record --against against -o no ./kinds tiny 1
refused "a missing one" 125 '--against: nowhere: No such file' tau-record --against nowhere -o no ./kinds tiny 1
refused "what is recorded means nothing with --alone" 125 '--alone: --memory has no effect here' tau-record --alone --memory ./kinds tiny 1
ok "nothing is left of these" [ ! -e no ]
tau-record --alone -o status sh -c 'exit 7' 2>/dev/null
is "the status is the program's" $? 7
tau-record --alone -o status2 sh -c 'kill -TERM $$' 2>/dev/null
is "and so is the signal" $? 143

# A run whose tau-record was killed has none.
rm -rf killed && tau-record -o killed ./kinds tiny 1000000000 2>/dev/null & recorder=$!
while ! [ -s killed/processes ] || ! ls killed/*.tau >/dev/null 2>&1; do sleep 0.1; done
pkill -KILL -P $recorder kinds; kill -KILL $recorder; wait
is "a run whose tau-record was killed has no figure" "$(stated killed)" ""

tap_end
