#include "spec/BuiltInTargets.h"

#include "spec/Yaml.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace kgen {
namespace {

struct EmbeddedTarget {
  const char *name, *text;
};
const EmbeddedTarget embedded[] = {
#include "spec/BuiltInTargets.inc"
};

} // namespace

TargetKind kindOfTarget(const std::string &text) {
  Diagnostics unused; // whoever reads the file reports what is wrong with it
  std::optional<YamlNode> root = parseYaml(text, "", unused);
  auto has = [&](const char *key) {
    return root &&
           llvm::any_of(root->entries, [&](const YamlEntry &entry) { return entry.key == key; });
  };
  return has("machine") ? TargetKind::machine : has("kind") ? TargetKind::gpu : TargetKind::cpu;
}

bool isPlainName(const std::string &name) {
  auto isAllowed = [](char c) { return llvm::isAlnum(c) || llvm::StringRef("-_.").contains(c); };
  return !name.empty() && name.size() <= 64 && llvm::isAlnum(name.front()) &&
         llvm::all_of(name, isAllowed);
}

const std::vector<TargetFile> &builtInTargetFiles() {
  static const std::vector<TargetFile> files = [] {
    std::vector<TargetFile> list;
    for (const EmbeddedTarget &target : embedded)
      list.push_back({target.name, std::string("<built-in>/") + target.name + ".yaml", target.text,
                      kindOfTarget(target.text)});
    return list;
  }();
  return files;
}

} // namespace kgen
