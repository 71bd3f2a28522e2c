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
	recorder=$!
	for i in $(seq 300); do
		sleep 0.1
		tau-report hang "$run" 2>/dev/null | grep -q "$wait" && break
	done
	live=$(row "$run" 0 0)
	kill -KILL $(tau-dump "$run" 2>/dev/null | sed -n 's/.*name="PID" value="\([0-9]*\)".*/\1/p')
	wait $recorder
}
wait=fifo
reader pipe "$PWD/fifo"
is "a thread that reads an empty pipe" "$(row pipe 0 1)" "waits: $PWD/fifo"
like "... is the one that another thread waits for" "$(first pipe)" "1 thread waits, directly or not, for thread 1, which waits for a file in read() *"
reader opens "$PWD/fifo" open
is "a thread that opens a pipe to which nobody writes" "$(row opens 0 0)" "waits: $PWD/fifo"
like "... which is one" "$(first opens)" "1 thread waits, and may still go on*"
wait="lock[a-z ]*: "
reader locks2 reader.c lock
is "a thread that locks a file which it has locked" "$(row locks2 0 0) in $(tau-report hang locks2 -f csv 2>/dev/null | grep -o 'flock()' | head -n 1)" \
	"blocked: exclusive lock: $PWD/reader.c, which process 0 has in flock()"
is "... waits for itself" "$(first locks2)" "Deadlock: thread 0 waits for itself."

cat >locker.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
/* Locks the file in this way. A part of it is described from its begin, from the position, or from its end: always bytes 10 to 99. */
static int lock(int fd, const char *how, short type)
{
	struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = 10, .l_len = 90};

	if (!strcmp(how, "flock"))
		return flock(fd, type == F_RDLCK ? LOCK_SH : LOCK_EX);
	if (!strcmp(how, "lockf"))
		return lseek(fd, 100, SEEK_SET) < 0 || lockf(fd, F_LOCK, -90);
	if (!strcmp(how, "lockf64"))
		return lseek(fd, 10, SEEK_SET) < 0 || lockf64(fd, F_LOCK, 0);
	if (!strcmp(how, "fcntl64"))
		return fcntl64(fd, F_SETLKW, &l);
	l.l_start = !strcmp(how, "position") ? -10 : !strcmp(how, "end") ? -990 : 10;
	l.l_whence = !strcmp(how, "position") ? SEEK_CUR : !strcmp(how, "end") ? SEEK_END : SEEK_SET;
	if (lseek(fd, 20, SEEK_SET) < 0)
		return 1;
	return fcntl(fd, !strncmp(how, "open", 4) ? F_OFD_SETLKW : F_SETLKW, &l);
}
int main(int argc, char **argv)
{
	const char *how = argv[2];
	int p[2], fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	char c = 0;

	if (argc < 3 || fd < 0 || ftruncate(fd, 1000) || pipe(p))
		return 1;
	if (fork() == 0) {
		fd = open(argv[1], O_RDWR);
		if (lock(fd, how, F_WRLCK) || write(p[1], &c, 1) != 1)
			return 1;
		for (;;)
			pause();
	}
	if (read(p[0], &c, 1) != 1)
		return 1;
	return lock(fd, how, strstr(how, "shared") ? F_RDLCK : F_WRLCK);
}
C
ok "a program that locks is built" ${CC:-cc} -D_FILE_OFFSET_BITS=64 -o reader locker.c
# locked HOW KIND RANGE: the parent waits for its child, which has the lock.
locked() {
	reader "by-$1" "$PWD/data" "$1"
	is "$1: the file, the part and the holder" "$live" "waits: $2: $PWD/data${3:+, bytes $3}, which process 1 has"
	is "... after it was killed" "$(row "by-$1" 0 0)" "$live"
}
locked flock "exclusive lock"
locked lockf "write lock" 10-99
locked lockf64 "write lock" "from 10"
locked fcntl "write lock" 10-99
locked fcntl64 "write lock" 10-99
locked position "write lock" 10-99
locked end "write lock" 10-99
locked shared "read lock" 10-99
locked open "write lock of an open file" 10-99
locked open-shared "read lock of an open file" 10-99

# The holder is no process of the run: the kernel has its number.
if command -v flock >/dev/null; then
	flock -F data sleep 100 &
	holder=$!
	for i in $(seq 100); do
		grep -q "FLOCK .* $holder " /proc/locks && break
		sleep 0.1
	done
	cat >outside.c <<-'C'
		#include <fcntl.h>
		#include <sys/file.h>
		int main(int argc, char **argv)
		{
			return flock(open(argv[1], O_RDONLY), argc > 2 ? LOCK_EX : LOCK_SH);
		}
	C
	${CC:-cc} -o reader outside.c
	reader outside "$PWD/data"
	is "a process that is not recorded has the lock" "$live" "waits: shared lock: $PWD/data, which process number $holder of the system has"
	is "... which is not known after the kill" "$(row outside 0 0)" "waits: shared lock: $PWD/data"
	kill $holder
	wait
else
	skip "a process that is not recorded" "there is no flock"
fi

# The lock has passed from one process to another one since the call began.
cat >passes.c <<'C'
#include <fcntl.h>
#include <unistd.h>
static int lock(int fd, int type)
{
	struct flock l = {.l_type = (short)type, .l_whence = SEEK_SET};

	return fcntl(fd, F_SETLKW, &l);
}
int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT, 0600), p[2];
	char c = 0;

	if (lock(fd, F_WRLCK) || pipe(p))
		return 1;
	for (int i = 0; i < 2; i++) {
		if (fork() == 0) {
			sleep((unsigned)i);
			if (write(p[1], &c, 1) != 1 || lock(fd, F_WRLCK))
				return 1;
			for (;;)
				pause();
		}
		if (read(p[0], &c, 1) != 1)
			return 1;
	}
	sleep(1);
	lock(fd, F_UNLCK);
	for (;;)
		pause();
}
C
ok "a program that passes a lock on is built" ${CC:-cc} -o reader passes.c
wait="process [12] has"
reader passed "$PWD/data"
is "the process that got the lock meanwhile has it" "$(row passed "0, 1" 0; row passed 2 0)" "computes: 
waits: write lock: $PWD/data, which process 1 has"

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
