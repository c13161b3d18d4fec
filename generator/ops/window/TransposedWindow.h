// Windows of ConvTranspose: each element of the input contributes to all results that its window
// covers.
#pragma once

#include "ops/Lowering.h"

namespace kgen {

/// The results `first`, `first + stride`, ... along one dimension. They are what an ordinary window
/// over the image computes, with some of the taps: result j reads the elements j + `shift`,
/// j + `shift` + `inputStride`, ... by the taps `tap`, `tap` - `tapStride`, ...
struct WindowPhase {
  int64_t first;
  Dim count;
  int64_t taps, tap, tapStride, shift, inputStride;

  /// The image's element after the last one that is read.
  Dim end() const { return taps == 0 ? Dim(0) : count + shift + (taps - 1) * inputStride; }
};

/// Along one spatial dimension. Its size, and that of the result, may be known at run time only.
struct TransposedAxis {
  Dim input;
  int64_t kernel, stride, dilation, padBegin;
  Dim output;

  /// All results, each once; those that no tap reaches have no taps.
  llvm::SmallVector<WindowPhase> phases() const;
};

/// Of an image of two spatial dimensions; one of one has a height of one.
struct TransposedWindow {
  TransposedAxis height, width;
};

/// The attributes of a ConvTranspose's window.
std::vector<AttributeSchema> transposedWindowAttributes();

/// The window of `kernel` (sizes of the spatial dimensions) over input 0, or nothing after
/// reporting what is wrong.
std::optional<TransposedWindow> transposedWindowOf(const InferenceContext &context,
                                                   llvm::ArrayRef<int64_t> kernel);

} // namespace kgen
