# readme.sh: what README shows of the demo is what the demo prints, but for the numbers.
. "$(dirname "$0")/../tap.sh"
command -v oshrun >/dev/null && [ -e "$B/apps/gups" ] || skip_all "no OpenSHMEM"

# shape: lines with their numbers, units and widths taken away, and lists of numbers as one.
shape() {
	sed -E 's|[./][^ ]*/||g; s/[0-9]+(\.[0-9]+)?/#/g; s/# ([KM]?i?B|[num]?s)\b/#/g; s/-{4,}/----/g; s/[[:space:]]+/ /g; s/ $//' "$@" |
		sed -E 's/#(, ?#)+/#/g; s/(# PEs )+/# PEs /; s/ \| head -n #//; s/(# )+/# /g; s/([a-z]+_[a-z_]+\[\])(, [a-z]+_[a-z_]+\[\])*( and # more)?/SLABS/'
}
sh "$TOP/fixtures/demo.sh" "$B" "$T/demo" "2 4" >"$T/out" 2>&1
is "the demo runs" $? 0
shape "$T/out" >"$T/shapes"
# block COMMAND: what README shows from the line "$ COMMAND" to the end of its block.
block() { awk -v line="\$ $1" 'index($0, line) == 1 { on = 1 } /^```/ { on = 0 } on' "$TOP/README.md"; }
block tau-experiment >"$T/readme"
ok "README shows it" test "$(wc -l <"$T/readme")" -gt 15

# Types differ from one number of PEs to the next, so of the table's rows README's names are looked for in all of them.
sed '/^type /,$d' "$T/readme" | grep -v '^\.\.\.$' | shape >"$T/lines"
is "every line has the form that the demo's have" "$(grep -vxFf "$T/shapes" "$T/lines")" ""
heading=$(sed -n '/^type /p' "$T/readme" | shape)
ok "the table's heading begins alike" grep -q "^$(printf '%s' "$heading" | sed 's/[][]/\\&/g')" "$T/shapes"
tau-report memory-scaling --top 0 --db "$T/demo/demo.db" >"$T/all"
sed -n '/^-----/,/^\.\.\./p' "$T/readme" | sed '1d;$d' | cut -d ' ' -f 1 >"$T/types"
missing=$(while read -r t; do grep -qF "$t" "$T/all" || echo "$t"; done <"$T/types")
is "the types are there" "$missing" ""
is "each ompi_proc_t costs 120 bytes" "$(awk '$1 == "ompi_proc_t" { print $2 $3, $4 $5 }' "$T/all")" "240B 480B"

# The example of LAMMPS: its commands run, its headings are those of the reports.
if command -v lmp >/dev/null; then
	cd "$TOP" || exit 1
	block '{ sed' | sed -n "s|^\\$ ||; s|>melt.in|>$T/melt.in|; s|-o melt|-o $T/melt|; s|-in melt.in|-in $T/melt.in -log none|; p" >"$T/commands"
	ok "LAMMPS is recorded" sh "$T/commands"
	tau-report "$T/melt" | shape >"$T/shapes"
	block 'tau-report melt' >"$T/readme"
	ok "README shows its reports" test "$(wc -l <"$T/readme")" -gt 15
	for line in Samples 'Findings, in order of what they cost'; do
		ok "README and the reports have: $line" grep -qxF "$line" "$T/readme"
		ok "the reports: $line" grep -qxF "$line" "$T/shapes"
	done
	is "the functions are there" "$(sed -n 's/^  \(LAMMPS_NS::.*\)/\1/p' "$T/readme" | sort | grep -vFf "$T/shapes")" ""
	like "a finding about who makes whom wait" "$(cat "$T/readme")" 'makes? (each other|ranks? [0-9, and]*) wait: '
else
	skip "the example of LAMMPS" "no lmp"
fi
tap_end
