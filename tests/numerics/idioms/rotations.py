"""Interleaved rotary embeddings as exporters take them apart, beside the operator: rotations.py KGEN FOLDER [bench]

Each spelling must become the operation that the operator is, and the operator and all spellings must compute what numpy does with single precision, bit by bit for f32, in every
variant that this CPU supports. Elements are f32, bf16 and f16, NaN, infinities and -0 are among them, and sizes are odd. With `bench`, medians of
interleaved measurements are printed instead, beside those of the operator on halves.
"""
import json
import statistics
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "lib"))
import share
from arrays import rounded_to_bf16
from commands import run

TARGETS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]


class Graph:
    def __init__(self, name, element, heads, length, width, rotated=None):
        self.name, self.element, self.shape = name, element, [1, heads, length, width]
        self.pairs = (rotated or width) // 2
        self.weights, self.nodes = {}, []
        self.caches = {name: [1, length, self.pairs] for name in ("cosines", "sines")}

    def __call__(self, op, *inputs, results=1, **attributes):
        names = [f"{op.lower()}{len(self.nodes)}{letter}" for letter in "ab"[:results]]
        inputs = [x if isinstance(x, str) else self.indices(x) for x in inputs]
        written = ", ".join(f"{key}: {value}" for key, value in attributes.items())
        self.nodes.append(f"      - {{op: {op}, inputs: [{', '.join(inputs)}], outputs: [{', '.join(names)}], attributes: {{{written}}}}}")
        return names[0] if results == 1 else names

    def indices(self, values):
        name = f"i{len(self.weights)}"
        kind = f"i64[{len(values)}]" if isinstance(values, list) else "i64[]"
        self.weights[name] = f'{{type: "{kind}", value: {values}}}'
        return name

    def write(self, y):
        lines = [f"  - name: {self.name}", "    inputs:", f'      x: "{self.element}{self.shape}"']
        lines += [f'      {name}: "{self.element}{shape}"' for name, shape in self.caches.items()]
        lines += ["    weights:"] if self.weights else []
        lines += [f"      {name}: {text}" for name, text in self.weights.items()]
        return "\n".join(lines + ["    nodes:"] + self.nodes + [f"    outputs: [{y}]"]) + "\n"

    def by_head(self, cache):
        return self("Unsqueeze", cache, [1])

    def twice(self, cache):
        """c0, c0, c1, c1, ..."""
        cache = self("Unsqueeze", self.by_head(cache), [4])
        return self("Reshape", self("Concat", cache, cache, axis=-1), [1, 1, self.shape[2], 2 * self.pairs])

    def evens(self, x, first):
        return self("Slice", x, [first], [2 * self.pairs], [3], [2])

    def stacked(self, first, second):
        first, second = (self("Unsqueeze", part, [4]) for part in (first, second))
        return self("Reshape", self("Concat", first, second, axis=-1), self.shape)

    def rotated(self, left, right, cosines, sines):
        """Elements of pairs times (cosine + i sine)."""
        return (self("Sub", self("Mul", left, cosines), self("Mul", right, sines)),
                self("Add", self("Mul", left, sines), self("Mul", right, cosines)))


def by_operator(g, interleaved=1):
    rest = {} if 2 * g.pairs == g.shape[3] else {"rotary_embedding_dim": 2 * g.pairs}
    return g("RotaryEmbedding", "x", "cosines", "sines", interleaved=interleaved, **rest)


def halves(g):
    return by_operator(g, 0)


def every_two(g):
    """x cos + rotate_every_two(x) sin, with caches as wide as a head."""
    turned = g.stacked(g("Neg", g.evens("x", 1)), g.evens("x", 0))
    return g("Add", g("Mul", "x", g.twice("cosines")), g("Mul", turned, g.twice("sines")))


def evens(g):
    """Elements of pairs are slices with a stride."""
    return g.stacked(*g.rotated(g.evens("x", 0), g.evens("x", 1), g.by_head("cosines"), g.by_head("sines")))


def viewed(g):
    """Elements of pairs are a dimension, gathered."""
    pairs = g("Reshape", "x", g.shape[:3] + [g.pairs, 2])
    left, right = (g("Gather", pairs, i, axis=4) for i in (0, 1))
    return g.stacked(*g.rotated(left, right, g.by_head("cosines"), g.by_head("sines")))


def complex_product(g):
    """Cosines and sines are the parts of one tensor."""
    g.caches = {"parts": [1, 1, g.shape[2], g.pairs, 2]}
    pairs = g("Reshape", "x", g.shape[:3] + [g.pairs, 2])
    parts = []
    for tensor in (pairs, "parts"):
        parts += [g("Squeeze", part, [4]) for part in g("Split", tensor, [1, 1], results=2, axis=4)]
    left, right, cosines, sines = parts
    real, imaginary = g.rotated(left, right, cosines, sines)
    return g.stacked(real, imaginary)


