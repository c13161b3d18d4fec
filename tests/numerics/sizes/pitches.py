"""Products of matrices whose rows are an open number of elements apart, as columns of a wider matrix are, or whose columns are, against numpy: pitches.py KGEN WORK, with a C
compiler on the path. Without numpy it is skipped (77)."""
import shutil
import sys
import unittest
from pathlib import Path

import built

try:
    import numpy as np
    from arrays import softmax
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy)")
    sys.exit(77)

KGEN, WORK = sys.argv[1], Path(sys.argv[2])
LEAST, GREATEST = 24, 90
WEIGHTS = {"w": 'w: {type: "f32[24, 24]", file: w.npy}', "k": 'k: {type: "f32[8, 4, 1, 1]", file: k.npy}'}
WEIGHT = np.random.default_rng(5).standard_normal((24, 24)).astype(np.float32)


def node(name, op, *inputs, **attributes):
    given = ", ".join(f"{key}: {value}" for key, value in attributes.items())
    return f"      - {{name: {name}, op: {op}, inputs: [{', '.join(inputs)}], attributes: {{{given}}}}}"


def slice_of(value, axis, name="s", start=0, end=24):
    return node(name, "Slice", value, starts=f"[{start}]", ends=f"[{end}]", axes=f"[{axis}]")


def every_second(value):
    return node("s", "Slice", value, starts="[1]", ends="[48]", axes="[2]", steps="[2]")


def turned(value):
    return node("t", "Transpose", value, perm="[0, 2, 1]")


# By name: the shape of x, where z is there its shape, the nodes that make y, and what y is. w is [24, 24].
GRAPHS = {
    "a": ("[33, n]", "", [slice_of("x", 1), node("y", "MatMul", "s", "w")], lambda x, z, w: x[:, :24] @ w),
    "a_rows": ("[r, n]", "", [slice_of("x", 1), node("y", "MatMul", "s", "w")], lambda x, z, w: x[:, :24] @ w),
    "a_batch": ("[2, 33, n]", "", [slice_of("x", 2), node("y", "MatMul", "s", "w")], lambda x, z, w: x[:, :, :24] @ w),
    "a_in_place": ("[33, n]", "", [node("e", "Exp", "x"), slice_of("e", 1), node("t", "Tanh", "s"), node("y", "MatMul", "t", "w")],
                   lambda x, z, w: np.tanh(np.exp(x[:, :24])) @ w),
    "b": ("[24, n]", "[r, 24]", [slice_of("x", 1), node("y", "MatMul", "z", "s")], lambda x, z, w: z @ x[:, :24]),
    "b_batch": ("[2, 24, n]", "[2, 7, 24]", [slice_of("x", 2), node("y", "MatMul", "z", "s")], lambda x, z, w: z @ x[:, :, :24]),
    "c": ("[33, n]", "[33, 24]", [node("p", "MatMul", "z", "w"), node("y", "Concat", "p", "x", axis=1)],
          lambda x, z, w: np.concatenate([z @ w, x], 1)),
    "c_second": ("[r, n]", "[r, 24]", [node("p", "MatMul", "z", "w"), node("y", "Concat", "x", "p", axis=1)],
                 lambda x, z, w: np.concatenate([x, z @ w], 1)),
    "c_changed": ("[33, n]", "[33, 24]", [node("p", "MatMul", "z", "w"), node("q", "Softmax", "p"), node("y", "Concat", "q", "x", axis=1)],
                  lambda x, z, w: np.concatenate([softmax(z @ w), x], 1)),
    "two": ("[33, n]", "[33, 24]", [node("p", "MatMul", "z", "w"), node("q", "MatMul", "p", "w"), node("y", "Concat", "p", "x", "q", axis=1)],
            lambda x, z, w: np.concatenate([z @ w, x, z @ w @ w], 1)),
    "epilogue": ("[33, n]", "[33, 24]", [slice_of("x", 1), node("p", "MatMul", "z", "w"), node("q", "Add", "p", "s"), node("y", "Relu", "q")],
                 lambda x, z, w: np.maximum(z @ w + x[:, :24], 0)),
    "all": ("[24, n]", "", [slice_of("x", 1), slice_of("x", 1, "last", -24, 1000), node("p", "MatMul", "s", "last"),
                            node("q", "Add", "p", "s"), node("y", "Concat", "q", "x", axis=1)],
            lambda x, z, w: np.concatenate([x[:, :24] @ x[:, -24:] + x[:, :24], x], 1)),
    # More parts than a chain of tensor.insert_slice has: they are stored one by one.
    "many": ("[r, n]", "[r, 24]", [node("p", "MatMul", "z", "w"), node("e", "Tanh", "x"), node("y", "Concat", *["p", "e", "x"] * 6, axis=1)],
             lambda x, z, w: np.concatenate([z @ w, np.tanh(x), x] * 6, 1)),
    "many_before": ("[r, n]", "[r, 24]", [node("p", "MatMul", "z", "w"), node("c", "Concat", *["p", "x"] * 9, axis=1), node("y", "Softmax", "c")],
                    lambda x, z, w: softmax(np.concatenate([z @ w, x] * 9, 1))),
    "many_rows": ("[24, n]", "[r, 24]", [node("p", "MatMul", "z", "x"), node("y", "Concat", *["p", "x"] * 9, axis=0)],
                  lambda x, z, w: np.concatenate([z @ x, x] * 9, 0)),
    "b_steps": ("[r, 24, 48]", "[r, 7, 24]", [every_second("x"), node("y", "MatMul", "z", "s")], lambda x, z, w: z @ x[:, :, 1::2]),
    "b_steps_turned": ("[r, 24, 48]", "[r, 7, 24]", [every_second("x"), turned("s"), node("y", "MatMul", "z", "t")],
                       lambda x, z, w: z @ x[:, :, 1::2].transpose(0, 2, 1)),
    "a_steps": ("[r, 7, 48]", "[r, 24, 24]", [every_second("x"), turned("z"), node("y", "MatMul", "s", "t")],
                lambda x, z, w: x[:, :, 1::2] @ z.transpose(0, 2, 1)),
    "convolution": ("[1, 4, 6, n]", "", [slice_of("x", 3), node("y", "Conv", "s", "k")], lambda x, z, w: np.einsum("oc,bchw->bohw", WEIGHT[:8, :4], x[..., :24])),
}


