"""kgen verify on inputs and results that NumPy computes: what agrees, what differs and where, what is refused.

  verify_command.py KGEN SCENARIO WORK_FOLDER
"""
import json
import pathlib
import random
import shutil
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "lib"))
import share
from verifier import SPEC, TYPES, Verifier, changed, require, types_spec, variants


def equal(v):
    text = v.expect(0, "--against", v.save("good.npz"), texts=["small, graph layer, against good.npz", "reference", "x86-64-v2", "all results agree",
                                                               "rtol 0.001, atol 1e-07", "distance in ulp", "5, 37"])
    require("differ" not in text.replace("the difference", ""), "nothing is said to differ")
    report = v.report(0, "--against", v.save("packed.npz", compress=True))
    require(report["equal"] and variants(report)[0] == "reference" and "x86-64-v2" in variants(report), "the plain loops and the variants")
    for run in report["runs"]:
        require([output["name"] for output in run["outputs"]] == ["y", "z"] and run["first_wrong"] is None, "outputs in their order")
        for output in run["outputs"]:
            require(output["elements"] == 185 and output["wrong"] == 0, "all elements agree")
            require(sum(output["histogram"]) == 185 and output["not_finite"] == 0, "all elements are in the histogram")
    case = v.folder / "case"
    case.mkdir()
    for name, key in (("input_0", "x"), ("input_1", "scale"), ("output_0", "y"), ("output_1", "z")):
        numpy.save(case / f"{name}.npy", v.arrays[key])
    (case / "notes.txt").write_text("what is no tensor")
    v.expect(0, "--against", "case", texts=["all results agree"])
    report = v.report(0, "--against", "case", "--target", "x86-64-v2")
    require(variants(report) == ["reference", "x86-64-v2"], "--target restricts")
    v.expect(0, "--against", "case", "--json", "report.json", texts=["all results agree"])
    require(json.loads((v.folder / "report.json").read_text())["equal"], "JSON in a file")
    v.expect(0, "--against", v.save("weights.npz", w=numpy.zeros(3)), texts=["note: weights.npz: array 'w' is not read: it is a weight"])


def wrong_value(v):
    was = v.arrays["z"][3, 17]
    v.save("bad.npz", z=changed(v.arrays["z"], (3, 17), was + numpy.float32(0.5)))
    v.expect(4, "--against", "bad.npz", texts=["[3, 17]", "results differ"])
    report = v.report(4, "--against", "bad.npz")
    for run in report["runs"]:
        require(run["first_wrong"] == "z", "the output that differs")
        y, z = run["outputs"]
        require(y["wrong"] == 0 and z["wrong"] == 1, "one element")
        require(abs(z["largest_difference"] - 0.5) < 1e-4, "its difference")
        require(z["worst"]["index"] == [3, 17], "its place")
        require(abs(z["worst"]["value"] - was) < 1e-4 and numpy.float32(z["worst"]["expected"]) == was + numpy.float32(0.5), "both values")
        got, expected = (numpy.float32(z["worst"][key]).view(numpy.int32) for key in ("value", "expected"))
        require(z["worst"]["ulps"] == abs(int(got) - int(expected)), "their distance")
        require(z["histogram"][len(str(z["worst"]["ulps"]))] == 1 and sum(z["histogram"]) == 185, "its bucket")
    case = v.folder / "case"
    case.mkdir()
    for name, array in (("input_0", v.arrays["x"]), ("input_1", v.arrays["scale"]), ("output_0", v.arrays["z"]), ("output_1", v.arrays["y"])):
        numpy.save(case / f"{name}.npy", array)
    v.expect(4, "--against", "case", texts=["results differ"])  # in another order


