# explain.py: a report of --explain -f json on standard input: each column has a meaning, and each formula gives the value of each
# row. Prints what is wrong, then "N formulas of M columns".
import json, math, sys

t = json.load(sys.stdin)
known = {k: v for k, v in t["facts"].items() if isinstance(v, (int, float))}
n = 0
near = lambda a, b: math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
for c in t["columns"]:
    if not c.get("meaning"):
        print("no meaning:", c["key"])
    if not c.get("formula"):
        continue
    used = 0
    for row in t["rows"]:
        names = {k: v for k, v in row.items() if isinstance(v, (int, float))}
        try:
            value = eval(c["formula"], {"__builtins__": {}, "max": max, "min": min, "log2": math.log2}, {**known, **names})
        except (NameError, ZeroDivisionError):
            continue
        if row[c["key"]] is None:
            continue
        used += 1
        if not near(value, row[c["key"]]):
            print("%s: %s = %r, but the row has %r" % (c["key"], c["formula"], value, row[c["key"]]))
    if not used:
        print("no row for the formula of", c["key"])
    n += used > 0
for v in t["values"]:
    if v["formula"]:
        row = next(r for r in t["rows"] if r[v["key"]] == v["value"])
        value = eval(v["formula"], {"__builtins__": {}}, known)
        if not near(value, row["value"]):
            print(v["value"], value, row["value"])
        n += 1
if not t["inputs"]:
    print("no inputs")
print(n, "formulas,", len(t["values"]), "values,", len(t["columns"]), "columns")
