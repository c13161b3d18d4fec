"""A library's functions on a graphics card, next to the same on the CPU: compare.py KGEN SPEC FOLDER --target TARGET

Generates SPEC for the CPU target (--cpu) and for TARGET into FOLDER, compiles both parts into one shared library, and calls each function twice on the
card and once on the CPU with the same random inputs. Results must be within 1e-4 of the largest of the CPU's, which the oracle has checked, and have the
same bits in both calls. With --cuda-driver, the tests' driver runs the LLVM IR that becomes the PTX, and its report of races, divergent barriers and
accesses out of bounds must be empty. Prints a line for each result; the exit code is the number of those that are wrong.
"""
import argparse
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": np.uint16, "i64": np.int64, "i32": np.int32, "i8": np.int8, "u8": np.uint8, "bool": np.uint8}
LIMIT = 1e-4  # of the largest result: sums of f32 in another order


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command[:3]))}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")


def tensor(described, rng=None):
    """Random numbers, or without `rng` what no result is."""
    name, sizes = re.match(r"(\w+)\[(.*)\]", described["type"]).groups()
    shape = [int(size.split("=")[-1]) for size in sizes.split(",") if size.strip()]
    if rng is None:
        return np.full(shape, 77, TYPES[name])
    if name == "bf16":
        return (rng.standard_normal(shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if name.startswith("f"):
        return rng.standard_normal(shape).astype(TYPES[name])
    return rng.integers(0, 2, shape).astype(TYPES[name])


def numbers(described, values):
    if described["type"].startswith("bf16"):
        values = (values.astype(np.uint32) << 16).view(np.float32)
    return values.astype(np.float64)


def pointers(arrays):
    return [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]


class Library:
    """The generated folder, compiled and opened."""

    def __init__(self, options):
        folder = options.folder
        shutil.rmtree(folder, ignore_errors=True)
        targets = ["--target", options.cpu, "--target", options.target]
        run(options.kgen, "generate", options.spec, "-o", folder / "library", "--verify-stages", *targets)
        self.manifest = json.loads(next((folder / "library").glob("*.manifest.json")).read_text())
        self.name = self.manifest["library"]
        if options.cuda_driver:
            code = Path(__file__).resolve().parent.parent / "lib" / "gpu" / "cuda_code.py"
            run(options.kgen, "generate", options.spec, "-o", folder / "again", "--dump-stages", folder / "stages", "--no-dump-weights", *targets)
            kernels = folder / "stages" / f"kernels.{options.target}"
            run(sys.executable, "-B", code, kernels / "kernels.ll", kernels / "kernels.ptx", folder, "--clang", options.clang)
            os.environ |= {f"{self.name.upper()}_CUDA": str(options.cuda_driver), "KGEN_TEST_CUDA_CODE": str(folder)}
        sources = [folder / "library" / f"{self.name}{end}" for end in (".c", "_gpu.c")]
        run(options.cc, "-std=c11", "-O1", "-shared", "-fPIC", "-I", folder / "library", *sources, *(folder / "library" / "objects").glob("*.o"), "-ldl", "-o", folder / "library.so")
        self.code = ctypes.CDLL(folder / "library.so")
        header = (folder / "library" / f"{self.name}_gpu.h").read_text()
        self.gpu = (ctypes.c_uint64 * (int(re.search(r"_GPU_SIZE (\d+)", header)[1]) // 8))()
        self.variant = re.sub(r"\W", "_", options.cpu)
        for function in ("gpu_error", "gpu_device_name"):
            getattr(self.code, f"{self.name}_{function}").restype = ctypes.c_char_p

    def check(self, status, what):
        if status:
            sys.exit(f"{what}: status {status}, {self.text('gpu_error')}")

    def text(self, function):
        return getattr(self.code, f"{self.name}_{function}")(self.gpu).decode()

    def on_cpu(self, graph, inputs, outputs):
        room = max(graph.get("workspace_bytes", {}).values(), default=0)
        workspace = (ctypes.c_uint8 * (room + 64))()
        function = getattr(self.code, f"{self.name}_{graph['name']}_on_{self.variant}")
        extra = [ctypes.byref(workspace), ctypes.c_size_t(room + 64)] if room else []
        self.check(function(*pointers(inputs), *pointers(outputs), *extra), f"{graph['name']} on the CPU")

    def on_gpu(self, graph, inputs, outputs):
        function = getattr(self.code, f"{self.name}_{graph['name']}_gpu_run")
        self.check(function(self.gpu, *pointers(inputs), *pointers(outputs)), f"{graph['name']} on the card")


def compare(library, graph, rng):
    """Returns the number of wrong results."""
    inputs = [tensor(one, rng) for one in graph["inputs"]]
    expected, first, second = ([tensor(one) for one in graph["outputs"]] for _ in range(3))
    library.on_cpu(graph, inputs, expected)
    library.on_gpu(graph, inputs, first)
    start = time.monotonic()
    library.on_gpu(graph, inputs, second)
    seconds, wrong = time.monotonic() - start, 0
    for described, right, once, again in zip(graph["outputs"], expected, first, second):
        x, y = numbers(described, right), numbers(described, once)
        apart = np.abs(x - y)
        worst = float(np.max(apart, initial=0, where=~np.isnan(apart)))
        fits = bool(np.array_equal(np.isnan(x), np.isnan(y))) and worst <= LIMIT * float(np.max(np.abs(x), initial=1e-3, where=np.isfinite(x)))
        same = once.tobytes() == again.tobytes()
        wrong += not (fits and same)
        verdict = "ok" if fits and same else "WRONG" if not fits else "NOT THE SAME TWICE"
        print(f"{graph['name']:>20} {described['name']:<12} {verdict}: at most {worst:.1e} apart, {seconds:.3f} s")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kgen", type=Path)
    parser.add_argument("spec", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", default="vulkan")
    parser.add_argument("--cpu", default="x86-64-v3")
    parser.add_argument("--cuda-driver", type=Path)
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--graph", action="append", help="only this one")
    parser.add_argument("--launches", type=int, help="of the functions together, at most")
    parser.add_argument("--cpu-calls", type=int, default=0, help="of the functions together")
    options = parser.parse_args()
    library = Library(options)
    library.check(getattr(library.code, f"{library.name}_gpu_init")(None, library.gpu), "init")
    print(f"{options.target}: {library.text('gpu_device_name')}")
    rng = np.random.default_rng(1)
    graphs = [graph for graph in library.manifest["graphs"] if not options.graph or graph["name"] in options.graph]
    wrong = sum(compare(library, graph, rng) for graph in graphs)
    launches = library.manifest["gpus"][0]["launches"]
    print("launches:", ", ".join(f"{name} {count}" for name, count in launches.items()))
    if options.launches is not None and sum(launches.values()) > options.launches:
        print(f"expected at most {options.launches} launches")
        wrong += 1
    calls = library.manifest["gpus"][0].get("cpu_calls", {})
    if calls:
        print("calls on the CPU:", ", ".join(f"{name} {count}" for name, count in calls.items()))
    if sum(calls.values()) != options.cpu_calls:
        print(f"expected {options.cpu_calls} calls on the CPU")
        wrong += 1
    getattr(library.code, f"{library.name}_gpu_finish")(library.gpu)
    sys.exit(wrong)


if __name__ == "__main__":
    main()
