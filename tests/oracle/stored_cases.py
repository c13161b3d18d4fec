"""Types that are stored, moved and converted only: f8e4m3fn, f8e5m2, i4 and u4, in Cast, QuantizeLinear and DequantizeLinear; and
QuantizeLinear to integers of 16 bits. f8 numbers come from their definition: (-1)^s 2^(e - bias) (1 + f / 2^m)."""
import numpy as np

import reference as ref
from cases import BOOLEAN, F32, F64, I8, I16, I32, I64, U8, U16, Case, uniform
from narrow import BF16, FORMATS, FP16, LONG, STORED

FLOATS8 = ("f8e4m3fn", "f8e5m2")
NIBBLES = {"i4": (-8, 7), "u4": (0, 15)}


def whole(name, values):
    return STORED[name].array_of(np.asarray(values, I8 if name == "i4" else U8))


def nearest(name, values):
    """Of longdouble numbers: NaN stays, what is beyond the largest number becomes that."""
    return STORED[name].rounded(values)


def plain(x):
    return np.asarray(x).view(np.ndarray)


def hard_numbers(name):
    """The middles between neighbours and what is beside them, the ends, and what is beyond; all are numbers of f32."""
    numbers = plain(STORED[name].all_numbers()).astype(F64)
    numbers = np.unique(np.abs(numbers[np.isfinite(numbers)]))
    middles = ((numbers[1:] + numbers[:-1]) / 2).astype(F32)
    beside = [np.nextafter(middles, F32(0)), np.nextafter(middles, F32(np.inf))]
    largest = F32(numbers[-1])
    far = np.array([np.nan, np.inf, 0.0, 1e-45, 1e-30, 3e38, largest * F32(1.01), largest * F32(1.04), largest * F32(1.1), largest * 2], F32)
    positive = np.concatenate([middles, *beside, far])
    return np.concatenate([positive, -positive]).astype(F32)


def as_type(numbers, dtype):
    """Of longdouble numbers, as Cast does it."""
    if dtype in FORMATS:
        return FORMATS[dtype].rounded(numbers)
    with np.errstate(all="ignore"):
        if dtype in (F32, F64):
            return numbers.astype(dtype)
        if dtype == BOOLEAN:
            return numbers != 0
        info = np.iinfo(dtype)
        return np.array([0 if np.isnan(v) else info.max if v >= info.max else info.min if v <= info.min else int(v) for v in numbers.ravel()], dtype).reshape(numbers.shape)


NAMES = {F32: "f32", F64: "f64", BF16: "bf16", FP16: "f16", I8: "i8", U8: "u8", U16: "u16", I32: "i32", I64: "i64", BOOLEAN: "bool"}


def cast():
    for name in FLOATS8:
        x = STORED[name].all_numbers()
        for dtype, target in NAMES.items():
            yield Case(f"{name}-to-{target}", [x], [as_type(plain(x).astype(LONG), dtype)], constants=[[0]], to=target)
        other = FLOATS8[1 - FLOATS8.index(name)]
        yield Case(f"{name}-to-{other}", [x], [nearest(other, plain(x).astype(LONG))], to=other)
        hard = hard_numbers(name)
        yield Case(f"f32-to-{name}", [hard], [nearest(name, hard.astype(LONG))], to=name)
        double = hard.astype(F64)  # ties that are none, too near for f32
        double = np.concatenate([np.where(np.isfinite(double), double * (1 + s * 2.0**-45), double) for s in (-1, 0, 1)])
        yield Case(f"f64-to-{name}", [double], [nearest(name, double.astype(LONG))], to=name)
        for dtype in (BF16, FP16):
            numbers = FORMATS[dtype].rounded(hard)
            yield Case(f"{NAMES[dtype]}-to-{name}", [numbers], [nearest(name, plain(numbers).astype(LONG))], to=name)
        for dtype in (I8, U16, I32, I64):
            info = np.iinfo(dtype)
            numbers = np.array([v for v in (0, 1, -1, 15, 17, 18, 19, 25, 27, 100, -100, 447, 449, 464, 465, 480, 57344, 61439, 61440, 65535, -70000, 2**31 - 1, 2**62, -(2**62)) if info.min <= v <= info.max], dtype)
            yield Case(f"{NAMES[dtype]}-to-{name}", [numbers], [nearest(name, numbers.astype(LONG))], to=name)
        yield Case(f"bool-to-{name}", [np.array([True, False])], [nearest(name, np.array([1, 0], LONG))], to=name)
    for name, (low, high) in NIBBLES.items():
        numbers = np.arange(low, high + 1)
        x = whole(name, numbers)
        for dtype, target in NAMES.items():
            y = as_type(numbers.astype(LONG), dtype) if dtype in (F32, F64, BF16, FP16, BOOLEAN) else numbers.astype(I64).astype(dtype)
            yield Case(f"{name}-to-{target}", [x], [y], constants=[[0]], to=target)
        for target in FLOATS8:
            yield Case(f"{name}-to-{target}", [x], [nearest(target, numbers.astype(LONG))], to=target)
        wrapped = lambda v: whole(name, (v.astype(I64) - low) % 16 + low)
        other = "u4" if name == "i4" else "i4"
        there = np.arange(NIBBLES[other][0], NIBBLES[other][1] + 1)
        yield Case(f"{other}-to-{name}", [whole(other, there)], [wrapped(there)], to=name)
        for dtype in (I8, U8, I32, I64):
            info = np.iinfo(dtype)
            values = np.array([*range(max(info.min, -40), 41), info.min, info.max], dtype)
            yield Case(f"{NAMES[dtype]}-to-{name}", [values], [wrapped(values)], constants=[[0]], to=name)
        reals = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 0.9, -0.9, 6.99, 7.0, 7.5, 8.0, 15.9, 16.0, -7.99, -8.0, -8.5, -9.0, 1e9, -1e9], F32)
        cut = np.array([0 if np.isnan(v) else min(max(int(np.clip(v, -1e9, 1e9)), low), high) for v in reals])
        yield Case(f"f32-to-{name}", [reals], [whole(name, cut)], constants=[[0]], to=name)


