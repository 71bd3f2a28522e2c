# limits.sh: the recorder where the system refuses it something: each of its system calls in turn, disks that fill up at many points,
# limits on files and memory, no /proc, slow files. The program runs as ever, at most one sentence is printed, and what was recorded
# can be read.
. "$(dirname "$0")/../expect.sh"
cd "$T" || exit 1

crowd=$B/apps/crowd
"$crowd" 3 4 60000 | grep EXPECT >truth
cc -O1 -Wall -Wextra -Werror -fPIC -shared "$TOP/tests/fault/failing.c" -o failing.so || skip_all "no compiler"

# judge NAME: is what the last run left as it should be? It is in out, err, code and the run "run". Adds to $wrong.
judge() {
	grep EXPECT out | cmp -s - truth && [ "$code" = 0 ] || { wrong="$wrong $1:output"; cp err "err.$1"; }
	[ "$(grep -c '^tau: ' err)" -le 1 ] || wrong="$wrong $1:talks"
	if ls run/*.tau >/dev/null 2>&1; then
		read_n=$((read_n + 1))
		tau-dump --check run >check 2>&1 || { wrong="$wrong $1:damaged"; grep -v ': ok' check | sed "s/^/# $1: /"; }
	fi
}
preloaded() {	# VARIABLE=VALUE... : the program with the recorder, without tau-record
	rm -rf run && mkdir -p run
	env "$@" TAU_RECORD_DIR="$T/run" LD_PRELOAD="$B/libtau.so:$T/failing.so" "$crowd" 3 4 60000 >out 2>err
	code=$?
}

# ---- every system call in turn; without TAU_TEST_LONG only every third with FAIL_EVER and FAIL_SHORT ----
preloaded FAIL_LOG="$T/log"
calls_n=$(cat log)
ok "the recorder makes $calls_n system calls that can fail" test "$calls_n" -gt 50
for how in once FAIL_EVER FAIL_SHORT; do
	wrong= read_n=0
	i=1 step=1
	[ $how = once ] || [ -n "$TAU_TEST_LONG" ] || step=3
	while [ $i -le "$calls_n" ]; do
		preloaded FAIL_AT=$i $how=1
		judge $i
		i=$((i + step))
	done
	is "any of them fails ($how): no harm, and $read_n traces read" "$wrong" ""
done
preloaded SLOW_US=2000
cp truth slow.out && mv run slow.run
is "slow files: the program runs as ever" "$code" 0
expect slow

# ---- disks and limits ----
if [ "$(id -u)" = 0 ] && mkdir disk && mount -t tmpfs -o size=16k tmpfs disk 2>/dev/null; then
	wrong= read_n=0 kb=8
	while [ $kb -le 1400 ]; do
		mount -o remount,size=${kb}k disk
		rm -rf run disk/run
		ln -s "$T/disk/run" run
		TAU_RECORD_CODEC=stored tau-record -o disk/run "$crowd" 3 4 60000 >out 2>err
		code=$?
		if [ -d disk/run ]; then
			judge $kb
		elif [ $code -ne 125 ]; then
			wrong="$wrong $kb:status-$code"
		fi
		kb=$((kb + 8 + kb / 12))
	done
	is "disks of 8 KB to 1.4 MB that fill up: no harm, and $read_n traces read" "$wrong" ""
	rm -rf run disk/run
	mount -o remount,size=16k disk
	tau-record --live-dir disk -o run "$crowd" 3 4 60000 >out 2>err
	code=$?
	wrong=
	judge live
	is "a full disk for the live files: no harm" "$wrong" ""
	like "and it is reported" "$(cat err)" 'cannot create .*/disk/.*live: No space left on device'
	umount disk
else
	skip "disks that fill up" "cannot mount a file system"
fi

limits() {	# OPTION VALUES...
	option=$1; shift
	wrong= read_n=0 tried=0
	for n; do
		sh -c "ulimit $option $n && exec \"\$0\" 3 4 60000" "$crowd" >out 2>/dev/null && grep EXPECT out | cmp -s - truth || continue
		tried=$((tried + 1))
		rm -rf run && mkdir run
		sh -c "ulimit $option $n && LD_PRELOAD=$B/libtau.so TAU_RECORD_DIR=$T/run exec \"\$0\" 3 4 60000" "$crowd" >out 2>err
		code=$?
		judge "$n"
	done
	ok "ulimit $option, $tried values: no harm, and $read_n traces read${wrong:+, wrong:$wrong}" test -z "$wrong" -a $tried -gt 2
}
limits -n 3 4 5 6 7 8 12
limits -f 0 1 2 8 64 200 400 800 2000
# the recorder takes 3 MB of address space itself
limits -v 7000 7500 8000 8500 9000 10000 12000 14000 16000 20000 25000 30000 40000 60000

# ---- a program that locks its memory: only its own pages are locked and counted ----
cat >locks.c <<'END'
#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#define SILENT __attribute__((no_instrument_function))
static pthread_barrier_t all;
void leaf(void) { __asm__ volatile(""); }
SILENT static long status(const char *key)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[200];
	long kb = -1;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			kb = atol(line + strlen(key));
	if (f)
		fclose(f);
	return kb;
}
SILENT static void *run(void *unused)
{
	free(malloc(100));
	leaf();
	pthread_barrier_wait(&all);
	return unused;
}
/* FLAGS KB: locks its memory, within KB if that is not 0. */
int main(int argc, char **argv)
{
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct d[2];
	struct rlimit limit = {atol(argv[2]) * 1024, atol(argv[2]) * 1024};
	unsigned char *page = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), in[256];
	int flags = atoi(argv[1]), n = 0, there = 0;
	pthread_t t[8];
	pthread_attr_t a;

	leaf();
	if (limit.rlim_cur) {
		syscall(SYS_capget, &h, d);
		d[0].effective &= ~(1u << CAP_IPC_LOCK);
		syscall(SYS_capset, &h, d);
		setrlimit(RLIMIT_MEMLOCK, &limit);
	}
	printf("locked: %s\n", mlockall(flags) ? strerror(errno) : "yes");
	if (!mincore(page, 1 << 20, in))
		for (int i = 0; i < 256; i++)
			there += in[i] & 1;
	printf("%d of 256 pages are there\n", there);
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 65536);
	pthread_barrier_init(&all, NULL, 9);
	for (; n < 8 && !(errno = pthread_create(&t[n], &a, run, NULL)); n++)
		;
	printf("%d threads: %s\n", n, strerror(errno));
	if (n < 8)
		exit(1);
	pthread_barrier_wait(&all);
	while (n)
		pthread_join(t[--n], NULL);
	for (int i = 0; i < 300000; i++)
		leaf();
	printf("KB %ld %ld %ld\n", status("VmLck:"), status("VmSize:"), status("VmRSS:"));
	return 0;
}
END
${CC:-cc} -O1 -finstrument-functions locks.c -o locks -lpthread || skip_all "no compiler"
for flags in 1 2 3 7; do
	./locks $flags 0 >plain
	set -- $(sed -n 's/^KB //p' plain)
	locked=$1 size=$2 resident=$3
	for options in "-w none" --memory --memory=leaks; do
		rm -rf run
		tau-record $options -o run ./locks $flags 0 >out 2>err
		is "mlockall($flags), $options: the program is as without the recorder" "$(grep -v KB out)" "$(grep -v KB plain)"
		set -- $(sed -n 's/^KB //p' out)
		ok "what is locked more are no tables: $1 KB, $locked without" test "$1" -lt $((locked + 5000))
		ok "nor are they allocated: $3 KB, $resident without" test "$3" -lt $((resident + 14000))
		is "all is recorded" "$(tau-trace2profile --format csv run 2>/dev/null | awk -F, '/,leaf,TAU_USER/ { n += $8 } END { print n }')" 300009
		rm -rf run
		tau-record $options -o run ./locks $flags $((size + 5000)) >out 2>err
		is "within a limit, too" "$(grep -v KB out)" "$(grep -v KB plain)"
	done
