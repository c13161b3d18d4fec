"""Cases of the operators on truth values. Their results are exact."""
import numpy as np

from cases import BOOLEAN, F32, U8, UNSIGNED, Case, shape_name
from narrow import FORMATS
from typed import ALL, FLOATS, INTEGERS, binary_arguments, name_of, numbers, special


def comparison(function, types):
    def make():
        for dtype in types:
            for label, a, b, constants in binary_arguments(dtype):
                y = np.asarray(function(np.asarray(a).view(np.ndarray), np.asarray(b).view(np.ndarray)))
                yield Case(label, [a, b], [y], constants=constants)
            if dtype != BOOLEAN:
                x = special(dtype)
                yield Case(f"{name_of(dtype)}-same-tensor", [x, 0], [np.asarray(function(x, x)).view(np.ndarray)])

    return make


def logical(function):
    def make():
        for label, a, b, constants in binary_arguments(BOOLEAN):
            yield Case(label, [a, b], [np.asarray(function(a, b))], constants=constants)
        for shape in ((3, 70), (2, 3, 67)):
            a, b = numbers("wide a", BOOLEAN, shape), numbers("wide b", BOOLEAN, shape[-1:])
            yield Case(f"bool-{shape_name(shape)}", [a, b], [function(a, b)])

    return make


def bitwise(function):
    def make():
        for dtype in INTEGERS:
            for label, a, b, constants in binary_arguments(dtype):
                yield Case(label, [a, b], [np.asarray(function(a, b))], constants=constants)
            x = special(dtype)
            yield Case(f"{name_of(dtype)}-special-reversed", [x, x[::-1].copy()], [function(x, x[::-1])])

    return make


def bit_shift():
    for dtype in UNSIGNED:
        bits = np.iinfo(dtype).bits
        for direction in ("LEFT", "RIGHT"):
            for sa, sb in (((5, 7), (5, 7)), ((2, 1, 5), (3, 1)), ((3, 70), (1,)))[:3 if dtype == U8 else 2]:
                x = numbers(f"shifted {sa}", dtype, sa)
                count = np.asarray(numbers(f"places {sb}", U8, sb) % (bits + 2)).astype(dtype)
                wide, places = np.broadcast_arrays(x, count)
                shifted = [v << p if direction == "LEFT" else v >> p for v, p in zip(wide.ravel().tolist(), places.ravel().tolist())]
                y = np.array([v % 2**bits for v in shifted], dtype).reshape(wide.shape)
                yield Case(f"{name_of(dtype)}-{shape_name(sa)}-{shape_name(sb)}-{direction.lower()}", [x, count], [y], constants=[[1]], direction=direction)
        x, far = special(dtype), np.array([np.iinfo(dtype).max, bits, bits - 1], dtype)[:, None]
        y = np.array([[int(v) >> min(int(p), 64) for v in x] for p in far[:, 0]], dtype)
        yield Case(f"{name_of(dtype)}-far-right", [x, far], [y], direction="RIGHT")


def bitwise_not():
    for dtype in INTEGERS:
        for shape in ((17,), (), (5, 7), (0,)):
            x = numbers(f"bits {shape}", dtype, shape)
            yield Case(f"{name_of(dtype)}-{shape_name(shape)}", [x], [np.asarray(~x)])


def not_():
    for shape in ((17,), (), (5, 7), (0,), (1,), (1, 133)):
        x = numbers(f"not {shape}", BOOLEAN, shape)
        yield Case(f"bool-{shape_name(shape)}", [x], [np.asarray(~x)])


WHERES = (((5, 7), (5, 7), (5, 7)), ((), (5, 7), (5, 7)), ((5, 1), (7,), ()), ((7,), (5, 1), (5, 7)), ((2, 1, 5), (3, 1), (1,)), ((), (), ()),
          ((0, 3), (1, 3), (3,)), ((3, 67), (3, 67), (1, 67)), ((1,), (1,), (1,)))


def where():
    for dtype in ALL:
        for sc, sa, sb in WHERES if dtype == F32 else WHERES[:3]:
            condition = numbers(f"w {sc}", BOOLEAN, sc)
            a, b = numbers(f"wa {sa}", dtype, sa), numbers(f"wb {sb}", dtype, sb)
            shape = "-".join(map(shape_name, (sc, sa, sb)))
            yield Case(f"{name_of(dtype)}-{shape}", [condition, a, b], [chosen(dtype, condition, a, b)], constants=[[0], [1, 2]])
        x = special(dtype)
        condition = np.arange(x.size) % 3 != 0
        y = x[::-1].copy()
        yield Case(f"{name_of(dtype)}-special", [condition, x, y], [chosen(dtype, condition, x, y)])


def chosen(dtype, condition, a, b):
    y = np.asarray(np.where(condition, a, b))
    return y.astype(np.float32).view(FORMATS[dtype].array) if dtype in FORMATS else y


NUMBERS = (*FLOATS, *INTEGERS)
OPERATORS = {
    "Equal": comparison(np.equal, ALL),
    "Less": comparison(np.less, NUMBERS),
    "LessOrEqual": comparison(np.less_equal, NUMBERS),
    "Greater": comparison(np.greater, NUMBERS),
    "GreaterOrEqual": comparison(np.greater_equal, NUMBERS),
    "Not": not_,
    "And": logical(np.logical_and),
    "Or": logical(np.logical_or),
    "Xor": logical(np.logical_xor),
    "BitwiseAnd": bitwise(np.bitwise_and),
    "BitwiseOr": bitwise(np.bitwise_or),
    "BitwiseXor": bitwise(np.bitwise_xor),
    "BitwiseNot": bitwise_not,
    "BitShift": bit_shift,
    "Where": where,
}