def not_finite(v):
    x = changed(v.arrays["x"], (1, 5), numpy.nan)
    x[2, 7] = numpy.inf
    total = x @ numpy.load(v.folder / "w.npy") + numpy.load(v.folder / "b.npy")
    y, z = numpy.where(numpy.isnan(total), total, numpy.maximum(total, 0)), total * numpy.float32(3)
    require(numpy.isnan(z).any() and numpy.isposinf(z).any() and numpy.isneginf(z).any(), "the case has all of them")
    report = v.report(0, "--against", v.save("good.npz", x=x, y=y, z=z))
    require(report["equal"], "NaN is equal to NaN, an infinity to itself")
    infinite = tuple(int(i) for i in numpy.argwhere(numpy.isposinf(z))[0])
    for at, value, shown in ((infinite, -numpy.inf, "-inf"), (infinite, 1, 1), ((1, 3), 1, 1), ((0, 2), numpy.nan, "nan"), ((0, 2), numpy.inf, "inf")):
        report = v.report(4, "--against", v.save("bad.npz", x=x, y=y, z=changed(z, at, value)))
        for run in report["runs"]:
            output = run["outputs"][1]
            require(output["wrong"] == 1 and output["not_finite"] == 1 and output["worst"]["index"] == list(at), f"{value} at {at}")
            require(output["worst"]["expected"] == shown and output["worst"]["ulps"] is None, "what was expected")
            require(sum(output["histogram"]) == 184, "it has no distance")
    v.expect(4, "--against", "bad.npz", "--atol", "1e30", texts=["not finite", "[0, 2]"])


def element_types(v):
    (v.folder / "moved.yaml").write_text(types_spec())
    arrays = {"scalar": numpy.float32(2), "negative": numpy.float32(-2), "nothing": numpy.zeros((0, 3), numpy.float32),
              "empty": numpy.zeros((0, 3), numpy.float32)}
    for name, dtype in TYPES.items():
        x = (numpy.arange(12).reshape(3, 4) % 2 if name == "bool" else numpy.arange(12).reshape(3, 4)).astype(dtype)
        arrays[f"x_{name}"], arrays[f"y_{name}"] = x, x.T.copy()
    numpy.savez(v.folder / "good.npz", **arrays)
    report = v.report(0, "--against", "good.npz", spec="moved.yaml")
    types = {output["name"]: output["type"] for output in report["runs"][0]["outputs"]}
    require(all(types[f"y_{name}"] == f"{name}[4, 3]" for name in TYPES) and types["negative"] == "f32[]", "types")
    for name, dtype in TYPES.items():
        y = arrays[f"y_{name}"]
        # A unit in the last place of 8 bits is tolerated.
        other = not y[2, 1] if name == "bool" else y[2, 1] * 4 if name.startswith("f8") else y[2, 1] + 1
        bad = changed(y, (2, 1), other)
        numpy.savez(v.folder / "bad.npz", **{**arrays, f"y_{name}": bad})
        report = v.report(4, "--against", "bad.npz", spec="moved.yaml")
        for run in report["runs"]:
            require(run["first_wrong"] == f"y_{name}", f"{name} differs")
            worst = next(o for o in run["outputs"] if o["wrong"])["worst"]
            require(worst["index"] == [2, 1] and worst["value"] == int(y[2, 1]) and worst["expected"] == int(bad[2, 1]), f"{name}'s values")
    numpy.savez(v.folder / "bad.npz", **{**arrays, "negative": numpy.float32(2)})
    report = v.report(4, "--against", "bad.npz", spec="moved.yaml")
    require(next(o for o in report["runs"][0]["outputs"] if o["wrong"])["worst"]["index"] == [], "a scalar has no subscripts")
    # Neighbors that have the same value as double.
    large = numpy.full((3, 4), 2**62, numpy.int64)
    numpy.savez(v.folder / "bad.npz", **{**arrays, "x_i64": large, "y_i64": large.T.copy() + 1})
    report = v.report(4, "--against", "bad.npz", spec="moved.yaml")
    output = next(o for o in report["runs"][0]["outputs"] if o["wrong"])
    require(output["wrong"] == 12 and output["worst"]["expected"] == 2**62 + 1 and output["worst"]["ulps"] == 1, "i64 is exact")
    largest = numpy.full((3, 4), 2**64 - 1, numpy.uint64)
    numpy.savez(v.folder / "bad.npz", **{**arrays, "x_u64": largest, "y_u64": largest.T.copy() - numpy.uint64(2**63 + 9)})
    report = v.report(4, "--against", "bad.npz", spec="moved.yaml")
    worst = next(o for o in report["runs"][0]["outputs"] if o["wrong"])["worst"]
    require(worst["value"] == 2**64 - 1 and worst["expected"] == 2**63 - 10 and worst["ulps"] == 2**63 + 9, "u64 is exact")
    bools = numpy.frombuffer(b"\2" * 12, numpy.bool_).reshape(3, 4)
    numpy.savez(v.folder / "bad.npz", **{**arrays, "x_bool": bools})
    v.expect(1, "--against", "bad.npz", spec="moved.yaml", texts=["bad.npz: array 'x_bool': error: a bool is neither 0 nor 1"])


