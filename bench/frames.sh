#!/bin/sh
# frames.sh: how smoothly the page of tau-view follows the pointer: frames a second while the timeline is dragged, in Chromium without a
# graphics card (software rendering), of 64 rows with 200,000 visible calls each, and of as many single calls as the page draws.
# The page draws what fits the pixels. TAU_BENCH_BOXES: visible calls of a row.
. "$(dirname "$0")/common"
. "$TOP/tests/browser.sh"
BOXES=${TAU_BENCH_BOXES:-200000}
have chromedriver || { echo "frames: no chromedriver (package chromium-driver)"; exit 0; }
D=$(mktemp -d "${TAU_BENCH_SCALE_DIR:-$CACHE}/frames.XXXXXX") || exit 4
trap 'kill $pids 2>/dev/null; rm -rf "$T" "$D"' EXIT
pids=
$CC -O2 -I"$TOP" -o "$W/scale" "$TOP/bench/scale.c" -lz || die "cannot build the writer of traces"
# Two records a call; half of the run is seen.
set -- $("$W/scale" "$D/run" $((BOXES * 64 * 4 * 3 / 2)) 64 ranks)
records=$2 ns=$3
tau-report timeline --format csv --cells 1 "$D/run" >/dev/null # cells are kept
tau-view --no-browser "$D/run" >"$T/said" 2>&1 &
pids="$pids $!"
browser "$T/driver" "$T/said"
pids="$pids $driver"
PYTHONPATH=$TOP/tests /usr/bin/python3 - "$port" "$(sed -n 1p "$T/said")" "$ns" "$ROUNDS" >"$T/frames" <<'END'
import json, sys, time

from browser import Browser

address, ns, rounds = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

browser = Browser(sys.argv[1], "1500,900", 300, ["--disable-gpu"])
call, script, session = browser.call, browser.script, browser.session

def drawn():
    last = None
    for i in range(600):
        now = script("return [document.getElementById('wait').hidden, document.getElementById('status').textContent, document.getElementById('part').textContent]")
        if now == last and now[0] and now[1].strip() and "coarse" not in now[1]:
            return now[1]
        last = now
        time.sleep(0.3)
    return last[1]

def drag(w):
    call("POST", session + "/url", url=address.split("#")[0] + "#kind=profile&w=%dns:%dns" % w)
    call("POST", session + "/refresh")
    text = drawn()
    time.sleep(2)
    x, y, width, height = script("const r = document.getElementById('plot').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]")
    script("""window.at = []; window.on = true;
const f = (t) => { at.push(t); on && requestAnimationFrame(f); };
requestAnimationFrame(f);""")
    # 200 pixels to and fro, a move each 8 ms: more than frames.
    moves = []
    for i in range(250):
        moves += [{"type": "pointerMove", "x": int(x + width / 2 + (i % 200 if i % 400 < 200 else 200 - i % 200)), "y": int(y + 40), "duration": 8}]
    call("POST", session + "/actions", actions=[
        {"type": "key", "id": "k", "actions": [{"type": "keyDown", "value": "\ue008"}] + [{"type": "pause"}] * (len(moves) + 2) + [{"type": "keyUp", "value": "\ue008"}]},
        {"type": "pointer", "id": "p", "actions": [{"type": "pointerMove", "x": int(x + width / 2), "y": int(y + 40)}, {"type": "pointerDown", "button": 0}] + moves +
            [{"type": "pointerUp", "button": 0}]}])
    at = script("on = false; return at")
    now = script("return document.getElementById('part').textContent")
    gaps = sorted(b - a for a, b in zip(at, at[1:]))
    return 1000 * len(gaps) / (at[-1] - at[0]), gaps[len(gaps) * 95 // 100], text, now

call("POST", session + "/url", url=address)
drawn()
for name, w in ("cells", (ns // 4, ns // 4 + ns // 2)), ("calls", (ns // 2, ns // 2 + ns // 40000)):
    for i in range(rounds):
        print(name, *drag(w))
call("DELETE", session)
END
[ -s "$T/frames" ] || die "the browser drew nothing"
echo "frames: $records records, $((records / 64 / 4)) visible calls in each of 64 rows; software rendering; load $(cut -d' ' -f1 /proc/loadavg)"
# The best of the rounds: the machine does other work, too.
for name in cells calls; do
	set -- $(sed -n "s/^$name //p" "$T/frames" | sort -rn | head -n 1)
	sed -n "s/^$name [0-9.]* [0-9.]* /  /p" "$T/frames" | head -n 1
	what="64 rows of $((records / 64 / 4)) calls"
	[ $name = calls ] && what="single calls"
	goal "frames a second while $what are dragged" "$(calc %.1f "$1")" least 58 /s
	goal "95th percentile of the time between them, $what" "$(calc %.1f "$2")" most 20 ms
done
