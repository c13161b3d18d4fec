"""Graphs of a spec that are written down and computed with numpy, in double precision, at the same time."""
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from arrays import softmax

TYPES = {np.dtype(np.float32): "f32", np.dtype(np.float64): "f32", np.dtype(np.int64): "i64", np.dtype(np.bool_): "bool"}


def attend(q, k, v, mask=None, causal=False):
    """Attention of [batch, heads, length, width]; heads of k and v are shared by groups of those of q."""
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, 1), np.repeat(v, group, 1)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    return softmax(scores) @ v


def rotate(x, cosines, sines):
    """The halves of rows of [batch, heads, length, width], by angles of [length, width / 2]."""
    first, second = np.split(x, 2, -1)
    return np.concatenate([first * cosines - second * sines, second * cosines + first * sines], -1)


def split_heads(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def join_heads(x):
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def attention(q, k, v, mask=None, q_num_heads=None, kv_num_heads=None, is_causal=0):
    return join_heads(attend(split_heads(q, q_num_heads), split_heads(k, kv_num_heads), split_heads(v, kv_num_heads), mask, is_causal))


def rotary(x, cosines, sines, num_heads=None):
    return join_heads(rotate(split_heads(x, num_heads), cosines[:, None], sines[:, None]))


def sliced(x, starts, ends, axes):
    index = [slice(None)] * x.ndim
    for start, end, axis in zip(starts, ends, axes):
        index[axis] = slice(start, end)
    return x[tuple(index)]


def along(function):
    return lambda x, axes, keepdims=1: function(x, axis=tuple(axes), keepdims=bool(keepdims))


OPERATORS = {
    "Add": np.add,
    "Attention": attention,
    "Cast": lambda x, to: x.astype({"f32": float, "bool": bool}[to]),
    "Concat": lambda *x, axis: np.concatenate(x, axis),
    "Div": np.divide,
    "Exp": np.exp,
    "Expand": lambda x, shape: np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(shape))),
    "Gather": lambda x, indices, axis: np.take(x, indices, axis),
    "Greater": np.greater,
    "IsNaN": np.isnan,
    "LessOrEqual": np.less_equal,
    "MatMul": np.matmul,
    "Mul": np.multiply,
    "Neg": np.negative,
    "Range": lambda start, end, step: np.arange(start, end, step),
    "ReduceMax": along(np.max),
    "ReduceSum": along(np.sum),
    "Reshape": lambda x, shape: x.reshape(shape),
    "RotaryEmbedding": rotary,
    "Slice": sliced,
    "Softmax": softmax,
    "Split": lambda x, sizes, axis: np.split(x, np.cumsum(sizes)[:-1], axis),
    "Squeeze": lambda x, axes: np.squeeze(x, tuple(axes)),
    "Sqrt": np.sqrt,
    "Sub": np.subtract,
    "Tile": np.tile,
    "Transpose": lambda x, perm: x.transpose(perm),
    "Trilu": lambda x, k, upper: np.triu(x, k) if upper else np.tril(x, k),
    "Unsqueeze": lambda x, axes: np.expand_dims(x, tuple(axes)),
    "Where": np.where,
}


class Tensor:
    def __init__(self, name, value):
        self.name, self.value, self.shape = name, value, value.shape


class Graph:
    def __init__(self, name, seed):
        self.name, self.numbers = name, np.random.default_rng(seed)
        self.inputs, self.weights, self.nodes, self.output_name, self.arrays = {}, {}, [], None, {}

    def input(self, name, shape, value=None):
        value = self.numbers.uniform(-1, 1, shape).astype(np.float32) if value is None else value
        self.inputs[name] = self.arrays[name] = value
        return Tensor(name, value.astype(float) if value.dtype == np.float32 else value)

    def constant(self, value):
        """An initialiser. Numbers have the precision of f32."""
        value = np.asarray(value)
        name = f"c{len(self.weights)}"
        self.weights[name] = value.astype(np.float32) if value.dtype == float else value
        return Tensor(name, self.weights[name].astype(value.dtype))

    def random(self, *shape):
        return self.constant(self.numbers.uniform(-0.05, 0.05, shape))

    def __call__(self, operator, *inputs, **attributes):
        inputs = [x if isinstance(x, Tensor) else self.constant(x) for x in inputs]
        results = OPERATORS[operator](*(x.value for x in inputs), **attributes)
        results = results if isinstance(results, (list, tuple)) else [results]
        tensors = [Tensor(f"{operator.lower()}_{len(self.nodes)}_{i}", np.asarray(value)) for i, value in enumerate(results)]
        self.nodes.append((operator, inputs, tensors, attributes))
        return tensors[0] if len(tensors) == 1 else tensors

    def output(self, tensor, expected):
        """What the spelling computes must be what is expected."""
        np.testing.assert_allclose(tensor.value, expected, rtol=1e-5, atol=1e-5, err_msg=self.name)
        self.output_name = tensor.name
        self.arrays[tensor.name] = expected.astype(np.float32)

    def write(self, folder):
        """The graph in YAML; arrays beside it."""
        def weight(name, value):
            np.save(folder / f"{self.name}.{name}.npy", value)
            return f'{{type: "{TYPES[value.dtype]}{list(value.shape)}", file: {self.name}.{name}.npy}}'

        np.savez(folder / f"{self.name}.npz", **self.arrays)
        lines = [f"- name: {self.name}", "  inputs:"]
        lines += [f'    {name}: "{TYPES[value.dtype]}{list(value.shape)}"' for name, value in self.inputs.items()]
        lines += ["  weights:"] if self.weights else []
        lines += [f"    {name}: {weight(name, value)}" for name, value in self.weights.items()]
        lines += ["  nodes:"]
        for operator, inputs, results, attributes in self.nodes:
            names = [", ".join(x.name for x in tensors) for tensors in (inputs, results)]
            settings = ", ".join(f"{key}: {value}" for key, value in attributes.items())
            lines.append(f"  - {{op: {operator}, inputs: [{names[0]}], outputs: [{names[1]}], attributes: {{{settings}}}}}")
        return "\n".join(lines + [f"  outputs: [{self.output_name}]"]) + "\n"
