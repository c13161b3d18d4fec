// Values of parameters of templates.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kgen::expressions {

/// `?` as a size: known at run time only.
constexpr int64_t dynamicSize = INT64_MIN;

struct Value {
  enum class Kind {
    type,      ///< in the words of MLIR or of specs: "f32", "u8", "!quant.any<i8>"
    shape,     ///< sizes, `?` among them
    number,    ///< an integer, a size, or `?`
    boolean,   ///< 0 or 1 in `number`
    string,    ///< without quotes
    real,      ///< in `real`
    list,      ///< what `range` and `repeat` give
    attribute, ///< text that only MLIR reads: an affine map
  };
  Kind kind = Kind::number;
  std::string text{};
  std::vector<int64_t> sizes{};
  int64_t number = 0;
  double real = 0;
  std::vector<Value> items{};

  static Value makeType(std::string text) { return {Kind::type, std::move(text)}; }
  static Value makeShape(std::vector<int64_t> sizes) { return {Kind::shape, {}, std::move(sizes)}; }
  static Value makeNumber(int64_t number) { return {Kind::number, {}, {}, number}; }
  static Value makeBoolean(bool value) { return {Kind::boolean, {}, {}, value}; }
  static Value makeString(std::string text) { return {Kind::string, std::move(text)}; }
  static Value makeReal(double real) { return {Kind::real, {}, {}, 0, real}; }
  static Value makeList(std::vector<Value> items) {
    return {Kind::list, {}, {}, 0, 0, std::move(items)};
  }
  static Value makeAttribute(std::string text) { return {Kind::attribute, std::move(text)}; }

  /// As it stands in a body that MLIR reads: types of specs are those that kgen stores them in.
  std::string str() const;
  /// As it stands in `<...>` of a call and in messages; `parseValue` reads it.
  std::string shown() const;

  bool operator==(const Value &other) const;
  /// Equal, or a shape of this rank whose `?` stand for any size.
  bool covers(const Value &other) const;
  bool isDynamic() const;
  /// Of a number or a real number.
  std::optional<double> asReal() const;
};

/// "type", "shape", "index", "bool", "string", "real", "list", "attribute".
llvm::StringRef toString(Value::Kind kind);

/// The value of that kind that a text stands for, or nothing.
std::optional<Value> parseValue(llvm::StringRef text, Value::Kind kind);

/// A real number in MLIR's syntax, which needs a point; the shortest that is read back as the same.
std::string realText(double value);

/// Parameters by their names.
using Environment = std::map<std::string, Value, std::less<>>;
/// "K = 3, T = f16".
std::string shown(const Environment &values);

/// Facts about a target that templates may ask for: `target("<CPU feature>")`,
/// `target("vector_bits")`.
struct TargetFacts {
  std::vector<std::string> features;
  std::map<std::string, int64_t> numbers;
};

// Scalar types, in the words of MLIR and of specs.
bool isScalarType(llvm::StringRef type);
bool isFloatType(llvm::StringRef type);
bool isIntegerType(llvm::StringRef type); ///< `bool` and `index`, too
bool isUnsignedType(llvm::StringRef type);
int64_t bitsOfType(llvm::StringRef type); ///< 0 if it is none of these, or `index`
/// The type that kgen stores it in: `i8` of `u8`, `bool` and types of fewer bits that MLIR lacks.
llvm::StringRef storedType(llvm::StringRef type);

} // namespace kgen::expressions
