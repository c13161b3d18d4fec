"""Networks against onnxruntime from npm, one thread each, in floats and in bytes.

  runtime.py KGEN WORK_FOLDER [--rounds N] [--only NAME] [--json FILE]

Each graph of specs/graphs becomes an ONNX model. That of bytes is quantized as quantizers do it: QuantizeLinear and DequantizeLinear
around all activations of products, sums and pools, ranges of a run with floats, a scale for each channel of a weight. kgen's default
targets and, of bytes, those of its VNNI level compile the model; onnxruntime-node gets the same file. Results are compared before anything is timed:
floats within 1e-4 of the largest magnitude, bytes within 5 % in the root of the mean square. Then both run in turns; what counts is the
least processor time of each, and the median of the rounds' ratios. A call of onnxruntime-node is one from JavaScript, some 50 us of it.

Not part of any test run: npm brings onnxruntime.
"""
import argparse
import datetime
import importlib.util
import json
import pathlib
import statistics
import subprocess
import sys
import time

import numpy
import onnx
from onnx import helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "onnx"))
import spec_to_onnx  # noqa: E402

ONNXRUNTIME = "onnxruntime-node@1.30.0"
NETWORKS = [("resnet50", "classify"), ("mobilenet-v2", "classify"), ("bert-base", "layer"), ("vit-small", "layer"), ("whisper-tiny", "encoder")]
QUANTIZED = {"resnet50", "mobilenet-v2", "bert-base", "vit-small"}
PRODUCTS = {"Conv", "MatMul", "Gemm"}
ON_BYTES = {"Add", "MaxPool", "GlobalAveragePool"}


def call(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, **options)


def constants(model):
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}


def fold_normalizations(model):
    """Conv and BatchNormalization become one Conv, as a quantizer wants them."""
    graph, values = model.graph, constants(model)
    users, makers = {}, {}
    for node in graph.node:
        makers.update({name: node for name in node.output})
        for name in node.input:
            users.setdefault(name, []).append(node)
    for node in [node for node in graph.node if node.op_type == "BatchNormalization"]:
        conv = makers.get(node.input[0])
        if conv is None or conv.op_type != "Conv" or len(users[conv.output[0]]) != 1:
            continue
        scale, bias, mean, variance = (values[name].astype(numpy.float64) for name in node.input[1:])
        epsilon = next((a.f for a in node.attribute if a.name == "epsilon"), 1e-5)
        factor = scale / numpy.sqrt(variance + epsilon)
        filter = values[conv.input[1]] * factor.reshape(-1, 1, 1, 1)
        before = values[conv.input[2]] if len(conv.input) > 2 else 0
        for name, value in (("filter", filter), ("bias", (before - mean) * factor + bias)):
            graph.initializer.append(numpy_helper.from_array(value.astype(numpy.float32), f"{node.output[0]}_folded_{name}"))
        conv.input[:] = [conv.input[0], f"{node.output[0]}_folded_filter", f"{node.output[0]}_folded_bias"]
        conv.output[0] = node.output[0]
        graph.node.remove(node)
        makers[node.output[0]] = conv
    return model


