"""Products of two values whose rows, columns, depths and batches are sizes, against numpy: products.py KGEN WORK, with a C compiler on the
path. Without numpy it is skipped (77)."""
import itertools
import shutil
import sys
import unittest
from pathlib import Path

import built

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy)")
    sys.exit(77)

KGEN, WORK = sys.argv[1], Path(sys.argv[2])
GREATEST = {"m": 70, "n": 90, "k": 300}
# Operands and attributes; two of three graphs have something after the product.
PRODUCTS = {
    "all": ("f32[m, k]", "f32[k, n]", {}),
    "few_terms": ("f32[m, 64]", "f32[64, n]", {}),
    "columns": ("f32[33, 64]", "f32[64, n]", {}),
    "depth": ("f32[33, k]", "f32[k, 48]", {}),
    "batch": ("f32[m, n, 24]", "f32[m, 24, 17]", {}),
    "heads": ("f32[m, 3, n, 24]", "f32[m, 3, 24, n]", {}),
    "shared": ("f32[m, 3, n, k]", "f32[k, 5]", {}),
    "vector": ("f32[k]", "f32[k, n]", {}),
    "left": ("f32[k, m]", "f32[k, n]", {"transA": 1}),
    "right": ("f32[m, k]", "f32[n, k]", {"transB": 1, "alpha": 0.5}),
    "both": ("f32[64, m]", "f32[n, 64]", {"transA": 1, "transB": 1}),
    "integers": ("i32[m, k]", "i32[k, n]", {}),
    "wide": ("f64[m, k]", "f64[k, n]", {}),
}
WEIGHT = np.random.default_rng(5).standard_normal((64, 40)).astype(np.float32)


def spec():
    lines = ["library: products", "python: true", "targets: [x86-64-v2, x86-64-v3, x86-64-v4]",
             f"dims: {{{', '.join(f'{name}: {{min: 0, max: {greatest}}}' for name, greatest in GREATEST.items())}}}", "graphs:"]
    for name, (a, b, attributes) in PRODUCTS.items():
        given = ", ".join(f"{key}: {value}" for key, value in attributes.items())
        lines += [f"  - name: {name}", f'    inputs: {{a: "{a}", b: "{b}"}}', "    nodes:",
                  f"      - {{name: p, op: {'Gemm' if attributes else 'MatMul'}, inputs: [a, b], attributes: {{{given}}}}}",
                  "      - {name: y, op: Abs, inputs: [p]}", "    outputs: [p, y]"]
    lines += ["  - name: weight", '    inputs: {a: "f32[64, m]"}', '    weights: {w: {type: "f32[64, 40]", file: w.npy}}', "    nodes:",
              "      - {name: p, op: Gemm, inputs: [a, w], attributes: {transA: 1}}", "    outputs: [p]"]
    return "\n".join(lines) + "\n"


def setUpModule():
    global products
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    np.save(WORK / "w.npy", WEIGHT)
    (WORK / "products.yaml").write_text(spec())
    products = built.module_of(KGEN, WORK / "products.yaml", WORK, "products")


def array(type, sizes, rng):
    element, shape = type[:-1].split("[")
    shape = [sizes[size] if size in sizes else int(size) for size in shape.split(", ")]
    if element == "i32":
        return rng.integers(-9, 10, shape).astype(np.int32)
    return rng.standard_normal(shape).astype(np.float64 if element == "f64" else np.float32)


def transposed(x, isTransposed):
    return np.swapaxes(x, -1, -2) if isTransposed else x


class Products(unittest.TestCase):
    def libraries(self):
        return [products.load(variant=variant) for variant in built.variants(products)]

    def test_against_numpy(self):
        for library in self.libraries():
            for sizes in itertools.product((1, 2, 13, 70), (1, 7, 32, 90), (1, 5, 64, 300)):
                sizes = dict(zip(GREATEST, sizes))
                rng = np.random.default_rng(sizes["k"])
                for name, (left, right, attributes) in PRODUCTS.items():
                    a, b = array(left, sizes, rng), array(right, sizes, rng)
                    x, y = transposed(a.astype(np.float64), attributes.get("transA")), transposed(b.astype(np.float64), attributes.get("transB"))
                    with self.subTest(variant=library.variant, name=name, sizes=sizes):
                        product, size = getattr(library, name)(a, b)
                        np.testing.assert_allclose(product, x @ y * attributes.get("alpha", 1), rtol=1e-4, atol=1e-3)
                        np.testing.assert_array_equal(size, np.abs(product))
                a = array("f32[64, m]", sizes, rng)
                np.testing.assert_allclose(library.weight(a), a.T @ WEIGHT.astype(np.float64), rtol=1e-4, atol=1e-3)

    def test_nothing(self):
        """Sums of no terms are 0."""
        for library in self.libraries():
            for sizes in itertools.product((0, 3), repeat=3):
                sizes = dict(zip(GREATEST, sizes))
                rng = np.random.default_rng(1)
                a, b = array("f32[m, k]", sizes, rng), array("f32[k, n]", sizes, rng)
                with self.subTest(variant=library.variant, sizes=sizes):
                    np.testing.assert_allclose(getattr(library, "all")(a, b)[0], a @ b, rtol=1e-5, atol=1e-6)

    def test_bits_depend_on_neither_other_rows_nor_columns_nor_threads(self):
        rng = np.random.default_rng(2)
        a, b = array("f32[m, k]", GREATEST, rng), array("f32[k, n]", GREATEST, rng)
        for threads in (1, 2, 3, 7):
            library = products.load(threads=threads)
            whole = products.load().all(a, b)[0]
            for rows, columns in itertools.product((1, 2, 13, 70), (1, 7, 32, 90)):
                with self.subTest(threads=threads, rows=rows, columns=columns):
                    part = library.all(np.ascontiguousarray(a[:rows]), np.ascontiguousarray(b[:, :columns]))[0]
                    np.testing.assert_array_equal(part, whole[:rows, :columns])


if __name__ == "__main__":
    built.main()
