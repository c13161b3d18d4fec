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

/// The coefficient of each of `rank` dimensions in `index`; nothing if it is no sum of dimensions
/// times positive constants.
std::optional<llvm::SmallVector<int64_t>> linearCoefficients(mlir::AffineExpr index, unsigned rank);

/// The index (d_channel floordiv size) * size + d_member: element `member` of the group of `size`
/// channels that contains `channel`, where both are numbers of dimensions.
struct IndexInGroup {
  unsigned channel, member;
  int64_t size;
  /// Nothing if `index` has another form.
  static std::optional<IndexInGroup> match(mlir::AffineExpr index);
};

/// Rows and columns of the register tile that the lowering configuration of `op`, which has `rows`
/// rows at most, names.
std::optional<std::pair<int64_t, int64_t>> userRegisterTile(ContractionOpInterface op,
                                                            int64_t rows);

/// The plan that kgen-assign-layouts wrote on a contraction, or what it would write.
GemmPlanAttr planOf(ContractionOpInterface op, TargetAttr target);
/// Writes that on `op`, unless it has a plan.
void setPlan(ContractionOpInterface op, TargetAttr target);

/// The block sizes of a contraction of at most `rows` rows on `target`, with the register tile of
/// its lowering configuration, if that names one.
GemmBlocking blockingOf(ContractionOpInterface op, TargetAttr target, int64_t rows,
                        bool mayUseTiles = true);

/// Clones a contraction with other `epilogueIns`, whose maps are over (batch..., m, n), and another
/// C, and without an epilogue region.
ContractionOpInterface cloneWithoutEpilogue(mlir::OpBuilder &builder, ContractionOpInterface op,
                                            mlir::Location loc, mlir::ValueRange epilogueIns,
                                            llvm::ArrayRef<mlir::AffineMap> epilogueMaps,
                                            mlir::Value init);

} // namespace kgen::tpp
