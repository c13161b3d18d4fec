#include "target/Architecture.h"
#include "target/HostCpu.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/TargetParser/Triple.h>

namespace kgen {

const Architecture *architectureOf(llvm::StringRef triple) {
  llvm::Triple parsed(triple);
  for (const Architecture *architecture : architectures())
    if (!parsed.isAndroid() && architecture->takes(parsed)) // nobody has built for it
      return architecture;
  return nullptr;
}

std::string architectureName(llvm::StringRef triple) {
  llvm::Triple parsed(triple); // "arm64" and "aarch64" are one
  return parsed.getArch() == llvm::Triple::aarch64
             ? llvm::Triple::getArchTypeName(parsed.getArch()).str()
             : parsed.getArchName().str();
}

const Architecture *architectureNamed(llvm::StringRef name) {
  for (const Architecture *architecture : architectures())
    if (architectureName(architecture->triple()) == name)
      return architecture;
  return nullptr;
}

std::vector<std::string> architectureNames() {
  std::vector<std::string> names;
  for (const Architecture *architecture : architectures())
    names.push_back(architectureName(architecture->triple()));
  return names;
}

std::string knownTriples() {
  std::vector<std::string> triples;
  for (const Architecture *architecture : architectures())
    triples.push_back(architecture->triple().str());
  return llvm::join(triples, ", ");
}

/// The architecture that kgen runs on; null if it is none of them.
static const Architecture *hostArchitecture() {
  for (const Architecture *architecture : architectures())
    if (architecture->host())
      return architecture;
  return nullptr;
}

llvm::StringRef hostTriple() {
  const Architecture *architecture = hostArchitecture();
  return architecture ? architecture->triple() : "";
}

const HostCpu &hostCpu() {
  static const HostCpu portable;
  const Architecture *architecture = hostArchitecture();
  return architecture ? *architecture->host() : portable;
}

} // namespace kgen
