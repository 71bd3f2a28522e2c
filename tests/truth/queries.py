# queries.py SEED: writes TAU profiles with missing rows, several contexts, large values and samples, stores them with tau-db, and
# computes each named query again from what it wrote. Prints "QUERY PARAMETERS: same", or the first difference.
import json, math, os, random, subprocess, sys

METRICS = ("TIME", "P_INS")
GROUP = {"MPI_Send()": "MPI", "MPI_Recv()": "MPI", "MPIX_Send()": "USER", "shmem_put": "SHMEM|USER"}
TIMERS = ("foo_bar", "fooXbar", "FOO_BAR", "50% done", "50 times done", "a*b?c[d]", "solve(int) C [{a.c} {1,2}-{3,4}]",
          "MPI_Send()", "MPI_Recv()", "MPIX_Send()", "shmem_put")
COUNTERS = ("Bytes_1", "BytesX1", "bytes_1", "Message size", "100% full")
rng = random.Random(int(sys.argv[1]))
trials = []


class Thread:
    def __init__(self):
        self.tree = {}      # path: [calls, {metric: exclusive}]
        self.samples = {}   # path: calls, {metric: (exclusive, inclusive)}
        self.counters = {}  # name: (n, max, min, mean, sumsq)
        self.meta = {}

    def children(self, path):
        return [p for p in self.tree if len(p) == len(path) + 1 and p[:-1] == path]

    def inclusive(self, path, m):
        return math.fsum(v[1][m] for p, v in self.tree.items() if p[:len(path)] == path)

    def row(self, path, m):
        """Calls, subroutines, exclusive and inclusive value of a call path."""
        return (self.tree[path][0], sum(self.tree[p][0] for p in self.children(path)), self.tree[path][1][m],
                self.inclusive(path, m))

    def flat(self, name, m):
        """The same of a timer; inclusive: of calls that are not inside another call of it."""
        paths = [p for p in self.tree if p[-1] == name]
        rows = [self.row(p, m) for p in paths]
        outer = [r[3] for p, r in zip(paths, rows) if name not in p[:-1]]
        return sum(r[0] for r in rows), sum(r[1] for r in rows), math.fsum(r[2] for r in rows), math.fsum(outer)

    def names(self):
        return sorted({p[-1] for p in self.tree})


class Trial:
    def __init__(self, name, application, pes, scale):
        self.name, self.application, self.pes = name, application, pes
        self.id = len(trials) + 1
        self.metrics = METRICS
        self.threads = {}
        for n in range(pes):
            for c in range(2 if n % 2 == 0 else 1):
                for t in range(rng.randint(1, 3) if n + c else 1):
                    self.threads[n, c, t] = make_thread(scale, n + c + t == 0)
        trials.append(self)

    def all_names(self):
        return sorted({n for t in self.threads.values() for n in t.names()})

    def all_paths(self):
        return sorted({p for t in self.threads.values() for p in t.tree})

    def flat(self, name, m):
        return {k: t.flat(name, m) for k, t in self.threads.items() if any(p[-1] == name for p in t.tree)}

    def counter(self, name):
        return {k: t.counters[name] for k, t in self.threads.items() if name in t.counters}


def value(scale):
    return float(rng.randint(1, 10 ** rng.randint(1, scale)))


def make_thread(scale, first):
    t = Thread()
    paths = [("main",)]
    while len(paths) < (14 if first else rng.randint(4, 14)):
        base = rng.choice([p for p in paths if not p[-1].startswith("MPI") or len(paths) < 2])
        path = base + (rng.choice(TIMERS[:7] if rng.random() < 0.6 else TIMERS),)
        if path not in paths:
            paths.append(path)
    for p in paths:
        t.tree[p] = [rng.randint(1, 10 ** rng.randint(0, 9)), {m: value(scale) for m in METRICS}]
    for p in rng.sample(paths, 2):
        v = {m: (value(scale), value(scale)) for m in METRICS}
        context = p + ("[CONTEXT] " + p[-1],)
        t.samples[context] = 5, {m: (0.0, v[m][0]) for m in METRICS}
        t.samples[context + ("[SAMPLE] work [{w.c} {7}]",)] = 5, {m: (v[m][0], v[m][0]) for m in METRICS}
    for c in COUNTERS:
        if first or rng.random() < 0.6:
            x = [value(min(scale, 15)) for _ in range(rng.randint(1, 9))]
            t.counters[c] = len(x), max(x), min(x), math.fsum(x) / len(x), math.fsum(v * v for v in x)
    return t


