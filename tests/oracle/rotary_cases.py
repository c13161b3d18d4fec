"""RotaryEmbedding, in all types of floats."""
import numpy as np

import reference as ref
from cases import F32, F64, SHORT, Case, as_dtype, shape_name, uniform
from narrow import FORMATS
from narrow_cases import NarrowCases
from reference import LONG


def turned(x, cosines, sines, positions=None, interleaved=0, num_heads=0, rotary_embedding_dim=0):
    """(the result, the sums of absolute values)"""
    flat = x.ndim == 3
    x = np.asarray(x, LONG)
    whole = x.shape
    if flat:
        x = np.swapaxes(x.reshape(*whole[:2], num_heads, -1), 1, 2)
    pairs = (rotary_embedding_dim or x.shape[-1]) // 2
    c, s = (np.asarray(v, LONG) for v in (cosines, sines))
    if positions is not None:
        rows = np.clip(positions, 0, c.shape[0] - 1)
        c, s = c[rows], s[rows]
    c, s = c[:, None], s[:, None]
    first, second = (slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)) if interleaved else (slice(0, pairs), slice(pairs, 2 * pairs))
    y, size = x.copy(), np.zeros_like(x)
    a, b = x[..., first], x[..., second]
    y[..., first], y[..., second] = a * c - b * s, a * s + b * c
    size[..., first], size[..., second] = abs(a * c) + abs(b * s), abs(a * s) + abs(b * c)
    if flat:
        y, size = (np.swapaxes(v, 1, 2).reshape(whole) for v in (y, size))
    return y, size


# X's shape, rows of the caches if there are positions, attributes
SHAPES = [
    ((2, 3, 4, 8), 0, {}),
    ((1, 2, 5, 34), 9, {}),
    ((2, 2, 3, 10), 0, {"interleaved": 1}),
    ((2, 3, 12), 6, {"num_heads": 2}),
    ((1, 4, 66), 0, {"num_heads": 3, "rotary_embedding_dim": 16}),
    ((2, 2, 3, 7), 5, {"interleaved": 1, "rotary_embedding_dim": 4}),
    ((1, 1, 1, 2), 1, {}),
    ((2, 0, 3, 4), 0, {}),
]


def case_of(random, integers, x_shape, rows, attributes):
    size = x_shape[-1] // attributes.get("num_heads", 1)
    pairs = attributes.get("rotary_embedding_dim", size) // 2
    batch, positions = x_shape[0], x_shape[1] if len(x_shape) == 3 else x_shape[2]
    cache = (rows, pairs) if rows else (batch, positions, pairs)
    inputs = [random(f"rx {x_shape}", x_shape), random(f"rc {cache}", cache), random(f"rs {cache}", cache)]
    if rows:
        ids = np.abs(integers(f"rp {x_shape}", np.int64, (batch, positions))) % rows
        ids.flat[0] = rows + 3 if rows > 5 else 0  # beyond the cache is its end
        inputs.append(ids)
    label = "-".join([shape_name(x_shape)] + (["positions"] if rows else []) + [f"{k}-{v}" for k, v in attributes.items()]).replace("_", "-")
    return label, inputs, turned(*inputs, **attributes)


def rotary():
    for dtype, selected in ((F32, SHAPES), (F64, SHAPES[1:3])):
        for x_shape, rows, attributes in selected:
            label, inputs, (y, size) = case_of(lambda n, s: uniform(n, dtype, s), uniform, x_shape, rows, attributes)
            error = np.where(size > 0, 3 * ref.unit(dtype) * size + ref.half_ulp(y, dtype), LONG(0))
            yield Case(f"{SHORT[dtype]}-{label}", inputs, [as_dtype(y, dtype)], bounds=[error], constants=[[1, 2]], **attributes)
    for format in FORMATS.values():
        maker = NarrowCases(format)
        for x_shape, rows, attributes in SHAPES[1:6:2]:
            label, inputs, (y, size) = case_of(maker.random, uniform, x_shape, rows, attributes)
            yield maker.near(label, inputs, y, 3 * LONG(2) ** -24 * size, constants=[[1, 2]], **attributes)




OPERATORS = {"RotaryEmbedding": rotary}
