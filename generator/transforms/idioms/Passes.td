#ifndef KGEN_TRANSFORMS_IDIOMS_PASSES_TD
#define KGEN_TRANSFORMS_IDIOMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def RaiseNormalizationsPass : Pass<"kgen-raise-normalizations", "::mlir::func::FuncOp"> {
  let summary = "Recognize layer, RMS, group and instance normalizations that are written in single operations.";
  let description = [{
    Precondition: linalg on tensors of static shapes, named or not; nothing has been fused. Postcondition: a normalization is the
    two or three loops that kgen's own operators are: the mean, the inverse deviation, and what is done to each element.

    An operation is one if its result is, as a polynomial, `(x - mean) * inverse [* scale] [+ shift]`, where

    | part | is |
    |---|---|
    | mean | the sum of `x` over some dimensions by their number; without it: an RMS normalization |
    | inverse | `(sum((x - mean)^2) / n + epsilon)^(-1/2)`, or `1 / (sqrt(sum((x - mean)^2) / n) + epsilon)`, over the same dimensions |
    | epsilon | a number, or nothing |
    | scale, shift | tensors that are broadcast, or numbers |

    So it does not matter whether squares are products or powers, whether the root divides or its inverse multiplies, whether
    scale and mean were multiplied first (`x * k + (shift - mean * k)`), in which order, and with which broadcasts and reshapes.
    Scales and shifts that follow are taken in, also behind a reshape: that is how group normalizations are exported.

    Not recognized, and reported: an epsilon or a count that is another one, a mean of something else or over other dimensions, a
    variance that is `mean(x^2) - mean(x)^2`, and intermediate results that another operation reads.

    Precision: sums are those of before. The inverse is computed in f64 where elements are f32, and rounded once, so the product
    with it has no larger error than the quotient by a rounded root. With bf16 and f16, intermediate results are not rounded any more.

    ```mlir
    %m = linalg.generic ... ins(%sum) { divide by 768 }
    %d = linalg.sub ins(%x, %mb : ...) ...
    %p = linalg.mul ins(%d, %d : ...) ...
    %v = linalg.generic ... ins(%p) { sum of rows }
    %s = linalg.generic ... ins(%v) { sqrt(v / 768 + 1e-5) }
    %y = linalg.div ins(%d, %sb : ...) ...
    ```
    becomes
    ```mlir
    %squares = linalg.generic ... ins(%x, %m) { sum of (x - m)^2 over rows }
    %inverse = linalg.generic ... ins(%squares) { 1 / sqrt(squares / 768 + 1e-5) }
    %y = linalg.generic ... ins(%x, %m, %inverse) { (x - m) * inverse }
    ```
  }];
  let statistics = [
    Statistic<"numRaised", "raised", "Normalizations that were recognized">,
    Statistic<"numRefused", "refused", "Expressions that are nearly a normalization">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def RaiseInterleavedRotationsPass : Pass<"kgen-raise-interleaved-rotations", "::mlir::func::FuncOp"> {
  let summary = "Recognize rotary embeddings of neighbours.";
  let description = [{
    Precondition: linalg on tensors of static shapes, named or not; nothing has been fused. Postcondition: where pairs of neighbours are taken
    apart, rotated and joined, one operation over the pairs computes each element from itself and the other one of its pair, which
    kgen-vectorize exchanges in registers. All other code is unchanged.

    Pairs are taken apart by slices and joined by `tensor.insert_slice` or `tensor.concat`:

    | elements | of |
    |---|---|
    | `x[..., 0::2]` and `x[..., 1::2]` | each two neighbours of the last dimension, or of a part of it |
    | `x[..., 0]` and `x[..., 1]` | a dimension of two (`view(..., d / 2, 2)`) |

    and joined elements are a rotation if they are

    | first elements | second elements | as in |
    |---|---|---|
    | `x0 c - x1 s` | `x1 c + x0 s` | the operator RotaryEmbedding, products of complex numbers |
    | `-x1` | `x0` | `x * cos + rotate_every_two(x) * sin`, whose products and sum kgen-fold-into-eltwise fuses with it |

    in any order, with any signs. `c` and `s` are the same for both elements of a pair, or pairs themselves. So it does not matter which
    reshapes, broadcasts and negations stand between.

    Precision: products and sums are those of before, and are rounded as before; signs are exact. With bf16 and f16, products are not rounded any more.

    ```mlir
    %x0 = tensor.extract_slice %x[0, 0] [8, 32] [1, 2] : tensor<8x64xf32> to tensor<8x32xf32>
    %x1 = tensor.extract_slice %x[0, 1] [8, 32] [1, 2] : tensor<8x64xf32> to tensor<8x32xf32>
    %y0 = linalg.generic ins(%x0, %cos, %x1, %sin) { x0 cos - x1 sin }
    %y1 = linalg.generic ins(%x0, %sin, %x1, %cos) { x0 sin + x1 cos }
    %i = tensor.insert_slice %y0 into %e[0, 0] [8, 32] [1, 2] : tensor<8x32xf32> into tensor<8x64xf32>
    %y = tensor.insert_slice %y1 into %i[0, 1] [8, 32] [1, 2] : tensor<8x32xf32> into tensor<8x64xf32>
    ```
    becomes
    ```mlir
    %p = tensor.expand_shape %x [[0], [1, 2]] ... : tensor<8x64xf32> into tensor<8x32x2xf32>
    %r = linalg.generic {indexing_maps = [(r, p, e) -> (r, p, 1), (r, p, e) -> (r, p, 0), (r, p, e) -> (e), (r, p, e) -> (r, p),
                                          (r, p, e) -> (e), (r, p, e) -> (r, p, e), (r, p, e) -> (r, p), (r, p, e) -> (r, p, e)], ...}
        ins(%p, %p, %isFirst, %sin, %signs, %p, %cos) { select the other element, multiply and add }
    %y = tensor.collapse_shape %r [[0], [1, 2]] : tensor<8x32x2xf32> into tensor<8x64xf32>
    ```
  }];
  let statistics = [
    Statistic<"numRaised", "raised", "Rotations that were recognized">,
    Statistic<"numRefused", "refused", "Joined elements of pairs that are computed otherwise">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def RaiseSoftmaxPass : Pass<"kgen-raise-softmax", "::mlir::func::FuncOp"> {
  let summary = "Recognize softmax and log-softmax that are written in single operations.";
  let description = [{
    Precondition: linalg on tensors of static shapes, named or not; nothing has been fused but attention, which takes the softmax
    between two contractions as it is spelled (kgen-fuse-attention). Postcondition: a softmax is the loops that kgen's own
    operator is (maximum, powers, their sum, quotient); a log-softmax is three loops.

    | result, as a polynomial | is |
    |---|---|
    | `e / sum(e)` with `e = exp(x - max(x))` | a softmax |
    | `x - max(x) - log(sum(exp(x - max(x))))`, in any order | a log-softmax |

    Maximum and sum are over the same dimensions. Broadcasts and reshapes between them do not matter.

    Not recognized, and reported: exponentials without a maximum, which overflow for large x and are more exact for small x; a
    maximum over other dimensions or of something else; intermediate results that another operation reads. The logarithm of a
    softmax is none: for probabilities that are no less than the smallest normal number it is the more exact of the two.

    Precision: the quotient by a sum is a product with its inverse in two parts (`kgen.normal_quotient`), rounded as the quotient
    is. Powers that are too small to change the sum, and softmaxes that would be subnormal, are 0, as in kgen's own operator.

    ```mlir
    %e = linalg.exp ins(%d : ...) ...
    %s = linalg.reduce { arith.addf } ins(%e : tensor<128x768xf32>) outs(%zeros : tensor<128xf32>) dimensions = [1]
    %b = linalg.broadcast ins(%s : ...) outs(...) dimensions = [1]
    %y = linalg.div ins(%e, %b : ...) ...
    ```
    becomes
    ```mlir
    %e = linalg.generic ... ins(%x, %max) { kgen.exp_or_zero of the difference }
    %s = linalg.generic ... ins(%e) { sum of rows }
    %y = linalg.generic ... ins(%e, %s) { arith.divf %power, %sum {kgen.normal_quotient} }
    ```
  }];
  let statistics = [
    Statistic<"numRaised", "raised", "Softmaxes that were recognized">,
    Statistic<"numRefused", "refused", "Expressions that are nearly a softmax">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::kgen::KgenDialect"];
}

def RaiseActivationsPass : Pass<"kgen-raise-activations", "::mlir::func::FuncOp"> {
  let summary = "Recognize activation functions that are written in single scalar operations.";
  let description = [{
    Precondition: elementwise operations and epilogues have been fused (kgen-fuse-epilogues), and bodies do not round in between
    (kgen-fold-trunc-ext): an activation is in one body. Postcondition: it is one operation, which kgen-expand-math knows.

    | in a body, as a polynomial | becomes |
    |---|---|
    | `x / 2 + x / 2 erf(x sqrt(1/2))` | `kgen.gelu` |
    | `x / 2 + x / 2 tanh(sqrt(2/pi) (x + 0.044715 x^3))` | `kgen.gelu_tanh` |
    | `y / (1 + exp(-x))` | `kgen.sigmoid_product` of y and x: sigmoid for y = 1, SiLU for y = x |
    | a number between constants by a constant, also times x (hard-sigmoid, hard-swish) | a product with the inverse in two parts |
    | a quotient with `kgen.normal_quotient` (kgen-raise-softmax) | the same |

    Factors may have been rounded to f32: they differ from these by 2^-22 at most. A Gelu with other factors is another function:
    it stays, and is reported. The last two take fused multiply-adds.

    Precision: `kgen.gelu` and `kgen.gelu_tanh` are within 4 units in the last place, where the sum with erf or tanh loses all digits
    of small results. `kgen.sigmoid_product` is rounded as the quotient is, and also where exp(-x) overflows and the quotient is 0. A
    product with an inverse in two parts, `x h + x l`, is rounded once but for the error of `x l`, 2^-48 x / c.

    ```mlir
    %0 = arith.mulf %x, %c : f32
    %1 = math.erf %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.mulf %x, %2 : f32
    %y = arith.mulf %3, %half : f32
    ```
    becomes
    ```mlir
    %y = kgen.gelu %x : f32
    ```
  }];
  let statistics = [
    Statistic<"numRaised", "raised", "Activations that were recognized">,
    Statistic<"numRefused", "refused", "Expressions that are nearly an activation">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::kgen::KgenDialect"];
}

#endif
