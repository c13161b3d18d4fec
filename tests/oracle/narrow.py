"""bf16 and f16: arrays of floats whose numbers are all of the type. numpy lacks bf16, and its f16 would be computed in itself."""
import numpy as np

LONG = np.longdouble


class Bf16(np.ndarray):
    """Floats that are numbers of bf16."""


class F16(np.ndarray):
    """Floats that are numbers of f16."""


class BF16(np.float32):
    """What stands for the type where numpy wants one: its arrays are floats until they are rounded."""


class FP16(np.float32):
    """The same for f16."""


class Format:
    """`digits`: bits of the significand. `smallest`, `infinity`: exponents of the smallest number and of infinity. `shown`:
    decimal digits that tell all numbers apart. `few_digits`: of u of f32, the error of functions before they are rounded:
    2^-12.5 or 2^-16, and what f32 adds."""

    def __init__(self, name, array, digits, smallest, infinity, shown):
        self.name, self.array, self.digits, self.smallest, self.infinity, self.shown = name, array, digits, smallest, infinity, shown
        self.tiny, self.normal = 2.0 ** smallest, 2.0 ** (smallest + digits - 1)
        self.epsilon = 2.0 ** (1 - digits)
        self.few_digits = 264 if digits == 11 else 2906
        self.largest = (2 - self.epsilon) * 2.0 ** (infinity - 1)

    def rounded(self, values):
        """To the nearest number, ties to even, by way of longdouble only: rounded once."""
        y = np.asarray(values, dtype=LONG)
        with np.errstate(all="ignore"):
            size = np.abs(y)
            step = np.maximum(np.frexp(size)[1] - self.digits, self.smallest)
            size = np.ldexp(np.rint(np.ldexp(size, -step)), step)
            size = np.where(size >= LONG(2) ** self.infinity, LONG(np.inf), size)
            size = np.where(np.isfinite(y), size, np.abs(y))
            return np.asarray(np.copysign(size, y), dtype=np.float32).view(self.array)

    def bits(self, array):
        plain = np.ascontiguousarray(array).view(np.ndarray)
        if self.name == "f16":
            return plain.astype(np.float16).view(np.uint16)
        return (plain.view(np.uint32) >> 16).astype(np.uint16)

    def text(self, value):
        return f"{value:.{self.shown}g}".replace("e+", "e")

    def all_numbers(self):
        """All 65536 of them."""
        bits = np.arange(65536, dtype=np.uint32)
        if self.name == "f16":
            return bits.astype(np.uint16).view(np.float16).astype(np.float32).view(self.array)
        return (bits << 16).view(np.float32).view(self.array)

    def result(self, exact, error):
        """(expected, bound): what a correct implementation may round is anything within `error` of the exact result."""
        exact = np.asarray(exact, LONG)
        error = np.where(np.isfinite(exact), error, LONG(0))
        expected, low, high = self.rounded(exact), self.rounded(exact - error), self.rounded(exact + error)
        with np.errstate(invalid="ignore"):
            apart = [np.abs(LONG(1) * np.asarray(end, LONG) - np.asarray(expected, LONG)) for end in (low, high)]
        bound = np.where(np.isfinite(expected), np.maximum(*apart), LONG(0))
        if not np.all(np.isfinite(bound)):
            raise ValueError(f"a result between the largest {self.name} and infinity")
        return expected, np.asarray(bound)

    def half_ulp(self, y):
        """Half a unit in the last place at a number, rounded up to the next power of two."""
        exponent = np.maximum(np.frexp(np.abs(np.asarray(y, LONG)))[1] - self.digits, self.smallest)
        return np.ldexp(LONG(1), exponent - 1)


class Float8(Format):
    """A float of 8 bits. Rounding saturates, at infinity too, as ONNX has it. With `has_infinity`, the number after the largest one is infinity."""

    def __init__(self, name, array, digits, smallest, largest, has_infinity):
        super().__init__(name, array, digits, smallest, 1000, 3)
        self.largest, self.has_infinity = largest, has_infinity

    def rounded(self, values):
        y = np.asarray(super().rounded(np.clip(np.asarray(values, LONG), -LONG(self.largest), LONG(self.largest)))).view(np.ndarray)
        return y.view(self.array)

    def all_numbers(self):
        """All 256 of them; from their definition."""
        bits = np.arange(128)
        fraction = self.digits - 1
        exponent, digits = bits >> fraction, bits % (1 << fraction)
        units = np.where(exponent == 0, digits, digits + (1 << fraction)).astype(np.float64)
        size = np.ldexp(units, np.maximum(exponent, 1) - 1 + self.smallest)
        size[size > self.largest] = np.nan
        if self.has_infinity:
            size[np.argmax(np.isnan(size))] = np.inf
        return np.concatenate([size, -size]).astype(np.float32).view(self.array)


class F8e4m3fn(np.ndarray):
    """Floats that are numbers of f8e4m3fn."""


class F8e5m2(np.ndarray):
    """Floats that are numbers of f8e5m2."""


class I4(np.ndarray):
    """Bytes that are numbers of i4."""


class U4(np.ndarray):
    """Bytes that are numbers of u4."""


class Nibble:
    def __init__(self, name, array):
        self.name, self.array = name, array

    def array_of(self, values):
        return np.asarray(values).view(self.array)

    def text(self, value):
        return str(int(value))


FORMATS = {BF16: Format("bf16", Bf16, 8, -133, 128, 4), FP16: Format("f16", F16, 11, -24, 16, 5)}
# Types that nothing is computed in, by name.
STORED = {"f8e4m3fn": Float8("f8e4m3fn", F8e4m3fn, 4, -9, 448.0, False), "f8e5m2": Float8("f8e5m2", F8e5m2, 3, -16, 57344.0, True), "i4": Nibble("i4", I4),
          "u4": Nibble("u4", U4)}


def rounded_to_bf16(values):
    return FORMATS[BF16].rounded(values)


def is_bf16(array):
    return format_of(array) is FORMATS[BF16]


def format_of(array):
    """Of an array of floats that are numbers of a narrower type, or None."""
    for known in FORMATS.values():
        if isinstance(array, known.array) and array.dtype == np.float32:
            return known
    for known in STORED.values():
        if isinstance(array, known.array):
            return known
    return None
