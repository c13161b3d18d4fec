// Pads the leading dimension of A by a copy: against split cache lines in tile registers, and
// against conflict misses if the caller's rows are a page apart.
#include "analysis/SizeBounds.h"
#include "costmodel/Caches.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/TensorSlice.h"
#include "dialect/kgen/TypeSizes.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/layout/OperandLayouts.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

using tpp::ContractionOpInterface;

/// True if A is contiguous along k and its rows may become longer.
bool hasRows(ContractionOpInterface op) {
  auto type = dyn_cast<RankedTensorType>(op.getA().getType());
  unsigned k = op.getAMap().getNumDims() - 1;
  return type && !type.isDynamicDim(type.getRank() - 1) && !op.getReductionSizes() &&
         !op.getStrictOrder() && type.getRank() >= 2 && op.getReductionRank() == 1 &&
         op.getAMap().getDimPosition(type.getRank() - 1) == k;
}

/// True if A is a view of the caller's memory. Rows of other memory grow in place
/// (kgen-pad-leading-dimension).
bool isOfCaller(Value a) {
  while (Operation *view = a.getDefiningOp()) {
    if (!isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::CastOp>(view))
      return isa<bufferization::ToTensorOp>(view);
    a = view->getOperand(0);
  }
  return true;
}

/// True if rows of tile registers of A cross cache lines: such a row takes two loads, for each
/// panel of B. With two panels or fewer, the copy costs about as much as it saves.
bool hasSplitLines(ContractionOpInterface op, const Cpu &cpu) {
  int64_t bytes = op.getK() * bytesOfElement(op.getAType());
  return bytes > cpu.lineBytes && bytes % cpu.lineBytes != 0 &&
         op.getN() > cpu.heuristics.maxSplitLinePanels * static_cast<int64_t>(*op.getPanel());
}

/// True if the rows of a register tile of A cause conflict misses. Vector kernels read all rows of
/// a tile at once. L1 is indexed by the address within a page: rows that are a multiple of a page
/// apart share one set, with half a page every other row does. If they take more than half of the
/// ways of a set, they and the panel of B evict each other.
bool haveConflictMisses(ContractionOpInterface op, TargetAttr target,
                        const GemmBlocking &blocking) {
  return op.getK() > 0 && isOfCaller(op.getA()) &&
         hasSetConflicts(target.cpu(), blocking.mr, op.getK() * bytesOfElement(op.getAType()));
}

/// True if enough panels of B read A for the copy to be a small share of the work.
bool paysForCopy(ContractionOpInterface op, const Cpu &cpu, const GemmBlocking &blocking) {
  int64_t panel = op.getPanel() ? static_cast<int64_t>(*op.getPanel()) : blocking.nr;
  return op.getN() >= cpu.heuristics.minPaddedPanels * panel;
}

/// Returns why A stays as it is although its rows meet; empty if it is padded; nothing if padding
/// would not help.
std::optional<StringRef> refusal(ContractionOpInterface op, TargetAttr target) {
  const Cpu &cpu = target.cpu();
  if (!hasRows(op) || greatestRowsOf(op) < cpu.heuristics.minPaddedRows)
    return std::nullopt;
  GemmBlocking blocking = tpp::blockingOf(op, target, greatestRowsOf(op));
  if (!(blocking.usesTiles ? hasSplitLines(op, cpu) : haveConflictMisses(op, target, blocking)))
    return std::nullopt;
  return blocking.usesTiles || paysForCopy(op, cpu, blocking)
             ? ""
             : "rows of A conflict in L1, but too few panels of B read them to pay for a copy";
}

/// Inserts `a` into a tensor with longer rows: up to a multiple of a cache line, at least one
/// element more.
Value withPaddedRows(OpBuilder &b, Location loc, Value a, const Cpu &cpu) {
  auto type = cast<RankedTensorType>(a.getType());
  SmallVector<OpFoldResult> sizes = sizesOf(b, loc, a), longerSizes = sizes,
                            offsets(sizes.size(), b.getIndexAttr(0));
  int64_t line = cpu.lineBytes / bytesOfElement(type), row = type.getShape().back();
  longerSizes.back() =
      b.getIndexAttr(static_cast<int64_t>(llvm::alignTo(row + (row % line == 0), line)));
  Value longer = emptyTensor(b, loc, longerSizes, type.getElementType());
  return insert(b, loc, a, longer, TensorSlice(offsets, sizes));
}

} // namespace

LayoutCounts assignPitchOfA(func::FuncOp func, TargetAttr target, DecisionLog &log) {
  LayoutCounts counts;
  llvm::MapVector<Value, SmallVector<ContractionOpInterface>> readers;
  func.walk([&](ContractionOpInterface op) {
    std::optional<StringRef> why = refusal(op, target);
    if (!why)
      return;
    if (why->empty()) {
      readers[op.getA()].push_back(op);
      return;
    }
    ++counts.refused;
    log.add("refused", op.getLoc(), log.details().set("why", *why));
  });
  OpBuilder b(func.getContext());
  for (auto &[a, ops] : readers) {
    b.setInsertionPointAfterValue(a);
    Location loc = withPurpose(b.getFusedLoc({ops.front().getLoc(), a.getLoc()}), "pad");
    Value longer = withPaddedRows(b, loc, a, target.cpu());
    for (ContractionOpInterface op : ops) {
      ++counts.done;
      log.add("applied", op.getLoc(), log.details().set("what", "rows of A are padded by a copy"));
      op->setAttr("reduction_sizes", b.getDenseI64ArrayAttr({op.getK()}));
      op->setOperand(0, longer);
    }
  }
  return counts;
}

} // namespace kgen
