"""Named numbers of code generation outside of the cost model: each one is known, and few of them are trade-offs.

  numbers.py GENERATOR    compare the constants of the folders below with tests/house/numbers.txt

A line of numbers.txt: file, name, kind, reason. Kinds: `mathematics` (formats, bounds of exactness), `encoding` (an instruction set, an
IR, a file format), `limit` (what an implementation can do, or a bound for compile time), `trade-off` (what another number might do
better). Facts of CPUs and other trade-offs are in target/Facts.def and target/Heuristics.def.
"""
import pathlib
import re
import sys

FOLDERS = ["analysis", "backend", "dialect", "driver/machines", "math", "ops", "pipeline", "providers", "schedules", "templates/operators", "templates/transforms", "transforms"]
# Coefficients, formats and intervals of mathematical functions.
MATHEMATICS = "math"
KINDS = {"mathematics", "encoding", "limit", "trade-off"}
MAX_TRADE_OFFS = 15
CONSTANT = re.compile(r"constexpr\s+(?:static\s+)?(?:u?int\d*_t|int|unsigned|size_t|double|float|Real)\s+([^;{]*?=[^;]*);")
NUMBER = re.compile(r"(\w+)(?:\[\w*\])?\s*=\s*[^,]*?\d")


def constants(generator):
    """Pairs of file and name, in the order of the files."""
    for folder in FOLDERS:
        for path in sorted((generator / folder).rglob("*")):
            name = path.relative_to(generator).as_posix()
            if path.suffix not in (".cpp", ".h") or name.startswith(MATHEMATICS):
                continue
            text = re.sub(r"//[^\n]*", "", path.read_text())
            for match in CONSTANT.finditer(text):
                for number in NUMBER.finditer(match.group(1)):
                    yield name, number.group(1)


def listed():
    lines = (pathlib.Path(__file__).parent / "numbers.txt").read_text().splitlines()
    for number, line in enumerate(lines, 1):
        if line and not line.startswith("#"):
            yield number, line.split(None, 3)


def main():
    found, known, errors, trade_offs = set(constants(pathlib.Path(sys.argv[1]))), {}, [], 0
    for number, words in listed():
        where = f"tests/house/numbers.txt:{number}"
        if len(words) < 4 or words[2] not in KINDS:
            errors.append(f"{where}: expected a file, a name, one of {', '.join(sorted(KINDS))}, and a reason")
            continue
        known[(words[0], words[1])] = words[2]
        trade_offs += words[2] == "trade-off"
        if (words[0], words[1]) not in found:
            errors.append(f"{where}: there is no constant {words[1]} in generator/{words[0]} any more")
    for file, name in sorted(found - set(known)):
        errors.append(f"generator/{file}: the number '{name}' is not in tests/house/numbers.txt; a fact of a CPU belongs in "
                      "target/Facts.def, a trade-off in target/Heuristics.def")
    if trade_offs > MAX_TRADE_OFFS:
        errors.append(f"{trade_offs} trade-offs are outside of the cost model, at most {MAX_TRADE_OFFS} may be")
    print("\n".join(errors + [f"{len(found)} numbers, {trade_offs} of them trade-offs"]))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
