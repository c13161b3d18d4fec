#include "transforms/vectorize/SumTerms.h"

using namespace mlir;

namespace kgen {

SmallVector<SumTerm> sumTerms(linalg::GenericOp reader, Value sums,
                              llvm::function_ref<bool(BlockArgument)> isWanted) {
  SmallVector<SumTerm> terms;
  auto isOfSums = [&](OpOperand &operand) { return operand.get() == sums; };
  auto found = llvm::find_if(reader->getOpOperands(), isOfSums);
  if (llvm::count_if(reader->getOpOperands(), isOfSums) != 1)
    return terms;
  Value sum = reader.getMatchingBlockArgument(&*found);
  while (sum.hasOneUse()) {
    auto addition = dyn_cast<arith::AddIOp>(*sum.user_begin());
    Value added = addition ? addition->getOperand(addition.getLhs() == sum) : Value();
    auto argument = dyn_cast_if_present<BlockArgument>(added);
    if (!argument || argument.getOwner() != reader.getBody() ||
        argument.getArgNumber() >= reader.getNumDpsInputs() || !isWanted(argument))
      break;
    terms.push_back({addition, sum, argument});
    sum = addition;
  }
  return terms;
}

} // namespace kgen
