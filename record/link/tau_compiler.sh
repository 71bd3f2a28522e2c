#!/bin/sh
# tau_compiler.sh: compiles and links a program as TAU's script of this name does: with TAU.h, hooks at the functions, and TAU's calls for
# Fortran. The compiler is the first argument; as tau_cc.sh, tau_cxx.sh, tau_f90.sh and tau_f77.sh the script finds it.
# Requires: POSIX sh. The installed header is in ../include of the script's folder, the library in ../lib, also of the architecture.

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
for lib in "$top"/lib "$top"/lib64 "$top"/lib/*-linux-*; do [ -e "$lib/libtauf.a" ] && break; done
me=${0##*/} compiler='' makefile=${TAU_MAKEFILE:-}

hooks=1 verbose='' link=1 sources='' header='' more='' select='' show=''
# An option of TAU's script: of its about 100 options these matter here.
tau_option() {
	case $1 in
	-optNoCompInst | -optLinkOnly | -optDisable) hooks='' ;;
	-optVerbose) verbose=1 ;;
	-optTauSelectFile=*) select=${1#*=} ;;
	# TAU's options for its own wrappers; the recorder has such wrappers itself.
	-optLinking=@*/link_options.tau) ;;
	-optCompile=* | -optLinking=*) more="$more ${1#*=}" ;;
	esac
}
# The source calls TAU, but does not include its header: TAU's instrumentor would add it.
needs_header() {
	grep -qE '\b(TAU|Tau)_[A-Za-z0-9_]+ *\(' "$1" 2>/dev/null && ! grep -qE '# *include *[<"](TAU\.h|Profile/)' "$1"
}

for o in ${TAU_OPTIONS:-}; do
	tau_option "$o"
done
n=$#
while [ "$n" -gt 0 ]; do
	a=$1
	shift
	n=$((n - 1))
	case $a in
	-opt*)
		tau_option "$a"
		continue
		;;
	-tau_options=*)
		for o in ${a#*=}; do
			tau_option "$o"
		done
		continue
		;;
	-tau_makefile=*)
		case $a in */Makefile.tau* | *=Makefile.tau*) makefile=${a#*=} ;; esac
		continue
		;;
	-tau:*)
		show=${a#-tau:show}
		continue
		;;
	-c | -E | -S | -M | -MM) link='' ;;
	*.c | *.cc | *.cpp | *.cxx | *.C | *.c++)
		sources=1
		needs_header "$a" && header=1
		;;
	*.f | *.f90 | *.f95 | *.f03 | *.f08 | *.for | *.F | *.F90 | *.F95 | *.F03 | *.F08) sources=1 ;;
	esac
	set -- "$@" "$a"
done

# As of TAU's makefiles, words of the name choose: Makefile.tau-mpi-openmp.
defines='' kind=''
for word in $(echo "${makefile##*/}" | tr '-' ' '); do
	case $word in
	mpi) defines="$defines -DTAU_MPI" kind=mpi ;;
	shmem) defines="$defines -DTAU_SHMEM" kind=shmem ;;
	openmp | ompt | gomp) defines="$defines -DTAU_OPENMP" more="$more -fopenmp" ;;
	pthread) defines="$defines -DPTHREADS" more="$more -pthread" ;;
	esac
done
case $me:$kind in
tau_cc.sh:mpi) compiler=mpicc ;;
tau_cc.sh:shmem) compiler=oshcc ;;
tau_cc.sh:*) compiler=${TAU_CC:-cc} ;;
tau_cxx.sh:mpi) compiler=mpicxx ;;
tau_cxx.sh:shmem) compiler=oshc++ ;;
tau_cxx.sh:*) compiler=${TAU_CXX:-c++} ;;
tau_f*.sh:mpi) compiler=mpif90 ;;
tau_f*.sh:shmem) compiler=oshfort ;;
tau_f*.sh:*) compiler=${TAU_F90:-gfortran} ;;
*)
	if [ $# -eq 0 ]; then
		echo "$me: no compiler: name it as the first argument" >&2
		exit 1
	fi
	compiler=$1
	shift
	;;
esac
case $show in
compiler) echo "$compiler" && exit ;;
includes) echo "-I$top/include" && exit ;;
libs | sharedlibs) echo "-L$lib -ltauf" && exit ;;
esac
[ -n "$select" ] && echo "$me: $select selects nothing here; record with: tau-record --select $select" >&2

[ -n "$header" ] && set -- -include TAU.h "$@"
[ -n "$hooks" ] && [ -n "$sources" ] && set -- -g -finstrument-functions "$@"
[ -n "$link" ] && set -- "$@" "-L$lib" -ltauf -lm
[ -n "$verbose" ] && echo "$compiler -I$top/include -DPROFILING_ON$defines $* $more" >&2
# shellcheck disable=SC2086 # options in words, as of TAU
exec $compiler "-I$top/include" -DPROFILING_ON $defines "$@" $more
