# threads.sh: threads at once and one after the other: each stream holds what its threads did.
. "$(dirname "$0")/../expect.sh"

for n in 1 4 16; do
	record threads$n "$B/apps/threads" $n
	is "$n threads: the program ends as it should" "$code" 0
	expect threads$n
done

# Threads that live at the same time: each has one file of its own, which stays, and no other is made or removed for it.
cat >"$T/together.c" <<'END'
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#define SILENT __attribute__((no_instrument_function))
#define DEPTH 4000
static pthread_barrier_t all, leave;
static volatile long sink;
static int joins;
void leaf(void) { sink++; }
/* The open regions do not fit into a usual chunk. */
void deep(int n)
{
	if (n)
		deep(n - 1);
	for (int i = 0; !n && i < 60000; i++)
		leaf();
	if (!n) {
		pthread_barrier_wait(&all);
		pause();
	}
	sink++;
}
SILENT static void *run(void *number)
{
	for (long i = 0; i < (long)number; i++)
		leaf();
	if (!number)
		deep(DEPTH);
	pthread_barrier_wait(&all);
	if (joins)
		pthread_barrier_wait(&leave);
	else
		pause();
	return NULL;
}
SILENT static int live_files(void)
{
	DIR *d = opendir(getenv("TAU_RECORD_DIR"));
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)))
		n += strstr(e->d_name, ".live") != NULL;
	if (d)
		closedir(d);
	return n;
}
SILENT static long faults(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_minflt;
}
SILENT int main(int argc, char **argv)
{
	long n = atol(argv[1]), total = 1, before = faults();
	pthread_attr_t a;
	pthread_t t[100];

	joins = !strcmp(argv[2], "join");
	pthread_barrier_init(&leave, NULL, n + 1);
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 1 << 20);
	pthread_barrier_init(&all, NULL, n + 1);
	leaf();
	for (long i = 1; i <= n; i++) {
		long calls = i == 7 ? 150000 : i == 3 && argc > 3 ? 0 : i;

		if (pthread_create(&t[i], &a, run, (void *)calls))
			return 1;
		total += calls ? calls : 60000;
	}
	pthread_barrier_wait(&all);
	printf("page faults %ld\n", faults() - before);
	printf("EXPECT region leaf calls %ld\nlive files %d\n", total, live_files());
	fflush(stdout);
	if (!strcmp(argv[2], "kill") || !strcmp(argv[2], "both")) {
		if (!strcmp(argv[2], "both"))
			kill(getppid(), SIGKILL);
		raise(SIGKILL);
	}
	if (!strcmp(argv[2], "fork") && !fork()) {
		leaf();
		_exit(0);
	}
	if (joins)
		pthread_barrier_wait(&leave);
	for (long i = 1; joins && i <= n; i++)
		pthread_join(t[i], NULL);
	return 0;
}
END
if ${CC:-cc} -g -O0 -finstrument-functions "$T/together.c" -o "$T/together" -lpthread; then
	for n in 1 2 3 17 70; do
		record at$n -w none "$T/together" $n end
		expect at$n
		is "$n threads at once and their process have two live files" "$(sed -n 's/^live files //p' "$T/at$n.out")" 2
		is "and none afterwards" "$(ls "$T/at$n.run" | grep -c '\.live')" 0
		ok "all their files are sound" tau-dump --check "$T/at$n.run"
	done
	record killed -w none "$T/together" 70 kill
	expect killed
	record deep -w none "$T/together" 20 kill deep
	expect deep
	is "the chunk of a deep thread moves to a file of its own" "$(sed -n 's/^live files //p' "$T/deep.out")" 3
	mkdir "$T/apart"
	record elsewhere --live-dir "$T/apart" -w none "$T/together" 20 kill deep
	expect elsewhere
	is "nothing remains in another directory of live files" "$(ls "$T/apart")" ""
	for how in killed deep elsewhere; do
		is "$how: no live file remains" "$(ls "$T/$how.run" | grep -c '\.live')" 0
		ok "$how: all files are sound" tau-dump --check "$T/$how.run"
	done
	# tau-record is killed, too: what readers find before and after they seal the run
	record both -w none "$T/together" 20 both deep
	while pgrep -f "$T/together 20 both" >/dev/null; do sleep 0.02; done
	mkdir "$T/away.run"
	for f in "$T/both.run"/*; do
		n=${f##*/}
		case $n in *.tau | *.live) n=elsewhere${n#"$(uname -n)"} ;; esac
		cp "$f" "$T/away.run/$n"
	done
	cp "$T/both.out" "$T/away.out"
	expect both
	expect away
	is "the next reader seals the run" "$(ls "$T/both.run" | grep -c '\.live')" 0
	is "but not one of another host" "$(ls "$T/away.run" | grep -c '\.live')" 3
	for byte in 0 8 13 24; do
		printf '\377' | dd of="$(echo "$T"/away.run/*.threads.live)" bs=1 seek=$byte conv=notrunc 2>/dev/null
	done
	like "a damaged head of the file is reported" "$(tau-trace2profile --format csv "$T/away.run" 2>&1 >/dev/null)" \
		'threads.live: the live chunk is not included: the head of the file is damaged'
	if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
		strace -f -e trace=openat,unlink,unlinkat,renameat,renameat2 -o "$T/calls" tau-record -w none -o "$T/traced.run" "$T/together" 60 end >/dev/null 2>&1
		made=$(grep -c '"[^"]*\.\(tau\|live\)", [^"]*O_CREAT' "$T/calls")
		gone=$(grep 'unlink.*\.live"' "$T/calls" | grep -vc ENOENT)
		ok "60 threads make 60 files, and their process two: $made made" test "$made" -ge 60 -a "$made" -le 64
		ok "they remove none: $gone removed" test "$gone" -le 4
		vain=$(grep -c 'unlink.*ENOENT' "$T/calls") folds=$(grep -c '\.fold"' "$T/calls")
		ok "tau-record closes their streams without a search for files to remove: $vain in vain" test "$vain" -le 8
		ok "and with one for the folded calls of each: $folds" test "$folds" -le 70
		# What 60 threads do more than 20, and the recorder more than the program: for each thread
		# each CALLS [OF]: added calls of these names (all but futex) by 40 threads
		each() {
			for f in cost60 cost20 plain60 plain20; do
				awk -v names=" $1 " '($1 != "futex" && $1 != "total" && $2 ~ /^[0-9]+$/ && (names == " all " || index(names, " " $1 " "))) { n += $2 } END { print n + 0 }' "$T/$f.calls"
			done | xargs sh -c 'echo $(($0 - $1 - $2 + $3))'
		}
		pages() { sed -n 's/^page faults //p' "$T/$1.out"; }
		# How many stacks and arenas the program's own threads share depends on which of them ends first: the least of some runs counts.
		for try in 1 2 3 4 5 6 7 8 9 10 11 12; do
			for n in 20 60; do
				TAU_RECORD_DIR=$T "$T/together" $n join >"$T/plain$n.out"
				TAU_RECORD_DIR=$T strace -f -c -U name,calls -o "$T/plain$n.calls" "$T/together" $n join >/dev/null
				record cost$n -w none "$T/together" $n join
				rm -rf "$T/cost$n.traced.run"
				strace -f -c -U name,calls -o "$T/cost$n.calls" tau-record -w none --sample=1s -o "$T/cost$n.traced.run" "$T/together" $n join >/dev/null 2>&1
			done
			faults=$(($(pages cost60) - $(pages cost20) - $(pages plain60) + $(pages plain20)))
			maps=$(each "mmap munmap mprotect")
			[ "$faults" -gt 80 ] || [ "$maps" -gt 20 ] || break
		done
		ok "a thread costs at most 2 page faults more: $faults by 40" test "$faults" -le 80
		masks=$(each rt_sigprocmask)
		ok "and at most 6 signal masks: $masks by 40" test "$masks" -le 250
		opens=$(each openat)
		ok "and at most 8 files are opened for it, until all is reported: $opens by 40" test "$opens" -le 320
		found=$(each "newfstatat stat readlink")
		ok "and 4 are looked at: $found by 40" test "$found" -le 170
		sum=$(each all)
		ok "and at most 60 system calls in all: $sum by 40" test "$sum" -le 2400
		ok "and at most half a mapping: $maps by 40" test "$maps" -le 20
	else
		skip "60 threads make 60 files" "no strace"
	fi
else
	skip "threads at once" "no compiler"
fi
tap_end
