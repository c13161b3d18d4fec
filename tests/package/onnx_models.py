"""The models of tests/package/onnx*.sh and docs/ONNX.md: onnx_models.py FOLDER [FACTOR]

vad.onnx says how much voice there is in frames of sound, with a branch for each sampling rate; FACTOR (1) is what its last weights are
multiplied with. mixed.onnx has operators that kgen does not have. net/net.onnx is a small one for README.md.
"""
import sys
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
rng = numpy.random.default_rng(1)


def weight(name, *shape):
    return numpy_helper.from_array(rng.standard_normal(shape, numpy.float32) / numpy.float32(numpy.sqrt(shape[-1])), name)


def value(name, element, shape):
    return helper.make_tensor_value_info(name, element, shape)


def branch(rate, stride, taps):
    """Frames of one sampling rate as 24 channels."""
    name = f"/frames{rate}"
    return helper.make_graph(
        [helper.make_node("Conv", ["/Unsqueeze_output_0", f"{name}.weight"], [f"{name}/conv"], f"{name}/Conv", strides=[stride])],
        f"frames{rate}", [], [value(f"{name}/conv", FLOAT, None)], [weight(f"{name}.weight", 24, 1, taps)])


def voice_activity(factor):
    """The model, and what it computes at 16 kHz."""
    frames16, frames8 = branch(16, 128, 256), branch(8, 64, 128)
    gate, bias = weight("decoder.weight", 24, 1), weight("decoder.bias", 1)
    gate = numpy_helper.from_array(numpy_helper.to_array(gate) * numpy.float32(factor), "decoder.weight")
    nodes = [
        helper.make_node("Constant", [], ["axis"], value=numpy_helper.from_array(numpy.array([1]))),
        helper.make_node("Constant", [], ["16k"], value=numpy_helper.from_array(numpy.array(16000))),
        helper.make_node("Unsqueeze", ["input", "axis"], ["/Unsqueeze_output_0"], "/Unsqueeze"),
        helper.make_node("Equal", ["sr", "16k"], ["/Equal_output_0"], "/Equal"),
        helper.make_node("If", ["/Equal_output_0"], ["/frames"], "/If", then_branch=frames16, else_branch=frames8),
        helper.make_node("Relu", ["/frames"], ["/Relu_output_0"], "/Relu"),
        helper.make_node("ReduceMean", ["/Relu_output_0"], ["/Mean_output_0"], "/Mean", axes=[2], keepdims=0),
        helper.make_node("Gemm", ["/Mean_output_0", "decoder.weight", "decoder.bias"], ["/Gemm_output_0"], "/Gemm"),
        helper.make_node("Sigmoid", ["/Gemm_output_0"], ["output"], "/Sigmoid"),
    ]
    graph = helper.make_graph(
        nodes, "vad", [value("input", FLOAT, ["batch", "samples"]), value("sr", INT64, [])],
        [value("output", FLOAT, ["batch", 1])], [gate, bias])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8)
    onnx.checker.check_model(model)

    def reference(sound):
        taps = numpy_helper.to_array(frames16.initializer[0])[:, 0].astype(numpy.float64)
        windows = numpy.stack([sound[:, i:i + 256] for i in range(0, sound.shape[1] - 255, 128)], 2).astype(numpy.float64)
        mean = numpy.maximum(numpy.einsum("ct,btw->bcw", taps, windows), 0).mean(2)
        return 1 / (1 + numpy.exp(-(mean @ numpy_helper.to_array(gate) + numpy_helper.to_array(bias))))

    return model, reference


def mixed():
    """Operators that kgen does not have, in two domains."""
    nodes = [helper.make_node("NonZero", ["x"], ["places"], "/NonZero"),
             helper.make_node("Transpose", ["places"], ["rows"], "/Transpose"),
             helper.make_node("GatherND", ["x", "rows"], ["values"], "/GatherND"),
             helper.make_node("BeamSearch", ["values"], ["found"], "/search", domain="com.microsoft"),
             helper.make_node("Decode", ["found"], ["y"], "/decode", domain="org.example"),
             helper.make_node("FusedGemm", ["x", "w"], ["z"], "/gemm", domain="com.microsoft", activation="Clip", activation_alpha=0.0)]
    graph = helper.make_graph(nodes, "mixed", [value("x", FLOAT, [3, 4])], [value("y", FLOAT, None), value("z", FLOAT, None)],
                              [weight("w", 4, 2)])
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid(domain, version) for domain, version in
                                                                 (("", 16), ("com.microsoft", 1), ("org.example", 1))])


def perceptron():
    """A model with nothing but a symbolic batch, and what it computes."""
    w, b = weight("w", 8, 4), weight("b", 4)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"], "/MatMul"), helper.make_node("Add", ["m", "b"], ["y"], "/Add")]
    graph = helper.make_graph(nodes, "net", [value("x", FLOAT, ["batch", 8])], [value("y", FLOAT, ["batch", 4])], [w, b])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8)
    return model, lambda x: x.astype(numpy.float64) @ numpy_helper.to_array(w) + numpy_helper.to_array(b)


def write_tensor(path, array):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(numpy_helper.from_array(array).SerializeToString())


def write_net(folder):
    model, reference = perceptron()
    x = rng.standard_normal((1, 8), numpy.float32)
    write_tensor(folder / "test_data_set_0" / "input_0.pb", x)
    write_tensor(folder / "test_data_set_0" / "output_0.pb", reference(x).astype(numpy.float32))
    onnx.save(model, str(folder / "net.onnx"))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    model, reference = voice_activity(float(sys.argv[2]) if len(sys.argv) > 2 else 1)
    data = folder / "test_data_set_0"
    sound = numpy.sin(numpy.arange(512) / 7).astype(numpy.float32).reshape(1, 512)
    write_tensor(data / "input_0.pb", sound)
    write_tensor(data / "input_1.pb", numpy.array(16000))
    write_tensor(data / "output_0.pb", reference(sound).astype(numpy.float32))
    write_net(folder / "net")
    onnx.save(mixed(), str(folder / "mixed.onnx"))
    (folder / "vad.data").unlink(missing_ok=True)  # it would be appended to
    onnx.save(model, str(folder / "vad.onnx"), save_as_external_data=True, all_tensors_to_one_file=True, location="vad.data",
              size_threshold=64)
