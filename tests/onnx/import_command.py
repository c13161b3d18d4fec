"""`kgen import` and models in other commands: what is written, what is printed, and nothing after an error. import_command.py KGEN"""
import json
import os
import re
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


def names(folder):
    """Names of the files; hashes of contents in them are *."""
    return sorted(re.sub(r"\.[0-9a-f]{8}\.", ".*.", name) for name in os.listdir(folder))


def test_state():
    """Pairs of an input and an output are kept between calls, and the results are those of inputs and outputs."""
    nodes = [helper.make_node("Add", ["x", "net/h0"], ["sum"]), helper.make_node("Tanh", ["sum"], ["net/hn"]), helper.make_node("Mul", ["net/hn", "x"], ["y"])]
    model(nodes, [("x", ["batch", 4]), ("net/h0", ["batch", 4]), ("other", ["batch", 3])], ["y", "net/hn"], path="state.onnx")
    code, text = kgen("import", "state.onnx", "--dim", "batch=2", "--state", "net/h0=net/hn", "-o", "state")
    check(code == 0 and "keeps  net_h0 f32[2, 4]" in text, f"import --state: {code} {text}")
    spec = open("state/state.yaml").read()
    check('    state:\n      net_h0: "f32[2, 4]"\n' in spec and "updates: {net_h0: net_hn}" in spec and "outputs: [y]" in spec, f"import --state writes {spec}")
    code, text = kgen("bench", "state/state.yaml", "--check")
    check(code == 0 and "all results agree" in text, f"bench --check with state: {code} {text}")
    wrong = [(["--state", "h=net/hn"], 1, "--state h=net/hn: the model has no input 'h'"), (["--state", "net/h0=z"], 1, "the model has no output 'z'"),
             (["--state", "other=net/hn"], 1, "the model has no input 'other'"), (["--state", "x=net/hn", "--state", "net/h0=net/hn"], 1, "names the output 'net/hn' twice"),
             (["--state", "x=y", "--state", "net/h0=net/hn"], 1, "the model has no other output than those of --state"), (["--state", "net/h0"], 2, "expected INPUT=OUTPUT, found 'net/h0'")]
    for options, status, message in wrong:
        code, text = kgen("import", "state.onnx", "--dim", "batch=2", *options, "-o", "refused")
        check(code == status and message in text and not os.path.exists("refused"), f"{options}: {code} {text}")
    code, text = kgen("import", "state.onnx", "--dim", "batch=1..4", "--state", "net/h0=net/hn", "-o", "open")
    check(code == 0 and '      net_h0: "f32[batch, 4]"' in open("open/state.yaml").read(), f"an open state: {code} {text}")
    code, text = kgen("bench", "open/state.yaml", "--check", "--size", "batch=3")
    check(code == 0 and "all results agree" in text, f"an open state: {code} {text}")


