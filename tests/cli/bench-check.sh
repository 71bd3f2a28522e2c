# bench-check.sh: make bench-check fails when an event executes over 3 % more instructions than the table has, and where it has no
# row it passes and reports why.
. "$(dirname "$0")/../tap.sh"
command -v valgrind >/dev/null || skip_all "valgrind is not here"
! ldd "$B/libtau.so" | grep -q 'lib[atu]*san' || skip_all "a sanitizer adds instructions"
unset OPT CFLAGS CPPFLAGS LDFLAGS SAN
export B TAU_BENCH_TABLE="$T/table"

# checked ROW...: what is printed, then the exit status
checked() { sh "$TOP/bench/check.sh" "$@" 2>&1; echo "status $?"; }

: >"$T/table"
is "make passes no options if there are none" "$(make -C "$TOP" -pn help 2>/dev/null | sed -n 's/^CFLAGS_USER := *//p' | sort -u)" ""
like "a compiler without rows" "$(checked tiny)" '^bench-check: not checked: table has no rows of (gcc|clang)-[0-9.]+-[a-z0-9_]+; .*--renew adds them$'
is "passes" "$(checked tiny | tail -n 1)" "status 0"
is "so do other options" "$(CFLAGS=-O0 checked tiny)" "bench-check: not checked: the table is of -O2 and no other options
status 0"
is "--renew adds the row" "$(checked --renew tiny | tail -n 1; sed 's/^[^ ]* \([a-z]*\) [1-9][0-9]*\.[0-9]*$/\1/' "$T/table")" "status 0
tiny"
cp "$T/table" "$T/kept"
awk '{ $3 *= 0.9; print }' "$T/kept" >"$T/table"
checked tiny >"$T/more"
is "11 % more than the table fails" "$(tail -n 1 "$T/more")" "status 1"
like "and is named" "$(cat "$T/more")" '^event of a tiny function .* \+1[0-9.]+ %  MORE$'
awk '{ $3 *= 1.01; print }' "$T/kept" >"$T/table"
is "1 % less passes" "$(checked tiny | tail -n 1)" "status 0"
tap_end
