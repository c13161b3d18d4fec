"""Reads AArch64's machine code of products: aarch64.py OBJDUMP MCA FOLDER [--figures]

FOLDER is a library of products.yaml. No innermost loop of a kernel refers to the stack (no spill) or broadcasts from a register (`dup`:
multiply-adds take lanes). Kernels multiply with the instruction that EXPECTED names. By llvm-mca, which is a model with all data in L1, the
loop with the most products of kernels of full tiles, which have five rows, or four or six of matrix products, has the fraction of the CPU's peak of
products that EXPECTED names. --figures prints those of all kernels.

  aarch64.py OBJDUMP --bad MC FILE.s   a planted defect, assembled by llvm-mc: exit 0 only if it is noticed
"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

PRODUCT = re.compile(r"fmla|smlal2?|umlal2?|[us]dot|usdot|sudot|bfdot|smmla|ummla|usmmla|bfmmla")
BRANCHES = ("cbnz", "cbz", "tbnz", "tbz")
# Products a cycle, by the scheduling models of LLVM 22.
PEAK = {"cortex-a72": 1, "neoverse-n1": 2, "neoverse-v1": 4, "neoverse-n2": 2}
# By target and graph: the instruction, and the least fraction of the peak by CPU.
FULL = 0.95
HALF_LANES = 0.83  # of f64, of which a load has two
MATRIX = 0.87  # rows of A in place are interleaved: one of nine vector instructions
EXPECTED = {
    "aarch64": {
        "product_f32": ("fmla", {"cortex-a72": FULL, "neoverse-n1": FULL, "neoverse-v1": FULL, "neoverse-n2": FULL}),
        "product_f64": ("fmla", {"cortex-a72": FULL, "neoverse-n1": HALF_LANES}),
        "product_u8i8": ("smlal", {}), "product_i8i8": ("smlal", {}), "product_u8u8": ("smlal", {}),
        "product_bf16": ("fmla", {}), "product_f16": ("fmla", {})},
    "armv8.2-dotprod-fp16": {
        "product_f32": ("fmla", {"neoverse-n1": FULL, "neoverse-v1": FULL, "neoverse-n2": FULL}),
        "product_f64": ("fmla", {"neoverse-n1": HALF_LANES}),
        "product_u8i8": ("sdot", {"neoverse-n1": FULL, "neoverse-v1": FULL, "neoverse-n2": FULL}),
        "product_i8i8": ("sdot", {"neoverse-n1": FULL, "neoverse-v1": FULL, "neoverse-n2": FULL}),
        "product_u8u8": ("udot", {"neoverse-n1": FULL}),
        "product_bf16": ("fmla", {}), "product_f16": ("fmla", {})},
    # LLVM has no model of it.
    "apple-m1": {
        "product_f32": ("fmla", {}), "product_f64": ("fmla", {}), "product_u8i8": ("sdot", {}), "product_i8i8": ("sdot", {}),
        "product_u8u8": ("udot", {}), "product_bf16": ("fmla", {}), "product_f16": ("fmla", {})},
    "armv8.6-i8mm-bf16": {
        "product_f32": ("fmla", {"neoverse-v1": FULL, "neoverse-n2": FULL}),
        "product_f64": ("fmla", {"neoverse-v1": FULL}),
        "product_u8i8": ("usmmla", {"neoverse-v1": MATRIX, "neoverse-n2": MATRIX}),
        "product_i8i8": ("smmla", {"neoverse-v1": MATRIX, "neoverse-n2": MATRIX}),
        "product_u8u8": ("ummla", {"neoverse-v1": MATRIX, "neoverse-n2": MATRIX}),
        "product_i8u8": ("usmmla", {"neoverse-v1": MATRIX, "neoverse-n2": MATRIX}),
        "product_bf16": ("bfmmla", {"neoverse-v1": MATRIX, "neoverse-n2": MATRIX}), "product_f16": ("fmla", {}),
        # A is packed: no instruction interleaves it.
        "wide_u8i8": ("usmmla", {"neoverse-v1": FULL, "neoverse-n2": FULL}),
        "wide_i8i8": ("smmla", {"neoverse-v1": FULL, "neoverse-n2": FULL}),
        "wide_bf16": ("bfmmla", {"neoverse-v1": FULL, "neoverse-n2": FULL})},
}
ITERATIONS = 200


def functions(objdump, path):
    """Instructions by function: (address, name, operands)."""
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", "--mattr=+all", path], check=True, capture_output=True, text=True).stdout
    found, code = {}, None
    for line in text.splitlines():
        if match := re.match(r"[0-9a-f]+ <(.*)>:", line):
            code = found.setdefault(match[1], [])
        elif code is not None and (match := re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line)):
            code.append((int(match[1], 16), match[2], match[3]))
    return found


def innermost_loops(code):
    places = {address: i for i, (address, _, _) in enumerate(code)}
    loops = []
    for i, (address, name, operands) in enumerate(code):
        target = re.search(r"0x([0-9a-f]+)", operands) if name.startswith("b.") or name in BRANCHES else None
        if target and int(target[1], 16) <= address and int(target[1], 16) in places:
            loops.append((places[int(target[1], 16)], i))
    return [code[first:last + 1] for first, last in loops
            if not any((a, b) != (first, last) and first <= a and b <= last for a, b in loops)]


def products(loop):
    return sum(bool(PRODUCT.fullmatch(name)) for _, name, _ in loop)


def faults(function, loop):
    """What no loop of a kernel has."""
    for address, name, operands in loop:
        if re.search(r"\[sp\b", operands):
            yield f"{function}: {address:x}: {name} {operands}: a loop refers to the stack"
        if name == "dup":
            yield f"{function}: {address:x}: {name} {operands}: a loop broadcasts"


def fraction(mca, loop, cpu):
    """The loop's products a cycle, of the peak of the CPU."""
    text = "\n".join("nop" if name.startswith("b.") or name in BRANCHES else f"{name} {re.sub('<.*>', '', operands)}"
                     for _, name, operands in loop)
    command = [mca, "-mtriple=aarch64", f"-mcpu={cpu}", "-mattr=+dotprod,+fullfp16,+i8mm,+bf16", f"-iterations={ITERATIONS}"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    cycles = re.search(r"Total Cycles:\s+(\d+)", done.stdout)
    if not cycles:
        raise RuntimeError(f"llvm-mca: {done.stderr}")
    return products(loop) * ITERATIONS / int(cycles[1]) / PEAK[cpu]


def check(objdump, mca, path, instruction, cpus, figures):
    """What is wrong with an object."""
    found, kernels = [], 0
    full = re.compile("_[46]x16" if "mmla" in instruction else "_5x")
    for function, code in functions(objdump, path).items():
        loops = [loop for loop in innermost_loops(code) if products(loop) >= 8]
        if not function.startswith(("uk_gemm", "uk_brgemm")) or not loops:
            continue
        kernels += 1
        for loop in loops:
            found += faults(function, loop)
        best = max(loops, key=products)
        names = collections.Counter(name for _, name, _ in best if PRODUCT.fullmatch(name))
        if names.most_common(1)[0][0].rstrip("2") != instruction:
            found.append(f"{function}: multiplies by {dict(names)}, expected {instruction}")
        for cpu, least in cpus.items():
            reached = fraction(mca, best, cpu)
            if figures:
                print(f"{path.stem:36} {function:36} {cpu:12} {reached:.2f}")
            if reached < least and full.search(function):
                found.append(f"{function}: {reached:.3f} of the products that {cpu} can do, expected {least}")
    return found if kernels else [f"{path.name} has no kernel"]


def main():
    objdump, words = sys.argv[1], sys.argv[2:]
    if words[0] == "--bad":
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "bad.o"
            subprocess.run([words[1], "-triple=aarch64", "-filetype=obj", "-o", path, words[2]], check=True)
            found = [fault for function, code in functions(objdump, path).items() for loop in innermost_loops(code)
                     for fault in faults(function, loop)]
        print("\n".join(found) or "nothing was noticed")
        return not found
    mca, folder, figures = words[0], pathlib.Path(words[1]), "--figures" in words
    found = []
    for target, graphs in EXPECTED.items():
        for graph, (instruction, cpus) in graphs.items():
            path = folder / "objects" / f"{graph}.{target}.o"
            found += [f"{path.stem}: {fault}" for fault in check(objdump, mca, path, instruction, cpus, figures)]
    print("\n".join(found) or "the loops of all products are as they should be")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
