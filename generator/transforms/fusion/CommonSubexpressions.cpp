// Upstream's elimination of common subexpressions compares all operations whose names, operands,
// attributes and types are equal. Thousands of linalg.generic on one tensor differ in their bodies
// alone, and each would be compared with each.
#include "transforms/fusion/Passes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/Dominance.h>
#include <mlir/IR/Matchers.h>
#include <mlir/Transforms/CSE.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_CSEPASS
#include "transforms/fusion/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral bodyAttrName = "kgen.body_hash";

/// Returns a number that equal bodies have in common: that of their operations in order, and of
/// what these read. Values from outside count by their order, since equal ones are not one value
/// yet; constants count by their numbers.
llvm::hash_code hashOfBody(Block &body) {
  llvm::DenseMap<Value, unsigned> numbers;
  auto numberOf = [&](Value value) {
    Attribute constant;
    if (value.getParentBlock() != &body && matchPattern(value, m_Constant(&constant)))
      return mlir::hash_value(constant);
    return llvm::hash_code(numbers.try_emplace(value, numbers.size()).first->second);
  };
  for (Value argument : body.getArguments())
    numberOf(argument);
  llvm::hash_code hash = 0;
  for (Operation &op : body) {
    hash = llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                        &op, numberOf, OperationEquivalence::ignoreHashValue,
                                        OperationEquivalence::IgnoreLocations));
    for (Value result : op.getResults())
      numberOf(result);
  }
  return hash;
}

struct CsePass : impl::CsePassBase<CsePass> {
  void runOnOperation() override {
    Builder builder(&getContext());
    getOperation()->walk([&](linalg::GenericOp op) {
      op->setAttr(bodyAttrName, builder.getI64IntegerAttr(size_t(hashOfBody(*op.getBody()))));
    });
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    getOperation()->walk([](linalg::GenericOp op) { op->removeAttr(bodyAttrName); });
  }
};

} // namespace
} // namespace kgen
