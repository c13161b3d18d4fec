"""kgen verify --frames: calls one after another whose state NumPy carries on, too; with open sizes, in folders, and elsewhere.

  frames.py KGEN SCENARIO WORK_FOLDER
"""
import json
import pathlib
import shutil
import sys

import numpy

from verifier import Verifier, changed, require, variants

SPEC = """library: net
targets: [TARGETS]
dims: {rows: {max: 4}}
state: {h: "f32[2, 5]"}
graphs:
  - name: step
    state: {c: {type: "f32[2, 5]", init: 0.5}, n: {type: "i64[]", init: -3}, seen: {type: "i8[3]", init: 7}}
    inputs: {x: "f32[2, 5]"}
    weights: {one: {type: "i64[]", value: 1}, w: {type: "f32[5, 5]", file: w.npy}}
    nodes:
      - {name: hw, op: MatMul, inputs: [h, w]}
      - {name: a, op: Add, inputs: [x, hw]}
      - {name: h2, op: Tanh, inputs: [a]}
      - {name: c2, op: Add, inputs: [c, h2]}
      - {name: n2, op: Add, inputs: [n, one]}
      - {name: y, op: Mul, inputs: [c2, h2]}
      - {name: s, op: Neg, inputs: [seen]}
    updates: {h: h2, c: c2, n: n2, seen: s}
    outputs: [y]
  - name: rows
    inputs: {x: "f32[rows, 5]"}
    nodes:
      - {name: y, op: Add, inputs: [x, level]}
      - {name: top, op: ReduceMax, inputs: [y], attributes: {keepdims: 0}}
    state: {level: "f32[]"}
    updates: {level: top}
    outputs: [y]
  - name: plain
    inputs: {x: "f32[3]"}
    nodes: [{name: y, op: Neg, inputs: [x]}]
    outputs: [y]
"""
# A state whose size is open: rows that are written at a position, which counts them.
OPEN = """library: open
targets: [TARGETS]
dims: {places: {min: 2, max: 8}}
state: {cache: "f32[1, places, 3]", at: "i64[1]", calls: {type: "i32[]", init: 2}}
graphs:
  - name: put
    inputs: {x: "f32[1, 1, 3]"}
    weights: {one: {type: "i64[1]", value: 1}, axis: {type: "i64[1]", value: 1}}
    nodes:
      - {name: more, op: TensorScatter, inputs: [cache, x, at]}
      - {name: next, op: Add, inputs: [at, one]}
      - {name: y, op: ReduceSum, inputs: [more, axis], attributes: {keepdims: 0}}
    updates: {cache: more, at: next}
    outputs: [y]
  - name: count
    inputs: {x: "i32[]"}
    nodes: [{name: y, op: Add, inputs: [calls, x]}]
    updates: {calls: y}
    outputs: [y]
"""
FRAMES = 30
STEP = ("--frames", "--graph", "step")


def write(v, targets):
    (v.folder / "net.yaml").write_text(SPEC.replace("TARGETS", targets))
    draw = numpy.random.RandomState(5)
    w = draw.uniform(-1, 1, (5, 5)).astype(numpy.float32)
    numpy.save(v.folder / "w.npy", w)
    x = draw.uniform(-1, 1, (FRAMES, 2, 5)).astype(numpy.float32)
    h, c, made = numpy.zeros((2, 5), numpy.float32), numpy.full((2, 5), 0.5, numpy.float32), []
    for each in x:
        h = numpy.tanh(each + h @ w)
        c = c + h
        made.append((c * h, h, c))
    v.arrays = {"x": x, "y": numpy.array([one[0] for one in made])}
    v.inner = {"h2": numpy.array([one[1] for one in made]), "c2": numpy.array([one[2] for one in made]), "n2": numpy.arange(-2, FRAMES - 2, dtype=numpy.int64),
               "s": numpy.array([[7 if i % 2 else -7] * 3 for i in range(FRAMES)], numpy.int8)}


