"""Random graphs with state, whose code updates it where it lies, next to the same graphs with inputs and outputs: the same bits
over several calls. Every third has a size that a call gives. Usage: state_places.py KGEN WORK CC FIRST COUNT [ARGUMENTS of kgen generate]"""
import ctypes
import json
import os
import random
import shutil
import subprocess
import sys

import numpy as np

SHAPE = (4, 6)
STATES = ("a", "b", "c")


class Net:
    """Nodes over f32[4, 6] or f32[n, 6], each of values made before."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.rows = "n" if seed % 3 == 2 else 4
        self.nodes = []
        self.values = ["x", *STATES]
        self.inputs = {"x": SHAPE}
        for _ in range(self.random.randint(1, 9)):
            self.add_value()
        made = [node["outputs"][0] for node in self.nodes if node["outputs"][0] in self.values]
        self.outputs = self.random.sample(made, min(len(made), self.random.randint(1, 2)))
        pick = made + self.values if self.random.random() < 0.3 else made
        self.updates = {state: self.random.choice(pick) for state in STATES if self.random.random() < 0.8} or {"a": made[-1]}
        self.drop_unused()
        for state in STATES:
            if state in self.used and state not in self.updates:
                self.updates[state] = self.random.choice(self.outputs + [state])

    def node(self, op, inputs, attributes=None):
        name = f"v{len(self.nodes)}"
        self.nodes.append({"name": name, "op": op, "inputs": inputs, "outputs": [name],
                           **({"attributes": attributes} if attributes else {})})
        return name

    def any(self):
        return self.random.choice(self.values[-4:] if self.random.random() < 0.5 else self.values)

    def add_value(self):
        fixed = ("make_flat", "make_rows", "make_scattered", "make_elements")
        kinds = [getattr(self, name) for name in dir(self) if name.startswith("make_") and (self.rows == 4 or name not in fixed)]
        self.values.append(self.random.choice(kinds)())

    def make_sum(self):
        return self.node(self.random.choice(["Add", "Sub", "Mul", "Max"]), [self.any(), self.any()])

    def make_unary(self):
        return self.node(self.random.choice(["Tanh", "Relu", "Neg", "Sigmoid", "Identity"]), [self.any()])

    def make_product(self):
        return self.node("MatMul", [self.any(), "w"])

    def make_transposed(self):
        return self.node("Transpose", [self.node("MatMul", ["w", self.node("Transpose", [self.any()])])])

    def make_norm(self):
        return self.node(self.random.choice(["Softmax", "LogSoftmax"]), [self.any()], {"axis": self.random.randint(0, 1)})

    def make_mean(self):
        return self.node("Add", [self.any(), self.node("ReduceMean", [self.any(), self.random.choice(["zero1", "one1"])], {"keepdims": 1})])

    def make_shifted(self):
        axis = self.random.randint(0, 1)
        rows = self.node("Slice", [self.any(), "zero1", "one1", "one1" if axis else "zero1"])
        both = self.node("Concat", [self.any(), rows], {"axis": axis})
        return self.node("Slice", [both, "one1", "many1", "one1" if axis else "zero1"])

    def make_flat(self):
        flat = self.node("Tanh", [self.node("Reshape", [self.any(), "flat"])])
        return self.node("Reshape", [flat, "whole"])

    def make_rows(self):
        rows = self.node("Slice", [self.any(), "zero1", "two1", "zero1"])
        cache = self.node("Reshape", [self.any(), "cache"])
        written = self.node("TensorScatter", [cache, self.node("Reshape", [rows, "rows"]), "at"], {"axis": 1})
        return self.node("Reshape", [written, "whole"])

    def make_scattered(self):
        rows = self.node("Slice", [self.any(), "one1", "three1", "zero1"])
        return self.node("ScatterND", [self.any(), "places", rows])

    def make_elements(self):
        return self.node("ScatterElements", [self.any(), "elements", self.node("Slice", [self.any(), "zero1", "two1", "zero1"])],
                         {"axis": self.random.randint(0, 1) and 0})

    def drop_unused(self):
        used = set(self.outputs) | set(self.updates.values())
        kept = []
        for node in reversed(self.nodes):
            if node["outputs"][0] in used:
                kept.append(node)
                used |= set(node["inputs"])
        self.nodes = kept[::-1]
        self.used = used

    def spec(self, explicit):
        weights = {"w": {"type": "f32[6, 6]", "random": {"seed": 5}}, "zero1": ("i64[1]", [0]), "one1": ("i64[1]", [1]),
                   "two1": ("i64[1]", [2]), "three1": ("i64[1]", [3]), "many1": ("i64[1]", [9]), "flat": ("i64[1]", [24]),
                   "whole": ("i64[2]", [4, 6]), "cache": ("i64[3]", [1, 4, 6]), "rows": ("i64[3]", [1, 2, 6])}
        whole = f"f32[{self.rows}, 6]"
        inputs = {"x": whole, "at": "i64[1]", "places": "i64[2, 1]", "elements": "i64[2, 6]"}
        names = list(self.updates)
        graph = {"name": "step", "inputs": {name: text for name, text in inputs.items() if name in self.used},
                 "weights": {name: kind if isinstance(kind, dict) else {"type": kind[0], "value": kind[1]}
                             for name, kind in weights.items() if name in self.used},
                 "nodes": list(self.nodes), "outputs": list(self.outputs)}
        if explicit:
            graph["inputs"].update({state: whole for state in names if state in self.used})
            for state, value in self.updates.items():
                graph["nodes"].append({"name": f"next_{state}", "op": "Identity", "inputs": [value]})
                graph["outputs"].append(f"next_{state}")
        else:
            graph["state"] = {state: whole for state in names}
            graph["updates"] = self.updates
        return {"library": "apart" if explicit else "kept", "targets": TARGETS, "graphs": [graph],
                **({"dims": {"n": {"min": 2, "max": 8}}} if self.rows == "n" else {})}


TARGETS = ["x86-64-v2", "x86-64-v3"]


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


class Library:
    def __init__(self, kgen, cc, folder, spec, arguments):
        self.name = spec["library"]
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        path = f"{folder}.yaml"
        with open(path, "w") as file:
            json.dump(spec, file)
        subprocess.run([kgen, "generate", path, "-o", folder, "--quiet", "--always", *arguments], check=True)
        objects = [os.path.join(folder, "objects", name) for name in sorted(os.listdir(os.path.join(folder, "objects")))]
        shared = os.path.join(folder, f"lib{self.name}.so")
        subprocess.run([cc, "-O1", "-shared", "-fPIC", f"-I{folder}", os.path.join(folder, f"{self.name}.c"), *objects, "-o", shared],
                       check=True)
        self.code = ctypes.CDLL(shared)
        self.context = ctypes.create_string_buffer(64)
        assert self.function("init")(self.context, None) == 0
        self.workspace = np.zeros(1 << 20, np.uint8)

    def function(self, name):
        return getattr(self.code, f"{self.name}_{name}")

    def call(self, target, arguments):
        workspace = [pointer(self.workspace), ctypes.c_size_t(self.workspace.size)]
        status = self.function(f"step_on_{target.replace('-', '_')}")(*arguments, *workspace)
        assert status == 0, f"status {status}"


def check(kgen, cc, folder, seed, arguments):
    net = Net(seed)
    kept, explicit = (Library(kgen, cc, os.path.join(folder, name), net.spec(name == "apart"), arguments) for name in ("kept", "apart"))
    spec, apart = net.spec(False)["graphs"][0], net.spec(True)["graphs"][0]
    declared = list(spec["state"])
    sizes = [ctypes.c_size_t(4)] if net.rows == "n" else []
    numbers = np.random.default_rng(seed)
    for target in TARGETS:
        block = np.zeros(64 * (2 + 2 * len(declared)) + 128, np.uint8)
        block = block[-block.ctypes.data % 64:][:-64]
        size = kept.function("state_size")
        size.restype = ctypes.c_size_t
        of_state = [pointer(block), ctypes.c_size_t(size(kept.context, *sizes))]
        assert kept.function("state_init")(kept.context, *of_state, *sizes) == 0
        states = {state: np.zeros(SHAPE, np.float32) for state in declared}
        for call in range(4):
            given = {"x": numbers.standard_normal(SHAPE).astype(np.float32), "at": numbers.integers(0, 3, 1),
                     "places": numbers.integers(0, 4, (2, 1)), "elements": numbers.integers(0, 4, (2, 6)), **states}
            outputs = [np.full(SHAPE, 7, np.float32) for _ in spec["outputs"]]
            wanted = [np.full(SHAPE, 8, np.float32) for _ in apart["outputs"]]
            kept.call(target, [*sizes, *(pointer(given[name]) for name in spec["inputs"]), *of_state, *map(pointer, outputs)])
            explicit.call(target, [*sizes, *(pointer(given[name]) for name in apart["inputs"]), *map(pointer, wanted)])
            for name, output in zip(apart["outputs"], wanted):
                if name.startswith("next_"):
                    states[name[5:]] = output
            for output, other in zip(outputs, wanted):
                assert output.tobytes() == other.tobytes(), f"seed {seed}, {target}, call {call}: an output differs"
            for number, state in enumerate(declared):
                found = np.empty(SHAPE, np.float32)
                assert kept.function("state_get")(kept.context, *of_state, ctypes.c_size_t(number), pointer(found)) == 0
                assert found.tobytes() == states[state].tobytes(), f"seed {seed}, {target}, call {call}: state {state} differs"


def main():
    kgen, folder, cc, first, count, *arguments = sys.argv[1:]
    failed = 0
    for seed in range(int(first), int(first) + int(count)):
        try:
            check(kgen, cc, os.path.join(folder, str(seed)), seed, arguments)
        except (AssertionError, subprocess.CalledProcessError) as error:
            print(f"{seed}: {error}")
            failed += 1
    print(f"{count} graphs, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
