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
void quantizeRow(const Layer &layer, double *y) {
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
    quantizeRow(layer, y);
}

/// Filters [n, c, h, w] as [h, w, c, n].
std::vector<double> filtersOf(const Layer &layer) {
  std::vector<double> from = layer.weights.values(), to(from.size());
  const std::vector<int64_t> &shape = layer.weights.type.shape;
  int64_t taps = shape[2] * shape[3];
  for (int64_t n = 0; n < layer.n; ++n)
    for (int64_t c = 0; c < shape[1]; ++c)
      for (int64_t tap = 0; tap < taps; ++tap)
        to[(tap * shape[1] + c) * layer.n + n] = from[(n * shape[1] + c) * taps + tap];
  return to;
}

/// Adds to one window's sums what a tap of it gives, and to the bounds.
void addTap(const Layer &layer, const double *filters, const double *pixel, double *y,
            double *yBound) {
  int64_t group = layer.windows->group, channels = layer.windows->channels / group,
          each = layer.n / group;
  for (int64_t g = 0; g < group; ++g)
    for (int64_t c = 0; c < channels; ++c) {
      double x = pixel[g * channels + c], magnitude = std::fabs(x);
      for (int64_t n = g * each; n < (g + 1) * each; ++n) {
        double w = filters[c * layer.n + n];
        y[n] += x * w;
        yBound[n] += magnitude * std::fabs(w);
      }
    }
}

/// A convolution in f32 with relu.
Reference evaluateConvolution(const Chain &chain) {
  const Layer &layer = chain.layers.front();
  const Windows &w = *layer.windows;
  std::vector<double> x = chain.x.values(), filters = filtersOf(layer), bias = layer.bias.values();
  Reference result;
  for (int64_t outputPixel = 0; outputPixel < layer.m; ++outputPixel) {
    std::vector<double> y = bias, bounds = bias;
    for (double &bound : bounds)
      bound = std::fabs(bound);
    int64_t top = outputPixel / w.width.output() * w.height.stride - w.height.pad,
            left = outputPixel % w.width.output() * w.width.stride - w.width.pad;
    for (int64_t tap = 0; tap < w.height.kernel * w.width.kernel; ++tap) {
      int64_t row = top + tap / w.width.kernel, column = left + tap % w.width.kernel;
      if (row < 0 || row >= w.height.input || column < 0 || column >= w.width.input)
        continue;
      addTap(layer, &filters[tap * w.channels / w.group * layer.n],
             &x[(row * w.width.input + column) * w.channels], y.data(), bounds.data());
    }
    for (double &value : y)
      value = layer.relu ? std::fmax(value, 0.0) : value;
    for (double &bound : bounds)
      bound *= static_cast<double>(layer.k + 2) * 0x1p-24;
    result.values.insert(result.values.end(), y.begin(), y.end());
    result.bounds.insert(result.bounds.end(), bounds.begin(), bounds.end());
  }
  return result;
}

} // namespace

Reference evaluate(const Chain &chain) {
  if (chain.windows())
    return evaluateConvolution(chain);
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
