// The operands of a macro-kernel and their tiles.
#include "analysis/OpenStrides.h"
#include "analysis/SizeBounds.h"
#include "transforms/macrokernel/MacroKernel.h"

#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen {

LogicalResult MacroKernel::collectSizes() {
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    if (!ShapedType::isDynamic(sizes[dim]))
      continue;
    if (dim > m)
      return gemm->emitOpError("needs a number of columns and of products that is known at build "
                               "time: only its rows may be counted at run time");
    std::optional<SizeBounds> bounds = sizeBoundsOf(gemm.getInit(), dim);
    if (!bounds)
      return gemm->emitOpError() << "needs to know the greatest size of dimension " << dim
                                 << ": the size is to be computed from arguments with 'kgen.size'";
    sizes[dim] = bounds->greatest;
    if (!bounds->isExact())
      dynamicSizes[dim] = {valueOf(sizeOf(b, loc, gemm.getInit(), dim)), bounds->divisor};
  }
  return success();
}

LogicalResult MacroKernel::collect(Value value, AffineMap map, Operand &operand) {
  auto type = cast<MemRefType>(value.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  auto fail = [&] {
    return gemm->emitOpError() << "needs operands with static strides, found " << type;
  };
  if (failed(type.getStridesAndOffset(strides, offset)))
    return fail();
  operand.base = value;
  operand.offset = b.getIndexAttr(offset);
  memref::ExtractStridedMetadataOp metadata;
  if (ShapedType::isDynamic(offset) || llvm::any_of(strides, ShapedType::isDynamic))
    metadata = memref::ExtractStridedMetadataOp::create(b, loc, value);
  if (ShapedType::isDynamic(offset))
    operand.offset = metadata.getOffset();
  operand.strides.assign(sizes.size(), 0);
  operand.dynamicStrides.assign(sizes.size(), Value());
  unsigned shift = 2 - gemm.getReductionRank(); // what is summed over is (r, k) here
  for (auto [position, result] : llvm::enumerate(map.getResults())) {
    SmallVector<int64_t> coefficients = *tpp::linearCoefficients(result, map.getNumDims());
    for (auto [loop, coefficient] : llvm::enumerate(coefficients)) {
      unsigned dimension = loop > n() ? loop + shift : loop;
      if (!ShapedType::isDynamic(strides[position])) {
        operand.strides[dimension] += coefficient * strides[position];
        continue;
      }
      if (coefficient == 0 || sizes[dimension] == 1)
        continue;
      // Those that may be open are one product of several each.
      Value &known = operand.dynamicStrides[dimension];
      if (known || !mayBeOpen(gemm, loop, &operand == &a))
        return fail();
      known = scale(metadata.getStrides()[position], coefficient);
    }
  }
  for (auto [stride, known] : llvm::zip_equal(operand.strides, operand.dynamicStrides))
    if (known && stride != 0)
      return fail();
    else if (known)
      stride = ShapedType::kDynamic;
  return success();
}

/// Collects B. Panels of one column are contiguous columns: [batch..., n, k, 1].
LogicalResult MacroKernel::collectB() {
  AffineMap map = gemm.getBMap();
  if (!panel)
    return collect(gemm.getB(), map, bOperand);
  // Only the batch dimensions of packed B have strides that count.
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
  for (auto [operand, map] :
       llvm::zip(gemm.getEpilogueIns(), gemm.getEpilogueMaps().getAsValueRange<AffineMapAttr>())) {
    Operand &added = epilogueOperands.emplace_back();
    if (failed(collect(operand, map, added)))
      return failure();
    // Of one column no other one is read, however far away it would be.
    if (sizes[n()] == 1 && added.strides[n()] > 1)
      added.strides[n()] = 0;
  }
  if (c.strides[n()] != 1 && sizes[n()] > 1)
    return gemm->emitOpError("needs contiguous rows of C");
  if (!panel && bOperand.strides[n()] != 1 && sizes[n()] > 1 && !areDotProducts())
    return gemm->emitOpError("needs contiguous rows of B, or B in panels");
  if (panel && !hasContiguousPanels())
    return gemm->emitOpError("needs contiguous panels of B");
  return success();
}

/// True if the dimensions (panels, k, columns, VNNI) of B are contiguous.
bool MacroKernel::hasContiguousPanels() {
  auto type = cast<MemRefType>(gemm.getB().getType());
  return type.getNumContiguousTrailingDims() >= (gemm.getVnni() > 1 ? 4 : 3);
}

/// A batch dimension that continues the rows of every operand but B, and that B has not: [b, t, k]
/// times [k, n] is one gemm of b * t rows.
void MacroKernel::mergeBatchIntoRows() {
  while (m > 0 && implicitPads.empty()) {
    auto continues = [&](const Operand &operand) {
      return operand.strides[m - 1] == operand.strides[m] * sizes[m];
    };
    bool shared = bOperand.strides[m - 1] == 0 && continues(a) && continues(c) &&
                  llvm::all_of(epilogueOperands, continues);
    if (!shared || dynamicSizes[m].value)
      return;
    DynamicSize outerSize = dynamicSizes[m - 1];
    if (outerSize.value)
      dynamicSizes[m] = {scale(outerSize.value, sizes[m]), outerSize.divisor * sizes[m]};
    dynamicSizes.erase(dynamicSizes.begin() + (m - 1));
    sizes[m] *= sizes[m - 1];
    auto drop = [&](auto &list) { list.erase(list.begin() + (m - 1)); };
    auto dropStride = [&](Operand &operand) {
      drop(operand.strides);
      drop(operand.dynamicStrides);
    };
    drop(sizes);
    for (Operand *operand : {&a, &bOperand, &c})
      dropStride(*operand);
    llvm::for_each(epilogueOperands, dropStride);
    --m;
    isBatchMerged = true;
  }
}

/// The tile at `indices`, as a view of the operand with the given strides.
Value MacroKernel::tile(const Operand &operand, ArrayRef<Value> indices, int64_t rows,
                        int64_t rowStride, int64_t cols, int64_t colStride) {
  Value offset = getValueOrCreateConstantIndexOp(b, loc, operand.offset);
  for (auto [dimension, position] : llvm::enumerate(indices))
    if (operand.strides[dimension] != 0)
      offset = add(offset, distance(operand, dimension, position));
  auto element = cast<MemRefType>(operand.base.getType()).getElementType();
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {rowStride, colStride});
  SmallVector<OpFoldResult> tileSizes{b.getIndexAttr(rows), b.getIndexAttr(cols)};
  SmallVector<OpFoldResult> strides{b.getIndexAttr(rowStride), b.getIndexAttr(colStride)};
  return memref::ReinterpretCastOp::create(b, loc, MemRefType::get({rows, cols}, element, layout),
                                           operand.base, OpFoldResult(offset), tileSizes, strides);
}

