"""Functions that exporters take apart, as nodes of ONNX files, and functions that are nearly such: onnx_forms.py KGEN FOLDER

Each is written in two styles (onnx_model.py). All must compute what numpy does in double precision, in plain loops and in every variant that this CPU
supports. What is in FORMS must be recognized as what its table says, in NEAR as nothing. PLAIN needs no recognition.
"""
import json
import math
import sys
from pathlib import Path

try:
    import numpy as np
    from onnx_model import STYLES, Model
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy, python3-onnx)")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).parents[2] / "lib"))
import share
from commands import run

EPSILON = float(np.float32(1e-5))
LOWEST = float(np.finfo(np.float32).min)


def normalized(x, axes, epsilon=EPSILON, centred=True):
    x = x - x.mean(axes, keepdims=True) if centred else x
    return x / np.sqrt((x * x).mean(axes, keepdims=True) + epsilon)


def centred_and_root(m, x, rank, *axes, epsilon=EPSILON):
    centred = m("Sub", x, m.mean(x, rank, *axes))
    return centred, m("Sqrt", m("Add", m.mean(m.square(centred), rank, *axes), epsilon))


def layer_norm(m):
    x, value = m.input(3, 8, 96)
    (scale, a), (bias, b) = m.random(96), m.random(96)
    y = m("Div", *centred_and_root(m, x, 3, 2))
    return m("Add", m("Mul", y, scale), bias), normalized(value, 2) * a + b


def rms_norm(m):
    x, value = m.input(3, 8, 96)
    scale, a = m.random(96)
    root = m("Sqrt", m("Add", m.mean(m.square(x), 3, 2), EPSILON))
    y = m("Mul", x, m("Reciprocal", root)) if m.is_inlined else m("Div", x, root)
    return m("Mul", y, scale), normalized(value, 2, centred=False) * a


def group_norm(m):
    x, value = m.input(2, 8, 6, 6)
    (scale, a), (bias, b) = m.random(8, 1, 1), m.random(8, 1, 1)
    grouped = m("Reshape", x, np.array([2, 4, -1] if m.is_inlined else [0, 4, 72]))
    y = m("Reshape", m("Div", *centred_and_root(m, grouped, 3, 2)), np.array([2, 8, 6, 6]))
    exact = normalized(value.reshape(2, 4, 72), 2).reshape(value.shape)
    return m("Add", m("Mul", scale, y), bias), exact * a + b


def instance_norm(m):
    x, value = m.input(2, 8, 6, 6)
    (scale, a), (bias, b) = m.random(8, 1, 1), m.random(8, 1, 1)
    y = m("Div", *centred_and_root(m, x, 4, 2, 3))
    return m("Add", m("Mul", y, scale), bias), normalized(value, (2, 3)) * a + b


def phi(x):
    return np.vectorize(math.erfc)(-x / math.sqrt(2)) / 2


def logistic(x):
    return 1 / (1 + np.exp(-x))


def gelu(m):
    x, value = m.input(5, 96)
    scaled = m("Mul", x, math.sqrt(0.5)) if m.is_inlined else m("Div", x, math.sqrt(2))
    return m("Mul", m("Mul", x, 0.5), m("Add", m("Erf", scaled), 1.0)), value * phi(value)


def gelu_tanh(m):
    x, value = m.input(5, 96)
    cube = m("Mul", x, m("Mul", x, x)) if m.is_inlined else m("Pow", x, 3.0)
    inner = m("Mul", m("Add", x, m("Mul", cube, 0.044715)), math.sqrt(2 / math.pi))
    exact = value * logistic(2 * math.sqrt(2 / math.pi) * (value + 0.044715 * value**3))
    return m("Mul", 0.5, m("Mul", x, m("Add", 1.0, m("Tanh", inner)))), exact


def silu(m):
    x, value = m.input(5, 96)
    divisor = m("Add", 1.0, m("Exp", m("Neg", x)))
    y = m("Mul", x, m("Reciprocal", divisor)) if m.is_inlined else m("Div", x, divisor)
    return y, value * logistic(value)


def hard_swish(m):
    x, value = m.input(5, 96)
    shifted = m("Add", x, 3.0)
    limited = m("Min", m("Max", shifted, 0.0), 6.0) if m.is_inlined else m("Clip", shifted, 0.0, 6.0)
    return m("Div", m("Mul", x, limited), 6.0), value * np.clip(value + 3, 0, 6) / 6


def shifted_powers(m, x):
    difference = m("Sub", x, m.largest(x, 2, 1))
    return difference, m("Exp", difference)