def spec(v):
    write(v, "x86-64-v2, x86-64-v3")
    call = lambda code, *arguments, **options: v.expect(code, *arguments, spec="net.yaml", **options)
    report = lambda code, *arguments: v.report(code, *arguments, spec="net.yaml")
    call(0, "--against", v.save("good.npz", **v.inner), *STEP, texts=[f"against good.npz, {FRAMES} frames", "all results agree"])
    answer = report(0, "--against", "good.npz", *STEP)
    require(answer["frames"] == FRAMES and variants(answer)[0] == "reference", "plain loops are compared, too")
    for run in answer["runs"]:
        require([o["name"] for o in run["outputs"]] == ["y", "c2", "n2", "s", "h2"] and run["first_wrong_frame"] is None, "outputs, and what states get")
        require([o["elements"] for o in run["outputs"]] == [FRAMES * k for k in (10, 10, 1, 3, 10)], "all frames")
        require(all(o["type"].startswith(f"{o['type'].split('[')[0]}[{FRAMES}") for o in run["outputs"]), "types have the axis of calls")
    # What is not given is compared with plain loops, which have nothing to be compared with.
    answer = report(0, "--against", v.save("inputs.npz", y=None), *STEP)
    require(variants(answer)[0] != "reference" or not answer["runs"][0]["outputs"], "no plain loops")
    require(all(o["expected_from"] == "reference" for run in answer["runs"] for o in run["outputs"]), "plain loops")
    # One wrong element: its frame. Another one in an earlier frame is the first.
    for wrong, first in (({"y": (17, 1, 3)}, ("y", 17)), ({"y": (17, 1, 3), "c2": (9, 0, 0)}, ("c2", 9))):
        bad = {name: changed({**v.arrays, **v.inner}[name], at, 9) for name, at in wrong.items()}
        call(4, "--against", v.save("bad.npz", **{**v.inner, **bad}), *STEP, texts=["[17, 1, 3]", f"the first that differs is '{first[0]}' in frame {first[1]}"])
        for run in report(4, "--against", "bad.npz", *STEP)["runs"]:
            require((run["first_wrong"], run["first_wrong_frame"]) == first, f"{first} is the first")
            require({o["name"]: o["first_wrong_frame"] for o in run["outputs"] if o["wrong"]} == {name: at[0] for name, at in wrong.items()}, "each one's first")
    # A state that was not carried on is wrong from the second frame on.
    reset = v.arrays["y"].copy()
    reset[1:] = numpy.tanh(v.arrays["x"][1:]) * (0.5 + numpy.tanh(v.arrays["x"][1:]))
    answer = report(4, "--against", v.save("reset.npz", y=reset), *STEP)
    require(all(run["first_wrong_frame"] == 1 for run in answer["runs"]), "frame 0 is right")
    # Not a number goes on and on, and is right where it is expected.
    x = changed(v.arrays["x"], (4, 0, 2), numpy.nan)
    call(0, "--against", v.save("nan.npz", x=x, y=None), *STEP, texts=["all results agree"])
    call(4, "--against", v.save("nan.npz", x=x), *STEP, texts=["in frame 4"])
    # What is before the first call.
    kept = {"h": v.inner["h2"][9], "c": v.inner["c2"][9], "n": v.inner["n2"][9]}
    call(0, "--against", v.save("later.npz", x=v.arrays["x"][10:], y=v.arrays["y"][10:], n2=v.inner["n2"][10:], **kept), *STEP, texts=["20 frames", "all results agree"])
    # Calls of a function without state, and one frame.
    x = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    numpy.savez(v.folder / "plain.npz", x=x, y=-x)
    call(0, "--against", "plain.npz", "--frames", "--graph", "plain", texts=["2 frames", "all results agree"])
    call(0, "--against", v.save("one.npz", x=v.arrays["x"][:1], y=v.arrays["y"][:1]), *STEP, texts=["1 frames", "all results agree"])
    # Sizes of calls are those of axes after the first.
    x = numpy.random.RandomState(1).uniform(-1, 1, (6, 3, 5)).astype(numpy.float32)
    level, y = numpy.float32(0), []
    for each in x:
        y.append(each + level)
        level = y[-1].max()
    numpy.savez(v.folder / "rows.npz", x=x, y=numpy.array(y))
    call(0, "--against", "rows.npz", "--frames", "--graph", "rows", texts=["6 frames", "y       f32[6, 3, 5]", "all results agree"])
    numpy.savez(v.folder / "rows.npz", x=numpy.zeros((6, 5, 5), numpy.float32))
    call(1, "--against", "rows.npz", "--frames", "--graph", "rows", texts=["dimension 1 is 'rows', from 1 to 4, found 5"])


