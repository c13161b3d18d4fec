"""Cases of QLinearAdd and QLinearMul: what DequantizeLinear, Add or Mul, and QuantizeLinear give, in f32, one rounding an operation."""
import numpy as np

from cases import SHORT, Case, shape_name
from quantized_cases import BYTES, F32, I64, integers, quantized, scales


def arithmetic(function):
    """(x - zero point) * scale of both, `function` of them, and the quotient by the scale of the result."""

    def case(label, a, b, dtype, parameters, y_scale, y_zero):
        with np.errstate(all="ignore"):
            left, right = (np.asarray((x.astype(I64) - z.reshape(()).astype(I64)).astype(F32) * s.reshape(())) for x, (s, z) in zip((a, b), parameters))
            y = np.asarray(function(left, right) / y_scale.reshape(()))
        assert y.dtype == F32
        (sa, za), (sb, zb) = parameters
        zero = None if y_zero is None else y_zero.reshape(())
        inputs = [a, sa, za, b, sb, zb, y_scale] + ([] if y_zero is None else [y_zero])
        runs = [[i for i in range(1, len(inputs)) if i != 3], [1, 2], list(range(3, len(inputs)))]
        return Case(f"{SHORT[dtype]}-{label}", inputs, [quantized(y, zero, dtype)], constants=runs)

    def make():
        shapes = (((17,), (17,)), ((), ()), ((1,), (1,)), ((0,), (0,)), ((5, 7), (7,)), ((7,), (5, 7)), ((3, 1), (1, 33)), ((2, 3, 5), (3, 1)),
                  ((1, 3, 5, 7), (1, 3, 5, 7)), ((2, 0, 3), (3,)), ((65,), ()))
        for dtype in BYTES:
            low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
            for i, (sa, sb) in enumerate(shapes):
                a, b = integers(f"la {sa}", dtype, sa), integers(f"lb {sb}", dtype, sb)
                one = () if i % 2 else (1,)
                parameters = [(scales(f"l{side}s {i}", one), integers(f"l{side}z {i}", dtype, one)) for side in "ab"]
                yield case(f"{shape_name(sa)}-{shape_name(sb)}", a, b, dtype, parameters, scales(f"ls {i}", one, 0.05, 0.5), np.array(3, dtype).reshape(one))
            # Each byte with some others; ties, what saturates, and what is no number.
            every, some_ = np.arange(low, high + 1).astype(dtype)[::3, None], np.array([low, low + 1, (low + high) // 2, 7, high], dtype)
            unit = (np.array(1.0, F32), np.array(0, dtype)), (np.array(0.5, F32), np.array(2, dtype))
            yield case("every-ties", every, some_, dtype, unit, np.array(1.0, F32), np.array(5, dtype))
            yield case("no-zero-point", every, some_, dtype, unit, np.array(2.0, F32), None)
            for zero in (low, high):
                yield case(f"zero-points-{zero}", every, some_, dtype, [(np.array(0.1, F32), np.array(zero, dtype))] * 2, np.array(0.37, F32), np.array(zero, dtype))
            for value in (0.0, -0.1, np.inf, np.nan):
                special = np.array(value, F32)
                yield case(f"scale-{value}", every[:9], some_, dtype, unit, special, np.array(9, dtype))
                yield case(f"scale-of-a-{value}", every[:9], some_, dtype, ((special, unit[0][1]), unit[1]), np.array(1.0, F32), np.array(9, dtype))
    return make


OPERATORS = {"QLinearAdd": arithmetic(np.add), "QLinearMul": arithmetic(np.multiply)}
