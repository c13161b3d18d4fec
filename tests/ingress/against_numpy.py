"""Functions of the .mlir files beside this script against numpy, in double precision: against_numpy.py KGEN FOLDER

Inputs are random; what a function computes is written down here once more. Every variant that this CPU supports is compared, and the plain loops.
"""
import math
import re
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from arrays import rounded_to_bf16
from commands import run

HERE = Path(__file__).parent


def windows(x, kernel, strides=(1, 1), dilations=(1, 1)):
    """x[n, h, w, c] as [n, rows, columns, kernel height, kernel width, c]."""
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    view = np.lib.stride_tricks.sliding_window_view(x, spans, axis=(1, 2))  # n, h, w, c, kh, kw
    return view[:, :: strides[0], :: strides[1], :, :: dilations[0], :: dilations[1]].transpose(0, 1, 2, 4, 5, 3)


def conv(x, w, strides=(1, 1), dilations=(1, 1)):
    """x[n, h, w, c], w[kh, kw, c, f]."""
    return np.einsum("nhwyxc,yxcf->nhwf", windows(x, w.shape[:2], strides, dilations), w)


def padded(x):
    return np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))


def block(x, w1, b1, w2, b2):
    filters = lambda w: w.transpose(1, 2, 3, 0)
    limited = lambda v: np.maximum(v, 0)
    first = limited(conv(padded(x), filters(w1)) + b1)
    return limited(conv(padded(first), filters(w2)) + b2 + x)


def normalized(x, other, column):
    channels = lambda *values: np.array(values)[:, None, None]
    first = np.einsum("nchw,fc->nfhw", x, np.array([[0.5, -1, 2], [1, 1.5, -0.5], [0.25, 2, 1], [-2, 1, 0.75]]))
    scaled = (first - channels(0.1, 0.2, 0.3, -0.4)) / np.sqrt(channels(4, 9, 1, 2)) * channels(2, 3, -1, 0.5)
    active = np.maximum(scaled + channels(0.5, -1, 0.25, 0), 0)
    return np.einsum("nchw,fc->nfhw", active + other * column, np.array([[1, -0.5, 2, 0.25], [-1, 1, 0.5, 1.5]]))


def resource(name, shape):
    text = re.search(rf'{name}: "0x04000000(\w+)"', (HERE / "mlp-generic.mlir").read_text())[1]
    return np.frombuffer(bytes.fromhex(text), "<f4").astype(float).reshape(shape)


def layer(x):
    return np.maximum(x @ resource("w", (96, 64)) + resource("b", (64,)), 0)


def mask(x, m):
    chosen = np.where(m, x, 0)
    return chosen, (chosen > 0) & m


def attention(q, k, v):
    q, k, v = (x.reshape(128, 12, 64).transpose(1, 0, 2) for x in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) / 8
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(1, 128, 768)


def layer_norm(x, gain, bias):
    centered = x - x.mean(-1, keepdims=True)
    return centered / np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-5) * gain + bias


