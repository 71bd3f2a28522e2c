# libc.sh: record/libc.list has a row for each function of the C library that the recorder's objects import, and no other row; what can
# wait for a lock of the C library is not called where allocations are recorded.
. "$(dirname "$0")/../tap.sh"

table=$TOP/record/libc.list
sed -n 's/^\([a-z]*\)  *\([^:#]*\):.*/\1 \2/p' "$table" >"$T/rows"
awk '{ for (i = 2; i <= NF; i++) print $i }' "$T/rows" | sort >"$T/listed"
for o in "$B"/libtau.so "$B"/libtau-*.so; do
	readelf --dyn-syms -W "$o" | awk '$7 == "UND" && $8 ~ /@GLIBC/ { sub(/@.*/, "", $8); print $8 }'
done | sort -u >"$T/imported"

ok "objects and table can be read" test -s "$T/listed" -a -s "$T/imported"
is "no function has two rows" "$(uniq -d "$T/listed")" ""
is "each function of the C library that the objects import has a row" "$(comm -13 "$T/listed" "$T/imported")" ""
is "each row is imported" "$(comm -23 "$T/listed" "$T/imported")" ""
is "each row says where it is called" "$(awk '$1 !~ /^(any|hook|start|asked|end)$/' "$T/rows")" ""
is "each row prints why" "$(grep -cE '^[a-z]+  [^:]*: *$' "$table")" 0
# These take locks, and their callers allocate while they hold them.
is "what allocates while it has a lock is not imported" \
	"$(grep -xE 'pthread_getattr_np|strerror|perror|printf|fprintf|fopen|malloc|calloc|realloc|setenv|putenv|strdup|qsort|localtime|setlocale|dcgettext|syslog|getaddrinfo|pthread_getname_np|backtrace|atexit' "$T/imported")" ""
tap_end
