"""Networks of floats: layers of transformers, image networks, and products."""
from graphs import network

WIDTH, HEADS = 192, 3


@network(open={"rows": 64})
def mlp(g, rows=16):
    x = g.input(f"f32[{rows}, 256]")
    for before, after in ((256, 256), (256, 256)):
        x = g.op("Relu", g.linear(x, before, after))
    g.output(g.linear(x, 256, 10))


@network(name="mlp-one-row")
def mlp_one_row(g):
    x = g.input("f32[1, 512]")
    x = g.op("Gelu", g.linear(x, 512, 1024))
    g.output(g.linear(x, 1024, 512))


@network(name="mlp-bf16", compute="bf16")
@network(name="mlp-f16", compute="f16")
def mlp_narrow(g, compute):
    g.keys["compute"] = compute
    mlp(g, rows=64)


@network(name="linear-f64")
def linear_f64(g):
    g.output(g.op("Tanh", g.linear(g.input("f64[24, 96]"), 96, 64, type="f64")))


@network(name="linear-stored-f16")
def linear_stored_f16(g):
    g.output(g.op("Relu", g.linear(g.input("f16[24, 192]"), 192, 96, type="f16")))


@network(name="linear-normalized")
def linear_normalized(g):
    """BatchNormalization after a product, whose scales become part of the weights."""
    y = g.linear(g.input("f32[32, 128]"), 128, 96)
    positive = g.weight("f32[96]", 0.5)
    g.output(g.op("Relu", g.op("BatchNormalization", y, positive, g.weight("f32[96]"), g.weight("f32[96]"), positive)))


