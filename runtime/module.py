import collections
import concurrent.futures
import ctypes
import functools
import itertools
import math
import os
import threading

import numpy as np

_array, _empty = np.ndarray, np.empty
# The fastest pointer to an array's elements: 0.3 us, where `array.ctypes.data` takes 0.8 us. It keeps the array alive, and in its place.
_at, _address = (ctypes.c_char * 0).from_buffer, ctypes.addressof
# Flags of an array that needs no closer look: row-major without gaps, aligned, writable (NPY_ARRAY_CARRAY);
# of an input, which need not be writable.
_PLAIN, _READABLE = 0x501, 0x101

Tensor = collections.namedtuple("Tensor", "name type dtype shape bytes storage original_name")
Tensor.__doc__ = """A function's input or output: kgen's `type`, numpy's `dtype`; `storage` is the dtype that its C type has."""
Function = collections.namedtuple("Function", "name inputs outputs sizes", defaults=(None,))
Function.__doc__ = """A function of the library, with its tensors in the order of its parameters. Its `sizes`, if it is given some, are those
of its arrays; shapes have their names then, and `bytes` are the largest."""
Sizes = collections.namedtuple("Sizes", "dims places shapes workspace", defaults=(None,))
Sizes.__doc__ = """Dims, for each of them an input's number and axis, or None and its number among the sizes of a block of state, or None and the
state that holds it; the shapes of all tensors as a function of the sizes; and, if a state holds one, the largest workspace."""
Dim = collections.namedtuple("Dim", "name min max multiple")
Dim.__doc__ = """A size that a function is given: a multiple of `multiple` from `min` to `max`."""


class Error(RuntimeError):
    """A status of the C library other than OK: `status` is its number, `name` its name there."""

    def __init__(self, status, hint=""):
        known = 0 <= status < len(STATUSES)
        self.status, self.name = status, STATUSES[status][0] if known else "unknown status"
        super().__init__(f"{self.name} ({status}): {STATUSES[status][1] if known else 'of another version'}{hint}")


def _optional(name, storage):
    """The dtype of that name of ml_dtypes, or what stands for it where that is not installed."""
    try:
        import ml_dtypes
        return np.dtype(getattr(ml_dtypes, name))
    except (ImportError, AttributeError):
        return np.dtype(storage)


def _text(dtype, shape):
    return f"{dtype}[{', '.join(map(str, shape))}]"


def _scalar(tensor, value):
    """A number for a tensor of rank 0 as an array; nothing if it is none, or one that the type does not have."""
    if tensor.shape:
        return None
    if isinstance(value, np.generic):
        return np.array(value) if value.dtype in (tensor.dtype, tensor.storage) else None
    kind = "" if tensor.type.startswith(("bf", "f8")) else tensor.dtype.kind
    if isinstance(value, bool) or kind == "b":
        fits = isinstance(value, bool) and kind == "b"
    elif isinstance(value, int) and kind in ("i", "u"):
        fits = np.iinfo(tensor.dtype).min <= value <= np.iinfo(tensor.dtype).max
    else:
        fits = isinstance(value, (int, float)) and kind == "f"
    return np.array(value, tensor.dtype) if fits else None


