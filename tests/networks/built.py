"""Libraries of networks, as shared libraries whose functions Python calls: call.c, once for each graph."""
import concurrent.futures
import ctypes
import json
import os
import pathlib
import shutil
import subprocess


HERE = pathlib.Path(__file__).resolve().parent


def run(command, cwd=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode} of {' '.join(map(str, command[:4]))} ...\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def generate(kgen, spec, folder, targets, *options):
    """Generates the library of a spec into an empty folder, and returns its manifest."""
    shutil.rmtree(folder, ignore_errors=True)
    command = [kgen, "generate", spec, "-o", folder, "--quiet"]
    for target in targets:
        command += ["--target", target]
    run(command + list(options))
    return json.loads(next(folder.glob("*.manifest.json")).read_text())


class Library:
    """The shared library of a generated folder. `objects` stand in place of those in the folder that have their names."""

    def __init__(self, cc, folder, manifest, objects=(), symbols=()):
        self.name, self.graphs, self.folder = manifest["library"], manifest["graphs"], folder
        parts = {path.stem: path for path in folder.glob("objects/*.[os]")} | {path.stem: path for path in objects}
        self.path = folder.parent / f"{folder.name}-{self.name}.so"
        run([cc, "-shared", "-fPIC", "-O1", "-Wl,-Bsymbolic", "-o", self.path, f"-I{folder}", "-include", f"{self.name}.h", f"-DLIBRARY={self.name}",
             *(["-DSIZED"] if any(graph.get("dims") for graph in self.graphs) else []), *(["-DSTATEFUL"] if manifest.get("states") else []), HERE / "call.c", folder / f"{self.name}.c",
             *sorted(parts.values())])
        self.library = ctypes.CDLL(str(self.path), mode=os.RTLD_LOCAL)
        self.library.time_calls.restype = ctypes.c_double
        self.library.input.restype, self.library.bytes_of_input.restype = ctypes.c_void_p, ctypes.c_size_t
        self.library.output.restype, self.library.bytes_of_output.restype = ctypes.c_void_p, ctypes.c_size_t

    def prepare(self, index, variant, size):
        """Makes tensors for graph number `index`."""
        types = " ".join(tensor["type"].split("[")[0] for tensor in self.graphs[index]["inputs"]) + " "
        status = self.library.prepare(ctypes.c_size_t(index), variant.encode(), types.encode(), ctypes.c_size_t(size))
        if status:
            raise RuntimeError(f"{self.graphs[index]['name']} of {self.name} for {variant}: status {status}")

    def set_input(self, number, content):
        """Other bytes for an input than prepare() leaves there."""
        size = self.library.bytes_of_input(ctypes.c_size_t(number))
        if size != len(content):
            raise RuntimeError(f"{self.name}: input {number} has {size} bytes, not {len(content)}")
        ctypes.memmove(self.library.input(ctypes.c_size_t(number)), content, size)

    def move_memory(self, bytes):
        """Moves outputs from where prepare() put them, by a multiple of 64 below 4096, and the workspace by half as much."""
        self.library.move_memory(ctypes.c_size_t(bytes))

    def call(self):
        if status := self.library.call():
            raise RuntimeError(f"{self.name}: a call returned status {status}")

    def time(self, calls):
        """Nanoseconds of one call, the mean of so many."""
        return self.library.time_calls(ctypes.c_size_t(calls)) / calls

    def outputs(self):
        """The bytes of all outputs."""
        return [ctypes.string_at(self.library.output(ctypes.c_size_t(i)), self.library.bytes_of_output(ctypes.c_size_t(i)))
                for i in range(self.library.count_outputs())]

    def numbers(self, symbol, count):
        """An array of 64 bits each."""
        return (ctypes.c_uint64 * count).in_dll(self.library, symbol)

    def variants_of_this_cpu(self):
        function = getattr(self.library, f"{self.name}_variant_name")
        function.restype = ctypes.c_char_p
        supported = getattr(self.library, f"{self.name}_variant_supported")
        return [function(ctypes.c_size_t(i)).decode() for i in range(getattr(self.library, f"{self.name}_variant_count")())
                if supported(ctypes.c_size_t(i))]


def in_parallel(function, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))
