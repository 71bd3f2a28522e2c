# record.sh: the command line of tau-record: what it runs, what it prints, and how it ends.
. "$(dirname "$0")/../tap.sh"
unset TRACEDIR TAU_VERBOSE
cd "$T" || exit 1
APP=$B/apps/hooks

status() { "$@" >out 2>err </dev/null; echo $?; }

# ---- the program's own exit status and signals ----
is "exit status of the program" "$(status tau-record -o s1 sh -c 'exit 37')" 37
is "a program that a signal ends" "$(status tau-record -o s2 sh -c 'kill -TERM $$')" 143
is "standard input reaches the program" "$(echo hello | tau-record -o s3 cat 2>/dev/null)" hello
is "standard output is the program's alone" "$(tau-record -o s4 echo one two 2>/dev/null)" "one two"
is "arguments that look like options belong to the program" "$(tau-record -o s5 echo -o x --help 2>/dev/null)" "-o x --help"
is "a word after -- is the program" "$(tau-record -o s6 -- echo x 2>/dev/null)" x
tau-record -o s7 sh -c 'trap "exit 9" USR1; echo ready; while :; do sleep 0.05; done' >out 2>err &
pid=$!
until grep -q ready out 2>/dev/null; do sleep 0.02; done
kill -USR1 $pid
wait $pid
is "a signal sent to tau-record reaches the program" $? 9

# ---- one line at the end ----
status tau-record -o line "$APP" >/dev/null
is "one line on standard error" "$(wc -l <err)" 1
like "it names the run, events, bytes, lost events and overhead" "$(cat err)" \
	'^tau-record: .*/line: 1 process, [0-9]+ events, [0-9.]+ ([KM]i)?B, 0 lost, overhead (unknown \(the run is too short for an estimate\)|(about )?[0-9.e-]+( to [0-9.]+)? % of the program.s own CPU time, estimated), names [0-9.]+ K?i?B$'
calls=$(tau-trace2profile --format csv line 2>/dev/null | grep -v '\.TAU application' | sed 's/"[^"]*"/q/g' | awk -F, '$5 == "timer" { n += $8 } END { print n }')
events=$(sed 's/.*process, \([0-9]*\) events.*/\1/' err)
ok "at most two events a call, at least one" test "$events" -le $((2 * calls + 60)) -a "$events" -gt "$calls"
status tau-record -o nothing sleep 0 >/dev/null
like "of a program without events it is reported what would tell more" "$(sed 1d err)" \
	'^tau-record: .*/nothing: no events recorded: .*; no thread ran as long as a period of samples, 10.00 ms. Try: --sample=1ms, --memory, -w io,pthread,process or, for Python, -w python$'
status tau-record --sample=none -o unsampled sleep 0 >/dev/null
like "without samples: what would tell more" "$(sed 1d err)" \
	'^tau-record: .*/unsampled: no events recorded: .* Try: without --sample=none, --memory, -w io,'
status tau-record -o process -w process sleep 0 >/dev/null
like "and of one that calls nothing of the wrappers that were asked for" "$(sed 1d err)" \
	'^tau-record: .*/process: no events recorded: the program called no function of -w process$'
status tau-record -o none -w none sleep 0 >/dev/null
is "but not where nothing was asked for" "$(sed 1d err)" ""
status tau-record -o openmp --openmp all sleep 0 >/dev/null
like "--openmp without OpenMP" "$(head -n 1 err)" '^tau-record: --openmp: .*/sleep links no OpenMP library; .*; it has no effect$'
cat >blocks.c <<'END'
#include <stdlib.h>
void *volatile last;
int main(void)
{
	for (long i = 0; i < 300000; i++) {
		void **p = calloc(1, 64);

		*p = last;
		last = p;
	}
	return 0;
}
END
ok "a program that keeps many blocks builds" ${CC:-cc} -O1 blocks.c -o blocks
status tau-record -w memory -o blocks.run ./blocks >/dev/null
walk=$(tau-dump --only definitions blocks.run 2>/dev/null | sed -n 's/.*META name="TAU Memory Census us" value="\([0-9]*\)"/\1/p')
used=$(tau-dump --only definitions blocks.run 2>/dev/null | sed -n 's/.*META name="\(User\|System\) Time (us)" value="\([0-9]*\)"/\2/p' |
	awk '{ n += $1 } END { print n }')
