# programs.sh: ordinary programs give the same output, errors and exit status with all everyday wrappers in them as without.
. "$(dirname "$0")/../tap.sh"

WRAPS=pthread,io,process,memory

# same WHAT COMMAND...: plain and recorded must agree in output, errors (but for the recorder's last line) and status, and
# the trace must be whole.
same() {
	what=$1
	shift
	if ! command -v "$1" >/dev/null; then skip "$what" "$1 is not installed"; return; fi
	rm -rf "$T/run"
	(cd "$T/here" && "$@") >"$T/out.plain" 2>"$T/err.plain" </dev/null
	plain=$?
	(cd "$T/here" && tau-record -o "$T/run" --wrap "$WRAPS" "$@") >"$T/out.with" 2>"$T/err.all" </dev/null
	with=$?
	grep -v '^tau-record: ' "$T/err.all" >"$T/err.with"
	if [ $plain -eq $with ] && cmp -s "$T/out.plain" "$T/out.with" && cmp -s "$T/err.plain" "$T/err.with"; then
		pass "$what"
	else
		fail "$what"
		echo "#   status $plain and $with"
		diff "$T/out.plain" "$T/out.with" | head -n 3 | sed 's/^/#   /'
		diff "$T/err.plain" "$T/err.with" | head -n 3 | sed 's/^/#   /'
	fi
	check=$(tau-dump --check "$T/run" 2>&1) || { fail "$what: the trace is whole"; echo "$check" | head -n 5 | sed 's/^/#   /'; return; }
	pass "$what: the trace is whole"
}

mkdir "$T/here"
seq 1 200000 >"$T/here/numbers"
cat >"$T/here/script.sql" <<'END'
create table t(a, b);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 20000) insert into t select x, hex(x * x) from c;
create index i on t(b);
begin; update t set b = b || 'x' where a % 3 = 0; commit;
select count(*), sum(a), max(b) from t where b like '3%';
vacuum;
select nothing from nowhere;
END
cat >"$T/here/script.py" <<'END'
import hashlib, os, queue, socket, subprocess, sys, tempfile, threading, time
lock, q, out = threading.Lock(), queue.Queue(), []
def work(n):
    for i in range(200):
        with lock:
            out.append(n * i)
    q.put(n)
threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
[t.start() for t in threads]
[t.join(10) for t in threads]
print(sorted(q.get() for _ in threads), sum(out))
r = subprocess.run(["sh", "-c", "cat; echo error >&2; exit 4"], input=b"to a child", capture_output=True)
print(r.returncode, r.stdout, r.stderr)
p = [subprocess.Popen(["sort", "-n"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(3)]
print([x.communicate(b"3\n1\n2\n")[0] for x in p])
try:
    subprocess.run(["/nonexistent/program"])
except FileNotFoundError as e:
    print(e)
with tempfile.TemporaryFile() as f:
    f.write(os.urandom(0) + b"a" * 100000)
    f.seek(50)
    print(hashlib.md5(f.read()).hexdigest())
a, b = socket.socketpair()
a.sendall(b"through a socket"); print(b.recv(100))
pid = os.fork()
if pid == 0:
    os.write(1, b"a child\n")
    os._exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
r, w = os.pipe()
if os.fork() == 0:
    os.dup2(w, 1)
    os.execvp("echo", ["echo", "from an exec"])
os.close(w)
print(os.read(r, 100)); os.wait()
print(os.popen("echo popen").read(), os.system("exit 7") >> 8)
sys.stdout.flush()
os.kill(os.getpid(), 15)
END
printf '#include <stdio.h>\nint main(void) { printf("%%d\\n", undeclared); }\n' >"$T/here/wrong.c"

# A long script: 6,000 statements of all kinds over 20 tables, errors among them.
awk 'BEGIN {
	for (t = 0; t < 20; t++)
		printf "create table t%d(id integer primary key, a, b text, c real);\ncreate index i%d on t%d(a);\n", t, t, t
	for (i = 0; i < 6000; i++) {
		t = i % 20
		if (i % 7 < 4) printf "insert into t%d(a, b, c) values(%d, printf(\"%%08x\", %d), %d / 3.0);\n", t, i * 7919 % 1000, i, i
		else if (i % 7 == 4) printf "update t%d set b = b || \"+\", c = c * 1.5 where a between %d and %d;\n", t, i % 500, i % 500 + 100
		else if (i % 7 == 5) printf "select t%d.a, count(*), max(x.b), total(x.c) from t%d join t%d as x on x.a >= t%d.a group by 1 order by 2 desc, 1 limit 3;\n", t, t, (t + 1) % 20, t
		else if (i % 70 == 6) printf "select missing from t%d;\n", t
		else printf "delete from t%d where id %% 17 = %d;\n", t, i % 17
	}
	print "vacuum;\npragma integrity_check;\n.dump t7"
}' >"$T/here/long.sql"

# A large file: 1,500 functions, 13,500 lines.
awk 'BEGIN {
	print "static double g[64];"
	for (f = 0; f < 1500; f++) {
		printf "double f%d(int n, const double *x)\n{\n\tdouble s = %d;\n\n", f, f
		printf "\tfor (int i = 0; i < n; i++) {\n\t\tif (x[i] > %d)\n\t\t\ts += x[i] * g[(i + %d) %% 64];\n", f % 9, f
		printf "\t\telse\n\t\t\tg[i & 63] -= s%s;\n\t}\n\treturn s;\n}\n", f ? " + f" (f - 1) "(i, x)" : ""
	}
}' >"$T/here/large.c"

