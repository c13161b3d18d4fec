#include "ops/Folding.h"

#include "support/Float8.h"
#include "support/HalfBits.h"

#include <cassert>
#include <cstring>

namespace kgen {

int64_t elementNumber(llvm::ArrayRef<int64_t> at, llvm::ArrayRef<int64_t> shape) {
  int64_t number = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    number = number * shape[d] + at[d];
  return number;
}

void forEachIndex(llvm::ArrayRef<int64_t> shape,
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
  forEachIndex(shape, [&](llvm::ArrayRef<int64_t> at) {
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
  const unsigned unused = 64 - bitWidth(type);
  for (size_t i = 0; i < values.size(); ++i) { // little endian
    uint64_t upper = static_cast<uint64_t>(values[i]) << unused;
    int64_t value = isUnsigned(type) ? static_cast<int64_t>(upper >> unused)
                                     : static_cast<int64_t>(upper) >> unused;
    std::memcpy(bytes->data() + i * width, &value, width);
  }
  return bytes;
}

std::vector<WeightData> foldSameBytes(InferenceContext &context, const std::vector<TensorType> &) {
  WeightData data = context.constantData(0);
  return data ? std::vector<WeightData>{data} : std::vector<WeightData>{};
}

WeightData realsAsData(llvm::ArrayRef<double> values, ElementType type) {
  auto bytes = std::make_shared<std::vector<char>>();
  for (double value : values) {
    auto single = static_cast<float>(value);
    bool isDouble = type == ElementType::f64;
    const char *begin =
        reinterpret_cast<const char *>(isDouble ? static_cast<void *>(&value) : &single);
    bytes->insert(bytes->end(), begin, begin + byteWidth(type));
  }
  return bytes;
}

static double numberAt(const char *element, ElementType type) {
  uint16_t bits = 0;
  std::memcpy(&bits, element, byteWidth(type)); // little endian
  if (isFloat8(type))
    return doubleOfFloat8(type, static_cast<uint8_t>(bits));
  return doubleOfHalf(type == ElementType::f16 ? f16Format : bf16Format, bits);
}

std::optional<std::vector<double>> constantNumbers(const InferenceContext &context, size_t i) {
  WeightData data = context.constantData(i);
  if (!data)
    return std::nullopt;
  if (auto integers = context.constantIntegers(i))
    return std::vector<double>(integers->begin(), integers->end());
  if (auto reals = context.constantReals(i))
    return reals;
  const ElementType type = context.input(i).element;
  if (!isFloat(type))
    return std::nullopt;
  std::vector<double> numbers;
  for (size_t at = 0; at < data->size(); at += byteWidth(type))
    numbers.push_back(numberAt(data->data() + at, type));
  return numbers;
}

WeightData numbersAsData(llvm::ArrayRef<double> values, ElementType type) {
  if (type == ElementType::f32 || type == ElementType::f64)
    return realsAsData(values, type);
  auto bytes = std::make_shared<std::vector<char>>();
  for (double value : values) {
    uint16_t bits = isFloat8(type)
                        ? float8OfDouble(type, value)
                        : halfOfDouble(type == ElementType::f16 ? f16Format : bf16Format, value);
    const char *begin = reinterpret_cast<const char *>(&bits); // little endian
    bytes->insert(bytes->end(), begin, begin + byteWidth(type));
  }
  return bytes;
}

namespace {

std::optional<std::vector<int64_t>> constants(const InferenceContext &context, size_t i, int64_t) {
  return context.constantIntegers(i);
}
std::optional<std::vector<double>> constants(const InferenceContext &context, size_t i, double) {
  return context.constantReals(i);
}
std::optional<std::vector<Dim>> constants(const InferenceContext &context, size_t i, const Dim &) {
  return context.sizes(i);
}

/// `compute` of each element of a result of `type`, or nothing if an input is no weight of such
/// numbers.
template <typename Number>
std::optional<std::vector<Number>>
computed(const InferenceContext &context, const TensorType &type,
         llvm::function_ref<Number(llvm::ArrayRef<Number>)> compute) {
  if (type.elementCount() > foldedElements)
    return std::nullopt;
  std::vector<std::vector<Number>> inputs;
  for (size_t i = 0; i < context.inputCount(); ++i) {
    auto numbers = constants(context, i, Number());
    if (!numbers)
      return std::nullopt;
    inputs.push_back(std::move(*numbers));
  }
  std::vector<Number> values, arguments(inputs.size());
  forEachIndex(type.shape, [&](llvm::ArrayRef<int64_t> at) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::vector<int64_t> &shape = context.input(i).shape;
      int64_t number = 0;
      for (size_t d = 0; d < shape.size(); ++d)
        number = number * shape[d] + (shape[d] == 1 ? 0 : at[at.size() - shape.size() + d]);
      arguments[i] = inputs[i][number];
    }
    values.push_back(compute(arguments));
  });
  return values;
}

} // namespace

FoldSizesFunction foldComputedSizes(SizeFunction compute) {
  return [=](InferenceContext &context,
             const std::vector<TensorType> &types) -> std::vector<std::vector<Dim>> {
    if (context.hasSymbols())
      return {};
    bool isKnown = true;
    auto values = computed<Dim>(context, types.front(), [&](llvm::ArrayRef<Dim> x) {
      std::optional<Dim> value = compute(x);
      isKnown &= value.has_value();
      return value.value_or(Dim());
    });
    if (!values || !isKnown)
      return {};
    return {*values};
  };
}

/// Numbers move as sizes do: `fold` moves their places in a list.
FoldSizesFunction foldMovedSizes(FoldFunction fold, std::function<bool(size_t)> isMoved) {
  return [=](InferenceContext &context,
             const std::vector<TensorType> &types) -> std::vector<std::vector<Dim>> {
    if (context.hasSymbols())
      return {};
    Graph graph;
    Node node = context.node;
    std::vector<Dim> all;
    for (size_t i = 0; i < context.inputCount(); ++i) {
      if (!context.hasInput(i))
        continue;
      graph.values.push_back(context.graph.values[context.node.inputs[i]]);
      node.inputs[i] = static_cast<ValueId>(graph.values.size() - 1);
      if (!isMoved(i))
        continue;
      auto sizes = context.sizes(i);
      if (!sizes)
        return {};
      std::vector<int64_t> places;
      for (const Dim &size : *sizes) {
        places.push_back(static_cast<int64_t>(all.size()));
        all.push_back(size);
      }
      GraphValue &value = graph.values.back();
      value.kind = ValueKind::weight;
      value.type.element = ElementType::i64;
      value.data = integersAsData(places, ElementType::i64);
    }
    std::vector<TensorType> places = types;
    for (TensorType &type : places)
      type.element = ElementType::i64;
    Diagnostics unused; // the types were inferred before
    InferenceContext moved(graph, node, unused);
    std::vector<std::vector<Dim>> results;
    for (const WeightData &data : fold(moved, places)) {
      std::vector<Dim> &result = results.emplace_back();
      for (size_t at = 0; at < data->size(); at += sizeof(int64_t)) {
        int64_t place;
        std::memcpy(&place, data->data() + at, sizeof place);
        result.push_back(all[static_cast<size_t>(place)]);
      }
    }
    return results;
  };
}

FoldSizesFunction foldMovedSizes(FoldFunction fold) {
  return foldMovedSizes(std::move(fold), [](size_t input) { return input == 0; });
}

FoldFunction foldIntegers(IntegerFunction compute) { return foldNumbers(std::move(compute), {}); }

FoldFunction foldReals(RealFunction compute) { return foldNumbers({}, std::move(compute)); }

FoldFunction foldNumbers(IntegerFunction ofIntegers, RealFunction ofReals) {
  return [=](InferenceContext &context,
             const std::vector<TensorType> &types) -> std::vector<WeightData> {
    const TensorType &type = types.front();
    if (ofIntegers && !isFloat(type.element))
      if (auto values = computed<int64_t>(context, type, ofIntegers))
        return {integersAsData(*values, type.element)};
    if (ofReals && (type.element == ElementType::f32 || type.element == ElementType::f64))
      if (auto values = computed<double>(context, type, ofReals))
        return {realsAsData(*values, type.element)};
    return {};
  };
}

} // namespace kgen
