# tap.sh: the Test Anything Protocol for shell tests. A test starts with
#   . "$(dirname "$0")/../tap.sh"
# and gets: $B (absolute build folder), $TOP (project), $T (fresh folder, removed at the end), $DATA (recorded data
# made by other tools, may be absent) and the functions below. It ends with tap_end.
TOP=$(cd "$(dirname "$0")/../.." && pwd)
B=${B:-$TOP/build}
case $B in /*) ;; *) B=$TOP/$B ;; esac
DATA=${TAU_TEST_DATA:-$TOP/../shared/data}
# Without a folder of its own a test would write to /: that ends it.
T=$(mktemp -d "${TMPDIR:-/tmp}/tau-test.XXXXXX") || { echo "Bail out! no folder for temporary files"; exit 1; }
trap 'rm -rf "$T"' EXIT
trap 'exit 130' INT TERM
# Debian's programs before others of the same name: python3 is often a script that looks for the version that somebody chose.
# Users have no ldconfig in their PATH.
PATH=$B:/usr/bin:$PATH:/usr/sbin:/sbin
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export TAU_TOOLS_CONFIG=	# no configuration file of a user
tap_n=0
# What comes before a program under a launcher so that each rank's standard output is FOLDER/rank.N/stdout.
output_apart() { echo "sh $TOP/tests/apart.sh $1"; }	# folder
tap_bad=0

# linked PROGRAM LIBRARY: was this program built with this optional library? By the name that the loader looks for.
linked() { grep -q "$2\\.so\\." "$B/$1"; }

# terminal WIDTH COMMAND...: what a terminal of this width gets.
terminal() {
	python3 -c '
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if not pid:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("4H", 50, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
out = b""
try:
    while True:
        more = os.read(fd, 65536)
        if not more:
            break
        out += more
except OSError:
    pass
os.waitpid(pid, 0)
# Progress is erased before the table.
sys.stdout.write(out.decode().split("\x1b[K")[-1].replace("\r", ""))' "$@"
}

# pass WHAT / fail WHAT. $tap_with: what comes first in the line
tap_with=
pass() { tap_n=$((tap_n + 1)); echo "ok $tap_n - $tap_with$*"; }
fail() { tap_n=$((tap_n + 1)); tap_bad=1; echo "not ok $tap_n - $tap_with$*"; }
# ok WHAT COMMAND...: passes when the command succeeds
ok() { what=$1; shift; if "$@" >"$T/.out" 2>&1; then pass "$what"; else fail "$what"; sed 's/^/#   /' "$T/.out"; fi; }
# is WHAT GOT EXPECTED
is() {
	if [ "$2" = "$3" ]; then pass "$1"; else
		fail "$1"
		printf '%s\n' "$2" | sed 's/^/#   got:      /'
		printf '%s\n' "$3" | sed 's/^/#   expected: /'
	fi
}
# bad WHAT CODE REGEX COMMAND...: the command prints one line on stderr, "PROGRAM: " and the regex, nothing else, and exits with the code
bad() {
	what=$1 code=$2 sentence=$3
	shift 3
	"$@" >"$T/.bad.out" 2>"$T/.bad.err"
	is "$what: exit code, lines on stderr, bytes on stdout" "$? $(wc -l <"$T/.bad.err" | tr -d ' ') $(wc -c <"$T/.bad.out" | tr -d ' ')" "$code 1 0"
	like "$what: prints what is wrong" "$(cat "$T/.bad.err")" "^tau-[a-z2]+( import)?: $sentence"
}
# A function that only other tests define: the shell would print a line and go on, and nothing would be tested.
command_not_found_handle() {
	echo "$1: command not found" >&2
	! grep -qF "$1() {" "$TOP"/tests/*/*.sh || echo "$1" >>"$T/.undefined"
	return 127
}
# like WHAT GOT REGEX (extended)
like() {
	if printf '%s\n' "$2" | grep -Eq -- "$3"; then pass "$1"; else
		fail "$1"
		printf '%s\n' "$2" | sed 's/^/#   got:  /'
		echo "#   want: $3"
	fi
}
skip() { tap_n=$((tap_n + 1)); echo "ok $tap_n - $tap_with$1 # SKIP $2"; }
skip_all() { echo "1..0 # SKIP $*"; exit 0; }
tap_end() {
	[ ! -s "$T/.undefined" ] || fail "no such function here: $(sort -u "$T/.undefined" | tr '\n' ' ')"
	echo "1..$tap_n"
	exit "$tap_bad"
}
