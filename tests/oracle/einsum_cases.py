"""Einsum: numpy's, in longdouble, on operands whose dimensions of one are repeated first."""
import numpy as np

import reference as ref
from cases import F32, F64, I32, I64, SHORT, Case, as_dtype, shape_name, uniform
from narrow import FORMATS
from narrow_cases import NarrowCases
from reference import LONG

# equation, shapes
SHAPES = [
    ("ij,jk->ik", (5, 7), (7, 9)),
    ("ij,jk->ki", (5, 7), (7, 33)),
    ("bij,bjk", (3, 4, 5), (3, 5, 6)),
    ("bqhd,bkhd->bhqk", (2, 3, 4, 5), (2, 6, 4, 5)),
    ("bhqk,bkhd->bqhd", (2, 4, 3, 6), (2, 6, 4, 5)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 6)),
    ("... a , b a -> ... b", (2, 3, 17), (5, 17)),
    ("i,i->", (19,), (19,)),
    ("i,j->ji", (4,), (17,)),
    ("bi,bi->b", (5, 18), (5, 18)),
    ("ab,ab->ba", (4, 6), (4, 6)),
    ("abcd,cdef->abef", (2, 3, 4, 5), (4, 5, 3, 2)),
    ("abcd,ecfb->daef", (2, 3, 4, 5), (3, 4, 2, 3)),
    ("ijk,jl->l", (3, 4, 5), (4, 6)),
    ("ij,kj->ik", (1, 8), (7, 1)),
    ("ij,jk,kl->il", (3, 4), (4, 5), (5, 6)),
    ("i,ij,j->", (5,), (5, 6), (6,)),
    ("ii->i", (6, 6)),
    ("ii", (6, 6)),
    ("iji->j", (4, 5, 4)),
    ("ii,ij->j", (4, 4), (4, 5)),
    ("ijk->kij", (3, 4, 5)),
    ("i...->...", (3, 4, 5)),
    ("ba", (3, 4)),
    ("ijk->", (3, 4, 5)),
    (",ij->ij", (), (3, 4)),
    ("ij,jk->ik", (3, 0), (0, 4)),
    ("ij,jk->ik", (0, 3), (3, 4)),
    ("bqhd,bkhd->bhqk", (2, 3, 3, 1), (2, 8, 3, 1)),
]
LARGE = [
    ("bqhd,bkhd->bhqk", (2, 40, 3, 36), (2, 50, 3, 36)),
    ("bhqk,bkhd->bqhd", (2, 3, 40, 50), (2, 50, 3, 36)),
    ("ij,jk->ki", (70, 80), (80, 90)),
    ("abcd,cdef->abef", (9, 8, 7, 6), (7, 6, 9, 8)),
]


def product(equation, arrays):
    """numpy wants equal sizes where ONNX broadcasts those of one."""
    text = equation.replace(" ", "")
    terms = text.split("->")[0].split(",")
    sizes = {}
    for term, x in zip(terms, arrays):
        for letter, size in zip(term, x.shape):
            if "." not in term:
                sizes[letter] = max(size, sizes.get(letter, 1)) if size else 0
    grown = [x if "." in term else np.broadcast_to(x, [sizes[letter] for letter in term]) for term, x in zip(terms, arrays)]
    return np.einsum(text, *grown)


def terms_of(arrays, y):
    """At most so many products are added up for one result."""
    count = 1
    for x in arrays:
        count *= max(1, max(x.shape, default=1)) * max(1, x.ndim)
    return min(count, int(np.prod([max(1, x.size) for x in arrays])))


def name_of(equation, shapes):
    words = "".join({",": "-", ".": "", ">": "", " ": "", "-": "-to-"}.get(c, c) for c in equation)
    return "-".join([words.strip("-"), *map(shape_name, shapes)]).replace("--", "-").strip("-")


def einsum():
    for dtype, selected in ((F32, SHAPES + LARGE), (F64, SHAPES[1:14:3]), (I32, SHAPES[3:12:4]), (I64, SHAPES[0:16:5])):
        for equation, *shapes in selected:
            inputs = [np.asarray(uniform(f"e{i} {s}", dtype, s)) for i, s in enumerate(shapes)]
            large = (equation, *shapes) in LARGE
            name = f"{SHORT[dtype]}-{'large-' if large else ''}{name_of(equation, shapes)}"
            options = {"constants": [[len(inputs) - 1]] if dtype == F32 else [], "large": large, "equation": equation}
            if dtype in (I32, I64):
                with np.errstate(over="ignore"):
                    yield Case(name, inputs, [np.asarray(product(equation, inputs), dtype)], **options)
                continue
            wide = [x.astype(LONG) for x in inputs]
            y, size = np.asarray(product(equation, wide)), np.asarray(product(equation, [abs(x) for x in wide]))
            bound = (terms_of(inputs, y) + len(inputs)) * ref.unit(dtype) * size + ref.half_ulp(y, dtype)
            yield Case(name, inputs, [np.asarray(as_dtype(y, dtype))], bounds=[bound], **options)
    for format in FORMATS.values():
        maker = NarrowCases(format)
        for equation, *shapes in SHAPES[1:14:3]:
            inputs = [maker.random(f"e{i} {s}", s) for i, s in enumerate(shapes)]
            wide = [np.asarray(x).astype(LONG) for x in inputs]
            y, size = np.asarray(product(equation, wide)), np.asarray(product(equation, [abs(x) for x in wide]))
            yield maker.near(name_of(equation, shapes), inputs, y, (terms_of(inputs, y) + 2) * LONG(2) ** -24 * size, equation=equation)


OPERATORS = {"Einsum": einsum}
