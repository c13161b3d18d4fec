#include "graph/Graph.h"

#include <cstring>

namespace kgen {

template <typename T> static std::vector<double> numbersIn(const std::vector<char> &bytes) {
  std::vector<double> result(bytes.size() / sizeof(T));
  for (size_t i = 0; i < result.size(); ++i) {
    T number;
    std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
    result[i] = number;
  }
  return result;
}

std::optional<std::vector<double>> numbersOf(const GraphValue &value) {
  if (value.kind != ValueKind::weight || !value.data)
    return std::nullopt;
  switch (value.type.element) {
  case ElementType::f32:
    return numbersIn<float>(*value.data);
  case ElementType::f64:
    return numbersIn<double>(*value.data);
  default:
    return std::nullopt;
  }
}

} // namespace kgen
