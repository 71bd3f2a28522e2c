# doctor.sh: tau-record --doctor tries each source and tells the truth about it.
. "$(dirname "$0")/../tap.sh"
export TMPDIR="$T"
cd "$T" || exit 1
tau-record --doctor >out 2>err </dev/null
is "everything that is installed works" $? 0
is "nothing else is said" "$(cat err)" ""
for source in regions hooks memory; do
	like "$source works" "$(cat out)" "^$source +works "
done
like "the clock is named" "$(cat out)" '^clock +(TSC|CLOCK_MONOTONIC)'
like "so is what an event costs" "$(cat out)" '^cost +[0-9.]+ ns an event$'
if [ -e "$B/libtau-mpi.so" ]; then like "mpi works" "$(cat out)" '^mpi +works '; else skip "mpi works" "no Open MPI"; fi
like "the kernel's own counters are tried" "$(cat out)" '^kernel +(works|absent) '
like "so are those of PAPI" "$(cat out)" '^papi +(works|absent) '
like "so are the processor's" "$(cat out)" '^hardware +(works|absent) '
like "a library that is absent is named, and what to install" "$(TAU_RECORD_PAPI=/nonexistent tau-record --doctor </dev/null)" \
	'^papi +absent .*no PAPI library.*apt-get install libpapi'
is "nothing is left behind" "$(ls -d "$T"/tau-doctor.* /tmp/tau-doctor.* 2>/dev/null)" ""

# A recorder that cannot record must be found out: one whose wrapper records nothing.
mkdir broken && cp "$B/tau-record" "$B/libtau.so" broken
echo 'int nothing;' | ${CC:-cc} -shared -fPIC -x c - -o broken/libtau-null.so
broken/tau-record --doctor >out 2>&1 </dev/null
is "a wrapper that records nothing is a failure" $? 1
like "which is named" "$(cat out)" '^null +FAILS .*the trace does not show getppid'
like "what is not there is absent" "$(cat out)" '^mpi +absent '
tap_end
