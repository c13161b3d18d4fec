// Winograd's minimal filtering of a 3 x 3 convolution as loops over blocks of output tiles.
#pragma once

#include "dialect/kgen/Kgen.h"
#include "dialect/tpp/Tpp.h"

#include <optional>

namespace kgen {

/// A convolution of stride 1 with constant 3 x 3 filters, f32, NHWC.
struct WinogradConvolution {
  /// Returns nothing if `op` has another form.
  static std::optional<WinogradConvolution> match(tpp::BrgemmOp op);

  tpp::BrgemmOp op;
  mlir::Value image;                       ///< [images, height, width * channels], without padding
  int64_t images, height, width, channels; ///< images: dynamic if their number is
  int64_t above, left;                     ///< implicit padding before rows and columns
  int64_t rows, columns, filters;          ///< of the result

  /// Images whose rows of tiles may share a block: one if their number is not known.
  int64_t imagesTogether() const { return mlir::ShapedType::isDynamic(images) ? 1 : images; }
};

/// Tile size and blocking of a convolution.
struct WinogradPlan {
  int64_t tile = 0;     ///< results along a side of an output tile: 2 or 4; 0: direct convolution
  int64_t tileRows = 0; ///< rows of output tiles in a block
  double cycles = 0;    ///< estimate for this plan
  double direct = 0;    ///< estimate for the direct convolution

  /// Output tiles along a dimension of `results` results.
  int64_t tilesAlong(int64_t results) const { return llvm::divideCeil(results, tile); }
  /// The greatest number of rows of tiles that a block can have, at most `wanted`: where the number
  /// of images is not known, it divides those of an image.
  int64_t possibleTileRows(const WinogradConvolution &conv, int64_t wanted) const;
};

/// Returns the plan with the fewest estimated cycles, with tiles of at most `maxTile`.
WinogradPlan planWinograd(const WinogradConvolution &convolution, int64_t maxTile,
                          TargetAttr target);

/// Replaces the convolution. `filters` are transformed: [products, channels, filters].
void expandWinograd(const WinogradConvolution &convolution, const WinogradPlan &plan,
                    mlir::Value filters, TargetAttr target, int64_t taskWork);

} // namespace kgen
