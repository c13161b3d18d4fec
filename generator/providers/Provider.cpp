#include "providers/Provider.h"

using namespace mlir;

namespace kgen {

std::optional<double> Provider::cost(ukernel::MapOp, TargetAttr, std::string &refusal) const {
  refusal = "makes products only";
  return std::nullopt;
}

LogicalResult Provider::generate(ukernel::MapOp kernel, TargetAttr, OpBuilder &) const {
  return failure();
}

} // namespace kgen