def test_growing_state():
    """A pair whose output has the new rows as well: a cache that these are written into."""
    nodes = [helper.make_node("Concat", ["past", "x"], ["present"], axis=2), helper.make_node("Transpose", ["present"], ["turned"], perm=[0, 1, 3, 2]),
             helper.make_node("MatMul", ["x", "turned"], ["scores"]), helper.make_node("Softmax", ["scores"], ["shares"], axis=-1),
             helper.make_node("MatMul", ["shares", "present"], ["y"])]
    inputs = [("past", [1, 2, "past_length", 8]), ("x", [1, 2, "rows", 8])]
    model(nodes, inputs, ["y", "present"], path="cache.onnx")
    options = ["--dim", "past_length=..32", "--dim", "rows=1..4"]
    code, text = kgen("import", "cache.onnx", *options, "--state", "past=present", "-o", "cache")
    check(code == 0 and "keeps  past f32[1, 2, 36, 8]" in text, f"import --state of a cache: {code} {text}")
    check("past_length: {min: 0, max: 32, multiple: 1, state: length}" in open("cache/cache.yaml").read(), "a length of its own")
    for size in "past_length=7", "length=0,7":
        code, text = kgen("bench", "cache/cache.yaml", "--check", "--size", size, "--size", "rows=2")
        check(code == 0 and "all results agree" in text, f"a cache: {code} {text}")
    code, text = kgen("explain", "cache/cache.yaml", "--target", "x86-64-v3")
    check(code == 0 and not re.search(r"\d  (state|workspace)  +(state|workspace) ", text), f"copies of a cache: {text}")
    nodes[0] = helper.make_node("Concat", ["x", "past"], ["present"], axis=2)
    model(nodes, inputs, ["y", "present"], path="front.onnx")
    code, text = kgen("import", "front.onnx", *options, "--state", "past=present", "-o", "refused")
    check(code == 1 and "not made by Concat of the input and new rows" in text, f"rows before the cache: {code} {text}")


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
    check(code == 0 and names("other-spec") == ["other.*.safetensors", "other.yaml"], f"large weights: {code} {text}")
    [old] = [name for name in os.listdir("other-spec") if name.endswith(".safetensors")]
    model([helper.make_node("MatMul", ["x", "w"], ["y"])], [("x", [2, 64])], ["y"], [("w", numpy.zeros((64, 32), numpy.float32))])
    code, text = kgen("import", "net.onnx", "--library", "other", "--force")
    check(code == 0 and names("other-spec") == ["other.*.safetensors", "other.yaml"] and old not in os.listdir("other-spec"), f"old weights: {code} {text}")
    with open("other-spec/copy.yaml", "w", encoding="utf-8") as file:
        file.write(open("other-spec/other.yaml", encoding="utf-8").read())
    model([helper.make_node("MatMul", ["x", "w"], ["y"])], [("x", [2, 64])], ["y"], [("w", numpy.ones((64, 32), numpy.float32))])
    code, text = kgen("import", "net.onnx", "--library", "other", "--force")
    check(code == 0 and names("other-spec").count("other.*.safetensors") == 2 and old in os.listdir("other-spec"), f"weights of a copy: {code} {text}")
    with open("other-spec/other.01234567.safetensors", "w", encoding="utf-8") as file:
        file.write("mine")
    code, text = kgen("import", "net.onnx", "--library", "other", "--force")
    check(code == 0 and open("other-spec/other.01234567.safetensors", encoding="utf-8").read() == "mine", f"a file named like weights: {code} {text}")
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
        code, text = kgen("import", "net.onnx", "-o", "folded", "--force")
        check(code == 0 and "36 nodes" in text and "is used 7 times" in text, f"import: {code} {text}")
        code, text = kgen("import", "net.onnx", "-o", "flat", "--no-modules", "--force")
        check(code == 0 and "is used" not in text, f"--no-modules: {code} {text}")
        folded, flat = (open(f"{folder}/net.yaml", encoding="utf-8").read() for folder in ("folded", "flat"))
        check(folded.count("op: MatMul") == 1 and len(re.findall(r"file: net\.[0-9a-f]{8}\.safetensors", folded)) == 1, f"folded: {folded}")
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
    for cast in (helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT16, saturate=0), helper.make_node("CastLike", ["x", "z"], ["y"], saturate=0)):
        model([cast], [("x", [2]), ("z", [1])], ["y"], opset=19)
        code, text = kgen("check", "net.onnx")
        check(code == 1 and "its attribute 'saturate' is 0" in text, f"{cast.op_type}: {code} {text}")
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
    for bad in (("--dim", "n"), ("--dim", "n=-1"), ("--dim", "n=3x"), ("--value", "s="), ("--value", "s=abc")):
        code, text = kgen("check", "net.onnx", *bad)
        check(code == 2, f"{bad}: {code} {text}")