SPELLINGS = [by_operator, every_two, evens, viewed, complex_product]
SIZES = {"head": (2, 16, 64), "odd": (3, 5, 14), "small": (1, 3, 2), "wide": (2, 7, 46), "bench": (12, 256, 64)}


def spec(name, element, size, spellings):
    text = f"library: {name}\ntargets: [{', '.join(TARGETS)}]\ngraphs:\n"
    for spelling in spellings:
        g = Graph(spelling.__name__, element, *SIZES[size])
        text += g.write(spelling(g))
    return text


def rounded(x, element):
    """What an element of the type holds, as f32."""
    if element == "f16":
        return x.astype(np.float16).astype(np.float32)
    if element == "bf16":
        return rounded_to_bf16(x)
    return x


def arrays(element, size):
    heads, length, width = SIZES[size]
    numbers = np.random.default_rng(3)
    x = rounded(numbers.uniform(-4, 4, (1, heads, length, width)).astype(np.float32), element)
    flat = x.reshape(-1)
    for i, special in enumerate((np.nan, np.inf, -np.inf, -0.0, 0.0)):
        flat[i * 7 % flat.size] = special
    angles = numbers.uniform(0, 6, (1, length, width // 2)).astype(np.float32)
    cosines, sines = (rounded(f(angles), element) for f in (np.cos, np.sin))
    y = np.empty_like(x)
    a, b, c, s = x[..., 0::2], x[..., 1::2], cosines[:, None], sines[:, None]
    with np.errstate(invalid="ignore"):
        y[..., 0::2], y[..., 1::2] = a * c - b * s, a * s + b * c
    stored = (lambda v: v.astype(np.float16)) if element == "f16" else (lambda v: v)
    parts = np.stack([cosines, sines], -1)[:, None]
    return {name: stored(rounded(v, element)) for name, v in (("x", x), ("cosines", cosines), ("sines", sines), ("parts", parts), ("y", y))}


def bench(kgen, folder):
    path = folder / "bench.yaml"
    path.write_text(spec("bench", "f32", "bench", [halves] + SPELLINGS))
    found = {}
    for _ in range(5):
        text = run(kgen, "bench", path, "--hot", "--threads", 1, "--time", 0.1, "--json", "-")
        for line in json.loads(text)["results"]:
            found.setdefault((line["variant"], line["graph"]), []).append(line["seconds"]["median"])
    for (target, graph), seconds in sorted(found.items()):
        halves_of, operator_of = (statistics.median(found[target, name]) for name in ("halves", "by_operator"))
        median = statistics.median(seconds)
        print(f"{target:10} {graph:16} {median * 1e6:8.1f} us  {median / operator_of:5.3f} of the operator, {median / halves_of:5.3f} of halves")


def check(kgen, folder):
    count = 0
    cases = [(size, element) for size in list(SIZES)[:-1] for element in ("f32", "bf16", "f16")]
    for size, element in share.today(3, cases):
        name = f"{size}_{element}"
        path = folder / f"{name}.yaml"
        path.write_text(spec(name, element, size, SPELLINGS))
        for part in json.loads(run(kgen, "explain", path, "--json"))["parts"]:
            raised = [r for r in part["remarks"] if r["pass"] == "kgen-raise-idioms" and "rotation" in r.get("applied", "")]
            lowered = [r for r in part["remarks"] if r["pass"] == "kgen-decompose-named-ops" and "change places" in r.get("applied", "")]
            assert len(lowered) == 1 and len(raised) == (part["graph"] != "by_operator"), f"{name} {part['graph']} {part['target']}: {part['remarks']}"
        known = arrays(element, size)
        # In plain loops, spelled products of 16 bits are rounded.
        bounds = ["--ulp", 0] if element == "f32" else ["--rtol", 0.02, "--atol", 0.1]
        for spelling in SPELLINGS:
            g = Graph(spelling.__name__, element, *SIZES[size])
            y = spelling(g)
            inputs = {each: known[each] for each in ["x", *g.caches]}
            np.savez(folder / f"{name}.npz", **inputs, **{y: known["y"]})
            run(kgen, "verify", path, "--graph", g.name, "--against", folder / f"{name}.npz", *bounds)
            count += 1
    print(f"{count} graphs")


def main():
    kgen, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    (bench if "bench" in sys.argv else check)(kgen, folder)


main()
