#!/bin/sh
# deps.sh: the one place that names the Debian packages the project uses, and what each is for. Installs what is
# missing with apt when it may (root, or sudo without a password); otherwise prints the line to type. Silent when nothing
# is missing. Fails only when something that the build itself needs is still missing.
#
#   deps.sh            install what is missing
#   deps.sh --list     print the table: need, package, reason
#   deps.sh --missing  print what is missing, install nothing
#   deps.sh --torture  install what make torture runs, too: the programs of tests/torture/programs.list

packages() {
	cat <<-'END'
	build gcc               C compiler
	build g++               C++ test programs
	build libc6-dev         C library headers
	build make              the one makefile
	build binutils          ar, and readelf in the tests
	build zlib1g-dev        reading deflate, and writing it where ISA-L is not
	build libopen-trace-format2-dev  reading and writing OTF2 archives
	build libsqlite3-dev    the store
	build libdw-dev         names, files and lines from ELF and DWARF
	build libelf-dev        the same
	build libiberty-dev     readable C++ names
	build libxml2-dev       reading TAU's and Cube's XML
	build openmpi-bin       mpicc, oshcc, mpirun, oshrun
	build libopenmpi-dev    mpi.h and shmem.h
	build libisal-dev       writing deflate at a fraction of zlib's cost (the library itself is loaded where present)
	build libncurses-dev    the interactive view of tau-monitor
	build libmicrohttpd-dev tau-monitor --serve
	test  gfortran          Fortran test programs
	test  otf2-tools        otf2-print opens what we write
	test  sqlite3           a second reader of the store
	test  pkg-config        programs that link with the installed library
	test  python3           the Python module of the library
	test  postgresql        loads what tau-db exports for TAU's server schema
	test  mandoc            man pages without a mistake
	test  librsvg2-bin      charts as PNG
	test  util-linux        unshare and setpriv for the full disk and the unwritable directory
	test  valgrind          instruction counts per event
	test  gdb               sampled programs in a debugger
	test  libpapi-dev       programs that count with PAPI themselves, and the library that --metrics loads
	test  libpython3.11-testsuite  Python's own tests under the recorder
	test  libjemalloc-dev  programs with an allocator of their own
	test  libgoogle-perftools-dev  the same
	test  libomp5-14        OpenMP programs of LLVM's runtime
	test  libtrilinos-kokkos-dev  programs of the real Kokkos
	test  musl-tools        programs of another C library
	test  mpich             programs of another MPI, and their launcher; Open MPI stays what mpicc and mpirun are
	test  libmpich-dev      the same
	test  hpcc              a parallel program that checks itself
	test  lammps            another
	bench uftrace           the peer that costs are compared with
	bench lttng-tools       another, its daemons
	bench liblttng-ust1     and its hooks
	bench heaptrack         the peer that costs of recording memory are compared with
	bench cmake             a real program that allocates much
	bench python3-mpi4py    a program of another language, for forecasts
	bench dpkg-dev          unpacks sqlite's source package
	bench tcl               builds sqlite's one-file source
	END
}

torture() {	# what only make torture needs
	packages | awk '
		NR == FNR { seen[$2] = 1; next }
		FNR == 1 { print "torture stress-ng stressors" }
		/^== / { for (i = 5; i <= NF; i++) if (!seen[$i]++) print "torture", $i, "row", $2 }
	' - "$(dirname "$0")/torture/programs.list"
}

lacks() {	# the packages of the given need that are not installed
	{ packages; torture; } | while read -r need name reason; do
		case " $* " in *" $need "*) ;; *) continue ;; esac
		state=$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)
		[ "$state" = installed ] || printf '%s ' "$name"
	done
}

all="build test bench"
case $1 in
--list) packages; torture; exit 0 ;;
--missing) lacks $all; exit 0 ;;
--torture) all="$all torture" ;;
'') ;;
*) echo "deps.sh: unknown option $1" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "deps.sh: this is not Debian; see 'sh tests/deps.sh --list' for what the project uses" >&2
	exit 0
fi
missing=$(lacks $all)
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
	may=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
	may="sudo -n"
else
	may=no
fi
if [ "$may" != no ]; then
	echo "deps.sh: installing $missing" >&2
	install() { $may env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; }
	log=$(mktemp) || exit 4
	install >"$log" 2>&1 </dev/null || { $may apt-get update && install; } >"$log" 2>&1 </dev/null || tail -n 5 "$log" >&2
	rm -f "$log"
	missing=$(lacks $all)
fi
[ -z "$missing" ] || echo "deps.sh: still missing; type: apt-get install $missing" >&2
missing=$(lacks build)
[ -z "$missing" ] || { echo "deps.sh: the build needs: $missing" >&2; exit 4; }
