// A target's file as the attribute that passes see.
#pragma once

#include "target/TargetSpec.h"

namespace mlir {
class MLIRContext;
}

namespace kgen {

class TargetAttr;

TargetAttr makeTargetAttr(const TargetSpec &target, mlir::MLIRContext *context);

} // namespace kgen
