#!/bin/sh
# matrix.sh [ROW...]: builds and tests what is committed on several Debians, with several compilers, flags and sets of libraries, and
# prints a table of tests passed. As root, with mmdebstrap; README's table of what was tried is its output.
#
#   FOLDER   for roots of Debian and builds, kept for the next time (default: /var/tmp/tau-matrix); each root takes 3 GB
#   TESTS    which tests (default: those of make check), such as TESTS='build/tests/unit/* tests/truth/mpi.sh'
#   WHO      user (default) or root: who builds and tests
cd "$(dirname "$0")/.." || exit 1
folder=${FOLDER:-/var/tmp/tau-matrix}
who=${WHO:-user}

# name, Debian, what make gets. A variable of an optional part that is empty is like a library that is not installed.
rows() {
	cat <<-'END'
	gcc-12        bookworm
	clang-14      bookworm  CC=clang
	hardened-12   bookworm  HARDENED
	lto-12        bookworm  CFLAGS=-flto LDFLAGS=-flto
	O0-12         bookworm  CFLAGS=-O0
	O3-12         bookworm  CFLAGS=-O3
	no-otf2       bookworm  OTF2=
	no-mpi        bookworm  MPICC= OSHCC= MPICHCC=
	no-openmpi    bookworm  MPICC= OSHCC=
	no-mpich      bookworm  MPICHCC=
	no-curses     bookworm  CURSES= HTTPD=
	gcc-14        trixie
	clang-19      trixie    CC=clang
	hardened-14   trixie    HARDENED
	END
}

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

one() {	# name, debian, words for make
	name=$1 root=$folder/$2; shift 2
	root_make "${root##*/}" || { echo "$name: no root: $folder/${root##*/}.log" >&2; return 1; }
	at=/srv/$name
	rm -rf "$root$at" && mkdir -p "$root$at" && git archive HEAD | tar x -C "$root$at" && chroot "$root" chown -R "$who" /srv
	mounts "$root" mount
	cat >"$root$at.sh" <<-END
		cd $at && export LC_ALL=C.UTF-8 CI=true
		set -- $*
		case " \$* " in *" HARDENED "*) eval "\$(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --export=sh)"; shift ;; esac
		make -s -j\$(nproc) "\$@" all units >$at.build 2>&1 || { echo "0 passed, build failed, 0 skipped"; exit; }
		AGAIN=1 sh tests/run.sh $TESTS >$at.log 2>&1
		tail -n 1 $at.log
	END
	begin=$(date +%s)
	line=$(chroot --userspec="$who" "$root" /usr/bin/env HOME=/srv PATH=/usr/bin:/bin sh "$at.sh" </dev/null)
	mounts "$root" umount
	printf '| %-12s | %-9s | %-32s | %4d min |\n' "$name" "${root##*/}" "$line" $((($(date +%s) - begin + 59) / 60))
}

[ "$(id -u)" -eq 0 ] && command -v mmdebstrap >/dev/null || { echo "matrix.sh: needs root and mmdebstrap" >&2; exit 1; }
printf '| row | Debian | tests | time |\n|---|---|---|---|\n'
rows | while read -r name debian words; do
	[ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
	# shellcheck disable=SC2086
	one "$name" "$debian" $words </dev/null
done
