# format.sh: the bytes of traces, indexes and cells do not change without their version. record/format.list has the version of each and
# what its headers define; the test compares both with the headers.
#
#   sh tests/house/format.sh --renew          writes record/format.list anew; refuses where a version did not move
#   sh tests/house/format.sh --renew --words  also where it did not: only words of comments have changed, and no byte of a file
. "$(dirname "$0")/../tap.sh"

# number HEADER MACRO: its value
number() { sed -n "s/^#define $2[ \t]*\([0-9][0-9]*\).*/\1/p" "$1"; }
# section NAME VERSION HEADER...
section() {
	echo "format $1 version $2"
	shift 2
	for header; do
		awk -f "$TOP/tests/house/format.awk" "$header" | grep -v '^#define [A-Z]*_\(MAJOR\|MINOR\|VERSION_MAJOR\|VERSION_MINOR\) '
	done
}
# listing ROOT: what record/format.list is to have
listing() {
	native=$1/convert/native
	section trace "$(number "$1/record/format.h" TAU_VERSION_MAJOR).$(number "$1/record/format.h" TAU_VERSION_MINOR)" \
		"$1/record/format.h" "$1/record/waits.h"
	section index "$(number "$native/file/native_index_head.h" INDEX_MAJOR).$(number "$native/file/native_index_head.h" INDEX_MINOR)" \
		"$native/file/native_index_head.h"
	section cells "$(number "$native/index/native_cells.h" CELLS_MAJOR)" "$native/index/native_cells.h"
}
# part NAME LISTING: the section of that format
part() { awk -v name="$1" '/^format / { is = $2 == name } is' "$2"; }
# still OLD NEW: the formats that changed and whose version did not
still() {
	for f in trace index cells; do
		part $f "$1" >"$T/part.old"
		part $f "$2" >"$T/part.new"
		[ "$(head -n 1 "$T/part.old")" != "$(head -n 1 "$T/part.new")" ] || cmp -s "$T/part.old" "$T/part.new" || echo $f
	done
}
# verdict ROOT: "as listed", or what is wrong
verdict() {
	listing "$1" >"$T/now"
	stood=$(still "$1/record/format.list" "$T/now" | tr '\n' ' ')
	if [ "$stood" ]; then
		echo "the version did not move with the format: $stood"
		diff "$1/record/format.list" "$T/now"
	elif ! cmp -s "$1/record/format.list" "$T/now"; then
		echo "the version moved: describe it in tau-trace(5), then sh tests/house/format.sh --renew"
	else
		echo "as listed"
	fi
}
# renew ROOT [--words]
renew() {
	listing "$1" >"$T/now"
	stood=$(still "$1/record/format.list" "$T/now" | tr '\n' ' ')
	if [ "$stood" ] && [ "$2" != --words ]; then
		echo "format.sh: the version did not move with the format: $stood" >&2
		return 1
	fi
	cp "$T/now" "$1/record/format.list"
}

if [ "$1" = --renew ]; then
	renew "$TOP" "$2"
	exit
fi
is "the formats are as record/format.list has them" "$(verdict "$TOP")" "as listed"
like "tau-trace(5) has the version of traces" "$(cat "$TOP/man/tau-trace.5")" \
	"version: major $(number "$TOP/record/format.h" TAU_VERSION_MAJOR), minor $(number "$TOP/record/format.h" TAU_VERSION_MINOR)([^0-9]|\$)"

# ---- the test fails when one changes without the other ----
copy() {
	rm -rf "$T/copy"
	mkdir -p "$T/copy/record" "$T/copy/convert/native/file" "$T/copy/convert/native/index"
	for f in record/format.h record/waits.h record/format.list convert/native/file/native_index_head.h convert/native/index/native_cells.h; do
		cp "$TOP/$f" "$T/copy/$f"
	done
}
# changed WHAT FILE SED WANT: a copy with this change
changed() {
	copy
	sed -i "$3" "$T/copy/$2"
	ok "$1: the change is one" sh -c '! cmp -s "$1" "$2"' sh "$TOP/$2" "$T/copy/$2"
	is "$1" "$(verdict "$T/copy" | head -n 1)" "$4"
}
changed "a record with one field more" record/format.h 's/^\(\tTAU_REC_FREE = 8,.*\)varint bytes/\1varint bytes, varint stack/' \
	"the version did not move with the format: trace "
is "is not renewed" "$(renew "$T/copy" 2>&1)" "format.sh: the version did not move with the format: trace "
sed -i 's/^\(#define TAU_VERSION_MINOR \)[0-9]*/\1250/' "$T/copy/record/format.h"
is "with a new version it is to be listed" "$(verdict "$T/copy" | cut -d: -f1)" "the version moved"
is "then it is" "$(renew "$T/copy" && verdict "$T/copy")" "as listed"
changed "a record of a new kind" record/format.h 's/^\tTAU_REC_FOUND = 21,/\tTAU_REC_NEW = 62,\n&/' "the version did not move with the format: trace "
changed "a value of an enum" record/format.h 's/^\(enum tau_rma {.*\), TAU_RMAS/\1, TAU_RMA_NEW, TAU_RMAS/' "the version did not move with the format: trace "
changed "a member of the live head" record/waits.h 's/^\tuint32_t n, rest;/\tuint64_t n, rest;/' "the version did not move with the format: trace "
changed "a member of an index" convert/native/file/native_index_head.h 's/^\tuint32_t levels;/\tuint64_t levels;/' \
	"the version did not move with the format: index "
changed "a level of cells" convert/native/index/native_cells.h 's/^\tuint32_t blocks;/\tuint64_t blocks;/' \
	"the version did not move with the format: cells "
changed "other words of a comment" record/format.h 's/a block as the definition/a memory block as the definition/' "as listed"
changed "a version alone" record/format.h 's/^\(#define TAU_VERSION_MINOR \)[0-9]*/\1250/' \
	"the version moved: describe it in tau-trace(5), then sh tests/house/format.sh --renew"
tap_end
