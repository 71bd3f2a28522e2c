# sealed.sh: streams that processes leave open are closed by tau-record, or by the next reader where tau-record was killed, too:
# nothing is lost, no live file remains, and a window costs what it costs in any run. What still runs, is on another host, or belongs
# to others is left alone.
. "$(dirname "$0")/../expect.sh"

cat >"$T/family.c" <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#define SILENT __attribute__((no_instrument_function))
static volatile long sink, ready;
void leaf(void) { sink++; }
SILENT static void work(int n) { while (n--) leaf(); }
SILENT static void *forever(void *unused)
{
	work(1000);
	__atomic_add_fetch(&ready, 1, __ATOMIC_RELEASE);
	pause();
	return unused;
}
SILENT static void child(int how)
{
	if (fork()) {
		wait(NULL);
		return;
	}
	work(1000);
	if (!how)
		syscall(SYS_exit_group, 3);
	raise(how);
}
int main(int argc, char **argv)
{
	pthread_t t;
	int n = argc > 2 ? atoi(argv[2]) : 1000;

	child(0);
	child(SIGTERM);
	child(SIGKILL);
	child(SIGABRT);
	pthread_create(&t, NULL, forever, NULL);
	pthread_create(&t, NULL, forever, NULL);
	while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) < 2)
		usleep(100);
	work(n);
	printf("EXPECT region leaf calls %d\nEXPECT region main calls 1\n", n + 6000);
	fflush(stdout);
	if (!strcmp(argv[1], "both"))
		kill(getppid(), SIGKILL);
	if (strcmp(argv[1], "end"))
		raise(SIGKILL);
	return 0;
}
END
${CC:-cc} -g -O1 -finstrument-functions "$T/family.c" -o "$T/family" -lpthread || skip_all "no compiler"
live() { ls "$T/$1" | grep -c '\.live$'; }

for how in end kill; do
	record $how "$T/family" $how
	is "$how: tau-record leaves no live file" "$(live $how.run)" 0
	is "and reports it" "$(grep -c '\.live' "$T/$how.err")" 0
	ok "all files are sound" tau-dump --check "$T/$how.run"
	expect $how
done
is "who closed a file is known" "$(tau-dump --only files "$T/end.run" | grep -c ', closed after the process had ended, with index$')" 6
is "the other one was closed by the recorder" "$(tau-dump --only files "$T/end.run" | grep -c ', closed, with index$')" 1

