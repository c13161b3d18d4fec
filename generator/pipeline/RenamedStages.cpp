// Expands RenamedStages.def.
#include "pipeline/RenamedStages.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>

using llvm::StringLiteral, llvm::StringRef;

namespace kgen {

std::string RenamedStage::warning() const {
  auto quoted =
      llvm::map_range(current, [](StringRef name) { return llvm::formatv("'{0}'", name).str(); });
  return llvm::formatv("'{0}' is now called {1}", old, llvm::join(quoted, ", "));
}

llvm::ArrayRef<RenamedStage> renamedStages() {
  static const RenamedStage stages[] = {
#define KGEN_RENAMED_STAGE(old, ...) {old, {__VA_ARGS__}},
#include "pipeline/RenamedStages.def"
  };
  return stages;
}

const RenamedStage *findRenamedStage(StringRef old) {
  const auto *found = llvm::find_if(
      renamedStages(), [&](const RenamedStage &renamed) { return renamed.old == old; });
  return found == renamedStages().end() ? nullptr : found;
}

std::string OldDumpNames::next(StringRef stage) {
  StringRef old = stage;
  for (const RenamedStage &renamed : renamedStages()) {
    if (renamed.current.back() == stage)
      old = renamed.old;
    else if (llvm::is_contained(renamed.current, stage))
      return "";
  }
  return llvm::formatv("{0,0+2}-{1}.mlir", ++number, old);
}

} // namespace kgen
