#include "expressions/Value.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace kgen::expressions {

using llvm::StringRef;

namespace {

std::string sizeText(int64_t size) { return size == dynamicSize ? "?" : std::to_string(size); }

std::optional<int64_t> parseSize(StringRef text) {
  int64_t size = 0;
  if (text == "?")
    return dynamicSize;
  return text.getAsInteger(10, size) ? std::nullopt : std::optional(size);
}

std::optional<Value> parseShape(StringRef text) {
  std::vector<int64_t> sizes;
  for (StringRef part : llvm::split(text, 'x')) {
    if (text.empty())
      break;
    std::optional<int64_t> size = parseSize(part);
    if (!size || (*size < 0 && *size != dynamicSize))
      return std::nullopt;
    sizes.push_back(*size);
  }
  return Value::makeShape(std::move(sizes));
}

std::string quoted(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + '"';
}

std::optional<std::string> unquoted(StringRef text) {
  if (!text.consume_front("\""))
    return text.str();
  if (!text.consume_back("\""))
    return std::nullopt;
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size())
      ++i;
    result += text[i];
  }
  return result;
}

/// The number after a prefix of letters, "bf16" 16.
int64_t bitsBehind(StringRef type, StringRef prefix) {
  int64_t bits = 0;
  return type.consume_front(prefix) && !type.getAsInteger(10, bits) && bits <= 4096 ? bits : 0;
}

} // namespace

std::string Value::str() const {
  switch (kind) {
  case Kind::type:
    return storedType(text).str();
  case Kind::list:
    return llvm::join(llvm::map_range(items, [](const Value &item) { return item.str(); }), ", ");
  default:
    return shown();
  }
}

std::string Value::shown() const {
  switch (kind) {
  case Kind::type:
  case Kind::attribute:
    return text;
  case Kind::shape:
    return sizes.empty() ? "[]" : llvm::join(llvm::map_range(sizes, sizeText), "x");
  case Kind::number:
    return sizeText(number);
  case Kind::boolean:
    return number ? "true" : "false";
  case Kind::string:
    return quoted(text);
  case Kind::real:
    return realText(real);
  case Kind::list:
    return "[" +
           llvm::join(llvm::map_range(items, [](const Value &item) { return item.shown(); }),
                      ", ") +
           "]";
  }
  llvm_unreachable("a kind of value");
}

bool Value::operator==(const Value &other) const {
  return kind == other.kind && text == other.text && sizes == other.sizes &&
         number == other.number && std::memcmp(&real, &other.real, sizeof real) == 0 &&
         items == other.items;
}

bool Value::covers(const Value &other) const {
  if (kind != Kind::shape || other.kind != Kind::shape || sizes.size() != other.sizes.size())
    return *this == other;
  return llvm::all_of(llvm::zip(sizes, other.sizes), [](auto pair) {
    return std::get<0>(pair) == dynamicSize || std::get<0>(pair) == std::get<1>(pair);
  });
}

bool Value::isDynamic() const {
  return (kind == Kind::number && number == dynamicSize) ||
         (kind == Kind::shape && llvm::is_contained(sizes, dynamicSize));
}

std::optional<double> Value::asReal() const {
  if (kind == Kind::real)
    return real;
  return kind == Kind::number && !isDynamic() ? std::optional(double(number)) : std::nullopt;
}

StringRef toString(Value::Kind kind) {
  constexpr const char *names[] = {"type",   "shape", "index", "bool",
                                   "string", "real",  "list",  "attribute"};
  return names[size_t(kind)];
}

std::optional<Value> parseValue(StringRef text, Value::Kind kind) {
  text = text.trim();
  double real = 0;
  switch (kind) {
  case Value::Kind::type:
    return text.empty() ? std::nullopt : std::optional(Value::makeType(text.str()));
  case Value::Kind::shape:
    return parseShape(text == "[]" ? "" : text);
  case Value::Kind::number:
    if (std::optional<int64_t> size = parseSize(text))
      return Value::makeNumber(*size);
    return std::nullopt;
  case Value::Kind::boolean:
    if (text != "true" && text != "false")
      return std::nullopt;
    return Value::makeBoolean(text == "true");
  case Value::Kind::string:
    if (std::optional<std::string> string = unquoted(text))
      return Value::makeString(*string);
    return std::nullopt;
  case Value::Kind::real:
    if (text.getAsDouble(real) || !std::isfinite(real))
      return std::nullopt;
    return Value::makeReal(real);
  case Value::Kind::list:
  case Value::Kind::attribute:
    return std::nullopt;
  }
  llvm_unreachable("a kind of value");
}

std::string realText(double value) {
  std::string text = fmt::format("{}", value);
  size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos)
    text.insert(std::min(exponent, text.size()), ".0");
  return text;
}

std::string shown(const Environment &values) {
  std::string text;
  for (const auto &[name, value] : values)
    text += (text.empty() ? "" : ", ") + name + " = " + value.shown();
  return text;
}

bool isFloatType(StringRef type) {
  return type == "bf16" || bitsBehind(type, "f") || type == "tf32" || type.starts_with("f8") ||
         type.starts_with("f6") || type.starts_with("f4");
}

bool isIntegerType(StringRef type) {
  return type == "bool" || type == "index" || bitsBehind(type, "i") || bitsBehind(type, "u") ||
         bitsBehind(type, "si") || bitsBehind(type, "ui");
}

bool isScalarType(StringRef type) { return isFloatType(type) || isIntegerType(type); }

bool isUnsignedType(StringRef type) {
  return type == "bool" || bitsBehind(type, "u") || bitsBehind(type, "ui");
}

int64_t bitsOfType(StringRef type) {
  if (type == "bool")
    return 8;
  if (!isScalarType(type) || type == "index")
    return 0;
  int64_t bits = 0;
  type.drop_until(llvm::isDigit).take_while(llvm::isDigit).getAsInteger(10, bits);
  return bits;
}

StringRef storedType(StringRef type) {
  return llvm::StringSwitch<StringRef>(type)
      .Cases({"u4", "u8", "bool", "f8e4m3fn", "f8e5m2"}, "i8")
      .Case("u16", "i16")
      .Case("u32", "i32")
      .Case("u64", "i64")
      .Default(type);
}

} // namespace kgen::expressions