def along(parameter, x, axis):
    if parameter.size == 1:
        return parameter.reshape(())
    if parameter.ndim == 1:
        return parameter.reshape([-1 if d == axis else 1 for d in range(x.ndim)])
    return np.repeat(parameter, x.shape[axis] // parameter.shape[axis], axis)


SCALES = (((), 1, 0), ((5,), 0, 0), ((6,), 1, 0), ((5, 2), 1, 3))  # shape, axis, elements of a block


def parameters(kind, shape, name):
    scale = FORMATS[kind].rounded(uniform(name, F32, shape, 0.05, 0.3)) if kind in FORMATS else uniform(name, kind, shape, 0.05, 0.3)
    return scale, plain(scale).astype(F32)


def label_of(shape, axis, block):
    return f"{'x'.join(map(str, shape)) or 'scalar'}" + (f"-axis-{axis}" if shape else "") + (f"-blocks-of-{block}" if block else "")


def attributes_of(axis, block):
    return {**({} if axis == 1 else {"axis": axis}), **({"block_size": block} if block else {})}


def dequantize():
    for name in (*FLOATS8, *NIBBLES):
        for kind in (F32, BF16, FP16):
            for shape, axis, block in SCALES if kind == F32 else SCALES[1:2]:
                scale, real = parameters(kind, shape, f"stored {name} {shape}")
                if name in NIBBLES:
                    low, high = NIBBLES[name]
                    x = whole(name, uniform("stored x", I32, (5, 6)) % 16 + low)
                    zero = whole(name, uniform("stored zero", I32, shape) % 16 + low)
                    difference = plain(x).astype(I32) - along(plain(zero).astype(I32), x, axis)
                    inputs, constants = [x, scale, zero], [[0], [1, 2], [0, 1, 2]]
                else:
                    numbers = STORED[name].all_numbers()
                    x = nearest(name, plain(numbers)[(np.arange(30) * 37 + 5) % 256].reshape(5, 6))
                    difference, inputs, constants = plain(x), [x, scale], [[1], [0, 1]]
                with np.errstate(all="ignore"):
                    y = difference.astype(F32) * along(real, x, axis)
                expected = FORMATS[kind].rounded(y) if kind in FORMATS else y
                yield Case(f"{name}-{NAMES[kind]}-{label_of(shape, axis, block)}", inputs, [expected], constants=constants, **attributes_of(axis, block))
        x = STORED[name].all_numbers() if name in FLOATS8 else whole(name, np.arange(NIBBLES[name][0], NIBBLES[name][1] + 1))
        with np.errstate(all="ignore"):
            y = plain(x).astype(F32) * F32(0.3)
        yield Case(f"{name}-every-number", [x, np.array(0.3, F32)], [y], constants=[[0, 1]])
        zero = nearest(name, np.array(-0.0)) if name in FLOATS8 else whole(name, 0)
        yield Case(f"{name}-zero", [x, np.array(0.3, F32), zero], [y], constants=[[0, 1]], weights=[2])
    for dtype in (I16, U16):
        info = np.iinfo(dtype)
        x, zero = np.array([info.min, info.max, 0, 1, 2, 1000], dtype), np.array(info.max - 3, dtype)
        y = (x.astype(I32) - I32(zero)).astype(F32) * F32(0.25)
        yield Case(f"{NAMES.get(dtype, 'i16')}-f32", [x, np.array(0.25, F32), zero], [y], constants=[[1, 2]])


def quantize():
    edges = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -7.5, -8.5, -9.0, 6.5, 7.4, 7.5, 15.5, 100.0, 447.0, 464.0, 465.0, 57344.0, 61439.0, 7e4, -7e4, 3e9, -3e9,
                      32767.5, 32768.0, -32768.5, -32769.0, 65535.5, 1e-3, -1e-5], F32)
    for name in FLOATS8:
        for kind in (F32, BF16):
            for shape, axis, block in SCALES if kind == F32 else SCALES[1:2]:
                scale, real = parameters(kind, shape, f"stored q {name} {shape}")
                x = uniform(f"stored q {name}", F32, (5, 6), -60.0, 60.0)
                x = FORMATS[kind].rounded(x) if kind in FORMATS else x
                y = nearest(name, (plain(x).astype(F32) / along(real, x, axis)).astype(LONG))
                yield Case(f"{NAMES[kind]}-{name}-{label_of(shape, axis, block)}", [x, scale], [y], constants=[[1]], output_dtype=name, **attributes_of(axis, block))
        yield Case(f"f32-{name}-edges", [edges, np.array(1.0, F32), nearest(name, np.array(0.0))], [nearest(name, edges.astype(LONG))], weights=[2])
    integers = {**NIBBLES, "i16": (-2**15, 2**15 - 1), "u16": (0, 2**16 - 1)}
    for name, (low, high) in integers.items():
        make = (lambda v: whole(name, v)) if name in NIBBLES else (lambda v: np.asarray(v, I16 if name == "i16" else U16))

        def rounded(x, scale, zero):
            with np.errstate(all="ignore"):
                y = np.rint(x / scale) + zero
            return make(np.where(np.isnan(y), low, np.clip(y, low, high)).astype(I64))

        for zero in dict.fromkeys((0, low, high, 3)):
            yield Case(f"f32-{name}-edges-{zero}", [edges, np.array(1.0, F32), make(zero)], [rounded(edges, F32(1), F32(zero))], constants=[[1, 2]])
        for shape, axis, block in SCALES[1:]:
            scale, real = parameters(F32, shape, f"stored q {name} {shape}")
            x = uniform(f"stored q {name}", F32, (5, 6), -2.0, 2.0)
            zeros = uniform("stored q zero", I32, shape) % 16 + (low if name in NIBBLES else 0)
            y = rounded(x, along(real, x, axis), along(zeros.astype(F32), x, axis))
            yield Case(f"f32-{name}-{label_of(shape, axis, block)}", [x, scale, make(zeros)], [y], constants=[[1, 2]], **attributes_of(axis, block))
        yield Case(f"f32-{name}-asked-for", [edges, np.array(1.0, F32)], [rounded(edges, F32(1), F32(0))], output_dtype=name)


