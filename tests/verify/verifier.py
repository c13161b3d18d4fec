"""What the tests of kgen verify share: a small library, what NumPy computes of it, and a call with its answer."""
import json
import shutil
import subprocess
import sys

import numpy

SPEC = """library: small
targets: [x86-64-v2, x86-64-v3]
graphs:
  - name: layer
    inputs: {x: "f32[5, 48]", scale: "f32[]"}
    weights:
      w: {type: "f32[48, 37]", file: w.npy}
      b: {type: "f32[37]", file: b.npy}
    nodes:
      - {name: product, op: MatMul, inputs: [x, w]}
      - {name: sum, op: Add, inputs: [product, b]}
      - {name: y, op: Relu, inputs: [sum]}
      - {name: z, op: Mul, inputs: [sum, scale]}
    outputs: [y, z]
"""
TYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "float32", "i8": "int8", "u8": "uint8", "i32": "int32", "i64": "int64",
         "bool": "bool", "i16": "int16", "u16": "uint16", "u32": "uint32", "u64": "uint64", "f8e4m3fn": "float32", "f8e5m2": "float32", "i4": "int8", "u4": "uint8"}


def types_spec():
    """A graph that moves a tensor of each type: results are inputs, transposed; and a scalar and nothing."""
    inputs = ", ".join(f'x_{t}: "{t}[3, 4]"' for t in TYPES)
    nodes = "\n".join(f"      - {{name: y_{t}, op: Transpose, inputs: [x_{t}], attributes: {{perm: [1, 0]}}}}" for t in TYPES)
    outputs = ", ".join(f"y_{t}" for t in TYPES)
    return f"""library: moved
targets: [x86-64-v2]
graphs:
  - name: all
    inputs: {{{inputs}, scalar: "f32[]", nothing: "f32[0, 3]"}}
    nodes:
{nodes}
      - {{name: negative, op: Neg, inputs: [scalar]}}
      - {{name: empty, op: Neg, inputs: [nothing]}}
    outputs: [{outputs}, negative, empty]
"""


class Verifier:
    def __init__(self, kgen, folder):
        self.kgen, self.folder = kgen, folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "small.yaml").write_text(SPEC)
        draw = numpy.random.RandomState(7)
        weights = {name: draw.uniform(-1, 1, shape).astype(numpy.float32) for name, shape in (("w", (48, 37)), ("b", (37,)))}
        for name, array in weights.items():
            numpy.save(folder / f"{name}.npy", array)
        x = draw.uniform(-1, 1, (5, 48)).astype(numpy.float32)
        product = x @ weights["w"]
        total = product + weights["b"]
        self.arrays = {"x": x, "scale": numpy.float32(3), "y": numpy.maximum(total, 0), "z": total * numpy.float32(3)}
        self.inner = {"product": product, "sum": total}

    def call(self, *arguments, command="verify", spec="small.yaml"):
        done = subprocess.run([self.kgen, command, spec, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder)
        print(done.stdout + done.stderr)
        return done.returncode, done.stdout, done.stderr

    def expect(self, code, *arguments, texts=(), **options):
        answer = self.call(*arguments, **options)
        missing = [text for text in texts if text not in answer[1] + answer[2]]
        if answer[0] != code or missing:
            sys.exit(f"{arguments}: expected exit code {code} and {texts}, got {answer[0]} without {missing}")
        return answer[1]

    def report(self, code, *arguments, **options):
        return json.loads(self.expect(code, *arguments, "--json", "-", **options))

    def save(self, name, compress=False, **changes):
        """An archive with other arrays; None leaves one out."""
        arrays = {k: v for k, v in {**self.arrays, **changes}.items() if v is not None}
        (numpy.savez_compressed if compress else numpy.savez)(self.folder / name, **arrays)
        return name


def require(holds, what):
    if not holds:
        sys.exit(f"does not hold: {what}")


def changed(array, index, value):
    array = array.copy()
    array[index] = value
    return array


def variants(report):
    return [run["variant"] for run in report["runs"]]
