"""Every labelled block of FileCheck lines shows something that is there: filecheck.py TESTS-FOLDER

A block that says only what is missing passes, too, if its input stops matching for another reason."""
import re
import sys
from pathlib import Path

DIRECTIVE = re.compile(r"(?:^|[\s/#])([A-Z][A-Z0-9_-]*?)(-LABEL|-NOT|-SAME|-NEXT|-DAG|-EMPTY|-COUNT-\d+)?:(?=\s)")
PREFIXES = re.compile(r"--?check-prefix(?:es)?[= ]([\w,-]+)")


def blocks(text):
    """(line number, label, kinds of the lines after the label) of each labelled block."""
    prefixes = {"CHECK"} | {name for names in PREFIXES.findall(text) for name in names.split(",")}
    open_blocks, found = {}, []
    for number, line in enumerate(text.splitlines(), 1):
        match = DIRECTIVE.search(line)
        if not match or match[1] not in prefixes or "RUN:" in line:
            continue
        prefix, kind = match[1], match[2] or ""
        if kind == "-LABEL":
            open_blocks[prefix] = (number, line[match.end():].strip(), [])
            found.append(open_blocks[prefix])
        elif prefix in open_blocks:
            block = open_blocks[prefix]
            # What continues the label's line says nothing of the block.
            if kind != "-SAME" or block[2]:
                block[2].append(kind)
    return found


def negative_blocks(text):
    return [(number, label) for number, label, kinds in blocks(text) if kinds and set(kinds) == {"-NOT"}]


def check(tests):
    problems = []
    for path in sorted(tests.rglob("*")):
        if path.suffix in (".mlir", ".test"):
            problems += [f"{path.relative_to(tests)}:{number}: nothing but -NOT after '{label}'"
                         for number, label in negative_blocks(path.read_text())]
    return problems


if __name__ == "__main__":
    found = check(Path(sys.argv[1]))
    print("\n".join(found))
    sys.exit(bool(found))
