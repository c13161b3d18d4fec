#include "templates/transforms/Passes.h"

#include "templates/transforms/Instantiator.h"
#include "templates/transforms/Trials.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

namespace kgen {

#define GEN_PASS_DEF_CHECKTEMPLATESPASS
#include "templates/transforms/Passes.h.inc"

using namespace templates;

namespace {

/// True if `cost` is a number, if the header has one.
bool hasCosts(DefinedTemplate &of, const std::vector<Environment> &trials,
              const TargetFacts &target) {
  for (const Environment &values : trials) {
    ExpressionError error;
    (void)costOf(of.header, values, &target, error);
    if (error.message.empty())
      continue;
    mlir::emitError(of.op.locationOf(error.at)) << error.message << " (" << shown(values) << ")";
    return false;
  }
  return true;
}

struct CheckTemplates : impl::CheckTemplatesPassBase<CheckTemplates> {
  void runOnOperation() override {
    Instantiator instantiator(getOperation(), {});
    for (DefinedTemplate &of : instantiator.templates().all()) {
      const TargetFacts &target = instantiator.templates().target();
      std::vector<Environment> trials = trialsOf(of.header, target);
      numTrials += trials.size();
      if (mlir::failed(instantiator.tryTemplate(of, trials)) || !hasCosts(of, trials, target))
        signalPassFailure();
    }
  }
};

} // namespace
} // namespace kgen
