"""Many models as one library: generated, linked and called, and what became of each of them."""
import ctypes
import json
import os
import pathlib
import pickle
import re
import resource
import signal
import subprocess
import traceback

import numpy as np

from elements import loaded, stored
from model import difference, serialized

SECONDS = 60  # of the CPU, for one model; it hangs if it takes longer


class Outcome:
    """`kind`: right, refused (with a reason), wrong, or failed (a crash, an error of kgen's own, of the C compiler, or of a call)."""

    def __init__(self, kind, text=""):
        self.kind, self.text = kind, text

    def __repr__(self):
        return f"{self.kind}: {self.text}" if self.text else self.kind


def limit_cpu(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def reason_of(text, name):
    """What kgen says of a model, in one line without its name."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and "warning:" not in line and not line.startswith("note:")]
    lines = [line for line in lines if "cannot be imported" not in line] or lines
    return re.sub(rf"\b{name}\.onnx", "model", " / ".join(lines[:3]))[:300]


class Runner:
    """Makes libraries in the folder `work`; `target`: an x86-64 level, or `reference` for plain loops."""

    def __init__(self, kgen, work, target):
        self.kgen, self.work, self.target = kgen, pathlib.Path(work), target
        self.work.mkdir(parents=True, exist_ok=True)

    def command(self, *arguments, models=1):
        """(exit code, text); a hang ends with a signal, or with 124 if it takes no time of the CPU."""
        seconds = SECONDS + models * SECONDS // 20
        command = [self.kgen, *map(str, arguments)]
        try:
            done = subprocess.run(command, cwd=self.work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=10 * seconds,
                                  preexec_fn=lambda: limit_cpu(seconds))
        except subprocess.TimeoutExpired:
            return 124, f"it waited for {10 * seconds} s"
        return done.returncode, f"it took {seconds} s of the CPU" if done.returncode == -signal.SIGXCPU else done.stdout

    def spec(self, models):
        lines = ["library: fz", f"targets: [{'x86-64-v3' if self.target == 'reference' else self.target}]", "graphs:"]
        for name, model in models.items():
            (self.work / f"{name}.onnx").write_bytes(serialized(model))
            more = []
            if model.bounds:
                sizes = ", ".join(f"{size}: {{min: {low}, max: {high}}}" for size, (low, high) in model.bounds.items())
                more.append(f"dims: {{{sizes}}}")
            if model.values:
                texts = []
                for i, (value, array) in enumerate(model.values.items()):
                    file = f"{name}_{i}.npy"
                    np.save(self.work / file, stored(array.values, array.element))
                    texts.append(f"{value}: {file}")
                more.append(f"values: {{{', '.join(texts)}}}")
            lines.append(f"  - {{{', '.join([f'name: {name}', f'onnx: {name}.onnx', *more])}}}")
        (self.work / "fz.yaml").write_text("\n".join(lines) + "\n")

    def refused(self, models):
        """Of those that `kgen check` does not take, the outcomes by name."""
        outcomes, rest = {}, dict(models)
        while rest:
            self.spec(rest)
            code, text = self.command("check", "fz.yaml", models=len(rest))
            if code == 0:
                return outcomes
            parts = [part for part in re.split(r"\n(?=\S)", text) if "error:" in part]
            about = lambda name: "\n".join(part for part in parts if f"{name}.onnx" in part or f"'{name}'" in part)
            blamed = {name for name in rest if about(name)} if code == 1 else set()
            if len(rest) == 1 and not blamed:
                blamed = set(rest)
            if not blamed:  # one of them at a time
                for name, model in list(rest.items()):
                    self.spec({name: model})
                    code, text = self.command("check", "fz.yaml")
                    if code:
                        outcomes[name] = Outcome("refused", reason_of(text, name)) if code == 1 else Outcome("failed", f"check exited with {code}: {reason_of(text, name)}")
                        del rest[name]
                continue
            for name in blamed:
                own = about(name) or text
                outcomes[name] = Outcome("refused", reason_of(own, name)) if code == 1 else Outcome("failed", f"check exited with {code}: {reason_of(text, name)}")
                del rest[name]
        return outcomes

    def build(self, models):
        """None, or why there is no library."""
        self.spec(models)
        options = ["--reference"] if self.target == "reference" else []
        code, text = self.command("generate", "fz.yaml", "-o", "out", "--quiet", "-j", "1", *options, models=len(models))
        if code:
            return f"kgen exited with {code}: {reason_of(text, '')}"
        objects = sorted((self.work / "out/objects").glob("*.o"))
        done = subprocess.run([os.environ.get("CC", "cc"), "-O0", "-shared", "-fPIC", "-Iout", "-o", "fz.so", "out/fz.c", *map(str, objects)], cwd=self.work,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return f"the C compiler: {done.stdout[:300]}" if done.returncode else None

    def outcomes(self, models):
        """By name: what became of each model."""
        found = self.refused(models)
        rest = {name: model for name, model in models.items() if name not in found}
        found.update(self.built(rest))
        return found

    def built(self, models):
        """A library that cannot be made, or whose calls end the process, is made again in halves."""
        if not models:
            return {}
        problem = self.build(models)
        if problem is None:
            found = self.called(models)
            if found is not None:
                return found
            problem = "the call of its function ended the process"
        if len(models) == 1:
            return {name: Outcome("failed", problem) for name in models}
        names = list(models)
        halves = names[:len(names) // 2], names[len(names) // 2:]
        return {name: outcome for half in halves for name, outcome in self.built({n: models[n] for n in half}).items()}

    def called(self, models):
        """In a process of its own. None if that ended early."""
        result = self.work / "outcomes.pickle"
        result.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            try:
                limit_cpu(SECONDS)
                library = Library(self.work, models)
                result.write_bytes(pickle.dumps({name: library.outcome(name, model) for name, model in models.items()}))
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        return pickle.loads(result.read_bytes()) if result.exists() else None


class Library:
    """A library that is loaded. Memory after each tensor is filled, and looked at after the call."""

    GUARD = 64

    def __init__(self, work, models):
        self.library = ctypes.CDLL(str(pathlib.Path(work).resolve() / "fz.so"))
        manifest = json.loads((pathlib.Path(work) / "out/fz.manifest.json").read_text())
        self.functions = {f["name"]: (i, f) for i, f in enumerate(manifest["graphs"])}
        self.context = (ctypes.c_uint64 * 8)()
        if self.library.fz_init(self.context, None):
            raise RuntimeError("this CPU lacks the target")
        self.sized = any(model.bounds for model in models.values())

    def outcome(self, name, model):
        for inputs, expected in model.calls():
            try:
                problem = self.call(name, model, inputs, expected)
            except Exception:
                problem = traceback.format_exc()
            if problem:
                return Outcome("wrong", problem)
        return Outcome("right")

    def call(self, name, model, inputs, expected):
        index, function = self.functions[name]
        arrays, sizes = [], {}
        for tensor in function["inputs"]:
            known = tensor.get("original", tensor["name"])
            array = inputs[known]
            arrays.append(np.frombuffer(bytearray(stored(array.values, array.element).tobytes() + b"\xa5" * self.GUARD), np.uint8))
        for (given, axis), size in model.open.items():
            if given in inputs:
                sizes[size] = inputs[given].shape[axis]
        results = []
        for tensor in function["outputs"]:
            wanted = expected[tensor.get("original", tensor["name"])]
            count = stored(wanted.values, wanted.element).nbytes
            results.append((tensor, wanted, np.full(count + self.GUARD, 0xa5, np.uint8)))
        pointers = (ctypes.c_void_p * max(1, len(arrays)))(*(a.ctypes.data for a in arrays))
        targets = (ctypes.c_void_p * max(1, len(results)))(*(r.ctypes.data for _, _, r in results))
        listed = [sizes[name] for name in model.bounds]
        dims = (ctypes.c_size_t * max(1, len(listed)))(*listed)
        arguments = [self.context, ctypes.c_size_t(index)] + ([dims] if self.sized else [])
        room = self.room(name, listed)
        workspace = np.full(room + self.GUARD, 0xa5, np.uint8)
        status = self.library.fz_call(*arguments, pointers, targets, ctypes.c_void_p(workspace.ctypes.data), ctypes.c_size_t(room))
        if status:
            return f"the status {status}"
        if any((a[-self.GUARD:] != 0xa5).any() for a in [*arrays, workspace, *(r for _, _, r in results)]):
            return "memory behind a tensor or the workspace is written"
        for tensor, wanted, bytes_ in results:
            pattern = stored(wanted.values, wanted.element)
            got = loaded(np.frombuffer(bytes_[:-self.GUARD].tobytes(), pattern.dtype).reshape(pattern.shape), wanted.element)
            problem = difference(got, wanted)
            if problem:
                at = "" if not sizes else " with " + ", ".join(f"{k} = {v}" for k, v in sizes.items())
                return f"{tensor['name']}{at}: {problem}"
        return None

    def room(self, name, listed):
        size = getattr(self.library, f"fz_{name}_workspace_size")
        size.restype = ctypes.c_size_t
        return int(size(self.context, *(ctypes.c_size_t(v) for v in listed)))
