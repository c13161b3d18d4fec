#!/usr/bin/env python3
"""Derives the polynomial coefficients of generator/transforms/math and prints Coefficients.inc.

Every approximation is the polynomial of least degree that interpolates its function at Chebyshev
nodes and stays within the stated bound of it. All numbers are computed here, with 60 decimal
digits, from series and continued fractions; only Python's standard library is needed.

    python3 tests/oracle/fit_math.py > generator/math/Coefficients.inc
"""

import struct
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal as D, getcontext

from pi import pi_in_units

getcontext().prec = 60
ONE, TWO, HALF = D(1), D(2), D("0.5")
PRECISION = {"F32": 24, "LowPrecision": 24, "F16": 24, "Bf16": 24, "F64": 53}


def arctan_of_inverse(n):
    total, power, k = D(0), ONE / n, 0
    while power > D(10) ** -65:
        total += power / (2 * k + 1) if k % 2 == 0 else -power / (2 * k + 1)
        power /= n * n
        k += 1
    return total


PI = 16 * arctan_of_inverse(D(5)) - 4 * arctan_of_inverse(D(239))
SQRT2, SQRT_PI = TWO.sqrt(), PI.sqrt()


def cos(x):
    total, term, k = ONE, ONE, 0
    while abs(term) > D(10) ** -62:
        k += 2
        term *= -x * x / (k * (k - 1))
        total += term
    return total


def erf(x):
    """The series whose terms all have the same sign."""
    term, total, n = x, x, 0
    while abs(term) > abs(total) * D(10) ** -62:
        n += 1
        term *= 2 * x * x / (2 * n + 1)
        total += term
    return 2 / SQRT_PI * (-x * x).exp() * total


def erfcx(x):
    """exp(x^2) erfc(x): the series for small arguments, the continued fraction for the others."""
    if x < 4:
        return (x * x).exp() * (1 - erf(x))
    tail = x
    for k in range(300, 0, -1):
        tail = x + D(k) / 2 / tail
    return 1 / (SQRT_PI * tail)


def taylor(x, first, ratio):
    """The sum of a power series: for functions that cancel near 0."""
    total, term, k = first, first, 0
    while abs(term) > D(10) ** -62:
        term *= ratio(x, k)
        total += term
        k += 1
    return total


def atan_rest(z):
    """(atan(x) / x - 1) / x^2 of z = x^2"""
    return taylor(z, -ONE / 3, lambda x, k: -x * (2 * k + 3) / (2 * k + 5))


def exp_rest(r):
    """(exp(r) - 1 - r) / r^2"""
    return taylor(r, HALF, lambda x, k: x / (k + 3))


def exp2_slope(r):
    """(2^r - 1) / r"""
    ln2 = TWO.ln()
    return taylor(r, ln2, lambda x, k: x * ln2 / (k + 2))


def log_rest(z):
    """(log((1+s)/(1-s)) - 2s) / s^3 with z = s^2"""
    total, power, k = D(0), TWO, 3
    while power > D(10) ** -62:
        total += power / k
        power *= z
        k += 2
    return total


def log_series(f):
    """(log(1+f) - f + f^2/2) / f^3"""
    return taylor(f, ONE / 3, lambda x, k: -x * (k + 3) / (k + 4))


def erf_rest(z):
    """erf(x) / x - 1 with z = x^2"""
    x = z.sqrt()
    return erf(x) / x - 1


def gelu_tail(k):
    """(a + k) exp(a^2/2) (1 - Phi(a)), as a function of a"""
    return lambda a: (a + k) * HALF * erfcx(a / SQRT2)


def chebyshev_nodes(lo, hi, count):
    middle, half = (lo + hi) / 2, (hi - lo) / 2
    return [middle + half * cos(PI * (2 * i + 1) / (2 * count)) for i in range(count)]


def interpolate(xs, ys):
    """Coefficients, lowest power first, by Newton's divided differences."""
    n, diffs = len(xs), list(ys)
    for level in range(1, n):
        for i in range(n - 1, level - 1, -1):
            diffs[i] = (diffs[i] - diffs[i - 1]) / (xs[i] - xs[i - level])
    coefficients = [diffs[-1]]
    for i in range(n - 2, -1, -1):
        shifted = [D(0)] + coefficients
        for j, c in enumerate(coefficients):
            shifted[j] -= xs[i] * c
        shifted[0] += diffs[i]
        coefficients = shifted
    return coefficients


