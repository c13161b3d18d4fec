// Windows that reach into a border of zeros that is not in memory: each place of a tile that leaves
// out other parts of A has a micro-kernel of its own.
#include "transforms/analysis/IndexValues.h"
#include "transforms/macrokernel/MacroKernel.h"

#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen {

using ukernel::RowValidRange;

/// A where there is no border in memory, which it may be a part of.
LogicalResult MacroKernel::collectA() {
  Value value = gemm.getA();
  SmallVector<OpFoldResult> places(cast<ShapedType>(value.getType()).getRank(), b.getIndexAttr(0));
  while (auto part = value.getDefiningOp<memref::SubViewOp>()) {
    if (!part.hasUnitStride() || part.getSourceType().getRank() != part.getType().getRank())
      break;
    for (auto [place, offset] : llvm::zip(places, part.getMixedOffsets()))
      place = getAsOpFoldResult(add(valueOf(place), valueOf(offset)));
    value = part.getSource();
  }
  auto border = value.getDefiningOp<tpp::ImplicitPadOp>();
  if (!border)
    return collect(gemm.getA(), gemm.getAMap(), a);
  if (failed(collect(border.getSource(), gemm.getAMap(), a)))
    return failure();
  SmallVector<int64_t> strides;
  int64_t unused;
  auto type = cast<MemRefType>(border.getSource().getType());
  if (failed(type.getStridesAndOffset(strides, unused)))
    return failure();
  Value offset = valueOf(a.offset);
  for (auto [position, low] : llvm::enumerate(border.getLow())) {
    Value start = add(valueOf(places[position]), index(-low));
    offset = add(offset, scale(start, strides[position]));
    if (low == 0 && border.getHigh()[position] == 0)
      continue;
    SmallVector<int64_t> steps(sizes.size(), 0);
    unsigned shift = 2 - gemm.getReductionRank();
    AffineMap map = gemm.getAMap();
    for (auto [dimension, step] :
         llvm::enumerate(*tpp::linearCoefficients(map.getResult(position), map.getNumDims())))
      steps[dimension > n() ? dimension + shift : dimension] = step;
    borders.push_back({start, steps, type.getDimSize(position)});
  }
  a.offset = getAsOpFoldResult(offset);
  return success();
}

Value MacroKernel::valueOf(OpFoldResult place) {
  return getValueOrCreateConstantIndexOp(b, loc, place);
}

/// What A has of `row`, of what it has for other borders, if the first row begins at `place`.
static RowValidRange cut(RowValidRange row, int64_t place, int64_t size, int64_t productStep,
                         int64_t kStep) {
  auto clamp = [&](int64_t step, int64_t &first, int64_t &end) {
    first = std::max(first, llvm::divideCeilSigned(-place, step));
    end = std::min(end, llvm::divideCeilSigned(size - place, step));
  };
  if (productStep > 0)
    clamp(productStep, row.firstProduct, row.endOfProducts);
  else if (kStep > 0)
    clamp(kStep, row.firstK, row.endOfK);
  else if (place < 0 || place >= size)
    row.endOfK = row.firstK;
  return row.isEmpty() ? RowValidRange{0, 0, 0, 0} : row;
}

/// The tile's rows as they are where it begins at `place` along the border.
MacroKernel::ValidRows MacroKernel::insideAt(const Border &border, int64_t place, int64_t run,
                                             ValidRows rows) {
  for (auto [number, row] : llvm::enumerate(rows)) {
    int64_t jump = hasOuterRows ? border.steps[outer()] * (number / run) : 0;
    row = cut(row, place + jump + border.steps[m] * (number % run), border.size, border.steps[r()],
              border.steps[k()]);
  }
  return rows;
}

/// Calls `body` in a branch for all places along the borders from `number` on that leave out the
/// same.
LogicalResult MacroKernel::overImplicitPadding(unsigned number, ArrayRef<Value> at, int64_t run,
                                               const ValidRows &rows,
                                               llvm::function_ref<void(const ValidRows &)> body) {
  if (number == borders.size()) {
    body(rows);
    return success();
  }
  const Border &border = borders[number];
  Value place = border.start;
  for (auto [position, step] : llvm::zip(at, border.steps))
    if (step != 0)
      place = add(place, scale(position, step));
  auto places = possibleValues(place, gemm);
  if (!places)
    return gemm->emitOpError("needs to know where its windows reach into a border");
  SmallVector<std::pair<int64_t, ValidRows>> kinds; // and where they begin
  for (int64_t each : *places) {
    ValidRows inside = insideAt(border, each, run, rows);
    if (kinds.empty() || kinds.back().second != inside)
      kinds.emplace_back(each, inside);
  }
  OpBuilder::InsertionGuard guard(b);
  for (auto [kind, next] : llvm::zip(kinds, ArrayRef(kinds).drop_front())) {
    Value isBefore =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, place, index(next.first));
    auto branch = scf::IfOp::create(b, loc, isBefore, /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    if (failed(overImplicitPadding(number + 1, at, run, kind.second, body)))
      return failure();
    b.setInsertionPointToStart(branch.elseBlock());
  }
  return overImplicitPadding(number + 1, at, run, kinds.back().second, body);
}

/// The call for a tile of which A has `rows`. The kernel has the products that some row has; none
/// at all change nothing where C is added to.
void MacroKernel::callWithin(ArrayRef<Value> at, KernelShape shape, ArrayRef<Value> others,
                             const ValidRows &rows) {
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
  SmallVector<Value> from(at);
  from[r()] = add(at[r()], index(first));
  shape.batch = std::max<int64_t>(1, end - first);
  bool isWhole = true;
  for (const RowValidRange &row : rows) {
    int64_t shift = row.isEmpty() ? 0 : first;
    RowValidRange part{row.firstProduct - shift, row.endOfProducts - shift, row.firstK, row.endOfK};
    isWhole &= part == RowValidRange{0, shape.batch, 0, shape.k};
    shape.aInside.append({part.firstProduct, part.endOfProducts, part.firstK, part.endOfK});
  }
  if (isWhole)
    shape.aInside.clear();
  call(from, shape, others);
}

/// The rows of A of the tile at `at`; of rows that are not all there, the first element in memory.
Value MacroKernel::tileOfA(ArrayRef<Value> at, const KernelShape &shape, FlatSymbolRefAttr symbol) {
  if (shape.aInside.empty())
    return tile(a, at, shape.aRun ? shape.aRun : shape.m, shape.aRow, shape.k, shape.aCol);
  auto kernel = cast<ukernel::GemmOp>(SymbolTable::lookupSymbolIn(kernels.getModule(), symbol));
  Operand moved = a;
  if (llvm::all_of(shape.aInside, [](int64_t number) { return number == 0; })) { // not read at all
    moved.offset = b.getIndexAttr(0);
    return tile(moved, {}, 1, 1, 1, 1);
  }
  moved.offset = getAsOpFoldResult(add(valueOf(a.offset), index(kernel.getSpanOfA().first)));
  return tile(moved, at, 1, 1, 1, 1);
}

} // namespace kgen
