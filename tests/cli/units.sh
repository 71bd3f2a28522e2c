# units.sh: each option that takes a time or a size uses the one reader (tests/unit/quantity.c has all units), and refuses what is none with one sentence: the
# option, the text, an example.
. "$(dirname "$0")/../tap.sh"
export TAU_SAMPLING=0	# -n prints what options set, not what samples need
cd "$T" || exit 1

# A run of one thread and a database. Each option of the help is in one line.
printf 'int f(int x) { return x + 1; }\nint main(void) { int s = 0; for (int i = 0; i < 100; i++) s = f(s); return s == 0; }\n' >a.c
${CC:-cc} -finstrument-functions a.c -o a || skip_all "no compiler"
tau-record -o run ./a 2>/dev/null || skip_all "nothing was recorded"
tau-db import -d t.db run >/dev/null 2>&1
for p in record trace2profile convert dump db monitor report; do
	tau-$p --help | awk '/^ +(-[A-Za-z], )?--/ { if (line != "") print line; line = $0; next } { sub(/^ +/, ""); line = line " " $0 } END { print line }' >tau-$p.help
done

# PROGRAM|OPTION|KIND|UNIT OF A BARE NUMBER (- none)|LEAST|COMMAND, where VALUE is replaced. KIND time or size.
cat >rows <<'END'
tau-record|--fold|time|us|1ns|tau-record -n --fold=VALUE ./a
tau-record|--throttle|time|us|0ns|tau-record -n --throttle=1K:VALUE ./a
tau-record|--delay|time|s|0ns|tau-record -n --delay=VALUE ./a
tau-record|--duration|time|s|1ns|tau-record -n --duration=VALUE ./a
tau-record|--memory-every|time|s|1ms|tau-record -n --memory-every=VALUE ./a
tau-record|--system|time|s|1ms|tau-record -n --system=VALUE ./a
tau-record|--snapshot-every|time|s|1ms|tau-record -n --snapshot-every=VALUE ./a
tau-record|--mpi-t|time|s|0ns|tau-record -n --mpi-t=VALUE ./a
tau-record|--sample|time|us|50us|tau-record -n --sample=VALUE ./a
tau-record|--flight|time|-|1ns|tau-record -n --flight=VALUE ./a
tau-record|--wait|time|s|0ns|tau-record --control run --wait=VALUE off
tau-record|--max-size|size|B|1B|tau-record -n --max-size=VALUE ./a
tau-record|--flight|size|-|1B|tau-record -n --flight=VALUE ./a
tau-trace2profile|--every|time|-|1ns|tau-trace2profile -f csv --every=VALUE -w :1ns run
tau-trace2profile|--window|time|-|1ns|tau-trace2profile -f csv --window=:VALUE run
tau-convert|--every|time|s|10ms|tau-convert --follow --to otf2 --every=VALUE run x.otf2
tau-convert|--anomalies|time|s|1ns|tau-convert --follow --anomalies=VALUE run -
tau-convert|--window|time|-|1ns|tau-convert --follow --window=last=VALUE run x.json
tau-monitor|--interval|time|s|1ns|tau-monitor -n 1 --interval=VALUE run
tau-monitor|--timeout|time|s|1ns|tau-monitor --once --hosts localhost --rsh false --timeout=VALUE run
tau-report|--timeout|time|s|1ns|tau-report overview --db t.db --timeout=VALUE
tau-report|--at|time|-|0ns|tau-report memory --at=VALUE run
tau-report|--every|time|-|1ns|tau-report series --every=VALUE -w :1ns run
tau-report|--cells|time|-|1ns|tau-report timeline --cells=VALUE -w :1ns run
tau-report|--window|time|-|1ns|tau-report profile --window=:VALUE run
tau-report|--gate|size|B|0B|tau-report leaks --gate=VALUE run
tau-db|--timeout|time|s|1ns|tau-db list -d t.db --timeout=VALUE
tau-db|--every|time|-|1ns|tau-db import -d u.db --every=VALUE -w :1ns run
tau-dump|--window|time|-|1ns|tau-dump --window=:VALUE run
END
usage() { case $1 in tau-record) echo 125 ;; *) echo 2 ;; esac; }
with() { echo "$2" | sed "s|VALUE|$1|"; }
# Is the value refused as no time or size? What else a command finds does not matter here.
refused() { sh -c "$(with "$1" "$2")" >out 2>err </dev/null; [ $? = "$(usage "$3")" ]; }
# What tau-record sets for the recorder, as a recorded env prints it.
set_by() {
	rm -rf set
	sh -c "$(with "$1" "$2" | sed 's| -n | -w none -o set |; s|\./a|env|')" 2>/dev/null </dev/null |
		grep -E '^TAU_RECORD_(FOLD|THROTTLE_NS|DELAY|DURATION|MEMORY_NS|SYSTEM_NS|SNAPSHOT_EVERY|MPI_T_NS|SAMPLE|MAX_SIZE|FLIGHT_[A-Z]*)='
}