def evaluate(coefficients, x):
    total = D(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def fit(function, weight, lo, hi, bits):
    """The least degree whose weighted error stays below 2^-bits, and that error."""
    grid = [lo + (hi - lo) * (i + HALF) / 160 for i in range(160)]
    exact = [(x, function(x), weight(x)) for x in grid]
    for count in range(2, 40):
        nodes = chebyshev_nodes(lo, hi, count)
        coefficients = interpolate(nodes, [function(x) for x in nodes])
        error = max(abs((evaluate(coefficients, x) - y) * w) for x, y, w in exact)
        if error < TWO ** -bits:
            return coefficients, error
    raise SystemExit("no polynomial is good enough")


def solved(matrix, right):
    """The solution of a system of linear equations, by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right)]
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(len(rows)):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def fit_evenly(function, weight, lo, hi, count):
    """Where weights vary too much for Chebyshev's nodes: least squares whose weights grow where the
    error is large, until it is so evenly (C. L. Lawson, 1961)."""
    points = [(lo + hi) / 2 - (hi - lo) / 2 * cos(PI * (i + HALF) / 60) for i in range(60)]
    exact = [(x, function(x), weight(x)) for x in points]
    factors, best = [ONE] * len(exact), None
    for _ in range(40):
        squares = [f * w * w for f, (_, _, w) in zip(factors, exact)]
        powers = [[x ** k for k in range(count)] for x in points]
        matrix = [[sum(q * p[i] * p[j] for q, p in zip(squares, powers)) for j in range(count)]
                  for i in range(count)]
        right = [sum(q * p[i] * y for q, p, (_, y, _) in zip(squares, powers, exact)) for i in range(count)]
        coefficients = solved(matrix, right)
        errors = [abs((evaluate(coefficients, x) - y) * w) for x, y, w in exact]
        if best is None or max(errors) < best[1]:
            best = coefficients, max(errors)
        factors = [f * e for f, e in zip(factors, errors)]
        total = sum(factors)
        factors = [f / total for f in factors]
    return best


def fit_pieces(function, weight, pieces, bits, evenly=False):
    """One degree for all pieces: each is the map from t to the function's argument, and t's range."""
    for count in range(2, 12):
        rows, worst = [], D(0)
        for argument, lo, hi in pieces:
            if evenly:
                row, _ = fit_evenly(lambda t: function(argument(t)), lambda t: weight(argument(t)), lo, hi, count)
            else:
                nodes = chebyshev_nodes(lo, hi, count)
                row = interpolate(nodes, [function(argument(t)) for t in nodes])
            rows.append(row)
            for i in range(40):
                t = lo + (hi - lo) * (i + HALF) / 40
                x = argument(t)
                worst = max(worst, abs((evaluate(row, t) - function(x)) * weight(x)))
        if worst < TWO ** -bits:
            return [c for power in zip(*rows) for c in power], worst
    raise SystemExit("no polynomials are good enough")


def nearest(value, precision, rounding=ROUND_HALF_EVEN):
    """value rounded to a binary float of that precision (normal range), as an exact Decimal."""
    if value == 0:
        return value
    exponent = 0
    scaled = abs(value)
    while scaled >= TWO ** precision:
        scaled, exponent = scaled / 2, exponent + 1
    while scaled < TWO ** (precision - 1):
        scaled, exponent = scaled * 2, exponent - 1
    rounded = scaled.to_integral_value(rounding) * TWO ** exponent
    return rounded.copy_sign(value)


def hexadecimal(value):
    text = float(value).hex()
    mantissa, exponent = text.split("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}p{exponent}"


def table(name, comment, coefficients, error, kind):
    print(f"// {comment}; error {float(error):.1e}.")
    values = [hexadecimal(nearest(c, PRECISION[kind])) for c in coefficients]
    print(f"constexpr double {name}{kind}[] = {{")
    for i in range(0, len(values), 3):
        print("    " + ", ".join(values[i : i + 3]) + ",")
    print("};")


def mapped(k, function):
    """function of a, as a function of t = (a - k) / (a + k)."""
    return lambda t: function(k * (1 + t) / (1 - t))


def to_t(k, a):
    return (a - k) / (a + k)


def erf_tail_weight(k):
    """How much a relative unit of erfcx(a) moves erf(a)."""

    def weight(t):
        a = k * (1 + t) / (1 - t)
        return (-a * a).exp() / erf(a)

    return weight


def split_ln2(kind):
    """ln 2 as a head whose product with any exponent is exact, and the rest: both positive, so that
    their products with an infinite exponent agree."""
    head = nearest(TWO.ln(), {"F32": 14, "F64": 40}[kind], ROUND_FLOOR)
    return head, nearest(TWO.ln() - head, PRECISION[kind])


def print_kind(kind):
    bits = PRECISION[kind] + 3
    r = TWO.ln() / 2 * D("1.002")
    s = (SQRT2 - 1) / (SQRT2 + 1) * D("1.0001")
    erf_limit = ONE
    erf_k = TWO
    # Of the numbers for which few coefficients are needed, those that lose little by rounding them.
    gelu_k = {"F32": D("2.71875"), "F64": D("2.3125")}[kind]
    erf_end = {"F32": D(4), "F64": D(6)}[kind]
    gelu_end = {"F32": D("14.5"), "F64": D(39)}[kind]
    tiny = TWO ** -40

    head, rest = split_ln2(kind)
    print(f"constexpr double ln2Head{kind} = {hexadecimal(head)};")
    print(f"constexpr double ln2Rest{kind} = {hexadecimal(rest)};")
    table("expRest", "(exp(r) - 1 - r) / r^2", *fit(exp_rest, lambda x: x * x, -r, r, bits), kind)
    if kind == "F64":
        table("logRest", "(log((1+s)/(1-s)) - 2s) / s^3 in s^2",
              *fit(log_rest, lambda z: z / 2, D(0), s * s, bits), kind)
    if kind == "F32":
        low, high = (1 / SQRT2 - 1) * D("1.0001"), (SQRT2 - 1) * D("1.0001")
        table("logSeries", "(log(1+f) - f + f^2/2) / f^3",
              *fit(log_series, lambda f: f ** 3 / (1 + f).ln(), low, high, bits - 2), kind)
    table("log1pRest", "(log((1+s)/(1-s)) - 2s) / s^3 in s^2, up to 1/3",
          *fit(log_rest, lambda z: z / 2, D(0), 1 / D(9), bits), kind)
    print_logarithms(kind)
    low, high = (1 / SQRT2 - 1) * D("1.0001"), (SQRT2 - 1) * D("1.0001")
    # Each step of Newton's doubles the digits: one step for f32, two for f64.
    table("inverseCubeRoot", "(1+f)^(-1/3)",
          *fit(lambda f: ((1 + f).ln() / -3).exp(), lambda f: ((1 + f).ln() / 3).exp(), low, high, 14), kind)
    print_turns(kind, bits)
    eighth_turn = (SQRT2 - 1) * D("1.0001")
    table("atanRest", "(atan(x) / x - 1) / x^2 in x^2, up to tan(pi/8)",
          *fit(atan_rest, lambda z: z, D(0), eighth_turn ** 2, bits), kind)
    table("asinRest", "(asin(s) / s - 1) / s^2 in s^2, up to 1/2",
          *fit(lambda z: (asin_slope(z) - 1) / z, lambda z: z, TWO ** -30, ONE / 4, bits), kind)
    table("sinhRest", "(sinh(x) / x - 1) / x^2 in x^2, up to 1",
          *fit(lambda z: (sinh_slope(z) - 1) / z, lambda z: z / sinh_slope(z), TWO ** -30, ONE, bits), kind)
    table("erfRest", "erf(x) / x - 1 in x^2",
          *fit(erf_rest, lambda z: ONE, tiny, erf_limit ** 2, bits), kind)
    table("erfTail", "exp(a^2) erfc(a) in (a-2)/(a+2)",
          *fit(mapped(erf_k, erfcx), erf_tail_weight(erf_k), to_t(erf_k, erf_limit),
               to_t(erf_k, erf_end), bits), kind)
    # Nearly constant, so that roundings of its argument count little.
    erfc_tail, erfc_end = mapped(ONE, lambda a: (a + 1) * erfcx(a)), {"F32": D("10.25"), "F64": D("27.5")}[kind]
    table("erfcTail", "(a+1) exp(a^2) erfc(a) in (a-1)/(a+1), from 1/2 on",
          *fit(erfc_tail, lambda t: 1 / erfc_tail(t), to_t(ONE, D("0.499")), to_t(ONE, erfc_end), bits), kind)
    print(f"constexpr double geluCenter{kind} = {hexadecimal(gelu_k)};")
    table("geluTail", "(a+c) exp(a^2/2) (1 - Phi(a)) in (a-c)/(a+c) with c = geluCenter",
          *fit(mapped(gelu_k, gelu_tail(gelu_k)), lambda t: ONE, -ONE, to_t(gelu_k, gelu_end),
               {"F32": bits - 2, "F64": bits - 1}[kind]), kind)


def print_logarithms(kind):
    """What a natural logarithm is multiplied by, and log10(2), as a head, whose product with any exponent
    is exact for the latter, and the rest."""
    head = {"F32": 14, "F64": 40}[kind]
    for name, value, digits in (("log2OfE", 1 / TWO.ln(), PRECISION[kind]), ("log10OfE", 1 / D(10).ln(), PRECISION[kind]),
                                ("log10Of2", TWO.ln() / D(10).ln(), head)):
        rounded = nearest(value, digits)
        print(f"constexpr double {name}{kind}[] = {{{hexadecimal(rounded)}, {hexadecimal(nearest(value - rounded, PRECISION[kind]))}}};")


def print_turns(kind, bits):
    """Of what remains of multiples of pi, and of pi/2."""
    half_turn, eighth_turn = (PI / 2 * D("1.02")) ** 2, (PI / 4 * D("1.02")) ** 2
    tiny = TWO ** -30
    if kind == "F64":
        table("sinSlopes", "sin(r) / r in r^2, up to pi/2",
              *fit_from_one(sin_slope, tiny, half_turn, bits), kind)
    table("sinOfEighthTurn", "sin(r) / r in r^2, up to pi/4",
          *fit_from_one(sin_slope, tiny, eighth_turn, bits), kind)
    table("cosOfEighthTurn", "cos(r) in r^2, up to pi/4",
          *fit_from_one(lambda z: cos(z.sqrt()), tiny, eighth_turn, bits), kind)


def fit_from_one(function, lo, hi, bits):
    """Where the function is 1 at 0: relative to it, with a first coefficient of 1."""
    rest = lambda z: (function(z) - 1) / z
    coefficients, error = fit(rest, lambda z: z / function(z), lo, hi, bits)
    return [ONE, *coefficients], error


def rounded_pieces(scale):
    """Pieces of the numbers n that times `scale` round to n, for n from 0 to 7, in t = scale x - n."""
    return [(lambda t, n=n: (t + n) / scale, tiny_above(n), HALF) for n in range(8)]


def tiny_above(n):
    return TWO ** -20 if n == 0 else -HALF


# Up to the limit: beyond, a (1 - Phi(a)) is less than half a unit in the last place of a.
GELU_LIMIT, GELU_OFFSET = D("5.40625"), D("34.75")


def gelu_borders():
    """Of the eighths of the octave of a^2 + offset from 32 to 64: narrower the steeper tails fall."""
    squares = [D(0)] + [D(36 + 4 * i) - GELU_OFFSET for i in range(7)] + [GELU_LIMIT ** 2]
    return [square.sqrt() for square in squares]


def print_gelu_pieces(bits):
    ends = [nearest(border, 24) for border in gelu_borders()[1:]]
    print(f"constexpr double geluLimitF32 = {hexadecimal(GELU_LIMIT)};")
    print(f"constexpr double geluOffsetF32 = {hexadecimal(GELU_OFFSET)};")
    table("geluEnds", "of the pieces of a with the same eighth of a^2 + geluOffset", ends, D(0), "F32")
    print_gelu_tails(bits)


def print_gelu_tails(bits):
    """1 - Phi(a) and what gelu_tanh has in its place. In the distance from a piece's end, where they
    are least, nearly all terms have the same sign, so that sums keep the relative accuracy."""
    borders = gelu_borders()
    for name, comment, tail in (("geluTails", "1 - Phi(a)", normal_tail),
                                ("geluTanhTails", "1 / (1 + exp(w(a)))", tanh_tail)):
        rows, worst = [], D(0)
        for start, border in zip(borders, borders[1:]):
            end = nearest(border, 24)
            # The relative error matters: nodes nearer to the end than Chebyshev's.
            nodes = [(end - start) * u * (D("0.7") + D("0.3") * u)
                     for u in chebyshev_nodes(D(0), ONE, 9)]
            rows.append(interpolate(nodes, [tail(end - s) for s in nodes]))
            for i in range(40):
                s = (end - start) * (i + HALF) / 40
                worst = max(worst, abs(evaluate(rows[-1], s) / tail(end - s) - 1))
        if worst > TWO ** -bits:
            raise SystemExit("no polynomials are good enough")
        table(name, f"{comment} by the distance to the piece's end",
              [c for power in zip(*rows) for c in power], worst, "F32")


def normal_tail(a):
    return HALF * (-a * a / 2).exp() * erfcx(a / SQRT2)


def tanh_tail(a):
    w = 2 * (2 / PI).sqrt() * a * (1 + D("0.044715") * a * a)
    return 1 / (1 + w.exp())


def powers_of_parts(factor, count):
    powers = []
    for i in range(count):
        power = nearest(factor * (TWO.ln() * i / count).exp(), 24)
        pattern = struct.unpack("<I", struct.pack("<f", float(power)))[0] - i * (1 << 23) // count
        powers.append(D(struct.unpack("<f", struct.pack("<I", pattern))[0]))
    return powers


def print_sigmoid_table(eighth):
    """The factor is the one of 24 digits, of all, for which the powers divided by it are nearest to such numbers."""
    factor = D(0xE48E28) / 2 ** 23
    powers = [(TWO.ln() * i / 8).exp() / factor for i in range(8)]
    table("longExpRestOfEighth", "(exp(r) - 1 - r) / r^2 up to ln(2)/16",
          *fit_evenly(exp_rest, lambda x: x * x, -eighth, eighth, 3), "F32")
    print(f"constexpr double sigmoidFactorF32 = {hexadecimal(factor)};")
    table("sigmoidEighths", "2^(i/8) / sigmoidFactor, less i as in expEighths", powers_of_parts(1 / factor, 8),
          max(abs(nearest(power, 24) / power - 1) for power in powers), "F32")


def print_tables():
    """What targets with lookups in a register of eight numbers take instead, for f32."""
    print("// Tables of eight for lookups, f32.")
    bits = PRECISION["F32"] + 2
    eighth = TWO.ln() / 16 * D("1.01")
    table("expRestOfEighth", "(exp(r) - 1 - r) / r^2 up to ln(2)/16",
          *fit_evenly(exp_rest, lambda x: x * x, -eighth, eighth, 2), "F32")
    table("exp2SlopesOfEighth", "(2^r - 1) / r up to 1/16",
          *fit(exp2_slope, lambda x: x, -ONE / 16, ONE / 16, bits - 2), "F32")
    table("expEighths", "2^(i/8), less i in the first three digits after the point",
          powers_of_parts(ONE, 8), D(0), "F32")
    table("erfSlopes", "erf(x) / x by round(erfScale x)",
          *fit_pieces(lambda x: erf(x) / x, lambda x: x / erf(x), rounded_pieces(ERF_SCALE), bits), "F32")
    print(f"constexpr double erfScaleF32 = {hexadecimal(ERF_SCALE)};")
    print_gelu_pieces(bits - 2)
    print_sigmoid_table(eighth)
    seven = D(7) / 8
    table("softplusEighths", "7/8 of expEighths", powers_of_parts(seven, 8), D(0), "F32")
    table("softplusSlopes", "log(1+y) / z in z = 7/8 y, by round(8 z)",
          *fit_pieces(lambda z: (1 + z / seven).ln() / z, lambda z: z / (1 + z / seven).ln(),
                      [(lambda z: z, (n + tiny_above(n)) / 8, (n + HALF) / 8) for n in range(8)], bits), "F32")
    print_log_table(bits)
    print_pow_tables()
    half_pi = PI / 2 * D("1.02")
    table("sinSlopes", "sin(r) / r in r^2, up to pi/2",
          *fit(sin_slope, lambda z: 1 / sin_slope(z), TWO ** -30, half_pi * half_pi, bits), "F32")


ERF_SCALE = D("1.90625")
# Of results of 16 bits: how far off they may be, as a power of 2; from where on erf and tanh are 1 once
# they are rounded; up to where gelu has a polynomial, of how many coefficients, and which power sixteen pieces are for.
LOW_PRECISION = {"F16": {"bits": 16, "erf": D("2.6875"), "tanh": D("5.1875"), "gelu": (6, 7, 4)},
         "Bf16": {"bits": D("12.5"), "erf": D("2.625"), "tanh": D("4.5625"), "gelu": (D("5.25"), 6, 8)}}
# The least and the end of u, in which there are eight pieces, and the first of three bits that tell them: of
# sixteen ("Long"), the bit below is the first of four.
ODD_PIECES = {"erf": (4, 16, 21), "tanh": (2, 32, 22)}
GELU_POWER = 32


def float_bits(x):
    return struct.unpack("<I", struct.pack("<f", float(x)))[0]


def pieces_of_squares(scale, offset, end, first_bit):
    """By the bits of u: the range of u, and x from u."""
    found = {}
    start = D(offset)
    while start < end:
        bits = float_bits(start)
        stop = D(struct.unpack("<f", struct.pack("<I", bits + (1 << first_bit)))[0])
        found[bits >> first_bit] = (lambda u: ((u - offset) / scale).sqrt(), start, stop)
        start = stop
    return [found[bits] for bits in sorted(found, key=lambda bits: bits % len(found))]


def print_low_precision_tables():
    """For results that are rounded to bf16 or f16, which have 8 and 11 digits."""
    print("// For results of 16 bits: an error of 2^-12.5 with 8 digits (Bf16), of 2^-16 with 11 (F16).")
    eighth = TWO.ln() / 16 * D("1.01")
    table("expSlopesOfEighth", "(exp(r) - 1) / r up to ln(2)/16",
          *fit(lambda r: 1 + r * exp_rest(r), lambda r: r, -eighth, eighth, 16), "LowPrecision")
    log_range = print_low_precision_log()
    for name, (offset, _, first_bit) in ODD_PIECES.items():
        print(f"constexpr double {name}OffsetLowPrecision = {offset};")
        print(f"constexpr unsigned {name}FirstBitLowPrecision = {first_bit};")
    print(f"constexpr int geluPowerLowPrecision = {GELU_POWER};")
    for kind, settings in LOW_PRECISION.items():
        print_low_precision_kind(kind, settings, log_range)


def print_low_precision_kind(kind, settings, log_range):
    bits = settings["bits"]
    table("exp2", "2^r", *fit(lambda r: (r * TWO.ln()).exp(), lambda r: ONE, -HALF, HALF, bits), kind)
    table("logSlope", "log(1+f) / f",
          *fit(log_slope, lambda f: ONE, *log_range, bits), kind)
    eighth = TWO.ln() / 16 * D("1.01")
    table("expm1Slope", "(exp(r) - 1) / r up to ln(2)/16, relative to that",
          *fit(lambda r: 1 + r * exp_rest(r), lambda r: ONE, -eighth, eighth, bits), kind)
    table("log1pSlope", "log(1+y) / y up to 1",
          *fit(lambda y: (1 + y).ln() / y, lambda y: y / (1 + y).ln(), D(0), ONE, bits), kind)
    if kind == "Bf16":
        print_exp_sixteenths()
    table("atanSlope", "atan(z) / z in z^2, up to 1",
          *fit(lambda z: atan_slope(z), lambda z: ONE, TWO ** -30, ONE, bits), kind)
    table("asinSlope", "asin(s) / s in s^2, up to 1/2",
          *fit(asin_slope, lambda z: ONE, D(0), ONE / 4, bits), kind)
    eighth_turn = (PI / 4 * D("1.02")) ** 2
    table("sinOfEighthTurn", "sin(r) / r in r^2, up to pi/4",
          *fit(sin_slope, lambda z: 1 / sin_slope(z), TWO ** -30, eighth_turn, bits), kind)
    table("cosOfEighthTurn", "cos(r) in r^2, up to pi/4",
          *fit(lambda z: cos(z.sqrt()), lambda z: 1 / cos(z.sqrt()), TWO ** -30, eighth_turn, bits), kind)
    ln2 = TWO.ln()
    table("coshOfPower", "cosh(r ln(2)) in r^2, up to 1/2",
          *fit(lambda z: cosh(z.sqrt() * ln2), lambda z: ONE, TWO ** -30, ONE / 4, bits), kind)
    table("sinhOfPower", "sinh(r ln(2)) / r in r^2, up to 1/2",
          *fit(lambda z: ln2 * sinh_slope(z * ln2 * ln2), lambda z: ONE, TWO ** -30, ONE / 4, bits + 1), kind)
    for name, slope in (("erf", lambda x: erf(x) / x), ("tanh", tanh_slope)):
        offset, end, first_bit = ODD_PIECES[name]
        most = settings[name]
        scale = nearest((end - offset) / (most * most) * D("0.9999"), 24)
        print(f"constexpr double {name}Most{kind} = {hexadecimal(most)}, {name}Scale{kind} = {hexadecimal(scale)};")
        for size, bit in (("", first_bit), ("Long", first_bit - 1)):
            table(f"{name}{size}Slopes", f"{name}(x) / x in {name}Scale x^2 + {name}Offset",
                  *fit_pieces(slope, lambda x: 1 / slope(x), pieces_of_squares(scale, offset, end, bit), bits, evenly=True), kind)
    # Of f16, small results have fewer digits.
    least = TWO ** -14 if kind == "F16" else D(0)
    root = lambda power: lambda b: (normal_tail(-b).ln() / power).exp()
    error = lambda power: lambda b: power / root(power)(b) * (min(ONE, -b * normal_tail(-b) / least) if least and b < -4 else ONE)
    most, count, power = settings["gelu"]
    print(f"constexpr double geluLeast{kind} = {hexadecimal(-most)};")
    table("geluRoots", f"Phi(b)^(1/{GELU_POWER}) of a negative b",
          *fit_evenly(root(GELU_POWER), error(GELU_POWER), -most, D(0), count), kind)
    scale = nearest(D("15.5") / most, 24)
    pieces = [(lambda b: b, -(n + HALF) / scale, min(HALF - n, D(0)) / scale) for n in range(16)]
    print(f"constexpr int geluLongPower{kind} = {power};")
    print(f"constexpr double geluLongScale{kind} = {hexadecimal(-scale)};")
    table("geluLongRoots", f"Phi(b)^(1/{power}) in b, by round(geluLongScale b)",
          *fit_pieces(root(power), error(power), pieces, bits, evenly=True), kind)
    half_pi = PI / 2 * D("1.02")
    table("sinSlopes", "sin(r) / r in r^2, up to pi/2",
          *fit(sin_slope, lambda z: 1 / sin_slope(z), TWO ** -30, half_pi * half_pi, bits), kind)


def print_exp_sixteenths():
    """So large that exp(r) is as far above a multiple of 1 + r as it is below."""
    end = TWO.ln() / 32
    most = end.exp() / (1 + end) - 1
    table("expSixteenths", "2^(i/16) for exp(r) by 1 + r, less i in the first four digits after the point",
          powers_of_parts(1 + most / 2, 16), most / 2, "Bf16")


def tanh_slope(x):
    power = (2 * x).exp()
    return (power - 1) / (power + 1) / x


def atan_slope(z):
    """atan(x) / x of z = x^2, by Euler's series, which converges up to 1 and beyond."""
    w = z / (1 + z)
    return taylor(w, ONE, lambda x, k: x * (2 * k + 2) / (2 * k + 3)) / (1 + z)


def asin_slope(z):
    """asin(s) / s of z = s^2"""
    return taylor(z, ONE, lambda x, k: x * (2 * k + 1) ** 2 / ((2 * k + 2) * (2 * k + 3)))


def cosh(x):
    return (x.exp() + (-x).exp()) / 2


def sinh_slope(z):
    return taylor(z, ONE, lambda x, k: x / ((2 * k + 2) * (2 * k + 3)))


def sin_slope(z):
    return taylor(z, ONE, lambda x, k: -x / ((2 * k + 2) * (2 * k + 3)))


def log_ends(i):
    root = 0x3F3504F3
    return [D(struct.unpack("<f", struct.pack("<I", root + (k << 20)))[0]) for k in (i, i + 1)]


def log_inverse(i):
    low, high = log_ends(i)
    return ONE if low < 1 < high else nearest(2 / (low + high), 8)


def print_log_table(bits):
    """Eighths of the bit patterns from sqrt(1/2) to sqrt(2): the inverse of a number in each with few
    digits, 1 around 1, and what its logarithm is."""
    inverses, logarithms, furthest = [], [], D(0)
    for i in range(8):
        ends, inverse = log_ends(i), log_inverse(i)
        furthest = max(furthest, *(abs(end * inverse - 1) for end in ends))
        inverses.append(inverse)
        logarithms.append(-inverse.ln())
    table("logInverses", "1/m, of few digits", inverses, D(0), "F32")
    table("logsOfInverses", "-log of that", logarithms, D(0), "F32")
    table("logNear", "(log(1+f) - f) / f^2",
          *fit(lambda f: f * log_series(f) - HALF, lambda f: f, -furthest, furthest, bits), "F32")
    table("logSlopeNear", "log(1+f) / f",
          *fit(log_slope, lambda f: ONE, -furthest, furthest, LOW_PRECISION["F16"]["bits"]), "F16")


def print_low_precision_log():
    """Eighths of [1, 2): the inverse of a number in each with few digits, 1 in the first and 1/2 in the
    last, and what its logarithm is. Returns the range of products with an inverse, less 1."""
    inverses, low, high = [], D(0), D(0)
    for i in range(8):
        ends = [1 + D(i) / 8, 1 + D(i + 1) / 8]
        inverse = ONE if i == 0 else HALF if i == 7 else nearest(2 / sum(ends), 8)
        low, high = min(low, ends[0] * inverse - 1), max(high, ends[1] * inverse - 1)
        inverses.append(inverse)
    table("logInverses", "1/m for m from 1 to 2, of few digits", inverses, D(0), "LowPrecision")
    table("logsOfInverses", "-log of that", [-inverse.ln() for inverse in inverses], D(0), "LowPrecision")
    table("log2sOfInverses", "-log2 of that", [-inverse.ln() / TWO.ln() for inverse in inverses], D(0), "LowPrecision")
    # The logarithm is multiplied by an exponent.
    table("log2Slope", "log2(1+f) / f",
          *fit(lambda f: log_slope(f) / TWO.ln(), lambda f: ONE, low, high, D("20.5")), "LowPrecision")
    return low, high


def log_slope(f):
    """log(1+f) / f"""
    return 1 - f / 2 + f * f * log_series(f)


# Sixteenths of bit patterns from here on have 1 in one of them, beside the middle, and furthest from
# their ends where the logarithm is near 0.
POW_ROOT = 0x3F29C000


def pow_ends(i):
    return [D(struct.unpack("<f", struct.pack("<I", POW_ROOT + (k << 19)))[0]) for k in (i, i + 1)]


def pow_inverse(low, high):
    """Of so few digits that its product with a number of the piece, less 1, is a number of f32: the
    difference lacks as many digits in front as the inverse adds at the end."""
    if low < 1 < high:
        return ONE
    inverses = []
    for places in (16, 32, 64):
        inverse = (2 / (low + high) * places).to_integral_value() / places
        furthest = max(abs(low * inverse - 1), abs(high * inverse - 1))
        if furthest <= (ONE if high < 1 else TWO) / places:
            inverses.append((furthest, inverse))
    return min(inverses)[1]


def log2_slope(f):
    return log_slope(f) / TWO.ln()


def print_pow_tables():
    """An exponent of up to 120 multiplies the logarithm's error. Logarithms are scaled as the exponent's
    field is."""
    unit = TWO ** 23
    pieces = [pow_ends(i) for i in range(16)]
    inverses = [pow_inverse(*ends) for ends in pieces]
    furthest = max(abs(end * inverse - 1) for ends, inverse in zip(pieces, inverses) for end in ends)
    logs = [-inverse.ln() / TWO.ln() * unit for inverse in inverses]
    heads = [(log / 64).to_integral_value() * 64 for log in logs]
    print(f"constexpr uint64_t powRootF32 = {POW_ROOT:#x};")
    table("powInverses", "1/m by sixteenths, whose products with m less 1 are exact", inverses, D(0), "F32")
    table("powLogs", "-log2 of that, of so few digits that a sum with a whole number is exact",
          heads, D(0), "F32")
    table("powLogRests", "what they lack", [log - head for log, head in zip(logs, heads)], D(0), "F32")
    factor = nearest(1 / TWO.ln(), 24)
    coefficients, error = fit(lambda f: log2_slope(f) - factor, lambda f: ONE, -furthest, furthest, D(34))
    table("logRestOfPow", "log2(1+f) / f - 1 / ln(2), less what it lacks",
          [c * unit for c in coefficients], error, "F32")
    table("exp2SlopesOfPow", "(2^r - 1) / r up to 1/16",
          *scaled(fit_evenly(exp2_slope, lambda r: r, -ONE / 16, ONE / 16, 3), 1 / unit), "F32")


def scaled(fitted, scale):
    """The polynomial's product with its argument, in a multiple of it."""
    coefficients, error = fitted
    return [c * scale ** (i + 1) for i, c in enumerate(coefficients)], error


def print_angles():
    """2/pi and pi/2 in parts, for sin and cos of f64."""
    bits, count = 26, 45
    pi = pi_in_units(1 << 2 * bits * count + 20) >> 20
    digits = (2 << (3 * bits * count)) // pi  # of 2/pi, times 2^(bits count)
    print(f"// 2/pi: digits of {bits} bits each, as integers.")
    print("constexpr double twoOverPiParts[] = {")
    parts = [digits >> bits * (count - 1 - k) & (1 << bits) - 1 for k in range(count)]
    for k in range(0, count, 7):
        print("    " + " ".join(f"{part}.0," for part in parts[k:k + 7]))
    print("};")
    print(f"constexpr double twoOverPi = {hexadecimal(nearest(2 / PI, 53))};")
    print("// pi/2: the first three have 32 bits.")
    rest, parts = PI / 2, []
    for _ in range(3):
        unit = D(2) ** (31 if not parts else 31 + 32 * len(parts))
        parts.append((rest * unit).to_integral_value(rounding=ROUND_FLOOR) / unit)
        rest -= parts[-1]
    print("constexpr double halfPiParts[] = {")
    for part in [*parts, nearest(rest, 53)]:
        print(f"    {hexadecimal(part)},")
    print("};")
    print("// pi/2: parts of 53 bits.")
    rest, parts = PI / 2, []
    for _ in range(3):
        part = nearest(rest, 53, ROUND_FLOOR)
        parts.append(part)
        rest -= part
    print("constexpr double longHalfPiParts[] = {")
    for part in parts:
        print(f"    {hexadecimal(part)},")
    print("};")


def main():
    print("// Coefficients of the vector math functions, lowest power first.")
    print("// Generated by tests/oracle/fit_math.py: change the script, not this file.")
    print(f"constexpr double log2E = {hexadecimal(1 / TWO.ln())};")
    for kind in ("F32", "F64"):
        print()
        print_kind(kind)
    print()
    print_tables()
    print()
    print_low_precision_tables()
    print()
    print_angles()


if __name__ == "__main__":
    main()
