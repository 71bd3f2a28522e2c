# gpu.sh: sourced by tests that need a run with queues of devices, on a machine without any.

# gpu_run NAME: a program of CUDA on a runtime and a CUPTI that replay work of known times; its trace in NAME
gpu_run() {
	mkdir -p "$T/gpu"
	${CC:-cc} -D_GNU_SOURCE -O1 -shared -fPIC -fvisibility=hidden -Wl,-soname,libcupti.so -DKERNEL_BYTES=216 -o "$T/gpu/libcupti.so" \
		"$TOP/fixtures/apps/cuda/cupti.c" &&
		${CC:-cc} -D_GNU_SOURCE -O1 -I"$TOP/record" -o "$T/gpu/cuda" "$TOP/fixtures/apps/cuda/main.c" -L"$T/gpu" -lcupti &&
		LD_LIBRARY_PATH="$T/gpu" tau-record --wrap cuda -o "$1" "$T/gpu/cuda" >"$T/gpu/out" 2>"$T/gpu/err"
}
