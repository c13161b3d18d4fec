"""Prints a program that multiplies bytes of all signs in many shapes and compares with products that are computed here.

B is a constant, or (hidden by a shift that nobody folds) a value that is only known when the program runs. Some products
have an epilogue that makes bytes of the sums again.
"""
import itertools
import random

random.seed(8)
SHAPES = [(1, 1, 1), (1, 33, 2), (5, 1, 3), (3, 37, 5), (13, 32, 64), (67, 33, 19), (70, 16, 262), (2, 40, 1100)]
ENDS = [0, 127, 128, 255]


def hexadecimal(values, width):
    return "0x" + b"".join((value % (1 << 8 * width)).to_bytes(width, "little") for value in values).hex()


def dense(values, width):
    """A literal; one of a single element is no string of bytes."""
    if len(set(values)) == 1:
        bits = 8 * width
        value = values[0] % (1 << bits)
        return f"dense<{value - (1 << bits) if value >= 1 << bits - 1 else value}>"
    return f'dense<"{hexadecimal(values, width)}">'


def number(byte, sign):
    return byte if sign == "u" or byte < 128 else byte - 256


def rounded(total):
    """What the epilogue makes of a sum: a bias, a scale that is a power of two, the range of u8."""
    return max(0, min(255, (total + 100) >> 4))


class Program:
    def __init__(self):
        self.count, self.functions, self.calls = 0, [], []

    def add(self, m, n, k, signs, hidden, ends, epilogue):
        name = f"case{self.count}"
        self.count += 1
        a, b = ([random.choice(ENDS) if ends else random.randrange(256) for _ in range(size)] for size in (m * k, k * n))
        if ends == "same":
            a, b = [255 if signs[0] == "u" else 128] * (m * k), [255 if signs[1] == "u" else 127] * (k * n)
        rows = [[number(x, signs[0]) for x in a[i * k:(i + 1) * k]] for i in range(m)]
        columns = [[number(x, signs[1]) for x in b[j::n]] for j in range(n)]
        sums = [sum(map(int.__mul__, row, column)) for row in rows for column in columns]
        result, width = ("i8", 1) if epilogue else ("i32", 4)
        if epilogue:
            sums = [rounded(total) for total in sums]
        extend = {"u": "arith.extui", "s": "arith.extsi"}
        lines = [f"  // {name}: {signs[0]}8 by {signs[1]}8, {m}x{n}x{k}",
                 f"  %a{name} = arith.constant {dense(a, 1)} : tensor<{m}x{k}xi8>",
                 f"  %w{name} = arith.constant {dense(b, 1)} : tensor<{k}x{n}xi8>",
                 f"  %expected{name} = arith.constant {dense(sums, width)} : tensor<{m}x{n}x{result}>"]
        weights = f"%w{name}"
        if hidden:
            lines += [f"  %eb{name} = tensor.empty() : tensor<{k}x{n}xi8>",
                      f"  %b{name} = linalg.generic {{indexing_maps = [#id, #one, #id], iterator_types = [\"parallel\", \"parallel\"]}}",
                      f"      ins(%w{name}, %z : tensor<{k}x{n}xi8>, tensor<1xi8>) outs(%eb{name} : tensor<{k}x{n}xi8>) {{",
                      "  ^bb0(%x: i8, %y: i8, %o: i8):",
                      "    %four = arith.constant 4 : i8",
                      "    %s = arith.shrui %y, %four : i8",
                      "    %t = arith.shrui %s, %four : i8",
                      "    %r = arith.addi %x, %t : i8",
                      "    linalg.yield %r : i8",
                      f"  }} -> tensor<{k}x{n}xi8>"]
            weights = f"%b{name}"
        lines += [f"  %e{name} = tensor.empty() : tensor<{m}x{n}xi32>",
                  f"  %f{name} = linalg.fill ins(%zero : i32) outs(%e{name} : tensor<{m}x{n}xi32>) -> tensor<{m}x{n}xi32>",
                  f"  %r{name} = linalg.generic {{indexing_maps = [#a, #b, #c], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}}",
                  f"      ins(%a{name}, {weights} : tensor<{m}x{k}xi8>, tensor<{k}x{n}xi8>) outs(%f{name} : tensor<{m}x{n}xi32>) {{",
                  "  ^bb0(%x: i8, %y: i8, %o: i32):",
                  f"    %u = {extend[signs[0]]} %x : i8 to i32",
                  f"    %v = {extend[signs[1]]} %y : i8 to i32",
                  "    %p = arith.muli %u, %v : i32",
                  "    %s = arith.addi %o, %p : i32",
                  "    linalg.yield %s : i32",
                  f"  }} -> tensor<{m}x{n}xi32>"]
        actual = f"%r{name}"
        if epilogue:
            lines += [f"  %g{name} = tensor.empty() : tensor<{m}x{n}xi8>",
                      f"  %q{name} = linalg.generic {{indexing_maps = [#id, #id], iterator_types = [\"parallel\", \"parallel\"]}}",
                      f"      ins(%r{name} : tensor<{m}x{n}xi32>) outs(%g{name} : tensor<{m}x{n}xi8>) {{",
                      "  ^bb0(%x: i32, %o: i8):",
                      "    %f = arith.sitofp %x : i32 to f32",
                      "    %bias = arith.constant 100.0 : f32",
                      "    %s = arith.addf %f, %bias : f32",
                      "    %scale = arith.constant 0.0625 : f32",
                      "    %m = arith.mulf %s, %scale : f32",
                      "    %d = math.floor %m : f32",
                      "    %low = arith.constant 0.0 : f32",
                      "    %high = arith.constant 255.0 : f32",
                      "    %l = arith.maximumf %d, %low : f32",
                      "    %h = arith.minimumf %l, %high : f32",
                      "    %i = arith.fptosi %h : f32 to i32",
                      "    %t = arith.trunci %i : i32 to i8",
                      "    linalg.yield %t : i8",
                      f"  }} -> tensor<{m}x{n}xi8>"]
            actual = f"%q{name}"
        lines += [f"  bench.expect_close {actual}, %expected{name} : tensor<{m}x{n}x{result}>"]
        self.calls += lines

    def print(self):
        print("#a = affine_map<(m, n, k) -> (m, k)>\n#b = affine_map<(m, n, k) -> (k, n)>\n#c = affine_map<(m, n, k) -> (m, n)>")
        print("#id = affine_map<(i, j) -> (i, j)>\n#one = affine_map<(i, j) -> (0)>")
        print("func.func @main(%z: tensor<1xi8>) {\n  %zero = arith.constant 0 : i32")
        print("\n".join(self.calls))
        print("  return\n}")


program = Program()
for signs in ("us", "su", "uu", "ss"):
    for (m, n, k), hidden in itertools.product(SHAPES, [False, True]):
        program.add(m, n, k, signs, hidden, hidden, False)
    program.add(13, 33, 70, signs, False, False, True)
    program.add(66, 33, 70, signs, True, False, True)
    program.add(1, 2, 70000, signs, False, "same", False)
program.print()
