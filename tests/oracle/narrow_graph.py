"""Graphs on bf16 and f16 for the oracle, and graphs on f32 whose products are of rounded operands."""
import numpy as np

from graph import Builder, Value, check_sharpness
from narrow import FORMATS, LONG
import cases

MOVEMENT = ("Transpose", "Reshape", "Identity")


class NarrowBuilder(Builder):
    """Each node's result may be rounded or, where nodes are fused, handed on in f32; the results of the graph are rounded.
    Bounds before rounding are those of f32. A value's `error` is what its users may see; `before`, what its rounding may."""

    def __init__(self, format):
        super().__init__(np.float32)
        self.format = format

    def input(self, array):
        if array.dtype != np.float32:
            return super().input(array)
        self.inputs.append(self.format.rounded(array))
        exact = np.asarray(self.inputs[-1]).astype(LONG)
        return Value(f"x{len(self.inputs) - 1}", exact, np.zeros(array.shape, LONG), np.float32)

    @staticmethod
    def product(a, b):
        """In double: products are exact there, and their sums far more exact than in f32."""
        return np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(LONG)

    def node(self, operator, inputs, exact, error, **attributes):
        value = super().node(operator, inputs, exact, error, **attributes)
        value.before = error
        if operator not in MOVEMENT:
            nearest = np.asarray(self.format.rounded(exact)).astype(LONG)
            known = np.abs(nearest - exact)  # where nothing but the rounding may happen
            value.error = np.where(error == 0, known, error + self.format.half_ulp(np.abs(exact) + error))
        return value

    def case(self, name, *outputs, large=True):
        name = f"{self.format.name}-{name}"
        made = [self.format.result(v.exact, getattr(v, "before", LONG(0))) for v in outputs]
        if self.arithmetic:
            for v in outputs:
                check_sharpness(name, v, 8)
        case = cases.Case(name, self.inputs, [y for y, _ in made], bounds=[b for _, b in made] if self.arithmetic else None,
                          constants=[self.constants] if self.constants else [], weights=self.shapes, large=True)
        case.nodes, case.outputs = self.nodes, [v.name for v in outputs]
        case.accumulate = self.sums and self.sums.name
        return case


class ComputeBuilder(Builder):
    """f32, with operands of products rounded to `format`: known to the bit if they are inputs."""

    sharpness = 8

    def __init__(self, format):
        super().__init__(np.float32)
        self.format = format

    def factor(self, value):
        exact = np.asarray(self.format.rounded(value.exact)).astype(LONG)
        # Two numbers that are near each other may be rounded in opposite directions.
        apart = value.error + 2 * self.format.half_ulp(np.abs(value.exact) + value.error)
        return Value(value.name, exact, np.where(value.error == 0, LONG(0), apart), value.dtype)

    def contraction(self, a, b, c=None, alpha=1, beta=1):
        return super().contraction(self.factor(a), self.factor(b), c, alpha, beta)

    def case(self, name, *outputs, large=False):
        case = super().case(f"compute-{self.format.name}-{name}", *outputs, large=large)
        case.compute, case.accumulate = self.format.name, self.sums and self.sums.name
        return case


def builder(dtype):
    return NarrowBuilder(FORMATS[dtype]) if dtype in FORMATS else Builder(dtype)
