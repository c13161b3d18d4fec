"""Writes a file with 2,000 calls of 1,000 distinct instances of a template: many.py FILE [--reverse]"""
import sys

TEMPLATE = """template.func {T : any_type_of<f32, bf16>, M : index, N : index, K : index}
@mma(%a : tensor<MxKxT>, %b : tensor<KxNxT>) -> tensor<MxNxf32> {
  %zero = template.constant 0 : f32
  %empty = tensor.empty() : tensor<MxNxf32>
  %out = linalg.fill ins(%zero : f32) outs(%empty : tensor<MxNxf32>) -> tensor<MxNxf32>
  template.const_if is_same(T, f32) {
    %0 = linalg.matmul ins(%a, %b : tensor<MxKxf32>, tensor<KxNxf32>) outs(%out : tensor<MxNxf32>) -> tensor<MxNxf32>
    return %0 : tensor<MxNxf32>
  } else {
    template.let P = K / 2
    %pairs = tensor.expand_shape %a [[0], [1, 2]] output_shape [M, P, 2] : tensor<MxKxT> into tensor<MxPx2xT>
    %space = tensor.empty() : tensor<PxNx2xT>
    %vnni = linalg.pack %b inner_dims_pos = [0] inner_tiles = [2] into %space : tensor<KxNxT> -> tensor<PxNx2xT>
    %1 = linalg.contract indexing_maps = [affine_map<(m, n, k, v) -> (m, k, v)>, affine_map<(m, n, k, v) -> (k, n, v)>,
                                          affine_map<(m, n, k, v) -> (m, n)>]
        ins(%pairs, %vnni : tensor<MxPx2xT>, tensor<PxNx2xT>) outs(%out : tensor<MxNxf32>) -> tensor<MxNxf32>
    return %1 : tensor<MxNxf32>
  }
}
"""


def function(name, i):
    element = "f32" if i % 2 else "bf16"
    m, k = 1 + i // 20, 2 * (1 + i % 20)
    a, b, r = f"tensor<{m}x{k}x{element}>", f"tensor<{k}x16x{element}>", f"tensor<{m}x16xf32>"
    return (f"func.func private @{name}(%a: {a}, %b: {b}) -> {r} {{\n"
            f"  %0 = template.call @mma(%a, %b) : ({a}, {b}) -> {r}\n  return %0 : {r}\n}}\n")


def main():
    numbers = [n % 1000 for n in range(2000)]
    if "--reverse" in sys.argv:
        numbers.reverse()
    with open(sys.argv[1], "w") as out:
        out.write(TEMPLATE)
        for n, i in enumerate(numbers):
            out.write(function(f"f{n}", i))


main()
