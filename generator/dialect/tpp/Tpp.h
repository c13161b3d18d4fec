// The tpp dialect: tile operations on tensors and memrefs.
#pragma once

#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/Dialect/Utils/StructuredOpsUtils.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/OpImplementation.h>
#include <mlir/IR/TypeUtilities.h>
#include <mlir/Interfaces/ControlFlowInterfaces.h>
#include <mlir/Interfaces/DestinationStyleOpInterface.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

#include "dialect/kgen/Kgen.h"
#include "dialect/tpp/Contraction.h"
#include "dialect/tpp/Elementwise.h"
#include "dialect/tpp/Scalars.h"
#include "dialect/tpp/TppDialect.h.inc"
#include "dialect/tpp/TppEnums.h.inc"
#define GET_OP_CLASSES
#include "dialect/tpp/TppOps.h.inc"

namespace kgen::tpp {

/// One-shot bufferization of the dialect's operations.
void registerBufferizationModels(mlir::DialectRegistry &registry);
/// Tiling and fusion by upstream's TilingInterface.
void registerTilingModels(mlir::DialectRegistry &registry);

/// By how much an index moves with each of `rank` dimensions; nothing if it is no sum of them times
/// positive constants.
std::optional<llvm::SmallVector<int64_t>> linearCoefficients(mlir::AffineExpr index, unsigned rank);

/// The index of element `d_member` in the group of `size` that `d_channel` belongs to:
/// (d_channel floordiv size) * size + d_member.
struct IndexInGroup {
  unsigned channel, member;
  int64_t size;
  /// Nothing if `index` is another one.
  static std::optional<IndexInGroup> of(mlir::AffineExpr index);
};

/// How `target` cuts the contraction: its matrices are of the sizes of the operation.
GemmBlocking blockingOf(ContractionOpInterface op, TargetAttr target, bool mayUseTiles = true);

/// The same contraction with other `epilogue_ins`, whose maps are over (batch..., m, n), and
/// another C. Its epilogue is left empty.
ContractionOpInterface cloneWithoutEpilogue(mlir::OpBuilder &builder, ContractionOpInterface op,
                                            mlir::Location loc, mlir::ValueRange extras,
                                            llvm::ArrayRef<mlir::AffineMap> epilogueMaps,
                                            mlir::Value init);

} // namespace kgen::tpp
