# mpi-coverage.sh: every function that the installed mpi.h declares has a row in mpi.list, or a skip with a reason; prototypes agree; every
# entry point of the Fortran bindings leads to a row; and the wrapper brings no library of its own into the process.
. "$(dirname "$0")/../tap.sh"
command -v mpicc >/dev/null || skip_all "no MPI is installed"
list=$TOP/record/wrap/mpi.list

# Names of the functions that the header declares, those that MPI 3 removed included (it does so on request).
cat >"$T/all.c" <<'END'
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#define OMPI_REMOVED_USE_STATIC_ASSERT 0
#define __mpi_interface_removed__(a, b)
#include <mpi.h>
END
mpicc -std=gnu11 -E "$T/all.c" | awk '
	/^# [0-9]+ / { ours = $3 ~ /\/mpi[^\/]*\.h"$/; next }
	ours { text = text " " $0 }
	END {
		gsub(/__attribute__ *\(\([^;]*\)\)\)?/, " ", text)
		n = split(text, declaration, ";")
		for (i = 1; i <= n; i++)
			if (declaration[i] !~ /typedef|[{}]/ && match(declaration[i], /[ *](MPI|MPIX)_[A-Za-z_0-9]* *\(/)) {
				name = substr(declaration[i], RSTART + 1, RLENGTH - 2)
				gsub(/ /, "", name)
				print name
			}
	}' | sort -u >"$T/declared"

# gen LIST: as the makefile does for $build.
build=openmpi
gen() {
	case $build in openmpi) names=$B/gen/mpi ;; *) names=$B/gen/$build/mpi ;; esac
	awk -v build=$build -v declared="$names.declared" -v prototypes="${prototypes-$names.prototypes}" -f "$TOP/record/wrap/gen.awk" "$1"
}
rows() { gen "$1" | sed -n 's/^	WRAP_\(MPI.*\),$/\1/p' | sort; }
skips() { sed -n 's/^skip \([^ ]*\) ..*/\1/p' "$1" | sort; }
unsaid() { { rows "$1"; skips "$1"; } | sort -u | comm -23 "$T/declared" -; }

n=$(wc -l <"$T/declared")
ok "the header declares functions in the hundreds ($n)" test "$n" -gt 380
rows "$list" >"$T/rows"
is "every declared function has a row or a skip" "$(unsaid "$list")" ""
is "every row of MPI proper is declared" "$(grep -v '^MPIX_' "$T/rows" | comm -23 - "$T/declared")" ""
is "persistent collectives are rows, by the name that the header has" "$(grep '^MPIX*_.*_init$' "$T/rows" | grep -cvE '_(Psend|Precv|Session)_init$') $(grep -c 'Barrier_init$' "$T/rows")" "27 1"
is "no function has both a row and a skip" "$(skips "$list" | comm -12 - "$T/rows")" ""
sed '/^int MPI_Win_flush_all/d' "$list" >"$T/less.list"
# Without the header's prototypes newer functions have no row, either.
prototypes= unsaid "$list" >"$T/unsaid"
is "a row that goes missing is noticed" "$(prototypes= unsaid "$T/less.list" | comm -23 - "$T/unsaid")" "MPI_Win_flush_all"
is "with the prototypes of the header it is made" "$(unsaid "$T/less.list")" ""

# Prototypes: what gen.awk makes is compiled beside the header's own declarations.
compile() {
	mkdir -p "$T/gen"
	gen "$1" >"$T/gen/mpi.gen.c" && ${compiler:-mpicc} -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only \
		-DABI_HEADER="\"abi_$build.h\"" -I"$TOP/record" -I"$T/gen" "$2"
}
ok "every row has the prototype of the header" compile "$list" "$TOP/record/wrap/mpi.c"
# Those that MPI 3 removed are hidden from the wrapper's own file.
{
	cat "$T/all.c"
	grep -A 20 '^# Removed' "$list" | awk '/^$/ { exit } !/^#/ { sub(/\\$/, ""); printf "%s%s", $0, /\)/ ? ";\n" : " " }'
} >"$T/removed.c"
ok "so have those that MPI 3 removed" mpicc -std=gnu11 -fsyntax-only "$T/removed.c"
is "there are some of these" "$(grep -c MPI_Type_struct "$T/removed.c")" 1
sed 's/^int MPI_Get_version(int \*version/int MPI_Get_version(long *version/' "$list" >"$T/other.list"
if compile "$T/other.list" "$TOP/record/wrap/mpi.c" >"$T/conflict" 2>&1; then
	fail "another prototype is refused"
else
	like "another prototype is refused" "$(cat "$T/conflict")" "conflicting types for .MPI_Get_version"
fi

