#ifndef KGEN_TRANSFORMS_IDIOMS_PASSES_TD
#define KGEN_TRANSFORMS_IDIOMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def RaiseNormalizationsPass : Pass<"kgen-raise-normalizations", "::mlir::func::FuncOp"> {
  let summary = "Recognise layer, RMS, group and instance normalizations that are written in single operations.";
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

    Not recognised, and reported: an epsilon or a count that is another one, a mean of something else or over other dimensions, a
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
    Statistic<"numRaised", "raised", "Normalizations that were recognised">,
    Statistic<"numRefused", "refused", "Expressions that are nearly a normalization">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

#endif