def _problem(tensor, name, value, output):
    """Why the function cannot take `value`, with what to do; nothing if it can."""
    if value.__class__ is _array and value.dtype is tensor.dtype and value.shape == tensor.shape:
        if value.flags.num & _PLAIN == _PLAIN or (not output and value.flags.num & _READABLE == _READABLE):
            return None
    expected = _text(tensor.dtype, tensor.shape)
    if not isinstance(value, _array):
        make = "" if output else f": pass np.array({name}, {tensor.dtype.name!r})"
        return TypeError, f"expected a numpy array {expected}, found {type(value).__name__}{make}"
    if isinstance(value, np.ma.MaskedArray):
        return TypeError, f"the mask of an array would be ignored: pass {name}.filled()"
    found = _text(value.dtype, value.shape)
    if value.dtype != tensor.dtype and value.dtype != tensor.storage:
        do = "np.empty" if output else f"{name}.astype"
        do += f"({tensor.shape}, {tensor.dtype.name!r})" if output else f"({tensor.dtype.name!r})"
        return TypeError, f"expected {expected}, found {found}: pass {do}"
    if value.shape != tensor.shape:
        same = value.nbytes == tensor.bytes and not output
        return ValueError, f"expected {expected}, found {found}" + (f": pass {name}.reshape({tensor.shape})" if same else "")
    if not value.flags.c_contiguous:
        do = f"np.empty({tensor.shape}, {tensor.dtype.name!r})" if output else f"np.ascontiguousarray({name})"
        return ValueError, f"expected row-major elements without gaps, found strides {value.strides}: pass {do}"
    if not value.flags.aligned:
        return ValueError, f"expected an address that is a multiple of {tensor.storage.alignment}: pass {name}.copy()"
    if output and not value.flags.writeable:
        return ValueError, "it is read-only: pass an array that may be written"
    return None


def _stored(array, storage):
    """What ctypes passes as the address of an array that has no problem. Dtypes of ml_dtypes have no buffers: `storage` has."""
    if array.dtype is not storage:
        array = array.view(storage)
    return _at(array) if array.flags.writeable else _read_only(array)


def _aligned(size, make=_empty):
    """So many bytes at an address that is a multiple of 64."""
    memory = make(size + 63, np.uint8)
    skip = -memory.ctypes.data % 64
    return memory[skip:skip + size]


def _read_only(array):
    """The same of an array that may not be written, which `_at` refuses."""
    pointer = ctypes.c_void_p(array.ctypes.data)
    pointer.array = array  # keeps it alive
    return pointer


def _begin(pointer):
    return pointer.value if pointer.__class__ is ctypes.c_void_p else _address(pointer)


def _places(pointers, sizes):
    """(first byte, size, index) of what the pointers point to, in the order of addresses."""
    return sorted([(_begin(pointer), size, i) for i, (pointer, size) in enumerate(zip(pointers, sizes)) if pointer is not None])


def _one_apart(output, size, pointers, sizes):
    """The same as `_apart` of one output, faster."""
    begin = _address(output)
    end = begin + size
    for pointer, other_size in zip(pointers, sizes):
        if pointer is not None:
            other = _begin(pointer)
            if other < end and begin < other + other_size:
                return False
    return True


def _apart(pointers, sizes, first):
    """Whether the outputs, from index `first` on, share no memory with one another and with inputs, which may do so with inputs."""
    end = end_of_outputs = 0
    for begin, size, i in _places(pointers, sizes):
        if begin < (end if i >= first else end_of_outputs):
            return False
        end = max(end, begin + size)
        if i >= first:
            end_of_outputs = end
    return True


def _overlaps(tensors, pointers, first):
    """Pairs of an output and another tensor that share memory."""
    places = sorted((i, begin, begin + size) for begin, size, i in _places(pointers, [tensor.bytes for tensor in tensors]))
    for i, begin, end in places:
        for j, other, other_end in places:
            if j < i and i >= first and begin < other_end and other < end:
                yield f"{tensors[i].name} overlaps {tensors[j].name}: pass an array of its own"


def _outside(dim, size):
    """Why a size is not allowed; nothing if it is."""
    if dim.min <= size <= dim.max and size % dim.multiple == 0:
        return ""
    multiple = f", a multiple of {dim.multiple}" if dim.multiple > 1 else ""
    return f"{dim.name} is {size}, expected {dim.min} to {dim.max}{multiple}"


