# made-code.sh: code that a program makes at run time has the names that the program lists in /tmp/perf-PID.map: they are stored with the
# run, the later of two that cover an address counts, and a list that is not the process's own is not used.
. "$(dirname "$0")/../expect.sh"
cd "$T" || exit 1

# made HOW: 400 ms of CPU time in one function, 400 in another, which took the place of a third one.
cat >made.c <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
enum { SIZE = 256 };
typedef unsigned long turn_fn(unsigned long s, int n);
__attribute__((noinline)) static unsigned long turn(unsigned long s, int n)
{
	for (int i = 0; i < n; i++) s ^= s << 13 ^ s >> 7;
	return s;
}
static unsigned long spend(turn_fn *f, int ms)
{
	struct timespec t;
	unsigned long s = 1;
	long long end = 0;
	do {
		s = f(s, 100000);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
		if (!end) end = t.tv_sec * 1000000000ll + t.tv_nsec + ms * 1000000ll;
	} while (t.tv_sec * 1000000000ll + t.tv_nsec < end);
	return s;
}
int main(int n, char **v)
{
	char name[64], *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *f;
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
	if (n > 1 && !strcmp(v[1], "link")) { snprintf(name, sizeof(name), "real.map"); }
	f = fopen(name, "w");
	fprintf(f, "%lx %x third\nnonsense\n\nffffffffffffffff 10 over the end\n0 0 empty\n", (long)page + 2048, 2 * SIZE);
	fprintf(f, "%lx %x JS:*first /src/a b.js:12:5\n", (long)page, SIZE);
	fprintf(f, "%lx %x second", (long)page + 2048 + SIZE, SIZE);
	fclose(f);
	if (n > 1 && !strcmp(v[1], "link")) { char to[64]; snprintf(to, sizeof(to), "/tmp/perf-%d.map", (int)getpid()); if (symlink(v[2], to)) return 1; }
	memcpy(page, (void *)turn, SIZE);
	memcpy(page + 2048 + SIZE, (void *)turn, SIZE);
	__builtin___clear_cache(page, page + 4096);
	printf("%lu %d\n", spend((turn_fn *)page, 400) + spend((turn_fn *)(page + 2048 + SIZE), 400), (int)getpid());
	return 0;
}
C
${CC:-cc} -O1 -fno-stack-protector -fno-instrument-functions -fno-sanitize=all -o made made.c 2>build.err || ${CC:-cc} -O1 -o made made.c || { fail "builds"; tap_end; exit; }
./made >alone 2>&1 || skip_all "memory may not be executed here"
rm -f "/tmp/perf-$(sed 's/.* //' alone).map"

made_run() {	# NAME HOW... [-- OPTION...]
	run=$1; shift
	rm -rf "$run.run"
	tau-record -o "$run.run" "$@" >"$run.out" 2>"$run.err"
	code=$?
	pid=$(sed 's/.* //' "$run.out")
}
# named WHAT WANT NAME HOW...: made_run, whose functions are WANT. On a busy machine a run can have too few samples: then it runs again.
named() {
	named_what=$1 want=$2; shift 2
	for try in 1 2 3 4 5 6; do
		made_run "$@"
		got=$(most "$run")
		[ "$got" != "$want" ] || break
		rm -f "/tmp/perf-$pid.map"
	done
	is "$named_what" "$got" "$want"
}
# The functions with most samples, as "NAME SHARE", the share in tenths.
most() {
	tau-report profile --samples --sample-resolution function -f csv "$1.run" 2>"$1.why" >"$1.csv"
	python3 - "$1.csv" <<-'P'
		import csv, sys
		rows = [r for r in csv.DictReader(open(sys.argv[1]))]
		all = sum(float(r["exclusive_us"]) for r in rows)
		print(";".join(sorted(r["region"] for r in rows if float(r["exclusive_us"]) > 0.15 * all)))
	P
}

named "functions that it made have the names of its list" "JS:*first [{/src/a b.js}];second" listed ./made
is "the program ends as it should" "$code" 0
list=/tmp/perf-$pid.map
rm -f "$list"
mkdir elsewhere && cp -r listed.run elsewhere/
is "the list is gone, and the run is elsewhere: the same" "$(most elsewhere/listed)" "JS:*first [{/src/a b.js}];second"
is "and nothing is noted" "$(cat elsewhere/listed.why)" ""
like "the line, too" "$(tau-report profile --samples -f csv listed.run)" '/src/a b\.js} \{12\}'
tau-convert --to otf2 listed.run o2 >/dev/null 2>&1 && [ -d o2 ] && like "in OTF2, too" "$(tau-report profile --samples -f csv o2)" 'second'
like "in a window, too" "$(tau-report profile --samples -w 0s:10s listed.run)" 'JS:\*first'

named "--no-names stores none" "UNRESOLVED UNKNOWN" without --no-names ./made
rm -f "/tmp/perf-$pid.map"
like "the overview shows what would name it" "$(tau-report without.run)" 'samples of code in no file; node --perf-basic-prof'

named "a list that is a link is not read" "UNRESOLVED UNKNOWN" link ./made link "$T/real.map"
is "the program ends as it should" "$code" 0
rm -f "/tmp/perf-$pid.map"

# The list is made old, or another user's, before the names are stored: by a program that is recorded together with it.
cat >late.sh <<'S'
./made >made.out
pid=$(sed 's/.* //' made.out)
eval "$1"
cat made.out
S
named "a list that was last written before the run is not read" "UNRESOLVED UNKNOWN" old sh late.sh 'touch -d "2 days ago" /tmp/perf-$pid.map'
rm -f "/tmp/perf-$pid.map"
if [ "$(id -u)" = 0 ]; then
	named "a list of another user is not read" "UNRESOLVED UNKNOWN" other sh late.sh 'chown 65534 /tmp/perf-$pid.map'
	rm -f "/tmp/perf-$pid.map"
else
	skip "a list of another user is not read" "only root can give a file away"
fi
named "two processes have their own" "JS:*first [{/src/a b.js}];second" two sh -c './made >one.out & ./made; wait'
rm -f "/tmp/perf-$pid.map" "/tmp/perf-$(sed 's/.* //' one.out).map"
tap_end
