"""The Python module of a library: call.py KGEN SOURCE WORK, with cmake and a C compiler on the path. Without numpy it is skipped (77)."""
import contextlib
import ctypes
import ctypes.util
import importlib.util
import os
import shutil
import subprocess
import sys
import threading
import time
import types
import unittest
from pathlib import Path

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy)")
    sys.exit(77)

KGEN, SOURCE, WORK = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
SPEC = SOURCE / "tests/python/called.yaml"
X = np.arange(15, dtype=np.float32).reshape(3, 5) / 8


def run(*command, **environment):
    """Standard output of a command that must succeed."""
    result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env={**os.environ, **environment})
    if result.returncode:
        raise AssertionError(f"{result.returncode} of {command}:\n{result.stdout}")
    return result.stdout


def module_of(path, name="called"):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def layer(x):
    return softmax(x.astype(np.float64) @ np.arange(1, 11, dtype=np.float64).reshape(5, 2))


def setUpModule():
    global called, library
    shutil.rmtree(WORK, ignore_errors=True)
    run(KGEN, "generate", SPEC, "-o", WORK / "folder", "--quiet")
    run("cmake", "-G", "Ninja", "-S", WORK / "folder", "-B", WORK / "build", "-DBUILD_SHARED_LIBS=ON", f"-DCMAKE_INSTALL_PREFIX={WORK / 'prefix'}")
    run("cmake", "--build", WORK / "build")
    called = module_of(WORK / "build/called.py")
    library = called.load()


