class State:
    """What a sequence of calls carries on; `reset` begins another one. Tensors by their names are copies: `state["h"]`, and `state["h"] = array`
    writes one. One thread at a time may call functions with it."""

    __slots__ = ("_library", "_block", "_pointer", "_size")

    def __init__(self, library, data=None):
        size = library._state_size
        memory = _empty(size + 63, np.uint8)
        skip = -memory.ctypes.data % 64
        self._library, self._block, self._size = library, memory[skip:skip + size], ctypes.c_size_t(size)
        self._pointer = _at(self._block)
        if data is None:
            return self.reset()
        data = np.frombuffer(data, np.uint8)
        if data.size != size:
            raise ValueError(f"{_NAME}.State: expected {size} bytes, found {data.size}")
        self._block[:] = data
        self[STATES[0].name]  # checks the mark

    def _do(self, what, *arguments):
        library = self._library
        status = library._c[f"{_NAME}_state_{what}"](library._context, self._pointer, self._size, *arguments)
        if status:
            raise Error(status)

    def _tensor(self, name):
        for index, tensor in enumerate(STATES):
            if tensor.name == name:
                return ctypes.c_size_t(index), tensor
        raise KeyError(f"{_NAME} has no state {name!r}; there are {', '.join(tensor.name for tensor in STATES)}")

    def reset(self):
        """Begins a sequence: each tensor is as before the first call."""
        self._do("init")

    def __getitem__(self, name):
        index, tensor = self._tensor(name)
        array = _empty(tensor.shape, tensor.dtype)
        self._do("get", index, _stored(array, tensor.storage) if tensor.bytes else None)
        return array

    def __setitem__(self, name, value):
        index, tensor = self._tensor(name)
        if not isinstance(value, _array):
            scalar = _scalar(tensor, value)
            value = value if scalar is None else scalar
        problem = _problem(tensor, name, value, False)
        if problem:
            raise problem[0](f"{_NAME}.State: {name}: {problem[1]}")
        self._do("set", index, _stored(value, tensor.storage) if tensor.bytes else None)

    def copy(self):
        """Another block that goes on from here."""
        return State(self._library, self._block)

    def tobytes(self):
        """The block as bytes, which `Library.State(data)` takes again, also in a library with other weights."""
        return self._block.tobytes()


class _StateLibrary(_Library):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        size = self._c[f"{_NAME}_state_size"]
        size.restype = ctypes.c_size_t
        self._state_size = size(self._context)

    def State(self, data=None):
        """A new block of state, or one from the bytes of another."""
        return State(self, data)

    def _checked(self, name, state):
        if not isinstance(state, State) or state._library is not self:
            raise TypeError(f"{_NAME}.{name}: state: expected what State() of this library makes, found {type(state).__name__}")
        return state._pointer, state._size

    def _call_with_state(self, index, inputs, state, out):
        function = self._tables[index]
        block = self._checked(function.name, state)
        arguments = _Arguments(function, inputs, out)
        size = self._workspace_size(index, arguments.sizes) if self._sizes[index] is None else self._sizes[index]
        pointers, count = arguments.pointers, len(inputs)
        status = self._functions[index](self._context, *map(ctypes.c_size_t, arguments.sizes), *pointers[:count], *block, *pointers[count:],
                                        self._own_workspace(size), size)
        if status or self._failures:
            self._raise(status)
        return arguments.result()

    def bind(self, name, *inputs, state=None, out=None):
        """A call of the function of that name on these arrays and this state, to be made many times: see Bound."""
        bound = super().bind(name, *inputs, out=out)
        if name in USES_STATE:
            block, arguments = self._checked(name, state), bound._arguments
            at = len(arguments) - 2 - len(FUNCTIONS[name].outputs)
            bound._arguments = (*arguments[:at], *block, *arguments[at:])
        return bound
