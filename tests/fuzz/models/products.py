"""Products of matrices, attention, and what is computed with bytes."""

import numpy as np

import elements  # noqa: F401
import attention_cases
import nbits_cases
import rotary_cases
from draw import generator, ints, working_unit
from elements import EVERY, FLOATS, FLOATS8, LONG, NUMBERS, UNITS, is_float, limits, nearest, wrapped
from elementwise import modulo
from model import Array, Expected
from reducing import softmax
from windows import extras, image, window
import image_cases

F32 = np.float32


def product(a, b, element):
    """(a b, the error of its sums)"""
    if not is_float(element):
        return np.matmul(a, b), None
    a, b = a.astype(LONG), b.astype(LONG)
    return np.matmul(a, b), (a.shape[-1] + 4) * working_unit(element) * np.matmul(np.abs(a), np.abs(b))


@generator("MatMul", "FusedMatMul")
def matmul(draw, name):
    element = draw.choose(FLOATS + (["i32", "i64"] if name == "MatMul" else []))
    batch = draw.shape(0, 2, most=12)
    m, k, n = draw.size(), draw.size(), draw.size()
    left = batch[draw.integer(0, len(batch)):] if draw.chance(0.4) else batch
    a, b = draw.array(element, (*left, m, k)), draw.array(element, (*(1 if draw.chance(0.3) else d for d in (batch if draw.chance(0.7) else ())), k, n))
    given, fixed = {}, (1,) if draw.chance(0.5) else ()
    if name == "FusedMatMul":
        element = a.element = b.element = "f32"
        y, error = product(a.values, b.values, element)
        given = {"alpha": draw.real(0.5, 2)} if draw.chance(0.6) else {}
        for array, key in ((a, "transA"), (b, "transB")):
            array.values = array.values.astype(F32).astype(np.float64)
            if draw.chance(0.5):
                given[key], array.values = 1, np.swapaxes(array.values, -1, -2)
        y, error = product(*(np.swapaxes(v.values, -1, -2) if given.get(key) else v.values for v, key in ((a, "transA"), (b, "transB"))), element)
        alpha = LONG(F32(given.get("alpha", 1)))
        return draw.model(name, [a, b], given, [Expected(y * alpha, element, error * abs(alpha) + 2 * working_unit(element) * np.abs(y))], draw.opset(), domain="com.microsoft", fixed=fixed)
    if draw.chance(0.1) and not left:
        a.values = a.values[0] if m else a.values.reshape(0, k)
    if draw.chance(0.1) and b.values.ndim == 2 and n:
        b.values = b.values[:, 0]
    y, error = product(a.values, b.values, element)
    return draw.model(name, [a, b], {}, [Expected(y if is_float(element) else wrapped(y, element), element, error)], draw.opset(13 if element == "bf16" else 9), fixed=fixed)


@generator("Gemm", "FusedGemm")
def gemm(draw, name):
    element = draw.choose(FLOATS if name == "Gemm" else ["f32"])
    m, k, n = draw.size(), draw.size(), draw.size()
    given = {key: draw.integer(0, 1) for key in ("transA", "transB") if draw.chance(0.5)}
    given.update({key: draw.choose([0.0, 0.5, 1.0, 2.0, -1.0]) for key in ("alpha", "beta") if draw.chance(0.4)})
    a, b = draw.array(element, (k, m) if given.get("transA") else (m, k)), draw.array(element, (n, k) if given.get("transB") else (k, n))
    c = draw.array(element, draw.choose([(n,), (1,), (), (m, n), (m, 1), (1, n)])) if draw.chance(0.7) else None
    y, error = product(a.values.T if given.get("transA") else a.values, b.values.T if given.get("transB") else b.values, element)
    y, error = y * LONG(given.get("alpha", 1)), error * abs(LONG(given.get("alpha", 1)))
    if c is not None:
        y = y + LONG(given.get("beta", 1)) * c.values
        error = error + 4 * working_unit(element) * (np.abs(y) + np.abs(LONG(given.get("beta", 1)) * c.values))
    error = error + 4 * working_unit(element) * np.abs(y)
    fixed = (1, 2) if draw.chance(0.5) else ()
    if name == "FusedGemm":
        given["activation"] = "Relu"
        return draw.model(name, [a, b, c], given, [Expected(np.maximum(y, 0), element, error)], draw.opset(11), domain="com.microsoft", fixed=fixed)
    return draw.model(name, [a, b, c], given, [Expected(y, element, error)], draw.opset(13 if element == "bf16" else 11), fixed=fixed)


