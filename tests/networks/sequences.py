"""Recurrent, streaming and causal networks, and what stands at the end of networks: detection, text, voices, ranking. Tiny ones."""
from graphs import network


def lstm(g, x, before, hidden, directions=1, outputs=1, **attributes):
    return g.op("LSTM", x, g.weight(f"f32[{directions}, {4 * hidden}, {before}]"), g.weight(f"f32[{directions}, {4 * hidden}, {hidden}]"),
                g.weight(f"f32[{directions}, {8 * hidden}]"), outputs=outputs, **attributes)


def gru(g, x, before, hidden, state=None, **attributes):
    return g.op("GRU", x, g.weight(f"f32[1, {3 * hidden}, {before}]"), g.weight(f"f32[1, {3 * hidden}, {hidden}]"),
                g.weight(f"f32[1, {6 * hidden}]"), None, state, outputs=2, **attributes)


@network(name="lstm", open={"steps": 32})
def lstm_sequence(g, steps=16):
    g.output(*lstm(g, g.input(f"f32[{steps}, 1, 64]"), 64, 64, outputs=3))


@network(name="lstm-bidirectional")
def lstm_bidirectional(g):
    g.output(lstm(g, g.input("f32[12, 2, 48]"), 48, 48, directions=2, direction="bidirectional"))


@network(name="gru-step")
def gru_step(g):
    """A frame of a stream: the state comes in and goes out."""
    y, state = gru(g, g.input("f32[1, 1, 80]"), 80, 96, g.input("f32[1, 1, 96]", "state"), linear_before_reset=1)
    g.output(g.op("Sigmoid", g.linear(g.reshape(y, 1, 96), 96, 1)), state)


@network(name="gru-sequence", open={"steps": 32})
def gru_sequence(g, steps=12):
    g.output(*gru(g, g.input(f"f32[{steps}, 1, 64]"), 64, 64))


@network(name="rnn", open={"steps": 16})
def rnn(g, steps=10):
    g.output(*g.op("RNN", g.input(f"f32[{steps}, 1, 32]"), g.weight("f32[1, 48, 32]"), g.weight("f32[1, 48, 48]"), outputs=2))


@network(name="causal-convolutions", open={"length": 64})
def causal_convolutions(g, length=48):
    x = g.input(f"f32[1, 32, {length}]")
    for dilation in (1, 2):
        x = g.op("Add", x, g.op("Tanh", g.causal(x, 32, 32, dilation=dilation)))
    g.output(x)


@network(name="streaming-convolution")
def streaming_convolution(g):
    """A block of samples after those that the last call kept."""
    x = g.op("Concat", g.input("f32[1, 16, 4]", "kept"), g.input("f32[1, 16, 16]", "block"), axis=2)
    y = g.op("Relu", g.op("Conv", x, g.weight("f32[24, 16, 5]"), g.weight("f32[24]")))
    last = g.op("Slice", x, g.weight("i64[1]", [16]), g.weight("i64[1]", [20]), g.weight("i64[1]", [2]))
    g.output(y, last)


@network(name="separable-1d")
def separable_1d(g):
    x = g.causal(g.input("f32[1, 64, 50]"), 64, 64, kernel=5, group=64)
    g.output(g.op("Relu", g.op("Conv", x, g.weight("f32[64, 64, 1]"), g.weight("f32[64]"))))


@network(name="gated-convolution")
def gated_convolution(g):
    x = g.input("f32[1, 32, 40]")
    left, right = g.op("Split", g.causal(x, 32, 64), outputs=2, axis=1, num_outputs=2)
    g.output(g.op("Mul", g.op("Tanh", left), g.op("Sigmoid", right)))


