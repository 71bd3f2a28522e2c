"""devices.py RUN DEVICES.csv QUEUES.csv: tau-report devices, once more from the records that tau-dump prints: a sweep over all edges of
kernels and copies. Prints "same", or what differs."""
import csv
import re
import subprocess
import sys


def queues_of(run):
    """By name of a queue: kernels, copies as (begin, end), bytes."""
    queues, now, group, stack, leaf = {}, None, {}, [], False
    for line in subprocess.run(["tau-dump", run], capture_output=True, text=True, check=True).stdout.splitlines():
        m = re.search(r'define THREAD tid=\d+ name="([^"]*)"(.*)', line)
        if m:
            now = queues.setdefault(m[1], ([], [], [0.0])) if "device=1" in m[2] else None
            group, stack = {}, []
        m = re.search(r'define REGION region=(\d+) .* groups="([^"]*)"', line)
        if m:
            group[m[1]] = m[2]
        m = re.match(r"\s+#\d+ ([0-9.]+) \+\d+ ns (\w+)(.*)", line)
        if not m or now is None:
            continue
        time = round(float(m[1]) * 1e9)
        if m[2] == "ENTER":
            stack.append((time, re.search(r"\[(\d+)\]$", m[3])[1]))
            leaf = True
        elif m[2] == "LEAVE":
            begin, region = stack.pop()
            if leaf and time > begin and group[region] != "CUDA_WAIT":
                now[group[region] in ("CUDA_COPY", "CUDA_MEMORY")].append((begin, time))
            leaf = False
        elif m[2] == "EVENT" and " (B) [" in m[3] and group[stack[-1][1]] in ("CUDA_COPY", "CUDA_MEMORY"):
            now[2][0] += float(re.search(r"value=(\S+)", m[3])[1])
    return queues


def numbers(kernels, copies, size):
    """ms of busy, kernel, copy, both; number of kernels and copies; bytes."""
    edges = sorted([(t, i, d) for i, v in enumerate((kernels, copies)) for b, e in v for t, d in ((b, 1), (e, -1))])
    active, last, ns = [0, 0], 0, [0, 0, 0, 0]
    for time, kind, step in edges:
        for i, on in enumerate((active[0] or active[1], active[0], active[1], active[0] and active[1])):
            ns[i] += (time - last) if on else 0
        active[kind] += step
        last = time
    return [round(x / 1e6, 6) for x in ns] + [len(kernels), len(copies), size]


def row(r):
    return [round(float(r[c]), 6) for c in ("busy_ms", "kernel_ms", "copy_ms", "both_ms", "kernels", "copies", "bytes")]


def read(file):
    return list(csv.DictReader(open(file, newline="")))


def main():
    queues, bad = queues_of(sys.argv[1]), []
    devices, rows = read(sys.argv[2]), read(sys.argv[3])
    expected = {n: numbers(k, c, b[0]) for n, (k, c, b) in queues.items()}
    if {r["name"]: row(r) for r in rows} != expected:
        bad.append(("queues", [row(r) for r in rows], expected))
    for d in devices:
        of = [queues[r["name"]] for r in rows if r["device"] == d["device"]]
        want = numbers(sum((q[0] for q in of), []), sum((q[1] for q in of), []), sum(q[2][0] for q in of))
        if row(d) != want or int(d["queues"]) != len(of):
            bad.append((d["device"], row(d), want))
        life = float(d["busy_ms"]) + float(d["idle_ms"])
        if abs(float(d["busy_pct"]) - 100 * want[0] / life) > 1e-9:
            bad.append((d["device"], d["busy_pct"], life))
    print(*(bad or ["same"]))


main()
