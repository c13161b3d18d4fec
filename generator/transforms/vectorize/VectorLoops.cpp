// Loops over vectors along one dimension, and scalar loops for what has no vector form.
#include "transforms/vectorize/VectorizationStrategy.h"
#include "transforms/vectorize/Vectorizer.h"

using namespace mlir;

namespace kgen {
namespace {

class VectorLoopsPlan : public VectorizationPlan {
public:
  VectorLoopsPlan(linalg::GenericOp op, TargetAttr target, Stores stores)
      : op(op), rewriter(op.getContext()), vectorizer(rewriter, op, target) {
    DenseI64ArrayAttr written = configuredVector(op);
    vectorizer.chooseVectors(written ? written.asArrayRef() : ArrayRef<int64_t>(),
                             configuredUnroll(op));
    cost = vectorizer.cost(stores);
    dimension = vectorizer.dimension();
    lanes = vectorizer.elementsOfVector();
    step = vectorizer.elementsOfStep();
    if (dimension >= 0)
      unroll = vectorizer.stepsOfIteration();
  }

  void emit(IRRewriter &replacing) override { replacing.replaceOp(op, vectorizer.run()); }

private:
  linalg::GenericOp op;
  IRRewriter rewriter;
  Vectorizer vectorizer;
};

VectorizationMatch matchLoopsOfRows(linalg::GenericOp op, TargetAttr target, Stores stores) {
  IRRewriter rewriter(op.getContext());
  if (StringRef why = Vectorizer(rewriter, op, target).refusal(); !why.empty())
    return {nullptr, why};
  return {std::make_unique<VectorLoopsPlan>(op, target, stores)};
}

VectorizationMatch matchVectorLoops(linalg::GenericOp op, TargetAttr target) {
  return matchLoopsOfRows(op, target, storesOf(op, target));
}

class ScalarLoopsPlan : public VectorizationPlan {
public:
  explicit ScalarLoopsPlan(TargetAttr target) { cost = cyclesInScalarLoops(target.cpu()); }

  void emit(IRRewriter & /*rewriter*/) override {}
};

VectorizationMatch matchScalarLoops(linalg::GenericOp /*op*/, TargetAttr target) {
  return {std::make_unique<ScalarLoopsPlan>(target)};
}

} // namespace

const VectorizationStrategy &vectorLoops() {
  static constexpr VectorizationStrategy strategy{"vector-loops", "loops over vectors",
                                                  /*fusesReader=*/false, matchVectorLoops,
                                                  matchLoopsOfRows};
  return strategy;
}

const VectorizationStrategy &scalarLoops() {
  static constexpr VectorizationStrategy strategy{"scalar-loops", "scalar loops",
                                                  /*fusesReader=*/false, matchScalarLoops};
  return strategy;
}

} // namespace kgen
