"""LSTM, GRU and RNN, step by step in longdouble, with the error that an implementation may have made by then."""
import numpy as np

import reference as ref
from cases import F32, F64, SHORT, Case, as_dtype, shape_name, uniform
from narrow import FORMATS, LONG
from narrow_cases import NarrowCases

ONE = LONG(1)
# Of each function: itself, a bound of its slope, and the parameters that it takes with their defaults.
FUNCTIONS = {
    "Sigmoid": (lambda x, a, b: 1 / (1 + np.exp(-x)), lambda a, b: 0.25, ()),
    "Tanh": (lambda x, a, b: np.tanh(x), lambda a, b: 1, ()),
    "Relu": (lambda x, a, b: np.maximum(x, 0), lambda a, b: 1, ()),
    "Affine": (lambda x, a, b: a * x + b, lambda a, b: abs(a), (1.0, 0.0)),
    "LeakyRelu": (lambda x, a, b: np.where(x < 0, a * x, x), lambda a, b: max(1, abs(a)), (0.01,)),
    "ThresholdedRelu": (lambda x, a, b: np.where(x > a, x, 0), lambda a, b: 1, (1.0,)),
    "ScaledTanh": (lambda x, a, b: a * np.tanh(b * x), lambda a, b: abs(a * b), (1.0, 1.0)),
    "HardSigmoid": (lambda x, a, b: np.clip(a * x + b, 0, 1), lambda a, b: abs(a), (0.2, 0.5)),
    "Elu": (lambda x, a, b: np.where(x > 0, x, a * np.expm1(x)), lambda a, b: max(1, abs(a)), (1.0,)),
    "Softsign": (lambda x, a, b: x / (1 + abs(x)), lambda a, b: 1, ()),
    "Softplus": (lambda x, a, b: np.maximum(x, 0) + np.log1p(np.exp(-abs(x))), lambda a, b: 1, ()),
}


class Near:
    """An exact value, and how far from it one computed with unit roundoff u may be."""

    def __init__(self, value, error, u):
        self.value, self.error, self.u = np.asarray(value, LONG), np.asarray(error, LONG), u

    def rounding(self, value, error):
        return Near(value, error + self.u * (abs(value) + error), self.u)

    def __add__(self, other):
        return self.rounding(self.value + other.value, self.error + other.error)

    def __sub__(self, other):
        return self.rounding(self.value - other.value, self.error + other.error)

    def __mul__(self, other):
        return self.rounding(self.value * other.value, abs(self.value) * other.error + abs(other.value) * self.error + self.error * other.error)

    def times(self, matrix):
        """x W', of an exact matrix."""
        matrix = np.asarray(matrix, LONG)
        value, size = self.value @ matrix.T, (abs(self.value) + self.error) @ abs(matrix).T
        return Near(value, self.error @ abs(matrix).T + (matrix.shape[1] + 2) * self.u * size, self.u)

    def columns(self, hidden, gate):
        part = slice(gate * hidden, (gate + 1) * hidden)
        return Near(self.value[..., part], self.error[..., part], self.u)

    def clipped(self, limit):
        return self if limit is None else Near(np.clip(self.value, -limit, limit), self.error, self.u)

    def where(self, mask, other):
        return Near(np.where(mask, self.value, other.value), np.where(mask, self.error, other.error), self.u)

    def stored(self, half_ulp):
        """Rounded to a narrower type, so that what it becomes may be anything within half an ulp."""
        return Near(self.value, self.error + half_ulp(abs(self.value) + self.error), self.u)


def activations(names, alpha, beta, units):
    """Functions of Near, within so many u; alphas and betas are taken in turn by those that have them."""
    alphas, betas = list(alpha or []), list(beta or [])
    result = []
    for name in names:
        function, slope, defaults = FUNCTIONS[name]
        a, b = (list(defaults) + [0, 0])[:2]
        a = alphas.pop(0) if len(defaults) > 0 and alphas else a
        b = betas.pop(0) if len(defaults) > 1 and betas else b

        def apply(x, function=function, slope=slope, a=LONG(a), b=LONG(b)):
            value = function(x.value, a, b)
            return Near(value, LONG(slope(a, b)) * x.error + units * x.u * (abs(value) + abs(b)), x.u)

        result.append(apply)
    return result