# tau-record is killed with the program
record both "$T/family" both 3000000
while pgrep -f "$T/family both" >/dev/null; do sleep 0.02; done
is "where tau-record is killed, too, live files remain" "$(live both.run)" 6
# On another host its processes may run on. What is read there is what was left.
mkdir "$T/elsewhere.run"
for f in "$T/both.run"/*; do
	n=${f##*/}
	case $n in *.tau | *.live) n=elsewhere${n#"$(uname -n)"} ;; esac
	cp "$f" "$T/elsewhere.run/$n"
done
cp -r "$T/both.run" "$T/owned.run"
cp -r "$T/both.run" "$T/locked.run"
# window RUN: bytes that a window of it reads
window() {
	tau-trace2profile --stats --window 5ms:5100us --format csv "$T/$1.run" -o /dev/null 2>&1 | sed -n 's/.*: read \([0-9]*\) of .*/\1/p'
}
cp "$T/both.out" "$T/elsewhere.out"
expect both
expect elsewhere
is "the next reader seals the run" "$(live both.run)" 0
is "but not what another host has recorded" "$(live elsewhere.run)" 6
ok "all files are sound" tau-dump --check "$T/both.run"
few=$(window both) many=$(window elsewhere)
ok "a window reads less than with live files: $few bytes, not $many" test "$few" -gt 0 -a $((2 * few)) -lt "$many"
records() { for f in "$T/$1"/*.tau; do tau-dump --only records,snapshots,definitions "$f" | grep -v '^file\|^ *chunk'; done | cksum; }
is "each record, snapshot and definition is as it was" "$(records both.run)" "$(records elsewhere.run)"
for run in both elsewhere; do
	like "$run: how the program ended is still known" "$(tau-trace2profile --format csv "$T/$run.run" -o /dev/null 2>&1)" \
		'was killed together with its tau-record'
done

if [ "$(id -u)" = 0 ]; then
	chown -R 65534 "$T/owned.run"
	tau-trace2profile --format csv "$T/owned.run" -o /dev/null 2>/dev/null
	is "the run of another user is left alone" "$(live owned.run)" 6
else
	skip "the run of another user is left alone" "not root"
fi
# A second reader that is sealing has the lock of each file.
for f in "$T/locked.run"/*.tau; do
	flock "$f" sh -c "until [ -e '$T/done' ]; do sleep 0.02; done" &
done
sleep 0.3
tau-trace2profile --format csv "$T/locked.run" -o /dev/null 2>/dev/null
is "what another program is sealing is left to it" "$(live locked.run)" 6
touch "$T/done"
wait
tau-trace2profile --format csv "$T/locked.run" -o /dev/null 2>/dev/null
is "and sealed later if it does not" "$(live locked.run)" 0

# Sealing that ends after any byte: with the live file and folded calls still there, each is read as before.
record folded --fold 1ms "$T/family" both
while pgrep -f "$T/family both" >/dev/null; do sleep 0.02; done
for f in "$T"/folded.run/*.0.0.fold; do
	stem=${f%.fold}
	[ -e "$stem.live" ] && [ "$(stat -c %s "$stem.tau")" = 64 ] && break
done
mkdir "$T/cut.run"
cut=$T/cut.run/elsewhere.1.0.0
cp "$stem.live" "$cut.live"
cp "$stem.fold" "$cut.fold"
cp "$stem.tau" "$cut.tau"
rows() { tau-trace2profile --format csv "$T/cut.run" 2>"$T/cut.why" | cksum; grep -c 'not included' "$T/cut.why"; }
want=$(rows)
like "folded calls are among them" "$(tau-trace2profile --format csv "$T/cut.run" 2>/dev/null)" ',"leaf .*,1000,'
tau-dump --check "$T/folded.run" >/dev/null
tau-trace2profile --format csv "$T/folded.run" -o /dev/null 2>/dev/null
size=$(stat -c %s "$stem.tau")
printf '\001\0\0\0\0\0\0\0' | dd of="$cut.fold" bs=1 seek=48 conv=notrunc 2>/dev/null
index=$(tau-dump --only index "$stem.tau" | sed -n 's/^index at offset \([0-9]*\):.*/\1/p')
wrong='' n=0
for at in $(seq 64 13 "$size") $index $((index + 1)) $((index + 103)) $((index + 104)) "$size"; do
	head -c "$at" "$stem.tau" >"$cut.tau"
	[ "$(rows)" = "$want" ] || wrong="$wrong $at"
	n=$((n + 1))
done
is "sealing that ends at any of $n places loses nothing and adds nothing" "$wrong" ""

# a writer that has the file mapped
record held "$T/family" both
while pgrep -f "$T/family both" >/dev/null; do sleep 0.02; done
one=$(ls "$T"/held.run/*.live | head -1)
sh -c "exec 3<>'$one'; until [ -e '$T/closed' ]; do sleep 0.02; done" &
sleep 0.2
expect held
is "a live file that is still mapped is left alone" "$(ls "$T"/held.run/*.live)" "$one"
touch "$T/closed"
wait
expect held
is "until it is not" "$(live held.run)" 0

# On overlayfs, as in containers, the kernel does not show whether a file is mapped, so the process is searched, also in the PID
# namespace of a container.
cat >"$T/waits.c" <<'END'
#include <fcntl.h>
#include <unistd.h>
#define SILENT __attribute__((no_instrument_function))
static volatile long sink;
void leaf(void) { sink++; }
SILENT int main(int argc, char **argv)
{
	for (int i = 0; i < 1000; i++)
		leaf();
	close(open(argv[argc - 2], O_CREAT | O_RDWR, 0600));
	while (access(argv[argc - 1], F_OK))
		usleep(10000);
	for (int i = 0; i < 1000; i++)
		leaf();
	_exit(0);
}
END
cat >"$T/layers.sh" <<'END'
mount -t tmpfs none "$1" && cd "$1" && mkdir low up work top || exit 1
mount -t overlay overlay -o lowerdir=low,upperdir=up,workdir=work top && cd top || exit 1
unshare -pf --mount-proc true || exit 1
live() { ls "$1" | grep -c '\.live$'; }
for how in plain inside; do
	into=
	[ $how = inside ] && into='unshare -pf --mount-proc'
	$into tau-record -o $how.run "$2" $PWD/$how.ready $PWD/$how.go 2>$how.err &
	for i in $(seq 200); do [ -e $how.ready ] && break; sleep 0.05; done
	tau-trace2profile --format csv $how.run -o $how.csv 2>/dev/null
	echo "$how: $(live $how.run) live while it runs"
	touch $how.go
	wait
	tau-trace2profile --format csv $how.run 2>/dev/null | sed -n 's/.*"leaf .*TAU_USER,\([0-9]*\),.*/'$how': \1 calls/p'
	echo "$how: $(live $how.run) live at last"
done
END
mkdir "$T/layers"
if ${CC:-cc} -g -O1 -finstrument-functions "$T/waits.c" -o "$T/waits" && [ "$(id -u)" = 0 ] &&
	unshare -m sh "$T/layers.sh" "$T/layers" "$T/waits" >"$T/layers.out" 2>"$T/layers.err"; then
	is "overlayfs: what still runs is left alone" "$(grep ^plain "$T/layers.out" | head -2 | tr '\n' ';')" \
		"plain: 1 live while it runs;plain: 2000 calls;"
	if [ "$(stat -Lc %i /proc/self/ns/pid)" = 4026531836 ]; then
		is "and closed later" "$(sed -n 's/^plain: \(.*\) at last/\1/p' "$T/layers.out")" "0 live"
	else
		skip "and closed later" "this is a container; the host may use the same files"
	fi
	# Small numbers are in use outside, too, so it may be left for good.
	is "what runs in a PID namespace is left alone, too" "$(grep ^inside "$T/layers.out" | head -2 | tr '\n' ';')" \
		"inside: 1 live while it runs;inside: 2000 calls;"
else
	skip "overlayfs" "not root, or overlayfs cannot be mounted here"
fi
tap_end
