"""Weights of few bits: MatMulNBits of com.microsoft, and graphs whose weights kgen quantizes."""
import numpy as np

import randoms
import reference as ref
from narrow import BF16, FORMATS, FP16, LONG
from narrow_cases import TINY, UNIT, NarrowCases
from cases import Case, uniform

F32 = np.float32


def integers(name, shape, bits):
    """Unsigned integers of so many bits, both ends among them."""
    values = randoms.integers(f"nbits {name} {shape} {bits}", 0, 1 << bits, int(np.prod(shape))).astype(np.uint8)
    values[:2] = [0, (1 << bits) - 1][:values.size]
    return values.reshape(shape)


def packed(values, bits):
    """The last dimension in bytes; of two integers of 4 bits the first one is in the lower half."""
    if bits == 8:
        return values
    if values.shape[-1] % 2:
        values = np.concatenate([values, np.full((*values.shape[:-1], 1), 11, np.uint8)], axis=-1)
    return (values[..., 0::2] | values[..., 1::2] << 4).astype(np.uint8)


def dequantized(q, scales, zeros, k, block):
    """[n, k] of the integers [n, blocks, block]."""
    values = (q.astype(np.int64) - zeros[:, :, None]).astype(LONG) * scales.astype(LONG)[:, :, None]
    return values.reshape(q.shape[0], -1)[:, :k]


