# experiment.sh: tau-experiment: plans, placeholders, interrupted and failed runs, variants, --until, experiment files, Slurm, reports.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

# ./prog SIZE [MS]: adds its size to the file begun, computes for some ms, and adds to the file ended. With a file "fail" it fails on size 3.
cat >prog.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void note(const char *file, const char *size)
{
	FILE *f = fopen(file, "a");

	fprintf(f, "%s\n", size);
	fclose(f);
}

void work(long ms)
{
	usleep((useconds_t)ms * 1000);
}

int main(int argc, char **argv)
{
	const char *size = argc > 1 ? argv[1] : "1";

	note("begun", size);
	work(argc > 2 ? atol(argv[2]) : 1);
	if (*size == '3' && !access("fail", F_OK)) {
		fprintf(stderr, "prog: size %s fails\n", size);
		return 7;
	}
	note("ended", size);
	return 0;
}
END
cc -O1 -finstrument-functions -o prog prog.c || skip_all "no compiler"
cp prog prog2
csv() { tr -d '\r' | cut -d , -f "$1" | sed 1d; }
trials() { tau-db query --db "$1" -f csv "select count(*) from trial" | sed 1d | tr -d '\r'; }
runs() { tau-db list --db "$1" -f csv | csv 2 | sort | tr '\n' ' '; }
ended() { sort ended | uniq -c | awk '{ printf "%s:%s ", $2, $1 }'; }

# ---- plans ----
tau-experiment -n 2,4 --repeat 2 --variant a=./prog --variant b='./prog2 x' --dry-run -f csv -- {variant} {n} >plan 2>err
is "a plan interleaves sizes and variants, and every second round is reversed" "$(csv 1 <plan | tr '\n' ' ')" \
	"a-n2-r1 b-n2-r1 a-n4-r1 b-n4-r1 b-n4-r2 a-n4-r2 b-n2-r2 a-n2-r2 "
is "... with the command of each" "$(sed -n 3p plan | tr -d '\r')" \
	"b-n2-r1,b,2,1,to do,$B/tau-record -o tau-experiment-prog/b-n2-r1 -- ./prog2 x 2"
is "... and changes nothing" "$(ls | grep -c -e tau-experiment -e tau.db)" 0

# What tau-record is put before, in commands of several launchers.
placed() { tau-experiment -n 2 --repeat 1 --name place --dry-run -f csv -- "$@" 2>&1 | tail -n 1 | tr -d '\r' |
	sed "s|.*,to do,||; s|\"||g; s|$B/tau-record -o tau-experiment-place/n2-r1 --|RECORD|g"; }
is "after no launcher" "$(placed ./prog {n})" "RECORD ./prog 2"
is "after variables" "$(placed A=1 N={n} ./prog)" "A=1 N=2 RECORD ./prog"
is "after programs that start others" "$(placed timeout 60 nice -n 5 ./prog {n})" "timeout 60 nice -n 5 RECORD ./prog 2"
is "in a script where {record} is" "$(placed sh -c '{record} ./prog {n} ${A} {{n}')" "sh -c 'RECORD ./prog 2 \${A} {n}'"
if command -v mpirun >/dev/null; then
	is "after Open MPI's options" "$(placed mpirun --oversubscribe -x A=1 --mca btl self,tcp -np {n} --bind-to core ./prog)" \
		"mpirun --oversubscribe -x A=1 --mca btl self,tcp -np 2 --bind-to core RECORD ./prog"
	is "... values of options that are programs, too" "$(placed mpirun -wdir /usr -np {n} --mca env sort ./prog)" \
		"mpirun -wdir /usr -np 2 --mca env sort RECORD ./prog"
	is "before each program of several" "$(placed mpirun -np {n} ./prog : -np 1 ./prog2 x)" \
		"mpirun -np 2 RECORD ./prog : -np 1 RECORD ./prog2 x"
	is "after a launcher in another program" "$(placed env A=1 mpirun -n {n} ./prog)" "env A=1 mpirun -n 2 RECORD ./prog"
fi
is "after options of srun" "$(placed srun -N 1 --ntasks {n} --mpi=pmix ./prog)" "srun -N 1 --ntasks 2 --mpi=pmix RECORD ./prog"
is "after options of Hydra" "$(placed mpiexec.hydra -genv A 1 -n {n} ./prog)" "mpiexec.hydra -genv A 1 -n 2 RECORD ./prog"