def attention_heads(g, x, length, width, heads):
    """Products, a softmax and products, as exporters spell attention."""
    parts = [g.op("Transpose", g.reshape(g.linear(x, width, width), length, heads, width // heads), perm=perm)
             for perm in ([1, 0, 2], [1, 2, 0], [1, 0, 2])]
    scores = g.op("Mul", g.op("MatMul", parts[0], parts[1]), g.scalar(0.125))
    mixed = g.op("MatMul", g.op("Softmax", scores), parts[2])
    return g.linear(g.reshape(g.op("Transpose", mixed, perm=[1, 0, 2]), length, width), width, width)


@network(name="bert-layer", open={"length": 96})
def bert_layer(g, length=48):
    x = g.input(f"f32[{length}, {WIDTH}]")
    x = g.layer_norm(g.op("Add", x, attention_heads(g, x, length, WIDTH, HEADS)), WIDTH)
    hidden = g.op("Gelu", g.linear(x, WIDTH, 2 * WIDTH))
    g.output(g.layer_norm(g.op("Add", x, g.linear(hidden, 2 * WIDTH, WIDTH)), WIDTH))


@network(name="vit-layer", open={"length": 64})
def vit_layer(g, length=50):
    x = g.input(f"f32[{length}, {WIDTH}]")
    x = g.op("Add", x, attention_heads(g, g.layer_norm(x, WIDTH), length, WIDTH, HEADS))
    hidden = g.op("Gelu", g.linear(g.layer_norm(x, WIDTH), WIDTH, 2 * WIDTH))
    g.output(g.op("Add", x, g.linear(hidden, 2 * WIDTH, WIDTH)))


@network(name="patches")
def patches(g):
    """The first step of a vision transformer."""
    y = g.op("Conv", g.input("f32[1, 3, 64, 64]"), g.weight("f32[192, 3, 16, 16]"), g.weight("f32[192]"), strides=[16, 16])
    g.output(g.op("Transpose", g.reshape(y, 1, 192, 16), perm=[0, 2, 1]))


@network(name="attention-causal", open={"length": 128})
def attention_causal(g, length=96):
    q, k, v = (g.input(f"f32[1, 4, {length}, 32]") for _ in range(3))
    g.output(g.op("Attention", q, k, v, is_causal=1))


@network(name="attention-masked", open={"length": 64})
def attention_masked(g, length=40):
    q, k, v = (g.input(f"f32[2, 2, {length}, 32]") for _ in range(3))
    g.output(g.op("Attention", q, k, v, g.input(f"f32[{length}, {length}]", "mask")))


@network(name="cross-attention")
def cross_attention(g):
    """Few queries of a decoder, many keys of an encoder."""
    g.output(g.op("Attention", g.input("f32[1, 4, 4, 32]"), g.input("f32[1, 4, 300, 32]"), g.input("f32[1, 4, 300, 32]")))


@network(name="decoder-layer", open={"past": 256})
def decoder_layer(g, past=200):
    """A token of a decoder: rotary embedding, grouped queries, SwiGLU."""
    x = g.input("f32[1, 1, 256]")
    n = g.rms_norm(x, 256)
    cos, sin = g.input("f32[1, 1, 16]", "cosines"), g.input("f32[1, 1, 16]", "sines")
    q = g.op("RotaryEmbedding", g.linear(n, 256, 256, bias=False), cos, sin, num_heads=8)
    k = g.op("RotaryEmbedding", g.linear(n, 256, 64, bias=False), cos, sin, num_heads=2)
    v = g.linear(n, 256, 64, bias=False)
    heads = [g.op("Transpose", g.reshape(one, 1, 1, count, 32), perm=[0, 2, 1, 3]) for one, count in ((q, 8), (k, 2), (v, 2))]
    keys = g.op("Concat", g.input(f"f32[1, 2, {past}, 32]", "past_keys"), heads[1], axis=2)
    values = g.op("Concat", g.input(f"f32[1, 2, {past}, 32]", "past_values"), heads[2], axis=2)
    mixed = g.reshape(g.op("Transpose", g.op("Attention", heads[0], keys, values), perm=[0, 2, 1, 3]), 1, 1, 256)
    x = g.op("Add", x, g.linear(mixed, 256, 256, bias=False))
    n = g.rms_norm(x, 256)
    gate = g.op("Swish", g.linear(n, 256, 512, bias=False))
    y = g.linear(g.op("Mul", gate, g.linear(n, 256, 512, bias=False)), 512, 256, bias=False)
    g.output(g.op("Add", x, y), keys, values)


@network(name="llama-layer-bf16")
def llama_layer_bf16(g):
    x = g.input("bf16[32, 128]")
    n = g.op("RMSNormalization", x, g.weight("bf16[128]"))
    gate = g.op("Swish", g.linear(n, 128, 256, bias=False, type="bf16"))
    y = g.linear(g.op("Mul", gate, g.linear(n, 128, 256, bias=False, type="bf16")), 256, 128, bias=False, type="bf16")
    g.output(g.op("Add", x, y))


@network(name="resnet-block", open={"batch": 4})
def resnet_block(g, batch=1):
    x = g.input(f"f32[{batch}, 64, 16, 16]")
    y = g.op("Relu", g.conv(g.op("Relu", g.conv(x, 64, 32, kernel=1)), 32, 32))
    g.output(g.op("Relu", g.op("Add", g.conv(y, 32, 64, kernel=1), x)))


@network(name="resnet-stem")
def resnet_stem(g):
    y = g.op("Relu", g.conv(g.input("f32[1, 3, 48, 48]"), 3, 32, kernel=7, stride=2))
    g.output(g.op("MaxPool", y, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]))


@network(name="resnet-downsample", open={"batch": 4})
def resnet_downsample(g, batch=1):
    x = g.input(f"f32[{batch}, 32, 16, 16]")
    y = g.conv(g.op("Relu", g.conv(x, 32, 64, stride=2)), 64, 64)
    g.output(g.op("Relu", g.op("Add", y, g.conv(x, 32, 64, kernel=1, stride=2))))


@network(name="winograd")
def winograd(g):
    g.keys["winograd"] = 4
    g.output(g.op("Relu", g.conv(g.input("f32[1, 32, 24, 24]"), 32, 32)))


def relu6(g, x):
    return g.op("Clip", x, g.scalar(0), g.scalar(6))


@network(name="mobile-block", open={"batch": 4})
def mobile_block(g, batch=1):
    x = g.input(f"f32[{batch}, 24, 28, 28]")
    y = relu6(g, g.conv(x, 24, 144, kernel=1))
    y = relu6(g, g.conv(y, 144, 144, group=144))
    g.output(g.op("Add", x, g.conv(y, 144, 24, kernel=1)))


@network(name="mobile-block-excited", open={"batch": 4})
def mobile_block_excited(g, batch=1):
    """Depthwise with 5 x 5 taps, squeeze and excite, hard swish."""
    x = g.input(f"f32[{batch}, 40, 14, 14]")
    y = g.op("HardSwish", g.conv(x, 40, 120, kernel=1))
    y = g.op("HardSwish", g.conv(y, 120, 120, kernel=5, group=120))
    squeezed = g.op("Relu", g.conv(g.op("GlobalAveragePool", y), 120, 32, kernel=1))
    y = g.op("Mul", y, g.op("HardSigmoid", g.conv(squeezed, 32, 120, kernel=1), alpha=0.16666667, beta=0.5))
    g.output(g.op("Add", x, g.conv(y, 120, 40, kernel=1)))


@network(name="convnext-block", open={"batch": 4})
def convnext_block(g, batch=1):
    x = g.input(f"f32[{batch}, 48, 14, 14]")
    y = g.op("Transpose", g.conv(x, 48, 48, kernel=7, group=48), perm=[0, 2, 3, 1])
    y = g.linear(g.op("Gelu", g.linear(g.layer_norm(y, 48), 48, 192)), 192, 48)
    g.output(g.op("Add", x, g.op("Transpose", g.op("Mul", y, g.weight("f32[48]")), perm=[0, 3, 1, 2])))


@network(name="shuffle-block")
def shuffle_block(g):
    left, right = g.op("Split", g.input("f32[1, 48, 14, 14]"), outputs=2, axis=1, num_outputs=2)
    right = g.op("Relu", g.conv(right, 24, 24, kernel=1))
    right = g.op("Relu", g.conv(g.conv(right, 24, 24, group=24), 24, 24, kernel=1))
    y = g.reshape(g.op("Concat", left, right, axis=1), 1, 2, 24, 14, 14)
    g.output(g.reshape(g.op("Transpose", y, perm=[0, 2, 1, 3, 4]), 1, 48, 14, 14))


@network(name="grouped-convolution")
def grouped_convolution(g):
    g.output(g.op("Relu", g.conv(g.input("f32[1, 64, 14, 14]"), 64, 64, group=8)))


@network(name="dilated-convolution")
def dilated_convolution(g):
    g.output(g.op("Relu", g.conv(g.input("f32[1, 24, 20, 20]"), 24, 24, dilation=2)))


@network(name="u-net-level", open={"batch": 2})
def u_net_level(g, batch=1):
    x = g.input(f"f32[{batch}, 16, 24, 24]")
    down = g.op("Relu", g.conv(g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), 16, 32))
    up = g.op("ConvTranspose", down, g.weight("f32[32, 16, 2, 2]"), g.weight("f32[16]"), strides=[2, 2])
    g.output(g.op("Relu", g.conv(g.op("Concat", x, up, axis=1), 32, 16)))


