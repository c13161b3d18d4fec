// The kgen dialect: #kgen.target with its block-size formulas, attention, activations and task
// grids.
#pragma once

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

namespace kgen {

/// Facts of x86: bytes of a cache line, and of a page. Hardware prefetchers stop at the end of a
/// page, and a way of L1 has the size of a page.
constexpr int64_t lineBytes = 64, pageBytes = 4096;

/// Block sizes of a contraction, in elements. C is computed in register tiles of at most `mr` rows
/// by `nr` columns.
struct GemmBlocking {
  int64_t mr = 1; ///< rows of the register tile at full width
  int64_t nr = 1; ///< columns of the register tile, at most `panel`
  /// Vector registers for C: mr * nr / lanes. Tiles of fewer columns may use more rows.
  int64_t accumulators = 1;
  int64_t mc = 1;       ///< rows of a block of A, which is used for each panel of B in turn
  int64_t kc = 1;       ///< depth of a block; C is read and written once for each
  int64_t panel = 1;    ///< columns of a packed panel of B; the same for every target of a type
  bool usesAmx = false; ///< the register tile is one of AMX tiles
};

/// Which instructions multiply two element types and add up.
enum class ProductForm {
  multiplyAdd,    ///< of the type itself
  upconvert,      ///< up-convert both to f32, then multiply-add
  dotProduct,     ///< pairs of bf16 (vdpbf16ps) or fours of 8-bit integers (vpdpbusd) at once
  multiplyAddI16, ///< up-convert 8-bit to 16-bit integers, then vpmaddwd on pairs
  amx             ///< 16 x 16 sums in one instruction on AMX tiles
};

} // namespace kgen

#include "dialect/kgen/KgenDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/kgen/KgenAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialect/kgen/KgenOps.h.inc"

namespace kgen {

/// The type in which values of `element` are computed: f32 for bf16 and f16, otherwise `element`.
mlir::Type accumulatorOf(mlir::Type element);

/// The type of sums of products of `a` and `b`: i32 for i8, otherwise the type in which both are
/// computed; null if those differ.
mlir::Type accumulatorOf(mlir::Type a, mlir::Type b);

/// True for mathematical functions, which are lowered to polynomials and the like: the operations
/// of the math dialect and those of kgen.
bool isMathFunction(mlir::Operation *op);

/// True if `rows` rows that are read at the same time, with a row pitch of `distance` bytes, occupy
/// more than half of the ways of a set of L1: conflict misses with what else is read. The set of an
/// address depends on its offset in a page.
bool hasSetConflicts(TargetAttr target, int64_t rows, int64_t distance);

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

/// The target of the module around `op`, or null after an error at `op`: for passes that need one.
TargetAttr requireTarget(mlir::Operation *op);

} // namespace kgen
