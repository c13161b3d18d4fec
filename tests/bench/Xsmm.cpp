// libxsmm's own just-in-time code: batch-reduce kernels over operands in blocks, which are packed
// outside of what is timed (activations too), then bias and relu on each block while it is in the
// cache. Given weights are read in place, if they are in f32; those of bf16 have to be in pairs
// along k. Sums of bf16 stay in f32 until bias and relu are done.
#include "Peer.h"

#include <libxsmm.h>

#include <cstring>
#include <stdexcept>

namespace bench {
namespace {

/// The largest divisor up to 64, or 0 if that would be too small to be worth a kernel.
int64_t blockOf(int64_t size) {
  if (size <= 64)
    return size;
  for (int64_t block = 64; block >= 16; --block)
    if (size % block == 0)
      return block;
  return 0;
}

/// A matrix in blocks, one after another, row by row of blocks; `column` by column for weights,
/// whose values may be in groups of `group` along the rows, as its kernels take them.
template <typename T> struct Blocks {
  int64_t rows, columns, rowsInBlock, columnsInBlock, group;
  Aligned<T> data;

  int64_t across() const { return columns / columnsInBlock; }
  int64_t down() const { return rows / rowsInBlock; }
  int64_t size() const { return rowsInBlock * columnsInBlock; }
  template <typename F> void forEach(bool byColumns, F visit) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        int64_t br = r / rowsInBlock, bc = c / columnsInBlock;
        int64_t block = byColumns ? bc * down() + br : br * across() + bc;
        int64_t row = r % rowsInBlock,
                groupIndex = row / group * columnsInBlock + c % columnsInBlock;
        visit(data[block * size() + groupIndex * group + row % group], r * columns + c);
      }
  }
};

/// Its kernels for a type: what they are, how many values of k lie together in weights, and the
/// flag that says so.
struct F32 {
  using Element = float;
  using Kernel = libxsmm_smmfunction_reducebatch_strd;
  static constexpr auto dispatch = libxsmm_smmdispatch_reducebatch_strd;
  static constexpr int64_t group = 1;
  static constexpr int flags = LIBXSMM_GEMM_FLAG_NONE;
};
struct Bf16 {
  using Element = libxsmm_bfloat16;
  using Kernel = libxsmm_bsmmfunction_reducebatch_strd;
  static constexpr auto dispatch = libxsmm_bsmmdispatch_reducebatch_strd;
  static constexpr int64_t group = 2;
  static constexpr int flags = LIBXSMM_GEMM_FLAG_VNNI_A;
};

/// To the nearest, ties to even; there is no NaN here.
__attribute__((target_clones("avx2", "default"))) void round(const float *from, uint16_t *to,
                                                             int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits;
    std::memcpy(&bits, from + i, sizeof bits);
    to[i] = static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
}

