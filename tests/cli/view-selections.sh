# view-selections.sh: random selections in the page of tau-view, in a real browser: each report is what tau-report prints for the same
# window, and each pixel consists of what the profile of its time has, to the nanosecond. Over runs of all kinds: both MPIs, OpenSHMEM,
# OpenMP, threads, memory, files, samples, killed, still running, with cells kept beside them, traces of other tools.
# TAU_TEST_SELECTIONS=N: how many (default 24); TAU_TEST_SEED=N: others.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/browser.sh"
linked tau-view libmicrohttpd || skip_all "built without libmicrohttpd"
command -v chromedriver >/dev/null || skip_all "no chromedriver (package chromium-driver)"
! grep -q __asan_init "$B/tau-view" || skip_all "reports of a sanitized program take too long for this test"
cd "$T" || exit 1
runs=
# run NAME COMMAND...: records it; what cannot be recorded here is no run of this test
run() {
	name=$1
	shift
	"$@" >/dev/null 2>&1 </dev/null
	if tau-report timeline --cells 1 -o "$name.out" "$name" 2>"$name.err"; then runs="$runs $name"; else echo "# no run $name: $(cat "$name.err")"; fi
}
A=$B/apps
run hooks tau-record -o hooks "$A/hooks"
run threads tau-record -o threads --wrap pthread "$A/pthread" 4
run openmp tau-record -o openmp "$A/openmp"
run memory tau-record -o memory --memory=leaks "$A/memtruth" 400
mkdir data
run files tau-record -o files --wrap io "$A/io" "$T/data"
run sampled tau-record -o sampled --sample=1ms "$A/sampled" shares
run bare tau-record -o bare --sample=1ms awk 'BEGIN { for (i = 0; i < 20000000; i++) s += sin(i) }'
run signals tau-record -o signals "$A/signals"
run killed timeout -s KILL 1 tau-record -o killed "$A/killed" "$T/counts" 2
if command -v mpirun >/dev/null; then
	for app in mpihour mpiwaits mpicoll; do
		[ -x "$A/$app" ] && run $app mpirun -np 4 tau-record -o $app "$A/$app"
	done
fi
if command -v mpiexec.mpich >/dev/null; then
	for app in mpihour mpirma mpilate; do
		[ -x "$A/mpich/$app" ] && run mpich-$app mpiexec.mpich -n 4 tau-record -o mpich-$app "$A/mpich/$app"
	done
fi
command -v oshrun >/dev/null && [ -x "$A/shmcoll" ] &&
	run shmem env OMPI_MCA_memory=^patcher oshrun --oversubscribe -np 2 tau-record -o shmem "$A/shmcoll"
# Long enough that cells are kept beside it, by the first timeline.
if ${CC:-cc} -O2 -I"$TOP" -o scale "$TOP/bench/scale.c" -lz 2>/dev/null && ./scale long 7000000 8 ranks >/dev/null; then
	tau-report timeline -f csv --cells 1 long >/dev/null
	ok "cells are kept beside the long run" test -n "$(ls long/*.cells 2>/dev/null)"
	runs="$runs long"
fi
# A trace of TAU: nested regions on two threads, some of them open at the end.
python3 - <<'END'
import random, struct
random.seed(5)
records, clock = [(0, 60000, 0, 3)], 1000000
for thread in 0, 1:
    us, open_regions = 1, []
    for i in range(400):
        us += random.randrange(1, 300)
        if len(open_regions) > 3 or open_regions and random.random() < 0.45:
            records.append((us, open_regions.pop(), thread, -1))
        else:
            open_regions.append(random.randrange(1, 6))
            records.append((us, open_regions[-1], thread, 1))
records.sort(key=lambda r: r[0])
open("tau.trc", "wb").write(b"".join(struct.pack("<iHHqQ", e, 0, t, v, clock + us) for us, e, t, v in records))
open("tau.edf", "w").write("6 dynamic_trace_events\n# FunctionId Group Tag \"Name Type\" Parameters\n" +
    "".join('%d TAU_USER 0 "part_%d" EntryExit\n' % (i, i) for i in range(1, 6)) +
    '60000 TRACER 0 "EV_INIT" none\n')
END
runs="$runs tau.trc"
for set in otf2/ping-pong-papi otf2/stencil4d-32 otf2/sstmacro-10 otf2/eztrace-comd_n4/CoMD-mpi_trace; do
	[ -d "$DATA/$set" ] && ln -s "$DATA/$set" "$(echo $set | tr / -)" && runs="$runs $(echo $set | tr / -)"