/// The offset of (k, n) in the panels of B, in elements: panels have ceil(k / v) rows of w columns
/// of v values.
Value MacroKernel::panelOffset(ArrayRef<Value> indices) {
  int64_t row = rowOfPanel();
  Value column = indices[n()];
  Value whole = b.createOrFold<arith::DivUIOp>(loc, column, index(panel));
  Value remainder = b.createOrFold<arith::RemUIOp>(loc, column, index(panel));
  Value start = scale(whole, rowsOfPanel(sizes[k()]) * row);
  if (gemm.getBQuant()) // tiles are whole panels with all of k
    return start;
  // Blocks of k begin at whole rows.
  Value depth = b.createOrFold<arith::DivUIOp>(loc, indices[k()], index(gemm.getVnni()));
  return add(add(start, scale(depth, row)), scale(remainder, gemm.getVnni()));
}

/// One column has no stride, whatever the type of its buffer says.
int64_t MacroKernel::columnStrideOfB() const {
  return plan.usesDotProducts && sizes[n()] > 1 ? bOperand.strides[n()] : 1;
}

Value MacroKernel::tileOfB(ArrayRef<Value> indices, int64_t tileK, int64_t tileN) {
  if (!panel)
    return tile(bOperand, indices, tileK, bOperand.strides[k()], tileN, columnStrideOfB());
  Operand moved = bOperand;
  SmallVector<Value> extended(indices);
  moved.strides.push_back(1);
  moved.dynamicStrides.emplace_back();
  extended.push_back(panelOffset(indices));
  return tile(moved, extended, rowsOfPanel(tileK), rowOfPanel(),
              gemm.getBQuant() ? rowOfPanel() : tileN * gemm.getVnni(), 1);
}

/// The target's first element, or the one after its last, as a tile.
Value MacroKernel::tileOf(const PrefetchTarget &prefetch, bool isEnd) {
  Operand moved = *prefetch.operand;
  SmallVector<Value> extended(prefetch.indices);
  moved.strides.push_back(1);
  moved.dynamicStrides.emplace_back();
  Value first =
      prefetch.share ? prefetch.startOfShare : scale(prefetch.rowOfA, prefetch.elementsPerRow);
  extended.push_back(add(prefetch.offset, isEnd ? add(first, prefetch.share) : first));
  return tile(moved, extended, 1, 1, 1, 1);
}

} // namespace kgen
