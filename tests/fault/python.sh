# python.sh: a good part of Python's own tests (the package libpython3.11-testsuite) under the recorder with all everyday
# wrappers and sampling: each test ends as it does without.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

modules="test_thread test_fork1 test_popen test_select test_mmap test_posix test_os test_tempfile test_epoll test_ctypes test_zlib
	test_generators test_fileio test_bufio test_file test_context test_atexit test_resource test_fcntl test_pipes test_openpty
	test_pwd test_grp test_contextlib test_shutil test_glob test_struct test_hashlib test_memoryview"
python=/usr/bin/python3
have=
for m in $modules; do
	$python -c "import importlib.util as u, sys; sys.exit(not u.find_spec('test.$m'))" 2>/dev/null && have="$have $m"
done
set -- $have
[ $# -ge 25 ] || skip_all "Python's tests are not installed"

# results FILE: one line per test; the interpreter's own lines may be between them
results() {
	grep -aoE '^[a-z_A-Z0-9]+ \(test\.[A-Za-z0-9_.]+\)|\.\.\. (ok|FAIL|ERROR|skipped|expected failure|unexpected success)|^(ok|FAIL|ERROR)$' "$1" |
		grep -aE 'ok|FAIL|ERROR|skipped|expected' | sed 's/^\.\.\. //' | sort | uniq -c
	grep -aE '^test_[a-z0-9_]+ (failed|crashed|skipped)' "$1" | sed 's/ (.*//' | sort
	grep -aE '^Total tests|^Result|^Tests result|^Total test files' "$1"
}
# both: into plain and recorded
both() {
	for how in plain recorded; do
		rm -rf work "$T/run" && mkdir work
		set --
		[ $how = plain ] || set -- tau-record -o "$T/run" --sample --wrap pthread,io,process,memory
		(cd work && timeout 1000 "$@" $python -m test -v -u none $have) >$how.log 2>&1 </dev/null
		echo "status $?" >$how
		results $how.log >>$how
	done
}
# Some of them compare themselves with the clock, and fail on a machine that pauses for a moment, with the recorder and without: then
# all are run again; a difference that remains three times is not by chance.
for try in 1 2 3; do
	both
	grep -q '^status 0$' plain && cmp -s plain recorded && break
	diff plain recorded | sed "s/^/# try $try: /"
done
grep -q '^status 0$' plain || skip_all "Python's tests do not pass here: $(tail -n 1 plain)"
n=$(awk '$2 == "ok" { print $1 }' plain)
ok "it is many tests: $n of $(echo $have | wc -w) modules" test "$n" -gt 1000
is "each ends as it does without the recorder" "$(cat recorded)" "$(cat plain)"
# A child that is killed as soon as it exists may leave an empty file. Tests that kill children are named.
is "the traces are sound" "$(tau-dump --check run 2>&1 | grep -vE ': ok: |: the file is empty, for example because a process|processe?s? that others of the run started')" ""
tap_end