def lines(t, m):
    out = []
    for name in t.names():
        out.append((name, GROUP.get(name, "USER")) + t.flat(name, m))
    for p in t.tree:
        if len(p) > 1:
            out.append((" => ".join(p), "TAU_CALLPATH|" + GROUP.get(p[-1], "USER")) + t.row(p, m))
    leaves = {}
    for p, (calls, v) in t.samples.items():
        group = "TAU_SAMPLE" if p[-1].startswith("[SAMPLE]") else "TAU_SAMPLE_CONTEXT"
        out.append((" => ".join(p), "TAU_CALLPATH|" + group, calls, 0) + v[m])
        old = leaves.get((p[-1], group), (0, 0.0, 0.0))
        leaves[p[-1], group] = old[0] + calls, old[1] + v[m][0], old[2] + v[m][1]
    for (name, group), (calls, excl, incl) in leaves.items():
        out.append((name, group, calls, 0, excl, incl))
    return out


def write(trial):
    for m in METRICS:
        folder = "%s/MULTI__%s" % (trial.name, m)
        os.makedirs(folder)
        for (n, c, t), thread in trial.threads.items():
            rows = lines(thread, m)
            with open("%s/profile.%d.%d.%d" % (folder, n, c, t), "w") as f:
                meta = dict(thread.meta, **{"Metric Name": m})
                f.write("%d templated_functions_MULTI_%s\n# Name Calls Subrs Excl Incl ProfileCalls # <metadata>" % (len(rows), m))
                for key, v in meta.items():
                    f.write("<attribute><name>%s</name><value>%s</value></attribute>" % (key, v))
                f.write("</metadata>\n")
                for name, group, calls, subrs, excl, incl in rows:
                    f.write('"%s" %d %d %.17g %.17g 0 GROUP="%s" \n' % (name, calls, subrs, excl, incl, group))
                f.write("0 aggregates\n%d userevents\n# eventname numevents max min mean sumsqr\n" % len(thread.counters))
                for name, v in thread.counters.items():
                    f.write('"%s" %d %.17g %.17g %.17g %.17g\n' % ((name,) + v))


def query(query, **parameters):
    words = ["%s=%s" % (k.rstrip("_"), v) for k, v in parameters.items()]
    text = subprocess.run(["tau-db", "query", "-d", "tau.db", "-f", "json", query] + words, stdout=subprocess.PIPE, check=True).stdout
    return [list(r.values()) for r in json.loads(text)["rows"]]


