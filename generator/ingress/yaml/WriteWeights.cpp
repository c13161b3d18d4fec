// The weights of a spec as a safetensors file.
#include "ingress/yaml/RepeatedBlocks.h"
#include "ingress/yaml/SpecText.h"
#include "ingress/yaml/WriteSpec.h"
#include "spec/WeightFiles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kgen {
namespace {

/// A weight as the file has it: its bytes, or half as many of elements of four bits.
struct StoredWeight {
  std::vector<int64_t> shape;
  std::vector<char> packed; ///< empty: the weight's own bytes
  const std::vector<char> &bytes(const GraphValue &weight) const {
    return packed.empty() ? *weight.data : packed;
  }
};

StoredWeight storedWeight(const GraphValue &weight) {
  if (bitWidth(weight.type.element) != 4 || weight.data->empty())
    return {weight.type.shape, {}};
  std::vector<char> packed = packedNibbles(*weight.data);
  return {{static_cast<int64_t>(packed.size())}, std::move(packed)};
}

} // namespace

std::string writeWeights(const Graph &graph, const std::vector<RepeatedBlock> &blocks) {
  std::string header, bytes;
  size_t total = 0;
  std::set<ValueId> different = differentWeights(graph, blocks);
  std::vector<std::pair<const GraphValue *, StoredWeight>> weights;
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const GraphValue &value = graph.values[id];
    if (value.kind == ValueKind::weight && (!writtenElements(value) || different.count(id)))
      weights.emplace_back(&value, storedWeight(value));
  }
  for (const auto &[weight, stored] : weights) {
    size_t size = stored.bytes(*weight).size();
    header +=
        fmt::format("{}\"{}\":{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                    header.empty() ? "{" : ",", weight->name, safetensorsName(weight->type.element),
                    fmt::join(stored.shape, ","), total, total + size);
    total += size;
  }
  if (header.empty())
    return "";
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' '); // so that tensors are aligned
  uint64_t length = header.size();
  bytes.reserve(sizeof length + length + total);
  for (size_t i = 0; i < sizeof length; ++i)
    bytes += static_cast<char>(length >> (8 * i));
  bytes += header;
  for (const auto &[weight, stored] : weights)
    bytes.append(stored.bytes(*weight).begin(), stored.bytes(*weight).end());
  return bytes;
}

} // namespace kgen