def rounded_rows(a, block):
    """Rows as `activations` rounds them: f32 where specs/README.md says f32."""
    k = a.shape[-1]
    padded = np.zeros((*a.shape[:-1], -(-k // block) * block), F32)
    padded[..., :k] = a
    blocks = padded.reshape(*a.shape[:-1], padded.shape[-1] // block, block)
    with np.errstate(all="ignore"):
        largest = np.abs(blocks).max(axis=-1, keepdims=True)  # NaN if there is one
        small, good = largest < F32(2.0**-119), largest < np.inf
        safe = np.where(small | ~good, F32(1), largest)
        q = np.rint(np.where(good, blocks, F32(0)) * (F32(127) / safe))
        rounded = q.astype(LONG) * (safe / F32(127)).astype(LONG)
    rounded = np.where(small, LONG(0), np.where(good, rounded, LONG(np.nan)))
    return rounded.reshape(padded.shape)[..., :k]


def product(a, weights, bias, k):
    """(a weights' + bias, the error of f32 before the result is rounded)."""
    with np.errstate(invalid="ignore"):
        y = np.matmul(a.astype(LONG), weights.T)
        size = np.matmul(np.abs(a.astype(LONG)), np.abs(weights.T))
    if bias is not None:
        y, size = y + bias.astype(LONG), size + np.abs(bias.astype(LONG))
    return y, np.where(np.isfinite(y), (k + 6) * (UNIT * size + TINY), LONG(0))


def case(m, n, k, bits, block, zeros=False, bias=False, narrow=None, lead=(), flat=False, change=None, large=False, label="", rows=False):
    kind = FORMATS[narrow].rounded if narrow else (lambda x: x)
    name = f"{m}x{n}x{k}"
    blocks = -(-k // block)
    a = kind(uniform(f"nbits a {name}", F32, (*lead, m, k)))
    if change:
        change(a)
    q = integers(f"b {name} {block}", (n, blocks, block), bits)
    scales = kind(uniform(f"nbits s {name} {block}", F32, (n, blocks), -0.1, 0.2))
    points = integers(f"z {name} {block}", (n, blocks), bits) if zeros else np.full((n, blocks), 1 << (bits - 1))
    inputs = [a, packed(q, bits), scales.ravel() if flat else scales]
    constants = [1, 2]
    if zeros or bias:
        table = packed(points.astype(np.uint8), bits)
        inputs.append((table.ravel() if flat else table) if zeros else None)
        constants += [3] if zeros else []
    if bias:
        inputs += [None, kind(uniform(f"nbits c {name}", F32, (n,)))]
        constants.append(5)
    weights = dequantized(q, scales, points.astype(np.int64), k, block)
    bias_of = inputs[5] if bias else None
    y, error = product(rounded_rows(a, block), weights, bias_of, blocks) if rows else product(a, weights, bias_of, k)
    parts = ["large"] * large + list(map(str, lead)) + [name, f"bits-{bits}", f"block-{block}"]
    parts += ["rows"] * rows + ["zeros"] * zeros + ["bias"] * bias + ["flat"] * flat + [label] * bool(label)
    options = dict(constants=[constants], large=large, K=k, N=n, bits=bits, block_size=block)
    if rows:
        options["accuracy_level"] = 4
    if narrow:
        return NarrowCases(FORMATS[narrow]).near("-".join(parts), inputs, y, error, **options)
    expected = y.astype(F32)
    return Case("f32-" + "-".join(parts), inputs, [expected], bounds=[error + ref.half_ulp(y, F32)], **options)


def specials(a):
    flat = a.reshape(-1)
    flat[1], flat[a.shape[-1] + 2], flat[-1], flat[-2] = np.inf, np.nan, -np.inf, -0.0


def matmul_nbits():
    shapes = ((1, 1, 64, 16), (1, 33, 96, 32), (3, 31, 64, 64), (5, 33, 96, 16), (17, 31, 40, 16), (2, 32, 24, 32), (1, 64, 160, 128))
    for index, (m, n, k, block) in enumerate(shapes):
        for bits in (4, 8):
            for zeros in (False, True):
                bias = (index + bits // 4 + zeros) % 2 == 0
                yield case(m, n, k, bits, block, zeros, bias, large=n * k * bits > 14000)
    yield case(1, 5, 7, 4, 16)
    yield case(1, 5, 1, 8, 16, zeros=True)
    yield case(4, 7, 50, 4, 16, zeros=True, flat=True)
    yield case(2, 9, 33, 8, 16, lead=(2, 3))
    yield case(0, 3, 16, 4, 16)
    yield case(4, 19, 48, 4, 16, change=specials, label="special")
    yield case(4, 19, 48, 8, 16, zeros=True, change=specials, label="special")
    for bits in (4, 8):
        for zeros in (False, True):
            for narrow in (BF16, FP16):
                yield case(1, 33, 70, bits, 32, zeros, bias=zeros, narrow=narrow)
                yield case(7, 31, 64, bits, 16, zeros, bias=not zeros, narrow=narrow)
    for m, n, k, block in ((1, 96, 1100, 32), (4, 65, 520, 128), (6, 40, 300, 64), (13, 70, 260, 32), (29, 64, 1024, 256)):
        for bits in (4, 8):
            yield case(m, n, k, bits, block, zeros=bits == 4, bias=True, large=True)
    yield case(3, 97, 300, 4, 32, narrow=BF16, large=True)
    yield from matmul_nbits_of_rows()


def ties(a):
    """Values halfway between integers, a block of zeros, the smallest numbers."""
    flat = a.reshape(-1)
    flat[:4] = [127, 0.5, -1.5, 2.5]
    flat[16:32] = 0
    flat[32:48] = np.float32(1e-45) * np.arange(16, dtype=F32)


def matmul_nbits_of_rows():
    shapes = ((1, 1, 64, 16), (1, 33, 96, 32), (3, 31, 64, 64), (9, 33, 40, 16), (2, 32, 24, 32), (1, 40, 160, 128))
    for m, n, k, block in shapes:
        for bits in (4, 8):
            yield case(m, n, k, bits, block, zeros=bits == 8, bias=m == 3, rows=True, large=n * k * bits > 14000)
    yield case(1, 5, 1, 8, 16, zeros=True, rows=True)
    yield case(2, 9, 33, 4, 16, zeros=True, lead=(2, 3), rows=True)
    yield case(0, 3, 16, 4, 16, rows=True)
    yield case(4, 19, 48, 4, 16, change=specials, label="special", rows=True)
    yield case(3, 19, 48, 8, 16, change=ties, label="ties", rows=True)
    yield case(7, 31, 64, 4, 16, narrow=BF16, rows=True)
    yield case(7, 31, 64, 4, 32, narrow=FP16, rows=True)
    yield case(3, 33, 70, 8, 16, narrow=FP16, rows=True)
    for m, n, k, block in ((4, 65, 520, 128), (13, 70, 260, 32), (29, 64, 1024, 256)):
        for bits in (4, 8):
            yield case(m, n, k, bits, block, zeros=bits == 4, bias=True, large=True, rows=True)


def quantized(w, bits, block, scales=F32):
    """[k, n] as kgen quantizes it: the first element of the largest magnitude of each block of a column becomes -2^(bits - 1). `scales` is the
    type that scales are rounded to."""
    k, n = w.shape
    half = 1 << (bits - 1)
    result = np.zeros((k, n), LONG)
    for column in range(n):
        for first in range(0, k, block):
            part = w[first:first + block, column]
            scale = scales(F32(part[np.argmax(np.abs(part))]) / F32(-half))
            if scale != 0:
                q = np.clip(np.rint(part.astype(LONG) / LONG(scale)), -half, half - 1)
                result[first:first + block, column] = q * LONG(scale)
    return result


def quantized_graph(name, m, n, k, bits, block, operator="MatMul", lead=(), relu=False, f16_scales=False, **attributes):
    w = uniform(f"quantized w {name}", F32, (k, n), -1, 1)
    w[0:2, 0] = [-1.5, 1.5]  # a tie of magnitudes
    w[:block, n - 1] = 0  # a block without a scale
    x = uniform(f"quantized x {name}", F32, (*lead, m, k))
    y, error = product(x, quantized(w, bits, block, np.float16 if f16_scales else F32).T, None, k)
    factor = attributes.get("alpha", 1)
    inputs, weights = [x.T.copy() if attributes.get("transA") else x, w.T.copy() if attributes.get("transB") else w], [1]
    y, error = y * LONG(F32(factor)), error * abs(LONG(F32(factor)))
    if operator == "Gemm":
        bias = uniform(f"quantized c {name}", F32, (n,))
        inputs, weights = inputs + [bias], [1, 2]
        y = y + bias.astype(LONG)
        error = error + 4 * UNIT * (np.abs(y) + np.abs(bias.astype(LONG)))
    nodes = [("product", operator, [f"x{i}" for i in range(len(inputs))], attributes)]
    if relu:
        nodes.append(("relu", "Relu", ["product"], {}))
        y = np.maximum(y, LONG(0))
    made = Case(name, inputs, [y.astype(F32)], bounds=[error + ref.half_ulp(y, F32)], weights=weights)
    made.nodes, made.outputs, made.quantize = nodes, [nodes[-1][0]], {1: (bits, block, f16_scales)}
    return made


def quantized_weights():
    yield quantized_graph("matmul-4-bits", 3, 33, 70, 4, 32)
    yield quantized_graph("matmul-8-bits", 1, 40, 64, 8, 16)
    yield quantized_graph("matmul-4-bits-batches", 5, 7, 40, 4, 16, lead=(2, 3))
    yield quantized_graph("gemm-4-bits-relu", 6, 19, 64, 4, 64, "Gemm", relu=True)
    yield quantized_graph("matmul-4-bits-f16-scales", 3, 33, 70, 4, 32, f16_scales=True)
    yield quantized_graph("gemm-8-bits-f16-scales", 1, 40, 64, 8, 16, "Gemm", f16_scales=True)
    yield quantized_graph("gemm-8-bits-transposed", 4, 35, 50, 8, 32, "Gemm", transA=1, transB=1, alpha=0.5)


OPERATORS = {"MatMulNBits": matmul_nbits}
GRAPHS = {"quantized-weights": quantized_weights}