class Quantizer:
    def __init__(self, model, ranges):
        self.model, self.ranges, self.values = model, ranges, constants(model)
        self.nodes, self.known = [], {}

    def weight(self, value, name):
        self.model.graph.initializer.append(numpy_helper.from_array(value, name))
        return name

    def scale(self, name):
        low, high = self.ranges[name]
        low, high = min(low, 0.0), max(high, 0.0)
        scale = max(high - low, 1e-6) / 255
        return numpy.float32(scale), numpy.uint8(round(-low / scale))

    def activation(self, name):
        """The value through bytes, once."""
        if name not in self.known:
            scale, zero = self.scale(name)
            pair = [self.weight(numpy.array(scale), f"{name}_q_scale"), self.weight(numpy.array(zero), f"{name}_q_zero")]
            self.nodes.append(helper.make_node("QuantizeLinear", [name, *pair], [f"{name}_q_bytes"]))
            self.nodes.append(helper.make_node("DequantizeLinear", [f"{name}_q_bytes", *pair], [f"{name}_q_floats"]))
            self.known[name] = f"{name}_q_floats"
        return self.known[name]

    def filter(self, name, axis):
        if name not in self.known:
            value = self.values[name]
            others = tuple(i for i in range(value.ndim) if i != axis)
            scale = numpy.maximum(abs(value).max(axis=others), 1e-8).astype(numpy.float32) / 127
            shape = [-1 if i == axis else 1 for i in range(value.ndim)]
            bytes = numpy.clip(numpy.rint(value / scale.reshape(shape)), -127, 127).astype(numpy.int8)
            inputs = [self.weight(bytes, f"{name}_q_bytes"), self.weight(scale, f"{name}_q_scale"), self.weight(numpy.zeros(len(scale), numpy.int8), f"{name}_q_zero")]
            self.nodes.append(helper.make_node("DequantizeLinear", inputs, [f"{name}_q_floats"], axis=axis))
            self.known[name] = f"{name}_q_floats", scale
        return self.known[name]

    def bias(self, name, scale):
        value = self.values[name]
        number = numpy.rint(value / scale).astype(numpy.int32)
        inputs = [self.weight(number, f"{name}_q_numbers"), self.weight(scale, f"{name}_q_scales"), self.weight(numpy.zeros(len(scale), numpy.int32), f"{name}_q_zeros")]
        self.nodes.append(helper.make_node("DequantizeLinear", inputs, [f"{name}_q_floats"], axis=0))
        return f"{name}_q_floats"

    def product(self, node):
        if node.input[1] not in self.values:
            return [self.activation(name) for name in node.input]
        transposed = any(a.name == "transB" and a.i for a in node.attribute)
        axis = 0 if node.op_type == "Conv" or transposed else self.values[node.input[1]].ndim - 1
        filter, scale = self.filter(node.input[1], axis)
        inputs = [self.activation(node.input[0]), filter]
        if len(node.input) > 2:
            inputs.append(self.bias(node.input[2], (scale * self.scale(node.input[0])[0]).astype(numpy.float32)))
        return inputs

    def run(self):
        graph = self.model.graph
        for node in list(graph.node):
            if node.op_type in PRODUCTS:
                inputs = self.product(node)
            elif node.op_type in ON_BYTES and all(name in self.ranges for name in node.input):
                inputs = [self.activation(name) for name in node.input]
            else:
                inputs = node.input[:]
            node.input[:] = inputs
            self.nodes.append(node)
        del graph.node[:]
        graph.node.extend(self.nodes)
        used = {name for node in graph.node for name in node.input}
        kept = [tensor for tensor in graph.initializer if tensor.name in used]
        del graph.initializer[:]
        graph.initializer.extend(kept)
        return self.model


def install(work):
    """onnxruntime-node below the folder, from npm unless it is there."""
    if not (work / "node_modules/onnxruntime-node").exists():
        (work / "package.json").write_text("{}")
        call("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", ONNXRUNTIME, cwd=work)


def session(work, *arguments, **options):
    return ["node", HERE / "runtime.js", work, *arguments]


def quantized(work, model, x):
    """The model with bytes; ranges are those of a run with floats, by onnxruntime itself."""
    activations = sorted({name for node in model.graph.node for name in node.output} | {model.graph.input[0].name})
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    made = {name for node in model.graph.node for name in node.output}
    present = {output.name for output in model.graph.output}
    probe.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in activations if name in made - present)
    onnx.save(probe, work / "probe.onnx")
    call(*session(work, "--ranges", work / "probe.onnx", x, work / "ranges.json"))
    ranges = json.loads((work / "ranges.json").read_text())
    values = numpy.fromfile(x, numpy.float32)
    ranges[model.graph.input[0].name] = [float(values.min()), float(values.max())]
    return Quantizer(model, ranges).run()


