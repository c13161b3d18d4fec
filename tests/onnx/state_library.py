"""Libraries of C with state, made of models and called from Python: what caches.py and decoders.py share."""
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

NUMPY = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i64": np.int64, "bool": np.bool_}
Task = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32)
Run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, Task, ctypes.c_void_p)


class Executor(ctypes.Structure):
    _fields_ = [("run", Run), ("user", ctypes.c_void_p), ("threads", ctypes.c_uint32)]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("variant", ctypes.c_char_p), ("executor", ctypes.POINTER(Executor))]


def imported(kgen, model, folder, library, *options):
    """The spec that kgen import writes."""
    shutil.rmtree(folder, ignore_errors=True)
    run = subprocess.run([kgen, "import", model, "--library", library, *options, "-o", folder, "-q"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert run.returncode == 0, f"kgen import {model} {' '.join(options)}: {run.stdout}"
    return folder / f"{library}.yaml"


def shape_of(text, sizes):
    inner = text[text.index("[") + 1:-1]
    return [int(eval(part, {"floordiv": lambda a, b: a // b, **sizes})) for part in inner.split(",")] if inner.strip() else []


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def name_of(tensor):
    """In the model."""
    return tensor.get("original", tensor["name"])


class Library:
    def __init__(self, kgen, cc, spec, graph=None):
        self.kgen, self.spec = kgen, spec
        folder = Path(f"{spec}.lib")
        shutil.rmtree(folder, ignore_errors=True)
        run = subprocess.run([kgen, "generate", spec, "-o", folder, "-q"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert run.returncode == 0, run.stdout
        self.name = spec.stem
        self.manifest = json.loads((folder / f"{self.name}.manifest.json").read_text())
        self.graph = self.manifest["graphs"][0]
        shared = folder / f"lib{self.name}.so"
        subprocess.run([cc, "-O1", "-shared", "-fPIC", f"-I{folder}", folder / f"{self.name}.c", *sorted((folder / "objects").iterdir()), "-o", shared], check=True)
        self.code = ctypes.CDLL(os.fspath(shared))
        self.states = {state["name"]: (number, state["type"]) for number, state in enumerate(self.manifest.get("states", []))}
        self.workspace = np.zeros(1 << 22, np.uint8)

    def function(self, name, result=ctypes.c_int):
        found = getattr(self.code, f"{self.name}_{name}")
        found.restype = result
        return found

    def variants(self):
        """Those that this CPU runs."""
        names = [self.function("variant_name", ctypes.c_char_p)(ctypes.c_size_t(i)) for i in range(self.function("variant_count", ctypes.c_size_t)())]
        return [name.decode() for i, name in enumerate(names) if self.function("variant_supported")(ctypes.c_size_t(i))]

    def use(self, variant, threads):
        """Tasks run on so many threads."""
        self.pool = ThreadPoolExecutor(threads)

        def run(user, tasks, task, argument):
            list(self.pool.map(lambda index: task(argument, index), reversed(range(tasks))))

        self.run = Run(run)
        self.executor = Executor(self.run, None, threads)
        options = Options(ctypes.sizeof(Options), variant.encode(), ctypes.pointer(self.executor) if threads > 1 else None)
        self.context = ctypes.create_string_buffer(256)
        assert self.function("init")(self.context, ctypes.byref(options)) == 0, f"{variant} cannot be used"

    def sizes_of_block(self, sizes):
        used = [dim["name"] for dim in self.graph.get("dims", []) if any(re.search(rf"\b{dim['name']}\b", kind) for _, kind in self.states.values())]
        return [ctypes.c_size_t(sizes[name]) for name in used]

    def block(self, **sizes):
        """A block of state that begins."""
        given = self.sizes_of_block(sizes)
        size = self.function("state_size", ctypes.c_size_t)(self.context, *given)
        whole = np.zeros(size + 128, np.uint8)
        start = -whole.ctypes.data % 64
        block = whole[start:start + size]
        assert self.function("state_init")(self.context, pointer(block), ctypes.c_size_t(size), *given) == 0
        return block

    def aligned(self, block):
        whole = np.zeros(block.size + 128, np.uint8)
        start = -whole.ctypes.data % 64
        copy = whole[start:start + block.size]
        copy[:] = block
        return copy

    def state(self, block, name, **sizes):
        number, kind = self.states[re.sub(r"\W", "_", name)]
        found, block = np.zeros(shape_of(kind, sizes), NUMPY[kind.split("[")[0]]), self.aligned(block)
        assert self.function("state_get")(self.context, pointer(block), ctypes.c_size_t(block.size), ctypes.c_size_t(number), pointer(found)) == 0
        return found

    def set_state(self, block, name, value):
        number = self.states[name][0]
        assert self.function("state_set")(self.context, pointer(block), ctypes.c_size_t(block.size), ctypes.c_size_t(number), pointer(value)) == 0

    def arguments(self, sizes, given, block, outputs):
        arguments = [ctypes.c_size_t(sizes[dim["name"]]) for dim in self.graph.get("dims", []) if "state" not in dim]
        arrays = []
        for tensor in self.graph["inputs"]:
            if "state" in tensor:
                continue
            array = np.ascontiguousarray(given[name_of(tensor)], NUMPY[tensor["type"].split("[")[0]])
            assert list(array.shape) == shape_of(tensor["type"], sizes), f"{name_of(tensor)}: {array.shape} for {tensor['type']} at {sizes}"
            arrays.append(array)
        arguments += [pointer(array) for array in arrays]
        if self.states:
            arguments += [pointer(block), ctypes.c_size_t(block.size)]
        return arrays, [*arguments, *(pointer(array) for array in outputs.values()), pointer(self.workspace), ctypes.c_size_t(self.workspace.size)]

    def status(self, name):
        """The number of a status."""
        text = self.function("status_string", ctypes.c_char_p)
        return next(number for number in range(64) if text(number) == f"{self.name}_{name}".upper().encode())

    def call(self, sizes, given, block=None, status="OK"):
        """The results; `status` is what the function is expected to answer."""
        outputs = {name_of(tensor): np.zeros(shape_of(tensor["type"], sizes), NUMPY[tensor["type"].split("[")[0]])
                   for tensor in self.graph["outputs"] if "state" not in tensor}
        kept, arguments = self.arguments(sizes, given, block, outputs)
        answer = self.function(self.graph["name"])(self.context, *arguments)
        assert answer == self.status(status), f"{self.name} answers {answer}, expected {status}"
        return outputs

    def check_copies(self, rows):
        """Of a state no more than so many bytes, which are the rows of a call, are copied by what makes it and by slices of it. (An attention copies the end of its last
        block of keys.)"""
        run = subprocess.run([self.kgen, "explain", self.spec, "--target", "x86-64-v3"], stdout=subprocess.PIPE, text=True, check=True)
        copies = re.findall(r"^  ((?:past|present)\w+) +(\d+)  (?:state +workspace|workspace +state|state +state)  .*$", run.stdout, re.MULTILINE)
        assert all(int(bytes) <= rows for _, bytes in copies), f"copies of {self.spec}: {copies}"


def is_same_but(library, block, before, name, first, last, where, sizes):
    """The block differs in rows of the state's third dimension, from `first` to `last`, and in nothing else of it."""
    old, new = library.state(before, name, **sizes), library.state(block, name, **sizes)
    for part in (slice(0, first), slice(last, None)):
        assert old[:, :, part].tobytes() == new[:, :, part].tobytes(), f"{where}: other rows of {name} than {first} to {last} change"


def is_all_state(library, block, before, where, sizes):
    """Nothing between the states changes."""
    copy = library.aligned(before)
    for name in library.states:
        library.set_state(copy, name, library.state(block, name, **sizes))
    assert copy.tobytes() == block.tobytes(), f"{where}: the block changes outside of its states"


def run_cases(cases, check):
    """Calls `check` with each case, which begins with its name, and ends the program: with 1 if one is wrong."""
    wrong = 0
    for name, *case in cases:
        try:
            check(name, *case)
            print(f"{name}: right")
        except AssertionError as error:
            print(f"{name}: {error}")
            wrong += 1
    sys.exit(wrong != 0)
