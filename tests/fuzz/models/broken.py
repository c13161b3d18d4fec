#!/usr/bin/env python3
"""Models of ONNX that are no more what they were: broken.py KGEN WORK COUNT [--seed N] [--first I] [--kept FOLDER].

Random models, cut off or changed: bytes, numbers of shapes and attributes, operands, operators, types, opsets, initializers; some of their sizes are
open, or given by arguments that may be wrong. `kgen check` takes or refuses each, and what it takes `kgen generate` compiles: exit codes 0 and 1 only,
within the limit of time and memory, and exit code 1 has a reason (2 where an argument has no sense). What it should compute is unknown, so nothing is called."""
import argparse
import datetime
import os
import pathlib
import resource
import signal
import subprocess
import sys

try:
    import numpy as np
    from onnx import ModelProto
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-onnx)")
    sys.exit(77)

import fuzz_models
from model import serialized

SECONDS, MEMORY = 60, 4 << 30
NUMBERS = [0, 1, -1, 2, 3, 5, 7, 16, 64, 1000, -2, 1 << 20, 1 << 31, 1 << 33, (1 << 63) - 1, -(1 << 63)]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-30, 1e30, float("inf"), float("nan")]
TYPES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20, 21, 22, 23, 24, 99]


class Changes:
    def __init__(self, rng, operators):
        self.rng, self.operators = rng, operators

    def one(self, options):
        return options[int(self.rng.integers(len(options)))]

    def cut(self, data):
        return data[:int(self.rng.integers(len(data)))]

    def flip(self, data):
        changed = bytearray(data)
        for _ in range(int(self.rng.integers(1, 9))):
            changed[int(self.rng.integers(len(changed)))] = int(self.rng.integers(256))
        return bytes(changed)

    def graphs(self, model):
        """The graph and those of its nodes' attributes."""
        found = [model.graph]
        for graph in found:
            found += [a.g for n in graph.node for a in n.attribute if a.HasField("g")]
        return found

    def values(self, graph):
        return [n for node in graph.node for n in [*node.input, *node.output]] + [i.name for i in graph.input] + [""]

    def shape(self, model):
        info = self.one([*model.graph.input, *model.graph.output])
        dims = info.type.tensor_type.shape.dim
        if not dims or self.rng.random() < 0.2:
            dims.add().dim_value = self.one(NUMBERS)
        elif self.rng.random() < 0.2:
            del dims[-1]
        elif self.rng.random() < 0.5:
            self.one(dims).dim_param = self.one(["n", "m", "", "n + 1", "0"])
        else:
            self.one(dims).dim_value = self.one(NUMBERS)

    def element(self, model):
        info = self.one([*model.graph.input, *model.graph.output])
        info.type.tensor_type.elem_type = self.one(TYPES)

    def operand(self, model):
        graph = self.one(self.graphs(model))
        if not graph.node:
            return
        node, values = self.one(graph.node), self.values(graph)
        of = node.output if self.rng.random() < 0.2 else node.input
        how = self.rng.random()
        if how < 0.25 or not of:
            of.append(self.one(values))
        elif how < 0.4:
            del of[int(self.rng.integers(len(of)))]
        else:
            of[int(self.rng.integers(len(of)))] = self.one(values)

    def operator(self, model):
        graph = self.one(self.graphs(model))
        if graph.node:
            node = self.one(graph.node)
            node.op_type = self.one(self.operators)
            if self.rng.random() < 0.1:
                node.domain = self.one(["", "com.microsoft", "ai.onnx.ml", "x"])

    def attribute(self, model):
        given = [a for graph in self.graphs(model) for node in graph.node for a in node.attribute]
        if not given:
            return self.operator(model)
        attribute, how = self.one(given), self.rng.random()
        if how < 0.1:
            attribute.type = self.one([0, 1, 2, 3, 4, 5, 6, 7, 8, 12])
        elif attribute.ints:
            if how < 0.3:
                attribute.ints.append(self.one(NUMBERS))
            elif how < 0.5:
                del attribute.ints[-1]
            else:
                attribute.ints[int(self.rng.integers(len(attribute.ints)))] = self.one(NUMBERS)
        elif attribute.floats:
            attribute.floats[int(self.rng.integers(len(attribute.floats)))] = self.one(FLOATS)
        elif attribute.HasField("s"):
            attribute.s = self.one([b"", b"linear", b"reflect", b"SAME_UPPER", b"cubic", b"\xff", b"NOTSET"])
        elif attribute.HasField("f"):
            attribute.f = self.one(FLOATS)
        else:
            attribute.i = self.one(NUMBERS)

    def initializer(self, model):
        tensors = [t for graph in self.graphs(model) for t in graph.initializer]
        if not tensors:
            return self.shape(model)
        tensor, how = self.one(tensors), self.rng.random()
        if how < 0.2:
            tensor.data_type = self.one(TYPES)
        elif how < 0.4 and tensor.dims:
            tensor.dims[int(self.rng.integers(len(tensor.dims)))] = self.one(NUMBERS)
        elif how < 0.5:
            tensor.dims.append(self.one([1, 1, *NUMBERS]))
        elif how < 0.6:
            tensor.raw_data = self.cut(tensor.raw_data + b"\0")
        elif how < 0.7:
            tensor.name = self.one(self.values(model.graph))
        elif tensor.raw_data:
            if tensor.data_type == 7:
                numbers = np.frombuffer(tensor.raw_data, np.int64).copy()
                numbers[int(self.rng.integers(len(numbers)))] = self.one(NUMBERS)
                tensor.raw_data = numbers.tobytes()
            else:
                tensor.raw_data = self.flip(tensor.raw_data)

    def opset(self, model):
        self.one(model.opset_import).version = self.one([1, 5, 6, 7, 9, 10, 12, 13, 17, 18, 20, 22, 23, 99, -1])

    def node(self, model):
        graph = self.one(self.graphs(model))
        if not graph.node:
            return
        at = int(self.rng.integers(len(graph.node)))
        if self.rng.random() < 0.5:
            del graph.node[at]
        else:
            graph.node.append(graph.node[at])

    def of(self, data):
        """Other bytes."""
        how = self.rng.random()
        if how < 0.05:
            return self.cut(data)
        if how < 0.15:
            return self.flip(data)
        model = ModelProto.FromString(data)
        kinds = [self.shape, self.element, self.operand, self.operator, self.attribute, self.attribute, self.initializer, self.initializer, self.opset, self.node]
        for _ in range(int(self.rng.integers(1, 3))):
            self.one(kinds)(model)
        return model.SerializeToString()