def tolerances(v):
    z = v.arrays["z"]
    v.save("off.npz", z=z + numpy.float32(1e-2))
    v.expect(4, "--against", "off.npz")
    v.expect(0, "--against", "off.npz", "--atol", "0.011", texts=["rtol 0.001, atol 0.011"])
    v.expect(4, "--against", "off.npz", "--atol", "0.009", "--rtol", "0", texts=["atol 0.009"])
    v.save("off.npz", z=z * numpy.float32(1.01))
    v.expect(0, "--against", "off.npz", "--rtol", "0.011", texts=["rtol 0.011, atol 1e-07"])
    v.expect(4, "--against", "off.npz", "--rtol", "0.0099")
    # One column is right, to the bit, however it is added up.
    exact = {"x": numpy.zeros((5, 48), numpy.float32)}
    b = numpy.load(v.folder / "b.npy")
    y, z = numpy.tile(numpy.maximum(b, 0), (5, 1)), numpy.tile(b * numpy.float32(3), (5, 1))
    v.expect(0, "--against", v.save("exact.npz", **exact, y=y, z=z), "--ulp", "0", "--atol", "0", texts=["0 ulp or 0"])
    next_but_one = numpy.nextafter(numpy.nextafter(z, numpy.float32(9)), numpy.float32(9))
    v.save("ulps.npz", **exact, y=y, z=next_but_one)
    v.expect(0, "--against", "ulps.npz", "--ulp", "2", "--atol", "0")
    report = v.report(4, "--against", "ulps.npz", "--ulp", "1", "--atol", "0")
    require(report["runs"][0]["outputs"][1]["histogram"] == [0, 185] and report["runs"][0]["outputs"][1]["worst"]["ulps"] == 2, "two ulp")
    v.expect(0, "--against", "ulps.npz", "--ulp", "1", "--atol", "1e-5", texts=["1 ulp or 1e-05"])
    (v.folder / "bytes.yaml").write_text(types_spec())
    arrays = {"x_" + t: numpy.ones((3, 4), d) for t, d in TYPES.items()}
    arrays.update({"y_" + t: numpy.ones((4, 3), d) for t, d in TYPES.items()}, scalar=numpy.float32(1), negative=numpy.float32(-1),
                  nothing=numpy.zeros((0, 3), numpy.float32), empty=numpy.zeros((0, 3), numpy.float32))
    numpy.savez(v.folder / "bytes.npz", **{**arrays, "y_u8": arrays["y_u8"] + numpy.uint8(1)})
    v.expect(4, "--against", "bytes.npz", "--rtol", "9", spec="bytes.yaml", texts=["exact"])
    v.expect(0, "--against", "bytes.npz", "--atol", "1", spec="bytes.yaml", texts=["atol 1"])
    numpy.savez(v.folder / "bytes.npz", **{**arrays, "y_bool": ~arrays["y_bool"]})
    v.expect(4, "--against", "bytes.npz", "--atol", "1", spec="bytes.yaml")


