#include "Peer.h"

namespace bench {

__attribute__((target_clones("avx2", "default"))) void
addBiasAndRelu(const float *bias, bool relu, float *y, int64_t rows, int64_t columns) {
  for (int64_t row = 0; row < rows; ++row, y += columns) {
    if (bias && relu)
      for (int64_t i = 0; i < columns; ++i)
        y[i] = y[i] + bias[i] > 0 ? y[i] + bias[i] : 0;
    else if (bias)
      for (int64_t i = 0; i < columns; ++i)
        y[i] += bias[i];
    else if (relu)
      for (int64_t i = 0; i < columns; ++i)
        y[i] = y[i] > 0 ? y[i] : 0;
  }
}

} // namespace bench
