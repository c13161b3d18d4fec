"""Reads the machine code of generated objects: was a kernel really generated?

  check_code.py OBJDUMP FOLDER            the objects of a library with constant weights, made from code.yaml; of what goes beyond the levels
                                          every second target, the others on the next day, all of them in the long tests
  check_code.py OBJDUMP --bad CC FILE.s   a planted defect, assembled by CC: exit 0 only if it is noticed

In the innermost loops of each uk_gemm kernel: the target's multiply-add on whole registers, an accumulator for each vector of
the tile (or several, for rows too few to hide the latency), no access to the stack, no call. bf16 takes dot products of pairs
where they are the cheapest; elsewhere A is f32, and both halves of pairs of B are widened, once each; f16 is converted, a vector of B
once for all rows, but where kernels add up in f16. Kernels of graphs named dots_ keep a vector of sums for each result, and add up its elements after the loop. Kernels that multiply in tile
registers load each of them once a step, and store only sums, after the loops; the shapes of the registers are set where kernels of
several shapes meet, else outside of loops, and released. In each graph's function: every innermost loop calls a kernel, so nothing
is packed, copied or cleared at run time, but for loops that convert A of graphs whose names end in 16, and for those that copy A to
rows that tile registers read faster; no other arithmetic on floats. Nowhere else: scalar arithmetic on floats, or a call to
anything but kernels and the graph's own tasks.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import share

REGISTER = {"x86-64-v2": ("xmm", 16), "x86-64-v3": ("ymm", 32), "x86-64-v4": ("zmm", 64), "x86-64-v4-bf16": ("zmm", 64),
            "zen4": ("zmm", 64), "zen5": ("zmm", 64), "x86-64-v4-fp16": ("zmm", 64), "x86-64-v4-amx": ("zmm", 64)}
SCALAR = re.compile(r"v?(add|mul|sub|div|fn?m(add|sub)\d+)s[sdh]$")
PACKED = re.compile(r"v?(add|mul|sub|div|max|min|fn?m(add|sub)\d+)p[sdh]$|vdpbf16ps$")
CONVERSION = re.compile(r"v?pslld$|v?psrld$|v?punpck[lh]wd$|vcvtp(h2psx?|s2phx?)$")  # to or from 16 bits
PART = re.compile(r"(_task\d+(_thunk)?|_launch)$")  # of a graph's function
KERNEL = re.compile(r"uk_gemm_(?:\w+?x)?(f32|f64|bf16|f16)_(?:\w*?_)?(\d+)x(\d+)x(\d+)")  # the type of B
HALF = re.compile(r"uk_\w+_half")  # sums in f16
BLOCKS = re.compile(r"uk_gemm_f32x[iu]([48])b\d+_")


class Instruction:
    def __init__(self, address, name, operands):
        self.address, self.name, self.operands = address, name, operands
        self.symbol = None  # that the linker puts in

    def jump(self):
        """Where it jumps to within the function, or None."""
        match = re.match(r"0x([0-9a-f]+) <", self.operands)
        return int(match[1], 16) if match and self.name.startswith("j") else None

    def callee(self):
        match = re.search(r"<([^+>]+)", self.operands)
        return self.symbol or (match[1] if match else self.operands)

    def is_call(self):
        return self.name.startswith("call")

    def touches_stack(self):
        return "(%rsp" in self.operands or self.name.startswith(("push", "pop"))


def functions(objdump, path):
    text = subprocess.run([objdump, "-dr", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
    result, current = {}, None
    for line in text.splitlines():
        if match := re.match(r"[0-9a-f]+ <(.+)>:$", line):
            current = result.setdefault(match[1], [])
        elif (match := re.match(r"\s*[0-9a-f]+:\s+R_X86_64_\S+\s+([^-+\s]+)", line)) and current:
            current[-1].symbol = match[1]
        elif (match := re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*([^#]*)", line)) and current is not None:
            current.append(Instruction(int(match[1], 16), match[2], match[3].strip()))
    return result


def innermost_loops(code):
    """Ranges of instructions closed by a jump backwards that contain no other such range."""
    ranges = {(i.jump(), i.address) for i in code if i.jump() is not None and code[0].address <= i.jump() <= i.address}
    inner = [r for r in ranges if not any(o != r and r[0] <= o[0] and o[1] <= r[1] for o in ranges)]
    return [[i for i in code if first <= i.address <= last] for first, last in sorted(inner)]


def aligns_rows(graph, loop):
    """Whether rows are copied, in whole registers, to where tile registers read them faster."""
    moves = [i for i in loop if i.name.startswith("vmov")]
    return graph.endswith("_x86_64_v4_amx") and moves and all("%zmm" in i.operands for i in moves)


class Checker:
    def __init__(self):
        self.errors, self.kernels, self.loops, self.tile_loops, self.half_loops = [], 0, 0, 0, 0

    def error(self, where, what):
        self.errors.append(f"{where}: {what}")

    def check_multiplications(self, where, loop, kernel, target, dots):
        element, rows, columns = kernel[1], int(kernel[2]), int(kernel[3])
        is_half = HALF.search(where) is not None
        letter = "d" if element == "f64" else "h" if is_half else "s"
        register, width = REGISTER[target]
        lanes = width // (8 if element == "f64" else 2 if is_half else 4)
        has_pairs = element == "bf16" and target in ("zen4", "zen5")
        name = r"vdpbf16ps$" if has_pairs else rf"addp{letter}$" if target == "x86-64-v2" else rf"vfmadd\d+p{letter}$"
        sums = [i for i in loop if re.match(name, i.name) and f"%{register}" in i.operands]
        products = sum(re.match(rf"mulp{letter}$", i.name) is not None for i in loop)
        if element == "f16" and target == "x86-64-v2":  # B's conversion takes shifts and subtractions of its own
            return
        if target == "x86-64-v2" and products != len(sums):
            self.error(where, f"{products} multiplications and {len(sums)} additions")
        self.half_loops += is_half
        self.check_widening(where, loop, element == "bf16" and not has_pairs)
        accumulators = {i.operands.split(",")[-1].split("{")[0].strip() for i in sums}
        if element == "bf16" and target == "x86-64-v2":  # additions of two operands move the sums around
            accumulators = set(range(len(sums)))
        if columns % lanes and not dots:
            if not accumulators and not any(PACKED.match(i.name) for i in loop):
                self.error(where, "no multiplication of vectors")
            return
        self.check_conversions(where, loop, len(sums) // rows if element == "f16" and not is_half else 0)
        wanted = rows * columns if dots else rows * columns // lanes
        if not accumulators or len(accumulators) % wanted:
            self.error(where, f"{len(accumulators)} accumulators in {register}; the tile needs {wanted} or a multiple")
        if accumulators and len(sums) % len(accumulators):
            self.error(where, f"{len(sums)} multiply-adds for {len(accumulators)} accumulators")

    def check_conversions(self, where, loop, wanted):
        """B of f16 becomes f32, whole vectors of it once for all rows, or is multiplied as it is."""
        found = sum(i.name in ("vcvtph2psx", "vcvtph2ps") for i in loop)
        if found != wanted:
            self.error(where, f"f16 is converted {found} times instead of {wanted}")

    def check_widening(self, where, loop, wanted):
        """Lower halves of pairs are shifted up, upper ones masked."""
        found = all(any(re.match(name, i.name) for i in loop) for name in (r"v?pslld$", r"v?(pblend[wd]|pand[dq]?|andps)$"))
        if found != wanted:
            self.error(where, f"bf16 is {'not ' if wanted else ''}widened")

    def check_tiles(self, where, code, kernel):
        """A kernel on tile registers of 16 rows of 64 bytes."""
        rows, columns = -(-int(kernel[2]) // 16), -(-int(kernel[3]) // 16)
        loops = [loop for loop in innermost_loops(code) if any(i.name.startswith("tdp") for i in loop)]
        self.kernels += 1
        self.tile_loops += len(loops)
        tall = set()
        for loop in loops:
            count = lambda name: sum(i.name.startswith(name) for i in loop)
            tiles = count("tdp") // columns
            tall.add(tiles)
            # Rows two tiles at a time; what is left may be one.
            wanted = {"tdp": tiles * columns, "tileload": tiles + columns, "tilestore": 0, "tilezero": 0, "ldtilecfg": 0}
            for name, number in wanted.items():
                if count(name) != number:
                    self.error(where, f"{count(name)} times {name} in a step; the tile needs {number}")
            for i in loop:
                # Rows that were summed up are read from there.
                if i.touches_stack() and not (i.name.startswith("v") and not i.operands.strip().endswith(")")):
                    self.error(where, f"uses the stack in a loop: {i.name} {i.operands}")
        if not tall <= {1, 2} or (rows > 1 and 2 not in tall):
            self.error(where, f"steps of {sorted(tall)} tiles of rows; there are {rows}")
        for i in code:
            if i.is_call() or i.name in ("ldtilecfg", "tilerelease"):
                self.error(where, f"{i.name} in a kernel of tiles")

    def check_tile_shapes(self, where, code):
        """Who calls kernels on tile registers sets their shapes, as seldom as possible."""
        names = [i.name for i in code]
        if "ldtilecfg" in names and "tilerelease" not in names:
            self.error(where, "leaves the tile registers with their shapes")
        for loop in innermost_loops(code):
            callees = {i.callee() for i in loop if i.is_call()}
            if any(i.name == "ldtilecfg" for i in loop) and len(callees) < 2:
                self.error(where, f"sets the shapes of tile registers in the loop at {loop[0].address:#x}")

    def check_kernel(self, where, code, target, dots=False):
        name = where.split(" ")[-1]
        kernel = KERNEL.match(name)
        if any(i.name.startswith("tdp") for i in code):
            return self.check_tiles(where, code, kernel)
        loops = [loop for loop in innermost_loops(code) if any(PACKED.match(i.name) for i in loop)]
        self.kernels += 1
        self.loops += len(loops)
        if not loops:
            self.error(where, "no loop that multiplies")
        for loop in loops:
            self.check_multiplications(where, loop, kernel, target, dots)
        for i in code:
            if i.is_call():
                self.error(where, f"calls {i.callee()}")
        # Without F16C, the conversion of f16 has more constants than there are registers.
        may_touch_stack = kernel[1] == "f16" and target == "x86-64-v2"
        for loop in innermost_loops(code):
            for i in loop:
                if i.touches_stack() and not may_touch_stack:
                    self.error(where, f"uses the stack in a loop: {i.name} {i.operands}")
                if SCALAR.match(i.name):
                    self.error(where, f"scalar arithmetic in a loop: {i.name} {i.operands}")

    def check_blocks(self, where, code, target, bits):
        """Weights of few bits become f32 by whole vectors, and nothing of it is spilled where there are registers enough."""
        register, width = REGISTER[target]
        loops = [loop for loop in innermost_loops(code) if any(PACKED.match(i.name) for i in loop)]
        self.kernels += 1
        self.loops += len(loops)
        if not loops:
            self.error(where, "no loop that multiplies")
        wanted = [r"v?(addps|fmadd\d+ps)$"]
        if bits == 8:
            wanted += [r"v?cvtdq2ps$", r"v?pmovsxbd$"]
        elif width < 64:
            wanted += [r"v?p?and(ps)?$", r"v?p?xor(ps)?$", r"v?(add|sub)ps$"]
        else:
            wanted += [r"vperm(ps|d)$", r"vpermw$"]
        for loop in loops:
            for name in wanted:
                found = [i for i in loop if re.match(name, i.name)]
                if not any(f"%{register}" in i.operands for i in found):
                    self.error(where, f"no {name} on {register}")
                if name == r"vpermw$" and not all("{z}" in i.operands for i in found):
                    self.error(where, "the lower halves are cleared by an instruction of their own")
            if width == 64 and any(i.name == "vbroadcastss" for i in loop):
                self.error(where, "elements of A are spread by the unit that looks weights up")
            for i in loop:
                if width == 64 and i.touches_stack():
                    self.error(where, f"uses the stack in a loop: {i.name} {i.operands}")

    def check_graph(self, where, code):
        graph = PART.sub("", where.split(" ")[-1])
        loops = innermost_loops(code) if "16_kernel_" in graph else []
        converted = {i.address for loop in loops if any(CONVERSION.match(i.name) for i in loop) for i in loop}
        for i in code:
            if i.is_call() and not i.callee().startswith("uk_") and PART.sub("", i.callee()) != graph:
                self.error(where, f"calls {i.callee()}")
            if PACKED.match(i.name) and i.address not in converted:
                self.error(where, f"arithmetic outside of a kernel: {i.name} {i.operands}")
            if i.name.startswith(("rep", "stos", "movs")) and i.name not in ("movslq", "movsbl", "movswl"):
                self.error(where, f"copies or clears memory: {i.name} {i.operands}")
        self.check_tile_shapes(where, code)
        for loop in innermost_loops(code):
            if aligns_rows(graph, loop):
                continue
            if not any(i.is_call() for i in loop) and loop[0].address not in converted:
                self.error(where, f"the loop at {loop[0].address:#x} calls no kernel")

    def check_object(self, objdump, path, target):
        for name, code in functions(objdump, path).items():
            where = f"{path.name} {name}"
            dots = path.name.startswith("dots_") and KERNEL.match(name)
            if KERNEL.match(name):
                self.check_kernel(where, code, target, dots)
            elif blocks := BLOCKS.match(name):
                self.check_blocks(where, code, target, int(blocks[1]))
            elif "_kernel_" in name:
                self.check_graph(where, code)
            for i in code:
                if SCALAR.match(i.name) and not dots:
                    self.error(where, f"scalar arithmetic: {i.name} {i.operands}")


def check_folder(objdump, folder):
    checker = Checker()
    levels = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]
    targets = levels + share.today(2, [target for target in REGISTER if target not in levels])
    for target in targets:
        objects = sorted(folder.glob(f"objects/*.{target}.o"))
        before = checker.kernels
        for path in objects:
            checker.check_object(objdump, path, target)
        if checker.kernels == before:
            checker.error(target, "no kernels at all")
    if "x86-64-v4-fp16" in targets and not checker.half_loops:
        checker.error("x86-64-v4-fp16", "no loop that adds up in f16")
    if "x86-64-v4-amx" in targets and not checker.tile_loops:
        checker.error("x86-64-v4-amx", "no loop over products of tiles")
    for error in checker.errors:
        print(error, file=sys.stderr)
    print(f"{checker.kernels} kernels, {checker.loops} loops, {checker.tile_loops} of tiles, {len(checker.errors)} errors")
    return 1 if checker.errors else 0


def check_bad(objdump, compiler, source):
    """The first line of the file says what the checker must answer."""
    text = source.read_text()
    wanted = text.splitlines()[0].lstrip("# ")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "bad.o"
        subprocess.run([compiler, "-c", source, "-o", path], check=True)
        checker = Checker()
        checker.check_object(objdump, path, "x86-64-v4" if "%zmm" in text else "x86-64-v3")
    found = "\n".join(checker.errors)
    print(found)
    return 0 if wanted in found else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("objdump")
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--bad", nargs=2)
    arguments = parser.parse_args()
    if arguments.bad:
        return check_bad(arguments.objdump, arguments.bad[0], pathlib.Path(arguments.bad[1]))
    return check_folder(arguments.objdump, arguments.folder)


if __name__ == "__main__":
    sys.exit(main())
