#include "backend/Backend.h"

#include "backend/AuditReport.h"

namespace kgen {

llvm::Expected<AuditReport> Backend::audit(llvm::ArrayRef<char>, const std::vector<std::string> &,
                                           llvm::StringRef context) const {
  return llvm::createStringError(context + ": no disassembler for " + architecture().name());
}

const Backend *backendOf(llvm::StringRef triple) {
  const Architecture *architecture = architectureOf(triple);
  for (const Backend *backend : backends())
    if (&backend->architecture() == architecture)
      return backend;
  return nullptr;
}

} // namespace kgen
