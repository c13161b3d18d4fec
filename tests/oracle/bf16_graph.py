"""Graphs on bf16 for the oracle. Each node's result may be rounded to bf16 or, where nodes are fused, handed on in f32; the
results of the graph are rounded."""
import numpy as np

from bfloat16 import BF16, LONG, half_ulp, result, rounded
from graph import Builder, Value, check_sharpness
import cases

MOVEMENT = ("Transpose", "Reshape", "Identity")


class Bf16Builder(Builder):
    """Bounds before rounding are those of f32. A value's `error` is what its users may see; `before`, what its rounding may."""

    def __init__(self):
        super().__init__(np.float32)

    def input(self, array):
        if array.dtype != np.float32:
            return super().input(array)
        self.inputs.append(rounded(array))
        exact = np.asarray(self.inputs[-1]).astype(LONG)
        return Value(f"x{len(self.inputs) - 1}", exact, np.zeros(array.shape, LONG), np.float32)

    @staticmethod
    def product(a, b):
        """In double: products of bf16 are exact there, and their sums far more exact than in f32."""
        return np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(LONG)

    def node(self, operator, inputs, exact, error, **attributes):
        value = super().node(operator, inputs, exact, error, **attributes)
        value.before = error
        if operator not in MOVEMENT:
            nearest = np.asarray(rounded(exact)).astype(LONG)
            known = np.abs(nearest - exact)  # where nothing but the rounding may happen
            value.error = np.where(error == 0, known, error + half_ulp(np.abs(exact) + error))
        return value

    def case(self, name, *outputs, large=True):
        made = [result(v.exact, getattr(v, "before", LONG(0))) for v in outputs]
        if self.arithmetic:
            for v in outputs:
                check_sharpness(f"bf16-{name}", v, 8)
        case = cases.Case(f"bf16-{name}", self.inputs, [y for y, _ in made], bounds=[b for _, b in made] if self.arithmetic else None,
                          constants=[self.constants] if self.constants else [], weights=self.shapes, large=True)
        case.nodes, case.outputs = self.nodes, [v.name for v in outputs]
        return case


def builder(dtype):
    return Bf16Builder() if dtype == BF16 else Builder(dtype)
