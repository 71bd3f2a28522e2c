# readme.sh: what README shows of the demo is what the demo prints, but for the numbers.
. "$(dirname "$0")/../tap.sh"
command -v oshrun >/dev/null && [ -e "$B/apps/gups" ] || skip_all "no OpenSHMEM"

# shape: lines with their numbers, units and widths taken away, and lists of numbers as one.
shape() {
	sed -E 's|[./][^ ]*/||g; s/[0-9]+(\.[0-9]+)?/#/g; s/# ([KM]?i?B|[num]?s)\b/#/g; s/-{4,}/----/g; s/[[:space:]]+/ /g; s/ $//' "$@" |
		sed -E 's/#(, #)+/#/g; s/(# PEs )+/# PEs /; s/ \| head -n #//; s/(# )+/# /g; s/([a-z]+_[a-z_]+\[\])(, [a-z]+_[a-z_]+\[\])*( and # more)?/SLABS/'
}
sh "$TOP/fixtures/demo.sh" "$B" "$T/demo" "2 4" >"$T/out" 2>&1
is "the demo runs" $? 0
shape "$T/out" >"$T/shapes"
awk '/^\$ oshrun/ { on = 1 } /^```/ { on = 0 } on' "$TOP/README.md" >"$T/readme"
ok "README shows it" test "$(wc -l <"$T/readme")" -gt 20

# Types differ from one number of PEs to the next, so of the table's rows README's names are looked for in all of them.
sed '/^type /,$d' "$T/readme" | grep -v '^\.\.\.$' | shape >"$T/lines"
is "every line has the form that the demo's have" "$(grep -v '^ % \|^ *# ' "$T/lines" | grep -vxFf "$T/shapes")" ""
regions=$(sed -nE 's/^ *[0-9.]+ .* ([a-z_]+(\(\))?)$/\1/p' "$T/readme")
is "the profile has the regions" "$(for r in $regions; do grep -qF "  $r" "$T/demo/update-4.txt" && echo "$r"; done)" "$regions"
ok "at least three" test "$(echo "$regions" | wc -l)" -ge 3
tr -s ' ' <"$T/demo/update-4.txt" >"$T/heading"
ok "and its heading" grep -qxF "$(grep '^ *% ' "$T/readme" | tr -s ' ')" "$T/heading"
heading=$(sed -n '/^type /p' "$T/readme" | shape)
ok "the table's heading begins alike" grep -q "^$(printf '%s' "$heading" | sed 's/[][]/\\&/g')" "$T/shapes"
tau-report memory-scaling --top 0 --db "$T/demo/demo.db" >"$T/all"
sed -n '/^-----/,/^\.\.\./p' "$T/readme" | sed '1d;$d' | cut -d ' ' -f 1 >"$T/types"
missing=$(while read -r t; do grep -qF "$t" "$T/all" || echo "$t"; done <"$T/types")
is "the types are there" "$missing" ""
is "each ompi_proc_t costs 120 bytes" "$(awk '$1 == "ompi_proc_t" { print $2 $3, $4 $5 }' "$T/all")" "240B 480B"
tap_end