share=$(sed -n 's/.*overhead \(.* \)\{0,1\}\([0-9.e-]*\) %.*/\2/p' err)
# What the walk took is added, so it is in the share that was added of all CPU time; the run may be too short for a figure.
ok "what the walk over all blocks took is overhead ($share %, $walk of $used us)" \
	awk -v share="$share" -v walk="${walk:-0}" -v used="$used" '
	BEGIN { exit !(walk > 0 && (share == "" || share >= 50 * (walk < used ? walk : used) / used)) }'

# ---- the directory of the run ----
ls -A line >files
like "a run holds its job and one trace, and nothing live" "$(grep -v '^\.' files | tr '\n' ' ')" '^job names processes [^ ]*\.tau $'
is "a second job does not write into it" "$(status tau-record -o line "$APP")" 125
like "and reports it" "$(cat err)" '^tau-record: .*/line: contains the run of another job; choose another -o or remove it$'
mkdir other && touch other/file
is "a directory that is no run is refused" "$(status tau-record -o other "$APP")" 125
like "and named" "$(cat err)" '^tau-record: .*/other: the directory is not empty and not a run; choose another -o$'
is "and left alone" "$(ls -A other)" file
is "the parents of a directory are made" "$(status tau-record -o no/such/place "$APP"; test -e no/such/place/job && echo made)" "0
made"
is "a name that is a file" "$(touch plain; status tau-record -o plain "$APP")" 125
is "a directory below a file" "$(status tau-record -o plain/run "$APP")" 125
like "is named with the reason" "$(cat err)" '^tau-record: .*plain/run: cannot create the directory of the run: Not a directory$'
mkdir empty
is "an empty directory will do" "$(status tau-record -o empty "$APP")" 0
TRACEDIR=named status tau-record "$APP" >/dev/null
ok "TRACEDIR names the run" test -e named/job
mkdir default
(cd default && tau-record "$APP" >/dev/null 2>&1)
like "the default name tells program and job" "$(ls default)" '^tau-hooks-[0-9]+$'
(cd default && TRACEDIR=given tau-record -o option "$APP" >/dev/null 2>&1)
ok "-o wins over TRACEDIR" test -e default/option/job -a ! -e default/given


# ---- errors are reported before a run is begun ----
printf 'BEGIN_EXCLUDE_LIST\nleaf\n' >half.sel
is "a selection that cannot be read" "$(status tau-record -o again --select half.sel "$APP")" 125
ok "begins no run" test ! -e again
printf 'a\033[2Jline of which a terminal would make much, and much longer than any name of a region should be\n' >odd.sel
is "what is odd in it is not sent to the terminal" "$(status tau-record -o again --select odd.sel "$APP"; cat err)" "125
tau-record: odd.sel: line 1: 'a?[2Jline of which a terminal would make much, and much long' is outside of all lists"
is "a directory for live files that is not there" "$(status tau-record -o again --live-dir no/where "$APP"; cat err)" "125
tau-record: no/where: cannot keep live files here: No such file or directory"
printf '\177ELF' >broken && chmod +x broken
tau-record -o again ./broken >out 2>err
ok "a program that cannot be started leaves the place free" test ! -e again

# ---- what could block a reader is no file of options, and no program ----
mkfifo fifo && chmod +x fifo
for o in --select --types; do
	is "$o refuses a FIFO" "$(status timeout 20 tau-record -o pipe $o fifo "$APP"; cat err)" "125
tau-record: fifo: a FIFO, not a regular file"
done
is "a FIFO is no program" "$(status timeout 20 tau-record -o pipe ./fifo; cat err)" "126
tau-record: ./fifo: Permission denied"
is "nor one in PATH" "$(PATH=$T:$PATH status timeout 20 tau-record -o pipe fifo; cat err)" "127
tau-record: fifo: No such file or directory"
ok "none of them left a run" test ! -e pipe

