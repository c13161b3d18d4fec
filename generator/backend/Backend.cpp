#include "backend/Backend.h"

namespace kgen {

const Backend *backendOf(llvm::StringRef triple) {
  const Architecture *architecture = architectureOf(triple);
  for (const Backend *backend : backends())
    if (&backend->architecture() == architecture)
      return backend;
  return nullptr;
}

} // namespace kgen