def nodes(v):
    write(v, "x86-64-v3")
    call = lambda code, *arguments, **options: v.expect(code, *arguments, *STEP, "--all-nodes", spec="net.yaml", **options)
    text = call(0, "--against", v.save("good.npz", **v.inner), texts=["none differs", "all results agree"])
    require("updated" not in text, "states are compared as the values that they get")
    call(4, "--against", v.save("bad.npz", h2=changed(v.inner["h2"], (20, 1, 0), 9), c2=changed(v.inner["c2"], (19, 0, 0), 9)),
         texts=["the first that differs is 'c2' (Add) in frame 19", "[20, 1, 0]", "Nodes that differ"])
    call(4, "--against", v.save("bad.npz", h2=changed(v.inner["h2"], (20, 1, 0), 9), c2=changed(v.inner["c2"], (20, 0, 0), 9)),
         texts=["the first that differs is 'h2' (Tanh) in frame 20"])
    answer = json.loads(call(4, "--against", "bad.npz", "--json", "-"))
    for run in answer["nodes"]:
        require((run["first_wrong"], run["first_wrong_frame"]) == ("h2", 20), "the first node of the frame")
    require([r["name"] for r in answer["nodes"][1]["results"]] == ["hw", "a", "h2", "c2", "n2", "y", "s"] or len(answer["nodes"][1]["results"]) == 7, "all nodes")
    require({r["expected_from"] for r in answer["nodes"][1]["results"]} == {"file", "reference"}, "given ones, and plain loops")


def folder(v):
    write(v, "x86-64-v2, x86-64-v3")
    text = SPEC.replace("TARGETS", "x86-64-v2, x86-64-v3")
    (v.folder / "net.yaml").write_text(text[:text.index("  - name: rows")].replace("dims: {rows: {max: 4}}\n", ""))
    v.expect(0, "-o", "made", command="generate", spec="net.yaml")
    answer = v.report(0, "--against", v.save("good.npz", **v.inner), "--frames", spec="made")
    require(all(len(run["outputs"]) == 5 for run in answer["runs"]) and "reference" not in variants(answer), "states begin as the library begins them")
    answer = v.report(0, "--against", v.save("good.npz"), "--frames", spec="made")
    require(all([o["name"] for o in run["outputs"]] == ["y"] for run in answer["runs"]), "there are no plain loops to compare states with")
    v.expect(4, "--against", v.save("bad.npz", y=changed(v.arrays["y"], (29, 0, 0), 9)), "--frames", spec="made", texts=["'y' in frame 29"])
    v.expect(1, "--against", v.save("none.npz", y=None), "--frames", spec="made", texts=["output 'y' of graph 'step' is missing", "expected f32[30, 2, 5]"])


def errors(v):
    write(v, "x86-64-v2")
    wrong = [({"x": numpy.float32(1)}, "array 'x': error: expected a leading axis of calls, found f32[]"),
             ({"x": v.arrays["x"][:0]}, "array 'x': error: expected a leading axis of calls, found f32[0, 2, 5]"),
             ({"y": v.arrays["y"][:7]}, f"array 'y': error: expected f32[{FRAMES}, 2, 5], found f32[7, 2, 5]"),
             ({"h": v.inner["h2"]}, f"array 'h': error: expected f32[2, 5], found f32[{FRAMES}, 2, 5]"),
             ({"n2": numpy.int64(3)}, f"array 'n2': error: expected i64[{FRAMES}], found i64[]"),
             ({"hw": v.inner["h2"][0]}, f"array 'hw': error: expected f32[{FRAMES}, 2, 5], found f32[2, 5]"),
             ({"x": None, "y": None, "h": v.inner["h2"][0]}, "no array is an input or an output of graph 'step': there are no calls")]
    for arrays, text in wrong:
        v.expect(1, "--against", v.save("wrong.npz", **arrays), *STEP, spec="net.yaml", texts=[text])
    v.expect(1, "--against", v.save("good.npz"), "--graph", "step", spec="net.yaml", texts=["array 'x': error: expected f32[2, 5], found f32[30, 2, 5]"])


