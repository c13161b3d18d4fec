// The kgen dialect: #kgen.target with its block-size formulas, attention, activations and task
// grids.
#pragma once

#include "costmodel/GemmBlocking.h"
#include "costmodel/Products.h"

#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/Dialect/LLVMIR/LLVMTypes.h>
#include <mlir/Dialect/SCF/IR/DeviceMappingInterface.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/OpImplementation.h>
#include <mlir/IR/SymbolTable.h>
#include <mlir/IR/TypeUtilities.h>
#include <mlir/Interfaces/ControlFlowInterfaces.h>
#include <mlir/Interfaces/DestinationStyleOpInterface.h>
#include <mlir/Interfaces/InferTypeOpInterface.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

#include <map>
#include <mutex>

namespace kgen {

class TargetAttr;

} // namespace kgen

#include "dialect/kgen/KgenDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/kgen/KgenAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialect/kgen/KgenOps.h.inc"

namespace kgen {

/// A type as the cost model knows it: by its name, or else by its width.
Element elementOf(mlir::Type type);

/// The type in which values of `element` are computed: f32 for bf16 and f16, otherwise `element`.
mlir::Type accumulatorOf(mlir::Type element);

/// The type of sums of products of `a` and `b`: i32 for i8, otherwise the type in which both are
/// computed; null if those differ.
mlir::Type accumulatorOf(mlir::Type a, mlir::Type b);

/// True for mathematical functions, which are lowered to polynomials and the like: the operations
/// of the math dialect and those of kgen.
bool isMathFunction(mlir::Operation *op);

/// One-shot bufferization of the dialect's operations.
void registerBufferizationModels(mlir::DialectRegistry &registry);

/// Module attribute: the target.
constexpr llvm::StringLiteral targetAttrName = "kgen.target";

/// Function attribute: sums of products of f16 may be kept in f16.
constexpr llvm::StringLiteral f16AccumulateAttrName = "kgen.f16_accumulate";

/// Function attribute (an integer, 2 or 4): convolutions of 3 x 3 windows may be computed by
/// Winograd's transforms, with output tiles of at most so many elements a side.
constexpr llvm::StringLiteral winogradAttrName = "kgen.winograd";

/// The maximum number of products whose sum is kept in f16 before it is added to one in f32: the
/// rounding error and the risk of overflow grow with it.
constexpr int64_t maxF16Products = 256;

/// The maximum number of tasks of a launch: it is a uint32_t in C.
constexpr int64_t maxTasks = 0xffffffff;

/// True if a launch can capture values of the type: scalars, vectors, pointers, and buffers of
/// static shape and layout, which their address describes.
bool canBeCaptured(mlir::Type type);

/// The target of the module around `op`, or null.
TargetAttr targetOf(mlir::Operation *op);

/// The cost model's view of the target of the module around `op`; of its defaults if there is none.
const Cpu &cpuOf(mlir::Operation *op);

/// The target of the module around `op`, or null after an error at `op`: for passes that need one.
TargetAttr requireTarget(mlir::Operation *op);

} // namespace kgen
