"""Blocks of state in Python: those of state.yaml and state_cases.yaml, which are on the path."""
import cases
import net
import numpy as np
from refusals import refused

library = net.load()
x = np.linspace(-1, 1, 10, dtype=np.float32).reshape(2, 5)
a, b = library.State(), library.State()
assert (a["c"] == 0.5).all() and not a["h"].any() and a["n"] == 0
for frame in range(50):
    y = library.step(x, a)
    library.step(2 * x, b)
    if frame == 20:
        kept, twin = a.tobytes(), a.copy()
assert a["n"] == 50 and y.shape == (2, 5)
for state in (library.State(kept), twin):
    for _ in range(29):
        out = library.step(x, state)
    assert state.tobytes() == a.tobytes() and (out == y).all()
out = np.empty((2, 5), np.float32)
assert library.step(x, a, out=out) is out and a["n"] == 51
bound = library.bind("step", x, state=a)
first = bound().copy()
assert (library.step(x, twin) != first).any() and a["n"] == 52
a["n"] = 7
a["h"] = x
assert (library.peek(x, a) == 2 * x).all() and a["n"] == 7
a.reset()
assert a["n"] == 0 and (a["c"] == 0.5).all() and (library.plain(x) == np.maximum(x, 0)).all()
assert library.step.__doc__.startswith("step(x, state) -> y"), library.step.__doc__

refused(TypeError, "net.step: state: expected what State() of this library makes, found NoneType", lambda: library.step(x, None))
refused(TypeError, "found State", lambda: net.load().step(x, a))
refused(TypeError, "expected a numpy array float32[2, 5]", lambda: library.step([1], a))
refused(KeyError, "net has no state 'q'; there are h, c, n", lambda: a["q"])
refused(TypeError, "net.State: h: expected float32[2, 5], found float64[2]", lambda: a.__setitem__("h", np.zeros(2)))
refused(ValueError, "net.State: expected 256 bytes, found 3", lambda: library.State(b"abc"))
refused(net.Error, "NET_BAD_STATE", lambda: library.State(bytes(256)))
assert a["n"] == 0

library = cases.load()
state, x = library.State(), np.arange(20, dtype=np.float32).reshape(4, 5)
y = library.step(x, np.empty((0, 4), np.float32), state)
assert y.shape == (4, 5) and y[3, 4] == 19.5 and (state["k"] == 3).all() and state["e"].shape == (0, 4)
assert (library.ext(x[0], state) == 1).all() and (state["q"] == 1 + x[0]).all()
print("right")
