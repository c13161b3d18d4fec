// Implicit padding: windows reach into zeros that are not in memory. Tiles with different valid
// ranges of A have different micro-kernels.
#include "analysis/IndexRange.h"
#include "transforms/macrokernel/MacroKernel.h"

#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen {

using ukernel::RowValidRange;

/// Collects A, or the source of the tpp.implicit_pad of which A may be a slice.
LogicalResult MacroKernel::collectA() {
  Value value = gemm.getA();
  SmallVector<OpFoldResult> offsets(cast<ShapedType>(value.getType()).getRank(), b.getIndexAttr(0));
  while (auto slice = value.getDefiningOp<memref::SubViewOp>()) {
    if (!slice.hasUnitStride() || slice.getSourceType().getRank() != slice.getType().getRank())
      break;
    for (auto [sum, offset] : llvm::zip(offsets, slice.getMixedOffsets()))
      sum = getAsOpFoldResult(add(valueOf(sum), valueOf(offset)));
    value = slice.getSource();
  }
  auto pad = value.getDefiningOp<tpp::ImplicitPadOp>();
  if (!pad)
    return collect(gemm.getA(), gemm.getAMap(), a);
  if (failed(collect(pad.getSource(), gemm.getAMap(), a)))
    return failure();
  SmallVector<int64_t> strides;
  int64_t unused;
  auto type = cast<MemRefType>(pad.getSource().getType());
  if (failed(type.getStridesAndOffset(strides, unused)))
    return failure();
  Value offset = valueOf(a.offset);
  memref::ExtractStridedMetadataOp metadata;
  if (llvm::any_of(strides, ShapedType::isDynamic))
    metadata = memref::ExtractStridedMetadataOp::create(b, loc, pad.getSource());
  for (auto [position, low] : llvm::enumerate(pad.getLow())) {
    Value start = add(valueOf(offsets[position]), index(-low));
    offset =
        add(offset, metadata && ShapedType::isDynamic(strides[position])
                        ? b.createOrFold<arith::MulIOp>(loc, start, metadata.getStrides()[position])
                        : scale(start, strides[position]));
    if (low == 0 && pad.getHigh()[position] == 0)
      continue;
    SmallVector<int64_t> coefficients(sizes.size(), 0);
    unsigned shift = 2 - gemm.getReductionRank();
    AffineMap map = gemm.getAMap();
    for (auto [dimension, step] :
         llvm::enumerate(*tpp::linearCoefficients(map.getResult(position), map.getNumDims())))
      coefficients[dimension > n() ? dimension + shift : dimension] = step;
    implicitPads.push_back({start, coefficients, type.getDimSize(position)});
  }
  a.offset = getAsOpFoldResult(offset);
  return success();
}

Value MacroKernel::valueOf(OpFoldResult offset) {
  return getValueOrCreateConstantIndexOp(b, loc, offset);
}

/// The part of the valid range `row` that is in memory along one pad, if the row begins at
/// `offset`.
static RowValidRange clampToPad(RowValidRange row, int64_t offset, int64_t size,
                                int64_t productStep, int64_t kStep) {
  auto clamp = [&](int64_t step, int64_t &first, int64_t &end) {
    first = std::max(first, llvm::divideCeilSigned(-offset, step));
    end = std::min(end, llvm::divideCeilSigned(size - offset, step));
  };
  if (productStep > 0)
    clamp(productStep, row.firstProduct, row.endOfProducts);
  else if (kStep > 0)
    clamp(kStep, row.firstK, row.endOfK);
  else if (offset < 0 || offset >= size)
    row.endOfK = row.firstK;
  return row.isEmpty() ? RowValidRange{0, 0, 0, 0} : row;
}

/// The valid ranges of a tile's rows if the tile begins at `offset` along the pad.
MacroKernel::ValidRows MacroKernel::validRowsAt(const ImplicitPad &pad, int64_t offset, int64_t run,
                                                ValidRows rows) {
  for (auto [number, row] : llvm::enumerate(rows)) {
    int64_t jump = plan.hasOuterRows ? pad.coefficients[outer()] * (number / run) : 0;
    row = clampToPad(row, offset + jump + pad.coefficients[m] * (number % run), pad.size,
                     pad.coefficients[r()], pad.coefficients[k()]);
  }
  return rows;
}

