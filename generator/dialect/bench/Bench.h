// The bench dialect: checks and measurements inside the code under test.
#pragma once

#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/OpImplementation.h>
#include <mlir/Interfaces/ControlFlowInterfaces.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

#include "dialect/bench/BenchDialect.h.inc"
#define GET_OP_CLASSES
#include "dialect/bench/BenchOps.h.inc"

namespace kgen::bench {

/// True if the host can read elements of this type: f16, bf16, f32, f64, i1, i8, i32, i64.
bool isReadable(mlir::Type element);

/// One-shot bufferization of the dialect's operations.
void registerBufferizationModels(mlir::DialectRegistry &registry);

} // namespace kgen::bench