def elsewhere(v):
    """Programs that a command runs have a block of state: of this machine, and of AArch64 if there is an emulator."""
    machines = [("x86-64-v2", ["--run-with", "env", "--cc", "cc"])]
    if shutil.which("qemu-aarch64") and shutil.which("aarch64-linux-gnu-gcc"):
        machines.append(("aarch64, armv8.2-dotprod-fp16", ["--run-with", "qemu-aarch64 -cpu max", "--cc", "aarch64-linux-gnu-gcc"]))
    for targets, options in machines:
        write(v, targets)
        few = {name: array[:6] for name, array in {**v.arrays, **v.inner}.items()}
        call = lambda code, *arguments, **more: v.expect(code, *arguments, *options, spec="net.yaml", **more)
        call(0, "--against", v.save("good.npz", **few), *STEP, texts=["6 frames", "all results agree"])
        call(0, "--against", "good.npz", *STEP, "--all-nodes", texts=["none differs"])
        call(4, "--against", v.save("bad.npz", **{**few, "n2": changed(few["n2"], 3, 9)}), *STEP, texts=["'n2' in frame 3"])
        # One call: states are inputs and outputs by their names.
        one = {name: array[0] for name, array in few.items()}
        begin = {"h": numpy.zeros((2, 5), numpy.float32), "c": numpy.full((2, 5), 0.5, numpy.float32), "n": numpy.int64(-3), "seen": numpy.full(3, 7, numpy.int8)}
        call(0, "--against", v.save("call.npz", **one, **begin), "--graph", "step", texts=["all results agree"])
        x = numpy.ones((2, 3, 5), numpy.float32)
        numpy.savez(v.folder / "rows.npz", x=x, y=numpy.array([x[0], x[0] + 1]))
        call(0, "--against", "rows.npz", "--frames", "--graph", "rows", texts=["all results agree"])
        call(0, "--check", "--threads", "1,2", "--size", "rows=1,3", command="bench", texts=["all results agree"])


def check_open(v, targets, *options):
    """State of open sizes, which the array of what is before the first call has."""
    (v.folder / "open.yaml").write_text(OPEN.replace("TARGETS", targets))
    x = numpy.random.RandomState(3).uniform(-1, 1, (5, 1, 1, 3)).astype(numpy.float32)
    arrays = {"x": x, "y": numpy.cumsum(x, 0)[:, 0], "cache": numpy.zeros((1, 6, 3), numpy.float32)}
    numpy.savez(v.folder / "open.npz", **arrays)
    call = lambda code, *more, **expected: v.expect(code, *more, *options, spec="open.yaml", **expected)
    call(0, "--graph", "put", "--against", "open.npz", "--frames", texts=["5 frames", "f32[5, 1, 6, 3]", "all results agree"])
    call(4, "--graph", "put", "--against", v.save("bad.npz", **{**arrays, "y": changed(arrays["y"], (3, 0, 0), 9)}), "--frames", texts=["'y' in frame 3"])
    numpy.savez(v.folder / "closed.npz", x=x, y=arrays["y"])
    call(1, "--graph", "put", "--against", "closed.npz", "--frames", texts=["no array has 'places' of graph 'put' as a dimension", "--dim places=N"])
    numpy.savez(v.folder / "count.npz", x=numpy.array([1, 2, 3], numpy.int32), y=numpy.array([3, 5, 8], numpy.int32))
    call(0, "--graph", "count", "--against", "count.npz", "--frames", texts=["3 frames", "all results agree"])
    v.expect(0, "--check", "--threads", "1", "--size", "places=2,7", *options, command="bench", spec="open.yaml", texts=["all results agree", "at places=7"])


def open_sizes(v):
    v.arrays = {}
    check_open(v, "x86-64-v2, x86-64-v3")
    check_open(v, "x86-64-v2", "--run-with", "env", "--cc", "cc")
    if shutil.which("qemu-aarch64") and shutil.which("aarch64-linux-gnu-gcc"):
        check_open(v, "aarch64", "--run-with", "qemu-aarch64 -cpu max", "--cc", "aarch64-linux-gnu-gcc")


SCENARIOS = {"spec": spec, "nodes": nodes, "folder": folder, "errors": errors, "elsewhere": elsewhere, "open": open_sizes}

if __name__ == "__main__":
    numpy.seterr(all="ignore")
    SCENARIOS[sys.argv[2]](Verifier(sys.argv[1], pathlib.Path(sys.argv[3])))
