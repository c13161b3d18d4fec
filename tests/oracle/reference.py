"""Expected values of the operators in numpy's longdouble (64-bit mantissa) or decimal. Uses no code of kgen."""
import decimal
from decimal import Decimal

import numpy as np

LONG = np.longdouble
decimal.getcontext().prec = 50
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


def long(x):
    return x.astype(LONG)


def unit(dtype):
    """The unit roundoff u."""
    return LONG(2) ** (-24 if dtype == np.float32 else -53)


def half_ulp(y, dtype):
    """Half a unit in the last place of the result's type; 0 where the result is not finite."""
    rounded = np.abs(y).astype(dtype)
    return np.where(np.isfinite(rounded), np.spacing(rounded).astype(LONG) / 2, LONG(0))


def erf_series(x):
    """2/sqrt(pi) exp(-x^2) sum 2^n x^(2n+1) / (2n+1)!!: all terms have one sign, nothing cancels."""
    term = total = x
    n = 0
    while abs(term) > abs(total) * Decimal("1e-45"):
        n += 1
        term = term * 2 * x * x / (2 * n + 1)
        total += term
    return 2 / PI.sqrt() * (-x * x).exp() * total


def erfc_fraction(x):
    """Laplace's continued fraction for x >= 3, from the far end."""
    tail = Decimal(0)
    for n in range(400, 0, -1):
        tail = Decimal(n) / 2 / (x + tail)
    return (-x * x).exp() / PI.sqrt() / (x + tail)


def erf(x):
    if abs(x) < 3:
        return erf_series(x)
    y = 1 - erfc_fraction(min(abs(x), Decimal(40)))
    return y.copy_sign(x)


def erfc(x):
    return erfc_fraction(x) if x >= 3 else 1 - erf(x)


def gelu(x):
    if x < -60:
        return Decimal("-0")
    # Small arguments of either sign cancel nothing: Phi is near a half.
    return x * erfc(-x / Decimal(2).sqrt()) / 2 if x < 60 else x


def gelu_tanh(x):
    if abs(x) > 60:
        return x if x > 0 else Decimal("-0")
    u = (2 / PI).sqrt() * (x + Decimal("0.044715") * x * x * x)
    return x / (1 + (-2 * u).exp())


def by_decimal(function, limits):
    """A function of Decimal over an array; `limits` are the values at -inf and +inf. Zeros keep their sign."""

    def one(x):
        if np.isnan(x) or x == 0:
            return LONG(x)
        if np.isinf(x):
            return LONG(limits[0] if x < 0 else limits[1])
        return LONG(str(function(Decimal(float(x)))))

    return lambda x: np.array([one(v) for v in x.ravel()], dtype=LONG).reshape(x.shape)


ERF = by_decimal(erf, (-1.0, 1.0))
GELU = by_decimal(gelu, (np.nan, np.inf))
GELU_TANH = by_decimal(gelu_tanh, (np.nan, np.inf))


def sigmoid(x):
    return 1 / (1 + np.exp(-long(x)))


def leaky_relu(x, alpha):
    return np.where(x < 0, x * x.dtype.type(alpha), x)


def clip(x, low=None, high=None):
    if low is not None:
        x = np.where(x < low, low, x)
    if high is not None:
        x = np.where(x > high, high, x)
    return x


def maximum(*values):
    """IEEE's maximum: NaN propagates, -0 is less than +0."""
    result = values[0]
    for v in values[1:]:
        both_zero = (result == 0) & (v == 0)
        positive = np.where(np.signbit(result), v, result)
        result = np.where(both_zero, positive, np.maximum(result, v))
    return result


def minimum(*values):
    result = values[0]
    for v in values[1:]:
        both_zero = (result == 0) & (v == 0)
        negative = np.where(np.signbit(result), result, v)
        result = np.where(both_zero, negative, np.minimum(result, v))
    return result


def contraction(a, b, alpha=1.0, beta=0.0, c=None):
    """(alpha A B + beta C, its bound): |y - y'| <= (K + 2) u (sum |a b| + |c|), and half an ulp of the result."""
    dtype = a.dtype
    alpha, beta = LONG(dtype.type(alpha)), LONG(dtype.type(beta))
    k = a.shape[-1]
    y = alpha * np.matmul(long(a), long(b))
    size = np.abs(alpha) * np.matmul(np.abs(long(a)), np.abs(long(b)))
    if c is not None and beta != 0:
        y = y + beta * long(c)
        size = size + np.abs(beta * long(c))
    bound = (k + 2) * unit(dtype) * size
    return y, np.where(np.isfinite(y), bound + half_ulp(y, dtype), LONG(0))


def softmax(x, axis):
    """(softmax, its bound) of a tensor in its own type."""
    return softmax_of(long(x), axis, x.dtype)


def softmax_of(x, axis, dtype):
    """(softmax, its bound). exp is within 4 ulp (8u), x - max is rounded once, the sum n times, the quotient once. Powers below n
    times the smallest normal number may be 0."""
    u = unit(dtype)
    if x.size == 0:
        return x, x
    shifted = x - np.max(x, axis=axis, keepdims=True)
    powers = np.exp(shifted)
    y = powers / np.sum(powers, axis=axis, keepdims=True)
    growth = np.where(y > 0, np.abs(shifted) * u, LONG(0)) + 8 * u
    total = np.sum(y * growth, axis=axis, keepdims=True)
    bound = y * (growth + total + (x.shape[axis] + 2) * u)
    bound += np.where(powers < 1.001 * x.shape[axis] * np.finfo(dtype).tiny, y, LONG(0))
    return y, np.where(np.isfinite(y), bound + 2 * half_ulp(y, dtype), LONG(0))
