// The value of a chain in double, with an error bound.
#include "Chain.h"

#include <cmath>

namespace bench {
namespace {

/// Relative error of one rounding to the type. Integers are exact.
double unitOf(kgen::ElementType type) {
  switch (type) {
  case kgen::ElementType::bf16:
    return 0x1p-8;
  case kgen::ElementType::f32:
    return 0x1p-24;
  default:
    return 0;
  }
}

/// Sums become bytes: each step in f32, as everybody does it, to the nearest, ties to even.
void quantiseRow(const Layer &layer, double *y) {
  for (int64_t j = 0; j < layer.n; j++) {
    float scaled = static_cast<float>(y[j]) * layer.factors.data<float>()[j];
    y[j] = std::nearbyint(std::fmin(std::fmax(scaled, 0.0f), 255.0f));
  }
}

/// One row of a layer: sums of products, and of what rounding may add to them.
void evaluateRow(const Layer &layer, const double *weights, const double *bias, double unit,
                 const double *x, const double *xBound, double *y, double *yBound) {
  double sumUnit = unit == 0 ? 0 : static_cast<double>(layer.k + 2) * 0x1p-24;
  for (int64_t j = 0; j < layer.n; j++) {
    y[j] = bias ? bias[j] : 0.0;
    yBound[j] = sumUnit * std::fabs(y[j]);
  }
  for (int64_t i = 0; i < layer.k; i++) {
    double scale = sumUnit * std::fabs(x[i]) + xBound[i];
    for (int64_t j = 0; j < layer.n; j++) {
      double w = weights[i * layer.n + j];
      y[j] += x[i] * w;
      yBound[j] += scale * std::fabs(w);
    }
  }
  for (int64_t j = 0; j < layer.n; j++) {
    if (layer.relu)
      y[j] = std::fmax(y[j], 0.0);
    yBound[j] += unit * std::fabs(y[j]);
  }
  if (layer.factors)
    quantiseRow(layer, y);
}

} // namespace

Reference evaluate(const Chain &chain) {
  Reference now{chain.x.values(), {}};
  now.bounds.resize(now.values.size());
  double unit = unitOf(chain.yType.element);
  for (const Layer &layer : chain.layers) {
    size_t size = static_cast<size_t>(layer.batch * layer.m * layer.n);
    Reference next{std::vector<double>(size), std::vector<double>(size)};
    std::vector<double> weights = (layer.weights ? layer.weights : chain.given).values(), bias;
    if (layer.bias)
      bias = layer.bias.values();
    for (int64_t row = 0; row < layer.batch * layer.m; row++)
      evaluateRow(layer, &weights[layer.weights ? 0 : row / layer.m * layer.k * layer.n],
                  layer.bias ? bias.data() : nullptr, unit, &now.values[row * layer.k],
                  &now.bounds[row * layer.k], &next.values[row * layer.n],
                  &next.bounds[row * layer.n]);
    now = std::move(next);
  }
  return now;
}

} // namespace bench