class Calls(unittest.TestCase):
    def test_results(self):
        y = library.layer(X)
        np.testing.assert_allclose(y, layer(X), rtol=1e-5)
        self.assertIs(type(y), np.ndarray)
        self.assertEqual((y.dtype, y.shape), (np.float32, (3, 2)))
        np.testing.assert_array_equal(library.constant(), np.array([2, 4, 6], np.int32))
        y, z = library.pair(np.array([1, np.nan, np.inf, -0.0], np.float32))
        np.testing.assert_array_equal(y, [-1, np.nan, -np.inf, 0])
        np.testing.assert_array_equal(np.signbit(y[3:]), [False])
        np.testing.assert_array_equal(z, [2, np.nan, np.inf, -0.0])

    def test_out(self):
        y = np.empty((3, 2), np.float32)
        self.assertIs(library.layer(X, out=y), y)
        np.testing.assert_allclose(y, layer(X), rtol=1e-5)
        z = np.empty(4, np.float32)
        x = np.arange(4, dtype=np.float32)
        for given in ((None, z), [None, z]):
            y, same = library.pair(x, out=given)
            self.assertIs(same, z)
            np.testing.assert_array_equal(y, -x)
            np.testing.assert_array_equal(z, x + x)

    def test_every_type(self):
        names = "f32 f16 bf16 f64 i8 u8 i32 i64 bool i16 u16 u32 u64 f8e4m3fn f8e5m2 i4 u4".split()
        tensors = called.FUNCTIONS["types"].inputs
        self.assertEqual([tensor.type for tensor in tensors], names)
        inputs = [np.array([1, 0], tensor.storage) for tensor in tensors]
        for tensor, array, output in zip(tensors, inputs, library.types(*inputs)):
            self.assertEqual(output.dtype, tensor.dtype)
            np.testing.assert_array_equal(output.view(tensor.storage), array)

    def test_bf16(self):
        bits = np.array([0x3F80, 0xC000, 0x7F80], np.uint16)  # 1, -2, infinity
        y = library.narrow(bits)
        np.testing.assert_array_equal(y.view(np.uint16), [0x4000, 0xC080, 0x7F80])
        out = np.empty(3, np.uint16)
        self.assertIs(library.narrow(bits, out=out), out)
        np.testing.assert_array_equal(out, y.view(np.uint16))

    def test_dtypes_of_ml_dtypes(self):
        # A stand-in of the same size: another dtype than the one that is stored.
        stand_in = types.ModuleType("ml_dtypes")
        stand_in.bfloat16, stand_in.float8_e4m3fn = np.int16, np.int8
        before = sys.modules.get("ml_dtypes")
        sys.modules["ml_dtypes"] = stand_in
        try:
            module = module_of(WORK / "build/called.py", "with_ml_dtypes")
        finally:
            del sys.modules["ml_dtypes"]
            if before:
                sys.modules["ml_dtypes"] = before
        loaded = module.load()
        for dtype in (np.int16, np.uint16):
            y = loaded.narrow(np.array([0x3F80, 0, 0], np.uint16).view(dtype))
            self.assertEqual(y.dtype, np.int16)
            self.assertEqual(y[0], 0x4000)
        self.assertEqual([tensor.dtype for tensor in module.FUNCTIONS["types"].inputs[13:15]], [np.int8, np.uint8])

    def test_scalars(self):
        for inputs in ((np.array(1.5, np.float32), np.array(-3), np.array(True)), (1.5, -3, True), (np.float32(1.5), np.int64(-3), np.bool_(True))):
            twice, more, other = library.scalars(*inputs)
            self.assertEqual((twice.shape, more.shape, other.dtype), ((), (), bool))
            self.assertEqual((float(twice), int(more), bool(other)), (3.0, -6, False))
        with self.assertRaisesRegex(TypeError, r"b: expected a numpy array int64\[\], found float: pass np.array\(b, 'int64'\)"):
            library.scalars(1.0, 2.0, False)
        with self.assertRaisesRegex(TypeError, "b: .* found int"):
            library.scalars(1.0, 1 << 63, False)
        with self.assertRaisesRegex(TypeError, "c: .* found int"):
            library.scalars(1.0, 1, 1)
        with self.assertRaisesRegex(TypeError, "a: .* found float64.*\n  b: .* found bool.*\n  c: .* found float"):
            library.scalars(np.float64(1), True, 0.0)
        # Numbers are no bits of bf16.
        np.testing.assert_array_equal(library.one(np.uint16(0x3F80)).view(np.uint16), 0x4000)
        for number in (1, 1.0):
            with self.assertRaisesRegex(TypeError, "x: expected a numpy array"):
                library.one(number)

    def test_empty(self):
        self.assertEqual(library.empty(np.empty((0, 4), np.float32)).shape, (0, 4))
        out = np.empty((0, 4), np.float32)
        self.assertIs(library.empty(np.empty((0, 4), np.float32), out=out), out)

    def test_awkward_names(self):
        two = np.array([2, 3], np.float32)
        np.testing.assert_array_equal(library.lambda_(two, self_=two, is_=two), [2, 6])
        np.testing.assert_array_equal(library.lambda_(out_=two, self_=two, is_=two), [2, 6])
        np.testing.assert_array_equal(library.variants_(two), [-2, -3])

    def test_bind(self):
        x, y = X.copy(), np.empty((3, 2), np.float32)
        call = library.bind("layer", x, out=y)
        self.assertIs(call(), y)
        np.testing.assert_allclose(y, layer(X), rtol=1e-5)
        x[:] = -X
        call()
        np.testing.assert_allclose(y, layer(-X), rtol=1e-5)
        self.assertEqual(len(library.bind("pair", np.zeros(4, np.float32))()), 2)
        with self.assertRaisesRegex(KeyError, "has no function 'no'"):
            library.bind("no")

    def test_docstrings(self):
        text = called.Library.layer.__doc__
        self.assertIn("layer(x) -> y", text)
        self.assertIn("x  float32[3, 5]", text)
        self.assertIn("y  float32[3, 2]", text)
        self.assertIn("p  int8[2] of i4", called.Library.types.__doc__)
        self.assertIn("lambda_(out_, self_, is_) -> pass", called.__doc__)