class Layer:
    """The tensors of one node and its results, time first."""

    GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
    DEFAULTS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}

    def __init__(self, op, unit, half_ulp, units=12, direction="forward", activations=None, activation_alpha=None, activation_beta=None, clip=None,
                 input_forget=0, linear_before_reset=0, layout=0, hidden_size=None):
        self.units = units
        self.op, self.unit, self.half_ulp, self.direction, self.clip = op, unit, half_ulp, direction, clip
        self.input_forget, self.linear_before_reset, self.layout = input_forget, linear_before_reset, layout
        self.names, self.alpha, self.beta = activations, activation_alpha, activation_beta

    def near(self, value):
        return Near(value, LONG(0) * np.asarray(value, LONG), self.unit)

    def step(self, d, x, h, c):
        hidden = self.r.shape[2]
        f = self.functions[d]
        act = lambda i, value: f[i](value.clipped(self.clip))
        w, r = self.w[d], self.r[d]
        wb, rb = (self.near(self.b[d][i * len(w):(i + 1) * len(w)]) for i in (0, 1))
        if self.op == "GRU":
            part = lambda i: slice(i * hidden, (i + 1) * hidden)
            inputs = x.times(w) + wb
            early = h.times(r) + rb
            z, reset = (act(0, inputs.columns(hidden, i) + early.columns(hidden, i)) for i in (0, 1))
            if self.linear_before_reset:
                late = reset * early.columns(hidden, 2)
            else:
                late = (reset * h).stored(self.half_ulp).times(r[part(2)]) + rb.columns(hidden, 2)
            fresh = act(1, inputs.columns(hidden, 2) + late)
            return (self.near(LONG(1)) - z) * fresh + z * h, None
        gates = x.times(w) + h.times(r) + (wb + rb)
        if self.op == "RNN":
            return act(0, gates), None
        i, o, forget, cell = (gates.columns(hidden, n) for n in range(4))
        p = [self.near(self.p[d][n * hidden:(n + 1) * hidden]) for n in range(3)]
        i = act(0, i + p[0] * c)
        forget = self.near(LONG(1)) - i if self.input_forget else act(0, forget + p[2] * c)
        c = forget * c + i * act(1, cell)
        return act(0, o + p[1] * c) * act(2, c), c

    def run(self, x, w, r, b=None, lens=None, h0=None, c0=None, p=None):
        """[Y, Y_h, Y_c] as Near, in the node's layout."""
        swap = (lambda v: np.swapaxes(v, 0, 1)) if self.layout else (lambda v: v)
        x = swap(np.asarray(x, LONG))
        steps, batch, _ = x.shape
        directions, rows, hidden = r.shape
        self.w, self.r = w, r
        self.b = np.zeros((directions, 2 * rows)) if b is None else b
        self.p = np.zeros((directions, 3 * hidden)) if p is None else p
        state = lambda v: np.zeros((directions, batch, hidden)) if v is None else swap(v)
        count = len(self.DEFAULTS[self.op])
        names = self.names or self.DEFAULTS[self.op] * directions
        self.functions = activations(names, self.alpha, self.beta, self.units)
        self.functions = [self.functions[d * count:(d + 1) * count] for d in range(directions)]
        y = np.zeros((2, steps, directions, batch, hidden), LONG)
        last = {name: np.zeros((2, directions, batch, hidden), LONG) for name in "hc"}
        for d in range(directions):
            h, c = self.near(state(h0)[d]), self.near(state(c0)[d])
            fresh = h
            order = range(steps)
            for t in reversed(order) if d == 1 or self.direction == "reverse" else order:
                active = np.ones((batch, 1), bool) if lens is None else (t < np.asarray(lens))[:, None]
                new, new_c = self.step(d, self.near(x[t]), h, c)
                fresh = new.where(active, fresh)  # before it is rounded
                h = new.stored(self.half_ulp).where(active, h)
                c = c if new_c is None else new_c.where(active, c)
                y[0, t, d], y[1, t, d] = np.where(active, new.value, 0), np.where(active, new.error, 0)
            last["h"][0, d], last["h"][1, d] = fresh.value, fresh.error
            last["c"][0, d], last["c"][1, d] = c.value, c.error
        if self.layout:
            y = np.moveaxis(y, 3, 1)
            last = {name: np.swapaxes(v, 1, 2) for name, v in last.items()}
        return [y, last["h"]] + ([last["c"]] if self.op == "LSTM" else [])


