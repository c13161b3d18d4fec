// Kernels that multiply rows of B by elements of A (outer products): f32 and f64 by multiply-add,
// integers by multiplication and addition, bf16 by dot products of pairs or up-converted to f32.
// Bytes have VectorInt8.
#pragma once

#include "providers/VectorGemv.h"
#include "providers/VectorKernels.h"

#include <llvm/ADT/BitVector.h>

namespace kgen {

class VectorProducts : VectorKernel {
public:
  VectorProducts(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder)
      : VectorKernel(kernel, target, builder), vnni(kernel.getVnni()),
        // The dot-product instruction has its own order and rounding of sums.
        hasDotProduct(element.isBF16() && bElement.isBF16() && vnni == 2 &&
                      target.vectorProductForm(element, bElement) == ProductForm::dotProduct &&
                      !kernel.getStrictOrder()),
        steps(llvm::divideCeil(kernel.getK(), vnni)),
        sets(independentSums(rows * columns.size(), steps)), activeRows(rows, true),
        prefetching(prefetchingRows()), scalarsOfA(kernel, builder, element) {
    for (Column &column : columns) // a single column is computed in a vector of 128 bits
      if (column.width == 1)
        column.width = 16 / bytes(accumulator);
    while (sets > 1 && registers() > target.getVectorRegisters())
      sets /= 2;
    // LLVM interleaves the steps of a body: that takes another register, and several if there are
    // up-conversions or separate multiplications and additions.
    // Conversions by halves of vectors take more, where lanes are operands.
    mayUnroll = element == accumulator && vnni == 1 && cpu.hasFma &&
                registers() < target.getVectorRegisters() &&
                (element == bElement || !cpu.hasLaneProducts);
    readsLanes = rows == 1 && element == accumulator && mlir::isa<mlir::FloatType>(element) &&
                 vnni == 1 && kernel.getACol() == 1 && scalarsOfA.fits(columns);
    // Not for pairs of bf16: LLVM 22 broadcasts their lanes before it multiplies.
    lanesOfA.isOn = rows > 1 && cpu.hasLaneProducts && mayUnroll &&
                    mlir::isa<mlir::FloatType>(element) && kernel.getACol() == 1 &&
                    registers() - 1 + rows <= target.getVectorRegisters();
  }

  void build();

private:
  /// An operand of the products of one step: one vector of the accumulator type for each value of
  /// k, or one vector of i32 with all of them for dot products.
  using Terms = mlir::SmallVector<mlir::Value, 4>;

  mlir::Value upconvert(mlir::Value value);
  Terms spread(mlir::Value group, const Column &column);
  Terms termsOfB(mlir::Value row, const Column &column);
  Terms termsOfA(mlir::Value at, int64_t count, const Column &column);
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value sum, const Column &column);
  /// The addresses of a step's operands, and its number of values of k, at most vnni.
  struct StepOperands {
    mlir::Value a, b, upconvertedB;
    int64_t count;
    int64_t following; ///< steps of the same loop body from this one on
  };
  void keep(mlir::Value upconvertedB, mlir::Value row, const Column &column);
  void step(Tile &tile, const StepOperands &at, int64_t set);
  void stepOfOneRow(Tile &tile, const StepOperands &at, int64_t set);
  void stepWithUpconversion(Tile &tile, const StepOperands &at, int64_t set);
  void depth(Tile &tile, mlir::Value aAt, mlir::Value bAt, int64_t from, int64_t end,
             bool prefetches);
  llvm::BitVector rowsWith(llvm::function_ref<bool(const ukernel::RowValidRange &)> holds);
  llvm::BitVector prefetchingRows();
  void emitValidRanges(Tile &tile);
  /// The last `count` steps for rows `first` to `end`.
  void lastSteps(Tile &tile, int64_t first, int64_t end, int64_t count);
  void emitKRangeLoops(Tile &tile, mlir::Value aAt, mlir::Value bAt,
                       const llvm::BitVector &present);

  /// Registers of a step: sums, a row of B and an element of A (for each value of k if pairs are
  /// split into f32), and a mask; two more if only B is split, because LLVM preloads the next row.
  int64_t registers() {
    int64_t terms = hasDotProduct ? 1 : vnni, vectors = columns.size();
    int64_t next = terms > 1 && element != bElement ? 2 : 0;
    return sets * rows * vectors + terms * (vectors + 1) + (terms > 1) + next;
  }
  /// True if a row of B has memory for all lanes of the column: panels may be narrower than a
  /// vector.
  bool isPadded(const Column &column) {
    int64_t end = (column.start + column.width) * vnni;
    return kernel.getBPadded() && end <= static_cast<int64_t>(kernel.getBRow());
  }
  bool usesDotProduct(const Column &column) { return hasDotProduct && column.width * 32 >= 128; }
  /// Elements of A that a load of lanes has.
  int64_t lanesInLoad() { return LanesOfA::bytes / bytes(element); }
  /// The type of loads of `type`: i16 for bf16, for which LLVM has no registers on most CPUs.
  mlir::Type loaded(mlir::Type type) { return type.isBF16() ? b.getI16Type() : type; }
  mlir::Value number32(int32_t value) {
    return mlir::LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
  }

  int64_t vnni;
  bool hasDotProduct;
  int64_t steps, sets;
  llvm::BitVector activeRows;  ///< rows of A that take part in the current products
  llvm::BitVector prefetching; ///< rows that prefetch what the next product of the batch reads
  bool mayUnroll, prefetchesCInSteps = false;
  bool readsLanes; ///< one load serves several elements of A
  ScalarsOfA scalarsOfA;
  LanesOfA lanesOfA; ///< the same for each of several rows
};

} // namespace kgen