/// Builds a branch with `body` for each set of offsets along the pads from `number` on that have
/// the same valid ranges.
LogicalResult MacroKernel::emitPaddingCases(unsigned number, ArrayRef<Value> indices, int64_t run,
                                            const ValidRows &rows,
                                            llvm::function_ref<void(const ValidRows &)> body) {
  if (number == implicitPads.size()) {
    body(rows);
    return success();
  }
  const ImplicitPad &pad = implicitPads[number];
  Value offset = pad.start;
  for (auto [position, step] : llvm::zip(indices, pad.coefficients))
    if (step != 0)
      offset = add(offset, scale(position, step));
  auto offsets = possibleValues(offset, gemm);
  if (!offsets)
    return gemm->emitOpError("needs to know where its windows reach into implicit padding");
  SmallVector<std::pair<int64_t, ValidRows>> kinds; // by their first offset
  for (int64_t each : *offsets) {
    ValidRows valid = validRowsAt(pad, each, run, rows);
    if (kinds.empty() || kinds.back().second != valid)
      kinds.emplace_back(each, valid);
  }
  OpBuilder::InsertionGuard guard(b);
  for (auto [kind, next] : llvm::zip(kinds, ArrayRef(kinds).drop_front())) {
    Value isBefore =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, offset, index(next.first));
    auto branch = scf::IfOp::create(b, loc, isBefore, /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    if (failed(emitPaddingCases(number + 1, indices, run, kind.second, body)))
      return failure();
    b.setInsertionPointToStart(branch.elseBlock());
  }
  return emitPaddingCases(number + 1, indices, run, kinds.back().second, body);
}

/// Calls the kernel for a tile whose rows have these valid ranges. The kernel has the products that
/// some row has. Without any, there is no call if C is accumulated into.
void MacroKernel::callForValidRows(ArrayRef<Value> indices, KernelShape shape,
                                   ArrayRef<Value> others, const ValidRows &rows) {
  bool adds = shape.accumulate && (!shape.withEpilogue || gemm.hasTrivialEpilogue());
  if (adds && llvm::all_of(rows, [](const RowValidRange &row) { return row.isEmpty(); }))
    return;
  int64_t first = shape.batch, end = 0;
  for (const RowValidRange &row : rows)
    if (!row.isEmpty()) {
      first = std::min(first, row.firstProduct);
      end = std::max(end, row.endOfProducts);
    }
  first = std::min(first, end);
  SmallVector<Value> from(indices);
  from[r()] = add(indices[r()], index(first));
  shape.batch = std::max<int64_t>(1, end - first);
  bool isWhole = true;
  for (const RowValidRange &row : rows) {
    int64_t shift = row.isEmpty() ? 0 : first;
    RowValidRange range{row.firstProduct - shift, row.endOfProducts - shift, row.firstK,
                        row.endOfK};
    isWhole &= range == RowValidRange{0, shape.batch, 0, shape.k};
    shape.aInside.append({range.firstProduct, range.endOfProducts, range.firstK, range.endOfK});
  }
  if (isWhole)
    shape.aInside.clear();
  call(from, shape, others);
}

/// The tile of A at `indices`; of rows that are not all valid, the first element in memory.
Value MacroKernel::tileOfA(ArrayRef<Value> indices, const KernelShape &shape,
                           FlatSymbolRefAttr symbol) {
  if (shape.aInside.empty())
    return tile(a, indices, shape.aRun ? shape.aRun : shape.m, shape.aRow, shape.k, shape.aCol);
  auto kernel = cast<ukernel::GemmOp>(SymbolTable::lookupSymbolIn(kernels.getModule(), symbol));
  Operand moved = a;
  if (llvm::all_of(shape.aInside, [](int64_t number) { return number == 0; })) { // not read at all
    moved.offset = b.getIndexAttr(0);
    return tile(moved, {}, 1, 1, 1, 1);
  }
  moved.offset = getAsOpFoldResult(add(valueOf(a.offset), index(kernel.getSpanOfA().first)));
  return tile(moved, indices, 1, 1, 1, 1);
}

} // namespace kgen