class Arguments(unittest.TestCase):
    def refuses(self, error, message, *inputs, function="layer", **given):
        with self.assertRaises(error) as caught:
            getattr(library, function + "_" * (function == "lambda"))(*inputs, **given)
        self.assertEqual(str(caught.exception), f"called.{function}: {message}")
        with self.assertRaises(error) as caught:
            library.bind(function, *inputs, **given)
        self.assertEqual(str(caught.exception), f"called.{function}: {message}")

    def test_what_is_refused(self):
        wide, expected = np.zeros((3, 10), np.float32), "expected float32[3, 5], found"
        self.refuses(TypeError, "x: expected a numpy array float32[3, 5], found list: pass np.array(x, 'float32')", X.tolist())
        self.refuses(TypeError, "x: expected a numpy array float32[3, 5], found NoneType: pass np.array(x, 'float32')", None)
        self.refuses(TypeError, f"x: {expected} float64[3, 5]: pass x.astype('float32')", X.astype(float))
        self.refuses(TypeError, f"x: {expected} >f4[3, 5]: pass x.astype('float32')", X.astype(">f4"))
        self.refuses(ValueError, f"x: {expected} float32[15]: pass x.reshape((3, 5))", X.ravel())
        self.refuses(ValueError, f"x: {expected} float32[3, 10]", wide)
        rows = "x: expected row-major elements without gaps, found strides"
        self.refuses(ValueError, f"{rows} (40, 8): pass np.ascontiguousarray(x)", wide[:, ::2])
        self.refuses(ValueError, f"{rows} (4, 12): pass np.ascontiguousarray(x)", np.asfortranarray(X))
        self.refuses(ValueError, f"{rows} (20, -4): pass np.ascontiguousarray(x)", X[:, ::-1])
        self.refuses(ValueError, f"{rows} (0, 4): pass np.ascontiguousarray(x)", np.broadcast_to(X[:1], (3, 5)))
        odd = np.zeros(61, np.uint8)[1:].view(np.float32).reshape(3, 5)
        self.refuses(ValueError, "x: expected an address that is a multiple of 4: pass x.copy()", odd)
        self.refuses(TypeError, "x: the mask of an array would be ignored: pass x.filled()", np.ma.masked_array(X, X > 1))

    def test_what_is_no_output(self):
        y = np.zeros((3, 2), np.float32)
        self.refuses(TypeError, "out: expected float32[3, 2], found float64[3, 2]: pass np.empty((3, 2), 'float32')", X, out=y.astype(float))
        self.refuses(ValueError, "out: expected float32[3, 2], found float32[2, 3]", X, out=y.reshape(2, 3))
        self.refuses(ValueError, "out: expected row-major elements without gaps, found strides (4, 12): pass np.empty((3, 2), 'float32')",
                     X, out=np.asfortranarray(y))
        y.flags.writeable = False
        self.refuses(ValueError, "out: it is read-only: pass an array that may be written", X, out=y)
        self.refuses(TypeError, "expected out=, a tuple of 2 arrays or None", X[0, :4].copy(), function="pair", out=X[1, :4].copy())

    def test_overlap(self):
        memory = np.zeros(21, np.float32)
        x, y = memory[:15].reshape(3, 5), memory[14:20].reshape(3, 2)
        self.refuses(ValueError, "y overlaps x: pass an array of its own", x, out=y)
        library.layer(x, out=memory[15:].reshape(3, 2))
        self.refuses(ValueError, "y overlaps x: pass an array of its own\n  z overlaps y: pass an array of its own",
                     memory[:4], function="pair", out=(memory[3:7], memory[6:10]))

    def test_all_at_once(self):
        two = np.zeros(2, np.float32)
        self.refuses(TypeError, "self: expected float32[2], found int64[2]: pass self.astype('float32')\n"
                     "  is: expected float32[2], found float32[3]\n  out: expected a numpy array float32[2], found int",
                     two, two.astype(np.int64), np.zeros(3, np.float32), function="lambda", out=1)

    def test_what_is_taken(self):
        fixed = X.copy()
        fixed.flags.writeable = False
        path, y = WORK / "x.npy", np.empty((3, 2), np.float32)
        np.save(path, X)
        one = np.zeros((3, 5, 2), np.float32)[:, :, 0].copy()
        self.assertIs(library.layer(fixed, out=y), y)
        np.testing.assert_allclose(y, layer(X), rtol=1e-5)
        with self.assertRaisesRegex(ValueError, "y overlaps x"):
            shared = np.zeros(21, np.float32)
            read_only = shared[:15].reshape(3, 5)
            read_only.flags.writeable = False
            library.layer(read_only, out=shared[14:20].reshape(3, 2))
        for x in (fixed, np.load(path, mmap_mode="r"), np.frombuffer(X.tobytes(), np.float32).reshape(3, 5), one + X, X.view(np.matrix)):
            np.testing.assert_allclose(library.layer(x), layer(np.asarray(x)), rtol=1e-5)


