// Elements that neighbouring pixels of NHWC windows share: of the image and of the filter.
#pragma once

#include "analysis/WindowShape.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/Builders.h>

#include <map>
#include <vector>

namespace kgen {

/// Computes the windows of neighbouring pixels on vectors of channels: each element that several of
/// them read is read once.
class WindowTapReuse : protected WindowShape {
protected:
  using Weights = mlir::SmallVector<mlir::SmallVector<mlir::Value>>; ///< vectors by input and tap

  /// Neighbouring pixels of a row whose windows are computed together.
  struct PixelTile {
    mlir::Value first;      ///< pixel
    int64_t count, width;   ///< pixels, channels
    const Weights &weights; ///< filters kept in registers
    /// Vectors that were read, by input and constant part of the indices.
    std::map<std::pair<unsigned, std::vector<int64_t>>, mlir::Value> loaded = {};
  };

  WindowTapReuse(mlir::OpBuilder &builder, WindowShape shape);

  /// Offsets of a tap's loops, `i` pixels further.
  mlir::SmallVector<int64_t> furtherBy(int64_t i, mlir::ArrayRef<int64_t> tap) const;
  /// Returns what the accumulators of the pixels start from.
  mlir::SmallVector<mlir::Value> initialValues(const PixelTile &tile);
  /// Adds the active taps to the accumulators of all pixels.
  void addTaps(PixelTile &tile, mlir::SmallVectorImpl<mlir::Value> &accumulators);

  mlir::Value index(int64_t value);
  /// The indices that `map` gives at the current loops, `by` further along the loops and `shift`
  /// further along the operand's dimensions.
  mlir::SmallVector<mlir::Value> operandIndices(mlir::AffineMap map, mlir::ArrayRef<int64_t> by,
                                                mlir::ArrayRef<mlir::OpFoldResult> shift = {});
  /// Reads a vector of channels, or broadcasts one element if the operand has no channels.
  mlir::Value read(mlir::Value tensor, mlir::AffineMap map, mlir::ArrayRef<int64_t> by,
                   int64_t width, mlir::ArrayRef<mlir::OpFoldResult> shift = {});
  /// Returns a replacement for an operation of a body, or null; the function looks up vectors.
  using Instead = llvm::function_ref<mlir::Value(mlir::Operation &,
                                                 llvm::function_ref<mlir::Value(mlir::Value)>)>;
  /// Vectorizes the body of an operation.
  mlir::Value apply(mlir::linalg::GenericOp of, mlir::ArrayRef<mlir::Value> arguments,
                    int64_t width, Instead instead = {});

  /// Reads input `number`, `by` further, from where its padding begins.
  mlir::Value elements(unsigned number, mlir::ArrayRef<int64_t> by, int64_t width);
  /// True if pixel `i` of the tile reads `tap` inside of the image's columns, as far as that is
  /// known.
  bool readsInside(const PixelTile &tile, int64_t i, mlir::ArrayRef<int64_t> tap);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::SmallVector<mlir::Value> ivs; ///< the current index of each loop; null for taps
  /// Taps inside of the image along `rows`, or those of an iteration of the tap loop.
  mlir::SmallVector<size_t> active;

private:
  mlir::Value readGroups(mlir::Value tensor, mlir::AffineMap map, mlir::ArrayRef<int64_t> by,
                         int64_t width, mlir::ArrayRef<mlir::OpFoldResult> shift);
  mlir::Value load(PixelTile &tile, unsigned number, mlir::ArrayRef<int64_t> by);
  mlir::arith::MulFOp addedProduct(mlir::linalg::GenericOp of, mlir::Operation &inner);
};

} // namespace kgen