def integers(name, kind, shape):
    low = NIBBLES[kind][0]
    return whole(kind, uniform(name, I32, shape) % 16 + low)


def graph(name, inputs, nodes, outputs, expected, **options):
    case = Case(name, inputs, expected, **options)
    case.nodes, case.outputs = nodes, outputs
    return case


def real_product(x, w):
    """Of f32 and weights that are f32 when code is generated."""
    return ref.contraction(x, w)


def products():
    """Weights of few bits: as factors of integers where the other side has bytes, else as f32."""
    bytes_, scale, zero = uniform("stored bytes", U8, (5, 24)), np.array(0.02, F32), np.array(97, U8)
    real = ("real", "DequantizeLinear", ["x0", "x1", "x2"], {})
    for kind in NIBBLES:
        w, scales = integers(f"stored {kind} w", kind, (24, 19)), uniform(f"stored {kind} s", F32, (19,), 0.01, 0.1)
        zeros = integers(f"stored {kind} z", kind, (19,))
        total = np.matmul(bytes_.astype(I64) - 97, plain(w).astype(I64) - plain(zeros).astype(I64))
        y = total.astype(F32) * (scale * scales)
        nodes = [real, ("w", "DequantizeLinear", ["x3", "x4", "x5"], {"axis": 1}), ("y", "MatMul", ["real", "w"], {})]
        yield graph(f"{kind}-factors-of-integers", [bytes_, scale, zero, w, scales, zeros], nodes, ["y"], [y], weights=[3, 4, 5], constants=[[1, 2]])
        x, w = uniform("stored x", F32, (6, 24)), integers(f"stored {kind} blocks", kind, (19, 24))
        scales = uniform(f"stored {kind} bs", F32, (19, 3), 0.01, 0.1)
        value = plain(w).astype(F32) * np.repeat(scales, 8, 1)
        y, bound = real_product(x, value.T)
        nodes = [("w", "DequantizeLinear", ["x1", "x2"], {"axis": 1, "block_size": 8}), ("t", "Transpose", ["w"], {"perm": [1, 0]}), ("y", "MatMul", ["x0", "t"], {})]
        yield graph(f"{kind}-blocks", [x, w, scales], nodes, ["y"], [y.astype(F32)], bounds=[bound], weights=[1, 2])
    for kind in FLOATS8:
        x, w = uniform("stored x", F32, (6, 24)), nearest(kind, uniform(f"stored {kind} w", F32, (24, 19)))
        scales = uniform(f"stored {kind} s", F32, (19,), 0.5, 2.0)
        y, bound = real_product(x, plain(w).astype(F32) * scales)
        nodes = [("w", "DequantizeLinear", ["x1", "x2"], {"axis": 1}), ("y", "MatMul", ["x0", "w"], {})]
        yield graph(f"{kind}-weights", [x, w, scales], nodes, ["y"], [y.astype(F32)], bounds=[bound], constants=[[1, 2]])
        y, bound = real_product(x, plain(w).astype(F32))
        nodes = [("w", "Cast", ["x1"], {"to": "f32"}), ("y", "MatMul", ["x0", "w"], {})]
        yield graph(f"{kind}-cast-weights", [x, w], nodes, ["y"], [y.astype(F32)], bounds=[bound], weights=[1])
    # An image whose channels come last in memory.
    x, w = uniform("stored image", F32, (1, 3, 7, 9)), integers("stored filter", "i4", (4, 3, 3, 3))
    scales = uniform("stored filter s", F32, (4,), 0.05, 0.2)
    from image_cases import convolution  # which imports quantized_cases, and that this module

    y, size, terms = convolution(x, plain(w).astype(F32) * scales.reshape(4, 1, 1, 1), None, pads=[1, 1, 1, 1])
    bound = (terms + 1) * LONG(2) ** -24 * size
    nodes = [("w", "DequantizeLinear", ["x1", "x2"], {"axis": 0}), ("c", "Conv", ["x0", "w"], {"pads": [1, 1, 1, 1]}), ("y", "Relu", ["c"], {})]
    yield graph("i4-filter", [x, w, scales], nodes, ["y"], [np.maximum(y, 0).astype(F32)], bounds=[bound], weights=[1, 2])


