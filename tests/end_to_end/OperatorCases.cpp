#include "CaseTensors.h"

#include <cstdlib>
#include <stdexcept>

namespace kgen::tests {
namespace {

using std::filesystem::path;

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

CaseInput parseInput(const YAML::Node &node, const StoredNumbers &stored, const std::string &name) {
  CaseInput input;
  if (node.IsNull())
    input.skipped = true;
  else if (node.IsMap() && node["same"])
    input.sameAs = node["same"].as<int>();
  else
    input.tensor = parseTensor(node, stored, name);
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

/// The allowed error of each element, of each result.
std::vector<std::vector<double>> parseBounds(const YAML::Node &node, const OperatorCase &parsed,
                                             const StoredNumbers &stored) {
  std::vector<std::vector<double>> bounds;
  if (node.IsSequence())
    bounds = node.as<std::vector<std::vector<double>>>();
  else if (node.Scalar() == "stored")
    for (size_t i = 0; i < parsed.expected.size(); ++i)
      bounds.push_back(stored.findReals(parsed.name + ".bound" + std::to_string(i)));
  if (bounds.size() != parsed.expected.size())
    throw std::runtime_error(parsed.op + " " + parsed.name + " has no tolerance");
  for (size_t i = 0; i < bounds.size(); ++i)
    if (static_cast<int64_t>(bounds[i].size()) != parsed.expected[i].type.elementCount())
      throw std::runtime_error(parsed.op + " " + parsed.name + " has a bound too many or too few");
  return bounds;
}

void parseGraph(const YAML::Node &node, OperatorCase &result) {
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
}

void parseInputs(const YAML::Node &node, const StoredNumbers &stored, OperatorCase &result) {
  for (const YAML::Node &input : node["inputs"])
    result.inputs.push_back(
        parseInput(input, stored, result.name + ".x" + std::to_string(result.inputs.size())));
  if (node["weights"])
    result.weights = node["weights"].as<std::vector<size_t>>();
  for (const auto &entry : node["quantize"])
    result.quantize[entry.first.as<size_t>()] = {entry.second["bits"].as<int64_t>(),
                                                 entry.second["block"].as<int64_t>(),
                                                 entry.second["scale"].as<std::string>("f32") ==
                                                     "f16",
                                                 {}};
  if (node["constants"])
    result.constants = node["constants"].as<std::vector<std::vector<size_t>>>();
}

OperatorCase parseCase(const std::string &op, const YAML::Node &node, const StoredNumbers &stored) {
  OperatorCase result;
  result.op = op;
  result.name = node["name"].as<std::string>();
  for (const auto &entry : node["attributes"])
    result.attributes[entry.first.as<std::string>()] = parseAttribute(entry.second);
  parseGraph(node, result);
  parseInputs(node, stored, result);
  for (const YAML::Node &output : node["expected"])
    result.expected.push_back(
        parseTensor(output, stored, result.name + ".y" + std::to_string(result.expected.size())));
  if (node["ulps"]) {
    result.ulps = node["ulps"].as<long>();
  } else {
    result.ulps = -1;
    result.bounds = parseBounds(node["bounds"], result, stored);
  }
  return result;
}

} // namespace

std::vector<OperatorCase> readCases(const path &file) {
  YAML::Node root = YAML::LoadFile(file.string());
  const std::string label = root[root["op"] ? "op" : "graphs"].as<std::string>();
  const StoredNumbers stored(file);
  std::vector<OperatorCase> cases;
  for (const char *key : {"cases", "by_hand"})
    for (const YAML::Node &node : root[key]) {
      cases.push_back(parseCase(label, node, stored));
      cases.back().isByHand = key == std::string("by_hand");
    }
  if (cases.empty())
    throw std::runtime_error(file.string() + " has no cases");
  return cases;
}

} // namespace kgen::tests
