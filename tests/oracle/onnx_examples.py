"""The standard's own examples of operators, as the onnx package makes them, as a table of graphs: an oracle that nobody of us wrote.

  onnx_examples.py FILE   write the table; print how many examples it has and why others are left out
"""
import collections
import pathlib
import pkgutil
import importlib
import sys

import numpy as np

for name, plain in (("bool", bool), ("int", int), ("float", float), ("object", object)):
    if name not in np.__dict__:
        setattr(np, name, plain)  # as older releases of onnx call them

import onnx
from onnx import numpy_helper
from onnx.backend.test.case import node as node_examples

import narrow
from cases import SHORT, Case
from oracle import NUMERICS, write
from tables import Table

# By TensorProto's numbers.
ELEMENTS = {1: "f32", 2: "u8", 3: "i8", 4: "u16", 5: "i16", 6: "i32", 7: "i64", 9: "bool", 10: "f16", 11: "f64", 12: "u32", 13: "u64", 16: "bf16"}
# Inputs that decide about shapes, and must be weights.
OF_SHAPES = {"CenterCropPad": [1], "ConstantOfShape": [0], "CumSum": [1], "Expand": [1], "OneHot": [1], "Pad": [1, 3], "Range": [0, 1, 2], "Reshape": [1], "Resize": [1, 2, 3],
             "Slice": [1, 2, 3, 4], "Split": [1], "Squeeze": [1], "Tile": [1], "TopK": [1], "Trilu": [1], "Unsqueeze": [1], "Upsample": [1],
             **{f"Reduce{kind}": [1] for kind in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")}}
# Examples that kgen leaves out, by the beginnings of their names.
LEFT_OUT = {
    "images of three dimensions": ["averagepool_3d", "maxpool_3d", "convtranspose_3d"],
    "training": ["batchnorm_example_training", "batchnorm_epsilon_training", "training_dropout", "dropout_random"],
    "a shape that is only known at run time": ["blackmanwindow", "hammingwindow", "hannwindow"],
    # kgen-onnx-conformance has them.
    "bf16 in arrays of uint16": ["cast_FLOAT_to_BFLOAT16", "cast_BFLOAT16_to_FLOAT", "castlike_FLOAT_to_BFLOAT16", "castlike_BFLOAT16_to_FLOAT"],
    "indices that are no integers": ["onehot_with_axis", "onehot_with_negative_axis"],
}


class LeftOut(Exception):
    """Why an example is no case."""


def array(value):
    if not isinstance(value, (np.ndarray, np.generic)):
        raise LeftOut("sequences and optional values")
    value = np.asarray(value)
    if value.dtype == np.float16:
        return narrow.FORMATS[narrow.FP16].rounded(value)
    if value.dtype.type not in SHORT:
        raise LeftOut(f"elements of {value.dtype}")
    return value


def attributes_of(node):
    values = {}
    for each in node.attribute:
        value = onnx.helper.get_attribute_value(each)
        if node.op_type == "ConstantOfShape":
            value = numpy_helper.to_array(value)
            return {"value": value.item(), "type": ELEMENTS[each.t.data_type]}
        if isinstance(value, (onnx.TensorProto, onnx.SparseTensorProto, onnx.GraphProto)):
            raise LeftOut(f"{node.op_type} with {each.name}")
        if (node.op_type, each.name) in (("Cast", "to"), ("EyeLike", "dtype")):
            if value not in ELEMENTS:
                raise LeftOut("a Cast to strings")
            value = ELEMENTS[value]
        if isinstance(value, bytes):
            value = value.decode()
        elif not isinstance(value, (int, float, str)):
            value = [v.decode() if isinstance(v, bytes) else v for v in value]
        values[each.name] = value
    return values


def bound(example, result):
    if narrow.format_of(result) or result.dtype.kind == "f":
        rounded = 1e-3 if narrow.format_of(result) else 0
        size = np.abs(np.asarray(result, np.longdouble))
        return np.where(np.isfinite(size), size, 0) * max(example.rtol, rounded) + max(example.atol, rounded, 1e-6)
    return np.zeros(result.shape)


def read_nodes(graph):
    """Those whose results somebody reads."""
    wanted, nodes = {result.name for result in graph.output}, []
    for node in reversed(graph.node):
        if wanted.intersection(node.output):
            wanted.update(node.input)
            nodes.insert(0, node)
    return nodes


def case_of(example, operators):
    name, graph = example.name.removeprefix("test_"), example.model.graph
    for reason, names in LEFT_OUT.items():
        if name.startswith(tuple(names)):
            raise LeftOut(reason)
    inputs, results = example.data_sets[0]
    values = {given.name: array(value) for given, value in zip(graph.input, inputs)}
    weights, nodes = [], []
    for each in graph.initializer:
        values[each.name] = array(numpy_helper.to_array(each))
        weights.append(each.name)
    for node in read_nodes(graph):
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            values[node.output[0]] = array(numpy_helper.to_array(node.attribute[0].t))
            weights.append(node.output[0])
        elif node.op_type not in operators:
            raise LeftOut(f"the operator {node.op_type}")
        else:
            nodes.append(node)
            weights += [node.input[i] for i in OF_SHAPES.get(node.op_type, []) if i < len(node.input) and node.input[i] in values]
    if any(result.name in values for result in graph.output):
        raise LeftOut("a result that is a constant")
    if set(values).difference(name for node in nodes for name in node.input):
        raise LeftOut("an input that nobody reads")
    names = {name: f"x{i}" for i, name in enumerate(values)}
    known = lambda name: names.setdefault(name, f"v{len(names)}") if name else ""
    case = Case(name, list(values.values()), [array(result) for result in results], weights=sorted({list(values).index(w) for w in weights}))
    case.bounds = [bound(example, result) for result in case.expected]
    case.nodes = [(f"n{i}", node.op_type, [known(v) for v in node.input], attributes_of(node), *map(known, node.output)) for i, node in enumerate(nodes)]
    case.outputs = [known(result.name) for result in graph.output]
    return case


def examples():
    for module in pkgutil.iter_modules(node_examples.__path__):
        importlib.import_module(f"{node_examples.__name__}.{module.name}")
    return node_examples._NodeTestCases


def main(file):
    known = {path.read_text().splitlines()[1].removeprefix("op: ") for path in (NUMERICS / "ops").glob("*.yaml")}
    cases, reasons, names = [], collections.Counter(), collections.Counter()
    for example in examples():
        try:
            case = case_of(example, known)
            names[case.name] += 1
            if names[case.name] > 1:  # some are there twice
                case.name += f"_{names[case.name]}"
            cases.append(case)
        except LeftOut as reason:
            reasons[str(reason)] += 1
    write(file, Table("graphs", "onnx", cases))
    print(f"{len(cases)} examples; left out:")
    for reason, count in reasons.most_common():
        print(f"{count:4} {reason}")
    return 0 if len(cases) > 600 else 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