def softmax_of(x, axis=-1):
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def softmax(m):
    x, value = m.input(5, 96)
    powers = shifted_powers(m, x)[1]
    return m("Div", powers, m.total(powers, 2, 1)), softmax_of(value)


def log_softmax(m):
    x, value = m.input(5, 96)
    difference, powers = shifted_powers(m, x)
    return m("Sub", difference, m("Log", m.total(powers, 2, 1))), np.log(softmax_of(value))


LENGTH, HEADS, WIDTH = 12, 2, 16
CAUSAL = np.tril(np.ones((LENGTH, LENGTH), bool))


def attention(mask):
    """`mask` gives scores and their numbers; None: there is none."""

    def build(m):
        tensors = [m.input(1, LENGTH, HEADS * WIDTH) for _ in range(3)]
        perms = [0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]
        q, k, v = (m("Transpose", m("Reshape", x, np.array([1, LENGTH, HEADS, WIDTH])), perm=perm) for (x, _), perm in zip(tensors, perms))
        a, b, c = (value.reshape(1, LENGTH, HEADS, WIDTH).transpose(perm) for (_, value), perm in zip(tensors, perms))
        if m.is_inlined:
            scores = m("MatMul", m("Mul", q, WIDTH**-0.5), k)
        else:
            scores = m("Div", m("MatMul", q, k), math.sqrt(WIDTH))
        exact = a @ b / math.sqrt(WIDTH)
        scores, exact = mask(m, scores, exact) if mask else (scores, exact)
        y = m("Reshape", m("Transpose", m("MatMul", m("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3]), np.array([1, LENGTH, -1]))
        return y, (softmax_of(exact) @ c).transpose(0, 2, 1, 3).reshape(1, LENGTH, -1)

    return build


def added(*shape):
    def mask(m, scores, exact):
        x, value = m.input(*shape)
        return m("Add", scores, x), exact + value

    return mask


def chosen(m, scores, exact):
    """Keys that a boolean mask hides are -inf."""
    keys = np.arange(LENGTH) % 5 != 3
    x, value = m.input(1, 1, 1, LENGTH, value=keys[None, None, None])
    return m("Where", x, scores, -np.inf), np.where(value, exact, -np.inf)


def causal(m, scores, exact):
    return m("Add", scores, np.where(CAUSAL, 0.0, -np.inf)), np.where(CAUSAL, exact, -np.inf)


def causal_and_added(m, scores, exact):
    """The lowest finite numbers and another mask, both added: where the other one lifts a hidden key, it counts."""
    x, value = m.input(1, 1, LENGTH, LENGTH, value=np.where(np.arange(LENGTH) == 2, np.float32(-LOWEST), np.float32(0)) * np.ones((1, 1, LENGTH, 1), np.float32))
    lowest = np.where(CAUSAL, 0.0, LOWEST)
    with np.errstate(over="ignore"):
        return m("Add", m("Add", scores, lowest), x), (exact.astype(np.float32) + lowest.astype(np.float32) + value.astype(np.float32)).astype(float)


def rotary(spelling):
    def build(m):
        length, half = 7, 8
        x, value = m.input(1, 2, length, 2 * half)
        angles = np.arange(length)[:, None] / 10000 ** (np.arange(half) / half)
        cosines, sines = (f(angles).astype(np.float32) for f in (np.cos, np.sin))
        axis = m.axes(4, 3)[0]
        if spelling == "pairs":
            part = lambda first: m("Slice", x, np.array([first]), np.array([2**62]), np.array([axis]), np.array([2]))
            first, second = part(0), part(1)
            a, b = value[..., 0::2], value[..., 1::2]
        elif spelling == "split":
            first, second = m("Split", x, np.array([half, half]), results=2, axis=axis)
        else:
            first = m("Slice", x, np.array([0]), np.array([half]), np.array([axis]))
            second = m("Slice", x, np.array([half]), np.array([2**62]), np.array([axis]))
        if spelling != "pairs":
            a, b = value[..., :half], value[..., half:]
            turned = m("Concat", m("Neg", second), first, axis=axis)
            y = m("Add", m("Mul", x, np.tile(cosines, 2).astype(float)), m("Mul", turned, np.tile(sines, 2).astype(float)))
            return y, np.concatenate([a * cosines - b * sines, b * cosines + a * sines], -1)
        real = m("Sub", m("Mul", first, cosines.astype(float)), m("Mul", second, sines.astype(float)))
        imaginary = m("Add", m("Mul", first, sines.astype(float)), m("Mul", second, cosines.astype(float)))
        joined = m("Concat", *(m("Unsqueeze", each, np.array([4 if m.is_inlined else -1])) for each in (real, imaginary)), axis=4)
        exact = np.stack([a * cosines - b * sines, a * sines + b * cosines], -1)
        return m("Reshape", joined, np.array([1, 2, length, 2 * half])), exact.reshape(value.shape)

    return build


def batch_norm(m, x, value, channels):
    """Spelled in inference: constants of channels."""
    (mean, a), (scale, b), (shift, c) = (m.random(channels, 1, 1) for _ in range(3))
    variance, d = m.random(channels, 1, 1, low=0.5, high=2.0)
    y = m("Div", m("Sub", x, mean), m("Sqrt", m("Add", variance, EPSILON)))
    return m("Add", m("Mul", y, scale), shift), (value - a) / np.sqrt(d + EPSILON) * b + c


def conv_of(x, w):
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))
    return np.einsum("nchwyx,fcyx->nfhw", windows, w)


def conv_then_norm(m):
    x, value = m.input(1, 4, 9, 9)
    w, weights = m.random(8, 4, 3, 3)
    return batch_norm(m, m("Conv", x, w), conv_of(value, weights), 8)


def norm_then_conv(m):
    x, value = m.input(1, 4, 9, 9)
    w, weights = m.random(8, 4, 3, 3)
    y, exact = batch_norm(m, x, value, 4)
    return m("Conv", y, w), conv_of(exact, weights)


def stft(m):
    """A convolution with cosines and sines, whose stride is the hop."""
    size, hop = 64, 16
    x, value = m.input(1, 1, 400)
    angles = 2 * np.pi * np.outer(np.arange(size // 2 + 1), np.arange(size)) / size
    window = np.hanning(size)
    basis = np.concatenate([np.cos(angles), -np.sin(angles)])[:, None] * window
    frames = np.lib.stride_tricks.sliding_window_view(value[0, 0], size)[::hop] * window
    spectrum = np.fft.rfft(frames)
    y = m("Conv", x, basis, strides=[hop], kernel_shape=[size])
    return y, np.concatenate([spectrum.real.T, spectrum.imag.T])[None]


def gathered_range(m):
    x, value = m.input(6, 20)
    axis = m.axes(2, 1)[0]
    return m("Add", m("Gather", x, np.arange(3, 11), axis=axis), 1.0), value[:, 3:11] + 1


def epsilon_of_input(m):
    """A layer normalization but for an epsilon that the input decides."""
    x, value = m.input(8, 96)
    epsilon = m("Mul", m.largest(x, 2, 1), 0.01)
    exact = value - value.mean(1, keepdims=True)
    variance = (exact**2).mean(1, keepdims=True) + value.max(1, keepdims=True) * float(np.float32(0.01))
    return m("Div", *centred_and_root(m, x, 2, 1, epsilon=epsilon)), exact / np.sqrt(variance)


def variance_of_columns(m):
    """The variance is that of another dimension."""
    x, value = m.input(12, 12)
    centred = m("Sub", x, m.mean(x, 2, 1))
    exact = value - value.mean(1, keepdims=True)
    root = m("Sqrt", m("Add", m.mean(m.square(centred), 2, 0), EPSILON))
    return m("Div", centred, root), exact / np.sqrt((exact**2).mean(0, keepdims=True) + EPSILON)


def gelu_of_input(m):
    """The factor within erf is an input."""
    x, value = m.input(5, 96)
    factor, number = m.input(1, value=np.array([math.sqrt(0.5)], np.float32))
    exact = value * phi(value * number * math.sqrt(2))
    return m("Mul", m("Mul", x, 0.5), m("Add", m("Erf", m("Mul", x, factor)), 1.0)), exact


def silu_of_2(m):
    """The divisor is 2 + exp(-x): no logistic function."""
    x, value = m.input(5, 96)
    return m("Div", x, m("Add", 2.0, m("Exp", m("Neg", x)))), value / (2 + np.exp(-value))


def softmax_of_columns(m):
    """The sum is over another dimension than the maximum."""
    x, value = m.input(12, 12)
    powers = shifted_powers(m, x)[1]
    exact = np.exp(value - value.max(1, keepdims=True))
    return m("Div", powers, m.total(powers, 2, 0)), exact / exact.sum(0, keepdims=True)


def scores_of_columns(m):
    """Products around a softmax over the queries."""
    (q, a), (k, b), (v, c) = m.input(12, 16), m.input(16, 12), m.input(12, 16)
    powers = m("Softmax", m("MatMul", q, k), axis=m.axes(2, 0)[0])
    return m("MatMul", powers, v), softmax_of(a @ b, 0) @ c


def scaled_by_input(m, scores, exact):
    x, value = m.input(1, HEADS, 1, 1)
    return m("Mul", scores, x), exact * value


NORM, ACTIVATION, SOFTMAX, ATTENTION = "kgen-raise-idioms", "kgen-raise-idioms", "kgen-raise-idioms", "kgen-fuse-attention"
FUSED = "one attention"
# The function, the pass that recognizes it and the word that its remark begins with.
FORMS = {
    "layer_norm": (layer_norm, NORM, "layer normalization"),
    "rms_norm": (rms_norm, NORM, "RMS normalization"),
    "group_norm": (group_norm, NORM, "group normalization"),
    "instance_norm": (instance_norm, NORM, "instance normalization"),
    "gelu": (gelu, ACTIVATION, "gelu"),
    "gelu_tanh": (gelu_tanh, ACTIVATION, "gelu by tanh"),
    "silu": (silu, ACTIVATION, "si"),  # inlined, a product with a sigmoid
    "hard_swish": (hard_swish, ACTIVATION, "hard-swish"),
    "softmax": (softmax, SOFTMAX, "softmax"),
    "log_softmax": (log_softmax, SOFTMAX, "log-softmax"),
    "attention": (attention(None), ATTENTION, FUSED),
    "attention_added": (attention(added(1, 1, LENGTH, LENGTH)), ATTENTION, FUSED),
    "attention_chosen": (attention(chosen), ATTENTION, FUSED),
    "attention_causal": (attention(causal), ATTENTION, FUSED),
    "mask_of_keys": (attention(added(1, 1, 1, LENGTH)), ATTENTION, FUSED),
    "mask_of_queries": (attention(added(1, 1, LENGTH, 1)), ATTENTION, FUSED),
    "mask_of_heads": (attention(added(HEADS, 1, LENGTH)), ATTENTION, FUSED),
    "causal_and_added": (attention(causal_and_added), ATTENTION, FUSED),
    "scaled_by_input": (attention(scaled_by_input), ATTENTION, FUSED),
    "rotary_slices": (rotary("slices"), "kgen-raise-idioms", "a rotation"),
    "rotary_split": (rotary("split"), "kgen-raise-idioms", "a rotation"),
    "rotary_pairs": (rotary("pairs"), "kgen-raise-idioms", ""),
    "conv_then_norm": (conv_then_norm, "kgen-fold-scales", "a scale of channels"),
}
NEAR = {
    "epsilon_of_input": (epsilon_of_input, NORM),
    "variance_of_columns": (variance_of_columns, NORM),
    "gelu_of_input": (gelu_of_input, ACTIVATION),
    "silu_of_2": (silu_of_2, ACTIVATION),
    "softmax_of_columns": (softmax_of_columns, SOFTMAX),
    "scores_of_columns": (scores_of_columns, ATTENTION),
}
PLAIN = {"norm_then_conv": norm_then_conv, "gathered_range": gathered_range, "stft": stft}


def written(folder, seed, name, build):
    """The model in each style."""
    for style in STYLES:
        m = Model(style, seed)
        path = folder / f"{name}_{style}.onnx"
        m.write(folder, path.stem, *build(m))
        yield path


def applied(kgen, path):
    """What passes report that they recognized."""
    remarks = [r for part in json.loads(run(kgen, "explain", path, "--target", "x86-64-v3", "--json"))["parts"] for r in part["remarks"]]
    return [(r["pass"], r["applied"]) for r in remarks if "applied" in r]


def main():
    kgen, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    tables = [(name, *row) for table in (FORMS, NEAR) for name, row in table.items()] + [(name, build) for name, build in PLAIN.items()]
    failures = []
    for seed, (name, build, *known) in share.today(3, enumerate(tables)):
        for path in written(folder, seed, name, build):
            found = applied(kgen, path)
            if name in FORMS and not any(which == known[0] and what.startswith(known[1]) for which, what in found):
                failures.append(f"{path.stem}: expected {known}, found {found}")
            if name in NEAR and any(which == known[0] for which, what in found):
                failures.append(f"{path.stem}: recognized {found}")
            run(kgen, "verify", path, "--against", folder / f"{path.stem}.npz", "--rtol", 1e-4, "--atol", 2e-6 if name != "stft" else 2e-5)
    sys.exit("\n".join(failures) if failures else 0)


if __name__ == "__main__":
    main()
