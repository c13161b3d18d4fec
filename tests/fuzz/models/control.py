"""Branches, loops, scans and sequences: their subgraphs are short chains whose values may be called like those around them."""
import numpy as np

from draw import generator
from model import Array, Expected, Graph, Model, Node

FUNCTIONS = {"Neg": np.negative, "Abs": np.abs, "Relu": lambda x: np.maximum(x, 0), "Floor": np.floor}


def chain(draw, first, names):
    """(nodes from `first` to the last of the names, what they compute)"""
    nodes, functions = [], []
    for name in names:
        op = draw.choose(list(FUNCTIONS))
        nodes.append(Node(op, [first], [name]))
        functions.append(FUNCTIONS[op])
        first = name

    def compute(v):
        for function in functions:
            v = function(v)
        return v

    return nodes, compute


def inner_names(draw, last):
    """Names of values in a subgraph; some are those of the model's inputs and outputs."""
    names = [draw.choose(["y0", "x1", "inner", "y1"])] if draw.chance(0.6) else []
    return [n for n in names if n != last] + [last]


def constant_or_input(draw, name, array, constants, inputs, fixed=False):
    (constants if fixed or draw.chance(0.4) else inputs)[name] = array


@generator("If")
def branches(draw, name):
    x = draw.array("f32", draw.shape())
    condition = draw.chance(0.5)
    inputs, constants = {"x0": x}, {}
    constant_or_input(draw, "c", Array(np.array(condition).reshape(draw.choose([(), (1,)])), "bool"), constants, inputs)
    graphs, computes = [], []
    for label in ("then", "else"):
        nodes, compute = chain(draw, "x0", inner_names(draw, f"{label}_out"))
        graphs.append(Graph(nodes, [f"{label}_out"]))
        computes.append(compute)
    y = computes[0 if condition else 1](x.values)
    return Model([Node("If", ["c"], ["y0"], {"then_branch": graphs[0], "else_branch": graphs[1]})], inputs, constants, {"y0": Expected(y, "f32")}, draw.opset(11))


@generator("Loop")
def loop(draw, name):
    x, count = draw.array("f32", draw.shape(1, 2, empty=0)), draw.integer(0, 4)
    nodes, compute = chain(draw, "v", inner_names(draw, "v_out"))
    scans = draw.chance(0.5) and count > 0
    nodes.append(Node("Identity", ["going"], ["going_out"]))
    outputs = ["going_out", "v_out"]
    if scans:
        nodes.append(Node("Neg", ["v"], ["scanned"]))
        outputs.append("scanned")
    body = Graph(nodes, outputs, [("i", "i64", ()), ("going", "bool", ()), ("v", "f32", x.shape)])
    v, rows = x.values, []
    for _ in range(count):
        rows.append(-v)
        v = compute(v)
    expected = {"y0": Expected(v, "f32")}
    if scans:
        expected["y1"] = Expected(np.stack(rows), "f32")
    constants = {"n": Array(np.array(count), "i64")}
    condition = draw.choose(["", "c"])
    if condition:
        constants["c"] = Array(np.array(True), "bool")
    return Model([Node("Loop", ["n", condition, "x0"], list(expected), {"body": body})], {"x0": x}, constants, expected, draw.opset(13))


@generator("Scan")
def scan(draw, name):
    length, shape = draw.integer(1, 4), draw.shape(0, 2, empty=0)
    state, x = draw.array("f32", shape), draw.array("f32", (length, *shape))
    nodes, compute = chain(draw, "s", inner_names(draw, "t"))
    nodes += [Node("Add", ["t", "row"], ["s_out"]), Node("Neg", ["s_out"], ["row_out"])]
    body = Graph(nodes, ["s_out", "row_out"], [("s", "f32", shape), ("row", "f32", shape)])
    backward = draw.integer(0, 1)
    v, rows = state.values.astype(np.float32), []
    for row in x.values.astype(np.float32)[::-1 if backward else 1]:
        v = (compute(v) + row).astype(np.float32)
        rows.append(-v)
    given = {"body": body, "num_scan_inputs": 1}
    given.update({"scan_input_directions": [backward]} if backward else {})
    expected = {"y0": Expected(v.astype(float), "f32"), "y1": Expected(np.stack(rows).astype(float), "f32")}
    return Model([Node("Scan", ["x0", "x1"], ["y0", "y1"], given)], {"x0": state, "x1": x}, {}, expected, draw.opset(9))


@generator("SequenceConstruct", "SplitToSequence")
def sequences(draw, name):
    element, shape = draw.choose(["f32", "i64", "u8"]), draw.shape(1, 3, empty=0)
    inputs, constants, nodes = {}, {}, []
    if name == "SequenceConstruct":
        parts = [draw.array(element, shape) for _ in range(draw.integer(1, 4))]
        inputs = {f"x{i}": p for i, p in enumerate(parts)}
        nodes.append(Node(name, list(inputs), ["s"]))
        values = [p.values for p in parts]
    else:
        x, axis = draw.array(element, shape), draw.axis(len(shape))
        inputs = {"x0": x}
        keep = draw.integer(0, 1)
        values = np.split(x.values, x.shape[axis], axis)
        values = values if keep else [np.squeeze(v, axis) for v in values]
        nodes.append(Node(name, ["x0"], ["s"], {"axis": axis, "keepdims": keep}))
    how = draw.choose(["at", "concat", "erase", "length"])
    at = draw.integer(-len(values), len(values) - 1)
    constants["at"] = Array(np.array(at), "i64")
    if how == "at":
        nodes.append(Node("SequenceAt", ["s", "at"], ["y0"]))
        y = values[at]
    elif how == "length":
        nodes.append(Node("SequenceLength", ["s"], ["y0"]))
        del constants["at"]
        return Model(nodes, inputs, constants, {"y0": Expected(np.array(len(values)), "i64")}, draw.opset(11))
    else:
        if how == "erase" and len(values) > 1:
            nodes.append(Node("SequenceErase", ["s", "at"], ["t"]))
            values = [v for i, v in enumerate(values) if i != at % len(values)]
        else:
            del constants["at"]
        new = draw.integer(0, 1) if name == "SequenceConstruct" or values[0].ndim == 0 else 0
        new = 1 if values[0].ndim == 0 else new
        nodes.append(Node("ConcatFromSequence", [nodes[-1].outputs[0]], ["y0"], {"axis": 0, "new_axis": new}))
        y = np.stack(values) if new else np.concatenate(values)
    return Model(nodes, inputs, constants, {"y0": Expected(y, element)}, draw.opset(13))