def silero_like(path="net.onnx"):
    """An If on a sampling rate, whose branches take frames of different lengths."""
    branches = []
    for name, size in (("fast", 4), ("slow", 2)):
        weight = onnx.numpy_helper.from_array(numpy.ones((size, 3), numpy.float32), f"{name}_w")
        node = helper.make_node("MatMul", ["x", f"{name}_w"], [f"{name}_y"])
        branches.append(helper.make_graph([node], name, [], [helper.make_empty_tensor_value_info(f"{name}_y")], [weight]))
    nodes = [helper.make_node("Equal", ["sr", "rate"], ["is_fast"]),
             helper.make_node("If", ["is_fast"], ["y"], then_branch=branches[0], else_branch=branches[1])]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 4]), helper.make_tensor_value_info("sr", TensorProto.INT64, [])]
    graph = helper.make_graph(nodes, "g", inputs, [helper.make_empty_tensor_value_info("y")],
                              [onnx.numpy_helper.from_array(numpy.int64(16000), "rate")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)


def test_missing_value():
    silero_like()
    code, text = kgen("check", "net.onnx", "--dim", "rows=1")
    check(code == 1 and "its condition depends on input 'sr' (sr == 16000): --value sr=N makes it known" in text and "MatMul" not in text,
          f"a missing --value: {text}")
    code, text = kgen("check", "net.onnx", "--dim", "rows=1", "--value", "sr=8000")
    check(code == 1 and "its else branch is taken, as sr == 16000 is false" in text, f"another --value: {text}")
    code, text = kgen("check", "net.onnx", "--dim", "rows=1", "--value", "sr=16000")
    check(code == 0, f"the --value: {text}")


def test_cycle():
    model([helper.make_node("Add", ["x", "c"], ["a"], name="first"), helper.make_node("Relu", ["a"], ["b"], name="second"),
           helper.make_node("Neg", ["b"], ["c"], name="third"), helper.make_node("Neg", ["c"], ["y"])], [("x", [3])], ["y"])
    code, text = kgen("check", "net.onnx")
    check(code == 1 and "its nodes form a cycle, and none can be the first: 'first' -> 'second' -> 'third' -> 'first'" in text
          and text.count("node") == 2, f"a cycle: {text}")
    model([helper.make_node("Neg", ["a"], ["y"]), helper.make_node("Relu", ["x"], ["a"])], [("x", [3])], ["y"])
    code, text = kgen("check", "net.onnx")
    check(code == 0, f"nodes in another order: {text}")
    model([helper.make_node("Relu", ["x"], ["a"], name="first"), helper.make_node("Neg", ["a"], ["x"], name="second"), helper.make_node("Exp", ["a"], ["y"])],
          [("x", [3])], ["y"])
    code, text = kgen("check", "net.onnx")
    check(code == 1 and "'second': its result 'x' has the name of another value" in text and "cycle" not in text, f"a result hides an input: {text}")


def test_names_begin_alike():
    names = ["x", *(f"If_0_then_branch/Relu.{i}" if i % 2 else f"If_0_then_branch/layer{i}" for i in range(17)), "y"]
    model([helper.make_node("Relu" if i % 2 else "Neg", [a], [b]) for i, (a, b) in enumerate(zip(names, names[1:]))], [("x", [3])], ["y"])
    code, text = kgen("import", "net.onnx", "-o", "out", "--force", "--no-modules")
    spec = open("out/net.yaml", encoding="utf-8").read()
    check(code == 0 and 'name: layer0, ' in spec and 'original: "If_0_then_branch/Relu.1"' in spec and "name: If" not in spec, f"a common prefix: {text} {spec}")


def test_hints():
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, None)],
                              [helper.make_empty_tensor_value_info("y")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), "net.onnx")
    code, text = kgen("check", "net.onnx")
    check(code == 1 and "input 'x' has no shape" in text and "how many dimensions" in text and "--value x=FILE" in text, f"no shape: {text}")


def two_axes():
    model([helper.make_node("Add", ["x", "s"], ["y"])], [("x", [None, 3]), ("s", [None, 3])], ["y"])


