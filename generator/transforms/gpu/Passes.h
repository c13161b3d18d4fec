// Declarations of the passes of Passes.td.
#pragma once

#include "transforms/PassTypes.h"

#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/SPIRV/IR/SPIRVDialect.h>
#include <mlir/Dialect/SPIRV/IR/SPIRVOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

namespace kgen {

#define GEN_PASS_DECL
#include "transforms/gpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "transforms/gpu/Passes.h.inc"

} // namespace kgen
