"""Libraries of many graphs: checked, generated, linked and called."""
import ctypes
import mmap
import re
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
from random_graphs import Options, loaded, stored  # noqa: E402

NAME = "promise"
NORESERVE = 0x4000  # MAP_NORESERVE of Linux, which Python has from 3.13 on


class Failure(Exception):
    """What a command printed that should have succeeded."""


def spec_of(graphs, targets):
    """The text of a spec, and for each graph its first line in it, from 1."""
    text = f"library: {NAME}\ntargets: [{', '.join(targets)}]\n"
    text += "graphs:\n"
    lines = []
    for graph in graphs:
        lines.append(text.count("\n") + 1)
        text += graph.text()
    return text, lines


def run(*command, seconds=60):
    """Runs a command, for so many seconds of CPU time at most."""
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)))


def refused(kgen, spec, lines):
    """The graphs that `kgen check` refuses, by number, with what it says of each."""
    done = run(kgen, "check", spec)
    reasons = {}
    for line, message in re.findall(rf"{re.escape(str(spec))}:(\d+):\d+: error: (.*)", done.stdout):
        at = sum(first <= int(line) for first in lines) - 1
        reasons.setdefault(at, message)
    if bool(done.returncode) != bool(reasons) or done.returncode not in (0, 1):
        raise Failure(f"kgen check exits with {done.returncode}: {done.stdout}")
    return reasons


def generate(kgen, spec, folder, seconds, *options):
    done = run(kgen, "generate", spec, "-o", folder, "--quiet", *options, seconds=seconds)
    if done.returncode:
        raise Failure(f"kgen generate exits with {done.returncode}: {done.stdout.strip()[:2000] or 'nothing said'}")


def linked(folder, compiler):
    name = folder.with_suffix(".so").absolute()  # each has a name of its own: a library that is loaded would be used again
    done = run(compiler, "-shared", "-fPIC", "-O0", f"-I{folder}", folder / f"{NAME}.c", *sorted((folder / "objects").glob("*.o")), "-o", name)
    if done.returncode:
        raise Failure(f"{compiler}: {done.stdout.strip()[:2000] or 'nothing said'}")
    return ctypes.CDLL(str(name))


def variants(library):
    """Those that this CPU runs."""
    name_of = library.promise_variant_name
    name_of.restype = ctypes.c_char_p
    return [name_of(i).decode() for i in range(library.promise_variant_count()) if library.promise_variant_supported(ctypes.c_size_t(i))]


def context_of(library, variant):
    context, options = (ctypes.c_uint64 * 8)(), Options(ctypes.sizeof(Options), variant.encode())
    if library.promise_init(context, ctypes.byref(options)):
        raise Failure(f"no variant {variant}")
    return context


def untouched(size):
    """Memory that takes none before it is written: a workspace is for the greatest sizes, which calls need not have."""
    return (ctypes.c_char * size).from_buffer(mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE))


def call(library, context, graph, sizes, arrays, shapes):
    """The outputs of a graph, as doubles; `sizes` are the parameters' numbers in their order."""
    numbers = [ctypes.c_size_t(size) for size in sizes]
    size_of = getattr(library, f"{NAME}_{graph.name}_workspace_size")
    size_of.restype = ctypes.c_size_t
    size = size_of(context, *numbers)
    workspace = untouched(size + 1)
    inputs = [stored(arrays[name], x.type) for name, (x, _) in graph.inputs.items()]
    outputs = [stored(np.full(shape, np.nan), x.type) for x, shape in zip(graph.outputs, shapes)]
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in inputs + outputs]
    status = getattr(library, f"{NAME}_{graph.name}")(context, *numbers, *pointers, workspace, ctypes.c_size_t(size))
    if status:
        raise Failure(f"status {status}")
    return [loaded(array, x.type).astype(np.float64) for x, array in zip(graph.outputs, outputs)]
