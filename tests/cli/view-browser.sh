# view-browser.sh: the page of tau-view in a real browser: zoom by keys and wheel, select, numbers of reports against the command line,
# jump to an anomaly, back, links, the keyboard alone, and a page of another program that may not read anything.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/browser.sh"
linked tau-view libmicrohttpd || skip_all "built without libmicrohttpd"
command -v chromedriver >/dev/null || skip_all "no chromedriver (package chromium-driver)"
! grep -q __asan_init "$B/tau-view" || skip_all "reports of a sanitized program take too long for this test"
command -v mpirun >/dev/null && [ -x "$B/apps/mpihour" ] || skip_all "no MPI"
cd "$T" || exit 1
mpirun -np 4 tau-record -o run "$B/apps/mpihour" >/dev/null 2>&1
tau-record -o other "$B/apps/hooks" >/dev/null 2>&1
tau-report profile run >/dev/null 2>&1 # an index is kept

tau-view --no-browser run other >said 2>err &
pid=$!
# A program that is recorded meanwhile, for longer than its part of the test takes.
cat >steps.c <<'END'
#include <unistd.h>
void step(void) { usleep(5000); }
int main(void)
{
	alarm(600);
	for (;;)
		step();
}
END
${CC:-cc} -finstrument-functions -o steps steps.c
tau-record -o live ./steps >/dev/null 2>&1 </dev/null &
growing=$!
until tau-report timeline live >/dev/null 2>&1; do sleep 0.2; done
tau-view --no-browser live >grows 2>>err &
live=$!
cat >drive.py <<'END'
import csv, http.server, io, json, re, subprocess, sys, threading, time, urllib.request

from browser import Browser, Firefox, ok

address = sys.argv[2]

browser = {"chromium": Browser, "firefox": Firefox}[sys.argv[4]](sys.argv[1])
call, script, session, text, until, key = browser.call, browser.script, browser.session, browser.text, browser.until, browser.key

def kind(name):
    script("[...document.querySelectorAll('#kinds button')].find(b => b.textContent === arguments[0]).click()", name)
    return settled()

def settled():
    """The report that belongs to the command that is shown."""
    last = None
    for i in range(300):
        now = (text("#command"), text("#report"), text("#part"), script("return document.getElementById('wait').hidden"),
               script("return document.getElementById('report').getAttribute('aria-busy')"))
        if now == last and now[1] and now[3] and now[4] == "false":
            return now
        last = now
        time.sleep(0.4)
    return last

def same(what):
    command, report = settled()[:2]
    out = subprocess.run(command, shell=True, capture_output=True, text=True)
    ok(what + ": the report is the output of its command", out.stdout == report, (command, report[:300], out.stdout[:300]))
    return command

call("POST", session + "/url", url=address)
until("the page", lambda: text("#report pre"))
ok("the token is not in the address any more", "t=" not in call("GET", session + "/url"), call("GET", session + "/url"))
ok("a row for each PE", script("return document.querySelectorAll('#names button').length") == 4)
ok("the colours have names", "compute" in text("#legend"), text("#legend"))
same("the overview")
kind("profile")
same("a profile")

key("w")
time.sleep(0.5)
c = same("zoomed by a key")
ok("it is of a window", " -w " in c, c)
box = script("const r = document.getElementById('plot').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]")
call("POST", session + "/actions", actions=[{"type": "wheel", "id": "w", "actions": [
    {"type": "scroll", "x": int(box[0] + box[2] / 2), "y": int(box[1] + 20), "deltaX": 0, "deltaY": -300}]}])
time.sleep(0.5)
d = same("zoomed by the wheel")
ok("by another window", d != c and " -w " in d, d)
pointer = [{"type": "pointerMove", "x": int(box[0] + box[2] * 0.3), "y": int(box[1] + 20)}, {"type": "pointerDown", "button": 0},
           {"type": "pointerMove", "x": int(box[0] + box[2] * 0.6), "y": int(box[1] + 20), "duration": 200}, {"type": "pointerUp", "button": 0}]
