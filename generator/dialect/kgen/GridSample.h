// The loops of kgen.grid_sample, in the order of dimensions that is asked for.
#pragma once

#include "dialect/kgen/NamedOps.h"

namespace kgen {

/// Samples `image`, that of the operation as it is, or with its channels last; so is the result.
mlir::Value sampleImage(mlir::OpBuilder &b, GridSampleOp op, mlir::Value image, bool channelsLast);

} // namespace kgen