done
# A run that is being recorded, for longer than this test takes.
printf '#include <unistd.h>\nvoid step(void) { usleep(5000); }\nint main(void)\n{\n\talarm(3000);\n\tfor (;;)\n\t\tstep();\n}\n' >steps.c
${CC:-cc} -finstrument-functions -o steps steps.c
tau-record -o live ./steps >/dev/null 2>&1 </dev/null &
growing=$!
until tau-report timeline live >/dev/null 2>&1; do sleep 0.2; done
sleep 2
runs="$runs live"

tau-view --no-browser $runs >said 2>err &
pid=$!
browser driver said
cat >drive.py <<'END'
import csv, io, json, random, re, subprocess, sys, time, urllib.parse, urllib.request

from browser import Browser

address, number, seed, runs = sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:]
print("# TAU_TEST_SEED=%d" % seed)
random.seed(seed)

browser = Browser(sys.argv[1], timeout=300)
call, script, session = browser.call, browser.script, browser.session
call("POST", session + "/timeouts", script=300000)

def later(text, *args):
    return call("POST", session + "/execute/async", script="""const done = arguments[arguments.length - 1], given = [...arguments];
(async () => {""" + text + """})().then(done, (e) => done({error: String(e)}));""", args=list(args))

def printed(*words):
    out = subprocess.run(["tau-report"] + list(words), capture_output=True, text=True)
    return out.stdout if out.returncode == 0 else out.stderr.strip()

def table(*words):
    return list(csv.DictReader(io.StringIO(printed(*words))))

# A cell of the picture, as the page reads and draws it: its name, limits and times; the heights of its colours, of 400 pixels.
PICTURE = """
const m = await import("/view_base.js"), [run, begin, end, at, down] = given, g = m.grid([begin, end], 700);
const text = await (await m.request("report", {run, kind: "timeline", f: "csv", cells: g.length + "ns", by: "region", w: g.begin + "ns:" + g.end + "ns"})).text();
m.colours_forget();
const d = m.cells_read(text, g, "cells");
if (!d.rows.length)
	return null;
const row = d.rows[Math.floor(down * d.rows.length)], cell = Math.min(d.cells - 1, Math.floor(at * d.cells)), length = (d.end - d.begin) / d.cells;
const c = m.cells_picture({...d, rows: [row]}, d.cells, 401), of = c.getContext("2d").getImageData(cell, 0, 1, 401).data, heights = {};
for (let y = 0; y < 401; y++)
	if (of[4 * y + 3] === 255) {
		const rgb = "#" + [0, 1, 2].map((i) => of[4 * y + i].toString(16).padStart(2, "0")).join("").toUpperCase();
		heights[rgb] = (heights[rgb] || 0) + 1;
	}
return {pe: row.name, begin: d.begin + cell * length, end: d.begin + (cell + 1) * length, length, times: row.cell[cell], heights,
	colours: row.cell[cell].map(([name]) => m.colour(name).toUpperCase())};
"""

class Reports:
    equal, different, failed, rows = 0, [], 0, 0

class Pixels:
    equal, different, empty = 0, [], 0

def settled(run, kind, window):
    end = time.time() + 200
    while time.time() < end:
        seen = script("""const t = (i) => document.getElementById(i).textContent, r = document.getElementById("report");
return [t("command"), r.querySelector("img") ? "picture" : t("report"), r.getAttribute("aria-busy"), document.getElementById("wait").hidden]""")
        if seen[2] == "false" and seen[3] and seen[0].startswith("tau-report %s -w %s " % (kind, window)) and seen[0].endswith(" " + run):
            return seen
        time.sleep(0.1)
    return seen

def report(i, run, window, view, names):
    kind = random.choice(kinds)
    by = random.choice(kind["by"]) if kind["by"] else None
    word = random.choice(names) if kind["word"] else None
    place = {"kind": kind["name"], "run": i, "w": view, "s": window}
    if by:
        place["by"] = by
    if word:
        place["word"] = word
    state = urllib.parse.urlencode(place)
    script("history.replaceState(null, '', '#' + arguments[0]); location.reload()", state)
    seen = settled(run, kind["name"], window)
    words = [kind["name"], "-w", window] + (["--by", by] if by else []) + (["--", word] if word else []) + [run]
    want = printed(*words)
    nothing = want.startswith("tau-report: ")
    Reports.failed += nothing
    # Until when a process has been recorded differs from one moment to the next.
    now = lambda text: re.sub(r"up to now, [0-9.]+ m?s", "up to now", text)
    if now(seen[1]) == now(want):
        Reports.equal += 1
    else:
        Reports.different.append((words, seen[0], want[:400], seen[1][:400]))
    return not nothing

def times(x, run):
    """The time of each category in the cell, in ns, by the profile of it. Several ranks and threads share a row."""
    words = ["profile", "-w", "%dns:%dns" % (x["begin"], x["end"]), "-f", "csv"]
    pe, dot, thread = x["pe"].partition(".") if ".." not in x["pe"] else (x["pe"], "", "")
    words += ["--rank", pe] + (["--thread", thread or "0"] if ".." not in pe else []) + ["--samples"] * sampled[run] + [run]
    of = {}
    for r in table(*words):
        if r["kind"] == ("sample" if sampled[run] else "region"):
            of[r["region"]] = of.get(r["region"], 0) + round(1000 * float(r["exclusive_us"] or 0))
    return words, of

