# input-memory.sh: the memory that a file takes is limited by its size, also if it was made to take more; work grows with the number
# of siblings, not with its square.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
unset TAUDB

# What a made-up file may be: names that many rows share, bytes that unpack to a thousandfold, tables that are mostly gaps.
cat >made.py <<'END'
import gzip, struct
def number(v): return struct.pack('>i', v)
def text(s): return struct.pack('>H', len(s)) + s.encode()
head = b'\0P\0P\0K' + number(1) + number(1) + number(0) + number(1) + text('TIME')
row = number(0) + number(1) + number(0) + number(0) + number(0) + number(1) + number(0) + struct.pack('>4d', 1, 0, 1, 1) + number(0)
def packed(name, group, timers):
    b = head + number(1) + text(group) + number(timers)
    b += b''.join(text('f%d' % i) + number(1) + number(0) for i in range(timers)) + row
    gzip.open(name, 'wb').write(b)
packed('groups.ppk', 'g' * 60000, 20000)
packed('groups_right.ppk', 'a group of an ordinary length', 20000)
with gzip.open('zeros.ppk', 'wb') as f:
    f.write(head + number(0) + number(100000000))
    for i in range(200): f.write(bytes(1 << 20))
with gzip.open('lines.folded.gz', 'wb') as f:
    for i in range(100): f.write(b'main;f 1\n' * 120000)
with gzip.open('lines_right.folded.gz', 'wb') as f:
    f.write(b'main;f 1\n' * 1000000)
with open('points.txt', 'w') as f:
    f.write('PARAMETER p\nPOINTS ' + ' '.join(str(i + 1) for i in range(4000)) + '\nREGION ' + 'r' * 100000 + '\nMETRIC time\n' + 'DATA 1\n' * 4000)
with open('gaps.txt', 'w') as f:
    f.write('PARAMETER p\nPOINTS 1 2\n' + ''.join('METRIC m%d\nREGION r%d\nDATA 1\nDATA 2\n' % (i, i) for i in range(3000)))
with open('owner.xml', 'w') as f:
    f.write('<?xml version="1.0"?>\n<profile_xml><definitions thread="' + '9' * 100000 + '"><metric id="0"><name>TIME</name><units>u</units></metric>' +
        ''.join('<event id="%d"><name>f%d</name><group>g</group></event>' % (i, i) for i in range(5000)) + '</definitions></profile_xml>\n')
with open('metrics.xml', 'w') as f:
    f.write('<?xml version="1.0"?>\n<profile_xml><definitions thread="*">' +
        ''.join('<metric id="%d"><name>m%d</name><units>u</units></metric>' % (i, i) for i in range(256)) +
        ''.join('<event id="%d"><name>f</name><group>g%d</group></event>' % (i, i) for i in range(20000)) + '</definitions></profile_xml>\n<profile_xml>')
    for t in range(20):
        f.write('<thread id="0.0.%d.0" node="0" context="0" thread="%d"><metadata></metadata></thread><profile thread="0.0.%d.0"><name>final</name><timestamp>0</timestamp>'
            '<interval_data metrics="">\n' % (t, t, t) + ''.join('%d 1 0\n' % i for i in range(20000)) + '</interval_data><atomic_data>\n</atomic_data></profile>')
    f.write('</profile_xml>\n')
with open('deep.folded', 'w') as f:
    for s in range(2): f.write(';'.join('f%d_%d' % (s, i) for i in range(1800)) + ' 5\n')
for n in (4000, 16000):
    with open('siblings%d.folded' % n, 'w') as f:
        for i in range(n): f.write('main;f%06d %d\n' % (i, i % 977 + 1))
END
python3 made.py || exit 1

# peak MB COMMAND...: runs it, output to out and err; prints its exit code, and the peak of its memory in MB where that is over MB
# Sanitizers need more than any limit.
cat >peak.py <<'END'
import os, resource, subprocess, sys
code = subprocess.call(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=open('out', 'w'), stderr=open('err', 'w'), timeout=500)
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
print(code, '' if used <= int(sys.argv[1]) or os.environ.get('TAU_TEST_INSIDE') else '%d MB' % used)
END
peak() { python3 peak.py "$@"; }
# refused WHAT MB SENTENCE COMMAND...
refused() {
	what=$1 most=$2 sentence=$3; shift 3
	is "$what: its memory" "$(peak "$most" "$@")" "3 "
	like "$what: the reason" "$(cat err)" "$sentence"
}
groups='groups.ppk: offset [0-9]+ of the unpacked bytes: the names of the timers. groups together are larger than the file'
refused "a long group of many timers" 60 "$groups" tau-report profile groups.ppk
refused "a long group of many timers, imported" 60 "$groups" tau-db import --db a.db groups.ppk
is "an ordinary group of many timers" "$(peak 150 tau-report profile groups_right.ppk)" "0 "
is "it is kept" "$(tau-convert -t snapshot groups_right.ppk "$T/right.xml" && grep -c "a group of an ordinary length" right.xml)" 1
refused "much that unpacks to zeros" 110 'zeros.ppk: it unpacks to more than 100 times its size, .* gzip -d' tau-report profile zeros.ppk
refused "the same, imported" 110 'zeros.ppk: its definitions unpack to more than 100 times their size, .* gzip -d' tau-db import --db a.db zeros.ppk
refused "lines that repeat" 150 'lines.folded.gz: it unpacks to more than 100 times its size, .* gzip -d' tau-report profile lines.folded.gz
gzip -d <lines.folded.gz >lines.folded
is "unpacked, they are read" "$(peak 500 tau-convert -t folded lines.folded -)$(cat out)" "0 main;f 12000000"
is "a few of them are read" "$(peak 100 tau-convert -t folded lines_right.folded.gz -)$(cat out)" "0 main;f 1000000"
refused "a long name at many points" 60 'points.txt: most of its 1 metrics, 1 regions and 4000 points' tau-report scaling points.txt
refused "metrics of different regions" 60 'gaps.txt: most of its 3000 metrics, 3000 regions and 2 points' tau-report scaling gaps.txt
refused "a long thread of many definitions" 60 'owner.xml: the file ends before the first thread' tau-report profile owner.xml
refused "rows without most metrics" 700 'metrics.xml: .*most rows have few of the 256 metrics' tau-report profile metrics.xml

# --- call paths as text are longer than all else, and are not kept ---
for to in ppk snapshot pprof csv tau; do
	is "deep stacks as $to: memory" "$(peak 60 tau-convert -t $to deep.folded "o.$to")" "0 "
done
is "deep stacks come back from ppk" "$(tau-convert -t folded o.ppk - | sort | cksum)" "$(sort deep.folded | cksum)"

# --- siblings ---
work() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 | sed -n 's/.*Collected : //p'; }
if [ -n "$TAU_TEST_INSIDE" ] || ! valgrind --version >.version 2>&1; then
	skip "work for siblings" "no valgrind, or a sanitizer"
else
	for kind in flame html; do
		few=$(work tau-report $kind -o few.out siblings4000.folded) many=$(work tau-report $kind -o many.out siblings16000.folded)
		is "$kind: four times the siblings are not over six times the work" \
			"$(awk "BEGIN { print ($few > 0 && $many < 6 * $few ? \"so\" : \"$many against $few\") }")" so
	done
fi
tap_end
