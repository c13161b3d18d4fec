#include "spec/BuiltInTargets.h"

#include "spec/Yaml.h"

#include <llvm/ADT/STLExtras.h>

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
