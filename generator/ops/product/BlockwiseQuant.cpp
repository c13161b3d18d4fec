#include "ops/product/BlockwiseQuant.h"

#include "dialect/kgen/Kgen.h"
#include "support/HalfBits.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace kgen {
namespace {

/// A matrix of f32, row by row or column by column, becoming blocks of integers.
class Quantizer {
public:
  Quantizer(const GraphValue &weight, bool transposed)
      : data(weight.data->data()), bits(weight.quantize->bits), block(weight.quantize->block),
        k(weight.type.shape[transposed]), n(weight.type.shape[!transposed]),
        f16Scales(weight.quantize->f16Scales), kStep(transposed ? 1 : n), nStep(transposed ? k : 1),
        count(llvm::divideCeil(k, block)), integers(n * count * block * bits / 8),
        scales(n * count) {
    for (int64_t column = 0; column < n; ++column)
      for (int64_t first = 0; first < k; first += block)
        quantize(column, first);
  }

private:
  const char *data;

public:
  const int64_t bits, block, k, n;

private:
  const bool f16Scales;
  const int64_t kStep, nStep;

public:
  const int64_t count; ///< blocks of a column
  std::vector<char> integers;
  std::vector<float> scales;

private:
  float at(int64_t column, int64_t row) const {
    float value;
    std::memcpy(&value, data + 4 * (column * nStep + row * kStep), 4);
    return value;
  }

  /// The element of the largest magnitude, the first one if there are several, becomes the smallest
  /// integer: the range has one more below zero than above it.
  void quantize(int64_t column, int64_t first) {
    int64_t last = std::min(k, first + block), half = int64_t(1) << (bits - 1);
    float largest = 0;
    for (int64_t row = first; row < last; ++row)
      if (std::fabs(at(column, row)) > std::fabs(largest))
        largest = at(column, row);
    float scale = largest / -static_cast<float>(half);
    if (f16Scales)
      scale = static_cast<float>(doubleOfHalf(f16Format, halfOfDouble(f16Format, scale)));
    int64_t index = column * count + first / block;
    scales[index] = scale;
    for (int64_t row = first; row < first + block; ++row) {
      double value = row < last && scale != 0 ? double(at(column, row)) / double(scale) : 0.0;
      int64_t integer = std::clamp<int64_t>(std::nearbyint(value), -half, half - 1) + half;
      int64_t position = index * block + row - first;
      integers[position * bits / 8] |= static_cast<char>(integer << (position * bits % 8));
    }
  }
};

/// A constant of the bytes in `values`.
template <typename T>
Value constant(LoweringContext &c, const GraphValue &weight, ArrayRef<int64_t> shape, Type element,
               const std::vector<T> &values) {
  auto type = RankedTensorType::get(shape, element);
  ArrayRef<char> bytes(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
  Location loc = NameLoc::get(c.b.getStringAttr(weight.name));
  return denseConstant(c.b, loc, type, weight.name, bytes);
}

} // namespace

int64_t rowScaleBlock(const InferenceContext &c, int64_t otherwise) {
  for (const auto &said : {c.node.activations, c.graph.activations})
    if (said)
      return said->block;
  return otherwise;
}

int64_t roundedRowBlock(const Graph &graph, const Node &node) {
  Diagnostics none;
  InferenceContext context(graph, node, none);
  return node.op->rowBlock ? node.op->rowBlock(context).value_or(0) : 0;
}

Value blockProduct(LoweringContext &c, Value a, const BlockWeights &weights,
                   int64_t rowScaleBlock) {
  auto type =
      RankedTensorType::get({cast<RankedTensorType>(a.getType()).getDimSize(0),
                             cast<RankedTensorType>(weights.weights.getType()).getDimSize(0)},
                            c.b.getF32Type());
  return MatmulNbitsOp::create(
      c.b, c.loc, type, a, weights.weights, weights.scales, weights.zeros,
      c.b.getI64IntegerAttr(weights.bits), c.b.getI64IntegerAttr(weights.block),
      rowScaleBlock ? c.b.getI64IntegerAttr(rowScaleBlock) : IntegerAttr());
}

bool isQuantized(const InferenceContext &c, size_t i) {
  return c.hasInput(i) && c.graph.values[c.node.inputs[i]].quantize.has_value();
}

bool checkBlockLength(const InferenceContext &c, size_t i, const Dim &k) {
  if (!isQuantized(c, i))
    return true;
  const GraphValue &weight = c.graph.values[c.node.inputs[i]];
  if (weight.quantize->block <= k.number().value_or(0)) // that of a weight is a number
    return true;
  c.error("weight '" + weight.name + "' is to be quantized in blocks of " +
              std::to_string(weight.quantize->block) + ", but only " + k.str() +
              " of its elements are multiplied and added up for a result",
          "choose a smaller 'block' (at least 16), or do not quantize it");
  return false;
}

BlockWeights quantizedWeight(LoweringContext &c, size_t i, bool transposed) {
  const GraphValue &weight = c.graph.values[c.node.inputs[i]];
  Quantizer q(weight, transposed);
  int64_t bytes = q.block * q.bits / 8;
  Value integers = constant(c, weight, {q.n, q.count, bytes}, c.b.getI8Type(), q.integers), scales;
  if (weight.quantize->f16Scales) {
    std::vector<uint16_t> halves;
    for (float scale : q.scales)
      halves.push_back(halfOfDouble(f16Format, scale));
    scales = constant(c, weight, {q.n, q.count}, c.b.getF16Type(), halves);
  } else {
    scales = constant(c, weight, {q.n, q.count}, c.b.getF32Type(), q.scales);
  }
  return {integers, scales, Value(), q.bits, q.block};
}

} // namespace kgen
