# libc.sh: record/libc.list has a row for each function of the C library that the recorder's objects call, and no other row; all else
# that they call they have themselves; what can wait for a lock of the C library is not called where allocations are recorded.
. "$(dirname "$0")/../tap.sh"

table=$TOP/record/libc.list
sed -n 's/^\([a-z]*\)  *\([a-z]*\)  *\([^:#]*\):.*/\1 \2 \3/p' "$table" >"$T/rows"
listed() { awk -v how="$1" '$1 == how { for (i = 3; i <= NF; i++) print $i }' "$T/rows" | sort; }
listed imported >"$T/listed"
listed found >"$T/listed_found"
# With -fstack-protector it ends a program whose stack is destroyed, as it does in the program's own functions.
guard=__stack_chk_fail
for o in "$B"/libtau.so "$B"/libtau-*.so; do
	readelf --dyn-syms -W "$o" | awk '$7 == "UND" && $8 ~ /@GLIBC/ { sub(/@.*/, "", $8); print $8 }'
done | grep -vx $guard | sort -u >"$T/imported"
{
	sed -n 's/^\tFORWARD(\([a-z_A-Z]*\),.*/\1/p' "$TOP"/record/own/libc.c
	grep -rhoE 'own_libc\("[a-z_]*"' "$TOP/record" --include='*.c' | sed 's/.*"\(.*\)"/\1/'
} | sort -u >"$T/found"

ok "objects and table can be read" test -s "$T/listed" -a -s "$T/imported" -a -s "$T/listed_found" -a -s "$T/found"
is "no function has two rows" "$(sort "$T/listed" "$T/listed_found" | uniq -d)" ""
is "each function of the C library that the objects import has a row" "$(comm -13 "$T/listed" "$T/imported")" ""
is "each row is imported" "$(comm -23 "$T/listed" "$T/imported")" ""
is "each function that is found in the C library has a row" "$(comm -13 "$T/listed_found" "$T/found")" ""
is "each of these rows is found" "$(comm -23 "$T/listed_found" "$T/found")" ""
is "each row says how and where it is called" "$(awk '$1 !~ /^(found|imported)$/ || $2 !~ /^(any|hook|start|asked|end)$/' "$T/rows")" ""
is "each row prints why" "$(grep -cE '^[a-z]+  *[a-z]+  *[^:]*: *$' "$table")" 0
# A wrapper that calls by its name what it wraps calls the program's function of that name, if there is one.
libc=$(ldd "$B/libtau.so" | sed -n 's/.*libc\.so\.6 => \([^ ]*\).*/\1/p')
nm -D --defined-only "$libc" | sed 's/.* //; s/@.*//' | sort -u >"$T/libc"
for o in "$B"/libtau.so "$B"/libtau-*.so; do
	readelf -rW "$o" | awk '/JUMP|GLOB_DAT/ { sub(/@.*/, "", $5); print $5 }' | grep -v "^__cyg_profile_func\|^$guard\$" | sort -u |
		comm -12 - "$T/libc" | comm -23 - "$T/listed" | sed "s|^|${o##*/} |"
done >"$T/by_name"
is "of their own functions only those are called by name that stand for the program's" "$(tr '\n' ' ' <"$T/by_name")" \
	"libtau-memory.so aligned_alloc libtau-memory.so free libtau-memory.so malloc libtau-memory.so realloc libtau-process.so _exit "
# These take locks, and their callers allocate while they hold them.
is "what allocates while it has a lock is not called" \
	"$(cat "$T/imported" "$T/found" | grep -xE 'pthread_getattr_np|strerror|perror|printf|fprintf|fopen|malloc|calloc|realloc|setenv|putenv|strdup|qsort|localtime|setlocale|dcgettext|syslog|getaddrinfo|pthread_getname_np|backtrace|atexit|dlsym|dlvsym|dlerror')" ""
tap_end