call("POST", session + "/actions", actions=[{"type": "pointer", "id": "p", "actions": pointer}])
time.sleep(0.5)
s = same("a part is selected")
ok("it is inside of what is seen", s != d and text("#part").startswith("Selected: "), (s, text("#part")))
url = call("GET", session + "/url")
ok("the address has what is seen, selected and shown", all(k in url for k in ("w=", "s=", "kind=profile")), url)
call("POST", session + "/refresh")
until("the page again", lambda: text("#report pre"))
ok("and leads there again", same("after a reload") == s)
key("\ue00c")
key("0")
time.sleep(0.5)
ok("Escape and 0 show the whole run", " -w " not in same("the whole run"))

# Curves: memory by type, as its command line prints it.
key("c")
until("a curve", lambda: script("return document.getElementById('curve').options.length") and text("#curve-command"))
ok("the curve is memory by type", script("return document.getElementById('curve').value") == "memory by type (B)", text("#curve-command"))
command = text("#curve-command")
slices = list(csv.reader(io.StringIO(subprocess.run(command, shell=True, capture_output=True, text=True).stdout)))
ok("its command prints slices", command.startswith("tau-report memory --by time ") and len(slices) > 20, command)
box = script("document.getElementById('curve-plot').scrollIntoView({block: 'center'}); const r = document.getElementById('curve-plot').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]")
call("POST", session + "/actions", actions=[{"type": "pointer", "id": "p", "actions": [{"type": "pointerMove", "x": int(box[0] + box[2] * 0.7), "y": int(box[1] + 40)}]}])
most = re.match(r"[0-9.]+ m?s: (.*?) ([0-9,.]+) B", text("#status"))
column = slices[0].index(most.group(1)) if most and most.group(1) in slices[0] else 0
near = [float(r[column]) for r in slices[1 + int(0.7 * (len(slices) - 1)) - 2:][:5]] if column else []
figure = float(most.group(2).replace(",", "")) if most else -1
ok("the type with the most bytes under the pointer", any(abs(v - figure) <= max(1, v * 0.0005) for v in near), (text("#status"), near))
script("scrollTo(0, 0)")
key("c")
ok("C hides it", until("no curve", lambda: script("return document.getElementById('curves').hidden")))

kind("anomalies")
until("buttons", lambda: script("return document.querySelectorAll('#leads button').length"))
slow = script("const b = [...document.querySelectorAll('#leads button')].find(b => b.textContent.includes('update')); b.click(); return b.textContent")
kind("profile")
c = same("an anomaly")
ok("the slow step is what is selected", text("#part").startswith("Selected: ") and "update" in text("#report"), (slow, c))

# Sizes as the programs print them.
sizes = [0, 512, 1023, 1024, 1536, 10240, 104857, 1048064, 9602000, 1 << 30, -2048]
in_page = call("POST", session + "/execute/async", script="const [v, done] = arguments; import('./view_base.js').then((m) => done(v.map(m.size_text)))", args=[sizes])
ok("sizes are printed as tau-report prints them", in_page == ["0 B", "512 B", "1023 B", "1.00 KiB", "1.50 KiB", "10.0 KiB", "102 KiB", "1.00 MiB", "9.16 MiB", "1.00 GiB", "-2.00 KiB"], in_page)

# The findings of the overview lead to the reports that their commands print.
key("\ue00c")
key("0")
leads = lambda: kind("overview") and until("findings", lambda: script("return [...document.querySelectorAll('#leads button')].map(b => b.title)"))
listed = [r for r in json.loads(subprocess.run(["tau-report", "overview", "-f", "json", "run"], capture_output=True, text=True).stdout)["rows"] if r["section"] == "findings"]
ok("a button for each finding", leads() == [r["command"] for r in listed] != [], listed)
for i, r in enumerate(listed):
    key("\ue00c")
    key("0")
    time.sleep(0.5)
    leads()
    script("document.querySelectorAll('#leads button')[arguments[0]].click()", i)
    until("the report of finding %d" % i, lambda: not text("#command").startswith("tau-report overview"))
    c = same("finding %d" % (i + 1))
    ok("it is of its kind and part", c.split()[1] == r["command"].split()[1] and text("#part").startswith("Selected: ") == (" -w " in r["command"]), (c, r["command"]))
key("\ue00c")
key("0")
time.sleep(0.5)
kind("profile")

# The order of rows: that of the sums of the command line, and a text beside each name.
def order(o):
    script("const s = document.getElementById('order'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", o)

