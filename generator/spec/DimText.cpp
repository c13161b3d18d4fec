#include "spec/DimText.h"

#include "spec/Fields.h"
#include "spec/Names.h"

#include <limits>

namespace kgen {

std::pair<std::string, std::string> boundsProblem(const DimSymbol &bounds) {
  const std::string multiple = "a multiple of " + std::to_string(bounds.multiple);
  if (bounds.max % bounds.multiple != 0)
    return {"max", multiple};
  if (bounds.min % bounds.multiple != 0)
    return {"min", multiple};
  if (bounds.min > bounds.max)
    return {"min", "at most 'max', " + std::to_string(bounds.max) + ","};
  return {};
}

/// A size from `least` on.
static std::optional<int64_t> parseSize(llvm::StringRef text, int64_t least) {
  std::optional<int64_t> size = parseInteger(text);
  const bool isSize = size && *size >= least && *size <= std::numeric_limits<int32_t>::max();
  return isSize ? size : std::nullopt;
}

std::optional<Dim> parseDimText(llvm::StringRef name, llvm::StringRef text, std::string &problem) {
  if (!text.contains("..")) {
    std::optional<int64_t> number = parseSize(text, 0);
    return number ? std::optional(Dim(*number)) : std::nullopt;
  }
  auto [least, rest] = text.split("..");
  auto [greatest, factor] = rest.split('/');
  std::optional<int64_t> multiple = rest.contains('/') ? parseSize(factor, 1) : 1;
  std::optional<int64_t> min = least.empty() ? multiple : parseSize(least, 0);
  std::optional<int64_t> max = parseSize(greatest, 1);
  if (!multiple || !min || !max)
    return std::nullopt;
  DimSymbol bounds{cIdentifierOf(name), *min, *max, *multiple};
  auto [end, expected] = boundsProblem(bounds);
  if (!end.empty())
    problem = "expected " + expected + " for '" + end + "' of '" + name.str() + "', found '" +
              text.str() + "'";
  if (!problem.empty())
    return std::nullopt;
  return Dim(std::make_shared<const DimSymbol>(bounds));
}

} // namespace kgen