while IFS='|' read -r program option kind plain least command; do
	case $kind in
	time) units="ns ms s" wrong="5x 1.s" ;;
	size) units="B KB MiB" wrong="5x 1.K" ;;
	esac
	bad=
	for u in $units; do
		case $u in ns) n=20000000 ;; us) n=20000 ;; *) n=20 ;; esac
		for v in $n$u; do
			refused "$v" "$command" $program && bad="$bad $v"
		done
	done
	is "$program $option accepts units of a $kind" "$bad" ""
	bad=
	case $option in --window | --at) wrong= ;; esac	# they may be names of regions
	for v in $wrong; do
		refused "$v" "$command" $program || bad="$bad $v"
		[ "$(wc -l <err)" -eq 1 ] || bad="$bad $v:lines"
		grep -qF -e "$v" err || bad="$bad $v:text"
		grep -q -e "$option: .*[0-9]" err || bad="$bad $v:example"
	done
	is "$program $option refuses a text that is not a $kind, with an example" "$bad" ""
	case $plain in
	-) ;;
	*)
		[ $program != tau-record ] || [ $option = --wait ] ||
			is "$program $option: a bare number is in $plain" "$(set_by 20000 "$command")" "$(set_by "20000$plain" "$command" | grep .)"
		[ $option = --gate ] || [ $program = tau-db ] || like "$program $option: --help names the unit" "$(cat $program.help)" "$option[ =[].*default unit: $plain" ;;
	esac
	case $least in
	[1-9]*m* | [1-9]*u*) ok "$program $option: $least is the least" refused "$(echo $least | sed 's/^\([0-9]*\)ms/0.9ms/; s/^50us/49us/; s/^10ms/9.9ms/')" "$command" $program ;;
	esac
done <rows
is "fractions and exponents" "$(for v in 0.5ms 5e2us .5ms 0.0005s; do set_by $v 'tau-record -n --delay=VALUE ./a'; done | sort | uniq -c | tr -s ' ')" " 4 TAU_RECORD_DELAY=500000"
is "sizes" "$(for v in 4096 4KiB 4.096KB; do set_by $v 'tau-record -n --max-size=VALUE ./a'; done | sort | uniq -c | tr -s ' ')" " 3 TAU_RECORD_MAX_SIZE=4096"

# Each option whose argument is a time or a size is in a row above.
for p in "$TOP"/cmd/tau-*.c; do
	p=$(basename "$p" .c)
	[ -e $p.help ] || continue
	sed -n "s/^ *\(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\)[^A-Z]*\([A-Z|:]*\).*/$p|\2|\3/p" $p.help |
		grep -E '\|([A-Z|:]*:)?(TIME|SIZE|PERIOD)(\||$)' | grep -v 'problem' | sed 's/|[^|]*$//; s/|TIME$//; s/|SIZE$//'
done | cut -d '|' -f 1,2 | sort -u >help
is "each option is tried" "$(cut -d '|' -f 1,2 rows | sort -u | comm -13 - help)" ""
tap_end
