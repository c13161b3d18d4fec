// Kernels that multiply a row of B with one element of A after another: f32 and f64 by
// multiply-add, integers by multiplication and addition, bf16 by dot products of pairs or by
// widening. Bytes have kernels of their own.
#pragma once

#include "providers/VectorGemv.h"
#include "providers/VectorKernels.h"

#include <llvm/ADT/BitVector.h>

namespace kgen {

class VectorProducts : VectorKernel {
public:
  VectorProducts(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder)
      : VectorKernel(kernel, target, builder), vnni(kernel.getVnni()),
        // Its instruction adds up a pair in an order and a rounding of its own.
        hasDotProduct(element.isBF16() && bElement.isBF16() && vnni == 2 &&
                      target.vectorProductForm(element, bElement) == ProductForm::dotProduct &&
                      !kernel.getStrictOrder()),
        steps(llvm::divideCeil(kernel.getK(), vnni)),
        sets(independentSums(rows * columns.size(), steps)), inside(rows, true),
        prefetching(prefetchingRows()), singleRow(kernel, builder, element) {
    for (Column &column : columns) // one column is a vector, too
      if (column.width == 1)
        column.width = 16 / bytes(accumulator);
    while (sets > 1 && registers() > target.getVectorRegisters())
      sets /= 2;
    // LLVM mixes the steps of a body: it needs a register more, and several where it widens or has
    // no instruction for multiply-add.
    mayUnroll = element == accumulator && vnni == 1 && target.hasFeature("fma") &&
                registers() < target.getVectorRegisters();
    readsLanes = rows == 1 && element == accumulator && mlir::isa<mlir::FloatType>(element) &&
                 vnni == 1 && kernel.getACol() == 1 && singleRow.fits(columns);
  }

  void build();

private:
  /// An operand of the products of one step: its values of k one by one, as accumulators, or all in
  /// one vector of 32 bits each, as dot products take them.
  using Terms = mlir::SmallVector<mlir::Value, 4>;

  mlir::Value widen(mlir::Value value);
  Terms spread(mlir::Value group, const Column &column);
  Terms termsOfB(mlir::Value row, const Column &column);
  Terms termsOfA(mlir::Value at, int64_t count, const Column &column);
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value sum, const Column &column);
  /// Where the operands of a step begin, and how many values of k they have, at most vnni.
  struct Place {
    mlir::Value a, b, wide;
    int64_t count;
    int64_t following; ///< steps from this one on that the same body has
  };
  void keep(mlir::Value wide, mlir::Value row, const Column &column);
  void step(Tile &tile, const Place &at, int64_t set);
  void singleRowStep(Tile &tile, const Place &at, int64_t set);
  void widenedStep(Tile &tile, const Place &at, int64_t set);
  void depth(Tile &tile, mlir::Value aAt, mlir::Value bAt, int64_t from, int64_t end, bool asks);
  llvm::BitVector rowsWith(llvm::function_ref<bool(const ukernel::RowValidRange &)> holds);
  llvm::BitVector prefetchingRows();
  void overParts(Tile &tile);
  /// The last `count` steps of rows `first` to `end`.
  void lastSteps(Tile &tile, int64_t first, int64_t end, int64_t count);
  void partsOfDepth(Tile &tile, mlir::Value aAt, mlir::Value bAt, const llvm::BitVector &present);

  /// How many a step needs: sums, B's row and an element of A, all values of k of them if they are
  /// spread, and a mask; two more where B alone is spread, of which LLVM keeps the next one, too.
  int64_t registers() {
    int64_t terms = hasDotProduct ? 1 : vnni, vectors = columns.size();
    int64_t next = terms > 1 && element != bElement ? 2 : 0;
    return sets * rows * vectors + terms * (vectors + 1) + (terms > 1) + next;
  }
  /// Whether a row of B has all of the column's lanes: some panels are narrower than any vector.
  bool isPadded(const Column &column) {
    int64_t end = (column.start + column.width) * vnni;
    return kernel.getBPadded() && end <= static_cast<int64_t>(kernel.getBRow());
  }
  bool usesDotProduct(const Column &column) { return hasDotProduct && column.width * 32 >= 128; }
  /// Integers that are loaded in place of values of `type`: bf16 has no registers on most CPUs.
  mlir::Type loaded(mlir::Type type) { return type.isBF16() ? b.getI16Type() : type; }
  mlir::Value number32(int32_t value) {
    return mlir::LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
  }

  int64_t vnni;
  bool hasDotProduct;
  int64_t steps, sets;
  llvm::BitVector inside;      ///< rows of which A has what is multiplied now
  llvm::BitVector prefetching; ///< rows that ask for what the batch's next product reads
  bool mayUnroll, prefetchesCInSteps = false;
  bool readsLanes; ///< whether several elements of A are read at once
  VectorSingleRow singleRow;
};

} // namespace kgen
