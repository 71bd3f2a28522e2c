# cuda_gpu.sh: CUDA on a real GPU, where there is one with nvcc and CUPTI: a program's own counts and times against its trace.
. "$(dirname "$0")/../expect.sh"
home=${CUDA_HOME:-/usr/local/cuda}
[ -e /dev/nvidia0 ] || skip_all "no GPU"
[ -x "$home/bin/nvcc" ] || skip_all "no nvcc in $home"

ok "the program is built" "$home/bin/nvcc" -O2 -arch=native -I"$TOP/record" -o "$T/gpu" "$TOP/fixtures/apps/cuda/gpu.cu" -lpthread
record gpu "$T/gpu"
is "it ends as it should" "$code" 0
expect gpu
ok "the trace is sound" tau-dump --check "$T/gpu.run"
is "nothing is lost" "$(tau-trace2profile --format json "$T/gpu.run" | grep -c 'CUDA records lost\|CUDA is not recorded')" 0
like "pages of unified memory move to the device and back" "$(sed -n 's/^,.*timer,\(CUDA migration [a-z ]*\),.*/\1/p' "$T/gpu.csv" |
	sort -u | tr '\n' ' ')" 'device to host.*host to device'

# Inclusive microseconds of regions that begin with a name, over all threads, and the program's own.
traced() { tau-report profile -f json "$T/gpu.run" | python3 -c '
import json, sys
print(sum(r["inclusive_us"] for r in json.load(sys.stdin)["rows"] if r["region"].startswith(sys.argv[1])))' "$1"; }
own() { sed -n "s/^TIME $1 //p" "$T/gpu.out"; }
within() { ok "$1: $2 us, by the program $3 us" awk "BEGIN { exit !($2 > $3 * $4 && $2 < $3 * $5) }"; }
within "kernels have the times of the device's timer" "$(traced 'stamped(')" "$(own stamped)" 0.99 1.03
within "copies have the times between events" "$(traced 'CUDA copy device to host')" "$(own copies)" 0.9 1.03

# A kernel begins before the program sees it, and ends after the program lets it: by at most 5 us, of most.
tau-dump "$T/gpu.run" | awk '
	$3 ~ /^\+/ && $5 == "ENTER" { name[++depth] = $6; if ($6 ~ /^gated/) begin[++kernels] = $2; if ($6 == "end") open[++opens] = $2 }
	$3 ~ /^\+/ && $5 == "LEAVE" && depth { n = name[depth--]; if (n ~ /^gated/) end[++ends] = $2; if (n == "begin") seen[++sights] = $2 }
	END { for (i = 1; i <= kernels; i++) {
		before += seen[i] < begin[i] - 1e-6 || end[i] < open[i] - 1e-6
		near += seen[i] - begin[i] < 5e-6 && end[i] - open[i] < 5e-6
	} print kernels + 0, sights + 0, before + 0, (near * 2 > kernels) + 0 }' >"$T/clocks"
is "the clocks of host and device agree" "$(cat "$T/clocks")" "20 20 0 1"
tap_end
