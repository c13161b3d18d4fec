"""Whether the guard notices what it is for: guard_test.py KGEN WORK

Plants defects into the assembly text of a network: 5 % more instructions in the loop of one micro-kernel, a register that is spilled
there, one copy more. Each must be a problem, and the network as it is none."""
import os
import pathlib
import re
import sys

import guard
from counters import Assembly

NETWORK, TARGET = "mlp", "x86-64-v3"
KERNEL = re.compile(r"uk_gemm_f32_(\d+)x")


def kernel_loops(text):
    """The innermost loops of one of the micro-kernels with most rows, the last one first: first lines, and those after the last."""
    assembly = Assembly(text, "unused")
    loops = [(assembly.blocks[first], assembly.blocks[last]) for first, last in assembly.innermost_loops()]
    kernels = {block.function: int(match[1]) for block, _ in loops if (match := KERNEL.match(block.function))}
    chosen = max(kernels, key=kernels.get)
    return sorted(((first.line, last.line + last.length) for first, last in loops if first.function == chosen), reverse=True)


def insert(text, line, new):
    lines = text.splitlines()
    return "\n".join(lines[:line] + new + lines[line:]) + "\n"


def unchanged(text):
    return text


def slower(text):
    for first, end in kernel_loops(text):
        text = insert(text, first, ["\tnop"] * max(1, round(0.05 * (end - first))))
    return text


def spilled(text):
    return insert(text, kernel_loops(text)[0][0], ["\tmovq\t%rax, -8(%rsp)"])


def copied(text):
    """A call of memcpy of no bytes before the graph's function does anything: registers of arguments are kept."""
    kept = ["rdi", "rsi", "rdx", "rcx", "r8", "r9"]
    call = [f"\tpushq\t%{one}" for one in kept] + ["\tsubq\t$8, %rsp", "\txorl\t%edx, %edx", "\tcallq\tmemcpy@PLT", "\taddq\t$8, %rsp"]
    call += [f"\tpopq\t%{one}" for one in reversed(kept)]
    line = next(i for i, each in enumerate(text.splitlines()) if re.match(r"\w+_kernel_\w+:", each))
    return insert(text, line + 1, call)


def main():
    kgen, work, cc = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), os.environ.get("CC", "cc")

    def measured(change):
        return guard.measure(kgen, cc, work / change.__name__, [NETWORK], TARGET, change)

    plain = measured(unchanged)
    if plain is None:
        print(f"skipped: this CPU lacks {TARGET}")
        return guard.SKIPPED
    known, failed = plain[NETWORK], False
    for change, expected in ((slower, "instructions of uk_"), (spilled, "refer to the stack"), (copied, "calls of memcpy")):
        where = guard.describe_functions(kgen, work / change.__name__)
        found = guard.problems(NETWORK, TARGET, measured(change)[NETWORK], known, where)
        noticed = any(expected in line and f"{NETWORK} on {TARGET}" in line for line in found) and any("nodes v" in line for line in found)
        print(f"{change.__name__}: {'noticed' if noticed else 'NOT NOTICED'}", *found, sep="\n  ")
        failed |= not noticed
    if found := guard.problems(NETWORK, TARGET, known, known, lambda *_: []):
        print("the network as it is:", *found, sep="\n  ")
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
