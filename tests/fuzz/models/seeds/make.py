#!/usr/bin/env python3
"""Writes small models of what the standard's tests have few of; the replay of models starts from them too. Run it in its folder."""
import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

F = T.FLOAT
OPSETS = [h.make_opsetid("", 21), h.make_opsetid("com.microsoft", 1)]


def array(name, values, kind=np.float32):
    return numpy_helper.from_array(np.array(values, kind), name)


def weight(name, *shape):
    return array(name, np.linspace(-1, 1, int(np.prod(shape))).reshape(shape))


def node(op, inputs, output, **attributes):
    return h.make_node(op, inputs, [output] if isinstance(output, str) else output, **attributes)


def contributed(op, inputs, output, **attributes):
    return node(op, inputs, output, domain="com.microsoft", **attributes)


def value(name, shape, kind=F):
    return h.make_tensor_value_info(name, kind, shape)


def save(name, nodes, inputs, outputs, initializers=()):
    onnx.save(h.make_model(h.make_graph(nodes, "g", inputs, outputs, list(initializers)), opset_imports=OPSETS, ir_version=10), name + ".onnx")


def contributed_operators():
    save("contributed", [
        contributed("BiasGelu", ["x", "b"], "n0"), contributed("FastGelu", ["n0"], "n1"), contributed("QuickGelu", ["n1"], "n2", alpha=1.7), contributed("Gelu", ["n2"], "n3"),
        contributed("FusedMatMul", ["n3", "m"], "n4", alpha=0.5, transB=1), contributed("SkipLayerNormalization", ["n4", "x", "b", "b", "b"], "n5", epsilon=1e-5),
        contributed("SkipSimplifiedLayerNormalization", ["n5", "n4", "b"], ["n6", "", "", "n7"]), node("SimplifiedLayerNormalization", ["n6", "b"], "n8", axis=-1, epsilon=1e-5),
        contributed("MultiHeadAttention", ["n8", "n5", "n7"], "n9", num_heads=2, scale=0.5), contributed("FusedGemm", ["r", "m", "b"], "n10", activation="Relu", alpha=1.0),
        contributed("FusedConv", ["image", "k"], "n11", activation="Tanh", kernel_shape=[3, 3])],
        [value("x", [2, 3, 8]), value("r", [4, 8]), value("image", [1, 1, 5, 5])], [value("n9", [2, 3, 8]), value("n10", [4, 8]), value("n11", [1, 2, 3, 3])],
        [weight("b", 8), weight("m", 8, 8), weight("k", 2, 1, 3, 3)])
    save("contributed-bytes", [
        node("QuantizeLinear", ["x", "s", "z"], "a"), contributed("QLinearAdd", ["a", "s", "z", "a", "s", "z", "s", "z"], "c"),
        contributed("QLinearMul", ["c", "s", "z", "a", "s", "z", "s", "z"], "d"), node("DequantizeLinear", ["d", "s", "z"], "y"),
        contributed("MatMulNBits", ["y", "q4", "scales"], "p", K=32, N=2, bits=4, block_size=32),
        contributed("RotaryEmbedding", ["rot", "pos", "cos", "cos"], "e", interleaved=0, num_heads=2)],
        [value("x", [2, 32]), value("rot", [1, 2, 8])], [value("p", [2, 2]), value("e", [1, 2, 8])],
        [array("s", 0.1), array("z", 3, np.uint8), array("q4", np.arange(32).reshape(2, 1, 16), np.uint8), array("scales", [1, 2]), array("pos", [[0, 1]], np.int64), weight("cos", 4, 2)])


def repeated_blocks():
    nodes, weights, last = [], [], "x"
    for i in range(3):
        weights += [weight(f"l{i}.w", 8, 8), weight(f"l{i}.b", 8)]
        nodes += [node("MatMul", [last, f"l{i}.w"], f"l{i}/p"), node("Add", [f"l{i}/p", f"l{i}.b"], f"l{i}/s"), node("Tanh", [f"l{i}/s"], f"l{i}/t"), node("Add", [f"l{i}/t", last], f"l{i}/y")]
        last = f"l{i}/y"
    save("blocks", nodes, [value("x", ["batch", 8])], [value(last, ["batch", 8])], weights)


