# kills.sh: SIGKILL at any moment loses nothing before the last record: 100 of them (500 with TAU_TEST_LONG), over programs of one
# thread and of many, with each source of events, and over ranks of a parallel program (see tests/fault/kills.c). TAU_TEST_SEED repeats
# a round of chance, TAU_TEST_KILLS is the number of kills, TAU_TEST_KEEP names a folder for what was not as it should be.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

kills=${TAU_TEST_KILLS:-${TAU_TEST_LONG:+500}}
kills=${kills:-100}
mpi=$((kills / 100))
command -v mpirun >/dev/null && [ -x "$B/apps/killedrank" ] || mpi=0
[ -z "$TAU_TEST_KEEP" ] || mkdir -p "$TAU_TEST_KEEP"
timeout 3000 "$B/tests/fault/kills" "$B" "$kills" "${TAU_TEST_SEED:-$$}" $mpi
