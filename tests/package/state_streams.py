"""Blocks of state in Python that are made for sizes: those of state_streams.yaml and state_sizes.yaml, which are on the path."""
import numpy as np
import sized
import streams
from refusals import refused

ONE = 0x3f80  # in bf16, which may be uint16


class Reference:
    """What `hear` makes of the states, in numpy."""

    def __init__(self, rows, context):
        self.h, self.past, self.length, self.pairs = np.zeros((rows, 7)), np.zeros((rows, context, 3)), 0, 0

    def hear(self, x, new):
        self.h = np.tanh(self.h / 2 + x)
        self.past[:, self.length:self.length + new.shape[1]] = new
        self.length += new.shape[1]
        self.pairs += 1
        return self.h, self.past.sum(axis=1)

    def check(self, state):
        assert np.allclose(state["h"], self.h, atol=1e-6) and (state["past"] == self.past.astype(np.float32)).all()
        assert (state["length"] == self.length).all() and (state["pairs"] == self.pairs).all()


def check(library):
    draw = np.random.default_rng(1)
    # Sessions of several sizes in turns: each is as if it were alone.
    sessions = []
    for rows, context, count in ((1, 8, 1), (3, 64, 5), (6, 16, 2), (3, 64, 4), (2, 8, 1)):
        state = library.State(rows=rows, context=context, **{"lambda": rows % 4})
        assert state.sizes == {"rows": rows, "context": context, "lambda": rows % 4}
        assert state["past"].shape == (rows, context, 3) and state["pairs"].shape == (2 * rows + 1,) and (state["marks"].view(np.uint16) == ONE).all()
        sessions.append((state, Reference(rows, context), count))
    for turn in range(7):
        for i, (state, expected, count) in enumerate(sessions):
            rows = state.sizes["rows"]
            x, new = draw.standard_normal((rows, 7), np.float32), draw.standard_normal((rows, count, 3), np.float32)
            z, y = library.hear(x, new, np.int64(count), state)
            for found, wanted in zip((z, y), expected.hear(x, new)):
                assert found.shape == wanted.shape and np.allclose(found, wanted, atol=1e-5)
            expected.check(state)
            if turn == i:  # saved and read again, in another library of the same spec, too
                kept = library.State(state.tobytes())
                assert kept.sizes == state.sizes and kept.tobytes() == state.tobytes()
                assert streams.load().State(bytearray(state.tobytes())).sizes == state.sizes
                sessions[i] = (kept, expected, count)
    return sessions


library = streams.load()
for variant, fits in library.variants.items():
    if fits:
        sessions = check(streams.load(variant=variant))
        if variant == library.variant:
            library = sessions[0][0]._library
            # One variant goes on from what another has left.
            other = streams.load(variant=list(library.variants)[-1])
            state, expected, count = sessions[3]
            state, x, new = other.State(state.tobytes()), np.ones((3, 7), np.float32), np.ones((3, 2, 3), np.float32)
            expected.hear(x, new)
            other.hear(x, new, np.int64(2), state)
            expected.check(state)
            # Full, and nothing is written.
            block = state.tobytes()
            state["length"] = np.full(3, 61)
            full, out = state.tobytes(), (np.full((3, 7), 9, np.float32), np.full((3, 3), 9, np.float32))
            refused(streams.Error, "STREAMS_STATE_FULL", lambda: other.hear(x, np.ones((3, 4, 3), np.float32), np.int64(4), state, out=out))
            assert state.tobytes() == full and (out[0] == 9).all() and (out[1] == 9).all() and block != full

state = library.State(context=np.int32(16), rows=2, **{"lambda": 3})
x, new = np.ones((2, 7), np.float32), np.ones((2, 3, 3), np.float32)
many = np.array(3)
call = library.bind("hear", x, new, many, state=state)
first = call()[1].copy()
twin = state.copy()
assert (call()[1] == 2 * first).all() and (library.hear(x, new, 3, twin)[1] == 2 * first).all() and twin.tobytes() == state.tobytes()
v = np.full(2, ONE, np.uint16)
old = library.mark(v, state)
assert old.shape == (3, 2) and (old == state["marks"]).sum() == 0 and (twin["marks"] == old).all()
state["marks"] = old
assert state.tobytes()[64:] == twin.tobytes()[64:]
state.reset()
assert state.sizes == {"rows": 2, "context": 16, "lambda": 3} and not state["past"].any() and not state["length"].any()
assert library.hear.__doc__.startswith("hear(x, added, many, state) -> z, y") and "library.State(rows, context, lambda) -> state" in streams.__doc__
assert library.plain(np.ones((4, 8), np.float32)).shape == (4, 8)
out = np.empty((2, 7), np.float32)
assert library.hear(x, new, 3, state, out=(out, None))[0] is out and library.mark(v, library.State(rows=1, context=8, **{"lambda": 0})).shape == (0, 2)

