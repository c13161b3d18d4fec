"""ONNX models of single functions that exporters take apart, in two styles, for onnx_forms.py."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

STYLES = ("initializers", "inlined")
TYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int64): TensorProto.INT64, np.dtype(np.bool_): TensorProto.BOOL}


class Model:
    """`initializers`: constants are weights, axes count from the end, squares are powers. `inlined`: constants are nodes, axes count from the
    front, squares are products."""

    def __init__(self, style, seed):
        self.is_inlined, self.numbers = style == "inlined", np.random.default_rng(seed)
        self.nodes, self.initializers, self.inputs, self.arrays = [], [], [], {}

    def input(self, *shape, value=None):
        """The tensor's name and its numbers in double precision."""
        name = f"x{len(self.inputs)}"
        value = self.numbers.normal(0, 1, shape).astype(np.float32) if value is None else value
        self.inputs.append(helper.make_tensor_value_info(name, TYPES[value.dtype], value.shape))
        self.arrays[name] = value
        return name, value.astype(float) if value.dtype == np.float32 else value

    def constant(self, value):
        value = np.asarray(value)
        value = value.astype(np.float32) if value.dtype == float else value
        name = f"c{len(self.nodes)}_{len(self.initializers)}"
        tensor = numpy_helper.from_array(value, name)
        if self.is_inlined:
            self.nodes.append(helper.make_node("Constant", [], [name], value=tensor))
        else:
            self.initializers.append(tensor)
        return name

    def random(self, *shape, low=-1.0, high=1.0):
        """A constant and its numbers."""
        value = self.numbers.uniform(low, high, shape).astype(np.float32)
        return self.constant(value), value.astype(float)

    def __call__(self, op, *inputs, results=1, **attributes):
        inputs = [x if isinstance(x, str) else self.constant(x) for x in inputs]
        names = [f"{op.lower()}{len(self.nodes)}_{i}" for i in range(results)]
        self.nodes.append(helper.make_node(op, inputs, names, **attributes))
        return names[0] if results == 1 else names

    def axes(self, rank, *axes):
        """Axes in the style's way of counting."""
        return [axis % rank if self.is_inlined else axis % rank - rank for axis in axes]

    def mean(self, x, rank, *axes):
        return self("ReduceMean", x, axes=self.axes(rank, *axes))

    def total(self, x, rank, *axes):
        return self("ReduceSum", x, np.array(self.axes(rank, *axes)))

    def largest(self, x, rank, *axes):
        return self("ReduceMax", x, axes=self.axes(rank, *axes))

    def square(self, x):
        return self("Mul", x, x) if self.is_inlined else self("Pow", x, 2.0)

    def write(self, folder, name, y, expected):
        """The model, and a file of its inputs and of what it is to compute."""
        self.arrays[y] = np.ascontiguousarray(expected, np.float32)
        output = helper.make_tensor_value_info(y, TensorProto.FLOAT, expected.shape)
        graph = helper.make_graph(self.nodes, name, self.inputs, [output], self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
        np.savez(folder / f"{name}.npz", **self.arrays)
