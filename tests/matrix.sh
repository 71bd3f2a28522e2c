#!/bin/sh
# matrix.sh [ROW...]: builds and tests what is committed on several Debians and processors, with several compilers, flags and sets of
# libraries, and prints a table of tests passed. As root, with mmdebstrap.
# matrix.sh --table: prints the table of all rows that were run. --readme: puts it into README.md.
#
# Each test's result is kept when it ends. A row that was interrupted goes on with the tests that have no result; one of another commit
# starts again, with KEEP=1 only with the tests that failed. The table names the commits and how many of the tests have a result.
#
#   FOLDER   for roots of Debian, builds and results, kept for the next time (default: /var/tmp/tau-matrix); each root takes 4 GB
#   TESTS    which tests (default: those of make check), such as TESTS='tests/truth/mpi.sh'; core: the recorder's; units: all of C
#   WHO      user (default) or root: who builds and tests in a root
#   HERE=1   rows of this machine's own Debian are built and tested on it, in this tree as it is, not in a root
#   KEEP=1   results of other commits count, except failures
#   MINUTES  after this time a row begins no test; JOBS: how many at a time (default: one for each core)
cd "$(dirname "$0")/.." || exit 1
folder=${FOLDER:-/var/tmp/tau-matrix}
who=${WHO:-user}
commit=$(git rev-parse --short=8 HEAD) || exit 1

# name, Debian and perhaps a processor, what make gets. A variable of an optional part that is empty is like a library that is not
# installed; WITHOUT=PACKAGE,PACKAGE takes away the files of these packages, built and tested. Other processors are emulated: build and tests as tests/foreign.sh has them.
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
	no-pkg-config bookworm  WITHOUT=pkg-config,pkgconf,pkgconf-bin
	no-isal       bookworm  WITHOUT=libisal*
	no-papi       bookworm  WITHOUT=libpapi*
	smallest      bookworm  WITHOUT=libopen-trace-format2*,libncurses-dev,libmicrohttpd-dev,libisal*,libpapi*,libopenmpi-dev,openmpi-bin,libmpich-dev,mpich
	aarch64       bookworm/arm64
	riscv64       trixie/riscv64
	ppc64el       bookworm/ppc64el
	gcc-14        trixie
	clang-19-13   trixie    CC=clang
	hardened-14   trixie    HARDENED
	ROWS
}

# Hooks, threads, memory, samples, MPI, OpenSHMEM, OpenMP, fork, kills.
core="hooks threads memory memory-types process mpi shmem openmp forks io api exits pthread sample"
all_tests() { B=build sh tests/run.sh --list | sed 's|^build/||'; }
case $TESTS in
core) tests="$(printf 'tests/truth/%s.sh ' $core) tests/fault/jumps.sh tests/fault/kills.sh" ;;
units) tests=$(all_tests | grep '^tests/unit/') ;;
"") tests=$(all_tests) ;;
*) tests=$TESTS ;;
esac
# What these tests need beside the programs.
case " $TESTS $tests " in
" core "*) programs='$B/tests/fault/kills' ;;
*tests/unit/* | *tests/fault/* | *tests/fuzz/*) programs=units ;;
*) programs= ;;
esac

# The result of each test of a row, the last one: lines "passed failed skipped test commit".
results() {	# row
	for file in "$folder/results/$1"/*-*; do
		[ ! -s "$file" ] || sed "s|build[^/ ]*/tests/|tests/|; s|\$| ${file##*-}|" "$file"
	done | awk '{ last[$4] = $0 } END { for (test in last) print last[test] }'
}

# Of the chosen tests those that are still to run.
to_run() {	# row
	results "$1" | awk -v commit="$commit" -v keep="$KEEP" '$5 == commit || keep && !$2 { print $4 }' >"$folder/results/$1/done"
	printf '%s\n' $tests | grep -vxFf "$folder/results/$1/done"
}

