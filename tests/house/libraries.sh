# libraries.sh: which shared libraries programs need: OTF2's is one of those of tau-convert and tau-trace2profile, tau-record has few, and
# README's table of packages has a row for each.
. "$(dirname "$0")/../tap.sh"
command -v readelf >/dev/null || skip_all "no readelf"

needed() { for f; do readelf -d "$f" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; done | sort -u; }
if echo '#include <otf2/otf2.h>' | cc -E - >/dev/null 2>&1; then
	for p in tau-convert tau-trace2profile; do
		is "$p needs the OTF2 library" "$(needed "$B/$p" | grep -c '^libopen-trace-format2\.so')" 1
	done
else
	skip "programs need the OTF2 library" "libopen-trace-format2-dev is not installed"
fi

# tau-record starts once per rank: what it does not read is not loaded.
is "tau-record needs neither OTF2, XML nor a database" "$(needed "$B/tau-record" | grep -E '^lib(open-trace|xml2|sqlite|icu|stdc)')" ""

# The row of README's table that each library belongs to; the recorder's own are tested in includes.sh.
row() {
	case $1 in
	libc.so.* | libm.so.* | ld-linux*) echo libc ;;
	libz.so.*) echo zlib ;;
	libopen-trace-format2.so.*) echo OTF2 ;;
	libdw.so.* | libelf.so.*) echo elfutils ;;
	libncursesw.so.* | libtinfo.so.*) echo ncurses ;;
	libmicrohttpd.so.*) echo libmicrohttpd ;;
	libxml2.so.*) echo libxml2 ;;
	libsqlite3.so.*) echo SQLite ;;
	libmpi.so.*) echo 'Open MPI' ;;
	libtau.so | libtaudb.so.*) ;;
	*) echo "$1, which no row names" ;;
	esac
}
sed -n '/^## Packages/,/^## /s/^| \([^|]*[^| ]\) *|.*/\1/p' "$TOP/README.md" | sed 's/ (.*//' >"$T/rows"
is "README's table of packages names each library that a program needs" \
	"$(for l in $(needed "$B"/tau-* "$B"/*.so); do row "$l"; done | sort -u | grep -vxFf "$T/rows")" ""
ok "which are several" test "$(needed "$B"/tau-* | wc -l)" -ge 5
tap_end
