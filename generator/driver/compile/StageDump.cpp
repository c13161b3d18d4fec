#include "driver/compile/StageDump.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>

using namespace mlir;

namespace kgen {
namespace {

/// The aliases of locations that a text defines, each on a line of its own: "#loc7 = loc(BODY)".
class LocationAliases {
public:
  static constexpr StringLiteral prefix = "#loc";

  /// True if `line` defines an alias, which is then known.
  bool define(StringRef line) {
    auto [name, body] = line.split(" = ");
    if (!name.starts_with(prefix) || !body.consume_front("loc(") || !body.consume_back(")"))
      return false;
    bodies[name] = body.str();
    return true;
  }

  /// `text` with the body of each alias in its place.
  std::string expand(StringRef text) {
    std::string result;
    while (true) {
      size_t start = text.find(prefix);
      result += text.take_front(start);
      if (start == StringRef::npos)
        return result;
      text = text.drop_front(start);
      StringRef name = nameAt(text);
      result += bodyOf(name);
      text = text.drop_front(name.size());
    }
  }

  /// The alias that `text` begins with.
  static StringRef nameAt(StringRef text) {
    return text.take_front(text.find_first_not_of("0123456789", prefix.size()));
  }

private:
  /// The location that an alias stands for, without any alias in it.
  StringRef bodyOf(StringRef name) {
    std::string &body = bodies[name];
    if (StringRef(body).contains(prefix)) {
      std::string nested = std::move(body);
      body.clear(); // locations have no cycles
      bodies[name] = expand(nested);
    }
    return bodies[name];
  }

  llvm::StringMap<std::string> bodies;
};

} // namespace

std::string withInlineLocations(StringRef text) {
  LocationAliases aliases;
  std::string code;
  code.reserve(text.size());
  for (StringRef rest = text; !rest.empty();) {
    size_t end = rest.find('\n');
    StringRef line = rest.take_front(end);
    rest = rest.drop_front(std::min(rest.size(), line.size() + 1));
    if (!aliases.define(line))
      code += (line + "\n").str();
  }
  return aliases.expand(code);
}

std::string dumpText(ModuleOp module, bool withWeights) {
  constexpr int64_t maxPrinted = 64;
  OpPrintingFlags flags = OpPrintingFlags().enableDebugInfo();
  if (!withWeights)
    flags.elideLargeElementsAttrs(maxPrinted).elideLargeResourceString(maxPrinted);
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, flags);
  return withInlineLocations(text);
}

} // namespace kgen
