# agree.py: compares one report as text, CSV and JSON: the same rows, and the same numbers as far as the text has digits.
import csv, json, re, sys

text = open(sys.argv[1], encoding="utf-8").read().split("\n")
rows = list(csv.DictReader(open(sys.argv[2], encoding="utf-8", newline="")))
whole = json.load(open(sys.argv[3], encoding="utf-8"))
members = whole["rows"]


def differ(why):
    print(why)
    sys.exit(0)


if len(rows) != len(members):
    differ("CSV has %d rows, JSON %d" % (len(rows), len(members)))
for i, (c, j) in enumerate(zip(rows, members)):
    if set(c) != set(j):
        differ("row %d: CSV has %s, JSON %s" % (i, sorted(c), sorted(j)))
    for key, value in j.items():
        if c[key] != ("" if value is None else value if isinstance(value, str) else c[key]):
            differ("row %d, %s: '%s' and %r" % (i, key, c[key], value))
        if isinstance(value, (int, float)) and float(c[key]) != value:
            differ("row %d, %s: %s and %r" % (i, key, c[key], value))

# Text: the lines between rules of dashes; columns begin and end where the first rule's dashes do.
rules = [i for i, line in enumerate(text) if re.fullmatch(r"-[- ]*", line)]
if not rules:
    differ("the text has no table" if rows else "same")
spans = [m.span() for m in re.finditer(r"-+", text[rules[0]])]
end = next((i for i in range(rules[0], len(text)) if not text[i].strip()), len(text))
lines = [l for l in text[rules[0] + 1:end] if not re.fullmatch(r"-[- ]*", l)]
if len(lines) != len(rows):
    differ("text has %d rows, CSV %d" % (len(lines), len(rows)))
for i, (line, j) in enumerate(zip(lines, members)):
    numbers = [v for v in j.values() if isinstance(v, (int, float))]
    for a, b in spans:
        cell = line[a:b].strip()
        if not re.fullmatch(r"-?\d+(\.\d+)?", cell):
            continue
        digits = len(cell.partition(".")[2])
        if not any(abs(float(cell) - v) <= 0.5000001 * 10 ** -digits for v in numbers):
            differ("row %d: text has %s, JSON %s" % (i, cell, numbers))
print("same")
