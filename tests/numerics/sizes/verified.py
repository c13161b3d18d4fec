"""A graph with inputs and results from numpy, as a spec that `kgen verify` compares with what it computes, in plain loops and each variant."""
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lib"))
try:
    import numpy as np
    from arrays import softmax
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy)")
    sys.exit(77)

ELEMENTS = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}


class Graph:
    """`open`: sizes of axes by name that functions are given; other names in types are numbers. `element`: of floats."""

    def __init__(self, seed, element="f32"):
        self.rng, self.element = np.random.default_rng(seed), element
        self.sizes, self.open = {}, set()
        self.arrays, self.inputs, self.weights, self.nodes, self.outputs = {}, {}, {}, [], {}

    def choose(self, *options):
        return options[self.rng.integers(len(options))]

    def normal(self, shape):
        return self.rng.standard_normal(shape).astype(np.float32)

    def input(self, name, sizes, data=None, element=None):
        """`sizes`: numbers and names of sizes."""
        element = element or self.element
        shape = [self.sizes.get(size, size) for size in sizes]
        self.arrays[name] = np.asarray(self.normal(shape) if data is None else data, ELEMENTS[element])
        written = [size if size in self.open else number for size, number in zip(sizes, shape)]
        self.inputs[name] = f'"{element}[{", ".join(map(str, written))}]"'
        return name, self.arrays[name].astype(np.float64) if element[0] == "f" else self.arrays[name]

    def weight(self, name, shape, data=None, element=None):
        element = element or self.element
        data = np.asarray(self.normal(shape) if data is None else data, ELEMENTS[element])
        values = [float(x) if element[0] == "f" else int(x) for x in data.flatten()]
        self.weights[name] = f'{{type: "{element}{list(shape)}", value: {values if shape else values[0]}}}'
        return name, data

    def node(self, name, op, operands, results=None, **attributes):
        quoted = lambda names: ", ".join(f'"{one}"' for one in names)
        text = ", ".join(f"{key}: {value}" for key, value in attributes.items())
        outputs = f"outputs: [{quoted(results)}], " if results else ""
        self.nodes.append(f"{{name: {name}, op: {op}, inputs: [{quoted(operands)}], {outputs}attributes: {{{text}}}}}")
        return name

    def text(self):
        used = [name for name in self.sizes if name in self.open]
        lines = ["library: verified", "targets: [x86-64-v2, x86-64-v3, x86-64-v4]", "graphs:", "  - name: run"]
        lines += [f"    dims: {{{', '.join(f'{name}: {{max: {2 * self.sizes[name] + 1}}}' for name in used)}}}"] * bool(used)
        for key, entries in (("inputs", self.inputs), ("weights", self.weights)):
            lines += [f"    {key}:"] * bool(entries) + [f"      {name}: {text}" for name, text in entries.items()]
        lines += ["    nodes:"] + [f"      - {node}" for node in self.nodes] + [f"    outputs: [{', '.join(self.outputs)}]"]
        return "\n".join(lines) + "\n"

    def check(self, kgen, folder, rtol, atol):
        """Nothing if all agree; else what was printed."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "case.yaml").write_text(self.text())
        results = {name: np.ascontiguousarray(data, ELEMENTS[self.element] if data.dtype.kind == "f" else None) for name, data in self.outputs.items()}
        np.savez(folder / "data.npz", **{name: np.ascontiguousarray(data) for name, data in self.arrays.items()}, **results)
        command = [kgen, "verify", folder / "case.yaml", "--against", folder / "data.npz", "--rtol", rtol, "--atol", atol]
        result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode == 0 and "all results agree" in result.stdout:
            shutil.rmtree(folder)
            return ""
        return f"{folder}: {result.returncode}\n{result.stdout}"


def main(what, graph_of, rtol=1e-4, atol=1e-5):
    """The program: KGEN WORK FIRST_SEED COUNT."""
    kgen, work, first, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    failed = []
    for seed in range(first, first + count):
        message = graph_of(seed).check(kgen, work / str(seed), rtol, atol)
        if message:
            failed.append(seed)
            print(f"seed {seed}, in {message}")
    print(f"{count - len(failed)} of {count} {what} agree" + (f"; seeds that do not: {failed}" if failed else ""))
    return 1 if failed or count == 0 else 0