# label: (steps, batch, inputs, hidden), which of B, sequence_lens, initial_h, initial_c and P there are, attributes
ALL = "blhcp"
SHAPES = {
    "LSTM": [
        ((3, 2, 5, 7), "b", {}),
        ((4, 1, 3, 17), "", {}),
        ((5, 3, 4, 6), "bhcp", {"direction": "reverse"}),
        ((3, 2, 3, 5), "bhc", {"direction": "bidirectional"}),
        ((4, 3, 5, 4), "blhcp", {"direction": "bidirectional", "layout": 1}),
        ((5, 4, 2, 3), "bl", {"hidden_size": 3}),
        ((5, 4, 2, 3), "lh", {"direction": "reverse"}),
        ((3, 2, 6, 5), "bp", {"input_forget": 1, "clip": 0.75}),
        ((2, 5, 3, 8), "b", {"activations": ["HardSigmoid", "Softsign", "Relu"], "activation_alpha": [0.25], "layout": 1}),
        ((2, 1, 3, 4), "b", {"activations": ["Sigmoid", "Elu", "ScaledTanh", "Softplus", "LeakyRelu", "Affine"], "direction": "bidirectional",
                             "activation_alpha": [0.5, 1.5, 0.125, 2.0], "activation_beta": [0.75, 0.25]}),
        ((1, 1, 1, 1), "bhc", {}),
        ((0, 2, 3, 4), "bhc", {}),
        ((2, 3, 0, 4), "b", {}),
    ],
    "GRU": [
        ((3, 2, 5, 7), "b", {}),
        ((3, 2, 5, 7), "b", {"linear_before_reset": 1}),
        ((4, 1, 3, 17), "", {}),
        ((4, 1, 3, 17), "h", {"linear_before_reset": 1, "direction": "reverse"}),
        ((3, 2, 3, 5), "bh", {"direction": "bidirectional"}),
        ((4, 3, 5, 4), "blh", {"direction": "bidirectional", "layout": 1, "linear_before_reset": 1}),
        ((5, 4, 2, 3), "bl", {"direction": "reverse", "clip": 0.5}),
        ((2, 5, 3, 8), "b", {"activations": ["Softsign", "ThresholdedRelu"], "activation_alpha": [0.5], "layout": 1}),
        ((1, 1, 1, 1), "bh", {}),
        ((0, 2, 3, 4), "bh", {}),
    ],
    "RNN": [
        ((3, 2, 5, 7), "b", {}),
        ((4, 3, 3, 17), "blh", {"direction": "bidirectional", "layout": 1}),
        ((4, 1, 3, 5), "", {"direction": "reverse", "activations": ["Relu"], "clip": 2.5}),
        ((1, 1, 1, 1), "h", {}),
    ],
}
LARGE = {
    "LSTM": [((6, 1, 40, 70), "b", {}), ((4, 9, 33, 40), "bhc", {"direction": "bidirectional"}), ((3, 70, 20, 36), "b", {})],
    "GRU": [((6, 1, 40, 70), "b", {}), ((5, 9, 33, 40), "bh", {"linear_before_reset": 1}), ((3, 70, 20, 36), "b", {})],
    "RNN": [((5, 9, 33, 50), "bh", {})],
}


def label_of(sizes, parts, attributes):
    words = [shape_name(sizes), parts] + [f"{k}-{'-'.join(map(str, v)) if isinstance(v, list) else v}" for k, v in attributes.items()
                                          if not k.startswith("activation_")]
    return "-".join(w for w in words if w).replace("_", "-").replace(".", "-").lower()


