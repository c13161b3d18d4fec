#!/usr/bin/env python3
"""Random graphs on graphics cards against numpy: the graphs of random_graphs.py, on Vulkan's driver for CPUs and on the tests' driver
of CUDA. Graphs with an operator that has no form for graphics cards are counted; each of them must be refused at its node.

    random_gpu.py KGEN FIRST_SEED COUNT DEVICE CUDA_DRIVER CUDA_CODE CLANG

DEVICE is vulkan or nvidia-sm_80. Prints one line a seed; exits 1 if a library was not generated or a result is wrong. The folder of
a failing seed is kept.
"""
import ctypes
import glob
import os
import re
import subprocess
import sys

import numpy as np

import random_graphs
import seeds

REFUSAL = re.compile(r"^\S+?:(\d+):\d+: error: node '\w+' .*no form for graphics cards")


def write_spec(graphs, chosen, device):
    """Writes fz.yaml; the first line of each graph."""
    lines, first = ["library: fz", f"targets: [x86-64-v3, {device}]", "graphs:"], []
    for graph in graphs:
        first.append(len(lines) + 1)
        lines += graph.spec(chosen[graph.name]).splitlines()
    with open("fz.yaml", "w") as file:
        file.write("\n".join(lines) + "\n")
    return first


def generate(kgen, graphs, chosen, device):
    """Generates a library of the graphs that have a form; these graphs, or None after another error."""
    for _ in range(2):
        first = write_spec(graphs, chosen, device)
        done = subprocess.run([kgen, "generate", "fz.yaml", "-o", "out", "--always", "--quiet", "--dump-stages", "dump"], capture_output=True, text=True)
        if done.returncode == 0:
            return graphs
        refused = set()
        for line in done.stderr.splitlines():
            if ": error: " in line or "internal error" in line:
                found = REFUSAL.match(line)
                if not found:
                    break
                refused.add(sum(int(found[1]) >= begin for begin in first) - 1)
        else:
            graphs = [graph for i, graph in enumerate(graphs) if i not in refused]
            if refused and graphs:
                continue
            if refused:
                return []
        break
    print(done.stderr)
    return None


def open_library(seed):
    """The library, and its object for the device; each seed has a file of its own."""
    name = os.path.abspath(f"fz{seed}.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Iout", "out/fz.c", "out/fz_gpu.c", *glob.glob("out/objects/*.o"), "-ldl", "-o", name], check=True)
    library = ctypes.CDLL(name)
    with open("out/fz_gpu.h") as header:
        size = int(re.search(r"_GPU_SIZE (\d+)", header.read())[1])
    gpu = (ctypes.c_uint64 * (size // 8))()
    library.fz_gpu_error.restype = ctypes.c_char_p
    return library, gpu


def run_graph(library, gpu, graph, results):
    arrays = [random_graphs.stored(graph.values[n], graph.tensors[n][0]) for n in graph.inputs()]
    outputs = [random_graphs.stored(np.full(graph.values[n].shape, np.nan), graph.type) for n in results]
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in arrays + outputs]
    status = getattr(library, f"fz_{graph.name}_gpu_run")(gpu, *pointers)
    if status != 0:
        print(f"{graph.name}: {library.fz_gpu_error(gpu).decode()}")
        return float("inf"), float("inf")
    return random_graphs.errors(graph, results, outputs)


def run(kgen, seed, arguments):
    device, cuda, code, clang = arguments
    rng = np.random.default_rng(seed)
    graphs = [g for g in (random_graphs.RandomGraph(rng, f"g{i}") for i in range(random_graphs.GRAPHS)) if g.nodes]
    chosen, count = {g.name: g.results() for g in graphs}, len(graphs)
    graphs = generate(kgen, graphs, chosen, device)
    if graphs is None:
        print(f"seed {seed}: kgen does not generate a library, and not for want of a form")
        return False
    if graphs and device != "vulkan":
        kernels = f"dump/kernels.{device}/kernels."
        subprocess.run([sys.executable, "-B", code, kernels + "ll", kernels + "ptx", ".", "--clang", clang], check=True)
        os.environ.update(FZ_CUDA=cuda, KGEN_TEST_CUDA_CODE=os.getcwd())
    right, worst = True, 0.0
    if graphs:
        library, gpu = open_library(seed)
        if library.fz_gpu_init(None, gpu) != 0:
            print(f"seed {seed}: {library.fz_gpu_error(gpu).decode()}")
            return False
        for graph in graphs:
            error, used = run_graph(library, gpu, graph, chosen[graph.name])
            if used > 1:
                print(f"seed {seed}: {graph.name} ({graph.type}) on {device}: error {error:.3g}, {used:.3g} of the allowed")
                right = False
            worst = max(worst, used)
        library.fz_gpu_finish(gpu)
    print(f"seed {seed}: {len(graphs)} graphs, {count - len(graphs)} without a form, largest error {worst:.2g} of the allowed", flush=True)
    return right


if __name__ == "__main__":
    seeds.main(run, "gpu")
