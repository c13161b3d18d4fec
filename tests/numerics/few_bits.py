"""Products with weights of 4 and 8 bits, of rows of f32 and of rows of 8 bits (`activations`, accuracy_level), of fixed and of open numbers of rows,
against exact arithmetic: few_bits.py KGEN WORK SEED COUNT, with cmake and a C compiler on the path. Of rows of 8 bits, every variant from x86-64-v3
on gives the same bits. Without numpy it is skipped (77)."""
import shutil
import sys
from pathlib import Path

sys.path += [str(Path(__file__).resolve().parents[1] / folder) for folder in ("numerics/sizes", "oracle")]
import built

try:
    import numpy as np
    import nbits_cases as nbits
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy)")
    sys.exit(77)

KGEN, WORK, SEED, COUNT = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
TARGETS = ["x86-64-v2", "x86-64-v3", "x86-64-v3-vnni", "x86-64-v4", "x86-64-v4-vnni", "x86-64-v4-amx"]
LONG = np.longdouble
MOST = 70  # rows, where their number is open


class Product:
    """One node with random sizes: `quantize` or MatMulNBits, with or without `activations` or accuracy_level."""

    def __init__(self, number, rng):
        self.name, self.rng = f"p{number}", rng
        self.m, self.n, self.k = int(rng.choice([1, 2, 3, 5, 6, 7, 13, 40])), int(rng.integers(1, 140)), int(rng.integers(16, 700))
        self.bits, self.rows = int(rng.choice([4, 8])), int(rng.choice([0, 16, 32, 64, 128, 256]))
        self.is_open = bool(rng.integers(2))
        self.block = int(rng.choice([b for b in (16, 32, 64, 128, 256, 512) if b <= self.k]))
        self.is_nbits, self.by_level = bool(rng.integers(2)), False
        self.scales = np.float16 if not self.is_nbits and rng.integers(2) else np.float32
        if self.is_nbits and self.block <= 256 and rng.integers(2):
            self.by_level, self.rows = True, self.block

    def text(self):
        key = "" if self.by_level or not self.rows else f", activations: {{bits: 8, block: {self.rows}}}"
        lines = [f"  - name: {self.name}", f'    inputs: {{x: "f32[{"rows" if self.is_open else self.m}, {self.k}]"}}', "    weights:"]
        if not self.is_nbits:
            scale = ", scale: f16" if self.scales is np.float16 else ""
            w = self.rng.standard_normal((self.k, self.n)).astype(np.float32)
            np.save(WORK / f"{self.name}.npy", w)
            self.weights = nbits.quantized(w, self.bits, self.block, self.scales)
            lines += [f'      w: {{type: "f32[{self.k}, {self.n}]", file: {self.name}.npy, quantize: {{bits: {self.bits}, block: {self.block}{scale}}}}}',
                      "    nodes:", f"      - {{name: y, op: MatMul, inputs: [x, w]{key}}}"]
            return lines + ["    outputs: [y]"]
        blocks = -(-self.k // self.block)
        q = self.rng.integers(0, 1 << self.bits, (self.n, blocks, self.block)).astype(np.uint8)
        scales = self.rng.standard_normal((self.n, blocks)).astype(np.float32)
        zeros = self.rng.integers(0, 1 << self.bits, (self.n, blocks)).astype(np.uint8) if self.rng.integers(2) else None
        tables = {"q": nbits.packed(q, self.bits), "s": scales}
        if zeros is not None:
            tables["z"] = nbits.packed(zeros, self.bits)
        for name, table in tables.items():
            np.save(WORK / f"{self.name}{name}.npy", table)
            kind = "f32" if name == "s" else "u8"
            lines.append(f'      {name}: {{type: "{kind}{list(table.shape)}", file: {self.name}{name}.npy}}')
        points = np.full((self.n, blocks), 1 << (self.bits - 1)) if zeros is None else zeros.astype(np.int64)
        self.weights = nbits.dequantized(q, scales, points, self.k, self.block).T
        level = ", accuracy_level: 4" if self.by_level else ""
        attributes = f"{{K: {self.k}, N: {self.n}, bits: {self.bits}, block_size: {self.block}{level}}}"
        return lines + ["    nodes:", f"      - {{name: y, op: MatMulNBits, inputs: [{', '.join(['x', *tables])}], attributes: {attributes}{key}}}",
                        "    outputs: [y]"]

    def input(self):
        m = int(self.rng.choice([0, 1, 2, 5, 6, 7, 33, MOST])) if self.is_open else self.m
        x = self.rng.standard_normal((m, self.k)).astype(np.float32)
        kind = self.rng.integers(4 if self.rows and m else 2)
        if kind == 1:
            x[self.rng.random(x.shape) < 0.01] *= 20
        if kind == 2:
            x *= np.exp2(self.rng.integers(-140, 100, (m, 1))).astype(np.float32)
        if kind == 3:
            x[:, : self.k // 2] = 0
            x[-1, self.rng.integers(self.k)] = self.rng.choice(np.float32([np.nan, np.inf, -np.inf]))
        return x

    def check(self, x, results):
        rounded = nbits.rounded_rows(x, self.rows) if self.rows else x.astype(LONG)
        with np.errstate(all="ignore"):
            exact = rounded @ self.weights
            size = np.abs(rounded) @ np.abs(self.weights)
        inner = -(-self.k // min(self.rows, self.block)) if self.rows else self.k
        bound = (inner + 4) * LONG(2) ** -24 * size + LONG(2) ** -140
        for name, y in results.items():
            good = np.where(np.isnan(exact), np.isnan(y), np.abs(y - exact) <= bound)
            assert good.all(), f"{self.name} {vars(self)}: {name}: {y[~good][:4]} for {exact[~good][:4]}, bound {bound[~good][:4]}"
        same = [y.tobytes() for name, y in results.items() if self.rows and name != "x86-64-v2"]
        assert len(set(same)) <= 1, f"{self.name}: variants from x86-64-v3 on differ"


def accuracy(rng):
    """What rounding rows changes, in the 2-norm, relative: normal rows, and rows with one outlier of 20 in a hundred."""
    w = rng.standard_normal((1024, 256))
    for name, share, most in (("normal", 0, 1e-2), ("outliers", 0.01, 3e-2)):
        x = rng.standard_normal((64, 1024))
        x = np.where(rng.random(x.shape) < share, 20 * np.sign(x), x).astype(np.float32)
        change = np.linalg.norm((nbits.rounded_rows(x, 32) - x).astype(float) @ w) / np.linalg.norm(x.astype(float) @ w)
        print(f"{name} rows: {change:.2e} of the result's 2-norm")
        assert change <= most


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    rng = np.random.default_rng(SEED)
    products = [Product(number, rng) for number in range(COUNT)]
    text = ["library: sized", "python: true", f"targets: [{', '.join(TARGETS)}]", f"dims: {{rows: {{min: 0, max: {MOST}}}}}", "graphs:"]
    for product in products:
        text += product.text()
    module = built.module_of_text(KGEN, WORK, "\n".join(text) + "\n", "rows")
    libraries = {name: module.load(variant=name) for name in built.variants(module)}
    for product in products:
        for _ in range(6):
            x = product.input()
            results = {}
            for name, library in libraries.items():
                results[name] = np.array(getattr(library, product.name)(x))
            product.check(x, results)
    accuracy(rng)
    print(f"{COUNT} products, variants {', '.join(libraries)}: as exact arithmetic says")


main()
