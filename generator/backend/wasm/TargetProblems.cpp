// Checks of target files for WebAssembly.
#include "backend/wasm/Wasm.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

namespace kgen::wasm {
namespace {

using Key = TargetProblem::Key;

constexpr int64_t vectorBits = 128;

void checkFeatures(const std::vector<std::string> &features, int64_t bits,
                   std::vector<TargetProblem> &problems) {
  auto has = [&](llvm::StringRef name) { return llvm::is_contained(features, name); };
  if (has("relaxed-simd") && !has("simd128"))
    problems.push_back({Key::feature, "relaxed-simd", "feature 'relaxed-simd' implies simd128",
                        "add what is missing to 'requires'"});
  if (bits != 0 && bits != vectorBits)
    problems.push_back({Key::vectorBits, "",
                        "WebAssembly has no vectors of " + std::to_string(bits) + " bits",
                        "write 128"});
  else if (!has("simd128"))
    problems.push_back({Key::vectorBits, "", "vectors of 128 bits need the feature 'simd128'",
                        "add it to 'requires'"});
}

} // namespace

std::vector<TargetProblem> problemsOf(const TargetDescription &target) {
  std::vector<TargetProblem> problems;
  if (target.tune && *target.tune != "generic")
    problems.push_back({Key::tune, "",
                        "WebAssembly has no CPUs to tune for: an engine compiles for its own",
                        "remove 'tune'"});
  if (target.features)
    checkFeatures(*target.features, target.cpu.vectorBits, problems);
  if (target.hasOnlyOn)
    problems.push_back({Key::onlyOn, "", "'only_on' names CPUs, which WebAssembly does not show",
                        "remove 'only_on'"});
  return problems;
}

} // namespace kgen::wasm
