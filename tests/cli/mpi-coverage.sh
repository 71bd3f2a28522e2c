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

rows() { awk -f "$TOP/record/wrap/gen.awk" "$1" | sed -n 's/^	WRAP_\(MPI.*\),$/\1/p' | sort; }
skips() { sed -n 's/^skip \([^ ]*\) ..*/\1/p' "$1" | sort; }
unsaid() { { rows "$1"; skips "$1"; } | sort -u | comm -23 "$T/declared" -; }

n=$(wc -l <"$T/declared")
ok "the header declares functions in the hundreds ($n)" test "$n" -gt 380
rows "$list" >"$T/rows"
is "every declared function has a row or a skip" "$(unsaid "$list")" ""
is "every row of MPI proper is declared" "$(grep -v '^MPIX_' "$T/rows" | comm -23 - "$T/declared")" ""
is "no function has both a row and a skip" "$(skips "$list" | comm -12 - "$T/rows")" ""
sed '/^int MPI_Win_flush_all/d' "$list" >"$T/less.list"
is "a row that goes missing is noticed" "$(unsaid "$T/less.list")" "MPI_Win_flush_all"

# Prototypes: what gen.awk makes is compiled beside the header's own declarations.
compile() {
	mkdir -p "$T/gen"
	awk -f "$TOP/record/wrap/gen.awk" "$1" >"$T/gen/mpi.gen.c" &&
		mpicc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only -I"$TOP/record" -I"$T/gen" "$2"
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
	sed -n 's/^fortran \(MPI_[A-Za-z_0-9]*\) .*/\1/p' "$list" | tr A-Z a-z | sed 's/.*/p&_/' | sort >"$T/wanted"
	nm -D "$library" | awk '$2 ~ /[TW]/ { print $3 }' | sort >"$T/offered"
	is "the real function of every fortran row is there" "$(comm -23 "$T/wanted" "$T/offered")" ""
else
	skip "every Fortran entry leads to a row" "no Fortran binding is installed"
fi

# The library, as the rows see it, and the wrapper.
library=$(mpicc --showme:libdirs | tr ' ' '\n' | sed 's|$|/libmpi.so|' | xargs ls 2>/dev/null | head -n 1)
nm -D --defined-only "$library" | awk '{ print $3 }' | sort >"$T/exported"
is "the library has the real function of every row" "$(sed 's/^/P/' "$T/rows" | comm -23 - "$T/exported")" ""
wrapper=$B/libtau-mpi.so
nm -D --defined-only "$wrapper" | awk '{ print $3 }' | sort >"$T/wrapped"
is "the wrapper has every row under both names" "$({ cat "$T/rows"; sed 's/^/P/' "$T/rows"; } | sort | comm -23 - "$T/wrapped")" ""
is "it needs nothing but libc and the recorder" \
	"$(readelf -d "$wrapper" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libtau\.so|ld-linux.*)$')" "libc.so.6"
is "it refers to nothing of MPI that would have to be there" "$(nm -D -u "$wrapper" | grep -i mpi)" ""
tap_end
