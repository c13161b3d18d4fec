"""Random expressions of positions at which rows are written into states, next to numpy: STATE_FULL exactly where a row has no room, or never where
a position is not known before the call; nothing is written then.  Usage: state_terms.py KGEN WORK CC FIRST COUNT [GRAPHS of each library]"""
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys

import numpy as np

ROWS, MOST, CAP = 3, 5, 7  # sequences, rows of a call, places
KNOWN = {"length": ("i64", ()), "lens": ("i64", (ROWS,)), "narrow": ("i32", (ROWS,)), "grid": ("i64", (2, ROWS)), "pairs": ("i64", (2, 2)),
         "a": ("i64", ()), "b": ("i64", (1,)), "c": ("i32", (ROWS, 1))}
STATES = ("length", "lens", "narrow", "grid", "pairs")
DTYPE = {"i64": np.int64, "i32": np.int32}


class Value:
    """A value of the graph: its type, its shape, in which "n" is a size of the call, and what it is in numpy."""

    def __init__(self, name, kind, shape, of, known=True):
        self.name, self.kind, self.shape, self.of, self.known = name, kind, shape, of, known


class Graph:
    def __init__(self, seed, number):
        self.random = random.Random(1000 * seed + number)
        self.name, self.nodes, self.weights, self.values = f"g{number}", [], {}, []
        for name, (kind, shape) in KNOWN.items():
            self.values.append(Value(name, kind, shape, lambda env, name=name: env[name]))
        self.tuples = self.random.random() < 0.15
        self.linear = not self.tuples and self.random.random() < 0.5
        self.values.append(self.make_range())
        for _ in range(self.random.randint(1, 6)):
            self.add()
        self.finish()

    def node(self, op, inputs, attributes=None):
        name = f"v{len(self.nodes)}"
        self.nodes.append({"name": name, "op": op, "inputs": inputs, "outputs": [name], **({"attributes": attributes} if attributes else {})})
        return name

    def constant(self, array, kind="i64"):
        array, name = np.asarray(array), f"w{len(self.weights)}"
        self.weights[name] = {"type": f"{kind}[{', '.join(map(str, array.shape))}]", "value": array.tolist()}
        return name

    def make_range(self):
        count = self.node("Squeeze", [self.node("Shape", ["x"], {"start": 0, "end": 1})])
        return Value(self.node("Range", [self.constant(0), count, self.constant(1)]), "i64", ("n",), lambda env: np.arange(env["n"]))

    def add(self):
        made = None
        while made is None:
            makers = [name for name in dir(self) if name.startswith("add_") and (name != "add_unknown" or self.random.random() < 0.3)]
            made = getattr(self, self.random.choice(makers))(self.random.choice(self.values[-4:] if self.random.random() < 0.6 else self.values))
        self.values.append(made)

    def add_sum(self, x):
        op, with_constant = self.random.choice(["Add", "Add", "Sub", "Max", "Min"]), self.random.random() < 0.3
        if with_constant:
            shape = self.random.choice([(), tuple(size for size in x.shape if size != "n")[-1:] if "n" not in x.shape[-1:] else ()])
            array = np.array(self.random.choices(range(-3, 5), k=int(np.prod(shape, dtype=int)))).reshape(shape)
            y = Value(self.constant(array, x.kind), x.kind, shape, lambda env: array.astype(DTYPE[x.kind]))
        else:
            y = self.random.choice([other for other in self.values if other.kind == x.kind])
        shape = broadcast(x.shape, y.shape)
        if shape is None or len(shape) > 2:
            return None
        of = {"Add": np.add, "Sub": np.subtract, "Max": np.maximum, "Min": np.minimum}[op]
        inputs = [x, y] if self.random.random() < 0.5 or op == "Sub" else [y, x]
        return Value(self.node(op, [v.name for v in inputs]), x.kind, shape, lambda env: of(inputs[0].of(env), inputs[1].of(env)), x.known and y.known)

    def add_product(self, x):
        factor = self.random.choice([2, 3, -1, -2, 0])
        name = self.node("Mul", [x.name, self.constant(factor, x.kind)])
        return Value(name, x.kind, x.shape, lambda env: x.of(env) * DTYPE[x.kind](factor), x.known or factor == 0)

    def add_negation(self, x):
        return Value(self.node("Neg", [x.name]), x.kind, x.shape, lambda env: -x.of(env), x.known)

    def add_cast(self, x):
        kind = "i32" if x.kind == "i64" else "i64"
        return Value(self.node("Cast", [x.name], {"to": kind}), kind, x.shape, lambda env: x.of(env).astype(DTYPE[kind]), x.known)

    def add_limits(self, x):
        low, high = self.random.randint(-2, 2), self.random.randint(2, 6)
        name = self.node("Clip", [x.name, self.constant(low, x.kind), self.constant(high, x.kind)])
        return Value(name, x.kind, x.shape, lambda env: np.clip(x.of(env), low, high), x.known)

    def add_reduction(self, x):
        axes = tuple(sorted(self.random.sample(range(len(x.shape)), self.random.randint(0, len(x.shape)))))
        op, keep = self.random.choice(["ReduceMax", "ReduceMin", "ReduceSum"]), self.random.random() < 0.5
        of = {"ReduceMax": np.max, "ReduceMin": np.min, "ReduceSum": np.sum}[op]
        all_axes = axes or tuple(range(len(x.shape)))
        shape = tuple(1 if i in all_axes else size for i, size in enumerate(x.shape) if keep or i not in all_axes)
        name = self.node(op, [x.name, *([self.constant(axes)] if axes else [])], {"keepdims": int(keep)})
        return Value(name, x.kind, shape, lambda env: of(x.of(env), axis=all_axes, keepdims=keep).astype(DTYPE[x.kind]), x.known)

    def add_element(self, x):
        fixed = [i for i, size in enumerate(x.shape) if size != "n"]
        if not fixed:
            return None
        axis = self.random.choice(fixed)
        index = self.random.randint(-x.shape[axis], x.shape[axis] - 1)
        name = self.node("Gather", [x.name, self.constant(index)], {"axis": axis})
        return Value(name, x.kind, x.shape[:axis] + x.shape[axis + 1:], lambda env: np.take(x.of(env), index, axis), x.known)

    def add_slice(self, x):
        fixed = [i for i, size in enumerate(x.shape) if size != "n" and size > 1]
        if not fixed:
            return None
        axis = self.random.choice(fixed)
        size = x.shape[axis]
        begin, step = self.random.choice([0, 1, -1, -2 if size > 1 else -1]), self.random.choice([1, 1, 2])
        part = (slice(None),) * axis + (slice(begin, None, step),)
        name = self.node("Slice", [x.name, self.constant([begin]), self.constant([1000]), self.constant([axis]), self.constant([step])])
        return Value(name, x.kind, x.shape[:axis] + (len(range(size)[begin::step]),) + x.shape[axis + 1:], lambda env: x.of(env)[part], x.known)

    def add_shape(self, x):
        kind = self.random.choice(["Unsqueeze", "Squeeze", "Reshape", "Transpose", "Expand", "Tile", "Identity"])
        if kind == "Unsqueeze" and len(x.shape) < 2:
            axis = self.random.randint(0, len(x.shape))
            return Value(self.node(kind, [x.name, self.constant([axis])]), x.kind, x.shape[:axis] + (1,) + x.shape[axis:],
                         lambda env: np.expand_dims(x.of(env), axis), x.known)
        if kind == "Squeeze" and 1 in x.shape:
            axis = x.shape.index(1)
            return Value(self.node(kind, [x.name, self.constant([axis])]), x.kind, x.shape[:axis] + x.shape[axis + 1:],
                         lambda env: np.squeeze(x.of(env), axis), x.known)
        if kind == "Reshape" and "n" not in x.shape and x.shape:
            count = int(np.prod(x.shape))
            shape = self.random.choice([(count,), (1, count), (count, 1), *([(count // 2, 2)] if count % 2 == 0 else [])])
            return Value(self.node(kind, [x.name, self.constant(shape)]), x.kind, shape, lambda env: x.of(env).reshape(shape), x.known)
        if kind == "Transpose" and len(x.shape) == 2:
            return Value(self.node(kind, [x.name], {"perm": [1, 0]}), x.kind, x.shape[::-1], lambda env: x.of(env).T, x.known)
        if kind == "Expand" and "n" not in x.shape and len(x.shape) < 2:
            shape = (2, *x.shape)
            return Value(self.node(kind, [x.name, self.constant(shape)]), x.kind, shape, lambda env: np.broadcast_to(x.of(env), shape), x.known)
        if kind == "Tile" and len(x.shape) == 1 and x.shape[0] != "n":
            return Value(self.node(kind, [x.name, self.constant([2])]), x.kind, (2 * x.shape[0],), lambda env: np.tile(x.of(env), 2), x.known)
        if kind == "Identity":
            return Value(self.node(kind, [x.name]), x.kind, x.shape, x.of, x.known)
        return None

    def add_unknown(self, x):
        return Value(self.node("Abs", [x.name]), x.kind, x.shape, lambda env: np.abs(x.of(env)), False)

    def finish(self):
        """The positions, and what is written there."""
        last = self.values[-1]
        if last.kind == "i32":
            last = self.add_cast(last)
        if self.tuples:
            pairs = [v for v in self.values if v.shape == (2, 2) and v.kind == "i64"]
            self.positions = pairs[-1]
            self.write("tables", "f32[2, 2]", "ScatterND", ["tables", self.positions.name, "rows"])
            return
        if self.linear:
            if last.shape != (ROWS,):
                count = 1 if "n" not in last.shape and np.prod(last.shape, dtype=int) == 1 else None
                first = last
                if count is None:
                    first = self.greatest(last)
                flat = self.node("Expand", [self.node("Reshape", [first.name, self.constant([1])]), self.constant([ROWS])])
                last = Value(flat, "i64", (ROWS,), lambda env: np.broadcast_to(first.of(env).reshape(1), (ROWS,)), first.known)
            self.positions = last
            self.write("cache", f"f32[{ROWS}, n, 2]", "TensorScatter", ["cache", "rows", last.name], {"axis": 1})
            return
        if "n" in last.shape:  # ScatterND takes sizes that are numbers
            last = self.greatest(last)
        axis = len(last.shape)
        shape = [*last.shape, 2]
        indices = Value(self.node("Unsqueeze", [last.name, self.constant([axis])]), "i64", (*last.shape, 1), lambda env: last.of(env)[..., None], last.known)
        self.positions = indices
        self.write("table", f"f32[{', '.join(map(str, shape))}]", "ScatterND", ["table", indices.name, "rows"])

    def greatest(self, x):
        return Value(self.node("ReduceMax", [x.name], {"keepdims": 0}), "i64", (), lambda env: np.max(x.of(env)), x.known)

    def write(self, state, rows, op, inputs, attributes=None):
        self.state, self.rows = state, rows
        self.written = self.node(op, inputs, attributes)
        self.seen = self.node("Identity", [self.positions.name])

    def used(self):
        wanted, nodes = {self.written, self.seen}, []
        for node in reversed(self.nodes):
            if node["outputs"][0] in wanted:
                nodes.append(node)
                wanted |= set(node["inputs"])
        return nodes[::-1], wanted

    def spec(self):
        nodes, names = self.used()
        self.inputs = [name for name in ("a", "b", "c", "x", "rows") if name in names]
        types = {**{name: f"{kind}[{', '.join(map(str, shape))}]" for name, (kind, shape) in KNOWN.items()}, "x": "f32[n, 2]", "rows": self.rows}
        self.shapes = types
        return {"name": self.name, "inputs": {name: types[name] for name in self.inputs}, "weights": {w: t for w, t in self.weights.items() if w in names},
                "nodes": nodes, "updates": {self.state: self.written}, "outputs": [self.seen]}

    def room(self, env, cap):
        """The positions, and whether all of them have room, as far as that is known before the call."""
        at = self.positions.of(env)
        if self.linear:
            fits = (at >= 0) & (at <= cap - env["n"])
        else:
            sizes = np.array([3, CAP] if self.tuples else [CAP])
            fits = (at >= -sizes) & (at < sizes)
        return at, bool(fits.all())


def broadcast(a, b):
    size = max(len(a), len(b))
    a, b = (1,) * (size - len(a)) + a, (1,) * (size - len(b)) + b
    if any(x != y and 1 not in (x, y) for x, y in zip(a, b)):
        return None
    return tuple(y if x == 1 else x for x, y in zip(a, b))


def make(kgen, cc, folder, seed, count):
    """A library of some graphs; every other one has open capacities."""
    graphs, cap = [Graph(seed, number) for number in range(count)], "cap" if seed % 2 else CAP
    shapes = {**{name: f"{KNOWN[name][0]}[{', '.join(map(str, KNOWN[name][1]))}]" for name in STATES},
              "table": f"f32[{CAP}, 2]", "cache": f"f32[{ROWS}, {cap}, 2]", "tables": f"f32[3, {CAP}, 2]"}
    specs = [graph.spec() for graph in graphs]
    name = f"terms{seed}"
    for unused in ("table", "cache", "tables"):
        if unused not in {graph.state for graph in graphs}:
            del shapes[unused]
    # States that no graph of this library reads are not in it; a graph keeps those that are only read.
    read = {name for spec in specs for node in spec["nodes"] for name in node["inputs"] if name in STATES}
    keep = {"name": "keep", "inputs": {}, "nodes": [{"name": f"k{i}", "op": "Identity", "inputs": [name], "outputs": [f"k{i}"]} for i, name in enumerate(sorted(read))],
            "updates": {name: f"k{i}" for i, name in enumerate(sorted(read))}, "outputs": ["k0"]}
    spec = {"library": name, "targets": ["x86-64-v2"], "dims": {"n": {"min": 1, "max": MOST}, **({"cap": {"min": MOST, "max": 9}} if seed % 2 else {})},
            "state": {state: text for state, text in shapes.items() if state in read or state in ("table", "cache", "tables")},
            "graphs": specs + ([keep] if read else [])}
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(f"{folder}/spec.yaml", "w") as file:
        json.dump(spec, file)
    subprocess.run([kgen, "generate", f"{folder}/spec.yaml", "-o", f"{folder}/code", "-q", "--python"], check=True)
    objects = [f"{folder}/code/objects/{file}" for file in sorted(os.listdir(f"{folder}/code/objects")) if file.endswith(".o")]
    subprocess.run([cc, "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC", f"-I{folder}/code", f"{folder}/code/{name}.c", *objects, "-o", f"{folder}/lib{name}.so"],
                   check=True)
    found = importlib.util.spec_from_file_location(name, f"{folder}/code/{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return graphs, module, module.load(f"{folder}/lib{name}.so"), set(spec["state"])


def numbers(draw, kind, shape, wild):
    """Positions that mostly fit; wild ones come near the ends of the type."""
    limits = np.iinfo(DTYPE[kind])
    array = draw.integers(-1 if draw.random() < 0.3 else 0, 6, shape)
    if wild:
        edge = draw.choice([limits.min, limits.min + 2, limits.max, limits.max - 3, -CAP, -CAP - 1, CAP, 2**31, -2**31], shape)
        array = np.where(draw.random(shape) < 0.4, edge.astype(DTYPE[kind]), array)
    return np.asarray(array, DTYPE[kind])


def check(kgen, cc, folder, seed, count):
    graphs, module, net, kept = make(kgen, cc, folder, seed, count)
    full_of, draw = f"TERMS{seed}_STATE_FULL", np.random.default_rng(seed)
    seen = {"full": 0, "fits": 0, "unknown": 0}
    for graph in graphs:
        for call in range(40):
            cap = int(draw.integers(MOST, 10)) if seed % 2 else CAP
            state = net.State(cap=cap) if seed % 2 else net.State()
            n = int(draw.integers(1, MOST + 1))
            env = {name: numbers(draw, kind, shape, call % 4 == 3) for name, (kind, shape) in KNOWN.items()}
            for name in STATES:
                if name in kept:
                    state[name] = env[name]
            before = draw.standard_normal(state[graph.state].shape, np.float32)
            state[graph.state] = before
            env["n"] = n
            env["x"] = np.zeros((n, 2), np.float32)
            shape = [n if size == "n" else int(size) for size in graph.rows[4:-1].split(", ")]
            env["rows"] = draw.standard_normal(shape, np.float32)
            with np.errstate(over="ignore"):
                at, fits = graph.room(env, cap)
            block, out = state.tobytes(), np.full(at.shape, 77, np.int64)
            where = f"{folder}/spec.yaml: {graph.name}, call {call}"
            try:
                getattr(net, graph.name)(*(env[name] for name in graph.inputs), state, out=out)
                status = ""
            except module.Error as error:
                status = error.name
            if graph.positions.known and not fits:
                seen["full"] += 1
                assert status == full_of, f"{where}: not full: {at.tolist()}"
                assert state.tobytes() == block and (out == 77).all(), f"{where}: something is written"
                continue
            assert status == "", f"{where}: {status} for {at.tolist()}, {cap} places"
            seen["fits" if graph.positions.known else "unknown"] += 1
            assert (out == at).all(), f"{where}: positions {out.tolist()}, expected {at.tolist()}"
            if fits:
                check_rows(graph, before, state[graph.state], at, env, cap, where)
    return seen


def check_rows(graph, before, after, at, env, cap, where):
    """Rows at the positions are some that were written there, others are as they were."""
    allowed = {}
    if graph.linear:
        for sequence in range(ROWS):
            for i in range(env["n"]):
                allowed.setdefault((sequence, int(at[sequence]) + i), []).append(env["rows"][sequence, i])
    else:
        rows = env["rows"].reshape(-1, 2)
        for row, place in zip(rows, at.reshape(-1, at.shape[-1])):
            sizes = before.shape[:at.shape[-1]]
            allowed.setdefault(tuple(int(p) % size for p, size in zip(place, sizes)), []).append(row)
    for place in np.ndindex(before.shape[:-1]):
        wanted = allowed.get(place, [before[place]])
        assert any((after[place] == row).all() for row in wanted), f"{where}: row {place}"


def main():
    kgen, folder, cc, first, count, *more = sys.argv[1:]
    total, failed = {"full": 0, "fits": 0, "unknown": 0}, 0
    for seed in range(int(first), int(first) + int(count)):
        try:
            for kind, number in check(kgen, cc, f"{folder}/{seed}", seed, int(more[0]) if more else 12).items():
                total[kind] += number
        except (AssertionError, subprocess.CalledProcessError) as error:
            print(f"{seed}: {error}")
            failed += 1
    print(f"{count} libraries, {failed} failed; calls: {total}")
    sys.exit(failed != 0 or not total["full"] or not total["fits"])


if __name__ == "__main__":
    main()
