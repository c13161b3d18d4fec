#ifndef KGEN_TRANSFORMS_IDIOMS_PASSES_TD
#define KGEN_TRANSFORMS_IDIOMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def RaiseIdiomsPass : Pass<"kgen-raise-idioms", "::mlir::func::FuncOp"> {
  let summary = "Recognize operators that are written in single operations.";
  let description = [{
    Precondition: linalg on tensors, whose sizes are static or have bounds (`kgen.size`). Each idiom
    has a place in the pipeline, where its parts still are what a graph spells:

    | idiom | form of the code |
    |---|---|
    | `extrema` | any |
    | `normalizations` | linalg operations, named or not, of which none have been fused |
    | `integer-products` | likewise |
    | `half-rotations` | elementwise operations are `linalg.generic`; cosines and sines are joined halves, no repetitions yet (`gathers`) |
    | `gathers` | as the graph has them |
    | `pair-rotations` | gathers of the elements of pairs are slices (`gathers`); nothing has been fused |
    | `softmax` | nothing has been fused; kgen-hoist-attention-reshapes and kgen-fuse-attention take those between two contractions then |
    | `quantizations` | elementwise operations have been fused (kgen-fold-into-eltwise), and are no epilogues yet |
    | `channel-quantizations` | convolutions of bytes have the order of images that they keep (kgen-keep-image-order) |
    | `activations`, `clamps` | chains and epilogues have been fused, and bodies do not round in between (kgen-fuse-epilogues): what computes an element is in one body |

    Postcondition: an operation that computes one of `idioms` has the form below, which later passes
    know; all other code is unchanged. `kgen explain` says what was recognized as what, and what was
    missing where an idiom nearly matched.

    *Extrema.* A comparison and a selection that are a maximum or minimum for every input are one
    operation, which kgen-vectorize and the epilogues of micro-kernels compute by one instruction.

    One of the two values must be a constant c that is not a NaN; x is the other one. The result for
    a NaN x decides: if it is x, the operation is `arith.maximumf` or `arith.minimumf`; if it is c,
    it is `arith.maxnumf` or `arith.minnumf`. Zeros compare equal, but -0 is less than +0 for
    `maximumf` and `minimumf`, and `maxnumf` and `minnumf` may return either. So if c is a zero,
    only selections that choose between zeros as `maximumf` or `minimumf` do are rewritten:

    | selection | becomes |
    |---|---|
    | `x ugt c ? x : c`, `x ult c ? c : x`, ... of any c but -0 | `maximumf x, c` |
    | `x uge c ? x : c`, `x ole c ? c : x`, ... of any c but +0 | `maximumf x, c` |
    | `x ogt c ? x : c`, `x oge c ? x : c`, ... of any c but zeros | `maxnumf x, c` |

    and likewise for minima. Without a constant, no operation has the same result for a NaN on
    either side.

    *Normalizations.* A layer, RMS, group or instance normalization is `kgen.normalization`, as
    graphs have it; kgen-decompose-named-ops makes loops of it.

    An operation is one if its result is, as a polynomial,
    `(x - mean) * inverse [* scale] [+ shift]`, where

    | part | is |
    |---|---|
    | mean | the sum of `x` over some dimensions by their number; without it: an RMS normalization |
    | inverse | `(sum((x - mean)^2) / n + epsilon)^(-1/2)`, or `1 / (sqrt(sum((x - mean)^2) / n) + epsilon)`, over the same dimensions |
    | epsilon | a number, or nothing |
    | scale, shift | tensors that are broadcast, or numbers |

    So it does not matter whether squares are products or powers, whether the root divides or its
    inverse multiplies, whether scale and mean were multiplied first (`x * k + (shift - mean * k)`),
    in which order, and with which broadcasts and reshapes. Scales and shifts that follow are taken
    in, also after a reshape: that is how group normalizations are exported. So they are by a
    normalization of the graph whose own scale and bias leave room, if a reshape is between them;
    and one that reads what another node moved to it reads this where it lies. Factors of scale and
    shift, and rows in another order than that of the result, are an elementwise operation of their
    own, which kgen-fold-into-eltwise fuses with the loops.

    Not recognized, and reported: an epsilon or a count that is another one, a mean of something
    else or over other dimensions, a variance that is `mean(x^2) - mean(x)^2`, and intermediate
    results that another operation reads.

    Precision: sums are those of before. A quotient of f32 or f64 is no less exact than it is
    spelled (`rounded_quotient`), and its variance is rounded once (`fused_variance`). With bf16 and
    f16, intermediate results are not rounded any more.

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
    %y = kgen.normalization %x along [1] {centered, epsilon = 1.0e-05 : f64, rounded_quotient, fused_variance} : (tensor<128x768xf32>) -> tensor<128x768xf32>
    ```

    *Integer products.* A sum of products of f32 whose two operands are
    `(byte - zero point) * scale` is `kgen.quantized_product`, as graphs have it;
    kgen-decompose-named-ops makes a product of bytes of it. What quantizes the result is
    elementwise and follows as it is: kgen-fuse-epilogues makes it a part of the product.

    An operand is one if elementwise operations, transposes, reshapes, slices and pads with zeros
    lead from bytes to it, and compute a linear function of the byte, in whichever scalar
    operations, on integers or floats. Scale and zero point follow from that function; they are

    | part | is |
    |---|---|
    | scale | a constant: one for all, or one for each index of a dimension that is not summed over |
    | zero point | likewise, an integer that the bytes' type has; in filters of a convolution (operands with windows on the other side) 0 |

    Not recognized, and reported where both operands are made of bytes: scales that are no
    constants, which may be infinite or NaN; scales that differ along a dimension that is summed
    over; zero points that are no integers; sums of more than 33,025 products, which may exceed 32
    bits; products of scales that are no normal numbers.

    Operations that make floats of integers of 4 to 16 bits, and still have readers afterwards, are
    recorded with the reason of each of these; reshapes, slices, transposes and pads are passed
    over. `kgen explain` has a table of them.

    Precision: sums are exact and rounded to f32 once, and so is the product of the scales. Bytes
    are finite, and so is each result.

    ```mlir
    %0 = linalg.generic ... ins(%x : tensor<64x96xi8>) { arith.uitofp }
    %1 = linalg.generic ... ins(%0) { arith.subf %in, %c128 }
    %2 = linalg.generic ... ins(%1) { arith.mulf %in, %scale }
    %3 = linalg.generic ... ins(%w, %scales : tensor<96x64xi8>, tensor<64xf32>) { arith.mulf of arith.sitofp }
    %y = linalg.matmul ins(%2, %3 : tensor<64x96xf32>, tensor<96x64xf32>) outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
    ```
    becomes
    ```mlir
    %y = kgen.quantized_product %x by %w into %e left_zeros(%c128 on []) left_scales(%scale on []) right_scales(%scales on [1]) {..., left_unsigned}
        : (tensor<64x96xi8>, tensor<96x64xi8>, tensor<64x64xf32>, tensor<i8>, tensor<f32>, tensor<64xf32>) -> tensor<64x64xf32>
    ```

    *Rotations of halves.* Where a row is joined from two halves of another tensor in exchanged
    order, and that leads by elementwise operations that nothing else reads to a sum, the sum is
    computed for each half and the halves are joined; elements are what they were, bit by bit.

    This is how a rotary embedding is often spelled out (`x * cos + rotate_half(x) * sin`), which
    `pair-rotations` gives its name then. The halves of an operand are slices of it, the halves that
    it was joined from itself, or, if it is computed elementwise from such halves or for this sum
    alone, computed from halves.

    ```mlir
    %n = linalg.generic ins(%x2) { negate }
    %j = tensor.concat dim(1) %n, %x1 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x64xf32>
    %a = linalg.generic ins(%x, %cos : tensor<8x64xf32>, tensor<8x64xf32>) { multiply }
    %b = linalg.generic ins(%j, %sin : tensor<8x64xf32>, tensor<8x64xf32>) { multiply }
    %r = linalg.generic ins(%a, %b : tensor<8x64xf32>, tensor<8x64xf32>) { add }
    ```
    becomes
    ```mlir
    %a1 = linalg.generic ins(%x1, %cos1 : tensor<8x32xf32>, tensor<8x32xf32>) { multiply }
    %b1 = linalg.generic ins(%n, %sin1 : tensor<8x32xf32>, tensor<8x32xf32>) { multiply }
    %r1 = linalg.generic ins(%a1, %b1 : tensor<8x32xf32>, tensor<8x32xf32>) { add }
    ... and %r2
    %i = tensor.insert_slice %r1 into %e[0, 0] [8, 32] [1, 1] : tensor<8x32xf32> into tensor<8x64xf32>
    %r = tensor.insert_slice %r2 into %i[0, 32] [8, 32] [1, 1] : tensor<8x32xf32> into tensor<8x64xf32>
    ```

    *Gathers.* A copy along an axis by constant indices is

    | indices | instead |
    |---|---|
    | a, a + 1, a + 2, ... | a `tensor.extract_slice` |
    | 0, 0, ..., 1, 1, ... or 0, 1, ..., 0, 1, ... | a `linalg.generic` that broadcasts along a dimension, and a `tensor.collapse_shape` |
    | others | as it was |

    and so is a tensor that is joined from one tensor several times (`tensor.concat`, or
    `tensor.insert_slice` into one tensor). Elements are what they were. Indices may be negative or
    clamped, as ONNX's are: what counts is the element that is read.

    A sum of products of f32 or f64 with a constant matrix is, where each column of the matrix has
    one element other than 0,

    | these elements | instead |
    |---|---|
    | on the diagonal of a square matrix, all 1 | the other operand |
    | on the diagonal of a square matrix | a `linalg.generic` that multiplies by a vector |
    | elsewhere | a copy along an axis by constant indices, for which the table above holds, and such a product where they are not all 1 |

    The result has the columns in the place of the rows. Results are those of before, rounded once,
    but for two things: a NaN or an infinity that is multiplied by 0 no longer makes others of its
    row NaN, and -0 stays -0 (docs/MLIR.md).

    Heads of keys and values that several heads of queries share are often written like that;
    kgen-hoist-attention-reshapes and kgen-fuse-attention read the heads themselves then.

    ```mlir
    %i = arith.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
    %r = linalg.generic {indexing_maps = [(h, s) -> (h), (h, s) -> (h, s)], ...} ins(%i : tensor<4xi64>) ... {
      ... tensor.extract %k[%at, %s] : tensor<2x8xf32>
    } -> tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %b = linalg.generic {indexing_maps = [(h, g, s) -> (h, s), (h, g, s) -> (h, g, s)], ...} ins(%k : tensor<2x8xf32>) ... -> tensor<2x2x8xf32>
    %r = tensor.collapse_shape %b [[0, 1], [2]] : tensor<2x2x8xf32> into tensor<4x8xf32>
    ```

    *Rotations of pairs.* Where pairs of elements are separated, rotated and joined, they become
    `kgen.rotary_embedding`, as graphs have it; kgen-decompose-named-ops makes loops of it.

    Pairs are separated by slices and joined by `tensor.insert_slice` or `tensor.concat`:

    | elements | of |
    |---|---|
    | `x[..., 0::2]` and `x[..., 1::2]` | each two neighbours of the last dimension, or of a part of it |
    | `x[..., 0]` and `x[..., 1]` | a dimension of two (`view(..., d / 2, 2)`) |
    | `x[..., :d / 2]` and `x[..., d / 2:]` | two halves of the last dimension, or of a part of it |

    and joined elements are a rotation if they are

    | first elements | second elements | as in |
    |---|---|---|
    | `x0 c - x1 s` | `x1 c + x0 s` | ONNX's definition, products of complex numbers, what `half-rotations` leaves |
    | `-x1` | `x0` | neighbours in `x * cos + rotate_every_two(x) * sin`, of sizes that are known |

    `c` and `s` are the same for both elements of a pair, or pairs themselves, with some of the
    dimensions of x. So it does not matter which reshapes, broadcasts and negations stand between.

    Neighbours with other signs, without one of the terms, or transposed on the way, become one
    operation over the pairs that computes each element from itself and the other one of its pair,
    if sizes are known.

    Precision: products and sums are those of before, and are rounded as before; signs are exact.
    With bf16 and f16, products are not rounded any more.

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
    %y = kgen.rotary_embedding %x cosines(%cos) sines(%sin) on [0] {interleaved} : (tensor<8x64xf32>, tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x64xf32>
    ```

    *Softmax.* A softmax and a log-softmax are `kgen.softmax`, as graphs have it;
    kgen-decompose-named-ops makes loops of it.

    | result, as a polynomial | is |
    |---|---|
    | `e / sum(e)` with `e = exp(x - max(x))` | a softmax |
    | `x - max(x) - log(sum(exp(x - max(x))))`, in any order | a log-softmax |

    Maximum and sum are over the same dimensions. Broadcasts and reshapes between them do not
    matter.

    Not recognized, and reported: exponentials without a maximum, which overflow for large x and are
    more exact for small x; a maximum over other dimensions or of something else; intermediate
    results that another operation reads. The logarithm of a softmax is none: for probabilities that
    are no less than the smallest normal number it is the more exact of the two.

    Precision: a quotient of f32 or f64 is rounded as it is spelled (`rounded_quotient`): it becomes
    a product with an inverse in two parts (`kgen.normal_quotient`). Powers that are too small to
    change the sum, and softmaxes that would be subnormal, are 0, as in kgen's own operator.

    ```mlir
    %e = linalg.exp ins(%d : ...) ...
    %s = linalg.reduce { arith.addf } ins(%e : tensor<128x768xf32>) outs(%zeros : tensor<128xf32>) dimensions = [1]
    %b = linalg.broadcast ins(%s : ...) outs(...) dimensions = [1]
    %y = linalg.div ins(%e, %b : ...) ...
    ```
    becomes
    ```mlir
    %y = kgen.softmax %x along [1] {rounded_quotient} : tensor<128x768xf32> -> tensor<128x768xf32>
    ```

    *Quantizations.* What makes an integer of 8 bits of a sum of products of bytes, or of another
    such integer, is one multiply-add, or two, a rounding and two bounds: scales, biases, zero
    points, bounds and the quotient of `QuantizeLinear` become two numbers for each channel, or
    four. Between other floats and integers, the division by a known scale becomes a product with
    its inverse, and two fused operations that correct it.

    | result | becomes |
    |---|---|
    | a byte that never decreases as the integer grows, by sums, products and quotients with known numbers, extrema with them, conversions and `math.roundeven` | `roundeven(x * factor + term)` between two integers |
    | `roundeven` of a quotient by a known scale, between two integers | the same of `q + (x - q * scale) * inverse` with `q = x * inverse` |

    Results are those of before, each of them. Where the function of a channel grows, and just
    before, the multiply-add is tried at build time with the roundings of the target; numbers near
    the exact ones are tried until all are right. If none are, a second multiply-add before it, or a
    product, is tried where these two are fewer operations than there are: what it rounds moves
    sums that are next to a half. If none of these are right either, or bounds of the sum are not
    known, the code stays. The second row is tried next to each half. It and two multiply-adds take
    fused ones. Of a sum by a constant filter, only the numbers that its taps allow are tried. The
    addition of a zero point is known not to wrap around (`overflow<nsw>`).

    ```mlir
    %0 = arith.subi %sum, %correction : i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = arith.mulf %1, %scale : f32
    %3 = arith.addf %2, %bias : f32
    %4 = arith.divf %3, %resultScale : f32
    %5 = arith.maxnumf %4, %low : f32
    %6 = arith.minnumf %5, %high : f32
    %7 = math.roundeven %6 : f32
    %8 = arith.fptosi %7 : f32 to i32
    %9 = arith.addi %8, %zeroPoint : i32
    %y = arith.trunci %9 : i32 to i8
    ```
    becomes
    ```mlir
    %0 = arith.sitofp %sum : i32 to f32
    %1 = math.fma %0, %factor, %term : f32
    %2 = math.roundeven %1 : f32
    %3 = arith.fptosi %2 : f32 to i32
    %4 = arith.maxsi %3, %low : i32
    %5 = arith.minsi %4, %high : i32
    %y = arith.trunci %5 : i32 to i8
    ```

    *Quantizations by channel.* Some channels of a convolution may have no multiply-add of their
    own, and most do. kgen-vectorize runs the code of a depthwise convolution along rows of images
    (`byte-rows`) for one channel after the other, and that of windows of NHWC images
    (`windows-nhwc`) for a vector or a block of them. There, if more than one operation on floats
    is left before the rounding, each channel chooses between what is left and one multiply-add, or
    two, with the same results: the first factor is 0 for a channel that has none. Code takes them
    if all of its channels have them. That has to save half an operation on average; it takes fused
    multiply-adds.

    ```mlir
    %0 = arith.sitofp %sum : i32 to f32
    %1 = arith.mulf %0, %scale : f32
    %2 = arith.addf %1, %bias : f32
    %3 = arith.mulf %2, %rest : f32
    %4 = math.fma %2, %inverse, %3 : f32
    %5 = math.roundeven %4 : f32
    ```
    becomes
    ```mlir
    %has = arith.cmpf une, %factor, %zero : f32
    %single = math.fma %0, %factor, %term : f32
    %chosen = arith.select %has, %single, %4 : f32
    %5 = math.roundeven %chosen : f32
    ```

    *Activations.* An activation function in a body is one operation, which kgen-expand-math knows.

    | in a body, as a polynomial | becomes |
    |---|---|
    | `x / 2 + x / 2 erf(x sqrt(1/2))` | `kgen.gelu` |
    | `x / 2 + x / 2 tanh(sqrt(2/pi) (x + 0.044715 x^3))` | `kgen.gelu_tanh` |
    | `y / (1 + exp(-x))` | `kgen.sigmoid_product` of y and x: sigmoid for y = 1, SiLU for y = x |
    | a number between constants by a constant, also times x (hard-sigmoid, hard-swish) | a product with the inverse in two parts |
    | a quotient with `kgen.normal_quotient` (`softmax`) | the same |

    Factors may have been rounded to f32: they differ from these by 2^-22 at most. A Gelu with other
    factors is another function: it stays, and is reported. The last two take fused multiply-adds.

    Precision: `kgen.gelu` and `kgen.gelu_tanh` are within 4 units in the last place, where the sum
    with erf or tanh loses all digits of small results. `kgen.sigmoid_product` is rounded as the
    quotient is, and also where exp(-x) overflows and the quotient is 0. A product with an inverse
    in two parts, `x h + x l`, is rounded once but for the error of `x l`, 2^-48 x / c.

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

    *Clamps.* Bounds before `arith.fptosi` or `arith.fptoui` become the two that QuantizeLinear has:
    `x ogt low ? x : low`, and `minnumf` with the upper bound, after a selection for NaN if NaN is
    not the lower bound. The chain is of comparisons with selections, extrema with constants, and
    `x uno x ? c : x`, in any order and number. For an integer, zeros of both signs are the same.
  }];
  let options = [
    ListOption<"idioms", "idioms", "std::string",
               "What to recognize, in this order: extrema, normalizations, integer-products, half-rotations, gathers, pair-rotations, softmax, quantizations, activations, clamps, channel-quantizations">
  ];
  let statistics = [
    Statistic<"numRaised", "raised", "Idioms that were recognized">,
    Statistic<"numRefused", "refused", "Code that is nearly an idiom">
  ];
  let dependentDialects = ["::kgen::KgenDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif
