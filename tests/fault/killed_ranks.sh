# killed_ranks.sh: processes that end early: ranks that are killed or give up, a launcher that is killed, and processes that MPI starts. Each tool that
# opens the run names them, and one prints the closing line where no tau-record could.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

# ---- one process, without MPI ----
cat >dies.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void work(void) {}
int main(int c, char **v)
{
	if (c > 1 && !strcmp(v[1], "child") && !fork())
		_exit(3);
	for (int i = 0; i < 2 && c > 1 && !strcmp(v[1], "leave"); i++) {
		if (!fork()) {
			work();
			if (i)
				execl("./plain", "plain", NULL);
			_exit(3);
		}
		wait(NULL);
	}
	if (c > 1 && !strcmp(v[1], "abort"))
		abort();
	for (int i = 0; i < 3 && c > 1 && !strcmp(v[1], "children"); i++) {
		int ready[2];
		char byte = 0;
		pid_t child;

		if (pipe(ready))
			return 1;
		child = fork();
		if (!child) {
			work();
			if (i == 1)
				exit(0);
			if (write(ready[1], &byte, 1) != 1)
				_exit(1);
			for (;;)
				pause();
		}
		if (i != 1 && read(ready[0], &byte, 1) == 1)
			kill(child, i ? SIGKILL : SIGTERM);
		waitpid(child, NULL, 0);
	}
	if (c > 1 && !strcmp(v[1], "sleep"))
		sleep(60);
	return 0;
}
END
${CC:-cc} -O1 -finstrument-functions dies.c -o dies || skip_all "no compiler"
echo 'int main(void) { return 0; }' >plain.c
${CC:-cc} -static -o plain plain.c 2>/dev/null || ${CC:-cc} -o plain plain.c
says() { tau-trace2profile --format csv "$1" 2>&1 >/dev/null; }

(ulimit -c 0; exec tau-record -o one ./dies abort) 2>one.err >/dev/null
like "abort(): tau-record names the signal" "$(cat one.err)" '^tau-record: /.*/one: process [0-9]+ \(host [^)]+\) was killed by SIGABRT$'
for tool in "tau-trace2profile --format csv" "tau-report series" "tau-dump --check" "tau-db import --db db"; do
	like "as does ${tool%% -*}" "$($tool one 2>&1)" 'one: process [0-9]+ .* was killed by SIGABRT$'
done
tau-convert -t otf2 one one.otf2 2>convert.err
like "and tau-convert" "$(cat convert.err)" 'was killed by SIGABRT$'
tau-record -o well ./dies child 2>/dev/null
is "a child that leaves by _exit() is not dead, nor who ends with 0" "$(says well)" ""

for wrap in "" "-w process"; do
	rm -rf leave
	tau-record $wrap -o leave ./dies leave 2>/dev/null
	is "nor are children that have recorded something and leave by _exit() and exec (${wrap:-no wrapper})" "$(says leave | grep -c killed)" 0
done
tau-record -w process -o children ./dies children 2>children.err
for tool in "cat children.err" "tau-trace2profile --format csv children" "tau-report children"; do
	like "children that were killed: ${tool%% *} has their number" "$($tool 2>&1)" \
		'children: 2 processes that others of the run started were killed: [0-9]+, [0-9]+$'
done

# tau-record is killed, and its program with it
tau-record -o gone ./dies sleep 2>/dev/null &
recorder=$!
i=0
until ls gone/*.live >/dev/null 2>&1 || [ $i -eq 600 ]; do sleep 0.1; i=$((i + 1)); done
is "while it runs no process is dead" "$(says gone | grep -c 'killed')" 0
kill -KILL $recorder
wait $recorder 2>/dev/null
is "a killed tau-record: the first tool prints the closing line" \
	"$(says gone | grep -c 'tau-record was killed before it reported: 1 process, [0-9]* events*, .* 0 lost$')" 1
is "the second does not" "$(says gone | grep -c 'before it reported')" 0
like "both name the program" "$(says gone)" 'process [0-9]+ \(host [^)]+\) was killed together with its tau-record$'

# a stream whose process was killed before its first chunk is empty
mkdir start
for f in well/*.0.tau; do head -c 64 "$f" >start/"${f##*/}"; done
ok "a stream without a chunk is sound" tau-dump --check start
is "and is read without a word" "$(says start)" ""

# a table that is damaged or cut short is no reason to fail
for n in 10 64 100; do
	rm -rf cut && cp -r one cut && head -c $n one/processes >cut/processes
	ok "with $n bytes of the table the run is read" tau-trace2profile --format csv cut
done

