"""The program of demo/sentences: what it prints, and that it draws the same.

  sentences.py SENTENCES WORK_FOLDER
"""
import math
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
BATCHES, MAX_BATCH, MAX_LENGTH = 24, 16, 512


def require(good, what):
    if not good:
        sys.exit(f"failed: {what}")


def run(program, folder, *arguments):
    return subprocess.run([program, *arguments], cwd=folder, capture_output=True, encoding="utf-8")


def printed(text):
    """Sentences, longest, tokens and the two times of each batch."""
    rows = [line.split() for line in text.splitlines() if line.startswith("  ")]
    return [[int(word) for word in row[:3]] + [float(word) for word in row[3:]] for row in rows[1:]]


def check_text(text, rows):
    require(len(rows) == BATCHES, f"{len(rows)} batches")
    for sentences, longest, tokens, exact, padded in rows:
        require(1 <= sentences <= MAX_BATCH and 1 <= longest <= MAX_LENGTH, "sizes in their ranges")
        require(longest + sentences - 1 <= tokens <= longest * sentences, f"{tokens} tokens in {sentences} of at most {longest}")
        require(exact > 0 and padded > 0, "times")
    require(f"All {sum(row[2] for row in rows)} tokens: " in text, "the sum")
    # A token of the smallest batches costs hundreds of times as much when they are filled up: no noise hides that.
    small = [row for row in rows if row[2] <= 32]
    require(small and all(row[4] > 10 * row[3] for row in small), "what filling up costs")


def check_picture(root, rows):
    require(root.tag == SVG + "svg", "an SVG")
    words = [text.text for text in root.iter(SVG + "text")]
    require("tokens of a batch" in words and "time of a token" in words, f"words at the axes: {words}")
    require([w for w in words if w.endswith(("us", "ms"))] == ["1 us", "10 us", "100 us", "1 ms", "10 ms", "100 ms"], "times with their units")
    tokens = {text.text: float(text.get("x")) for text in root.iter(SVG + "text") if text.text.isdigit()}
    require(tokens.keys() == {"1", "8", "64", "512", "4096"} and all(abs(x - 512 * math.log2(int(n)) / 13) < 0.06 for n, x in tokens.items()),
            f"a logarithmic axis of tokens: {tokens}")
    for name, column in (("exact", 3), ("padded", 4)):
        points = [(float(c.get("cx")), float(c.get("cy"))) for c in root.iter(SVG + "circle") if c.get("class") == name]
        require(len(points) == BATCHES, f"{len(points)} points of {name}")
        for (x, y), row in zip(points, rows):
            require(abs(x - 512 * math.log2(row[2]) / 13) < 0.06, f"the place of {row[2]} tokens")
            require(abs(y - (500 - 100 * math.log10(max(row[column], 1)))) < 1, f"the height of {row[column]} us")


def main(program, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    ran = run(program, folder, "picture.svg")
    require(ran.returncode == 0, ran.stderr)
    rows = printed(ran.stdout)
    check_text(ran.stdout, rows)
    check_picture(ElementTree.parse(folder / "picture.svg").getroot(), rows)
    require(run(program, folder, "a", "b").returncode == 2, "two pictures are refused")


if __name__ == "__main__":
    main(*sys.argv[1:])
