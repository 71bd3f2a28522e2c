# control-characters.sh: names in runs, profiles and databases contain control characters of terminals (C0, DEL, C1 as UTF-8 and as
# single bytes): no report, table, title or message prints one, nor does any output on a terminal.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1
cat >names.c <<'END'
#include <TAU.h>
#define EVIL "\033[31mred\302\233A\233B\177"
int main(void)
{
	Tau_metadata("name " EVIL, "value " EVIL);
	Tau_start("region " EVIL);
	Tau_trigger_userevent("event " EVIL, 3);
	TAU_REGISTER_CONTEXT_EVENT(e, "context " EVIL);
	TAU_CONTEXT_EVENT(e, 4);
	Tau_stop("region " EVIL);
	return 0;
}
END
ok "the program builds" cc -I"$TOP/record" names.c -o names -L"$B" -ltau -Wl,-rpath,"$B"
evil=$(printf 'run\033[31m\302\233A\233B')
tau-record -o "$evil" ./names >/dev/null 2>&1
mkdir -p profiles
python3 - <<'END'
evil = b"\x1b]0;title\x07 \xc2\x9b\x9b\x7f"
def meta(name, value):
    return b"<attribute><name>" + name + b"</name><value>" + value + b"</value></attribute>"
with open("profiles/profile.0.0.0", "wb") as f:
    f.write(b"2 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls # <metadata>" + meta(b"Metric Name", b"TIME")
            + meta(b"odd " + evil[10:], evil[10:]) + b"</metadata>\n")
    f.write(b'"main ' + evil + b'" 1 1 100 300 0 GROUP="TAU_USER ' + evil + b'" \n')
    f.write(b'"main ' + evil + b' => f' + evil + b'" 2 0 200 200 0 GROUP="TAU_CALLPATH" \n0 aggregates\n')
    f.write(b'1 userevents\n# eventname numevents max min mean sumsqr\n"bytes ' + evil + b'" 3 3 1 2 14\n')
END
tau-db import -d db -n "$(printf 'trial\033[1m\302\205')" -m "$(printf 'k\033=v\302\233')" profiles >/dev/null 2>&1
tau-db import -d db "$evil" >/dev/null 2>&1
is "two trials are stored" "$(tau-db query -d db -f csv 'SELECT count(*) AS n FROM trial' | tr -d '\r' | tail -n 1)" 2

cat >clean.py <<'END'
import os, pty, subprocess, sys
on_terminal, command = sys.argv[1] == "terminal", sys.argv[2:]
if on_terminal:
    master, slave = pty.openpty()
    p = subprocess.Popen(command, stdout=slave, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    os.close(slave)
    out = b""
    while True:
        try:
            b = os.read(master, 65536)
        except OSError:
            break
        if not b:
            break
        out += b
    err = p.stderr.read()
else:
    p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    out, err = p.communicate()
p.wait()
bad = []
for which, data in (("stdout", out), ("stderr", err)):
    try:
        text = data.decode()
    except UnicodeDecodeError as x:
        bad.append("%s: broken UTF-8: %r" % (which, data[max(0, x.start - 20):x.start + 20]))
        continue
    for i, c in enumerate(text):
        if (ord(c) < 32 and c not in "\n\t\r") or 127 <= ord(c) < 160:
            bad.append("%s: %r" % (which, text[max(0, i - 20):i + 20]))
            break
if not out and not err:
    bad.append("no output")
print("; ".join(bad))
END
clean() { is "$(printf %s "$1: $2 $3 $4" | tr -dc " -~")" "$(python3 clean.py "$@" 2>&1)" ""; }
for kind in overview profile groups tree threads series timeline waits comm io locks counters memory anomalies callers; do
	case $kind in
	callers) set -- callers region "$evil" ;;
	*) set -- $kind "$evil" ;;
	esac
	clean pipe tau-report "$@"
	clean terminal tau-report "$@"
	clean terminal tau-report -f csv "$@"
done
for kind in profile groups counters tree; do
	clean pipe tau-report $kind profiles
	clean pipe tau-report $kind --db db 1
	clean terminal tau-report -f csv $kind --db db 1
done
clean pipe tau-report diff "$evil" profiles
clean pipe tau-report flame -f folded "$evil"
for format in text csv json; do
	clean terminal tau-trace2profile -f $format "$evil"
	clean terminal tau-trace2profile -f $format profiles
done
clean pipe tau-trace2profile -f text "$evil"
clean pipe tau-trace2profile -f text --counters profiles
clean pipe tau-dump "$evil"
clean pipe tau-dump --check "$evil"
clean pipe tau-dump --show all "$evil"
clean pipe tau-monitor --once "$evil"
clean terminal tau-monitor --once "$evil"
clean terminal tau-monitor --once --csv "$evil"
for c in "list" "show 1" "show 2" "check" "query hot-timers" "query hot-timers trial=1"; do
	clean pipe tau-db ${c%% *} -d db $(echo "$c" | cut -s -d ' ' -f 2-)
	clean terminal tau-db ${c%% *} -d db $(echo "$c" | cut -s -d ' ' -f 2-)
	clean terminal tau-db ${c%% *} -d db -f csv $(echo "$c" | cut -s -d ' ' -f 2-)
done
clean pipe tau-db query -d db "SELECT t.name AS \"$(printf 'head\033[1m')\", p.value FROM trial t JOIN primary_metadata p ON p.trial = t.id"
clean terminal tau-db query -d db -f csv "SELECT t.name AS \"$(printf 'head\033[1m')\", p.value FROM trial t JOIN primary_metadata p ON p.trial = t.id"
# Messages: names of files, of what is not found, and of options.
for c in "tau-report profile" "tau-dump" "tau-trace2profile" "tau-convert" "tau-monitor --once" "tau-db import" "tau-reduce" "tau-dump --check"; do
	clean pipe $c "$(printf 'none\033[1m\302\233')"
	clean pipe $c "--$(printf 'none\033[1m\302\233')"
done
clean pipe tau-report callers "$(printf 'none\033[1m')" "$evil"
clean pipe tau-report profile --db db "$(printf 'none\033[1m')"
clean pipe tau-db query -d db "$(printf 'none\033[1m')"
clean pipe tau-db query -d db "SELECT \"$(printf 'none\033[1m\302\233')\" FROM no_table"
clean pipe tau-trace2profile -w "$(printf 'none\033[1m')" "$evil"
clean pipe tau-record "$(printf 'none\033[1m')"
# tau-record's own sentences name the program, and its run, metrics and files.
odd="./$(printf 'odd\033[32m\302\233x')"
cp "$B/apps/hooks" "$odd"
clean pipe tau-record "$odd"
clean pipe tau-record -o "$(printf 'run\033[1m')" --metrics "$(printf 'M\033[1m')" "$odd"
clean pipe tau-record --select "$(printf 'none\033[1m')" "$odd"
clean pipe tau-record -n -o "$(printf 'run\033[1m')" "$odd" "$(printf 'word\033[1m')"
clean pipe tau-reduce "$(printf 'run\033[1m')"
clean pipe tau-db -d "$(printf 'x\033[1m.db')" import "$(printf 'run\033[1m')"
clean pipe tau-db -d "$(printf 'x\033[1m.db')" check
# Programs get names as they are.
ok "CSV in a file has the bytes of the database" sh -c "tau-db query -d db -f csv 'SELECT name FROM trial WHERE id = 1' | grep -q \"\$(printf 'trial\033\\[1m')\""
mkdir empty
is "an empty directory is no run: status and message" "$(tau-dump --check empty; echo $?)" "empty: this is not a run: it contains no .tau file
3"
tap_end