RANGES = ["4", "1", "0", "3..3", "8..64/8", "0..4", "1..1000000", *["1..8"] * 8, "1..9223372036854775807", "8..1"]


def open_sizes(rng, model):
    """Numbers of inputs' shapes become sizes with names."""
    for info in model.graph.input:
        for dim in info.type.tensor_type.shape.dim:
            if dim.HasField("dim_value") and rng.random() < 0.4:
                dim.dim_param = ["n", "m"][int(rng.integers(2))]
    for info in model.graph.output:
        for i, dim in enumerate(info.type.tensor_type.shape.dim):
            dim.dim_param = f"{info.name}_{i}"


def arguments(rng, data):
    """What says the sizes that have names, most times."""
    try:
        model = ModelProto.FromString(data)
    except Exception:
        return []
    params = [dim.dim_param for info in model.graph.input for dim in info.type.tensor_type.shape.dim]
    names = {param: None for param in params if isinstance(param, str) and param.isidentifier()}  # bytes: no text any more
    return [a for name in names if rng.random() < 0.95 for a in ("--dim", f"{name}={RANGES[int(rng.integers(len(RANGES)))]}")]


def made(seed, number):
    """Model `number` of a seed: (bytes, arguments)."""
    rng = np.random.default_rng([seed, 3, number])
    maker = fuzz_models.MAKERS["graphs" if number % 4 == 0 else "operators"]
    model = ModelProto.FromString(serialized(maker(seed + 1, number)))
    if rng.random() < 0.6:
        open_sizes(rng, model)
    data = Changes(rng, sorted(fuzz_models.drawing.GENERATORS)).of(model.SerializeToString())
    return data, arguments(rng, data)


def of_file(path):
    words = path.with_suffix(".txt")
    return path.read_bytes(), words.read_text().split() if words.exists() else []


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    if not os.environ.get("KGEN_SANITIZED"):  # their shadow memory is larger than that
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(*command, folder):
    """(exit code, text); 124 if it waits."""
    try:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=600, preexec_fn=limited)
    except subprocess.TimeoutExpired:
        return 124, "it waited"
    return done.returncode, done.stdout


def problem_of(kgen, folder, arguments):
    """(what became of the model, None or in words what is wrong)"""
    code, text = run(kgen, "check", "broken.onnx", *arguments, folder=folder)
    if (code == 1 and "error:" in text) or (code == 2 and text.startswith("--dim:")):
        return "refused", None
    if code != 0:
        return "failed", f"check exits with {code}: {text[:600]}"
    code, text = run(kgen, "generate", "broken.onnx", *arguments, "-o", "out", "--always", "--quiet", "-j", "1", "--target", "x86-64-v3", folder=folder)
    if code != 0:
        return "failed", f"generate exits with {code}: {text[:600]}" + (" (CPU)" if code == -signal.SIGXCPU else "")
    return "taken", None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kgen")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--kept", type=pathlib.Path, help="a folder of models that faults were found with, NAME.onnx, and their arguments in NAME.txt")
    given = parser.parse_args()
    kgen, counts = str(pathlib.Path(given.kgen).resolve()), {}
    given.work = given.work.resolve()
    given.work.mkdir(parents=True, exist_ok=True)
    print(f"seed {given.seed}", flush=True)
    kept = sorted(given.kept.glob("*.onnx")) if given.kept else []
    for number in [*kept, *range(given.first, given.first + given.count)]:
        data, arguments = of_file(number) if isinstance(number, pathlib.Path) else made(given.seed, number)
        number = getattr(number, "stem", number)
        (given.work / "broken.onnx").write_bytes(data)
        kind, problem = problem_of(kgen, given.work, arguments)
        counts[kind] = counts.get(kind, 0) + 1
        if problem:
            (given.work / f"failed{number}.onnx").write_bytes(data)
            print(f"model {number}, failed{number}.onnx {' '.join(arguments)}: {problem}", flush=True)
    print(", ".join(f"{number} {kind}" for kind, number in sorted(counts.items())))
    if given.count >= 20 and not counts.get("taken"):
        print("none of them is taken: what is said of all of them is about something else")
        return 1
    return 1 if counts.get("failed") else 0


if __name__ == "__main__":
    sys.exit(main())
