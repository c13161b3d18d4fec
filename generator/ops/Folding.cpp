#include "ops/Folding.h"

#include <cassert>
#include <cstring>

namespace kgen {

int64_t elementNumber(llvm::ArrayRef<int64_t> at, llvm::ArrayRef<int64_t> shape) {
  int64_t number = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    number = number * shape[d] + at[d];
  return number;
}

void forEachPlace(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t> at)> visit) {
  std::vector<int64_t> at(shape.size(), 0);
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  for (int64_t i = 0; i < count; ++i) {
    visit(at);
    for (size_t d = shape.size(); d-- > 0 && ++at[d] == shape[d];)
      at[d] = 0;
  }
}

WeightData movedElements(const std::vector<char> &from, size_t width, llvm::ArrayRef<int64_t> shape,
                         llvm::function_ref<int64_t(llvm::ArrayRef<int64_t> at)> source) {
  auto bytes = std::make_shared<std::vector<char>>();
  forEachPlace(shape, [&](llvm::ArrayRef<int64_t> at) {
    const char *element = from.data() + source(at) * width;
    bytes->insert(bytes->end(), element, element + width);
  });
  return bytes;
}

bool areConstants(const InferenceContext &context) {
  for (size_t i = 0; i < context.inputCount(); ++i)
    if (context.hasInput(i) && !context.constantData(i))
      return false;
  return true;
}

WeightData integersAsData(llvm::ArrayRef<int64_t> values, ElementType type) {
  assert(!isFloat(type));
  const size_t width = byteWidth(type);
  auto bytes = std::make_shared<std::vector<char>>(values.size() * width);
  for (size_t i = 0; i < values.size(); ++i) // little endian
    std::memcpy(bytes->data() + i * width, &values[i], width);
  return bytes;
}

std::vector<WeightData> foldSameBytes(InferenceContext &context, const std::vector<TensorType> &) {
  WeightData data = context.constantData(0);
  return data ? std::vector<WeightData>{data} : std::vector<WeightData>{};
}

std::function<std::vector<WeightData>(InferenceContext &, const std::vector<TensorType> &)>
foldIntegers(IntegerFunction compute) {
  return [compute = std::move(compute)](InferenceContext &context,
                                        const std::vector<TensorType> &types) {
    std::vector<std::vector<int64_t>> inputs;
    for (size_t i = 0; i < context.inputCount(); ++i) {
      auto integers = context.constantIntegers(i);
      if (!integers)
        return std::vector<WeightData>{};
      inputs.push_back(std::move(*integers));
    }
    const TensorType &type = types.front();
    if (isFloat(type.element) || type.elementCount() > foldedElements)
      return std::vector<WeightData>{};
    std::vector<int64_t> values, arguments(inputs.size());
    forEachPlace(type.shape, [&](llvm::ArrayRef<int64_t> at) {
      for (size_t i = 0; i < inputs.size(); ++i) {
        const std::vector<int64_t> &shape = context.input(i).shape;
        int64_t number = 0;
        for (size_t d = 0; d < shape.size(); ++d)
          number = number * shape[d] + (shape[d] == 1 ? 0 : at[at.size() - shape.size() + d]);
        arguments[i] = inputs[i][number];
      }
      values.push_back(compute(arguments));
    });
    return std::vector<WeightData>{integersAsData(values, type.element)};
  };
}

} // namespace kgen
