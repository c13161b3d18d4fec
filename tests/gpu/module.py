"""Class Gpu of a library's Python module, next to its functions on the CPU and to numpy: module.py KGEN SCENARIO WORK_FOLDER [CUDA_DRIVER CUDA_CODE CLANG]

`vulkan` runs on Mesa's driver for CPUs, `cuda` on the tests' own, where tensors in the device's memory are passed, too.
"""
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import numpy as np

from commands import LAYER, MIXED, mixed_arrays

SPEC = LAYER.replace("file: w.npy", "random: {seed: 1}").replace("file: b.npy", "random: {seed: 2}") + MIXED + """  - name: target # a word of the class, too
    inputs: {out: "f32[7]"}
    nodes: [{name: y, op: Neg, inputs: [out]}]
    outputs: [y]
"""


def require(holds, what):
    if not holds:
        sys.exit(f"does not hold: {what}")


def refused(error, words, call, *arguments, **named):
    """The exception, which must have these words."""
    try:
        call(*arguments, **named)
    except error as caught:
        require(words in str(caught), f"{words!r} in {str(caught)!r}")
        return caught
    sys.exit(f"{call} did not raise {error}: {words}")


def build(kgen, folder, target, cuda):
    """The module."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "cards.yaml").write_text(SPEC.replace("TARGET", target))
    run = lambda *words: subprocess.run([str(word) for word in words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    run(kgen, "generate", "cards.yaml", "-o", "library", "--python", "--quiet", "--dump-stages", "stages", "--no-dump-weights")
    run("cmake", "-G", "Ninja", "-S", "library", "-B", "build", "-DBUILD_SHARED_LIBS=ON", f"-DCMAKE_C_COMPILER={os.environ.get('CC', 'cc')}")
    run("cmake", "--build", "build")
    if cuda:
        kernels = folder / "stages" / f"kernels.{target}"
        run(sys.executable, "-B", cuda[1], kernels / "kernels.ll", kernels / "kernels.ptx", folder, "--clang", cuda[2])
        os.environ |= {"CARDS_CUDA": cuda[0], "KGEN_TEST_CUDA_CODE": str(folder)}
    sys.path.insert(0, str(folder / "build"))
    import cards
    return cards


def results(cards, gpu):
    arrays = mixed_arrays()
    given = [arrays[tensor.name] for tensor in cards.FUNCTIONS["mixed"].inputs]
    for tensor, y in zip(cards.FUNCTIONS["mixed"].outputs, gpu.mixed(*given)):
        expected = arrays[tensor.name]
        require((y.dtype, y.shape) == (expected.dtype, expected.shape), f"type and shape of {tensor.name}")
        apart = np.abs(y.astype(np.float64) - expected.astype(np.float64)).max(initial=0)
        require(apart <= (1e-3 if tensor.name == "half" else 0), f"{tensor.name}: {apart} apart")
    x = np.random.default_rng(1).standard_normal((5, 48)).astype(np.float32)
    for y, expected in zip(gpu.layer(x, 2.0), cards.load().layer(x, 2.0)):
        np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)
    z = np.empty((5, 37), np.float32)
    require(gpu.layer(x, np.float32(3), out=(None, z))[1] is z, "out=")
    np.testing.assert_array_equal(gpu.target_(np.arange(7, dtype=np.float32)), -np.arange(7))
    require("target_(out_) -> y" in type(gpu).target_.__doc__ and "float32[7]" in type(gpu).target_.__doc__, "what help shows")
    return x


def refuse(cards, gpu, x):
    refused(TypeError, "cards.layer: x: expected float32[5, 48], found float64[5, 48]: pass x.astype('float32')", gpu.layer, x.astype(np.float64), 1.0)
    same = np.zeros(7, np.float32)
    refused(ValueError, "overlaps out", gpu.target_, same, out=same)
    error = refused(cards.GpuError, "the library has no target 'tpu'", cards.Gpu, target="tpu")
    require((error.name, error.status) == ("CARDS_GPU_UNKNOWN_TARGET", 12) and error.text, "the status")
    error = refused(cards.GpuError, "devices", cards.Gpu, device=99)
    require(error.name == "CARDS_GPU_NO_DEVICE", "the status")
    refused(OSError, "nowhere", cards.Gpu, "nowhere.so")
    variable = "CARDS_CUDA" if cards.GPU_HAS_CUDA else "CARDS_VULKAN"
    before = os.environ.pop(variable, None)
    os.environ[variable] = "/no/such/driver.so"
    error = refused(cards.GpuError, "/no/such/driver.so: cannot open", cards.Gpu)
    require(error.name == "CARDS_GPU_NO_DRIVER", "the status")
    os.environ.pop(variable)
    if before:
        os.environ[variable] = before
    refused(KeyError, "cards has no function 'no'; there are layer, mixed, target", gpu.enqueue, "no", out=0)


def share(cards, gpu, x):
    """Objects with the same weights, and threads that call one."""
    with cards.Gpu(weights=gpu) as other:
        np.testing.assert_array_equal(other.layer(x, 2.0)[1], gpu.layer(x, 2.0)[1])
        refused(ValueError, "others use its weights", gpu.close)
    expected, wrong = gpu.layer(x, 2.0)[0], []

    def call():
        for _ in range(5):
            if not np.array_equal(gpu.layer(x, 2.0)[0], expected):
                wrong.append(1)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    require(not wrong, "threads get their own results")


class Device:
    """Memory of the tests' driver, as libraries for arrays on cards have it."""

    def __init__(self, path):
        self.driver, context = ctypes.CDLL(path), ctypes.c_void_p()
        self.check(self.driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
        self.check(self.driver.cuCtxPushCurrent_v2(context))

    @staticmethod
    def check(result):
        require(result == 0, f"a call of the driver: {result}")

    def array(self, values, **changes):
        pointer, made = ctypes.c_uint64(), type("Array", (), {})()
        self.check(self.driver.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(max(values.nbytes, 1))))
        if values.nbytes:
            self.check(self.driver.cuMemcpyHtoDAsync_v2(pointer, ctypes.c_void_p(values.ctypes.data), ctypes.c_size_t(values.nbytes), None))
        made.__cuda_array_interface__ = {"shape": values.shape, "typestr": values.dtype.str, "data": (pointer.value, False), "version": 3, **changes}
        return made

    def read(self, array):
        interface = array.__cuda_array_interface__
        values = np.empty(interface["shape"], interface["typestr"])
        if values.nbytes:
            self.check(self.driver.cuMemcpyDtoHAsync_v2(ctypes.c_void_p(values.ctypes.data), ctypes.c_uint64(interface["data"][0]),
                                                        ctypes.c_size_t(values.nbytes), None))
        return values


