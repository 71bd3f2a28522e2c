# view-rows.sh: rows of tau-view in a browser: hosts that are folded and unfolded, their sums and order, marks and iterations over them, and the
# order of rows of a run that grows.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/browser.sh"
linked tau-view libmicrohttpd || skip_all "built without libmicrohttpd"
command -v chromedriver >/dev/null || skip_all "no chromedriver (package chromium-driver)"
! grep -q __asan_init "$B/tau-view" || skip_all "reports of a sanitized program take too long for this test"
cd "$T" || exit 1
${CC:-cc} -O1 -I"$TOP" -o many "$TOP/tests/many_ranks.c" -lz 2>err || skip_all "cannot build the writer of traces: $(head -n 1 err)"
mkdir hosts
./many hosts 130 8
tau-record --sample=none -o moments.run "$B/apps/moments" >/dev/null 2>&1
# Two processes: the first one works, then the second one works longer.
cat >turns.c <<'END'
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
void work(double seconds) { while (clock() < seconds * CLOCKS_PER_SEC) ; }
void rest(void) { usleep(20000); }
int main(int argc, char **argv)
{
	alarm(600);
	while (argc > 2 && access(argv[2], F_OK))
		rest();
	work(atof(argv[1]));
	for (;;)
		rest();
}
END
${CC:-cc} -O1 -finstrument-functions -o turns turns.c
tau-record --sample=none -o live sh -c './turns 0.3 & sleep 0.5; ./turns 2 turn & echo $! >second; wait' >/dev/null 2>&1 </dev/null &
growing=$!
until [ "$(tau-report ranks -f csv live 2>/dev/null | grep -c .)" -ge 3 ]; do sleep 0.3; done
serve() { out=$1; shift; tau-view --no-browser "$@" >"$out" 2>>err & eval "pid_$out=\$!"; until [ -s "$out" ]; do sleep 0.2; done; }
serve said hosts
serve marked moments.run
serve grows live
cat >drive.py <<'END'
import csv, io, math, re, subprocess, sys, time
from browser import Browser, ok

browser = Browser(sys.argv[1])
call, script, session, text, until, key = browser.call, browser.script, browser.session, browser.text, browser.until, browser.key
hosts, marked, grows = [open(f).readline().strip() for f in ("said", "marked", "grows")]

def open_page(address):
    call("POST", session + "/url", url="about:blank")
    call("POST", session + "/url", url=address)
    until("the page", lambda: "cells of" in text("#status"))

def choose(id, value):
    script("const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'))", id, value)

PREFIX = "only this row, and its functions: "
titles = lambda: [t[len(PREFIX):] for t in script("return [...document.querySelectorAll('#names button:not(.fold)')].map(b => b.title)")]
names = lambda: [t.split(". ")[0] for t in titles()]
folds = lambda: script("return [...document.querySelectorAll('#names .fold')].map(b => b.title)")
hash_of = lambda: script("return decodeURIComponent(location.hash)")

def hover(x, y):
    box = script("const r = document.getElementById('plot').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]")
    call("POST", session + "/actions", actions=[{"type": "pointer", "id": "p", "actions": [{"type": "pointerMove", "x": int(box[0] + box[2] * x), "y": int(box[1] + y)}]}])
    return text("#status")

def rows(*words, run="hosts"):
    out = subprocess.run(["tau-report", "timeline", "-f", "csv", *words, run], capture_output=True, text=True)
    return list(csv.DictReader(io.StringIO(out.stdout)))

# Rows of several hosts.
open_page(hosts)
shared = [r["pe"] for r in rows("--by", "row")]
ok("rows are those of the command line", names() == shared and "30..32" in shared, (names()[:12], shared[:12]))
choose("order", "host")
until("the order by host", lambda: ". host: " in titles()[0])
of = {r["pe"]: r for r in rows("--by", "row")}
got = dict(t.split(". host: ") for t in titles())
ok("rows are ordered by host, and a row of two hosts names each once", got["30..32"] == "node000, node001" and got["0..2"] == "node000" and
   [got[n] for n in names()] == sorted(got.values()) and sorted(got) == sorted(shared), got)
choose("order", "")
choose("rows", "host")
until("rows of hosts", lambda: len(names()) == 5)
ok("a row for each host", names() == ["node00%d" % i for i in range(5)], names())
ok("the address has it", "rows=host" in hash_of(), hash_of())
ok("each can be unfolded", folds() == ["unfold host node00%d" % i for i in range(5)], folds())
until("cells", lambda: "host node001 at" in hover(0.45, 60))
seen = hover(0.45, 60)
m = re.match(r"host node001 at ([0-9.]+) ms: (\S+) (\d+) %.* of ([0-9.]+) (us|ms) x (\d+) threads", seen)
cell = 2 ** round(math.log2(float(m.group(4)) * (1e3 if m.group(5) == "us" else 1e6))) if m else 1
at = int(float(m.group(1)) * 1e6 / cell) * cell if m else 0
want = []
for begin in (at - cell, at, at + cell): # the moment is rounded
    of_cell = [r for r in rows("--rows", "host", "--by", "region", "--cells", "%dns" % cell, "-w", "%dns:%dns" % (begin, begin + cell)) if r["pe"] == "node001"]
    want += [(r["region"].split(" [")[0], round(float(r["time_ms"]) * 1e8 / cell / 32)) for r in sorted(of_cell, key=lambda r: -float(r["time_ms"]))[:1]]