def test_names_of_axes():
    two_axes()
    code, text = kgen("check", "net.onnx", "--dim", "x:0=batch", "--dim", "s:0=batch", "--dim", "batch=1..4", "--print-graph")
    check(code == 0 and "dimension batch: 1 to 4" in text and text.count("f32[batch, 3]") >= 3, f"named axes: {text}")
    code, text = kgen("import", "net.onnx", "--dim", "x:0=batch", "--dim", "s:0=batch", "--dim", "batch=1..4", "-o", "out")
    check(code == 0 and open("out/net.yaml", encoding="utf-8").read().count("batch") == 4, f"import of named axes: {text}")
    code, text = kgen("check", "net.onnx", "--dim", "x:0=batch", "--dim", "s:0=2")
    check(code == 1 and "--dim x:0=batch: error: 'batch' has no size" in text, f"a name without size: {text}")
    model([helper.make_node("Add", ["x", "s"], ["y"])], [("x", ["n", 3]), ("s", ["m", 3])], ["y"])
    code, text = kgen("check", "net.onnx", "--dim", "m=n", "--dim", "n=1..4", "--print-graph")
    check(code == 0 and text.count("f32[n, 3]") >= 3, f"two symbols as one: {text}")


def test_expressions_of_sizes():
    both = [helper.make_node("Concat", ["past", "new"], ["all"], axis=0), helper.make_node("Add", ["all", "mask"], ["y"])]
    inputs = [("past", ["past", 3]), ("new", ["length", 3])]
    model(both, [*inputs, ("mask", ["past + length", 3])], ["y"])
    code, text = kgen("check", "net.onnx", "--dim", "past=0..8", "--dim", "length=1..4", "--print-graph")
    check(code == 0 and "mask: f32[length + past, 3]" in text, f"a name that is an expression: {text}")
    code, text = kgen("check", "net.onnx", "--dim", "past=5", "--dim", "length=1..4", "--print-graph")
    check(code == 0 and "mask: f32[length + 5, 3]" in text, f"an expression of a number: {text}")
    code, text = kgen("check", "net.onnx", "--dim", "past=0..8")
    check(code == 1 and "'past + length', axis 0 of input 'mask'" not in text and "say them with --dim length=N (in" in text, f"a name is missing: {text}")
    code, text = kgen("check", "net.onnx", "--dim", "past=5", "--dim", "length=2", "--dim", "past + length=6")
    check(code == 1 and "f32[6, 3]" in text, f"the name itself goes first: {text}")
    model(both, [*inputs, ("mask", ["batch-size", 3])], ["y"])
    code, text = kgen("check", "net.onnx", "--dim", "past=5", "--dim", "length=2")
    check(code == 1 and "say them with --dim batch-size=N (in" in text, f"a name with a hyphen: {text}")
    code, text = kgen("check", "net.onnx", "--dim", "past=5", "--dim", "length=2", "--dim", "batch-size=7")
    check(code == 0, f"a name with a hyphen has a size: {text}")
    model(both, [*inputs, ("mask", ["total", 3])], ["y"])
    code, text = kgen("check", "net.onnx", "--dim", "past=0..8", "--dim", "length=1..4", "--dim", "total=past+length", "--print-graph")
    check(code == 0 and "mask: f32[length + past, 3]" in text, f"--dim that is an expression: {text}")
    code, text = kgen("check", "net.onnx", "--dim", "past=0..8", "--dim", "length=1..4", "--dim", "total=past-length")
    check(code == 1 and "--dim total=past-length: error: 'past-length' may be negative" in text, f"a size that may be negative: {text}")


def detector(types=True):
    nodes = [helper.make_node("MatMul", ["x", "w"], ["boxes"]), helper.make_node("NoSuchThing", ["boxes", "limit"], ["kept", "count"], name="nms", mode=1),
             helper.make_node("Cast", ["kept"], ["y"], to=TensorProto.FLOAT)]
    infos = [helper.make_tensor_value_info("kept", TensorProto.INT32, ["n"]), helper.make_tensor_value_info("count", TensorProto.INT32, [])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [10, 8])],
                              [helper.make_empty_tensor_value_info("y"), helper.make_empty_tensor_value_info("count")],
                              [onnx.numpy_helper.from_array(numpy.ones((8, 4), numpy.float32), "w"),
                               onnx.numpy_helper.from_array(numpy.float32(0.5), "limit")], value_info=infos if types else [])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), "net.onnx")