# A root of a Debian with all packages.
root_make() {	# debian
	[ ! -e "$folder/$1/done" ] || return 0
	[ -e "$folder/$1/etc/debian_version" ] ||
		mmdebstrap --variant=apt "$1" "$folder/$1" http://deb.debian.org/debian >"$folder/$1.log" 2>&1 || return
	cp tests/deps.sh "$folder/$1/srv/deps.sh"
	chroot "$folder/$1" sh /srv/deps.sh build test >>"$folder/$1.log" 2>&1 </dev/null
	for name in clang dpkg-dev ccache; do
		chroot "$folder/$1" apt-get install -y --no-install-recommends "$name" >>"$folder/$1.log" 2>&1 </dev/null
	done
	chroot "$folder/$1" id user >/dev/null 2>&1 || chroot "$folder/$1" useradd user
	touch "$folder/$1/done"
}

mounts() {	# root
	mkdir -p "$1/srv/results"
	for m in proc sys dev; do mountpoint -q "$1/$m" || mount --rbind --make-rslave "/$m" "$1/$m"; done
	cp /etc/hosts "$1/etc/hosts"	# launchers look up the name of the host
	mountpoint -q "$1/srv/results" || mount --bind "$folder/results" "$1/srv/results"
}
unmounts() {	# root
	for m in srv/results dev sys proc; do umount -R "$1/$m" 2>/dev/null; done
}

# Starts a command where /usr has no file of these packages; nothing else on the machine sees that.
without() {	# root or nothing, words for make as one, command...
	packages=$(printf '%s\n' "$2" | tr ' ' '\n' | sed -n 's/^WITHOUT=//p' | tr , ' ')
	[ -n "$packages" ] || { shift 2; "$@"; return; }
	mkdir -p "$folder/over"
	# shellcheck disable=SC2016
	PACKAGES=$packages OVER=$folder/over unshare -m sh -ec '
		root=$1; shift 2
		mount -t tmpfs none "$OVER"
		mkdir "$OVER/upper" "$OVER/work"
		mount -t overlay overlay -o "lowerdir=$root/usr,upperdir=$OVER/upper,workdir=$OVER/work" "$root/usr"
		set -f
		chroot "${root:-/}" dpkg-query -W -f "\${Package}:\${Architecture} \${db:Status-Status}\n" $PACKAGES 2>/dev/null |
			sed -n "s/ installed$//p" | sed "s/:all$//" | xargs chroot "${root:-/}" dpkg-query -L | grep -E "^/(usr|lib|bin|sbin)/" |
			while read -r file; do [ -d "$root$file" ] || rm -f "$root$file"; done
		exec "$@"
	' - "$@"
}

