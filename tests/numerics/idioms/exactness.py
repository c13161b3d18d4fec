"""Functions that exporters spell out, recognized and not, against numpy in double precision: exactness.py KGEN FOLDER

Each graph is written twice: with constants, so that it is recognized, and with the same numbers as inputs, so that it is computed as it is spelled. In no
variant that this CPU supports may the recognized one be further off, but by what it makes out that roundings fall differently. Distances are units in the
last place of the exact result; of normalizations, whose results are differences, of the largest one in the row. What both make of NaN and of infinities
is the same. CC links the library.
"""
import json
import math
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lib"))
from commands import run

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy)")
    sys.exit(77)

TARGETS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]
ROWS, COLUMNS = 256, 512

# Of the same number of roundings, in another order: how much larger the largest distance of a sample and the mean may be. With a table of powers that are
# rounded to f32, sigmoids are off by 1.33 and 1.05 times as much.
MOST_RATIO, MEAN_RATIO = 1.25, 1.02


class Graph:
    """Nodes of one spelling; `constants` says whether its numbers are weights or inputs."""

    def __init__(self, name, constants):
        self.name, self.constants = name, constants
        self.numbers, self.nodes = {}, []

    def number(self, value):
        for name, known in self.numbers.items():
            if known == value:
                return name
        name = f"number{len(self.numbers)}"
        self.numbers[name] = value
        return name

    def __call__(self, op, *inputs, **attributes):
        name = f"{op.lower()}{len(self.nodes)}"
        inputs = [x if isinstance(x, str) else self.number(x) for x in inputs]
        settings = ", ".join(f"{key}: {value}" for key, value in attributes.items())
        self.nodes.append(f"      - {{name: {name}, op: {op}, inputs: [{', '.join(inputs)}], attributes: {{{settings}}}}}")
        return name

    def hidden(self, x):
        """x, and 0 that is only known when the function runs."""
        return x if self.constants else self("Add", x, 0.0)

    def text(self, y):
        lines = [f"  - name: {self.name}", "    inputs:", f'      x: "f32[{ROWS}, {COLUMNS}]"']
        if self.constants and self.numbers:
            lines.append("    weights:")
        lines += [f'      {name}: ' + (f'{{type: "f32[]", value: {value!r}}}' if self.constants else '"f32[]"') for name, value in self.numbers.items()]
        return "\n".join(lines + ["    nodes:"] + self.nodes + [f"    outputs: [{y}]"]) + "\n"


def sigmoid(g, x="x"):
    return g("Div", 1.0, g("Add", 1.0, g("Exp", g("Neg", x))))


def silu(g):
    return g("Mul", "x", sigmoid(g))


def silu_quotient(g):
    return g("Div", "x", g("Add", g("Exp", g("Neg", "x")), 1.0))


def hard_swish(g):
    limited = g("Min", g("Max", g("Add", "x", 3.0), 0.0), 6.0)
    return g("Div", g("Mul", "x", limited), 6.0)


def gelu(g):
    return g("Mul", g("Mul", "x", 0.5), g("Add", g("Erf", g("Div", "x", 1.4142135381698608)), 1.0))


def gelu_tanh(g):
    inner = g("Mul", g("Add", "x", g("Mul", 0.044714998453855515, g("Pow", "x", 3.0))), 0.7978845834732056)
    return g("Mul", g("Mul", "x", 0.5), g("Add", g("Tanh", inner), 1.0))


def powers(g):
    """x - max(x) and its exponential."""
    difference = g("Sub", "x", g.hidden(g("ReduceMax", "x", axes=[-1])))
    return difference, g("Exp", difference)


def softmax(g):
    power = powers(g)[1]
    return g("Div", power, g("ReduceSum", power, axes=[-1]))


def log_softmax(g):
    difference, power = powers(g)
    return g("Sub", difference, g("Log", g("ReduceSum", power, axes=[-1])))


def layer_norm(g):
    centred = g("Sub", "x", g("ReduceMean", "x", axes=[-1]))
    variance = g("ReduceMean", g("Mul", centred, centred), axes=[-1])
    return g("Div", centred, g("Sqrt", g("Add", variance, 9.999999747378752e-06)))


def rms_norm(g):
    return g("Mul", "x", g("Reciprocal", g("Sqrt", g("Add", g("ReduceMean", g("Pow", "x", 2.0), axes=[-1]), 9.999999747378752e-06))))


def logistic(x):
    power = np.exp(-np.abs(x))
    return np.where(x < 0, power, 1) / (1 + power)


def shifted(x):
    return x - x.max(-1, keepdims=True)


def normalized(x):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 9.999999747378752e-06)


def exact_softmax(x):
    power = np.exp(shifted(x))
    return power / power.sum(-1, keepdims=True)


def erfc(x):
    return np.vectorize(math.erfc)(x)


def rows(numbers):
    """Rows of different means and deviations."""
    return numbers.normal(0, 1, (ROWS, COLUMNS)) * numbers.uniform(0.1, 4, (ROWS, 1)) + numbers.uniform(-2, 2, (ROWS, 1))