@network(name="voice-activity")
def voice_activity(g):
    """A frame of sound: spectrum by a convolution, layers, an LSTM, a probability."""
    spectrum = g.op("Conv", g.input("f32[1, 1, 256]"), g.weight("f32[66, 1, 64]"), strides=[32])
    real, imaginary = g.op("Split", spectrum, outputs=2, axis=1, num_outputs=2)
    power = g.op("Sqrt", g.op("Add", g.op("Mul", real, real), g.op("Mul", imaginary, imaginary)))
    x = g.op("Relu", g.causal(power, 33, 32))
    x = g.op("ReduceMean", g.op("Relu", g.causal(x, 32, 48)), g.weight("i64[1]", [2]), keepdims=0)
    y, h, c = g.op("LSTM", g.reshape(x, 1, 1, 48), g.weight("f32[1, 128, 48]"), g.weight("f32[1, 128, 32]"), g.weight("f32[1, 256]"), None,
                   g.input("f32[1, 1, 32]", "h"), g.input("f32[1, 1, 32]", "c"), outputs=3)
    g.output(g.op("Sigmoid", g.linear(g.reshape(y, 1, 32), 32, 1)), h, c)


@network(name="log-mel", open={"frames": 32})
def log_mel(g, frames=20):
    power = g.op("Abs", g.input(f"f32[{frames}, 129]"))
    mel = g.op("MatMul", power, g.op("Abs", g.weight("f32[129, 40]")))
    g.output(g.op("Mul", g.op("Log", g.op("Max", mel, g.scalar(1e-10))), g.scalar(0.4342945)))


@network(name="voice-embedding")
def voice_embedding(g):
    x = g.input("f32[1, 1, 40, 24]")
    x = g.op("MaxPool", g.op("LeakyRelu", g.conv(x, 1, 16), alpha=0.2), kernel_shape=[2, 2], strides=[2, 2])
    x = g.op("ReduceMean", g.op("LeakyRelu", g.conv(x, 16, 32), alpha=0.2), g.weight("i64[2]", [2, 3]), keepdims=0)
    g.output(g.op("LpNormalization", g.linear(x, 32, 64)))


@network(name="detection-head", open={"batch": 4})
def detection_head(g, batch=1):
    """Boxes and scores of a grid, as one-stage detectors decode them."""
    x = g.op("Swish", g.conv(g.input(f"f32[{batch}, 32, 10, 10]"), 32, 32))
    boxes, scores = g.reshape(g.conv(x, 32, 4, kernel=1), batch, 4, 100), g.reshape(g.conv(x, 32, 8, kernel=1), batch, 8, 100)
    centers, sizes = g.op("Split", boxes, outputs=2, axis=1, num_outputs=2)
    grid = g.weight("f32[1, 2, 100]")
    centers = g.op("Mul", g.op("Add", g.op("Sigmoid", centers), grid), g.scalar(32))
    decoded = g.op("Concat", centers, g.op("Mul", g.op("Exp", sizes), g.scalar(16)), g.op("Sigmoid", scores), axis=1)
    g.output(g.op("Transpose", decoded, perm=[0, 2, 1]))


@network(name="distribution-head")
def distribution_head(g):
    """Sides of boxes as means of distributions over 16 bins."""
    x = g.reshape(g.input("f32[1, 64, 100]"), 1, 4, 16, 100)
    p = g.op("Softmax", g.op("Transpose", x, perm=[0, 2, 1, 3]), axis=1)
    g.output(g.reshape(g.op("Conv", p, g.weight("f32[1, 16, 1, 1]", list(range(16)))), 1, 4, 100))


@network(name="best-classes")
def best_classes(g):
    values, indices = g.op("TopK", g.op("Softmax", g.input("f32[4, 200]")), g.weight("i64[1]", [5]), outputs=2)
    g.output(values, indices)


