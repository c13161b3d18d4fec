#include "driver/tune/TuneCandidates.h"

#include "driver/generate/Generate.h"
#include "driver/load/BackendChecks.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <fmt/format.h>

namespace kgen {
namespace {

using Blocks = std::map<std::string, int64_t>;

/// Packed panels hold two cache lines of sums; a register tile that divides them wastes nothing.
constexpr int64_t panelBytes = 128;

/// The sums of products of a type are kept in f32 or i32, those of f64 in f64.
int64_t sumBytes(const std::string &type) { return type == "f64" ? 8 : 4; }

struct Tile {
  int64_t mr, nr, vectors; ///< vectors: registers for a row of the tile
};

/// All tiles whose sums, with a row of B and an element of A, fit into the registers, and that use
/// at least half of those: the fullest first.
std::vector<Tile> tiles(const TargetSpec &target, const std::string &type) {
  int64_t lanes = target.vectorBits / 8 / sumBytes(type), panel = panelBytes / sumBytes(type);
  std::vector<Tile> list;
  for (int64_t nr = lanes; nr <= panel; nr *= 2) {
    int64_t vectors = nr / lanes, maxRows = (target.vectorRegisters - vectors - 1) / vectors;
    for (int64_t mr = maxRows; mr >= 1 && 2 * mr * vectors >= target.vectorRegisters / 2; --mr)
      list.push_back({mr, nr, vectors});
  }
  std::stable_sort(list.begin(), list.end(), [](const Tile &a, const Tile &b) {
    return a.mr * a.vectors > b.mr * b.vectors;
  });
  return list;
}

TuneCandidate withBlocks(const TargetSpec &current, const std::string &kind, const Blocks &values) {
  TuneCandidate candidate{kind, current};
  for (const auto &[name, value] : values)
    candidate.target.gemmTiles[kind][name] = value;
  return candidate;
}

/// Three quarters of the registers for sums, in tiles of each width.
std::vector<TuneCandidate> plans(const TargetSpec &current, const std::string &type) {
  std::vector<TuneCandidate> list;
  std::set<int64_t> widths;
  for (const Tile &tile : tiles(current, type))
    if (widths.insert(tile.nr).second)
      list.push_back(
          withBlocks(current, "gemm_" + type,
                     {{"mr", std::min(tile.mr, current.vectorRegisters * 3 / 4 / tile.vectors)},
                      {"nr", tile.nr},
                      {"mc", 144},
                      {"kc", 1024}}));
  return list;
}

std::vector<TuneCandidate> tileCandidates(const TargetSpec &current, const std::string &type) {
  std::vector<TuneCandidate> list;
  if (current.gemmTiles.count("gemm_" + type))
    for (const Tile &tile : tiles(current, type))
      list.push_back(withBlocks(current, "gemm_" + type, {{"mr", tile.mr}, {"nr", tile.nr}}));
  return list;
}

std::vector<TuneCandidate> sizeCandidates(const TargetSpec &current, const std::string &type,
                                          const char *name, const std::vector<int64_t> &sizes) {
  std::vector<TuneCandidate> list;
  if (current.gemmTiles.count("gemm_" + type))
    for (int64_t size : sizes)
      list.push_back(withBlocks(current, "gemm_" + type, {{name, size}}));
  return list;
}

/// No blocked layout, and blocks of a few tiles.
std::vector<TuneCandidate> packCandidates(const TargetSpec &current, const std::string &type) {
  std::string kind = "block_layout_" + type;
  std::vector<TuneCandidate> list{{kind, current}};
  list.front().target.gemmTiles.erase(kind);
  int64_t panel = panelBytes / sumBytes(type);
  for (int64_t m : {32, 48, 96})
    for (int64_t k : {64, 256})
      list.push_back(withBlocks(current, kind, {{"m", m}, {"n", panel}, {"k", k}}));
  return list;
}

/// Each instruction for products of the types as if it took next to no time, and as if it took
/// forever.
std::vector<TuneCandidate> costCandidates(const TargetSpec &current,
                                          const std::set<std::string> &types) {
  std::vector<TuneCandidate> list;
  for (const std::string &name : costNames()) {
    auto [what, type] = llvm::StringRef(name).split('_');
    if ((what != "dot" && what != "tile") || !types.count(type.str()))
      continue;
    for (double cycles : {0.03125, 64.0}) {
      list.push_back({"reciprocal_throughput", current});
      list.back().target.costs[name] = cycles;
    }
  }
  return list;
}

std::vector<TuneCandidate> providerCandidates(const TargetSpec &current) {
  std::vector<TuneCandidate> list;
  for (const std::string &name : providerNames()) {
    if (name == "templates") // for the kernels of their headers only, which `auto` knows, too
      continue;
    list.push_back({"provider", current});
    list.back().target.provider.value = name;
  }
  return list;
}

/// Each trade-off of code generation halved and doubled.
std::vector<TuneCandidate> heuristicCandidates(const TargetSpec &current) {
  std::vector<TuneCandidate> list;
  for (const HeuristicEntry &entry : heuristicEntries())
    for (double factor : {0.5, 2.0}) {
      double value = entry.get(current.heuristics) * factor;
      if (entry.isInteger && value < 1)
        continue;
      list.push_back({"heuristics", current});
      entry.set(list.back().target.heuristics, value);
    }
  return list;
}

std::string heuristicsText(const Heuristics &heuristics) {
  std::vector<std::string> parts;
  for (const HeuristicEntry &entry : heuristicEntries())
    if (double value = entry.get(heuristics); value != entry.value)
      parts.push_back(fmt::format("{} {}", entry.name, value));
  return parts.empty() ? "-" : llvm::join(parts, ", ");
}

} // namespace

std::vector<TuneStage> tuneStages(const std::set<std::string> &types, bool heuristics) {
  std::vector<TuneStage> plan, refine;
  for (const std::string &type : types) {
    if (!tileSizeNames("gemm_" + type).empty()) {
      plan.push_back([type](const TargetSpec &current) { return plans(current, type); });
      refine.push_back([type](const TargetSpec &current) { return tileCandidates(current, type); });
      refine.push_back([type](const TargetSpec &current) {
        return sizeCandidates(current, type, "mc", {48, 72, 96, 144, 192, 288, 384, 768});
      });
      refine.push_back([type](const TargetSpec &current) {
        return sizeCandidates(current, type, "kc", {128, 256, 384, 512, 768, 1024, 2048, 4096});
      });
    }
    if (!tileSizeNames("block_layout_" + type).empty())
      refine.push_back([type](const TargetSpec &current) { return packCandidates(current, type); });
  }
  plan.push_back([types](const TargetSpec &current) { return costCandidates(current, types); });
  plan.push_back([](const TargetSpec &current) { return providerCandidates(current); });
  plan.insert(plan.end(), refine.begin(), refine.end());
  if (heuristics)
    plan.push_back(heuristicCandidates);
  return plan;
}

std::string choiceText(const TargetSpec &target, const std::string &kind) {
  std::vector<std::string> parts;
  if (kind == "provider")
    return target.provider.value.empty() ? "-" : target.provider.value;
  if (kind == "heuristics")
    return heuristicsText(target.heuristics);
  if (kind == "reciprocal_throughput")
    for (const auto &[name, cycles] : target.costs)
      parts.push_back(fmt::format("{} {}", name, cycles));
  else if (auto blocks = target.gemmTiles.find(kind); blocks != target.gemmTiles.end())
    for (const std::string &name : tileSizeNames(kind))
      parts.push_back(fmt::format("{} {}", name, blocks->second.at(name)));
  return parts.empty() ? "-" : llvm::join(parts, ", ");
}

} // namespace kgen
