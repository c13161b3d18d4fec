// Small tensors of i32 that are computed while code is generated where they depend on constants
// only, and by code otherwise. All arithmetic wraps.
#pragma once

#include "ops/Lowering.h"

namespace kgen {

class IntegerTerm {
public:
  static IntegerTerm constant(llvm::ArrayRef<int64_t> shape, std::vector<int64_t> numbers);
  static IntegerTerm value(llvm::ArrayRef<int64_t> shape, mlir::Value value);

  llvm::ArrayRef<int64_t> shape() const { return dims; }
  int64_t elementCount() const;
  const std::optional<std::vector<int32_t>> &numbers() const { return known; }
  mlir::Value materialize(LoweringContext &c) const; ///< as a tensor of i32

private:
  llvm::SmallVector<int64_t> dims;
  mlir::Value tensor;
  std::optional<std::vector<int32_t>> known;
};

/// Element by element, with broadcasting.
IntegerTerm multiply(LoweringContext &c, const IntegerTerm &a, const IntegerTerm &b);
IntegerTerm subtract(LoweringContext &c, const IntegerTerm &a, const IntegerTerm &b);

/// `from` less the product of each of `products`, with broadcasting to `from`'s shape.
using Factors = llvm::SmallVector<IntegerTerm, 2>;
mlir::Value subtractProducts(LoweringContext &c, mlir::Value from,
                             llvm::ArrayRef<Factors> products);

/// A tensor of integers as i32.
mlir::Value asInt32(LoweringContext &c, mlir::Value value, ElementType type);

/// The sums of a constant along one dimension.
std::vector<int64_t> sumsOfConstant(const std::vector<int64_t> &numbers,
                                    llvm::ArrayRef<int64_t> shape, size_t axis);

} // namespace kgen
