# labels.py FILE...: texts of pictures that overlap, or are outside of the picture, one line each; and numbers that are none.
# The width of a text is an estimate on the narrow side, so that no viewer's font makes this fail.
import re
import sys
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"


def texts(e, turned=False):
    """Texts that are not turned, with their boxes: left, top, right, bottom."""
    turned = turned or "rotate" in e.get("transform", "")
    for c in e:
        if c.tag == SVG + "text" and not turned:
            words = "".join(t for t in [c.text or ""] + [x.tail or "" for x in c])
            size, x, y = float(c.get("font-size")), float(c.get("x")), float(c.get("y"))
            width = 0.5 * size * len(words)
            left = x - {"start": 0, "middle": 0.5, "end": 1}[c.get("text-anchor", "start")] * width
            if words:
                yield words, (left, y - 0.85 * size, left + width, y)
        else:
            yield from texts(c, turned)


for name in sys.argv[1:]:
    whole = open(name).read()
    root = xml.fromstring(whole)
    width, height = (float(v) for v in root.get("viewBox").split()[2:])
    all_texts = list(texts(root))
    for i, (words, a) in enumerate(all_texts):
        if a[0] < 0 or a[1] < 0 or a[2] > width or a[3] > height:
            print(f"{name}: outside: {words}")
        for other, b in all_texts[:i]:
            if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]:
                print(f"{name}: overlap: {other} | {words}")
    for number in re.findall(r'(?:"|>|\s)-?(?:nan|inf)\b[^<"]*', whole):
        print(f"{name}: no number: {number}")
