"""com.microsoft's MultiHeadAttention and GroupQueryAttention, and the standard's Attention over a cache of TensorScatter, against numpy: heads.py KGEN
FOLDER. Sizes are numbers in one model, and open in another one."""
import subprocess
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

KGEN, FOLDER = sys.argv[1], Path(sys.argv[2])
random = np.random.default_rng(1)
KINDS = {np.dtype(np.float32): T.FLOAT, np.dtype(np.int64): T.INT64, np.dtype(np.int32): T.INT32}


def drawn(*shape):
    return random.uniform(-1, 1, shape).astype(np.float32)


def softmax(scores):
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return weights / np.sum(weights, axis=-1, keepdims=True)


def heads_of(rows, count):
    batch, length, width = rows.shape
    return rows.astype(np.float64).reshape(batch, length, count, width // count).transpose(0, 2, 1, 3)


def joined(heads):
    batch, count, length, width = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(batch, length, count * width)


def turned(heads, cosines, sines, positions, interleaved):
    """`heads` with pairs of elements rotated by the angle of their position."""
    result, pairs = heads.copy(), cosines.shape[1]
    first, second = (slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)) if interleaved else (slice(0, pairs), slice(pairs, 2 * pairs))
    c, s = cosines[positions][:, None].astype(np.float64), sines[positions][:, None].astype(np.float64)
    result[..., first] = heads[..., first] * c - heads[..., second] * s
    result[..., second] = heads[..., first] * s + heads[..., second] * c
    return result