# ---- options that mean nothing together ----
# wrong WHAT MESSAGE OPTION...
wrong() {
	what=$1 message=$2
	shift 2
	is "$what" "$(status tau-record -o pair "$@"; cat err; ls pair 2>/dev/null)" "125
tau-record: $message"
}
for pair in "estimate --budget" "estimate --fold" "estimate --flight" "estimate --max-size" "flight --max-size"; do
	one=${pair% *} other=${pair#* --}
	set -- --$one --$other=1
	[ "$one" = estimate ] || set -- --$one=1s --$other=1
	wrong "--$one with --$other" "--$one and --$other exclude each other" "$@" "$APP"
done
wrong "--list with --doctor" "--doctor and --list exclude each other" --list --doctor
wrong "--control with --list" "--control and --list exclude each other" --list --control line on
wrong "an option of a recording with --list" "--list: --output has no effect here: it is for recording a program" --list "$APP"
wrong "an option of a recording with --doctor" "--doctor: --output has no effect here: it is for recording a program" --doctor
is "an option of a recording with --control" "$(status tau-record --control line --sample on; cat err)" "125
tau-record: --control: --sample has no effect here: it is for recording a program"
is "--doctor with a program" "$(status tau-record --doctor "$APP"; cat err)" "125
tau-record: --doctor tests this machine and runs no program: leave it out"
for pair in "events census" "types sites" "types stacks" "types leaks"; do
	wrong "--memory: $pair" "--memory: ${pair% *} and ${pair#* } exclude each other" \
		--memory=${pair#* },heap,${pair% *} "$APP"
done
wrong "a word of --memory nearly" "--memory: 'stack' is not events, census, types, sites, stacks, leaks, heap, headroom or maps; did you mean 'stacks'?" \
	--memory=heap,stack "$APP"
wrong "stacks without a number" "--memory: stacks: is not a number of calls from 1 to 127" --memory=stacks: "$APP"
wrong "a signal nearly" "--toggle-signal: 'USR' is not USR1, USR2, HUP, URG, WINCH, ALRM or TERM; did you mean 'USR1'?" \
	--toggle-signal USR "$APP"
is "--wrap is for --list, too" "$(status tau-record --wrap io --list "$APP"; grep -c '^io *used' out)" "0
1"

# ---- programs that cannot be run or recorded ----
is "a program that is not there" "$(status tau-record -o n1 ./no-such-program)" 127
like "is named" "$(cat err)" '^tau-record: ./no-such-program: No such file or directory$'
is "one not in PATH either" "$(status tau-record -o n1 no-such-program-anywhere)" 127
touch notexec
is "a file without permission to execute" "$(status tau-record -o n1 ./notexec)" 126
is "a directory" "$(status tau-record -o n1 ./line)" 126
ok "none of them left a run" test ! -e n1
is "standard output takes no run" "$(status tau-record -o - "$APP") $(ls ./- 2>/dev/null)" "125 "
is "no program at all" "$(status tau-record)" 125
is "an unknown option" "$(status tau-record --frob ls)" 125
is "in front of mpirun" "$(status tau-record mpirun -np 2 ./app)" 125
like "it says where it belongs" "$(cat err)" 'put tau-record between the launcher and the program: mpirun \[its options\] tau-record ./app$'
printf '#include <stdio.h>\nint main(void) { puts("static"); return 5; }\n' >static.c
if ${CC:-cc} -static static.c -o static 2>/dev/null; then
	is "a static program runs unrecorded" "$(status tau-record -o st ./static)" 5
	like "with a sentence" "$(cat err)" 'static: is statically linked, so it cannot be recorded; it runs unrecorded$'
	is "its output is its own" "$(cat out)" static
	is "with --strict it does not run" "$(status tau-record -s -o st ./static)" 125
	is "not at all" "$(cat out)" ""
	ok "and leaves no run" test ! -e st
else
	skip "a static program runs unrecorded" "no static libc"
fi
# Of a program of an IBM Z, where no emulator is installed for those.
cp "$APP" ibm-z && printf '\000\026' | dd of=ibm-z bs=1 seek=18 conv=notrunc 2>/dev/null
is "a program of another processor is no script" "$(status tau-record -o st ./ibm-z)" 126
is "it is refused in two sentences" "$(cat err)" \
	"tau-record: ./ibm-z: is built for another processor, so it cannot be recorded; it runs unrecorded
tau-record: ./ibm-z: Exec format error"
if [ "$(id -u)" = 0 ]; then
	cp "$APP" setuid && chmod 4755 setuid
	like "a setuid program gets its sentence" "$(tau-record -o su ./setuid 2>&1 >/dev/null)" 'is a set-user-ID or set-group-ID program'
	chmod 755 setuid
else
	skip "a setuid program gets its sentence" "not root"
fi
printf '#!/bin/sh\necho script $1\n' >script && chmod +x script
is "a script is run by its interpreter" "$(tau-record -o sc ./script arg 2>/dev/null)" "script arg"
printf '#!/no/such/interpreter\n' >badscript && chmod +x badscript
like "a script without interpreter" "$(status tau-record -o sc2 ./badscript; cat err)" 'interpreter was not found'
is "and its status is that of a program that is not there" "$(status tau-record -o sc2 ./badscript)" 127
printf 'echo plain $1\nexit 6\n' >textscript && chmod +x textscript
is "a text without an interpreter's name is the shell's" "$(status tau-record -o sc3 ./textscript arg; cat out)" "6
plain arg"
ls sc3 | grep -q tau$
is "and is recorded" $? 0
printf '#!/usr/bin/env -S A=1 sh\necho $A\n' >envscript && printf '#!%s/envscript\necho inner\n' "$T" >outerscript
chmod +x envscript outerscript
is "options and variables of env" "$(status tau-record -s -o sc4 ./envscript; cat out)" "0
1"
is "a script whose interpreter is a script" "$(status tau-record -s -o sc5 ./outerscript; cat out)" "0
1"

# ---- wrappers ----
like "the list tells what is there" "$(tau-record --list)" '^null +ready +getppid'
like "and what a program would get" "$(tau-record --list "$APP")" '^memory +(not used|not installed)'
is "an unknown wrapper is an error" "$(status tau-record --wrap mpi,frob -o w1 "$APP")" 125
like "that names it" "$(cat err)" "unknown wrapper 'frob'"
tau-record -o null -w null sh -c 'echo $PPID' >/dev/null 2>&1
like "the example wrapper records" "$(tau-trace2profile --format csv null 2>/dev/null)" 'getppid\(\)'
# A wrapper that is built outside of the project, as tau-wrapper(7) describes, for a library of its own.
mkdir outside && cp "$B/tau-record" "$B/libtau.so" outside
is "a wrapper whose library is not installed is an error" "$(status outside/tau-record --wrap mpi -o w1 "$APP")" 125
is "that names the library, and suggests nothing" "$(cat err)" \
	"tau-record: --wrap: wrapper 'mpi' is not installed: there is no libtau-mpi.so beside tau-record or in ../lib/tau from there"
sed 's/getppid/getpgrp/g' "$TOP/record/wrap/null.c" >wrap.c
ok "a wrapper builds with one line" ${CC:-cc} -Wall -Werror -I"$TOP/record" -O2 -fPIC -shared -fvisibility=hidden wrap.c \
	-o outside/libtau-mine.so -Loutside -ltau
printf '#include <unistd.h>\nint main(void) { return getpgrp() == 0 || getpgrp() != getpgid(0); }\n' >pgrp.c
${CC:-cc} pgrp.c -o pgrp
is "it is found beside the recorder" "$(status outside/tau-record -o mine --wrap mine ./pgrp)" 0
like "and records" "$(tau-trace2profile --format csv mine 2>/dev/null)" 'getpgrp\(\),NULL_WRAPPER,2,'
like "-n shows and does nothing" "$(tau-record -n -o dry --wrap null "$APP" a b)" "^LD_PRELOAD=.*/load-libtau.so:.*/load-libtau-null.so"
ok "nothing indeed" test ! -e dry
like "LD_PRELOAD of the user comes after ours" "$(LD_PRELOAD=libc.so.6 tau-record -n -o dry "$APP")" 'libtau-sample.so:libc.so.6$'
# TAU's switches, with any word for off: what the program gets
switched() {
	rm -rf switched
	TAU_CALLSITE=$1 TAU_THROTTLE=$1 TAU_TRACK_LOAD=$1 tau-record -o switched /usr/bin/env 2>/dev/null |
		grep -oE 'TAU_RECORD_(THROTTLE_CALLS|SYSTEM_NS)=|tau-callsite.so' | sort | tr '\n' ' '
}
is "TAU's switches are on with most words" "$(switched yes)" "TAU_RECORD_SYSTEM_NS= TAU_RECORD_THROTTLE_CALLS= tau-callsite.so "
for word in "" 0 no off false Off FALSE; do
	is "and off with '$word'" "$(switched "$word")" ""
done
is "TAU_VERBOSE=1 prints each step" "$(TAU_VERBOSE=1 tau-record -o loud "$APP" 2>&1 | grep -c 'LD_PRELOAD=')" 1
is "and TAU_VERBOSE=off none" "$(TAU_VERBOSE=off tau-record -o quiet "$APP" 2>&1 | grep -c 'LD_PRELOAD=')" 0
if [ -e "$B/apps/gups" ]; then
	like "an OpenSHMEM program gets its wrappers" "$(tau-record -l "$B/apps/gups")" '^shmem +used'
else
	skip "an OpenSHMEM program gets its wrappers" "no OpenSHMEM"
fi

# ---- clocks and codecs ----
for codec in isa-l zlib stored; do
	TAU_RECORD_CODEC=$codec tau-record -o "codec-$codec" "$APP" >/dev/null 2>&1
	ok "chunks written with $codec are sound" tau-dump --check "codec-$codec"
done
TAU_RECORD_MONOTONIC=1 tau-record -o mono "$APP" >/dev/null 2>&1
ok "with the system's clock as well" tau-dump --check mono
same() { tau-trace2profile --format csv "$1" 2>/dev/null | sed 's/"[^"]*"/q/g' | awk -F, '$5 == "timer" { n += $8 } END { print n }'; }
is "the calls are the same with all of them" "$(for r in codec-isa-l codec-zlib codec-stored mono; do same $r; done | sort -u | wc -l)" 1

# ---- jobs ----
if command -v mpirun >/dev/null; then
	mpirun -np 3 tau-record -w process -o job3 sh -c 'exit 0' >out 2>err </dev/null
	is "a job prints one line, and one that nothing was recorded" "$(grep -c "^tau-record:" err) $(grep -c "no events recorded" err)" "2 1"
	like "for all its processes" "$(cat err)" 'job3: 3 processes'
	if [ -x "$B/apps/mpihour" ]; then
		mpirun -np 2 tau-record -o scripted sh -c '"$0"; true' "$B/apps/mpihour" >/dev/null 2>&1 </dev/null
		is "MPI of a program that a script of the job starts is recorded" \
			"$(tau-trace2profile -f csv scripted | tr -d '\r' | grep -o 'MPI_Init[^,"]*,MPI' | sort -u)" "MPI_Init(),MPI"
		is "not if the list of wrappers excludes it" "$(mpirun -np 1 tau-record -n -w +io,-mpi,-shmem sh | grep -c 'tau-mpi\|tau-shmem')" 0
	fi
	is "a program alone that links no MPI does not get its wrapper" "$(tau-record -l /bin/sh | grep -c '^mpi *used')" 0
	is "all in one run" "$(ls job3/*.tau | wc -l)" 3
	(cd default && mpirun -np 2 tau-record sh -c 'exit 0' >/dev/null 2>&1 </dev/null)
	is "a job's default name is one for all" "$(ls -d default/tau-sh-* | wc -l)" 1
	mpirun -np 2 tau-record -o job3 sh -c 'exit 0' >out 2>err </dev/null
	# A launcher may end the second process when it sees that the first has failed.
	like "another job does not get into it" "$(grep -c 'contains the run of another job' err) $(ls job3/*.tau | wc -l)" '^[12] 3$'
else
	skip "a job prints one line" "no mpirun"
fi
tap_end