# ---- what is refused ----
refused() {	# what it prints, the arguments
	want=$1
	shift
	tau-experiment "$@" >out 2>err
	like "refused: tau-experiment $*" "$? $(wc -l <err) $(cat err)" "^2 +1 tau-experiment: $want"
}
refused "name a command"
refused "--sizes: 'x' is not a whole number" -n 2,x ./prog {n}
refused "--sizes: 2 is given twice" -n 2,2 ./prog {n}
refused "the command has no .n. for the sizes" -n 2 ./prog
refused "the command has .n., but no sizes are given" ./prog {n}
refused "placeholder: '.np.' is not .*; did you mean '.n.'" -n 2 ./prog {np}
refused "--variant: 'a' is not NAME=PROGRAM" -v a ./prog
refused "variant a: there is no such program: ./x" -v a=./x {variant}
refused "--variant: 'a/b' is not a name" -v a/b=./prog {variant}
refused "the command has no .variant." -v a=./prog ./prog
refused "./absent: there is no such program" ./absent
refused "./absent: there is no such program; .*{record}" env ./absent
refused "remove tau-record from the command" tau-record ./prog
refused "--most limits --until" --most 3 ./prog
refused "--until: '0' is not a percentage" --until 0 ./prog
refused "--until needs --repeat 2" --until 2% --repeat 1 ./prog
refused "--record: unknown option '--smple'; did you mean '--sample'" -R --smple ./prog
refused "--record: remove -o" -R '-o x' ./prog
refused "--record: a quote has no end" -R "--memory '" ./prog
refused "--input: /absent" -i /absent ./prog
refused "--name: '../x' is not a name" --name ../x ./prog
refused "absent.ini: there is no such experiment file" absent.ini
refused "--format: 'svg'" -f svg ./prog
mkdir full && echo x >full/mine
refused "full contains other files, such as mine" -o full ./prog
is "... and changes nothing" "$(ls full)" mine

# ---- a run that fails, and what is resumed ----
touch fail
tau-experiment -n 2,3,4 --repeat 2 --db f.db -- ./prog {n} >out 2>err
is "runs that fail end with 1" "$?" 1
is "... the others are run and stored" "$(runs f.db)" "prog n2-r1 prog n2-r2 prog n4-r1 prog n4-r2 "
is "... failed ones are named once, with status, the program's last line, output and recording" "$(grep -c ' failed: ' err) $(tail -n 1 err)" \
	"3 tau-experiment: n3-r1, n3-r2 failed: exit status 7: prog: size 3 fails; the first one's output is in tau-experiment-prog/n3-r1.log, its recording in tau-experiment-prog/n3-r1.failed"
like "... which has what it printed" "$(cat tau-experiment-prog/n3-r2.log)" 'prog: size 3 fails'
is "... and the table has their number" "$(tau-experiment -n 2,3,4 --repeat 2 --db f.db -f csv -- ./prog {n} 2>err | csv 2,3,4 | tr '\n' ' ')" \
	"2,2,0 3,0,2 4,2,0 "
rm fail begun
tau-experiment -n 2,3,4 --repeat 2 --db f.db -- ./prog {n} >out 2>err
is "the same command runs only those that failed" "$? $(tr '\n' ' ' <begun)" "0 3 3 "
like "... and counts the others" "$(head -n 1 err)" '4 runs are complete, 2 to do'
is "... each is one trial" "$(runs f.db)" "prog n2-r1 prog n2-r2 prog n3-r1 prog n3-r2 prog n4-r1 prog n4-r2 "
is "... and one directory" "$(ls -A tau-experiment-prog | grep -v -e '\.log$' -e '\.json$' | tr '\n' ' ')" \
	"experiment.ini lock n2-r1 n2-r2 n3-r1 n3-r2 n4-r1 n4-r2 "
rm begun
tau-experiment -n 2,3,4,5 --repeat 2 --db f.db -- ./prog {n} >out 2>err
is "a further size is added" "$(tr '\n' ' ' <begun)$(trials f.db)" "5 5 8"
rm begun f.db
tau-experiment -n 2,3,4,5 --repeat 2 --db f.db -- ./prog {n} >out 2>err
is "a database that was lost is filled from the directory" "$(ls begun 2>/dev/null)$(trials f.db)" 8
rm -r tau-experiment-prog/n5-r*
tau-experiment -n 2,3,4,5 --repeat 2 --db f.db -- ./prog {n} >out 2>err
is "a run that is stored needs no directory" "$(ls begun 2>/dev/null)$(trials f.db)" 8
refused "tau-experiment-prog contains an experiment with another command: .*, or remove that directory" -n 2 ./prog {n} 2
refused "tau-experiment-prog contains an experiment with another --record" -n 2 -R --memory ./prog {n}

