"""Where the time of cmake/test.sh goes: costs.py BUILD prints seconds by folder, of the last build of each file and of the tests' averages, as they ran
beside each other."""
import collections
import re
import sys
from pathlib import Path

build = Path(sys.argv[1])


def table(title, seconds, counts):
    print(f"| {title} | number | seconds |\n|---|---|---|")
    for name, total in sorted(seconds.items(), key=lambda item: -item[1])[:12]:
        print(f"| {name} | {counts[name]} | {total:.0f} |")
    rest = sum(sorted(seconds.values())[:-12])
    print(f"| others | {sum(counts.values()) - sum(counts[name] for name, _ in sorted(seconds.items(), key=lambda item: -item[1])[:12])} | {rest:.0f} |")
    print(f"| all | {sum(counts.values())} | {sum(seconds.values()):.0f} |\n")


def add(rows):
    seconds, counts = collections.Counter(), collections.Counter()
    for name, took in rows:
        seconds[name] += took
        counts[name] += 1
    return seconds, counts


steps = {}
for line in (build / ".ninja_log").read_text().splitlines()[1:]:
    begin, end, _, output, _ = line.split("\t")
    steps[output] = (int(end) - int(begin)) / 1000
table("build", *add(("programs" if output.startswith("bin/") else "/".join(output.split("/CMakeFiles")[0].split("/")[:2]) if output.endswith(".o") else "generated files", took)
                    for output, took in steps.items()))
tests = (build / "Testing/Temporary/CTestCostData.txt").read_text().split("---")[0]
table("tests", *add((re.split(r"[./]", name)[0], float(took)) for name, _, took in map(str.split, tests.splitlines())))