def initializers():
    """Each type, in the field that is for it or raw; constants of each kind."""
    tensor = lambda name, kind, **data: T(name=name, dims=[2, 2], data_type=kind, **data)
    bits = [0, 1, 1, 0]
    weights = [tensor("w0", F, float_data=bits), tensor("w1", T.DOUBLE, double_data=bits), tensor("w2", T.INT64, int64_data=bits), tensor("w3", T.FLOAT16, int32_data=[0, 15360, 15360, 0]),
               tensor("w4", T.BFLOAT16, int32_data=[0, 16256, 16256, 0]), tensor("w5", 17, int32_data=[0, 56, 56, 0]), tensor("w6", 21, int32_data=[16, 1]), tensor("w7", 22, raw_data=b"\x10\x01")]
    weights += [tensor(f"w{8 + i}", kind, int32_data=bits) for i, kind in enumerate([T.INT8, T.UINT8, T.INT16, T.UINT16, T.INT32, T.BOOL])]
    weights += [tensor(f"w{14 + i}", kind, uint64_data=bits) for i, kind in enumerate([T.UINT32, T.UINT64])]
    nodes, outputs = [], []
    for i in range(len(weights)):
        nodes += [node("Cast", [f"w{i}"], f"c{i}", to=F), node("Add", ["x", f"c{i}"], f"y{i}")]
        outputs.append(value(f"y{i}", [2, 2]))
    nodes += [node("Constant", [], "k0", value_float=2.0), node("Constant", [], "k1", value_floats=[1.0, 2.0]), node("Constant", [], "k2", value_ints=[1, 2]), node("Constant", [], "k3", value_int=1),
              node("ConstantOfShape", ["k2"], "k4", value=T(dims=[1], data_type=F, float_data=[3])), node("Range", ["k3", "three", "k3"], "r"), node("Cast", ["r"], "k5", to=F),
              node("Mul", ["x", "k0"], "m0"), node("Mul", ["m0", "k1"], "m1"), node("Add", ["m1", "k4"], "m2"), node("Add", ["m2", "k5"], "m3")]
    save("initializers", nodes, [value("x", [2, 2])], [*outputs, value("m3", [2, 2])], [*weights, array("three", 3, np.int64)])


def branches_and_sequences():
    then, other = (h.make_graph([made], name, [], [value(name, [2, 4])]) for made, name in ((node("Neg", ["x"], "t"), "t"), (node("Add", ["x", "x"], "e"), "e")))
    body = h.make_graph([node("Add", ["state", "x"], "next"), node("Identity", ["go"], "on"), node("Tanh", ["next"], "scan")], "b",
                        [value("i", [], T.INT64), value("go", [], T.BOOL), value("state", [2, 4])], [value("on", [], T.BOOL), value("next", [2, 4]), value("scan", [2, 4])])
    step = h.make_graph([node("Add", ["sum", "row"], "more"), node("Relu", ["more"], "seen")], "s", [value("sum", [4]), value("row", [4])], [value("more", [4]), value("seen", [4])])
    save("branches", [
        node("If", ["flag"], "y", then_branch=then, else_branch=other), node("Loop", ["count", "flag", "y"], ["last", "all"], body=body),
        node("Scan", ["zero", "x"], ["total", "rows"], body=step, num_scan_inputs=1), node("SequenceConstruct", ["x", "last"], "seq"), node("SequenceInsert", ["seq", "y"], "seq2"),
        node("SequenceAt", ["seq2", "one"], "at"), node("ConcatFromSequence", ["seq2"], "joined", axis=0), node("SplitToSequence", ["x"], "parts", axis=0, keepdims=1),
        node("SequenceLength", ["parts"], "length"), node("Shape", ["x"], "shape"), node("Gather", ["shape", "one"], "dim"), node("Unsqueeze", ["dim", "axes"], "dims"),
        node("Expand", ["at", "shape"], "wide"), node("Reshape", ["joined", "minus"], "flat"), node("Size", ["x"], "size")],
        [value("x", [2, 4])],
        [value("last", [2, 4]), value("all", [3, 2, 4]), value("total", [4]), value("rows", [2, 4]), value("wide", [2, 4]), value("flat", [24]), *(value(name, shape, T.INT64) for name, shape in (("length", []), ("size", []), ("dims", [1])))],
        [array("flag", True, bool), array("count", 3, np.int64), array("zero", np.zeros(4)), array("one", 1, np.int64), array("axes", [0], np.int64), array("minus", [-1], np.int64)])


if __name__ == "__main__":
    contributed_operators()
    repeated_blocks()
    initializers()
    branches_and_sequences()