ok("a host has the sum of its PEs", m and m.group(6) == "32" and (m.group(2), int(m.group(3))) in [(n, p + d) for n, p in want for d in (0, -1, 1)], (seen, want))

# By the keyboard: the row of a host and back.
script("[...document.querySelectorAll('#names .fold')].find(b => b.title === 'unfold host node004').focus()")
key("\ue007")
until("the PEs of a host", lambda: len(names()) == 6)
ok("Enter unfolds a host", names() == ["node000", "node001", "node002", "node003", "128", "129"] and "node004=queue" in hash_of(), (names(), hash_of()))
until("its bracket has the focus", lambda: script("return document.activeElement.title") == "fold host node004")
call("POST", session + "/refresh")
until("the page again", lambda: "cells of" in text("#status"))
ok("the address leads there again", until("rows", lambda: len(names()) == 6) and names()[4:] == ["128", "129"], names())
script("[...document.querySelectorAll('#names .fold')].find(b => b.title === 'fold host node004').click()")
until("folded again", lambda: len(names()) == 5)
ok("a click folds it", folds()[4] == "unfold host node004" and "node004" not in hash_of(), (folds(), hash_of()))
script("[...document.querySelectorAll('#names button')].find(b => b.textContent === 'node001').click()")
until("its functions", lambda: "--rank 32..63" in text("#command"))
ok("a click on its name shows its PEs", until("32 rows", lambda: len(names()) == 32) and names()[0] == "32", names())

# Marks and iterations.
open_page(marked)
until("marks", lambda: "3 marks and gaps" in text("#status"))
ok("marks are on a strip", not script("return document.getElementById('moments').hidden"))
painted = lambda: script("const c = document.getElementById('moments-canvas'); return c.getContext('2d').getImageData(0, 0, c.width, c.height).data.filter((v, i) => i % 4 === 3 && v).length")
ok("which is drawn", painted() > 100, painted())
listed = rows("--by", "moment", run="moments.run")
said = []
for i in range(3):
    key(".")
    said.append(text("#status"))
want = ["snapshot fifth (number 1) at %s ms", "recording off from %s ms", "SIGTERM ends the process at %s ms"]
ok("a key goes from one to the next", all(("PE 0: " + w % ("%.6f" % float(r["begin_ms"]))) in s for w, r, s in zip(want, listed, said)), (said, listed))
key(",")
ok("and back", text("#status") == said[1], (text("#status"), said))
off = listed[1]
end = float(rows("--cells", "1", run="moments.run")[0]["end_ms"])
middle = (float(off["begin_ms"]) + float(off["end_ms"])) / 2 / end
ok("the gap is under the pointer", "; PE 0: recording off from " in hover(middle, 8), hover(middle, 8))
key("i")
n = len(rows("--by", "iteration", run="moments.run"))
until("iterations", lambda: "%d iterations" % n in text("#status"))
ok("iterations are those of the command line", n > 10, n)
ok("they have a lane of their own", script("return document.getElementById('moments-canvas').clientHeight") == 32)
script("document.getElementById('moments').focus()")
key("\ue014")
said = text("#status")
key("\ue007")
until("its time is selected", lambda: text("#part").startswith("Selected: "))
ok("Enter on the strip shows it", said.startswith(("iteration ", "PE 0: ")) and "s=" in hash_of(), (said, hash_of()))
key("k")
until("no marks", lambda: "marks and gaps" not in text("#status") and "marks=0" in hash_of())
ok("K hides marks, iterations stay", until("one lane", lambda: script("return document.getElementById('moments-canvas').clientHeight") == 16))

# A run that grows: the order is read again.
open_page(grows)
cpu = lambda: {r["rank"]: float(r["cpu_us"]) for r in csv.DictReader(io.StringIO(subprocess.run(["tau-report", "ranks", "--top", "0", "-f", "csv", "live"], capture_output=True, text=True).stdout))}
until("the first one has worked", lambda: max(cpu().values()) > 250000)
first = cpu()
most = max(first, key=first.get)
script("document.getElementById('follow').click()")
choose("order", "cpu")
until("the one that works most is above", lambda: titles() and ". processor time" in titles()[0] and names()[0].split(".")[0] == most)
ok("rows of a run that is being recorded are ordered", names()[0].split(".")[0] == most, (titles(), first))
open("turn", "w").close()
until("the other one has worked more", lambda: max(cpu(), key=cpu().get) != most)
other = max(cpu(), key=cpu().get)
ok("when it has grown, the order is that of now", until("the other one is above", lambda: names()[0].split(".")[0] == other, 60), (titles(), cpu()))
call("DELETE", session)
print("# driven to the end")
END
browser driver said
PYTHONPATH=$TOP/tests python3 drive.py "$port" >out 2>drive.err
browser_results out
is "it was driven to the end" "$(tail -n 1 drive.err)$(grep -c 'driven to the end' out)" 1
kill $driver $pid_said $pid_marked $pid_grows
pkill -KILL -P $growing
kill $growing 2>/dev/null
wait $growing 2>/dev/null
for p in $(pgrep -f "^./turns " 2>/dev/null); do
	[ "$(readlink "/proc/$p/exe")" = "$T/turns" ] && kill "$p"
done
tap_end
