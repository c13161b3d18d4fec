"""`kgen import` and models in other commands: what is written, what is printed, and nothing after an error. import_command.py KGEN"""
import json
import os
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnx.numpy_helper
from onnx import TensorProto, helper

KGEN = os.path.abspath(sys.argv[1])
problems = []


def check(condition, what):
    if not condition:
        problems.append(what)


def kgen(*arguments):
    done = subprocess.run([KGEN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def model(nodes, inputs, outputs, weights=(), path="net.onnx", opset=17):
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs]
    results = [helper.make_empty_tensor_value_info(name) for name in outputs]
    tensors = [onnx.numpy_helper.from_array(array, name) for name, array in weights]
    graph = helper.make_graph(nodes, "g", infos, results, tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)]), path)


def files():
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(".") for name in names)


def test_import():
    weight = numpy.arange(12, dtype=numpy.float32).reshape(4, 3)
    model([helper.make_node("MatMul", ["x", "layers.0/w"], ["h"]), helper.make_node("Relu", ["h"], ["y"])], [("x", ["batch", 4])], ["y"],
          [("layers.0/w", weight)])
    code, text = kgen("import", "net.onnx", "-o", "out")
    check(code == 1 and "--dim batch=N" in text, f"an open dimension: {code} {text}")
    check(not os.path.exists("out"), "a folder is left behind after an error")
    code, text = kgen("import", "net.onnx", "-o", "out", "--dim", "batch=2")
    check(code == 0 and "2 nodes" in text, f"import: {code} {text}")
    check(sorted(os.listdir("out")) == ["net.yaml"], f"written: {os.listdir('out')}")
    code, printed = kgen("check", "net.onnx", "--dim", "batch=2", "--print-graph")
    code, again = kgen("check", "out/net.yaml", "--print-graph")
    check(printed.split("outputs")[0] == again.split("outputs")[0], f"the graphs differ:\n{printed}\n{again}")


def test_large_weights():
    model([helper.make_node("MatMul", ["x", "w"], ["y"])], [("x", [2, 64])], ["y"], [("w", numpy.ones((64, 32), numpy.float32))])
    code, text = kgen("import", "net.onnx", "--library", "other")
    check(code == 0 and sorted(os.listdir("other")) == ["other.safetensors", "other.yaml"], f"large weights: {code} {text}")
    code, text = kgen("import", "net.onnx", "--library", "stdio", "-o", "bad")
    check(code == 1 and "'stdio' cannot be the name of a library" in text and not os.path.exists("bad"), f"library: {code} {text}")


def layers(count, names="layer_{}", width=32):
    """A chain of blocks of five nodes with a weight each."""
    nodes, weights, value = [], [], "x"
    for i in range(count):
        name = names.format(i)
        weights.append((f"{name}_w", numpy.random.default_rng(i).standard_normal((width, width)).astype(numpy.float32)))
        for op, inputs, result in (("MatMul", [value, f"{name}_w"], "product"), ("Tanh", [f"{name}_product"], "bent"),
                                   ("Add", [f"{name}_bent", value], "sum"), ("Neg", [f"{name}_sum"], "negative"),
                                   ("Sigmoid", [f"{name}_negative"], "y")):
            nodes.append(helper.make_node(op, inputs, [f"{name}_{result}"], name=f"{name}_{result}"))
        value = f"{name}_y"
    nodes.append(helper.make_node("Relu", [value], ["y"]))
    model(nodes, [("x", [2, width])], ["y"], weights)


def objects(spec, folder):
    code, text = kgen("generate", spec, "-o", folder, "--target", "x86-64-v3")
    check(code == 0, f"generate {spec}: {text}")
    contents = {}
    for name in sorted(os.listdir(os.path.join(folder, "objects"))):
        with open(os.path.join(folder, "objects", name), "rb") as file:
            contents[name] = file.read()
    return contents


def test_modules():
    """Blocks become modules, and the code stays the same to the bit, whatever its tensors are called."""
    for names in ("layer_{}", "stage{}", "a{}b"):
        layers(7, names)
        code, text = kgen("import", "net.onnx", "-o", "folded")
        check(code == 0 and "36 nodes" in text and "is used 7 times" in text, f"import: {code} {text}")
        code, text = kgen("import", "net.onnx", "-o", "flat", "--no-modules")
        check(code == 0 and "is used" not in text, f"--no-modules: {code} {text}")
        folded, flat = (open(f"{folder}/net.yaml", encoding="utf-8").read() for folder in ("folded", "flat"))
        check(folded.count("op: MatMul") == 1 and folded.count("file: net.safetensors") == 1, f"folded: {folded}")
        check(flat.count("op: MatMul") == 7 and "module" not in flat, f"flat: {flat}")
        check(objects("folded/net.yaml", "lib") == objects("flat/net.yaml", "lib2"), f"{names}: the objects differ")
    code, text = kgen("import", "net.onnx", "-o", "folded", "--json")
    check(code == 0 and json.loads(text)["modules"] == {"a": 7}, f"--json: {text}")


def test_refusals():
    model([helper.make_node("NoSuchThing", ["x"], ["h"]), helper.make_node("Det", ["h"], ["y"])], [("x", [2, 2])], ["y"])
    before = files()
    for command in (["import", "net.onnx"], ["generate", "net.onnx", "-o", "lib"], ["check", "net.onnx"], ["explain", "net.onnx"]):
        code, text = kgen(*command)
        check(code == 1 and "NoSuchThing  1 node" in text, f"{command}: {code} {text}")
        check(files() == before, f"{command} wrote {set(files()) - set(before)}")
    with open("damaged.onnx", "wb") as file:
        file.write(b"\x08\x08\x3a\xff")
    code, text = kgen("import", "damaged.onnx")
    check(code == 1 and "no protobuf" in text and not os.path.exists("damaged"), f"damaged: {code} {text}")


def test_values():
    model([helper.make_node("Mul", ["x", "s"], ["y"])], [("x", [3]), ("s", [])], ["y"])
    code, text = kgen("check", "net.onnx", "--value", "s=0.5", "--print-graph")
    check(code == 0 and "weight s: f32[]" in text, f"value: {code} {text}")
    code, text = kgen("check", "net.onnx", "--value", "t=0.5", "--dim", "n=3")
    check(code == 1 and "the model has no input 't'" in text and "no input has a dimension 'n'" in text, f"unknown: {code} {text}")
    numpy.save("s.npy", numpy.float32(2))
    code, text = kgen("check", "net.onnx", "--value", "s=s.npy", "--print-graph")
    check(code == 0 and "weight s: f32[]" in text, f"value of a file: {code} {text}")
    for bad in (("--dim", "n"), ("--dim", "n=-1"), ("--dim", "n=x"), ("--value", "s="), ("--value", "s=abc")):
        code, text = kgen("check", "net.onnx", *bad)
        check(code == 2, f"{bad}: {code} {text}")


for test in (test_import, test_large_weights, test_modules, test_refusals, test_values):
    with tempfile.TemporaryDirectory() as temporary:
        os.chdir(temporary)
        test()
        os.chdir("/")  # the folder goes
print("\n".join(problems) or "all right")
sys.exit(1 if problems else 0)
