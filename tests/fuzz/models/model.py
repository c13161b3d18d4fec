"""A model of ONNX with its inputs and what it should compute: as the bytes of a file, as JSON, and compared with what a library computed."""
import json

import numpy as np
from onnx import TensorProto, helper

from elements import LONG, NUMBERS, WIDE, is_float, least, nearest, raw


class Refused(Exception):
    """What was drawn is no legal model: draw again."""


class Array:
    """Numbers of an element type."""

    def __init__(self, values, element):
        self.values, self.element = np.asarray(values), element

    @property
    def shape(self):
        return self.values.shape


class Expected(Array):
    """A result, and how far from it each element may be before it is rounded to its type; None: exact, to the bit but for zeros' signs."""

    def __init__(self, values, element, error=None):
        super().__init__(values, element)
        self.error = error


class Node:
    def __init__(self, op, inputs, outputs, attributes=None, domain=""):
        self.op, self.inputs, self.outputs, self.attributes, self.domain = op, list(inputs), list(outputs), dict(attributes or {}), domain


class Graph:
    """What an attribute may be: nodes, constants {name: Array}, inputs [(name, element, shape)] and outputs [name]."""

    def __init__(self, nodes, outputs, inputs=(), constants=None):
        self.nodes, self.outputs, self.inputs, self.constants = nodes, outputs, list(inputs), dict(constants or {})


class Model:
    """`inputs` and `constants` by name; `expected` by name of output. `open`: {(input, axis): name of a size}; `bounds`: {name: (least, greatest)}."""

    def __init__(self, nodes, inputs, constants, expected, opset=17, open=None, bounds=None, note=""):
        self.nodes, self.inputs, self.constants, self.expected = nodes, inputs, constants, expected
        self.opset, self.open, self.bounds, self.note = opset, open or {}, bounds or {}, note
        self.values, self.more = {}, []  # inputs that are given when code is made; further calls [(inputs, expected)]

    def calls(self):
        return [(self.inputs, self.expected), *self.more]


def attribute(name, value):
    if isinstance(value, Array):
        value = tensor(name, value)
    if isinstance(value, Graph):
        value = helper.make_graph([node_proto(node) for node in value.nodes], name,
                                  [helper.make_tensor_value_info(n, NUMBERS[e], s) for n, e, s in value.inputs],
                                  [helper.make_empty_tensor_value_info(n) for n in value.outputs], [tensor(n, a) for n, a in value.constants.items()])
    return helper.make_attribute(name, value)


def node_proto(node):
    made = helper.make_node(node.op, node.inputs, node.outputs, domain=node.domain or None)
    made.attribute.extend(attribute(name, value) for name, value in node.attributes.items())
    return made


def tensor(name, array):
    made = TensorProto()
    made.name, made.data_type, made.raw_data = name, NUMBERS[array.element], raw(array.values, array.element)
    made.dims.extend(array.shape)
    return made


def serialized(model):
    def info(name, array):
        shape = [model.open.get((name, axis), size) for axis, size in enumerate(array.shape)]
        return helper.make_tensor_value_info(name, NUMBERS[array.element], shape)

    graph = helper.make_graph([node_proto(node) for node in model.nodes], "g", [info(n, a) for n, a in model.inputs.items()],
                              [helper.make_tensor_value_info(n, NUMBERS[a.element], [f"{n}_{i}" for i in range(a.values.ndim)] if model.open else a.shape)
                               for n, a in model.expected.items()], [tensor(n, a) for n, a in model.constants.items()])
    domains = {"": model.opset, **{node.domain: 1 for node in model.nodes if node.domain}}
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid(d, v) for d, v in domains.items()])
    made.ir_version = 10
    return made.SerializeToString()


def difference(got, expected):
    """None, or in words where the numbers differ from those expected; `got` are numbers of the type."""
    want = expected.values
    if got.shape != want.shape:
        return f"shape {list(got.shape)} instead of {list(want.shape)}"
    if not want.size:
        return None
    if not is_float(expected.element):
        apart = np.abs(got.astype(object) - want.astype(object)).astype(object) if expected.error is not None else got != want
        wrong = apart > expected.error if expected.error is not None else apart
    else:
        wrong = wrong_floats(np.asarray(got, LONG), np.asarray(want, LONG), expected)
    wrong = np.asarray(wrong, bool)
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {want.size} wrong, at {list(at)} {got[at]} instead of {want[at]}"


