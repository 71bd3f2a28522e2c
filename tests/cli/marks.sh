# marks.sh: files that people write for the tools may begin with a byte order mark, or be in UTF-16: each is read as without it.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
command -v python3 >/dev/null || skip_all "no Python"

# Of FILE: FILE.8 with the mark of UTF-8, FILE.le and FILE.be in UTF-16.
marked() {
	python3 -c '
import codecs, sys
text = open(sys.argv[1], encoding="utf-8").read()
for end, mark, code in ((".8", codecs.BOM_UTF8, "utf-8"), (".le", codecs.BOM_UTF16_LE, "utf-16-le"), (".be", codecs.BOM_UTF16_BE, "utf-16-be")):
    open(sys.argv[1] + end, "wb").write(mark + text.encode(code))' "$1"
}

# same WHAT FILE LINES COMMAND...: the command, which reads FILE, prints the same with each mark, and as many lines as given.
same() {
	what=$1 file=$2 lines=$3; shift 3
	marked "$file"
	cp "$file" given
	"$@" >plain 2>&1
	is "$what: lines without a mark" "$(wc -l <plain)" "$lines"
	for mark in 8 le be; do
		cp "$file.$mark" given
		"$@" >got 2>&1
		is "$what: with mark $mark" "$(cat got)" "$(cat plain)"
	done
}

printf 'int f(int x) { return x + 1; }\nint g(int x) { return x; }\nint main(void) { int s = 0; for (int i = 0; i < 100; i++) s = g(f(s)); return s == 0; }\n' >a.c
${CC:-cc} -finstrument-functions a.c -o a || skip_all "no compiler"
tau-record -o one ./a 2>/dev/null || skip_all "nothing was recorded"

printf '0ms:1h\n1h:2h\n' >windows
same "windows" windows 2 sh -c 'tau-trace2profile --windows given -f csv one | cut -d , -f 1 | sort -u | grep -v -i -e window -e run'

printf 'BEGIN_EXCLUDE_LIST\ng\nEND_EXCLUDE_LIST\n' >select
picked() {
	rm -rf picked
	tau-record -o picked --select given ./a 2>/dev/null
	tau-report profile -f csv picked 2>/dev/null | grep -oE '"?(f|g|main)"?,' | tr -d '",'| sort -u
}
same "a selection" select 2 picked

printf '# no type of a class\nbogus rule\n' >types
same "types" types 1 sh -c 'tau-record -n --types given ./a; true'

if [ -e "$B/libtau-mpi.so" ] && tau-record --mpi-t-list self_eager >/dev/null 2>&1; then
	echo 'btl_self_eager_limit=2048' >variables
	same "variables of MPI" variables 1 sh -c 'tau-record -n --mpi-t-set given true | grep OMPI_MCA_btl'
else
	skip "variables of MPI" "no MPI is installed"
fi

cat >rsh <<'E2'
#!/bin/sh
echo "$1" >>"$TAU_TEST_CALLED"
shift
exec sh -c "exec $*"
E2
chmod +x rsh
export TAU_TEST_CALLED="$T/called"
printf 'n1\nn2 slots=2\n' >hosts
called() {
	: >called
	tau-monitor --rsh ./rsh --once --hostfile given one >/dev/null 2>&1
	sort called
}
same "hosts" hosts 2 called
tap_end