def on_device(cards, gpu, x, driver):
    device, zeros = Device(driver), np.zeros((5, 37), np.float32)
    given, scale, y, z = (device.array(values) for values in (x, np.array(2, np.float32), zeros, zeros))
    address = scale.__cuda_array_interface__["data"][0]
    gpu.enqueue("layer", given, address, out=(y, z))
    gpu.wait()
    for made, expected in zip((y, z), gpu.layer(x, 2.0)):
        np.testing.assert_array_equal(device.read(made), expected)
    arrays = mixed_arrays()
    function = cards.FUNCTIONS["mixed"]
    outputs = [device.array(np.zeros_like(arrays[tensor.name])) for tensor in function.outputs]
    gpu.enqueue("mixed", *[device.array(np.asarray(arrays[tensor.name]), stream=1) for tensor in function.inputs], out=outputs)
    gpu.wait()
    np.testing.assert_array_equal(device.read(outputs[2]), arrays["chosen"])
    call = lambda array, out=(y, z): gpu.enqueue("layer", array, address, out=out)
    refused(TypeError, "x: expected float32[5, 48] in the device's memory", call, x)
    refused(TypeError, "x: expected float32[5, 48], found float64[5, 48]", call, device.array(x.astype(np.float64)))
    refused(ValueError, "x: expected float32[5, 48], found float32[48, 5]", call, device.array(x.T.copy()))
    refused(ValueError, "x: expected row-major elements without gaps, found strides (4, 20)", call, device.array(x, strides=(4, 20)))
    refused(ValueError, "y: it is read-only", call, given, (device.array(zeros, data=(address, True)), z))
    refused(TypeError, "expected 2 inputs and 2 outputs, found 2 and 1", call, given, y)
    error = refused(cards.GpuError, "tensor 0 is no multiple of 16", call, given.__cuda_array_interface__["data"][0] + 4)
    require(error.name == "CARDS_GPU_MISALIGNED_POINTER", "the status")


def main():
    kgen, scenario, work, *cuda = sys.argv[1:]
    target = "nvidia-sm_80" if cuda else "vulkan"
    cards = build(pathlib.Path(kgen).resolve(), pathlib.Path(work).resolve(), target, cuda)
    require(list(cards.GPU_TARGETS) == [target] and cards.GPU_TARGETS[target] > 4 * 48 * 37, "targets, and their memory")
    with cards.Gpu() as gpu:
        require(gpu.target == target and gpu.device_name, "the target and the device")
        x = results(cards, gpu)
        refuse(cards, gpu, x)
        share(cards, gpu, x)
        if cuda:
            on_device(cards, gpu, x, cuda[0])
        else:
            error = refused(cards.GpuError, "WRONG_TARGET", gpu.enqueue, "target", 16, out=16)
            require(error.status == 13, "the status")
    gpu.close()
    refused(ValueError, "cards.Gpu: it is closed", gpu.layer, x, 1.0)
    refused(ValueError, "cards.Gpu: it is closed", lambda: gpu.device_name)


if __name__ == "__main__":
    main()
