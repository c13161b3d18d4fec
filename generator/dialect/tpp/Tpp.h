// The tpp dialect: tile operations on tensors and memrefs.
#pragma once

#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/OpImplementation.h>
#include <mlir/IR/TypeUtilities.h>
#include <mlir/Interfaces/ControlFlowInterfaces.h>
#include <mlir/Interfaces/DestinationStyleOpInterface.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

#include "dialect/tpp/TppDialect.h.inc"
#define GET_OP_CLASSES
#include "dialect/tpp/TppOps.h.inc"

namespace kgen::tpp {

/// One-shot bufferization of the dialect's operations.
void registerBufferizationModels(mlir::DialectRegistry &registry);

} // namespace kgen::tpp