def _size(function, dim, place, axis, inputs):
    """A size as an input has it."""
    tensor, value = function.inputs[place], inputs[place]
    shape = getattr(value, "shape", ())
    problem = ""
    if len(shape) != len(tensor.shape):
        problem = f"expected {_text(tensor.dtype, tensor.shape)}, found " + (_text(value.dtype, shape) if isinstance(value, _array) else type(value).__name__)
    else:
        problem = _outside(dim, shape[axis])
    if problem:
        raise (ValueError if isinstance(value, _array) else TypeError)(f"{_NAME}.{function.name}: {tensor.name}: {problem}")
    return shape[axis]


def _sized(tensors, shapes):
    """The tensors with these shapes."""
    return tuple(tensor._replace(shape=shape, bytes=math.prod(shape) * tensor.storage.itemsize) for tensor, shape in zip(tensors, shapes))


@functools.lru_cache(maxsize=1024)
def _with_sizes(name, sizes):
    """A function whose tensors have the shapes of these sizes."""
    function = FUNCTIONS[name]
    shapes = iter(function.sizes.shapes(*sizes))
    return function._replace(inputs=_sized(function.inputs, shapes), outputs=_sized(function.outputs, shapes))


def _at_sizes(function, inputs, kept):
    """The function with the sizes that its arrays and its block of state have, and these."""
    if function.sizes is None:
        return function, ()
    sizes = tuple(kept(dim, axis) if place is None else _size(function, dim, place, axis, inputs)
                  for dim, (place, axis) in zip(function.sizes.dims, function.sizes.places))
    return _with_sizes(function.name, sizes), sizes


class _Arguments:
    """The arguments of a call, checked: sizes, some of which a block of state has (`kept`), those that C is given, pointers for C, and the arrays of the outputs."""

    def __init__(self, function, inputs, out, kept=None):
        problems, self.pointers, self.outputs = [], [], []
        if len(inputs) != len(function.inputs):
            raise TypeError(f"{_NAME}.{function.name}: expected {len(function.inputs)} inputs, found {len(inputs)}")
        function, self.sizes = _at_sizes(function, inputs, kept)
        places = function.sizes.places if function.sizes else ()
        self.given = tuple(ctypes.c_size_t(size) for size, (_, held) in zip(self.sizes, places) if not isinstance(held, str))
        outputs = out if isinstance(out, (tuple, list)) else (out,) * len(function.outputs if out is None else "1")
        if len(outputs) != len(function.outputs):
            raise TypeError(f"{_NAME}.{function.name}: expected out=, a tuple of {len(function.outputs)} arrays or None")
        count = len(inputs)
        for i, (tensor, value) in enumerate(zip(function.inputs + function.outputs, (*inputs, *outputs))):
            output = i >= count
            if output and value is None:
                value = _empty(tensor.shape, tensor.dtype)
            elif not output and not isinstance(value, _array):
                scalar = _scalar(tensor, value)
                value = value if scalar is None else scalar
            name = ("out" if len(outputs) == 1 else f"out[{i - count}]") if output else tensor.name
            problem = _problem(tensor, name, value, output)
            if problem:
                problems.append((problem[0], f"{name}: {problem[1]}"))
                continue
            self.pointers.append(_stored(value, tensor.storage) if tensor.bytes else None)
            if output:
                self.outputs.append(value)
        if out is not None and not problems:
            problems = [(ValueError, text) for text in _overlaps(function.inputs + function.outputs, self.pointers, count)]
        if problems:
            raise problems[0][0](f"{_NAME}.{function.name}: " + "\n  ".join(text for _, text in problems))

    def result(self):
        return self.outputs[0] if len(self.outputs) == 1 else tuple(self.outputs)


