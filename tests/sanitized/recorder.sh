# recorder.sh: the recorder, built with the sanitizer of undefined behaviour, passes its own tests. It traps, which needs no
# library in the measured process: a mistake ends the program with SIGILL.
. "$(dirname "$0")/../sanitize.sh"

U=$B/ubsan
mkdir -p "$U"
ln -sfn "$B/apps" "$U/apps"
ok "the recorder builds with the undefined-behaviour sanitizer" build "$U" \
	"-fsanitize=undefined -fsanitize-undefined-trap-on-error" tools
# Of the wrapper for MPICH, which is made of the same files, one test is enough.
export MPI=openmpi
# Tests of what reports and the monitor conclude use the recorder as others do.
run_tests "undefined behaviour in the recorder" "$U" \
	$(cd "$TOP" && ls tests/truth/*.sh | grep -vE '/(culprits|monitor-watch|problems|processors|queries|recorder-rows|sums)\.sh$')
! command -v mpicc.mpich >/dev/null || MPI=mpich run_tests "undefined behaviour with MPICH" "$U" tests/truth/mpi.sh
tap_end
