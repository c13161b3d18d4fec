// See Memory.h.
#include "simulate/Memory.h"

namespace kgen {

int64_t BufferView::elements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

BufferView wholeView(MachineBuffer *buffer, llvm::ArrayRef<int64_t> sizes) {
  BufferView view;
  view.buffer = buffer;
  view.sizes.assign(sizes.begin(), sizes.end());
  view.strides.assign(sizes.size(), 1);
  for (int d = static_cast<int>(sizes.size()) - 2; d >= 0; --d)
    view.strides[d] = view.strides[d + 1] * sizes[d + 1];
  return view;
}

bool isInside(const BufferView &view) {
  int64_t low = view.offset, high = view.offset;
  for (size_t d = 0; d < view.sizes.size(); ++d) {
    if (view.sizes[d] == 0)
      return true;
    int64_t reach = (view.sizes[d] - 1) * view.strides[d];
    (reach < 0 ? low : high) += reach;
  }
  return low >= 0 && high < view.buffer->elements;
}

BufferView mergedView(const BufferView &view) {
  BufferView merged;
  merged.buffer = view.buffer;
  merged.offset = view.offset;
  for (size_t d = 0; d < view.sizes.size(); ++d) {
    if (view.sizes[d] == 1)
      continue;
    if (!merged.sizes.empty() && merged.strides.back() == view.strides[d] * view.sizes[d]) {
      merged.sizes.back() *= view.sizes[d];
      merged.strides.back() = view.strides[d];
    } else {
      merged.sizes.push_back(view.sizes[d]);
      merged.strides.push_back(view.strides[d]);
    }
  }
  if (merged.sizes.empty()) {
    merged.sizes.push_back(1);
    merged.strides.push_back(1);
  }
  return merged;
}

} // namespace kgen
