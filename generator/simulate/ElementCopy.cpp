// See ElementCopy.h.
#include "simulate/ElementCopy.h"

#include <cstring>

namespace kgen {

template <typename T>
static void copyRow(const char *from, char *to, int64_t fromStride, int64_t toStride,
                    int64_t count) {
  auto *source = reinterpret_cast<const T *>(from);
  auto *target = reinterpret_cast<T *>(to);
  if (fromStride == 1 && toStride == 1)
    std::memmove(target, source, static_cast<size_t>(count) * sizeof(T));
  else
    for (int64_t i = 0; i < count; ++i)
      target[i * toStride] = source[i * fromStride];
}

void copyElements(const BufferView &from, const BufferView &to, llvm::ArrayRef<int64_t> fromStrides,
                  llvm::ArrayRef<int64_t> toStrides, llvm::ArrayRef<int64_t> sizes) {
  int64_t width = bytesOf(to.buffer->number);
  auto copy = width == 1   ? copyRow<uint8_t>
              : width == 2 ? copyRow<uint16_t>
              : width == 4 ? copyRow<uint32_t>
                           : copyRow<uint64_t>;
  bool isScalar = sizes.empty();
  int64_t count = isScalar ? 1 : sizes.back();
  int64_t fromStride = isScalar ? 1 : fromStrides.back(),
          toStride = isScalar ? 1 : toStrides.back();
  llvm::ArrayRef<int64_t> outer = isScalar ? sizes : sizes.drop_back();
  llvm::SmallVector<llvm::SmallVector<int64_t, 6>, 2> strides{
      {fromStrides.begin(), fromStrides.end()}, {toStrides.begin(), toStrides.end()}};
  llvm::SmallVector<int64_t, 2> offsets{from.offset, to.offset};
  llvm::SmallVector<int64_t, 6> at(outer.size(), 0);
  if (count > 0)
    forEachIteration(outer, strides, offsets, at, [&] {
      copy(from.buffer->data.data() + offsets[0] * width,
           to.buffer->data.data() + offsets[1] * width, fromStride, toStride, count);
    });
}

} // namespace kgen