def nodes(v):
    v.save("good.npz")
    text = v.expect(0, "--against", "good.npz", "--all-nodes", texts=["Results of all nodes", "less is fused", "none differs", "with plain loops"])
    require("Nodes that differ" not in text, "no table without rows")
    report = v.report(0, "--against", "good.npz", "--all-nodes")
    reference, *others = report["nodes"]
    require([r["name"] for r in reference["results"]] == ["y", "z"], "of the plain loops, what the file has")
    require(others and all([r["name"] for r in run["results"]] == ["product", "sum", "y", "z"] for run in others), "all results in order")
    for run in others:
        require([r["expected_from"] for r in run["results"]] == ["reference", "reference", "file", "file"], "what they are compared with")
        require([r["op"] for r in run["results"]] == ["MatMul", "Add", "Relu", "Mul"], "operators")
    # Sums in another order have other last digits; only to the bit they differ from plain loops.
    report = v.report(4, "--against", "good.npz", "--all-nodes", "--ulp", "0", "--atol", "0")
    differing = [run for run in report["nodes"][1:] if run["first_wrong"] == "product"]
    require(differing and all(run["results"][0]["expected_from"] == "reference" for run in differing), "a node differs from plain loops")
    v.save("inner.npz", **v.inner)
    v.expect(0, "--against", "inner.npz", texts=["note: 2 results of nodes are given: --all-nodes compares them, too"])
    report = v.report(0, "--against", "inner.npz", "--all-nodes")
    require(all(r["expected_from"] == "file" for run in report["nodes"] for r in run["results"]), "the file has them all")
    # Two results differ: the first is named, and outputs are right.
    v.save("bad.npz", product=v.inner["product"], sum=changed(v.inner["sum"], (4, 36), 77), z=changed(v.arrays["z"], (0, 0), 99))
    v.expect(4, "--against", "bad.npz", "--all-nodes", texts=["the first that differs is 'sum' (Add)", "[4, 36]", "Nodes that differ"])
    report = v.report(4, "--against", "bad.npz", "--all-nodes")
    for run in report["nodes"]:
        require(run["first_wrong"] == "sum", "the first of two")
        require([(r["name"], r["wrong"]) for r in run["results"]] == [("product", 0), ("sum", 1), ("y", 0), ("z", 1)], "both")
    v.save("bad.npz", sum=changed(v.inner["sum"], (4, 36), 77))
    report = v.report(4, "--against", "bad.npz", "--all-nodes")
    require(not report["equal"] and all(run["first_wrong"] is None for run in report["runs"]), "outputs are right, a node's result is not")
    # What folds into a constant or into weights is no result of its own.
    (v.folder / "folded.yaml").write_text("""library: folded
targets: [x86-64-v3]
graphs:
  - name: g
    inputs: {x: "f32[1, 2, 4, 4]"}
    weights:
      w: {type: "f32[2, 2, 1, 1]", value: [1, 2, 3, 4]}
      s: {type: "f32[2]", value: [2, 3]}
      b: {type: "f32[2]", value: [0, 1]}
      one: {type: "f32[2]", value: 1}
    nodes:
      - {name: c, op: Conv, inputs: [x, w]}
      - {name: n, op: BatchNormalization, inputs: [c, s, b, b, one]}
      - {name: shape, op: Shape, inputs: [n]}
      - {name: y, op: Reshape, inputs: [n, shape]}
    outputs: [y]
""")
    x = numpy.arange(32, dtype=numpy.float32).reshape(1, 2, 4, 4)
    c = numpy.einsum("oi,nihw->nohw", numpy.array([[1, 2], [3, 4]], numpy.float32), x)
    s, b = numpy.array([2, 3], numpy.float32), numpy.array([0, 1], numpy.float32)
    channel = (1, 2, 1, 1)
    y = (c - b.reshape(channel)) / numpy.sqrt(numpy.float32(1 + 1e-5)) * s.reshape(channel) + b.reshape(channel)
    numpy.savez(v.folder / "folded.npz", x=x, y=y, c=c)
    report = v.report(0, "--against", "folded.npz", "--all-nodes", spec="folded.yaml")
    require([[r["name"] for r in run["results"]] for run in report["nodes"]] == [["c", "y"], ["c", "n", "y"]][:len(report["nodes"])], "folded nodes")
    numpy.savez(v.folder / "folded.npz", x=x, y=y, c=c + 1)
    v.expect(4, "--against", "folded.npz", "--all-nodes", spec="folded.yaml", texts=["the first that differs is 'c' (Conv)"])


