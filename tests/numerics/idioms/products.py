"""Products with constant matrices that scale or select, and scales in front of products with constant weights, against numpy: products.py KGEN FOLDER

Each must be recognized (`kgen explain --json`), and every variant that this CPU supports and the plain loops must compute what numpy does in double precision.
"""
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "lib"))
from commands import run

GATHERS, SCALES = "kgen-raise-idioms", "kgen-fold-scales"
RANDOM = np.random.default_rng(5)


def matrix(rows, numbers):
    """Column n has number n in row n of `rows`."""
    result = np.zeros((max(rows) + 1, len(rows)), np.float32)
    result[rows, np.arange(len(rows))] = numbers
    return result


def uniform(*shape):
    return RANDOM.uniform(0.5, 2, shape).astype(np.float32)


def windows(x):
    return np.lib.stride_tricks.sliding_window_view(np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), axis=(2, 3))


D, P, S, F, W, I, C = (uniform(33), matrix(list(RANDOM.permutation(33)), 1), matrix(list(range(7, 20)), 1),
                       matrix(list(RANDOM.permutation(33)), uniform(33)), uniform(33, 17), uniform(5, 1, 1), uniform(8, 5, 3, 3))
# Name: shape of x, weights, nodes, numpy's result, what is said.
CASES = {
    "diagonal": ((9, 33), {"w": np.diag(D)}, [("MatMul", "x", "w")], lambda x: x * D, (GATHERS, "a product with a diagonal matrix is a scale")),
    "unit": ((9, 33), {"w": np.eye(33, dtype=np.float32), "two": np.float32(2)}, [("Add", "x", "two"), ("MatMul", "y0", "w")], lambda x: x + 2,
             (GATHERS, "a product with the unit matrix is its operand")),
    "permutation": ((9, 33), {"w": P}, [("MatMul", "x", "w")], lambda x: x @ P, (GATHERS, "a product with columns of the unit matrix is a gather")),
    "columns": ((3, 9, 20), {"w": S}, [("MatMul", "x", "w")], lambda x: x[..., 7:20], (GATHERS, "a product with columns of the unit matrix is a slice")),
    "left": ((33, 9), {"w": np.ascontiguousarray(P.T)}, [("MatMul", "w", "x")], lambda x: P.T @ x,
             (GATHERS, "a product with columns of the unit matrix is a gather")),
    "factors": ((9, 33), {"w": F}, [("MatMul", "x", "w")], lambda x: x @ F, (GATHERS, "a product with columns of the unit matrix is a gather")),
    "scale": ((9, 33), {"s": D, "w": W}, [("Mul", "x", "s"), ("MatMul", "y0", "w")], lambda x: (x * D) @ W, (SCALES, "a scale in front is part of the weights")),
    "number": ((9, 33), {"s": np.float32(0.3), "w": W}, [("Mul", "s", "x"), ("MatMul", "y0", "w")], lambda x: x * np.float32(0.3) @ W,
               (SCALES, "a scale in front is part of the weights")),
    "image": ((2, 5, 9, 7), {"s": I, "w": C, "t": uniform(8, 1, 1)}, [("Mul", "x", "s"), ("Conv", "y0", "w"), ("Mul", "y1", "t")],
              lambda x: np.einsum("nchwyx,fcyx->nfhw", windows(x * I), C) * CASES["image"][1]["t"], (SCALES, "scales in front and behind are part of the weights")),
    # What is added stays in front.
    "shift": ((9, 33), {"s": D, "b": D, "m": D, "v": D, "w": uniform(33, 17)}, [("BatchNormalization", "x", "s", "b", "m", "v"), ("MatMul", "y0", "w")],
              lambda x: ((x - D) / np.sqrt(D + 1e-5) * D + D) @ CASES["shift"][1]["w"], None),
}


def graph(name, folder):
    shape, weights, nodes, _, _ = CASES[name]
    lines = [f"  - name: {name}", "    inputs:", f'      x: "f32{list(shape)}"', "    weights:"]
    for weight, values in weights.items():
        np.save(folder / f"{name}-{weight}.npy", values)
        lines.append(f'      {weight}: {{type: "f32{list(np.shape(values))}", file: {name}-{weight}.npy}}')
    lines.append("    nodes:")
    for at, (op, *inputs) in enumerate(nodes):
        attributes = ", attributes: {pads: [1, 1, 1, 1]}" if op == "Conv" else ""
        lines.append(f"      - {{name: y{at}, op: {op}, inputs: [{', '.join(inputs)}]{attributes}}}")
    return "\n".join(lines + [f"    outputs: [y{len(nodes) - 1}]"]) + "\n"


def main():
    kgen, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "products.yaml"
    path.write_text("library: products\ngraphs:\n" + "".join(graph(name, folder) for name in CASES))
    for part in json.loads(run(kgen, "explain", path, "--target", "x86-64-v3", "--json"))["parts"]:
        found = [(r["pass"], r["applied"]) for r in part["remarks"] if r["pass"] in (GATHERS, SCALES) and "applied" in r]
        said = CASES[part["graph"]][4]
        assert found == ([said] if said else []), f"{part['graph']}: {part['remarks']}"
    for name, (shape, _, nodes, compute, _) in CASES.items():
        x = RANDOM.uniform(-2, 2, shape).astype(np.float32)
        data = folder / f"{name}.npz"
        np.savez(data, x=x, **{f"y{len(nodes) - 1}": compute(x.astype(float)).astype(np.float32)})
        run(kgen, "verify", path, "--graph", name, "--against", data, "--rtol", "1e-5", "--atol", "3e-5")
    print(f"{len(CASES)} graphs")


main()