class Bound:
    """A call whose arrays are checked already. Calling it computes the outputs from what the inputs contain then, and returns them.
    One thread at a time may do so."""

    __slots__ = ("_library", "_function", "_arguments", "outputs")

    def __init__(self, library, index, arguments):
        function = library._tables[index]
        if function.sizes and function.sizes.workspace is not None:
            size = ctypes.c_size_t(function.sizes.workspace)
        else:
            size = library._workspace_size(index, arguments.sizes)
        self._library, self._function = library, library._functions[index]
        self._arguments = (library._context, *arguments.given, *arguments.pointers, library._new_workspace(size), size)
        self.outputs = arguments.result()

    def __call__(self):
        status = self._function(*self._arguments)
        if status or self._library._failures:
            self._library._raise(status)
        return self.outputs


_Task = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32)
_Run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, _Task, ctypes.c_void_p)


class Executor(ctypes.Structure):
    """The C library's executor, for one that is native: addresses of `run` and of what it gets as `user`."""

    _fields_ = [("run", ctypes.c_void_p), ("user", ctypes.c_void_p), ("concurrency", ctypes.c_uint32)]


class _Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("variant", ctypes.c_char_p), ("executor", ctypes.POINTER(Executor))]


def _threads(count):
    """An executor that runs tasks on the caller's thread and `count - 1` others."""
    pool = concurrent.futures.ThreadPoolExecutor(max(1, count - 1), _NAME)

    def run(tasks, task):
        numbers = itertools.count()

        def work():
            for index in numbers:
                if index >= tasks:
                    return
                task(index)

        helpers = [pool.submit(work) for _ in range(min(count, tasks) - 1)]
        try:
            work()
        finally:
            _wait([helper for helper in helpers if not helper.cancel()])

    return run


def _wait(futures):
    """An interrupt is raised when all are done: their tasks use the memory of a call that waits."""
    interrupt = None
    while futures:
        try:
            futures = concurrent.futures.wait(futures).not_done
        except BaseException as error:
            interrupt = error
    if interrupt:
        raise interrupt


def _callback(run, failures):
    """`run(tasks, task)` of Python as C's. What it raises is kept for the end of the call."""

    @_Run
    def callback(user, tasks, task, argument):
        over = False

        def checked(index):
            if over or not 0 <= index < tasks:
                raise IndexError(f"task {index} of {0 if over else tasks}")
            task(argument, index)

        try:
            run(tasks, checked)
        except BaseException as error:
            failures[threading.get_ident()] = error
        over = True

    return callback


def _find(path):
    """The shared library's path."""
    variable, file = f"{_NAME.upper()}_LIBRARY", f"lib{_NAME}.so"
    path = path or os.environ.get(variable)
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), file)
    if path is None and not os.path.exists(beside):
        raise OSError(f"there is no {beside}. In the folder that kgen generated:\n"
                      f"  cmake -S . -B ../build -DBUILD_SHARED_LIBS=ON && cmake --build ../build\n"
                      f"makes it in ../build, with a copy of this module beside it; or name it: load(path), or {variable}=path")
    return os.path.abspath(beside if path is None else os.fspath(path))


