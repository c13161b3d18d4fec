// Raises computations that are spelled in single operations to the forms that later passes know.
#include "transforms/idioms/RaiseIdioms.h"

#include "transforms/idioms/Passes.h"

#include <llvm/ADT/StringExtras.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_RAISEIDIOMSPASS
#include "transforms/idioms/Passes.h.inc"

namespace {

/// An idiom of the pass's option `idioms`.
struct Idiom {
  llvm::StringLiteral name;
  void (*raise)(func::FuncOp func, IdiomLog &log);
};

constexpr Idiom allIdioms[] = {{"extrema", raiseExtrema},
                               {"normalizations", raiseNormalizations},
                               {"integer-products", raiseIntegerProducts},
                               {"half-rotations", raiseHalfRotations},
                               {"gathers", raiseGathers},
                               {"pair-rotations", raisePairRotations},
                               {"softmax", raiseSoftmax},
                               {"quantizations", raiseQuantizations},
                               {"activations", raiseActivations},
                               {"clamps", raiseClamps},
                               {"channel-quantizations", raiseChannelQuantizations}};

struct RaiseIdiomsPass : impl::RaiseIdiomsPassBase<RaiseIdiomsPass> {
  using RaiseIdiomsPassBase::RaiseIdiomsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    chosen.clear();
    for (StringRef name : idioms) {
      const Idiom *idiom = llvm::find_if(allIdioms, [&](const Idiom &i) { return i.name == name; });
      if (idiom == std::end(allIdioms))
        return emitError(UnknownLoc::get(context))
               << "'" << name << "' is no idiom: kgen-raise-idioms takes "
               << llvm::join(llvm::map_range(allIdioms, [](const Idiom &i) { return i.name; }),
                             ", ");
      chosen.push_back(idiom);
    }
    return success();
  }

  void runOnOperation() override {
    DecisionLog decisions(getOperation(), getArgument());
    IdiomLog log(decisions, numRaised, numRefused);
    for (const Idiom *idiom : chosen)
      idiom->raise(getOperation(), log);
  }

private:
  SmallVector<const Idiom *> chosen;
};

} // namespace
} // namespace kgen
