#!/bin/sh
# cuda.sh: what a launch of a CUDA kernel costs more under the recorder, and how much of it CUPTI costs by itself: with a tool that
# enables the same and does nothing. Needs a GPU and CUDA 12.3 or later in CUDA_HOME (/usr/local/cuda).
. "$(dirname "$0")/common"
build_tools

home=${CUDA_HOME:-/usr/local/cuda}
n=25000
[ -e /dev/nvidia0 ] && [ -x "$home/bin/nvcc" ] || { echo "there is no GPU or no nvcc: nothing is measured"; exit 0; }
"$home/bin/nvcc" -O2 -o "$W/cuda-launch" "$TOP/bench/cuda_launch.cu" || die "cannot build cuda_launch.cu"
$CC -O2 -shared -fPIC -I"$home/include" -I"$home/extras/CUPTI/include" -o "$W/cupti-tool.so" "$TOP/bench/cupti_tool.c" \
	-L"$home/lib64" -L"$home/extras/CUPTI/lib64" -lcupti || die "cannot build cupti_tool.c"
i=0
: >"$T/times"
while [ $i -lt "$ROUNDS" ]; do
	echo "bare $("$W/cuda-launch" $n)"
	echo "tool $(CUDA_INJECTION64_PATH=$W/cupti-tool.so LD_LIBRARY_PATH=$home/lib64:$home/extras/CUPTI/lib64:$LD_LIBRARY_PATH "$W/cuda-launch" $n)"
	rm -rf "$T/run"
	echo "tau $(tau-record -o "$T/run" -w cuda -- "$W/cuda-launch" $n 2>/dev/null)"
	i=$((i + 1))
done >>"$T/times"
kernels=$(tau-trace2profile --format csv "$T/run" 2>/dev/null | awk -F, '$6 == "empty()" { n += $8 } END { printf "%d", n }')
[ "$kernels" -ge $n ] || die "only $kernels kernels were recorded"
middle() { awk -v k="$1" '$1 == k { print $2 }' "$T/times" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
for k in bare tool tau; do printf '%-40s %10s ns\n' "a launch, $k" "$(middle $k)"; done
goal "a launch: added by recording" "$(calc %.0f "$(middle tau) - $(middle bare)")" most 1000 ns
printf '%-40s %10s ns\n' "part of CUPTI" "$(calc %.0f "$(middle tool) - $(middle bare)")"
