#!/usr/bin/env python3
"""Random graphs on graphics cards against numpy: the graphs of random_graphs.py, on Vulkan's driver for CPUs and on the tests' driver
of CUDA. A node without a form for graphics cards must be refused, and is the CPU's then (`run_on: cpu`), and so are some others.

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

REFUSAL = re.compile(r"^\S+?:(\d+):\d+: error: node '(\w+)' .*no form for graphics cards")
NODE = re.compile(r"^      - \{(?:.*[{ ])?name: (\w+)")
ROUNDS = 8  # until nothing is refused: what a node hides from the first one


def write_spec(graphs, chosen, device, on_cpu):
    """Writes fz.yaml; the graph of each line."""
    lines, of = ["library: fz", f"targets: [x86-64-v3, {device}]", "graphs:"], [None] * 3
    for graph in graphs:
        for line in graph.spec(chosen[graph.name]).splitlines():
            node = NODE.match(line)
            if node and (graph.name, node[1]) in on_cpu:
                line = line.rstrip()[:-1] + ", run_on: cpu}"
            lines.append(line)
            of.append(graph.name)
    with open("fz.yaml", "w") as file:
        file.write("\n".join(lines) + "\n")
    return of


def generate(kgen, graphs, chosen, device, rng):
    """Generates a library in which the CPU computes some nodes: those without a form, which are refused first, and some at random, in half of the
    graphs. How many were refused, or None after another error."""
    on_cpu = {(graph.name, name) for graph in graphs if rng.random() < 0.5 for name in named(graph) if rng.random() < 0.2}
    at_random = len(on_cpu)
    for _ in range(ROUNDS):
        of = write_spec(graphs, chosen, device, on_cpu)
        done = subprocess.run([kgen, "generate", "fz.yaml", "-o", "out", "--always", "--quiet", "--dump-stages", "dump"], capture_output=True, text=True)
        if done.returncode == 0:
            return len(on_cpu) - at_random, at_random
        refused = set()
        for line in done.stderr.splitlines():
            if ": error: " in line or "internal error" in line:
                found = REFUSAL.match(line)
                if not found:
                    break
                refused.add((of[int(found[1]) - 1], found[2]))
        else:
            if refused - on_cpu:
                on_cpu |= refused
                continue
        break
    print(done.stderr)
    return None


def named(graph):
    return [NODE.match(f"      - {node}")[1] for node in graph.nodes]


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
    chosen = {g.name: g.results() for g in graphs}
    marked = generate(kgen, graphs, chosen, device, np.random.default_rng([seed, 1]))
    if marked is None:
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
    print(f"seed {seed}: {len(graphs)} graphs, {marked[0]} nodes without a form and {marked[1]} others on the CPU, largest error {worst:.2g} of the allowed", flush=True)
    return right


if __name__ == "__main__":
    seeds.main(run, "gpu")
