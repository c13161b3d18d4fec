#!/usr/bin/env python3
"""Every contraction of every graph in specs goes one way: a tile operation, then calls of micro-kernels.

usage: one_way.py KGEN FOLDER SPEC...

Reads the dumps of all stages: after "pack" no product is summed outside of tpp, and at run time nothing is packed but what
the caller gives; after "macro-kernel" there are only calls, nothing is allocated, and no loop copies a buffer."""
import pathlib
import re
import subprocess
import sys


def fail(where, what):
    sys.exit(f"{where}: {what}")


def bodies(text, operation):
    """The text of each `operation` with a region, up to the end of the region."""
    for found in re.finditer(rf"= {re.escape(operation)} .*?\n\s*\}} ->", text, re.S):
        yield found.group(0)


def check_packed(path):
    text = path.read_text()
    for body in bodies(text, "linalg.generic"):
        if '"reduction"' in body and re.search(r"arith\.mul[fi].*arith\.add[fi]", body, re.S):
            fail(path, "a contraction is no tile operation")
    for name in re.findall(r"linalg\.(\w*(?:matmul|matvec|vecmat|dot)\w*|unpack)\b", text):
        fail(path, f"linalg.{name} is left")
    for source in re.findall(r"linalg\.pack (%\w+)", text):
        if not re.search(rf"{source} = bufferization\.to_tensor", text):
            fail(path, "something between operations is packed")
    return len(re.findall(r"\btpp\.(?:br)?gemm\b", text))


def check_tiles(path):
    text = path.read_text()
    for name in ("tpp.", "memref.alloc"):
        if name in text:
            fail(path, f"{name} is left")
    depth = 0
    for line in text.splitlines():
        if re.search(r"\bscf\.(for|forall|parallel)\b", line):
            depth += 1
            indentation = len(line) - len(line.lstrip())
            loops = [indentation] if depth == 1 else loops + [indentation]
        elif depth and line.strip().startswith("}") and len(line) - len(line.lstrip()) == loops[-1]:
            depth -= 1
            loops.pop()
        if depth and "memref.copy" in line:
            fail(path, "a loop copies a buffer")
    return len(re.findall(r"\bukernel\.call\b", text))


def main():
    kgen, folder, *specs = sys.argv[1:]
    total = 0
    for spec in map(pathlib.Path, specs):
        dump = pathlib.Path(folder) / spec.stem
        subprocess.run([kgen, "generate", spec, "-o", dump / "library", "--dump-stages", dump / "stages",
                        "--no-dump-weights", "--quiet"],
                       check=True)
        for graph in sorted(path for path in (dump / "stages").iterdir() if path.is_dir()):
            contractions = check_packed(next(graph.glob("*-pack.mlir")))
            calls = check_tiles(next(graph.glob("*-macro-kernel.mlir")))
            if (contractions == 0) != (calls == 0):
                fail(graph, f"{contractions} contractions became {calls} calls")
            total += contractions
    if total == 0:
        fail(folder, "there is no contraction in any graph")
    print(f"{total} contractions, all of them tile operations and calls")


main()
