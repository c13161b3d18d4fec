#include "transforms/templates/Passes.h"

#include "transforms/templates/Instantiator.h"
#include "transforms/templates/Trials.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

namespace kgen {

#define GEN_PASS_DEF_CHECKTEMPLATESPASS
#include "transforms/templates/Passes.h.inc"

using namespace templates;

namespace {

struct CheckTemplates : impl::CheckTemplatesPassBase<CheckTemplates> {
  void runOnOperation() override {
    Instantiator instantiator(getOperation(), {});
    for (DefinedTemplate &of : instantiator.templates().all()) {
      std::vector<Environment> trials = trialsOf(of.header, instantiator.templates().target());
      numTrials += trials.size();
      if (mlir::failed(instantiator.tryTemplate(of, trials)))
        signalPassFailure();
    }
  }
};

} // namespace
} // namespace kgen
