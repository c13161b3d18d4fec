// Defaults of back ends.
#include "backend/Backend.h"

#include "backend/Disassembly.h"
#include "backend/Passes.h"

#include <llvm/ADT/StringExtras.h>

namespace kgen {

void Backend::registerPasses() const { registerKgenBackendPasses(); }

void Backend::addPasses(mlir::OpPassManager &pm, PassPoint point) const {
  if (point == PassPoint::instructions)
    pm.addPass(createLowerInstructionsPass());
}

llvm::Expected<AuditReport> Backend::audit(llvm::ArrayRef<char> object,
                                           const std::vector<std::string> &allowedFeatures,
                                           llvm::StringRef context) const {
  initializeLlvm();
  std::vector<std::string> features = allowedFeatures;
  for (llvm::StringRef feature : llvm::split(baselineFeatures(), ','))
    if (feature.consume_front("+"))
      features.push_back(feature.str());
  return auditByDisassembler(object, architecture(), baselineCpu(), features, context);
}

} // namespace kgen
