"""Decoders of two layers as exporters write them, with their caches as state: decoders.py KGEN FOLDER CC [--all]

One with products, Concat and a mask that is computed from sizes; one with GroupQueryAttention, whose lengths are sums of the mask, with caches that grow and with
caches of a constant length; one with MultiHeadAttention and rows of a square mask. `kgen check` proposes the states, its command is what is
run; the results are the bits of the model with inputs and outputs, and what numpy computes in double, over a prefill and a hundred words.
One of the models each day, with --all all of them.
"""
import json
import shlex
import subprocess
import sys
from pathlib import Path

try:
    import numpy as np
    import onnx
    from onnx import TensorProto as T
    from onnx import helper, numpy_helper
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy, python3-onnx)")
    sys.exit(77)

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "lib")]
import share
from state_library import Library, imported, is_all_state, is_same_but, run_cases

KGEN, FOLDER, CC = sys.argv[1], Path(sys.argv[2]).resolve(), sys.argv[3]
LAYERS, WIDTH, HEADS, SHARED, SIZE, INNER, WORDS, LONGEST = 2, 32, 4, 2, 8, 48, 29, 120
EPSILON = 1e-5


def weights():
    random = np.random.default_rng(3)
    made = {"embedding": random.standard_normal((WORDS, WIDTH)), "head": random.standard_normal((WIDTH, WORDS)) / 6, "norm": random.uniform(0.5, 1.5, WIDTH)}
    for layer in range(LAYERS):
        for name, rows, columns in (("q", WIDTH, HEADS * SIZE), ("k", WIDTH, SHARED * SIZE), ("v", WIDTH, SHARED * SIZE), ("o", HEADS * SIZE, WIDTH), ("allk", WIDTH, HEADS * SIZE), ("allv", WIDTH, HEADS * SIZE),
                                    ("gate", WIDTH, INNER), ("up", WIDTH, INNER), ("down", INNER, WIDTH)):
            made[f"{name}{layer}"] = random.standard_normal((rows, columns)) / np.sqrt(rows)
        made[f"before{layer}"], made[f"after{layer}"] = random.uniform(0.5, 1.5, (2, WIDTH))
    frequencies = 1 / 10000 ** (np.arange(0, SIZE, 2) / SIZE)
    angles = np.arange(LONGEST)[:, None] * frequencies
    made.update(frequencies=frequencies[None, :, None], cosines=np.cos(angles), sines=np.sin(angles))
    return {name: value.astype(np.float32) for name, value in made.items()}


WEIGHTS = weights()


class Graph:
    """Nodes, with names of results made up as they come."""

    def __init__(self, used):
        self.nodes, self.constants = [], {name: WEIGHTS[name] for name in used}

    def add(self, op, *inputs, result=None, count=1, domain="", **attributes):
        names = [f"/{op}_{len(self.nodes)}_output_{i}" for i in range(count)]
        if result:
            names[0] = result
        named = [self.constant(value) if isinstance(value, (list, int, float)) else value for value in inputs]
        self.nodes.append(helper.make_node(op, named, names, domain=domain, **attributes))
        return names if count > 1 else names[0]

    def constant(self, value):
        name = f"/Constant_{len(self.constants)}"
        self.constants[name] = np.array(value, np.float32 if isinstance(value, float) else np.int64)
        return name

    def save(self, path, inputs, outputs):
        graph = helper.make_graph(self.nodes, "main_graph", inputs, outputs, [numpy_helper.from_array(value, name) for name, value in self.constants.items()])
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), str(path))


def infos(total, shared=SHARED):
    """Inputs and outputs that all have; `total` is what the exporter calls the length with the words of the call."""
    B, N, P = "batch_size", "sequence_length", "past_sequence_length"
    tensor = helper.make_tensor_value_info
    inputs = [tensor("input_ids", T.INT64, [B, N]), tensor("attention_mask", T.INT64, [B, total])]
    outputs = [tensor("logits", T.FLOAT, [B, N, WORDS])]
    for layer in range(LAYERS):
        for kind in ("key", "value"):
            inputs.append(tensor(f"past_key_values.{layer}.{kind}", T.FLOAT, [B, shared, P, SIZE]))
            outputs.append(tensor(f"present.{layer}.{kind}", T.FLOAT, [B, shared, total, SIZE]))
    return inputs, outputs


