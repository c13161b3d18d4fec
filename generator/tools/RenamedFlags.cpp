// Expands RenamedFlags.def.
#include "tools/RenamedFlags.h"

#include "backend/Backend.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>

namespace kgen {
namespace {

llvm::StringMap<std::string> allNewNames() {
  llvm::StringMap<std::string> names = {
#define KGEN_RENAMED_FLAG(old, current) {old, current},
#include "tools/RenamedFlags.def"
  };
  for (const Backend *backend : backends())
    for (auto [old, current] : backend->renamedFlags())
      names[old] = current;
  return names;
}

const llvm::StringMap<std::string> &newNames() {
  static const llvm::StringMap<std::string> names = allNewNames();
  return names;
}

bool isNameChar(char c) { return llvm::isAlnum(c) || c == '-' || c == '_'; }

/// "pass=options" where a pass stands in a pipeline: "pass{options}".
std::string inPipeline(llvm::StringRef flag) {
  auto [pass, options] = flag.split('=');
  return options.empty() ? pass.str() : (pass + "{" + options + "}").str();
}

/// A flag with each old name in it replaced; names are words of letters, digits, '-' and '_'.
std::string withNewNames(llvm::StringRef flag, std::ostream &warnings) {
  std::string result;
  while (!flag.empty()) {
    llvm::StringRef word = flag.take_while(isNameChar), name = word.ltrim('-');
    auto found = newNames().find(name);
    result += word.drop_back(name.size());
    bool isRenamed = found != newNames().end(), isFlag = name.size() != word.size();
    result += !isRenamed ? name.str() : isFlag ? found->second : inPipeline(found->second);
    if (isRenamed)
      warnings << "kgen-opt: warning: '" << name.str() << "' is now called '" << found->second
               << "'\n";
    flag = flag.drop_front(word.size());
    result += flag.take_until(isNameChar);
    flag = flag.drop_until(isNameChar);
  }
  return result;
}

} // namespace

std::vector<std::string> withNewFlagNames(const std::vector<std::string> &arguments,
                                          std::ostream &warnings) {
  std::vector<std::string> result;
  for (const std::string &argument : arguments)
    result.push_back(argument.rfind('-', 0) == 0 ? withNewNames(argument, warnings) : argument);
  return result;
}

} // namespace kgen
