"""A graph of a library file as an ONNX model: modules are expanded, random weights are the same to the last bit."""
import json
import os
import re

import numpy
import onnx
import onnx.numpy_helper
import yaml

OPSET = 23
TYPES = {"f32": numpy.float32, "f64": numpy.float64, "i64": numpy.int64, "i32": numpy.int32, "i8": numpy.int8, "u8": numpy.uint8,
         "bool": numpy.bool_}
# Attributes that are floats in the standard, also where a spec has a whole number.
REALS = {"alpha", "beta", "epsilon", "scale", "scales", "cubic_coeff_a", "bias", "momentum"}
# Attributes of a spec that are inputs in the standard: (number, element type).
INPUTS = {"Unsqueeze": {"axes": (1, numpy.int64)}, "Squeeze": {"axes": (1, numpy.int64)}, "ReduceMean": {"axes": (1, numpy.int64)},
          "ReduceSum": {"axes": (1, numpy.int64)}, "Resize": {"scales": (2, numpy.float32), "sizes": (3, numpy.int64)},
          "Pad": {"pads": (1, numpy.int64)}, "Split": {"split": (1, numpy.int64)}}


def load(path):
    """The library file as lists, dictionaries and texts, with the modules of what it includes."""
    with open(path, encoding="utf-8") as file:
        library = yaml.load(file, yaml.BaseLoader)
    modules = dict(library.get("modules", {}))
    for include in library.get("include", []):
        modules.update(load(os.path.join(os.path.dirname(path), include))["modules"])
    library["modules"] = modules
    return library


def substituted(text, values):
    """`$name` and `$(expression)` of whole numbers; a number that is none of them stays as it is."""
    def of(found):
        if found[1]:
            return str(values[found[1]])
        numbers = re.sub(r"[A-Za-z_]\w*", lambda name: str(values[name[0]]), found[2])
        return str(eval(numbers.replace("/", "//"), {"__builtins__": {}}))
    return re.sub(r"\$(?:(\w+)|\(([^()]*(?:\([^()]*\)[^()]*)*)\))", of, text)


def resolved(tree, values):
    if isinstance(tree, dict):
        return {key: resolved(value, values) for key, value in tree.items()}
    if isinstance(tree, list):
        return [resolved(value, values) for value in tree]
    return substituted(tree, values)


class Expansion:
    """The weights and nodes of a graph, those of modules included."""

    def __init__(self, modules):
        self.modules, self.weights, self.nodes = modules, {}, []

    def add(self, body, values, prefix, names):
        """`names`: what names of the body are outside; others begin with the prefix."""
        name_of = lambda name: name and names.get(name, prefix + name)
        for name, weight in body.get("weights", {}).items():
            self.weights[name_of(name)] = resolved(weight, values)
        for node in body["nodes"]:
            inputs = [name_of(name) for name in node["inputs"]]
            outputs = [name_of(name) for name in node.get("outputs", [node.get("name")])]
            if "op" in node:
                attributes = resolved(node.get("attributes", {}), values)
                self.nodes.append((node["op"], inputs, outputs, attributes))
            else:
                self.use(node, values, prefix + node.get("name", node.get("outputs", [""])[0]), inputs, outputs)

    def use(self, node, values, prefix, inputs, outputs):
        module = self.modules[node["module"]]
        given = resolved(node.get("with", {}), values)
        repeat = int(substituted(node["repeat"], values)) if "repeat" in node else None
        for copy in range(repeat or 1):
            own = {"index": copy}
            for name, default in module.get("with", {}).items():
                own[name] = given.get(name, substituted(default, own))
            inner = prefix if repeat is None else f"{prefix}_{copy}"
            isLast = copy + 1 == (repeat or 1)
            results = outputs if isLast else [f"{inner}_{name}" for name in module["outputs"]]
            names = dict(zip(module["inputs"], inputs))
            names.update(zip(module["outputs"], results))
            self.add(module, own, inner + "_", names)
            inputs = results + inputs[len(results):]