# What builds and tests in the tree that it is started in: results go to a file, and the compiler's name to the file about.
script() {	# row, folder of its results, words for make
	row=$1 place=$2; shift 2
	cat <<-END
		export LC_ALL=C.UTF-8 CI=true B=build-$row MINUTES=$MINUTES JOBS=$JOBS AGAIN=1 SUMS=$place/$(date +%s)-$commit
		mkdir -p \$B; set -- $*
		case " \$* " in *" HARDENED "*) eval "\$(DEB_BUILD_MAINT_OPTIONS=hardening=+all DEB_CPPFLAGS_MAINT_APPEND='-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3' dpkg-buildflags --export=sh)"; shift ;; esac
		compiler=\$(for word; do case \$word in CC=*) echo "\${word#CC=}" ;; esac; done)
		printf '#ifdef __clang__\\nclang __clang_major__\\n#else\\ngcc __GNUC__\\n#endif\\n' | \${compiler:-cc} -E -P - | sed '/^$/d' >$place/about
		make -s -j\$(nproc) B=\$B WERROR=-Werror "\$@" all $programs >\$B/make.log 2>&1 ||
			{ echo "0 1 0 build" >\$SUMS; grep -m 1 -E 'error|Error' \$B/make.log; exit; }
		for test in \$(cat $place/to_run); do case \$test in tests/unit/*) echo \$B/\$test ;; *) echo \$test ;; esac; done >\$B/chosen
		sh tests/run.sh \$(cat \$B/chosen) >\$B/test.log 2>&1
		echo "1 0 0 build" >>\$SUMS
	END
}

in_root() (	# row, debian, words for make
	root=$folder/$2 row=$1
	root_make "$2" || { echo "no root: $folder/$2.log" >&2; return 1; }
	shift 2
	sh tests/committed.sh "$root/srv/tau" || return
	script "$row" "/srv/results/$row" "$@" >"$root/srv/row-$row.sh"
	trap 'unmounts "$root"' EXIT
	trap 'exit 130' INT TERM
	mounts "$root"
	chroot "$root" chown -R "$who" /srv/tau "/srv/results/$row"
	[ "$(stat -c %U "$root/srv")" = "$who" ] || chroot "$root" chown "$who" /srv
	without "$root" "$*" chroot --userspec="$who" "$root" /usr/bin/env HOME=/srv PATH=/usr/lib/ccache:/usr/bin:/bin sh -c "cd /srv/tau && sh ../row-$row.sh" </dev/null
)

one() {	# row, debian, words for make
	kept=$folder/results/$1
	mkdir -p "$kept"
	echo "$2 $(shift 2; echo "$*")" >"$kept/row"
	to_run "$1" >"$kept/to_run"
	[ -s "$kept/to_run" ] || return 0
	case $2 in
	*/*)
		SUMS=$kept/$(date +%s)-$commit FOLDER=$folder bash tests/foreign.sh "${2#*/}" "${2%/*}" "$(sed 's|^tests/unit/|build/&|' "$kept/to_run" | tr '\n' ' ')"
		echo "gcc $(gcc -dumpversion), cross" >"$kept/about"
		;;
	*)
		if [ -n "$HERE" ] && grep -q "^VERSION_CODENAME=$2\$" /etc/os-release; then
			row=$1; shift 2
			script "$row" "$kept" "$@" >"$kept/run.sh"
			without "" "$*" sh "$kept/run.sh" </dev/null
		else
			in_root "$@"
		fi
		;;
	esac
}

# Rows of the table, of the names given, that have a result.
table() {
	all=$(all_tests | wc -l)
	printf '| row | Debian | compiler | for make | files of tests | tests | commit |\n|---|---|---|---|---|---|---|\n'
	rows | while read -r row debian words; do
		[ $# -eq 0 ] || case " $* " in *" $row "*) ;; *) continue ;; esac
		[ -z "$(results "$row")" ] || results "$row" | awk -v row="$row" -v debian="$debian" -v words="$words" -v all="$all" \
			-v compiler="$(cat "$folder/results/$row/about")" '
			{ commits[$5] }
			$4 == "build" { built = !$2; next }
			{ p += $1; f += $2; s += $3; files++; if ($2) bad = bad (bad ? ", " : ": ") $4 }
			END {
				for (c in commits) said = said (said ? ", " : "") c
				sub("/", ", emulated ", debian)
				gsub(/HARDENED/, "flags of dpkg-buildflags, hardening=+all, -D_FORTIFY_SOURCE=3", words)
				if (words) words = "`" words "`"
				printf "| %s | %s | %s | %s | %s | %s | %s |\n", row, debian, compiler, words,
					files + 0 " of " all, files ? p " passed, " f + 0 " failed" bad ", " s + 0 " skipped" : built ? "built" : "build failed", said
			}'
	done
}

case $1 in
--table) table; exit ;;
--readme)
	table >"$folder/table" || exit
	awk -v table="$folder/table" '
		/^## / { inside = $0 == "## Tested on" }
		inside && /^\|/ { if (!done++) while ((getline line <table) > 0) print line; next }
		{ print }
	' README.md >"$folder/readme" && cat "$folder/readme" >README.md
	exit
	;;
-*) echo "matrix.sh: '$1' is no option; see tests/matrix.sh" >&2; exit 2 ;;
esac
[ "$(id -u)" -eq 0 ] && command -v mmdebstrap >/dev/null || { echo "matrix.sh: needs root and mmdebstrap" >&2; exit 1; }
mkdir -p "$folder/results"
rows | while read -r row debian words; do
	[ $# -eq 0 ] || case " $* " in *" $row "*) ;; *) continue ;; esac
	# shellcheck disable=SC2086
	one "$row" "$debian" $words </dev/null
done
table "$@"