def test_extern():
    detector()
    code, text = kgen("check", "net.onnx")
    check(code == 1 and "--extern NoSuchThing=SYMBOL makes it a call of a C function of yours" in text and "--outputs boxes" in text,
          f"the way out: {text}")
    code, text = kgen("import", "net.onnx", "--extern", "NoSuchThing=my_nms", "--dim", "n=10", "-o", "out")
    spec = open("out/net.yaml", encoding="utf-8").read()
    check(code == 0 and "attribute 'mode' is not passed to 'my_nms'" in text
          and 'op: extern, symbol: my_nms, inputs: [boxes, limit], outputs: {kept: "i32[10]", count: "i32[]"}' in spec, f"import: {text} {spec}")
    for source, options in (("net.onnx", ["--extern", "nms=my_nms", "--dim", "kept:0=10"]), ("out/net.yaml", [])):
        code, text = kgen("generate", source, *options, "--target", "x86-64-v3", "-q", "-o", "lib")
        check(code == 0 and "int my_nms(const float *boxes," in open("lib/net.h", encoding="utf-8").read(), f"generate {source}: {text}")
    code, text = kgen("check", "net.onnx", "--extern", "NoSuchThing=my_nms")
    check(code == 1 and "size 0 of its result 'kept' has to be a number: --dim kept:0=N says it" in text, f"an open size: {text}")
    detector(types=False)
    code, text = kgen("check", "net.onnx", "--extern", "NoSuchThing=my_nms")
    check(code == 1 and "the model does not say the type of its result 'kept'; --extern NoSuchThing=my_nms:f32[100,4] says" in text, f"no type: {text}")
    code, text = kgen("check", "net.onnx", "--extern", "NoSuchThing=my_nms:i32[10];i32[]")
    check(code == 0, f"types: {text}")
    code, text = kgen("check", "net.onnx", "--extern", "NoSuchThing=my_nms:i32[10]")
    check(code == 1 and "says 1 types, and it has 2 results" in text, f"a type is missing: {text}")
    code, text = kgen("check", "net.onnx", "--extern", "NoSuchThing=main:i32[10];i32[]")
    check(code == 1 and "'main' cannot be the name of an extern function" in text, f"a bad symbol: {text}")
    code, text = kgen("check", "net.onnx", "--extern", "NoSuchThin=f:i32[10];i32[]", "--outputs", "boxes")
    check(code == 1 and "--extern NoSuchThin: no node has this operator or name" in text, f"no such node: {text}")