@network(name="diffusion-block")
def diffusion_block(g):
    x = g.input("f32[1, 32, 16, 16]")
    time = g.reshape(g.linear(g.op("Swish", g.input("f32[1, 64]", "time")), 64, 32), 1, 32, 1, 1)

    def normalized(y):
        return g.op("Swish", g.op("GroupNormalization", y, g.weight("f32[32]"), g.weight("f32[32]"), num_groups=8))

    y = g.op("Add", g.conv(normalized(x), 32, 32), time)
    g.output(g.op("Add", x, g.conv(normalized(y), 32, 32)))


@network(name="super-resolution", open={"batch": 4})
def super_resolution(g, batch=1):
    y = g.op("Relu", g.conv(g.input(f"f32[{batch}, 1, 32, 32]"), 1, 16, kernel=5))
    g.output(g.op("DepthToSpace", g.conv(y, 16, 4), blocksize=2, mode="CRD"))


@network(name="style-block")
def style_block(g):
    x = g.op("Pad", g.input("f32[1, 16, 20, 20]"), g.weight("i64[8]", [0, 0, 1, 1, 0, 0, 1, 1]), mode="reflect")
    y = g.op("Conv", x, g.weight("f32[16, 16, 3, 3]"), g.weight("f32[16]"))
    g.output(g.op("Relu", g.op("InstanceNormalization", y, g.weight("f32[16]"), g.weight("f32[16]"))))


@network(name="upsample")
def upsample(g):
    y = g.op("Resize", g.input("f32[1, 24, 12, 12]"), None, g.weight("f32[4]", [1, 1, 2, 2]), mode="linear")
    g.output(g.op("Relu", g.conv(y, 24, 24)))


@network(name="image-head", open={"batch": 4})
def image_head(g, batch=1):
    y = g.op("Flatten", g.op("GlobalAveragePool", g.op("Relu", g.conv(g.input(f"f32[{batch}, 96, 7, 7]"), 96, 256, kernel=1))))
    g.output(g.op("Softmax", g.op("Gemm", y, g.weight("f32[100, 256]"), g.weight("f32[100]"), transB=1)))


@network(name="normalizations", open={"rows": 64})
def normalizations(g, rows=33):
    x = g.input(f"f32[{rows}, 200]")
    g.output(g.layer_norm(x, 200), g.rms_norm(x, 200), g.op("Softmax", x), g.op("LogSoftmax", x))


@network(name="layer-norm-decomposed", open={"rows": 64})
def layer_norm_decomposed(g, rows=33):
    x = g.input(f"f32[{rows}, 200]")
    apart = g.op("Sub", x, g.op("ReduceMean", x, g.weight("i64[1]", [-1])))
    variance = g.op("ReduceMean", g.op("Mul", apart, apart), g.weight("i64[1]", [-1]))
    y = g.op("Div", apart, g.op("Sqrt", g.op("Add", variance, g.scalar(1e-5))))
    g.output(g.op("Add", g.op("Mul", y, g.weight("f32[200]")), g.weight("f32[200]")))


@network(name="activations", open={"rows": 64})
def activations(g, rows=31):
    x = g.input(f"f32[{rows}, 100]")
    g.output(*[g.op(op, x) for op in ("Gelu", "Swish", "Mish", "Sigmoid", "Softplus", "Elu", "Erf", "Exp")])


@network(name="gelu-decomposed", open={"rows": 64})
def gelu_decomposed(g, rows=32):
    x = g.input(f"f32[{rows}, 100]")
    y = g.op("Add", g.op("Erf", g.op("Div", x, g.scalar(1.4142135))), g.scalar(1))
    g.output(g.op("Mul", g.op("Mul", x, y), g.scalar(0.5)))