def spec():
    lines = ["library: pitches", "python: true", "targets: [x86-64-v2, x86-64-v3, x86-64-v4]",
             f"dims: {{n: {{min: {LEAST}, max: {GREATEST}}}, r: {{min: 1, max: 40}}}}", "graphs:"]
    for name, (x, z, nodes, _) in GRAPHS.items():
        inputs = f'x: "f32{x}"' + (f', z: "f32{z}"' if z else "")
        weights = [text for weight, text in WEIGHTS.items() if any(f", {weight}]" in node for node in nodes)]
        lines += [f"  - name: {name}", f"    inputs: {{{inputs}}}"] + ([f"    weights: {{{', '.join(weights)}}}"] if weights else [])
        lines += ["    nodes:", *nodes, "    outputs: [y]"]
    return "\n".join(lines) + "\n"


def setUpModule():
    global pitches
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    np.save(WORK / "w.npy", WEIGHT)
    np.save(WORK / "k.npy", np.ascontiguousarray(WEIGHT[:8, :4]).reshape(8, 4, 1, 1))
    (WORK / "pitches.yaml").write_text(spec())
    pitches = built.module_of(KGEN, WORK / "pitches.yaml", WORK, "pitches")


class Pitches(unittest.TestCase):
    def test_against_numpy(self):
        rng = np.random.default_rng(7)
        for variant in built.variants(pitches):
            library = pitches.load(variant=variant)
            for n, r in ((LEAST, 1), (25, 7), (64, 33), (GREATEST, 40)):
                for name, (x, z, _, expected) in GRAPHS.items():
                    arrays = [rng.standard_normal([{"n": n, "r": r}.get(size) or int(size) for size in shape[1:-1].split(", ")]).astype(np.float32)
                              for shape in (x, z) if shape]
                    wanted = expected(*[array.astype(np.float64) for array in (arrays + [arrays[0]])[:2]], WEIGHT.astype(np.float64))
                    with self.subTest(variant=variant, name=name, n=n, r=r):
                        np.testing.assert_allclose(getattr(library, name)(*arrays), wanted, rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    built.main()