def moves():
    """Elements on their way, as inputs and as weights."""
    for kind in (*FLOATS8, *NIBBLES):
        make = (lambda v: integers(v, kind, (4, 6))) if kind in NIBBLES else (lambda v: nearest(kind, uniform(v, F32, (4, 6), -300.0, 300.0)))
        a, b = make(f"stored {kind} a"), make(f"stored {kind} b")
        if kind in FLOATS8:
            a.flat[:3] = [np.nan, -0.0, STORED[kind].largest]
        both = np.concatenate([plain(a), plain(b)], 1)
        part = both.T[2:11:2]
        tag = lambda v: np.ascontiguousarray(v).view(STORED[kind].array)
        padded = np.pad(part, ((1, 0), (0, 2)))
        nodes = [("c", "Concat", ["x0", "x1"], {"axis": 1}), ("t", "Transpose", ["c"], {}), ("s", "Slice", ["t", "x2", "x3", "x4", "x5"], {}), ("p", "Pad", ["s"], {"pads": [1, 0, 0, 2]}),
                 ("r", "Reshape", ["p", "x6"], {}), ("f", "Cast", ["r"], {"to": "f32"})]
        lists = [np.array(v, I64) for v in ([2], [11], [0], [2], [4, -1])]
        inputs = [a, b, *lists]
        result = padded.reshape(4, -1)
        yield graph(f"{kind}-moved", inputs, nodes, ["p", "f"], [tag(padded), result.astype(F32)], weights=[2, 3, 4, 5, 6], constants=[[0, 1]])


GRAPHS = {"stored": lambda: [*products(), *moves()]}
