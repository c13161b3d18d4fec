#include "support/Confinement.h"

#include <algorithm>
#include <filesystem>

namespace kgen {
namespace fs = std::filesystem;

/// The folder without links; empty: all files may be read.
static fs::path allowed;

bool confineReads(const std::string &folder) {
  std::error_code code;
  allowed = fs::canonical(folder, code);
  return !code && fs::is_directory(allowed, code);
}

std::string refusalToRead(const std::string &path) {
  if (allowed.empty())
    return "";
  std::error_code code;
  fs::path real = fs::weakly_canonical(path, code);
  auto [end, rest] = std::mismatch(allowed.begin(), allowed.end(), real.begin(), real.end());
  if (!code && end == allowed.end())
    return "";
  return "it is outside of '" + allowed.string() + "', and --confine reads nothing else";
}

} // namespace kgen
