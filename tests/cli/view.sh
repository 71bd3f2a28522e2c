# view.sh: tau-view gives its data to those with the token, who come from its page; its reports are those of tau-report.
. "$(dirname "$0")/../tap.sh"
linked tau-view libmicrohttpd || skip_all "built without libmicrohttpd"
cd "$T" || exit 1
tau-record -o run "$B/apps/hooks" >/dev/null 2>&1
tau-record -o "-odd run" "$B/apps/hooks" >/dev/null 2>&1

# AddressSanitizer's shadow memory counts as allocated.
limit=512MiB
grep -q __asan_init "$B/tau-view" && limit=100TiB

refused() { is "$1" "$(shift 2; "$@" 2>&1 >/dev/null | tr '\n' ' '; "$@" >/dev/null 2>&1; echo "$?")" "$2"; }
refused "no run" "tau-view: name a run (see tau-view --help) 2" tau-view
refused "no such run" "tau-view: gone: there is no such run 3" tau-view gone
refused "a port and a socket" "tau-view: --port and --socket exclude each other 2" tau-view --port 5 --socket ./s run
refused "no such port" "tau-view: --port: a port is a number from 1 to 65535 2" tau-view --port 70000 run

tau-view --no-browser --memory-limit $limit run "./-odd run" >said 2>err &
pid=$!
for try in 1 2 3 4 5 6 7 8 9 10; do [ -s said ] && break; sleep 0.5; done
url=$(sed -n '1s/#.*//p' said)
token=$(sed -n '1s/.*#t=//p' said)
like "an address with a token" "$(sed -n 1p said)" '^http://127\.0\.0\.1:[0-9]+/#t=[0-9a-f]{32}$'

cat >get.py <<'END'
import sys, urllib.request, urllib.error
url, out = sys.argv[1], sys.argv[2]
headers = dict(h.split(": ", 1) for h in sys.argv[3:])
try:
    r = urllib.request.urlopen(urllib.request.Request(url, headers=headers))
except urllib.error.HTTPError as e:
    r = e
open(out, "wb").write(r.read())
print(r.status, r.headers.get("Content-Type"), r.headers.get("Content-Security-Policy", "").split(";")[0])
END
get() { python3 get.py "$url$1" got ${3+"$3"} ${2+"X-Tau-Token: $2"}; }
status() { get "$@" | cut -d' ' -f1; }

is "anybody may read the page" "$(get '')" "200 text/html; charset=utf-8 default-src 'none'"
is "its script" "$(get view.js | cut -d';' -f1)" "200 text/javascript"
is "no data without the token" "$(status runs) $(cat got)" "403 the token is missing or wrong: open the address that tau-view printed"
is "nor with another one" "$(status runs "$(printf '%s' "$token" | tr 0-9a-f 1-9a-f0)")" 403
is "nor a part of it" "$(status runs "$(printf '%.31s' "$token")")" 403
is "with it" "$(status runs "$token")" 200
is "the runs, whatever their names" "$(python3 -c 'import json; print(json.load(open("got"))["runs"])')" "['run', './-odd run']"
is "not for a page of another origin" "$(status runs "$token" 'Origin: http://evil.example')" 403
is "nor of another port" "$(status runs "$token" 'Sec-Fetch-Site: same-site')" 403
is "but for its own" "$(status runs "$token" 'Sec-Fetch-Site: same-origin') $(status runs "$token" "Origin: ${url%/}")" "200 200"
is "nor under another name" "$(status runs "$token" 'Host: evil.example')" 403
is "no other page" "$(status ../run "$token") $(status run/processes "$token")" "404 404"

# Each report is what its command prints.
same() {
	is "$1: status" "$(status "report?$2" "$token")" "${3-200}"
	cp got report
	is "$1: its command" "$(status "command?$2" "$token")" 200
	is "$1: prints the same" "$(cd "$T" && sh -c "$(cat got)" 2>&1 | cmp - report && echo same)" same
}
same "a profile" "kind=profile"
same "of a window" "kind=profile&w=0ns:1000000ns"
same "the other run" "kind=tree&run=1"
same "a timeline" "kind=timeline&f=json&cells=100&by=region"
same "a picture" "kind=flame&f=svg"
same "functions below one" "kind=callers&word=main"
same "about both" "kind=diff"
same "a report that has nothing to print" "kind=locks" 422
same "a window that is none" "kind=profile&w=tomorrow" 422
bad=""
for q in kind=nothing kind=html kind=plugin kind=compare "kind=profile&f=folded" "kind=profile&by=--db" "kind=profile&w=-o" "kind=profile&w=" \
	"kind=timeline&cells=9x" "kind=profile&top=-1" "kind=profile&rank=a" "kind=profile&run=2" "kind=profile&run=x" kind=callers "kind=callers&word=-o" ""; do
	[ "$(status "report?$q" "$token")" = 400 ] || bad="$bad $q"
done
is "what is not known is refused" "$bad" ""
is "nothing was written" "$(ls | tr '\n' ' ')" "-odd run err get.py got report run said "

