#!/bin/sh
# otf2.sh: how fast an OTF2 archive becomes a profile, as a share of what an empty callback loop over it achieves, and how fast a
# trace of ours becomes an archive, as a share of what the OTF2 library's own writer achieves with the same events: million events a
# second and core, from CPU time.
. "$(dirname "$0")/common"

build_tools
for l in open-trace-format2 otf2; do
	$CC -O2 -o "$W/otf2" "$TOP/bench/otf2.c" -l$l 2>/dev/null && break
done
[ -x "$W/otf2" ] || { echo "otf2: the library is not installed"; exit 0; }
have tau-convert || die "tau-convert is not built"

n=$("$W/otf2" write "$T/archive" "${TAU_BENCH_EVENTS:-10000000}") || die "cannot write an archive"
is=$("$W/otf2" read "$T/archive")
[ "$n" = "$is" ] || die "the archive has $is events instead of $n"
tau-convert "$T/archive" "$T/run" || die "cannot turn the archive into a run"
i=0
while [ $i -lt "$ROUNDS" ]; do
	rm -rf "$T/out" "$T/own" "$T/library"
	measure loop "$W/otf2" read "$T/archive"
	measure flat tau-trace2profile --format csv "$T/archive"
	measure paths tau-trace2profile --callpath=3 --format csv "$T/archive"
	measure write tau-convert --to otf2 "$T/run" "$T/out"
	measure library "$W/otf2" write "$T/library" "${TAU_BENCH_EVENTS:-10000000}"
	measure own tau-convert "$T/run" "$T/own"
	i=$((i + 1))
done
speed() { calc %.1f "$n / $(least $1) * 1000"; }
printf 'OTF2: %s events, %s bytes\n' "$n" "$(du -sb "$T/archive" | cut -f 1)"
printf '  empty callback loop  %8s million events/s\n' "$(speed loop)"
printf '  to a flat profile    %8s\n' "$(speed flat)"
printf '  to call paths of 3   %8s\n' "$(speed paths)"
printf '  ours to OTF2         %8s\n' "$(speed write)"
printf '  the library'"'"'s writer %8s\n' "$(speed library)"
printf '  ours to ours         %8s\n' "$(speed own)"
share=$(calc %.0f "$(least loop) / $(least flat) * 100")
goal "OTF2 to a flat profile, of the empty loop's speed" "$share" least 80 %
goal "ours to OTF2, of the speed of the library's writer" "$(calc %.0f "$(least library) / $(least write) * 100")" least 70 %
