# shmem-coverage.sh: every function that the installed OpenSHMEM headers declare has a row in shmem.list, or a skip with a reason; what the
# rows name is there to be called; and the wrapper brings no library of its own into the process.
. "$(dirname "$0")/../tap.sh"
command -v oshcc >/dev/null || skip_all "no OpenSHMEM is installed"
list=$TOP/record/wrap/shmem.list

# Names of the functions that the headers declare: the word before the first parenthesis of a declaration.
printf '#include <shmem.h>\n#include <shmemx.h>\n' >"$T/all.c"
oshcc -std=gnu11 -E "$T/all.c" | awk '
	/^# [0-9]+ / { ours = $3 ~ /\/(p?shmemx?|shmem-compat)\.h"$/; next }
	ours { text = text " " $0 }
	END {
		gsub(/__attribute__ *\(\([^;]*\)\)\)/, " ", text)
		n = split(text, declaration, ";")
		for (i = 1; i <= n; i++) {
			d = declaration[i]
			if (d ~ /[{}]|typedef/ || !match(d, /[A-Za-z_][A-Za-z_0-9]* *\(/))
				continue
			name = substr(d, RSTART, RLENGTH - 1)
			sub(/ $/, "", name)
			print name
		}
	}' | sort -u >"$T/declared"

# rows LIST: the functions that a list gives; skips LIST: those that it excludes, with a reason.
# Some are only for headers that declare them.
rows() { awk -v declared="$T/declared" -f "$TOP/record/wrap/gen.awk" "$1" | sed -n 's/^	WRAP_\([a-z_].*\),$/\1/p' | sort; }
skips() {
	awk 'NR == FNR { known[$1] = 1; next } $1 == "only" { only = $2 }
		$1 == "skip" && $3 != "" && (only == "" || $2 in known) { print $2 }' "$T/declared" "$1" | sort
}
unsaid() { { rows "$1"; skips "$1"; } | sort -u | comm -23 "$T/declared" -; }

n=$(wc -l <"$T/declared")
ok "the headers declare functions in the hundreds ($n)" test "$n" -gt 500
rows "$list" >"$T/rows"
is "every declared function has a row or a skip" "$(unsaid "$list")" ""
is "every row is declared" "$(comm -23 "$T/rows" "$T/declared")" ""
is "no function has both a row and a skip" "$(skips "$list" | comm -12 - "$T/rows")" ""
is "every skip is declared" "$(skips "$list" | comm -23 - "$T/declared")" ""
sed '/^void shmem_fence(void)/d; s/^types x32_bits:.*/types x32_bits: int32=int32_t/' "$list" >"$T/less.list"
is "a row or a type that goes missing is noticed" "$(unsaid "$T/less.list" | tr '\n' ' ' | cut -c 1-60)" \
	"shmem_fence shmemx_int64_atomic_and shmemx_int64_atomic_fetc"

# The library, as the rows see it.
library=$(ldd "$B/apps/shmrma" 2>/dev/null | sed -n 's/.*liboshmem[^ ]* => \([^ ]*\) .*/\1/p')
if [ -n "$library" ]; then
	nm -D --defined-only "$library" | awk '$2 == "T" || $2 == "W" { sub(/@.*/, "", $3); print $3 }' | sort >"$T/exported"
	is "the library exports every row" "$(comm -23 "$T/rows" "$T/exported")" ""
	# shmem_pcontrol() has no row, because tools define it, although Open MPI 5 has it.
	is "the library exports no skip" "$(skips "$list" | grep -vx shmem_pcontrol | comm -12 - "$T/exported")" ""
	is "it has no Fortran entries that lack a row" "$(grep -E '^SHMEM_|^shmem_.*_$|_f$' "$T/exported")" ""
else
	skip "the library exports every row" "apps/shmrma is not built"
fi

wrapper=$B/libtau-shmem.so
nm -D --defined-only "$wrapper" | awk '{ print $3 }' | sort >"$T/wrapped"
is "the wrapper exports its rows, and the name behind the implicit finalize" \
	"$(comm -13 "$T/rows" "$T/wrapped")$(comm -23 "$T/rows" "$T/wrapped")" "pshmem_finalize"
is "it needs nothing but libc and the recorder" \
	"$(readelf -d "$wrapper" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libtau\.so|ld-linux.*)$')" "libc.so.6"
tap_end
