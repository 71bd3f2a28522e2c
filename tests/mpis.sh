# mpis.sh: for tests that run with each MPI there is; sources expect.sh. MPI=mpich: with this one alone. Gives:
#
#   mpis [NAME]                   the MPIs (openmpi, mpich) that have a compiler, a launcher, a wrapper and apps/NAME here;
#                                 none: the test is skipped
#   mpi_with MPI                  what follows is run with it, in a folder of its own, $T. $apps: its programs; $mpicc, $mpifort: its
#                                 compilers
#   mpi_end                       what follows is for no MPI in particular, in the folder above
#   ranks N COMMAND...            runs it on N ranks
#   ranks_apart FILE N COMMAND... the same with each rank's output in FILE, one rank after the other, so that lines do not mix
. "$(dirname "$0")/../expect.sh"
every=$T
trap 'rm -rf "$every"' EXIT

mpis() {
	for mpi in ${MPI:-openmpi mpich}; do
		mpi_of "$mpi"
		[ -e "$B/libtau-$wrapper.so" ] && [ -e "$apps/$1" ] && command -v "$mpicc" >/dev/null && command -v "$launcher" >/dev/null &&
			echo "$mpi"
	done
}

mpi_of() {
	case $1 in
	openmpi) launcher=mpirun mpicc=mpicc mpifort=mpifort wrapper=mpi apps=$B/apps ;;
	mpich) launcher=mpiexec.mpich mpicc=mpicc.mpich mpifort=mpifort.mpich wrapper=mpich apps=$B/apps/mpich ;;
	esac
}

mpi_with() {
	mpi_of "$1"
	tap_with="$1: "
	T=$every/$1
	mkdir -p "$T" && cd "$T" || exit 1
}

mpi_end() {
	tap_with= T=$every
	cd "$T" || exit 1
}

ranks() { timeout -k 5 300 "$launcher" -np "$@"; }

ranks_apart() {
	apart=$1 on=$2; shift 2
	rm -rf ranks.out
	ranks "$on" $(output_apart ranks.out) "$@"
	status=$?
	find ranks.out -name stdout | sort -V | xargs cat /dev/null >"$apart"
	return $status
}