# What is refused, and changes nothing.
block = state.tobytes()
made = {"rows": 2, "context": 16, "lambda": 3}
refused(TypeError, "streams.State: expected sizes rows, context, lambda, found none", lambda: library.State())
refused(TypeError, "expected sizes rows, context, lambda, found rows, contexts, lambda", lambda: library.State(**{"rows": 2, "contexts": 16, "lambda": 3}))
refused(TypeError, "streams.State: context: expected an integer, found float", lambda: library.State(**{**made, "context": 16.0}))
refused(TypeError, "streams.State: rows: expected an integer, found bool", lambda: library.State(**{**made, "rows": True}))
refused(ValueError, "streams.State: rows is 7, expected 1 to 6", lambda: library.State(**{**made, "rows": 7}))
refused(ValueError, "streams.State: context is 12, expected 8 to 64, a multiple of 8", lambda: library.State(**{**made, "context": 12}))
refused(ValueError, "streams.State: lambda is -1, expected 0 to 3", lambda: library.State(**{**made, "lambda": -1}))
refused(TypeError, "streams.State: expected the bytes of a block, found int", lambda: library.State(2))
refused(TypeError, "streams.State: expected the bytes of a block or sizes, found both", lambda: library.State(block, **made))
refused(ValueError, "streams.State: expected the bytes of a block, 64 and more, found 63", lambda: library.State(block[:63]))
refused(ValueError, f"streams.State: expected {len(block)} bytes, found {len(block) - 64}, rows=2, context=16, lambda=3", lambda: library.State(block[:-64]))
refused(ValueError, f"streams.State: expected {len(block)} bytes, found {len(block) + 1}, rows=2", lambda: library.State(block + b"0"))
for at, byte in ((0, block[0] ^ 1), (8, 0), (8, 7), (16, 9), (24, 4)):  # the mark, and sizes that no block has
    refused(streams.Error, "STREAMS_BAD_STATE", lambda: library.State(block[:at] + bytes([byte]) + block[at + 1:]))
foreign = sized.load().State(slots=16)
refused(streams.Error, "STREAMS_BAD_STATE", lambda: library.State(foreign.tobytes()))
refused(sized.Error, "SIZED_BAD_STATE", lambda: sized.load().State(block))
refused(TypeError, "streams.hear: state: expected what State() of this library makes, found State", lambda: library.hear(x, new, 3, foreign))
refused(TypeError, "streams.hear: state: expected what State() of this library makes, found NoneType", lambda: library.bind("hear", x, new, many))
refused(ValueError, "x: expected float32[2, 7], found float32[3, 7]", lambda: library.hear(np.ones((3, 7), np.float32), new, 3, state))
refused(ValueError, "added: expected float32[2, 3, 3], found float32[1, 3, 3]", lambda: library.hear(x, new[:1], 3, state))
refused(ValueError, "added: count is 6, expected 1 to 5", lambda: library.hear(x, np.ones((2, 6, 3), np.float32), 3, state))
refused(ValueError, "past: expected float32[2, 16, 3], found float32[2, 8, 3]", lambda: state.__setitem__("past", np.zeros((2, 8, 3), np.float32)))
refused(TypeError, "streams.plain: it takes no state", lambda: library.bind("plain", np.ones((1, 8), np.float32), state=state))
refused(KeyError, "streams has no state 'q'; there are h, past, marks, length, pairs", lambda: state["q"])
assert state.tobytes() == block

library = sized.load()
a = library.State(slots=21)
y = library.step(np.ones((2, 3, 8), np.float32), np.array([3]), a)
assert y.shape == (2, 8) and (y == 3).all() and (a["length"] == 3).all() and a["none"].shape == (0, 21) and (a["seen"] == -3).all()
assert (library.put(np.full((2, 2, 8), 5, np.float32), a) == 11).all() and (library.scale(np.ones(5, np.float32), a) == 3).all()
print("right")
