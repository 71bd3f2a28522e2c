# timeline-window.sh: the timeline of a window reads only the window, and its cells add up to the profile of the same window: of windows
# inside of chunks, between them, and over several.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
unset TAUDB
cat >waves.c <<'C'
#include <pthread.h>
#include <time.h>

static __attribute__((noinline)) void inner(void)
{
}

static __attribute__((noinline)) void outer(int n)
{
	for (int i = 0; i < n; i++)
		inner();
}

static __attribute__((noinline)) void pause_now(void)
{
	struct timespec t = {0, 3000000};

	nanosleep(&t, 0);
}

static void *waves(void *arg)
{
	for (int i = 0; i < 30; i++) {
		outer(4000);
		pause_now();
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, waves, 0);
	waves(0);
	return pthread_join(t, 0);
}
C
${CC:-cc} -O1 -g -finstrument-functions -o waves waves.c -lpthread && TAU_SAMPLING=0 tau-record --no-fold -o run ./waves >/dev/null 2>err ||
	TAU_SAMPLING=0 tau-record -o run ./waves >/dev/null 2>err
ok "the run has several chunks" test "$(tau-dump --only chunks run | grep -c '^chunk')" -gt 6
cat >compare.py <<'END'
import csv, io, random, subprocess, sys

def rows(*words):
    out = subprocess.run(("tau-report",) + words, capture_output=True, text=True)
    return list(csv.DictReader(io.StringIO(out.stdout))), out.stderr

random.seed(int(sys.argv[1]))
whole, _ = rows("timeline", "-f", "csv", "run")
end = max(float(r["end_ms"]) for r in whole) * 1e6
bad = n = 0
for i in range(60):
    begin = random.uniform(0, end)
    w = "%dns:%dns" % (begin, min(end, begin + random.choice((200, 1e4, 1e5, 2e6, 3e7))))
    cells, said = rows("timeline", "--by", "region", "--cells", str(random.choice((1, 7, 64, 500))), "-w", w, "-f", "csv", "run")
    profile, _ = rows("profile", "--top", "0", "-w", w, "-f", "csv", "run")
    want = {r["region"]: float(r["exclusive_us"]) for r in profile if float(r["exclusive_us"]) > 0 and r["region"] != ".TAU application"}
    got = {}
    for c in cells:
        got[c["region"]] = got.get(c["region"], 0) + 1000 * float(c["time_ms"])
    n += 1
    if set(want) != set(got) or any(abs(want[k] - got[k]) > 0.0015 for k in want):
        bad += 1
        print("# ", w, want, got, said)
print("%d windows, %d differ" % (n, bad))
END
is "each timeline adds up to the profile of its window" "$(python3 compare.py 1)" "60 windows, 0 differ"
is "a wrong number of cells" "$(tau-report timeline --cells 0x run 2>&1 | grep -c cells) $(tau-report timeline --cells 9999 run 2>&1)" \
	"1 tau-report: --cells needs a number from 1 to 4096, or a time"
is "as many cells as requested" "$(tau-report timeline --cells 10 run | sed -n '/^PE/,/^$/p' | awk 'NR > 2 && NF == 2 { print length($2); exit }')" 10
is "cells of another kind" "$(tau-report profile --cells 10 run 2>&1 | grep -c 'cells')" 1
tap_end
