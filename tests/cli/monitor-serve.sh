# monitor-serve.sh: tau-monitor --serve with clients that are slow, idle, many, of another origin, or do not read their answers:
# others get their answers, and SIGTERM ends the server. At the end it removes its own socket, and no other's.
. "$(dirname "$0")/../tap.sh"
linked tau-monitor libmicrohttpd || skip_all "built without libmicrohttpd"
cd "$T" || exit 1
tau-record -o run "$B/apps/hooks" >/dev/null 2>&1

cat >client.py <<'END'
import os, signal, socket, sys, time

where, pid = sys.argv[1], int(sys.argv[2])
n = bad = 0

def ok(what, good, seen):
    global n
    n += 1
    print("%sok - %s" % ("" if good else "not ", what) + ("" if good else "\n#   " + repr(seen)))

def connect():
    s = socket.create_connection(("127.0.0.1", int(where)))
    s.settimeout(60)
    return s

def status(line="GET /metrics HTTP/1.1", host="localhost"):
    s = connect()
    s.sendall((line + "\r\n" + ("Host: " + host + "\r\n" if host else "") + "\r\n").encode())
    out = b""
    while True:
        b = s.recv(65536)
        if not b:
            return int(out.split(b" ")[1]) if b" " in out else 0, out
        out += b

first = status()
ok("a look", first[0] == 200 and first[1].endswith(b"# EOF\n"), first)
for host, want in (("127.0.0.1", 200), ("localhost:9", 200), ("[::1]:9", 200), (None, 200), ("LOCALHOST", 200), ("evil.example", 403),
                   ("localhost.evil.example", 403), ("localhost:", 403), ("localhost:9x", 403), ("10.0.0.1", 403)):
    got = status(host=host)
    # libmicrohttpd 1.0 itself refuses HTTP/1.1 without a host, as the protocol demands.
    if host is None and got[0] == 400:
        want = 400
    ok("the host %s" % host, got[0] == want and (want == 200 or b"tau_" not in got[1]), got)
for line, want in (("POST /metrics HTTP/1.1", 405), ("HEAD /metrics HTTP/1.1", 405), ("GET / HTTP/1.1", 404),
                   ("GET /../metrics HTTP/1.1", 404), ("GET /metrics?x=1 HTTP/1.1", 200), ("\0\1\2", 400)):
    got = status(line)
    # libmicrohttpd 1.0 closes the connection if it is no request.
    ok("the request %r" % line, got[0] == want or want == 400 and not got[1], got)

# A byte now and then: the whole request has a deadline, and others are not kept waiting.
slow, begin, sent = connect(), time.time(), 0
request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 4000
cut = None
while time.time() - begin < 40 and cut is None:
    try:
        slow.send(request[sent:sent + 1])
        slow.settimeout(0.2)
        if slow.recv(1) == b"":
            cut = time.time() - begin
    except socket.timeout:
        pass
    except OSError:
        cut = time.time() - begin
    sent += 1
    if sent == 3:
        other = status()
        ok("beside a slow client", other[0] == 200, other)
ok("a slow client is cut off", cut is not None and 3 < cut < 35, cut)
idle = [connect() for _ in range(600)]
begin = time.time()
got = [status()[0] for _ in range(10)]
ok("beside 600 connections without a request", got == [200] * 10, got)
# The first of them are closed; the server has a bounded number.
closed = 0
for s in idle:
    s.settimeout(0.001)
    try:
        closed += s.recv(1) == b""
    except socket.timeout:
        pass
    except OSError:
        closed += 1
ok("of which it keeps few open", closed >= 400, closed)
lazy = connect()
try:
    for _ in range(200):
        lazy.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
except OSError:
    pass
got = status()
ok("beside a client that reads nothing", got[0] == 200, got)
again = [connect() for _ in range(100)]
again[0].send(b"GET /met")
begin = time.time()
os.kill(pid, signal.SIGTERM)
END
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
tau-monitor --serve "$port" run >out 2>&1 &
server=$!
for i in $(seq 200); do python3 -c "import socket; socket.create_connection(('127.0.0.1', $port))" 2>/dev/null && break; sleep 0.05; done
timeout 200 python3 client.py "$port" $server >seen 2>&1
code=$?
while read -r line; do
	case $line in
	"ok - "*) pass "${line#ok - }" ;;
	"not ok - "*) fail "${line#not ok - }" ;;
	*) echo "#   $line" ;;
	esac
done <seen
is "the client came to its end" "$code $(grep -c Traceback seen)" "0 0"
for i in $(seq 200); do kill -0 $server 2>/dev/null || break; sleep 0.05; done
ok "SIGTERM ends the server while clients are connected" test "$i" -lt 200
wait $server
is "with 0" "$? $(cat out)" "0 "

tau-monitor --serve sock run >out 2>&1 &
server=$!
for i in $(seq 200); do [ -S sock ] && break; sleep 0.05; done
rm sock && python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("sock")'
kill $server
wait $server
is "another program's socket in that place is not removed" "$? $(ls sock)" "0 sock"
tau-monitor --serve sock run >out 2>&1
is "nor is it taken over" "$? $(cat out)" "4 tau-monitor: sock: Address already in use"
tap_end
