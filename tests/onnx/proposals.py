"""The pairs of inputs and outputs that `kgen check` proposes to keep between calls, and the command that it prints: proposals.py KGEN WORK_FOLDER

Of ordinary models there are none: those of the standard's tests (Debian: libonnx-testdata), a part of them in every run.
"""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import onnx
from onnx import TensorProto, helper

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "lib"))
import share

KGEN = os.path.abspath(sys.argv[1])
TESTDATA = pathlib.Path("/usr/share/libonnx-testdata/data")
F, I = TensorProto.FLOAT, TensorProto.INT64


def kgen(*arguments):
    done = subprocess.run([KGEN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def model(inputs, outputs, path="net.onnx"):
    """Inputs by name, shape and, if it is no f32, type; outputs by name and the input that they are of, or those that they join along an axis."""
    infos = [helper.make_tensor_value_info(name, *([F] if len(rest) < 2 else rest[1:]), rest[0]) for name, *rest in inputs]
    nodes, results = [], []
    for name, source, *axis in outputs:
        if axis:
            nodes.append(helper.make_node("Concat", source, [name], axis=axis[0]))
        else:
            nodes.append(helper.make_node("Abs", [source], [name]))
        results.append(helper.make_empty_tensor_value_info(name))
    onnx.save(helper.make_model(helper.make_graph(nodes, "g", infos, results), opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


X, Y = ("x", [1, 4]), ("y", "x")
S = [2, 1, 8]
KEYS = [1, 2, 10, 8]
# Inputs, outputs, and the pairs.
FOUND = [
    ([X, ("state", S)], [Y, ("stateN", "state")], ["state=stateN"]),
    ([X, ("h0", S), ("c0", S)], [Y, ("hn", "h0"), ("cn", "c0")], ["h0=hn", "c0=cn"]),
    ([X, ("h", S), ("c", S)], [Y, ("hn", "h"), ("cn", "c")], ["h=hn", "c=cn"]),
    ([X, ("h_0", S), ("count", [], I)], [Y, ("h_n", "h_0"), ("count_next", "count")], ["h_0=h_n", "count=count_next"]),
    ([X, ("enc/h_in", S), ("conv_cache_in", S)], [Y, ("enc/h_out", "enc/h_in"), ("conv_cache_out", "conv_cache_in")],
     ["enc/h_in=enc/h_out", "conv_cache_in=conv_cache_out"]),
    ([X, ("hidden", S), ("prev_c", S), ("a_0", S)], [Y, ("new_hidden", "hidden"), ("next_c", "prev_c"), ("a_1", "a_0")],
     ["hidden=new_hidden", "prev_c=next_c", "a_0=a_1"]),
    ([X, ("past", S)], [Y, ("present", "past")], ["past=present"]),
    ([("ids", [1, 3]), ("new.key", [1, 2, 3, 8]), *((f"past_key_values.{i}.key", KEYS) for i in range(2))],
     [("logits", "ids"), *((f"present.{i}.key", [f"past_key_values.{i}.key", "new.key"], 2) for i in range(2))],
     ["past_key_values.0.key=present.0.key", "past_key_values.1.key=present.1.key"]),
    ([X, ("state", S), ("h0", S)], [Y, ("stateN", "state"), ("hn", "x")], ["state=stateN"]),  # hn has another shape
]
NONE = [
    ([X], [Y]), ([("image_in", S)], [("image_out", "image_in")]), ([("in", S), X], [("out", "in"), Y]), ([("input", S), X], [("output", "input"), Y]),
    ([("in_0", S), ("in_1", [1, 4])], [("out_0", "in_0"), ("out_1", "in_1")]), ([("in_0", S), X], [("out_0", "in_0"), Y]),
    ([X, ("h0", S, I)], [Y, ("hn", "x")]), ([X, ("h0", S)], [Y, ("h_new", "h0"), ("hn", "h0")]), ([X, ("h0", S), ("h", S)], [Y, ("hn", "h0"), ("z", "h")]),
    ([X, ("state", S)], [Y, ("stats", "state")]), ([X, ("state0", S)], [Y, ("state7", "state0")]), ([("h0", S)], [("hn", "h0"), ("y", "h0")]),
    ([("x", [1, 7]), ("past", KEYS), ("more", [1, 2, 3, 8], I)], [("y", "x"), ("present", ["past", "past"], 2)]),  # 10 more, which is no length
]


def proposals(path, *options):
    done = subprocess.run([KGEN, "check", path, "--json", *options], capture_output=True, text=True)
    answer = json.loads(done.stdout) if done.returncode == 0 else {}
    return [f"{s['input']}={s['output']}" for s in answer.get("states", [])], answer


def require(holds, what):
    if not holds:
        sys.exit(f"does not hold: {what}")


def test_found():
    for inputs, outputs, pairs in FOUND:
        model(inputs, outputs)
        found, answer = proposals("net.onnx")
        require(found == pairs, f"expected {pairs}, found {found}")
        command = "kgen import net.onnx" + "".join(f" --state {pair}" for pair in pairs)
        require(answer["import"] == command, answer["import"])
        text = kgen("check", "net.onnx")[1]
        require("state, by names of inputs and outputs; kgen import keeps it between calls:\n" in text and f"    {command}\n" in text, text)
        grows = [state.get("growing_axis") for state in answer["states"]]
        if grows[0] is None:  # what it proposes works
            code, text = kgen(*shlex.split(answer["import"])[1:], "--force", "-q", "-o", "made")
            require(code == 0, text)
            require("--state" not in kgen("check", "made/net.yaml")[1], "a spec has said it")
        else:
            require(grows == [2, 2] and f"    {inputs[2][0]} grows along axis 2 by the length of the call\n" in text, text)
    # Options go on, as a shell takes them.
    model([("x", ["batch size", 4]), ("h 0", ["batch size", 8])], [Y, ("h n", "h 0")], "two words.onnx")
    found, answer = proposals("two words.onnx", "--dim", "batch size=2", "--library", "net")
    require(answer["import"] == "kgen import 'two words.onnx' --library net --dim 'batch size=2' --state 'h 0=h n'", answer["import"])
    require(kgen(*shlex.split(answer["import"])[1:], "-q", "-o", "words")[0] == 0, "what it proposes works")
    # An axis that grows by an open length.
    model([("ids", [1, "length"]), ("new", [1, 2, "length", 8]), ("past.key", [1, 2, "past", 8])], [("y", "ids"), ("present.key", ["past.key", "new"], 2)])
    found, answer = proposals("net.onnx", "--dim", "length=..4", "--dim", "past=..16")
    require(found == ["past.key=present.key"] and answer["states"][0]["growing_axis"] == 2, f"open sizes: {answer}")
    require(answer["import"] == "kgen import net.onnx --dim length=..4 --dim past=..16 --state past.key=present.key", answer["import"])
    code, text = kgen(*shlex.split(answer["import"])[1:], "-q", "-o", "grown")
    require(code == 0 and 'past_key: "f32[1, 2, 20, 8]"' in pathlib.Path("grown/net.yaml").read_text(), text)


def test_none():
    for inputs, outputs in NONE:
        model(inputs, outputs)
        found, answer = proposals("net.onnx")
        require(answer and not found and "import" not in answer, f"{inputs} {outputs}: {found}")
    models = sorted(path for path in TESTDATA.glob("*/*/model.onnx"))
    checked = 0
    for path in share.today(23, models):
        found, answer = proposals(str(path))
        checked += bool(answer)
        require(not found, f"{path}: {found}")
    print(f"none in {checked} of the standard's models")


shutil.rmtree(sys.argv[2], ignore_errors=True)
os.makedirs(sys.argv[2])
os.chdir(sys.argv[2])
test_found()
test_none()
