#!/usr/bin/env python3
"""What kgen takes for long graphs, which must grow no faster than these do.

usage: long_chains.py KGEN FOLDER [--full] [--only KIND] [--nodes N] [--command generate|explain|verify] [--open]

The short form takes each kind of graphs but Concat and Loop with 500 and with 1,000 nodes, or fewer: the CPU time, less that of a graph of one node, may grow by
3.2 times at most (4 is quadratic). The long form takes 2,500 and 5,000 nodes, with fixed sizes and with one open, by `generate`, `explain` and
`verify`: at most 2.2 times, 30 s and 1 GB. Times are CPU seconds of the process, the least of up to three if one seems to be too much.
What `verify` compares with is numpy's (Debian: python3-numpy); without it, it is left out.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

try:
    import numpy as np
except ImportError:
    np = None

TARGET = "x86-64-v3"
SHORT, LONG = (500, 1000), (2500, 5000)
# Loops are unrolled, of at most 4,096 iterations.
LONG_OF = {"loop": (1000, 2000)}
# Of kinds whose nodes take longer than those of others.
SHORT_OF = {"tanh": (300, 600), "convolutions": (150, 300)}
# Below 8,192 operations a function is not split, and LLVM takes quadratic time for its loops.
ONLY_LONG = ["concat", "loop"]
TURNS = 3
SHORT_GROWTH, LONG_GROWTH = 3.2, 2.2
MAX_SECONDS, MAX_BYTES = 30, 1 << 30
# Below this many CPU seconds, a difference of two runs is noise.
MIN_SECONDS = 0.2


def convolved(x, w):
    """3 x 3, with one row and column of zeros around x."""
    padded, (height, width) = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), x.shape[2:]
    return sum(np.einsum("nchw,oc->nohw", padded[:, :, i:i + height, j:j + width], w[:, :, i, j]) for i in range(3) for j in range(3))


OPERATORS = {} if np is None else {
    "Tanh": np.tanh, "Neg": np.negative, "Abs": np.abs, "Add": np.add, "Mul": np.multiply, "MatMul": np.matmul, "Conv": convolved,
    "Concat": lambda *parts: np.concatenate(parts, 1),
    "QuantizeLinear": lambda x, scale, zero: np.clip(np.round(x / scale) + zero, 0, 255),
    "DequantizeLinear": lambda x, scale, zero: (x - zero) * scale,
}


class Graph:
    """A graph of a spec; a node is written as it is added. With numpy, `values` are what its values are."""

    def __init__(self, shape, is_open):
        self.is_open, self.nodes, self.weights, self.files, self.count = is_open, [], {}, {}, 0
        self.values = {} if np is None else {"x": np.random.default_rng(1).standard_normal(shape).astype(np.float32).astype(np.float64)}
        sizes = ["n" if is_open else str(shape[0])] + [str(size) for size in shape[1:]]
        self.inputs = {"x": f"f32[{', '.join(sizes)}]"}
        self.rows = shape[0]

    def weight(self, name, kind, number):
        self.weights[name] = f'{{type: "{kind}", value: {number}}}'
        self.values[name] = number
        return name

    def random_weight(self, name, shape):
        """Kgen's numbers; where there is numpy, those of a file. Products are small; convolutions hand each channel to the next one, so that values grow
        in no chain."""
        size = f"f32[{', '.join(map(str, shape))}]"
        if np is not None and name not in self.values:
            array = (np.random.default_rng(2).standard_normal(shape) / 8).astype(np.float32)
            if len(shape) == 4:
                array = np.zeros(shape, np.float32)
                array[range(shape[0]), np.roll(range(shape[1]), 1), 1, 1] = 1
            self.files[f"{name}.npy"] = array
            self.values[name] = array.astype(np.float64)
        self.weights[name] = f'{{type: "{size}", ' + (f"file: {name}.npy}}" if np is not None else "random: {seed: 1}}")
        return name

    def node(self, op, *inputs, **attributes):
        name = f"v{self.count}"
        self.count += 1
        shown = ", ".join(f"{key}: {value}" for key, value in attributes.items())
        tail = f", attributes: {{{shown}}}" if attributes else ""
        self.nodes.append(f"      - {{name: {name}, op: {op}, inputs: [{', '.join(inputs)}]{tail}}}\n")
        if np is not None:
            self.values[name] = OPERATORS[op](*[self.values[value] for value in inputs])
        return name

    def text(self, outputs):
        dims = f"    dims: {{n: {{max: {4 * self.rows}}}}}\n" if self.is_open else ""
        inputs = "".join(f'      {name}: "{kind}"\n' for name, kind in self.inputs.items())
        weights = "".join(f"      {name}: {text}\n" for name, text in self.weights.items())
        return (f"library: chain\ntargets: [{TARGET}]\ngraphs:\n  - name: g\n{dims}    inputs:\n{inputs}"
                + (f"    weights:\n{weights}" if weights else "") + f"    nodes:\n{''.join(self.nodes)}"
                f"    outputs: [{', '.join(outputs)}]\n")


def chain(step, shape=(4, 8)):
    """A kind of graph whose every node is `step(graph, value, number)`."""

    def make(nodes, is_open):
        graph = Graph(shape, is_open)
        graph.result = "x"
        while graph.count < nodes:
            graph.result = step(graph, graph.result, graph.count)
        return graph

    return make


def half(graph):
    return graph.weight("half", "f32[1]", 0.5)


def ladder(nodes, is_open):
    """Each second value is read twice, as residuals are."""
    graph = Graph((4, 8), is_open)
    before, last = "x", "x"
    for i in range(nodes):
        before, last = last, graph.node("Tanh", last) if i % 2 else graph.node("Add", last, before)
    graph.result = last
    return graph


def tree(nodes, is_open):
    """Sums of pairs of sums, of scaled inputs."""
    graph = Graph((4, 8), is_open)
    values = [graph.node("Mul", "x", graph.weight(f"w{i}", "f32[1]", 1 + i / 8)) for i in range((nodes + 1) // 2)]
    while len(values) > 1:
        pairs = [graph.node("Add", *values[i : i + 2]) for i in range(0, len(values) - 1, 2)]
        values = pairs + values[len(values) - len(values) % 2 :]
    graph.result = values[0]
    return graph


def concat(nodes, is_open):
    """A result of many parts, each computed."""
    graph = Graph((4, 8), is_open)
    parts = [graph.node("Mul", "x", graph.weight(f"w{i}", "f32[1]", 1 + i / 8)) for i in range(nodes // 2)]
    graph.result = graph.node("Concat", *parts, axis=1)
    return graph


def product(graph, value, number):
    if number % 2:
        return graph.node("Tanh", value)
    return graph.node("MatMul", value, graph.random_weight("w", (8, 8)))


def convolution(graph, value, number):
    return graph.node("Conv", value, graph.random_weight("k", (8, 8, 3, 3)), pads="[1, 1, 1, 1]")


def quantized(graph, value, number):
    scale = graph.weight("scale", "f32[]", 0.0078125)
    zero = graph.weight("zero", "u8[]", 128)
    return graph.node("DequantizeLinear", graph.node("QuantizeLinear", value, scale, zero), scale, zero)


KINDS = {
    "tanh": chain(lambda graph, value, number: graph.node("Tanh", value)),
    "muladd": chain(lambda graph, value, number: graph.node("Add" if number % 2 else "Mul", value, "x" if number % 2 else half(graph))),
    "constants": chain(lambda graph, value, number: graph.node("Add" if number % 2 else "Mul", value, half(graph))),
    "negabs": chain(lambda graph, value, number: graph.node("Abs" if number % 2 else "Neg", value)),
    "ladder": ladder,
    "tree": tree,
    "products": chain(product),
    "convolutions": chain(convolution, (1, 8, 6, 6)),
    "concat": concat,
    "quantized": chain(quantized),
}


def loop(folder, iterations, is_open):
    """A model whose Loop the import writes out; its path, or none without python3-onnx."""
    try:
        import onnx
        from onnx import TensorProto, helper
    except ImportError:
        return None
    size = ["n" if is_open else 4, 8]
    body = helper.make_graph(
        [helper.make_node("Tanh", ["before"], ["after"]), helper.make_node("Identity", ["more"], ["again"])], "body",
        [helper.make_tensor_value_info("number", TensorProto.INT64, []), helper.make_tensor_value_info("more", TensorProto.BOOL, []),
         helper.make_tensor_value_info("before", TensorProto.FLOAT, size)],
        [helper.make_tensor_value_info("again", TensorProto.BOOL, []), helper.make_tensor_value_info("after", TensorProto.FLOAT, size)])
    graph = helper.make_graph(
        [helper.make_node("Loop", ["count", "yes", "x"], ["y"], body=body)], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, size)], [helper.make_tensor_value_info("y", TensorProto.FLOAT, size)],
        [helper.make_tensor("count", TensorProto.INT64, [], [iterations]), helper.make_tensor("yes", TensorProto.BOOL, [], [True])])
    path = folder / f"loop_{iterations}.onnx"
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, path)
    if np is not None:
        x = y = np.random.default_rng(1).standard_normal((4, 8)).astype(np.float32)
        for _ in range(iterations):
            y = np.tanh(y)
        np.savez(path.with_suffix(".npz"), x=x, y=y)
    return path


def source(folder, kind, nodes, is_open):
    """The file of a graph, or none if it cannot be made here."""
    if kind == "loop":
        return loop(folder, nodes, is_open)
    path = folder / f"{kind}_{nodes}.yaml"
    graph = KINDS[kind](nodes, is_open)
    path.write_text(graph.text([graph.result]))
    if np is not None:
        for name, array in graph.files.items():
            np.save(folder / name, array)
        np.savez(path.with_suffix(".npz"), x=graph.values["x"].astype(np.float32), **{graph.result: graph.values[graph.result].astype(np.float32)})
    return path


def run(kgen, folder, path, command, is_open):
    """CPU and wall seconds, and the greatest memory in bytes, of one call."""
    words = [kgen, command, path, "--target", TARGET]
    if command == "generate":
        words += ["-o", folder / path.stem, "--always", "--quiet"]
    if path.suffix == ".onnx" and is_open:
        words += ["--dim", "n=1..16"]
    if command == "verify":
        words += ["--against", path.with_suffix(".npz"), "--rtol", "1e-3"]
    log = folder / f"{path.stem}.log"
    with open(log, "w") as output:
        start = time.monotonic()
        process = subprocess.Popen(list(map(str, words)), stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{path.name}: {' '.join(map(str, words))} ended with {status}:\n{log.read_text()[-2000:]}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss * 1024


def too_much(times, base, growth):
    """What is too much of the times and sizes of two numbers of nodes."""
    problems, before = [], None
    for nodes, (cpu, _, size) in times.items():
        if cpu > MAX_SECONDS or size > MAX_BYTES:
            problems.append(f"{nodes} nodes: {cpu:.1f} s and {size >> 20} MiB, more than {MAX_SECONDS} s or {MAX_BYTES >> 20} MiB")
        spent = max(cpu - base, MIN_SECONDS)
        if before and spent > growth * before[1] * nodes / before[0] / 2:
            problems.append(f"{nodes} nodes: {spent / before[1]:.2f} times the time of {before[0]} nodes, more than {growth}")
        before = nodes, spent
    return problems


def measure(options, kind, command, is_open, growth, sizes):
    """Prints a line for each number of nodes; returns what is too much. What seems to be is measured again: other programs take time, too."""
    what = f"{kind}{' with an open size' if is_open else ''}, {command}"
    sources = {nodes: source(options.folder, kind, nodes, is_open) for nodes in options.nodes or sizes}
    if None in sources.values():
        print(f"{kind}: skipped, python3-onnx is not installed")
        return []
    times, problems = {}, []
    for _ in range(TURNS):
        # What a graph of one node takes is no matter of length.
        base = run(options.kgen, options.folder, source(options.folder, "tanh", 1, is_open), command, is_open)[0]
        for nodes, path in sources.items():
            again = run(options.kgen, options.folder, path, command, is_open)
            times[nodes] = min(again, times.get(nodes, again))
        problems = too_much(times, base, growth)
        if not problems:
            break
    for nodes, (cpu, wall, size) in times.items():
        print(f"{what + ', ' + str(nodes) + ' nodes':<52} {cpu:7.2f} s CPU {wall:7.2f} s {size >> 20:>6} MiB", flush=True)
    return [f"{what}, {problem}" for problem in problems]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kgen")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", choices=[*KINDS, "loop"], action="append")
    parser.add_argument("--nodes", type=int, action="append")
    parser.add_argument("--command", choices=["generate", "explain", "verify"], action="append")
    parser.add_argument("--open", action="store_true", help="with an open size only")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    problems = []
    for kind in options.only or [kind for kind in [*KINDS, "loop"] if options.full or kind not in ONLY_LONG]:
        commands = ["generate", "explain"] + (["verify"] if np is not None else [])
        for command in options.command or (commands if options.full else commands[:1]):
            for is_open in [True] if options.open else [False, True] if options.full else [False]:
                sizes = LONG_OF.get(kind, LONG) if options.full else SHORT_OF.get(kind, SHORT)
                problems += measure(options, kind, command, is_open, LONG_GROWTH if options.full else SHORT_GROWTH, sizes)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


main()
