"""Systems that fail at each call which changes a file: faults.py KGEN WORK CC [COMMAND...]

`generate`, `import` and `tune` write over what an earlier run wrote. They are killed at each call, and each call fails with ENOSPC and with EIO: afterwards the old
files are there or the new ones, all of them, and after the next run that works nothing else. A share of the calls by day (KGEN_TEST_DAY), all of them, and
all of `tune`, which takes its time, in the long tests. Where there are no threads, the caller's does all of it; where there is no memory, kgen says so and ends with 1."""
import errno
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))
import share

KGEN, WORK, CC, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3], Path(__file__).parent
SPEC = """library: tiny
targets: [x86-64-v2]
graphs:
  - name: g
    inputs: {x: "f32[4]"}
    weights: {w: {type: "f32[4]", value: [1, 2, 3, NUMBER]}}
    nodes: [{name: y, op: Add, inputs: [x, w]}]
    outputs: [y]
"""
PRODUCT = b"""library: tiny
targets: [x86-64-v2]
graphs:
  - {name: g, inputs: {x: "f32[64, 64]", w: "f32[64, 64]"}, nodes: [{name: y, op: MatMul, inputs: [x, w]}], outputs: [y]}
"""
problems = []


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()} if folder.exists() else {}


def run(command, folder, memory=None, **environment):
    plain = {name: value for name, value in os.environ.items() if name != "KGEN_NO_SYNC"}
    limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))) if memory else None
    return subprocess.run(command, cwd=folder, env={**plain, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=limit)


class Command:
    """One that writes the folder `out`, with an input that stands for what was and one for what is to be."""

    def __init__(self, name, files, command):
        self.name, self.files, self.command, self.folder = name, files, [KGEN, *command], WORK / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.shim = {"LD_PRELOAD": str(WORK / "faults.so")}
        self.states = []
        for which in (0, 1):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            self.give(which)
            done = run(self.command, self.folder)
            assert done.returncode == 0, done.stdout
            self.states.append(contents(self.folder / "out"))
        assert self.states[0] != self.states[1] and all(self.states)

    def give(self, which):
        for name, versions in self.files.items():
            (self.folder / name).write_bytes(versions[which])

    def before(self):
        """The folder as the first run left it, and the inputs of the second one."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name, data in self.states[0].items():
            (self.folder / "out" / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / "out" / name).write_bytes(data)
        self.give(1)

    def calls(self):
        """How many calls change files."""
        self.before()
        log = WORK / f"{self.name}.log"
        log.unlink(missing_ok=True)
        done = run(self.command, self.folder, FAULT_LOG=str(log), **self.shim)
        assert done.returncode == 0 and contents(self.folder / "out") == self.states[1], done.stdout
        return log.read_text().splitlines()

    def others(self):
        return sorted(path.name for path in self.folder.iterdir() if path.name not in {*self.files, "out"})

    def fault(self, call, number, fault):
        self.before()
        done = run(self.command, self.folder, FAULT_AT=str(number), FAULT=fault, **self.shim)
        what = f"{self.name}, call {call}, {fault}"
        found = contents(self.folder / "out")
        # What an import wrote before it was ended is not named by its spec.
        if fault == "kill":
            found = {name: data for name, data in found.items() if name in self.states[0] or name in self.states[1]}
        state = next((i for i, files in enumerate(self.states) if all(found.get(name) == data for name, data in files.items())), None)
        if state is None:
            problems.append(f"{what}: neither the old files nor the new ones: {sorted(found)}")
        if fault != "kill":
            if done.returncode not in (0, 1) or (done.returncode == 1 and "error: " not in done.stdout):
                problems.append(f"{what}: exit code {done.returncode}: {done.stdout}")
            if done.returncode == 0 and state != 1:
                problems.append(f"{what}: exit code 0 with the old files")
        done = run(self.command, self.folder)
        if done.returncode or contents(self.folder / "out") != self.states[1] or self.others():
            problems.append(f"{what}: the next run leaves {sorted(contents(self.folder / 'out'))} and {self.others()}, exit code {done.returncode}: {done.stdout}")


class Tune(Command):
    """Two targets that are slow on purpose. What wins depends on the machine: what is there is the old file or a whole one."""

    def __init__(self):
        self.old = {f"{name}.yaml": slow_target(name) for name in ("first", "second")}
        self.folder = WORK / "tune"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.name, self.files, self.shim = "tune", {"tiny.yaml": [PRODUCT] * 2}, {"LD_PRELOAD": str(WORK / "faults.so")}
        targets = [word for name in self.old for word in ("--target", f"out/{name}")]
        self.command = [KGEN, "tune", "tiny.yaml", "--force", *targets, "--time", "3"]
        self.states = [self.old]

    def states_of(self, what):
        """Of each target, True if it is a new one; problems are kept."""
        found = contents(self.folder / "out")
        if set(found) != set(self.old):
            problems.append(f"{what}: the targets are {sorted(found)}")
            return []
        for name in found:
            done = run([KGEN, "explain", "tiny.yaml", "--target", f"out/{name}"], self.folder)
            if done.returncode or not found[name].endswith(b"\n"):
                problems.append(f"{what}: {name} is not whole: {done.stdout}")
        return [found[name] != self.old[name] for name in found]

    def calls(self):
        log = WORK / "tune.log"
        for seconds in ("3", "10", "30", "90"):  # what a loaded machine needs to find something better for both
            self.command[-1] = seconds
            self.before()
            log.unlink(missing_ok=True)
            done = run(self.command, self.folder, FAULT_LOG=str(log), **self.shim)
            if all(self.states_of("tune")):
                break
        assert done.returncode == 0 and all(self.states_of("tune")) and not self.others(), (done.stdout, self.others())
        return log.read_text().splitlines()

    def fault(self, call, number, fault):
        self.before()
        done = run(self.command, self.folder, FAULT_AT=str(number), FAULT=fault, **self.shim)
        what = f"tune, call {call}, {fault}"
        new = self.states_of(what)
        said = [done.returncode == 0 and f"written to out/{name}\n" in done.stdout for name in sorted(self.old)]
        if fault != "kill" and (done.returncode not in (0, 1) or new != said):
            problems.append(f"{what}: exit code {done.returncode}, new targets {new}: {done.stdout}")
        done = run(self.command, self.folder)
        if done.returncode or self.others() or not self.states_of(what):
            problems.append(f"{what}: the next run leaves {self.others()}, exit code {done.returncode}: {done.stdout}")


def slow_target(name):
    """A target that tune finds something better than."""
    text = (Path(__file__).parents[2] / "specs/targets/x86-64-v2.yaml").read_text().replace("name: x86-64-v2", f"name: {name}")
    slow = re.sub(r"(gemm_f32: *\{)[^}]*", r"\1mr: 1, nr: 4, mc: 1, kc: 16", text)
    assert slow != text, "the target has no gemm_f32"
    return slow.encode()


def without_threads(command):
    command.before()
    done = run([*command.command, "-j", "4", "--target", "x86-64-v2", "--target", "x86-64-v3", "--always"], command.folder, FAULT_THREADS="1", **command.shim)
    if done.returncode:
        problems.append(f"no threads: exit code {done.returncode}: {done.stdout}")


def without_memory(spec, folder):
    """From what starts the program to what is enough."""
    codes = set()
    for megabytes in range(160, 1300, 8):
        done = run([KGEN, "generate", spec, "-o", "out", "-q", "-j", "1", "--always", "--target", "x86-64-v3"], folder, memory=megabytes << 20)
        said = "kgen: error: there is no more memory" in done.stdout
        before_main = done.returncode < 0 and (not done.stdout or done.stdout.startswith("terminate called after"))
        if done.returncode == 127 or "error while loading shared libraries" in done.stdout or before_main:
            continue  # it did not start: a crash of kgen names itself
        codes.add(done.returncode)
        if done.returncode not in (0, 1) or (done.returncode == 1) != said:
            problems.append(f"{megabytes} MB: exit code {done.returncode}: {done.stdout}")
        if done.returncode == 1 and (folder / "out").exists():
            problems.append(f"{megabytes} MB: a folder is left behind")
        if done.returncode == 0:
            break
    if codes != {0, 1}:
        problems.append(f"limits of memory: exit codes {codes}, expected some of 0 and of 1")


def commands():
    specs = [SPEC.replace("NUMBER", str(number)).encode() for number in (4, 5)]
    yield Command("generate", {"tiny.yaml": specs}, ["generate", "tiny.yaml", "-o", "out", "-q"])
    if share.FULL or "tune" in sys.argv[4:]:
        yield Tune()
    try:
        import numpy
        from onnx import TensorProto, helper, numpy_helper
    except ImportError as error:
        print(f"no import: {error} (Debian: python3-numpy, python3-onnx)")
        return
    models = []
    for number in (1, 2):
        graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 64])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 32])],
                                  [numpy_helper.from_array(numpy.full((64, 32), number, numpy.float32), "w")])
        models.append(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString())
    yield Command("import", {"net.onnx": models}, ["import", "net.onnx", "-o", "out", "-q", "--force"])


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    subprocess.run([CC, "-shared", "-fPIC", "-O1", SOURCE / "faults.c", "-o", WORK / "faults.so", "-ldl"], check=True)
    count = 0
    for command in commands():
        if sys.argv[4:] and command.name not in sys.argv[4:]:
            continue
        if command.name == "generate":
            without_threads(command)
        calls = command.calls()
        assert len(calls) >= 4, calls
        faults = [(call, number, fault) for number, call in enumerate(calls, 1) for fault in ("kill", str(errno.ENOSPC), str(errno.EIO))]
        for fault in share.today(8, faults):
            command.fault(*fault)
            count += 1
    if sys.argv[4:]:
        sys.exit("\n".join(problems) if problems else 0)
    memory = WORK / "memory"
    shutil.rmtree(memory, ignore_errors=True)
    memory.mkdir()
    without_memory(Path(__file__).parents[2] / "specs/graphs/mlp-3x1024.yaml", memory)
    print(f"{count} faults")
    sys.exit("\n".join(problems) if problems else 0)


main()