def ordered():
    return [t[len("only this row, and its functions: "):] for t in script("return [...document.querySelectorAll('#names button')].map(b => b.title)")]

def sums(kind, rank, value, *more):
    of = {}
    for r in csv.DictReader(io.StringIO(subprocess.run(["tau-report", kind, *more, "--top", "0", "-f", "csv", "run"], capture_output=True, text=True).stdout)):
        of[r[rank]] = of.get(r[rank], 0) + float(r[value])
    return sorted(of, key=lambda r: (-of[r], int(r)))

names = ordered()
for o, text_of, want in (("wait", "waiting: ", sums("waits", "rank", "time_ms", "--by", "rank")), ("cause", "making others wait: ", sums("waits", "rank", "time_ms", "--by", "causes")),
                         ("cpu", "processor time: ", sums("ranks", "rank", "cpu_us")), ("memory", "peak memory: ", sums("ranks", "rank", "peak_bytes"))):
    order(o)
    until("rows by " + o, lambda: text_of in ordered()[0])
    got = [n.split(".")[0] for n in ordered() if not n.endswith(": 0 ns")]
    ok("rows are ordered by " + o, len(got) > 1 and list(dict.fromkeys(got)) == want[:len(got)] and "order=" + o in call("GET", session + "/url"), (ordered(), want))
order("unlike")
far = [float(re.search("in ([0-9.]+) %", n).group(1)) for n in ordered()]
ok("rows unlike the others are first", len(far) > 1 and far == sorted(far, reverse=True), far)
order("alike")
ok("rows that are alike are side by side, none is lost", sorted(ordered()) == sorted(names), ordered())
order("")
ok("by name they are as before", ordered() == names, ordered())

# Names: a click fades the others; the calls of one, by length, lead to them.
names = script("return [...document.querySelectorAll('#legend button')].map(b => b.textContent)")
ok("names are short", "update" in names and not any("{" in n for n in names), names)
script("[...document.querySelectorAll('#legend button')].find(b => b.textContent === 'update').click()")
ok("a name that was clicked is sought", script("return document.getElementById('find').value") == "update" and "find=update" in call("GET", session + "/url"))
script("document.getElementById('instances-button').click()")
until("its calls", lambda: script("return document.querySelectorAll('#instances button').length"))
command = text("#instances code")
windows = list(dict.fromkeys((r["window"], r["begin_ms"], r["end_ms"]) for r in csv.DictReader(io.StringIO(subprocess.run(command, shell=True, capture_output=True, text=True).stdout))))
ok("as many as its command prints", text("#instances b").startswith("%d calls: " % len(windows)) and len(windows) > 2, (command, text("#instances b")))
longest = max(windows, key=lambda w: float(w[2]) - float(w[1]))
script("document.querySelector('#instances button').click()")
c = same("the longest call")
ok("its time is selected", " -w %dns:%dns" % (round(1e6 * float(longest[1])), round(1e6 * float(longest[2]))) in c, (c, longest))
key("[" if longest == windows[-1] else "]")
time.sleep(0.5)
d = same("the call beside it")
beside = windows[windows.index(longest) + (-1 if longest == windows[-1] else 1)]
ok("by a key", " -w %dns:%dns" % (round(1e6 * float(beside[1])), round(1e6 * float(beside[2]))) in d, (d, beside))
script("[...document.querySelectorAll('#legend button')].find(b => b.getAttribute('aria-pressed') === 'true').click()")
ok("a second click seeks nothing", "find=" not in call("GET", session + "/url"), call("GET", session + "/url"))

# Near enough: single calls, with the numbers of the command line.
def rows(*words):
    out = subprocess.run(["tau-report", "timeline", "-f", "csv"] + list(words) + ["run"], capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(out)))

def at(x, y, *more):
    call("POST", session + "/actions", actions=[{"type": "pointer", "id": "p", "actions": [{"type": "pointerMove", "x": int(x), "y": int(y)}] + list(more)}])