def tensors(op, random, sizes, parts, attributes):
    steps, batch, inputs, hidden = sizes
    directions = 2 if attributes.get("direction") == "bidirectional" else 1
    rows = Layer.GATES[op] * hidden
    first = lambda *shape: (shape[1], shape[0], *shape[2:]) if attributes.get("layout") else shape
    scale = min(1.0, 1.5 / hidden ** 0.5)
    state = first(directions, batch, hidden)
    lens = (np.array([steps, 0, 1, max(0, steps - 1), 2][:batch]) if steps else np.zeros(batch)).astype(np.int32)
    optional = [("b", lambda: random("b", (directions, 2 * rows), -0.5, 0.5)), ("l", lambda: lens), ("h", lambda: random("h", state, -1.0, 1.0)),
                ("c", lambda: random("c", state, -1.0, 1.0)), ("p", lambda: random("p", (directions, 3 * hidden), -0.5, 0.5))]
    values = [random("x", first(steps, batch, inputs), -1.0, 1.0), random("w", (directions, rows, inputs), -scale, scale),
              random("r", (directions, rows, hidden), -scale, scale)]
    values += [make() if key in parts else None for key, make in optional]
    while values[-1] is None:
        values.pop()
    return values


def weights_of(values):
    return [i for i in (1, 2, 3) if i < len(values) and values[i] is not None]


def wide_case(op, dtype, sizes, parts, attributes, runs, large=False):
    label = label_of(sizes, parts, attributes)
    values = tensors(op, lambda n, shape, low, high: uniform(f"{op} {label} {n}", dtype, shape, low, high), sizes, parts, attributes)
    layer = Layer(op, ref.unit(dtype), lambda size: LONG(0), **attributes)
    results = layer.run(*values)
    expected = [as_dtype(v[0], dtype) for v in results]
    bounds = [v[1] + ref.half_ulp(v[0], dtype) for v in results]
    return Case(f"{SHORT[dtype]}-{'large-' if large else ''}{label}", values, expected, bounds=bounds,
                constants=[weights_of(values)] if runs else [], large=large, **attributes)


def narrow_case(op, format, sizes, parts, attributes):
    maker = NarrowCases(format)
    label = label_of(sizes, parts, attributes)
    values = tensors(op, lambda n, shape, low, high: maker.random(f"{op} {label} {n}", shape, low, high), sizes, parts, attributes)
    layer = Layer(op, LONG(2) ** -24, format.half_ulp, format.few_digits, **attributes)
    pairs = [format.result(v[0], v[1]) for v in layer.run(*[v if v is None else np.asarray(v) for v in values])]
    return Case(f"{format.name}-{label}", values, [e for e, _ in pairs], bounds=[b for _, b in pairs], constants=[weights_of(values)], **attributes)


def skipping(op, sizes, parts, names, attributes):
    """A graph of one node, some of whose results have no name."""
    case = wide_case(op, F32, sizes, parts, attributes, runs=True)
    case.name += "-" + "-".join(n or "none" for n in names)
    inputs = ["" if v is None else f"x{i}" for i, v in enumerate(case.inputs)]
    case.nodes, case.outputs = [("node", op, inputs, attributes, *names)], [n for n in names if n]
    kept = [i for i, n in enumerate(names) if n]
    case.expected, case.bounds = [case.expected[i] for i in kept], [case.bounds[i] for i in kept]
    case.attributes = {}
    return case


def of(op):
    def make():
        for i, (sizes, parts, attributes) in enumerate(SHAPES[op]):
            yield wide_case(op, F32, sizes, parts, attributes, runs=True)
        for sizes, parts, attributes in SHAPES[op][1::3]:
            yield wide_case(op, F64, sizes, parts, attributes, runs=False)
        for sizes, parts, attributes in LARGE[op]:
            yield wide_case(op, F32, sizes, parts, attributes, runs=True, large=True)
        for format in FORMATS.values():
            for sizes, parts, attributes in SHAPES[op][:5:2]:
                yield narrow_case(op, format, sizes, parts, attributes)
        if op == "LSTM":
            yield skipping(op, (3, 2, 4, 5), "b", ["y"], {})
            yield skipping(op, (3, 2, 4, 5), "b", ["", "h"], {})
            yield skipping(op, (3, 2, 4, 5), "bl", ["", "", "c"], {"direction": "bidirectional"})
            yield skipping(op, (3, 2, 4, 5), "b", ["y", "", "c"], {"direction": "reverse"})
        if op == "GRU":
            yield skipping(op, (3, 2, 4, 5), "b", ["", "h"], {})

    return make


OPERATORS = {op: of(op) for op in SHAPES}
