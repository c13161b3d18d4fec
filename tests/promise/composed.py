"""Graphs that are put together of pieces: the text of a spec, and the same in numpy's double precision."""
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
from random_graphs import nearest  # noqa: E402

# Half the distance of two numbers, relative: what rounding to the type may change.
ROUNDING = {"f32": 2.0**-24, "bf16": 2.0**-9, "f16": 2.0**-12, "f64": 2.0**-53}


class Value:
    """A result: its `shape` has numbers and, for sizes that are given in each call, expressions of their names. `form` is `rows`
    ([n, t, c]) or `image` ([n, c, h, w])."""

    def __init__(self, name, shape, form, type):
        self.name, self.shape, self.form, self.type = name, list(shape), form, type

    @property
    def channels(self):
        return self.shape[2 if self.form == "rows" else 1]


class Composed:
    """A graph. `sizes` gives the numbers of those of `n`, `t`, `h` and `w` that are no parameters, `bounds` the greatest of the others."""

    def __init__(self, name, type, sizes, bounds, seed):
        self.name, self.type, self.sizes, self.bounds = name, type, sizes, bounds
        self.rng = np.random.default_rng(seed)
        self.inputs, self.weights, self.nodes, self.steps, self.outputs = {}, {}, [], [], []

    def size(self, name):
        return self.sizes.get(name, name)

    def input(self, shape, form=None, type=None, below=None):
        """An input of random numbers, or of integers from 0 up to `below`."""
        value = Value(f"x{len(self.inputs)}", shape, form, type or self.type)
        self.inputs[value.name] = (value, below)
        return value

    def numbers(self, *shape, scale=1.0, start=0.0):
        """Numbers that bf16 has: whole multiples of 1/16, around `start`."""
        return start + scale * self.rng.integers(-16, 17, shape) / 16

    def weight(self, data, type=None):
        name = f"w{len(self.weights)}"
        data = np.asarray(data)
        type = type or (self.type if data.dtype.kind == "f" else "i64")
        self.weights[name] = (type, data)
        return name

    def op(self, op, inputs, function, like=None, shape=None, form=None, type=None, jumps=False, **attributes):
        """The result of a node whose numpy is `function`, which `jumps` if it rounds to steps; where `type` and `shape` are lists for
        several results, a list of them. Arrays among `inputs` become weights."""
        like = like or next(x for x in inputs if isinstance(x, Value))
        inputs = [x if isinstance(x, (Value, str)) else self.weight(x) for x in inputs]
        names = [x.name if isinstance(x, Value) else x or '""' for x in inputs]
        name = f"v{len(self.nodes)}"
        attributes = f", attributes: {{{', '.join(f'{key}: {value}' for key, value in attributes.items())}}}" if attributes else ""
        if not isinstance(type, list):
            values = [Value(name, like.shape if shape is None else shape, form or like.form, type or like.type)]
            outputs = ""
        else:
            values = [Value(f"{name}_{i}", one, form or like.form, of) for i, (of, one) in enumerate(zip(type, shape))]
            outputs = f", outputs: [{', '.join(x.name for x in values)}]"
        self.nodes.append(f"{{name: {name}, op: {op}, inputs: [{', '.join(names)}]{outputs}{attributes}}}")
        self.steps.append((values, names, function, jumps))
        return values if isinstance(type, list) else values[0]

    def text(self):
        """The graph as a list item of a spec's `graphs`."""
        lines = [f"  - name: {self.name}"]
        lines += [f"    dims: {{{', '.join(f'{name}: {{max: {most}}}' for name, most in self.bounds.items())}}}"] if self.bounds else []
        lines += ["    inputs:"]
        lines += [f'      {name}: "{x.type}[{", ".join(map(str, x.shape))}]"' for name, (x, _) in self.inputs.items()]
        lines += ["    weights:"] if self.weights else []
        for name, (type, data) in self.weights.items():
            content = data.item() if data.size == 1 else data.reshape(-1).tolist()
            lines.append(f'      {name}: {{type: "{type}[{", ".join(map(str, data.shape))}]", value: {content}}}')
        lines += ["    nodes:", *(f"      - {node}" for node in self.nodes), f"    outputs: [{', '.join(x.name for x in self.outputs)}]"]
        return "\n".join(lines) + "\n"

    def arrays(self, sizes, rng):
        """Numbers for the inputs, as doubles that the type has."""
        made = {}
        for name, (x, below) in self.inputs.items():
            shape = [eval(str(size), {"floordiv": lambda a, b: a // b}, sizes) for size in x.shape]
            made[name] = rng.integers(0, below, shape) if below else nearest(rng.uniform(-2, 2, shape), x.type)
        return made

    def expected(self, arrays, noise=None):
        """The outputs in double precision; with `noise` (a generator of random numbers), as if each node's were off by as much as
        rounding may make it."""
        values = dict(arrays)
        for name, (type, data) in self.weights.items():
            values[name] = nearest(data, type) if type in ROUNDING else data

        def disturbed(x, type, times):
            unit = times * max(ROUNDING[type], 8 * ROUNDING["f32"])
            return x + noise.uniform(-unit, unit, np.shape(x)) * np.abs(x)

        for made, names, function, jumps in self.steps:
            operands = [values[x] for x in names if x != '""']
            if noise is not None and jumps:  # what is so near to a step may be rounded to the next one
                operands[0] = disturbed(operands[0], self.type, 16)
            results = function(*operands)
            for x, result in zip(made, results if len(made) > 1 else [results]):
                values[x.name] = disturbed(result, x.type, 2) if noise is not None and x.type in ROUNDING else result
        return [values[x.name] for x in self.outputs]

    def limits(self, arrays, wanted):
        """How far the outputs may be from `wanted`: several times what rounding in all nodes makes of them."""
        noise = np.random.default_rng(1)
        disturbed = [self.expected(arrays, noise) for _ in range(4)]
        return [4 * max(np.abs(other[i] - right).max(initial=0) for other in disturbed) + 1e-6 * np.abs(right).max(initial=1)
                for i, right in enumerate(wanted)]
