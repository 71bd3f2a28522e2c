# view-store.sh: tau-view --db without trials: a list of trials, conditions that narrow it, and reports of those that are chosen, as
# requests and in Chromium.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/browser.sh"
linked tau-view libmicrohttpd || skip_all "built without libmicrohttpd"
unset TAUDB
cd "$T" || exit 1

# profile DIR PES: "solve" scales, "exchange" grows
profile() {
	mkdir -p "$1"
	for n in $(seq 0 $(($2 - 1))); do
		cat >"$1/profile.$n.0.0" <<-END
			2 templated_functions_MULTI_TIME
			# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute></metadata>
			"solve" 10 0 $((80000 / $2)) $((80000 / $2)) 0 GROUP="TAU_USER" 
			"exchange" 10 0 $((100 * $2)) $((100 * $2)) 0 GROUP="TAU_USER" 
			0 aggregates
		END
	done
}
for p in 1 2 4 8; do
	profile p$p $p
	for host in a "b c"; do
		tau-db import -d store.db -a lu -n "n$p on $host" -m "host=$host" -m commit=$((p / 3)) p$p >/dev/null
	done
done
tau-db import -d store.db -a "it's" -x first -n 3 p4 >/dev/null

refused() { is "$1" "$(shift 2; "$@" 2>&1 >/dev/null | tr '\n' ' '; "$@" >/dev/null 2>&1; echo "$?")" "$2"; }
refused "no such database" "tau-view: gone.db: there is no such database 3" tau-view --db gone.db
refused "neither runs nor a database" "tau-view: name a run (see tau-view --help) 2" tau-view

limit=512MiB
grep -q __asan_init "$B/tau-view" && limit=100TiB
# serve OPERANDS...: sets $pid, $url and $token
serve() {
	rm -f said
	tau-view --no-browser --memory-limit $limit "$@" >said 2>err &
	pid=$!
	for try in $(seq 40); do [ -s said ] && break; sleep 0.5; done
	url=$(sed -n '1s/#.*//p' said)
	token=$(sed -n '1s/.*#t=//p' said)
}
cat >get.py <<'END'
import sys, urllib.request, urllib.error, urllib.parse
url, token, path, *what = sys.argv[1:]
query = urllib.parse.urlencode([tuple(w.split("=", 1)) for w in what])
try:
    r = urllib.request.urlopen(urllib.request.Request(url + path + "?" + query, headers={"X-Tau-Token": token}))
except urllib.error.HTTPError as e:
    r = e
open("got", "wb").write(r.read())
print(r.status)
END
status() { python3 get.py "$url" "$token" "$@"; }
# same WHAT STATUS ARGUMENTS...: a report is what its command prints
same() {
	what=$1 want=$2
	shift 2
	is "$what: status" "$(status report "$@")" "$want"
	cp got report
	is "$what: its command" "$(status command "$@")" 200
	is "$what: prints the same" "$(sh -c "$(cat got)" 2>&1 | cmp - report && echo same)" same
}
serve --db store.db
is "the page chooses among the trials" "$(status runs) $(python3 -c 'import json; d = json.load(open("got")); print(d["store"], d["runs"], [k["name"] for k in d["kinds"] if k["name"] in ("scaling", "profile", "waits", "timeline", "compare")])')" \
	"200 True [] ['scaling', 'profile']"
same "the trials" 200 kind=trials f=json
like "with the metadata in which they differ" "$(cat report)" '"id": 9, "name": "3", .*"Application": "it.s"'
same "those of a condition" 200 kind=trials f=csv "where=host='b c' and pes>=4"
is "which are two" "$(wc -l <report)" 3
same "the first by an order" 200 kind=trials f=csv top=2 sort=-pes
is "the largest" "$(cut -d, -f1 report | tr '\n' ' ')" "id 7 8 "
same "their values" 200 kind=values f=json
same "a condition that is none" 422 kind=trials "where=host="
same "a name that no trial has" 422 kind=trials where=hots=a
same "one trial" 200 kind=profile trials=3
same "a trial whose name is a number" 200 kind=profile trials=9
same "two trials" 200 kind=diff trials=3,5
same "all of a condition" 200 kind=scaling where=host=a
same "as a picture" 200 kind=scaling where=host=a f=svg
same "all" 200 kind=scaling
bad=""
for q in "kind=profile" "kind=profile trials=" "kind=profile trials=x" "kind=profile trials=-1" "kind=scaling trials=1,--db" "kind=scaling where=" "kind=scaling where=-o" \
	"kind=trials sort=--db" "kind=trials top=x" "kind=trials f=svg" "kind=trials where=--db" "kind=profile run=0 trials=1" "kind=waits trials=1" "kind=list"; do
	[ "$(status report $q)" = 400 ] || bad="$bad $q,"
