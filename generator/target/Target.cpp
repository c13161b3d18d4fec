#include "target/Target.h"

#include <llvm/ADT/StringExtras.h>

namespace kgen {

std::string targetIdentifier(const std::string &name) {
  std::string identifier = name;
  for (char &c : identifier)
    if (!llvm::isAlnum(c))
      c = '_';
  return identifier;
}

std::string llvmFeatures(const TargetSpec &target) {
  std::string text;
  for (const Located<std::string> &feature : target.requiredFeatures)
    text += (text.empty() ? "+" : ",+") + feature.value;
  return text;
}

} // namespace kgen
