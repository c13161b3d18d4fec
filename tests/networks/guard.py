"""Guards the code of networks by counts that are the same on every machine: guard.py KGEN WORK [--full] [--only NAME...] [--renew REASON]

For each network and target: instructions of a call, in all and of the functions with most of them; instructions of innermost loops that refer
to the stack; bytes of text; calls of memcpy and memset. More than 3 % more instructions or bytes, or one more reference or copy, than
counts.txt says is an error, with the network, the target, its functions and their nodes. All networks on x86-64-v3 in every run, the other targets in turns by date; --full (or KGEN_LONG_TESTS) has all. Targets that
this CPU lacks are skipped by name. --renew writes counts.txt, where the reason is kept.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import share  # noqa: E402
import write
from built import Library, generate, in_parallel, run
from counters import Assembly
from graphs import NETWORKS

HERE = pathlib.Path(__file__).resolve().parent
COUNTS = HERE / "counts.txt"
FIRST, OTHERS = "x86-64-v3", ["x86-64-v4", "x86-64-v4-vnni", "x86-64-v4-bf16"]
SIZE = 13  # of what is known at run time
ALLOWED = 1.03
SHARE, MOST = 0.02, 6  # functions with counts of their own: their least share of a call, and how many
COLUMNS = {"instructions": ALLOWED, "stack": 1, "text": ALLOWED, "copies": 1}
MEANINGS = {"instructions": "instructions of a call", "stack": "instructions of innermost loops refer to the stack", "text": "bytes of text",
            "copies": "calls of memcpy and memset"}
SKIPPED = 77


def measure(kgen, cc, work, names, target, change=lambda text: text):
    """The counts by network, or None if the CPU lacks the target. `change` makes other assembly texts of those that kgen wrote."""
    work.mkdir(parents=True, exist_ok=True)
    spec = work / "networks.yaml"
    names = write.write(spec, names)
    manifest = generate(kgen, spec, work / "library", [target], "--emit", "asm")
    assemblies = {}
    for i, name in enumerate(names):
        path = work / "library" / "objects" / f"{name.replace('-', '_')}.{target}.s"
        path.write_text(change(path.read_text()))
        assemblies[name] = Assembly(path.read_text(), f"counts_of_{i}")
    texts = text_bytes(cc, work, target, names)
    counted = []
    for name, assembly in assemblies.items():
        counted.append(work / f"{name.replace('-', '_')}.{target}.s")
        counted[-1].write_text(assembly.instrumented())
    library = Library(cc, work / "library", manifest, counted)
    if target not in library.variants_of_this_cpu():
        return None
    return {name: count(library, index, target, assemblies[name], texts[name]) for index, name in enumerate(names)}


def count(library, index, target, assembly, text):
    library.prepare(index, target, SIZE)
    library.call()
    numbers = library.numbers(assembly.symbol, len(assembly.blocks))
    functions, stacks = assembly.executed(numbers), assembly.stack_references()
    return {"instructions": sum(functions.values()), "stack": sum(stacks.values()), "text": text, "copies": assembly.copies(numbers),
            "functions": functions, "stacks": stacks}


def text_bytes(cc, work, target, names):
    """Bytes of code of each network, as it is without counters."""
    def size(name):
        stem = f"{name.replace('-', '_')}.{target}"
        run([cc, "-c", work / "library" / "objects" / f"{stem}.s", "-o", work / f"{stem}.o"])
        sections = run(["size", "-A", work / f"{stem}.o"]).splitlines()
        return sum(int(line.split()[1]) for line in sections if re.match(r"\.text", line))
    return dict(zip(names, in_parallel(size, names)))


def read():
    """Counts by network and target."""
    result = {}
    for line in COUNTS.read_text().splitlines():
        if line and not line.startswith("#"):
            name, target, *numbers = line.split()
            result[name, target] = dict(zip(COLUMNS, map(int, numbers)))
            result[name, target]["functions"] = {function: int(number) for function, number in (one.split("=") for one in numbers[len(COLUMNS):])}
    return result


def line_of(name, target, one):
    most = sorted(one["functions"].items(), key=lambda each: -each[1])[:MOST]
    functions = [f"{function}={number}" for function, number in most if number >= SHARE * one["instructions"]]
    return " ".join([name, target, *[str(one[column]) for column in COLUMNS], *functions])


def problems(name, target, got, known, where):
    """What is worse than it was."""
    if known is None:
        return [f"{name} on {target} has no counts yet: --renew \"a new network\""]
    found = []
    for column, allowed in COLUMNS.items():
        if got[column] > known[column] * allowed:
            found.append(f"{name} on {target}: {got[column]} {MEANINGS[column]}, {known[column]} before")
    for function, number in known["functions"].items():
        if got["functions"].get(function, 0) > number * ALLOWED:
            found.append(f"{name} on {target}: {got['functions'][function]} instructions of {function}, {number} before")
    return found and found + where(name, target, got)


def describe_functions(kgen, work):
    """Where the instructions are: the functions with most of them, and their nodes."""
    def where(name, target, got):
        nodes = nodes_of_functions(kgen, work / "networks.yaml", name.replace("-", "_"), target)
        lines = []
        for function, instructions in sorted(got["functions"].items(), key=lambda one: -one[1])[:MOST]:
            stack = f", {got['stacks'][function]} references to the stack" if function in got["stacks"] else ""
            lines.append(f"    {function}: {instructions} instructions{stack}; nodes {', '.join(nodes(function))}")
        return lines
    return where


def nodes_of_functions(kgen, spec, graph, target):
    """A function from the names of functions to the nodes that they compute."""
    text = subprocess.run([kgen, "explain", spec, "--target", target, "--json"], capture_output=True, text=True).stdout
    part = next(part for part in json.loads(text)["parts"] if part["graph"] == graph)
    steps = [step["nodes"] for step in part["steps"]]
    kernels = {kernel["symbol"]: sorted({node for call in kernel["calls"] for node in steps[call["step"]]}) for kernel in part["micro_kernels"]}

    def nodes(function):
        task = re.search(r"_task(\d+)$", function)
        if task and int(task[1]) < len(part["launches"]):
            return part["launches"][int(task[1])]["nodes"]
        return kernels.get(function) or [node["name"] for node in part["nodes"]]
    return nodes


def chosen(full, only):
    """Targets and the networks that each is measured with."""
    names = only or sorted(NETWORKS)
    if full:
        return [(target, names) for target in [FIRST, *OTHERS]]
    some = [name for i, name in enumerate(names) if only or i % 8 == share.DAY % 8]
    return [(FIRST, names), (OTHERS[share.DAY % len(OTHERS)], some)]


def renew(results, reason, kept):
    lines = ["# Network, target, " + ", ".join(MEANINGS.values()) + ", instructions by function; made by guard.py --renew.",
             f"# The last reason: {reason}"]
    lines += [line_of(name, target, one) for (name, target), one in sorted({**kept, **results}.items()) if name in NETWORKS]
    COUNTS.write_text("\n".join(lines) + "\n")
    print(f"{len(results)} counts written")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kgen", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--renew", metavar="REASON")
    arguments = parser.parse_args()
    cc, full = os.environ.get("CC", "cc"), arguments.full or arguments.renew or share.FULL
    known = read() if COUNTS.exists() else {}
    found, results = [], {}
    for target, names in chosen(full, arguments.only):
        work = arguments.work / target
        got = measure(arguments.kgen, cc, work, names, target)
        if got is None:
            print(f"{target}: skipped, this CPU lacks it")
            continue
        results.update({(name, target): one for name, one in got.items()})
        if not arguments.renew:
            where = describe_functions(arguments.kgen, work)
            found += [line for name, one in got.items() for line in problems(name, target, one, known.get((name, target)), where)]
        print(f"{target}: {len(got)} networks, {sum(one['instructions'] for one in got.values()) / 1e6:.1f} million instructions")
    if arguments.renew:
        renew(results, arguments.renew, known)
        return 0
    print("\n".join(found))
    if found:
        print("Where that is meant: tests/networks/guard.py ... --renew REASON, in a commit with the table of tests/bench/compare.")
    return 1 if found else 0 if results else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
