#include "target/System.h"

#include <llvm/TargetParser/Triple.h>

namespace kgen {
namespace {

struct Row {
  System system;
  llvm::StringLiteral name, macro;
};

constexpr Row rows[] = {{System::onLinux, "linux", "__linux__"},
                        {System::onWindows, "windows", "_WIN32"},
                        {System::onMacos, "macos", "__APPLE__"}};

const Row &rowOf(System system) { return rows[static_cast<int>(system)]; }

} // namespace

llvm::StringRef systemName(System system) { return rowOf(system).name; }

llvm::StringRef systemMacro(System system) { return rowOf(system).macro; }

std::vector<std::string> systemNames() {
  std::vector<std::string> names;
  for (const Row &row : rows)
    names.push_back(row.name.str());
  return names;
}

std::optional<System> systemNamed(llvm::StringRef name) {
  for (const Row &row : rows)
    if (row.name == name)
      return row.system;
  return std::nullopt;
}

std::optional<System> systemOf(llvm::StringRef triple) {
  llvm::Triple parsed(triple);
  if (parsed.isOSLinux())
    return System::onLinux;
  if (parsed.isOSWindows())
    return System::onWindows;
  if (parsed.isMacOSX())
    return System::onMacos;
  return std::nullopt;
}

System hostSystem() { return System::onLinux; }

} // namespace kgen