done
is "what is not known is refused" "$bad" ""
kill $pid
wait $pid
serve --db store.db 3 5
is "of trials that were named there is no choice" "$(status report kind=trials) $(status report kind=profile trials=1) $(status report kind=scaling where=host=a)" "400 400 400"
is "they are shown" "$(status report kind=scaling) $(grep -c "(longest thread)" got)" "200 1"
kill $pid
wait $pid

is "a number means the trial with this number, not one with this name" "$(tau-report profile --db store.db 3 | head -n 1)" "n2 on a"
is "a name is found where no trial has that number" "$(tau-db rename -d store.db 9 77; tau-report profile --db store.db 77 | head -n 1; tau-db rename -d store.db 9 3)" "77"

# Many trials, in the page.
command -v chromedriver >/dev/null || { skip "the page" "no chromedriver (package chromium-driver)"; tap_end; exit; }
cp store.db many.db
for i in 1 2 3 4 5; do
	cp many.db more.db
	tau-db merge --again many.db more.db >/dev/null
done
serve --db many.db
cat >drive.py <<'END'
import csv, io, json, re, subprocess, sys, time

from browser import Browser, ok

browser = Browser(sys.argv[1])
call, script, session, text, until = browser.call, browser.script, browser.session, browser.text, browser.until

def keys(*ks):
    call("POST", session + "/actions", actions=[{"type": "key", "id": "k", "actions": [a for k in ks for a in ({"type": "keyDown", "value": k}, {"type": "keyUp", "value": k})]}])

def out(command):
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout

def ids():
    return script("return [...document.querySelectorAll('#trials tbody tr')].map((r) => r.dataset.id)")

def listed(where):
    rows = csv.DictReader(io.StringIO(out("tau-db list -f csv --top 200 --db many.db" + (" --where \"" + where + "\"" if where else ""))))
    return [r["id"] for r in rows]

def shows(where):
    return lambda: script("return document.getElementById('trials').getAttribute('aria-busy')") == "false" and ids() == listed(where)

def chosen():
    return script("return [...document.querySelectorAll('#trials tr[aria-selected=true]')].map((r) => r.dataset.id)")

def settled():
    last = None
    for i in range(300):
        now = (text("#command"), text("#report"), script("return document.getElementById('report').getAttribute('aria-busy')"))
        if now == last and now[1] and now[2] == "false":
            return now
        last = now
        time.sleep(0.3)

def same(what, command):
    until(what, lambda: text("#command") == command)
    report = settled()[1]
    ok(what + ": the report is the output of its command", out(command) == report, (command, report[:300]))

def kind(name):
    script("[...document.querySelectorAll('#kinds button')].find(b => b.textContent === arguments[0]).click()", name)

def offer(name, value):
    script("""const s = [...document.querySelectorAll('#offers label')].find((l) => l.firstChild.textContent === arguments[0] + ' ').querySelector('select');
s.value = arguments[1]; s.dispatchEvent(new Event('change'))""", name, value)

address = sys.argv[2]
call("POST", session + "/url", url=address)
until("the list", shows(""))
ok("the first of many, and it is noted", len(ids()) == 200 and text("#trials-count").startswith("The first 200 of 288 trials"), text("#trials-count"))
heads = script("return [...document.querySelectorAll('#trials th')].map((e) => e.textContent)")
ok("with application, experiment, PEs and metadata", {"id", "name", "application", "experiment", "PEs", "host", "commit"} <= set(heads), heads)
ok("no timeline", script("return document.getElementById('timeline').checkVisibility()") is False)
ok("a report about one asks for it", "choose it" in text("#report"), text("#report"))

