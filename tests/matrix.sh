#!/bin/sh
# matrix.sh [ROW...]: builds and tests what is committed on several Debians and processors, with several compilers, flags and sets of
# libraries, and prints a table of tests passed. As root, with mmdebstrap; README's table of what was tried is its output.
#
#   FOLDER   for roots of Debian and builds, kept for the next time (default: /var/tmp/tau-matrix); each root takes 3 GB
#   TESTS    which tests (default: those of make check), such as TESTS='tests/truth/mpi.sh'; core: the recorder's; units: all of C
#   WHO      user (default) or root: who builds and tests in a root
#   HERE=1   rows of this machine's own Debian are built and tested on it, in this tree as it is, not in a root
cd "$(dirname "$0")/.." || exit 1
folder=${FOLDER:-/var/tmp/tau-matrix}
who=${WHO:-user}

# name, Debian and perhaps a processor, what make gets. A variable of an optional part that is empty is like a library that is not
# installed. Other processors are emulated: build and tests as tests/foreign.sh has them.
rows() {
	cat <<-'ROWS'
	gcc-12        bookworm
	hardened-12   bookworm  HARDENED
	lto-12        bookworm  CFLAGS=-flto=auto LDFLAGS=-flto=auto
	O0-12         bookworm  CFLAGS=-O0
	O3-fortify-12 bookworm  CFLAGS=-O3 CPPFLAGS=-D_FORTIFY_SOURCE=3
	clang-14      bookworm  CC=clang-14
	clang-19      bookworm  CC=clang-19
	no-otf2       bookworm  OTF2=
	no-mpi        bookworm  MPICC= OSHCC= MPICHCC=
	no-openmpi    bookworm  MPICC= OSHCC=
	no-mpich      bookworm  MPICHCC=
	no-curses     bookworm  CURSES=
	no-httpd      bookworm  HTTPD=
	aarch64       bookworm/arm64
	riscv64       trixie/riscv64
	ppc64el       bookworm/ppc64el
	gcc-14        trixie
	clang-19-13   trixie    CC=clang
	hardened-14   trixie    HARDENED
	ROWS
}

# Hooks, threads, memory, samples, MPI, OpenSHMEM, OpenMP, fork, kills.
programs=units
core="hooks threads memory memory-types process mpi shmem openmp forks io api exits pthread sample"
case $TESTS in
core) programs='$B/tests/fault/kills' TESTS="$(printf 'tests/truth/%s.sh ' $core) tests/fault/jumps.sh tests/fault/kills.sh" ;;
units) TESTS=$(ls tests/unit/*.c | sed 's|^\(.*\)\.c$|$B/\1|' | tr '\n' ' ') ;;
esac

# A root of a Debian with all packages. Of NAME|NAME it gets the first that exists.
root_make() {	# debian
	[ ! -e "$folder/$1/done" ] || return 0
	mkdir -p "$folder"
	names=$(sh tests/deps.sh --list | awk '$1 == "build" || $1 == "test" { print $2 }')
	mmdebstrap --variant=apt "$1" "$folder/$1" http://deb.debian.org/debian >"$folder/$1.log" 2>&1 || return
	for name in $names clang dpkg-dev; do
		for one in $(echo "$name" | tr '|' ' '); do
			chroot "$folder/$1" apt-get install -y --no-install-recommends "$one" >>"$folder/$1.log" 2>&1 </dev/null && break
		done
	done
	chroot "$folder/$1" useradd user
	touch "$folder/$1/done"
}

mounts() {	# root, mount or umount
	for m in proc sys dev; do
		if [ "$2" = mount ]; then mount --rbind --make-rslave "/$m" "$1/$m"; else umount -R "$1/$m" 2>/dev/null; fi
	done
}

# What builds and tests in the folder that it is started in. Its only output is the last line.
script() {	# name, words for make
	name=$1; shift
	cat <<-END
		export LC_ALL=C.UTF-8 CI=true B=build-$name
		mkdir -p \$B; set -- $*
		case " \$* " in *" HARDENED "*) eval "\$(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --export=sh)"; shift ;; esac
		make -s -j\$(nproc) B=\$B WERROR=-Werror "\$@" all $programs >\$B/make.log 2>&1 || { echo "build failed"; exit; }
		AGAIN=1 sh tests/run.sh $TESTS >\$B/test.log 2>&1
		tail -n 1 \$B/test.log
	END
}

in_root() {	# name, debian, words for make
	root=$folder/$2 at=/srv/$1
	root_make "$2" || { echo "no root: $folder/$2.log"; return 1; }
	rm -rf "$root$at" && mkdir -p "$root$at" && git archive HEAD | tar x -C "$root$at"
	name=$1; shift 2
	script "$name" "$@" >"$root$at/row.sh" && chroot "$root" chown -R "$who" /srv
	mounts "$root" mount
	chroot --userspec="$who" "$root" /usr/bin/env HOME=/srv PATH=/usr/bin:/bin sh -c "cd $at && sh row.sh" </dev/null
	mounts "$root" umount
}

here() {	# name, debian, words for make
	name=$1; shift 2
	mkdir -p "$folder"
	script "$name" "$@" >"$folder/here-$name.sh"
	sh "$folder/here-$name.sh" </dev/null
}

one() {	# name, debian, words for make
	begin=$(date +%s)
	case $2 in
	*/*) line=$(FOLDER=$folder sh tests/foreign.sh "${2#*/}" "${2%/*}" "$TESTS") ;;
	*) if [ -n "$HERE" ] && grep -q "^VERSION_CODENAME=$2\$" /etc/os-release; then line=$(here "$@"); else line=$(in_root "$@"); fi ;;
	esac
	name=$1 debian=$2; shift 2
	printf '| %-13s | %-15s | %-44s | %5s | %-34s | %3d min |\n' "$name" "$debian" "$*" \
		"$(if [ -n "$TESTS" ]; then echo "$TESTS" | wc -w; else echo all; fi)" "$line" $((($(date +%s) - begin + 59) / 60))
}

[ "$(id -u)" -eq 0 ] && command -v mmdebstrap >/dev/null || { echo "matrix.sh: needs root and mmdebstrap" >&2; exit 1; }
printf '| row | Debian | for make | test files | tests | time |\n|---|---|---|---|---|---|\n'
rows | while read -r name debian words; do
	[ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
	# shellcheck disable=SC2086
	one "$name" "$debian" $words </dev/null
done