# ---- why a run failed, and the corrected command ----
# said TEXT: prints the reason that is found in what a run printed.
said() {
	printf %b "$1" >says
	tau-experiment --repeat 1 --name said --db said.db -- sh -c '{record} true; cat says; exit 7' 2>&1 >out |
		sed -n 's/^tau-experiment: run .* failed: //p'
}
rule=--------------------------------------------------------------------------
frame="$rule\\nThe job cannot be started on the 4\\nhosts that were requested:\\n\\n  a program\\n\\nMore about it.\\n$rule\\n"
is "the reason is the first sentence of a message of the launcher" "$(said "$frame")" \
	"exit status 7: The job cannot be started on the 4 hosts that were requested"
is "... of the last one" "$(said "$frame$rule\\nmpirun noticed a signal.\\n\\n$rule\\n")" "exit status 7: mpirun noticed a signal."
is "... or the first of its lines without a frame" "$(said "[host:12] *** An error in MPI_Send\\n[host:12] *** with all\\n")" \
	"exit status 7: *** An error in MPI_Send"
is "... what the program printed comes first" "$(said "x: no such file\\n\\n[host:12] *** Signal\\n$frame-----\\n***\\n")" "exit status 7: x: no such file"
is "... of it, a line with a word of failure" "$(said "x: Cannot open a.dat\\nfreeing memory\\n0 errors, no failures\\nbye\\n")" "exit status 7: x: Cannot open a.dat"
is "... the last of them" "$(said "warning: cannot bind\\nTraceback:\\nValueError: 3\\n")" "exit status 7: ValueError: 3"
like "... and what tau-record printed last" "$(said '\n')" '^exit status 7: tau-record: .'
tau-experiment --repeat 1 --name said --db said.db -- ./prog 2 >out 2>err
is "the command of an experiment without a run can be corrected" "$? $(runs said.db)" "0 said r1 "
refused "tau-experiment-said contains an experiment with another command" --name said --repeat 1 ./prog 3

# ---- facts ----
if command -v git >/dev/null; then
	mkdir tree && (cd tree && git init -q . && cp ../prog . && git add prog && git -c user.name=a -c user.email=a@b commit -qm a) >out 2>&1
	commit=$(git -C tree rev-parse HEAD)
	tau-experiment --db facts.db --repeat 1 --name facts -R '--memory=census' --variant old=tree/prog -- A=b {variant} 7 >out 2>err
	tau-db show --db facts.db 1 >show
	fact() { sed -n "s/^$1  *//p" show; }
	is "a trial has its facts" "$(for f in Experiment ExperimentRun Repeat Variant 'Launch Command' 'Record Options' Commit; do fact "$f"; done)" \
		"facts
old-r1
1
old
A=b tree/prog 7
--memory=census
$commit"
	like "... host, compiler and time" "$(fact Hostname) $(fact Compiler) $(fact 'Elapsed Time (s)')" "^$(hostname) .*(GCC|clang).* [0-9.]+\$"
fi

# ---- interrupted at any moment ----
rm -f begun ended
set -- -n 1,2,3 --repeat 3 --name killed --db k.db -- ./prog {n} 200
kills=0
: >k.db	# as a kill at the begin of the first import leaves it
for after in 0.05 0.3 0.6 0.15 0.9 0.45 0.75 0.2; do
	tau-experiment "$@" >out 2>err &
	pid=$!
	sleep $after
	kill -KILL $pid 2>/dev/null && kills=$((kills + 1))
	wait $pid 2>/dev/null