def wrong_floats(got, want, expected):
    """Anything is right between what the ends of the interval round to."""
    element = expected.element
    error = LONG(0) if expected.error is None else np.asarray(expected.error, LONG)
    with np.errstate(all="ignore"):
        error = np.broadcast_to(np.where(np.isfinite(want) & np.isfinite(error), error, LONG(0)), want.shape)
        if expected.error is None:
            low = high = nearest(want, element)
        else:
            low, high = (np.asarray(nearest(want + sign * (error + least(WIDE.get(element, element)) * 2), element), LONG) for sign in (-1, 1))
        inside = (got >= low) & (got <= high) | (got == want)
        return ~np.where(np.isnan(want), np.isnan(got), inside)


def to_json(model):
    """Text that `from_json` reads."""
    def array(a):
        values = [repr(float(v)) if is_float(a.element) else int(v) for v in np.asarray(a.values).ravel()]
        return {"type": a.element, "shape": list(a.shape), "data": values}

    def expected(a):
        error = None if a.error is None else [float(v) for v in np.broadcast_to(np.asarray(a.error, np.float64), a.shape).ravel()]
        return {**array(a), "error": error}

    def value(v):
        if isinstance(v, Array):
            return {"tensor": array(v)}
        if isinstance(v, Graph):
            return {"graph": {"nodes": [node(n) for n in v.nodes], "outputs": v.outputs, "inputs": [list(i) for i in v.inputs],
                              "constants": {k: array(a) for k, a in v.constants.items()}}}
        return v

    def node(n):
        return {"op": n.op, "inputs": n.inputs, "outputs": n.outputs, "attributes": {k: value(v) for k, v in n.attributes.items()}, "domain": n.domain}

    calls = [{"inputs": {k: array(a) for k, a in inputs.items()}, "expected": {k: expected(a) for k, a in wanted.items()}} for inputs, wanted in model.calls()]
    lines = [f'"note": {json.dumps(model.note)}', f'"opset": {model.opset}', f'"open": {json.dumps([[*k, v] for k, v in model.open.items()])}',
             f'"bounds": {json.dumps(model.bounds)}', '"nodes": [\n  ' + ",\n  ".join(json.dumps(node(n)) for n in model.nodes) + "]",
             f'"constants": {json.dumps({k: array(a) for k, a in model.constants.items()})}', '"calls": [\n  ' + ",\n  ".join(map(json.dumps, calls)) + "]"]
    return "{" + ",\n".join(lines) + "}\n"


def from_json(text):
    def array(d):
        kind = LONG if is_float(d["type"]) else np.uint64 if d["type"] == "u64" else np.int64
        values = np.array([float(v) for v in d["data"]] if kind is LONG else d["data"], kind).reshape(d["shape"])
        return Array(values.astype(np.float64) if kind is LONG else values, d["type"])

    def expected(d):
        a = array(d)
        return Expected(a.values, a.element, None if d["error"] is None else np.array(d["error"], LONG).reshape(a.shape))

    def value(v):
        if isinstance(v, dict) and "tensor" in v:
            return array(v["tensor"])
        if isinstance(v, dict):
            g = v["graph"]
            return Graph([node(n) for n in g["nodes"]], g["outputs"], [tuple(i) for i in g["inputs"]], {k: array(a) for k, a in g["constants"].items()})
        return v

    def node(d):
        return Node(d["op"], d["inputs"], d["outputs"], {k: value(v) for k, v in d["attributes"].items()}, d["domain"])

    d = json.loads(text)
    calls = [({k: array(a) for k, a in c["inputs"].items()}, {k: expected(a) for k, a in c["expected"].items()}) for c in d["calls"]]
    model = Model([node(n) for n in d["nodes"]], calls[0][0], {k: array(a) for k, a in d["constants"].items()}, calls[0][1], d["opset"],
                  {(n, axis): size for n, axis, size in d["open"]}, {k: tuple(v) for k, v in d["bounds"].items()}, d["note"])
    model.more = calls[1:]
    return model