def model(v):
    """An ONNX model, whose names are no C identifiers, with the tensors that ONNX's tests have."""
    import onnx
    from onnx import numpy_helper
    helper, float32 = onnx.helper, onnx.TensorProto.FLOAT
    w, b = numpy.load(v.folder / "w.npy"), numpy.load(v.folder / "b.npy")
    nodes = [helper.make_node("MatMul", ["in/x", "w"], ["a/product"], "a"), helper.make_node("Add", ["a/product", "b"], ["b/sum"], "b"),
             helper.make_node("Relu", ["b/sum"], ["out/y"], "c")]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("in/x", float32, [5, 48])],
                              [helper.make_tensor_value_info("out/y", float32, [5, 37])],
                              [numpy_helper.from_array(w, "w"), numpy_helper.from_array(b, "b")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), v.folder / "small.onnx")
    arrays = {"in/x": v.arrays["x"], "out/y": v.arrays["y"], "a/product": v.inner["product"], "b/sum": v.inner["sum"]}
    numpy.savez(v.folder / "model.npz", **arrays)
    v.expect(0, "--against", "model.npz", spec="small.onnx", texts=["all results agree", "2 results of nodes are given"])
    report = v.report(0, "--against", "model.npz", "--all-nodes", spec="small.onnx")
    require([r["expected_from"] for run in report["nodes"][1:] for r in run["results"]] == ["file"] * 3 * (len(report["nodes"]) - 1), "all are compared")
    numpy.savez(v.folder / "bad.npz", **{**arrays, "b/sum": changed(arrays["b/sum"], (3, 3), 50)})
    v.expect(4, "--against", "bad.npz", "--all-nodes", spec="small.onnx", texts=["the first that differs is 'b_sum' (Add)", "[3, 3]"])
    case = v.folder / "test_data_set_0"
    case.mkdir()
    for name, key in (("input_0", "in/x"), ("output_0", "out/y")):
        (case / f"{name}.pb").write_bytes(numpy_helper.from_array(arrays[key], key).SerializeToString())
    v.expect(0, "--against", "test_data_set_0", spec="small.onnx", texts=["all results agree"])
    v.expect(0, "--against", "test_data_set_0", "--all-nodes", spec="small.onnx", texts=["with plain loops", "none differs"])
    v.expect(0, "-o", "made", command="generate", spec="small.onnx")
    v.expect(0, "--against", "test_data_set_0", spec="made", texts=["all results agree"])
    v.expect(0, "--against", "model.npz", spec="made", texts=["all results agree", "array 'b/sum' is not read"])
    (case / "output_0.pb").write_bytes(numpy_helper.from_array(changed(arrays["out/y"], (1, 2), 9), "y").SerializeToString())
    v.expect(4, "--against", "test_data_set_0", spec="made", texts=["[1, 2]"])
    # A convolution that takes the scale after it into its weights has no result of its own.
    ones = numpy.ones(2, numpy.float32)
    weights = {"w": numpy.ones((2, 2, 1, 1), numpy.float32), "s": 2 * ones, "b": ones, "m": 0 * ones, "r": ones}
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("BatchNormalization", ["c", "s", "b", "m", "r"], ["y"], epsilon=0.0)]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", float32, [1, 2, 3, 3])],
                              [helper.make_tensor_value_info("y", float32, [1, 2, 3, 3])],
                              [numpy_helper.from_array(array, name) for name, array in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), v.folder / "scaled.onnx")
    x = numpy.arange(18, dtype=numpy.float32).reshape(1, 2, 3, 3)
    c = numpy.repeat(x.sum(1, keepdims=True), 2, 1)
    numpy.savez(v.folder / "scaled.npz", x=x, c=c, y=2 * c + 1)
    v.expect(0, "--against", "scaled.npz", "--all-nodes", spec="scaled.onnx", texts=["'c' is not compared: it is a part of another node"])