@generator("Einsum")
def einsum(draw, name):
    element = draw.choose(FLOATS + ["i32", "i64"])
    letters, sizes = "abcde", {c: draw.choose([1, 2, 3, 4, 5, 8]) for c in "abcde"}
    terms = []
    for _ in range(draw.choose([1, 2, 2, 2, 3])):
        terms.append("".join(letters[i] for i in draw.permutation(5)[:draw.integer(1, 3)]))
    used = sorted(set("".join(terms)))
    out = "".join(c for c in (used[i] for i in draw.permutation(len(used))) if draw.chance(0.5))
    if draw.chance(0.2):
        equation = ",".join(terms)
        out = "".join(c for c in used if "".join(terms).count(c) == 1)
    else:
        equation = ",".join(terms) + "->" + out
    arrays = [draw.array(element, tuple(sizes[c] for c in term)) for term in terms]
    whole = ",".join(terms) + "->" + out
    y = np.einsum(whole, *(a.values.astype(LONG) if is_float(element) else a.values for a in arrays))
    if not is_float(element):
        return draw.model(name, arrays, {"equation": equation}, [Expected(wrapped(y, element), element)], draw.opset(12))
    size = np.einsum(whole, *(np.abs(a.values).astype(LONG) for a in arrays))
    count = int(np.prod([sizes[c] for c in used if c not in out])) + 4 * len(terms)
    unit = working_unit(element) if len(terms) < 3 or element not in ("bf16", "f16") else 4 * UNITS[element]
    return draw.model(name, arrays, {"equation": equation}, [Expected(y, element, count * unit * size)], draw.opset(12))


def scored(q, k, scale, softcap, mask, causal, past):
    s = np.matmul(q, np.swapaxes(k, -1, -2)) * scale
    s = softcap * np.tanh(s / softcap) if softcap else s
    if mask is not None:
        s = np.where(mask, s, -np.inf) if mask.dtype == bool else s + mask
    if causal:
        s = np.where(np.arange(s.shape[-1])[None, :] <= np.arange(s.shape[-2])[:, None] + past, s, -np.inf)
    return s


@generator("Attention", "MultiHeadAttention")
def attention(draw, name):
    element = draw.choose(FLOATS if name == "Attention" else ["f32"])
    batch, shared, group = draw.integer(1, 2), draw.integer(1, 3), draw.choose([1, 1, 2]) if name == "Attention" else 1
    queries, keys, width, values = (draw.choose([1, 2, 3, 5, 8, 9, 17]) for _ in range(4))
    past = draw.choose([1, 3, 8]) if name == "Attention" and draw.chance(0.25) else 0
    counts = draw.rng.integers(1, keys + 1, batch) if name == "Attention" and not past and draw.chance(0.3) else None
    q, k, v = (draw.array(element, (batch, h, n, w), -1, 1) for h, n, w in ((shared * group, queries, width), (shared, keys + past, width), (shared, keys + past, values)))
    causal = int(draw.chance(0.3))
    given = {"is_causal" if name == "Attention" else "unidirectional": 1} if causal else {}
    scale = draw.choose([0.25, 0.5, 1.0]) if draw.chance(0.3) else None
    given.update({"scale": scale} if scale else {})
    softcap = draw.choose([0.5, 2.0]) if name == "Attention" and draw.chance(0.2) else 0
    given.update({"softcap": softcap} if softcap else {})
    windows = {side: draw.integer(0, 9) for side in ("left_window_size", "right_window_size") if name == "Attention" and draw.chance(0.15)}
    given.update(windows)
    mask = None
    if name == "Attention" and draw.chance(0.4):
        shape = draw.choose([(queries, keys + past), (1, keys + past), (batch, 1, queries, keys + past), (1, shared * group, 1, keys + past)])
        mask = draw.array(draw.choose(["bool", element]), shape, -1, 1)
        if mask.element == "bool":
            mask.values[..., 0] = True  # a query all of whose keys are masked is a case of its own
    long = [np.asarray(a.values, LONG) for a in (q, k, v)]
    wide = [np.repeat(a, group, 1) for a in long[1:]]
    limited = counts is not None or windows
    s = scored(long[0], wide[0], LONG(scale) if scale else 1 / np.sqrt(LONG(width)), softcap, None if mask is None else mask.values, causal and not limited, past)
    if limited:
        s = np.where(attention_cases.limits(batch, queries, keys + past, past, causal, counts, *(windows.get(f"{side}_window_size", -1) for side in ("left", "right"))), s, -np.inf)
    u, rough = working_unit(element), LONG(2) ** -11 if element in ("bf16", "f16") else 0
    with np.errstate(all="ignore"):
        w, _ = softmax(s, -1, element)
    if limited or mask is not None:  # a query that sees no key
        w = np.where(np.max(s, axis=-1, keepdims=True) == -np.inf, 0, w)
    y = np.matmul(w, wide[1])
    error = (200 * (width + keys + past) * u + 4 * rough) * np.matmul(w, np.abs(wide[1])) + 1e-37
    together = name != "Attention" or draw.chance(0.3)
    flat = lambda a: np.swapaxes(a, 1, 2).reshape(a.shape[0], a.shape[2], -1)
    now = [q.values, k.values[:, :, past:], v.values[:, :, past:]]
    arrays = [Array(flat(a) if together else a, element) for a in now]
    y, error = (flat(y), flat(error)) if together else (y, error)
    results = [Expected(y, element, error)]
    if name != "Attention":
        given["num_heads"] = shared
        return draw.model(name, arrays, given, results, draw.opset(), domain="com.microsoft")
    if together:
        given.update({"q_num_heads": shared * group, "kv_num_heads": shared})
    if past:
        arrays += [mask, Array(k.values[:, :, :past], element), Array(v.values[:, :, :past], element)]
        if draw.chance(0.6):
            results += [Expected(k.values, element), Expected(v.values, element)]
    else:
        arrays.append(mask)
    if counts is not None:
        arrays += [None, None, ints(counts)]
    return draw.model(name, arrays, given, results, 25 if windows else 24 if counts is not None else draw.opset(23, 24))


