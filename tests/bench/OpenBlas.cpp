// OpenBLAS at its best: sgemm, or for one row the faster of sgemv with the weights as they are and
// transposed, then bias and relu row by row (its interface cannot fuse them).
#include "Peer.h"

#include <cblas-openblas.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace bench {
namespace {
enum class Form { gemm, gemv, transposedGemv };

class OpenBlas : public Contestant {
public:
  OpenBlas(const Chain &chain, Form form) : chain(chain), form(form) {
    for (const Layer &layer : chain.layers) {
      outputs.emplace_back(layer.batch * layer.m * layer.n);
      const Tensor &given = layer.weights ? layer.weights : chain.given;
      weightsOf.push_back(given.data<float>());
      if (form != Form::transposedGemv)
        continue;
      Aligned<float> &transposedWeights = transposed.emplace_back(layer.n * layer.k);
      for (int64_t k = 0; k < layer.k; ++k)
        for (int64_t n = 0; n < layer.n; ++n)
          transposedWeights[n * layer.k + k] = given.data<float>()[k * layer.n + n];
    }
    for (size_t i = 0; i < transposed.size(); ++i)
      weightsOf[i] = transposed[i].data();
  }

  void run() override {
    const float *x = chain.x.data<float>();
    for (size_t i = 0; i < chain.layers.size(); ++i) {
      const Layer &layer = chain.layers[i];
      for (int64_t batch = 0; batch < layer.batch; ++batch)
        multiply(layer, x + batch * layer.m * layer.k, weightsOf[i] + batch * layer.k * layer.n,
                 outputs[i].data() + batch * layer.m * layer.n);
      addBiasAndRelu(layer.bias ? layer.bias.data<float>() : nullptr, layer.relu, outputs[i].data(),
                     layer.batch * layer.m, layer.n);
      x = outputs[i].data();
    }
  }

  Tensor result() override {
    Tensor y{chain.yType, Aligned<char>(outputs.back().size() * sizeof(float))};
    std::memcpy(y.bytes.data(), outputs.back().data(), y.bytes.size());
    return y;
  }

  std::vector<Range> weights() override {
    std::vector<Range> ranges;
    for (size_t i = 0; i < chain.layers.size(); ++i) {
      const Layer &layer = chain.layers[i];
      ranges.push_back({weightsOf[i], sizeof(float) * layer.batch * layer.k * layer.n});
    }
    return ranges;
  }

private:
  void multiply(const Layer &layer, const float *x, const float *weights, float *y) {
    auto m = static_cast<blasint>(layer.m), n = static_cast<blasint>(layer.n),
         k = static_cast<blasint>(layer.k);
    if (form == Form::gemm)
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, x, k, weights, n, 0, y, n);
    else if (form == Form::gemv)
      cblas_sgemv(CblasRowMajor, CblasTrans, k, n, 1, weights, n, x, 1, 0, y, 1);
    else
      cblas_sgemv(CblasRowMajor, CblasNoTrans, n, k, 1, weights, k, x, 1, 0, y, 1);
  }

  const Chain &chain;
  Form form;
  std::vector<Aligned<float>> outputs, transposed; ///< of each layer
  std::vector<const float *> weightsOf;
};
} // namespace

std::unique_ptr<Contestant> makeOpenBlas(const Chain &chain, const Platform &platform) {
  if (chain.windows())
    return nullptr;
  if (std::strcmp(openblas_get_corename(), platform.openBlasCore) != 0)
    throw std::runtime_error(std::string("OpenBLAS runs as for ") + openblas_get_corename() +
                             " and not as for " + platform.openBlasCore);
  openblas_set_num_threads(1);
  if (chain.element() != kgen::ElementType::f32)
    return nullptr;
  std::vector<std::unique_ptr<Contestant>> forms;
  forms.push_back(std::make_unique<OpenBlas>(chain, Form::gemm));
  bool oneRow = std::all_of(chain.layers.begin(), chain.layers.end(),
                            [](const Layer &layer) { return layer.m == 1 && layer.batch == 1; });
  if (oneRow)
    forms.push_back(std::make_unique<OpenBlas>(chain, Form::gemv));
  if (oneRow && !chain.given)
    forms.push_back(std::make_unique<OpenBlas>(chain, Form::transposedGemv));
  return fastest(std::move(forms));
}

} // namespace bench