same "sqlite3 with a script and an error" sqlite3 :memory: ".read script.sql"
same "sqlite3 with a long script" sqlite3 :memory: ".read long.sql"
same "sqlite3 with a file" sh -c 'rm -f x.db; sqlite3 x.db ".read script.sql"; sqlite3 x.db "select count(*) from t"; cksum x.db'
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)
same "python3 with threads, children, sockets, and its end by a signal" "${python:-python3}" script.py
same "python3: its own tests of threads, processes and files" "${python:-python3}" -c '
import io, sys, unittest
try:
    from test import test_popen, test_queue, test_bufio
except ImportError:
    print("no test package"); sys.exit(0)
s = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromModule(m) for m in (test_popen, test_queue, test_bufio))
r = unittest.TextTestRunner(stream=io.StringIO()).run(s)
print(r.testsRun, len(r.failures), len(r.errors), len(r.skipped))'
same "xz with two threads" sh -c 'xz -T2 --block-size=100KiB -c numbers | tee n.xz | cksum; xz -T2 -dc n.xz | cksum'
same "gcc compiling, linking and running" sh -c 'gcc -D_GNU_SOURCE -O1 -I "$1" -c "$0" -o base.o && cksum base.o && gcc -O0 -xc - -o a.out && ./a.out' "$TOP/analyze/base/base.c" "$TOP"
same "gcc compiling a large file" sh -c 'gcc -O1 -c large.c -o large.o && cksum large.o && size large.o'
same "gcc with an error to report" gcc -O1 wrong.c -o wrong
same "git: a repository from nothing" sh -c '
	rm -rf repo; git init -q repo && cd repo && git config user.email a@b && git config user.name a &&
	cp ../numbers ../script.sql . && git add . && GIT_AUTHOR_DATE="1 +0000" GIT_COMMITTER_DATE="1 +0000" git commit -q -m one &&
	git mv numbers n && git status --short && git diff --cached --stat && git log --oneline && git gc -q && git fsck 2>&1'
same "tar, gzip and a pipeline back" sh -c '
	tar --mtime=@0 --owner=0 --group=0 -cf - numbers script.sql script.py | gzip -n | tee t.gz | cksum; gzip -dc t.gz | tar -tvf -; exit 9'
same "sort of a file that does not fit" sort -S 1M -r --parallel=2 numbers
same "a shell that forks, kills and waits" sh -c 'sleep 30 & kill $!; wait $!; echo $?; (exit 3); echo $?; trap "echo trapped" USR1; kill -USR1 $$; echo end; exit 5'
same "perl with a pipe and a fork" perl -e '
	$| = 1; open(P, "-|", "echo piped") or die; print <P>; close P; my $pid = fork(); if (!$pid) { print "child\n"; exit 3 }
	waitpid($pid, 0); print $? >> 8, "\n"; exec("echo", "exec") or die'
same "make with two jobs" sh -c 'printf "all: a b c\n\na b c:\n\t@sleep 0.0; echo \$@ >\$@.txt\n" >mk; make -s -j2 -f mk && cat a.txt b.txt c.txt'
same "find and xargs" sh -c 'find . -name "script*" | sort | xargs -n1 cksum'

# same_mpi WHAT FILTER FILE PROGRAM...: the same on two ranks; the lines of FILE that FILTER takes must agree, and be some.
same_mpi() {
	what=$1 filter=$2 file=$3
	shift 3
	if ! command -v mpirun >/dev/null || ! command -v "$1" >/dev/null; then skip "$what" "no $1 or no mpirun"; return; fi
	rm -rf "$T/run" "$T/here/$file"
	(cd "$T/here" && mpirun -np 2 "$@") >"$T/here/stdout" 2>"$T/err.plain" </dev/null
	plain=$?
	grep -E "$filter" "$T/here/$file" >"$T/out.plain"
	rm -f "$T/here/$file"
	(cd "$T/here" && mpirun -np 2 tau-record -o "$T/run" --wrap mpi,$WRAPS "$@") >"$T/here/stdout" 2>"$T/err.with" </dev/null
	with=$?
	grep -E "$filter" "$T/here/$file" >"$T/out.with"
	if [ $plain -eq $with ] && [ -s "$T/out.plain" ] && cmp -s "$T/out.plain" "$T/out.with"; then pass "$what"; else
		fail "$what"
		echo "#   status $plain and $with"
		diff "$T/out.plain" "$T/out.with" | head -n 5 | sed 's/^/#   /'
	fi
	ok "$what: the trace is whole" tau-dump --check "$T/run"
}

{ sed 's/CELLS/6/g' "$TOP/fixtures/melt.in"; printf '%s\n' "thermo 20" "run 60"; } >"$T/here/in.melt"
cat >"$T/here/hpccinf.txt" <<'END'
HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
200          Ns
1            # of NBs
40           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
2            Qs
16.0         threshold
1            # of panel fact
1            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
0            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
1                              Number of additional problem sizes for PTRANS
100                              values of N
1                              number of additional blocking sizes for PTRANS
40                              values of NB
END
same_mpi "lammps: the energies of a melt" '^ +[0-9]+ +[0-9.]+ ' stdout lmp -in in.melt -log none
same_mpi "hpcc: its checks of itself" 'PASSED|FAILED|Success=|Errors=' hpccoutf.txt hpcc
tap_end
