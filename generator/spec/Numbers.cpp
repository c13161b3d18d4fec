// Numbers as the language writes them. Stricter than strtod and independent of the locale.
#include "spec/Fields.h"

#include <llvm/ADT/StringExtras.h>

#include <cmath>

namespace kgen {

/// Longer numbers carry no more information and would make conversion slow.
constexpr size_t maxNumberLength = 400;

/// True if the language takes it for digits; a leading zero is octal to some, decimal to others.
static bool areDigits(llvm::StringRef digits) {
  return !digits.empty() && llvm::all_of(digits, llvm::isDigit) &&
         (digits.size() == 1 || digits.front() != '0');
}

std::optional<uint64_t> parseUnsigned(llvm::StringRef text) {
  text.consume_front("+");
  uint64_t value;
  if (!areDigits(text) || text.getAsInteger(10, value))
    return std::nullopt;
  return value;
}

std::optional<int64_t> parseInteger(llvm::StringRef text, bool *tooLarge) {
  llvm::StringRef digits = text;
  bool negative = digits.consume_front("-");
  if (!negative)
    digits.consume_front("+");
  if (!areDigits(digits))
    return std::nullopt;
  int64_t value;
  std::string signedDigits = (negative ? "-" : "") + digits.take_front(32).str();
  if (llvm::StringRef(signedDigits).getAsInteger(10, value)) {
    if (tooLarge)
      *tooLarge = true;
    return std::nullopt;
  }
  return value;
}

/// [+-] digits [. digits] [e [+-] digits], with at least one digit before the exponent.
static bool isDecimal(llvm::StringRef text) {
  auto digits = [&] {
    size_t n = text.take_while(llvm::isDigit).size();
    text = text.drop_front(n);
    return n;
  };
  if (!text.consume_front("-"))
    text.consume_front("+");
  size_t mantissa = digits();
  if (text.consume_front("."))
    mantissa += digits();
  if (!mantissa)
    return false;
  if (!text.consume_front("e") && !text.consume_front("E"))
    return text.empty();
  if (!text.consume_front("-"))
    text.consume_front("+");
  return digits() > 0 && text.empty();
}

std::optional<double> parseReal(llvm::StringRef text) {
  if (text == ".nan" || text == ".NaN" || text == ".NAN")
    return std::nan("");
  llvm::StringRef magnitude = text;
  bool negative = magnitude.consume_front("-");
  if (!negative)
    magnitude.consume_front("+");
  if (magnitude == ".inf" || magnitude == ".Inf" || magnitude == ".INF")
    return negative ? -HUGE_VAL : HUGE_VAL;
  double value;
  if (text.size() > maxNumberLength || !isDecimal(text) || magnitude.getAsDouble(value) ||
      !std::isfinite(value))
    return std::nullopt;
  return negative ? -value : value;
}

} // namespace kgen
