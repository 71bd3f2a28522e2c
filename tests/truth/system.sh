# system.sh: counters of processes and of their host at an interval: what the program reads from the kernel, and files with
# known numbers in place of the host's.
. "$(dirname "$0")/../expect.sh"

# The largest value of a counter of a run.
most() {	# name, counter
	awk -F, -v name="$2" '$5 == "counter" && $6 == name { if ($13 > m) m = $13 } END { print m + 0 }' "$T/$1.csv"
}
profile() {
	tau-trace2profile --format csv "$T/$1.run" >"$T/$1.csv" 2>"$T/$1.why"
}
truth() {
	sed -n "s/^$1 //p" "$T/system.out"
}

# ROOT/now is the host; zone 0 begins again at 1000 J between the two readings.
host() {	# folder, energy of zone 0, of its zone 0, bytes received, bytes sent, sectors read, sectors written
	mkdir -p "$1/proc/net" "$1/sys/class/powercap/intel-rapl:0" "$1/sys/class/powercap/intel-rapl:0:0"
	printf 'package-0\n' >"$1/sys/class/powercap/intel-rapl:0/name"
	printf '1000000000\n' >"$1/sys/class/powercap/intel-rapl:0/max_energy_range_uj"
	printf '%s\n' "$2" >"$1/sys/class/powercap/intel-rapl:0/energy_uj"
	printf 'dram\n' >"$1/sys/class/powercap/intel-rapl:0:0/name"
	printf '%s\n' "$3" >"$1/sys/class/powercap/intel-rapl:0:0/energy_uj"
	printf 'Inter-|   Receive\n face |bytes\n    lo: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n  ib0:%s 7 0 0 0 0 0 0 %s 9 0 0 0 0 0 0\n' \
		"$4" "$5" >"$1/proc/net/dev"
	printf ' 259 0 nvme0n1 9 0 %s 1 9 0 %s 1 0 0 0\n 259 1 nvme0n1p1 9 0 5 1 9 0 5 1 0 0 0\n' "$6" "$7" >"$1/proc/diskstats"
	printf '0.50 0.40 0.30 1/100 42\n' >"$1/proc/loadavg"
	printf 'MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 400 kB\n' >"$1/proc/meminfo"
	printf 'cpu  100 0 0 %s 0 0 0 0 0 0\nctxt 50\n' "$2" >"$1/proc/stat"
}
mkdir "$T/host"
host "$T/host/now" 900000000 5000000 1000 2000 100 200
host "$T/host/new" 150000000 7500000 1000500 2250 110 240
cd "$T" || exit 1

TAU_RECORD_SYSTEM_ROOT=$T/host/now record system --system=5ms "$B/apps/system" "$T/host"
is "the program ends as it should" "$code $(cat "$T/system.err" | grep -v ' 0 lost')" "0 "
profile system
for pair in "faults:Process minor page faults" "switches:Process voluntary context switches" "bytes:Process bytes written" \
	"resident:Process resident memory (B)"; do
	ok "${pair#*:}: at least what the program counted" \
		test "$(most system "${pair#*:}")" -ge "$(truth "${pair%%:*}")"
done
ok "page faults: not many more" test "$(most system "Process minor page faults")" -lt "$(($(truth faults) + 4000))"
is "energy, over the end of its range" "$(most system "Host energy of package-0 (J)")" 250
is "energy of a zone inside" "$(most system "Host energy of package 0 dram (J)")" 2.5
is "network: bytes received" "$(most system "Host bytes received by ib0")" 999500
is "network: bytes sent" "$(most system "Host bytes sent by ib0")" 250
is "an interface without traffic has no counter" "$(grep -c ' by lo,' "$T/system.csv")" 0
is "disks: bytes read" "$(most system "Host bytes read from nvme0n1")" 5120
is "disks: bytes written" "$(most system "Host bytes written to nvme0n1")" 20480
is "a partition is in its disk" "$(grep -c nvme0n1p1 "$T/system.csv")" 0
is "load average" "$(most system "Host load average")" 0.5
is "memory used" "$(most system "Host memory used (B)")" 614400
ok "the trace is sound" tau-dump --check "$T/system.run"

# TAU's variables: what the program's environment has of the interval.
interval() {	# variables and options
	rm -rf "$T/interval.run"
	env "$@" -w none -o "$T/interval.run" env 2>/dev/null | sed -n 's/^TAU_RECORD_SYSTEM_NS=//p'
}
for v in TAU_TRACK_POWER TAU_TRACK_LOAD TAU_TRACK_MEMORY_FOOTPRINT; do
	is "$v=1 is --system at TAU_INTERRUPT_INTERVAL" "$(interval $v=1 TAU_INTERRUPT_INTERVAL=0.25 tau-record)" 250000000
	is "$v=0 is not" "$(interval $v=0 tau-record)" ""
done
is "the option comes first" "$(interval TAU_TRACK_LOAD=1 tau-record --system=5ms)" 5000000
is "the usual interval is that of TAU" "$(interval TAU_TRACK_LOAD=1 TAU_INTERRUPT_INTERVAL=x tau-record)" 10000000000

# Two processes of a host, at the same time; one reads the host's counters.
record two --system=5ms sh -c "'$B/apps/system' & '$B/apps/system'; wait"
profile two
is "one process reads those of the host" "$(grep -c ',counter,Host load average,' "$T/two.csv")" 1
ok "each reads its own" test "$(grep -c ',counter,Process resident memory' "$T/two.csv")" -ge 2

tau-record -o "$T/bad.run" --system=abc true 2>"$T/err"
is "a wrong interval is refused" "$? $(cat "$T/err")" "125 tau-record: --system: 'abc' is not a time of 1ms or more; use a number with ns, us, ms, s, m or h (without: s), such as 500ms"
like "--list shows the wrapper" "$(tau-record --list)" 'system +ready'
tap_end
