# abi.sh: what programs are compiled and linked with does not change without its version. packaging/abi/ has the symbols, declarations
# and sizes of each interface; what is there may not change or go before the version moves, and what is new is to be listed.
#
#   sh tests/house/abi.sh --renew          writes the lists anew; refuses where something changed or went and the version did not move
#   sh tests/house/abi.sh --renew --words  also then: only names of parameters or the like have changed
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1
lists=packaging/abi

# The interfaces: NAME, the library or "none", which of its names they are, and the headers. libtau is what programs call, wrappers what
# wrappers do. version_of NAME: where its version is.
interfaces() {
	cat <<-'END'
	libtau libtau.so (^|[^@A-Za-z_])Tau[_A-Z] record/tau.h record/TAU.h record/tau_calls.h record/tau_metadata.h record/tau_sums.h
	wrappers libtau.so (^|[^A-Za-z_])tau_ record/tau.h
	libtaudb libtaudb.so.1 . db/taudb/taudb.h
	libTAU_traceinput libTAU_traceinput.so.1 . convert/traceinput/TAU_tf.h convert/traceinput/TAU_tf_writer.h
	plugin none . cmd/shared/tau_plugin.h
	END
}
version_of() {
	case $1 in
	libtau) sed -n 's/^\(TAU_[0-9]*\) {$/\1/p' record/libtau.map ;;
	wrappers) sed -n 's/^\(TAU_WRAPPERS_[0-9]*\) {$/\1/p' record/libtau.map ;;
	plugin) sed -n 's/^#define TAU_PLUGIN_VERSION \([0-9]*\)$/\1/p' "${2:-cmd/shared/tau_plugin.h}" ;;
	*) readelf -dW "$B/$1.so.1" | sed -n 's/.*soname: \[.*\.so\.\([0-9]*\)\]$/\1/p' ;;
	esac
}
# symbols LIBRARY: what it defines for others, with versions
symbols() {
	readelf --dyn-syms -W "$1" | awk '$5 ~ /GLOBAL|WEAK/ && $7 != "UND" && $7 != "ABS" { print "symbol", $4, $8 }'
}
# sizes HEADER: bytes of its structures and of their members, as the compiler lays them out
sizes() {
	awk -v header="${1##*/}" -f tests/house/declarations.awk "$T/header.i" |
		awk '
		match($0, /^(typedef )?struct [A-Za-z_0-9]* *\{/) {
			name = $0; sub(/^typedef /, "", name); sub(/^struct /, "", name); sub(/ *\{.*/, "", name)
			if (name == "") next
			body = $0; sub(/^[^{]*\{/, "", body); sub(/\}[^}]*$/, "", body)
			gsub(/\{[^{}]*\}/, "", body)
			printf "\tprintf(\"size struct %s %%zu\\n\", sizeof(struct %s));\n", name, name
			n = split(body, member, ";")
			for (i = 1; i <= n; i++) {
				m = member[i]
				if (m ~ /\(\*/) { sub(/.*\(\* */, "", m); sub(/\).*/, "", m) }
				k = split(m, one, ",")
				for (j = 1; j <= k; j++) {
					v = one[j]; sub(/\[.*/, "", v); gsub(/[ \t]+$/, "", v); sub(/.*[ *]/, "", v)
					if (v ~ /^[A-Za-z_]/) printf "\tprintf(\"offset %s.%s %%zu\\n\", offsetof(struct %s, %s));\n", name, v, name, v
				}
			}
		}' >"$T/prints"
	[ -s "$T/prints" ] || return 0
	{
		printf '#include <stddef.h>\n#include <stdio.h>\n#include "%s"\nint main(void)\n{\n' "$1"
		cat "$T/prints"
		printf '\treturn 0;\n}\n'
	} >"$T/sizes.c"
	${CC:-cc} -w -D_GNU_SOURCE -I. -Irecord -Iconvert/traceinput -o "$T/sizes" "$T/sizes.c" && "$T/sizes"
}
# listing NAME LIBRARY NAMES HEADER...: what its list is to have
listing() {
	name=$1 library=$2 names=$3
	shift 3
	echo "interface $name version $(version_of "$name" "$1")"
	{
		[ "$library" = none ] || symbols "$B/$library"
		for h in "$@"; do
			${CC:-cc} -E -D_GNU_SOURCE -DTAU_IMPLEMENTATION -I. -Irecord -Iconvert/traceinput "$h" >"$T/header.i" || return 1
			awk -v header="${h##*/}" -f tests/house/declarations.awk "$T/header.i" | sed 's/^/declared /'
			sizes "$h"
		done
	} | grep -E "$names" | LC_ALL=C sort -u
}
# gone LIST NOW: lines that went or changed
gone() {
	sed 1d "$1" | LC_ALL=C sort >"$T/listed"
	sed 1d "$2" | LC_ALL=C sort | LC_ALL=C comm -23 "$T/listed" -
}
# verdict LIST NOW: "as listed", or what is wrong
verdict() {
	if cmp -s "$1" "$2"; then
		echo "as listed"
	elif [ "$(head -n 1 "$1")" = "$(head -n 1 "$2")" ] && [ "$(gone "$1" "$2")" ]; then
		echo "changed or gone without a new version"
		gone "$1" "$2"
	else
		echo "new: sh tests/house/abi.sh --renew"
		diff "$1" "$2"
	fi
}
# renew LIST NOW [--words]
renew() {
	case $(verdict "$1" "$2") in
	changed*) [ "$3" = --words ] || { echo "abi.sh: $1: changed or gone without a new version" >&2; return 1; } ;;
	esac
	cp "$2" "$1"
}

[ "$(uname -m)" = x86_64 ] || skip_all "the lists are of x86_64"
! ldd "$B/libtau.so" | grep -q 'lib[atu]*san' || skip_all "a sanitizer adds symbols"
interfaces >"$T/interfaces"
if [ "$1" = --renew ]; then
	status=0
	while read -r name library names headers; do
		listing $name $library "$names" $headers >"$T/now" && [ -e $lists/$name.list ] || cp "$T/now" $lists/$name.list
		renew $lists/$name.list "$T/now" "$2" || status=1
	done <"$T/interfaces"
	exit $status
fi
while read -r name library names headers; do
	ok "$name is listed" listing $name $library "$names" $headers
	listing $name $library "$names" $headers >"$T/$name.now"
	is "$name is as packaging/abi/$name.list has it" "$(verdict $lists/$name.list "$T/$name.now")" "as listed"
	like "$name has a version" "$(head -n 1 "$T/$name.now")" "^interface $name version (TAU_(WRAPPERS_)?)?[0-9]+$"
done <"$T/interfaces"
is "there are no other lists" "$(ls $lists | sort | tr '\n' ' ')" "$(sed 's/ .*/.list/' "$T/interfaces" | sort | tr '\n' ' ')"
symbols "$B/libtau.so" >"$T/symbols"
is "what the recorder replaces of the system has no version" "$(grep -c '^symbol FUNC \(syscall\|longjmp\|__cyg_profile_func_enter\)$' "$T/symbols")" 3
is "what programs and wrappers call has" "$(grep ' [Tt]au_' "$T/symbols" | grep -vcE " (Tau_.*@@$(version_of libtau)|tau_.*@@$(version_of wrappers))$")" 0

# ---- the test fails when one changes without the other ----
# broken WHAT NAME SED WANT: the list's version of now, changed
broken() {
	sed "$3" "$T/$2.now" >"$T/broken"
	is "$1" "$(verdict $lists/$2.list "$T/broken" | head -n 1)" "$4"
}
broken "a function that is gone" libtau '/ Tau_start@@/d' "changed or gone without a new version"
broken "one with another parameter" libtaudb 's/^\(declared .*taudb_disconnect(\)/\1int n, /' "changed or gone without a new version"
broken "a structure that grew" plugin 's/^\(size struct tau_plugin_look\) .*/\1 4000/' "changed or gone without a new version"
broken "a member that moved" plugin 's/^\(offset tau_plugin_event.value\) .*/\1 4000/' "changed or gone without a new version"
broken "a function that is new" libtau '$a symbol FUNC Tau_new@@TAU_0' "new: sh tests/house/abi.sh --renew"
broken "a version that moved" plugin '1s/[0-9]*$/99/; s/^\(size struct tau_plugin_look\) .*/\1 4000/' "new: sh tests/house/abi.sh --renew"
cp $lists/plugin.list "$T/kept"
sed 's/^\(size struct tau_plugin_look\) .*/\1 4000/' "$T/plugin.now" >"$T/broken"
is "what changed is not renewed" "$(renew "$T/kept" "$T/broken" 2>&1 | sed 's/^[^:]*: [^:]*: //'; cmp "$T/kept" $lists/plugin.list)" \
	"changed or gone without a new version"

# A structure of a header with one member more, by the compiler.
mkdir "$T/changed"
sed 's/^struct tau_plugin_look {/&\n\tint added;/' cmd/shared/tau_plugin.h >"$T/changed/tau_plugin.h"
(version_of() { echo 1; }; listing plugin none . "$T/changed/tau_plugin.h") >"$T/broken"
is "a member that is new in a header" "$(verdict $lists/plugin.list "$T/broken" | head -n 1)" "changed or gone without a new version"
tap_end
