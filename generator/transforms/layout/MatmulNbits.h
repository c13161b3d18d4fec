// Lowers matmuls with blockwise quantized weights (kgen-lower-nbits).
#pragma once

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Kgen.h"

namespace kgen {

/// Replaces a matmul with constant weights by a tpp.gemm of prepacked ones. False if something of
/// them is not constant.
bool prepack(MatmulNbitsOp op, DecisionLog &log);
/// Replaces the rounding of rows by loops over vectors, in tasks of at least `taskWork` scalar
/// operations.
void lowerQuantizedRows(QuantizeRowsOp op, TargetAttr target, int64_t taskWork);
/// Replaces a matmul by a linalg.generic that makes f32 of the weights, and a contraction.
void decompose(MatmulNbitsOp op, DecisionLog &log);

} // namespace kgen