def library(v):
    v.expect(0, "-o", "made", command="generate")
    v.save("good.npz", product=v.inner["product"])
    v.expect(0, "--against", "good.npz", spec="made", texts=["small, graph layer", "all results agree", "array 'product' is not read"])
    report = v.report(0, "--against", "good.npz", "--target", "x86-64-v2", spec="made")
    require(variants(report) == ["x86-64-v2"], "the variant that was asked for; there are no plain loops")
    v.save("bad.npz", y=changed(v.arrays["y"], (2, 30), 12))
    report = v.report(4, "--against", "bad.npz", spec="made")
    require(all(run["outputs"][0]["worst"]["index"] == [2, 30] for run in report["runs"]), "the wrong element")
    v.expect(0, "-o", "text", "--emit", "asm", command="generate")
    v.expect(0, "--against", "good.npz", spec="text", texts=["all results agree"])


def library_errors(v):
    v.expect(0, "-o", "made", command="generate")
    v.save("good.npz")
    v.expect(1, "--against", "good.npz", "--all-nodes", "--provider", "vector", "--dim", "n=1", spec="made",
             texts=["--all-nodes takes a spec or a model", "--provider takes a spec", "--dim or --value takes a spec"])
    v.expect(1, "--against", "good.npz", "--target", "x86-64-v33", "--graph", "lager", spec="made",
             texts=["the library has no variant 'x86-64-v33' (did you mean 'x86-64-v3'?)", "the library has no graph 'lager' (did you mean 'layer'?)"])
    (v.folder / "none").mkdir()
    v.expect(1, "--against", "good.npz", spec="none", texts=["there is no manifest of kgen in this folder"])
    shutil.copytree(v.folder / "made", v.folder / "two")
    shutil.copy(v.folder / "two/small.manifest.json", v.folder / "two/other.manifest.json")
    v.expect(1, "--against", "good.npz", spec="two", texts=["there are several manifests in this folder"])
    damaged = v.folder / "damaged"
    shutil.copytree(v.folder / "made", damaged)
    (damaged / "small.h").unlink()
    (damaged / "objects/layer.x86-64-v2.o").write_bytes(b"no object")
    v.expect(1, "--against", "good.npz", spec="damaged",
             texts=["small.h: error: missing", "layer.x86-64-v2.o: error: not the file that the folder's manifest describes"])
    manifest = (v.folder / "made/small.manifest.json").read_text()
    for was, becomes, text in (('"generator": "kgen"', '"generator": "other"', "no manifest of kgen"), ("{", "[", "no manifest of kgen"),
                               ("f32[5, 48]", "f33[5, 48]", "'x' has no type: 'f33[5, 48]'"), ("f32[5, 48]", "f32[5, -48]", "'x' has no type"),
                               ("f32[5, 48]", "f32[99999999999, 99999999999]", "'x' has no type"),
                               ('"workspace_bytes"', '"workspace"', "graph 'layer' has no workspace for 'x86-64-v3'")):
        require(was in manifest, was)
        broken = v.folder / "broken"
        shutil.rmtree(broken, ignore_errors=True)
        shutil.copytree(v.folder / "made", broken)
        (broken / "small.manifest.json").write_text(manifest.replace(was, becomes, 1))
        v.expect(1, "--against", "good.npz", spec="broken", texts=["small.manifest.json: error: ", text])


def several_graphs(v):
    (v.folder / "small.yaml").write_text(SPEC + """  - name: turned
    inputs: {x: "f32[2, 3]"}
    nodes:
      - {name: y, op: Transpose, inputs: [x], attributes: {perm: [1, 0]}}
    outputs: [y]
""")
    v.save("good.npz")
    v.expect(1, "--against", "good.npz", texts=["the library has several graphs: --graph chooses one", "it has layer, turned"])
    v.expect(1, "--against", "good.npz", "--graph", "turnde", texts=["the library has no graph 'turnde' (did you mean 'turned'?)"])
    v.expect(0, "--against", "good.npz", "--graph", "layer", texts=["graph layer"])
    x = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    numpy.savez(v.folder / "turned.npz", x=x, y=x.T.copy())
    v.expect(0, "--against", "turned.npz", "--graph", "turned", "--all-nodes", texts=["graph turned"])
    v.expect(0, "-o", "made", command="generate")
    v.expect(1, "--against", "turned.npz", spec="made", texts=["the library has several graphs: --graph chooses one"])
    v.expect(0, "--against", "turned.npz", "--graph", "turned", spec="made", texts=["graph turned", "all results agree"])


def wrong_arrays(v):
    v.save("bad.npz", x=v.arrays["x"].astype(numpy.float64), scale=None, scal=numpy.float32(1), y=v.arrays["y"][:, 1:], z=v.arrays["z"].T)
    texts = ["array 'x': error: expected f32[5, 48], found f64[5, 48]", "convert it with astype(numpy.float32)",
             "input 'scale' of graph 'layer' is missing (did you mean 'scal'?)", "expected f32[]",
             "array 'scal': error: graph 'layer' has no 'scal' (did you mean 'scale'?)",
             "array 'y': error: expected f32[5, 37], found f32[5, 36]", "Fortran order; save it with numpy.ascontiguousarray"]
    v.expect(1, "--against", "bad.npz", texts=texts)
    answer = json.loads(v.expect(1, "--against", "bad.npz", "--json", "-"))
    require(len(answer["errors"]) == 5, "all errors at once")
    v.expect(1, "--against", v.save("bad.npz", z=None), texts=["output 'z' of graph 'layer' is missing"])
    v.expect(1, "--against", v.save("bad.npz", sum=v.inner["sum"][0]), texts=["array 'sum': error: expected f32[5, 37], found f32[37]"])
    v.expect(1, "--against", v.save("bad.npz", y=v.arrays["y"].astype(">f4")), texts=["is big-endian; save it with astype('<f4')"])
    numpy.savez(v.folder / "objects.npz", **{**v.arrays, "y": numpy.array([{}], dtype=object)})
    v.expect(1, "--against", "objects.npz", texts=["its NumPy type '|O' is not one of"])


def wrong_files(v):
    v.expect(1, "--against", "none.npz", texts=["none.npz: error: no such file"])
    v.expect(1, "--against", "small.yaml", texts=["small.yaml: error: expected a .npz file or a folder with .npy files"])
    (v.folder / "text.npz").write_text("hello")
    v.expect(1, "--against", "text.npz", texts=["it is not a .npz file, or truncated"])
    numpy.save(v.folder / "x.npy", v.arrays["x"])
    (v.folder / "x.npy").rename(v.folder / "x.npz")
    v.expect(1, "--against", "x.npz", texts=["it is a .npy file, not a .npz archive; numpy.savez writes one"])
    case = v.folder / "case"
    case.mkdir()
    v.expect(1, "--against", "case", texts=["there are no tensors in this folder"])
    numpy.save(case / "input_0.npy", v.arrays["x"])
    numpy.save(case / "input_2.npy", v.arrays["x"])
    (case / "output_0.txt").write_text("1 2 3")
    v.expect(1, "--against", "case", texts=["input_2.npy: error: graph 'layer' has no such input or output; it has 2 inputs and 2 outputs",
                                            "output_0.txt: error: it has no extension of a format that kgen reads"])
    (case / "input_2.npy").unlink()
    (case / "output_0.txt").unlink()
    numpy.save(case / "x.npy", v.arrays["x"])
    (case / "y.npy").write_bytes(b"\x93NUMPY")
    v.expect(1, "--against", "case", texts=["'x' is given twice", "case/y.npy: error: it is truncated in the header",
                                            "input 'scale' of graph 'layer' is missing", "output 'z' of graph 'layer' is missing"])


