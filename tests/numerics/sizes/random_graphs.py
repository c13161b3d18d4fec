"""Random graphs of symbolic sizes against numpy in double precision: random_graphs.py KGEN WORK FIRST_SEED COUNT, with a C compiler on the
path. Each seed is a library of graphs whose functions are called with the least sizes, 2, primes and the greatest. Without numpy it is skipped (77)."""
import shutil
import sys
from pathlib import Path

import built

try:
    import numpy as np
    from arrays import softmax
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy)")
    sys.exit(77)

GRAPHS = 4  # a library
WIDTHS = [1, 3, 8, 16, 17, 33]
GREATEST = {"n": 67, "m": 19}
CALLS = [{"n": 1, "m": 1}, {"n": 2, "m": 19}, {"n": 31, "m": 7}, {"n": 67, "m": 2}, {"n": 67, "m": 19}]
UNARY = {"Relu": lambda x: np.maximum(x, 0), "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Tanh": np.tanh, "Neg": np.negative, "Abs": np.abs}
BINARY = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Max": np.maximum, "Min": np.minimum}


def layer_normalization(x, scale):
    apart = x - x.mean(-1, keepdims=True)
    return apart / np.sqrt((apart * apart).mean(-1, keepdims=True) + 0.1) * scale


class RandomGraph:
    """Values have shapes of numbers and names of sizes; `steps` compute them for arrays of any sizes."""

    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.shapes, self.inputs, self.weights, self.nodes, self.steps, self.used = {}, [], {}, [], [], set()
        self.names = ["n"] if rng.random() < 0.6 else ["n", "m"]
        self.input(["n", self.width()] if len(self.names) == 1 or self.chance(0.5) else ["n", "m", self.width()])
        for _ in range(rng.integers(2, 9)):
            getattr(self, rng.choice([name for name in dir(self) if name.startswith("make_")]))()

    def chance(self, probability):
        return self.rng.random() < probability

    def choose(self, options):
        return options[self.rng.integers(len(options))]

    def width(self):
        return int(self.choose(WIDTHS))

    def input(self, shape):
        name = f"x{len(self.inputs)}"
        self.inputs.append(name)
        self.shapes[name] = list(shape)
        return name

    def weight(self, data, type="f32"):
        name = f"w{len(self.weights)}"
        self.weights[name] = (type, data)
        return name

    def pick(self, fits=lambda shape: True):
        names = [name for name, shape in self.shapes.items() if fits(shape)]
        fresh = [name for name in names if name not in self.used]
        return self.choose(fresh if fresh and self.chance(0.7) else names) if names else None

    def add(self, op, operands, shape, compute, **attributes):
        """`compute` gets the arrays of the operands that are no weights."""
        name = f"v{len(self.nodes)}"
        text = ", ".join(f"{key}: {value}" for key, value in attributes.items())
        self.nodes.append(f"{{name: {name}, op: {op}, inputs: [{', '.join(operands)}], attributes: {{{text}}}}}")
        arrays = [operand for operand in operands if operand not in self.weights]
        self.steps.append((name, arrays, compute))
        self.used.update(arrays)
        self.shapes[name] = list(shape)

    def make_unary(self):
        x, op = self.pick(), self.choose(list(UNARY))
        self.add(op, [x], self.shapes[x], UNARY[op])

    def make_binary(self):
        x, op = self.pick(), self.choose(list(BINARY))
        shape = self.shapes[x]
        if self.chance(0.5):
            same = self.pick(lambda other: other == shape)
            return self.add(op, [x, same], shape, BINARY[op])
        if self.chance(0.5):
            return self.add(op, [x, self.input([1 if self.chance(0.3) else size for size in shape])], shape, BINARY[op])
        fixed = [size if isinstance(size, int) and self.chance(0.8) else 1 for size in shape]
        data = self.rng.uniform(-1, 1, fixed).astype(np.float32)
        self.add(op, [x, self.weight(data)], shape, lambda v: BINARY[op](v, data.astype(np.float64)))

    def make_product(self):
        x = self.pick(lambda shape: len(shape) == 2 and isinstance(shape[1], int))
        if x:
            data = self.rng.uniform(-1, 1, (self.shapes[x][1], self.width())).astype(np.float32) / 4
            self.add("MatMul", [x, self.weight(data)], [self.shapes[x][0], data.shape[1]], lambda v: v @ data.astype(np.float64))

    def make_product_of_values(self):
        """Of two values, whose rows, columns and depth are numbers or sizes; a batch is that of both, or of the left one."""
        x = self.pick(lambda shape: len(shape) > 1)
        if x:
            batch, depth, right = self.shapes[x][:-2], self.shapes[x][-1], self.choose(["n", "m", self.width()])
            right = right if isinstance(right, int) or right in self.names else self.width()
            y = self.input((batch if self.chance(0.5) else []) + [depth, right])
            self.add("MatMul", [x, y], self.shapes[x][:-1] + [right], np.matmul)

    def make_gemm_of_values(self):
        x = self.pick(lambda shape: len(shape) == 2)
        if x:
            trans_a, trans_b = int(self.chance(0.5)), int(self.chance(0.5))
            rows, depth = self.shapes[x][::-1] if trans_a else self.shapes[x]
            columns = self.choose(["n", self.width()])
            y = self.input([columns, depth] if trans_b else [depth, columns])
            self.add("Gemm", [x, y], [rows, columns], lambda a, b: (a.T if trans_a else a) @ (b.T if trans_b else b), transA=trans_a, transB=trans_b)

    def make_softmax(self):
        x = self.pick()
        axis = int(self.rng.integers(len(self.shapes[x])))
        self.add("Softmax", [x], self.shapes[x], lambda v: softmax(v, axis), axis=axis)

    def make_normalization(self):
        x = self.pick(lambda shape: isinstance(shape[-1], int))
        if x:
            scale = self.rng.uniform(0.5, 1.5, self.shapes[x][-1:]).astype(np.float32)
            self.add("LayerNormalization", [x, self.weight(scale)], self.shapes[x], lambda v: layer_normalization(v, scale), axis=-1, epsilon=0.1)

    def make_reduction(self):
        x = self.pick(lambda shape: len(shape) > 1 and any(isinstance(size, int) for size in shape))
        if x:
            shape = self.shapes[x]
            axis = self.choose([d for d, size in enumerate(shape) if isinstance(size, int)])
            op, function = self.choose([("ReduceMean", np.mean), ("ReduceMax", np.max), ("ReduceMin", np.min)])
            self.add(op, [x], shape[:axis] + [1] + shape[axis + 1:], lambda v: function(v, axis=axis, keepdims=True), axes=[axis])

    def make_transpose(self):
        x = self.pick()
        perm = [int(axis) for axis in self.rng.permutation(len(self.shapes[x]))]
        self.add("Transpose", [x], [self.shapes[x][axis] for axis in perm], lambda v: v.transpose(perm), perm=perm)

    def make_reshape(self):
        """The last dimension in two, or with one more of 1."""
        x = self.pick(lambda shape: len(shape) < 4 and isinstance(shape[-1], int))
        if x:
            shape = self.shapes[x]
            part = self.choose([d for d in range(1, shape[-1] + 1) if shape[-1] % d == 0])
            wanted = self.weight(np.array([0] * (len(shape) - 1) + [-1, part]), "i64")
            self.add("Reshape", [x, wanted], shape[:-1] + [shape[-1] // part, part], lambda v: v.reshape(*v.shape[:-1], -1, part))

    def make_concat(self):
        x = self.pick(lambda shape: any(isinstance(size, int) for size in shape))
        if x:
            shape = self.shapes[x]
            axis = self.choose([d for d, size in enumerate(shape) if isinstance(size, int)])
            other = self.input(shape[:axis] + [self.width()] + shape[axis + 1:])
            total = shape[axis] + self.shapes[other][axis]
            self.add("Concat", [x, other], shape[:axis] + [total] + shape[axis + 1:], lambda *v: np.concatenate(v, axis), axis=axis)

    def make_slice(self):
        x = self.pick(lambda shape: any(size != 1 and isinstance(size, int) for size in shape))
        if x:
            shape = self.shapes[x]
            axis = self.choose([d for d, size in enumerate(shape) if size != 1 and isinstance(size, int)])
            start, step = int(self.rng.integers(shape[axis])), int(self.choose([1, 1, 2]))
            at = (slice(None),) * axis + (slice(start, None, step),)
            count = len(range(start, shape[axis], step))
            self.add("Slice", [x], shape[:axis] + [count] + shape[axis + 1:], lambda v: v[at], starts=[start], ends=[shape[axis]], axes=[axis], steps=[step])

    def make_first(self):
        """Of a dimension of any size, the first element or the last one."""
        x = self.pick(lambda shape: len(shape) > 1)
        if x:
            axis, index = int(self.rng.integers(len(self.shapes[x]))), int(self.choose([0, -1]))
            shape = self.shapes[x][:axis] + self.shapes[x][axis + 1:]
            self.add("Gather", [x, self.weight(np.array(index), "i64")], shape, lambda v: np.take(v, index, axis), axis=axis)

    def outputs(self):
        return [name for name, _, _ in self.steps if name not in self.used]

    def text(self, folder):
        lines = [f"  - name: {self.name}", "    inputs:"]
        for name in self.inputs:
            lines.append(f'      {name}: "f32[{", ".join(map(str, self.shapes[name]))}]"')
        lines += ["    weights:"] if self.weights else []
        for name, (type, data) in self.weights.items():
            np.save(folder / f"{self.name}_{name}.npy", data)
            lines.append(f'      {name}: {{type: "{type}[{", ".join(map(str, data.shape))}]", file: {self.name}_{name}.npy}}')
        lines += ["    nodes:", *(f"      - {node}" for node in self.nodes), f"    outputs: [{', '.join(self.outputs())}]"]
        return "\n".join(lines) + "\n"

    def check(self, library, sizes):
        values = {name: self.rng.uniform(-1, 1, [sizes.get(size, size) for size in self.shapes[name]]).astype(np.float32) for name in self.inputs}
        found = getattr(library, self.name)(*values.values())
        values = {name: array.astype(np.float64) for name, array in values.items()}
        for name, operands, compute in self.steps:
            values[name] = compute(*(values[operand] for operand in operands))
        for name, array in zip(self.outputs(), found if isinstance(found, tuple) else (found,)):
            limit = 2e-4 * max(1.0, np.abs(values[name]).max())
            if array.shape != values[name].shape or not np.allclose(array, values[name], rtol=0, atol=limit):
                raise AssertionError(f"{self.name}, {sizes}: {name} is wrong")


def main(kgen, work, first, count):
    shutil.rmtree(work, ignore_errors=True)
    wrong = 0
    for seed in range(first, first + count):
        rng = np.random.default_rng(seed)
        folder = work / str(seed)
        folder.mkdir(parents=True)
        graphs = [graph for graph in (RandomGraph(rng, f"g{i}") for i in range(GRAPHS)) if graph.nodes]
        used = [name for name in GREATEST if any(name in shape for graph in graphs for shape in graph.shapes.values())]
        dims = ", ".join(f"{name}: {{max: {GREATEST[name]}}}" for name in used)
        spec = folder / "sizes.yaml"
        spec.write_text(f"library: sizes\npython: true\ntargets: [x86-64-v2, x86-64-v3]\ndims: {{{dims}}}\ngraphs:\n" + "".join(graph.text(folder) for graph in graphs))
        try:
            module = built.module_of(kgen, spec, folder, "sizes")
            for variant in (name for name, isSupported in dict(module.load().variants).items() if isSupported):
                library = module.load(variant=variant)
                for graph in graphs:
                    for sizes in CALLS:
                        graph.check(library, sizes)
        except AssertionError as error:
            wrong += 1
            print(f"seed {seed}: {error}\n  {folder}")
            continue
        print(f"seed {seed}: {sum(len(graph.nodes) for graph in graphs)} nodes")
        shutil.rmtree(folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])))