done
rm -rf run
tau-record --memory -o run ./locks 3 1000 >out 2>err
./locks 3 1000 >plain
is "what is too much without the recorder is too much with it" "$(grep -v KB out)" "$(grep -v KB plain)"

# ---- what is not there ----
if unshare -m true 2>/dev/null; then
	rm -rf run
	unshare -m sh -c 'umount -l /proc && exec "$@"' sh tau-record -o run "$crowd" 3 4 60000 >out 2>err
	code=$?
	wrong= read_n=0
	judge proc
	is "no /proc: no harm" "$wrong" ""
	mv run noproc.run
	cp out noproc.out
	expect noproc
	rm -rf run
	unshare -m sh -c 'mount -t tmpfs -o size=4k tmpfs /dev/shm && head -c 4096 /dev/zero >/dev/shm/full && exec "$@"' sh \
		tau-record -o run "$crowd" 3 4 60000 >out 2>err
	code=$?
	wrong=
	judge shm
	is "/dev/shm full: no harm" "$wrong" ""
else
	skip "no /proc, /dev/shm full" "no mount namespace for us"
fi

# ---- live files elsewhere ----
mkdir local
record elsewhere --live-dir local "$B/apps/exits" kill
is "live files in a directory of their own become part of the run after a kill" "$(ls local; ls "$T/elsewhere.run" | grep -c live)" 0
expect elsewhere

# tau-record is killed, and the program with it: no process moves the live files
tau-record --live-dir local -o left.run "$B/apps/killed" counts >left.err 2>&1 </dev/null &
recorder=$!
until [ -s counts ] && [ "$(od -An -tu8 -N8 counts)" -gt 100000 ]; do sleep 0.02; done
kill -KILL $recorder
wait $recorder 2>/dev/null
until ! pgrep -f "$B/apps/killed counts" >/dev/null; do sleep 0.02; done
n=$(od -An -tu8 -N8 counts | tr -d ' ')
tau-trace2profile --format csv left.run >left.csv 2>left.why
got=$(calls left tick0)
ok "live files are read where they lie: $got calls of $n" test "$got" -eq "$n" -o "$got" -eq $((n + 1))
rm local/*
like "and missed where they do not" "$(tau-trace2profile --format csv left.run 2>&1)" \
	'live chunk is not included: it was kept in another directory and is not there'

# ---- small stacks, and few files for tau-record itself ----
for kb in 64 96; do
	prlimit --stack=$((kb * 1024)) tau-record -o stack.$kb sh -c '"$0"; exit 3' "$B/apps/hooks" >/dev/null 2>&1
	is "a stack of $kb KB: the program's status, and its events" "$? $(tau-dump --check stack.$kb | grep -c ': ok: [0-9]* chunks*, [1-9]')" "3 1"
done
for n in 5 6 7 8; do
	prlimit --nofile=$n tau-record -o files sh -c 'exit 3' >out 2>&1
	is "$n open files: the program runs all the same" "$? $(cat out)" \
		"3 tau-record: $(command -v sh): may have too few files open (ulimit -n), so it cannot be recorded; it runs unrecorded"
done
tap_end
