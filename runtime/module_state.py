@functools.lru_cache(maxsize=1024)
def _state_tensors(sizes):
    """The tensors of a block that is made for these sizes."""
    return _sized(STATES, STATE_SIZES.shapes(*sizes))


def _state_sizes(given):
    """Sizes for a block by their names, in order."""
    names = [dim.name for dim in STATE_SIZES.dims]
    if given.keys() != set(names):
        raise TypeError(f"{_NAME}.State: expected {'sizes ' + ', '.join(names) if names else 'no sizes'}, found {', '.join(given) or 'none'}")
    for dim in STATE_SIZES.dims:
        size = given[dim.name]
        if isinstance(size, bool) or not hasattr(size, "__index__"):
            raise TypeError(f"{_NAME}.State: {dim.name}: expected an integer, found {type(size).__name__}")
        problem = _outside(dim, int(size))
        if problem:
            raise ValueError(f"{_NAME}.State: {problem}")
    return tuple(int(given[name]) for name in names)


def _is_bindable(function):
    """True if arrays have the same shapes whatever sizes a state holds."""
    if not function.sizes:
        return True
    least, most = (function.sizes.shapes(*(getattr(dim, end) if isinstance(held, str) else dim.max
                                           for dim, (_, held) in zip(function.sizes.dims, function.sizes.places))) for end in ("min", "max"))
    return least == most


class State:
    """What a sequence of calls carries on; `reset` begins another one. Tensors by their names are copies: `state["h"]`, and `state["h"] = array`
    writes one. One thread at a time may call functions with it."""

    __slots__ = ("_library", "_block", "_pointer", "_size", "_sizes", "_tensors")

    def __init__(self, library, data=None, sizes=None):
        self._library = library
        if data is None:
            self._make(_state_sizes(sizes or {}))
            return self.reset()
        if sizes:
            raise TypeError(f"{_NAME}.State: expected the bytes of a block or sizes, found both")
        try:
            data = np.frombuffer(data, np.uint8)
        except TypeError:
            raise TypeError(f"{_NAME}.State: expected the bytes of a block, found {type(data).__name__}") from None
        self._make(library._sizes_of_block(data) if STATE_SIZES.dims else ())
        if data.size != self._block.size:
            sizes = "".join(f", {name}={size}" for name, size in self.sizes.items())
            raise ValueError(f"{_NAME}.State: expected {self._block.size} bytes, found {data.size}{sizes}")
        self._block[:] = data
        self[STATES[0].name]  # checks the mark

    def _make(self, sizes):
        self._sizes, self._tensors = sizes, _state_tensors(sizes)
        self._block = _aligned(self._library._state_size(sizes), np.zeros)  # `init` leaves rows of caches as they are
        self._pointer, self._size = _at(self._block), ctypes.c_size_t(self._block.size)

    def _do(self, what, *arguments):
        library = self._library
        status = library._c[f"{_NAME}_state_{what}"](library._context, self._pointer, self._size, *arguments)
        if status:
            raise Error(status)

    def _tensor(self, name):
        for index, tensor in enumerate(self._tensors):
            if tensor.name == name:
                return ctypes.c_size_t(index), tensor
        raise KeyError(f"{_NAME} has no state {name!r}; there are {', '.join(tensor.name for tensor in STATES)}")

    def _kept(self, dim, key):
        """A size that the block was made for, or that the state of that name holds."""
        if not isinstance(key, str):
            return self._sizes[key]
        size = int(self[key].item())
        if _outside(dim, size):
            name = f"{_NAME.upper()}_{'STATE_FULL' if size > dim.max else 'BAD_STATE'}"
            raise Error([known for known, _ in STATUSES].index(name))
        return size

    @property
    def sizes(self):
        """{name: size} that the block was made for."""
        return {dim.name: size for dim, size in zip(STATE_SIZES.dims, self._sizes)}

    @staticmethod
    def _checked(tensor, name, value):
        """The value as an array for the tensor."""
        if not isinstance(value, _array):
            scalar = _scalar(tensor, value)
            value = value if scalar is None else scalar
        problem = _problem(tensor, name, value, False)
        if problem:
            raise problem[0](f"{_NAME}.State: {name}: {problem[1]}")
        return value

    def reset(self):
        """Begins a sequence: each tensor is as before the first call."""
        self._do("init", *map(ctypes.c_size_t, self._sizes))

    def __getitem__(self, name):
        index, tensor = self._tensor(name)
        array = _empty(tensor.shape, tensor.dtype)
        self._do("get", index, _stored(array, tensor.storage) if tensor.bytes else None)
        return array

    def __setitem__(self, name, value):
        index, tensor = self._tensor(name)
        value = self._checked(tensor, name, value)
        self._do("set", index, _stored(value, tensor.storage) if tensor.bytes else None)

    def _part(self, name, axis, at):
        index, tensor = self._tensor(name)
        rank = len(tensor.shape)
        if not -rank <= axis < rank:
            raise IndexError(f"{_NAME}.State: {name}: axis {axis} of {rank}")
        size = tensor.shape[axis]
        if not -size <= at < size:
            raise IndexError(f"{_NAME}.State: {name}: {at} of {size} along axis {axis}")
        shape = tensor.shape[:axis % rank] + tensor.shape[axis % rank + 1:]
        part = tensor._replace(shape=shape, bytes=math.prod(shape) * tensor.storage.itemsize)
        return part, (index, ctypes.c_size_t(axis % rank), ctypes.c_size_t(at % size))

    def get_at(self, name, axis, at):
        """A copy of what lies at `at` along an axis of a tensor: one sequence of a batch."""
        part, arguments = self._part(name, axis, at)
        array = _empty(part.shape, part.dtype)
        self._do("get_at", *arguments, _stored(array, part.storage) if part.bytes else None)
        return array

    def set_at(self, name, axis, at, value):
        """Writes what lies at `at` along an axis of a tensor."""
        part, arguments = self._part(name, axis, at)
        value = self._checked(part, name, value)
        self._do("set_at", *arguments, _stored(value, part.storage) if part.bytes else None)

    def copy(self):
        """Another block that goes on from here."""
        return State(self._library, self._block)

    def tobytes(self):
        """The block as bytes, which `Library.State(data)` takes again, also in a library with other weights."""
        return self._block.tobytes()


