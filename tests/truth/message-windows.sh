# message-windows.sh: messages and waits in windows of a run: what comm and waits find is the same whether the run is read from its begin, or
# from a moment shortly before the window, which a report of everything has kept beside the run.
. "$(dirname "$0")/../mpis.sh"
all=$(mpis mpimixed)
[ "$all" ] || skip_all "no MPI is installed, or its programs are not built"
export OMPI_MCA_mpi_yield_when_idle=1
cat >"$every/compare.py" <<'END'
import json, os, random, shutil, subprocess, sys

run, kept, seed = sys.argv[1:]
beside = os.path.join(run, os.path.basename(kept))
random.seed(int(seed))

def report(words, cuts=0):
    if os.path.exists(beside):
        os.remove(beside)
    if cuts:
        shutil.copy2(kept, beside)
    r = subprocess.run(("tau-report",) + words + ("-f", "json", run), capture_output=True, text=True)
    return r.stdout, r.stderr, r.returncode

kinds = (("waits",), ("waits", "--by", "rank"), ("waits", "--by", "culprit"), ("comm",), ("comm", "--by", "collective"),
         ("comm", "--by", "wait"), ("timeline", "--by", "message"), ("timeline", "--by", "wait"),
         ("critical-path",), ("critical-path", "--by", "step"), ("efficiency",))
end = max(int(r["value"] * 1000) for r in json.loads(report(("overview",))[0])["rows"] if (r["section"], r["item"]) == ("run", "time"))
differ = full = 0
for i in range(10):
    length = random.choice((1000, 20000, 300000, 5000000))
    begin = random.randrange(end // 3, end * 9 // 10)
    window = "%dns:%dns" % (begin, begin + length)
    for kind in kinds:
        words = kind + ("-w", window)
        want, got = report(words), report(words, 1)
        full += want[2] == 0 and len(want[0].splitlines()) > 12
        if want != got:
            differ += 1
            print("#", " ".join(words), file=sys.stderr)
print("%d differ of 110, %s have rows" % (differ, "some" if full > 10 else "only %d" % full))
END
for mpi in $all; do
mpi_with "$mpi"
rm -rf run
ranks 4 tau-record --sample=none -o run "$apps/mpimixed" 4000 >/dev/null 2>err </dev/null || { fail "it runs"; cat err; continue; }
tau-report comm run >/dev/null 2>err
is "a report of all messages keeps where later ones can begin" "$(ls run/*.cuts | wc -l)" 1
ok "which is small" test "$(cat run/*.cuts | wc -c)" -lt "$(($(cat run/*.tau | wc -c) / 10))"
mv run/*.cuts .
sums='NR > 1 && !/wrong order/ && $p !~ /completion|polling|early fence|late complete/ { s[$p] += $t } END { for (i in s) printf "%s %.2f\n", i, s[i] }'
is "single waits, added up: those of waits" "$(tau-report timeline --by wait -f csv run | awk -F, -v p=4 -v t=3 "$sums" | sort)" \
	"$(tau-report waits --by rank -f csv run | awk -F, -v p=1 -v t=4 "$sums" | sort)"
ok "there are some" test "$(tau-report timeline --by wait --top 5 -f csv run | wc -l)" -eq 6
is "windows: the same with it" "$(python3 "$every/compare.py" run "$(ls *.cuts)" "${SEED:-7}" 2>err)" "0 differ of 110, some have rows"
cat err
rm -f ./*.cuts
done
tap_end
