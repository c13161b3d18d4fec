"""The worked diffs of CONTRIBUTING.md are what the tree has: diffs.py ROOT

Lines that a diff adds, and those around them, stand in the file in their order; lines that it takes away do not. What a heading shows changes at most
three files and the tests of one.
"""
import re
import sys
from pathlib import Path

MOST_FILES = 3


def sections(text):
    """(heading, diffs) of each section with diffs."""
    for part in re.split(r"^#+ ", text, flags=re.MULTILINE)[1:]:
        diffs = re.findall(r"^```diff\n(.*?)^```$", part, re.DOTALL | re.MULTILINE)
        if diffs:
            yield part.split("\n")[0], "".join(diffs)


def files(diff):
    """(path, hunks) of each file of a diff; a hunk is the lines that the file has and those that it has not."""
    for part in re.split(r"^diff --git ", diff, flags=re.MULTILINE)[1:]:
        path = re.search(r"^\+\+\+ b/(\S+)$", part, re.MULTILINE)[1]
        hunks = []
        for hunk in re.split(r"^@@ .*$", part, flags=re.MULTILINE)[1:]:
            lines = hunk.strip("\n").split("\n")
            hunks.append(([line[1:] for line in lines if not line.startswith("-")], [line[1:] for line in lines if line.startswith("-")]))
        yield path, hunks


def missing(wanted, there):
    """The first line that is not in a file in its order; None if all are."""
    rest = iter(there)
    return next((line for line in wanted if not any(line == other for other in rest)), None)


def problems(root):
    found = list(sections((root / "CONTRIBUTING.md").read_text()))
    for heading, diff in found:
        paths = [path for path, _ in files(diff)]
        changed = [path for path in paths if not path.startswith("tests/")]
        if not changed or len(changed) > MOST_FILES:
            yield f"{heading}: {len(changed)} files, expected 1 to {MOST_FILES}: {' '.join(changed)}"
        if len(changed) == len(paths):
            yield f"{heading}: no test"
        for path, hunks in files(diff):
            there = (root / path).read_text().split("\n") if (root / path).exists() else []
            for wanted, gone in hunks:
                line = missing(wanted, there)
                if line is not None:
                    yield f"{heading}: {path} has no line '{line}' there; show the diff as it would be now"
                yield from (f"{heading}: {path} still has '{old}'" for old in gone if old in there)
    if len(found) < 4:
        yield f"{len(found)} sections with diffs, expected an operator, a pass, a strategy and a CPU"


def self_test():
    diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n one\n+two\n-three\n"
    assert list(files(diff)) == [("x", [(["one", "two"], ["three"])])]
    assert missing(["a", "c"], ["a", "b", "c"]) is None and missing(["c", "a"], ["a", "b", "c"]) == "a"
    assert [heading for heading, _ in sections("## A\n```diff\n" + diff + "```\n## B\n")] == ["A"]


if __name__ == "__main__":
    self_test()
    result = list(problems(Path(sys.argv[1])))
    print("\n".join(result))
    sys.exit(bool(result))
