# hang-threads.sh: threads that wait for locks of each other, and PEs of OpenSHMEM that wait for each other, when they are killed.
. "$(dirname "$0")/../expect.sh"
cd "$T" || exit 1

row() { tau-report hang "$1" -f csv 2>/dev/null | tr -d '\r' | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    if (r["ranks"], r["thread"]) == (sys.argv[1], sys.argv[2]): print(r["state"] + ": " + r["waits_for"])' "$2" "$3"; }
first() { tau-report hang "$1" 2>/dev/null | sed -n 2p; }

tau-record --wrap pthread -o locks "$B/apps/hangs" >out 2>err
is "two threads that lock in opposite order" "$(first locks)" "Deadlock: thread 0 and thread 1 wait for each other."
is "... the lock and who has it" "$(row locks 0 0)" "blocked: mutex second, which thread 1 has"
is "... of the other one" "$(row locks 0 1)" "blocked: mutex first, which thread 0 has"
like "a condition that nobody signals" "$(row locks 0 2)" "blocked: condition variable never*"

# ---- files ----

cat >reader.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>
static void *body(void *path)
{
	char c = 0;
	int fd = open(path, O_RDWR);

	if (write(fd, &c, 1) == 1 && read(fd, &c, 1) == 1)
		return read(fd, &c, 1) == 1 ? path : NULL;
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t;

	/* Locks of two descriptors exclude each other. */
	if (argc > 2 && argv[2][0] == 'l')
		return flock(open(argv[1], O_RDONLY), LOCK_EX) + flock(open(argv[1], O_RDONLY), LOCK_EX);
	if (argc > 2)
		return open(argv[1], O_RDONLY);
	pthread_create(&t, NULL, body, argv[1]);
	return pthread_join(t, NULL);
}
C
ok "a program that reads is built" ${CC:-cc} -o reader reader.c -pthread
mkfifo fifo
# reader RUN ARGUMENT...: records it until it waits, and kills it.
reader() {
	run=$1; shift
	tau-record --wrap io,pthread -o "$run" ./reader "$@" >out 2>err &
	for i in $(seq 300); do
		sleep 0.1
		tau-report hang "$run" 2>/dev/null | grep -q "a file" && break
	done
	kill -KILL "$(tau-dump "$run" 2>/dev/null | sed -n 's/.*name="PID" value="\([0-9]*\)".*/\1/p' | head -n 1)"
	wait
}
reader pipe "$PWD/fifo"
is "a thread that reads an empty pipe, and what it read before" "$(row pipe 0 1)" "waits: a file; its last such call was for $PWD/fifo"
like "... is the one that another thread waits for" "$(first pipe)" "1 thread waits, directly or not, for thread 1, which waits for a file in read() *"
reader opens "$PWD/fifo" open
is "a thread that opens a pipe to which nobody writes" "$(row opens 0 0)" "waits: a file"
like "... which is one" "$(first opens)" "1 thread waits, and may still go on*"
reader locks2 reader.c lock
is "a thread that locks a file which is locked" "$(row locks2 0 0) in $(tau-report hang locks2 -f csv 2>/dev/null | grep -o 'flock()' | head -n 1)" "waits: a file in flock()"

# ---- processes ----

cat >family.c <<'C'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int children = atoi(argv[1]), status;

	for (int i = 0; i < children; i++)
		if (fork() == 0)
			for (;;)
				pause();
	return argc > 2 ? waitpid(-1, &status, 0) : wait(&status);
}
C
ok "a program that waits for its children is built" ${CC:-cc} -o family family.c
# family RUN CHILDREN...: records it; `family` is then its process
family() {
	run=$1; shift
	tau-record --wrap process -o "$run" ./family "$@" >out 2>err &
	for i in $(seq 300); do
		sleep 0.1
		tau-report hang "$run" 2>/dev/null | grep -q "the end of process $1" && break
	done
	family=$(tau-dump "$run" 2>/dev/null | sed -n 's/.*name="PID" value="\([0-9]*\)".*/\1/p')
}
family child 1
is "a process waits for its child" "$(row child 0 0)" "waits: the end of process 1"
like "... which does something else" "$(first child)" "1 thread waits, directly or not, for process 1, which computes in *"
kill -STOP $family
for i in $(seq 100); do
	tau-report hang child 2>/dev/null | grep -q stopped && break
	sleep 0.1
done
is "both are stopped" "$(row child 0 0; row child 1 0)" "stopped: the end of process 1
stopped: "
like "... and it is reported" "$(tau-report hang child 2>/dev/null | sed -n 3p)" "2 processes are stopped by a signal or a debugger: 0, 1*"
kill -KILL $family
wait
is "after it was killed it waited" "$(row child 0 0)" "waits: the end of process 1"
family children 2 any
is "any of two children" "$(row children 0 0)" "waits: the end of process 1; or the end of process 2"
kill -KILL $family
wait

if [ -e "$B/apps/shmhang" ] && command -v oshrun >/dev/null; then
	timeout -k 5 100 oshrun -np 3 tau-record -o computes "$B/apps/shmhang" >out 2>err
	is "OpenSHMEM: one PE does not come to the barrier" "$(row computes "0, 1" 0)" "waits: rank 2 to enter it"
	like "... and computes" "$(first computes)" "2 threads wait, directly or not, for rank 2, which computes in .TAU application *"
	timeout -k 5 100 oshrun -np 3 tau-record -o waits "$B/apps/shmhang" wait >out 2>err
	is "... it waits for a change of its memory" "$(row waits 2 0)" "blocked: another rank to change memory of this one"
	is "... which the others cannot make" "$(first waits)" "Deadlock: rank 0 and rank 2 wait for each other."
else
	skip "OpenSHMEM" "there is none"
fi
tap_end
