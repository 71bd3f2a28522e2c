#!/bin/bash
# foreign.sh ARCH [DEBIAN [TESTS]]: builds what is committed for another processor (arm64, ppc64el, riscv64) and runs tests on an
# emulated one; the last line is that of tests/run.sh. Default: bookworm, the unit tests. As root, with mmdebstrap, arch-test,
# qemu-user-static and Debian's compiler for that processor (gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu).
#
# Programs of the other processor start as any do: the kernel starts qemu for them, in a user namespace of this script (Linux 6.7).
# qemu has no ptrace, perf_event_open, seccomp and process_vm_readv, and its vfork is a fork: what needs them is skipped in TESTS, which
# find TAU_TEST_EMULATED set.
#
#   FOLDER     for the root and the build, kept for the next time (default: /var/tmp/tau-matrix)
#   SUMS, MINUTES, JOBS   as tests/run.sh has them
#   foreign.sh ARCH DEBIAN --shell COMMAND   runs a command in the root, in the built tree
cd "$(dirname "$0")/.." || exit 1
arch=${1:?name a processor of Debian} debian=${2:-bookworm}
case $arch in
arm64) cpu=aarch64 triplet=aarch64-linux-gnu ;;
ppc64el) cpu=ppc64le triplet=powerpc64le-linux-gnu ;;
riscv64) cpu=riscv64 triplet=riscv64-linux-gnu ;;
*) echo "foreign.sh: no compiler is known for '$arch'" >&2; exit 2 ;;
esac
folder=${FOLDER:-/var/tmp/tau-matrix}
root=$folder/$debian-$arch tree=$folder/$debian-$arch/srv/tau
for need in mmdebstrap arch-test "qemu-$cpu-static" "$triplet-gcc" "$triplet-g++"; do
	command -v "$need" >/dev/null || { echo "foreign.sh: needs $need" >&2; exit 1; }
done

# Runs a command as root of a user namespace in which the kernel starts qemu for programs of the processor.
foreign() {
	go=$work/go.$((++calls))
	mkfifo "$go" || return
	unshare -U -m --propagation private bash -c '
		read -r line <"$1" && mount -t binfmt_misc none /proc/sys/fs/binfmt_misc || exit
		cat "/usr/lib/binfmt.d/qemu-$2.conf" >/proc/sys/fs/binfmt_misc/register || exit
		shift 2
		exec setpriv --reuid=0 --regid=0 --clear-groups "$@"' sh "$go" "$cpu" "$@" &
	child=$!
	while [ "$(readlink /proc/$child/ns/user)" = "$(readlink /proc/self/ns/user)" ]; do sleep 0.1; done
	echo "0 0 65536" >/proc/$child/uid_map
	echo "0 0 65536" >/proc/$child/gid_map
	echo >"$go"
	wait $child
}

inside() {	# command of a shell, in the root
	foreign bash -c '
		for m in dev proc sys; do mkdir -p "$1/$m" && mount --rbind --make-rslave "/$m" "$1/$m" || exit; done
		exec chroot "$1" /usr/bin/env HOME=/root PATH=/usr/bin:/bin:/usr/sbin LC_ALL=C.UTF-8 CI=true TAU_TEST_EMULATED=qemu SUMS=/srv/sums MINUTES="$3" JOBS="$4" sh -c "cd /srv/tau && $2"
	' sh "$root" "$1" "$MINUTES" "$JOBS"
}

# The C compiler of an MPI of the root, with the questions that the Makefile asks.
mpi_compiler() {	# name, question, flags, library
	cat >"$work/bin/$1" <<-WRAPPER
		#!/bin/sh
		case \$1 in
		$2) echo $3; exit ;;
		-show | --showme*) exit 1 ;;
		esac
		exec $triplet-gcc --sysroot=$root $3 "\$@" -L$lib $4
	WRAPPER
	chmod +x "$work/bin/$1"
}

work=$(mktemp -d) && mkdir "$work/bin" || exit 1
trap 'rm -rf "$work"' EXIT
if [ ! -e "$root/done" ]; then
	mkdir -p "$folder"
	packages=$(sh tests/deps.sh --list | awk '$1 == "build" { print $2 }' | tr '\n' ',')
	foreign mmdebstrap --mode=root --variant=apt --arch="$arch" --skip=output/dev --aptopt='Apt::Install-Recommends "false"' \
		--include="${packages}python3,sqlite3,procps,mpich,libmpich-dev" "$debian" "$root" http://deb.debian.org/debian \
		>"$folder/$debian-$arch.log" 2>&1 || { echo "no root: $folder/$debian-$arch.log"; exit 1; }
	touch "$root/done"
fi
# The cross linker follows an absolute link, as ppc64el's to its loader and libm, to this machine.
find "$root/lib64" "$root/usr/lib/$triplet" -maxdepth 1 -lname '/*' -printf '%p %l\n' 2>/dev/null |
	while read -r link to; do ln -sfnr "$root$to" "$link"; done
if [ "$3" = --shell ]; then inside "$4"; exit; fi

sh tests/committed.sh "$tree" || exit
lib=$root/usr/lib/$triplet
mpi_compiler mpicc --showme:compile "-I$lib/openmpi/include -I$lib/openmpi/include/openmpi" "-L$lib/openmpi/lib -lmpi"
mpi_compiler oshcc --showme:compile "-I$lib/openmpi/include -I$lib/openmpi/include/openmpi" "-L$lib/openmpi/lib -loshmem -lmpi"
mpi_compiler mpicc.mpich -show "-I$root/usr/include/$triplet/mpich" -lmpich
# There is no Fortran compiler.
for name in mpifort mpifort.mpich; do printf '#!/bin/sh\nexit 1\n' >"$work/bin/$name" && chmod +x "$work/bin/$name"; done
PATH=$work/bin:$PATH PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$lib/pkgconfig:$root/usr/share/pkgconfig \
	make -s -k -C "$tree" -j"$(nproc)" CC="$triplet-gcc --sysroot=$root" CXX="$triplet-g++ --sysroot=$root" GOLD= WERROR=-Werror \
	tools units apps >"$folder/$debian-$arch.build" 2>&1
[ -x "$tree/build/tau-reduce" ] || { echo "build failed: $folder/$debian-$arch.build"; [ -z "$SUMS" ] || echo "0 1 0 build" >"$SUMS"; exit 1; }
tests=$3
[ -n "$tests" ] || tests=$(ls tests/unit/*.c | sed 's|^\(.*\)\.c$|build/\1|' | tr '\n' ' ')
rm -f "$root/srv/sums"
[ -z "$SUMS" ] || trap 'cp "$root/srv/sums" "$SUMS"; rm -rf "$work"' EXIT
inside "B=build && sh tests/run.sh $tests" >"$folder/$debian-$arch.test" 2>&1
tail -n 1 "$folder/$debian-$arch.test"
