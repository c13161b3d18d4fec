"""Attention and rotary embedding as exporters take them apart, beside the operators: attention_forms.py KGEN FOLDER [--time]

Each form must compute what numpy does, in every variant that this CPU supports, be recognized, and take no more steps and, within a tenth, workspace
than the graph with the operators that its table begins with. --time prints medians of interleaved measurements instead.
"""
import json
import statistics
import sys

from pathlib import Path

import numpy as np

from spec_graph import Graph, attend, join_heads, rotate, split_heads

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))
import share
from commands import run

LOWEST = float(np.finfo(np.float32).min)


class Block:
    """Sizes of a layer of attention."""

    def __init__(self, length, heads, width=64, groups=None, causal=False, rotary=False):
        self.length, self.heads, self.width, self.groups = length, heads, width, groups or heads
        self.causal, self.rotary = causal, rotary
        angles = np.arange(length)[:, None] / 10000 ** (np.arange(width // 2) * 2 / width)
        self.cosines, self.sines = (f(angles).astype(np.float32).astype(float) for f in (np.cos, np.sin))

    def expected(self, q, k, v, mask=None):
        q, k, v = split_heads(q.value, self.heads), split_heads(k.value, self.groups), split_heads(v.value, self.groups)
        if self.rotary:
            q, k = (rotate(x, self.cosines, self.sines) for x in (q, k))
        return join_heads(attend(q, k, v, mask, self.causal))

    def operator(self, g, q, k, v, *mask):
        if self.rotary:
            caches = self.cosines[None], self.sines[None]
            q = g("RotaryEmbedding", q, *caches, num_heads=self.heads)
            k = g("RotaryEmbedding", k, *caches, num_heads=self.groups)
        return g("Attention", q, k, v, *mask, q_num_heads=self.heads, kv_num_heads=self.groups, is_causal=int(self.causal))

    def split(self, g, x, perm=(0, 2, 1, 3)):
        heads = x.shape[-1] // self.width
        return g("Transpose", g("Reshape", x, [1, self.length, heads, self.width]), perm=list(perm))

    def join(self, g, x):
        return g("Reshape", g("Transpose", x, perm=[0, 2, 1, 3]), [1, self.length, self.heads * self.width])

    def rotated(self, g, x, slices, axis):
        """x cos + rotate_half(x) sin, with caches as wide as a head; positions are along `axis`."""
        shape = [1, 1, 1, self.width]
        shape[axis] = self.length
        caches = [np.tile(cache, 2).reshape(shape) for cache in (self.cosines, self.sines)]
        half = self.width // 2
        if slices:
            first, second = g("Slice", x, [0], [half], [3]), g("Slice", x, [half], [2**62], [-1])
        else:
            first, second = g("Split", x, [half, half], axis=-1)
        return g("Add", g("Mul", x, caches[0]), g("Mul", g("Concat", g("Neg", second), first, axis=-1), caches[1]))

    def repeated(self, g, x, how):
        """Heads of keys or values, once for each head of the queries."""
        times, (_, heads, *sizes) = self.heads // self.groups, x.shape
        if how == "gather":
            return g("Gather", x, np.repeat(np.arange(heads), times), axis=1)
        x = g("Unsqueeze", x, [2])
        if how == "expand":
            x = g("Expand", x, [1, heads, times, *sizes])
        elif how == "tile":
            x = g("Tile", x, [1, 1, times, 1, 1])
        else:
            x = g("Concat", *[x] * times, axis=2)
        return g("Reshape", x, [1, self.heads, *sizes])

    def spelled(self, g, q, k, v, scale, mask=None, repeat=None, keys=(0, 2, 3, 1), guard=False, exponentials=False, rotation=None):
        if rotation == "tokens":  # before the transposes
            heads = lambda x: g("Reshape", x, [1, self.length, x.shape[-1] // self.width, self.width])
            q, k = (g("Transpose", self.rotated(g, heads(x), False, 1), perm=[0, 2, 1, 3]) for x in (q, k))
        else:
            q = g("Mul", q, self.width**-0.5) if scale == "flat" else q
            q, k = self.split(g, q), self.split(g, k, (0, 2, 1, 3) if rotation or not keys else keys)
            if rotation:
                q, k = (self.rotated(g, x, True, 2) for x in (q, k))
        v = self.split(g, v)
        root = self.width**-0.25
        if scale == "queries":
            q = g("Mul", q, self.width**-0.5)
        elif scale == "divided":
            q = g("Div", q, self.width**0.5)
        elif scale == "keys":
            k = g("Mul", k, self.width**-0.5)
        elif scale == "both":
            q, k = g("Mul", q, root), g("Mul", k, root)
        if repeat:
            k, v = self.repeated(g, k, repeat), self.repeated(g, v, repeat)
        if rotation or not keys:
            k = g("Transpose", k, perm=[0, 1, 3, 2])
        scores = g("MatMul", q, k)
        if scale == "scores":
            scores = g("Mul", scores, self.width**-0.5)
        elif scale == "scores divided":
            scores = g("Div", scores, g("Sqrt", float(self.width)))
        weights = self.weights(g, mask(g, scores) if mask else scores, guard, exponentials)
        return self.join(g, g("MatMul", weights, v))

    @staticmethod
    def weights(g, scores, guard, exponentials):
        if exponentials:
            powers = g("Exp", g("Sub", scores, g("ReduceMax", scores, [-1])))
            weights = g("Div", powers, g("ReduceSum", powers, [-1]))
        else:
            weights = g("Softmax", scores)
        return g("Where", g("IsNaN", weights), 0.0, weights) if guard else weights


def triangle(length):
    return np.tril(np.ones((length, length), bool))


def compared(g, length, operator):
    """Positions of keys compared with those of queries."""
    positions = g("Range", 0, length, 1)
    return g(operator, g("Unsqueeze", positions, [0]), g("Unsqueeze", positions, [1]))


def causal_masks(n):
    return {
        "selected": lambda g, s: g("Where", triangle(n)[None, None], s, -np.inf),
        "selected_lowest": lambda g, s: g("Where", triangle(n), s, LOWEST),
        "hidden": lambda g, s: g("Where", ~triangle(n), -np.inf, s),
        "added": lambda g, s: g("Add", s, np.where(triangle(n), 0.0, -np.inf)),
        "added_lowest": lambda g, s: g("Add", np.where(triangle(n), 0.0, LOWEST)[None, None], s),
        "compared": lambda g, s: g("Where", compared(g, n, "LessOrEqual"), s, -np.inf),
        "compared_added": lambda g, s: g("Add", s, g("Mul", g("Cast", compared(g, n, "Greater"), to="f32"), LOWEST)),
        "compared_chosen": lambda g, s: g("Add", s, g("Where", compared(g, n, "LessOrEqual"), 0.0, -np.inf)),
        "trilu": lambda g, s: g("Add", s, g("Trilu", g("Expand", LOWEST, [n, n]), 1, upper=1)),
    }


def bare(block, form=None, rotation=False):
    """A graph of Q, K and V; with a form, that one instead of the operators."""

    def build(name):
        g = Graph(name, 1)
        sizes = [block.heads, block.groups, block.groups]
        q, k, v = (g.input(x, (1, block.length, heads * block.width)) for x, heads in zip("qkv", sizes))
        g.output(block.spelled(g, q, k, v, **form) if form else block.operator(g, q, k, v), block.expected(q, k, v))
        return g

    return build


def layer(block, attention, packed=False):
    """Attention between its four products, as a network has it."""

    def build(name):
        g = Graph(name, 2)
        width, narrow = block.heads * block.width, block.groups * block.width
        x = g.input("x", (1, block.length, width))
        padding = np.arange(block.length) < block.length - 9
        if packed:
            rows = g("MatMul", x, g.random(width, 3 * width))
            q, k, v = np.split(rows.value, 3, -1)
            expected = join_heads(attend(*(split_heads(t, block.heads) for t in (q, k, v))))
            y = attention(g, rows)
        else:
            q, k, v = (g("MatMul", x, g.random(width, n)) for n in (width, narrow, narrow))
            uses_mask = attention.__name__.endswith("padded")
            mask = g.input("mask", None, padding[None].astype(np.int64)) if uses_mask else None
            y = attention(g, q, k, v, *([mask] if uses_mask else []))
            expected = block.expected(q, k, v, padding[None, None, None] if uses_mask else None)
        out = g.random(width, width)
        g.output(g("MatMul", y, out), expected @ out.value)
        return g

    return build


def bert(block):
    def operator_padded(g, q, k, v, mask):
        return block.operator(g, q, k, v, g("Cast", g("Unsqueeze", mask, [1, 2]), to="bool"))

    def first_padded(g, q, k, v, mask):  # scores / sqrt(d) + (1 - mask) * lowest
        added = g("Mul", g("Sub", 1.0, g("Cast", g("Unsqueeze", mask, [1, 2]), to="f32")), LOWEST)
        return block.spelled(g, q, k, v, "scores divided", mask=lambda g, s: g("Add", s, added))

    def second_padded(g, q, k, v, mask):  # both operands scaled, a mask of booleans, transposed twice
        seen = g("Cast", g("Unsqueeze", mask, [1, 2]), to="bool")
        return block.spelled(g, q, k, v, "both", keys=None, mask=lambda g, s: g("Where", seen, s, -np.inf))

    return [layer(block, f) for f in (operator_padded, first_padded, second_padded)]


def vit(block):
    n, h, w = block.length, block.heads, block.width
    sizes = [h * w] * 3

    def operator(g, rows):
        return block.operator(g, *g("Split", rows, sizes, axis=-1))

    def first(g, rows):  # one transpose of all, then Split and Squeeze
        parts = g("Transpose", g("Reshape", rows, [1, n, 3, h, w]), perm=[2, 0, 3, 1, 4])
        q, k, v = (g("Squeeze", x, [0]) for x in g("Split", parts, [1, 1, 1], axis=0))
        scores = g("MatMul", g("Mul", q, w**-0.5), g("Transpose", k, perm=[0, 1, 3, 2]))
        return block.join(g, g("MatMul", g("Softmax", scores), v))

    def second(g, rows):  # Gather of each part
        parts = g("Transpose", g("Reshape", rows, [1, n, 3, h, w]), perm=[2, 0, 3, 1, 4])
        q, k, v = (g("Gather", parts, i, axis=0) for i in range(3))
        scores = g("MatMul", q, g("Transpose", k, perm=[0, 1, 3, 2]))
        return block.join(g, g("MatMul", g("Softmax", g("Mul", scores, w**-0.5)), v))

    return [layer(block, f, packed=True) for f in (operator, first, second)]


def whisper(block):
    n, h, w = block.length, block.heads, block.width

    def first(g, q, k, v):  # heads and batch collapsed
        rows = lambda x: g("Reshape", block.split(g, x), [h, n, w])
        q, k, v = rows(g("Mul", q, w**-0.5)), rows(k), rows(v)
        y = g("MatMul", g("Softmax", g("MatMul", q, g("Transpose", k, perm=[0, 2, 1]))), v)
        return block.join(g, g("Reshape", y, [1, h, n, w]))

    def second(g, q, k, v):
        return block.spelled(g, q, k, v, "both", exponentials=True)

    return [layer(block, f) for f in (block.operator, first, second)]


def decoder(block):
    masks = causal_masks(block.length)

    def first(g, q, k, v):
        return block.spelled(g, q, k, v, "scores divided", masks["added_lowest"], "expand", rotation="slices")

    def second(g, q, k, v):
        return block.spelled(g, q, k, v, "both", masks["compared_chosen"], "tile", rotation="tokens", guard=True)

    return [layer(block, f) for f in (block.operator, first, second)]


def tables():
    plain, grouped, causal = Block(128, 4), Block(128, 4, groups=2), Block(128, 4, causal=True)
    scales = ["scores", "scores divided", "queries", "divided", "flat", "keys", "both"]
    forms = {
        "scales": (plain, [dict(scale=s) for s in scales] + [dict(scale="both", keys=None)]),
        "softmaxes": (plain, [dict(scale="scores", guard=True), dict(scale="scores", exponentials=True)]),
        "groups": (grouped, [dict(scale="scores", repeat=r, keys=k) for r in ("expand", "tile", "concat", "gather")
                             for k in ((0, 2, 3, 1), None)]),
        "causal": (causal, [dict(scale="scores", mask=m) for m in causal_masks(128).values()]),
    }
    result = {name: [bare(block)] + [bare(block, form) for form in list_] for name, (block, list_) in forms.items()}
    return result | {
        "bert_base": bert(Block(128, 12)),
        "vit_small": vit(Block(197, 6)),
        "whisper_tiny": whisper(Block(256, 6)),
        "decoder": decoder(Block(256, 12, groups=4, causal=True, rotary=True)),
    }


def times(kgen, spec, target):
    """The median of each graph's time in five measurements of all."""
    found = {}
    for _ in range(5):
        text = run(kgen, "bench", spec, "--target", target, "--hot", "--threads", 1, "--time", 0.1, "--json", "-")
        for line in json.loads(text)["results"]:
            found.setdefault(line["graph"], []).append(line["seconds"]["median"])
    return {name: statistics.median(readings) for name, readings in found.items()}


def forms_of_today(named):
    """One of six, others each time that it is the table's day."""
    return named if share.FULL or "--time" in sys.argv else named[share.DAY // 2 % min(6, len(named)) :: 6]


def main():
    kgen, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for table, builders in tables().items():
        if "--time" not in sys.argv and not share.is_today(2, table):
            continue
        named = [(f"{table}_{i}" if i else f"{table}_operator", build) for i, build in enumerate(builders)]
        graphs = [build(name) for name, build in named[:1] + forms_of_today(named[1:])]
        spec = folder / f"{table}.yaml"
        spec.write_text(f"library: {table}\ntargets: [x86-64-v3, x86-64-v4]\ngraphs:\n" + "".join(g.write(folder) for g in graphs))
        if "--time" in sys.argv:
            for target in ("x86-64-v3", "x86-64-v4"):
                medians = times(kgen, spec, target)
                first = medians[graphs[0].name]
                for name, seconds in medians.items():
                    print(f"{name:20} {target} {seconds * 1e6:8.1f} us  {seconds / first:.3f}")
            continue
        parts = {}
        for part in json.loads(run(kgen, "explain", spec, "--json"))["parts"]:
            fused = [r for r in part["remarks"] if r["pass"] == "kgen-fuse-attention" and "applied" in r]
            assert len(fused) == 1, f"{part['graph']} {part['target']}: no attention: {part['remarks']}"
            parts[part["graph"], part["target"]] = len(part["steps"]), part["workspace_bytes"]
        for (name, target), (steps, bytes_) in parts.items():
            first = parts[graphs[0].name, target]
            assert steps <= first[0] and bytes_ <= 1.1 * first[1], f"{name} {target}: {steps} steps, {bytes_} bytes; the operators: {first}"
        for graph in graphs:
            run(kgen, "verify", spec, "--graph", graph.name, "--against", folder / f"{graph.name}.npz", "--atol", "1e-4")
            count += 1
    print(f"{count} graphs")


main()
