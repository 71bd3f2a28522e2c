#!/bin/sh
# viewers.sh: the largest parts of one trace that other viewers in a browser open, beside all of it in tau-view: seconds until there is a
# picture, and memory. speedscope comes from npm, into the folder of caches; "JSON.parse" is what any page that reads the JSON of the
# trace does first, and no more. TAU_BENCH_SCALE: bytes of the trace (default 100 MB); TAU_BENCH_EVENTS: how many events of it others
# are given, one after the other; TAU_BENCH_PATIENCE: seconds for each (default 60).
. "$(dirname "$0")/common"
. "$TOP/tests/browser.sh"
SIZE=${TAU_BENCH_SCALE:-100000000}
PATIENCE=${TAU_BENCH_PATIENCE:-60}
have chromedriver || { echo "viewers: no chromedriver (package chromium-driver)"; exit 0; }
S=$CACHE/speedscope/node_modules/speedscope/dist/release
if [ ! -d "$S" ]; then
	have npm || { echo "viewers: no npm"; exit 0; }
	mkdir -p "$CACHE/speedscope" && (cd "$CACHE/speedscope" && npm init -y && npm install speedscope@1.25.0) >"$T/npm" 2>&1 ||
		{ echo "viewers: npm cannot install speedscope"; exit 0; }
fi
D=$(mktemp -d "${TAU_BENCH_SCALE_DIR:-$CACHE}/viewers.XXXXXX") || exit 4
pids=
trap 'kill $pids 2>/dev/null; rm -rf "$T" "$D"' EXIT
$CC -O2 -I"$TOP" -o "$W/scale" "$TOP/bench/scale.c" -lz || die "cannot build the writer of traces"
$CC -O2 -o "$W/cost" "$TOP/bench/cost.c" || die "cannot build the meter of memory"
set -- $("$W/scale" "$D/run" "$SIZE")
bytes=$1 records=$2 ns=$3
"$W/cost" tau-report timeline -f csv --cells 1 -o "$T/out.csv" "$D/run" 2>"$T/first" || die "no timeline"
"$W/cost" tau-report timeline -f csv --cells 500 -o "$T/out.csv" "$D/run" 2>"$T/cost" || die "no timeline"
mkdir "$D/site" && ln -s "$S" "$D/site/speedscope"
cat >"$D/site/parse.html" <<'END'
<!DOCTYPE html><title>reads</title>
<script>fetch(location.hash.slice(1)).then((a) => a.json()).then((x) => { window.kept = x; document.title = "read"; });</script>
END
for events in ${TAU_BENCH_EVENTS:-200000 500000 1000000 2000000 5000000}; do
	[ "$events" -lt "$records" ] || continue
	tau-convert --to json -w "0ns:$(calc %.0f "$ns / $records * $events")ns" "$D/run" "$D/site/$events.json" || die "cannot convert"
done
tau-view --no-browser "$D/run" >"$T/said" 2>&1 &
view=$!
pids="$pids $view"
browser "$T/driver" "$T/said"
pids="$pids $driver"
echo "viewers: $records records, $bytes bytes; tau-report keeps cells once: $(tail -n 1 "$T/first" | cut -d' ' -f1,3 | sed 's/ / s of CPU, /') MB; load $(cut -d' ' -f1 /proc/loadavg)"
PYTHONPATH=$TOP/tests /usr/bin/python3 - "$port" "$driver" "$(sed -n 1p "$T/said")" "$D/site" "$PATIENCE" "$records" "$(tail -n 1 "$T/cost" | cut -d' ' -f3)" <<'END'
import functools, glob, http.server, os, sys, threading, time, urllib.error

from browser import Browser

port, chromedriver, address, site, patience = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], float(sys.argv[5])

class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *a):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=site))
threading.Thread(target=server.serve_forever, daemon=True).start()
base = "http://127.0.0.1:%d/" % server.server_port

def below(pid):
    """The processes that chromedriver started, and theirs."""
    parent = {}
    for p in glob.glob("/proc/[0-9]*/stat"):
        try:
            words = open(p).read().rpartition(")")[2].split()
            parent[int(p.split("/")[2])] = int(words[1])
        except OSError:
            pass
    found, n = {pid}, 0
    while len(found) != n:
        n = len(found)
        found |= {p for p, q in parent.items() if q in found}
    return found

def memory():
    """MB that the largest process of a page had at most."""
    most = 0
    for p in below(chromedriver):
        try:
            if b"--type=renderer" in open("/proc/%d/cmdline" % p, "rb").read():
                most = max(most, int(open("/proc/%d/status" % p).read().partition("VmHWM:")[2].split()[0]))
        except (OSError, IndexError):
            pass
    return most / 1024

def open_in(url, is_there):
    """Seconds until the condition holds, or None; memory."""
    browser = Browser(port, "1500,900", 30, ["--disable-gpu"], pageLoadStrategy="none")
    most, took, begin = 0, None, time.time()
    try:
        browser.call("POST", browser.session + "/url", url=url)
        browser.timeout = patience
        while time.time() - begin < patience and took is None:
            try:
                if browser.script("return " + is_there):
                    took = time.time() - begin
            except (urllib.error.URLError, TimeoutError):
                pass	# busy, or gone
            most = max(most, memory())
            time.sleep(0.05)
        most = max(most, memory())
    except (urllib.error.URLError, TimeoutError):
        pass
    try:
        browser.timeout = 30
        browser.call("DELETE", browser.session)
    except (urllib.error.URLError, TimeoutError):
        pass
    return took, most

def line(what, events, size, took, most):
    print("  %-12s %10d records %8.1f MB %s %6.0f MB of memory" % (what, events, size / 1e6, "%6.1f s" % took if took is not None else "no answer in %g s" % patience, most), flush=True)

took, most = open_in(address, "document.getElementById('wait').hidden && document.getElementById('status').textContent.trim() !== '' && document.querySelectorAll('#names button').length > 0")
line("tau-view", int(sys.argv[6]), sum(os.path.getsize(f) for f in glob.glob(os.path.join(site, "../run/*.tau"))), took, most + float(sys.argv[7]))
for name, url, is_there in (("speedscope", "speedscope/index.html#profileURL=" + base + "%s", "document.title !== '' && document.title !== 'speedscope'"),
                            ("JSON.parse", "parse.html#%s", "document.title === 'read'")):
    for file in sorted(glob.glob(site + "/*.json"), key=os.path.getsize):
        took, most = open_in(base + url % os.path.basename(file), is_there)
        line(name, int(os.path.basename(file)[:-5]), os.path.getsize(file), took, most)
        if took is None:
            break
END
