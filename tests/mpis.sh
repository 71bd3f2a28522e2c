# mpis.sh: for tests that run with each MPI there is; sources expect.sh. MPI=mpich: with this one alone. Gives:
#
#   mpis NAME                     the MPIs (openmpi, mpich) for which apps/NAME, the wrapper and a launcher are there
#   mpi_with MPI                  what follows is run with it. $apps: the folder of its programs. $as: a prefix for names of files
#                                 and tests, "" for Open MPI
#   ranks N COMMAND...            runs it on N ranks
#   ranks_apart FILE N COMMAND... the same with each rank's output in FILE, one rank after the other, so that lines do not mix
. "$(dirname "$0")/../expect.sh"

mpis() {
	for mpi in ${MPI:-openmpi mpich}; do
		mpi_with "$mpi"
		[ -e "$B/libtau-$wrapper.so" ] && [ -e "$apps/$1" ] && command -v "$launcher" >/dev/null && echo "$mpi"
	done
}

mpi_with() {
	case $1 in
	openmpi) launcher=mpirun wrapper=mpi apps=$B/apps as= ;;
	mpich) launcher=mpiexec.mpich wrapper=mpich apps=$B/apps/mpich as=mpich- ;;
	*) echo "Bail out! MPI=$1: openmpi or mpich"; exit 1 ;;
	esac
}

ranks() { timeout -k 5 300 "$launcher" -np "$@"; }

ranks_apart() {
	apart=$1 on=$2; shift 2
	rm -rf "$T/ranks" "$T"/rank.*
	if [ "$launcher" = mpirun ]; then
		ranks "$on" --output-filename "$T/ranks" "$@"
		status=$?
		find "$T/ranks" -name stdout 2>/dev/null | sort | xargs cat >"$apart"
	else
		ranks "$on" -outfile-pattern "$T/rank.%r" "$@"
		status=$?
		cat $(ls "$T"/rank.* 2>/dev/null | sort -t . -k 2,2 -V) /dev/null >"$apart"
	fi
	return $status
}
