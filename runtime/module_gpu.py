class GpuError(RuntimeError):
    """A status of the part for graphics cards other than OK: `status` is its number, `name` its name there, `text` what the library or the
    driver says."""

    def __init__(self, status, text=""):
        known = 0 <= status < len(GPU_STATUSES)
        self.status, self.name, self.text = status, GPU_STATUSES[status][0] if known else "unknown status", text
        super().__init__(f"{self.name} ({status}): {GPU_STATUSES[status][1] if known else 'of another version'}" + (f": {text}" if text else ""))


class _GpuOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("target", ctypes.c_char_p), ("device", ctypes.c_size_t), ("context", ctypes.c_void_p),
                ("memory", ctypes.c_uint64), ("memory_size", ctypes.c_size_t), ("weights", ctypes.c_void_p)]


def _on_device(tensor, value, output, streams):
    """The address of a tensor in the device's memory, and why the function cannot take it; nothing if it can."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value, None
    interface = getattr(value, "__cuda_array_interface__", None)
    expected = _text(tensor.dtype, tensor.shape)
    if interface is None:
        return 0, (TypeError, f"expected {expected} in the device's memory (what has __cuda_array_interface__, or an address), found {type(value).__name__}")
    dtype, shape, strides = np.dtype(interface["typestr"]), tuple(interface["shape"]), interface.get("strides")
    if dtype != tensor.dtype and dtype != tensor.storage:
        return 0, (TypeError, f"expected {expected}, found {_text(dtype, shape)}")
    if shape != tensor.shape:
        return 0, (ValueError, f"expected {expected}, found {_text(dtype, shape)}")
    row_major = tuple(math.prod(shape[axis + 1:]) * dtype.itemsize for axis in range(len(shape)))
    if strides is not None and tensor.bytes and tuple(strides) != row_major:
        return 0, (ValueError, f"expected row-major elements without gaps, found strides {tuple(strides)}")
    address, read_only = interface["data"]
    if output and read_only:
        return 0, (ValueError, "it is read-only: pass an array that may be written")
    if interface.get("stream") is not None:
        streams.add(interface["stream"])
    return address or 0, None


class _Gpu:
    """The functions on a graphics card, on numpy arrays, which are copied to the device and back.

    path     of the shared library, as `load` has it
    target   one of GPU_TARGETS; without it, the environment says it, or it is the first that the machine has
    device   the driver's number, counted from 1; 0: the best that runs the kernels
    context  a CUcontext of the caller's, on CUDA; 0: the device's primary one
    memory   an address of device memory of the caller's, on CUDA, and memory_size, at least GPU_TARGETS[target]; 0: the driver's
    weights  another Gpu, whose device, kernels and weights are used, too; it is kept until this one is closed

    A context manager: the end of its block, or `close`, gives the device's memory back. Threads that call it wait for each other.
    """

    def __init__(self, path=None, *, target=None, device=0, context=0, memory=0, memory_size=0, weights=None):
        self._gpu, self._weights, self._users = None, weights, 0
        self._lock = threading.RLock() if weights is None else weights._lock  # both may have one queue
        self.path = _find(path)
        self._c = ctypes.CDLL(self.path)
        if not hasattr(self._c, f"{_NAME}_gpu_init"):
            raise OSError(f"{self.path} is not the library {_NAME} with its part for graphics cards: it has no {_NAME}_gpu_init")
        gpu = (ctypes.c_uint64 * GPU_WORDS)()
        options = _GpuOptions(ctypes.sizeof(_GpuOptions), target.encode() if target else None, device, context, memory, memory_size,
                              ctypes.addressof(weights._opened()) if weights is not None else None)
        status = self._function("gpu_init")(ctypes.byref(options), gpu)
        if status:
            raise GpuError(status, self._string("gpu_error", gpu))
        self._gpu = gpu
        if weights is not None:
            weights._users += 1
        if gpu[0] != _MARK:
            self.close()
            raise OSError(f"{self.path} was not made with {os.path.abspath(__file__)}: build it again")

    def _function(self, name):
        return self._c[f"{_NAME}_{name}"]

    def _string(self, name, gpu):
        function = self._function(name)
        function.restype = ctypes.c_char_p
        return (function(gpu) or b"").decode(errors="replace")

    def _opened(self):
        if self._gpu is None:
            raise ValueError(f"{_NAME}.Gpu: it is closed")
        return self._gpu

    def _check(self, status):
        if status:
            raise GpuError(status, self._string("gpu_error", self._gpu))

    @property
    def target(self):
        """The name of the chosen one."""
        return self._string("gpu_target", self._opened())

    @property
    def device_name(self):
        """The driver's name of the device."""
        return self._string("gpu_device_name", self._opened())

    def close(self):
        """Waits for what runs, and gives everything back. Once is enough."""
        with self._lock:
            if self._gpu is None:
                return
            if self._users:
                raise ValueError(f"{_NAME}.Gpu: others use its weights: close them first")
            gpu, self._gpu = self._gpu, None
            finish = self._function("gpu_finish")
            finish.restype = None
            finish(gpu)
            if self._weights is not None:
                self._weights._users -= 1
                self._weights = None

    def __enter__(self):
        self._opened()
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_gpu", None) is not None:
            self.close()

    def _run(self, index, inputs, out):
        """A call on arrays in the program's memory."""
        arguments = _Arguments(list(FUNCTIONS.values())[index], inputs, out)
        places = [None if pointer is None else _begin(pointer) for pointer in arguments.pointers]
        count = len(inputs)
        given, results = (ctypes.c_void_p * count)(*places[:count]), (ctypes.c_void_p * (len(places) - count))(*places[count:])
        with self._lock:
            self._check(self._function("gpu_call")(self._opened(), ctypes.c_size_t(index), given, results))
        return arguments.result()

    def enqueue(self, name, *inputs, out, stream=0):
        """Adds a call of the function of that name to a CUDA stream, on tensors in the device's memory: arrays with
        __cuda_array_interface__, or addresses. `out` is one, or a tuple of them. Nothing is waited for: arrays must be kept, and
        inputs left as they are, until the stream has done the work."""
        if name not in FUNCTIONS:
            raise KeyError(f"{_NAME} has no function {name!r}; there are {', '.join(FUNCTIONS)}")
        function, outputs = FUNCTIONS[name], out if isinstance(out, (tuple, list)) else (out,)
        if len(inputs) != len(function.inputs) or len(outputs) != len(function.outputs):
            raise TypeError(f"{_NAME}.{name}: expected {len(function.inputs)} inputs and {len(function.outputs)} outputs, found {len(inputs)} and {len(outputs)}")
        addresses, problems, streams, count = [], [], set(), len(inputs)
        for i, (tensor, value) in enumerate(zip(function.inputs + function.outputs, (*inputs, *outputs))):
            address, problem = _on_device(tensor, value, i >= count, streams)
            addresses.append(ctypes.c_uint64(address))
            if problem:
                problems.append((problem[0], f"{tensor.name}: {problem[1]}"))
        if problems:
            raise problems[0][0](f"{_NAME}.{name}: " + "\n  ".join(text for _, text in problems))
        with self._lock:
            gpu = self._opened()
            if not GPU_HAS_CUDA:
                raise GpuError([status for status, _ in GPU_STATUSES].index(f"{_NAME.upper()}_GPU_WRONG_TARGET"))
            for other in streams - {stream}:
                self.wait(other)  # what its producer has enqueued there comes first
            self._check(self._function(f"{name}_gpu_enqueue")(gpu, *addresses, ctypes.c_void_p(stream)))

    def wait(self, stream=0):
        """Waits for the work in a CUDA stream, and raises its errors."""
        with self._lock:
            gpu = self._opened()
            if GPU_HAS_CUDA:
                self._check(self._function("gpu_wait")(gpu, ctypes.c_void_p(stream)))
