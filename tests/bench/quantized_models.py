"""ONNX models of quantized layers, and inputs for them: what quantized.py measures, and small ones of odd sizes for its test.

Numbers are random, and depend on a model's name only. Weights of products are i8 with a scale for each channel of results, biases i32, and
activations u8 with a zero point; Q/DQ models say the same by DequantizeLinear and QuantizeLinear around operators of floats.
"""
import dataclasses
import zlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

GROUPS = ("depthwise", "mobile", "products", "blocks")
FORMS = ("f32", "qlinear", "qdq")  # of a depthwise convolution
SIZES = [(16, 112), (96, 56), (144, 28), (288, 28), (576, 14)]  # channels, height and width
SMALL_SIZES = [(5, 9, 7), (40, 13, 14), (3, 11, 16), (4, 10, 24), (112, 7, 6)]  # channels, height, width
BLOCK = 32  # weights of one scale
TYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.uint8): TensorProto.UINT8}


@dataclasses.dataclass
class Layer:
    """A model with one input and one output."""
    name: str
    title: str  # of its row
    model: onnx.ModelProto
    x: np.ndarray
    quantized_bytes: int = 0  # weights of few bits, and their scales


class Writer:
    """Nodes and constants of a model, in the order in which they are made."""

    def __init__(self, name, title):
        self.name, self.title, self.nodes, self.constants = name, title, [], []
        self.random = np.random.default_rng(zlib.crc32(name.encode()))

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, kind, inputs, output, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def scales(self, count, least, greatest):
        return (self.random.random(count) * (greatest - least) + least).astype(np.float32)

    def activation(self, prefix, scale, zero):
        """Names of a scale and a zero point of u8."""
        return [self.constant(f"{prefix}_scale", np.float32(scale)), self.constant(f"{prefix}_zero", np.uint8(zero))]

    def weights(self, prefix, shape, scale, axis):
        """i8 through DequantizeLinear; `scale` has an element for each index of the axis."""
        values = self.random.integers(-127, 128, shape).astype(np.int8)
        inputs = [self.constant(prefix, values), self.constant(f"{prefix}_scale", scale), self.constant(f"{prefix}_zero", np.zeros(len(scale), np.int8))]
        return self.node("DequantizeLinear", inputs, f"{prefix}_floats", axis=axis)

    def bias(self, prefix, limit, scale):
        """i32 through DequantizeLinear."""
        values = self.random.integers(-limit, limit, len(scale)).astype(np.int32)
        inputs = [self.constant(prefix, values), self.constant(f"{prefix}_scale", scale), self.constant(f"{prefix}_zero", np.zeros(len(scale), np.int32))]
        return self.node("DequantizeLinear", inputs, f"{prefix}_floats", axis=0)

    def layer(self, x, output_shape, output_type, quantized_bytes=0):
        graph = helper.make_graph(self.nodes, self.name, [helper.make_tensor_value_info("x", TYPES[x.dtype], x.shape)],
                                  [helper.make_tensor_value_info("y", output_type, output_shape)], self.constants)
        domains = [helper.make_opsetid("", 17)] + ([helper.make_opsetid("com.microsoft", 1)] if quantized_bytes else [])
        model = helper.make_model(graph, opset_imports=domains)
        model.ir_version = 8
        onnx.checker.check_model(model)
        return Layer(self.name, self.title, model, x, quantized_bytes)

    def bytes(self, shape):
        return self.random.integers(0, 256, shape).astype(np.uint8)

    def floats(self, shape):
        return self.random.standard_normal(shape).astype(np.float32)