class Loading(unittest.TestCase):
    def test_variants(self):
        self.assertEqual(list(library.variants), ["x86-64-v4", "x86-64-v3", "x86-64-v2"])
        self.assertTrue(library.variants[library.variant])
        for name, supported in library.variants.items():
            if supported:
                chosen = called.load(variant=name)
                self.assertEqual(chosen.variant, name)
                np.testing.assert_allclose(chosen.layer(X), layer(X), rtol=1e-5)
            else:
                with self.assertRaisesRegex(called.Error, f"^CALLED_UNSUPPORTED_VARIANT .*\n  {name}: not on this CPU"):
                    called.load(variant=name)
        with self.assertRaises(called.Error) as caught:
            called.load(variant="x86-64-v9")
        self.assertEqual((caught.exception.name, caught.exception.status), ("CALLED_UNKNOWN_VARIANT", 5))
        self.assertIn("CALLED_UNKNOWN_VARIANT (5): the variant asked for is not in this library\n  x86-64-v4", str(caught.exception))

    def test_statuses_of_calls(self):
        broken = called.load()
        broken._context = (ctypes.c_uint64 * 8)()
        with self.assertRaises(called.Error) as caught:
            broken.layer(X)
        self.assertEqual(caught.exception.name, "CALLED_NOT_INITIALIZED")
        broken = called.load()
        broken._sizes = [ctypes.c_size_t(size.value // 2) for size in broken._sizes]
        with self.assertRaisesRegex(called.Error, "CALLED_WORKSPACE_TOO_SMALL"):
            broken.large(np.zeros((512, 768), np.float32))

    def test_names_of_statuses(self):
        text = ctypes.CDLL(library.path).called_status_string
        text.restype = ctypes.c_char_p
        self.assertEqual([name for name, _ in called.STATUSES], [text(i).decode() for i in range(len(called.STATUSES))])
        self.assertEqual(text(len(called.STATUSES)), b"unknown status")

    def python(self, code, **environment):
        clean = {key: value for key, value in os.environ.items() if not key.startswith("CALLED_")}
        result = subprocess.run([sys.executable, "-B", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**clean, **environment})
        return result.stdout.strip()

    def test_where_the_library_is(self):
        show = "import called\ntry: print(called.load({}).variant)\nexcept OSError as error: print(error)"
        beside, alone, file = WORK / "build", WORK / "folder", WORK / "build/libcalled.so"
        pinned = {"CALLED_VARIANT": "x86-64-v2"}
        self.assertEqual(self.python(show.format(""), PYTHONPATH=str(beside), **pinned), "x86-64-v2")
        self.assertIn("-DBUILD_SHARED_LIBS=ON", self.python(show.format(""), PYTHONPATH=str(alone)))
        self.assertEqual(self.python(show.format(""), PYTHONPATH=str(alone), CALLED_LIBRARY=str(file), **pinned), "x86-64-v2")
        self.assertEqual(self.python(show.format(repr(str(file))), PYTHONPATH=str(alone), **pinned), "x86-64-v2")
        other = ctypes.util.find_library("m")
        self.assertIn("is not the library called", self.python(show.format(repr("/usr/lib/x86_64-linux-gnu/" + other)), PYTHONPATH=str(beside)))
        run("cmake", "--install", WORK / "build")
        (installed,) = WORK.glob("prefix/**/called.py")
        self.assertEqual(self.python(show.format(""), PYTHONPATH=str(installed.parent), **pinned), "x86-64-v2")

    def test_a_library_of_another_spec(self):
        text = SPEC.read_text().replace("value: [1, 2, 3]", "value: [1, 2, 4]")
        (WORK / "other").mkdir()
        (WORK / "other/called.yaml").write_text(text)
        run(KGEN, "generate", WORK / "other/called.yaml", "-o", WORK / "other/folder", "--quiet")
        module = module_of(WORK / "other/folder/called.py")
        with self.assertRaisesRegex(OSError, "was not made with .*: build it again"):
            module.load(library.path)

    def test_exported_symbols(self):
        names = {line.split()[-1] for line in run("nm", "-D", "--defined-only", library.path).splitlines()}
        self.assertTrue(all(name.startswith("called_") and "_kernel_" not in name for name in names), names)
        self.assertLessEqual({"called_init", "called_layer", "called_call", "called_function_info"}, names)

    def test_tables_are_those_of_the_library(self):
        class CTensor(ctypes.Structure):
            _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("rank", ctypes.c_uint32), ("shape", ctypes.POINTER(ctypes.c_size_t)),
                        ("bytes", ctypes.c_size_t), ("alignment", ctypes.c_size_t)]

        class CFunction(ctypes.Structure):
            _fields_ = [("name", ctypes.c_char_p), ("input_count", ctypes.c_size_t), ("inputs", ctypes.POINTER(CTensor)),
                        ("output_count", ctypes.c_size_t), ("outputs", ctypes.POINTER(CTensor)), ("workspace_size", ctypes.c_size_t)]

        c = ctypes.CDLL(library.path)
        c.called_function_info.restype = ctypes.POINTER(CFunction)
        self.assertEqual(c.called_function_count(), len(called.FUNCTIONS))
        for i, function in enumerate(called.FUNCTIONS.values()):
            info = c.called_function_info(ctypes.c_size_t(i)).contents
            self.assertEqual(info.name.decode(), function.name)
            for tensors, table, count in ((function.inputs, info.inputs, info.input_count), (function.outputs, info.outputs, info.output_count)):
                self.assertEqual(len(tensors), count)
                for tensor, row in zip(tensors, table):
                    self.assertEqual((tensor.name, tensor.shape, tensor.bytes, tensor.storage.alignment),
                                     (row.name.decode(), tuple(row.shape[:row.rank]), row.bytes, row.alignment))

    def test_the_folder_knows_its_module(self):
        folder = WORK / "regenerated"
        spec = SOURCE / "specs/graphs/digits.yaml"
        generate = lambda *more: run(KGEN, "generate", spec, "-o", folder, "--target", "x86-64-v2", *more)
        generate()
        self.assertFalse((folder / "digits.py").exists())
        self.assertIn("up to date", generate())
        self.assertNotIn("up to date", generate("--python"))
        self.assertTrue((folder / "digits.py").exists())
        self.assertIn("up to date", generate("--python"))
        generate("--python", "--check")
        (folder / "digits.py").write_text("edited")
        self.assertEqual(subprocess.run([KGEN, "generate", spec, "-o", folder, "--target", "x86-64-v2", "--python", "--check", "-q"],
                                        stderr=subprocess.PIPE).returncode, 4)
        self.assertNotIn("up to date", generate("--python"))
        self.assertNotIn("up to date", generate())
        self.assertFalse((folder / "digits.py").exists())
        self.assertNotIn("python", (folder / "digits.manifest.json").read_text())


class Threads(unittest.TestCase):
    def in_threads(self, work, count=4):
        """Calls work(i) in threads; their results. What one raises is raised."""
        results = [None] * count

        def one(i):
            try:
                results[i] = work(i)
            except BaseException as error:
                results[i] = error

        threads = [threading.Thread(target=one, args=(i,)) for i in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            if isinstance(result, BaseException):
                raise result
        return results

    def test_many_calls_at_the_same_time(self):
        def work(i):
            x = np.random.default_rng(i).standard_normal((512, 768), np.float32)
            first, small = library.large(x), library.layer(X * i)
            for _ in range(3):
                np.testing.assert_array_equal(library.large(x), first)
                np.testing.assert_array_equal(library.layer(X * i), small)
            return first, library._workspace(1), small

        results = self.in_threads(work)
        self.assertEqual(len({ctypes.addressof(workspace) for _, workspace, _ in results}), 4)
        self.assertTrue(all(ctypes.addressof(workspace) % 64 == 0 for _, workspace, _ in results))
        for i, (y, _, small) in enumerate(results):
            np.testing.assert_array_equal(y, library.large(np.random.default_rng(i).standard_normal((512, 768), np.float32)))
            np.testing.assert_allclose(small, layer(X * i), rtol=1e-5)

    def test_nothing_is_locked(self):
        # Each call waits within C until the other one is there, too.
        barrier = threading.Barrier(2, timeout=60)

        def execute(tasks, task):
            barrier.wait()
            for i in range(tasks):
                task(i)

        shared = called.load(executor=execute)
        x = np.ones((512, 768), np.float32)
        for y in self.in_threads(lambda i: shared.large(x), 2):
            np.testing.assert_array_equal(y, library.large(x))

    def test_threads_do_not_wait_for_each_other(self):
        x = np.ones((512, 768), np.float32)

        def runnable():
            """Seconds that this thread has run or waited for a processor, however busy the machine is."""
            return sum(map(int, Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text().split()[:2])) / 1e9

        def measure(lock):
            stop = time.perf_counter() + 1

            def work(i):
                y, start, before = np.empty_like(x), time.perf_counter(), runnable()
                while time.perf_counter() < stop:
                    with lock:
                        library.large(x, out=y)
                return (runnable() - before) / (time.perf_counter() - start)

            return sum(self.in_threads(work))

        if not Path("/proc/self/schedstat").exists():
            self.skipTest("no /proc/self/schedstat")
        self.assertGreater(measure(contextlib.nullcontext()), 3.4)
        self.assertLess(measure(threading.Lock()), 2)

    def test_python_runs_while_c_computes(self):
        x, y = np.ones((512, 768), np.float32), np.empty((512, 768), np.float32)
        times, done = [], threading.Event()

        def work():
            for _ in range(20):
                start = time.perf_counter()
                library.large(x, out=y)
                times.append((start, time.perf_counter()))
            done.set()

        thread, ticks = threading.Thread(target=work), []
        thread.start()
        while not done.is_set():
            ticks.append(time.perf_counter())
        thread.join()
        inside = sum(start + (end - start) / 4 < tick < end - (end - start) / 4 for start, end in times for tick in ticks)
        self.assertGreater(inside, 100)

    def test_threads_for_tasks(self):
        x = np.random.default_rng(7).standard_normal((512, 768), np.float32)
        expected = library.large(x)
        for count in (1, 2, 4):
            np.testing.assert_array_equal(called.load(threads=count).large(x), expected)
        seen = set()

        def execute(tasks, task):
            def work(begin):
                seen.add(threading.get_ident())
                for i in range(begin, tasks, 2):
                    task(i)

            other = threading.Thread(target=work, args=(1,))
            other.start()
            work(0)
            other.join()

        np.testing.assert_array_equal(called.load(executor=execute).large(x), expected)
        self.assertGreater(len(seen), 1)
        for wrong, error in (({"threads": 0}, ValueError), ({"threads": 2, "executor": execute}, TypeError)):
            with self.assertRaises(error):
                called.load(**wrong)

    def test_an_executor_that_fails(self):
        def refuse(tasks, task):
            raise KeyError("no thread")

        x = np.ones((512, 768), np.float32)
        broken = called.load(executor=refuse)
        bound = broken.bind("large", x)
        for call in (lambda: broken.large(x), lambda: broken.large(x, out=np.empty_like(x)), bound):
            with self.assertRaisesRegex(KeyError, "no thread"):
                call()
        with self.assertRaisesRegex(IndexError, "task -1 of"):
            called.load(executor=lambda tasks, task: task(-1)).large(x)
        late = []

        def keep(tasks, task):
            late.append(task)
            for i in range(tasks):
                task(i)

        called.load(executor=keep).large(x)
        with self.assertRaisesRegex(IndexError, "task 0 of 0"):
            late[0](0)
        np.testing.assert_allclose(broken.layer(X), layer(X), rtol=1e-5)  # has no tasks

    def test_a_native_executor(self):
        path = WORK / "libexecutor.so"
        run(os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-fopenmp", SOURCE / "runtime/executors/kgen_openmp.c", "-o", path)
        run_tasks = ctypes.cast(ctypes.CDLL(str(path)).kgen_openmp_run, ctypes.c_void_p)
        x = np.random.default_rng(7).standard_normal((512, 768), np.float32)
        np.testing.assert_array_equal(called.load(executor=called.Executor(run_tasks, None, 0)).large(x), library.large(x))


class Names(unittest.TestCase):
    def test_modules_that_python_could_not_import(self):
        text = "library: {}\npython: true\ngraphs:\n  - {{name: run, inputs: {{x: \"f32[1]\"}}, outputs: [x]}}\n"
        for name, reason in (("lambda", "is a keyword of Python"), ("numpy", "is a module of Python that numpy.py would hide")):
            path = WORK / f"named-{name}.yaml"
            path.write_text(text.format(name))
            result = subprocess.run([KGEN, "generate", path, "-o", WORK / "never"], stderr=subprocess.PIPE, text=True)
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"{path}:1:10: error: '{name}' {reason}", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