done 2>/dev/null
ok "some were killed" test $kills -ge 3
tau-experiment "$@" >out 2>err
is "after kills the same command ends well" "$?" 0
is "... with one trial per run" "$(runs k.db | tr ' ' '\n' | grep -c '^n')" 9
is "... no run twice" "$(tau-db list --db k.db -f csv | csv 2 | sort | uniq -d)" ""
ok "... at most one run more per kill" test "$(wc -l <begun)" -le $((9 + kills))
is "... nothing of them is left" "$(ls -A tau-experiment-killed | grep -e part -e failed)" ""
rm -f begun ended
tau-experiment -n 1,2 --repeat 2 --name stopped --db s.db -- ./prog {n} 30000 >out 2>err &
pid=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -e begun ] && break; sleep 0.2; done
tau-experiment -n 1,2 --repeat 2 --name stopped --db s.db -- ./prog {n} 30000 >out2 2>err2
is "two at a time are refused" "$? $(cat err2)" "4 tau-experiment: tau-experiment-stopped: another tau-experiment works in this directory"
kill -INT $pid
wait $pid
is "a signal ends it with 128 and the signal" "$? $(tail -n 1 err)" \
	"130 tau-experiment: stopped by signal 2 (Interrupt); the same command resumes the experiment"
is "... and the program, too" "$(pgrep -f "$T/tau-experiment-stopped")" ""

# ---- until ----
# The steady one needs no more than three runs; of the other, every second run takes four times as long.
cat >steady.sh <<'END'
[ $1 = steady ] || [ $(($2 % 2)) = 1 ] || exec ./prog 1 400
exec ./prog 1 100
END
tau-experiment --repeat 3 --until 50% --most 4 --name until --db u.db -f csv --variant steady=steady --variant wide=wide \
	-- sh steady.sh {variant} {repeat} >out 2>err
is "--until repeats what has a wide interval, up to --most" "$(csv 1,3 <out | tr '\n' ' ')" "steady,3 wide,4 "
is "... the interval is Student's" "$(awk -F , '$1 == "wide" {
	print ($6 > 60 && $6 < 130) ? "wide" : $6 } $1 == "steady" { print $6 < 50 ? "narrow" : $6 }' out | tr '\n' ' ')" "narrow wide "
rm begun
tau-experiment --repeat 3 --until 50% --most 5 --name until --db u.db --variant steady=steady --variant wide=wide \
	-- sh steady.sh {variant} {repeat} >out 2>err
is "... more are added later" "$(wc -l <begun | tr -d ' ') $(runs u.db | tr ' ' '\n' | grep -c wide)" "1 5"

# ---- variants ----
tau-experiment --repeat 3 --name versus --db v.db --variant old='./prog 1 30' --variant new='./prog 1 300' -- {variant} >out 2>err
like "two variants are compared" "$(cat out)" '^new, compared with old:$'
like "... by tau-report, with its command" "$(cat out)" '^\$ tau-report compare --db v.db --top 10 --baseline [0-9],[0-9],[0-9] [0-9] [0-9] [0-9]$'
$(sed -n 's/^\$ \(tau-report compare .*\)/\1/p' out) >compare
is "... and the same figures" "$(sed -n '/^\$ tau-report compare/,$p' out | sed 1d)" "$(cat compare)"
like "... the ratio of the times is that of the programs" \
	"$(tau-experiment --repeat 3 --name versus --db v.db --variant old='./prog 1 30' --variant new='./prog 1 300' -f csv -- {variant} 2>err | csv 7 | tail -n 1)" '^([3-9]|1[0-9])\.'

# ---- experiment files ----
set -- -n 2,8 --repeat 4 --until 3% --most 9 --name file --db 'a b.db' -R "--memory --select 'a b'" -i prog.c --variant x='./prog "a b"' -- A='1 2' {variant} {n} 'c"d\e'
echo >'a b'
tau-experiment --save saved.ini "$@" >out 2>err
is "--save writes a file and runs nothing" "$? $(ls -d tau-experiment-file 2>/dev/null)" "0 "
tau-experiment --dry-run -f json "$@" >plan1 2>err
tau-experiment saved.ini --dry-run -f json >plan2 2>err
is "... which is the same experiment" "$(cat plan2)" "$(cat plan1)"
ok "... that has a plan" test -s plan1
is "options replace what it has" "$(tau-experiment saved.ini -n 5 --repeat 2 --dry-run -f csv | csv 1 | tr '\n' ' ')" "x-n5-r1 x-n5-r2 "
printf '; a comment\n\n[experiment]\nrepeet = 3\n' >bad.ini
refused "bad.ini: line 4: 'repeet' is not .*; did you mean 'repeat'" bad.ini
printf '[experiment]\ncommand\n' >bad.ini
refused "bad.ini: line 2: 'command' is not KEY = VALUE" bad.ini
printf '[experiment]\n[variant]\n' >bad.ini
refused "bad.ini: line 2: '.variant.' is neither" bad.ini