keys("/", *"host=a and pes<=2")
until("a condition", shows("host=a and pes<=2"))
ok("its trials are counted", text("#trials-count") == "64 trials.", text("#trials-count"))
ok("the command prints the same list", [r["id"] for r in csv.DictReader(io.StringIO(out(text("#trials-command") + " -f csv")))] == ids(), text("#trials-command"))
ok("it is in the address", "where=host" in call("GET", session + "/url"), call("GET", session + "/url"))
kind("scaling")
same("scaling of what the condition leaves", "tau-report scaling --db many.db --where 'host=a and pes<=2'")
script("const s = document.querySelector('#choices select'); s.value = 'svg'; s.dispatchEvent(new Event('change'))")
until("the chart", lambda: script("const i = document.querySelector('#report img'); return i && i.naturalWidth"))
ok("the chart is of its command", text("#command") == "tau-report scaling -f svg --db many.db --where 'host=a and pes<=2'", text("#command"))
script("const s = document.querySelector('#choices select'); s.value = 'text'; s.dispatchEvent(new Event('change'))")

script("document.getElementById('trials-all').click()")
until("all trials", shows(""))
offer("host", "=b c")
until("a value that was chosen", shows("host='b c'"))
offer("Application", "=it's")
until("nothing is both", lambda: text("#trials-count") == "No trial is so.")
offer("host", "!")
until("quotes, and what a trial has none of", shows("not host and Application='it''s'"))
ok("32 trials have no host", text("#trials-count") == "32 trials.", text("#trials-count"))
offer("Application", "")
offer("host", "=a")
until("another value", shows("host=a"))
keys("\ue00c")
script("const w = document.getElementById('where'); w.value = 'pes=1 or pes=8'; w.dispatchEvent(new Event('input'))")
until("both conditions", shows("(pes=1 or pes=8) and host=a"))
ok("values of names are counted under the condition that was typed", script("""return [...document.querySelectorAll('#offers label')].find((l) => l.firstChild.textContent === 'host ')
.querySelector('option:checked').textContent""") == "a \u00b7 64", text("#offers"))
url = call("GET", session + "/url")

kind("profile")
first, second, third = ids()[:3]
script("document.querySelector('#trials tbody tr').click()")
same("a trial that was clicked", "tau-report profile --db many.db " + first)
ok("it is marked", chosen() == [first], chosen())
keys("\ue015", " ")
until("a second one by keys", lambda: chosen() == [first, second])
keys("\ue015", " ", "\ue013", " ")
until("one more, and one less", lambda: chosen() == [first, third])
same("the first of two", "tau-report profile --db many.db " + first)
script("const r = document.getElementById('run'); r.value = arguments[0]; r.dispatchEvent(new Event('change'))", third)
same("the other one", "tau-report profile --db many.db " + third)
kind("diff")
same("both", "tau-report diff --db many.db %s %s" % (first, third))
call("POST", session + "/refresh")
until("the same after the page is read again", lambda: chosen() == [first, third] and ids() == listed("(pes=1 or pes=8) and host=a"))
same("the same report", "tau-report diff --db many.db %s %s" % (first, third))
script("document.querySelector('#trials tbody tr').focus()")
keys("\ue015", "\ue007")
until("only this one, by Enter", lambda: chosen() == [second])
keys("\ue00c")
until("none, by Escape", lambda: chosen() == [])
kind("scaling")
same("several: all of the conditions", "tau-report scaling --db many.db --where '(pes=1 or pes=8) and host=a'")

script("[...document.querySelectorAll('#trials th button')].find((b) => b.textContent.startsWith('PEs')).click()")
until("sorted", lambda: "--sort pes" in text("#trials-command"))
script("[...document.querySelectorAll('#trials th button')].find((b) => b.textContent.startsWith('PEs')).click()")
until("the largest first", lambda: "--sort -pes" in text("#trials-command") and text("#trials-count") == "64 trials.")
of = script("return [...document.querySelectorAll('#trials tbody tr')].map((r) => r.children[[...document.querySelectorAll('#trials th')].findIndex((t) => t.textContent.startsWith('PEs'))].textContent)")
ok("by numbers", of == ["8"] * 32 + ["1"] * 32, of)
keys("/")
script("const w = document.getElementById('where'); w.value = 'pes=='; w.dispatchEvent(new Event('input'))")
ok("what is wrong with a condition is said", until("what is wrong", lambda: "expected a value" in text("#trials-count")))
call("DELETE", session)
print("ok - driven to the end")
END
browser driver said
PYTHONPATH=$TOP/tests python3 drive.py "$port" "$(sed -n 1p said)" >out 2>drive.err
browser_results out
is "Chromium was driven to the end" "$(tail -n 1 drive.err)$(tail -n 1 out)" "ok - driven to the end"
kill $driver $pid
tap_end
