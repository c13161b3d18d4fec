// Tile sizes and loop order of windows over images (NHWC).
#pragma once

#include "analysis/WindowShape.h"
#include "dialect/kgen/Kgen.h"

namespace kgen {

struct WindowTileSizes {
  /// `consumer`: an elementwise operation that reads the result, or null.
  WindowTileSizes(WindowShape &shape, mlir::linalg::GenericOp consumer, TargetAttr target);

  /// Makes blocks of channels, one for each byte of a register, of fewer pixels.
  void useByteBlocks(WindowShape &shape, TargetAttr target);

  int64_t lanes;        ///< channels of a vector
  int64_t channels;     ///< at once: those of one vector, or of several
  int64_t pixels;       ///< at once
  bool keepsFilters;    ///< the registers hold all taps of a filter for the channels of a vector
  bool readsRowsOnce;   ///< the loop over channels is inside of the one over pixels
  bool hasTapLoop;      ///< over the first dimension of the windows
  bool multipliesBytes; ///< several taps at once, with filters kept
};

} // namespace kgen