def decomposed(path):
    """Decomposed, with position_ids as an input."""
    g = Graph([name for name in WEIGHTS if name not in ("cosines", "sines") and not name.startswith("all")])
    size = lambda of, axis: g.add("Gather", g.add("Shape", of), axis, axis=0)
    listed = lambda *sizes: g.add("Concat", *(value if isinstance(value, list) else g.add("Unsqueeze", value, [0]) for value in sizes), axis=0)
    n, past = size("input_ids", 1), size("past_key_values.0.key", 2)
    b, total = size("input_ids", 0), g.add("Add", past, n)
    x = g.add("Gather", "embedding", "input_ids", axis=0)
    # The causal mask, with what attention_mask hides.
    lowest = float(np.finfo(np.float32).min)
    own = g.add("Reshape", g.add("Range", past, total, 1), [-1, 1])
    later = g.add("Greater", g.add("Range", 0, total, 1), own)
    causal = g.add("Unsqueeze", g.add("Where", later, lowest, 0.0), [0, 1])
    causal = g.add("Expand", causal, listed(b, [1], n, total))
    padding = g.add("Cast", g.add("Unsqueeze", "attention_mask", [1, 2]), to=T.FLOAT)
    mask = g.add("Where", g.add("Equal", g.add("Add", causal, padding), 0.0), lowest, causal)
    # Angles of positions.
    shape = listed(b, [-1], [1])
    shape = g.add("Where", g.add("Equal", shape, [-1, -1, -1]), [1, 1, 1], shape)
    expanded = g.add("Expand", "frequencies", shape)
    places = g.add("Cast", g.add("Unsqueeze", "position_ids", [1]), to=T.FLOAT)
    angles = g.add("Transpose", g.add("MatMul", expanded, places), perm=[0, 2, 1])
    angles = g.add("Concat", angles, angles, axis=-1)
    cosines, sines = (g.add("Unsqueeze", g.add(op, angles), [1]) for op in ("Cos", "Sin"))

    def norm(x, weight):
        root = g.add("Sqrt", g.add("Add", g.add("ReduceMean", g.add("Pow", x, 2.0), [-1], keepdims=1), EPSILON))
        return g.add("Mul", weight, g.add("Mul", x, g.add("Div", 1.0, root)))

    def heads(x, count):
        return g.add("Transpose", g.add("Reshape", x, listed(b, n, [count], [SIZE])), perm=[0, 2, 1, 3])

    def turned(x):
        first, second = g.add("Slice", x, [0], [SIZE // 2], [3], [1]), g.add("Slice", x, [SIZE // 2], [2 ** 63 - 1], [3], [1])
        return g.add("Add", g.add("Mul", x, cosines), g.add("Mul", g.add("Concat", g.add("Neg", second), first, axis=-1), sines))

    def repeated(x):
        shape = listed(b, [SHARED], [HEADS // SHARED], total, [SIZE])
        return g.add("Reshape", g.add("Expand", g.add("Unsqueeze", x, [2]), shape), listed(b, [HEADS], total, [SIZE]))

    for layer in range(LAYERS):
        y = norm(x, f"before{layer}")
        q, k, v = (heads(g.add("MatMul", y, f"{name}{layer}"), count) for name, count in (("q", HEADS), ("k", SHARED), ("v", SHARED)))
        q, k = turned(q), turned(k)
        k = g.add("Concat", f"past_key_values.{layer}.key", k, axis=2, result=f"present.{layer}.key")
        v = g.add("Concat", f"past_key_values.{layer}.value", v, axis=2, result=f"present.{layer}.value")
        k, v = repeated(k), repeated(v)
        scores = g.add("Div", g.add("MatMul", q, g.add("Transpose", k, perm=[0, 1, 3, 2])), float(np.sqrt(SIZE)))
        mixed = g.add("MatMul", g.add("Softmax", g.add("Add", scores, mask), axis=-1), v)
        rows = g.add("Reshape", g.add("Transpose", mixed, perm=[0, 2, 1, 3]), listed(b, n, [HEADS * SIZE]))
        x = g.add("Add", x, g.add("MatMul", rows, f"o{layer}"))
        y = norm(x, f"after{layer}")
        gate = g.add("MatMul", y, f"gate{layer}")
        y = g.add("Mul", g.add("Mul", gate, g.add("Sigmoid", gate)), g.add("MatMul", y, f"up{layer}"))
        x = g.add("Add", x, g.add("MatMul", y, f"down{layer}"))
    g.add("MatMul", norm(x, "norm"), "head", result="logits")
    inputs, outputs = infos("past_sequence_length + sequence_length")
    inputs.insert(2, helper.make_tensor_value_info("position_ids", T.INT64, ["batch_size", "sequence_length"]))
    g.save(path, inputs, outputs)


def layers(g, keys, attend):
    """The layers, with operators of com.microsoft; `attend` adds one of them."""
    x = g.add("Gather", "embedding", "input_ids")
    y = g.add("SimplifiedLayerNormalization", x, "before0", axis=-1, epsilon=EPSILON, stash_type=1)
    for layer in range(LAYERS):
        operands = [g.add("MatMul", y, f"{name}{layer}") for name in keys]
        names = attend(operands, [f"past_key_values.{layer}.{kind}" for kind in ("key", "value")])
        g.nodes[-1].output[1:] = [f"present.{layer}.{kind}" for kind in ("key", "value")]
        skip = lambda x, y, weight: g.add("SkipSimplifiedLayerNormalization", x, y, weight, domain="com.microsoft", count=4, epsilon=EPSILON)[::3]
        y, x = skip(x, g.add("MatMul", names[0], f"o{layer}"), f"after{layer}")
        gate = g.add("MatMul", y, f"gate{layer}")
        y = g.add("Mul", g.add("Mul", gate, g.add("Sigmoid", gate)), g.add("MatMul", y, f"up{layer}"))
        y, x = skip(x, g.add("MatMul", y, f"down{layer}"), f"before{layer + 1}" if layer + 1 < LAYERS else "norm")
    for node in g.nodes:
        for i in (1, 2) if node.op_type == "SkipSimplifiedLayerNormalization" else ():
            node.output[i] = ""
    g.add("MatMul", y, "head", result="logits")


def grouped(path):
    """GroupQueryAttention, by the sum of attention_mask."""
    g = Graph([name for name in WEIGHTS if name != "frequencies" and not name.startswith("all")])
    total = g.add("Cast", g.add("Gather", g.add("Shape", "attention_mask"), 1, axis=0), to=T.INT32)
    last = g.add("Cast", g.add("Sub", g.add("ReduceSum", "attention_mask", [1]), [1]), to=T.INT32)
    layers(g, "qkv", lambda operands, caches: g.add(
        "GroupQueryAttention", *operands, *caches, last, total, "cosines", "sines", domain="com.microsoft", count=3, num_heads=HEADS, kv_num_heads=SHARED,
        scale=float(SIZE ** -0.5), local_window_size=-1, softcap=0.0, do_rotary=1, rotary_interleaved=0))
    g.save(path, *infos("total_sequence_length"))


def multi_head(path):
    """MultiHeadAttention with a mask that is added: the last rows of one of all positions."""
    g = Graph([name for name in WEIGHTS if name != "frequencies" and name[0] not in "kv"])
    lowest = float(np.finfo(np.float32).min)
    size = lambda of, axis: g.add("Gather", g.add("Shape", of), axis, axis=0)
    one = lambda size: g.add("Unsqueeze", size, [0])
    b, past = size("input_ids", 0), size("past_key_values.0.key", 2)
    total = g.add("Add", past, size("input_ids", 1))
    square = g.add("ConstantOfShape", g.add("Concat", one(total), one(total), axis=0), value=numpy_helper.from_array(np.array([lowest], np.float32)))
    length = g.add("Squeeze", g.add("Slice", g.add("Shape", square), [-1], [2 ** 31], [0], [1]), [0])
    places = g.add("Range", 0, length, 1)
    is_seen = g.add("Less", places, g.add("Reshape", g.add("Add", places, 1), g.add("Concat", one(length), [1], axis=0)))
    whole = g.add("Concat", one(b), [1], one(total), one(total), axis=0)
    causal = g.add("Expand", g.add("Unsqueeze", g.add("Where", is_seen, 0.0, square), [0, 1]), whole)
    hidden = g.add("Sub", 1.0, g.add("Cast", g.add("Expand", g.add("Unsqueeze", "attention_mask", [1, 2]), whole), to=T.FLOAT))
    mask = g.add("Slice", g.add("Where", g.add("Cast", hidden, to=T.BOOL), lowest, causal), one(past), one(total), [2], [1])

    def attend(operands, caches):
        q, k = (g.add("RotaryEmbedding", x, "position_ids", "cosines", "sines", domain="com.microsoft") for x in operands[:2])
        return g.add("MultiHeadAttention", q, k, operands[2], "", "", mask, *caches, domain="com.microsoft", count=3, num_heads=HEADS)

    layers(g, ("q", "allk", "allv"), attend)
    inputs, outputs = infos("total_sequence_length", HEADS)
    inputs.insert(2, helper.make_tensor_value_info("position_ids", T.INT64, ["batch_size", "sequence_length"]))
    g.save(path, inputs, outputs)


class Expected:
    """The decoder in double, with its own caches."""

    def __init__(self, batch, shared):
        self.shared, self.keys = shared, "qkv" if shared == SHARED else ("q", "allk", "allv")
        self.caches = np.zeros((LAYERS, 2, batch, shared, 0, SIZE))

    def logits(self, words):
        w = {name: value.astype(np.float64) for name, value in WEIGHTS.items()}
        batch, n = words.shape
        past = self.caches.shape[4]
        places = past + np.arange(n)
        angles = places[:, None] * w["frequencies"][0].T
        norm = lambda x, weight: weight * x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON)

        def turned(x):
            first, second = x[..., :SIZE // 2], x[..., SIZE // 2:]
            return np.concatenate([first * np.cos(angles) - second * np.sin(angles), first * np.sin(angles) + second * np.cos(angles)], -1)

        x, grown = w["embedding"][words], []
        for layer in range(LAYERS):
            y = norm(x, w[f"before{layer}"])
            q, k, v = ((y @ w[f"{name}{layer}"]).reshape(batch, n, -1, SIZE).transpose(0, 2, 1, 3) for name in self.keys)
            k, v = (np.concatenate([old, new], 2) for old, new in zip(self.caches[layer], (turned(k), v)))
            grown.append([k, v])
            k, v = (np.repeat(x, HEADS // self.shared, 1) for x in (k, v))
            scores = turned(q) @ k.transpose(0, 1, 3, 2) / np.sqrt(SIZE)
            scores = np.where(np.arange(past + n) <= places[:, None], scores, -np.inf)
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            mixed = (shares / shares.sum(-1, keepdims=True)) @ v
            x = x + mixed.transpose(0, 2, 1, 3).reshape(batch, n, -1) @ w[f"o{layer}"]
            y = norm(x, w[f"after{layer}"])
            gate = y @ w[f"gate{layer}"]
            x = x + (gate / (1 + np.exp(-gate)) * (y @ w[f"up{layer}"])) @ w[f"down{layer}"]
        self.caches = np.array(grown)
        return norm(x, w["norm"]) @ w["head"]


def proposed(path, *options):
    """The command that kgen check prints, with a pair for each cache."""
    run = subprocess.run([KGEN, "check", path, *options, "--json"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert run.returncode == 0, run.stdout
    command = json.loads(run.stdout)["import"]
    pairs = [f"past_key_values.{layer}.{kind}=present.{layer}.{kind}" for layer in range(LAYERS) for kind in ("key", "value")]
    assert all(f"--state {pair}" in command for pair in pairs), command
    return shlex.split(command)


def check(name, write, batch, options, keeps=False, shared=SHARED):
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "decoder.onnx"
    write(path)
    command = [KGEN, *proposed(path, *options)[1:], "--library", "kept", "-o", folder / "kept", "-q", "--force"]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert run.returncode == 0, run.stdout
    kept = Library(KGEN, CC, folder / "kept" / "kept.yaml")
    plain = Library(KGEN, CC, imported(KGEN, path, folder / "plain", "plain", *options))
    random = np.random.default_rng(7)
    capacity = LONGEST if keeps else 0
    for number, variant in enumerate(kept.variants()):
        for threads in (1, 2, 3):
            kept.use(variant, threads)
            plain.use(variant, 1)
            expected, block, past = Expected(batch, shared), kept.block(batch_size=batch), 0
            caches = {f"past_key_values.{layer}.{kind}": np.zeros((batch, shared, capacity, SIZE), np.float32) for layer in range(LAYERS) for kind in ("key", "value")}
            for call, n in enumerate([7, 1, 1, 3, *[1] * 97]):
                if (number or threads > 1) and call > 12:
                    break
                words = random.integers(0, WORDS, (batch, n))
                total = past + n
                sizes = {"batch_size": batch, "sequence_length": n, "past_sequence_length": past, "total_sequence_length": total}
                given = {"input_ids": words, "attention_mask": np.ones((batch, total), np.int64), "position_ids": np.tile(np.arange(past, total), (batch, 1))}
                before = block.copy()
                found, wanted = kept.call(sizes, given, block), plain.call(sizes, {**given, **caches})
                where = f"{variant}, {threads} threads, call {call}"
                logits = expected.logits(words)
                assert abs(found["logits"] - logits).max() < 1e-4 * abs(logits).max(), f"{where}: {abs(found['logits'] - logits).max()} from numpy"
                assert found["logits"].tobytes() == wanted["logits"].tobytes(), f"{where}: other bits than with inputs and outputs"
                caches = {cache: wanted[cache.replace("past_key_values", "present")] for cache in caches}
                for cache, value in caches.items():
                    is_same_but(kept, block, before, cache, past, total, where, sizes)
                    now = kept.state(block, cache, **sizes)[:, :, :total]
                    assert now.tobytes() == value[:, :, :total].tobytes(), f"{where}: {cache} has other bits"
                is_all_state(kept, block, before, where, sizes)
                past = total
    kept.check_copies(4 * batch * shared * 8 * SIZE)


def main():
    grown = ["--dim", "sequence_length=1..8", "--dim", f"past_sequence_length=0..{LONGEST - 8}"]
    cases = [("decomposed", decomposed, 1, ["--dim", "batch_size=1", *grown]), ("decomposed-open", decomposed, 2, ["--dim", "batch_size=1..2", *grown]),
             ("grouped", grouped, 1, ["--dim", "batch_size=1", *grown, "--dim", "total_sequence_length=past_sequence_length+sequence_length"]),
             ("grouped-open", grouped, 2, ["--dim", "batch_size=1..2", *grown, "--dim", f"total_sequence_length=1..{LONGEST}"]),
             ("grouped-shared", grouped, 2, ["--dim", "batch_size=2", "--dim", "sequence_length=1..8", "--dim", f"past_sequence_length={LONGEST}",
                                         "--dim", f"total_sequence_length=1..{LONGEST}"], True),
             ("multi-head-open", multi_head, 2, ["--dim", "batch_size=1..2", *grown, "--dim", "total_sequence_length=past_sequence_length+sequence_length"], False, HEADS)]
    run_cases(cases if "--all" in sys.argv else share.today(len(cases), cases), check)


main()
