#!/bin/sh
# deps.sh: the one place that names the Debian packages the project uses, and what each is for. Installs what is
# missing with apt when it may (root, or sudo without a password); otherwise prints the line to type. Silent when nothing
# is missing. Fails only when something that the build itself needs is still missing.
#
#   deps.sh [NEED...]  install what is missing of these needs: build, test, bench, torture (default: the first three).
#                      torture has the programs of tests/torture/programs.list
#   deps.sh --list     print the table: need, package, reason. NAME|NAME: the first of these in apt's lists
#   deps.sh --missing  print what is missing, install nothing

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
	test  pkg-config|pkgconf  programs that link with the installed library
	test  python3           the Python module of the library
	test  postgresql        loads what tau-db exports for TAU's server schema
	test  mandoc            man pages without a mistake
	test  libxml2-utils       charts that are XML
	test  librsvg2-bin      charts as PNG
	test  util-linux        unshare and setpriv for the full disk and the unwritable directory
	test  valgrind          instruction counts per event
	test  gdb               sampled programs in a debugger
	test  strace            which files the programs open
	test  libpapi-dev       programs that count with PAPI themselves, and the library that --metrics loads
	test  libpython3.11-testsuite|libpython3.13-testsuite  Python's own tests under the recorder
	test  libjemalloc-dev  programs with an allocator of their own
	test  libgoogle-perftools-dev  the same
	test  libomp5-14|libomp5-19|libomp5  OpenMP programs of LLVM's runtime
	test  libtrilinos-kokkos-dev  programs of the real Kokkos
	test  musl-tools        programs of another C library
	test  mpich             programs of another MPI, and their launcher; Open MPI stays what mpicc and mpirun are
	test  libmpich-dev      the same
	test  slurmctld         jobs of a real Slurm, started by the test alone
	test  slurmd            the same
	test  slurm-client      srun, sbatch, scancel
	test  slurm-wlm-basic-plugins  what they load
	test  zsh               completion in this shell
	test  fish              the same
	test  hpcc              a parallel program that checks itself
	test  lammps            another
	bench uftrace           the peer that costs are compared with
	bench lttng-tools       another, its daemons
	bench liblttng-ust1|liblttng-ust1t64  and its hooks
	bench heaptrack         the peer that costs of recording memory are compared with
	bench cmake             a real program that allocates much
	bench python3-mpi4py    a program of another language, for forecasts
	bench dpkg-dev          unpacks sqlite's source package
	bench tcl               builds sqlite's one-file source
	END
}

torture() {	# what only make torture needs; nothing where this file is copied alone
	list=$(dirname "$0")/torture/programs.list
	[ ! -e "$list" ] || packages | awk '
		NR == FNR { seen[$2] = 1; next }
		FNR == 1 { print "torture stress-ng stressors" }
		/^== / { for (i = 5; i <= NF; i++) if (!seen[$i]++) print "torture", $i, "row", $2 }
	' - "$list"
}

# The one of NAME|NAME to install: the first in apt's lists. Nothing: one of them is installed.
lacking_of() {	# NAME|NAME, with the names of what is installed in $installed
	known=
	for name in $(echo "$1" | tr '|' ' '); do
		case " $installed " in *" $name "*) return 0 ;; esac
	done
	case $1 in *'|'*) ;; *) echo "$1"; return ;; esac
	for name in $(echo "$1" | tr '|' ' '); do
		[ -n "$known" ] || [ -z "$(apt-cache policy "$name" 2>/dev/null)" ] || known=$name
	done
	echo "${known:-${1%%|*}}"
}

lacks() {	# the packages of the given needs that are not installed, in one line
	rows=$({ packages; torture; } | awk -v needs=" $* " 'index(needs, " " $1 " ") { print $2 }')
	installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $(echo "$rows" | tr '|' ' ') 2>/dev/null |
		sed -n 's/ installed$//p' | tr '\n' ' ')
	for row in $rows; do lacking_of "$row"; done | tr '\n' ' '
}

wanted=
for word; do
	case $word in
	--list) packages; torture; exit 0 ;;
	--missing) lacks build test bench; exit 0 ;;
	build | test | bench | torture) wanted="$wanted $word" ;;
	*) echo "deps.sh: '$word' is no option and no need; see tests/deps.sh" >&2; exit 2 ;;
	esac
done
wanted=${wanted:-build test bench}

if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "deps.sh: this is not Debian; see 'sh tests/deps.sh --list' for what the project uses" >&2
	exit 0
fi
missing=$(lacks $wanted)
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
	log=$(mktemp) || exit 4
	install() { $may env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >"$log" 2>&1 </dev/null; }
	# One package that cannot be installed must not keep the others away.
	one_by_one() {
		for name in $(lacks $wanted); do
			install "$name" || { echo "deps.sh: $name cannot be installed" >&2; tail -n 3 "$log" >&2; }
		done
	}
	install $missing || { $may apt-get update >"$log" 2>&1 </dev/null; install $(lacks $wanted); } || one_by_one
	rm -f "$log"
	missing=$(lacks $wanted)
fi
[ -z "$missing" ] || echo "deps.sh: still missing; type: apt-get install $missing" >&2
missing=$(lacks build)
[ -z "$missing" ] || { echo "deps.sh: the build needs: $missing" >&2; exit 4; }
