// Attributes of a node against the schema of its operator.
#include "graph/GraphParts.h"

#include <llvm/ADT/StringExtras.h>

namespace kgen {

const char *kindName(AttributeKind kind) {
  switch (kind) {
  case AttributeKind::integer:
    return "an integer";
  case AttributeKind::real:
    return "a number";
  case AttributeKind::string:
    return "a string";
  case AttributeKind::integers:
    return "a list of integers";
  case AttributeKind::reals:
    return "a list of numbers";
  case AttributeKind::strings:
    return "a list of strings";
  }
  return "";
}

namespace {

const char *foundName(const AttributeValue &value) {
  const char *const names[] = {
      "an integer",         "a number with a fraction",         "a string",
      "a list of integers", "a list of numbers with fractions", "a list of strings"};
  return names[value.index()];
}

/// The value in the form of the schema, or nothing if it does not fit.
std::optional<AttributeValue> convert(const AttributeValue &value, AttributeKind kind) {
  if (value.index() == static_cast<size_t>(kind))
    return value;
  if (auto *integer = std::get_if<int64_t>(&value); integer && kind == AttributeKind::real)
    return AttributeValue(static_cast<double>(*integer));
  if (auto *list = std::get_if<std::vector<int64_t>>(&value); list && kind == AttributeKind::reals)
    return AttributeValue(std::vector<double>(list->begin(), list->end()));
  return std::nullopt;
}
static_assert(
    std::is_same_v<std::variant_alternative_t<size_t(AttributeKind::integer), AttributeValue>,
                   int64_t> &&
        std::is_same_v<std::variant_alternative_t<size_t(AttributeKind::reals), AttributeValue>,
                       std::vector<double>> &&
        std::is_same_v<std::variant_alternative_t<size_t(AttributeKind::strings), AttributeValue>,
                       std::vector<std::string>>,
    "AttributeKind counts AttributeValue's alternatives");

std::vector<std::string> attributeNames(const Operator &op) {
  std::vector<std::string> names;
  for (const AttributeSchema &schema : op.attributes)
    names.push_back(schema.name);
  return names;
}

const AttributeSchema *findSchema(const Operator &op, const std::string &name) {
  for (const AttributeSchema &schema : op.attributes)
    if (schema.name == name)
      return &schema;
  return nullptr;
}
} // namespace

bool checkAttributes(const NodeDescription &node, const Operator &op,
                     std::map<std::string, AttributeValue> &attributes, Diagnostics &diagnostics) {
  bool good = true;
  auto fail = [&](const SourceLoc &where, std::string message, std::string hint = "") {
    diagnostics.error(where, std::move(message), std::move(hint));
    good = false;
  };
  for (const auto &[name, value] : node.attributes) {
    const AttributeSchema *schema = findSchema(op, name);
    std::vector<std::string> names = attributeNames(op);
    if (!schema) {
      fail(value.where,
           "unknown attribute '" + name + "' of operator " + op.name + didYouMean(name, names),
           names.empty() ? op.name + " has no attributes"
                         : "attributes: " + llvm::join(names, ", "));
    } else if (auto converted = convert(value.value, schema->kind)) {
      attributes[name] = std::move(*converted);
    } else {
      fail(value.where, "expected " + std::string(kindName(schema->kind)) + " for attribute '" +
                            name + "' of " + op.name + ", found " + foundName(value.value));
    }
  }
  for (const AttributeSchema &schema : op.attributes) {
    if (node.attributes.count(schema.name))
      continue;
    if (schema.defaultValue)
      attributes[schema.name] = *schema.defaultValue;
    else if (!schema.optional)
      fail(node.op.where, "missing attribute '" + schema.name + "' of operator " + op.name,
           std::string("it is ") + kindName(schema.kind) +
               (schema.doc.empty() ? "" : ": " + schema.doc));
  }
  return good;
}

} // namespace kgen