# ---- ranks ----
command -v mpirun >/dev/null && command -v mpicc >/dev/null || { skip "ranks" "no MPI"; tap_end; }
cat >rank.c <<'END'
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int c, char **v)
{
	MPI_Comm other;
	int rank;

	MPI_Init(&c, &v);
	MPI_Comm_get_parent(&other);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 2 && !strcmp(v[1], "kill"))
		raise(SIGKILL);
	if (rank == 2 && !strcmp(v[1], "abort"))
		abort();
	if (!strcmp(v[1], "lose") && other == MPI_COMM_NULL) {
		char *argument[] = {"lost", NULL};

		MPI_Comm_spawn(v[0], argument, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other, MPI_ERRCODES_IGNORE);
		MPI_Comm_disconnect(&other);
		sleep(60);
	}
	if (!strcmp(v[1], "lost")) {
		MPI_Comm_disconnect(&other);
		raise(SIGKILL);
	}
	if (!strcmp(v[1], "spawn") && other == MPI_COMM_NULL)
		for (int i = 0; i < 2; i++) {
			char *none[] = {"child", NULL};
			MPI_Info elsewhere;

			MPI_Info_create(&elsewhere);
			MPI_Info_set(elsewhere, "path", ".");
			MPI_Comm_spawn(v[0], none, 1, elsewhere, 0, MPI_COMM_SELF, &other,
				       MPI_ERRCODES_IGNORE);
			MPI_Comm_disconnect(&other);
		}
	else if (other != MPI_COMM_NULL)
		MPI_Comm_disconnect(&other);
	else
		sleep(60);
	MPI_Finalize();
	return 0;
}
END
mpicc -O1 rank.c -o rank || { skip "ranks" "no MPI compiler"; tap_end; }
ranks() { n=$1; shift; timeout -k 5 120 mpirun --allow-run-as-root --oversubscribe -np "$n" "$@" </dev/null; }

# The launcher may end before what it has sent a signal to.
gone() { i=0; while ps -eo args | grep -q "^tau-record .*-o $1 " && [ $i -lt 300 ]; do sleep 0.1; i=$((i + 1)); done; }

for how in kill:SIGKILL abort:SIGABRT; do
	(ulimit -c 0; ranks 4 tau-record -w mpi -o "$how" ./rank "${how%:*}") >"$how.out" 2>&1
	gone "$how"
	first=$(says "$how" >"$how.says"; sed -n 1p "$how.says")
	like "$how of rank 2 of 4: who died first is named first" "$first" "rank 2 \(host [^)]+, process [0-9]+\) was killed by ${how#*:}\$"
	# How many the launcher still finds depends on the moment.
	ok "$how: so are ranks that the launcher ended" grep -qE 'rank [013] .* was killed (by SIGTERM|by SIGKILL|together with its tau-record)$' "$how.says"
	is "$how: the closing line is printed once" \
		"$( (cat "$how.out" "$how.says"; says "$how") | grep -cE ': 4 processes, [0-9]+ events' )" 1
	ok "$how: the trace is sound" tau-dump --check "$how"
done

ranks 2 tau-record -w mpi -o launcher ./rank sleep >launcher.out 2>&1 &
i=0
until [ "$(ls launcher/*.0.live 2>/dev/null | wc -l)" -ge 2 ] || [ $i -eq 600 ]; do sleep 0.1; i=$((i + 1)); done
sleep 1
launcher=$(ps -eo pid,args | awk -v me="-o launcher ./rank sleep" 'index($0, me) && $2 == "mpirun" { print $1 }')
kill -KILL $launcher
wait
gone launcher
is "a killed launcher: the closing line is printed once, by who is left or by the next tool" \
	"$( (cat launcher.out; says launcher; says launcher) | grep -cE ': 2 processes, [0-9]+ events' )" 1

# ---- processes that MPI starts ----
if ranks 1 ./rank spawn >/dev/null 2>&1; then
	ranks 1 tau-record -w mpi -o spawn ./rank spawn >/dev/null 2>spawn.err
	want='rank 0 started 2 processes of ./rank by MPI_Comm_spawn: they are not in this run'
	is "tau-record names the commands that MPI_Comm_spawn started unrecorded" "$(grep -c "$want" spawn.err)" 1
	is "as do readers" "$(says spawn | grep -c "$want")" 1
	ranks 1 tau-record -w mpi -o lose ./rank lose >lose.out 2>&1
	says lose >lose.says
	like "a process that MPI_Comm_spawn started, and that was killed, is named with its rank" "$(cat lose.says)" \
		'rank 1 \(host [^)]+, process [0-9]+\) was killed or called _exit\(\); MPI started it, so its status is unknown'
	is "the closing line counts it" "$( (cat lose.out lose.says; says lose) | grep -cE ': 2 processes, [0-9]+ events' )" 1
else
	skip "processes that MPI starts" "processes cannot be spawned here"
fi
tap_end
