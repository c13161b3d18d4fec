// A convolution of 3 x 3 windows as loops over blocks of Winograd's tiles.
#pragma once

#include "dialect/kgen/Kgen.h"
#include "dialect/tpp/Tpp.h"

#include <optional>

namespace kgen {

/// A product of 3 x 3 windows that are one apart with constant filters, on an image of f32 with its
/// channels last.
struct WinogradConvolution {
  /// Nothing if `op` is something else.
  static std::optional<WinogradConvolution> of(tpp::BrgemmOp op);

  tpp::BrgemmOp op;
  mlir::Value image; ///< [images, height, width * channels], without zeros around it
  int64_t images, height, width, channels;
  int64_t above, left;            ///< zeros in front of the image
  int64_t rows, columns, filters; ///< of the result
};

/// How it is cut.
struct WinogradPlan {
  int64_t tile = 0;     ///< 2 or 4: results of a side; 0: not at all
  int64_t tileRows = 0; ///< rows of tiles that are worked on at a time
  double cycles = 0;    ///< that it is expected to take
  double direct = 0;    ///< and without tiles

  int64_t across(int64_t results) const { return llvm::divideCeil(results, tile); }
};

/// The plan that takes the fewest cycles, with tiles of at most `largest`.
WinogradPlan planWinograd(const WinogradConvolution &convolution, int64_t largest,
                          TargetAttr target);

/// Replaces the convolution. `filters` are transformed ones, [products, channels, filters].
void expandWinograd(const WinogradConvolution &convolution, const WinogradPlan &plan,
                    mlir::Value filters, TargetAttr target, int64_t taskWork);

} // namespace kgen
