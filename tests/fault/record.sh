# record.sh: the recorder when the system refuses: the program runs on unharmed, one sentence reports what happened, and what had been
# recorded is readable.
. "$(dirname "$0")/../tap.sh"
unset TRACEDIR
cd "$T" || exit 1
APP=$B/apps/burn

run() { "$@" >out 2>err </dev/null; code=$?; }
calls() { tau-trace2profile --format csv "$1" 2>/dev/null | sed 's/"[^"]*"/q/g' | awk -F, '$5 == "timer" { n += $8 } END { print n + 0 }'; }
unharmed() {
	is "$1: the program ends as ever" "$code $(cat out)" "0 done $2"
	is "$1: one sentence" "$(grep -c '^tau: ' err)" 1
}

# ---- a small file system that fills up ----
if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=720k tmpfs small 2>/dev/null; then
	run env TAU_RECORD_CODEC=stored tau-record -o small/run "$APP" 3000000
	unharmed "full disk" 3000000
	like "full disk: says what and where" "$(grep '^tau: ' err)" \
		'^tau: recording of process [0-9]+ stopped: cannot write .*/small/run/.*\.tau: No space left on device; the program goes on$'
	n=$(calls small/run)
	ok "full disk: what was recorded before is there ($n calls)" test "$n" -gt 50000 -a "$n" -lt 3000000
	tau-dump --check small/run >out 2>err
	ok "full disk: the files are sound" test $? -eq 0
	like "full disk: the trace knows why it ends" "$(tau-trace2profile --format csv small/run 2>&1 >/dev/null)" 'No space left on device'
	rm -rf small/run
	run env TAU_RECORD_CODEC=stored tau-record -o small/run sh -c '"$0" 3000000; cat /dev/zero >small/filler' "$APP"
	like "no room for a byte at the end: the last line comes, and says what was lost" "$(tail -n 1 err)" \
		'^tau-record: .*/small/run: .* events, .*, [1-9][0-9]+ lost, overhead'
	rm -rf small/run small/filler
	dd if=/dev/zero of=small/filler bs=1k count=692 2>/dev/null
	run tau-record -o small/run "$APP" 1000
	unharmed "no room to begin with" 1000
	umount small
else
	skip "full disk: the program ends as ever" "cannot mount a file system"
fi

# ---- a directory that goes away or may not be written ----
run sh -c 'tau-record -o gone sh -c "rm -rf gone; exec \"\$0\" 200000" "$0"' "$APP"
unharmed "the run is removed" 200000
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	mkdir closed && chmod 711 closed . && chmod -R a+rX "$T"
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$B/tau-record" -o closed/run "$APP" 1000
	if [ $code -eq 126 ] || [ $code -eq 127 ]; then
		skip "a directory that may not be written" "the build folder is closed to others"
	else
		is "a directory that may not be written: nothing is run" $code 125
		like "and it reports it" "$(cat err)" '^tau-record: .*closed/run: cannot create the directory of the run: Permission denied$'
	fi
else
	skip "a directory that may not be written" "not root"
fi

# ---- limits ----
run sh -c 'ulimit -f 200; TAU_RECORD_CODEC=stored tau-record -o fsize "$0" 3000000' "$APP"
unharmed "a limit of the file size" 3000000
ok "a limit of the file size: the trace reads" tau-trace2profile --format csv -o fsize.csv fsize
run sh -c 'ulimit -n 20; tau-record -o files "$0" 100000 files' "$APP"
is "no descriptor is left for the recorder: the program ends as ever" "$code $(cat out)" "0 done 100000"
run tau-record -o closefd "$APP" 300000 close
is "the program closes every descriptor: it ends as ever" $code 0
is "and is recorded all the same" "$(calls closefd)" 300003
run tau-record -o chdir "$APP" 300000 chdir
is "the program changes its directory" "$(calls chdir)" 300003
run sh -c 'ulimit -v 60000; tau-record -o small-memory "$0" 100000' "$APP"
is "little address space: the program ends as ever" "$code $(cat out)" "0 done 100000"

# ---- the recorder without its launcher ----
run env LD_PRELOAD="$B/libtau.so" "$APP" 1000
is "preloaded without a run nothing is recorded or said" "$code $(cat out err)" "0 done 1000"
run env LD_PRELOAD="$B/libtau.so" TAU_RECORD_DIR=relative "$APP" 1000
is "nor with a directory that is not absolute" "$code $(cat out err)" "0 done 1000"
run env LD_PRELOAD="$B/libtau.so" TAU_RECORD_DIR="$T/absent" "$APP" 1000
unharmed "a directory that does not exist" 1000

# ---- environment of the program ----
run tau-record -o environment env
is "nothing else of the environment changes" "$(grep -vE '^(TAU_RECORD_|LD_PRELOAD=|_=)' out | sort)" \
	"$(env | grep -vE '^(TAU_RECORD_|LD_PRELOAD=|_=)' | sort)"
tap_end