class Model:
    """Nodes side by side, each with inputs and expected results of its own."""

    def __init__(self, is_open):
        self.is_open = is_open
        self.nodes, self.inputs, self.outputs, self.arrays, self.sizes = [], [], [], {}, {}

    def add(self, name, op, operands, results, attributes, domain="com.microsoft", opened=(), keeps=()):
        """`opened` has a dimension's name for places (operand, axis); `keeps` is results that are as long as the cache."""
        names = []
        for i, array in enumerate(operands):
            names.append(f"{name}_i{i}" if array is not None else "")
            if array is None:
                continue
            shape = list(array.shape)
            for place, size in dict(opened).items() if self.is_open else ():
                if place[0] == i:
                    shape[place[1]] = f"{name}_{size}"
                    self.sizes[f"{name}_{size}"] = array.shape[place[1]]
            self.inputs.append(helper.make_tensor_value_info(names[-1], KINDS[array.dtype], shape))
            self.arrays[names[-1]] = array
        while names and not names[-1]:
            names.pop()
        outputs = [f"{name}_o{i}" for i in range(len(results))]
        self.nodes.append(helper.make_node(op, names, outputs, domain=domain, **attributes))
        for i, (output, array) in enumerate(zip(outputs, results)):
            shape = self.inputs[[x.name for x in self.inputs].index(f"{name}_i{keeps[i]}")].type.tensor_type.shape if i in dict(keeps or {}) else None
            info = helper.make_tensor_value_info(output, T.FLOAT, None)
            if shape is not None:
                info.type.tensor_type.shape.CopyFrom(shape)
            self.outputs.append(info)
            self.arrays[output] = array.astype(np.float32)

    def verify(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        graph = helper.make_graph(self.nodes, "g", self.inputs, self.outputs)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24), helper.make_opsetid("com.microsoft", 1)])
        onnx.save(made, str(folder / "heads.onnx"))
        np.savez(folder / "heads.npz", **self.arrays)
        bounds = {name: "40..64" if name.endswith("_cache") else f"{0 if name.endswith('_past') else 1}..32" for name in self.sizes}
        dims = [text for name, range in bounds.items() for text in ("--dim", f"{name}={range}")]
        run = subprocess.run([KGEN, "verify", folder / "heads.onnx", "--against", folder / "heads.npz", "--target", "x86-64-v3",
                              "--atol", "1e-5", *dims], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(f"{len(self.nodes)} nodes, {'open' if self.is_open else 'fixed'} sizes: {'right' if run.returncode == 0 else 'WRONG'}")
        if run.returncode:
            print(run.stdout)
        return run.returncode == 0


def multi_head(model, name, batch=2, queries=5, keys=7, heads=3, width=8, wide=None, past=0, bias=False, mask=None, added=None, form="", causal=0):
    wide, total = wide or width, past + keys
    q, k, v = drawn(batch, queries, heads * width), drawn(batch, keys, heads * width), drawn(batch, keys, heads * wide)
    q4, k4, v4 = heads_of(q, heads), heads_of(k, heads), heads_of(v, heads)
    operands = [q, k, v] + [None] * 5
    opened = {(0, 0): "batch", (0, 1): "queries", (1, 0): "batch", (1, 1): "keys", (2, 0): "batch", (2, 1): "keys"}
    if form == "packed":  # of as many queries as keys
        operands[:3] = np.stack([x.transpose(0, 2, 1, 3) for x in (q4, k4, v4)], 3).astype(np.float32), None, None
    elif form == "packed keys":
        operands[1:3] = np.stack([x.transpose(0, 2, 1, 3) for x in (k4, v4)], 3).astype(np.float32), None
    elif form == "split keys":
        operands[1:3] = k4.astype(np.float32), v4.astype(np.float32)
        opened.update({(1, 1): "", (2, 1): ""})
        opened = {place: size for place, size in opened.items() if size} | {(1, 2): "keys", (2, 2): "keys"}
    if bias:
        operands[3] = drawn(heads * (2 * width + wide))
        q4, k4, v4 = (heads_of(x + b, heads) for x, b in zip((q, k, v), np.split(operands[3], [heads * width, 2 * heads * width])))
    if past:
        operands[6], operands[7] = drawn(batch, heads, past, width), drawn(batch, heads, past, wide)
        k4, v4 = np.concatenate([operands[6], k4], 2), np.concatenate([operands[7], v4], 2)
        opened.update({(6, 0): "batch", (6, 2): "past", (7, 0): "batch", (7, 2): "past"})
    scores = q4 @ k4.transpose(0, 1, 3, 2) / np.sqrt(width)
    if added:
        operands[5] = drawn(*added)
        scores = scores + operands[5]
    if mask == "numbers":
        operands[4] = np.array([total, 1, total // 2][:batch], np.int32)
        scores = np.where(np.arange(total) < operands[4][:, None, None, None], scores, -np.inf)
        opened[4, 0] = "batch"
    elif mask:
        operands[4] = (random.random((batch, total) if mask == "keys" else (batch, queries, total)) < 0.6).astype(np.int32)
        seen = operands[4][:, None, None] if operands[4].ndim == 2 else operands[4][:, None]
        scores = scores + np.where(seen, 0.0, -10000.0)
        if not past:
            opened.update({(4, 0): "batch", (4, operands[4].ndim - 1): "keys"} | ({(4, 1): "queries"} if operands[4].ndim == 3 else {}))
    if causal:
        scores = np.where(np.arange(total) <= np.arange(queries)[:, None] + past, scores, -np.inf)
    results = [joined(softmax(scores) @ v4)] + ([k4, v4] if past or form == "" else [])
    open_sizes = {} if added or mask and past else opened
    if form == "packed":
        open_sizes = {(0, 0): "batch", (0, 1): "queries"}
    model.add(name, "MultiHeadAttention", operands, results, {"num_heads": heads, "unidirectional": causal}, opened=open_sizes)


def group_query(model, name, batch=2, queries=1, heads=4, shared=2, width=16, past=6, last=None, keeps=False, packed=False, rotary=0, interleaved=0, window=-1,
                softcap=0.0, scale=0.0, added=None, given_positions=False):
    """`last` is the last key of each sequence; `rotary` how many pairs are turned."""
    total = past if keeps else past + queries
    last = [total - 1] * batch if last is None else last
    q, k, v = drawn(batch, queries, heads * width), drawn(batch, queries, shared * width), drawn(batch, queries, shared * width)
    keys, values = drawn(batch, shared, past, width), drawn(batch, shared, past, width)
    q4, k4, v4 = heads_of(q, heads), heads_of(k, shared), heads_of(v, shared)
    before = np.array([max(number + 1 - queries, 0) for number in last])
    cosines, sines = (drawn(40, rotary), drawn(40, rotary)) if rotary else (None, None)
    positions = before[:, None] + np.arange(queries) + (3 if given_positions else 0)
    if rotary:
        q4, k4 = (turned(x, cosines, sines, positions, interleaved) for x in (q4, k4))
    all_keys, all_values = (np.concatenate([old, new] if not keeps else [old], 2).astype(np.float64) for old, new in ((keys, k4), (values, v4)))
    mixed, bias = np.zeros((batch, heads, queries, width)), drawn(*added) if added else np.zeros((1, 1, queries, total))
    for b in range(batch):
        all_keys[b, :, before[b]:before[b] + queries], all_values[b, :, before[b]:before[b] + queries] = k4[b], v4[b]
        for h in range(heads):
            for s in range(queries):
                end = before[b] + s + 1
                seen = slice(max(0, end - window) if window > 0 else 0, end)
                score = all_keys[b, h * shared // heads, seen] @ q4[b, h, s] * (scale or 1 / np.sqrt(width))
                score = softcap * np.tanh(score / softcap) if softcap else score
                mixed[b, h, s] = softmax(score + bias[b % len(bias), h % bias.shape[1], s, seen]) @ all_values[b, h * shared // heads, seen]
    rows = [np.concatenate([q, k, v], 2), None, None] if packed else [q, k, v]
    operands = [*rows, keys if past else None, values if past else None, np.array(last, np.int32), np.array(total, np.int32), cosines, sines,
                positions.astype(np.int64) if given_positions else None, bias if added else None]
    attributes = {"num_heads": heads, "kv_num_heads": shared, "do_rotary": int(rotary > 0), "rotary_interleaved": interleaved, "local_window_size": window}
    attributes |= ({"softcap": softcap} if softcap else {}) | ({"scale": scale} if scale else {})
    length = "cache" if keeps else "past"
    opened = {(0, 0): "batch", (1, 0): "batch", (2, 0): "batch", (3, 0): "batch", (4, 0): "batch", (5, 0): "batch", (0, 1): "queries", (1, 1): "queries",
              (2, 1): "queries", (3, 2): length, (4, 2): length, (9, 0): "batch", (9, 1): "queries"}
    model.add(name, "GroupQueryAttention", operands, [joined(mixed), all_keys, all_values], attributes, opened={} if added or batch == 1 and not past else opened,
              keeps={1: 3, 2: 4} if keeps else {})


def cached(model, name, batch, queries, cache, before, left=-1, is_one=False):
    """TensorScatter writes rows, Attention reads them and what was there before; `is_one`: its count is for all sequences."""
    heads, width = 2, 8
    keys, values, q, k, v = (drawn(batch, heads, length, width) for length in (cache, cache, queries, queries, queries))
    at, counts = np.array(before), np.array(before) + queries
    after = [keys.copy(), values.copy()]
    mixed = np.zeros((batch, heads, queries, width))
    for b in range(batch):
        after[0][b, :, at[b]:counts[b]], after[1][b, :, at[b]:counts[b]] = k[b], v[b]
        for s in range(queries):
            seen = slice(max(0, at[b] + s - left) if left >= 0 else 0, at[b] + s + 1)
            scores = np.einsum("hw,hkw->hk", q[b, :, s].astype(np.float64), after[0][b, :, seen]) / np.sqrt(width)
            mixed[b, :, s] = np.einsum("hk,hkw->hw", softmax(scores), after[1][b, :, seen])
    sizes = {(i, 0): "batch" for i in range(3)}
    for i, (old, new) in enumerate(((keys, k), (values, v))):
        model.add(f"{name}{'kv'[i]}", "TensorScatter", [old, new, at], [after[i]], {}, "", {**sizes, (0, 2): "cache", (1, 2): "queries"})
    attributes = {"is_causal": 1} | ({"left_window_size": left} if left >= 0 else {})
    model.add(name, "Attention", [q, *after, None, None, None, counts[:1] if is_one else counts], [mixed], attributes, "",
              {(0, 0): "batch", (0, 2): "queries", (1, 0): "batch", (1, 2): "cache", (2, 0): "batch", (2, 2): "cache", **({} if is_one else {(6, 0): "batch"})})


def fill(model):
    multi_head(model, "m1")
    multi_head(model, "m2", wide=5, bias=True)
    multi_head(model, "m3", batch=3, mask="numbers", form="split keys")
    multi_head(model, "m4", mask="keys", bias=True)
    multi_head(model, "m5", mask="queries", added=(2, 3, 5, 7))
    multi_head(model, "m6", mask="queries", added=(1, 1, 5, 7))
    multi_head(model, "m7", queries=2, keys=2, past=6, causal=1)
    multi_head(model, "m8", queries=1, keys=1, past=9, mask="keys", bias=True)
    multi_head(model, "m9", queries=6, keys=6, form="packed")
    multi_head(model, "m10", form="packed keys")
    group_query(model, "g1", queries=5, past=0)
    group_query(model, "g2", last=[6, 4], rotary=8, keeps=True, past=40)
    group_query(model, "g3", queries=3, packed=True, rotary=8, interleaved=1)
    group_query(model, "g4", queries=3, rotary=4, given_positions=True)
    group_query(model, "g5", queries=9, window=4, softcap=1.5, scale=0.4)
    group_query(model, "g6", queries=3, added=(2, 4, 3, 9), heads=4, shared=1)
    group_query(model, "g7", batch=3, queries=5, past=44, keeps=True, last=[4, 30, 12])
    cached(model, "c1", 2, 1, 40, [39, 0])
    cached(model, "c2", 3, 4, 48, [0, 7, 44], left=5)
    cached(model, "c3", 3, 1, 48, [20, 20, 20], is_one=True)
    cached(model, "c4", 2, 5, 48, [9, 9], left=7, is_one=True)


def refusals(folder):
    """What is refused, and how."""
    q, keys = ("q", [2, 3, 32]), ("past", [2, 2, 6, 16])
    group = [q, ("k", [2, 3, 32]), ("v", [2, 3, 32]), keys, ("values", keys[1]), ("last", [2]), ("total", [])]
    head = [q, ("k", [2, 3, 32]), ("v", [2, 3, 32])]
    some = {"num_heads": 2, "kv_num_heads": 2}
    cases = [
        ("GroupQueryAttention", group, {**some, "smooth_softmax": 1}, 3, "its softmax has a score of no key"),
        ("GroupQueryAttention", group, {**some, "num_heads": 0}, 3, "num_heads and kv_num_heads must be at least 1"),
        ("GroupQueryAttention", group, {**some, "k_quant_type": "PER_TENSOR"}, 3, "its cache is quantized"),
        ("GroupQueryAttention", group, some, 4, "its scores are read"),
        ("GroupQueryAttention", [*group[:4], None, *group[5:]], some, 3, "past_key and past_value come together"),
        ("GroupQueryAttention", [q, None, *group[2:]], some, 3, "expected queries, keys and values of [batch, length, heads * width]"),
        ("GroupQueryAttention", group, {**some, "num_heads": 5}, 3, "the last dimension of its queries is no multiple of 5 heads"),
        ("GroupQueryAttention", group, {**some, "do_rotary": 1}, 3, "it rotates without caches of cosines and sines"),
        ("MultiHeadAttention", head, {}, 1, "num_heads must be at least 1"),
        ("MultiHeadAttention", [*head, *[None] * 5, ("one", [1])], {"num_heads": 2}, 1, "it reads a cache that is shared with its result"),
        ("MultiHeadAttention", head, {"num_heads": 2}, 4, "its scores are read"),
        ("MultiHeadAttention", [("q", [2, 3, 2, 3, 16]), *head[1:]], {"num_heads": 2}, 1, "keys or values are there twice"),
        ("MultiHeadAttention", [q], {"num_heads": 2}, 1, "its queries, keys and values are packed in another form than"),
        ("MultiHeadAttention", [q, ("k", [2, 3, 2, 2, 16]), head[2]], {"num_heads": 2}, 1, "values are there twice"),
        ("MultiHeadAttention", head[:2], {"num_heads": 2}, 1, "it has keys without values"),
        ("MultiHeadAttention", [q, ("k", [2, 2, 3, 16]), ("v", [2, 2, 3, 16]), ("bias", [96])], {"num_heads": 2}, 1, "it adds a bias to keys that are split into heads"),
        ("MultiHeadAttention", [*head, None, ("last", [2])], {"num_heads": 2, "unidirectional": 1}, 1, "it has numbers of keys, and a past or an order of queries"),
        ("MultiHeadAttention", [*head, None, ("last", [8])], {"num_heads": 2}, 1, "its key_padding_mask is i32[8]"),
        ("MultiHeadAttention", [*head, None, ("last", [2, 2])], {"num_heads": 2}, 1, "its key_padding_mask, i32[2, 2], has not all 3 keys"),
    ]
    problems = 0
    for i, (op, operands, attributes, results, message) in enumerate(cases):
        inputs = [helper.make_tensor_value_info(name, T.INT32 if name in ("last", "total", "one") else T.FLOAT, shape) for name, shape in filter(None, operands)]
        outputs = [f"y{i}" for i in range(results)]
        node = helper.make_node(op, [operand[0] if operand else "" for operand in operands], outputs, domain="com.microsoft", **attributes)
        graph = helper.make_graph([node], "g", inputs, [helper.make_tensor_value_info(name, T.FLOAT, None) for name in outputs])
        path = folder / f"refused{i}.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]), str(path))
        run = subprocess.run([KGEN, "check", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode != 1 or message not in run.stdout:
            print(f"{op} {attributes}: expected '{message}', found {run.returncode} {run.stdout}")
            problems += 1
    print(f"{len(cases)} refusals, {problems} otherwise than expected")
    return problems == 0


def main():
    good = True
    for is_open in (False, True):
        model = Model(is_open)
        fill(model)
        good &= model.verify(FOLDER / ("open" if is_open else "fixed"))
    sys.exit(0 if refusals(FOLDER) and good else 1)


main()
