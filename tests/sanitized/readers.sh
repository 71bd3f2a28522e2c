# readers.sh: the offline half, built with the sanitizers of addresses and of undefined behaviour, passes its own tests.
. "$(dirname "$0")/../sanitize.sh"

# The recorder and the programs are those of the plain build. Not with a sanitizer of addresses: what preloads the recorder into the
# tools themselves, what limits their address space, programs that load our library without the sanitizer, and what takes minutes.
S=$B/asan
mkdir -p "$S"
ln -sfn "$B/apps" "$S/apps"
# Programs at a fixed address start in 60 % of the time, and the tests start some thousands.
ok "the offline half builds with sanitizers" build "$S" "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-pie -no-pie" \
	$(cd "$TOP" && for c in cmd/tau-*.c; do echo "$S/$(basename "$c" .c)"; done) units
cp "$B"/libtau*.so "$S"
# Freed memory is held back for a while, but not 256 MB of it, which takes most of the time of a short program.
export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=4:malloc_context_size=3
run_tests "address and undefined behaviour" "$S" \
	$(cd "$TOP" && ls tests/fuzz/*.sh tests/fault/fold.sh tests/cli/*.sh 2>/dev/null | grep -vE "/(mpi|shmem|memory|record|doctor|overhead|db-library|report-formats)") \
	$(cd "$TOP" && for c in tests/unit/*.c; do echo "$S/tests/unit/$(basename "$c" .c)"; done)
tap_end
