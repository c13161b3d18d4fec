#include "CaseTensors.h"

#include "RandomNumbers.h"
#include "support/InputFile.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace kgen::tests {
namespace {

template <typename T> T valueOf(llvm::Expected<T> found, const std::string &path) {
  if (!found)
    throw std::runtime_error(path + ": " + llvm::toString(found.takeError()));
  return std::move(*found);
}

TensorType parseType(const std::string &text) {
  size_t bracket = text.find('[');
  auto element = parseElementType(text.substr(0, bracket));
  if (!element || bracket == std::string::npos)
    throw std::runtime_error("bad type " + text);
  TensorType type{*element, {}};
  for (const YAML::Node &dimension : YAML::Load(text.substr(bracket)))
    type.shape.push_back(dimension.as<int64_t>());
  return type;
}

/// Appends one number as written: the nearest of the type, of narrower ones than f32 by way of
/// that.
void appendNumber(std::vector<char> &bytes, ElementType type, const std::string &text) {
  if (type == ElementType::f64 || isFloat8(type))
    appendFloat(bytes, type, std::strtod(text.c_str(), nullptr));
  else if (isFloat(type))
    appendFloat(bytes, type, std::strtof(text.c_str(), nullptr));
  else
    appendInteger(bytes, type,
                  text[0] == '-' ? std::stoll(text) : static_cast<int64_t>(std::stoull(text)));
}

/// Numbers of which integers are drawn where a table has no range: all of a type with few of them.
struct Range {
  int64_t low, high; ///< `high` is not drawn
};
Range usualRange(ElementType type) {
  if (type == ElementType::boolean || byteWidth(type) == 8 || type == ElementType::i32)
    return {-1000, 1000};
  int64_t count = int64_t(1) << bitWidth(type);
  return isUnsigned(type) ? Range{0, count} : Range{-count / 2, count / 2};
}

/// Reals of four digits.
void drawReals(CaseTensor &tensor, RandomNumbers &random, const YAML::Node &range) {
  double low = range ? range[0].as<double>() : -2, high = range ? range[1].as<double>() : 2;
  for (int64_t i = 0, count = tensor.type.elementCount(); i < count; ++i) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", low + (high - low) * random.real());
    appendNumber(tensor.bytes, tensor.type.element, text);
  }
}

/// Integers; a bool is true where one is even.
void drawIntegers(CaseTensor &tensor, RandomNumbers &random, const YAML::Node &range) {
  const ElementType type = tensor.type.element;
  const auto [low, high] =
      range ? Range{range[0].as<int64_t>(), range[1].as<int64_t>()} : usualRange(type);
  for (int64_t i = 0, count = tensor.type.elementCount(); i < count; ++i) {
    int64_t drawn = random.integer(low, high);
    appendInteger(tensor.bytes, type, type == ElementType::boolean ? drawn % 2 == 0 : drawn);
  }
}

void draw(CaseTensor &tensor, const YAML::Node &node) {
  RandomNumbers random(node["seed"].as<std::string>());
  if (isFloat(tensor.type.element))
    drawReals(tensor, random, node["range"]);
  else
    drawIntegers(tensor, random, node["range"]);
  for (const auto &change : node["but"]) {
    std::vector<char> number;
    appendNumber(number, tensor.type.element, change.second.Scalar());
    const size_t place = change.first.as<size_t>() * number.size();
    if (place + number.size() > tensor.bytes.size())
      throw std::runtime_error("`but` changes an element that " + tensor.type.str() + " lacks");
    std::copy(number.begin(), number.end(), tensor.bytes.begin() + static_cast<long>(place));
  }
}

} // namespace

StoredNumbers::StoredNumbers(const std::filesystem::path &table)
    : path(std::filesystem::path(table).replace_extension(".safetensors").string()) {
  if (!std::filesystem::exists(path))
    return; // a table may have no such numbers
  bytes = valueOf(readInputFile(path, maxTextBytes), path);
  file = valueOf(SafetensorsFile::parse(bytes->getBuffer()), path);
}

FileTensor StoredNumbers::read(const std::string &tensor) const {
  if (!file)
    throw std::runtime_error("cannot read " + path);
  return valueOf(file->find(tensor), path);
}

std::vector<char> StoredNumbers::find(const std::string &tensor, const TensorType &type) const {
  FileTensor found = read(tensor);
  // The format has no integers of four bits: a byte has one.
  TensorType stored = type;
  if (bitWidth(type.element) == 4)
    stored.element = isUnsigned(type.element) ? ElementType::u8 : ElementType::i8;
  if (found.type != stored)
    throw std::runtime_error(path + ": expected " + tensor + " of type " + stored.str() +
                             ", found " + found.type.str());
  return {found.bytes.begin(), found.bytes.end()};
}

std::vector<double> StoredNumbers::findReals(const std::string &tensor) const {
  FileTensor found = read(tensor);
  std::vector<double> numbers(static_cast<size_t>(found.type.elementCount()));
  for (size_t i = 0; i < numbers.size(); ++i) {
    const char *number = found.bytes.data() + i * byteWidth(found.type.element);
    if (found.type.element == ElementType::f64) {
      std::memcpy(&numbers[i], number, sizeof(double));
    } else if (float real; found.type.element == ElementType::f32) {
      std::memcpy(&real, number, sizeof real);
      numbers[i] = real;
    } else {
      throw std::runtime_error(path + ": expected " + tensor + " of type f32 or f64, found " +
                               found.type.str());
    }
  }
  return numbers;
}

CaseTensor parseTensor(const YAML::Node &node, const StoredNumbers &stored,
                       const std::string &name) {
  CaseTensor tensor;
  tensor.type = parseType(node.IsScalar() ? node.Scalar() : node["type"].as<std::string>());
  if (node.IsScalar())
    tensor.bytes = stored.find(name, tensor.type);
  else if (node["seed"])
    draw(tensor, node);
  else
    for (const YAML::Node &number : node["data"])
      appendNumber(tensor.bytes, tensor.type.element, number.Scalar());
  if (static_cast<int64_t>(tensor.bytes.size()) != tensor.type.byteCount())
    throw std::runtime_error("a tensor has not as many numbers as its type " + tensor.type.str());
  return tensor;
}

} // namespace kgen::tests