PROGRAM = """
#include "net.h"
#include "scores.h"
#include <stdio.h>

static float area(const float *a) { return (a[2] - a[0]) * (a[3] - a[1]); }
static float least(float a, float b) { return a < b ? a : b; }
static float most(float a, float b) { return a > b ? a : b; }

/* How much of two boxes is of both. */
static float shared(const float *a, const float *b) {
  float h = least(a[2], b[2]) - most(a[0], b[0]), w = least(a[3], b[3]) - most(a[1], b[1]);
  float both = h > 0 && w > 0 ? h * w : 0;
  return both / (area(a) + area(b) - both);
}

/* Rows of batch, class and box for the best boxes of each class that overlap no better one; -1 where there are no more. */
int my_nms(const float *boxes, const float *scores, const int64_t *limit, const float *overlap, const float *threshold, int64_t *kept,
           void *workspace, size_t size) {
  int rows = 0;
  (void)workspace, (void)size;
  for (int c = 0; c < CLASSES; ++c) {
    const float *score = scores + c * BOXES;
    int chosen[BOXES], count = 0;
    for (int best = 0; best >= 0 && count < limit[0];) {
      best = -1;
      for (int j = 0; j < BOXES; ++j) {
        int isFree = score[j] > threshold[0];
        for (int k = 0; k < count; ++k)
          isFree = isFree && chosen[k] != j && shared(boxes + 4 * chosen[k], boxes + 4 * j) <= overlap[0];
        if (isFree && (best < 0 || score[j] > score[best]))
          best = j;
      }
      if (best >= 0)
        chosen[count++] = best;
    }
    for (int k = 0; k < count; ++k, ++rows)
      kept[3 * rows] = 0, kept[3 * rows + 1] = c, kept[3 * rows + 2] = chosen[k];
  }
  for (int i = 3 * rows; i < 3 * ROWS; ++i)
    kept[i] = -1;
  return 0;
}

int main(void) {
  static float x[BOXES * 8], y[ROWS * 4], scores[CLASSES * BOXES];
  static int64_t kept[ROWS * 3];
  static unsigned char workspace[NET_RUN_WORKSPACE_SIZE + SCORES_RUN_WORKSPACE_SIZE + 1];
  net_context net;
  scores_context cut;
  FILE *file = fopen("x.f32", "rb");
  if (!file || fread(x, sizeof x, 1, file) != 1 || net_init(&net, NULL) || net_run(&net, x, kept, y, workspace, sizeof workspace) ||
      scores_init(&cut, NULL) || scores_run(&cut, x, scores, workspace, sizeof workspace))
    return 1;
  fclose(file);
  file = fopen("results", "wb");
  fwrite(kept, sizeof kept, 1, file);
  fwrite(y, sizeof y, 1, file);
  fwrite(scores, sizeof scores, 1, file);
  return fclose(file);
}
"""
BOXES, CLASSES, ROWS, LIMIT, OVERLAP, THRESHOLD = 40, 2, 12, 5, 0.3, 0.5


def suppressed(boxes, scores):
    """What the standard's NonMaxSuppression gives, filled up with -1."""
    area = lambda b: (b[2] - b[0]) * (b[3] - b[1])
    rows = []
    for c in range(CLASSES):
        chosen = []
        for j in sorted(range(BOXES), key=lambda j: -scores[c, j]):
            both = [max(0, min(boxes[j][2], boxes[k][2]) - max(boxes[j][0], boxes[k][0])) * max(0, min(boxes[j][3], boxes[k][3]) - max(boxes[j][1], boxes[k][1]))
                    for k in chosen]
            if scores[c, j] > THRESHOLD and len(chosen) < LIMIT and all(o / (area(boxes[j]) + area(boxes[k]) - o) <= OVERLAP for o, k in zip(both, chosen)):
                chosen.append(j)
        rows += [[0, c, j] for j in chosen]
    return numpy.array(rows + [[-1] * 3] * (ROWS - len(rows)))