def equal(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or abs(a - b) <= 1e-9 * max(abs(a), abs(b))
    return a == b


def compare(query_name, want, same=equal, **parameters):
    """Rows in any order: how equal values are ordered is not under test."""
    got = query(query_name, **parameters)
    key = lambda r: [("" if v is None else str(v)) for v in r if not isinstance(v, float)]
    got, want = sorted(got, key=key), sorted((list(r) for r in want), key=key)
    title = " ".join([query_name] + ["%s=%s" % p for p in parameters.items()])
    for g, w in zip(got, want):
        if len(g) != len(w) or not all(same(x, y) for x, y in zip(g, w)):
            print("%s: got %s, not %s" % (title, g, w))
            break
    else:
        print("%s: %s" % (title, "same" if len(got) == len(want) else "%d rows, not %d" % (len(got), len(want))))


def mean(x):
    x = list(x)
    return math.fsum(x) / len(x)


def column(rows, i):
    return [r[i] for r in rows.values()]


def ordered(name, i, **parameters):
    """The top rows are those of all rows, and the values never grow."""
    rows, top = query(name, top=0, **parameters), query(name, top=3, **parameters)
    falls = all(a[i] >= b[i] for a, b in zip(rows, rows[1:]))
    print("%s top=3: %s" % (name, "same" if falls and top == rows[:3] else "not the first rows"))


def matches(pattern, names):
    if pattern in names:
        return [pattern]
    head, star, tail = pattern.partition("%")
    return [n for n in names if (n.startswith(head) and n.endswith(tail) and len(n) >= len(head + tail) if star else n == pattern)]


def check_trial(tr, m):
    where = {"trial": tr.name, "metric": m}
    flat = {n: tr.flat(n, m) for n in tr.all_names()}
    total = {n: [math.fsum(column(r, i)) for i in range(4)] for n, r in flat.items()}
    whole = math.fsum(t[2] for t in total.values())
    compare("hot-timers", [(n, t[0], t[2], 100 * t[2] / whole, t[3], max(column(flat[n], 2))) for n, t in total.items()],
            top=0, **where)
    paths = {p: [t.row(p, m) for t in tr.threads.values() if p in t.tree] for p in tr.all_paths()}
    compare("hot-paths", [(" => ".join(p), sum(x[0] for x in r), math.fsum(x[2] for x in r), math.fsum(x[3] for x in r))
                          for p, r in paths.items() if len(p) > 1], top=0, **where)
    groups = {}
    for n, t in total.items():
        groups.setdefault("|".join(sorted(GROUP.get(n, "USER").split("|"))), []).append(t)
    compare("groups", [(g, len(t), sum(x[0] for x in t), math.fsum(x[2] for x in t), 100 * math.fsum(x[2] for x in t) / whole)
                       for g, t in groups.items()], **where)
    rows = []
    for n, r in flat.items():
        numbers = {k[2] for k in r}
        own = [r[k][2] if k in r else 0.0 for k in tr.threads if k[2] in numbers]   # one without the timer did nothing in it
        rows.append((n, mean(own), max(own), min(own), max(own) / mean(own), max(own) - mean(own)))
    compare("imbalance", rows, top=0,
            same=lambda a, b: equal(a, b) or (isinstance(a, float) and abs(a - b) < 1e-12 * whole), **where)
    for pattern in ("foo_bar", "MPI_%", "50% done", "50%done", "a*b?c[d]", "%", "none"):
        compare("timer-threads", [(n,) + k + (r[0], r[2], r[3]) for n in matches(pattern, flat) for k, r in flat[n].items()],
                timer=pattern, **where)
    pes = {}
    for (n, c, t), thread in tr.threads.items():
        pes.setdefault(n, []).append(thread)
    rows = []
    for n, threads in pes.items():
        excl = math.fsum(v[1][m] for t in threads for v in t.tree.values())
        inside = math.fsum(v[1][m] for t in threads for p, v in t.tree.items() if GROUP.get(p[-1], "")[:3] in ("MPI", "SHM"))
        rows.append((n, len(threads), excl, inside, 100 * inside / excl))
    compare("pes", rows, **where)
    for timer in ("foo_bar", "main", "FOO_BAR"):
        for name, mine, other in (("callers", -1, -2), ("callees", -2, -1)):
            sums = {}
            for t in tr.threads.values():
                for p in (p for p in t.tree if len(p) > 1 and p[mine] == timer):
                    r = t.row(p, m)
                    outer = not any(p[i:i + 2] == p[-2:] for i in range(len(p) - 2))
                    sums.setdefault(p[other], []).append((r[0], r[2], r[3] if outer else 0.0))
            compare(name, [(n,) + tuple(math.fsum(x[i] for x in r) for i in range(3)) for n, r in sums.items()], timer=timer, **where)
    compare("frequent", [(n, t[0], t[3] / t[0], t[2]) for n, t in total.items()], top=0, **where)
    both = {n: [math.fsum(column(tr.flat(n, k), 2)) for k in METRICS] for n in flat}
    compare("metrics", [(n, b[1], b[0], b[1] / b[0]) for n, b in both.items()], trial=tr.name, metric="P_INS", by="TIME", top=0)
    for name, i in (("hot-timers", 2), ("hot-paths", 2), ("imbalance", 5), ("frequent", 1)):
        ordered(name, i, **where)


def check_counters(tr):
    all_of = {c: tr.counter(c) for c in COUNTERS if tr.counter(c)}
    sums = {c: (sum(column(r, 0)), math.fsum(x[0] * x[3] for x in r.values())) for c, r in all_of.items()}
    for pattern in ("%", "Bytes_1", "100% full", "Bytes%", "100%"):
        chosen = matches(pattern, all_of)
        compare("counters", [(c,) + sums[c] + (sums[c][1] / sums[c][0], min(column(all_of[c], 2)), max(column(all_of[c], 1)))
                             for c in chosen], trial=tr.name, counter=pattern)
        compare("counter-threads", [(c,) + k + (v[0], v[0] * v[3], v[3], v[2], v[1]) for c in chosen for k, v in all_of[c].items()],
                trial=tr.name, counter=pattern)


def of(application):
    return [t for t in trials if application is None or t.application == application]


def check_all(application, m):
    where = {"metric": m} if application is None else {"metric": m, "application": application}
    some = of(application)
    longest = {t.id: max(t.flat(n, m)[k][3] for n in t.all_names() for k in t.flat(n, m)) for t in some}
    rows = []
    for t in some:
        base = min((u for u in some if u.application == t.application), key=lambda u: (u.pes, u.id))
        rows.append((t.id, t.name, t.application, t.pes, longest[t.id], longest[base.id] / longest[t.id],
                     100 * longest[base.id] * base.pes / (longest[t.id] * t.pes)))
    compare("scaling", rows, **where)
    for pattern in ("foo_bar", "MPI_%", "50% done", "%"):
        rows = []
        for t in some:
            for n in matches(pattern, t.all_names()) if pattern != "50% done" else [n for n in t.all_names() if n == pattern]:
                r = t.flat(n, m)
                rows.append((n, t.id, t.pes, mean(column(r, 0)), mean(column(r, 2)), max(column(r, 2)), mean(column(r, 3))))
        compare("timer-scaling", rows, timer=pattern, **where)
    rows = []
    for t in some:
        parts = [(p[-1], v[1][m]) for x in t.threads.values() for p, v in x.tree.items()]
        excl, inside = math.fsum(v for n, v in parts), math.fsum(v for n, v in parts if GROUP.get(n, "")[:3] in ("MPI", "SHM"))
        rows.append((t.id, t.name, t.pes, excl, inside, 100 * inside / excl))
    compare("runtimes", rows, **where)
    means = {}
    for t in some:
        for n in t.all_names():
            means.setdefault((n, t.application, t.pes), []).append(mean(column(t.flat(n, m), 2)))
    rows = []
    for (n, a, pes), x in means.items():
        mid = mean(x)
        if len(x) > 1:
            rows.append((n, a, pes, len(x), mid, min(x), max(x), 100 * math.sqrt(mean((v - mid) ** 2 for v in x)) / mid))
    compare("repeats", rows, top=0, same=lambda a, b: equal(a, b) or (isinstance(a, float) and abs(a - b) < 1e-12), **where)
    for c in COUNTERS:
        where.pop("metric", None)
        rows = []
        for t in some:
            r, n = t.counter(c), len(t.threads)
            if r:
                rows.append((c, t.id, t.pes, sum(column(r, 0)) / n, math.fsum(v[0] * v[3] for v in r.values()) / n, max(column(r, 1))))
        compare("counter-scaling", rows, counter=c, **where)


def check_pairs(a, b, m):
    rows = []
    for n in sorted(set(a.all_names()) | set(b.all_names())):
        x, y = (mean(column(t.flat(n, m), 2)) if t.flat(n, m) else None for t in (a, b))
        rows.append((n, x, y, None if None in (x, y) else y - x, None if None in (x, y) else y / x))
    largest = max(abs(v) for r in rows for v in r[1:3] if v is not None)
    compare("compare", rows, from_=a.name, to=b.name, metric=m, top=0,
            same=lambda g, w: equal(g, w) or (isinstance(g, float) and isinstance(w, float) and abs(g - w) < 1e-12 * largest))
    x, y = a.common(), b.common()
    compare("metadata-differences", [(k, x.get(k), y.get(k)) for k in set(x) | set(y) if x.get(k) != y.get(k)],
            from_=a.name, to=b.name)


def primary(self):
    """What the first thread has, and what the command line adds."""
    first = self.threads[0, 0, 0].meta
    return dict(first, **({"Application": self.application} if self.application else {}))


def common(self):
    """What the first thread has and no other thread contradicts."""
    others = [t.meta for k, t in self.threads.items() if k != (0, 0, 0)]
    return {n: v for n, v in self.primary().items() if all(o.get(n, v) == v for o in others)}


Trial.primary = primary
Trial.common = common


def check_rest():
    m = METRICS[0]
    rows = []
    for t in trials:
        rows.append((t.id, t.name, t.application, t.pes, len(t.threads),
                     max(t.flat(n, m)[k][3] for n in t.all_names() for k in t.flat(n, m))))
    compare("trials", rows)
    for t in trials:
        for pattern in ("My%", "My_Name", None):
            p = t.primary()
            chosen = p if pattern is None else matches(pattern, p)
            compare("metadata", [(k, p[k]) for k in chosen], trial=t.name, **({"name": pattern} if pattern else {}))
    rows = []
    for t in trials:
        said = [x.meta.get("TAU Lost Events") for x in t.threads.values()]
        if said[0] and all(v in (None, said[0]) for v in said):     # one value of the whole trial
            said = said[:1]
        if any(said):
            rows.append((t.id, t.name, "TAU Lost Events", sum(int(v) for v in said if v)))
    compare("losses", rows)
    rows = []
    for t in trials:
        names = {n for x in t.threads.values() for n in list(x.names()) + [p[-1] for p in x.samples]}
        paths = {p for x in t.threads.values() for p in list(x.tree) + list(x.samples)}
        one = {(k, p) for k, x in t.threads.items() for p in [(n,) for n in x.names()] + [p for p in x.tree if len(p) > 1]
               + [(p[-1],) for p in x.samples] + list(x.samples)}
        counters = [c for c in COUNTERS if t.counter(c)]
        flat = len(names) + sum(1 for p in paths if len(p) > 1)
        rows.append((t.id, t.name, len(names), flat, len(one) + 7 * flat, len(counters),
                     sum(len(t.counter(c)) + 7 for c in counters), 0))
    compare("sizes", rows)


def main():
    for name, application, pes, scale in (("one", "app", 2, 18), ("two", "app", 2, 18), ("four", "app", 4, 18), ("other", "b", 2, 3),
                                          ("alone", None, 3, 9)):
        Trial(name, application, pes, scale)
    again = Trial("near", "app", 2, 18)     # as "two", but for a little: what differences of large squares would lose
    again.threads = {k: Thread() for k in trials[1].threads}
    for k, t in again.threads.items():
        o = trials[1].threads[k]
        t.samples, t.counters = o.samples, o.counters
        t.tree = {p: [v[0], {m: x + 4096.0 * rng.randint(0, 9) for m, x in v[1].items()}] for p, v in o.tree.items()}
    for t in trials:
        for k, x in t.threads.items():
            x.meta = {"My_Name": t.name, "MyXName": "x"} if k == (0, 0, 0) else {}
            if t.name in ("two", "four") and k != (0, 0, 0) or t.name == "four":
                x.meta["TAU Lost Events"] = str(rng.randint(1, 1000))
            if t.name == "alone" and k == (0, 0, 0):
                x.meta["TAU Lost Events"] = "7"     # the one value of the trial, and the first thread's
        write(t)
        subprocess.run(["tau-db", "import", "-d", "tau.db"] + (["-a", t.application] if t.application else []) + [t.name],
                       stdout=subprocess.DEVNULL, check=True)
    for t in trials:
        for m in METRICS if t.id == 1 else METRICS[:1]:
            check_trial(t, m)
        check_counters(t)
    for application, m in ((None, "TIME"), ("app", "P_INS"), ("b", "TIME")):
        check_all(application, m)
    check_pairs(trials[0], trials[1], "TIME")
    check_pairs(trials[2], trials[3], "P_INS")
    check_rest()


main()