def depthwise(form, channels, height, width, kernel, stride):
    """A convolution of each channel by itself, with bias: of floats, one QLinearConv, or Q/DQ."""
    writer = Writer(f"depthwise_{kernel}x{kernel}_s{stride}_{channels}_{height}_{form}", f"{kernel}x{kernel} stride {stride}, {channels} at {height}x{width}")
    pad = kernel // 2
    after = [(size + 2 * pad - kernel) // stride + 1 for size in (height, width)]
    window = dict(group=channels, kernel_shape=[kernel, kernel], strides=[stride, stride], pads=[pad] * 4)
    shape, scale = (channels, 1, kernel, kernel), writer.scales(channels, 0.002, 0.012)
    x_scale, y_scale = np.float32(0.0213), 0.0731
    if form == "f32":
        weights = writer.random.integers(-127, 128, shape) * scale.reshape(-1, 1, 1, 1)
        bias = writer.random.integers(-3000, 3000, channels) * scale * x_scale
        inputs = ["x", writer.constant("w", weights.astype(np.float32)), writer.constant("b", bias.astype(np.float32))]
        writer.node("Conv", inputs, "y", **window)
        return writer.layer(writer.floats((1, channels, height, width)), [1, channels, *after], TensorProto.FLOAT)
    x_numbers, y_numbers = writer.activation("x", x_scale, 117), writer.activation("y", y_scale, 121)
    if form == "qlinear":
        inputs = ["x", *x_numbers, writer.constant("w", writer.random.integers(-127, 128, shape).astype(np.int8)), writer.constant("w_scale", scale),
                  writer.constant("w_zero", np.zeros(channels, np.int8)), *y_numbers,
                  writer.constant("b", writer.random.integers(-3000, 3000, channels).astype(np.int32))]
        writer.node("QLinearConv", inputs, "y", **window)
    else:
        x = writer.node("DequantizeLinear", ["x", *x_numbers], "x_floats")
        inputs = [x, writer.weights("w", shape, scale, 0), writer.bias("b", 3000, scale * x_scale)]
        writer.node("QuantizeLinear", [writer.node("Conv", inputs, "floats", **window), *y_numbers], "y")
    return writer.layer(writer.bytes((1, channels, height, width)), [1, channels, *after], TensorProto.UINT8)


def mobile(before, inner, after, height, width):
    """A block of mobile networks: 1x1, Relu, 3x3 of each channel, Relu, 1x1, quantized in between."""
    writer = Writer(f"mobile_{before}_{inner}_{after}_{height}", f"{before} - {inner} - {after} at {height}x{width}")

    def through_bytes(x, scale, zero, result):
        numbers = writer.activation(f"{result}_step", scale, zero)
        return writer.node("DequantizeLinear", [writer.node("QuantizeLinear", [x, *numbers], f"{result}_bytes"), *numbers], result)

    def convolution(x, x_scale, shape, group, result):
        scale = writer.scales(shape[0], 0.002, 0.004)
        inputs = [x, writer.weights(f"{result}_w", shape, scale, 0), writer.bias(f"{result}_b", 2000, scale * np.float32(x_scale))]
        return writer.node("Conv", inputs, result, group=group, kernel_shape=shape[2:], pads=[shape[2] // 2] * 4)

    x = through_bytes("x", 0.02, 128, "x0")
    x = writer.node("Relu", [convolution(x, 0.02, (inner, before, 1, 1), 1, "wider")], "wider_relu")
    x = through_bytes(x, 0.03, 0, "x1")
    x = writer.node("Relu", [convolution(x, 0.03, (inner, 1, 3, 3), inner, "each")], "each_relu")
    x = through_bytes(x, 0.02, 0, "x2")
    through_bytes(convolution(x, 0.02, (after, inner, 1, 1), 1, "narrower"), 0.05 * (inner / 288) ** 0.5, 120, "y")
    return writer.layer(writer.floats((1, before, height, width)), [1, after, height, width], TensorProto.FLOAT)


def convolution(before, after, height, width, kernel):
    """Q/DQ around a convolution of all channels; images have their channels last."""
    writer = Writer(f"convolution_{kernel}x{kernel}_{before}_{after}_{height}", f"{kernel}x{kernel}, {before} - {after} at {height}x{width}")
    x_scale, scale = np.float32(0.0213), writer.scales(after, 0.001, 0.003)
    x = writer.node("Transpose", ["x"], "x_first", perm=[0, 3, 1, 2])
    x = writer.node("DequantizeLinear", [x, *writer.activation("x", x_scale, 117)], "x_floats")
    inputs = [x, writer.weights("w", (after, before, kernel, kernel), scale, 0), writer.bias("b", 3000, scale * x_scale)]
    floats = writer.node("Conv", inputs, "floats", kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4)
    y = writer.node("QuantizeLinear", [floats, *writer.activation("y", 0.0731 * kernel * before / 64, 121)], "y_first")
    writer.node("Transpose", [y], "y", perm=[0, 2, 3, 1])
    return writer.layer(writer.bytes((1, height, width, before)), [1, height, width, after], TensorProto.UINT8)


def product(rows, depth, columns):
    """Q/DQ around a product by weights."""
    writer = Writer(f"product_{rows}_{depth}_{columns}", f"{rows}x{depth}x{columns}")
    x = writer.node("DequantizeLinear", ["x", *writer.activation("x", 0.02, 117)], "x_floats")
    weights = writer.weights("w", (depth, columns), writer.scales(columns, 0.001, 0.003), 1)
    writer.node("QuantizeLinear", [writer.node("MatMul", [x, weights], "floats"), *writer.activation("y", 0.2 * min(1, depth / 192), 121)], "y")
    return writer.layer(writer.bytes((rows, depth)), [rows, columns], TensorProto.UINT8)


def blocks(rows, depth, columns):
    """Floats by weights of four bits with a scale for each block, and results of bytes allowed (accuracy_level 4)."""
    writer = Writer(f"blocks_{rows}_{depth}_{columns}", f"{rows}x{depth}x{columns}")
    weights, scale = writer.bytes((columns, depth // BLOCK, BLOCK // 2)), writer.scales(columns * (depth // BLOCK), 0.01, 0.02)
    writer.node("MatMulNBits", ["x", writer.constant("w", weights), writer.constant("w_scale", scale)], "y", domain="com.microsoft", K=depth, N=columns,
                bits=4, block_size=BLOCK, accuracy_level=4)
    return writer.layer(writer.floats((rows, depth)), [rows, columns], TensorProto.FLOAT, weights.nbytes + scale.nbytes)


def layers(group):
    """What is measured: of `depthwise`, lists of the three forms of one layer, else layers."""
    if group == "depthwise":
        return [[depthwise(form, channels, size, size, kernel, stride) for form in FORMS]
                for kernel in (3, 5) for stride in (1, 2) for channels, size in SIZES]
    if group == "mobile":
        return [mobile(48, 288, 96, 28, 28)]
    if group == "products":
        return [product(*sizes) for sizes in ((64, 192, 128), (128, 768, 768), (512, 512, 512))] + \
               [convolution(before, after, size, size, kernel)
                for kernel, before, after, size in ((3, 64, 64, 56), (3, 128, 128, 28), (1, 256, 64, 56), (1, 64, 256, 56), (1, 512, 128, 28))]
    return [blocks(*sizes) for sizes in ((1, 4096, 14336), (1, 1024, 1024), (1, 2048, 5632), (64, 1024, 1024), (512, 1024, 1024))]


def small_layers(group):
    """Small ones of odd sizes."""
    if group == "depthwise":
        return [depthwise(form, *sizes, kernel, stride) for sizes in SMALL_SIZES for kernel in (3, 5) for stride in (1, 2) for form in FORMS]
    if group == "mobile":
        return [mobile(5, 18, 7, 9, 7)]
    if group == "products":
        return [product(5, 33, 17), convolution(7, 5, 9, 7, 3), convolution(18, 21, 9, 7, 1)]
    return [blocks(3, 64, 20), blocks(1, 96, 37)]