kill $pid
wait $pid
is "SIGTERM ends it well" "$?$(cat err)" 0
ok "its port is closed" sh -c "! python3 get.py '$url' got 2>/dev/null"

rm said
tau-view --no-browser --socket ./socket run >said 2>err &
pid=$!
for try in 1 2 3 4 5 6 7 8 9 10; do [ -s said ] && break; sleep 0.5; done
is "a socket that only the user can open" "$(stat -c %a socket)" 600
like "how it is reached from elsewhere" "$(sed -n 2p said)" 'ssh -L 8000:\./socket '
kill $pid
wait $pid
is "it is removed" "$(ls socket 2>/dev/null)" ""

# Large traces of other tools are converted once.
serve() { rm -f said; XDG_CACHE_HOME=$T/cache tau-view --no-browser --memory-limit $limit "$@" >said 2>err & pid=$!
	for try in 1 2 3 4 5 6 7 8 9 10; do [ -s said ] && break; sleep 0.5; done
	url=$(sed -n '1s/#.*//p' said)
	token=$(sed -n '1s/.*#t=//p' said); }
stop() { kill $pid; wait $pid; }

# --once: until no page is open, and a page that is read again has been away for a moment. Without the token no page is closed.
gone() { for try in $(seq 120); do kill -0 $pid 2>/dev/null || return 0; sleep 0.5; done; return 1; }
serve --once run
is "a page comes, one more, one of them goes" "$(status runs "$token") $(status runs "$token") $(status end "$token")" "200 200 200"
sleep 7
is "the other one is open" "$(status command?kind=profile "$token")" 200
is "it goes and comes back" "$(status end "$token") $(status runs "$token")" "200 200"
is "who has no token closes none" "$(status end)" 403
sleep 7
is "it still is" "$(status command?kind=profile "$token")" 200
is "it goes" "$(status end "$token")" 200
ok "that is the end" gone
wait $pid
is "of its own accord" $? 0
serve run
is "without --once it stays" "$(status runs "$token") $(status end "$token")" "200 200"
sleep 7
is "for the next page" "$(status runs "$token")" 200
stop

if tau-convert --to otf2 run archive >/dev/null 2>&1; then
	serve archive/traces.otf2
	is "a short archive is read as it is" "$(status "command?kind=profile" "$token") $(cat got) $(ls cache 2>/dev/null)" "200 tau-report profile archive/traces.otf2 "
	stop
	head -c 5000000 /dev/zero >archive/traces/more
	serve archive/traces.otf2
	like "a large one is converted" "$(head -n 1 err)" "^tau-view: .*/archive/traces\.otf2: it is converted once, to $T/cache/tau/traces\.otf2\.tau-[0-9a-f]{16}, which"
	is "it has the user's name" "$(status runs "$token") $(python3 -c 'import json; print(json.load(open("got"))["runs"])')" "200 ['archive/traces.otf2']"
	same "of it, a profile" "kind=profile"
	like "by its command" "$(cat got)" "^tau-report profile $T/cache/tau/traces\.otf2\.tau-"
	stop
	serve archive/traces.otf2
	is "and not again" "$(cat err) $(ls cache/tau | wc -l)" " 1"
	stop
	touch archive/traces.def
	serve archive/traces.otf2
	is "but after a change" "$(grep -c 'is converted once' err) $(ls cache/tau | wc -l)" "1 2"
	stop
	for i in 1 2 3 4 5 6 7 8 9 a b c d e f; do
		mkdir "cache/tau/old.tau-000000000000000$i"
		touch -d "2020-01-02" "cache/tau/old.tau-000000000000000$i"
	done
	mkdir cache/tau/mine
	ended=cache/tau/killed.tau-0123456789abcdef.7
	mkdir $ended.abcdef $ended.ABCDEF
	touch -d "2020-01-02" $ended.abcdef
	touch archive/traces.def
	serve archive/traces.otf2
	is "those that were used last are kept, and what is not ours" "$(ls -d cache/tau/*.tau-???????????????? | wc -l) $(ls cache/tau | grep -c traces) $(ls -d cache/tau/mine)" "16 3 cache/tau/mine"
	is "what a conversion that was killed has left goes, unless it is of today" "$(ls -d $ended.*)" "$ended.ABCDEF"
	stop
	chmod 777 cache/tau
	serve archive/traces.otf2
	is "a folder that others can write to is not used" "$(cat err)" \
		"tau-view: $T/cache/tau: nothing is converted, because this is not a folder that only you can write to"
	stop
	mv cache/tau elsewhere
	chmod 700 elsewhere
	ln -s ../elsewhere cache/tau
	serve archive/traces.otf2
	is "nor is a link" "$(status "command?kind=profile" "$token") $(cat got)" "200 tau-report profile archive/traces.otf2"
	stop
	rm -r cache
	echo >cache
	serve archive/traces.otf2
	is "without a cache it is read as it is" "$(status "command?kind=profile" "$token") $(cat got)" "200 tau-report profile archive/traces.otf2"
	stop
else
	skip "large archives" "built without OTF2"
fi
tap_end
