"""An ONNX backend: models are compiled by kgen, and called from Python.

    import kgen_onnx
    outputs = kgen_onnx.run_model(model, [x])

`prepare`, `run_model`, `run_node`, `is_compatible` and `supports_device` are those of onnx.backend.base.Backend. Code is made for sizes: a
model with symbolic ones is compiled when it is run, for each set of sizes anew; so is one whose inputs decide about shapes (a shape for
Reshape, for example), for each of their values. Results of bfloat16 are arrays of ml_dtypes.bfloat16 if that is installed, else of uint16
with their bits. What has been compiled is kept in a folder, by the model's hash, and is not compiled again.

    KGEN               the program, `kgen` on the path by default
    CC                 the C compiler that links, `cc` by default
    KGEN_ONNX_TARGET   a target of kgen, by default the highest of x86-64-v2, -v3 and -v4 that this CPU has, or aarch64
    KGEN_ONNX_CACHE    the folder, ~/.cache/kgen-onnx by default
"""
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.backend.base import Backend, BackendRep, namedtupledict


class Refused(RuntimeError):
    """kgen's message about a model that it cannot compile."""


def _target():
    """The highest level of the psABI that this CPU has; on AArch64 the target that every CPU there has."""
    if platform.machine() == "aarch64":
        return "aarch64"
    flags = set()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            flags = set(line.split(":")[1].split())
            break
    if not {"avx2", "fma", "bmi1", "bmi2", "f16c", "movbe", "abm"} <= flags:
        return "x86-64-v2"
    return "x86-64-v4" if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= flags else "x86-64-v3"


def _cache():
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("KGEN_ONNX_CACHE") or Path(base) / "kgen-onnx")


def _program():
    found = shutil.which(os.environ.get("KGEN", "kgen"))
    if found is None:
        raise FileNotFoundError("there is no kgen on the path: set KGEN to the program")
    return os.path.abspath(found)


def _run(command, folder):
    result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if result.returncode:
        raise Refused(result.stdout.strip() or f"exit status {result.returncode} of {command[0]}")


def _build(folder, model, options, values):
    """The library of a model, in a folder that exists: its module and, beside it, the shared library."""
    (folder / "model.onnx").write_bytes(model)
    command = [_program(), "generate", "model.onnx", "-o", "library", "--python", "--library", "model", "--quiet", *options]
    for i, (name, tensor) in enumerate(values.items()):
        (folder / f"value_{i}.pb").write_bytes(tensor)
        command += ["--value", f"{name}=value_{i}.pb"]
    _run(command, folder)
    objects = [str(path.relative_to(folder)) for path in sorted((folder / "library/objects").glob("*.o"))]
    _run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-o", "library/libmodel.so", "library/model.c", *objects], folder)


