// Filters of windows of bytes over NHWC images, as products read them, made at build time.
#pragma once

#include "transforms/vectorize/WindowTapGroups.h"

#include <mlir/IR/Builders.h>

namespace kgen {

/// A constant with all groups of taps of some channels, and then those of the next channels. Taps
/// of a group are beside each other, for each channel: words of two taps, or bytes of four.
///
/// In blocks, bytes are in the order in which interleaved bytes of the image are: part p of a block
/// has the channels 4 p to 4 p + 3 of each 16, and is by itself.
class WindowFilterTable {
public:
  static constexpr int64_t parts = 4;

  struct Form {
    int64_t taps;  ///< of a group, two or four
    int64_t width; ///< channels that the loops compute at once; the last ones may be fewer
    bool ofBlocks; ///< parts are by themselves
  };

  /// Makes the constant before the loops, which begin after it. Returns nothing if the filter has
  /// other values, or if a task's first channel need not be the first one of `width`.
  static std::optional<WindowFilterTable> make(mlir::OpBuilder &b, const WindowShape &shape,
                                               ByteProduct::Factor filter,
                                               const WindowTapGroups &groups, Form form);

  /// Reads the taps of `width` channels, or those of a part of them.
  mlir::Value read(mlir::OpBuilder &b, mlir::Location loc, size_t group, mlir::Value channel,
                   int64_t width, int64_t part = 0) const;

private:
  WindowFilterTable(Form form, size_t groups)
      : form(form), groups(static_cast<int64_t>(groups)), partsOfGroup(form.ofBlocks ? parts : 1) {}

  Form form;
  int64_t groups, partsOfGroup;
  mlir::Value table;
  mlir::Value first; ///< the channel of the constant that is the first one of the loops
};

} // namespace kgen
