"""What oracle.py says about wrong cases and names, that --only checks what it names, and how tensors are written."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import by_hand
import cases
import narrow
import oracle
import randoms
import safetensors
import tables
from tables import Table

FOLDER = pathlib.Path(__file__).resolve().parent


def exits_with(text, function, *arguments):
    try:
        function(*arguments)
    except SystemExit as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"no error with: {text}")


def table_of(*inputs, results=None, **options):
    return Table("ops", "Some", [cases.Case("x", list(inputs), results or [inputs[0]], **options)])


one = np.array([1], dtype=np.float32)
for bad in (np.inf, np.nan):
    case = cases.Case("broken", [one], [one], bounds=[np.array([bad], dtype=np.longdouble)])
    exits_with("case broken: an error bound is infinite or NaN", Table, "ops", "Some", [case])
exits_with("two cases are called same", Table, "ops", "Some", [cases.Case("same", [one], [one])] * 2)
exits_with("no cases of Sofmax (did you mean Softmax?)", oracle.check_names, ["Sofmax"])
assert oracle.is_wanted("Softmax", ["softmax"]) and oracle.is_wanted("Softmax", ["Softmax"]) and not oracle.is_wanted("Softmax", ["Conv"])

# Few numbers are written out, with their signs; a scalar has one.
small = table_of(np.array([np.nan, -0.0, 0.1], np.float32), np.array(2, np.int64)).text
assert 'inputs: [{type: "f32[3]", data: [nan, -0.0, 0.1]}, {type: "i64[]", data: [2]}]' in small and "ulps: 0" in small, small
# What is drawn has its seed, its range if that is not the usual one, and what is changed in it.
drawn = cases.uniform("seed", np.float32, (3, 5), -1, 1)
drawn[1, 2] = np.inf
assert '{type: "f32[3, 5]", seed: "seed", range: [-1, 1], but: {7: inf}}' in table_of(drawn).text, table_of(drawn).text
assert '{type: "i8[9]", seed: "bytes"}' in table_of(cases.uniform("bytes", np.int8, (9,))).text
short = narrow.rounded_to_bf16(cases.uniform("short", np.float32, (9,)))
assert '{type: "bf16[9]", seed: "short"}' in table_of(short).text
randoms.drawn.clear()
# Everything else is stored, results and their bounds too, under the case's name.
stored = table_of(drawn, results=[drawn], bounds=[np.full((3, 5), 1e-3)])
assert 'inputs: ["f32[3, 5]"], expected: ["f32[3, 5]"], bounds: stored' in stored.text, stored.text
tensors = safetensors.read(stored.data)
assert list(tensors) == ["x.x0", "x.y0", "x.bound0"] and tensors["x.x0"] == ("F32", (3, 5), drawn.tobytes()), list(tensors)

# Bounds may differ by what CPUs compute otherwise, results of f32 may not.
apart = table_of(drawn, results=[drawn], bounds=[np.full((3, 5), 1.005e-3)])
wrong = table_of(drawn, results=[np.nextafter(drawn, np.float32(9))], bounds=[np.full((3, 5), 1e-3)])
assert oracle.is_same_data(stored.data, apart.data) and not oracle.is_same_data(stored.data, wrong.data)
assert oracle.is_same("data: [0.1], bounds: [[1.000e-3]]", "data: [0.1], bounds: [[1.005e-3]]")
assert not oracle.is_same("data: [0.1], bounds: [[1.000e-3]]", "data: [0.1001], bounds: [[1.000e-3]]")
# Lines of people stay, if all of their numbers are there.
line = '  - {name: %s, inputs: [{type: "f32[1]", data: [1]}], expected: [{type: "f32[1]", data: [1]}], ulps: 0}'
six = [line % name for name in "abcdef"]
kept = Table("ops", "Some", [cases.Case("x", [one], [one])], six).text
assert tables.by_hand(kept) == six and not tables.faults(six) and tables.by_hand("op: Some\ncases:\n") == []
assert tables.faults(six[1:]) == "expected at least 6 cases, found 5" and tables.faults([*six, six[0]]) == "two cases have the same name"
for change in (('data: [1]', 'seed: "s"'), ('{type: "f32[1]", data: [1]}', '"f32[1]"'), ("ulps: 0", "bounds: stored")):
    assert tables.faults([*six[1:], six[0].replace(*change)]).startswith("expected all numbers, found"), change
assert tables.faults(["  - inputs"]) == "expected `- {name: ..., inputs: ...`, found  - inputs"
# Their results are the exact ones.
assert by_hand.wrong("Neg", [line % "a"]) == ["a"] and by_hand.wrong("Abs", [line % "a"]) == by_hand.wrong("None", six) == []
zero = line.replace("data: [1]", "data: [0]").replace("[0]", "[-0.0]", 1) % "a"
assert by_hand.wrong("Relu", [zero]) == [] and by_hand.wrong("Abs", [zero.replace("data: [0]", "data: [nan]")]) == ["a"]
assert by_hand.wrong("Sqrt", [line.replace("data: [1]", "data: [2]", 1).replace("data: [1]", "data: [1.414214]") % "a"]) == ["a"]
assert by_hand.wrong("Sqrt", [line.replace("data: [1]", "data: [2]", 1).replace("data: [1]", "data: [1.4142135]") % "a"]) == []
exits_with("two cases are called a", Table, "ops", "Some", [cases.Case("a", [one], [one])], six)
# Tables of operators stay short.
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "a.yaml").write_text("\n" * 10_000)
    (folder / "a.safetensors").write_bytes(bytes(4_000_000))
    assert oracle.sizes(folder) == []
    (folder / "b.yaml").write_text("\n")
    (folder / "b.safetensors").write_bytes(b"x")
    assert oracle.sizes(folder) == ["10001 lines, expected at most 10000", "4000001 bytes of numbers, expected at most 4000000"]
subprocess.run([sys.executable, "-B", FOLDER / "oracle.py", "--check", "--only", "Softmax"], check=True)