def _compiled(model, options, values):
    """The module of a model for these sizes and constants, from the cache or built."""
    program = _program()
    state, hasher = os.stat(program), hashlib.sha256()
    for part in (model, program, state.st_size, state.st_mtime_ns, *options, *values.items()):
        part = part if isinstance(part, bytes) else repr(part).encode()
        hasher.update(b"%d:" % len(part) + part)
    cache, name = _cache(), hasher.hexdigest()
    folder = cache / name
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache, prefix=".new-") as temporary:
            _build(Path(temporary), model, options, values)
            try:
                os.rename(Path(temporary) / "library", folder)
            except OSError:  # another process has been faster
                if not folder.exists():
                    raise
    spec = importlib.util.spec_from_file_location(f"kgen_onnx_{name}", folder / "model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _narrow(array):
    """float32 as the bits of bfloat16, to nearest, ties to even."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype(np.uint16)
    return np.where(np.isnan(array), (bits >> 16 | 0x40).astype(np.uint16), rounded).astype(np.uint16)


def _tensor(value_info, array):
    """An array as bytes of a TensorProto of the input's type."""
    element = value_info.type.tensor_type.elem_type
    if element == TensorProto.BFLOAT16 and np.asarray(array).dtype == np.float32:
        return helper.make_tensor("", element, np.shape(array), _narrow(array).tobytes(), raw=True).SerializeToString()
    return numpy_helper.from_array(np.asarray(array)).SerializeToString()


class Rep(BackendRep):
    """A model that is ready to be run, or will be when it gets its inputs."""

    def __init__(self, model):
        self._model, self._calls = model.SerializeToString(), {}
        self._target = os.environ.get("KGEN_ONNX_TARGET") or _target()
        weights = {weight.name for weight in model.graph.initializer} | {weight.values.name for weight in model.graph.sparse_initializer}
        self._inputs = [value for value in model.graph.input if value.name not in weights]
        self._outputs = list(model.graph.output)
        self._tuple = namedtupledict("Outputs", [value.name for value in self._outputs])
        if all(not self._open_axes(value) for value in self._inputs):
            try:
                self._call({}, {})
            except Refused:
                if not self._inputs:
                    raise
                # With its inputs as constants it may be compiled.

    @staticmethod
    def _open_axes(value):
        """Axes of an input whose size is not a number; None: of no known rank."""
        if not value.type.HasField("tensor_type") or not value.type.tensor_type.HasField("shape"):
            return None
        return [axis for axis, dim in enumerate(value.type.tensor_type.shape.dim) if not dim.HasField("dim_value")]

    def _call(self, sizes, values):
        """(inputs that the function takes, function), for sizes by "input:axis" and constants by input."""
        key = (tuple(sizes.items()), tuple(values.items()))
        if key not in self._calls:
            options = ["--target", self._target]
            for name, size in sizes.items():
                options += ["--dim", f"{name}={size}"]
            module = _compiled(self._model, options, values)
            self._calls[key] = module.FUNCTIONS["run"].inputs, module.load().run
        return self._calls[key]

    def _constants(self, arrays):
        """Sets of inputs to be made constants, the smaller ones first: none; those that look like shapes; all but the first; all."""
        names = [value.name for value in self._inputs]
        shapes = [name for name in names if np.ndim(arrays[name]) <= 1 and np.asarray(arrays[name]).dtype.kind == "i"]
        sets = [[], shapes, names[1:], names]
        return [chosen for i, chosen in enumerate(sets) if chosen not in sets[:i]]

    def run(self, inputs, **kwargs):
        """The outputs, for a list of arrays or a map from names to them."""
        names = [value.name for value in self._inputs]
        if not isinstance(inputs, dict):
            inputs = inputs if isinstance(inputs, (list, tuple)) else [inputs]
            if len(inputs) > len(names):
                raise TypeError(f"expected {len(names)} arrays, found {len(inputs)}")
            inputs = dict(zip(names, inputs))
        if set(names) - set(inputs):
            raise TypeError(f"there is no array for {', '.join(sorted(set(names) - set(inputs)))}")
        sizes = {f"{value.name}:{axis}": np.shape(inputs[value.name])[axis] for value in self._inputs for axis in self._open_axes(value) or []}
        refusal = None
        for chosen in self._constants(inputs):
            try:
                values = {value.name: _tensor(value, inputs[value.name]) for value in self._inputs if value.name in chosen}
                taken, function = self._call(sizes, values)
            except Refused as error:
                refusal = refusal or error
                continue
            outputs = function(*(self._array(tensor, inputs[tensor.original_name]) for tensor in taken))
            return self._tuple(*(outputs if isinstance(outputs, tuple) else (outputs,)))
        raise refusal

    @staticmethod
    def _array(tensor, array):
        """An input as C takes it: copied only if it has to be. Older versions of onnx make float32 of bfloat16."""
        array = np.asarray(array)
        if tensor.type == "bf16" and array.dtype == np.float32:
            array = _narrow(array)
        return np.require(array, requirements="CA")


class KgenBackend(Backend):
    """The class that onnx.backend.test.BackendTest takes."""

    @classmethod
    def supports_device(cls, device):
        return device.split(":")[0] == "CPU"

    @classmethod
    def is_compatible(cls, model, device="CPU", **kwargs):
        """Whether all inputs and outputs are tensors of numbers; operators are looked at when the model is prepared."""
        tensors = [value.type for value in [*model.graph.input, *model.graph.output]]
        return cls.supports_device(device) and all(
            one.HasField("tensor_type") and one.tensor_type.elem_type != TensorProto.STRING for one in tensors)

    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        if not cls.supports_device(device):
            raise ValueError(f"there is no device {device!r}, only CPU")
        super().prepare(model, device, **kwargs)
        return Rep(model)

    @classmethod
    def run_node(cls, node, inputs, device="CPU", outputs_info=None, **kwargs):
        super().run_node(node, inputs, device, outputs_info, **kwargs)
        names = list(dict.fromkeys(name for name in node.input if name))
        arrays = [np.asarray(array) for array in inputs]
        types = [helper.make_tensor_value_info(name, numpy_helper.from_array(array).data_type, array.shape)
                 for name, array in zip(names, arrays)]
        outputs = [onnx.ValueInfoProto(name=name) for name in node.output if name]
        opset = kwargs.get("opset_version") or min(onnx.defs.onnx_opset_version(), 17)
        graph = helper.make_graph([node], "node", types, outputs)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid(node.domain, opset)])
        # The types of outputs are kgen's to find: those that onnx infers may lack shapes.
        return Rep(onnx.shape_inference.infer_shapes(model)).run(arrays)


is_compatible = KgenBackend.is_compatible
prepare = KgenBackend.prepare
run_model = KgenBackend.run_model
run_node = KgenBackend.run_node
supports_device = KgenBackend.supports_device
