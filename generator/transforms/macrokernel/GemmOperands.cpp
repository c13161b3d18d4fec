// Where the tiles of operands lie that micro-kernels are given.
#include "transforms/macrokernel/MacroKernel.h"

#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen {

LogicalResult MacroKernel::collect(Value value, AffineMap map, Operand &operand) {
  auto type = cast<MemRefType>(value.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return gemm->emitOpError() << "needs operands with static strides, found " << type;
  operand.base = value;
  operand.offset = b.getIndexAttr(offset);
  if (ShapedType::isDynamic(offset))
    operand.offset = memref::ExtractStridedMetadataOp::create(b, loc, value).getOffset();
  operand.strides.assign(sizes.size(), 0);
  unsigned shift = 2 - gemm.getReductionRank(); // what is summed over is (r, k) here
  for (auto [result, stride] : llvm::zip(map.getResults(), strides)) {
    SmallVector<int64_t> steps = *tpp::linearCoefficients(result, map.getNumDims());
    for (auto [dimension, step] : llvm::enumerate(steps))
      operand.strides[dimension > n() ? dimension + shift : dimension] += step * stride;
  }
  return success();
}

/// Panels of one column are columns that follow each other: [batch..., n, k, 1].
LogicalResult MacroKernel::collectB() {
  AffineMap map = gemm.getBMap();
  if (!panel)
    return collect(gemm.getB(), map, bOperand);
  // Of panels, only the batch dimensions have strides of their own.
  ArrayRef<AffineExpr> batch = map.getResults().drop_back(2);
  if (panel == 1 && gemm.getVnni() == 1 && !gemm.getBQuant()) {
    SmallVector<AffineExpr> columns(batch);
    columns.append({map.getResults().back(), map.getResults().drop_back().back()});
    AffineMap inPlace = AffineMap::get(map.getNumDims(), 0, columns, map.getContext());
    if (failed(collect(gemm.getB(), inPlace, bOperand)))
      return failure();
    if (isContiguousAlongK()) {
      panel = 0;
      return success();
    }
  }
  return collect(gemm.getB(), AffineMap::get(map.getNumDims(), 0, batch, map.getContext()),
                 bOperand);
}

LogicalResult MacroKernel::collectOperands() {
  AffineMap identity = AffineMap::getMultiDimIdentityMap(n() + 1, gemm.getContext());
  if (failed(collectA()) || failed(collectB()) || failed(collect(gemm.getInit(), identity, c)))
    return failure();
  for (auto [extra, map] :
       llvm::zip(gemm.getEpilogueIns(), gemm.getEpilogueMaps().getAsValueRange<AffineMapAttr>()))
    if (failed(collect(extra, map, extras.emplace_back())))
      return failure();
  if (c.strides[n()] != 1 && sizes[n()] > 1)
    return gemm->emitOpError("needs contiguous rows of C");
  if (!panel && bOperand.strides[n()] != 1 && sizes[n()] > 1 && !areDotProducts())
    return gemm->emitOpError("needs contiguous rows of B, or B in panels");
  if (panel && !hasContiguousPanels())
    return gemm->emitOpError("needs contiguous panels of B");
  return success();
}

/// Whether the dimensions (panels, k, columns, VNNI) of B follow each other without gaps.
bool MacroKernel::hasContiguousPanels() {
  auto type = cast<MemRefType>(gemm.getB().getType());
  return type.getNumContiguousTrailingDims() >= (gemm.getVnni() > 1 ? 4 : 3);
}

/// Batch dimensions that continue the rows of every operand are rows: [b, t, k] times [k, n] is one
/// gemm of b * t rows.
void MacroKernel::mergeBatchIntoRows() {
  while (m > 0 && borders.empty()) {
    auto continues = [&](const Operand &operand) {
      return operand.strides[m - 1] == operand.strides[m] * sizes[m];
    };
    bool shared = bOperand.strides[m - 1] == 0 && continues(a) && continues(c) &&
                  llvm::all_of(extras, continues);
    if (!shared)
      return;
    sizes[m] *= sizes[m - 1];
    auto drop = [&](SmallVectorImpl<int64_t> &list) { list.erase(list.begin() + (m - 1)); };
    drop(sizes);
    for (Operand *operand : {&a, &bOperand, &c})
      drop(operand->strides);
    for (Operand &extra : extras)
      drop(extra.strides);
    --m;
  }
}

/// The tile at `at`: a view of the operand whose rows and columns step by the given strides.
Value MacroKernel::tile(const Operand &operand, ArrayRef<Value> at, int64_t rows, int64_t rowStride,
                        int64_t cols, int64_t colStride) {
  Value offset = getValueOrCreateConstantIndexOp(b, loc, operand.offset);
  for (auto [position, stride] : llvm::zip(at, operand.strides))
    if (stride != 0)
      offset = add(offset, scale(position, stride));
  auto element = cast<MemRefType>(operand.base.getType()).getElementType();
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {rowStride, colStride});
  SmallVector<OpFoldResult> tileSizes{b.getIndexAttr(rows), b.getIndexAttr(cols)};
  SmallVector<OpFoldResult> strides{b.getIndexAttr(rowStride), b.getIndexAttr(colStride)};
  return memref::ReinterpretCastOp::create(b, loc, MemRefType::get({rows, cols}, element, layout),
                                           operand.base, OpFoldResult(offset), tileSizes, strides);
}

/// Column n of row k of the panels, in elements from their start: panels of ceil(k / v) rows of w
/// columns of v values.
Value MacroKernel::panelOffset(ArrayRef<Value> at) {
  int64_t row = rowOfPanel();
  Value column = at[n()];
  Value whole = b.createOrFold<arith::DivUIOp>(loc, column, index(panel));
  Value rest = b.createOrFold<arith::RemUIOp>(loc, column, index(panel));
  Value start = scale(whole, rowsOfPanel(sizes[k()]) * row);
  if (gemm.getBQuant()) // tiles are whole panels with all of k
    return start;
  // Blocks of k begin at whole rows.
  Value depth = b.createOrFold<arith::DivUIOp>(loc, at[k()], index(gemm.getVnni()));
  return add(add(start, scale(depth, row)), scale(rest, gemm.getVnni()));
}

/// One column has no stride, whatever the type of its buffer says.
int64_t MacroKernel::columnStrideOfB() const {
  return dotProducts && sizes[n()] > 1 ? bOperand.strides[n()] : 1;
}

Value MacroKernel::tileOfB(ArrayRef<Value> at, int64_t tileK, int64_t tileN) {
  if (!panel)
    return tile(bOperand, at, tileK, bOperand.strides[k()], tileN, columnStrideOfB());
  Operand moved = bOperand;
  SmallVector<Value> where(at);
  moved.strides.push_back(1);
  where.push_back(panelOffset(at));
  return tile(moved, where, rowsOfPanel(tileK), rowOfPanel(),
              gemm.getBQuant() ? rowOfPanel() : tileN * gemm.getVnni(), 1);
}

/// The place of what will be read soon.
Value MacroKernel::tileOf(const PrefetchTarget &soon) {
  Operand moved = *soon.operand;
  SmallVector<Value> where(soon.at);
  moved.strides.push_back(1);
  where.push_back(add(soon.offset, scale(soon.row, soon.share)));
  return tile(moved, where, 1, 1, 1, 1);
}

} // namespace kgen