begin = int(1e6 * max(float(r["sent_ms"]) for r in rows("--by", "message"))) - 30000000
call("POST", session + "/url", url=call("GET", session + "/url").split("#")[0] + "#kind=profile&messages=1&w=%dns:%dns" % (begin, begin + 40000000))
call("POST", session + "/refresh")
until("single calls", lambda: "single calls" in text("#status"))
box = script("const r = document.getElementById('plot').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]")
listed = rows("--by", "call", "-w", "%dns:%dns" % (begin - 1000000, begin + 41000000))
seen = set()
for i in range(40):
    at(box[0] + box[2] * (0.1 + 0.02 * i), box[1] + 4 + box[3] * (i % 8) / 8.0)
    m = re.match(r"PE ([0-9.]+): (.*) from ", text("#status"))
    if m:
        seen.add(m.groups())
        place = (box[0] + box[2] * (0.1 + 0.02 * i), box[1] + 4 + box[3] * (i % 8) / 8.0, m.group(1))
ok("calls under the pointer are those of the command line", len(seen) > 1 and seen <= {(r["pe"], r["region"]) for r in listed}, seen)
ok("messages are counted", re.search(r"[0-9]+ messages", script("document.getElementById('plot').dispatchEvent(new Event('pointerleave')); return document.getElementById('status').textContent")), text("#status"))
both = "document.getElementById('waits').click(); document.getElementById('path').click()"
script(both)
leave = "document.getElementById('plot').dispatchEvent(new Event('pointerleave')); return document.getElementById('status').textContent"
until("waits and the critical path", lambda: re.search("[0-9]+ waits", script(leave)) and "critical path" in script(leave))
words = ("-w", "%dns:%dns" % (begin, begin + 40000000))
waits = rows("--by", "wait", *words)
steps = subprocess.run(["tau-report", "critical-path", "--by", "step", "-f", "csv", *words, "run"], capture_output=True, text=True).stdout.splitlines()[1:]
s = script(leave)
ok("waits and steps of the path are counted", len(waits) > 0 and len(steps) > 0 and
   ". %d waits. %d steps of the critical path" % (len(waits), len(steps)) in s, (s, len(waits), len(steps)))
one = max(waits, key=lambda r: float(r["time_ms"]))
middle = 1e6 * (float(one["begin_ms"]) + float(one["time_ms"]) / 2)
row = script("const b = [...document.querySelectorAll('#names button')].find((x) => x.title.endsWith(' ' + arguments[0])).getBoundingClientRect(); return b.y + b.height / 2", one["pe"])
at(box[0] + min(box[2] - 2, max(1, box[2] * (middle - begin) / 40e6)), row)
ok("a wait under the pointer is that of the command line", "for PE " + one["late_pe"] + " in " + one["late_region"] in text("#status"), (one, text("#status")))
script(both)
until("single calls again", lambda: "single calls" in script(leave) and settled()[3])
at(place[0], place[1], {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0})
until("the call is selected", lambda: text("#part").startswith("Selected: "))
s = same("a call that was clicked")
ok("its time is selected", text("#part").startswith("Selected: "), (s, text("#part")))
ok("its rank can be", text("#part-row") == "only PE " + place[2], text("#part-row"))
script("document.getElementById('part-row').click()")
time.sleep(0.5)
s = same("the rank of the call")
ok("only it is shown", " --rank %s " % place[2] in s and " -w " in s, s)
script("document.getElementById('all-rows').click()")
until("all rows", lambda: script("return document.querySelectorAll('#names button').length") == 4)
script("document.querySelectorAll('#names button')[1].click()")
time.sleep(0.5)
s = same("one row")
ok("only its rank is shown", " --rank 1 " in s and script("return document.querySelectorAll('#names button').length") == 1, s)
script("document.getElementById('all-rows').click()")
script("const f = document.getElementById('find'); f.value = 'update'; f.dispatchEvent(new Event('input'))")
ok("what is sought is in the address", "find=update" in call("GET", session + "/url"), call("GET", session + "/url"))
until("all rows", lambda: script("return document.querySelectorAll('#names button').length") == 4)
until("nothing is being read", lambda: settled()[3])