template <typename Type> class Xsmm : public Contestant {
public:
  using Element = typename Type::Element;

  static bool canRun(const Chain &chain) {
    for (const Layer &layer : chain.layers)
      if (!blockOf(layer.m) || !blockOf(layer.n) || !blockOf(layer.k) ||
          blockOf(layer.k) % Type::group != 0 || (Type::group > 1 && !layer.weights))
        return false;
    return true;
  }

  explicit Xsmm(const Chain &chain) : chain(chain) {
    addMatrix(chain.layers.front().m * chain.layers.front().batch, chain.layers.front().k,
              blockOf(chain.layers.front().m));
    activations.front().forEach(
        false, [&](Element &element, int64_t at) { element = chain.x.data<Element>()[at]; });
    for (const Layer &layer : chain.layers)
      add(layer);
  }

  void run() override {
    for (size_t i = 0; i < kernels.size(); ++i)
      runLayer(chain.layers[i], i);
  }

  Tensor result() override {
    Tensor y{chain.yType, {}};
    y.bytes.resize(activations.back().data.size() * sizeof(Element));
    activations.back().forEach(false, [&](Element &element, int64_t at) {
      std::memcpy(&y.bytes[at * sizeof(Element)], &element, sizeof element);
    });
    return y;
  }

  std::vector<Range> weights() override {
    if (chain.given)
      return {{chain.given.bytes.data(), chain.given.bytes.size()}};
    std::vector<Range> ranges;
    for (const Blocks<Element> &blocks : packed)
      ranges.push_back({blocks.data.data(), blocks.data.size() * sizeof(Element)});
    return ranges;
  }

private:
  void addMatrix(int64_t rows, int64_t columns, int64_t rowBlock) {
    activations.push_back({rows, columns, rowBlock, blockOf(columns), 1, {}});
    activations.back().data.resize(rows * columns);
  }

  void add(const Layer &layer) {
    int64_t bm = blockOf(layer.m), bn = blockOf(layer.n), bk = blockOf(layer.k);
    addMatrix(layer.m * layer.batch, layer.n, bm);
    if (layer.weights) {
      Blocks<Element> &blocks =
          packed.emplace_back(Blocks<Element>{layer.k, layer.n, bk, bn, Type::group, {}});
      blocks.data.resize(layer.k * layer.n);
      blocks.forEach(
          true, [&](Element &element, int64_t at) { element = layer.weights.data<Element>()[at]; });
    }
    // Its matrices are column-major: y^T = weights^T * x^T.
    int64_t row = layer.weights ? bn : layer.n;
    auto lda = static_cast<libxsmm_blasint>(row), ldb = static_cast<libxsmm_blasint>(bk),
         ldc = static_cast<libxsmm_blasint>(bn);
    float one = 1, zero = 0;
    int flags = Type::flags;
    auto bytes = [](int64_t count) {
      return static_cast<libxsmm_blasint>(count * static_cast<int64_t>(sizeof(Element)));
    };
    auto kernel = Type::dispatch(ldc, static_cast<libxsmm_blasint>(bm), ldb, bytes(bk * row),
                                 bytes(bm * bk), &lda, &ldb, &ldc, &one, &zero, &flags, nullptr);
    if (!kernel)
      throw std::runtime_error(chain.name + ": libxsmm makes no kernel");
    kernels.push_back(kernel);
  }

  void runLayer(const Layer &layer, size_t index) {
    Blocks<Element> &x = activations[index], &y = activations[index + 1];
    auto count = static_cast<unsigned long long>(x.across());
    int64_t bn = y.columnsInBlock, downOfItem = layer.m / y.rowsInBlock;
    for (int64_t column = 0; column < y.across(); ++column) {
      float bias[64];
      for (int64_t i = 0; layer.bias && i < bn; ++i)
        bias[i] = biasOf(layer, column * bn + i);
      for (int64_t row = 0; row < y.down(); ++row) {
        const Element *b = layer.weights ? &packed[index].data[column * bn * layer.k]
                                         : chain.given.data<Element>() +
                                               row / downOfItem * layer.k * layer.n + column * bn;
        Element *block = &y.data[(row * y.across() + column) * y.size()];
        float *sums = sumsOf(block);
        kernels[index](b, &x.data[row * x.across() * x.size()], sums, &count);
        addBiasAndRelu(layer.bias ? bias : nullptr, layer.relu, sums, y.rowsInBlock, bn);
        if constexpr (Type::group > 1)
          round(sums, block, y.size());
      }
    }
  }

  static float biasOf(const Layer &layer, int64_t i) {
    if constexpr (Type::group == 1)
      return layer.bias.data<float>()[i];
    uint32_t bits = static_cast<uint32_t>(layer.bias.data<uint16_t>()[i]) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  /// Returns where a block's sums are added up: in the block itself, if it has their type.
  float *sumsOf(Element *block) {
    if constexpr (Type::group == 1)
      return block;
    else
      return sums;
  }

  const Chain &chain;
  std::vector<Blocks<Element>> activations; ///< x, and the result of each layer
  std::vector<Blocks<Element>> packed;      ///< constant weights of each layer
  std::vector<typename Type::Kernel> kernels;
  alignas(64) float sums[64 * 64];
};

template <typename Type> std::unique_ptr<Contestant> make(const Chain &chain) {
  if (!Xsmm<Type>::canRun(chain))
    return nullptr;
  return std::make_unique<Xsmm<Type>>(chain);
}
} // namespace

std::unique_ptr<Contestant> makeXsmm(const Chain &chain, const Platform &platform) {
  if (chain.windows())
    return nullptr;
  if (std::strcmp(libxsmm_get_target_arch(), platform.xsmmTarget) != 0)
    throw std::runtime_error(std::string("libxsmm generates for ") + libxsmm_get_target_arch() +
                             " and not for " + platform.xsmmTarget);
  switch (chain.element()) {
  case kgen::ElementType::f32:
    return make<F32>(chain);
  case kgen::ElementType::bf16: // for which it needs AVX-512
    return std::strcmp(platform.xsmmTarget, "hsw") == 0 ? nullptr : make<Bf16>(chain);
  default:
    return nullptr;
  }
}

} // namespace bench
