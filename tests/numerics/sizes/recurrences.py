"""Random LSTM, GRU and RNN with steps, batches and states of one, by `kgen verify` against numpy in double precision: recurrences.py KGEN WORK
FIRST_SEED COUNT. What is varied: sizes, which may be open, directions, initial states (none, weights, inputs, rows of a larger state, results of
other nodes, one tensor for both), lengths, layouts, and which results and states are outputs. Without numpy it is skipped (77)."""
import sys

import verified
from verified import np

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(op, x, h, c, w, r, b, isLinear):
    """The next states of one direction."""
    hidden = h.shape[1]
    part = lambda gates, i: gates[:, i * hidden:(i + 1) * hidden]
    inputs, states = x @ w.T + b[:len(w)], h @ r.T + b[len(w):]
    if op == "RNN":
        return np.tanh(inputs + states), c
    if op == "LSTM":
        i, o, f, g = (part(inputs + states, n) for n in range(4))
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c
    z, reset = sigmoid(part(inputs + states, 0)), sigmoid(part(inputs + states, 1))
    late = reset * part(states, 2) if isLinear else (reset * h) @ r[2 * hidden:].T + b[5 * hidden:]
    return (1 - z) * np.tanh(part(inputs, 2) + late) + z * h, c


def recurrence(op, direction, x, w, r, b, lengths, h0, c0, isLinear):
    """Y, Y_h and Y_c, time first."""
    steps, batch, _ = x.shape
    directions, _, hidden = r.shape
    y, ends = np.zeros((steps, directions, batch, hidden)), np.zeros((2, directions, batch, hidden))
    for d in range(directions):
        isReverse = direction == "reverse" or d == 1
        h, c = h0[d], c0[d]
        for time in reversed(range(steps)) if isReverse else range(steps):
            active = (time < lengths)[:, None]
            nextH, nextC = step(op, x[time], h, c, w[d], r[d], b[d], isLinear)
            h, c = np.where(active, nextH, h), np.where(active, nextC, c)
            y[time, d] = np.where(active, h, 0)
        ends[0, d], ends[1, d] = h, c
    return y, ends[0], ends[1]


class Recurrence(verified.Graph):
    def __init__(self, seed):
        super().__init__(seed)
        choose = self.choose
        self.op, self.direction = choose("LSTM", "GRU", "RNN"), choose("forward", "reverse", "bidirectional", "bidirectional")
        self.directions = 2 if self.direction == "bidirectional" else 1
        self.sizes = {"steps": choose(1, 1, 2, 3), "batch": choose(1, 1, 2, 5)}
        self.hidden, self.width, self.layout = choose(1, 1, 2, 8), choose(1, 1, 3), choose(0, 0, 0, 1)
        self.open = {name for name in self.sizes if choose(False, False, True)}
        if self.layout:
            self.open.discard("steps")  # a number, then
        self.stateForm = choose("none", "input", "weight", "row", "row", "computed", "slice")
        self.add(self.op == "GRU" and choose(False, True))

    def add(self, isLinear):
        """The node, what it reads and what reads it."""
        choose, steps, batch = self.choose, self.sizes["steps"], self.sizes["batch"]
        turned = lambda array: array.swapaxes(0, 1) if self.layout else array
        x = self.input("x", ["batch", "steps", self.width] if self.layout else ["steps", "batch", self.width])
        rows = GATES[self.op] * self.hidden
        isGiven = choose(False, False, True) and "steps" not in self.open
        w, r = (self.matrix(name, [self.directions, rows, columns], isGiven) for name, columns in (("w", self.width), ("r", self.hidden)))
        b = self.weight("b", [self.directions, 2 * rows]) if choose(False, True) else ("", np.zeros((self.directions, 2 * rows)))
        lengths = ("", np.full(batch, steps))
        if choose(False, False, True):
            lengths = self.input("lengths", ["batch"], self.rng.integers(1, steps + 1, batch), "i32")
        h = self.state("h")
        c = h if self.op == "LSTM" and choose(False, True) else self.state("c") if self.op == "LSTM" else ("", self.zeros())
        y = recurrence(self.op, self.direction, turned(x[1]), w[1], r[1], b[1], lengths[1], turned(h[1]), turned(c[1]), isLinear)
        results = {"y": np.moveaxis(y[0], 2, 0) if self.layout else y[0], "yh": turned(y[1]), "yc": turned(y[2])}
        if self.op != "LSTM":
            del results["yc"]
        kept = [name for name in results if choose(False, True)] or ["yh"]
        names = [name if name in kept else "" for name in results]
        while names[-1] == "":
            names.pop()
        linear = {"linear_before_reset": int(isLinear)} if self.op == "GRU" else {}
        operands = [x[0], w[0], r[0], b[0], lengths[0], h[0]] + ([c[0]] if self.op == "LSTM" else [])
        self.node("g", self.op, operands, names, direction=self.direction, layout=self.layout, **linear)
        self.outputs.update({name: results[name] for name in kept})
        if choose(False, True):
            self.node("again", "Neg", [kept[-1]])
            self.outputs["again"] = -results[kept[-1]]

    def stateSizes(self):
        return ["batch", self.directions, self.hidden] if self.layout else [self.directions, "batch", self.hidden]

    def zeros(self):
        return np.zeros([self.sizes.get(size, size) for size in self.stateSizes()])

    def matrix(self, name, shape, isGiven):
        return self.input(name, shape) if isGiven else self.weight(name, shape)

    def keep(self, name, data):
        """Sometimes the state itself is an output, too."""
        if self.choose(False, True):
            self.outputs[name] = data
        return name, data

    def state(self, which):
        sizes, zeros = self.stateSizes(), self.zeros()
        if self.stateForm == "none":
            return "", zeros
        if self.stateForm == "weight" and "batch" not in self.open:
            return self.weight(which + "0", list(zeros.shape))
        if self.stateForm == "row":
            _, all = self.input("all_" + which, [2, *sizes])
            self.weight("at_" + which, [], [1], "i64")
            self.node(which + "0", "Gather", ["all_" + which, "at_" + which])
            return self.keep(which + "0", all[1])
        if self.stateForm == "slice":
            _, all = self.input("all_" + which, [*sizes[:-1], self.hidden + 2])
            self.node(which + "0", "Slice", ["all_" + which], starts=[1], ends=[-1], axes=[2])
            return self.keep(which + "0", all[..., 1:-1])
        name, data = self.input(which + "0", sizes)
        if self.stateForm != "computed":
            return name, data
        self.node(which + "1", "Abs", [name])
        return self.keep(which + "1", np.abs(data))


if __name__ == "__main__":
    sys.exit(verified.main("recurrences", Recurrence))