# Another run below: its own times, from its begin on.
key("0")
script("const b = document.getElementById('beside-run'); b.value = '1'; b.dispatchEvent(new Event('change'))")
beside = until("a run beside", lambda: "as long" in text("#beside-text") and text("#beside-command"))
ok("the run beside is drawn", script("""const c = document.getElementById('beside-canvas');
return c.height > 4 && [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data].some(v => v > 0)"""), text("#beside-text"))
out = subprocess.run(beside, shell=True, capture_output=True, text=True).stdout
names = script("return [...document.querySelectorAll('#beside-names span')].map(e => e.title)")
ok("its rows are those of its command", beside.endswith(" other") and names and set(names) == {r["pe"] for r in csv.DictReader(io.StringIO(out))}, (beside, names))
ok("it is in the address", "beside=1" in call("GET", session + "/url"), call("GET", session + "/url"))
call("POST", session + "/refresh")
until("it is there again", lambda: "as long" in text("#beside-text") and text("#beside-command") == beside)
until("nothing is being read", lambda: settled()[3])

script("document.getElementById('run').value = '1'; document.getElementById('run').dispatchEvent(new Event('change'))")
until("the other run", lambda: text("#report pre") and text("#command").endswith(" other"))
same("the other run")
script("document.querySelector('#kinds button').focus()")
key("2")
ok("a kind by its number", settled()[0].startswith("tau-report scaling "), text("#command"))

# Follow: the end of what is seen moves on while the program runs.
call("POST", session + "/url", url=sys.argv[3])
until("a growing run", lambda: text("#part").startswith("Whole run: ") and not script("return document.getElementById('follow-label').hidden"))
end = lambda: float(re.match(r"Whole run: .* to ([0-9.]+) (?:m?s|us|ns), ", text("#part")).group(1)) if text("#part").startswith("Whole run") else 0
before = end()
script("document.getElementById('follow').click()")
later = until("a later end", lambda: end() if end() > before + 1 else 0)
ok("follow shows the end of a run that is being recorded", later and later > before + 1, (before, later))
# Only the numbers of finished runs stay: what is shown has the window of its command.
ok("the whole run stays what is seen", text("#part").startswith("Whole run: ") and " -w " not in text("#command"), text("#command"))
key("w")
ok("zooming stops it", until("no follow", lambda: not script("return document.getElementById('follow').checked")))

class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!DOCTYPE html><title>another</title>")
    def log_message(self, *a):
        pass

server = http.server.HTTPServer(("127.0.0.1", 0), Page)
threading.Thread(target=server.serve_forever, daemon=True).start()
token = script("return sessionStorage.getItem('token')")
call("POST", session + "/url", url="http://127.0.0.1:%d/" % server.server_port)
base = address.split("#")[0]
call("POST", session + "/timeouts", script=60000)
got = call("POST", session + "/execute/async", script="""
const done = arguments[2];
(async () => {
	const seen = [];
	for (const headers of [{}, {"X-Tau-Token": arguments[1]}])
		for (const mode of ["cors", "no-cors"])
			try {
				const a = await fetch(arguments[0] + "runs", {headers, mode});
				seen.push(a.status + ":" + (await a.text()).length);
			} catch (e) {
				seen.push("refused");
			}
	done(seen.join(" "));
})();""", args=[base, token])
ok("a page of another program reads nothing, even if it has the token", all(g in ("refused", "0:0") for g in got.split()), got)

# A page that is closed, or shows something else.
once = subprocess.Popen(["tau-view", "--once", "--no-browser", "run"], stdout=subprocess.PIPE, text=True)
call("POST", session + "/url", url=once.stdout.readline().strip())
until("the page", lambda: text("#status").strip())
call("POST", session + "/refresh")
time.sleep(7)
until("the page again", lambda: text("#status").strip())
ok("--once: a page that is read again stays", once.poll() is None)
call("POST", session + "/url", url="about:blank")
until("the end", lambda: once.poll() is not None)
ok("--once: it ends when the page is left", once.poll() == 0, once.poll())
call("DELETE", session)
END
# drive NAME: in this browser
drive() {
	echo "# in $1"
	PYTHONPATH=$TOP/tests python3 drive.py "$port" "$(sed -n 1p said)" "$(sed -n 1p grows)" "$1" >out 2>drive.err
	browser_results out
	is "$1 was driven to the end" "$(tail -n 1 drive.err)$(grep -c 'another program' out)" 1
	kill $driver
}
browser driver said
drive chromium
if command -v firefox-esr >/dev/null; then
	firefox driver said
	drive firefox
else
	skip "the same in Firefox" "no firefox-esr (package firefox-esr)"
fi
kill $pid $live
pkill -KILL -P $growing
wait $growing 2>/dev/null
tap_end