@network(name="text-detection", open={"batch": 4})
def text_detection(g, batch=1):
    """A level of a pyramid of features and a map of probabilities."""
    fine, coarse = g.input(f"f32[{batch}, 24, 16, 16]"), g.input(f"f32[{batch}, 48, 8, 8]")
    up = g.op("Resize", g.conv(coarse, 48, 24, kernel=1), None, g.weight("f32[4]", [1, 1, 2, 2]), mode="nearest",
              coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    x = g.op("Relu", g.conv(g.op("Add", g.conv(fine, 24, 24, kernel=1), up), 24, 12))
    y = g.op("ConvTranspose", x, g.weight("f32[12, 1, 2, 2]"), g.weight("f32[1]"), strides=[2, 2])
    g.output(g.op("Sigmoid", y))


@network(name="text-recognition")
def text_recognition(g):
    x = g.op("HardSwish", g.conv(g.input("f32[1, 32, 4, 24]"), 32, 48))
    x = g.op("Squeeze", g.op("AveragePool", x, kernel_shape=[4, 1]), g.weight("i64[1]", [2]))
    y = lstm(g, g.op("Transpose", x, perm=[2, 0, 1]), 48, 24, directions=2, direction="bidirectional")
    flat = g.reshape(g.op("Transpose", y, perm=[0, 2, 1, 3]), 24, 48)
    g.output(g.op("ArgMax", g.op("Softmax", g.linear(flat, 48, 96)), axis=1, keepdims=0))


@network(name="ranking", open={"rows": 64})
def ranking(g, rows=32):
    """Embeddings of categories, dense features, products of pairs."""
    table = g.weight("f32[50, 16]")
    parts = [g.op("Gather", table, g.input(f"i64[{rows}]", f"c{i}")) for i in range(3)]
    dense = g.op("Relu", g.linear(g.input(f"f32[{rows}, 13]", "dense"), 13, 16))
    parts = [g.reshape(part, rows, 1, 16) for part in [dense, *parts]]
    together = g.op("Concat", *parts, axis=1)
    pairs = g.op("MatMul", together, g.op("Transpose", together, perm=[0, 2, 1]))
    x = g.op("Concat", g.reshape(pairs, rows, 16), dense, axis=1)
    g.output(g.op("Sigmoid", g.linear(g.op("Relu", g.linear(x, 32, 64)), 64, 1)))


@network(name="tower", open={"documents": 128})
def tower(g, documents=100):
    """Similarities of a query to documents."""
    query, found = g.op("LpNormalization", g.input("f32[1, 64]")), g.op("LpNormalization", g.input(f"f32[{documents}, 64]"))
    g.output(g.op("Softmax", g.op("Gemm", query, found, transB=1, alpha=20)))


@network(name="tiny-xor")
def tiny_xor(g):
    g.output(g.op("Sigmoid", g.linear(g.op("Tanh", g.linear(g.input("f32[1, 2]"), 2, 4)), 4, 1)))


@network(name="tiny-controller")
def tiny_controller(g):
    x = g.op("Tanh", g.linear(g.input("f32[1, 12]"), 12, 16))
    g.output(g.op("Tanh", g.linear(g.op("Tanh", g.linear(x, 16, 16)), 16, 4)))


@network(name="tiny-elementwise")
def tiny_elementwise(g):
    x, y = g.input("f32[8]"), g.input("f32[8]")
    g.output(g.op("Add", g.op("Mul", x, y), g.op("Sqrt", g.op("Abs", x))))


@network(name="tiny-bytes")
def tiny_bytes(g):
    q = g.op("QuantizeLinear", g.input("f32[1, 16]"), g.scalar(0.05), g.scalar(128, "u8"))
    g.output(g.op("QLinearMatMul", q, g.scalar(0.05), g.scalar(128, "u8"), g.weight("i8[16, 8]"), g.scalar(0.02), g.scalar(0, "i8"),
                  g.scalar(0.1), g.scalar(0, "u8")))


@network(name="tiny-lstm-step")
def tiny_lstm_step(g):
    y, h, c = g.op("LSTM", g.input("f32[1, 1, 8]"), g.weight("f32[1, 64, 8]"), g.weight("f32[1, 64, 16]"), g.weight("f32[1, 128]"), None,
                   g.input("f32[1, 1, 16]", "h"), g.input("f32[1, 1, 16]", "c"), outputs=3)
    g.output(g.linear(g.reshape(y, 1, 16), 16, 2), h, c)