class _StateLibrary(_Library):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._size_of_state = self._c[f"{_NAME}_state_size"]
        self._size_of_state.restype = ctypes.c_size_t

    def State(self, data=None, /, **sizes):
        """A new block of state for these sizes, by their names, or one from the bytes of another, which have them."""
        return State(self, data, sizes)

    def _state_size(self, sizes):
        return self._size_of_state(self._context, *map(ctypes.c_size_t, sizes))

    def _sizes_of_block(self, data):
        """The sizes in the header of a block's bytes, which is checked."""
        header = _aligned(64)
        if data.size < header.size:
            raise ValueError(f"{_NAME}.State: expected the bytes of a block, {header.size} and more, found {data.size}")
        header[:] = data[:header.size]
        # Reads the header only: there is no place for a tensor's elements.
        status = self._c[f"{_NAME}_state_get"](self._context, _at(header), ctypes.c_size_t(-1), ctypes.c_size_t(0), None)
        if status and STATUSES[status][0] != f"{_NAME.upper()}_NULL_POINTER":
            raise Error(status)
        return tuple(map(int, header.view(np.uint64)[1:1 + len(STATE_SIZES.dims)]))

    def _checked(self, name, state):
        if not isinstance(state, State) or state._library is not self:
            raise TypeError(f"{_NAME}.{name}: state: expected what State() of this library makes, found {type(state).__name__}")
        return state._pointer, state._size

    def _call_with_state(self, index, inputs, state, out):
        function = self._tables[index]
        block = self._checked(function.name, state)
        arguments = _Arguments(function, inputs, out, state._kept)
        size = self._workspace_size(index, arguments.sizes) if self._sizes[index] is None else self._sizes[index]
        pointers, count = arguments.pointers, len(inputs)
        status = self._functions[index](self._context, *arguments.given, *pointers[:count], *block, *pointers[count:],
                                        self._own_workspace(size), size)
        if status or self._failures:
            self._raise(status)
        return arguments.result()

    def bind(self, name, *inputs, state=None, out=None):
        """A call of the function of that name on these arrays and this state, to be made many times: see Bound."""
        if name not in USES_STATE:
            if state is not None and name in FUNCTIONS:
                raise TypeError(f"{_NAME}.{name}: it takes no state")
            return super().bind(name, *inputs, out=out)
        block = self._checked(name, state)
        if not _is_bindable(FUNCTIONS[name]):
            raise TypeError(f"{_NAME}.{name}: shapes of its arrays change with a size that the state holds: it cannot be bound")
        bound = self._bind(name, inputs, out, state._kept)
        at = len(bound._arguments) - 2 - len(FUNCTIONS[name].outputs)
        bound._arguments = (*bound._arguments[:at], *block, *bound._arguments[at:])
        return bound