@generator("RotaryEmbedding", "com.microsoft.RotaryEmbedding")
def rotary(draw, name):
    element = draw.choose(FLOATS if name == "RotaryEmbedding" else ["f32"])
    batch, heads, length, half = draw.integer(1, 2), draw.integer(1, 3), draw.integer(1, 5), draw.integer(1, 9)
    width, flat = half * 2, draw.chance(0.4) or name != "RotaryEmbedding"
    given = {"interleaved": 1} if draw.chance(0.5) else {}
    rotated = width
    if draw.chance(0.3) and name == "RotaryEmbedding":
        rotated = 2 * draw.integer(1, half)
        given["rotary_embedding_dim"] = rotated
    if flat:
        given["num_heads"] = heads
    x = draw.array(element, (batch, length, heads * width) if flat else (batch, heads, length, width))
    positions = ints(draw.rng.integers(0, 7, (batch, length))) if draw.chance(0.6) or name != "RotaryEmbedding" else None
    rows = (7,) if positions is not None else (batch, length)
    c, s = draw.array(element, (*rows, rotated // 2), -1, 1), draw.array(element, (*rows, rotated // 2), -1, 1)
    y, size = rotary_cases.turned(x.values, c.values, s.values, None if positions is None else positions.values, **given)
    expected = [Expected(y, element, 4 * working_unit(element) * size)]
    if name != "RotaryEmbedding":
        return draw.model("RotaryEmbedding", [x, positions, c, s], given, expected, draw.opset(), domain="com.microsoft", fixed=(2, 3))
    return draw.model(name, [x, c, s, positions], given, expected, draw.opset(23), fixed=(1, 2) if draw.chance(0.5) else ())


def scale_array(draw, shape, element="f32", low=0.01, high=0.1):
    return Array(nearest(draw.rng.uniform(low, high, shape), element), element)


def saturated(values, element):
    low, high = limits(element)
    values = np.where(np.isnan(values), LONG(low), values)
    return np.clip(values, low, high).astype(np.uint64 if element in ("u8", "u16", "u4") else np.int64)


def single(values):
    return np.asarray(values).astype(F32)


def spread(p, shape, axis, block=0):
    """A scale or zero point as it broadcasts."""
    if p is None:
        return 0
    if p.values.ndim == 0 or p.values.size == 1:
        return p.values.reshape(())
    if block:
        return np.take(np.repeat(p.values, block, axis), range(shape[axis]), axis)
    return p.values.reshape([-1 if d == axis % len(shape) else 1 for d in range(len(shape))])


@generator("QuantizeLinear", "DequantizeLinear")
def quantize(draw, name):
    opset = draw.choose([10, 13, 13, 19, 21, 21, 23])
    kinds = ["i8", "u8"] + (list(FLOATS8) if opset >= 19 else []) + (["i4", "u4", "i16", "u16"] if opset >= 21 else [])
    kind = draw.choose(kinds + (["i32"] if name[0] == "D" and opset >= 10 else []))
    element = draw.choose(["f32"] if opset < 19 else ["f32", "f16", "bf16"])
    shape = draw.shape(1, 3)
    axis, form, block = draw.axis(len(shape)), draw.choose(["one", "axis", "block"] if opset >= 21 else ["one", "axis"] if opset >= 13 else ["one"]), 0
    if form == "block" and shape[axis]:
        block = draw.choose([d for d in range(1, shape[axis] + 1) if shape[axis] % d == 0])
        of = tuple(n // block if d == axis % len(shape) else n for d, n in enumerate(shape))
    else:
        of = (shape[axis],) if form == "axis" else ()
    given = {"axis": axis} if of and (axis != 1 or len(shape) < 2 or draw.chance(0.5)) else {}
    given.update({"block_size": block} if block else {})
    scale = scale_array(draw, of, element)
    zero = draw.array(kind, of) if draw.chance(0.7) and kind != "i32" else None
    if zero is not None and is_float(kind):
        zero.values = np.zeros(of)
    s, z = spread(scale, shape, axis, block), spread(zero, shape, axis, block)
    if name[0] == "D":
        x = draw.array(kind, shape)
        if is_float(kind):
            y = x.values.astype(LONG) * s
        else:
            y = single(x.values.astype(np.int64) - np.asarray(z).astype(np.int64)).astype(LONG) * s
        return draw.model(name, [x, scale, zero], given, [Expected(y, element, UNITS["f32"] * np.abs(y) if element != "f32" else None)], opset, fixed=(1, 2) if draw.chance(0.7) else ())
    x = draw.array(element, shape, -5, 5)
    if zero is None and kind != "u8":
        if opset < 21:
            zero = Array(np.zeros(of, float if is_float(kind) else np.int64), kind)
        else:
            given["output_dtype"] = NUMBERS[kind]
    with np.errstate(all="ignore"):
        quotient = single(x.values) / single(s)
    y = nearest(quotient.astype(LONG), kind) if is_float(kind) else saturated(np.rint(quotient).astype(LONG) + np.asarray(z).astype(LONG), kind)
    return draw.model(name, [x, scale, zero], given, [Expected(y, kind)], opset, fixed=(1, 2) if draw.chance(0.7) else ())


@generator("DynamicQuantizeLinear")
def dynamic(draw, name):
    x = draw.array("f32", draw.shape(0, 3, empty=0), *draw.choose([(-2, 2), (0, 3), (-3, 0)]))
    v = single(x.values)
    high, low = np.maximum(v.max(), F32(0)), np.minimum(v.min(), F32(0))
    scale = (high - low) / F32(255)
    scale = F32(1) if scale == 0 else scale
    zero = np.clip(np.rint(-low / scale), 0, 255)
    y = saturated(np.rint(v / scale).astype(LONG) + zero, "u8")
    return draw.model(name, [x], {}, [Expected(y, "u8"), Expected(np.array(float(scale)), "f32"), Expected(np.array(int(zero), np.uint64), "u8")], draw.opset(11))


@generator("MatMulInteger", "QLinearMatMul")
def integer_product(draw, name):
    ta, tb = draw.choose(["i8", "u8"]), draw.choose(["i8", "u8"])
    batch = draw.shape(0, 1, most=4)
    m, k, n = draw.size(), draw.size(), draw.size()
    a, b = draw.array(ta, (*batch, m, k)), draw.array(tb, (*(batch if draw.chance(0.3) else ()), k, n))
    za = draw.array(ta, draw.choose([(), (1,)] + ([(m,)] if name[0] == "M" and not batch and m else []))) if name[0] == "Q" or draw.chance(0.6) else None
    zb = draw.array(tb, draw.choose([(), (1,)] + ([(n,)] if b.values.ndim == 2 and n and name[0] == "M" else []))) if name[0] == "Q" or draw.chance(0.6) else None
    left = a.values.astype(np.int64) - (0 if za is None else za.values.astype(np.int64).reshape(-1, 1) if za.values.size > 1 else za.values.astype(np.int64).reshape(()))
    right = b.values.astype(np.int64) - (0 if zb is None else zb.values.astype(np.int64).reshape(-1) if zb.values.size > 1 else zb.values.astype(np.int64).reshape(()))
    total = np.matmul(left, right)
    fixed = (1, 2, 3, 4, 5, 6, 7) if draw.chance(0.6) else ()
    if name == "MatMulInteger":
        return draw.model(name, [a, b, za, zb], {}, [Expected(wrapped(total, "i32"), "i32")], draw.opset(10), fixed=fixed)
    to = draw.choose(["i8", "u8"])
    sa, sb, sy = scale_array(draw, za.shape), scale_array(draw, zb.shape), scale_array(draw, (), low=0.02, high=0.5 * max(k, 1) ** 0.5)
    zy = draw.array(to, ())
    factor = single(sa.values).reshape(()) * single(sb.values).reshape(()) / single(sy.values)
    y = saturated(np.rint(single(total) * factor).astype(LONG) + zy.values.astype(LONG), to)
    return draw.model(name, [a, sa, za, b, sb, zb, sy, zy], {}, [Expected(y, to)], draw.opset(10), fixed=fixed)


@generator("QLinearConv")
def qlinear_conv(draw, name):
    n, spatial = image(draw)
    given, kernel = window(draw, spatial)
    tx, tw, to = (draw.choose(["i8", "u8"]) for _ in range(3))
    group, each, outs = draw.choose([1, 1, 2]), draw.choose([1, 2, 3]), draw.choose([1, 2, 3])
    x, w = draw.array(tx, (n, group * each, *spatial)), draw.array(tw, (group * outs, each, *kernel))
    per = draw.chance(0.4)
    zx, zw, zy = draw.array(tx, ()), draw.array(tw, (group * outs,) if per else ()), draw.array(to, ())
    sx, sw, sy = scale_array(draw, ()), scale_array(draw, (group * outs,) if per else ()), scale_array(draw, (), low=0.02, high=2)
    wide = lambda p: p.values.reshape([-1] + [1] * (w.values.ndim - 1)) if p.values.ndim else p.values
    total, _, _ = image_cases.convolution(x.values.astype(np.int64) - int(zx.values), w.values.astype(np.int64) - wide(zw).astype(np.int64), None, group=group, **given)
    bias = Array(draw.rng.integers(-2000, 2000, group * outs), "i32") if draw.chance(0.5) else None
    channel = lambda p: p.reshape([1, -1] + [1] * len(spatial)) if np.ndim(p) else p
    total = total.astype(np.int64) + (0 if bias is None else channel(bias.values))
    factor = single(sx.values) * channel(single(sw.values)) / single(sy.values)
    y = saturated(np.rint(single(total) * factor).astype(LONG) + zy.values.astype(LONG), to)
    given = extras(draw, {**given, **({"group": group} if group > 1 else {})}, kernel)
    return draw.model(name, [x, sx, zx, w, sw, zw, sy, zy, bias], given, [Expected(y, to)], draw.opset(10), fixed=tuple(range(1, 9)) if draw.chance(0.6) else ())


@generator("QLinearAdd", "QLinearMul")
def qlinear_binary(draw, name):
    kind = draw.choose(["i8", "u8"])
    a, b = (draw.array(kind, shape) for shape in draw.broadcast(2, 1, 3))
    sa, sb, sy = scale_array(draw, ()), scale_array(draw, ()), scale_array(draw, ())
    za, zb, zy = (draw.array(kind, ()) for _ in range(3))
    real = lambda v, s, z: single(v.values.astype(np.int64) - int(z.values)) * single(s.values)
    left, right = real(a, sa, za), real(b, sb, zb)
    quotient = (left + right if name == "QLinearAdd" else left * right) / single(sy.values)
    y = saturated(np.rint(quotient).astype(LONG) + zy.values.astype(LONG), kind)
    return draw.model(name, [a, sa, za, b, sb, zb, sy, zy], {}, [Expected(y, kind)], draw.opset(10), domain="com.microsoft", fixed=(1, 2, 4, 5, 6, 7))


@generator("MatMulNBits")
def matmul_nbits(draw, name):
    m, n, k, bits, block = draw.integer(1, 9), draw.choose([1, 3, 8, 17]), draw.choose([5, 16, 31, 32, 48, 70]), draw.choose([4, 8]), draw.choose([16, 32, 64])
    blocks = -(-k // block)
    a = draw.array("f32", (*draw.choose([(), (2,)]), m, k))
    q = draw.rng.integers(0, 1 << bits, (n, blocks, block)).astype(np.uint8)
    scales = scale_array(draw, (n, blocks), low=-0.1, high=0.2)
    points = draw.rng.integers(0, 1 << bits, (n, blocks)) if draw.chance(0.5) else None
    bias = draw.array("f32", (n,)) if draw.chance(0.3) else None
    zeros = points if points is not None else np.full((n, blocks), 1 << (bits - 1))
    weights = nbits_cases.dequantized(q, scales.values, zeros, k, block)
    y, error = nbits_cases.product(a.values, weights, None if bias is None else bias.values, k)
    table = None if points is None else Array(nbits_cases.packed(points.astype(np.uint8), bits).astype(np.uint64), "u8")
    inputs = [a, Array(nbits_cases.packed(q, bits).astype(np.uint64), "u8"), scales, table, None, bias]
    return draw.model(name, inputs, {"K": k, "N": n, "bits": bits, "block_size": block}, [Expected(y, "f32", error)], draw.opset(), domain="com.microsoft", fixed=(1, 2, 3, 5))


def converted(x, to):
    """As Cast has it: floats to integers towards zero, saturating, NaN to 0."""
    v = x.values
    if to == "bool":
        return v != 0
    if is_float(to):
        return nearest(v.astype(LONG), to) if to not in ("f64",) else v.astype(np.float64)
    if is_float(x.element):
        low, high = limits(to)
        safe = np.where(np.isnan(v), 0, v)
        flat = [min(max(int(np.clip(f, -1e30, 1e30)), low), high) for f in safe.ravel()]
        return np.array(flat, np.uint64 if to.startswith("u") else np.int64).reshape(v.shape)
    return modulo(v.astype(np.int64) if v.dtype == bool else v, to)


@generator("Cast", "CastLike")
def cast(draw, name):
    element, to = draw.choose(EVERY), draw.choose(EVERY)
    x = draw.array(element, draw.shape(), *draw.choose([(-2, 2), (-300, 300), (-1e5, 1e5)]))
    if to in ("i4", "u4") and is_float(element):
        x.values = np.where(np.abs(x.values) < 7, np.abs(x.values), 1.0)
    y = converted(x, to)
    opset = draw.opset(21 if {element, to} & {"i4", "u4"} else 19 if {element, to} & set(FLOATS8) else 15 if name == "CastLike" else 13)
    if name == "Cast":
        return draw.model(name, [x], {"to": NUMBERS[to]}, [Expected(y, to)], opset)
    return draw.model(name, [x, draw.array(to, draw.shape(0, 1))], {}, [Expected(y, to)], opset, fixed=(1,) if draw.chance(0.5) else ())


@generator("Dropout")
def dropout(draw, name):
    element = draw.choose(FLOATS)
    x = draw.array(element, draw.shape(), special=0.3)
    results = [Expected(x.values, element)] + ([Expected(np.ones(x.shape, bool), "bool")] if draw.chance(0.5) else [])
    inputs = [x, Array(np.array(0.5), "f32") if draw.chance(0.5) else None, Array(np.array(False), "bool") if draw.chance(0.3) else None]
    return draw.model(name, inputs, {}, results, draw.opset(22 if element == "bf16" else 12), fixed=(1, 2))


@generator("HannWindow", "HammingWindow", "BlackmanWindow")
def cosine_window(draw, name):
    count, periodic = draw.integer(2, 40), draw.integer(0, 1)
    given = {"periodic": periodic} if not periodic or draw.chance(0.5) else {}
    element = draw.choose(["f32", "f64"])
    given.update({"output_datatype": NUMBERS[element]} if element != "f32" else {})
    x = 2 * LONG(np.pi) * np.arange(count) / (count if periodic else count - 1)
    a = {"HannWindow": (0.5, 0.5, 0), "HammingWindow": (25 / 46, 21 / 46, 0), "BlackmanWindow": (0.42, 0.5, 0.08)}[name]
    y = a[0] - a[1] * np.cos(x) + a[2] * np.cos(2 * x)
    return draw.model(name, [Array(np.array(count), "i64")], given, [Expected(y, element, np.full(y.shape, 1e-6 if element == "f32" else 1e-14))], draw.opset(17), fixed=(0,))
