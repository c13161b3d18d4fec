#include "OperatorCases.h"

#include "support/Float8.h"

#include <llvm/ADT/APFloat.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace kgen::tests {
namespace {

using std::filesystem::path;

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

std::vector<char> readFile(const path &file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

template <typename T> void append(std::vector<char> &bytes, T value) {
  const char *begin = reinterpret_cast<const char *>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof value);
}

/// A number that was written with a few digits: the bf16 or f16 that they stand for is the nearest
/// one.
uint16_t nearest(const llvm::fltSemantics &type, float value) {
  llvm::APFloat number(value);
  bool inexact;
  number.convert(type, llvm::APFloat::rmNearestTiesToEven, &inexact);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

/// One number as written, in the type's bytes. strtof and strtod read what the oracle wrote without
/// loss.
void appendNumber(std::vector<char> &bytes, ElementType type, const std::string &text) {
  switch (type) {
  case ElementType::f32:
    return append(bytes, std::strtof(text.c_str(), nullptr));
  case ElementType::f64:
    return append(bytes, std::strtod(text.c_str(), nullptr));
  case ElementType::bf16:
    return append(bytes, nearest(llvm::APFloat::BFloat(), std::strtof(text.c_str(), nullptr)));
  case ElementType::f16:
    return append(bytes, nearest(llvm::APFloat::IEEEhalf(), std::strtof(text.c_str(), nullptr)));
  case ElementType::f8e4m3fn:
  case ElementType::f8e5m2:
    return append(bytes, float8OfDouble(type, std::strtod(text.c_str(), nullptr), true));
  default:
    break;
  }
  uint64_t bits = text[0] == '-' ? static_cast<uint64_t>(std::stoll(text)) : std::stoull(text);
  const char *begin = reinterpret_cast<const char *>(&bits); // little endian
  bytes.insert(bytes.end(), begin, begin + byteWidth(type));
}

CaseTensor parseTensor(const YAML::Node &node, const path &folder) {
  CaseTensor tensor;
  tensor.type = parseType(node["type"].as<std::string>());
  if (node["file"])
    tensor.bytes = readFile(folder / node["file"].as<std::string>());
  else
    for (const YAML::Node &number : node["data"])
      appendNumber(tensor.bytes, tensor.type.element, number.Scalar());
  if (static_cast<int64_t>(tensor.bytes.size()) != tensor.type.byteCount())
    throw std::runtime_error("a tensor has not as many numbers as its type " + tensor.type.str());
  return tensor;
}

std::vector<double> parseBounds(const YAML::Node &node, const path &folder) {
  std::vector<double> bounds;
  if (node["file"]) {
    std::vector<char> bytes = readFile(folder / node["file"].as<std::string>());
    bounds.resize(bytes.size() / sizeof(double));
    std::memcpy(bounds.data(), bytes.data(), bounds.size() * sizeof(double));
  } else {
    for (const YAML::Node &number : node["data"])
      bounds.push_back(std::strtod(number.Scalar().c_str(), nullptr));
  }
  return bounds;
}

/// Integers, numbers or strings, whatever all of them are.
AttributeValue parseList(const YAML::Node &node) {
  std::vector<int64_t> integers;
  std::vector<double> reals;
  std::vector<std::string> strings;
  for (const YAML::Node &item : node) {
    const std::string &text = strings.emplace_back(item.Scalar());
    char *end = nullptr;
    long long integer = std::strtoll(text.c_str(), &end, 10);
    if (*end == '\0')
      integers.push_back(integer);
    double real = std::strtod(text.c_str(), &end);
    if (*end == '\0')
      reals.push_back(real);
  }
  if (integers.size() == strings.size())
    return integers;
  if (reals.size() == strings.size())
    return reals;
  return strings;
}

AttributeValue parseAttribute(const YAML::Node &node) {
  if (node.IsSequence())
    return parseList(node);
  const std::string &text = node.Scalar();
  char *end = nullptr;
  long long integer = std::strtoll(text.c_str(), &end, 10);
  if (*end == '\0')
    return static_cast<int64_t>(integer);
  double real = std::strtod(text.c_str(), &end);
  if (*end == '\0')
    return real;
  return text;
}

CaseInput parseInput(const YAML::Node &node, const path &folder) {
  CaseInput input;
  if (node.IsNull())
    input.skipped = true;
  else if (node["same"])
    input.sameAs = node["same"].as<int>();
  else
    input.tensor = parseTensor(node, folder);
  return input;
}

CaseNode parseNode(const YAML::Node &node) {
  CaseNode result;
  result.name = node["name"].as<std::string>();
  result.op = node["op"].as<std::string>();
  result.inputs = node["inputs"].as<std::vector<std::string>>();
  for (const auto &entry : node["attributes"])
    result.attributes[entry.first.as<std::string>()] = parseAttribute(entry.second);
  if (node["outputs"])
    result.outputs = node["outputs"].as<std::vector<std::string>>();
  return result;
}

OperatorCase parseCase(const std::string &op, const YAML::Node &node, const path &folder) {
  OperatorCase result;
  result.op = op;
  result.name = node["name"].as<std::string>();
  for (const auto &entry : node["attributes"])
    result.attributes[entry.first.as<std::string>()] = parseAttribute(entry.second);
  for (const YAML::Node &inner : node["nodes"])
    result.nodes.push_back(parseNode(inner));
  if (node["outputs"])
    result.outputs = node["outputs"].as<std::vector<std::string>>();
  if (node["compute"])
    result.compute = parseElementType(node["compute"].as<std::string>()).value();
  if (node["winograd"])
    result.winograd = node["winograd"].as<int64_t>();
  if (node["accumulate"])
    result.accumulate = parseElementType(node["accumulate"].as<std::string>()).value();
  for (const YAML::Node &input : node["inputs"])
    result.inputs.push_back(parseInput(input, folder));
  if (node["weights"])
    result.weights = node["weights"].as<std::vector<size_t>>();
  for (const auto &entry : node["quantize"])
    result.quantize[entry.first.as<size_t>()] = {
        entry.second["bits"].as<int64_t>(), entry.second["block"].as<int64_t>(), {}};
  if (node["constants"])
    result.constants = node["constants"].as<std::vector<std::vector<size_t>>>();
  for (const YAML::Node &output : node["expected"])
    result.expected.push_back(parseTensor(output, folder));
  const YAML::Node tolerance = node["tolerance"];
  result.ulps = tolerance["ulps"] ? tolerance["ulps"].as<long>() : -1;
  for (const YAML::Node &bounds : tolerance["bounds"])
    result.bounds.push_back(parseBounds(bounds, folder));
  if (result.ulps < 0 && result.bounds.size() != result.expected.size())
    throw std::runtime_error(op + " " + result.name + " has no tolerance");
  for (size_t i = 0; i < result.bounds.size(); ++i)
    if (static_cast<int64_t>(result.bounds[i].size()) != result.expected[i].type.elementCount())
      throw std::runtime_error(op + " " + result.name + " has a bound too many or too few");
  return result;
}

} // namespace

std::vector<OperatorCase> readCases(const path &file) {
  YAML::Node root = YAML::LoadFile(file.string());
  const std::string label = root[root["op"] ? "op" : "graphs"].as<std::string>();
  std::vector<OperatorCase> cases;
  for (const YAML::Node &node : root["cases"])
    cases.push_back(parseCase(label, node, file.parent_path()));
  if (cases.empty())
    throw std::runtime_error(file.string() + " has no cases");
  return cases;
}

} // namespace kgen::tests
