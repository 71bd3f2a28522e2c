# window-waits.sh: time that ranks wait for accesses to windows: late post, early wait with late complete, and lock contention.
. "$(dirname "$0")/../mpis.sh"
all=$(mpis mpiepochs)
[ "$all" ] || skip_all "no MPI is installed, or its programs are not built"
export OMPI_MCA_mpi_yield_when_idle=1

# Waits of each pattern and rank, ms, from what the ranks print: each wait ends when the call begins that it is for.
truth() {
	awk '{ t[$1, $2, $3] = $4; rounds = $2 > rounds ? $2 : rounds; n = $3 > n ? $3 : n; if ($1 == "unlock") { u[++us] = $4; owner[us] = $3 } }
	END {
		for (k = 0; k <= rounds; k++) {
			for (r = last = 0; r <= n; r++)
				last = t["post", k, r] > last ? t["post", k, r] : last
			if (("start", k, 0) in t && last > t["start", k, 0]) { ms["late post", 0] += last - t["start", k, 0]; w["late post", 0]++ }
			for (r = 1; r <= n; r++)
				if (("wait", k, r) in t && t["complete", k, 0] > t["wait", k, r]) {
					ms["early wait", r] += t["complete", k, 0] - t["wait", k, r]; w["early wait", r]++
					from = t["put", k, 0] > t["wait", k, r] ? t["put", k, 0] : t["wait", k, r]
					ms["late complete", r] += t["complete", k, 0] - from; w["late complete", r]++ }
			for (r = 0; r <= n; r++) {
				for (i = last = 0; i++ < us;)
					if (owner[i] != r && u[i] > t["lock", k, r] && u[i] < t["granted", k, r] && u[i] > last) last = u[i]
				if (k < rounds && last) { ms["lock contention", r] += last - t["lock", k, r]; w["lock contention", r]++ }
			}
		}
		for (i in ms) { split(i, f, SUBSEP); print f[1] "," f[2] "," w[i] "," ms[i] }
	}' said | sort
}
waits() {	# run
	tau-report waits --by rank -f csv "$1" 2>/dev/null | tr -d '\r' | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["pattern"] ~ /^(late post|early wait|late complete|lock contention)$/ { print $c["pattern"] "," $c["rank"] "," $c["waits"] "," $c["time_ms"] }' | sort
}
agree() {	# wanted, got: the same waits, each within 5 % and 50 us
	awk -F, -v n=0 'FNR == NR { want[$1, $2] = $3; ms[$1, $2] = $4; n++; next }
		{ d = $4 - ms[$1, $2]; bad += want[$1, $2] != $3 || (d < 0 ? -d : d) > 0.05 * ms[$1, $2] + 0.05; n-- } END { exit bad || n }' "$1" "$2"
}

for mpi in $all; do
mpi_with "$mpi"
# A rank may lose its processor between its look at the clock and the call: then the run is repeated.
for np in 2 3 4 8; do
	for try in 1 2 3 4 5; do
		rm -rf run
		ranks_apart said $np tau-record -o run "$apps/mpiepochs" >/dev/null 2>err </dev/null ||
			{ fail "$np ranks: it runs"; cat err; break; }
		truth >want
		waits run >got
		agree want got && break
	done
	ok "$np ranks: waits, by rank, as the program measured them" agree want got
	diff want got | sed 's/^/# /'
	is "$np ranks: there are waits of all kinds" "$(cut -d , -f 1 got | uniq | tr '\n' ',')" \
		"early wait,late complete,late post,$([ $np = 2 ] || echo 'lock contention,')"
done
like "the causes: the ranks that came late, outside of MPI" "$(tau-report waits --by cause -f csv run | tr -d '\r' | grep 'early wait')" \
	'^early wait,.*,\.TAU application'
tau-report efficiency -f csv run >csv 2>err
is "the efficiencies are there" "$? $(cat err)" "0 "
for to in tau otf2; do
	tau-convert --to $to run run.$to 2>err
	is "converted to $to: nothing to say" "$? $(cat err)" "0 "
	waits run.$to >converted
	ok "converted to $to: the same waits" cmp got converted
done
ok "a run that was converted verifies" tau-dump --check run.tau
done
mpi_end

# An archive of another tool with waits of closed form, and what another conversion makes of it.
for l in open-trace-format2 otf2; do
	${CC:-cc} -O1 -w -o windows "$TOP/fixtures/otf2/windows.c" -l$l 2>/dev/null && break
done
if [ -x windows ]; then
	./windows foreign
	want="early wait,1,1,23
late complete,1,1,23
late post,0,1,4
lock contention,1,1,25"
	is "an archive with the records of Score-P: its waits" "$(waits foreign)" "$want"
	for to in tau otf2; do
		tau-convert --to $to foreign foreign.$to 2>/dev/null
		is "... converted to $to" "$(waits foreign.$to)" "$want"
	done
else
	skip "an archive of another tool" "the OTF2 library is not installed"
fi
tap_end