def bert_layer(x, mask, wq, bq, wk, bk, wv, bv, wo, bo, gain1, shift1, w1, b1, w2, b2, gain2, shift2):
    def norm(v, gain, shift):
        centered = v - v.mean(-1, keepdims=True)
        return centered / np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-12) * gain + shift

    heads = lambda v: v.reshape(64, 4, 64).transpose(1, 0, 2)
    q, k, v = heads(x[0] @ wq.T + bq), heads(x[0] @ wk.T + bk), heads(x[0] @ wv.T + bv)
    scores = q @ k.transpose(0, 2, 1) / 8 + mask[0, 0, 0]
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = (weights / weights.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(64, 256)
    first = norm(mixed @ wo.T + bo + x[0], gain1, shift1)
    inner = first @ w1.T + b1
    gelu = inner * 0.5 * (np.vectorize(math.erf)(inner / np.sqrt(2)) + 1)
    return norm(gelu @ w2.T + b2 + first, gain2, shift2)[None]


WEIGHTS = [[-7, -62, 61, 114, -95], [-122, 112, 4, -9, -30], [112, 115, 75, -51, -10], [-51, 71, -121, -96, -47], [-107, 26, -113, 9, 114], [70, 90, 74, 99, -60], [59, -79, -110, -59, 125], [-17, 4, 95, 26, 87], [69, 51, 80, -10, 44], [-114, 15, -45, 39, -75], [-20, 8, 17, -65, -96], [118, 119, -83, 48, -94]]


def quantized(x):
    scales = np.array([0.01, 0.02, 0.03, 0.025, 0.015], np.float32).astype(float)
    product = (x + 9) * float(np.float32(0.05)) @ (np.array(WEIGHTS) * scales)
    return product, np.clip(np.rint(product / float(np.float32(3.1))) + 4, -128, 127).astype(np.int8)


CASES = {
    "bert-layer": {"forward": bert_layer},
    "attention": {"attention": attention},
    "normalization": {"layer_norm": layer_norm},
    "mlp-generic": {"layer": layer},
    "forms": {
        "named": lambda a, b: a @ b,
        "accumulating": lambda a, b, c: a @ b + c,
        "destination": lambda a, b: a @ b,
        "transposed": lambda a, b: a @ b.T,
        "contract": lambda a, b: a @ b.T,
        "batch_reduce": lambda a, b: np.einsum("bmk,bkn->mn", a, b),
        "packed": lambda a, b: np.einsum("akml,bkln->abmn", a, b),
        "vnni": lambda a, b: np.einsum("akmlv,bklnv->abmn", a, b),
    },
    "convolutions": {
        "hwcf": lambda x, w, b: conv(x, w, (2, 3), (1, 2)) + b,
        "fewer": lambda x, w, b: conv(x, w, (1, 1), (1, 2))[:, :5, :4] + b,
        "fchw": lambda x, w: conv(x.transpose(0, 2, 3, 1), w.transpose(2, 3, 1, 0)).transpose(0, 3, 1, 2),
        "depthwise": lambda x, w: np.einsum("nhwyxc,yxc->nhwc", windows(x, (3, 3)), w),
        "normalized": normalized,
        "multiplied": lambda x, w: np.einsum("nhwyxc,yxcm->nhwcm", windows(x, (3, 3)), w),
    },
    "quantized": {"quantized": quantized},
    "tosa": {"block": block},
    "parts": {
        "results": lambda x: (2 * x, x, 2 * x, np.array([1, -2, 3]), np.full((5, 7), 1.5)),
        "loop": lambda x: x.sum(0),
        "mask": mask,
    },
}
TYPES = {"f32": np.float32, "bf16": np.float32, "i8": np.int8, "i32": np.int32, "bool": np.bool_}


def rounded(values, element):
    """To what the element type holds: bf16 as f32 with 8 digits."""
    values = values.astype(TYPES[element])
    if element == "bf16":
        values = rounded_to_bf16(values)
    return values


def main():
    kgen, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    numbers = np.random.default_rng(1)
    count = 0
    for file, functions in CASES.items():
        path = HERE / f"{file}.mlir"
        text = run(kgen, "check", path, "--print-graph")
        for name, function in functions.items():
            part = text[text.index(f"graph {name}\n") :]
            part = part[: re.search(r"^  outputs (.*)$", part, re.M).end()]
            inputs = re.findall(r"^  input (\w+): (\w+)\[(.*)\]$", part, re.M)
            outputs = re.search(r"^  outputs (.*)$", part, re.M)[1].split(", ")
            arrays = {}
            for input_name, element, shape in inputs:
                sizes = [int(size) for size in shape.split(", ")]
                limits = {"bool": (0, 2), "i8": (-128, 128)}.get(element)
                values = numbers.integers(*limits, sizes) if limits else numbers.uniform(-1, 1, sizes)
                arrays[input_name] = rounded(values, element)
            given = [a if a.dtype == bool else a.astype(float) for a in arrays.values()]
            results = function(*given)
            results = results if isinstance(results, tuple) else (results,)
            for output, result in zip(outputs, results, strict=True):
                arrays[output] = result.astype(
                    np.float32 if result.dtype == float else result.dtype if result.dtype in (bool, np.int8) else np.int32)
            data = folder / f"{file}-{name}.npz"
            np.savez(data, **arrays)
            run(kgen, "verify", path, "--graph", name, "--against", data, "--atol", "1e-4")
            count += 1
    print(f"{count} functions")


main()