def test_extern_program():
    """A detector with the standard's NonMaxSuppression, which kgen lacks, and the part of it that needs none: one program calls both."""
    random = numpy.random.default_rng(3)
    x, corners, sizes, classes = (random.random(shape, dtype=numpy.float32) for shape in ((1, BOXES, 8), (8, 2), (8, 2), (8, CLASSES)))
    classes -= classes.mean(0)
    sizes *= numpy.float32(0.3)
    model([helper.make_node("MatMul", ["x", "corners"], ["low"]), helper.make_node("MatMul", ["x", "sizes"], ["extent"]),
           helper.make_node("Add", ["low", "extent"], ["high"]), helper.make_node("Concat", ["low", "high"], ["boxes"], axis=2),
           helper.make_node("MatMul", ["x", "classes"], ["logits"]), helper.make_node("Sigmoid", ["logits"], ["likely"]),
           helper.make_node("Transpose", ["likely"], ["scores"], perm=[0, 2, 1]),
           helper.make_node("NonMaxSuppression", ["boxes", "scores", "limit", "overlap", "threshold"], ["kept"]),
           helper.make_node("Gather", ["kept", "column"], ["index"], axis=1), helper.make_node("Squeeze", ["boxes", "first"], ["flat"]),
           helper.make_node("Gather", ["flat", "index"], ["y"], axis=0)],
          [("x", [1, BOXES, 8])], ["kept", "y"],
          [("corners", corners), ("sizes", sizes), ("classes", classes), ("limit", numpy.int64([LIMIT])), ("overlap", numpy.float32([OVERLAP])),
           ("threshold", numpy.float32([THRESHOLD])), ("column", numpy.int64(2)), ("first", numpy.int64([0]))])
    code, text = kgen("check", "net.onnx")
    check(code == 1 and "NonMaxSuppression" in text and "--extern NonMaxSuppression=SYMBOL" in text, f"without --extern: {text}")
    code, text = kgen("generate", "net.onnx", "--extern", f"NonMaxSuppression=my_nms:i64[{ROWS},3]", "--target", "x86-64-v2", "-q", "-o", "net")
    check(code == 0, f"generate --extern: {text}")
    code, text = kgen("generate", "net.onnx", "--outputs", "scores", "--library", "scores", "--target", "x86-64-v2", "-q", "-o", "scores")
    check(code == 0, f"generate --outputs: {text}")
    with open("app.c", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    x.tofile("x.f32")
    objects = [os.path.join(name, "objects", file) for name in ("net", "scores") for file in os.listdir(os.path.join(name, "objects"))]
    command = [os.environ.get("CC", "cc"), f"-DBOXES={BOXES}", f"-DCLASSES={CLASSES}", f"-DROWS={ROWS}", "-Inet", "-Iscores", "app.c", "net/net.c",
               "scores/scores.c", *objects, "-o", "app"]
    built = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    check(built.returncode == 0, f"cc: {built.stdout}")
    ran = subprocess.run(["./app"])
    check(ran.returncode == 0, f"the program: {ran.returncode}")
    with open("results", "rb") as file:
        kept, y, scores = (numpy.fromfile(file, kind, count) for kind, count in ((numpy.int64, 3 * ROWS), (numpy.float32, 4 * ROWS), (numpy.float32, CLASSES * BOXES)))
    low = x[0].astype(float) @ corners
    boxes, likely = numpy.concatenate([low, low + x[0].astype(float) @ sizes], 1), 1 / (1 + numpy.exp(-(x[0].astype(float) @ classes).T))
    expected = suppressed(boxes, likely)
    check(len({tuple(row) for row in expected}) > LIMIT + 1, f"too few boxes to mean anything: {expected}")
    check((kept.reshape(ROWS, 3) == expected).all(), f"boxes: {kept.reshape(ROWS, 3)}, expected {expected}")
    check(numpy.allclose(y.reshape(ROWS, 4), boxes[expected[:, 2]], atol=1e-5), f"corners: {y}")
    check(numpy.allclose(scores.reshape(CLASSES, BOXES), likely, atol=1e-6), "scores")


def test_cuts():
    detector()
    code, text = kgen("check", "net.onnx", "--outputs", "boxes", "--print-graph")
    check(code == 0 and "outputs boxes" in text and "limit" not in text, f"--outputs: {text}")
    code, text = kgen("check", "net.onnx", "--inputs", "kept", "--outputs", "y", "--dim", "n=10", "--print-graph")
    check(code == 0 and "input kept: i32[10]" in text and "input x" not in text, f"--inputs of a type that the model says: {text}")
    code, text = kgen("check", "net.onnx", "--inputs", "boxes", "--outputs", "boxes", "--print-graph")
    check(code == 0 and "input boxes: f32[10, 4]" in text, f"--inputs of an inferred type: {text}")
    code, text = kgen("import", "net.onnx", "--outputs", "boxes", "-o", "out")
    check(code == 0 and names("out") == ["net.*.safetensors", "net.yaml"], f"import: {text}")
    code, text = kgen("check", "net.onnx", "--outputs", "boxs")
    check(code == 1 and "--outputs: the model has no value 'boxs' (did you mean 'boxes'?)" in text, f"no such value: {text}")
    code, text = kgen("check", "out/net.yaml", "--outputs", "boxes")
    check(code == 1 and "--inputs and --outputs are for ONNX models" in text, f"a spec: {text}")


def test_original_names():
    model([helper.make_node("Relu", ["x.1"], ["/a/b"]), helper.make_node("Neg", ["/a/b"], ["soft.max"])], [("x.1", [3])], ["soft.max"])
    code, text = kgen("import", "net.onnx", "-o", "out")
    spec = open("out/net.yaml", encoding="utf-8").read()
    check(code == 0 and 'x_1: {type: "f32[3]", original: "x.1"}' in spec and 'original: "/a/b"' in spec and 'original: "soft.max"' in spec, spec)
    x = numpy.float32([-1, 2, 3])
    for names in (("x.1", "soft.max"), ("x_1", "soft_max"), ("x.1", "soft_max")):
        numpy.savez("data.npz", **{names[0]: x, names[1]: -numpy.maximum(x, 0), "/a/b": numpy.maximum(x, 0)})
        code, text = kgen("verify", "out/net.yaml", "--against", "data.npz", "--target", "x86-64-v2", "--all-nodes")
        check(code == 0 and "all results agree" in text, f"verify {names}: {text}")
    code, text = kgen("generate", "out/net.yaml", "-q", "-o", "lib")
    check('"original": "x.1"' in open("lib/net.manifest.json", encoding="utf-8").read(), "the manifest has no original name")


def test_nothing_is_lost():
    model([helper.make_node("Relu", ["x"], ["y"])], [("x", [3])], ["y"])
    code, text = kgen("import", "net.onnx")
    check(code == 0 and "net-spec/net.yaml" in text and "next: kgen generate net-spec/net.yaml -o net" in text, f"default folder: {text}")
    code, text = kgen("import", "net.onnx", "-q")
    check(code == 0, f"import of the same: {text}")
    with open("net-spec/net.yaml", "a", encoding="utf-8") as file:
        file.write("# mine\n")
    code, text = kgen("import", "net.onnx")
    check(code == 1 and "'net-spec/net.yaml' is there, and is not what import would write, or was edited since: --force" in text, f"an edit: {text}")
    check(open("net-spec/net.yaml", encoding="utf-8").read().endswith("# mine\n"), "the edit is lost")
    code, text = kgen("generate", "net-spec/net.yaml", "-q")
    check(code == 0 and os.path.exists("net/net.h"), f"generate beside the spec: {text}")
    code, text = kgen("import", "net.onnx", "-o", "net")
    check(code == 1 and "'net' holds the library 'net' that `kgen generate` wrote" in text and not os.path.exists("net/net.yaml"), f"a library: {text}")
    code, text = kgen("generate", "net.onnx", "--library", "other", "-q", "-o", "net")
    check(code == 1 and "/net' holds the library 'net', which 'other' does not replace" in text and os.path.exists("net/net.h"), f"another library: {text}")
    code, text = kgen("import", "net.onnx", "--force", "-q")
    check(code == 0 and "mine" not in open("net-spec/net.yaml", encoding="utf-8").read(), f"--force: {text}")
    os.mkdir("mine")
    for name in ("notes.txt", "other.yaml"):
        with open(f"mine/{name}", "w", encoding="utf-8") as file:
            file.write("precious")
    code, text = kgen("import", "net.onnx", "-o", "mine", "-q")
    check(code == 0 and all(open(f"mine/{name}", encoding="utf-8").read() == "precious" for name in ("notes.txt", "other.yaml")), f"other files: {text}")
    code, text = kgen("import", "net.onnx", "-o", "mine/notes.txt")
    check(code == 1 and "cannot create the folder 'mine/notes.txt'" in text, f"a file: {text}")


for test in (test_missing_value, test_state, test_cycle, test_names_begin_alike, test_hints, test_names_of_axes, test_expressions_of_sizes, test_extern, test_extern_program, test_cuts, test_original_names, test_nothing_is_lost, test_import, test_large_weights, test_modules, test_refusals, test_values):
    with tempfile.TemporaryDirectory() as temporary:
        os.chdir(temporary)
        test()
        os.chdir("/")  # the folder goes
print("\n".join(problems) or "all right")
sys.exit(1 if problems else 0)
