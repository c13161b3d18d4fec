#include "dialect/kgen/RefusalListener.h"

#include "dialect/kgen/DebugOutput.h"

#include <mlir/IR/Diagnostics.h>

using namespace mlir;

namespace kgen {
namespace {

class RefusalListener : public RewriterBase::Listener {
public:
  void notifyMatchFailure(Location loc, function_ref<void(Diagnostic &)> giveReason) override {
    Diagnostic reason(loc, DiagnosticSeverity::Remark);
    giveReason(reason);
    traceRefusal(loc, reason.str());
  }
};

} // namespace

RewriterBase::Listener *refusalListener() {
  static RefusalListener listener; // without state
  return isDebugged() ? &listener : nullptr;
}

} // namespace kgen