# ---- Slurm, as far as two programs can replace it: a folder with a file for each job that is in the queue ----
mkdir slurm jobs
cat >slurm/sbatch <<'END'
#!/bin/sh
for word in "$@"; do
	[ "$before" != --job-name ] || name=$word
	[ "$before" != --output ] || log=$word
	before=$word
done
echo "$*" >>"$JOBS/../submitted"
[ ! -e "$JOBS/../refuse" ] || { echo "sbatch: error: no partition" >&2; exit 1; }
echo "$name" >"$JOBS/$name"
(sh "$before" >>"$log" 2>&1 & wait $!; [ -e "$JOBS/../keep" ] || rm "$JOBS/$name") </dev/null >/dev/null 2>&1 &
echo 7
END
cat >slurm/squeue <<'END'
#!/bin/sh
cat "$JOBS"/* 2>/dev/null; true
END
chmod +x slurm/*
export JOBS="$T/jobs"
with_slurm() { PATH=$T/slurm:$PATH tau-experiment "$@"; }
rm -f begun ended
set -- -n 2,4 --repeat 2 --name jobs --db j.db --sbatch '--ntasks={n} --time=5' -- ./prog {n} 1500
PATH=$T/slurm:$PATH tau-experiment "$@" >out 2>err &
pid=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ "$(cat submitted 2>/dev/null | wc -l)" -ge 2 ] && break; sleep 0.2; done
kill -KILL $pid
wait $pid 2>/dev/null
with_slurm "$@" >out 2>err
is "--sbatch submits jobs, and collects them after a kill" "$? $(runs j.db)" "0 jobs n2-r1 jobs n2-r2 jobs n4-r1 jobs n4-r2 "
is "... none is submitted twice" "$(wc -l <submitted | tr -d ' ') $(ended)" "4 2:2 4:2 "
like "... with the options, in which {n} is replaced" "$(sed -n 1p submitted)" \
	'^--parsable .* --job-name jobs.n2-r1.[0-9a-f]{16} --output tau-experiment-jobs/n2-r1.log --ntasks=2 --time=5 tau-experiment-jobs/n2-r1.sh$'
is "... and nothing of them is left" "$(ls -A tau-experiment-jobs | grep -e part -e status)" ""
touch fail
with_slurm -n 3 --repeat 1 --name jobfails --db j.db --sbatch '' -- ./prog {n} >out 2>err
like "... a job that fails is a run that failed" "$? $(tail -n 1 err)" '^1 tau-experiment: n3-r1 failed: exit status 7: '
rm fail
touch refuse
with_slurm -n 3 --repeat 1 --name jobfails --db j.db --sbatch '' -- ./prog {n} >out 2>err
is "... what sbatch refuses is an error" "$? $(cat err)" "4 tau-experiment: sbatch: error: no partition"
rm refuse
cat >slurm/sbatch <<'END'
#!/bin/sh
echo 8
END
with_slurm -n 3 --repeat 1 --name jobfails --db j.db --sbatch '' -- ./prog {n} >out 2>err
like "... and a job that is cancelled has failed" "$? $(tail -n 1 err)" '^1 .*n3-r1 failed: its job ended without a result'
refused "--sbatch: '.n.' has a placeholder without a value" --sbatch {n} ./prog

# ---- scaling ----
if [ -e "$B/apps/gups" ]; then
	export OMPI_MCA_memory=^patcher UCX_TLS=self,sm SHMEM_SYMMETRIC_SIZE=16M
	tau-experiment -n 1,2 --repeat 1 --db gups.db -- oshrun -np {n} "$B/apps/gups" >out 2>err
	is "a program on several sizes" "$? $(tau-db list --db gups.db -f csv | csv 2,3 | tr '\n' ' ')" "0 gups n1-r1,1 gups n2-r1,2 "
	like "... ends with scaling" "$(cat out)" '^Speedup of the longest thread: 1.00, '
	like "... and with memory" "$(cat out)" '^Memory by object type'
	for kind in scaling memory-scaling; do
		tau-report $kind --db gups.db --top 10 >report
		is "... $kind has the figures of tau-report" "$(sed -n "/^\$ tau-report $kind /,/^\$ tau-report memory/p" out | sed '/^\$ tau-report/d' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}')" \
			"$(cat report)"
	done
else
	skip "a program on several sizes" "no OpenSHMEM"
fi
tap_end
