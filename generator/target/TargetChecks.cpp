// See TargetChecks.h. What is an architecture's own affair is asked of it (target/Architecture.h).
#include "target/TargetChecks.h"

#include "target/Architecture.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

namespace kgen {

void TargetChecks::run() const {
  const Architecture *architecture = architectureOf(target.triple);
  if (locations.triple && !architecture)
    reader.error(*locations.triple,
                 "not supported yet: triple " + quoteText(target.triple) +
                     ", which no back end takes",
                 "known are: " + knownTriples());
  else if (locations.triple && systemOf(target.triple) != systemOf(architecture->triple()))
    reader.error(*locations.triple,
                 "a target is for one architecture and all systems, and triple " +
                     quoteText(target.triple) + " names a system",
                 "write " + architecture->triple().str() + " here, and 'systems: [" +
                     systemName(*systemOf(target.triple)).str() + "]' in a library");
  if (architecture) {
    refuseForeignTiles(*architecture);
    askArchitecture(*architecture);
  }
  for (const auto &[kind, mark] : locations.tiles)
    if (llvm::StringRef name(kind); name.starts_with("gemm_") || name.starts_with("matrix_"))
      checkRegisterTile(kind, mark);
}

void TargetChecks::refuseForeignTiles(const Architecture &architecture) const {
  for (const auto &[kind, mark] : locations.tiles) {
    llvm::StringRef name(kind);
    bool isCommon = name.starts_with("gemm_") || name.starts_with("block_layout_");
    if (!isCommon && !llvm::is_contained(architecture.ownTiles(), kind))
      reader.error(mark,
                   "'" + kind + "' is for instructions that " + architectureName(target.triple) +
                       " does not have",
                   "remove '" + kind + "'");
  }
}

void TargetChecks::askArchitecture(const Architecture &architecture) const {
  TargetDescription description{target, std::nullopt, std::nullopt};
  if (locations.features)
    description.features = target.featureNames();
  if (locations.tune)
    description.tune = target.tune;
  description.hasOnlyOn = locations.onlyOn.has_value();
  for (const TargetProblem &problem : architecture.check(description))
    if (std::optional<SourceLoc> where = locationOf(problem))
      reader.diagnostics.error(*where, problem.message, problem.hint);
}

/// The location of the key that a problem is with; none if its value is missing or was refused.
std::optional<SourceLoc> TargetChecks::locationOf(const TargetProblem &problem) const {
  auto at = [&](const std::optional<YamlMark> &mark) -> std::optional<SourceLoc> {
    return mark ? std::optional(reader.at(*mark)) : std::nullopt;
  };
  switch (problem.key) {
  case TargetProblem::Key::tune:
    return at(locations.tune);
  case TargetProblem::Key::feature:
    for (const Located<std::string> &feature : target.requiredFeatures)
      if (feature.value == problem.name)
        return feature.where;
    return std::nullopt;
  case TargetProblem::Key::vectorBits:
    return at(locations.bits);
  case TargetProblem::Key::vectorRegisters:
    return at(locations.registers);
  case TargetProblem::Key::gemmTiles:
    if (auto tiles = locations.tiles.find(problem.name); tiles != locations.tiles.end())
      return reader.at(tiles->second);
    return std::nullopt;
  case TargetProblem::Key::onlyOn:
    return at(locations.onlyOn);
  }
  return std::nullopt;
}

/// A register tile of mr x nr accumulators stays in registers beside one vector of an operand.
void TargetChecks::checkRegisterTile(const std::string &kind, YamlMark mark) const {
  auto sizes = target.gemmTiles.find(kind);
  if (sizes == target.gemmTiles.end() || !sizes->second.count("mr") || !sizes->second.count("nr") ||
      !target.vectorBits || !target.vectorRegisters)
    return;
  // Accumulators of bf16 and of bytes have 32 bits.
  int64_t bits = kind == "gemm_f64" ? 64 : kind == "gemm_f16" ? 16 : 32;
  int64_t lanes = target.vectorBits / bits, mr = sizes->second.at("mr"),
          nr = sizes->second.at("nr"), needed = mr * ((nr + lanes - 1) / lanes) + 1;
  if (needed > target.vectorRegisters)
    reader.error(mark,
                 "a register tile of " + std::to_string(mr) + " x " + std::to_string(nr) +
                     " needs " + std::to_string(needed) + " vector registers of " +
                     std::to_string(target.vectorBits) + " bits, of which there are " +
                     std::to_string(target.vectorRegisters),
                 "choose mr and nr such that mr * nr / " + std::to_string(lanes) + " is below " +
                     std::to_string(target.vectorRegisters));
}

} // namespace kgen
