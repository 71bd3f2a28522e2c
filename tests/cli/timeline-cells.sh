# timeline-cells.sh: cells of a timeline at multiples of a time: they are those of the same windows, whether the events are read or their
# sums are kept beside the run; what is kept is of no use when the run has changed or it is damaged.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
unset TAUDB
cat >steps.c <<'C'
#include <pthread.h>
#include <time.h>

static volatile int sink;

static __attribute__((noinline)) void f0(void) { sink++; }
static __attribute__((noinline)) void f1(void) { f0(); }
static __attribute__((noinline)) void f2(int n) { for (int i = 0; i < n % 7; i++) f1(); }
static __attribute__((noinline)) void f3(int n) { if (n & 1) f2(n); else f1(); }

static void *steps(void *arg)
{
	for (int i = 0; i < 12; i++) {
		struct timespec t = {0, 2000000};

		for (int k = 0; k < 26000; k++)
			f3(k);
		nanosleep(&t, 0);
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, steps, 0);
	steps(0);
	return pthread_join(t, 0);
}
C
${CC:-cc} -O1 -g -finstrument-functions -o steps steps.c -lpthread || exit 1
tau-record --sample=none -o run ./steps >/dev/null 2>err
tau-report timeline -f csv run >whole.csv
ok "a picture of everything keeps cells, a file for each thread" test "$(ls run/*.cells 2>/dev/null | wc -l)" = 2
ok "which are small beside the trace" test "$(cat run/*.cells | wc -c)" -lt "$(($(cat run/*.tau | wc -c) / 3))"
cmp_all() { for f in "$1"/*; do cmp "$f" "$2/${f##*/}" || return 1; done; }	# two folders
cp -rp run plain
mkdir single
mv run/*.cells single
tau-report timeline -f csv -j 2 run >threads.csv
ok "two threads keep the same cells" cmp_all single run
ok "and print the same picture" cmp whole.csv threads.csv
bad "a number of threads that is none" 2 "--threads: -1 is not a number from 0 to" tau-report timeline -j -1 run
rm plain/*.cells
cat >compare.py <<'END'
import csv, io, random, subprocess, sys

def report(run, *words):
    out = subprocess.run(("tau-report", "timeline", "-f", "csv") + words + (run,), capture_output=True, text=True)
    return out.stdout, out.returncode

def total(text):
    sums = {}
    for r in csv.DictReader(io.StringIO(text)):
        key = (r["pe"], r.get("region") or r.get("group"))
        sums[key] = sums.get(key, 0) + round(float(r["time_ms"]) * 1e6)
    return sums

random.seed(int(sys.argv[1]))
end = max(float(r["end_ms"]) for r in csv.DictReader(open("whole.csv"))) * 1e6
differ = n = some = 0
for i in range(int(sys.argv[2])):
    power = random.randint(10, int(end).bit_length() - 1)
    cell = 1 << power
    begin = random.randrange(0, int(end)) // cell * cell
    count = random.randint(1, 60)
    stop = begin + count * cell
    by = random.choice(("group", "region"))
    words = ("-w", f"{begin}ns:{stop}ns", "--by", by, "--cells", f"{cell}ns")
    if random.random() < 0.2:
        words += ("--rank", "0")
    a, code = report("run", *words)
    b, other = report("plain", "-j", str(i % 4), *words)
    if a.replace("run", "plain") != b or code != other:
        differ += 1
        print("differs:", words, file=sys.stderr)
    some += a.count("\n") > 1
    # The same window in one cell, of another length.
    c, _ = report("plain", "-w", f"{begin}ns:{stop}ns", "--by", by, "--cells", "7")
    if total(a) != total(c) and stop <= end:
        differ += 1
        print("another sum:", words, file=sys.stderr)
    n += 1
print(n, some > n / 2, differ)
END
check=$(python3 compare.py 7 40 2>differ)
ok "40 windows of cells: the same as from the events, and as other cells of the same window" test "$check" = "40 True 0"
head -3 differ | sed 's/^/# /'
check=$(ls plain | grep -c 'cells$')
is "windows keep nothing" "$check" 0

# Of everything, in cells of a power of two, of another time, and in equal parts.
for cells in 1048576ns 1ms 1; do
	tau-report timeline -f csv --by region --cells $cells run >a.csv
	tau-report timeline -f csv --by region --cells $cells -w 0ns:99s plain >b.csv
	ok "everything in cells of $cells" cmp -s a.csv b.csv
done

# The trace is not read.
strace -f -e trace=pread64,read -o calls tau-report timeline -f csv --cells 1048576ns run >/dev/null 2>&1 &&
	bytes=$(awk '/(read|pread64)\(/ { n = $NF; if (n > 0) s += n } END { print s + 0 }' calls)
if [ -s calls ]; then
	ok "less than half of the trace is read" test "$bytes" -lt "$(($(cat run/*.tau | wc -c) / 2))"
else
	skip "strace does not work here" "less than half of the trace is read"
fi

# Damage, and another trace.
tau-report timeline -f csv --cells 1048576ns run >good.csv
for at in 3 200 4000 -60 -3; do
	rm -rf hurt
	cp -rp run hurt
	for f in hurt/*.cells; do
		python3 - "$f" $at <<'END'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
b[int(sys.argv[2])] ^= 0x55
open(sys.argv[1], "wb").write(b)
END
	done
	tau-report timeline -f csv --cells 1048576ns hurt >hurt.csv 2>err
	is "byte $at changed: exit status" $? 0
	ok "byte $at changed: the same cells" cmp -s good.csv hurt.csv
done
rm -rf hurt
cp -r run hurt
sleep 0.01
touch hurt/*.tau
tau-report timeline -f csv --cells 1048576ns hurt >hurt.csv
ok "of another time of modification: the same cells, from the events" cmp -s good.csv hurt.csv

# Single calls: as many rows as requested, in the window, and a call that is longer than it ends with it.
begin=$(awk -F, 'NR > 1 && $3 > end { end = $3 } END { printf "%d", end / 2 }' whole.csv)
w=${begin}ms:$begin.05ms
tau-report timeline --by call -w $w -f csv --rank 0 run >calls.csv
ok "calls of a window are inside it" awk -F, -v from=$begin 'NR > 1 && ($3 < from || $4 > from + 0.05 || $4 < $3) { bad = 1 } END { exit bad || NR < 2 }' calls.csv
is "main is open all the time" "$(awk -F, -v from=$begin '$2 == 0 && $3 == from && $4 == from + 0.05' calls.csv | grep -c main)" 1
tau-report timeline --by call -w ${begin}ms:$((begin + 5))ms --top 3 run >top
is "--top" "$(grep -c '^[01][. ]' top)" 3
like "and what it leaves out" "$(cat top)" '^3 of [0-9]+ rows; --top 0 lists all'
is "a picture of single calls is refused" "$(tau-report timeline --by call -w $w -f svg run >/dev/null 2>&1; echo $?)" 2

# What --cells takes.
for bad in 0 5000 1x -3 1.5 ''; do
	tau-report timeline --cells "$bad" run >out 2>err
	is "--cells '$bad' is refused" $? 2
	ok "--cells '$bad': in one sentence" test "$(wc -l <err)" -le 2
done
tau-report timeline --cells 1ns run >out 2>err
is "too many cells are refused" $? 2
ok "with what to do" grep -q 'choose longer ones' err
tap_end