class _Library:
    """What `load` makes of the shared library; threads may share it."""

    def __init__(self, path, variant, executor, threads):
        self.path = _find(path)
        self._c = ctypes.CDLL(self.path)
        if not hasattr(self._c, f"{_NAME}_init"):
            raise OSError(f"{self.path} is not the library {_NAME}: it has no {_NAME}_init")
        self._local, self._failures = threading.local(), {}
        self._context = (ctypes.c_uint64 * 8)()
        self._executor = self._make_executor(executor, threads)
        self._initialize(variant)
        self._tables = list(FUNCTIONS.values())
        self._functions = [self._c[f"{_NAME}_{function.name}"] for function in self._tables]
        self._workspace_sizes = [self._c[f"{_NAME}_{function.name}_workspace_size"] for function in self._tables]
        for size in self._workspace_sizes:
            size.restype = ctypes.c_size_t
        self._workspace_size = functools.lru_cache(maxsize=1024)(self._workspace_size_of)
        self._sizes = [None if function.sizes else self._workspace_size(index, ()) for index, function in enumerate(self._tables)]

    def _make_executor(self, executor, threads):
        if executor is not None and threads is not None:
            raise TypeError(f"{_NAME}.load: expected executor or threads, found both")
        if threads is not None and threads < 1:
            raise ValueError(f"{_NAME}.load: expected threads of 1 or more, found {threads}")
        if threads is not None:
            executor = _threads(threads) if threads > 1 else None
        if executor is None or isinstance(executor, Executor):
            return executor
        self._callback = _callback(executor, self._failures)
        return Executor(ctypes.cast(self._callback, ctypes.c_void_p), None, threads or 0)

    def _initialize(self, variant):
        options = _Options(ctypes.sizeof(_Options), variant.encode() if variant else None,
                           ctypes.pointer(self._executor) if self._executor else None)
        status = self._c[f"{_NAME}_init"](self._context, ctypes.byref(options))
        if status:
            raise Error(status, "".join(f"\n  {name}{'' if fits else ': not on this CPU'}" for name, fits in self.variants.items()))
        if self._context[0] != _MARK:
            raise OSError(f"{self.path} was not made with {os.path.abspath(__file__)}: build it again")

    @property
    def variants(self):
        """{name: whether this CPU supports it}, the best first."""
        supported = self._c[f"{_NAME}_variant_supported"]
        return {name: bool(supported(ctypes.c_size_t(i))) for i, name in enumerate(VARIANTS)}

    @property
    def variant(self):
        """The name of the chosen one."""
        name = self._c[f"{_NAME}_variant"]
        name.restype = ctypes.c_char_p
        return name(self._context).decode()

    def bind(self, name, *inputs, out=None):
        """A call of the function of that name on these arrays, to be made many times: see Bound."""
        return self._bind(name, inputs, out)

    def _bind(self, name, inputs, out, kept=()):
        if name not in FUNCTIONS:
            raise KeyError(f"{_NAME} has no function {name!r}; there are {', '.join(FUNCTIONS)}")
        return Bound(self, list(FUNCTIONS).index(name), _Arguments(FUNCTIONS[name], inputs, out, kept))

    def _workspace_size_of(self, index, sizes):
        return ctypes.c_size_t(self._workspace_sizes[index](self._context, *map(ctypes.c_size_t, sizes)))

    def _new_workspace(self, size):
        return _at(_aligned(size.value)) if size.value else None

    def _own_workspace(self, size):
        """That of this thread: one for all functions, as large as the largest of them."""
        local = self._local.__dict__
        if size.value > local.get("size", 0):
            local.clear()
            local["memory"], local["size"] = self._new_workspace(size), size.value
        return local.get("memory") if size.value else None

    def _workspace(self, index):
        """The workspace of this thread, made for its first call of the function."""
        workspace = self._own_workspace(self._sizes[index])
        self._local.__dict__[f"f{index}"] = workspace
        return workspace

    def _call(self, index, inputs, out):
        arguments = _Arguments(self._tables[index], inputs, out)
        size = self._workspace_size(index, arguments.sizes) if self._sizes[index] is None else self._sizes[index]
        status = self._functions[index](self._context, *arguments.given, *arguments.pointers, self._own_workspace(size), size)
        if status or self._failures:
            self._raise(status)
        return arguments.result()

    def _raise(self, status):
        if status:
            raise Error(status)
        failure = self._failures.pop(threading.get_ident(), None)
        if failure is not None:
            raise failure


def load(path=None, *, variant=None, executor=None, threads=None):
    """The library, for this CPU, or a variant by its name.

    path      of the shared library; without it, the environment variable says it, or it is the one beside this module
    threads   on how many a function's tasks run; without it, on the caller's
    executor  who runs them instead: a function run(tasks, task) that calls task(i) once for each i < tasks, on any threads, and returns
              when all are done, also if it raises something; or an Executor
    """
    return Library(path, variant, executor, threads)
