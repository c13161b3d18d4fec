// libxsmm's own just-in-time code: batch-reduce kernels over operands in blocks, which are packed
// outside of what is timed (activations too), then bias and relu on each block while it is in the
// cache. Given weights are read in place.
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

/// A matrix in blocks, one after another, row by row of blocks; `column` by column for weights.
struct Blocks {
  int64_t rows, columns, rowsInBlock, columnsInBlock;
  Aligned<float> data;

  int64_t across() const { return columns / columnsInBlock; }
  int64_t down() const { return rows / rowsInBlock; }
  int64_t size() const { return rowsInBlock * columnsInBlock; }
  template <typename F> void forEach(bool byColumns, F visit) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        int64_t br = r / rowsInBlock, bc = c / columnsInBlock;
        int64_t block = byColumns ? bc * down() + br : br * across() + bc;
        visit(data[block * size() + r % rowsInBlock * columnsInBlock + c % columnsInBlock],
              r * columns + c);
      }
  }
};

class Xsmm : public Contestant {
public:
  static bool canRun(const Chain &chain) {
    for (const Layer &layer : chain.layers)
      if (!blockOf(layer.m) || !blockOf(layer.n) || !blockOf(layer.k))
        return false;
    return chain.element() == kgen::ElementType::f32;
  }

  explicit Xsmm(const Chain &chain) : chain(chain) {
    addMatrix(chain.layers.front().m * chain.layers.front().batch, chain.layers.front().k,
              blockOf(chain.layers.front().m));
    activations.front().forEach(
        false, [&](float &element, int64_t at) { element = chain.x.data<float>()[at]; });
    for (const Layer &layer : chain.layers)
      add(layer);
  }

  void run() override {
    for (size_t i = 0; i < kernels.size(); ++i)
      runLayer(chain.layers[i], i);
  }

  Tensor result() override {
    Tensor y{chain.yType, {}};
    y.bytes.resize(activations.back().data.size() * sizeof(float));
    activations.back().forEach(false, [&](float &element, int64_t at) {
      std::memcpy(&y.bytes[at * sizeof(float)], &element, sizeof element);
    });
    return y;
  }

  std::vector<Range> weights() override {
    if (chain.given)
      return {{chain.given.bytes.data(), chain.given.bytes.size()}};
    std::vector<Range> ranges;
    for (const Blocks &blocks : packed)
      ranges.push_back({blocks.data.data(), blocks.data.size() * sizeof(float)});
    return ranges;
  }

private:
  void addMatrix(int64_t rows, int64_t columns, int64_t rowBlock) {
    activations.push_back({rows, columns, rowBlock, blockOf(columns), {}});
    activations.back().data.resize(rows * columns);
  }

  void add(const Layer &layer) {
    int64_t bm = blockOf(layer.m), bn = blockOf(layer.n), bk = blockOf(layer.k);
    addMatrix(layer.m * layer.batch, layer.n, bm);
    if (layer.weights) {
      Blocks &blocks = packed.emplace_back(Blocks{layer.k, layer.n, bk, bn, {}});
      blocks.data.resize(layer.k * layer.n);
      blocks.forEach(
          true, [&](float &element, int64_t at) { element = layer.weights.data<float>()[at]; });
    }
    // Its matrices are column-major: y^T = weights^T * x^T.
    int64_t row = layer.weights ? bn : layer.n;
    auto lda = static_cast<libxsmm_blasint>(row), ldb = static_cast<libxsmm_blasint>(bk),
         ldc = static_cast<libxsmm_blasint>(bn);
    float one = 1, zero = 0;
    auto kernel =
        libxsmm_smmdispatch_reducebatch_strd(ldc, static_cast<libxsmm_blasint>(bm), ldb,
                                             static_cast<libxsmm_blasint>(bk * row * sizeof(float)),
                                             static_cast<libxsmm_blasint>(bm * bk * sizeof(float)),
                                             &lda, &ldb, &ldc, &one, &zero, nullptr, nullptr);
    if (!kernel)
      throw std::runtime_error(chain.name + ": libxsmm makes no kernel");
    kernels.push_back(kernel);
  }

  void runLayer(const Layer &layer, size_t index) {
    Blocks &x = activations[index], &y = activations[index + 1];
    auto count = static_cast<unsigned long long>(x.across());
    int64_t bn = y.columnsInBlock, downOfItem = layer.m / y.rowsInBlock;
    for (int64_t column = 0; column < y.across(); ++column)
      for (int64_t row = 0; row < y.down(); ++row) {
        const float *b = layer.weights ? &packed[index].data[column * bn * layer.k]
                                       : chain.given.data<float>() +
                                             row / downOfItem * layer.k * layer.n + column * bn;
        float *block = &y.data[(row * y.across() + column) * y.size()];
        kernels[index](b, &x.data[row * x.across() * x.size()], block, &count);
        addBiasAndRelu(layer.bias ? layer.bias.data<float>() + column * bn : nullptr, layer.relu,
                       block, y.rowsInBlock, bn);
      }
  }

  const Chain &chain;
  std::vector<Blocks> activations; ///< x, and the result of each layer
  std::vector<Blocks> packed;      ///< constant weights of each layer
  std::vector<libxsmm_smmfunction_reducebatch_strd> kernels;
};
} // namespace

std::unique_ptr<Contestant> makeXsmm(const Chain &chain, const Platform &platform) {
  if (std::strcmp(libxsmm_get_target_arch(), platform.xsmmTarget) != 0)
    throw std::runtime_error(std::string("libxsmm generates for ") + libxsmm_get_target_arch() +
                             " and not for " + platform.xsmmTarget);
  if (!Xsmm::canRun(chain))
    return nullptr;
  return std::make_unique<Xsmm>(chain);
}

} // namespace bench
