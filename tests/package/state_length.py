"""A Python module whose cache's length is a state: two sequences next to NumPy, lengths that there are not, bound calls."""
import held
import numpy
from refusals import refused

net = held.load()
random = numpy.random.default_rng(1)


def attention(x, present):
    scores = x.astype(numpy.float64) @ present.transpose(0, 1, 3, 2)
    shares = numpy.exp(scores - scores.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True) @ present


sessions = [(net.State(), [numpy.zeros((1, 2, 0, 8), numpy.float32)]) for _ in range(2)]
for step in range(10):
    for state, past in sessions:
        x = random.standard_normal((1, 2, 1 + step % 3, 8)).astype(numpy.float32)
        past.append(numpy.concatenate([past[-1], x], 2))
        assert numpy.allclose(net.run(x, state), attention(x, past[-1]), atol=1e-5)
        assert state["length"] == past[-1].shape[2]
        assert numpy.allclose(net.peek(2.0, state), 2 * past[-1].sum(2, keepdims=True), atol=1e-4)
state, past = sessions[0]
assert numpy.array_equal(state.get_at("past", 2, 5), past[-1][:, :, 5]) and numpy.array_equal(state.get_at("past", -3, -1), state["past"][:, 1])
state.set_at("past", 2, 7, numpy.ascontiguousarray(past[-1][:, :, 0]))
assert numpy.array_equal(state["past"][:, :, 7], past[-1][:, :, 0])
refused(IndexError, "past: axis 4 of 4", lambda: state.get_at("past", 4, 0))
refused(IndexError, "past: 36 of 36 along axis 2", lambda: state.get_at("past", 2, 36))
refused(ValueError, "past: expected float32[1, 2, 8]", lambda: state.set_at("past", 2, 0, past[-1]))
state["length"] = 4  # rewound
x = random.standard_normal((1, 2, 2, 8)).astype(numpy.float32)
assert numpy.allclose(net.run(x, state), attention(x, numpy.concatenate([past[-1][:, :, :4], x], 2)), atol=1e-5)
bound = net.bind("run", x, state=state)
for length in 6, 8, 10:
    assert state["length"] == length
    before = state["past"][:, :, :length]
    assert numpy.allclose(bound(), attention(x, numpy.concatenate([before, x], 2)), atol=1e-5)
for length, name in (33, "HELD_STATE_FULL"), (-1, "HELD_BAD_STATE"):
    state["length"] = length
    kept = state.tobytes()
    for call in bound, lambda: net.run(x, state), lambda: net.peek(1.0, state):
        refused(held.Error, name, call)
    assert state.tobytes() == kept