def damaged_archives(v):
    """Each damaged copy of an archive is refused, agrees or differs; nothing else happens."""
    draw = random.Random(5)
    codes = set()
    (v.folder / "tiny.yaml").write_text("""library: tiny
targets: [x86-64-v2]
graphs:
  - name: g
    inputs: {x: "f32[4]"}
    nodes: [{name: y, op: Neg, inputs: [x]}]
    outputs: [y]
""")
    v.expect(0, "-o", "made", command="generate", spec="tiny.yaml")
    x = numpy.arange(4, dtype=numpy.float32)
    for write in (numpy.savez, numpy.savez_compressed):
        write(v.folder / "good.npz", x=x, y=-x)
        v.expect(0, "--against", "good.npz", spec="made")
        good = (v.folder / "good.npz").read_bytes()
        for _ in range(30 if share.FULL else 10):
            damaged = bytearray(good)
            for _ in range(draw.randint(1, 3)):
                damaged[draw.randrange(len(damaged))] = draw.randrange(256)
            (v.folder / "damaged.npz").write_bytes(damaged[:draw.randrange(len(damaged))] if draw.random() < 0.2 else damaged)
            code, _, errors = v.call("--against", "damaged.npz", spec="made")
            require(code in (0, 1) and (code == 0 or "damaged.npz" in errors), "an answer")
            codes.add(code)
    require(codes == {0, 1}, "some are refused; in some what was changed does not matter")


def wrong_options(v):
    v.save("good.npz")
    v.expect(2, texts=["--against is required"])
    for flag in ("--rtol", "--atol"):
        for value in ("-1", "nan", "much"):
            v.expect(2, "--against", "good.npz", f"{flag}={value}", texts=[flag, f"expected a number from 0 on, found '{value}'"])
    for value in ("-1", "0.5", "many"):
        v.expect(2, "--against", "good.npz", f"--ulp={value}", texts=["--ulp", f"expected a whole number from 0 on, found '{value}'"])
    v.expect(2, "--against", "good.npz", "--ulp=1", "--rtol=1", texts=["--rtol excludes --ulp"])
    v.expect(1, "--against", "good.npz", "--target", "x86-64-v33", texts=["unknown target 'x86-64-v33'", "did you mean"])
    v.expect(1, "--against", "good.npz", spec="none.yaml", texts=["none.yaml", "no such file"])
    answer = json.loads(v.expect(1, "--against", "none.npz", "--json", "-"))
    require("none.npz" in json.dumps(answer["errors"]), "errors as JSON")
    v.expect(1, "--against", "good.npz", "--json", "good.npz/report.json", texts=["good.npz"])


SCENARIOS = {"equal": equal, "wrong-value": wrong_value, "not-finite": not_finite, "element-types": element_types, "tolerances": tolerances,
             "nodes": nodes, "model": model, "library": library, "library-errors": library_errors, "several-graphs": several_graphs, "wrong-arrays": wrong_arrays,
             "wrong-files": wrong_files, "damaged-archives": damaged_archives, "wrong-options": wrong_options}

if __name__ == "__main__":
    numpy.seterr(all="ignore")
    SCENARIOS[sys.argv[2]](Verifier(sys.argv[1], pathlib.Path(sys.argv[3])))
