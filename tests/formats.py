# formats.py: compares one report in all formats for tables: TEXT MARKDOWN HTML CSV JSON. Text, Markdown and HTML have the same
# tables with the same cells; CSV and JSON the same values; and each number of HTML, whole, is one of the JSON row it belongs to.
# MODE, if there is one more argument: "any" if rows are in another order and the last table is compared, "cells" if people see other
# tables than programs. Prints "same", or the first difference.
import csv, html.parser, json, math, re, sys


def differ(why):
    print(why)
    sys.exit(0)


def read(path):
    return open(path, encoding="utf-8", newline="").read()


def text_tables(text):
    lines, tables, i = text.split("\n"), [], 1
    while i < len(lines):
        if not re.fullmatch(r"-[- ]*", lines[i]) or not re.search(r"\S", lines[i - 1]):
            i += 1
            continue
        begins = [m.start() for m in re.finditer(r"-+", lines[i])]
        cut = lambda l: [l[a:b].strip() for a, b in zip(begins, begins[1:] + [None])]
        rows, i = [cut(lines[i - 1])], i + 1
        while i < len(lines) and lines[i].strip():
            if not re.fullmatch(r"-[- ]*", lines[i]):
                rows.append(cut(lines[i]))
            i += 1
        tables.append(rows)
    return tables


def markdown_cells(line):
    cells = re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1]
    clean = []
    for c in cells:
        c = c.strip(" ")
        m = re.fullmatch(r"`(.*)`", c)
        clean.append(m.group(1).strip() if m else re.sub(r"\\(.)", r"\1", c).replace("\u00a0", " ").strip())
    return clean


def markdown_tables(text):
    tables, inside = [], False
    for line in text.split("\n"):
        if not line.startswith("|"):
            inside = False
        elif re.fullmatch(r"\|( -+[-:] \|)+", line):
            pass
        elif inside:
            tables[-1].append(markdown_cells(line))
        else:
            tables.append([markdown_cells(line)])
            inside = True
    return tables


class Page(html.parser.HTMLParser):
    """Tables as rows of (text, whole number; empty or False if it is none), with the keys of their columns."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tables, self.keys, self.cell, self.whole = [], [], None, None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "table":
            self.tables.append([])
            self.keys.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell, self.whole = "", attrs.get("data-v", attrs.get("class") == "n")
            if tag == "th":
                self.keys[-1].append(attrs["data-key"])

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            text = self.cell.strip()
            self.tables[-1][-1].append((text, text if self.whole is True else self.whole))
            self.cell = None


def number(s):
    return float(s) if re.fullmatch(r"-?\d+(\.\d+)?(e[-+]?\d+)?", s) else None


texts, marks = text_tables(read(sys.argv[1])), markdown_tables(read(sys.argv[2]))
page = Page()
page.feed(read(sys.argv[3]))
rows = list(csv.DictReader(open(sys.argv[4], encoding="utf-8", newline="")))
members = json.load(open(sys.argv[5], encoding="utf-8"))["rows"]
mode = sys.argv[6] if len(sys.argv) > 6 else ""

shown = [[[c[0] for c in row] for row in t] for t in page.tables]
if not texts or not rows:
    differ("there is no table")
if len(texts) != len(marks) or len(texts) != len(shown):
    differ("tables: %d in text, %d in Markdown, %d in HTML" % (len(texts), len(marks), len(shown)))
for t, (a, b, c) in enumerate(zip(texts, marks, shown)):
    if len(a) != len(b) or len(a) != len(c):
        differ("table %d: rows %d in text, %d in Markdown, %d in HTML" % (t, len(a), len(b), len(c)))
    for i, (x, y, z) in enumerate(zip(a, b, c)):
        if x != y or x != z:
            differ("table %d, row %d: text %s, Markdown %s, HTML %s" % (t, i, x, y, z))

# CSV and JSON: the same rows.
if len(rows) != len(members):
    differ("CSV has %d rows, JSON %d" % (len(rows), len(members)))
for i, (c, j) in enumerate(zip(rows, members)):
    if list(c) != list(j):
        differ("row %d: CSV has %s, JSON %s" % (i, list(c), list(j)))
    for key, value in j.items():
        want = "" if value is None else value
        if c[key] != want if isinstance(want, str) else float(c[key]) != value:
            differ("row %d, %s: CSV '%s', JSON %r" % (i, key, c[key], value))

# HTML has the whole number where the text shows a part of it; JSON has the same number in the same row and unit.
at = 0
numbers = lambda row: [v for v in row.values() if isinstance(v, (int, float))]
everything = [v for row in members for v in numbers(row)]
for t in {"": page.tables, "any": page.tables[-1:], "cells": []}[mode]:
    for i, row in enumerate(t[1:]):
        if at >= len(members):
            differ("people see %d rows more than programs" % (len(t) - 1 - i))
        values = everything if mode else numbers(members[at])
        for text, whole in row:
            if not whole:
                continue
            v = float(whole)
            shown = number(text)
            if shown is not None and abs(shown - v) > 0.5000001 * 10 ** -len(text.partition(".")[2]):
                differ("row %d: HTML shows %s of %s" % (at, text, whole))
            if not any(math.isclose(v * unit, x, rel_tol=1e-12, abs_tol=1e-300) for x in values for unit in (1, 1e3, 1e6)):
                differ("row %d: HTML has %s, JSON %s" % (at, whole, values))
        at += 1
print("same")
