# late-put.sh: time that PEs of OpenSHMEM wait in shmem_wait_until for a late put, and what the late PE did meanwhile.
. "$(dirname "$0")/../tap.sh"
command -v oshrun >/dev/null || skip_all "no OpenSHMEM is installed"
[ -e "$B/apps/shmwait" ] || skip_all "the OpenSHMEM programs are not built"
export UCX_TLS=self,sm SHMEM_SYMMETRIC_SIZE=16M OMPI_MCA_memory=^patcher
cd "$T" || exit 1

# The library may crash in shmem_finalize; the trace is whole all the same.
oshrun -np 3 $(output_apart out) tau-record -o run "$B/apps/shmwait" >/dev/null 2>err </dev/null
find out -name stdout | sort | xargs cat >said
is "three waits of two PEs, and what they wait for" "$(grep -c '^wait' said) $(grep -c '^set' said)" "6 6"
# Of each PE: time from the begin of its waits to the put that ends them.
awk '$1 == "wait" { begin[$2 " " $3] = $4 } $1 == "set" { set[$2 " " $3] = $4 } END {
	for (k in begin) { split(k, w, " "); d = set[k] - begin[k]; if (d > 0) { ms[w[2]] += d; n[w[2]]++ } }
	for (p = 1; p <= 2; p++) printf "%d %d %.6f\n", p, n[p], ms[p] }' said >truth
tau-report waits --by rank -f csv run 2>/dev/null | tr -d '\r' >csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$c["pattern"] == "late put" { print $c["rank"], $c["waits"], $c["time_ms"] }' csv | sort >got
head -n 3 csv | sed 's/^/# /'
# A PE may lose its processor between its output and the call.
while read -r pe n ms; do
	ok "PE $pe waited $n times, $ms ms" awk -v pe="$pe" -v n="$n" -v ms="$ms" '
		$1 == pe { d = $3 - ms; good = $2 == n && (d < 0 ? -d : d) <= 0.05 * ms + 5 } END { exit !good }' got
done <truth
sed 's/^/# /' got
tau-report waits --by cause -f csv run 2>/dev/null | tr -d '\r' >causes
is "the cause is the time of PE 0 outside of the library" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$c["pattern"] == "late put" { print $c["largest_rank"], $c["path"]; exit }' causes)" "0 .TAU application"
head -n 3 causes | sed 's/^/# /'
tau-report critical-path -f csv --by step run 2>/dev/null | tr -d '\r' | head -n 3 | sed 's/^/# /'
tap_end
