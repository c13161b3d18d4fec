"""Caches that an attention operator makes longer, as state: caches.py KGEN FOLDER CC [--all]

A model of one node with a past, imported with and without --state: over a prefill and many calls of one row and of several, both give the same bits, on 1, 2 and
3 threads, and what numpy computes in double; of the block, a call writes its own rows and nothing else. Some of the models each day, with --all all of them.
"""
import itertools
import sys
from pathlib import Path

try:
    import numpy as np
    import onnx
    from onnx import TensorProto as T
    from onnx import helper
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy, python3-onnx)")
    sys.exit(77)

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "lib")]
import share
from state_library import Library, imported, is_all_state, is_same_but, run_cases

KGEN, FOLDER, CC = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
CAPACITY, MOST = 120, 6  # rows before a call, and rows of a call, at most
KINDS = {"f32": T.FLOAT, "f16": T.FLOAT16, "i32": T.INT32, "bool": T.BOOL}
NUMPY = {"f32": np.float32, "f16": np.float16}


class Case:
    """A node, its operands but q, k and v, and what they mean."""

    def __init__(self, op, name, heads=4, shared=4, width=8, wide=None, batch=1, split=False, causal=1, mask=None, window=-1, softcap=0.0, rotary=0,
                 keeps=False, bias=False, states=("key", "value"), has_version=False, real="f32"):
        self.__dict__.update(locals())
        self.wide = wide or width
        self.is_open = batch == "batch"

    def inputs(self):
        """Name, element type and shape of each operand in its place; None where there is none."""
        b, n, past = self.batch, "rows", "cache_length" if self.keeps else "past_length"
        total = past if self.keeps else "past_length + rows"
        rows = lambda heads, width: [b, heads, n, width] if self.split else [b, n, heads * width]
        real = self.real
        new = [("q", real, rows(self.heads, self.width)), ("k", real, rows(self.shared, self.width)), ("v", real, rows(self.shared, self.wide))]
        caches = [("past_key", real, [b, self.shared, past, self.width]), ("past_value", real, [b, self.shared, past, self.wide])]
        masks = {"bool": ("mask", "bool", [n, total]), "float": ("mask", real, [1, self.heads, n, total]), "keys": ("mask", "i32", [b, total]), None: None}
        if self.op == "Attention":
            return [*new, masks[self.mask], *caches]
        if self.op == "MultiHeadAttention":
            added = masks["float"] if self.mask == "float" else None
            padding = masks["keys"] if self.mask == "keys" else None
            return [*new, ("bias", real, [self.heads * (2 * self.width + self.wide)]) if self.bias else None, padding, added, *caches]
        turns = [(name, real, [CAPACITY + MOST, self.rotary]) for name in ("cosines", "sines")] if self.rotary else [None, None]
        return [*new, *caches, ("last", "i32", [b]), ("total", "i32", []), *turns, None, masks["float"] if self.mask else None]

    def model(self, path):
        attributes = {"Attention": {"is_causal": self.causal}, "MultiHeadAttention": {"num_heads": self.heads, "unidirectional": self.causal},
                      "GroupQueryAttention": {"num_heads": self.heads, "kv_num_heads": self.shared, "do_rotary": int(self.rotary > 0),
                                              "local_window_size": self.window}}[self.op]
        if self.op == "Attention" and not self.split:
            attributes |= {"q_num_heads": self.heads, "kv_num_heads": self.shared}
        attributes |= {"softcap": self.softcap} if self.softcap else {}
        operands = self.inputs()
        while operands[-1] is None:
            operands.pop()
        infos = [helper.make_tensor_value_info(name, KINDS[kind], shape) for name, kind, shape in filter(None, operands)]
        results = ["y", "present_key", "present_value"]
        node = helper.make_node(self.op, [operand[0] if operand else "" for operand in operands], results,
                                domain="" if self.op == "Attention" else "com.microsoft", **attributes)
        b, total = self.batch, "cache_length" if self.keeps else "past_length + rows"
        outputs = [helper.make_tensor_value_info("y", KINDS[self.real], None)]
        outputs += [helper.make_tensor_value_info(name, KINDS[self.real], [b, self.shared, total, width])
                    for name, width in zip(results[1:], (self.width, self.wide))]
        graph = helper.make_graph([node], "g", infos, outputs)
        opsets = [helper.make_opsetid("", 24), helper.make_opsetid("com.microsoft", 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), str(path))

    def options(self):
        length = f"cache_length={CAPACITY}" if self.keeps else f"past_length=0..{CAPACITY - MOST}"
        return ["--dim", length, "--dim", f"rows=1..{MOST}", *(["--dim", "batch=1..3"] if self.is_open else [])]

    # What it computes

    def heads_of(self, rows, count):
        if self.split:
            return rows.astype(np.float64)
        batch, length, width = rows.shape
        return rows.astype(np.float64).reshape(batch, length, count, width // count).transpose(0, 2, 1, 3)

    def turned(self, x, given, past):
        if not self.rotary:
            return x
        at, r = past + np.arange(x.shape[2]), self.rotary
        c, s = (given[name][at].astype(np.float64) for name in ("cosines", "sines"))
        first, second, rest = x[..., :r], x[..., r:2 * r], x[..., 2 * r:]
        return np.concatenate([first * c - second * s, first * s + second * c, rest], -1)

    def expected(self, given, keys, values, past):
        """The result, and the caches with the new rows."""
        q, k, v = (given[name].astype(np.float64) for name in "qkv")
        if self.bias:
            parts = np.split(given["bias"].astype(np.float64), [self.heads * self.width, 2 * self.heads * self.width])
            q, k, v = q + parts[0], k + parts[1], v + parts[2]
        q, k, v = self.heads_of(q, self.heads), self.heads_of(k, self.shared), self.heads_of(v, self.shared)
        q, k = self.turned(q, given, past), self.turned(k, given, past)
        keys, values = np.concatenate([keys, k], 2), np.concatenate([values, v], 2)
        group, rows, total = self.heads // self.shared, q.shape[2], keys.shape[2]
        scores = q @ np.repeat(keys, group, 1).transpose(0, 1, 3, 2) / np.sqrt(self.width)
        if self.softcap:
            scores = self.softcap * np.tanh(scores / self.softcap)
        mask = given.get("mask")
        if mask is not None:
            mask = mask[..., :total] if self.keeps else mask
            if self.mask == "keys":
                scores = scores + np.where(mask[:, None, None], 0.0, -10000.0)
            else:
                scores = scores + (np.where(mask, 0.0, -np.inf) if mask.dtype == bool else mask.astype(np.float64))
        apart = np.arange(rows)[:, None] + past - np.arange(total)
        if self.causal:
            scores = np.where(apart >= 0, scores, -np.inf)
        if self.window > 0:
            scores = np.where(apart < self.window, scores, -np.inf)
        weights = np.exp(scores - np.maximum(scores.max(-1, keepdims=True), -1e300))
        y = weights / np.maximum(weights.sum(-1, keepdims=True), 1e-300) @ np.repeat(values, group, 1)
        return y if self.split else y.transpose(0, 2, 1, 3).reshape(y.shape[0], rows, -1), keys, values

    def drawn(self, random, batch, rows, past):
        """Operands of a call but the caches."""
        sizes = {"batch": batch, "rows": rows, "past_length": past, "past_length + rows": past + rows, "cache_length": CAPACITY}
        given = {}
        for name, kind, shape in filter(None, self.inputs()):
            shape = [sizes.get(size, size) for size in shape]
            if name.startswith("past_"):
                continue
            given[name] = random.uniform(-1, 1, shape).astype(NUMPY[kind]) if kind in NUMPY else random.random(shape) < 0.7
            if kind == "i32":
                given[name] = np.array(given[name], np.int32)
        if "last" in given:
            given["last"][:] = past + rows - 1
        if self.mask in ("bool", "keys"):
            given["mask"][..., 0] = 1
        return given


def calls():
    """Rows of each call: a prefill, and then one row or several, more than a hundred of them in all."""
    yield from (5, 1, 1, 6, 1, 2, 1, 1)
    yield from itertools.repeat(1, 90)


def library(case, folder, name, *options):
    """Of the model in the folder; with `has_version` it has code of its own for one row."""
    spec = imported(KGEN, folder / "net.onnx", folder / name, name, *case.options(), *options)
    if case.has_version:
        spec.write_text(spec.read_text().replace("    dims:\n", "    versions: {rows: [1]}\n    dims:\n", 1))
    return Library(KGEN, CC, spec)


def check(case):
    folder = FOLDER / case.name
    folder.mkdir(parents=True, exist_ok=True)
    case.model(folder / "net.onnx")
    states = {"key": ("past_key", "present_key"), "value": ("past_value", "present_value")}
    kept = library(case, folder, "kept", *(f"--state={past}={present}" for past, present in (states[name] for name in case.states)))
    plain = library(case, folder, "plain")
    random = np.random.default_rng(len(case.name))
    batch = 3 if case.is_open else case.batch
    for number, (variant, threads) in enumerate(itertools.product(kept.variants(), (1, 2, 3))):
        kept.use(variant, threads)
        plain.use(variant, 1)
        given = case.drawn(random, batch, 1, 0)  # what is the same in all calls
        fixed = {name: given[name] for name in ("cosines", "sines", "bias") if name in given}
        block = kept.block(batch=batch)
        caches = {name: np.zeros((batch, case.shared, CAPACITY if case.keeps else 0, width), NUMPY[case.real])
                  for name, width in (("past_key", case.width), ("past_value", case.wide))}
        keys, values = (np.zeros((batch, case.shared, 0, width)) for width in (case.width, case.wide))
        past = 0
        for count, rows in enumerate(calls()):
            if number and count > 12:
                break
            given = {**case.drawn(random, batch, rows, past), **fixed}
            sizes = {"batch": batch, "rows": rows, "past_length": past}
            before = block.copy()
            found = kept.call(sizes, {**given, **caches}, block)
            wanted = plain.call(sizes, {**given, **caches})
            y, keys, values = case.expected(given, keys, values, past)
            where = f"{variant}, {threads} threads, call {count}"
            assert found["y"].tobytes() == wanted["y"].tobytes(), f"{where}: other bits than with inputs and outputs: {abs(found['y'] - wanted['y']).max()}"
            assert abs(found["y"] - y).max() < (2e-5 if case.real == "f32" else 1e-2), f"{where}: {abs(found['y'] - y).max()} from numpy"
            caches = {f"past_{name}": wanted[f"present_{name}"] for name in ("key", "value")}
            past += rows
            for name in case.states:
                is_same_but(kept, block, before, f"past_{name}", past - rows, past, where, sizes)
                now = kept.state(block, f"past_{name}", **sizes)[:, :, :past]
                assert now.tobytes() == caches[f"past_{name}"][:, :, :past].tobytes(), f"{where}: past_{name} has other bits"
            is_all_state(kept, block, before, where, sizes)
            for name in {"key", "value"} - set(case.states):
                assert found[f"present_{name}"].tobytes() == wanted[f"present_{name}"].tobytes(), f"{where}: present_{name}"
        if case.keeps:
            before = block.copy()
            for last in (CAPACITY, 1 << 30):
                given["last"][-1] = last  # one sequence has no room
                kept.call(sizes, {**given, **caches}, block, status="STATE_FULL")
                assert block.tobytes() == before.tobytes(), f"{variant}: a call without room writes"
            given["last"][:] = CAPACITY - 1
            kept.call(sizes, {**given, **caches}, block)
    kept.check_copies(np.dtype(NUMPY[case.real]).itemsize * batch * case.shared * MOST * max(case.width, case.wide))


def cases():
    A, M, G = "Attention", "MultiHeadAttention", "GroupQueryAttention"
    yield Case(A, "heads apart", split=True, shared=2, wide=12)
    yield Case(A, "heads side by side", shared=2, batch=2, mask="bool", softcap=3.0)
    yield Case(A, "added mask, open batch", causal=0, mask="float", batch="batch")
    yield Case(A, "keys only", split=True, states=("key",))
    yield Case(A, "values only", states=("value",), causal=0)
    yield Case(A, "a version of one row", causal=1, has_version=True, batch=2)
    yield Case(M, "multi-head", causal=1, bias=True, wide=12)
    yield Case(M, "multi-head, masked keys", causal=0, mask="keys", batch=2)
    yield Case(M, "multi-head, added, open batch", causal=0, mask="float", batch="batch")
    yield Case(M, "multi-head, masked keys, a version of one row", causal=1, mask="keys", has_version=True)
    yield Case(M, "multi-head, masked keys, half", causal=0, mask="keys", batch=2, real="f16")
    yield Case(G, "group", shared=2, rotary=4)
    yield Case(G, "group, half", shared=2, rotary=4, real="f16")
    yield Case(G, "group, a version of one row", shared=2, rotary=4, batch="batch", has_version=True)
    yield Case(G, "group, window, open batch", shared=2, rotary=2, window=4, softcap=2.0, batch="batch")
    yield Case(G, "group, added", shared=1, mask="float")
    yield Case(G, "group, values only", shared=2, states=("value",), batch=2)
    yield Case(G, "group, shared cache", shared=2, rotary=4, keeps=True)
    yield Case(G, "group, shared cache, open batch", shared=2, rotary=4, keeps=True, batch="batch", window=7)
    yield Case(G, "group, shared cache, a version of one row", shared=2, keeps=True, batch=2, has_version=True)


def main():
    run_cases([(case.name, case) for case in (cases() if "--all" in sys.argv else share.today(9, cases()))], lambda name, case: check(case))


main()