def near(limit):
    """All magnitudes up to a limit, evenly and by powers of two."""
    def values(numbers):
        even = numbers.uniform(-limit, limit, ROWS * COLUMNS // 2)
        powers = limit * np.exp2(numbers.uniform(-20, 0, ROWS * COLUMNS // 2)) * numbers.choice([-1, 1], ROWS * COLUMNS // 2)
        return np.concatenate([even, powers]).reshape(ROWS, COLUMNS)
    return values


NOT_FINITE = [np.nan, np.inf, -np.inf]


# The spelling, what it computes, its arguments, whether distances are those of a row, and the pass that recognizes it.
FUNCTIONS = {
    "sigmoid": (sigmoid, logistic, near(20), False, "kgen-raise-idioms"),
    "sigmoid-wide": (sigmoid, logistic, near(80), False, "kgen-raise-idioms"),
    "silu": (silu, lambda x: x * logistic(x), near(20), False, "kgen-raise-idioms"),
    "silu-quotient": (silu_quotient, lambda x: x * logistic(x), near(20), False, "kgen-raise-idioms"),
    "hard-swish": (hard_swish, lambda x: x * np.clip(x + 3, 0, 6) / 6, near(8), False, "kgen-raise-idioms"),
    "gelu": (gelu, lambda x: x * erfc(-x / math.sqrt(2)) / 2, near(6), False, "kgen-raise-idioms"),
    "gelu-tanh": (gelu_tanh, lambda x: x * logistic(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)), near(6), False, "kgen-raise-idioms"),
    "softmax": (softmax, exact_softmax, rows, False, "kgen-raise-idioms"),
    "log-softmax": (log_softmax, lambda x: shifted(x) - np.log(np.exp(shifted(x)).sum(-1, keepdims=True)), rows, False, "kgen-raise-idioms"),
    "layer-norm": (layer_norm, lambda x: normalized(x - x.mean(-1, keepdims=True)), rows, True, "kgen-raise-idioms"),
    "rms-norm": (rms_norm, normalized, rows, True, "kgen-raise-idioms"),
}


def distances(value, exact, is_row):
    """In units in the last place of f32."""
    of = np.abs(exact).max(-1, keepdims=True) if is_row else np.abs(exact)
    unit = np.exp2(np.maximum(np.floor(np.log2(np.maximum(of, 1e-300))), -126) - 23)
    return np.abs(value - exact) / unit


def built(kgen, folder):
    """The library's module, and for each function the numbers that its second graph takes."""
    folder.mkdir(parents=True, exist_ok=True)
    text, numbers = f"library: exactness\npython: true\ntargets: [{', '.join(TARGETS)}]\ngraphs:\n", {}
    for name, (spelling, *_) in FUNCTIONS.items():
        for suffix, constants in (("recognized", True), ("spelled", False)):
            g = Graph(f"{name.replace('-', '_')}_{suffix}", constants)
            text += g.text(spelling(g))
            numbers[name] = list(g.numbers.values())
    (folder / "exactness.yaml").write_text(text)
    for part in json.loads(run(kgen, "explain", folder / "exactness.yaml", "--json"))["parts"]:
        applied = [r["pass"] for r in part["remarks"] if "applied" in r and r["pass"].startswith("kgen-raise-")]
        name, _, kind = part["graph"].rpartition("_")
        expected = [FUNCTIONS[name.replace("_", "-")][-1]] if kind == "recognized" else []
        if name == "hard_swish" and part["target"] == "x86-64-v2":
            expected = []  # takes fused multiply-adds
        assert applied == expected, f"{part['graph']} {part['target']}: expected {expected}, found {applied}"
    run(kgen, "generate", folder / "exactness.yaml", "-q", "-o", folder / "lib")
    objects = sorted((folder / "lib/objects").glob("*.o"))
    run(os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-o", folder / "libexactness.so", folder / "lib/exactness.c", *objects)
    sys.path.insert(0, str(folder / "lib"))
    return __import__("exactness"), numbers


def with_not_finite(x):
    x = x.copy()
    x[0, :len(NOT_FINITE)] = NOT_FINITE
    return x


def not_finite(target, name, found):
    """What is wrong with what the recognized function and the spelled one make of NaN and of infinities."""
    return [] if np.array_equal(*found, equal_nan=True) else [f"{target} {name}: of {NOT_FINITE} {found[0]}, spelled {found[1]}"]


def main():
    folder = Path(sys.argv[2])
    module, numbers = built(sys.argv[1], folder)
    library_file = str(folder / "libexactness.so")
    failures = []
    for target, is_supported in module.load(library_file).variants.items():
        if not is_supported:
            continue
        library = module.load(library_file, variant=target)
        for name, (_, exact, values, is_row, _) in FUNCTIONS.items():
            x = values(np.random.default_rng(5)).astype(np.float32)
            expected = exact(x.astype(float))
            called = name.replace("-", "_")
            results = [lambda v: getattr(library, f"{called}_recognized")(v),
                       lambda v: getattr(library, f"{called}_spelled")(v, *map(np.float32, numbers[name]))]
            found = [distances(result(x), expected, is_row) for result in results]
            line = f"{target:10} {name:14}" + "".join(f"  {f(d):8.3f}" for f in (np.max, np.mean) for d in found)
            print(line)
            if any(f(found[0]) > ratio * f(found[1]) for f, ratio in ((np.max, MOST_RATIO), (np.mean, MEAN_RATIO))):
                failures.append(line)
            if not is_row:
                failures += not_finite(target, name, [result(with_not_finite(x))[0, :len(NOT_FINITE)] for result in results])
    sys.exit("recognized, but less exact, or other than spelled:\n" + "\n".join(failures) if failures else 0)


if __name__ == "__main__":
    main()
