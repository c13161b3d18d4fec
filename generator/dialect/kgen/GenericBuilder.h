// Loops on tensors: linalg.generic operations of which some dimensions are reduced.
#pragma once

#include <mlir/IR/AffineMap.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Value.h>

namespace kgen {

/// A scalar in another float type; itself if it has that type already.
mlir::Value inFloatType(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Type to);

/// Builds operations of which bodies compute in f32 where elements are bf16 or f16.
class GenericBuilder {
public:
  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

  GenericBuilder(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  /// A linalg.generic with one accumulator: `body` gets the scalars of the inputs in f32 or wider,
  /// then that of the accumulator; what it returns is rounded to the element type of `out`. A
  /// dimension that the map of `out` does not use is a reduction.
  mlir::Value generic(mlir::Value out, mlir::ValueRange inputs,
                      llvm::ArrayRef<mlir::AffineMap> maps, Body body);
  /// Like generic, on bits: `body` gets bf16 and f16 as i16.
  mlir::Value genericOfBits(mlir::Value out, mlir::ValueRange inputs,
                            llvm::ArrayRef<mlir::AffineMap> maps, Body body);
  /// linalg.fill of a new tensor.
  mlir::Value filled(llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::TypedAttr value);
  mlir::Value filled(llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type element, double value) {
    return filled(sizes, b.getFloatAttr(element, value));
  }

  mlir::OpBuilder &b;
  mlir::Location loc;

private:
  mlir::Value build(mlir::Value out, mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                    Body body, bool upconverts);
};

/// A tensor and what is left of it where some dimensions are reduced.
struct ReducedSpace {
  mlir::AffineMap full, kept; ///< of the tensor, and of what is left
  llvm::SmallVector<mlir::OpFoldResult> sizes, keptSizes,
      reducedSizes;   ///< of these, and the others
  mlir::Type compute; ///< the type to compute in

  ReducedSpace(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
               llvm::function_ref<bool(int64_t)> isReduced);
};

/// The number of elements that become one, as a float of the type to compute in: a constant where
/// it is read, or a value that is computed before.
class ReducedCount {
public:
  ReducedCount(mlir::OpBuilder &b, mlir::Location loc, const ReducedSpace &space);
  mlir::Value operator()(mlir::OpBuilder &b, mlir::Location loc) const;

private:
  mlir::FloatAttr number;
  mlir::Value value;
};

} // namespace kgen