def type_of(text):
    element, sizes = re.fullmatch(r"(\w+)\[(.*)\]", text).groups()
    return TYPES[element], [int(size) for size in sizes.split(",") if size.strip()]


def random_floats(seed, count):
    """SplitMix64, the upper 24 bits, uniform in [-0.5, 0.5)."""
    with numpy.errstate(over="ignore"):
        z = numpy.arange(1, count + 1, dtype=numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15) + numpy.uint64(seed)
        z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        z ^= z >> numpy.uint64(31)
    return ((z >> numpy.uint64(40)).astype(numpy.float64) * 2.0**-24 - 0.5).astype(numpy.float32)


def stored(path, name, dtype, shape):
    """A tensor of a .safetensors file."""
    with open(path, "rb") as file:
        begin = 8 + int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(begin - 8))
        first, last = header[name]["data_offsets"]
        file.seek(begin + first)
        return numpy.frombuffer(file.read(last - first), dtype).reshape(shape)


def elements(weight, folder=""):
    dtype, shape = type_of(weight["type"])
    if "file" in weight:
        return stored(os.path.join(folder, weight["file"]), weight["tensor"], dtype, shape)
    if "random" in weight:
        assert dtype == numpy.float32
        return random_floats(int(weight["random"]["seed"]), int(numpy.prod(shape, dtype=numpy.int64))).reshape(shape)
    value = weight["value"]
    flat = numpy.array(value, dtype=object).reshape(-1)
    numbers = numpy.array([float(text) if dtype().dtype.kind == "f" else int(text) for text in flat], dtype=dtype)
    return numpy.full(shape, numbers[0]) if numbers.size == 1 else numbers.reshape(shape)


def number(text, is_real):
    if is_real:
        return float(text)
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text) if re.fullmatch(r"-?[\d.]+(e-?\d+)?", text) else text


def node_of(op, inputs, outputs, attributes, constants):
    """The node of the standard; `constants` gets what is an attribute in a spec and an input in the standard."""
    inputs, kept = list(inputs), {}
    for name, value in attributes.items():
        if name in INPUTS.get(op, {}):
            at, dtype = INPUTS[op][name]
            inputs += [""] * (at + 1 - len(inputs))
            inputs[at] = f"{outputs[0]}_{name}"
            constants[inputs[at]] = numpy.array([dtype(float(text)) for text in value], dtype=dtype)
        elif isinstance(value, list):
            kept[name] = [number(text, name in REALS) for text in value]
        else:
            kept[name] = number(value, name in REALS)
    node = onnx.helper.make_node(op, inputs, outputs, **kept)
    node.ClearField("doc_string")
    return node


def model_of(path, graph_name):
    """(name of the library, model)"""
    library = load(path)
    graph = next(graph for graph in library["graphs"] if graph["name"] == graph_name)
    values = graph.get("with", {})
    expansion = Expansion(library["modules"])
    expansion.add(graph, values, "", {})
    constants = {name: elements(weight, os.path.dirname(path)) for name, weight in expansion.weights.items()}
    nodes = [node_of(*node, constants) for node in expansion.nodes]
    info = lambda name, text: onnx.helper.make_tensor_value_info(
        name, onnx.helper.np_dtype_to_tensor_dtype(numpy.dtype(type_of(text)[0])) if hasattr(onnx.helper, "np_dtype_to_tensor_dtype")
        else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[numpy.dtype(type_of(text)[0])], type_of(text)[1])
    inputs = [info(name, substituted(text, values)) for name, text in graph["inputs"].items()]
    outputs = [onnx.helper.make_empty_tensor_value_info(name) for name in graph["outputs"]]
    initializers = [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()]
    proto = onnx.helper.make_graph(nodes, graph_name, inputs, outputs, initializers)
    return library["library"], onnx.helper.make_model(proto, opset_imports=[onnx.helper.make_opsetid("", OPSET)])