class Peer:
    """A process of node that runs as many calls as a line says, and prints microseconds of processor time of one."""

    def __init__(self, work, model, x, y):
        self.process = subprocess.Popen([str(part) for part in session(work, model, x, y)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.version = self.process.stdout.readline().strip()
        if not self.version:
            sys.exit(f"onnxruntime cannot run {model}")

    def time(self, calls):
        self.process.stdin.write(f"{calls}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Own:
    """The generated library, called through its Python module, whose arrays are bound once."""

    def __init__(self, kgen, work, name, model, x, shape, variants):
        folder = work / f"{name}-library"
        call(kgen, "generate", model, "--library", name, "--python", "--quiet", "--always", "-o", folder,
             *(part for variant in variants for part in ("--target", variant)))
        call("cc", "-O1", "-shared", "-fPIC", "-o", work / f"lib{name}.so", folder / f"{name}.c", *sorted((folder / "objects").glob("*.o")))
        description = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
        module = importlib.util.module_from_spec(description)
        description.loader.exec_module(module)
        self.net = module.load(work / f"lib{name}.so")
        array = numpy.fromfile(x, numpy.float32).reshape(shape)
        self.y = self.net.run(array)
        self.call = self.net.bind("run", array)

    def time(self, calls):
        start = time.process_time_ns()
        for _ in range(calls):
            self.call()
        return (time.process_time_ns() - start) / 1e3 / calls


def difference(mine, theirs):
    a, b = mine.astype(float).ravel(), theirs.astype(float).ravel()
    largest = abs(b).max()
    return abs(a - b).max() / largest, numpy.sqrt(((a - b) ** 2).mean()) / numpy.sqrt((b ** 2).mean())


def compare(options, work, spec, graph, bytes):
    name = f"{spec}_{graph}{'_bytes' if bytes else ''}".replace("-", "_")
    _, model = spec_to_onnx.model_of(str(ROOT / f"specs/graphs/{spec}.yaml"), graph)
    shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    x, y = work / f"{name}.x", work / f"{name}.y"
    numpy.random.default_rng(1).standard_normal(shape).astype(numpy.float32).tofile(x)
    if bytes:
        model = quantized(work, fold_normalizations(model), x)
    path = work / f"{name}.onnx"
    onnx.save(model, path)
    peer = Peer(work, path, x, y)
    own = Own(options.kgen, work, name, path, x, shape, ["x86-64-v3", "x86-64-v4-vnni" if bytes else "x86-64-v4"])
    most, mean = difference(own.y, numpy.fromfile(y, numpy.float32))
    if not (mean <= 0.05 if bytes else most <= 1e-4):
        sys.exit(f"{name}: results differ by {most:.2e} at most, {mean:.2e} in the mean")
    once = min(own.time(1) for _ in range(3))
    calls = max(1, int(0.2e6 / once))
    mine, theirs = [], []
    for _ in range(options.rounds):
        mine.append(own.time(calls))
        theirs.append(peer.time(max(1, calls // 3)))
    peer.close()
    return {"network": f"{spec} {graph}", "type": "bytes" if bytes else "f32", "variant": own.net.variant, "kgen_us": min(mine), "peer_us": min(theirs),
            "ratio": statistics.median(b / a for a, b in zip(mine, theirs)), "difference": mean, "version": peer.version}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kgen")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    install(work)
    rows = []
    for spec, graph in NETWORKS:
        for bytes in (False, True):
            if (bytes and spec not in QUANTIZED) or (options.only and options.only not in spec):
                continue
            row = compare(options, work, spec, graph, bytes)
            rows.append(row)
            print(f"| {row['network']} | {row['type']} | {row['variant']} | {row['kgen_us'] / 1e3:.2f} | {row['peer_us'] / 1e3:.2f} | {row['ratio']:.2f} |", flush=True)
    print(f"{ONNXRUNTIME.split('@')[0]} {rows[0]['version']}, {datetime.date.today()}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
