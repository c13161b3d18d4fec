#include "ops/OperatorPages.h"

#include <llvm/ADT/StringMap.h>

namespace kgen {

static llvm::StringMap<OperatorPage> readPages() {
  llvm::StringMap<OperatorPage> pages;
  const struct {
    char kind; ///< operand, result, example
    const char *name;
    OperandPage text;
  } entries[] = {
#define KGEN_OPERAND(op, name, shape, meaning) {'o', op, {name, shape, meaning}},
#define KGEN_RESULT(op, name, shape, meaning) {'r', op, {name, shape, meaning}},
#define KGEN_EXAMPLE(op, text) {'e', op, {text, "", ""}},
#include "ops/OperatorPages.def"
#undef KGEN_OPERAND
#undef KGEN_RESULT
#undef KGEN_EXAMPLE
  };
  for (const auto &entry : entries) {
    OperatorPage &page = pages[entry.name];
    if (entry.kind == 'e')
      page.example = entry.text.name;
    else
      (entry.kind == 'o' ? page.operands : page.results).push_back(entry.text);
  }
  return pages;
}

const OperatorPage *findOperatorPage(const std::string &name) {
  static const llvm::StringMap<OperatorPage> pages = readPages();
  auto found = pages.find(name);
  return found == pages.end() ? nullptr : &found->second;
}

} // namespace kgen