def pixel(i, run, begin, end):
    x = later(PICTURE, str(i), begin, end, random.random(), random.random())
    if not x:
        Pixels.empty += 1
        return []
    if "it contains no regions in window" in x.get("error", "") and not table("timeline", "--cells", "1", "-f", "csv", "-w", "%dns:%dns" % (begin, end), run):
        Pixels.empty += 1
        return []
    if "error" in x:
        Pixels.different.append((run, begin, end, x))
        return []
    words, of = times(x, run)
    seen = {name: round(ns) for name, ns in x["times"]}
    others = seen.pop("others", 0)
    # What the recorder itself does at the end is seen, but is no part of the program and so in no row of a profile.
    own = [n for n in seen if n.startswith(".TAU memory ")]
    for n in own:
        del seen[n]
    of.pop(".TAU application", None) if ".TAU application" not in seen else None
    rest = sum(ns for name, ns in of.items() if name not in seen)
    wrong = {n: (ns, of.get(n)) for n, ns in seen.items() if ns != of.get(n)}
    if rest != others:
        wrong["others"] = (others, rest)
    # What is drawn: each colour has its share of the height. Colours that several names have are added.
    drawn = {}
    for (name, ns), c in zip(x["times"], x["colours"]):
        drawn[c] = drawn.get(c, 0) + 400 * ns / max(x["length"], sum(t for n, t in x["times"]))
    for c, h in drawn.items():
        if abs(h - x["heights"].get(c, 0)) > 2 + len(x["times"]):
            wrong[c] = (x["heights"].get(c, 0), h)
    if not seen and not wrong:
        Pixels.empty += 1
    elif wrong:
        Pixels.different.append((words, wrong))
    else:
        Pixels.equal += 1
    return [n for n in seen if n != "others"]

call("POST", session + "/url", url=address)
until = time.time() + 60
while time.time() < until and not script("return document.querySelector('#kinds button')"):
    time.sleep(0.2)
kinds = [k for k in later("const m = await import('/view_base.js'); return (await m.request('runs', {})).json()")["kinds"] if k["tables"] and not k["several"]]
extent, sampled = {}, {}
for run in runs:
    f = printed("timeline", "-f", "json", "--cells", "1", "--by", "group", run)
    if not f.startswith("{"):
        raise SystemExit("%s: %s" % (run, f))
    f = json.loads(f)["facts"]
    extent[run], sampled[run] = (f["begin_ns"], f["end_ns"]), f["sampled"]
for n in range(number):
    i = n % len(runs)
    run, (first, last) = runs[i], extent[runs[i]]
    length = max(10, int((last - first) * 10 ** random.uniform(-4, -0.1)))
    begin = random.randrange(first, max(first + 1, last - length))
    end = begin + length
    names = pixel(i, run, begin, end)
    # Many kinds have nothing about a run, which is compared, too: up to three, until one has rows.
    for again in range(3):
        if report(i, run, "%dns:%dns" % (begin, end), "%dns:%dns" % (max(first, begin - length), min(last, end + length)), names or ["main"]):
            Reports.rows += 1
            break
    pixel(i, run, begin, end)

def ok(what, good, seen=""):
    print("%sok - %s" % ("" if good else "not ", what))
    for x in [] if good else seen:
        print("#   %r" % (x,))

print("# %d selections of %d runs, %d kinds of reports: %d reports equal (%d of them that there is nothing), %d pixels equal, %d without a region" %
      (number, len(runs), len(kinds), Reports.equal, Reports.failed, Pixels.equal, Pixels.empty))
ok("each report is what tau-report prints for its window", not Reports.different and Reports.equal >= number, Reports.different[:10])
ok("most have rows", Reports.rows > 0.5 * number, [Reports.rows])
ok("each pixel consists of what the profile of its time has", not Pixels.different, Pixels.different[:10])
ok("most have a region", Pixels.equal > number, [Pixels.empty])
call("DELETE", session)
END
PYTHONPATH=$TOP/tests python3 drive.py "$port" "$(sed -n 1p said)" "${TAU_TEST_SELECTIONS:-24}" "${TAU_TEST_SEED:-$$}" $runs >out 2>drive.err
browser_results out
is "the browser was driven to the end" "$(tail -n 1 drive.err)$(grep -c 'most have a region' out)" 1
is "tau-view printed nothing" "$(cat err)" ""
kill $pid $driver
pkill -KILL -P $growing
wait $growing 2>/dev/null
tap_end
