"""Quantized networks: Q/DQ as quantizers write it, QLinear*, decomposed, and weights of few bits."""
from graphs import network

# How a quantizer was set: type and zero point of activations, whether each channel of a weight has a scale of its own.
STYLES = {
    "u8-channel": {"type": "u8", "zero": 113, "by_channel": True},  # unsigned, not symmetric: the default of most quantizers
    "i8-tensor": {"type": "i8", "zero": -7, "by_channel": False},
    "i8-symmetric": {"type": "i8", "zero": 0, "by_channel": True},
}


def styles(name, names=tuple(STYLES), **sizes):
    """A network for each style; the first has an open twin if `sizes` names what can be open."""

    def register(write):
        for i, style in enumerate(names):
            network(name=f"{name}-{style}", open=sizes if i == 0 and sizes else None, style=STYLES[style])(write)
        return write

    return register


class Quantizer:
    """Nodes as a quantizer writes them around operators of floats."""

    def __init__(self, g, type, zero, by_channel):
        self.g, self.type, self.by_channel = g, type, by_channel
        self.zero = g.scalar(zero, type)
        self.scales = 0

    def scale(self):
        """Another scale for each activation."""
        self.scales += 1
        return self.g.scalar(0.02 + 0.003 * self.scales)

    def through(self, x):
        """QuantizeLinear and DequantizeLinear of an activation."""
        scale = self.scale()
        return self.g.op("DequantizeLinear", self.g.op("QuantizeLinear", x, scale, self.zero), scale, self.zero)

    def filter_scale(self, count):
        values = [round(0.004 + 0.0001 * (i % 37), 6) for i in range(count)]
        return self.g.weight(f"f32[{count}]", values) if self.by_channel else self.g.scalar(0.006)

    def filter_zero(self, count):
        return self.g.weight(f"i8[{count}]", 0) if self.by_channel else self.g.scalar(0, "i8")

    def filter(self, shape, channel):
        """DequantizeLinear of a weight; `channel` is the axis of its channels."""
        count = shape[channel]
        weight = self.g.weight(f"i8{list(shape)}")
        return self.g.op("DequantizeLinear", weight, self.filter_scale(count), self.filter_zero(count),
                         **({"axis": channel} if self.by_channel else {}))

    def bias(self, count):
        return self.g.op("DequantizeLinear", self.g.weight(f"i32[{count}]"), self.g.scalar(0.001), self.g.scalar(0, "i32"))

    def conv(self, x, before, after, kernel=3, stride=1, group=1):
        return self.g.op("Conv", x, self.filter((after, before // group, kernel, kernel), 0), self.bias(after), group=group,
                         strides=[stride] * 2, pads=[kernel // 2] * 4)

    def linear(self, x, before, after):
        return self.g.op("Add", self.g.op("MatMul", x, self.filter((before, after), 1)), self.bias(after))


@styles("qdq-dense", rows=64)
def qdq_dense(g, style, rows=16):
    q = Quantizer(g, **style)
    x = q.through(g.op("Relu", q.linear(q.through(g.input(f"f32[{rows}, 192]")), 192, 128)))
    g.output(q.through(q.linear(x, 128, 64)))


@styles("qdq-convolution", batch=4)
def qdq_convolution(g, style, batch=1):
    q = Quantizer(g, **style)
    x = q.through(g.input(f"f32[{batch}, 32, 14, 14]"))
    x = q.through(g.op("Relu", q.conv(x, 32, 48)))
    g.output(q.through(q.conv(x, 48, 32, kernel=1)))


@styles("qdq-depthwise", batch=4)
def qdq_depthwise(g, style, batch=1):
    """The inner part of a mobile block."""
    q = Quantizer(g, **style)
    x = q.through(g.input(f"f32[{batch}, 24, 14, 14]"))
    x = q.through(g.op("Clip", q.conv(x, 24, 144, kernel=1), g.scalar(0), g.scalar(6)))
    x = q.through(g.op("Clip", q.conv(x, 144, 144, group=144), g.scalar(0), g.scalar(6)))
    g.output(q.through(q.conv(x, 144, 24, kernel=1)))


@styles("qdq-residual", batch=4)
def qdq_residual(g, style, batch=1):
    q = Quantizer(g, **style)
    x = q.through(g.input(f"f32[{batch}, 32, 14, 14]"))
    y = q.through(g.op("Relu", q.conv(x, 32, 32)))
    g.output(q.through(g.op("Relu", g.op("Add", q.through(q.conv(y, 32, 32)), x))))


@styles("qdq-excite")
def qdq_excite(g, style):
    """Squeeze and excite between bytes."""
    q = Quantizer(g, **style)
    x = q.through(g.input("f32[1, 48, 14, 14]"))
    squeezed = q.through(g.op("GlobalAveragePool", x))
    squeezed = q.through(g.op("Relu", q.conv(squeezed, 48, 12, kernel=1)))
    factor = q.through(g.op("HardSigmoid", q.conv(squeezed, 12, 48, kernel=1)))
    g.output(q.through(q.conv(q.through(g.op("Mul", x, factor)), 48, 32, kernel=1)))


@styles("qdq-attention", length=64)
def qdq_attention(g, style, length=32):
    q = Quantizer(g, **style)
    x = q.through(g.input(f"f32[{length}, 96]"))
    parts = [q.through(g.op("Transpose", g.reshape(q.linear(x, 96, 96), length, 3, 32), perm=perm))
             for perm in ([1, 0, 2], [1, 2, 0], [1, 0, 2])]
    scores = q.through(g.op("Mul", g.op("MatMul", parts[0], parts[1]), g.scalar(0.1767767)))
    mixed = q.through(g.op("MatMul", q.through(g.op("Softmax", scores)), parts[2]))
    flat = g.reshape(g.op("Transpose", mixed, perm=[1, 0, 2]), length, 96)
    g.output(q.through(q.linear(flat, 96, 96)))


@network(name="qdq-mobile-block")
def qdq_mobile_block(g):
    """The block whose depthwise part once became 2.3 times slower: 48 to 288, depthwise, to 96."""
    q = Quantizer(g, **STYLES["u8-channel"])
    x = q.through(g.input("f32[1, 48, 28, 28]"))
    x = q.through(g.op("Relu", q.conv(x, 48, 288, kernel=1)))
    x = q.through(g.op("Relu", q.conv(x, 288, 288, group=288)))
    g.output(q.through(q.conv(x, 288, 96, kernel=1)))


BOTH = ("u8-channel", "i8-tensor")


class Bytes(Quantizer):
    """Nodes that compute with bytes: QLinear*."""

    def conv(self, x, scale, before, after, kernel=3, group=1):
        """The result and its scale."""
        g, to = self.g, self.scale()
        y = g.op("QLinearConv", x, scale, self.zero, g.weight(f"i8[{after}, {before // group}, {kernel}, {kernel}]"),
                 self.filter_scale(after), self.filter_zero(after), to, self.zero, g.weight(f"i32[{after}]"), group=group,
                 pads=[kernel // 2] * 4)
        return y, to

    def matmul(self, x, scale, before, after):
        to = self.scale()
        return self.g.op("QLinearMatMul", x, scale, self.zero, self.g.weight(f"i8[{before}, {after}]"), self.filter_scale(after),
                         self.filter_zero(after), to, self.zero), to

    def binary(self, op, a, b):
        to = self.scale()
        return self.g.op(op, a[0], a[1], self.zero, b[0], b[1], self.zero, to, self.zero), to

    def input(self, shape):
        return self.g.input(f"{self.type}{list(shape)}".replace("'", "")), self.scale()


@styles("qlinear-dense", BOTH, rows=64)
def qlinear_dense(g, style, rows=16):
    q = Bytes(g, **style)
    x = q.matmul(*q.input([rows, 192]), 192, 128)
    g.output(q.matmul(*x, 128, 64)[0])


@styles("qlinear-convolution", BOTH)
def qlinear_convolution(g, style):
    q = Bytes(g, **style)
    g.output(q.conv(*q.conv(*q.input([1, 32, 14, 14]), 32, 48), 48, 32, kernel=1)[0])


@styles("qlinear-depthwise", BOTH)
def qlinear_depthwise(g, style):
    q = Bytes(g, **style)
    y = q.conv(*q.conv(*q.input([1, 24, 14, 14]), 24, 96, kernel=1), 96, 96, group=96)
    g.output(q.conv(*y, 96, 24, kernel=1)[0])


@styles("qlinear-residual", BOTH)
def qlinear_residual(g, style):
    q = Bytes(g, **style)
    x = q.input([1, 32, 14, 14])
    g.output(q.binary("QLinearAdd", q.conv(*q.conv(*x, 32, 32), 32, 32), x)[0])


@styles("qlinear-gate", BOTH, rows=64)
def qlinear_gate(g, style, rows=24):
    q = Bytes(g, **style)
    x = q.input([rows, 96])
    g.output(q.binary("QLinearMul", q.matmul(*x, 96, 64), q.matmul(*x, 96, 64))[0])


def quantized_by_hand(g, x, scale, zero):
    """QuantizeLinear in single operations."""
    y = g.op("Add", g.op("Round", g.op("Div", x, g.scalar(scale))), g.scalar(zero))
    return g.op("Cast", g.op("Clip", y, g.scalar(0), g.scalar(255)), to="u8")


def dequantized_by_hand(g, x, scale, zero):
    return g.op("Mul", g.op("Sub", g.op("Cast", x, to="f32"), g.scalar(zero)), g.scalar(scale))


@network(name="decomposed-dense", open={"rows": 64})
def decomposed_dense(g, rows=16):
    x = dequantized_by_hand(g, quantized_by_hand(g, g.input(f"f32[{rows}, 128]"), 0.02, 120), 0.02, 120)
    w = g.op("Mul", g.op("Cast", g.weight("i8[128, 96]"), to="f32"), g.scalar(0.01))
    g.output(quantized_by_hand(g, g.op("Relu", g.op("MatMul", x, w)), 0.05, 0))


@network(name="decomposed-convolution")
def decomposed_convolution(g):
    x = dequantized_by_hand(g, quantized_by_hand(g, g.input("f32[1, 24, 14, 14]"), 0.02, 120), 0.02, 120)
    w = g.op("Mul", g.op("Cast", g.weight("i8[24, 24, 3, 3]"), to="f32"), g.scalar(0.01))
    y = g.op("Relu", g.op("Conv", x, w, g.weight("f32[24]"), pads=[1, 1, 1, 1]))
    g.output(quantized_by_hand(g, y, 0.05, 0))


@network(name="dynamic-dense", open={"rows": 64})
def dynamic_dense(g, rows=16):
    """Scales of activations found at run time."""
    q, scale, zero = g.op("DynamicQuantizeLinear", g.input(f"f32[{rows}, 192]"), outputs=3)
    y = g.op("Cast", g.op("MatMulInteger", q, g.weight("i8[192, 96]"), zero), to="f32")
    g.output(g.op("Relu", g.op("Add", g.op("Mul", y, g.op("Mul", scale, g.scalar(0.01))), g.weight("f32[96]"))))


@network(name="dynamic-convolution")
def dynamic_convolution(g):
    q, scale, zero = g.op("DynamicQuantizeLinear", g.input("f32[1, 24, 14, 14]"), outputs=3)
    y = g.op("ConvInteger", q, g.weight("i8[24, 24, 3, 3]"), zero, pads=[1, 1, 1, 1])
    g.output(g.op("Mul", g.op("Cast", y, to="f32"), g.op("Mul", scale, g.scalar(0.01))))


@network(name="nbits-1-row", rows=1)
@network(name="nbits-4-rows", rows=4)
@network(name="nbits-64-rows", rows=64)
def nbits(g, rows):
    """Weights of four bits in blocks of 32 with scales and zero points."""
    g.output(g.op("MatMulNBits", g.input(f"f32[{rows}, 256]"), g.weight("u8[256, 8, 16]"), g.weight("f32[2048]"),
                  g.weight("u8[1024]"), K=256, N=256, bits=4, block_size=32))


@network(name="rounded-rows-1", rows=1, bits=4)
@network(name="rounded-rows-4", rows=4, bits=8)
@network(name="rounded-rows-64", rows=64, bits=4)
def rounded_rows(g, rows, bits):
    """The same in products of bytes: rows are rounded to 8 bits, once for two products."""
    x = g.input(f"f32[{rows}, 256]")
    for size in (128, 256):
        g.output(g.op("MatMulNBits", x, g.weight(f"u8[{size}, 8, {4 * bits}]"), g.weight(f"f32[{8 * size}]"), K=256, N=size, bits=bits,
                      block_size=32, accuracy_level=4))


@network(name="four-bit-weights", bits=4)
@network(name="eight-bit-weights", bits=8)
def quantized_weights(g, bits):
    w = g.weight("f32[512, 256]", quantize=f"{{bits: {bits}, block: 32}}")
    g.output(g.op("Gelu", g.op("MatMul", g.input("f32[1, 512]"), w)))


@network(name="images-of-bytes")
def images_of_bytes(g):
    """What stands before a network: an image of bytes becomes floats, with mean and deviation."""
    x = g.op("Mul", g.op("Cast", g.op("Transpose", g.input("u8[1, 32, 32, 3]"), perm=[0, 3, 1, 2]), to="f32"), g.scalar(0.003921569))
    x = g.op("Div", g.op("Sub", x, g.weight("f32[1, 3, 1, 1]", [0.485, 0.456, 0.406])), g.weight("f32[1, 3, 1, 1]", [0.229, 0.224, 0.225]))
    g.output(g.op("Relu", g.conv(x, 3, 16, stride=2)))
