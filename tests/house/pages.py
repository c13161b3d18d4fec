"""Pages and drawings that can be read: pages.py ROOT

Lines of specs/README.md, which is read in an editor, have at most 160 characters. In docs/networks.svg each number stands to the right of the bar
and the whisker of its row, the column of ratios has a head, and colors follow those who read bright on dark.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"
LONGEST = 160


def long_lines(text):
    return [f"line {number} has {len(line)} characters: expected at most {LONGEST}"
            for number, line in enumerate(text.split("\n"), 1) if len(line) > LONGEST]


def drawing(root):
    texts = [(float(t.get("x")), float(t.get("y")), t.text) for t in root.iter(SVG + "text")]
    for x, y, text in texts:
        if not text.endswith(" GFLOPS"):
            continue
        for path in root.iter(SVG + "path"):
            line = re.fullmatch(r"M(\d+) (\d+)H(\d+)", path.get("d"))
            if line and abs(float(line[2]) - (y - 5)) < 6 and float(line[3]) >= x:
                yield f"a whisker up to {line[3]} runs through '{text}' at {x:g}"
    ratios = [(x, y) for x, y, text in texts if re.fullmatch(r"\d+\.\d\d x", text)]
    if not ratios or not any(x == ratios[0][0] and y < ratios[0][1] and not text.endswith(" x") for x, y, text in texts):
        yield "the column of ratios has no head"
    if not any("prefers-color-scheme: dark" in (style.text or "") for style in root.iter(SVG + "style")):
        yield "no colors for those who read bright on dark"


def self_test():
    assert long_lines("x" * 161) and not long_lines("x" * 160 + "\n" + "y" * 160)
    bad = ElementTree.fromstring('<svg xmlns="http://www.w3.org/2000/svg"><path d="M10 69H50"/><text x="40" y="74">9 GFLOPS</text>'
                                 '<text x="99" y="80">1.00 x</text></svg>')
    assert len(list(drawing(bad))) == 3, list(drawing(bad))


if __name__ == "__main__":
    root = Path(sys.argv[1])
    self_test()
    found = [f"specs/README.md: {text}" for text in long_lines((root / "specs/README.md").read_text())]
    found += [f"docs/networks.svg: {text}" for text in drawing(ElementTree.parse(root / "docs/networks.svg").getroot())]
    print("\n".join(found))
    sys.exit(bool(found))