# The Fortran binding: an entry point calls the PMPI_ function of its own name, which must have a row; or is a fortran row.
library=$(mpicc --showme:libdirs | tr ' ' '\n' | sed 's|$|/libmpi_mpifh.so|' | xargs ls 2>/dev/null | head -n 1)
if [ -n "$library" ]; then
	nm -D "$library" | sed -n 's/.* T ompi_\(.*\)_f$/\1/p' | sed 's/^x_/X_/' | sort >"$T/entries"
	nm -D "$library" | sed -n 's/.* U P\(MPI_.*\)$/\1/p' | sort | comm -12 - "$T/rows" | tr A-Z a-z |
		sed 's/^mpi_//' | sort >"$T/covered"
	sed -n 's/^fortran \(MPI_[A-Za-z_0-9]*\) .*/\1/p; s/^skip \([Mm][Pp][Ii]_[A-Za-z_0-9]*\) .*/\1/p' "$list" |
		tr A-Z a-z | sed 's/^mpi_//' >>"$T/covered"
	sort -u -o "$T/covered" "$T/covered"
	ok "the Fortran binding has entries in the hundreds ($(wc -l <"$T/entries"))" test "$(wc -l <"$T/entries")" -gt 350
	is "every Fortran entry leads to a row" "$(comm -23 "$T/entries" "$T/covered")" ""
	sed -n 's/^fortran \(MPI_[A-Za-z_0-9]*\) .*/\1/p' "$list" | sort | comm -12 - "$T/declared" | tr A-Z a-z | sed 's/.*/p&_/' | sort >"$T/wanted"
	nm -D "$library" | awk '$2 ~ /[TW]/ { print $3 }' | sort >"$T/offered"
	is "the real function of every fortran row that the header has is there" "$(comm -23 "$T/wanted" "$T/offered")" ""
else
	skip "every Fortran entry leads to a row" "no Fortran binding is installed"
fi

# The library, as the rows see it, and the wrapper.
library=$(mpicc --showme:libdirs | tr ' ' '\n' | sed 's|$|/libmpi.so|' | xargs ls 2>/dev/null | head -n 1)
nm -D --defined-only "$library" | awk '{ print $3 }' | sort >"$T/exported"
is "the library has the real function of every row" "$(sed 's/^/P/' "$T/rows" | comm -23 - "$T/exported")" ""
wrapped() {	# WRAPPER
	nm -D --defined-only "$B/libtau-$1.so" | awk '{ print $3 }' | sort >"$T/wrapped"
	is "$1: the wrapper has every row under both names" "$({ cat "$T/rows"; sed 's/^/P/' "$T/rows"; } | sort | comm -23 - "$T/wrapped")" ""
	is "$1: it needs nothing but libc and the recorder" \
		"$(readelf -d "$B/libtau-$1.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libtau\.so|ld-linux.*)$')" "libc.so.6"
	is "$1: it refers to nothing of MPI that would have to be there" "$(nm -D -u "$B/libtau-$1.so" | grep -iE 'mpi')" ""
}
wrapped mpi

# The same rows for the MPICH ABI.
if [ -e "$B/libtau-mpich.so" ] && command -v mpicc.mpich >/dev/null; then
	build=mpich compiler=mpicc.mpich
	rows "$list" >"$T/rows"
	ok "mpich: every row has the prototype of the header" compile "$list" "$TOP/record/wrap/mpi.c"
	if compile "$T/other.list" "$TOP/record/wrap/mpi.c" >"$T/conflict" 2>&1; then fail "mpich: another prototype is refused"; else
		pass "mpich: another prototype is refused"; fi
	nm -D --defined-only "$(ldconfig -p | sed -n 's/.*libmpich\.so\.12 .*=> //p' | head -n 1)" | awk '{ print $3 }' | sort >"$T/exported"
	is "mpich: the library has the real function of every row" "$(sed 's/^/P/' "$T/rows" | comm -23 - "$T/exported")" ""
	wrapped mpich
	# mpi.mod and mpif.h call MPI_Xxx, mpi_f08 calls PMPI_Xxx in the entry point of that name.
	fortran=$(ldconfig -p | sed -n 's/.*libmpichfort\.so\.12 .*=> //p' | head -n 1)
	if [ "$fortran" ]; then
		nm -D "$fortran" | awk '$2 ~ /[TW]/ { print $3 }' | sort >"$T/offered"
		gen "$list" | sed -n 's/.*"\(pmpir*_[a-z_0-9]*_\)".*/\1/p' | grep -vE '^pmpir_attr_(get|put)_' | sort >"$T/wanted"
		is "mpich: the real function of every fortran row is there" "$(wc -l <"$T/wanted") $(comm -23 "$T/wanted" "$T/offered")" "14 "
	fi
else
	skip "rows for the MPICH ABI" "it is not installed (apt-get install libmpich-dev)"
fi
tap_end
